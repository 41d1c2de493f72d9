//! Random programs natively and explored: every test replays to what the exploration predicted, and the paths found
//! are exactly those that some input takes.
//!
//! `STET_NATIVE_PROGRAMS` says how many programs (a campaign), `STET_NATIVE_SEED` the first one, `STET_NATIVE_KEEP` a
//! directory where the programs are left.

use super::programs::program;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use stet_tests::Sandbox;

/// The compiler for native runs: it has sanitizers where clang's may not be installed.
const NATIVE: &str = "gcc";

/// A number from the environment.
fn number(variable: &str, default: u64) -> u64 {
    let wanted = std::env::var(variable).ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn tests_of_random_programs_replay_natively() {
    let Some(clang) = super::llvm().map(|suffix| format!("clang{suffix}")) else {
        return;
    };
    if !has_sanitizers() {
        stet_testkit::skip(&format!("{NATIVE} with sanitizers"));
        return;
    }
    let (mut tests, mut complete) = (0, 0);
    let first = number("STET_NATIVE_SEED", 1);
    for seed in first..first + number("STET_NATIVE_PROGRAMS", 8) {
        let compared = compare(seed, &clang);
        tests += compared.tests;
        complete += usize::from(compared.is_complete);
    }
    println!("{tests} tests replayed; of {complete} programs all paths were compared");
    assert!(tests > 0 && complete > 0);
}

fn has_sanitizers() -> bool {
    let sandbox = Sandbox::new().file("p.c", "int main(void) { return 0; }");
    let mut command = Command::new(NATIVE);
    command
        .arg("-fsanitize=address")
        .arg(sandbox.path("p.c"))
        .arg("-o")
        .arg(sandbox.path("p"));
    command.output().is_ok_and(|output| output.status.success())
}

struct Compared {
    tests: usize,
    is_complete: bool,
}

fn compare(seed: u64, clang: &str) -> Compared {
    // Optimised code need not go wrong where the source does, nor take its branches as written.
    let (safe, level) = [(true, "0"), (false, "0"), (true, "1"), (true, "2")][(seed % 4) as usize];
    let sandbox = Sandbox::new().file("p.c", program(seed, safe));
    if let Some(directory) = std::env::var_os("STET_NATIVE_KEEP") {
        let name = format!("{seed}.c");
        std::fs::copy(sandbox.path("p.c"), Path::new(&directory).join(name)).unwrap();
    }
    let explored = sandbox.run(&[
        "explore",
        "p.c",
        "--libc",
        "none",
        "--clang",
        clang,
        "--opt-level",
        level,
        "--output-dir",
        "out",
        "--time-limit",
        "20",
        "--overshift",
        "report",
    ]);
    let code = explored.code;
    assert!(
        matches!(code, Some(0 | 1 | 3)),
        "seed {seed}: {}",
        explored.summary()
    );
    let tests = tests(&sandbox.path("out"));
    replay(seed, &sandbox, &tests);
    let is_complete = safe && level == "0" && code == Some(0);
    if is_complete {
        let found: BTreeSet<u32> = tests.iter().filter_map(|test| test.path).collect();
        assert_eq!(found, native_paths(&sandbox), "seed {seed}: paths");
    }
    Compared {
        tests: tests.len(),
        is_complete,
    }
}

/// A test with what it predicts.
struct Test {
    file: String,
    /// The kind of error, as in the name of the file about it.
    error: Option<String>,
    /// The path, in tests that reach the end of the program.
    path: Option<u32>,
}

fn tests(directory: &Path) -> Vec<Test> {
    let names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut found: Vec<Test> = Vec::new();
    for name in names.iter().filter(|name| name.ends_with(".ktest")) {
        let stem = name.trim_end_matches("ktest");
        let error = names
            .iter()
            .find_map(|other| other.strip_prefix(stem)?.strip_suffix(".err"));
        if names.contains(&format!("{stem}early")) {
            continue; // of a path that was not followed to its end
        }
        let bytes = std::fs::read(directory.join(name)).unwrap();
        let path = bytes
            .windows(9)
            .position(|part| part == b"predicted")
            .map(|at| {
                // the name, the size, and the two numbers
                let number = bytes[at + 13..at + 17].try_into().unwrap();
                u32::from_le_bytes(number)
            });
        found.push(Test {
            file: format!("out/{name}"),
            error: error.map(str::to_owned),
            path,
        });
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    found
}

/// Runs tests natively: those of whole paths end well, those of errors go wrong in the way predicted.
fn replay(seed: u64, sandbox: &Sandbox, tests: &[Test]) {
    let mut arguments = vec!["replay", "p.c", "--clang", NATIVE];
    for flag in [
        "-fsanitize=address,shift,integer-divide-by-zero",
        "-fsanitize-undefined-trap-on-error",
    ] {
        arguments.extend(["--cflag", flag]);
    }
    arguments.extend(tests.iter().map(|test| test.file.as_str()));
    let output = sandbox
        .command(&arguments)
        .env("ASAN_OPTIONS", "exitcode=23:detect_leaks=0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    for test in tests {
        let line = said
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{}: ", test.file)));
        let expected = match test.error.as_deref() {
            None => "exit status 0",
            Some("abort") => "killed by signal 6",
            Some("div" | "overshift") => "killed by signal 4",
            Some("ptr" | "free") => "exit status 23",
            Some(other) => panic!("seed {seed}: {}: an error of kind {other}", test.file),
        };
        let expected = format!("{expected}, as predicted");
        assert_eq!(
            line,
            Some(expected.as_str()),
            "seed {seed}: {}\n{said}",
            test.file
        );
    }
}

/// The paths of all inputs.
fn native_paths(sandbox: &Sandbox) -> BTreeSet<u32> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/include");
    let program = sandbox.path("exhaustive");
    let compiled = Command::new(NATIVE)
        .args(["-w", "-DEXHAUSTIVE", "-I"])
        .arg(include)
        .arg(sandbox.path("p.c"))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let output = Command::new(&program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let first = |line: &str| line.split(' ').next().unwrap().parse().unwrap();
    text.lines().map(first).collect()
}
