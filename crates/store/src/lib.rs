//! Verdicts by key: a memory tier before one file that several processes share, and perhaps a store shared by a team.
//!
//! [`Store::open`] never fails: whatever is wrong with the file, the answer is a store that misses, and a
//! [`StoreNote`] that says why (law 5: any cache fault is a miss). [`Store::get`] and [`Store::lookup`]
//! answer from memory, then from the file; [`Store::put`] remembers at once and writes later, in batches,
//! on a thread of its own.
//!
//! | in a record | protected by |
//! |---|---|
//! | key, kind, subject, outcome, evidence, provenance, key parts, record version | one BLAKE3 checksum over all of them |
//! | when it was last used, how large it is | nothing: they only steer eviction |
//!
//! The store knows no engine: kinds are names (`"verify/implementation"`), evidence is bytes.

pub mod codes;
mod entry;
mod file;
mod maintain;
mod memory;
mod names;
mod note;
mod portable;
mod remote;
mod sample;
mod store;

pub use entry::{Entry, Outcome, Provenance, RECORD_VERSION};
pub use maintain::{KindStatistics, Statistics, Verification};
pub use names::{Miss, Name};
pub use note::StoreNote;
pub use portable::ImportError;
pub use remote::{News, RemoteTier, Traffic};
pub use sample::{is_rechecked, recheck_share};
pub use store::{Config, Counters, Mode, Request, Store};
