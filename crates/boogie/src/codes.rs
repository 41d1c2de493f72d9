//! The diagnostic codes of the Boogie front end.

use stet_diag::Code;

/// The text is not a Boogie program.
pub const SYNTAX: &str = "boogie/syntax";
/// A line that begins with `#` is not one Boogie knows.
pub const PRAGMA: &str = "boogie/pragma";
/// A name is unknown, ambiguous, or used as something it is not.
pub const RESOLUTION: &str = "boogie/resolution";
/// Types do not fit.
pub const TYPE: &str = "boogie/type";

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
    Code {
        id: "boogie/pragma",
        title: "a line that begins with # is not understood",
        explanation: "Boogie knows `#line NUMBER [FILE]`, `#if NAME`, `#elsif NAME`, `#else` and `#endif`; any other line that begins \
            with `#` is an error.",
        example: "#lin 5 \"original.dfy\"",
    },
];
