//! Values of variables along failing paths, for inlay hints and `dafny/counterExample`.
//!
//! Boogie names states with `assume {:captureState "…"}`; [`Captured`] puts one after every command that changes a
//! variable, named after the place of the command in the document. Values are in the terms of the language.

use crate::document::State;
use std::collections::BTreeMap;
use stet_base::{FileId, SourceMap};
use stet_dafny_verify::values::Values;
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
            let named = |span: stet_base::Span| {
                (span.file == self.file).then(|| format!("@{}", span.start))
            };
            stet_verify::capture_states(program, &named);
        }
        reading
    }
}

/// The states on the failing paths of some results, in the order of the text; of several at one place the last counts. Variables
/// that the text does not name are those of a translation.
pub(crate) fn states(
    file: FileId,
    results: &[ImplementationResult],
    is_named: &dyn Fn(&str) -> bool,
) -> Vec<State> {
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
            add(&mut found, start, error, is_named);
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
    is_named: &dyn Fn(&str) -> bool,
) {
    let Some(model) = &error.model else { return };
    let mut reader = Values::new(model);
    let mut before: Vec<(String, String)> = Vec::new();
    for (number, state) in model.states.iter().enumerate() {
        // The first state is the entry; commands of a translation may have the place of the declaration, and are shown at the error.
        let own = state.name.strip_prefix('@');
        let own = own.and_then(|offset| offset.parse().ok());
        let place = match own.filter(|place| *place != start) {
            Some(place) => place,
            None if number == 0 => start,
            None => error.span.start as usize,
        };
        let values = reader.state(state);
        for value in &values {
            if !before.contains(value) && is_named(&value.0) {
                let here = found.entry(place).or_default();
                here.retain(|(name, _)| *name != value.0);
                here.push(value.clone());
            }
        }
        before = values;
    }
}
