//! Front ends: from the text of files, or from nothing but memory, to a typed Boogie program.
//!
//! [`Boogie`] reads Boogie text. [`Tree`] hands over a program that another front end built in memory, with spans in that
//! language's files; `{:msg "…"}` on a check gives the words of its failure, and [`FrontEnd::describe`] may replace the
//! diagnostic as a whole.

use crate::report;
use crate::result::{ImplementationResult, VerificationError};
use stet_base::{FileId, SourceMap};
use stet_boogie::Program;
use stet_diag::Diagnostic;
use stet_key::Encoder;

/// What reading gave: a program unless something is wrong with it, and what there is to say.
#[derive(Debug, Default)]
pub struct Reading {
    /// The typed program.
    pub program: Option<Program>,
    /// Errors and warnings; with an error there is no program.
    pub diagnostics: Vec<Diagnostic>,
}

/// How the engine may recognise a text it has seen before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextUse {
    /// Not at all: the program does not depend on text alone, or reading it has effects.
    None,
    /// As a whole: the program is a function of the texts, byte by byte.
    Whole,
    /// As Boogie text: without its layout, and body by body.
    Boogie,
}

/// Reads programs of one language.
pub trait FrontEnd: Send {
    /// Writes the name of the language and every option of the front end that a program depends on. It enters the keys of
    /// results by text, beside the running build of Stet.
    fn identify(&self, encoder: &mut Encoder);

    /// How these texts may be recognised.
    fn text_use(&self, sources: &SourceMap, files: &[FileId]) -> TextUse;

    /// Reads the files. Called at most once per call of the engine, and not if the results are known by the texts.
    fn read(&mut self, sources: &SourceMap, files: &[FileId]) -> Reading;

    /// The diagnostic of an error, in the words of the language.
    fn describe(&self, result: &ImplementationResult, error: &VerificationError) -> Diagnostic {
        report::error(result, error)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Boogie;

impl FrontEnd for Boogie {
    fn identify(&self, encoder: &mut Encoder) {
        encoder.str("boogie");
    }

    fn text_use(&self, sources: &SourceMap, files: &[FileId]) -> TextUse {
        boogie_text(sources, files)
    }

    fn read(&mut self, sources: &SourceMap, files: &[FileId]) -> Reading {
        let mut program = Program::default();
        let mut reading = Reading::default();
        for &file in files {
            let found = stet_boogie::parse(&mut program, sources, file, &[]);
            reading.diagnostics.extend(found);
        }
        if reading.has_errors() {
            return reading;
        }
        let (resolved, found) = stet_boogie::resolve(&mut program);
        reading.diagnostics.extend(found);
        if reading.has_errors() {
            return reading;
        }
        let found = stet_boogie::typecheck(&mut program, resolved);
        reading.diagnostics.extend(found);
        if !reading.has_errors() {
            reading.program = Some(program);
        }
        reading
    }
}

/// How Boogie text may be recognised: not if it has lines like `#line`, as what they say is not kept with results.
pub fn boogie_text(sources: &SourceMap, files: &[FileId]) -> TextUse {
    let has_pragma = |&id: &FileId| {
        let text = sources.file(id).text();
        text.starts_with('#') || text.contains("\n#")
    };
    if files.iter().any(has_pragma) {
        return TextUse::None;
    }
    TextUse::Boogie
}

impl Reading {
    /// Whether there is an error among the diagnostics.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Words for an error, from the result it belongs to.
type Describe = dyn Fn(&ImplementationResult, &VerificationError) -> Diagnostic + Send;

/// A typed program that is in memory already; resolution and types are the caller's business
/// ([`stet_boogie::resolve`], [`stet_boogie::typecheck`]).
pub struct Tree {
    program: Option<Program>,
    describe: Box<Describe>,
}

impl Tree {
    /// A program whose errors are described in Boogie's terms, or by `{:msg "…"}`.
    pub fn new(program: Program) -> Tree {
        Tree::described(program, Box::new(report::error))
    }

    /// A program with its own words for errors.
    pub fn described(program: Program, describe: Box<Describe>) -> Tree {
        Tree {
            program: Some(program),
            describe,
        }
    }
}

impl FrontEnd for Tree {
    fn identify(&self, encoder: &mut Encoder) {
        encoder.str("tree");
    }

    fn text_use(&self, _sources: &SourceMap, _files: &[FileId]) -> TextUse {
        TextUse::None
    }

    fn read(&mut self, _sources: &SourceMap, _files: &[FileId]) -> Reading {
        Reading {
            program: self.program.take(),
            diagnostics: Vec::new(),
        }
    }

    fn describe(&self, result: &ImplementationResult, error: &VerificationError) -> Diagnostic {
        (self.describe)(result, error)
    }
}
