//! The store under attack, at length: what the tests do in seconds, for as long as asked.
//!
//! * `fuzz-store kill ROUNDS`: four writing processes, killed together after a random time; whatever
//!   they said was flushed must be found, and nothing found may be wrong;
//! * `fuzz-store flip [STEP]`: every bit (or every STEP-th) of a small store flipped;
//! * `fuzz-store truncate`: a small store cut at every length;
//! * `fuzz-store decode COUNT`: mutated records with right checksums; none may panic the decoder, and
//!   what it accepts must be what it would write;
//! * `fuzz-store faults`: the n-th write, read or sync of a process using the store fails, for every n;
//! * `fuzz-store fill DIRECTORY`: entries until the file system is full, then the store used again.
//!
//! Prints what was done and exits with 1 at the first wrong or lost verdict.

#[path = "../../../crates/store/tests/common/mod.rs"]
#[allow(clippy::unwrap_used, reason = "shared with the tests")]
mod common;

use common::{codes, entry, failing_files, get, open};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use stet_store::Mode;
use stet_testkit::Random;

const COUNT: u64 = 12;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| {
        let text = arguments.get(index);
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    match arguments.first().map(String::as_str) {
        Some("kill") => kill(number(1, 1000)),
        Some("flip") => flip(number(1, 1).max(1) as usize),
        Some("truncate") => truncate(),
        Some("decode") => decode(number(1, 1_000_000)),
        Some("faults") => faults(),
        Some("child-failing") => failing_files::use_store(Path::new(&arguments[1])),
        Some("fill") if arguments.len() == 2 => fill(Path::new(&arguments[1])),
        Some("writer") => write_until_killed(Path::new(&arguments[1]), number(2, 0)),
        _ => {
            say(
                "usage: fuzz-store kill ROUNDS | flip [STEP] | truncate | decode COUNT | faults | fill DIRECTORY",
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Puts entries `first`, `first + 4`, … in groups of changing size and says which are flushed.
fn write_until_killed(path: &Path, first: u64) {
    let store = open(path, Mode::ReadWrite);
    let mut out = std::io::stdout();
    let mut n = first;
    loop {
        for _ in 0..1 + n % 40 {
            store.put(entry(n));
            n += 4;
        }
        if n.is_multiple_of(5) {
            continue;
        }
        store.flush();
        let notes = codes(&store).join(",");
        if writeln!(out, "{n} {notes}")
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

fn kill(rounds: u64) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("store.db");
    let mut flushed: [u64; 4] = [0, 1, 2, 3];
    let mut random = Random::new(99);
    let start = Instant::now();
    let (mut checked, mut restarts) = (0u64, 0u64);
    for round in 0..rounds {
        let writers: Vec<Child> = flushed.iter().map(|&first| writer(&path, first)).collect();
        std::thread::sleep(Duration::from_micros(random.below(60_000)));
        for (index, mut process) in writers.into_iter().enumerate() {
            process.kill().expect("a child can be killed");
            let mut text = String::new();
            let output = process.stdout.as_mut().expect("its output is piped");
            output
                .read_to_string(&mut text)
                .expect("a child prints text");
            process.wait().expect("a child ends");
            // The last line may be cut.
            for line in text
                .split_inclusive('\n')
                .filter(|line| line.ends_with('\n'))
            {
                let (n, notes) = line
                    .trim_end()
                    .split_once(' ')
                    .unwrap_or((line.trim_end(), ""));
                assert_eq!(notes, "", "round {round}");
                flushed[index] = n.parse().expect("a number");
            }
        }
        let store = open(&path, Mode::ReadWrite);
        // All at times, the newest always.
        for (index, &end) in flushed.iter().enumerate() {
            let from = if round % 50 == 0 {
                index as u64
            } else {
                end.saturating_sub(2000) / 4 * 4 + index as u64
            };
            for n in (from..end).step_by(4) {
                assert!(get(&store, n), "round {round}: entry {n} is lost");
                checked += 1;
            }
            // What was not yet said to be flushed may be there, but must be right.
            (end..end + 400).step_by(4).for_each(|n| {
                get(&store, n);
            });
        }
        let notes = codes(&store);
        assert!(notes.is_empty(), "round {round}: {notes:?}");
        if round % 100 == 0 {
            let verification = store.verify().expect("the store opens");
            assert_eq!(verification.damaged, 0, "round {round}");
            assert!(verification.file_problems.is_empty(), "round {round}");
        }
        drop(store);
        if round % 40 == 39 {
            // Start over, so that creation is killed as well.
            restarts += 1;
            flushed = [0, 1, 2, 3];
            for suffix in ["", "-wal", "-shm", "-journal"] {
                let _ = std::fs::remove_file(directory.path().join(format!("store.db{suffix}")));
            }
        }
    }
    say(&format!(
        "kill: {rounds} rounds, {} processes killed, {restarts} fresh stores, {checked} flushed verdicts found again, none wrong, none lost, {:.0} s",
        rounds * 4,
        start.elapsed().as_secs_f64()
    ));
}

fn writer(path: &Path, first: u64) -> Child {
    let program = std::env::current_exe().expect("a program has a path");
    Command::new(program)
        .args(["writer".as_ref(), path.as_os_str()])
        .arg(first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program starts itself")
}

fn small_store(directory: &Path) -> Vec<u8> {
    let path = directory.join("store.db");
    let store = open(&path, Mode::ReadWrite);
    (0..COUNT).for_each(|n| store.put(entry(n)));
    store.flush();
    drop(store);
    std::fs::read(&path).expect("the store was written")
}

/// What became of a damaged store.
#[derive(Default)]
struct Tally {
    cases: u64,
    survivors: u64,
    notes: BTreeMap<&'static str, u64>,
    silent: u64,
}

impl Tally {
    fn add(&mut self, directory: &Path, bytes: &[u8], what: &str) {
        let path: PathBuf = directory.join("damaged.db");
        for suffix in ["-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(directory.join(format!("damaged.db{suffix}")));
        }
        std::fs::write(&path, bytes).expect("the directory can be written");
        let store = open(&path, Mode::ReadWrite);
        let survivors = (0..COUNT).filter(|&n| get(&store, n)).count() as u64;
        store.put(entry(1000));
        assert!(get(&store, 1000), "{what}");
        store.flush();
        let notes = codes(&store);
        drop(store);
        let again = open(&path, Mode::ReadOnly);
        let left_alone = ["store/foreign-file", "store/newer-format"];
        let is_left_alone = notes.iter().any(|code| left_alone.contains(code));
        let found = get(&again, 1000);
        (0..COUNT).for_each(|n| {
            get(&again, n);
        });
        drop(again);
        if !found && !is_left_alone {
            // Only a file whose order is destroyed may lose a new verdict, and a check must find it.
            let checked = open(&path, Mode::ReadWrite);
            let verification = checked.verify();
            let is_sound = verification.is_some_and(|v| v.file_problems.is_empty());
            assert!(!is_sound, "{what}: lost without a trace");
        }
        self.cases += 1;
        self.survivors += survivors;
        let is_silent = survivors < COUNT && notes.is_empty();
        if is_silent && std::env::var_os("STET_CAMPAIGN_VERBOSE").is_some() {
            say(&format!("silent miss: {what}, {survivors} survivors"));
        }
        self.silent += u64::from(is_silent);
        notes
            .into_iter()
            .for_each(|code| *self.notes.entry(code).or_default() += 1);
    }

    fn report(&self, title: &str, start: Instant) {
        say(&format!(
            "{title}: {} cases, no wrong verdict, {:.1}% of the verdicts survived, {} cases with a silent miss, {:.0} s",
            self.cases,
            100.0 * self.survivors as f64 / (self.cases * COUNT) as f64,
            self.silent,
            start.elapsed().as_secs_f64()
        ));
        for (code, count) in &self.notes {
            say(&format!("  {count:>8} {code}"));
        }
    }
}

fn flip(step: usize) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bytes = small_store(directory.path());
    let start = Instant::now();
    let mut tally = Tally::default();
    for bit in (0..bytes.len() * 8).step_by(step) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        tally.add(directory.path(), &damaged, &format!("bit {bit}"));
    }
    tally.report(&format!("flip ({} bytes)", bytes.len()), start);
}

fn truncate() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bytes = small_store(directory.path());
    let start = Instant::now();
    let mut tally = Tally::default();
    for length in 0..bytes.len() {
        tally.add(
            directory.path(),
            &bytes[..length],
            &format!("length {length}"),
        );
    }
    tally.report(&format!("truncate ({} bytes)", bytes.len()), start);
}

fn decode(count: u64) {
    let mut random = Random::new(5);
    let (mut accepted, start) = (0u64, Instant::now());
    for case in 0..count {
        let mut record = entry(case % 64).to_bytes();
        record.truncate(record.len() - 32);
        for _ in 0..=random.below(4) {
            let at = random.below(record.len() as u64) as usize;
            match random.below(5) {
                0 => record[at] = random.bits() as u8,
                1 => record[at] ^= 1 << random.below(8),
                2 => record.truncate(at.max(1)),
                3 => record.insert(at, random.bits() as u8),
                _ => {
                    let end = record.len().min(at + 8);
                    record[at..end].fill(random.bits() as u8);
                }
            }
        }
        let checksum = stet_key::Digest::of_bytes(&record);
        record.extend(checksum.0);
        if let Ok(entry) = stet_store::Entry::from_bytes(&record) {
            assert_eq!(entry.to_bytes(), record, "case {case}");
            accepted += 1;
        }
    }
    say(&format!(
        "decode: {count} mutated records, {accepted} accepted and canonical, {:.0} s",
        start.elapsed().as_secs_f64()
    ));
}

fn faults() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let Some(library) = failing_files::compile(directory.path()) else {
        say("faults: skipped, no C compiler");
        return;
    };
    for fault in failing_files::FAULTS {
        for lasting in [false, true] {
            let start = Instant::now();
            let mut tally = failing_files::Tally::default();
            let mut at = 1;
            while failing_files::strike(&library, directory.path(), fault, at, lasting, &mut tally)
            {
                at += 1;
            }
            let how = if lasting { "from there on" } else { "once" };
            say(&format!(
                "faults: {fault} {how}: {} places, no wrong verdict, {} with a note, {} started afresh, {:.0} s",
                tally.cases,
                tally.noted,
                tally.emptied,
                start.elapsed().as_secs_f64()
            ));
        }
    }
}

fn fill(directory: &Path) {
    let path = directory.join("store.db");
    let store = open(&path, Mode::ReadWrite);
    let mut count = 0;
    let mut notes = Vec::new();
    while notes.is_empty() && count < 1_000_000 {
        (count..count + 200).for_each(|n| store.put(entry(n)));
        count += 200;
        store.flush();
        notes = codes(&store);
    }
    assert!(get(&store, count - 1), "what was put is found in this run");
    drop(store);
    let store = open(&path, Mode::ReadWrite);
    let found = (0..count).filter(|&n| get(&store, n)).count();
    let verification = store.verify();
    say(&format!(
        "fill: {count} entries put, then {notes:?}; reopened: {found} found, {verification:?}, notes {:?}",
        codes(&store)
    ));
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
