//! Random C programs, explored and run natively on all inputs.

pub mod claims;
pub mod memory;
