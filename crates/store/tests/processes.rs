//! Several processes on one store, killed at any moment; a directory that cannot be written; a full disk;
//! file operations that fail.
//!
//! This program starts itself as a child with a role as its first argument. A writer prints the number up
//! to which it has flushed: everything up to there must be found after the kill.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail")]

mod common;

use common::{codes, entry, failing_files, get, open};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use stet_store::Mode;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["child-writer", path, first] => {
            write_until_killed(Path::new(path), first.parse().unwrap())
        }
        ["child-user", path] => use_once(Path::new(path)),
        ["child-failing", path] => failing_files::use_store(Path::new(path)),
        // The options of the usual test runner: listing and filtering find no cases here.
        ["--list", ..] => {}
        _ => {
            killed_writers();
            #[cfg(unix)]
            {
                unwritable_directory();
                full_disk();
                failing_operations();
            }
            println!("processes: ok");
        }
    }
}

/// Puts entries `first`, `first + 4`, … in small groups and says which are flushed.
fn write_until_killed(path: &Path, first: u64) {
    let store = open(path, Mode::ReadWrite);
    let mut out = std::io::stdout();
    let mut n = first;
    loop {
        for _ in 0..1 + n % 7 {
            store.put(entry(n));
            n += 4;
        }
        if n.is_multiple_of(3) {
            continue;
        }
        store.flush();
        let notes = codes(&store);
        if writeln!(out, "{n} {notes:?}")
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}

/// Looks the first entries up, puts one, and says what happened.
fn use_once(path: &Path) {
    let store = open(path, Mode::ReadWrite);
    let found = (0..1000).filter(|&n| get(&store, n)).count();
    for n in 2000..2600 {
        store.put(entry(n));
    }
    store.flush();
    let kept = get(&store, 2001);
    println!("{found} {kept} {:?}", codes(&store));
}

fn child(role: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(role).stdout(Stdio::piped());
    command
}

fn killed_writers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let mut flushed = [0u64, 1, 2, 3];
    let mut random = stet_testkit::Random::new(7);
    for round in 0..12 {
        let mut writers: Vec<(usize, Child)> = (0..4)
            .map(|writer| {
                let first = flushed[writer].to_string();
                let role = ["child-writer", path.to_str().unwrap(), &first];
                (writer, child(&role).spawn().unwrap())
            })
            .collect();
        let until = 1 + random.below(12);
        for (writer, process) in &mut writers {
            let lines = BufReader::new(process.stdout.as_mut().unwrap()).lines();
            for line in lines.take(until as usize) {
                let line = line.unwrap();
                let (n, notes) = line.split_once(' ').unwrap();
                assert_eq!(notes, "[]", "round {round}");
                flushed[*writer] = n.parse().unwrap();
            }
        }
        for (_, process) in &mut writers {
            process.kill().unwrap();
        }
        for (_, mut process) in writers {
            process.wait().unwrap();
        }
        let store = open(&path, Mode::ReadWrite);
        for (writer, &end) in flushed.iter().enumerate() {
            for n in (writer as u64..end).step_by(4) {
                assert!(get(&store, n), "round {round}: entry {n} is lost");
            }
        }
        assert!(codes(&store).is_empty(), "round {round}");
    }
    let store = open(&path, Mode::ReadWrite);
    let verification = store.verify().unwrap();
    assert_eq!(verification.damaged, 0);
    assert!(verification.file_problems.is_empty());
    assert!(verification.sound >= 40, "{verification:?}");
}

fn store_with(path: &Path, count: u64) {
    let store = open(path, Mode::ReadWrite);
    (0..count).for_each(|n| store.put(entry(n)));
    store.flush();
}

#[cfg(unix)]
fn unwritable_directory() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let outer = tempfile::tempdir().unwrap();
    std::fs::set_permissions(outer.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let directory = outer.path().join("read-only");
    std::fs::create_dir(&directory).unwrap();
    let path = directory.join("store.db");
    store_with(&path, 10);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o555)).unwrap();

    let is_privileged = std::fs::write(directory.join("probe"), "").is_ok();
    let mut command = child(&["child-user", path.to_str().unwrap()]);
    if is_privileged {
        // Permissions mean nothing to a privileged user: be somebody else.
        std::fs::remove_file(directory.join("probe")).unwrap();
        let program: PathBuf = outer.path().join("program");
        std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        command = Command::new(program);
        command.args(["child-user", path.to_str().unwrap()]);
        command.uid(65534).gid(65534).current_dir(outer.path());
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "10 true [\"store/read-only\"]\n");
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A limit on the size of files makes writes fail in the middle, as a full disk does.
#[cfg(unix)]
fn full_disk() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    store_with(&path, 10);
    let program = std::env::current_exe().unwrap();
    for blocks in [0, 1, 8, 24, 40, 41, 48, 64, 100] {
        // `ulimit -f` counts blocks of 512 bytes; the signal must be ignored for the error to be seen.
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec '{}' child-user '{}'",
            program.display(),
            path.display()
        );
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{blocks}: {text}");
        assert!(text.contains(" true ["), "{blocks}: {text}");
        let store = open(&path, Mode::ReadWrite);
        (0..10).for_each(|n| assert!(get(&store, n), "{blocks}: entry {n} is lost"));
        assert_eq!(store.verify().unwrap().damaged, 0, "{blocks}");
        assert!(codes(&store).is_empty(), "{blocks}");
    }
}

/// Some operations of every class fail; the campaign program lets each of them fail.
#[cfg(unix)]
fn failing_operations() {
    let directory = tempfile::tempdir().unwrap();
    let Some(library) = failing_files::compile(directory.path()) else {
        stet_testkit::skip("no C compiler, or no preloading");
        return;
    };
    let mut tally = failing_files::Tally::default();
    for fault in failing_files::FAULTS {
        for (at, lasting) in [(1, false), (2, true), (4, false), (7, false), (9, true)] {
            failing_files::strike(&library, directory.path(), fault, at, lasting, &mut tally);
        }
    }
    assert!(tally.noted > 0, "{tally:?}");
}
