//! The diagnostic codes of the Prolog engine.

use stet_diag::Code;

/// Every code `stet run` and `stet check` report.
pub const CODES: &[Code] = &[
    Code {
        id: "run/assertion",
        title: "an assertion is violated",
        explanation: "A property that an assertion demands did not hold when the predicate was called, or when it succeeded. The \
            message shows the property and the terms that violate it.",
        example: ":- pred p(X) : int(X).\n?- p(a).",
    },
    Code {
        id: "run/violations",
        title: "more violations than are shown",
        explanation: "Only the first ones are listed one by one.",
        example: "a loop that violates the same assertion in every iteration",
    },
    Code {
        id: "run/test",
        title: "a test assertion fails",
        explanation: "The call, the result and what was expected are in the message.",
        example: ":- test p(X) => (X = 1).\np(2).",
    },
    Code {
        id: "run/cache-mismatch",
        title: "a cached answer of a property check is wrong",
        explanation: "Found by `--check-cache`. This is a defect of Stet: please report it with the program.",
        example: "stet run --check-cache program.pl -g main",
    },
    Code {
        id: "run/goal-failed",
        title: "a goal failed",
        explanation: "A goal given with `-g` or an initialization goal has no solution.",
        example: "stet run program.pl -g fail",
    },
    Code {
        id: "run/exception",
        title: "an exception was not caught",
        explanation: "A goal given with `-g`, a directive or an initialization goal raised it.",
        example: "stet run program.pl -g 'X is foo'",
    },
    Code {
        id: "run/syntax",
        title: "a clause cannot be read",
        explanation: "The text is not a term, or not an assertion. The clause is left out, the rest of the file is loaded, and the exit \
                      code says that loading met an error.",
        example: "p(X) :- q(X.",
    },
    Code {
        id: "run/load",
        title: "the loader has a remark",
        explanation: "Clauses that are not together, variables that occur once, exports without a definition, and the like.",
        example: "p(X) :- q.",
    },
    Code {
        id: "run/unknown-property",
        title: "a property in an assertion does not exist",
        explanation: "The property is neither a regular type nor a predicate the module can call, or there is no such \
                      computational property. The assertion is not checked, and loading counts as failed.",
        example: ":- pred p(X) : itn(X).",
    },
    Code {
        id: "run/unknown-predicate",
        title: "an assertion is about a predicate that does not exist",
        explanation: "The module neither defines nor imports the predicate. Correct the name or the number of \
                      arguments; for code that comes from elsewhere use `trust`.",
        example: ":- pred nope(X) : int(X).",
    },
    Code {
        id: "run/unknown-package",
        title: "a package does not exist",
        explanation: "A package named in `:- module/3` or `:- use_package/1` is not known here, so what the file expects \
                      of it is missing.",
        example: ":- module(m, [], [assertoins]).",
    },
    Code {
        id: "run/unchecked-property",
        title: "a computational property is not checked",
        explanation: "The property is part of the assertion language, but nothing here decides it.",
        example: ":- pred p(X) + steps_ub(length(X)).",
    },
    Code {
        id: "run/property-exception",
        title: "a property raised an exception",
        explanation: "A property must succeed or fail. After an exception the condition is not decided: it counts neither \
                      as held nor as violated.",
        example: "prop positive/1, positive(X) :- X > 0, called with an atom",
    },
    Code {
        id: "run/refuted-assertion",
        title: "an assertion holds in no run",
        explanation: "The static analysis shows that a call violates the calls condition of its predicate whenever it is \
                      reached, or that no answer of a predicate satisfies a success condition. The message shows the \
                      abstract call: the types of its arguments.",
        example: ":- pred p(X) : int(X). p(_). q :- p(a).",
    },
];
