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
];
