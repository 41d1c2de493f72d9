//! Values of variables along failing paths, for inlay hints and `dafny/counterExample`.
//!
//! Boogie names states with `assume {:captureState "…"}`; [`Captured`] puts one after every command that changes a
//! variable, named after the place of the command in the document. Only values a reader can make sense of are kept.

use crate::document::State;
use std::collections::BTreeMap;
use stet_base::{FileId, SourceMap};
use stet_boogie::Program;
use stet_boogie::ast::{AttrParam, Attribute, Attributes, Cmd, CmdKind, ExprKind};
use stet_key::Encoder;
use stet_verify::{FrontEnd, ImplementationResult, Reading, TextUse, VerificationError};

/// A front end whose programs name the state after every command.
pub(crate) struct Captured {
    pub(crate) inner: Box<dyn FrontEnd>,
    pub(crate) file: FileId,
}

impl FrontEnd for Captured {
    fn identify(&self, encoder: &mut Encoder) {
        encoder.str("captured");
        self.inner.identify(encoder);
    }

    fn text_use(&self, _sources: &SourceMap, _files: &[FileId]) -> TextUse {
        TextUse::None
    }

    fn read(&mut self, sources: &SourceMap, files: &[FileId]) -> Reading {
        let mut reading = self.inner.read(sources, files);
        if let Some(program) = &mut reading.program {
            capture(program, self.file);
        }
        reading
    }
}

fn capture(program: &mut Program, file: FileId) {
    let key = program.names.intern("captureState");
    let bool_type = program.types.bool();
    for imp in program.impls.ids().collect::<Vec<_>>() {
        let mut blocks = std::mem::take(&mut program.impls[imp].blocks);
        for block in &mut blocks {
            let mut cmds = Vec::with_capacity(block.cmds.len());
            for &id in &block.cmds {
                cmds.push(id);
                let Cmd { span, kind, .. } = &program.cmds[id];
                let changes = matches!(
                    kind,
                    CmdKind::Assign { .. } | CmdKind::Havoc(_) | CmdKind::Call(_)
                );
                let span = *span;
                if !changes || span.file != file || stet_boogie::is_nowhere(span) {
                    continue;
                }
                let yes = program.add_expr(span, ExprKind::Bool(true), Some(bool_type));
                let name = AttrParam::Str(format!("@{}", span.start).into());
                let mark = Attribute {
                    span,
                    key,
                    params: vec![name],
                };
                cmds.push(program.cmds.push(Cmd {
                    span,
                    kind: CmdKind::Assume(yes),
                    attrs: Attributes(vec![mark]),
                }));
            }
            block.cmds = cmds;
        }
        program.impls[imp].blocks = blocks;
    }
}

/// The states on the failing paths of some results, in the order of the text; of several at one place the last counts.
pub(crate) fn states(file: FileId, results: &[ImplementationResult]) -> Vec<State> {
    let mut found: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    for result in results {
        let errors = result.errors.iter().filter(|e| e.span.file == file);
        // One path at a time can be shown: the first that fails.
        if let Some(error) = errors.min_by_key(|error| error.span.start) {
            let start = if result.span.file == file {
                result.span.start as usize
            } else {
                continue;
            };
            add(&mut found, start, error);
        }
    }
    let states = found.into_iter();
    states
        .map(|(place, values)| State { place, values })
        .collect()
}

fn add(
    found: &mut BTreeMap<usize, Vec<(String, String)>>,
    start: usize,
    error: &VerificationError,
) {
    let Some(model) = &error.model else { return };
    let mut before: Vec<(String, String)> = Vec::new();
    for state in &model.states {
        let place = match state.name.strip_prefix('@') {
            Some(offset) => offset.parse().unwrap_or(start),
            None => start,
        };
        let all = state.values.iter();
        let values: Vec<(String, String)> = all.filter_map(|(n, v)| readable(n, v)).collect();
        let is_new = |value: &&(String, String)| !before.contains(value);
        let changed: Vec<_> = values.iter().filter(is_new).cloned().collect();
        if !changed.is_empty() {
            found.insert(place, changed);
        }
        before = values;
    }
}

/// A variable as the source calls it with its value, if both mean something to a reader.
fn readable(name: &str, value: &str) -> Option<(String, String)> {
    let plain = name.split(['#', '@']).next().unwrap_or(name);
    let is_name = plain
        .chars()
        .all(|c| c.is_alphanumeric() || "_'?".contains(c))
        && plain.starts_with(|c: char| c.is_alphabetic());
    let is_value = value.len() <= 40
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-.'".contains(c));
    (is_name && is_value).then(|| (plain.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn only_values_that_mean_something_are_shown() {
        let shown = |n: &str, v: &str| readable(n, v).map(|(n, v)| format!("{n}={v}"));
        assert_eq!(shown("x#1", "-3").as_deref(), Some("x=-3"));
        assert_eq!(shown("b", "true").as_deref(), Some("b=true"));
        assert_eq!(shown("$Heap", "3"), None);
        assert_eq!(shown("q", "T@U!val!3"), None);
        assert_eq!(shown("s", "(seq 1)"), None);
    }
}
