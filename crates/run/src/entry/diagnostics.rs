//! The findings of a run as diagnostics with places in source files.
//!
//! Files are read again through the host: a place is left out if the file is no longer what was loaded.

use super::Run;
use crate::checks::{LoadProblem, SourceRange, Violation};
use crate::load::LoadMessage;
use crate::machine::Machine;
use stet_base::{FileId, SourceMap, Span};
use stet_diag::Diagnostic;

impl Run<'_> {
    /// Everything that went wrong, in the order: loading, assertions, goals, violations.
    pub(super) fn diagnostics(&mut self, sources: &mut SourceMap) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let messages = std::mem::take(&mut self.machine.loader.files.messages);
        let problems = self.machine.load_problems().to_vec();
        let violations = self.machine.violations().to_vec();
        let mut places = Places {
            machine: &mut self.machine,
            sources,
        };
        found.extend(messages.iter().map(|message| places.message(message)));
        found.extend(problems.iter().map(|problem| places.problem(problem)));
        for failed in &self.failed {
            found.push(match &failed.exception {
                Some(message) => of_lines(Diagnostic::error, "run/exception", message)
                    .with_note(format!("goal: {}", failed.goal)),
                None => Diagnostic::error(
                    "run/goal-failed",
                    format!("the goal failed: {}", failed.goal),
                ),
            });
        }
        // A violation during a test is why that test failed.
        let shown = self
            .tests
            .as_ref()
            .map_or(usize::MAX, |run| run.violations_before);
        let shown = violations.iter().take(shown);
        found.extend(shown.map(|violation| places.violation(violation)));
        for test in self.tests.iter().flat_map(|run| &run.results) {
            found.extend(places.test(test));
        }
        found
    }
}

struct Places<'a> {
    machine: &'a mut Machine,
    sources: &'a mut SourceMap,
}

impl Places<'_> {
    /// A message of the loader: its place is a line.
    fn message(&mut self, message: &LoadMessage) -> Diagnostic {
        let severity = match message.error {
            true => Diagnostic::error,
            false => Diagnostic::warning,
        };
        let found = of_lines(severity, message.code, &message.text);
        let Some((file, line, column)) = &message.place else {
            return found;
        };
        match self.line(file, *line, *column) {
            Some(span) => found.at(span),
            None => found.with_note(format!("at {file}:{line}")),
        }
    }

    fn problem(&mut self, problem: &LoadProblem) -> Diagnostic {
        let found = match problem.error {
            true => Diagnostic::error(problem.code, problem.message.clone()),
            false => Diagnostic::warning(problem.code, problem.message.clone()),
        };
        let place = problem.place;
        match place.and_then(|place| self.span(&problem.file, place)) {
            Some(span) => found.at(span),
            None => found,
        }
    }

    fn violation(&mut self, violation: &Violation) -> Diagnostic {
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
        let file = &violation.file;
        if let Some(place) = violation.place {
            found = match self.span(file, place) {
                Some(span) => found.at_with(span, "this assertion"),
                None => found.with_note(format!("assertion: {}", named(file, place))),
            }
        }
        if let Some(place) = violation.clause_place {
            found = match self.span(file, place) {
                Some(span) => found.related(span, "the clauses"),
                None => found.with_note(format!("clauses: {}", named(file, place))),
            }
        }
        found
    }

    /// A test that failed.
    fn test(&mut self, test: &crate::checks::TestResult) -> Option<Diagnostic> {
        let why = match &test.verdict {
            crate::checks::TestVerdict::Failed(why) => why,
            _ => return None,
        };
        let title = test.title();
        let found = Diagnostic::error("run/test", format!("{title}: {why}")).about(title);
        Some(match self.span(&test.file, test.place) {
            Some(span) => found.at(span),
            None => found,
        })
    }

    /// The place in the file as it is now; `None` if that is no more what was loaded.
    fn span(&mut self, file: &str, place: SourceRange) -> Option<Span> {
        let id = self.source(file)?;
        let (start, end) = place.bytes;
        self.sources
            .file(id)
            .text()
            .get(start as usize..end as usize)?;
        Some(Span {
            file: id,
            start,
            end,
        })
    }

    /// A line of a file, from a column on if there is one.
    fn line(&mut self, file: &str, line: u32, column: Option<u32>) -> Option<Span> {
        let id = self.source(file)?;
        let text = self.sources.file(id).text();
        let mut start = 0;
        for _ in 1..line {
            start += text[start..].find('\n')? + 1;
        }
        let end = text[start..]
            .find('\n')
            .map_or(text.len(), |found| start + found);
        let skipped = column.map_or(0, |column| column.saturating_sub(1) as usize);
        let from = text[start..end]
            .char_indices()
            .nth(skipped)
            .map_or(start, |(at, _)| start + at);
        Some(Span {
            file: id,
            start: u32::try_from(from).ok()?,
            end: u32::try_from(end).ok()?,
        })
    }

    /// The file among the sources, read if it is not there yet.
    fn source(&mut self, file: &str) -> Option<FileId> {
        let known = self.sources.iter().find(|(_, f)| f.name() == file);
        if let Some((id, _)) = known {
            return Some(id);
        }
        let bytes = self.machine.io.host.read_file(file).ok()?;
        self.sources.add(file, String::from_utf8(bytes).ok()?)
    }
}

/// A diagnostic whose message is one line; what follows becomes notes.
fn of_lines(
    severity: fn(&'static str, String) -> Diagnostic,
    code: &'static str,
    text: &str,
) -> Diagnostic {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(severity(code, first), |found, line| {
        found.with_note(line.to_owned())
    })
}

fn named(file: &str, place: SourceRange) -> String {
    format!("{file}, lns {}-{}", place.lines.0, place.lines.1)
}
