//! The store: inserting, opening and looking up with many entries.
//!
//! `bench-store [ENTRIES [DIRECTORY]]`, by default one million entries in a temporary directory. Prints
//! the figures the store promises: opening under 20 ms, 200,000 warm look-ups per second.

#[path = "../../../crates/store/tests/common/mod.rs"]
#[allow(clippy::unwrap_used, reason = "shared with the tests")]
mod common;

use clap::Parser;
use common::{KIND, key};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stet_key::{Digest, KeyParts};
use stet_store::{Entry, Mode, Outcome, Provenance, Store};
use stet_testkit::Random;

/// The store: inserting, opening and looking up with many entries.
#[derive(Parser)]
#[command(name = "bench-store")]
struct Options {
    #[arg(value_name = "ENTRIES", default_value_t = 1_000_000)]
    count: u64,
    /// Where the store is written; a temporary directory otherwise.
    directory: Option<PathBuf>,
}

fn main() {
    let Options { count, directory } = Options::parse();
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.unwrap_or_else(|| temporary.path().to_owned());
    let path = directory.join("bench-store.db");
    say(&format!(
        "entries: {count} (32-byte keys, 100 bytes of evidence)"
    ));
    insert(&path, count);
    open(&path, count);
    look_up(&path, count);
}

fn entry(n: u64, from: &Provenance) -> Entry {
    Entry {
        key: key(n).0,
        kind: KIND.into(),
        subject: None,
        outcome: Outcome::Holds,
        evidence: vec![n as u8; 100],
        provenance: from.clone(),
        parts: KeyParts::default(),
    }
}

fn insert(path: &Path, count: u64) {
    let store = common::open(path, Mode::ReadWrite);
    let from = Provenance::now("bench", "1", "solver 1");
    let start = Instant::now();
    (0..count).for_each(|n| store.put(entry(n, &from)));
    let queued = start.elapsed();
    store.flush();
    let flushed = start.elapsed();
    drop(store);
    let size = std::fs::metadata(path).map_or(0, |data| data.len());
    say(&format!(
        "insert:  {:.1} s until queued, {:.1} s until in the file ({:.0} entries/s), file {:.0} MB",
        queued.as_secs_f64(),
        flushed.as_secs_f64(),
        count as f64 / flushed.as_secs_f64(),
        size as f64 / 1e6
    ));
}

fn open(path: &Path, count: u64) {
    let mut times = Vec::new();
    let mut random = Random::new(1);
    for _ in 0..51 {
        let wanted = key(random.below(count)).0;
        let start = Instant::now();
        let store = common::open(path, Mode::ReadWrite);
        let opened = start.elapsed();
        assert!(store.get(KIND, &wanted).is_some());
        times.push((opened, start.elapsed()));
    }
    times.sort();
    let middle = times[times.len() / 2];
    let worst = times.last().map_or(Duration::ZERO, |time| time.0);
    say(&format!(
        "open:    median {:.2} ms, worst {:.2} ms; with the first look-up median {:.2} ms",
        milliseconds(middle.0),
        milliseconds(worst),
        milliseconds(middle.1)
    ));
}

fn look_up(path: &Path, count: u64) {
    let store = common::open(path, Mode::ReadWrite);
    let mut random = Random::new(2);
    let sample: Vec<Digest> = (0..100_000.min(count))
        .map(|_| key(random.below(count)).0)
        .collect();
    let absent: Vec<Digest> = (0..100_000).map(|n| key(count + n).0).collect();
    let from_file = rate(&store, &sample, true);
    let from_memory = rate(&store, &sample, true);
    let misses = rate(&store, &absent, false);
    say(&format!(
        "look-up: {from_file:.0}/s the first time (from the file), {from_memory:.0}/s warm, {misses:.0}/s misses"
    ));
}

/// Look-ups per second by one thread.
fn rate(store: &Store, keys: &[Digest], expected: bool) -> f64 {
    let start = Instant::now();
    for key in keys {
        assert_eq!(store.get(KIND, key).is_some(), expected);
    }
    keys.len() as f64 / start.elapsed().as_secs_f64()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
