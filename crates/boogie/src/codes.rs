//! The diagnostic codes of the Boogie front end.

use stet_diag::Code;

/// Every code the front end reports.
pub const CODES: &[Code] = &[
    Code {
        id: "boogie/syntax",
        title: "the text is not a Boogie program",
        explanation: "The place is where the reader could not go on.",
        example: "procedure P( { }",
    },
    Code {
        id: "boogie/resolution",
        title: "a name is undeclared, declared twice or out of place",
        explanation: "Names are resolved over all files given together.",
        example: "procedure P() { x := 1; }   // x is not declared",
    },
    Code {
        id: "boogie/type",
        title: "an expression or command has the wrong type",
        explanation: "Types are checked after names are resolved; nothing is verified in a program with type errors.",
        example: "procedure P() { assert 1; }",
    },
];
