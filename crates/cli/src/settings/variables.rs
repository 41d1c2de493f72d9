//! Variables that look like settings and are none: a misspelt one is warned about, because it does nothing.
//!
//! Known are the variables of all options of all commands (not only of the one that runs: a shell exports
//! for several), those of [`OTHER`], and those of the tests and benchmarks.

use super::{is_configurable, variable_name};
use clap::Command;
use std::collections::BTreeSet;
use stet_diag::Diagnostic;

/// Variables that Stet reads and that stand for no option.
const OTHER: &[&str] = &[
    "STET_CC",
    "STET_CONFIG",
    "STET_CVC5",
    "STET_CXX",
    "STET_REMOTE_TOKEN",
    "STET_RUNTIME",
    "STET_SIGNING_KEY",
    "STET_Z3",
];

/// Variables of the tests, benchmarks and scripts of this repository, by their beginning.
const HARNESS: &[&str] = &[
    "STET_BENCH",
    "STET_BIN",
    "STET_CAMPAIGN",
    "STET_COMMIT",
    "STET_CORPUS",
    "STET_CSMITH",
    "STET_DEBIAN_",
    "STET_DOMAIN_CASES",
    "STET_EDITS",
    "STET_FAULT",
    "STET_FUZZ_",
    "STET_MUTATIONS",
    "STET_NATIVE_",
    "STET_PROFILE",
    "STET_QUERY_CASES",
    "STET_RANDOM_",
    "STET_REQUIRE_TOOLS",
    "STET_RUSTC",
    "STET_SLOT",
    "STET_STORE_MODEL_",
    "STET_TARGET",
    "STET_TEST_",
];

/// A warning for each variable of the environment that begins with `STET_` and means nothing.
pub(super) fn misspelt(command: &Command) -> Vec<Diagnostic> {
    let set: BTreeSet<String> = std::env::vars_os()
        .filter(|(_, value)| !value.is_empty())
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("STET_"))
        .collect();
    if set.is_empty() {
        return Vec::new();
    }
    let known = known(command);
    set.iter()
        .filter(|name| !known.contains(*name))
        .filter(|name| !HARNESS.iter().any(|start| name.starts_with(start)))
        .map(|name| warning(name, &known))
        .collect()
}

fn warning(name: &str, known: &BTreeSet<String>) -> Diagnostic {
    let message = format!("the environment variable `{name}` means nothing to Stet");
    let diagnostic = Diagnostic::warning("config/unknown-variable", message);
    let nearest = known
        .iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .min();
    match nearest {
        Some((distance, candidate)) if distance <= 3 => {
            diagnostic.with_note(format!("there is `{candidate}`"))
        }
        _ => diagnostic.with_note("the names are explained in docs/CONFIG.md"),
    }
}

/// The variables of all options of all commands.
fn known(command: &Command) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = OTHER.iter().map(|&name| name.to_owned()).collect();
    let mut pending = vec![(Vec::new(), command)];
    while let Some((path, command)) = pending.pop() {
        for argument in command.get_arguments().filter(|a| is_configurable(a)) {
            known.extend(argument.get_long().map(|name| variable_name(&path, name)));
        }
        for inner in command.get_subcommands() {
            let path = path.iter().copied().chain([inner.get_name()]).collect();
            pending.push((path, inner));
        }
    }
    known
}

/// How many characters must be added, removed or changed to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("STET_JOBS", "STET_JOBS"), 0);
        assert_eq!(distance("STET_JOB", "STET_JOBS"), 1);
        assert_eq!(distance("STET_FROMAT", "STET_FORMAT"), 2);
        assert_eq!(distance("", "abc"), 3);
    }
}
