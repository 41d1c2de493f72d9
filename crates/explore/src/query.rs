//! The query chain: what the executor asks, and how little of it reaches a solver.
//!
//! A query is a set of constraints; the answer is *satisfiable*, with a witness, or *unsatisfiable*. Base
//! addresses in it are symbols β [AAQC §III-A]. In order; layers can be switched off and are counted:
//!
//! | step | file | answers |
//! |---|---|---|
//! | simplification | `stet-term` | what is constant |
//! | slicing | `constraints` | keeps only constraints that share a symbol |
//! | possible values | `values` | conditions over one byte without addresses |
//! | the path's witness | `chain` | one side of every branch, by evaluation |
//!
//! What is left is a set of constraints, and goes through the layers (`layer`, `decide`) until one knows:
//!
//! | layer | file | answers |
//! |---|---|---|
//! | base cache | `base` | the same set of terms |
//! | simplification under possible values | `narrow` | what is constant for all values the path allows |
//! | address-aware cache | `aware`, `canon`, `judge`, `agnostic` | the same set up to a size-preserving bijection of addresses |
//! | counter-example cache | `counterexample` | supersets of unsatisfiable sets, subsets of satisfiable ones |
//! | store | `persist` | what an earlier process found out |
//! | solver | `context`, `concretize` | the rest, with concrete addresses for β |
//!
//! **Soundness of reuse.** A satisfiable answer that does not come from the solver is certified: the stored
//! witness is translated through the bijection and every constraint is evaluated under it and the present
//! layout. An unsatisfiable answer is reused across layouts only if the query was found to be
//! address-agnostic ([`agnostic`]); otherwise it is kept for its own layout. Queries the engine asks on its own
//! account ([`Purpose::Engine`]) are only ever answered for their own layout. An unknown answer is never kept.

pub(crate) mod address;
mod agnostic;
mod aware;
mod base;
mod canon;
mod chain;
mod concretize;
mod constraints;
mod context;
mod counterexample;
mod decide;
mod form;
mod judge;
mod layer;
mod memos;
mod narrow;
mod persist;
mod statistics;
#[cfg(test)]
mod tests;
mod values;
mod verdict;
mod witness;

pub(crate) use address::{AddressView, Object};
pub use canon::Naming;
pub use chain::{CacheMode, Config, Mismatch};
pub(crate) use chain::{Purpose, QueryChain, Truth};
pub(crate) use constraints::PathConstraints;
pub use layer::LayerCount;
pub use narrow::Narrowing;
pub use statistics::Statistics;
pub(crate) use witness::{Evaluation, SymbolValue, Witness};
