//! Verifies small programs for the tests.

use std::time::Duration;
use stet_base::{Budget, SourceMap};
use stet_dafny::NoIncludes;
use stet_dafny_verify::console;
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::{Config, Mode, Store};
use stet_verify::{Caching, Engine, Options, Request};

#[allow(dead_code, reason = "not every test file uses every helper")]
/// What Dafny would print about a program, each line without the file's name; nothing without a prover.
pub(crate) fn verify(text: &str) -> Option<Vec<String>> {
    verify_with(text, stet_dafny::Options::DEFAULT)
}

#[allow(dead_code, reason = "not every test file uses every helper")]
/// The same with options.
pub(crate) fn verify_with(text: &str, language: stet_dafny::Options) -> Option<Vec<String>> {
    let Ok(prover) = locate(ProverKind::Z3, None) else {
        stet_testkit::skip("z3 is not installed");
        return None;
    };
    let mut options = Options::new(ProverConfig::new(ProverKind::Z3, prover));
    options.time_limit = Some(Duration::from_secs(60));
    options.caching = Caching::Off;
    let mut sources = SourceMap::new();
    let file = sources.add("t.dfy", text.to_owned()).expect("small");
    let loaded = stet_dafny_verify::load_with(&mut sources, &[file], &mut NoIncludes, language);
    let (mut lines, _) = console::lines(&sources, &loaded.diagnostics);
    if let Some(translation) = loaded.translation {
        let request = Request {
            subject: "t.dfy",
            sources: &sources,
            files: &[file],
            front: &mut stet_dafny_verify::front(translation),
            options: &options,
            store: &Store::open(Config::memory(Mode::Off)),
            budget: &Budget::unlimited(),
        };
        let outcome = Engine::new().check(request, &mut |_| {});
        lines.extend(console::lines(&sources, &outcome.diagnostics).0);
        if !outcome.is_complete() {
            lines.push("undecided".into());
        }
    }
    Some(lines.iter().map(|l| l.replace("t.dfy", "")).collect())
}

#[allow(dead_code, reason = "not every test file uses every helper")]
/// Checks that a program gives exactly the errors that its lines announce: `//! text` at the end of a line stands for an
/// error on that line whose message contains the text.
pub(crate) fn check(text: &str) {
    let Some(lines) = verify(text) else {
        return;
    };
    let expected: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter_map(|(i, line)| {
            line.split_once("//! ")
                .map(|(_, text)| (i + 1, text.trim()))
        })
        .collect();
    let errors: Vec<&String> = lines
        .iter()
        .filter(|l| l.contains("Error: ") || l.contains("undecided"))
        .collect();
    let matches = |(line, text): &(usize, &str)| {
        let place = format!("({line},");
        errors
            .iter()
            .any(|e| e.starts_with(&place) && e.contains(text))
    };
    let all_there = expected.iter().all(matches);
    assert!(
        all_there && errors.len() == expected.len(),
        "expected {expected:?}, found {errors:#?} in\n{text}"
    );
}
