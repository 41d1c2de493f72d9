//! `stet klee-zesti`: `stet klee` with a concrete run as the seed; see `klee/zesti.rs`.

pub(crate) use super::klee::execute_zesti as execute;
