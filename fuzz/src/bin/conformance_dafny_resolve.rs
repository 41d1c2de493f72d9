//! Parses and resolves a corpus of Dafny programs and compares with what Dafny says.
//!
//! `conformance-dafny-resolve CORPUS` reads `bench/verified/*.dfy`, which must be accepted, and `suite/**/*.dfy` with the expected output
//! beside each (`.expect`, and `.refresh.expect` for Dafny's newer resolver: the better match counts). It prints counts by
//! category and the names behind each count. `--show NAME` prints the difference for one test, `--show all` for all, and
//! `--show bench` the errors in programs that must be accepted.
#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use stet_base::SourceMap;
use stet_dafny::{Checked, NoIncludes, Options, Phase, check_with};
use stet_diag::Severity;
use stet_fuzz::dafny::subject::{dafny_files, file_name};

fn run(path: &Path) -> Option<(Checked, SourceMap)> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut sources = SourceMap::new();
    let file = sources.add(path.to_string_lossy(), text)?;
    let options = Options {
        reads_clauses_on_methods: runs_with(sources.file(file).text(), "reads-clauses-on-methods"),
        ..Options::DEFAULT
    };
    let checked = check_with(&mut sources, &[file], &mut NoIncludes, options);
    Some((checked, sources))
}

/// Whether the lines that say how a test is run mention an option.
fn runs_with(text: &str, option: &str) -> bool {
    let mut runs = text.lines().filter(|l| l.starts_with("// RUN:"));
    runs.any(|l| l.contains(option))
}

/// The errors as Dafny prints them.
fn errors(checked: &Checked, sources: &SourceMap, name: &str) -> Vec<String> {
    let mut out = Vec::new();
    for d in &checked.diagnostics {
        if d.severity != Severity::Error {
            continue;
        }
        let Some(label) = &d.primary else {
            continue;
        };
        let at = sources.start_of(label.span);
        out.push(format!(
            "{name}({},{}): Error: {}",
            at.line,
            at.column - 1,
            d.message
        ));
    }
    out
}

fn place(line: &str) -> Option<String> {
    line.find("): ").map(|end| line[..=end].to_owned())
}

/// The expected error lines of one `.expect` file, and whether they are errors of parsing or resolution.
fn expected(path: &Path) -> Option<(Vec<String>, &'static str)> {
    let text = std::fs::read_to_string(path).ok()?;
    let lines = text
        .lines()
        .filter(|l| l.contains("): Error: "))
        .map(str::to_owned)
        .collect();
    let kind = if text.contains("parse errors detected") {
        "parse"
    } else if text.contains("resolution/type errors detected") {
        "resolve"
    } else {
        "verify"
    };
    Some((lines, kind))
}

fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    items.into_iter().collect()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let corpus = PathBuf::from(args.first().map_or(".", String::as_str));
    let show = args
        .iter()
        .position(|a| a == "--show")
        .and_then(|i| args.get(i + 1));
    let mut counts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let files = dafny_files(&corpus.join("bench/verified"));
    for path in &files {
        let accepted = run(path).is_some_and(|(checked, _)| checked.phase == Phase::Done);
        let kind = if accepted {
            "bench accepted"
        } else {
            "bench FALSE ERROR"
        };
        if !accepted
            && show.is_some_and(|s| s == "bench")
            && let Some((checked, sources)) = run(path)
        {
            println!("== {}", file_name(path));
            for line in errors(&checked, &sources, "").iter().take(5) {
                println!("{line}");
            }
        }
        counts.entry(kind).or_default().push(file_name(path));
    }
    let files = dafny_files(&corpus.join("suite"));
    for path in &files {
        let name = file_name(path);
        let Some((checked, sources)) = run(path) else {
            continue;
        };
        let found = errors(&checked, &sources, &name);
        let mut variants = Vec::new();
        for suffix in ["dfy.expect", "dfy.refresh.expect"] {
            variants.extend(expected(&path.with_extension(suffix)));
        }
        let kind = variants.first().map_or("verify", |v| v.1);
        let result = judge(kind, &variants, &found);
        if show == Some(&name) || (show.is_some_and(|s| s == "all") && !result.contains("exact")) {
            println!("== {name}: {kind} {result}");
            for (lines, _) in &variants {
                println!("-- expected");
                lines.iter().for_each(|l| println!("{l}"));
            }
            println!("-- found");
            found.iter().for_each(|l| println!("{l}"));
        }
        counts.entry(result).or_default().push(name);
    }
    if show.is_some() {
        return;
    }
    for (kind, names) in &counts {
        println!("{:5} {kind}", names.len());
    }
    for (kind, names) in &counts {
        if !kind.contains("accepted") && !kind.contains("exact") {
            println!("\n{kind}: {}", names.join(" "));
        }
    }
}

fn judge(kind: &str, variants: &[(Vec<String>, &str)], found: &[String]) -> &'static str {
    if kind == "verify" {
        return if found.is_empty() {
            "suite accepted"
        } else {
            "suite FALSE ERROR"
        };
    }
    let mut best = if found.is_empty() { 3 } else { 2 };
    for (lines, kind) in variants {
        if *kind == "verify" {
            // One of Dafny's resolvers accepts the program.
            best = if found.is_empty() { 0 } else { best };
        } else if set(lines) == set(found) {
            best = 0;
        } else if set(lines.iter().filter_map(|l| place(l)))
            == set(found.iter().filter_map(|l| place(l)))
        {
            best = best.min(1);
        }
    }
    match (kind, best) {
        ("parse", 0) => "parse exact",
        ("parse", 1) => "parse same positions",
        ("parse", 2) => "parse rejected",
        ("parse", _) => "parse MISSED",
        (_, 0) => "resolve exact",
        (_, 1) => "resolve same positions",
        (_, 2) => "resolve rejected",
        _ => "resolve MISSED",
    }
}
