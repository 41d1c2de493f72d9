//! Random operations on a store file beside a model in memory, with kills, damage and reopening.
//!
//! The model knows what was put and what must be found: an entry flushed and never evicted or damaged
//! must be there; any entry found must be exactly what was put.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail")]

mod common;

use common::{KIND, entry, get, key, open};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use stet_key::KeyParts;
use stet_store::{Mode, Request, Store};
use stet_testkit::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Is {
    /// Put since the last flush.
    Waiting,
    /// In the file.
    Durable,
    /// Put once; eviction may have taken it.
    Uncertain,
}

#[derive(Default)]
struct Model {
    entries: BTreeMap<u64, Is>,
}

impl Model {
    fn put(&mut self, n: u64) {
        let state = self.entries.entry(n).or_insert(Is::Waiting);
        if *state == Is::Uncertain {
            *state = Is::Waiting;
        }
    }

    fn flushed(&mut self) {
        let waiting = self.entries.values_mut().filter(|is| **is == Is::Waiting);
        waiting.for_each(|is| *is = Is::Durable);
    }

    fn evicted(&mut self) {
        self.entries.values_mut().for_each(|is| *is = Is::Uncertain);
    }
}

fn run(seed: u64, steps: u32) {
    let directory = common::scratch();
    let path = directory.path().join("store.db");
    let mut random = Random::new(seed);
    let mut model = Model::default();
    let mut store = open(&path, Mode::ReadWrite);
    for _ in 0..steps {
        match random.below(102) {
            0..45 => {
                let n = random.below(400);
                store.put(entry(n));
                model.put(n);
            }
            45..75 => {
                let n = random.below(400);
                let found = get(&store, n);
                match model.entries.get(&n) {
                    Some(Is::Waiting | Is::Durable) => {
                        assert!(found, "seed {seed}: entry {n} is lost");
                    }
                    Some(Is::Uncertain) => {}
                    None => assert!(!found, "seed {seed}: entry {n} was never put"),
                }
            }
            75..83 => check_latest(&store, &model, random.below(400)),
            83..90 => {
                store.flush();
                model.flushed();
            }
            90..94 => {
                drop(store);
                model.flushed();
                store = open(&path, Mode::ReadWrite);
            }
            94..96 => {
                drop(store);
                damage_a_row(&path, &mut random, &mut model);
                store = open(&path, Mode::ReadWrite);
            }
            96..98 => read_only_agrees(&path, &store, &mut model),
            100..102 => {
                drop(store);
                model.flushed();
                let limit = 16 * 4096 * (1 + random.below(4));
                use_with_too_little_room(&path, limit, &mut random, &mut model);
                store = open(&path, Mode::ReadWrite);
            }
            98 => {
                store.clear(None).unwrap();
                model.entries.clear();
            }
            _ => {
                // Evicting to a size that may or may not force something out: nothing is certain after.
                store.evict_to(60_000).unwrap();
                model.evicted();
            }
        }
    }
    let verification = store.verify().unwrap();
    assert!(verification.file_problems.is_empty(), "seed {seed}");
}

fn check_latest(store: &Arc<Store>, model: &Model, n: u64) {
    let subject = format!("subject-{n}");
    if let Some(found) = store.latest(KIND, &subject) {
        assert_eq!(*found, entry(n));
        assert!(model.entries.contains_key(&n));
    } else if n.is_multiple_of(3) {
        let state = model.entries.get(&n);
        assert!(
            matches!(state, None | Some(Is::Uncertain)),
            "{subject} is lost"
        );
    }
}

/// Flips a bit in a record through SQL, so that the row is found and its checksum is wrong.
fn damage_a_row(path: &Path, random: &mut Random, model: &mut Model) {
    let n = random.below(400);
    let connection = rusqlite::Connection::open(path).unwrap();
    let record: Result<Vec<u8>, _> = connection.query_row(
        "SELECT record FROM entry WHERE id = ?1",
        [common::row(n)],
        |row| row.get(0),
    );
    if let Ok(mut record) = record {
        let bit = random.below(record.len() as u64 * 8) as usize;
        record[bit / 8] ^= 1 << (bit % 8);
        let update = "UPDATE entry SET record = ?2 WHERE id = ?1";
        connection
            .execute(update, rusqlite::params![common::row(n), record])
            .unwrap();
    }
    drop(connection);
    let store = open(path, Mode::ReadWrite);
    assert!(!get(&store, n), "a damaged row was believed");
    store.put(entry(n));
    model.entries.insert(n, Is::Durable);
}

/// Puts more than fits under a small limit: writes fail in the middle, old entries make room for new ones.
fn use_with_too_little_room(path: &Path, limit: u64, random: &mut Random, model: &mut Model) {
    let store = Store::open(stet_store::Config {
        size_limit: limit,
        ..stet_store::Config::file(path, Mode::ReadWrite)
    });
    for _ in 0..random.below(300) {
        let n = random.below(400);
        store.put(entry(n));
        model.put(n);
        assert!(get(&store, n), "what was put is found in this run");
    }
    store.flush();
    model.evicted();
}

fn read_only_agrees(path: &Path, store: &Arc<Store>, model: &mut Model) {
    store.flush();
    model.flushed();
    let reader = open(path, Mode::ReadOnly);
    for (&n, &is) in &model.entries {
        assert!(get(&reader, n) || is == Is::Uncertain, "entry {n}");
    }
    reader.put(entry(9999));
    assert!(!get(&reader, 9999));
    assert!(common::codes(&reader).is_empty());
}

#[test]
fn random_operations_agree_with_the_model() {
    let rounds = std::env::var("STET_STORE_MODEL_ROUNDS").map_or(12, |n| n.parse().unwrap());
    for seed in 0..rounds {
        run(seed, 250);
    }
}

#[test]
fn threads_share_one_store() {
    let directory = common::scratch();
    let path = directory.path().join("store.db");
    let store = open(&path, Mode::ReadWrite);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let store = &store;
            scope.spawn(move || {
                let mut random = Random::new(thread);
                for step in 0..400 {
                    let n = random.below(600);
                    match random.below(3) {
                        0 => store.put(entry(n)),
                        1 => {
                            get(store, n);
                        }
                        _ if step % 50 == 0 => store.flush(),
                        _ => {
                            let subject = format!("subject-{n}");
                            let found = store.latest(KIND, &subject);
                            assert!(found.is_none_or(|found| *found == entry(n)));
                        }
                    }
                }
            });
        }
    });
    assert!(common::codes(&store).is_empty());
    let puts = store.counters().puts;
    drop(store);
    let store = open(&path, Mode::ReadOnly);
    let found = (0..600).filter(|&n| get(&store, n)).count() as u64;
    assert!(found > 400 && found <= puts, "{found} of {puts}");
}

#[test]
fn a_miss_names_what_differed() {
    let directory = common::scratch();
    let path = directory.path().join("store.db");
    let parts = |options: u64| {
        let mut builder = stet_key::KeyBuilder::new("test");
        builder.part("engine", |e| e.u8(1));
        builder.part("options", |e| e.u64(options));
        builder.part("body", |e| e.u64(options));
        builder.finish()
    };
    let look = |store: &Arc<Store>, options: u64| {
        let (key, parts) = parts(options);
        let request = Request {
            kind: KIND,
            subject: "file.bpl:P",
            key,
            parts: &parts,
        };
        store.lookup(&request).is_some()
    };
    let put = |store: &Arc<Store>, options: u64| {
        let (key, parts) = parts(options);
        store.put(stet_store::Entry {
            key,
            parts,
            subject: Some("file.bpl:P".into()),
            ..entry(1)
        });
    };
    let store = open(&path, Mode::ReadWrite);
    assert!(!look(&store, 1));
    assert_eq!(
        store.latest_miss(KIND, "file.bpl:P").unwrap().previous,
        None
    );
    put(&store, 1);
    assert!(look(&store, 1));
    drop(store);

    let store = open(&path, Mode::ReadWrite);
    assert!(!look(&store, 2));
    put(&store, 2);
    drop(store);

    let store = open(&path, Mode::ReadWrite);
    let miss = store.latest_miss(KIND, "file.bpl:P").unwrap();
    assert_eq!(miss.first_difference(), Some("options"));
    assert_eq!(miss.parts, parts(2).1);
    assert_eq!(miss.previous, Some(parts(1)));
    let names = store.subjects();
    assert_eq!(names.len(), 1);
    assert_eq!(&*names[0].subject, "file.bpl:P");
    assert_eq!(store.latest(KIND, "file.bpl:P").unwrap().key, parts(2).0);
    let prefix = &parts(2).0.to_hex()[..12];
    assert_eq!(store.find_by_prefix(prefix, 5).len(), 1);
    assert_eq!(store.find_by_prefix("nonsense", 5).len(), 0);
    let none: Option<KeyParts> = store.latest_miss(KIND, "other").map(|miss| miss.parts);
    assert_eq!(none, None);
}

#[test]
fn off_and_memory_only() {
    let off = Store::open(stet_store::Config::memory(Mode::Off));
    off.put(entry(1));
    assert!(!get(&off, 1));
    assert_eq!(off.counters().misses, 0);
    let memory = Store::in_memory();
    memory.put(entry(3));
    assert!(get(&memory, 3));
    assert_eq!(memory.latest(KIND, "subject-3").unwrap().key, key(3).0);
    assert!(memory.get("other/kind", &key(3).0).is_none());
}

#[test]
fn exported_verdicts_come_back_whole_or_not_at_all() {
    let directory = common::scratch();
    let from = open(&directory.path().join("from.db"), Mode::ReadWrite);
    (0..9).for_each(|n| from.put(entry(n)));
    let mut file = Vec::new();
    assert_eq!(from.export(&mut file, None).unwrap(), 9);
    assert_eq!(from.export(&mut Vec::new(), Some("other")).unwrap(), 0);

    let to = open(&directory.path().join("to.db"), Mode::ReadWrite);
    for bit in (0..file.len() * 8).step_by(29) {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(to.import(|| Ok(&damaged[..])).is_err(), "bit {bit}");
    }
    for length in (0..file.len()).step_by(7) {
        assert!(
            to.import(|| Ok(&file[..length])).is_err(),
            "length {length}"
        );
    }
    assert!(
        to.import(|| Ok(std::io::Cursor::new([&file[..], b"x"].concat())))
            .is_err()
    );
    assert!((0..9).all(|n| !get(&to, n)));
    assert_eq!(to.import(|| Ok(&file[..])).unwrap(), 9);
    assert!((0..9).all(|n| get(&to, n)));
    assert_eq!(to.latest(KIND, "subject-6").unwrap().key, key(6).0);
}

#[test]
fn the_latest_is_the_last_one_put() {
    for order in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] {
        let directory = common::scratch();
        let path = directory.path().join("store.db");
        let store = open(&path, Mode::ReadWrite);
        for n in order {
            store.put(stet_store::Entry {
                subject: Some("s".into()),
                ..entry(n)
            });
        }
        drop(store);
        let latest = open(&path, Mode::ReadOnly).latest(KIND, "s").unwrap();
        assert_eq!(latest.key, key(order[2]).0);
    }
}
