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

#[test]
fn nothing_false_is_believed() {
    let cases = std::env::var("STET_FAULT_CASES");
    let cases: u64 = cases.ok().and_then(|text| text.parse().ok()).unwrap_or(200);
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

/// Thousands of entries in a pack, fetched with one request.
#[test]
fn a_pack_comes_in_one_request() {
    let world = World::new();
    let config = |signer| RemoteConfig {
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
    };
    let writer = Remote::open(config(Some((world.ci)())));
    writer.begin("program");
    for n in 0..2000 {
        writer.tell(&Arc::new(entry(n, Outcome::Holds)), News::Added);
    }
    writer.flush();
    assert_eq!(world.http.objects.lock().unwrap().len(), 1);
    let reader = Remote::open(config(None));
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
