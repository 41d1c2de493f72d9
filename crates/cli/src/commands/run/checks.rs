//! `stet run`: the options and the output of run-time checks.

use crate::report::run::Counted;
use crate::session::Session;
use serde_json::{Value, json};
use stet_diag::Diagnostic;
use stet_run::Outcome;
use stet_run::checks::{
    AssertionStats, CacheConfig, CheckLevel, CheckSettings, Policy, TestResult, TestVerdict,
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

/// The exit code. After a violation, or a load that met an error, it is 2 whether the goal succeeded or not; a
/// violation during a test makes that test fail, which is 1.
pub(crate) fn exit_code(outcome: &Outcome, code: u8) -> u8 {
    if outcome.check_stats.mismatches > 0 {
        return 101;
    }
    let (violations, failed) = match &outcome.tests {
        Some(run) => (
            run.violations_before,
            run.results.iter().any(TestResult::is_failure),
        ),
        None => (outcome.violations.len(), false),
    };
    match code {
        0 | 1 if violations > 0 || outcome.load_errors > 0 => 2,
        0 if failed => 1,
        other => other,
    }
}

/// What there is for a report.
pub(crate) fn counted(outcome: &Outcome) -> Counted<'_> {
    Counted {
        stats: &outcome.check_stats,
        predicates: &outcome.predicates,
        violations: &outcome.violations,
        more_violations: outcome.more_violations,
        cache_bytes: outcome.cache_bytes,
        heap_bytes: outcome.peak_heap_bytes,
    }
}

/// Diagnostics and statistics for the structured formats; tests and statistics for people.
pub(crate) fn report(mut outcome: Outcome, session: &mut Session, stats: bool) {
    if outcome.check_stats.mismatches > 0 {
        session.report(Diagnostic::error(
            "run/cache-mismatch",
            format!(
                "{} cached answers of property checks differ from their recomputation",
                outcome.check_stats.mismatches
            ),
        ));
    }
    session.sources = std::mem::take(&mut outcome.sources);
    let (failures, others): (Vec<Diagnostic>, Vec<Diagnostic>) =
        std::mem::take(&mut outcome.diagnostics)
            .into_iter()
            .partition(|diagnostic| diagnostic.code == "run/test");
    // Text was written while the program ran.
    if !session.is_text() {
        others.into_iter().for_each(|found| session.report(found));
    }
    if outcome.more_violations > 0 {
        session.report(Diagnostic::error(
            "run/violations",
            format!(
                "{} violations beyond the first {} are not shown",
                outcome.more_violations,
                outcome.violations.len()
            ),
        ));
    }
    report_tests(&outcome, failures, session);
    if stats {
        session.set_statistics(json(&outcome));
        if session.is_text() {
            anstream::eprint!("{}", text(&outcome));
        }
    }
}

/// The tests in their order; `failures` are the diagnostics of those that failed.
fn report_tests(outcome: &Outcome, failures: Vec<Diagnostic>, session: &mut Session) {
    let Some(run) = &outcome.tests else {
        return;
    };
    let mut failures = failures.into_iter();
    let mut obligations = Vec::new();
    for test in &run.results {
        let place = test.title();
        let status = match &test.verdict {
            TestVerdict::Passed => {
                session.say(&format!("{place}: passed"));
                "holds"
            }
            TestVerdict::Skipped(status) => {
                session.say(&format!("{place}: skipped, its status is `{status}`"));
                "skipped"
            }
            TestVerdict::Failed(_) => {
                failures.next().into_iter().for_each(|f| session.report(f));
                "fails"
            }
        };
        obligations.push(json!({"name": place, "status": status}));
    }
    if !run.results.is_empty() {
        let failed = run.results.iter().filter(|t| t.is_failure()).count();
        session.say(&format!("{} tests, {failed} failed", run.results.len()));
    }
    session.set_result(json!({ "obligations": obligations }));
}

fn text(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (name, value) in outcome.check_stats.fields() {
        text.push_str(&format!("% {name:<16}{value}\n"));
    }
    text.push_str(&format!(
        "% {:<16}{}\n% {:<16}{}\n",
        "cache bytes", outcome.cache_bytes, "heap bytes", outcome.peak_heap_bytes
    ));
    for p in &outcome.predicates {
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

fn json(outcome: &Outcome) -> Value {
    let mut total = serde_json::Map::new();
    for (name, value) in outcome.check_stats.fields() {
        total.insert(name.to_string(), json!(value));
    }
    let predicates: Vec<Value> = outcome
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
        "cache_bytes": outcome.cache_bytes,
        "heap_bytes": outcome.peak_heap_bytes,
        "predicates": predicates,
    })
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
