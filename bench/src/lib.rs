//! Benchmarks: programs that print ratios to peers or to the uncached run, taken in the same run.

pub mod deadlines;
pub mod explore;
pub mod explore_oracle;
pub mod memory_oracle;
pub mod paper;
pub mod plot;
pub mod prolog;
pub mod prolog_oracle;
pub mod reader_fuzz;
pub mod solve_expand;
pub mod solve_mix;
pub mod verify_bookkeeping;
pub mod verify_edits;
pub mod verify_mutations;
pub mod verify_series;
