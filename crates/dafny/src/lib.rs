//! Dafny text to a resolved, typed program.
//!
//! [`tree`] is the data model the translator reads; [`check`] is the one entry: sources in, tree and diagnostics out.

mod advice;
mod ast;
mod check;
pub mod codes;
mod library;
mod native;
mod parse;
mod resolve;
mod rewrite;
pub mod tree;

pub use check::{Checked, Includes, NoIncludes, Options, Phase, Project, check, check_with};
pub use parse::MAX_NESTING;
