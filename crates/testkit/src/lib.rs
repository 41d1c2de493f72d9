//! What tests of several crates share: [`skip`] for a missing tool, [`Random`] for reproducible random inputs.
//!
//! A development dependency only; nothing that is shipped may depend on it.

mod random;
mod skip;

pub use random::Random;
pub use skip::{skip, skip_corpus};
