//! Random C programs, explored and run natively on all inputs.

pub mod claims;
mod expressions;
pub mod library;
pub mod memory;
