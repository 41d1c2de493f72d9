//! The ground every other crate stands on: typed ids with dense maps, string interning, source
//! files with spans, budgets (deadline and cancellation), assertions that recover in release builds, and a deep stack
//! for recursive front ends.
//!
//! Nothing here knows what is being checked, and nothing here performs I/O.

mod budget;
mod id;
mod intern;
mod recover;
mod source;
mod stack;

pub use budget::{Budget, Exhausted, Stopwatch};
pub use id::{IdVec, Index};
pub use intern::{Interner, Symbol};
pub use recover::{FaultHook, report_fault, set_fault_hook};
pub use source::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use stack::{deep_stack, is_stack_shallow};

/// The hash map used inside one run; never iterated into output or into a key.
pub type FastMap<K, V> = rustc_hash::FxHashMap<K, V>;

/// The hash function of [`FastMap`], for tables of other shapes.
pub type FastHasher = rustc_hash::FxHasher;
/// The hash set used inside one run; never iterated into output or into a key.
pub type FastSet<K> = rustc_hash::FxHashSet<K>;
