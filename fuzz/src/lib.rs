//! Campaigns: random programs, edits and damaged inputs, each against an oracle, and peers' suites.
//!
//! | module | program | oracle |
//! |---|---|---|
//! | `explore::claims` | `fuzz-explore-claims` | native runs on all inputs, where Stet claims completeness |
//! | `explore::memory` | `fuzz-explore-memory` | native runs and the other memory model |
//! | `verify::edits` | `fuzz-verify-edits` | random edits of Boogie programs without a cache |
//! | `verify::mutations` | `fuzz-verify-mutations` | mutations of generated programs without a cache |
//! | `dafny` | `fuzz-dafny-differential`, `-soundness`, `-mutants` | Dafny 2.3.0 and runs; false assertions; no panic |
//! | `dafny` | `conformance-dafny-resolve`, `-verify` | Dafny's suite |
//! | `run::differential` | `fuzz-run-differential` | SWI-Prolog |
//! | `run::checks` | `fuzz-run-checks` | every check recomputed, under forced garbage collection |
//! | `run::discharge` | `fuzz-run-discharge` | proved assertions checked at run time all the same |
//! | `readers` | `fuzz-readers` | readers and decoders come back on every input |
//! | – | `fuzz-solve` | Z3 and cvc5 |
//! | – | `fuzz-store` | killed writers, damaged files, failing operations |
//!
//! Every campaign has a short version in the tests.

pub mod dafny;
pub mod explore;
pub mod readers;
pub mod run;
pub mod verify;
