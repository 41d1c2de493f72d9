//! The one entry: what a call gives back, how it is called again, and what it promises about errors.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "not every test file uses every helper")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

mod common;

use common::{Series, read};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use stet_base::{Budget, SourceMap};
use stet_diag::Diagnostic;
use stet_key::Digest;
use stet_solve::pipe::{ProverConfig, ProverKind};
use stet_store::{Config, Entry, Mode, News, RemoteTier, Store, StoreNote, Traffic};
use stet_verify::{Boogie, Caching, Conclusion, Engine, Event, Options, Outcome, Request, Tree};

const TWO: &str = "\
procedure P(x: int) { assert x == x; }
procedure Q(x: int) { assert x > 0; }
";

fn check(series: &Series, text: &str, budget: &Budget, seen: &mut Vec<String>) -> Outcome {
    let mut sources = SourceMap::new();
    let file = sources.add("a.bpl", text).unwrap();
    let request = Request {
        subject: "a.bpl",
        sources: &sources,
        files: &[file],
        front: &mut Boogie,
        options: &series.options,
        store: &series.store,
        budget,
    };
    Engine::new().check(request, &mut |event| match event {
        Event::Read { implementations } => seen.push(format!("{implementations} to do")),
        Event::Result {
            result,
            diagnostics,
        } => seen.push(format!("{}: {} said", result.name, diagnostics.len())),
    })
}

#[test]
fn results_come_through_the_callback_and_in_the_outcome() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let mut seen = Vec::new();
    let outcome = check(&series, TWO, &Budget::unlimited(), &mut seen);
    assert_eq!(seen, ["2 to do", "P: 0 said", "Q: 1 said"]);
    assert!(outcome.is_complete());
    assert_eq!(outcome.verdicts.len(), 2);
    assert_eq!(outcome.diagnostics[0].code, "verify/assertion");
    let counts = &outcome.statistics;
    assert_eq!((counts.verified, counts.errors, counts.solved), (1, 1, 2));
    // A second engine with the same store needs neither the program nor the prover.
    let again = check(&series, TWO, &Budget::unlimited(), &mut seen);
    assert!(again.program.is_none() && again.statistics.cached == 2);
    let layers: Vec<_> = again
        .statistics
        .layers
        .iter()
        .map(|l| (l.name, l.hits))
        .collect();
    assert_eq!(layers, [("program", 1)]);
}

#[test]
fn a_cancelled_call_leaves_everything_out() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let budget = Budget::unlimited();
    budget.cancel();
    let outcome = check(&series, TWO, &budget, &mut Vec::new());
    assert!(!outcome.is_complete());
    let left_out: Vec<_> = outcome.left_out.iter().map(|l| l.why.clone()).collect();
    assert_eq!(left_out, [Conclusion::Cancelled, Conclusion::Cancelled]);
    assert_eq!(outcome.statistics.undecided_checks, 2);
    assert_eq!(outcome.statistics.solved, 0, "nothing was");
    // Nothing of it is kept.
    let outcome = check(&series, TWO, &Budget::unlimited(), &mut Vec::new());
    assert_eq!(outcome.statistics.solved, 2);
}

#[test]
fn a_text_that_is_not_a_program_is_reported_without_a_prover() {
    let nowhere = ProverConfig::new(ProverKind::Z3, "/nowhere/z3".into());
    let code = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add("a.bpl", text).unwrap();
        let request = Request {
            subject: "a.bpl",
            sources: &sources,
            files: &[file],
            front: &mut Boogie,
            options: &Options::new(nowhere.clone()),
            store: &stet_store::Store::in_memory(),
            budget: &Budget::unlimited(),
        };
        let outcome = Engine::new().check(request, &mut |_| {});
        assert!(!outcome.is_usable && !outcome.is_complete());
        outcome.diagnostics[0].code
    };
    assert_eq!(code("procedure P( { }"), "boogie/syntax");
    assert_eq!(code("procedure P() { x := 1; }"), "boogie/resolution");
    assert_eq!(code(TWO), "verify/no-prover");
}

/// A front end that builds trees has its own words for errors, and its results are reused by condition and by check.
#[test]
fn a_tree_built_in_memory_has_its_own_words() {
    let Some(series) = Series::new(Caching::Fine) else {
        return;
    };
    let engine = Engine::new();
    let run = |text: &str| {
        let mut sources = SourceMap::new();
        let program = read(&mut sources, text);
        let mut front = Tree::described(
            program,
            Box::new(|result, error| {
                Diagnostic::error("verify/assertion", format!("{}: oh no", result.name))
                    .at(error.span)
            }),
        );
        let request = Request {
            subject: "tree",
            sources: &sources,
            files: &[],
            front: &mut front,
            options: &series.options,
            store: &series.store,
            budget: &Budget::unlimited(),
        };
        engine.check(request, &mut |_| {})
    };
    let outcome = run(TWO);
    assert_eq!(outcome.diagnostics[0].message, "Q: oh no");
    let edited = run(&TWO.replace("x > 0;", "x > 0; assert x > 1;"));
    assert_eq!(edited.statistics.recycled, 1, "{:?}", edited.statistics);
    assert_eq!(edited.statistics.cached, 1);
}

/// Which errors are shown when there are more than the limit is a function of the program: neither what the store knows nor
/// the limit of the run that filled it matters.
#[test]
fn the_choice_of_errors_does_not_depend_on_the_store() {
    let program = "\
procedure P(x: int, y: int, z: int)
{
  var t: int;
  t := x;
  if (y > 0) { assert x > 0; } else { assert y > 5; }
  assert z > t;
}
";
    let edited = program.replace("z > t", "z > t + 1");
    let lines = |checked: &common::Checked| -> Vec<u32> {
        let errors = &checked.result("P").errors;
        errors
            .iter()
            .map(|e| checked.sources.start_of(e.span).line)
            .collect()
    };
    for limit in [1, 2] {
        for text in [program, &edited] {
            let (Some(mut series), Some(mut fresh)) =
                (Series::new(Caching::Fine), Series::new(Caching::Off))
            else {
                return;
            };
            fresh.options.error_limit = limit;
            assert_eq!(lines(&series.next(program)).len(), 3);
            series.options.error_limit = limit;
            let shown = lines(&series.next(text));
            assert_eq!(shown, lines(&fresh.next(text)), "limit {limit}\n{text}");
            assert_eq!(shown.len(), limit);
            series.options.check_cache = true;
            assert_eq!(lines(&series.next(text)), shown);
        }
    }
}

/// With quantifiers the prover has candidates for counterexamples only, so the errors found with the help of a snapshot are asked
/// about alone, unless that was done before.
#[test]
fn errors_without_a_model_are_confirmed() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    let log = tempfile::NamedTempFile::new().unwrap();
    series.options.prover.log = Some(log.path().to_owned());
    let questions = || {
        let text = std::fs::read_to_string(log.path()).unwrap();
        text.matches("(declare-fun ControlFlow").count()
    };
    let program = "\
function f(x: int): int;
axiom (forall x: int :: {f(x)} f(x) > x);
procedure P(x: int)
{
  assert f(x) > x;
  assert f(x) > x + 1;
}
";
    let first = series.next(program);
    assert_eq!(first.result("P").errors.len(), 1);
    assert!(!first.result("P").errors[0].is_certain);
    let before = questions();
    let second = series.next(&program.replace("x + 1;\n", "x + 1;\n  assert f(x) >= x;\n"));
    assert_eq!(second.counts(), [1, 1, 0, 1], "{}", second.obligations());
    assert!(questions() <= before + 1, "asked with the snapshot only");
    let before = questions();
    let third = series.next(&program.replace("{\n", "{\n  assert f(x) >= x;\n"));
    assert_eq!(third.result("P").errors.len(), 1);
    assert!(
        questions() > before + 1,
        "asked with the snapshot, and alone"
    );
    // Without quantifiers a counterexample is one.
    let plain = "procedure Q(x: int)\n{\n  assert x > 0;\n}\n";
    assert!(series.next(plain).result("Q").errors[0].is_certain);
}

/// A prover that answers wrongly does not spoil what the store knows for another one that says the same version.
#[cfg(unix)]
#[test]
fn verdicts_of_a_wrapper_are_not_those_of_the_prover() {
    use std::os::unix::fs::PermissionsExt;
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    let program = "procedure P(x: int) { assert x > 0; }\n";
    let directory = tempfile::tempdir().unwrap();
    let liar = directory.path().join("z3");
    let prover = series.options.prover.path.clone();
    let text = format!(
        "#!/bin/sh\n\"{}\" \"$@\" | sed -u -e s/^sat/unsat/ -e s/^unknown/unsat/\n",
        prover.display()
    );
    std::fs::write(&liar, text).unwrap();
    std::fs::set_permissions(&liar, std::fs::Permissions::from_mode(0o755)).unwrap();
    series.options.prover.path = liar;
    assert_eq!(series.next(program).result("P").errors.len(), 0);
    series.options.prover.path = prover;
    assert_eq!(series.next(program).result("P").errors.len(), 1);
}

/// A shared store that knows nothing and remembers what was asked, and how.
#[derive(Debug, Default)]
struct Listener {
    announced: Mutex<HashSet<Digest>>,
    batches: AtomicUsize,
    unannounced: Mutex<Vec<String>>,
}

impl RemoteTier for Listener {
    fn begin(&self, _: &str) {}
    fn prefetch(&self, keys: &[Digest]) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.announced.lock().unwrap().extend(keys);
    }
    fn get(&self, kind: &str, key: &Digest) -> Option<Entry> {
        if !self.announced.lock().unwrap().contains(key) {
            self.unannounced.lock().unwrap().push(kind.to_owned());
        }
        None
    }
    fn tell(&self, _: &Arc<Entry>, _: News) {}
    fn flush(&self) {}
    fn take_notes(&self) -> Vec<StoreNote> {
        Vec::new()
    }
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }
}

#[test]
fn a_shared_store_is_asked_about_a_program_in_batches() {
    let Some(mut series) = Series::new(Caching::Fine) else {
        return;
    };
    let listener = Arc::new(Listener::default());
    series.store = Store::open(Config {
        remote: Some(listener.clone()),
        ..Config::memory(Mode::ReadWrite)
    });
    let procedure = |n| format!("procedure P{n}(x: int) {{ assert x + {n} > x || {n} == 0; }}\n");
    let text: String = (0..20).map(procedure).collect();
    let outcome = check(&series, &text, &Budget::unlimited(), &mut Vec::new());
    assert_eq!(outcome.verdicts.len(), 20);
    // By text, then by condition.
    assert_eq!(listener.batches.load(Ordering::Relaxed), 2);
    let unannounced = listener.unannounced.lock().unwrap();
    let is_about_one =
        |kind: &&String| ["verify/text", "verify/implementation"].contains(&kind.as_str());
    assert_eq!(unannounced.iter().filter(is_about_one).count(), 0);
}
