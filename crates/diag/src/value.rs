//! The diagnostic value: what was found, where, why, and whether the verdict was cached.

use stet_base::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; never changes an exit code.
    Note,
    /// Suspicious, or something Stet did not do.
    Warning,
    /// A finding or unusable input.
    Error,
}

/// A place with a word about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    /// What is there; may be empty for the primary label, whose message is the diagnostic's.
    pub message: String,
}

/// How a verdict came about; shown with every finding (law 7: every hit is visible).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Provenance {
    /// Computed in this run.
    Computed,
    /// Reused. `recorded` is when it was first computed (seconds since 1970), where known.
    Cached {
        /// When the verdict was first computed, in seconds since 1970.
        recorded: Option<u64>,
    },
}

/// One finding, error, warning or note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable, `engine/kind`, lower case with dashes.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One line, no trailing full stop, no position.
    pub message: String,
    /// The main place; absent for matters of the command line or environment.
    pub primary: Option<Label>,
    /// Related places, in the order they should be read.
    pub related: Vec<Label>,
    /// The execution that leads to the finding, first step first; empty where there is none.
    pub path: Vec<Label>,
    /// Further lines: explanations, offending values, execution traces, advice.
    pub notes: Vec<String>,
    /// How the verdict was obtained.
    pub provenance: Provenance,
    /// The obligation it is about, under the name that the engine's account gives it; for reports that group findings.
    pub subject: Option<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning without a place.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note without a place.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity,
            message: message.into(),
            primary: None,
            related: Vec::new(),
            path: Vec::new(),
            notes: Vec::new(),
            provenance: Provenance::Computed,
            subject: None,
        }
    }

    /// With its main place.
    pub fn at(mut self, span: Span) -> Self {
        self.primary = Some(Label {
            span,
            message: String::new(),
        });
        self
    }

    /// With its main place and a word about it.
    pub fn at_with(mut self, span: Span, message: impl Into<String>) -> Self {
        self.primary = Some(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// With a related place.
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// With a further step of the execution that leads here.
    pub fn on_path(mut self, span: Span, message: impl Into<String>) -> Self {
        self.path.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// With a further line.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Marked as reused from an earlier run or snapshot.
    pub fn cached(mut self, recorded: Option<u64>) -> Self {
        self.provenance = Provenance::Cached { recorded };
        self
    }

    /// With the name of the obligation it is about.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Whether this makes a run fail.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
