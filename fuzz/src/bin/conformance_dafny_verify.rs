//! `conformance-dafny-verify CORPUS`: how many programs of the corpus verify, and how many tests of Dafny's suite give the expected
//! positions and output.
#![allow(clippy::print_stdout, reason = "the report is the purpose")]

use clap::Parser;
use cpu_time::ProcessTime;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stet_fuzz::dafny::subject::{Fate, Finding, Verifier, dafny_files, file_name};

/// Verifies `bench/verified` and `suite` of a corpus.
#[derive(Parser)]
#[command(name = "conformance-dafny-verify")]
struct Options {
    /// The folder that holds `bench` and `suite`.
    corpus: PathBuf,
    /// Only files with this in their names.
    #[arg(long)]
    filter: Option<String>,
    /// `verified` or `suite`; both if not given.
    #[arg(long)]
    part: Option<String>,
    /// Seconds for each batch.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Print what was expected and found where they differ.
    #[arg(long)]
    show: bool,
    /// Every n-th file only.
    #[arg(long, default_value_t = 1)]
    every: usize,
}

fn main() -> std::process::ExitCode {
    let options = Options::parse();
    let Some(verifier) = Verifier::fresh(Duration::from_secs(options.seconds)) else {
        println!("no prover found");
        return std::process::ExitCode::from(2);
    };
    let is_wanted = |part: &str| options.part.as_ref().is_none_or(|p| p == part);
    if is_wanted("verified") {
        verified(&options, &verifier);
    }
    if is_wanted("suite") {
        suite(&options, &verifier);
    }
    std::process::ExitCode::SUCCESS
}

fn files(options: &Options, folder: &str) -> Vec<PathBuf> {
    let wanted = |path: &PathBuf| {
        let name = file_name(path);
        options.filter.as_ref().is_none_or(|f| name.contains(f))
    };
    dafny_files(&options.corpus.join(folder))
        .into_iter()
        .filter(wanted)
        .step_by(options.every.max(1))
        .collect()
}

fn verified(options: &Options, verifier: &Verifier) {
    let mut counts: BTreeMap<Fate, usize> = BTreeMap::new();
    let all = files(options, "bench/verified");
    for path in &all {
        let name = file_name(path);
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        let start = ProcessTime::now();
        let finding = verifier.check(&name, &text);
        *counts.entry(finding.fate).or_default() += 1;
        if finding.fate != Fate::Verified {
            println!(
                "{:?} {name} ({:.1} s here)",
                finding.fate,
                start.elapsed().as_secs_f64()
            );
            for line in finding.lines.iter().filter(|l| !l.contains(": Warning")) {
                println!("    {line}");
            }
        }
    }
    println!("bench/verified: {} programs", all.len());
    for (fate, count) in &counts {
        println!("{count:6} {fate:?}");
    }
}

/// What a test of the suite expects.
struct Expected {
    /// Error lines and related places.
    lines: Vec<String>,
    /// Positions of errors.
    places: BTreeSet<String>,
    kind: &'static str,
}

/// The options that the first lines of a test call Dafny with, as far as they change what is expected.
struct Asked {
    options: stet_dafny::Options,
    allows_deprecation: bool,
    /// The most errors told of each batch; nothing said: Dafny's default.
    error_limit: Option<usize>,
    reads_input: bool,
}

impl Asked {
    fn by(text: &str) -> Asked {
        let runs = text.lines().take(10).filter(|l| l.contains("RUN:"));
        let words: Vec<&str> = runs.flat_map(str::split_whitespace).collect();
        Asked {
            options: stet_dafny::Options {
                relax_definite_assignment: words.contains(&"--relax-definite-assignment"),
                show_hints: words.contains(&"--show-hints"),
                show_proof_obligation_expressions: words
                    .contains(&"--show-proof-obligation-expressions"),
                // The tests for both resolvers allow axioms.
                allow_axioms: words.contains(&"--allow-axioms")
                    || words.contains(&"%testDafnyForEachResolver"),
                ..stet_dafny::Options::DEFAULT
            },
            error_limit: words
                .iter()
                .position(|w| *w == "--error-limit")
                .and_then(|at| words.get(at + 1)?.parse().ok()),
            reads_input: words.contains(&"--stdin"),
            allows_deprecation: words.contains(&"--allow-deprecation"),
        }
    }
}

fn expected(path: &Path) -> Option<Expected> {
    let text = std::fs::read_to_string(path).ok()?;
    let lines: Vec<String> = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(squeeze)
        .collect();
    let kind = if text.contains("parse errors detected")
        || text.contains("resolution/type errors detected")
    {
        "front"
    } else if lines.iter().any(|l| l.contains("): Error")) {
        "errors"
    } else {
        "clean"
    };
    let places = places(&lines);
    Some(Expected {
        lines,
        places,
        kind,
    })
}

fn places(lines: &[String]) -> BTreeSet<String> {
    let errors = lines.iter().filter(|l| l.contains("): Error"));
    errors
        .filter_map(|l| l.find("): ").map(|end| l[..=end].to_owned()))
        .collect()
}

/// A line without repeated white space.
fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn printed(finding: &Finding) -> Vec<String> {
    let lines = finding.lines.iter().chain([&finding.trailer]);
    lines
        .map(|l| squeeze(l))
        .filter(|l| !l.is_empty())
        .collect()
}

fn suite(options: &Options, verifier: &Verifier) {
    let mut counts: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for path in files(options, "suite") {
        let name = file_name(&path);
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let variants: Vec<Expected> = ["dfy.expect", "dfy.refresh.expect"]
            .iter()
            .filter_map(|suffix| expected(&path.with_extension(suffix)))
            .collect();
        let Some(kind) = variants.first().map(|v| v.kind) else {
            continue;
        };
        if kind == "front" {
            continue;
        }
        let asked = Asked::by(&text);
        let name_here = match asked.reads_input {
            true => "<stdin>".into(),
            false => path.to_string_lossy(),
        };
        let verifier = match asked.error_limit {
            Some(limit) => &verifier.limited(limit),
            None => verifier,
        };
        let finding = verifier.check_with(&name_here, &text, asked.options);
        let mut lines = printed(&finding);
        if asked.allows_deprecation {
            lines.retain(|l| !(l.contains("Warning: ") && l.contains("deprecated")));
        }
        let (found, said) = (places(&lines), set(&lines));
        let result = if variants.iter().any(|v| set(&v.lines) == said) {
            "exact output"
        } else if !matches!(
            finding.fate,
            Fate::Verified | Fate::Errors | Fate::Undecided
        ) {
            match finding.fate {
                Fate::Unsupported => "unsupported",
                Fate::Broken => "BROKEN",
                _ => "rejected",
            }
        } else if finding.fate != Fate::Undecided && variants.iter().any(|v| v.places == found) {
            "same positions"
        } else if kind == "errors"
            && variants
                .iter()
                .all(|v| v.places.iter().any(|p| !found.contains(p)))
        {
            "MISSED errors"
        } else {
            "false errors"
        };
        if options.show && result != "exact output" {
            println!("== {name}: {kind}, {result}");
            let wanted = set(&variants[0].lines);
            wanted.difference(&said).for_each(|l| println!("  - {l}"));
            said.difference(&wanted).for_each(|l| println!("  + {l}"));
        }
        counts.entry((kind, result)).or_default().push(name);
    }
    for ((kind, result), names) in &counts {
        println!("{:5} {kind}: {result}", names.len());
    }
    for ((kind, result), names) in &counts {
        if *result != "exact output" {
            println!("\n{kind}, {result}: {}", names.join(" "));
        }
    }
}

fn set(lines: &[String]) -> BTreeSet<String> {
    lines.iter().cloned().collect()
}
