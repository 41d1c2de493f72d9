//! `stet run`: the options and the output of run-time checks.

use crate::session::Session;
use serde_json::{Value, json};
use std::path::Path;
use stet_base::{FileId, Span};
use stet_diag::Diagnostic;
use stet_run::Machine;
use stet_run::checks::{
    AssertionStats, CacheConfig, CheckLevel, CheckSettings, CheckStats, LoadProblem, Policy,
    PredicateStats, SourceRange, TestResult, TestVerdict, Violation,
};

/// Options of run-time checks.
#[derive(clap::Args, Debug)]
pub(crate) struct CheckOptions {
    /// Which assertions are checked while the program runs.
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all")]
    checks: Checks,
    /// How the cache of property checks replaces entries.
    #[arg(long, value_enum, value_name = "POLICY", default_value = "adaptive")]
    property_cache_policy: PolicyName,
    /// Entries of the cache of property checks, for the policies `dm` and `lru`.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    property_cache_size: u32,
    /// Depth of a term from which on checks are not entered into the cache; 0 is no limit.
    #[arg(long, value_name = "N", default_value_t = 0)]
    property_cache_depth: u32,
    /// Whether conditions are proved when files are loaded, and proved ones left out.
    #[arg(long, value_enum, value_name = "WHETHER", default_value = "off")]
    analysis: Switch,
    /// Print the program as transformed for checking, and stop.
    #[arg(long)]
    pub(crate) print_checks: bool,
    /// Run the test assertions of the files, and stop.
    #[arg(long)]
    pub(crate) test: bool,
    /// With `--test`: only tests whose predicate, comment or file contains this text.
    #[arg(long, value_name = "TEXT", requires = "test")]
    pub(crate) test_filter: Option<String>,
}

/// Which assertions are checked.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Checks {
    /// None.
    Off,
    /// Those of exported predicates.
    Exports,
    /// All.
    All,
}

/// On or off.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum PolicyName {
    /// Follows the size of the heap.
    Adaptive,
    /// Direct-mapped.
    Dm,
    /// Least recently used.
    Lru,
    /// No cache.
    Off,
}

impl CheckOptions {
    /// The machine's settings; `text`: messages go to standard error as they come.
    pub(crate) fn settings(&self, verify: bool, text: bool, stats: bool) -> CheckSettings {
        CheckSettings {
            level: match self.checks {
                Checks::Off => CheckLevel::Off,
                Checks::Exports => CheckLevel::Exports,
                Checks::All => CheckLevel::All,
            },
            cache: CacheConfig {
                policy: match self.property_cache_policy {
                    PolicyName::Adaptive => Policy::Adaptive,
                    PolicyName::Dm => Policy::DirectMapped,
                    PolicyName::Lru => Policy::LeastRecentlyUsed,
                    PolicyName::Off => Policy::Off,
                },
                size: self.property_cache_size as usize,
                depth: self.property_cache_depth,
            },
            verify,
            quiet: !text,
            detailed: stats,
            print: self.print_checks,
            analyse: self.analysis == Switch::On && self.checks == Checks::All,
            ..CheckSettings::STANDARD
        }
    }
}

/// What the checks found, taken from the machine when it stops.
pub(crate) struct Outcome {
    violations: Vec<Violation>,
    more_violations: u64,
    stats: CheckStats,
    predicates: Vec<PredicateStats>,
    cache_bytes: usize,
    heap_bytes: usize,
    problems: Vec<LoadProblem>,
    load_errors: u32,
    /// With `--test`: the violations before the first test, and the results.
    tests: Option<TestRun>,
}

/// The violations before the first test; the results; cached answers other machines found wrong.
pub(crate) type TestRun = (usize, (Vec<TestResult>, u64));

impl Outcome {
    pub(crate) fn of(machine: &Machine, tests: Option<TestRun>) -> Outcome {
        let mut stats = machine.check_stats();
        stats.mismatches += tests.as_ref().map_or(0, |run| run.1.1);
        Outcome {
            violations: machine.violations().to_vec(),
            more_violations: machine.more_violations(),
            stats,
            predicates: machine.predicate_stats(),
            cache_bytes: machine.check_cache_bytes(),
            heap_bytes: machine.peak_heap_bytes(),
            problems: machine.load_problems().to_vec(),
            load_errors: machine.load_errors(),
            tests,
        }
    }

    /// The exit code. After a violation, or a load that met an error, it is 2 whether the goal succeeded or not; a
    /// violation during a test makes that test fail, which is 1.
    pub(crate) fn code(&self, code: u8) -> u8 {
        if self.stats.mismatches > 0 {
            return 101;
        }
        let (violations, failed) = match &self.tests {
            Some((before, (tests, _))) => (*before, tests.iter().any(TestResult::is_failure)),
            None => (self.violations.len(), false),
        };
        match code {
            0 | 1 if violations > 0 || self.load_errors > 0 => 2,
            0 if failed => 1,
            other => other,
        }
    }

    /// Diagnostics and statistics for the structured formats; tests and statistics for people.
    pub(crate) fn report(&self, session: &mut Session, stats: bool) {
        if self.stats.mismatches > 0 {
            session.report(Diagnostic::error(
                "run/cache-mismatch",
                format!(
                    "{} cached answers of property checks differ from their recomputation",
                    self.stats.mismatches
                ),
            ));
        }
        if !session.is_text() {
            for problem in &self.problems {
                let found = problem_diagnostic(session, problem);
                session.report(found);
            }
            // A violation during a test is why that test failed.
            let shown = self.tests.as_ref().map_or(usize::MAX, |run| run.0);
            for violation in self.violations.iter().take(shown) {
                let found = diagnostic(session, violation);
                session.report(found);
            }
        }
        if self.more_violations > 0 {
            session.report(Diagnostic::error(
                "run/violations",
                format!(
                    "{} violations beyond the first {} are not shown",
                    self.more_violations,
                    self.violations.len()
                ),
            ));
        }
        self.report_tests(session);
        if stats {
            session.set_statistics(self.json());
            if session.is_text() {
                anstream::eprint!("{}", self.text());
            }
        }
    }

    fn report_tests(&self, session: &mut Session) {
        let Some((_, (tests, _))) = &self.tests else {
            return;
        };
        let mut obligations = Vec::new();
        for test in tests {
            let (first, last) = test.place.lines;
            let name = test.text.as_deref().unwrap_or("test");
            let place = format!(
                "{}: (lns {first}-{last}) {}: {name}",
                test.file, test.predicate
            );
            let status = match &test.verdict {
                TestVerdict::Passed => {
                    session.say(&format!("{place}: passed"));
                    "holds"
                }
                TestVerdict::Skipped(status) => {
                    session.say(&format!("{place}: skipped, its status is `{status}`"));
                    "skipped"
                }
                TestVerdict::Failed(why) => {
                    let mut found = Diagnostic::error("run/test", format!("{place}: {why}"));
                    if let Some(span) = span(session, &test.file, test.place) {
                        found = found.at(span);
                    }
                    session.report(found);
                    "fails"
                }
            };
            obligations.push(json!({"name": place, "status": status}));
        }
        if !tests.is_empty() {
            let failed = tests.iter().filter(|t| t.is_failure()).count();
            session.say(&format!("{} tests, {failed} failed", tests.len()));
        }
        session.set_result(json!({ "obligations": obligations }));
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.stats.fields() {
            text.push_str(&format!("% {name:<16}{value}\n"));
        }
        text.push_str(&format!(
            "% {:<16}{}\n% {:<16}{}\n",
            "cache bytes", self.cache_bytes, "heap bytes", self.heap_bytes
        ));
        for p in &self.predicates {
            text.push_str(&format!(
                "%   {:<24}{} entries, {} exits, {} violations\n",
                p.predicate, p.entries, p.exits, p.violations
            ));
            for a in &p.assertions {
                let lines = format!("lns {}-{}", a.place.lines.0, a.place.lines.1);
                text.push_str(&format!(
                    "%     {lines:<22}{} checks, {} visits, {} hits, max_depth {}, {} violations\n",
                    a.checks, a.visits, a.hits, a.max_depth, a.violations
                ));
            }
        }
        text
    }

    fn json(&self) -> Value {
        let mut total = serde_json::Map::new();
        for (name, value) in self.stats.fields() {
            total.insert(name.to_string(), json!(value));
        }
        let predicates: Vec<Value> = self
            .predicates
            .iter()
            .map(|p| {
                json!({
                    "predicate": p.predicate,
                    "entries": p.entries,
                    "exits": p.exits,
                    "violations": p.violations,
                    "assertions": p.assertions.iter().map(assertion_json).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "checks": total,
            "cache_bytes": self.cache_bytes,
            "heap_bytes": self.heap_bytes,
            "predicates": predicates,
        })
    }
}

fn assertion_json(stats: &AssertionStats) -> Value {
    json!({
        "file": stats.file,
        "lines": [stats.place.lines.0, stats.place.lines.1],
        "checks": stats.checks,
        "visits": stats.visits,
        "hits": stats.hits,
        "max_depth": stats.max_depth,
        "violations": stats.violations,
    })
}

fn diagnostic(session: &mut Session, violation: &Violation) -> Diagnostic {
    let mut found = if violation.kind == "property" {
        let message = format!(
            "property {} of {} raised an exception; the condition is not decided",
            violation.required, violation.predicate
        );
        Diagnostic::error("run/property-exception", message)
            .with_note(format!("exception: {}", violation.actual))
    } else {
        let message = format!(
            "run-time check failure of {}: requires in *{}*: {}",
            violation.predicate, violation.kind, violation.required
        );
        Diagnostic::error("run/assertion", message)
            .with_note(format!("but instead: {}", violation.actual))
    };
    if let Some(place) = violation.place {
        match span(session, &violation.file, place) {
            Some(span) => found = found.at_with(span, "this assertion"),
            None => {
                found = found.with_note(format!("assertion: {}", named(&violation.file, place)))
            }
        }
    }
    if let Some(place) = violation.clause_place {
        match span(session, &violation.file, place) {
            Some(span) => found = found.related(span, "the clauses"),
            None => found = found.with_note(format!("clauses: {}", named(&violation.file, place))),
        }
    }
    found
}

/// What was wrong with a file's assertions.
pub(crate) fn problem_diagnostic(session: &mut Session, problem: &LoadProblem) -> Diagnostic {
    let found = match problem.error {
        true => Diagnostic::error(problem.code, problem.message.clone()),
        false => Diagnostic::warning(problem.code, problem.message.clone()),
    };
    let place = problem.place;
    match place.and_then(|place| span(session, &problem.file, place)) {
        Some(span) => found.at(span),
        None => found,
    }
}

fn named(file: &str, place: SourceRange) -> String {
    format!("{file}, lns {}-{}", place.lines.0, place.lines.1)
}

/// The place in the file as it is now; `None` if that is no more what was loaded.
fn span(session: &mut Session, file: &str, place: SourceRange) -> Option<Span> {
    let id = source(session, file)?;
    let text = session.sources.file(id).text();
    let (start, end) = place.bytes;
    text.get(start as usize..end as usize)?;
    Some(Span {
        file: id,
        start,
        end,
    })
}

/// The file among the session's sources, read if it is not there yet.
fn source(session: &mut Session, file: &str) -> Option<FileId> {
    let known = session.sources.iter().find(|(_, f)| f.name() == file);
    if let Some((id, _)) = known {
        return Some(id);
    }
    let text = std::fs::read_to_string(Path::new(file)).ok()?;
    session.sources.add(file, text)
}
