//! A Prolog abstract machine with cached run-time checks.
//!
//! # Layout
//! A [`Machine`] has parts, each a type of its own (the table is in `machine.rs`): memory, control, program, loader, run-time
//! checks, input and output, counters. A function that needs one part is a method of that part. Six memory areas never move
//! (`heap.rs`): the heap of terms, environments, choice points, the trail, code, and the table of predicate entries. Terms are
//! tagged 64-bit cells (`cell.rs`); all variables live on the heap, so environments and registers hold values only. Clauses are
//! compiled (`compile/`) to dense instructions (`code.rs`) run by one loop (`emulate/mod.rs`).
//!
//! * Calls go through the entry table: a predicate changes behaviour (undefined, linked, dynamic, checked)
//!   by changing its entry (`database.rs`, [`Machine::set_checked_entry`]).
//! * Failure restores the newest choice point; exceptions unwind to a `catch/3` frame, a special choice
//!   point (`calls.rs`). Clauses with a guard and a neck cut are tried without a choice point at all.
//! * Garbage collection (`gc.rs`) happens only at calls, where the live registers are the arguments; it
//!   slides live cells down and keeps their order. Builtins never collect: they ask `need` for room.
//! * The check cache (`checks/cache.rs`) saves its log's top in every choice point and is told about backtracking,
//!   collection, destructive assignment and bindings of attributed variables.
//!
//! # Adding a builtin
//! Write `fn(&mut Machine) -> Res` and register it with [`Machine::register`] (see `builtins/`). Arguments
//! are `machine.arg(i)` (dereferenced); terms are inspected with `compound`, `structure`, `at`, `walk` of `machine.mem` (`walk`
//! visits every subterm iteratively and is safe on cyclic terms) and built with its `new_…` functions.
//! Everything that is control (calling goals) is written in Prolog, in `boot/*.pl`.
//!
//! **Invariant:** nothing here does I/O; the [`Host`] does.
#![allow(
    clippy::collapsible_if,
    clippy::collapsible_match,
    reason = "one condition at a time reads better in tag tests"
)]

mod backtrace;
mod boot;
mod builtins;
mod calls;
mod cell;
mod chains;
pub mod checks;
mod clause_index;
mod code;
pub mod codes;
mod compare;
mod compile;
mod continuations;
mod control;
mod database;
mod emulate;
mod engines;
mod entry;
mod errors;
mod flat;
mod forms;
mod gc;
mod gc_atoms;
mod heap;
mod host;
mod integers;
mod interrupts;
mod large;
mod libraries;
mod load;
mod machine;
mod memory;
mod number;
mod positions;
mod profile;
mod program;
mod query;
mod quick;
mod ratio;
mod sort;
mod streams;
mod tables;
mod transparent;
mod unify;
mod words;
mod write;

#[cfg(test)]
mod machine_tests;

pub use cell::Cell;
pub use checks::Cache;
pub use database::{BuiltinFn, More, NondetFn, PredId};
pub use entry::{
    After, Ending, Event, Interaction, Outcome, Request, RunError, TestRun, Tools, World, open, run,
};
pub use errors::PErr;
pub use host::{Host, HostError, MemoryHost, OutputMode};
pub use load::ParsedTerm;
pub use machine::{Config, Machine, Res, Stats};
pub use query::{Answer, Query, Solution};
pub use stet_prolog::Quotes;
