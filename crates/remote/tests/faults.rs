//! The fault campaign: whatever a server does, nothing that is not true is believed, and look-ups end in time.
//!
//! `STET_FAULT_CASES` sets the number of cases (a release runs 10,000).

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[allow(dead_code, reason = "shared with the end-to-end tests")]
#[path = "../../../tests/tests/shared/servers.rs"]
mod servers;

use servers::{Fault, Http};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stet_key::{Digest, KeyParts};
use stet_remote::keys::{Signer, Trust};
use stet_remote::pack::Pack;
use stet_remote::{Evidence, Remote, RemoteConfig, Role, Url, envelope, seal};
use stet_store::{Config, Entry, Mode, News, Outcome, Provenance, RemoteTier, Store};
use stet_testkit::Random;

const KIND: &str = "test/verdict";
const STALL: Duration = Duration::from_millis(40);
/// Where an answer is expected, however loaded the machine is.
const LONG: Duration = Duration::from_secs(30);

fn entry(n: u64, outcome: Outcome) -> Entry {
    Entry {
        key: Digest::of_bytes(&n.to_le_bytes()),
        kind: KIND.into(),
        subject: None,
        outcome,
        evidence: vec![n as u8; 200],
        provenance: Provenance::now("test", "1", ""),
        parts: KeyParts::default(),
    }
}

fn remote(url: &str, signer: Option<Signer>, trust: &Trust, wait: Duration) -> Arc<Remote> {
    Remote::open(RemoteConfig {
        url: Some(Url::parse(url, &|_| None).unwrap()),
        role: Role::ReadWrite,
        signer,
        trust: trust.clone(),
        evidence: Evidence::Sealed,
        wait,
        pause_file: None,
        packs: None,
        packed_kinds: &[],
        local_kinds: &[],
        silent_kinds: &[],
    })
}

struct World {
    http: Http,
    ci: fn() -> Signer,
    trust: Trust,
}

impl World {
    fn new() -> Self {
        let ci = || Signer::from_seed("ci", [7; 32]);
        let trust = Trust::of([("ci", *ci().public().as_bytes())]);
        World {
            http: Http::start(),
            ci,
            trust,
        }
    }

    fn name(&self, n: u64) -> String {
        let key = Digest::of_bytes(&n.to_le_bytes());
        format!("/base/ac/{}", seal::address(&key))
    }

    /// Puts what `signer` says about the n-th obligation on the server.
    fn put(&self, n: u64, outcome: Outcome, signer: &Signer) {
        let bytes = envelope::close(&entry(n, outcome), signer).unwrap();
        self.http
            .objects
            .lock()
            .unwrap()
            .insert(self.name(n), bytes);
    }

    /// What a fresh machine believes about the n-th obligation.
    fn ask(&self, n: u64, wait: Duration) -> (Option<Outcome>, Duration) {
        let remote = remote(&self.http.url, None, &self.trust, wait);
        let start = Instant::now();
        let found = remote.get(KIND, &Digest::of_bytes(&n.to_le_bytes()));
        (found.map(|entry| entry.outcome), start.elapsed())
    }
}

/// What is wrong in a case.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Server(Fault),
    Forged,
    Untrusted,
    OtherVersion,
}

const WRONGS: &[Wrong] = &[
    Wrong::Server(Fault::Slow),
    Wrong::Server(Fault::Garbage),
    Wrong::Server(Fault::Truncated),
    Wrong::Server(Fault::Replayed),
    Wrong::Server(Fault::Flipped),
    Wrong::Server(Fault::Huge),
    Wrong::Server(Fault::Dropped),
    Wrong::Forged,
    Wrong::Untrusted,
    Wrong::OtherVersion,
];

fn cases() -> u64 {
    let cases = std::env::var("STET_FAULT_CASES");
    cases.ok().and_then(|text| text.parse().ok()).unwrap_or(200)
}

#[test]
fn nothing_false_is_believed() {
    let cases = cases();
    let world = World::new();
    let ci = (world.ci)();
    let stranger = Signer::from_seed("stranger", [9; 32]);
    for n in 0..16 {
        world.put(n, Outcome::Holds, &ci);
    }
    assert_eq!(
        world.ask(3, LONG).0,
        Some(Outcome::Holds),
        "the world works"
    );
    let mut random = Random::new(11);
    let (mut believed, mut slowest) = (0, Duration::ZERO);
    for case in 0..cases {
        let n = random.below(16);
        let wrong = WRONGS[(case % WRONGS.len() as u64) as usize];
        match wrong {
            Wrong::Server(fault) => world.http.misbehave(fault),
            Wrong::Untrusted => world.put(n, Outcome::Fails, &stranger),
            Wrong::Forged => {
                world.put(n, Outcome::Fails, &stranger);
                let mut objects = world.http.objects.lock().unwrap();
                let bytes = objects.get_mut(&world.name(n)).unwrap();
                bytes[4..36].copy_from_slice(ci.public().as_bytes());
            }
            Wrong::OtherVersion => {
                let mut objects = world.http.objects.lock().unwrap();
                objects.get_mut(&world.name(n)).unwrap()[2] = b'2';
            }
        }
        let (found, took) = world.ask(n, STALL);
        slowest = slowest.max(took);
        believed += u64::from(found.is_some());
        assert_eq!(found, None, "case {case}: {wrong:?}");
        world.http.misbehave(Fault::None);
        world.put(n, Outcome::Holds, &ci);
    }
    println!("{cases} cases, {believed} believed, the slowest took {slowest:?}");
    assert_eq!(
        world.ask(3, LONG).0,
        Some(Outcome::Holds),
        "the world still works"
    );
    // Ten times the limit leaves room for a loaded machine.
    assert!(slowest < STALL * 80, "{slowest:?}");
}

/// A run with a misbehaving server sends and asks as always; its own verdicts are all there.
#[test]
fn a_failing_server_changes_nothing_in_the_local_store() {
    for fault in [Fault::Slow, Fault::Full, Fault::Dropped, Fault::Garbage] {
        let world = World::new();
        world.http.misbehave(fault);
        let remote = remote(&world.http.url, Some((world.ci)()), &world.trust, STALL);
        let store = Store::open(Config {
            remote: Some(remote),
            ..Config::memory(Mode::ReadWrite)
        });
        let start = Instant::now();
        for n in 0..50 {
            let wanted = entry(n, Outcome::Holds);
            assert!(store.get(KIND, &wanted.key).is_none());
            store.put(wanted);
        }
        store.finish();
        assert!(start.elapsed() < Duration::from_secs(10), "{fault:?}");
        for n in 0..50 {
            assert!(store.get(KIND, &entry(n, Outcome::Holds).key).is_some());
        }
        let notes = store.take_notes();
        assert!(notes.len() <= 1, "{fault:?}: {notes:?}");
    }
}

/// A world with packs of entries, and what was put into it.
struct Packs {
    world: World,
    /// The packs as they were put, by the name of their object.
    intact: Vec<(String, Vec<u8>)>,
}

const PACKS: u64 = 6;
const IN_A_PACK: u64 = 12;

impl Packs {
    fn new() -> Packs {
        let world = World::new();
        for n in 0..PACKS {
            let writer = Remote::open(packing(&world, Some((world.ci)())));
            writer.begin(&format!("program {n}"));
            for m in 0..IN_A_PACK {
                let told = entry(n * IN_A_PACK + m, Outcome::Holds);
                writer.tell(&Arc::new(told), News::Added);
            }
            writer.flush();
        }
        let name = |n| {
            let address = seal::pack_address(&format!("program {n}"));
            format!("/base/ac/{address}")
        };
        let objects = world.http.objects.lock().unwrap().clone();
        assert_eq!(objects.len() as u64, PACKS);
        let intact = (0..PACKS).map(|n| (name(n), objects[&name(n)].clone()));
        Packs {
            intact: intact.collect(),
            world,
        }
    }

    /// What a fresh machine believes of the n-th pack: which entries, and how many were refused.
    fn ask(&self, n: u64) -> (Vec<(u64, Outcome)>, u64) {
        let reader = Remote::open(packing(&self.world, None));
        reader.begin(&format!("program {n}"));
        let numbers = n * IN_A_PACK..(n + 1) * IN_A_PACK;
        let ask = |m: u64| {
            let found = reader.get(KIND, &entry(m, Outcome::Holds).key)?;
            Some((m, found.outcome))
        };
        let found = numbers.filter_map(ask).collect();
        (found, reader.traffic().refused)
    }

    fn put(&self, n: u64, bytes: Vec<u8>) {
        let name = self.intact[n as usize].0.clone();
        self.world.http.objects.lock().unwrap().insert(name, bytes);
    }
}

fn packing(world: &World, signer: Option<Signer>) -> RemoteConfig {
    RemoteConfig {
        url: Some(Url::parse(&world.http.url, &|_| None).unwrap()),
        role: Role::ReadWrite,
        signer,
        trust: world.trust.clone(),
        evidence: Evidence::Sealed,
        wait: LONG,
        pause_file: None,
        packs: None,
        packed_kinds: &[KIND],
        local_kinds: &[],
        silent_kinds: &[],
    }
}

/// A pack that a server damaged: nothing of it is believed, though most of its envelopes are intact and signed.
#[test]
fn nothing_of_a_damaged_pack_is_believed() {
    let packs = Packs::new();
    let (found, refused) = packs.ask(2);
    assert_eq!((found.len() as u64, refused), (IN_A_PACK, 0), "it works");
    let mut random = Random::new(12);
    let (cases, mut believed) = (cases(), 0);
    for case in 0..cases {
        let n = random.below(PACKS);
        let intact = &packs.intact[n as usize].1;
        let mut bytes = intact.clone();
        match case % 5 {
            0 => {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
            1 => bytes.truncate(random.below(bytes.len() as u64) as usize),
            2 => bytes.extend((0..=random.below(5000)).map(|_| 7)),
            3 => bytes.fill_with(|| random.bits() as u8),
            _ => bytes = packs.intact[((n + 1) % PACKS) as usize].1.clone(),
        }
        packs.put(n, bytes);
        let (found, refused) = packs.ask(n);
        believed += found.len();
        assert_eq!(found, [], "case {case}");
        // A pack that looks like one of another version is a miss, not a fault.
        assert!(refused <= 1, "case {case}");
        packs.put(n, intact.clone());
    }
    println!("{cases} damaged packs, {believed} entries believed");
    assert_eq!(packs.ask(3).0.len() as u64, IN_A_PACK, "it still works");
}

/// Somebody who can write to the server makes packs with right checksums: entries count one by one then. Those that are as they
/// were signed are believed, those that are not never are.
#[test]
fn of_a_forged_pack_only_intact_entries_are_believed() {
    let packs = Packs::new();
    let stranger = Signer::from_seed("stranger", [9; 32]);
    let mut random = Random::new(13);
    let (cases, mut intact_believed, mut damaged_believed, mut damaged) = (cases(), 0, 0, 0);
    for case in 0..cases {
        let n = random.below(PACKS);
        let address = seal::pack_address(&format!("program {n}"));
        let original = Pack::parse(packs.intact[n as usize].1.clone(), &address).unwrap();
        let mut envelopes: std::collections::BTreeMap<Digest, Vec<u8>> = original
            .envelopes()
            .map(|(address, bytes)| (address, bytes.to_vec()))
            .collect();
        let mut touched = Vec::new();
        for m in n * IN_A_PACK..(n + 1) * IN_A_PACK {
            let how = random.below(8);
            if how >= 5 {
                continue;
            }
            touched.push(m);
            let lie = entry(m, Outcome::Fails);
            let at = seal::address(&lie.key);
            let bytes = envelopes.get_mut(&at).unwrap();
            match how {
                0 => {
                    let bit = random.below(bytes.len() as u64 * 8) as usize;
                    bytes[bit / 8] ^= 1 << (bit % 8);
                }
                1 => *bytes = envelope::close(&lie, &stranger).unwrap(),
                2 => {
                    *bytes = envelope::close(&lie, &stranger).unwrap();
                    bytes[4..36].copy_from_slice((packs.world.ci)().public().as_bytes());
                }
                3 => bytes.truncate(random.below(bytes.len() as u64) as usize),
                // What the trusted signer said about something else.
                _ => {
                    let other = entry(m + 10_000, Outcome::Fails);
                    *bytes = envelope::close(&other, &(packs.world.ci)()).unwrap();
                }
            }
        }
        damaged += touched.len();
        packs.put(n, Pack::write(&address, &envelopes));
        let (found, _) = packs.ask(n);
        for (m, outcome) in found {
            let is_damaged = touched.contains(&m) || outcome != Outcome::Holds;
            damaged_believed += u64::from(is_damaged);
            intact_believed += u64::from(!is_damaged);
            assert!(!is_damaged, "case {case}: entry {m} is believed");
        }
        packs.put(n, packs.intact[n as usize].1.clone());
    }
    println!(
        "{cases} forged packs: {damaged} damaged entries of which {damaged_believed} were believed, \
         {intact_believed} intact and signed entries believed"
    );
    assert!(intact_believed > 0, "intact entries are entries");
}

/// A server that gives nothing but bad answers is asked three times, not once for every obligation.
#[test]
fn a_broken_server_is_left_alone_soon() {
    let world = World::new();
    let ci = (world.ci)();
    for n in 0..200 {
        world.put(n, Outcome::Holds, &ci);
    }
    for fault in [
        Fault::Garbage,
        Fault::Replayed,
        Fault::Truncated,
        Fault::Flipped,
        Fault::Huge,
    ] {
        world.http.misbehave(fault);
        let remote = remote(&world.http.url, None, &world.trust, LONG);
        let before = world
            .http
            .requests
            .load(std::sync::atomic::Ordering::SeqCst);
        for n in 0..200u64 {
            let found = remote.get(KIND, &Digest::of_bytes(&n.to_le_bytes()));
            assert!(found.is_none(), "{fault:?}");
        }
        let asked = world
            .http
            .requests
            .load(std::sync::atomic::Ordering::SeqCst)
            - before;
        assert_eq!(asked, 3, "{fault:?}");
        let mut notes = remote.take_notes();
        notes.retain(|note| note.code != "store/remote-no-key");
        assert_eq!(notes.len(), 1, "{fault:?}: {notes:?}");
        assert_eq!(notes[0].code, "store/remote-failed", "{fault:?}");
    }
}

/// Thousands of entries in a pack, fetched with one request.
#[test]
fn a_pack_comes_in_one_request() {
    let world = World::new();
    let writer = Remote::open(packing(&world, Some((world.ci)())));
    writer.begin("program");
    for n in 0..2000 {
        writer.tell(&Arc::new(entry(n, Outcome::Holds)), News::Added);
    }
    writer.flush();
    assert_eq!(world.http.objects.lock().unwrap().len(), 1);
    let reader = Remote::open(packing(&world, None));
    reader.begin("program");
    for n in 0..2000 {
        let found = reader.get(KIND, &entry(n, Outcome::Holds).key);
        assert_eq!(
            found.map(|entry| entry.outcome),
            Some(Outcome::Holds),
            "{n}"
        );
    }
    assert_eq!(reader.traffic().requests, 1);
    assert_eq!(reader.traffic().verdicts, 2000);
    // What another program asks is not in the pack, and is not asked for one by one.
    assert!(reader.get(KIND, &entry(5000, Outcome::Holds).key).is_none());
    assert_eq!(reader.traffic().requests, 1);
}

#[test]
fn a_whole_program_is_asked_for_at_once() {
    let world = World::new();
    let ci = (world.ci)();
    for n in 0..100 {
        world.put(n, Outcome::Holds, &ci);
    }
    let remote = remote(&world.http.url, None, &world.trust, LONG);
    let store = Store::open(Config {
        remote: Some(remote),
        trusted: world.trust.list().map(|(_, key)| key).collect(),
        ..Config::memory(Mode::ReadWrite)
    });
    let keys: Vec<Digest> = (0..120).map(|n| entry(n, Outcome::Holds).key).collect();
    store.prefetch(&keys);
    let asked = store.traffic().unwrap().requests;
    let found = keys
        .iter()
        .filter(|key| store.get(KIND, key).is_some())
        .count();
    assert_eq!(found, 100);
    assert_eq!(
        store.traffic().unwrap().requests,
        asked,
        "nothing is asked twice"
    );
    let counters = store.counters();
    assert_eq!((counters.remote_hits, counters.misses), (100, 20));
}
