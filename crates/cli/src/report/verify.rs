//! The report of `stet verify`: sources with the status of every check, failing paths and values, what was reused and why not,
//! the slowest implementations, who calls whom.

use super::{Line, Page, escape};
use crate::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use stet_base::{FileId, Span};
use stet_boogie::Program;
use stet_boogie::ast::CmdKind;
use stet_dafny_verify::paths::State;
use stet_diag::Diagnostic;
use stet_verify::{Conclusion, ImplementationResult, Origin, Outcome, Verdict};

/// At most this many boxes are drawn.
const MAX_NODES: usize = 80;

/// Writes the pages; `times` says after how many seconds each result was known.
pub(crate) fn write(
    session: &mut Session,
    directory: &Path,
    outcome: &Outcome,
    times: &BTreeMap<String, f64>,
    states: &[State],
) -> Result<(), Box<Diagnostic>> {
    let mut page = Page::default();
    summary(&mut page, outcome);
    errors(session, &mut page, outcome);
    implementations(session, &mut page, outcome, times);
    graph(&mut page, outcome);
    sources(session, &mut page, outcome, states);
    let title = match outcome.statistics.errors {
        0 if outcome.is_complete() => "Verified",
        0 => "Not all of it was verified",
        _ => "Verification errors",
    };
    let index = super::write(directory, &[("index.html", page.finish(title))])?;
    session.say(&format!("report: {}", index.display()));
    Ok(())
}

fn summary(page: &mut Page, outcome: &Outcome) {
    let counts = &outcome.statistics;
    let class = |n: usize, class: &'static str| if n > 0 { class } else { "" };
    page.tiles(&[
        ("verified", counts.verified.to_string(), "ok"),
        (
            "errors",
            counts.errors.to_string(),
            class(counts.errors, "bad"),
        ),
        (
            "undecided",
            counts.undecided.to_string(),
            class(counts.undecided, "warn"),
        ),
        ("checks solved", counts.solved.to_string(), ""),
        ("checks reused", counts.cached.to_string(), ""),
        ("partly reused", counts.partial.to_string(), ""),
        ("errors recycled", counts.recycled.to_string(), ""),
    ]);
    for left in &outcome.left_out {
        let why = conclusion(&left.why);
        page.paragraph(&format!(
            "Not decided: {} ({why})",
            shown(&left.implementation)
        ));
    }
}

fn errors(session: &Session, page: &mut Page, outcome: &Outcome) {
    let all = outcome.diagnostics.iter();
    let findings: Vec<&Diagnostic> = all.filter(|d| d.primary.is_some()).collect();
    if findings.is_empty() {
        return;
    }
    page.heading("Findings");
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|d| {
            let at = d.primary.as_ref().map_or_else(String::new, |label| {
                let place = session.sources.start_of(label.span);
                let name = session.sources.file(label.span.file).name();
                format!(
                    "<a href=\"#{}-{}\">{}:{}</a>",
                    anchor(label.span.file),
                    place.line,
                    escape(name),
                    place.line
                )
            });
            vec![
                at,
                escape(&d.message),
                format!("<code>{}</code>", escape(d.code)),
            ]
        })
        .collect();
    page.table(&["place", "what", "code"], &rows);
}

fn implementations(
    session: &Session,
    page: &mut Page,
    outcome: &Outcome,
    times: &BTreeMap<String, f64>,
) {
    page.heading("Implementations, slowest first");
    let mut results: Vec<&ImplementationResult> = outcome.verdicts.iter().collect();
    let after = |result: &ImplementationResult| times.get(&result.name).copied().unwrap_or(0.0);
    // the slowest first, then in the order in which they were known
    results.sort_by(|a, b| {
        let times = b.time.cmp(&a.time);
        times.then_with(|| after(b).total_cmp(&after(a)))
    });
    let rows: Vec<Vec<String>> = results
        .iter()
        .map(|result| {
            let place = session.sources.start_of(result.span);
            let (word, class) = match result.conclusion {
                Conclusion::Verified => ("verified", "ok"),
                Conclusion::Errors => ("errors", "bad"),
                _ => (conclusion(&result.conclusion), "warn"),
            };
            let reused = result.obligations.len() - result.count(Origin::Solved);
            let since = result.recorded.filter(|_| result.cached);
            let why = match since {
                Some(at) => format!("reused, recorded {}", stet_diag::utc(at)),
                None => why_asked(result).to_owned(),
            };
            vec![
                format!(
                    "<a href=\"#{}-{}\">{}</a>",
                    anchor(result.span.file),
                    place.line,
                    escape(&titled(&result.name))
                ),
                format!("<span class=\"{class}\">{word}</span>"),
                result.obligations.len().to_string(),
                reused.to_string(),
                match result.time.is_zero() {
                    true => String::new(),
                    false => format!("{:.2} s", result.time.as_secs_f64()),
                },
                format!("{:.2} s", after(result)),
                why,
            ]
        })
        .collect();
    page.table(
        &[
            "name",
            "verdict",
            "checks",
            "reused",
            "prover",
            "known after",
            "why",
        ],
        &rows,
    );
    page.raw(
        "<p><code>stet cache why NAME</code> names the first part of a key that differed.</p>",
    );
}

fn why_asked(result: &ImplementationResult) -> &'static str {
    match result.priority {
        stet_verify::Priority::Highest => "nothing it depends on changed",
        stet_verify::Priority::High => "asked: new to the store",
        stet_verify::Priority::Medium => "asked: its text or specification changed",
        stet_verify::Priority::Low => "asked: something it depends on changed",
    }
}

fn conclusion(conclusion: &Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Verified => "verified",
        Conclusion::Errors => "errors",
        Conclusion::TimedOut => "time limit reached",
        Conclusion::OutOfMemory => "the prover ran out of memory",
        Conclusion::OutOfResource => "resource limit reached",
        Conclusion::Inconclusive(_) => "inconclusive",
        Conclusion::Cancelled => "interrupted",
        Conclusion::Unsupported { .. } => "not supported",
    }
}

/// A name of a translated program as its source has it.
fn shown(name: &str) -> &str {
    ["$Impl.", "$Wf.", "$Call.", "$Shown."]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}

/// A name, and which part of the declaration is verified if that is not its body.
fn titled(name: &str) -> String {
    match name.starts_with("$Wf.") {
        true => format!("{} (specification)", shown(name)),
        false => shown(name).to_owned(),
    }
}

fn anchor(file: FileId) -> String {
    format!("f{file:?}")
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

/// Sources: every check marks its line, every finding stands below it.
fn sources(session: &Session, page: &mut Page, outcome: &Outcome, states: &[State]) {
    let mut files: BTreeMap<FileId, Vec<Line>> = BTreeMap::new();
    for result in &outcome.verdicts {
        for check in result.obligations.iter().filter(|o| !is_nowhere(o.span)) {
            let line = line(session, &mut files, check.span);
            let mark = match check.verdict {
                Verdict::Verified => "ok",
                Verdict::Failed => "bad",
                Verdict::Unknown => "warn",
            };
            if rank(mark) > rank(line.mark) {
                line.mark = mark;
            }
            if !line.title.is_empty() {
                line.title.push('\n');
            }
            let (verdict, origin) = (check.verdict.name(), check.origin.name());
            line.title += &format!("{}: {verdict}, {origin}", shown(&result.name));
        }
    }
    for diagnostic in &outcome.diagnostics {
        let Some(label) = diagnostic.primary.as_ref().filter(|l| !is_nowhere(l.span)) else {
            continue;
        };
        let class = if diagnostic.is_error() { "bad" } else { "warn" };
        let mut text = diagnostic.message.clone();
        for (step, label) in diagnostic.path.iter().enumerate() {
            let at = session.sources.start_of(label.span).line;
            text += &format!("\npath {}: line {at} {}", step + 1, label.message);
        }
        for note in &diagnostic.notes {
            text += &format!("\n{note}");
        }
        let target = line(session, &mut files, label.span);
        target.notes.push((class, text));
        if rank(class) > rank(target.mark) {
            target.mark = class;
        }
        for related in diagnostic.related.iter().filter(|l| !is_nowhere(l.span)) {
            let note = format!(
                "{} (see line {})",
                related.message,
                session.sources.start_of(label.span).line
            );
            line(session, &mut files, related.span)
                .notes
                .push((class, note));
        }
    }
    for state in states {
        let at = Span {
            file: state.file,
            start: state.place as u32,
            end: state.place as u32,
        };
        let values = state.values.iter();
        let values: Vec<String> = values.map(|(name, v)| format!("{name} = {v}")).collect();
        let note = format!("on a failing path: {}", values.join(", "));
        line(session, &mut files, at).notes.push(("", note));
    }
    page.heading("Sources");
    for (file, lines) in &files {
        let source = session.sources.file(*file);
        page.source(source.name(), &anchor(*file), source.text(), lines);
    }
}

/// How bad a mark is.
fn rank(mark: &str) -> Option<usize> {
    ["", "ok", "warn", "bad"].iter().position(|m| *m == mark)
}

fn is_nowhere(span: Span) -> bool {
    stet_boogie::is_nowhere(span)
}

fn line<'l>(
    session: &Session,
    files: &'l mut BTreeMap<FileId, Vec<Line>>,
    span: Span,
) -> &'l mut Line {
    let number = session.sources.start_of(span).line as usize;
    let lines = files.entry(span.file).or_default();
    if lines.len() < number {
        lines.resize(number, Line::default());
    }
    &mut lines[number.saturating_sub(1)]
}

/// Who calls whom, drawn in columns: a procedure stands to the right of its callers.
fn graph(page: &mut Page, outcome: &Outcome) {
    page.heading("Calls");
    let Some(program) = &outcome.program else {
        page.paragraph("The verdicts of the whole text were reused, so it was not read; --cache off draws the calls.");
        return;
    };
    let calls = calls(program);
    if calls.is_empty() {
        page.paragraph("No procedure calls another.");
        return;
    }
    let mut names: Vec<&String> = calls.iter().flat_map(|(a, b)| [a, b]).collect();
    names.sort();
    names.dedup();
    if names.len() <= MAX_NODES {
        let class = |result: &ImplementationResult| match result.conclusion {
            Conclusion::Verified => "ok",
            Conclusion::Errors => "bad",
            _ => "warn",
        };
        // A declaration can have several implementations; the worst counts.
        let verdict = |name: &str| {
            let of = outcome.verdicts.iter().filter(|r| shown(&r.name) == name);
            of.map(class).max_by_key(|class| rank(class))
        };
        page.raw(&drawing(&names, &calls, &verdict));
    }
    let rows: Vec<Vec<String>> = names
        .iter()
        .filter_map(|name| {
            let called = calls.iter().filter(|(a, _)| a == *name);
            let called: Vec<String> = called.map(|(_, b)| escape(b)).collect();
            (!called.is_empty()).then(|| vec![escape(name), called.join(", ")])
        })
        .collect();
    page.table(&["procedure", "calls"], &rows);
}

fn calls(program: &Program) -> BTreeSet<(String, String)> {
    let mut calls = BTreeSet::new();
    for (_, imp) in program.impls.iter() {
        let from = shown(program.name(imp.name)).to_owned();
        for &cmd in imp.blocks.iter().flat_map(|block| &block.cmds) {
            if let CmdKind::Call(call) = &program.cmds[cmd].kind {
                let to = shown(program.name(call.name)).to_owned();
                if from != to {
                    calls.insert((from.clone(), to));
                }
            }
        }
    }
    calls
}

fn drawing(
    names: &[&String],
    calls: &BTreeSet<(String, String)>,
    verdict: &dyn Fn(&str) -> Option<&'static str>,
) -> String {
    let number = |name: &String| names.iter().position(|n| *n == name).unwrap_or(0);
    let edges: Vec<(usize, usize)> = calls.iter().map(|(a, b)| (number(a), number(b))).collect();
    let mut column = vec![0usize; names.len()];
    // As many rounds as there are nodes: recursion cannot push columns for ever.
    for _ in 0..names.len() {
        for &(a, b) in &edges {
            if column[b] <= column[a] && column[a] + 1 < names.len().min(12) {
                column[b] = column[a] + 1;
            }
        }
    }
    let mut rows = vec![0usize; names.len() + 12];
    let places: Vec<(usize, usize)> = (0..names.len())
        .map(|n| {
            let row = rows[column[n]];
            rows[column[n]] += 1;
            (20 + column[n] * 220, 20 + row * 44)
        })
        .collect();
    let width = places.iter().map(|p| p.0).max().unwrap_or(0) + 200;
    let height = places.iter().map(|p| p.1).max().unwrap_or(0) + 50;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"who calls whom\">"
    );
    for (a, b) in edges {
        let ((x, y), (u, v)) = (places[a], places[b]);
        let (x, y, v) = (x + 170, y + 14, v + 14);
        let (m, n) = (x + 30, u.saturating_sub(30));
        svg += &format!("<path class=\"edge\" d=\"M{x} {y} C{m} {y} {n} {v} {u} {v}\"/>");
    }
    for (name, (x, y)) in names.iter().zip(&places) {
        let class = verdict(name).unwrap_or("");
        let short: String = name.chars().take(22).collect();
        svg += &format!(
            "<rect class=\"node {class}\" x=\"{x}\" y=\"{y}\" width=\"170\" height=\"28\" rx=\"5\"/><text x=\"{}\" y=\"{}\">{}</text>",
            x + 8,
            y + 19,
            escape(&short)
        );
    }
    svg + "</svg>"
}
