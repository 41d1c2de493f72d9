//! The diagnostic codes of the verifier.

use stet_diag::Code;

/// An `assert` might not hold.
pub const ASSERTION: &str = "verify/assertion";
/// A precondition might not hold at a call.
pub const PRECONDITION: &str = "verify/precondition";
/// A postcondition might not hold at a return.
pub const POSTCONDITION: &str = "verify/postcondition";
/// A loop invariant might not hold when the loop is reached.
pub const INVARIANT_ENTRY: &str = "verify/invariant-entry";
/// A loop invariant might not be maintained.
pub const INVARIANT_MAINTAINED: &str = "verify/invariant-maintained";
/// The time limit was reached.
pub const TIME_OUT: &str = "verify/time-out";
/// The prover ran out of memory.
pub const OUT_OF_MEMORY: &str = "verify/out-of-memory";
/// The resource limit was reached.
pub const OUT_OF_RESOURCE: &str = "verify/out-of-resource";
/// The prover gave no usable answer.
pub const INCONCLUSIVE: &str = "verify/inconclusive";
/// Something has no translation.
pub const UNSUPPORTED: &str = "verify/unsupported";
/// Code that can never be reached.
pub const UNREACHABLE: &str = "verify/unreachable";
/// A recursive `:inline` function.
pub const EXPANSION_LOOP: &str = "verify/expansion-loop";
/// There is no prover.
pub const NO_PROVER: &str = "verify/no-prover";
/// A reused verdict differs from its recomputation.
pub(crate) const CACHE_MISMATCH: &str = "internal/cache-mismatch";

/// Every code `stet verify` reports about a program that passed its front end.
pub const CODES: &[Code] = &[
    Code {
        id: "verify/assertion",
        title: "an assertion might not hold",
        explanation: "The prover found no proof, and the path to a state in which the assertion seems to fail is listed. Strengthen \
            what is known there (preconditions, invariants, assertions before it), or mend the program.",
        example: "procedure P(x: int) { assert x != 7; }",
    },
    Code {
        id: "verify/precondition",
        title: "a precondition of a call might not hold",
        explanation: "The caller must establish what the callee requires; the related place is the precondition.",
        example: "procedure Q(x: int) requires x > 0; { }\nprocedure P(x: int) { call Q(x); }",
    },
    Code {
        id: "verify/postcondition",
        title: "a postcondition might not hold on return",
        explanation: "The path ends in a state in which an ensures clause of the procedure seems to fail.",
        example: "procedure P() returns (r: int) ensures r > 0; { r := 0; }",
    },
    Code {
        id: "verify/invariant-entry",
        title: "a loop invariant might not hold when the loop is reached",
        explanation: "The invariant must hold before the first iteration.",
        example: "i := 1; while (i < n) invariant i == 0; { i := i + 1; }",
    },
    Code {
        id: "verify/invariant-maintained",
        title: "a loop invariant might not be maintained by the loop",
        explanation: "Assuming the invariants and the loop condition, the body does not re-establish this invariant. It is often \
            too weak by itself: say more about the variables it mentions.",
        example: "i := 0; while (i < n) invariant i <= n; { i := i + 2; }",
    },
    Code {
        id: "verify/unsupported",
        title: "a construct is not supported",
        explanation: "What depends on it has no verdict; the run is inconclusive.",
        example: "axiom {:builtin \"unknown-function\"} …;",
    },
    Code {
        id: "verify/time-out",
        title: "no verdict within the time limit",
        explanation: "Raise `--procedure-time-limit`, split the procedure, or help the prover with assertions.",
        example: "stet verify --procedure-time-limit 1 hard.bpl",
    },
    Code {
        id: "verify/out-of-memory",
        title: "the prover ran out of memory",
        explanation: "Raise `--prover-memory`, or split the procedure.",
        example: "stet verify --prover-memory 10 hard.bpl",
    },
    Code {
        id: "verify/out-of-resource",
        title: "no verdict within the resource limit",
        explanation: "The limit of `--resource-limit` counts the prover's own steps, so that it does not depend on the machine.",
        example: "stet verify --resource-limit 1000 hard.bpl",
    },
    Code {
        id: "verify/inconclusive",
        title: "no verdict",
        explanation: "The prover gave up; the reason it gave is in the message. Nothing is stored as proved.",
        example: "stet verify nonlinear.bpl",
    },
    Code {
        id: "verify/unreachable",
        title: "code can never be reached",
        explanation: "Reported with `--smoke`: assumptions before this place contradict each other, so everything after it verifies.",
        example: "assume false; assert x == 1;",
    },
    Code {
        id: "verify/expansion-loop",
        title: "an inlined function expands for ever",
        explanation: "Functions with {:inline} that call each other are expanded once per level and then left as they are.",
        example: "function {:inline} f(x: int): int { f(x) }",
    },
    Code {
        id: "verify/no-prover",
        title: "no prover",
        explanation: "Z3 (or cvc5 with `--prover cvc5`) is searched in PATH, STET_Z3 or STET_CVC5. `stet doctor` shows what was found.",
        example: "PATH=/empty stet verify program.bpl",
    },
    Code {
        id: "verify/workers",
        title: "workers could not verify the program",
        explanation: "The server where they meet cannot be used, or an option cannot be kept by several processes.",
        example: "stet verify --workers redis://nowhere program.bpl",
    },
];
