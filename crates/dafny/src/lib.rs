//! Dafny text to a resolved, typed program.
//!
//! [`tree`] is the data model the translator reads.

pub mod tree;
