//! Text as LLVM 14 and LLVM 22 print it is read and computes what it says.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod common;

use common::explore_text;
use stet_explore::Config;

#[test]
fn typed_pointers_of_llvm_14() {
    let text = include_str!("../../llvm/tests/fixtures/llvm14.ll");
    let found = explore_text(text, &Config::standard());
    assert_eq!(found.exits(), [0], "{:?}", found.paths);
}

#[test]
fn records_and_flags_of_llvm_19_to_22() {
    let text = include_str!("../../llvm/tests/fixtures/llvm22.ll");
    let found = explore_text(text, &Config::standard());
    assert_eq!(found.exits(), [0], "{:?}", found.paths);
}
