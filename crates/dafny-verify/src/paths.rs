//! Values of variables along failing paths, at the places of the text that change them.
//!
//! Boogie names states with `assume {:captureState "…"}`; [`Captured`] puts one after every command that changes a
//! variable, named after the place of the command. [`states`] reads them back from the models of errors. Values are in the terms of
//! the language.

use crate::values::Values;
use std::collections::BTreeMap;
use stet_base::{FileId, Index, SourceMap, Span};
use stet_key::Encoder;
use stet_verify::{FrontEnd, ImplementationResult, Reading, TextUse, VerificationError};

/// The values of variables at a place of a failing path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub file: FileId,
    pub place: usize,
    pub values: Vec<(String, String)>,
}

/// A front end whose programs name their states.
pub struct Captured(pub Box<dyn FrontEnd>);

impl FrontEnd for Captured {
    fn identify(&self, encoder: &mut Encoder) {
        encoder.str("captured");
        self.0.identify(encoder);
    }

    fn text_use(&self, _sources: &SourceMap, _files: &[FileId]) -> TextUse {
        TextUse::None
    }

    fn read(&mut self, sources: &SourceMap, files: &[FileId]) -> Reading {
        let mut reading = self.0.read(sources, files);
        if let Some(program) = &mut reading.program {
            let named = |span: Span| Some(format!("@{}:{}", span.file.index(), span.start));
            stet_verify::capture_states(program, &named);
        }
        reading
    }
}

type Found = BTreeMap<(FileId, usize), Vec<(String, String)>>;

/// The states on the failing paths of some results, in the order of the text; of several at one place the last counts. Variables
/// that the text does not name are those of a translation.
pub fn states(results: &[ImplementationResult], is_named: &dyn Fn(&str) -> bool) -> Vec<State> {
    let mut found = Found::new();
    for result in results {
        // One path at a time can be shown: the first that fails.
        let errors = result.errors.iter();
        let here = errors.filter(|error| error.span.file == result.span.file);
        if let Some(error) = here.min_by_key(|error| error.span.start) {
            add(&mut found, result.span, error, is_named);
        }
    }
    let states = found.into_iter();
    states
        .map(|((file, place), values)| State {
            file,
            place,
            values,
        })
        .collect()
}

fn add(
    found: &mut Found,
    declaration: Span,
    error: &VerificationError,
    is_named: &dyn Fn(&str) -> bool,
) {
    let Some(model) = &error.model else { return };
    let mut reader = Values::new(model);
    let mut before: Vec<(String, String)> = Vec::new();
    let start = (declaration.file, declaration.start as usize);
    for (number, state) in model.states.iter().enumerate() {
        // The first state is the entry; commands of a translation may have the place of the declaration, and are shown at the error.
        let place = match place_of(&state.name).filter(|place| *place != start) {
            Some(place) => place,
            None if number == 0 => start,
            None => (error.span.file, error.span.start as usize),
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

fn place_of(name: &str) -> Option<(FileId, usize)> {
    let (file, start) = name.strip_prefix('@')?.split_once(':')?;
    Some((FileId::from_index(file.parse().ok()?), start.parse().ok()?))
}
