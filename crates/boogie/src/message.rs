//! Messages of the front end, in Boogie's wording.

use crate::position::{Origins, is_nowhere};
use stet_base::{SourceMap, Span};

/// Which phase speaks; decides the layout of the line and how columns count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MessageKind {
    /// A syntax error: `error:`, columns from one.
    Syntax,
    /// A malformed pragma: `error:`, column zero.
    Pragma,
    /// A resolution or type error: `Error:`, columns from zero.
    Error,
    /// A warning of resolution or type checking: `Warning:`, columns from zero.
    Warning,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Which phase speaks.
    pub kind: MessageKind,
    /// Where; absent for nodes without a place of their own.
    pub span: Option<Span>,
    /// What it says.
    pub text: String,
}

impl Message {
    /// The line Boogie prints, without line end.
    pub fn render(&self, sources: &SourceMap, origins: &Origins) -> String {
        let (file, line, column) = match self.span {
            Some(span) if !is_nowhere(span) => {
                let place = origins.place(sources, span);
                (place.file, place.line, i64::from(place.column))
            }
            _ => (String::new(), 0, 0),
        };
        let (column, word) = match self.kind {
            MessageKind::Syntax => (column, "error"),
            MessageKind::Pragma => (0, "error"),
            MessageKind::Error => (column - 1, "Error"),
            MessageKind::Warning => (column - 1, "Warning"),
        };
        format!("{file}({line},{column}): {word}: {}", self.text)
    }
}
