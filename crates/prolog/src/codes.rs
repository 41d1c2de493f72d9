//! The diagnostic codes of the Prolog reader.

use stet_diag::Code;

/// Every code the reader reports.
pub const CODES: &[Code] = &[Code {
    id: "prolog/syntax",
    title: "the text is not a Prolog clause",
    explanation: "The clause is skipped, the file does not count as loaded, and the exit code is not 0.",
    example: "p(X :- q(X).",
}];
