//! Solvers: the in-process bit-vector procedure and SMT-LIB processes.

pub mod pipe;
