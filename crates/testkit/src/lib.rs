//! What tests of several crates share: [`skip`] for a missing tool, [`Random`] for reproducible random inputs,
//! [`read_message`] and [`write_message`] for clients of the language server.
//!
//! A development dependency only; nothing that is shipped may depend on it.

mod lsp;
mod random;
mod skip;

pub use lsp::{read_message, write_message};
pub use random::Random;
pub use skip::{skip, skip_corpus};
