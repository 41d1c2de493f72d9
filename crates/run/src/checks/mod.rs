//! Run-time checks: regular types over heap terms, and the cache of their answers (\[RTC\]).
//!
//! [`types`] holds the automata, [`regcheck`] walks a term, [`cache`] remembers positive answers, [`plan`] groups
//! the conditions of a predicate, [`install`] makes code of them, [`outside`] keeps calls of other modules apart, [`runtime`] is what that code runs, [`report`] says
//! what was violated, [`validate`] what is wrong with a file's assertions, [`unit_tests`] runs its tests, [`print`]
//! shows the transformed program.

mod answers;
mod api;
mod cache;
mod comp;
mod discharge;
mod flags;
mod install;
mod lru;
mod outside;
pub(crate) mod plan;
mod predicates;
pub(crate) mod print;
mod record;
pub(crate) mod regcheck;
mod report;
pub(crate) mod runtime;
mod stats;
mod status;
pub(crate) mod types;
mod unit_tests;
mod validate;
mod wrapper;

#[cfg(test)]
mod tests;

pub use api::{AssertionStats, CheckSettings, PredicateStats};
pub use cache::{Cache, CacheConfig, Policy};
pub(crate) use flags::FLAGS;
pub(crate) use predicates::register;
pub(crate) use runtime::RunTimeChecks;
pub use runtime::{CheckLevel, SourceRange, Violation, ViolationAction};
pub use stats::Stats as CheckStats;
pub use status::{AssertionStatus, PartStatus};
pub use unit_tests::{TestFilter, TestResult, TestVerdict};
pub use validate::LoadProblem;
