//! `stet run` from the outside: run-time checks with their options and output, and dialogues with the top level.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "run/checks.rs"]
mod checks;
#[path = "run/dialogue.rs"]
mod dialogue;
#[path = "run/documents.rs"]
mod documents;
#[path = "run/switches.rs"]
mod switches;
#[path = "run/terminal.rs"]
mod terminal;

use expect_test::Expect;
use stet_tests::Outcome;

/// Compares a run with a snapshot.
fn check(outcome: &Outcome, expected: &Expect) {
    expected.assert_eq(&outcome.summary());
}
