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
        id: "dafny/no-trigger",
        title: "a quantifier has no terms to be matched by",
        explanation: "The prover finds instances of a quantifier by terms of its body; without any it may miss those that a proof needs. `{:trigger e}` gives a term, `{:nowarn}` silences the warning.",
        example: "assert forall x: int :: x < 10 || 5 < x;",
    },
    Code {
        id: "dafny/no-body",
        title: "a loop without a body",
        explanation: "The loop is taken to change what its guard and specification mention, and to keep its invariants.",
        example: "while i < n invariant i <= n",
    },
    Code {
        id: "dafny/empty-datatype",
        title: "a datatype without values",
        explanation: "Every constructor needs a value of the datatype itself, directly or through other datatypes, so that nothing can be constructed: what is proved about its values says nothing.",
        example: "datatype Chain = Link(next: Chain)",
    },
    Code {
        id: "dafny/axiom",
        title: "a postcondition that nothing proves",
        explanation: "A function or method without a body promises something. `{:axiom}` on it says that this is meant; `--allow-axioms` silences all such warnings.",
        example: "function F(): int ensures F() == 5",
    },
    Code {
        id: "dafny/only",
        title: "other members or assertions are not verified",
        explanation: "`{:only}` on a member leaves all others of its file out; on an assertion it turns the other checks of the member into assumptions. Remove it before trusting the result.",
        example: "method {:only} M() { }",
    },
    Code {
        id: "dafny/redundant-case",
        title: "a case that nothing is left for",
        explanation: "The cases before it match every value that it matches.",
        example: "match x case _ => 1 case Nil => 0",
    },
    Code {
        id: "dafny/old",
        title: "`old` of an expression that does not depend on the state",
        explanation: "The value is the same with and without `old`.",
        example: "ensures old(x) == 3   // x is a parameter",
    },
    Code {
        id: "dafny/native-type",
        title: "the native type that a newtype fits in",
        explanation: "A hint, shown with `--show-hints`.",
        example: "newtype byte = x | 0 <= x < 256",
    },
    Code {
        id: "dafny/resolve",
        title: "a name, a type or a rule of the language is violated",
        explanation: "The program is not verified.",
        example: "method M() { x := 3; }   // x is not declared",
    },
];
