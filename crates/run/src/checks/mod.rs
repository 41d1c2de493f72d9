//! Run-time checks: regular types over heap terms, and the cache of their answers ([RTC]).
//!
//! [`types`] holds the automata, [`regcheck`] walks a term, [`cache`] remembers positive answers, [`plan`] groups
//! the conditions of a predicate, [`print`] shows the transformed program.

mod cache;
mod lru;
pub(crate) mod plan;
pub(crate) mod print;
pub(crate) mod regcheck;
mod stats;
pub(crate) mod types;

#[cfg(test)]
mod tests;

pub use cache::{Cache, CacheConfig, Policy};
pub use stats::Stats as CheckStats;
