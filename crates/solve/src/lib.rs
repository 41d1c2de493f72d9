//! Solvers: the in-process bit-vector procedure and SMT-LIB processes.
//!
//! Everything that answers queries implements [`Solver`].

pub mod pipe;
mod solver;

pub use solver::{Answer, Limits, Reason, Solver, Statistics};
