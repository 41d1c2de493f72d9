//! Edited Boogie programs: what reuse says must be what a fresh run says.

pub mod edits;
pub mod mutations;
