//! Damaged, foreign, old, new and unwritable files: always a store, never a wrong verdict.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail")]

mod common;

use common::{codes, entry, get, open, row};
use std::path::{Path, PathBuf};
use stet_store::{Config, Mode, Store};

const COUNT: u64 = 12;

fn small_store(directory: &Path) -> PathBuf {
    let path = directory.join("store.db");
    let store = open(&path, Mode::ReadWrite);
    for n in 0..COUNT {
        store.put(entry(n));
    }
    store.flush();
    assert!(codes(&store).is_empty());
    path
}

/// Uses a store whose file holds `bytes` in every way; returns how many entries survived.
fn survive(directory: &Path, bytes: &[u8], what: &str) -> u64 {
    let path = directory.join("damaged.db");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(directory.join(format!("damaged.db{suffix}")));
    }
    std::fs::write(&path, bytes).unwrap();

    let reader = open(&path, Mode::ReadOnly);
    (0..COUNT).for_each(|n| {
        get(&reader, n);
        reader.latest(common::KIND, &format!("subject-{n}"));
    });
    drop(reader);

    let store = open(&path, Mode::ReadWrite);
    let survivors = (0..COUNT).filter(|&n| get(&store, n)).count() as u64;
    store.put(entry(1000));
    assert!(get(&store, 1000), "{what}");
    store.flush();
    let notes = codes(&store);
    drop(store);

    let again = open(&path, Mode::ReadWrite);
    let left_alone = ["store/foreign-file", "store/newer-format"];
    if notes.iter().any(|code| left_alone.contains(code)) {
        assert!(!get(&again, 1000), "{what}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{what}");
        return survivors;
    }
    let found = get(&again, 1000);
    let verification = again.verify();
    let is_sound = verification.is_some_and(|v| v.file_problems.is_empty());
    // A page whose rows are out of order misleads look-ups without an error, until a check of the whole
    // file finds it.
    assert!(found || !is_sound, "{what}: {notes:?}");
    again.put(entry(2000));
    drop(again);
    let repaired = open(&path, Mode::ReadWrite);
    assert!(get(&repaired, 2000), "{what}");
    // A wrong free-space mark may have made a new row overwrite an old one: missed, but never wrong.
    (0..COUNT).for_each(|n| {
        get(&repaired, n);
    });
    survivors
}

#[test]
fn flipped_bits() {
    let directory = common::scratch();
    let path = small_store(directory.path());
    let bytes = std::fs::read(&path).unwrap();
    // All of the header; elsewhere a sample of the bytes that carry something, in several places each.
    let mut bits: Vec<usize> = (0..100 * 8).step_by(5).collect();
    let used = (100..bytes.len()).filter(|&at| bytes[at] != 0 || at % 4096 < 12);
    bits.extend(used.step_by(23).map(|at| at * 8 + at % 8));
    let mut survivors = 0;
    for &bit in &bits {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        survivors += survive(directory.path(), &damaged, &format!("bit {bit}"));
    }
    // Most damage is in one row: the others must not be thrown away for it.
    assert!(survivors > bits.len() as u64 * COUNT / 3, "{survivors}");
}

#[test]
fn truncations() {
    let directory = common::scratch();
    let path = small_store(directory.path());
    let bytes = std::fs::read(&path).unwrap();
    let lengths = (0..120).chain((120..bytes.len()).step_by(97));
    for length in lengths.chain([bytes.len() - 1]) {
        survive(
            directory.path(),
            &bytes[..length],
            &format!("length {length}"),
        );
    }
    assert_eq!(survive(directory.path(), &bytes, "whole"), COUNT);
}

#[test]
fn a_damaged_log_loses_no_more_than_itself() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = open(&path, Mode::ReadWrite);
    store.put(entry(0));
    store.flush();
    drop(store); // the log is moved into the file
    let store = open(&path, Mode::ReadWrite);
    store.put(entry(1));
    store.flush();
    // As after a crash: the files as they are while the store is open.
    let log = directory.path().join("store.db-wal");
    let (file, log) = (std::fs::read(&path).unwrap(), std::fs::read(log).unwrap());
    assert!(log.len() > 4096);
    for at in (0..log.len()).step_by(61) {
        let crashed = tempfile::tempdir().unwrap();
        let path = crashed.path().join("store.db");
        std::fs::write(&path, &file).unwrap();
        let mut log = log.clone();
        log[at] ^= 0x10;
        std::fs::write(crashed.path().join("store.db-wal"), &log).unwrap();
        let store = open(&path, Mode::ReadWrite);
        assert!(get(&store, 0), "byte {at}");
        get(&store, 1);
        store.put(entry(2));
        store.flush();
        assert!(codes(&store).is_empty(), "byte {at}");
    }
}

#[test]
fn foreign_files_are_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("thesis.txt");
    for text in ["my only copy", &"x".repeat(5000)] {
        std::fs::write(&path, text).unwrap();
        for mode in [Mode::ReadWrite, Mode::ReadOnly] {
            let store = open(&path, mode);
            store.put(entry(1));
            assert_eq!(get(&store, 1), mode == Mode::ReadWrite);
            store.flush();
            assert_eq!(codes(&store), ["store/foreign-file"]);
            assert_eq!((store.clear(None), store.evict_to(0)), (None, None));
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    let other = directory.path().join("other.db");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(connection);
    let before = std::fs::read(&other).unwrap();
    let store = open(&other, Mode::ReadWrite);
    store.put(entry(1));
    store.flush();
    assert_eq!(codes(&store), ["store/foreign-file"]);
    assert_eq!(std::fs::read(&other).unwrap(), before);
    assert_eq!(
        codes(&open(directory.path(), Mode::ReadWrite)),
        ["store/foreign-file"],
        "a directory"
    );
}

#[test]
fn older_formats_start_afresh_and_newer_ones_are_left_alone() {
    for (version, code) in [(0, "store/older-format"), (7, "store/newer-format")] {
        let directory = tempfile::tempdir().unwrap();
        let path = small_store(directory.path());
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();

        let reader = open(&path, Mode::ReadOnly);
        assert!(!get(&reader, 0));
        assert_eq!(codes(&reader), [code]);
        assert_eq!(std::fs::read(&path).unwrap(), before);

        let store = open(&path, Mode::ReadWrite);
        assert!((0..COUNT).all(|n| !get(&store, n)), "{version}");
        store.put(entry(1));
        store.flush();
        assert_eq!(codes(&store), [code]);
        drop(store);
        let is_newer = version == 7;
        assert_eq!(std::fs::read(&path).unwrap() == before, is_newer);
        assert_eq!(get(&open(&path, Mode::ReadWrite), 1), !is_newer);
    }
}

#[test]
fn a_file_with_more_than_our_tables_starts_afresh() {
    let directory = tempfile::tempdir().unwrap();
    let path = small_store(directory.path());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "CREATE TRIGGER wrong AFTER INSERT ON entry BEGIN
             DELETE FROM entry; END",
        )
        .unwrap();
    drop(connection);
    assert_eq!(codes(&open(&path, Mode::ReadOnly)), ["store/damaged"]);
    let store = open(&path, Mode::ReadWrite);
    store.put(entry(20));
    store.flush();
    assert_eq!(codes(&store), ["store/damaged"]);
    assert!(get(&open(&path, Mode::ReadOnly), 20));
}

#[test]
fn a_record_under_another_key_is_a_miss() {
    let directory = tempfile::tempdir().unwrap();
    let path = small_store(directory.path());
    let connection = rusqlite::Connection::open(&path).unwrap();
    let swap = "UPDATE entry SET record = (SELECT record FROM entry WHERE id = ?2) WHERE id = ?1";
    let changed = connection.execute(swap, [row(1), row(2)]).unwrap();
    assert_eq!(changed, 1);
    drop(connection);
    let store = open(&path, Mode::ReadWrite);
    assert!(!get(&store, 1));
    assert!(get(&store, 2));
    assert_eq!(codes(&store), ["store/damaged-entry"]);
    store.flush();
    let verification = store.verify().unwrap();
    assert_eq!((verification.sound, verification.damaged), (COUNT - 1, 0));
}

#[test]
fn the_size_limit_holds_and_recent_entries_stay() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let limit = 1 << 20;
    let config = Config {
        size_limit: limit,
        memory_limit: 1 << 16,
        ..Config::file(&path, Mode::ReadWrite)
    };
    let store = Store::open(config);
    let last = 12_000;
    for n in 0..=last {
        store.put(entry(n));
        if n % 500 == 0 {
            store.flush();
        }
    }
    store.flush();
    assert!(codes(&store).is_empty());
    let statistics = store.statistics().unwrap();
    assert!(statistics.used_bytes <= limit, "{statistics:?}");
    assert!(statistics.total() > 500, "{statistics:?}");
    assert!(get(&store, last));
    drop(store);
    assert!(std::fs::metadata(&path).unwrap().len() <= limit + (1 << 16));
}

#[test]
fn a_vanished_directory_is_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let store = open(&file.join("store.db"), Mode::ReadWrite);
    store.put(entry(1));
    store.flush();
    assert!(get(&store, 1));
    assert_eq!(codes(&store), ["store/unusable"]);
}

#[test]
fn a_file_deleted_under_our_feet_is_no_disaster() {
    let directory = tempfile::tempdir().unwrap();
    let path = small_store(directory.path());
    let store = open(&path, Mode::ReadWrite);
    assert!(get(&store, 1));
    std::fs::remove_file(&path).unwrap();
    store.put(entry(50));
    store.flush();
    assert!(get(&store, 50));
    get(&store, 2);
    drop(store);
    let store = open(&path, Mode::ReadWrite);
    store.put(entry(51));
    store.flush();
    drop(store);
    assert!(get(&open(&path, Mode::ReadOnly), 51));
}

#[test]
fn eviction_takes_what_was_not_used_for_long() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = open(&path, Mode::ReadWrite);
    (0..400).for_each(|n| store.put(entry(n)));
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute("UPDATE entry SET used = 1000", ())
        .unwrap();
    drop(connection);

    let store = open(&path, Mode::ReadWrite);
    assert!((100..150).all(|n| get(&store, n)), "now they are used");
    let before = store.statistics().unwrap();
    let evicted = store.evict_to(before.used_bytes / 2).unwrap();
    assert!((100..350).contains(&evicted), "{evicted}");
    assert!((100..150).all(|n| get(&store, n)), "used ones stay");
    let after = store.statistics().unwrap();
    assert_eq!(after.total(), 400 - evicted);
    assert!(after.used_bytes <= before.used_bytes / 2);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(
        size <= before.used_bytes / 2 + 8192,
        "the file shrinks: {size}"
    );
}

#[test]
fn drafts_of_killed_processes_are_removed_and_two_stores_can_be_made_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let stale = directory.path().join("store.db.new-1-0");
    std::fs::write(&stale, "half a file").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    let file = std::fs::File::options().write(true).open(&stale).unwrap();
    file.set_modified(long_ago).unwrap();
    std::thread::scope(|scope| {
        for n in 0..6 {
            let path = &path;
            scope.spawn(move || {
                let store = open(path, Mode::ReadWrite);
                store.put(entry(n));
                store.flush();
                assert!(codes(&store).is_empty());
            });
        }
    });
    let store = open(&path, Mode::ReadOnly);
    assert!((0..6).all(|n| get(&store, n)));
    drop(store);
    let mut names = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.any(|name| name.contains(".new-")));
}

/// A process that is killed while the store is there already must not leave its draft for ever, and a recent
/// draft of a living process is left alone.
#[test]
fn drafts_are_removed_when_the_store_exists_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = small_store(directory.path());
    let dead = directory.path().join("store.db.new-4294967294-0-wal");
    std::fs::write(&dead, "half a file").unwrap();
    let living = format!("store.db.new-{}-77", std::process::id());
    let living = directory.path().join(living);
    std::fs::write(&living, "half a file").unwrap();
    drop(open(&path, Mode::ReadOnly));
    assert!(dead.exists(), "reading changes nothing");
    drop(open(&path, Mode::ReadWrite));
    assert!(!dead.exists());
    assert!(living.exists());
}

/// Opening a named pipe waits for a writer: for ever, if there is none.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let socket = directory.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [&*pipe, &*socket, std::path::Path::new("/dev/null")] {
        for mode in [Mode::ReadWrite, Mode::ReadOnly] {
            let store = open(path, mode);
            assert_eq!(codes(&store), ["store/foreign-file"], "{path:?}");
            assert!(store.path().is_none());
        }
    }
}

#[test]
fn a_verdict_too_large_for_the_file_stays_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = open(&path, Mode::ReadWrite);
    let large = stet_store::Entry {
        evidence: vec![7; (64 << 20) + 1],
        ..entry(1)
    };
    store.put(large);
    store.put(entry(2));
    assert_eq!(codes(&store), ["store/large-entry"]);
    drop(store);
    let store = open(&path, Mode::ReadOnly);
    assert!(!get(&store, 1));
    assert!(get(&store, 2));
}

#[test]
fn a_file_taken_over_by_a_newer_version_is_not_reset() {
    let directory = tempfile::tempdir().unwrap();
    let path = small_store(directory.path());
    let store = open(&path, Mode::ReadWrite);
    assert!(get(&store, 1));
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer
        .execute_batch(
            "DROP TABLE entry; DROP TABLE latest; DROP TABLE miss;
             CREATE TABLE other (x); INSERT INTO other VALUES (5); PRAGMA user_version = 7;",
        )
        .unwrap();
    assert!(!get(&store, 2));
    store.put(entry(50));
    store.flush();
    assert!(get(&store, 50), "in memory");
    assert!(!codes(&store).is_empty());
    drop(store);
    let kept: i64 = newer
        .query_row("SELECT x FROM other", (), |row| row.get(0))
        .unwrap();
    assert_eq!(kept, 5);
}
