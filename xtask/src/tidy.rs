//! Checks on the source tree that neither rustc nor clippy make:
//!
//! * a crate depends only on crates of lower layers, engines never on each other;
//! * every Rust file starts with a `//!` paragraph; no doc comment is only one or two plain words;
//! * crates below the command line do no I/O, except where [`IO_ALLOWED`] says why;
//! * no file is longer than [`FILE_LIMIT`] lines; `--sizes` prints the distribution;
//! * no marker of unfinished work, no `#[ignore]`, no `#[should_panic]`;
//! * nothing names a machine path or a package registry's host;
//! * callers use the one entry of each engine ([`entries`]);
//! * every `unsafe` block says on what it relies;
//! * every diagnostic code is declared in a `codes.rs`;
//! * engines state their invariants as densely as before ([`invariants`]);
//! * no dependency is listed that nothing uses, and all come from the public registry under licences we can use ([`licences`]).

mod codes;
mod comments;
mod edges;
mod entries;
mod invariants;
mod licences;
mod safety;
mod sizes;

use crate::report;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// No Rust file may be longer.
const FILE_LIMIT: usize = 800;

/// The layers, lowest first; a dependency must point to a strictly lower layer.
const LAYERS: &[&[&str]] = &[
    &["base"],
    &["key"],
    &["diag", "term"],
    &["solve", "store", "testkit"],
    &["llvm", "boogie", "prolog", "dafny", "remote"],
    &["dafny-translate", "analyse"],
    &["explore", "verify", "run"],
    &["dafny-verify"],
    &["lsp"],
    &["cli"],
];

/// What a crate below the command line must not mention.
const IO_WORDS: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "Instant::now",
    "SystemTime::now",
];

/// Files below the command line that may do I/O, each for a reason.
const IO_ALLOWED: &[(&str, &str)] = &[
    (
        "crates/base/src/budget.rs",
        "the deadline is the one use of the clock",
    ),
    ("crates/solve/src/pipe", "solver processes"),
    (
        "crates/lsp/src/server.rs",
        "verification starts a pause after the last edit",
    ),
    (
        "crates/testkit/",
        "tests ask whether a missing tool is a failure",
    ),
    ("crates/store/src/", "the store is a file"),
    ("crates/remote/src/", "the shared store is a server"),
];

/// Runs all checks; `print_sizes` adds the size report.
pub(crate) fn run(print_sizes: bool) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is in the workspace root")
        .to_owned();
    let mut problems = layer_problems(&root);
    problems.extend(edges::problems(&root));
    problems.extend(licences::problems(&root));
    let files = rust_files(&root);
    problems.extend(codes::problems(&root, &files));
    problems.extend(invariants::problems(&root, &files));
    for file in &files {
        let name = file
            .strip_prefix(&root)
            .unwrap_or(file)
            .to_string_lossy()
            .replace('\\', "/");
        match std::fs::read_to_string(file) {
            Ok(text) => file_problems(&name, &text, &mut problems),
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    if print_sizes {
        sizes::print(&root, &files);
    }
    for problem in &problems {
        report(problem);
    }
    invariants::print(&root, &files);
    report(&format!(
        "tidy: {} files, {} problems",
        files.len(),
        problems.len()
    ));
    if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn layer_of(crate_name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&crate_name))
}

fn layer_problems(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for manifest in manifests(root) {
        let name = manifest
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Some(layer) = layer_of(&name) else {
            problems.push(format!("crates/{name}: not in a layer (xtask/src/tidy.rs)"));
            continue;
        };
        for dependency in stet_dependencies(&manifest) {
            match layer_of(&dependency) {
                Some(lower) if lower < layer => {}
                _ => problems.push(format!(
                    "crates/{name}: must not depend on {dependency} (layers point down)"
                )),
            }
        }
    }
    problems
}

fn manifests(root: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root.join("crates")) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path().join("Cargo.toml"))
        .collect();
    found.retain(|path| path.exists());
    found.sort();
    found
}

/// Stet crates among the non-test dependencies of a manifest.
fn stet_dependencies(manifest: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    let Ok(table) = text.parse::<toml::Table>() else {
        return vec!["an unreadable manifest".to_owned()];
    };
    let dependencies = table.get("dependencies").and_then(toml::Value::as_table);
    let names = dependencies.into_iter().flat_map(|table| table.keys());
    names
        .filter_map(|name| name.strip_prefix("stet-"))
        .map(str::to_owned)
        .collect()
}

fn rust_files(root: &Path) -> Vec<PathBuf> {
    rust_files_below(&["crates", "bench", "fuzz", "tests", "xtask"].map(|dir| root.join(dir)))
}

fn rust_files_below(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut pending = folders.to_vec();
    let mut found = Vec::new();
    while let Some(dir) = pending.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != "target" {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn file_problems(name: &str, text: &str, problems: &mut Vec<String>) {
    if !text.starts_with("//!") {
        problems.push(format!("{name}:1: no //! header"));
    }
    for number in comments::thin(text) {
        problems.push(format!(
            "{name}:{number}: a doc comment that only repeats a name"
        ));
    }
    let lines = text.lines().count();
    if lines > FILE_LIMIT {
        problems.push(format!("{name}: {lines} lines, more than {FILE_LIMIT}"));
    }
    if name.starts_with("xtask/") {
        return; // the words looked for stand here themselves
    }
    for number in safety::undocumented(text) {
        problems.push(format!(
            "{name}:{number}: an unsafe block without `// SAFETY:`"
        ));
    }
    let is_test =
        name.contains("/tests/") || name.ends_with("/tests.rs") || name.ends_with("_tests.rs");
    let below_cli = name.starts_with("crates/") && !name.starts_with("crates/cli/") && !is_test;
    let io_allowed = IO_ALLOWED
        .iter()
        .any(|(prefix, _)| name.starts_with(prefix));
    let mut in_tests = false;
    for (number, line) in text.lines().enumerate() {
        in_tests |= line.trim_start() == "#[cfg(test)]";
        if let Some(problem) = entries::reached_around(name, line) {
            problems.push(format!("{name}:{}: {problem}", number + 1));
        }
        for word in banned_words(line) {
            problems.push(format!("{name}:{}: {word}", number + 1));
        }
        if below_cli && !io_allowed && !in_tests {
            for word in IO_WORDS.iter().filter(|word| line.contains(**word)) {
                problems.push(format!(
                    "{name}:{}: I/O below the command line: {word}",
                    number + 1
                ));
            }
        }
    }
}

fn banned_words(line: &str) -> impl Iterator<Item = &'static str> {
    const BANNED: &[&str] = &[
        "#[ignore",
        "#[should_panic",
        "todo!(",
        "unimplemented!(",
        "/root/",
        "/work/",
        "/home/",
    ];
    BANNED
        .iter()
        .copied()
        .filter(move |word| line.contains(word))
}
