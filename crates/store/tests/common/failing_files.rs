//! A store whose file operations fail: `failing_files.c` between SQLite and the C library of a child process.
//!
//! The child (role `child-failing`) works on a store that holds entries `0..KNOWN`; operation `n` of a class fails,
//! once or from then on. The child must come to its end with right answers only; afterwards the store is opened
//! without faults and must hold nothing wrong, and what was there before.

use super::{codes, entry, get, open};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stet_store::Mode;

/// The faults: class of operations and what happens to them.
pub(crate) const FAULTS: [&str; 6] = [
    "write-eio",
    "write-full",
    "write-short",
    "read-eio",
    "read-short",
    "sync-eio",
];

/// Entries in the store before the faults.
const KNOWN: u64 = 10;

/// What became of the cases.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    /// Cases in which the child told its user of the fault.
    pub(crate) noted: u64,
    /// Cases after which older verdicts were gone, as if the file had been damaged.
    pub(crate) emptied: u64,
}

/// Compiles the layer; `None`, where there is no C compiler or no such thing as preloading.
pub(crate) fn compile(directory: &Path) -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let source = directory.join("failing_files.c");
    std::fs::write(&source, include_str!("failing_files.c")).ok()?;
    let library = directory.join("failing_files.so");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(&source)
        .arg("-ldl")
        .status();
    status
        .is_ok_and(|status| status.success())
        .then_some(library)
}

/// The child: looks up, puts, flushes, and says whether it was told of anything.
pub(crate) fn use_store(path: &Path) {
    let store = open(path, Mode::ReadWrite);
    let found = (0..KNOWN).filter(|&n| get(&store, n)).count();
    for round in 0..3 {
        let new = 100 + round * 20;
        (new..new + 20).for_each(|n| store.put(entry(n)));
        store.flush();
        assert!(get(&store, new), "what was put is found in this run");
    }
    let notes = codes(&store);
    drop(store);
    // The second opening reads what the first one wrote.
    let again = open(path, Mode::ReadWrite);
    (100..160).for_each(|n| {
        get(&again, n);
    });
    drop(again);
    let text = format!("{found} {}\n", notes.join(","));
    let _ = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
}

/// Runs the child with operation `at` failing; returns whether there were so many operations.
pub(crate) fn strike(
    library: &Path,
    directory: &Path,
    fault: &str,
    at: u64,
    lasting: bool,
    tally: &mut Tally,
) -> bool {
    let what = format!("{fault} {at}, lasting: {lasting}");
    let path = directory.join("store.db");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(directory.join(format!("store.db{suffix}")));
    }
    let store = open(&path, Mode::ReadWrite);
    (0..KNOWN).for_each(|n| store.put(entry(n)));
    store.flush();
    drop(store);
    let log = directory.join("log");
    let program = std::env::current_exe().expect("a program has a path");
    let output = Command::new(program)
        .arg("child-failing")
        .arg(&path)
        .env("LD_PRELOAD", library)
        .env("STET_FAULT", fault)
        .env("STET_FAULT_AT", at.to_string())
        .env("STET_FAULT_LASTING", if lasting { "1" } else { "0" })
        .env("STET_FAULT_FILES", "/store.db")
        .env("STET_FAULT_LOG", &log)
        .stdin(Stdio::null())
        .output()
        .expect("this program starts itself");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {errors}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let count: u64 = std::fs::read_to_string(&log)
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .expect("the layer was loaded");
    let store = open(&path, Mode::ReadWrite);
    let left = (0..KNOWN).filter(|&n| get(&store, n)).count() as u64;
    (100..160).for_each(|n| {
        get(&store, n);
    });
    store.put(entry(500));
    store.flush();
    assert!(get(&store, 500), "{what}");
    let verification = store.verify().expect("the store opens");
    assert_eq!(verification.damaged, 0, "{what}");
    assert!(verification.file_problems.is_empty(), "{what}");
    // Failing writes and syncs must not cost what was stored before; a failing read may look like damage.
    assert!(
        left == KNOWN || fault.starts_with("read"),
        "{what}: {left} left, {text}"
    );
    tally.cases += 1;
    tally.noted += u64::from(text.trim_end().contains("store/"));
    tally.emptied += u64::from(left < KNOWN);
    count >= at
}
