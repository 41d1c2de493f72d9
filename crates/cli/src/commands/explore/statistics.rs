//! The totals of an exploration, as text and JSON.

use super::Voice;
use super::collect::Totals;
use crate::session::Session;
use serde_json::{Map, Value, json};
use stet_explore::{Halt, LeftOut, Summary};

/// Prints the totals and keeps them for the JSON report.
pub(super) fn publish(
    session: &mut Session,
    program: &str,
    summary: &Summary,
    totals: &Totals,
    voice: Voice,
) {
    let progress = &summary.progress;
    let queries = &progress.queries;
    let mut counters = Map::new();
    for (name, value) in queries.counters() {
        counters.insert(name.to_owned(), json!(value));
    }
    let mut times = Map::new();
    for (name, time) in queries.times() {
        times.insert(name.to_owned(), json!(time.as_secs_f64()));
    }
    let complete = is_complete(summary, totals);
    session.set_statistics(json!({
        "instructions": progress.instructions,
        "paths": progress.paths,
        "forks": progress.forks,
        "dropped_states": progress.dropped,
        "peak_states": progress.peak_states,
        "objects": progress.objects,
        "blocks": { "covered": progress.covered.0, "known": progress.covered.1 },
        "covered_instructions": { "covered": progress.covered_instructions.0, "known": progress.covered_instructions.1 },
        "seconds": totals.seconds,
        "queries": Value::Object(counters),
        "query_seconds": Value::Object(times),
    }));
    session.set_result(json!({
        "program": program,
        "complete": complete,
        "ended": match &summary.halt {
            Halt::Complete if complete => "all paths were explored".to_owned(),
            Halt::Complete => "something was left out".to_owned(),
            Halt::Limit(reason) => reason.clone(),
            Halt::Interrupted => "interrupted".to_owned(),
        },
        "paths": { "ended": progress.paths, "normally": totals.exits, "in_errors": totals.errors,
                   "unsupported": totals.unsupported, "undecided": totals.unknown, "dropped": progress.dropped },
        "findings": totals.findings,
        "findings_by_kind": totals.by_kind,
        "tests": totals.tests,
        "left_out": summary.left_out.iter().map(entry).collect::<Vec<Value>>(),
    }));
    if voice == Voice::Stet {
        say(session, summary, totals);
    }
}

/// Whether all paths were explored and everything about them was written.
pub(super) fn is_complete(summary: &Summary, totals: &Totals) -> bool {
    summary.is_complete() && !totals.is_incomplete
}

fn entry(left_out: &LeftOut) -> Value {
    json!({
        "kind": left_out.kind.name(),
        "what": left_out.what,
        "file": left_out.place.file,
        "line": left_out.place.line,
        "function": left_out.place.function,
        "count": left_out.count,
    })
}

/// At most this many entries are printed; JSON has all.
const SHOWN: usize = 20;

fn say_left_out(session: &Session, summary: &Summary) {
    for entry in summary.left_out.iter().take(SHOWN) {
        let place = match entry.place.function.is_empty() {
            true => String::new(),
            false => format!(" in {}", entry.place),
        };
        session.say(&format!(
            "left out ({}, {} times): {}{place}",
            entry.kind.name(),
            entry.count,
            entry.what
        ));
    }
    let rest = summary.left_out.len().saturating_sub(SHOWN);
    if rest > 0 {
        session.say(&format!(
            "left out: {rest} further things, see --format json"
        ));
    }
}

fn say(session: &Session, summary: &Summary, totals: &Totals) {
    let progress = &summary.progress;
    let queries = &progress.queries;
    let rate = progress.instructions as f64 / totals.seconds.max(1e-3) / 1e6;
    let ended = match &summary.halt {
        Halt::Complete if summary.is_complete() => "all paths explored".to_owned(),
        Halt::Complete => "incomplete, something was left out".to_owned(),
        Halt::Limit(reason) => format!("stopped: {reason}"),
        Halt::Interrupted => "interrupted".to_owned(),
    };
    session.say(&format!(
        "{ended}: {} paths ({} normal, {} errors, {} unsupported, {} undecided), {} states dropped, {} findings",
        progress.paths, totals.exits, totals.errors, totals.unsupported, totals.unknown, progress.dropped, totals.findings
    ));
    say_left_out(session, summary);
    session.say(&format!(
        "{} instructions in {:.2} s ({rate:.1} M/s), {} forks, {}/{} blocks covered",
        progress.instructions,
        totals.seconds,
        progress.forks,
        progress.covered.0,
        progress.covered.1
    ));
    session.say(&format!(
        "{} queries: {} by simplification, {} by the path's witness; base cache {}/{}, address-aware {}/{}, \
         counter-examples {}/{}, store {}/{}, solver {} ({:.2} s)",
        queries.total,
        queries.trivial,
        queries.by_witness,
        queries.base.answered,
        queries.base.asked,
        queries.aware.answered,
        queries.aware.asked,
        queries.counterexample.answered,
        queries.counterexample.asked,
        queries.store.answered,
        queries.store.asked,
        queries.solver_queries(),
        queries.solver.time.as_secs_f64()
    ));
    session.say_verbose(&format!(
        "C1 {} of the program, C2 {} to the cache, C3 {} address-dependent; {} base entries, {} address-aware entries",
        queries.of_program, queries.passed_to_cache, queries.address_dependent, queries.base_entries, queries.aware_entries
    ));
}
