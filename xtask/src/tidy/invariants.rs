//! How densely the engines state their invariants, and that this does not decay.
//!
//! Counted are the places of `debug_assert!` and its kin, `always!`, `never!` and constant assertions, per 1,000 lines
//! of a crate's `src/`, comments and blank lines included. Tests do not count: neither their files nor what follows the
//! `#[cfg(test)]` of a module of tests. An assertion in a comment is none.

use crate::report;
use std::path::{Path, PathBuf};

/// Crates whose functions rely on what the compiler does not know, with the least density: assertions per 1,000 lines.
const FLOORS: &[(&str, f64)] = &[
    ("verify", 9.5),
    ("solve", 13.0),
    ("store", 8.5),
    ("term", 5.5),
    ("analyse", 6.0),
    ("run", 5.0),
    ("explore", 3.5),
];

/// What an assertion begins with.
const WORDS: &[&str] = &[
    "debug_assert!(",
    "debug_assert_eq!(",
    "debug_assert_ne!(",
    "always!(",
    "never!(",
    "const _: () = assert!(",
];

/// Crates below their floor.
pub(super) fn problems(root: &Path, files: &[PathBuf]) -> Vec<String> {
    let mut problems = Vec::new();
    for &(name, floor) in FLOORS {
        let (lines, assertions) = counts(&root.join("crates").join(name).join("src"), files);
        let density = density(lines, assertions);
        if density < floor {
            problems.push(format!(
                "crates/{name}: {density:.1} assertions per 1,000 lines, fewer than {floor:.1} (xtask/src/tidy/invariants.rs)"
            ));
        }
    }
    problems
}

/// Prints the density of every crate that has a floor.
pub(super) fn print(root: &Path, files: &[PathBuf]) {
    let told = FLOORS.iter().map(|&(name, _)| {
        let (lines, assertions) = counts(&root.join("crates").join(name).join("src"), files);
        format!("{name} {:.1}", density(lines, assertions))
    });
    let told: Vec<String> = told.collect();
    report(&format!("assertions per 1,000 lines: {}", told.join(", ")));
}

fn density(lines: usize, assertions: usize) -> f64 {
    1000.0 * assertions as f64 / lines.max(1) as f64
}

/// Lines and assertions outside of tests in the files below a folder.
fn counts(folder: &Path, files: &[PathBuf]) -> (usize, usize) {
    let mut sum = (0, 0);
    for file in files.iter().filter(|file| file.starts_with(folder)) {
        let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy();
        if is_test(&name.replace('\\', "/")) {
            continue;
        }
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let (lines, assertions) = count(&text);
        sum = (sum.0 + lines, sum.1 + assertions);
    }
    sum
}

fn is_test(name: &str) -> bool {
    name.starts_with("tests/")
        || name.contains("/tests/")
        || name == "tests.rs"
        || name.ends_with("/tests.rs")
        || name.ends_with("_tests.rs")
}

/// Lines and assertions of a file before its module of tests.
fn count(text: &str) -> (usize, usize) {
    let all: Vec<&str> = text.lines().collect();
    let is_tests = |pair: &[&str]| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    };
    let end = all.windows(2).position(is_tests).unwrap_or(all.len());
    let is_assertion = |line: &&&str| {
        let is_comment = line.trim_start().starts_with("//");
        !is_comment && WORDS.iter().any(|word| line.contains(word))
    };
    (end, all[..end].iter().filter(is_assertion).count())
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn assertions_outside_of_tests_count() {
        let text = "\
fn f(x: u32) {
    debug_assert!(x > 0, \"…\");
    // debug_assert!(x > 1);
    if !stet_base::always!(x < 9) {}
}
#[cfg(test)]
mod tests {
    fn g() { debug_assert!(true); }
}
";
        assert_eq!(count(text), (5, 2));
    }

    #[test]
    fn what_is_made_for_tests_alone_does_not_end_a_file() {
        let text = "#[cfg(test)]\nfn f() {}\nconst _: () = assert!(size_of::<u8>() == 1);\n";
        assert_eq!(count(text), (3, 1));
    }
}
