//! An edit stops what it makes obsolete and nothing else: which questions are begun, answered and given up while a prover is
//! slow, and where random edits at random moments end.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod client;

use client::{Client, Files};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::Store;

/// Passes everything on to Z3. A question is known by a number in it from 900,000 on: `log` gets a line when it is put and one when
/// it is passed on, which is not before the file `hold-NUMBER` is gone. `delay` has the longest random wait in milliseconds.
const PROXY: &str = r#"#!/usr/bin/env python3
import os, random, re, subprocess, sys, time
here, real = "@HERE@", "@REAL@"
if "-in" not in sys.argv:
    os.execv(real, [real] + sys.argv[1:])
z3 = subprocess.Popen([real] + sys.argv[1:], stdin=subprocess.PIPE)
def log(what):
    with open(here + "/log", "a") as file:
        file.write(what + "\n")
def delay():
    try:
        return random.randrange(1 + int(open(here + "/delay").read())) / 1000
    except OSError:
        return 0
number = None
for line in sys.stdin.buffer:
    for found in re.findall(rb"\b9000\d\d\b", line):
        number = found.decode()
    if b"(check-sat)" in line:
        log(f"begun {number}")
        time.sleep(delay())
        while os.path.exists(f"{here}/hold-{number}"):
            time.sleep(0.01)
        log(f"passed {number}")
    z3.stdin.write(line)
    z3.stdin.flush()
"#;

/// A prover with a log.
fn proxy(directory: &Path) -> Option<ProverConfig> {
    let mut python = std::process::Command::new("python3");
    let has_python = python
        .arg("--version")
        .output()
        .is_ok_and(|done| done.status.success());
    let real = locate(ProverKind::Z3, None);
    let (Ok(real), true) = (real, has_python) else {
        stet_testkit::skip("Z3 or Python");
        return None;
    };
    let script = PROXY
        .replace("@HERE@", &directory.display().to_string())
        .replace("@REAL@", &real.display().to_string());
    let path = directory.join("z3");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Reused verdicts are not to be asked about again at random.
    stet_store::recheck_share(0.0);
    Some(ProverConfig::new(ProverKind::Z3, path))
}

/// An editor with one document whose procedures are known by numbers, and the log of the prover.
struct Bench {
    client: Client,
    directory: tempfile::TempDir,
    version: i64,
    text: String,
}

const URI: &str = "file:///slow.bpl";

impl Bench {
    fn new(numbers: &[u32], held: &[u32]) -> Option<Bench> {
        let directory = tempfile::tempdir().unwrap();
        let prover = proxy(directory.path())?;
        for number in held {
            std::fs::write(directory.path().join(format!("hold-{number}")), "").unwrap();
        }
        let mut client = Client::start(Store::in_memory(), prover, Files::default(), json!({}));
        let procedure =
            |n: &u32| format!("procedure P{n}(x: int) {{ assert x < {n} || x >= {n}; }}\n");
        let text: String = numbers.iter().map(procedure).collect();
        client.open(URI, "boogie", &text);
        Some(Bench {
            client,
            directory,
            version: 1,
            text,
        })
    }

    fn replace(&mut self, old: &str, new: &str) {
        assert!(self.text.contains(old), "{old}");
        self.text = self.text.replace(old, new);
        self.version += 1;
        let identifier = json!({ "uri": URI, "version": self.version });
        let changes = json!([{ "text": self.text }]);
        let parameters = json!({ "textDocument": identifier, "contentChanges": changes });
        self.client.notify("textDocument/didChange", parameters);
    }

    fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.directory.path().join("log"));
        let log = log.unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    fn count(&self, line: &str) -> usize {
        self.log().iter().filter(|found| *found == line).count()
    }

    /// Waits until the prover has logged a line.
    fn await_log(&self, line: &str) {
        let start = Instant::now();
        while self.count(line) == 0 {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{:?}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn release(&self, number: u32) {
        std::fs::remove_file(self.directory.path().join(format!("hold-{number}"))).unwrap();
    }

    /// The verdicts once nothing is under way.
    fn verdicts(&mut self) -> Vec<String> {
        let status = self.client.quiet(URI, self.version);
        let checks = status["checks"].as_array().unwrap().iter();
        let mut found: Vec<String> = checks
            .map(|c| format!("{} {}", c["declaration"].as_str().unwrap(), c["verdict"]))
            .collect();
        found.sort();
        found
    }
}

#[test]
fn a_question_that_is_still_wanted_goes_on() {
    let Some(mut bench) = Bench::new(&[900001, 900002, 900003, 900004], &[900001]) else {
        return;
    };
    bench.await_log("begun 900001");
    bench.replace("x < 900003 || x >= 900003", "x < 900005 || x >= 900005");
    // The new run does not wait for the slow question before it asks the others.
    for number in [900002, 900005, 900004] {
        bench.await_log(&format!("passed {number}"));
    }
    assert_eq!(bench.count("passed 900001"), 0);
    bench.release(900001);
    let expected = [
        "P900001 \"verified\"",
        "P900002 \"verified\"",
        "P900003 \"verified\"",
        "P900004 \"verified\"",
    ];
    assert_eq!(bench.verdicts(), expected);
    for number in [900001, 900002, 900004, 900005] {
        for what in ["begun", "passed"] {
            assert_eq!(
                bench.count(&format!("{what} {number}")),
                1,
                "{:?}",
                bench.log()
            );
        }
    }
    assert_eq!(bench.count("begun 900003"), 0, "{:?}", bench.log());
    bench.client.end();
}

#[test]
fn a_question_that_an_edit_makes_obsolete_is_given_up() {
    let Some(mut bench) = Bench::new(&[900001, 900002], &[900001]) else {
        return;
    };
    bench.await_log("begun 900001");
    bench.replace("x < 900001 || x >= 900001", "x < 900006");
    let expected = ["P900001 \"failed\"", "P900002 \"verified\""];
    assert_eq!(bench.verdicts(), expected);
    bench.release(900001);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(bench.count("passed 900001"), 0, "{:?}", bench.log());
    assert_eq!(bench.count("begun 900002"), 1, "{:?}", bench.log());
    bench.client.end();
}

#[test]
fn a_question_outlives_a_text_that_is_no_program() {
    let Some(mut bench) = Bench::new(&[900001, 900002], &[900001]) else {
        return;
    };
    bench.await_log("begun 900001");
    bench.replace("x >= 900002", "x >= ");
    bench.client.diagnostics(URI);
    bench.replace("x >= ;", "x >= 900002;");
    bench.await_log("passed 900002");
    bench.release(900001);
    let expected = ["P900001 \"verified\"", "P900002 \"verified\""];
    assert_eq!(bench.verdicts(), expected);
    for number in [900001, 900002] {
        assert_eq!(
            bench.count(&format!("begun {number}")),
            1,
            "{:?}",
            bench.log()
        );
    }
    bench.client.end();
}

/// Three versions one after the other: the question of the first is taken over by the third, though the second waited for it.
#[test]
fn a_question_is_handed_on_from_version_to_version() {
    let Some(mut bench) = Bench::new(&[900001, 900002], &[900001]) else {
        return;
    };
    bench.await_log("begun 900001");
    bench.replace("x < 900002", "x < 900007");
    bench.await_log("passed 900002");
    bench.replace("x < 900007", "x < 900002");
    bench.release(900001);
    let expected = ["P900001 \"verified\"", "P900002 \"verified\""];
    assert_eq!(bench.verdicts(), expected);
    assert_eq!(bench.count("begun 900001"), 1, "{:?}", bench.log());
    bench.client.end();
}

/// Nothing is left running when a document is closed.
#[test]
fn closing_a_document_gives_everything_up() {
    let Some(mut bench) = Bench::new(&[900001, 900002], &[900001]) else {
        return;
    };
    bench.await_log("begun 900001");
    bench.replace("x < 900002", "x < ");
    let identifier = json!({ "textDocument": { "uri": URI } });
    bench.client.notify("textDocument/didClose", identifier);
    bench.client.ask("workspace/symbol", json!({ "query": "" }));
    std::thread::sleep(Duration::from_millis(500));
    bench.release(900001);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(bench.log(), ["begun 900001"]);
    bench.client.end();
}

/// What the editor shows is asked before what it does not show.
#[test]
fn visible_procedures_come_first() {
    let numbers = [900001, 900002, 900003, 900004, 900005];
    let Some(mut bench) = Bench::new(&numbers, &[900001]) else {
        return;
    };
    bench.await_log("begun 900001");
    let position = |line: u32| json!({ "line": line, "character": 0 });
    let range = json!({ "start": position(3), "end": position(3) });
    let shown = json!({ "uri": URI, "ranges": [range] });
    bench.client.notify("stet/visible", shown);
    bench.replace("x < 900001 || x >= 900001", "x < 900006 || x >= 900006");
    let verdicts = bench.verdicts();
    assert_eq!(verdicts.len(), 5);
    let log = bench.log();
    let begun: Vec<&str> = log
        .iter()
        .filter_map(|line| line.strip_prefix("begun "))
        .collect();
    assert_eq!(begun[..2], ["900001", "900004"], "{log:?}");
    bench.client.end();
}

/// A client that knows nothing of `stet/visible` asks for the hints or the tokens of the lines it shows.
#[test]
fn what_a_client_asks_about_is_visible() {
    for method in [
        "textDocument/inlayHint",
        "textDocument/semanticTokens/range",
    ] {
        let numbers = [900001, 900002, 900003, 900004, 900005];
        let Some(mut bench) = Bench::new(&numbers, &[900001]) else {
            return;
        };
        bench.await_log("begun 900001");
        let position = |line: u32| json!({ "line": line, "character": 0 });
        let range = json!({ "start": position(4), "end": position(4) });
        let asked = json!({ "textDocument": { "uri": URI }, "range": range });
        bench.client.ask(method, asked);
        bench.replace("x < 900001 || x >= 900001", "x < 900006 || x >= 900006");
        bench.verdicts();
        let log = bench.log();
        let begun: Vec<&str> = log
            .iter()
            .filter_map(|line| line.strip_prefix("begun "))
            .collect();
        assert_eq!(begun[..2], ["900001", "900005"], "{method}: {log:?}");
        bench.client.end();
    }
}

/// Claims about a number, most of them true.
const CLAIMS: &[&str] = &[
    "x < N || x >= N",
    "x == N || x != N",
    "x <= N || N < x",
    "x < N",
    "x + N > x",
    "x * x >= N - N",
];

/// A program whose procedures claim these things; a claim that is none makes it no program.
fn program(claims: &[(usize, u32)]) -> String {
    let procedure = |(n, &(claim, number)): (usize, &(usize, u32))| {
        let claim = CLAIMS.get(claim).copied().unwrap_or("x <");
        let claim = claim.replace('N', &number.to_string());
        format!("procedure P{n}(x: int) {{ assert {claim}; }}\n")
    };
    claims.iter().enumerate().map(procedure).collect()
}

/// The state after random edits at random moments is that of a fresh start. `STET_LSP_SLOW_EDITS` sets how many.
#[test]
#[allow(clippy::print_stdout, reason = "a campaign says how much it did")]
fn random_edits_at_random_moments_end_in_the_state_of_a_fresh_run() {
    let wanted = std::env::var("STET_LSP_SLOW_EDITS").ok();
    let count: u64 = wanted.and_then(|n| n.parse().ok()).unwrap_or(60);
    let Some(mut bench) = Bench::new(&[], &[]) else {
        return;
    };
    std::fs::write(bench.directory.path().join("delay"), "250").unwrap();
    let mut random = stet_testkit::Random::new(count);
    let mut claims = [(0usize, 900_010); 6];
    let mut compared = 0;
    for edit in 1..=count {
        let at = random.below(claims.len());
        // one edit in seven makes it no program; the next one of the same claim mends that
        claims[at] = (
            random.below(CLAIMS.len() + 1),
            900_010 + random.below(90u64) as u32,
        );
        if edit == count || edit % 25 == 0 {
            let mend = |(claim, _): &mut (usize, u32)| *claim %= CLAIMS.len();
            claims.iter_mut().for_each(mend);
        }
        bench.text = program(&claims);
        bench.replace("procedure", "procedure");
        std::thread::sleep(Duration::from_millis(random.below(180)));
        if edit == count || edit % 25 == 0 {
            let shown = bench.client.settled(URI, bench.version);
            let mut fresh = Client::new().unwrap();
            fresh.open(URI, "boogie", &bench.text);
            assert_eq!(shown, fresh.settled(URI, 1), "edit {edit}:\n{}", bench.text);
            fresh.end();
            compared += 1;
        }
    }
    let log = bench.log();
    let number = |what: &str| log.iter().filter(|line| line.starts_with(what)).count();
    let (begun, passed) = (number("begun"), number("passed"));
    println!(
        "{count} edits, {compared} states compared; {begun} questions begun, {} given up",
        begun - passed
    );
    bench.client.end();
}
