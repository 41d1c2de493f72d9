//! What tests of several crates share: [`skip`] for a missing tool, [`Random`] for reproducible random inputs,
//! [`queries`] for random queries to solvers, [`read_message`] and [`write_message`] for clients of the language server.
//!
//! A development dependency only; nothing that is shipped may depend on it.

mod lsp;
pub mod queries;
mod random;
mod skip;

pub use lsp::{read_message, write_message};
pub use random::{Bound, Random};
pub use skip::{skip, skip_corpus};
