//! The oracle of the Prolog engine: random programs, run here and by SWI-Prolog, print the same.
//!
//! [`generate`] makes programs with modules, closures, directives, exceptions, clean-up, dynamic clauses, coroutines,
//! attributed variables, cyclic terms, grammars, tabling, operators, conversions of text and numbers. Every test prints
//! one line with a label, so that each difference belongs to a goal; [`rules`] names the accepted ones. [`peer`] runs
//! all programs in one SWI-Prolog process.

pub mod generate;
pub mod peer;
mod rational;
pub mod rules;
mod templates;

use generate::Program;
use std::collections::BTreeMap;
use std::time::Duration;
use stet_run::{Config, MemoryHost, Request};

/// The time Stet has for a program.
const LIMIT: Duration = Duration::from_secs(10);

/// One line that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The label of the test.
    pub label: String,
    /// The goal as both systems were given it.
    pub goal: String,
    /// What SWI-Prolog printed.
    pub peer: String,
    /// What Stet printed.
    pub own: String,
    /// The rule that accepts the difference, if one does.
    pub rule: Option<&'static str>,
}

/// What Stet prints for a program, from files in memory; `None` if it was stopped.
pub fn own_output(program: &Program) -> Option<String> {
    let output = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let world = || -> Box<dyn stet_run::Host> {
        let mut host = MemoryHost::default();
        host.output = output.clone();
        for (name, text) in &program.files {
            host.files.insert(name.clone(), text.as_bytes().to_vec());
        }
        Box::new(host)
    };
    let budget = stet_base::Budget::unlimited().limited_to(LIMIT);
    let files = ["main.pl".to_owned()];
    let request = Request {
        config: Config {
            memory: 1 << 29,
            budget: budget.clone(),
            ..Config::standard()
        },
        ..Request::load(&files)
    };
    stet_run::run(request, &world, &mut |_| {}).ok()?;
    if budget.check().is_err() {
        return None;
    }
    let text = output.lock().map(|text| text.clone());
    text.ok()
}

/// The lines of an output by their labels. A label that comes again (a goal that is run twice) is numbered.
fn lines(text: &str) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in normalised(text).lines() {
        let label = line.split_once(": ").map(|(label, _)| label);
        let is_label = |label: &&str| {
            !label.is_empty()
                && label.len() < 12
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if let Some(label) = label.filter(is_label) {
            let mut name = label.to_owned();
            while found.contains_key(&name) {
                name.push('+');
            }
            found.insert(name.clone(), line[label.len() + 2..].to_owned());
            current = Some(name);
        } else if let Some(text) = current.as_ref().and_then(|name| found.get_mut(name))
            && !line.is_empty()
        {
            text.push('\n');
            text.push_str(line);
        }
    }
    found
}

/// All lines that differ.
pub fn differences(program: &Program, peer: &str, own: &str) -> Vec<Found> {
    let (peer, own) = (lines(peer), lines(own));
    let mut labels: Vec<&String> = peer.keys().chain(own.keys()).collect();
    labels.sort();
    labels.dedup();
    let absent = "(nothing)".to_owned();
    let throws =
        |(label, goal): &(String, String)| label.starts_with('r') && goal.contains("throw(");
    let stopped = !peer.contains_key("0") && program.goals.iter().any(throws);
    let mut found = Vec::new();
    for label in labels {
        let (theirs, ours) = (
            peer.get(label).unwrap_or(&absent),
            own.get(label).unwrap_or(&absent),
        );
        if theirs == ours {
            continue;
        }
        let name = label.trim_end_matches('+');
        let goal = program.goals.iter().find(|(known, _)| known == name);
        let goal = goal.map_or(String::new(), |(_, goal)| goal.clone());
        let difference = rules::Difference {
            goal: &goal,
            peer: theirs,
            own: ours,
            stopped,
        };
        found.push(Found {
            rule: rules::accepted(&difference).map(|rule| rule.name),
            label: label.clone(),
            peer: theirs.clone(),
            own: ours.clone(),
            goal,
        });
    }
    found
}

/// A text with the numbers of variables made alike.
fn normalised(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        let starts = c == '_' && !before.is_alphanumeric() && before != '_';
        if starts && rest.peek().is_some_and(|c| *c == 'G' || c.is_ascii_digit()) {
            while rest.peek().is_some_and(|c| c.is_alphanumeric()) {
                rest.next();
            }
            clean.push_str("_V");
            before = 'V';
            continue;
        }
        clean.push(c);
        before = c;
    }
    clean
}
