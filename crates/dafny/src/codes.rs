//! The diagnostic codes of the Dafny front end.

use stet_diag::Code;

/// Every code the front end reports.
pub const CODES: &[Code] = &[
    Code {
        id: "dafny/syntax",
        title: "the text is not a Dafny program",
        explanation: "The place is where the reader could not go on.",
        example: "method M( { }",
    },
    Code {
        id: "dafny/include",
        title: "an included file cannot be read",
        explanation: "The program is not checked further.",
        example: "include \"missing.dfy\"",
    },
    Code {
        id: "dafny/deprecated",
        title: "older syntax that Dafny 4 replaced",
        explanation: "The program means what it meant; the message says how to write it now.",
        example: "function method F(): int { 3 }",
    },
    Code {
        id: "dafny/resolve",
        title: "a name, a type or a rule of the language is violated",
        explanation: "The program is not verified.",
        example: "method M() { x := 3; }   // x is not declared",
    },
];
