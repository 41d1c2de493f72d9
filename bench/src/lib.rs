//! Benchmarks: programs that print ratios to peers or to the uncached run, taken in the same run.

pub mod dafny_edits;
pub mod deadlines;
pub mod explore;
pub mod paper;
pub mod plot;
pub mod prolog;
pub mod query_log;
pub mod solve_expand;
pub mod solve_mix;
pub mod verify_bookkeeping;
pub mod verify_series;
