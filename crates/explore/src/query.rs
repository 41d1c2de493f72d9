//! The query chain: what the executor asks, and how little of it reaches a solver.
//!
//! A query is a set of constraints; the answer is *satisfiable*, with a witness, or *unsatisfiable*. Base
//! addresses in it are symbols β [AAQC §III-A]. The layers, in order; each can be switched off and is counted:
//!
//! | layer | file | answers |
//! |---|---|---|
//! | simplification | `stet-term` | what is constant |
//! | slicing | `constraints` | keeps only constraints that share a symbol |
//! | possible values | `values` | conditions over one byte without addresses |
//! | the path's witness | `chain` | one side of every branch, by evaluation |
//! | base cache | `layers` | the same set of terms |
//! | address-aware cache | `aware`, `canon`, `agnostic` | the same set up to a size-preserving bijection of addresses |
//! | counter-example cache | `counterexample` | supersets of unsatisfiable sets, subsets of satisfiable ones |
//! | simplification under possible values | `narrow` | what is constant for all values the path allows |
//! | store | `persist` | what an earlier process found out |
//! | core | `core` | the rest, with concrete addresses for β |
//!
//! **Soundness of reuse.** A satisfiable answer that does not come from the solver is certified: the stored
//! witness is translated through the bijection and every constraint is evaluated under it and the present
//! layout. An unsatisfiable answer is reused across layouts only if the query was found to be
//! address-agnostic ([`agnostic`]); otherwise it is kept for its own layout. Queries the engine asks on its own
//! account ([`Purpose::Engine`]) are only ever answered for their own layout. An unknown answer is never kept.

pub mod address;
mod agnostic;
mod aware;
mod canon;
mod chain;
mod constraints;
mod core;
mod counterexample;
mod layers;
mod narrow;
mod persist;
mod statistics;
#[cfg(test)]
mod tests;
mod values;
mod witness;

pub use address::{AddressView, Object};
pub use canon::Naming;
pub use chain::{CacheMode, Config, Mismatch, Purpose, QueryChain, Truth};
pub use constraints::PathConstraints;
pub(crate) use core::is_among;
pub use core::{Core, CoreAnswer, Values};
pub use narrow::Narrowing;
pub use statistics::{LayerCount, Statistics};
pub use witness::Witness;
