//! The conventions of the command line: help, usage errors, formats, settings, the store, signals.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "cli/cache.rs"]
mod cache;
#[path = "cli/config.rs"]
mod config;
#[path = "cli/exit_codes.rs"]
mod exit_codes;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/input.rs"]
mod input;
#[path = "cli/process.rs"]
mod process;
#[path = "../../crates/diag/src/tests/schema.rs"]
mod schema;

use expect_test::Expect;
use stet_tests::Outcome;

/// Compares a run with a snapshot.
fn check(outcome: &Outcome, expected: &Expect) {
    expected.assert_eq(&outcome.summary());
}
