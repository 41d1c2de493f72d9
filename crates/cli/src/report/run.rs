//! The report of `stet run`: checks by predicate and assertion, what they cost, how many were answered from the cache, violations
//! with their terms.

use super::{Line, Page, escape};
use crate::session::Session;
use std::collections::BTreeMap;
use std::path::Path;
use stet_diag::Diagnostic;
use stet_run::checks::{CheckStats, PredicateStats, Violation};

/// What a run counted.
pub(crate) struct Counted<'c> {
    pub(crate) stats: &'c CheckStats,
    pub(crate) predicates: &'c [PredicateStats],
    pub(crate) violations: &'c [Violation],
    pub(crate) more_violations: u64,
    pub(crate) cache_bytes: usize,
    pub(crate) heap_bytes: usize,
}

/// Writes the page.
pub(crate) fn write(
    session: &mut Session,
    directory: &Path,
    counted: &Counted<'_>,
) -> Result<(), Box<Diagnostic>> {
    let mut page = Page::default();
    let violations = counted.violations.len() as u64 + counted.more_violations;
    let mut tiles = vec![(
        "violations",
        violations.to_string(),
        if violations > 0 { "bad" } else { "ok" },
    )];
    let fields = counted.stats.fields();
    let names = fields.map(|(name, _)| name.replace('_', " "));
    for (name, (_, value)) in names.iter().zip(fields) {
        if name != "violations" {
            tiles.push((name, value.to_string(), ""));
        }
    }
    tiles.push(("cache bytes", counted.cache_bytes.to_string(), ""));
    tiles.push(("heap bytes", counted.heap_bytes.to_string(), ""));
    page.tiles(&tiles);
    show_violations(&mut page, counted);
    predicates(&mut page, counted);
    sources(&mut page, counted);
    let title = match violations {
        0 => "No assertion was violated",
        _ => "Violated assertions",
    };
    let index = super::write(directory, &[("index.html", page.finish(title))])?;
    session.say(&format!("report: {}", index.display()));
    Ok(())
}

fn show_violations(page: &mut Page, counted: &Counted<'_>) {
    if counted.violations.is_empty() {
        return;
    }
    page.heading("Violations");
    let rows: Vec<Vec<String>> = counted
        .violations
        .iter()
        .map(|violation| {
            let at = match violation.place {
                Some(place) => format!(
                    "<a href=\"#{}-{1}\">{2}:{1}</a>",
                    anchor(&violation.file),
                    place.lines.0,
                    escape(&violation.file)
                ),
                None => escape(&violation.file),
            };
            vec![
                escape(&violation.predicate),
                escape(violation.kind),
                format!("<code>{}</code>", escape(&violation.required)),
                format!("<code>{}</code>", escape(&violation.actual)),
                at,
            ]
        })
        .collect();
    page.table(
        &["predicate", "in", "required", "but instead", "assertion"],
        &rows,
    );
    if counted.more_violations > 0 {
        page.paragraph(&format!("{} more are not shown.", counted.more_violations));
    }
}

fn predicates(page: &mut Page, counted: &Counted<'_>) {
    page.heading("Checks by predicate and assertion, dearest first");
    let cost = |p: &PredicateStats| p.assertions.iter().map(|a| a.visits).sum::<u64>();
    let mut all: Vec<&PredicateStats> = counted.predicates.iter().collect();
    all.sort_by_key(|p| std::cmp::Reverse(cost(p)));
    let total = all.iter().map(|p| cost(p)).sum::<u64>().max(1);
    let mut rows = Vec::new();
    for predicate in all {
        let visits = cost(predicate);
        rows.push(vec![
            format!("<b>{}</b>", escape(&predicate.predicate)),
            predicate.entries.to_string(),
            predicate.exits.to_string(),
            String::new(),
            visits.to_string(),
            format!("{:.1} %", 100.0 * visits as f64 / total as f64),
            String::new(),
            predicate.violations.to_string(),
        ]);
        for assertion in &predicate.assertions {
            let asked = assertion.visits.max(1);
            rows.push(vec![
                format!(
                    "&emsp;<a href=\"#{}-{1}\">{2}:{1}</a>",
                    anchor(&assertion.file),
                    assertion.place.lines.0,
                    escape(&assertion.file)
                ),
                String::new(),
                String::new(),
                assertion.checks.to_string(),
                assertion.visits.to_string(),
                format!("{:.1} %", 100.0 * assertion.visits as f64 / total as f64),
                format!(
                    "{} ({:.0} %)",
                    assertion.hits,
                    100.0 * assertion.hits as f64 / asked as f64
                ),
                assertion.violations.to_string(),
            ]);
        }
    }
    page.table(
        &[
            "predicate, assertion",
            "entries",
            "exits",
            "checks",
            "terms visited",
            "share",
            "cache hits",
            "violations",
        ],
        &rows,
    );
}

fn sources(page: &mut Page, counted: &Counted<'_>) {
    let mut files: BTreeMap<&str, BTreeMap<usize, Line>> = BTreeMap::new();
    for assertion in counted.predicates.iter().flat_map(|p| &p.assertions) {
        let line = files.entry(&*assertion.file).or_default();
        let line = line.entry(assertion.place.lines.0 as usize).or_default();
        line.mark = match (assertion.violations, assertion.checks) {
            (0, 0) => "",
            (0, _) => "ok",
            _ => "bad",
        };
        line.title = format!(
            "{} checks, {} violations",
            assertion.checks, assertion.violations
        );
    }
    for violation in counted.violations {
        if let Some(place) = violation.place {
            let line = files.entry(&*violation.file).or_default();
            let line = line.entry(place.lines.0 as usize).or_default();
            line.mark = "bad";
            if line.notes.len() < 5 {
                let note = format!(
                    "requires {} but instead {}",
                    violation.required, violation.actual
                );
                line.notes.push(("bad", note));
            }
        }
    }
    page.heading("Sources");
    for (file, marks) in files {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        let mut lines = vec![Line::default(); text.lines().count()];
        for (number, mark) in marks {
            if let Some(line) = lines.get_mut(number.saturating_sub(1)) {
                *line = mark;
            }
        }
        page.source(file, &anchor(file), &text, &lines);
    }
}

fn anchor(file: &str) -> String {
    let letters = file
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    letters.collect()
}
