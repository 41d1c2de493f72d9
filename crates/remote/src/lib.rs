//! The shared store: verdicts of a team, kept by a server that need not be trusted.
//!
//! An entry travels as an [`envelope`]: sealed under its own key, so that only somebody who has the same obligation
//! can read it, and signed, so that only entries of trusted people are believed. Several of them make a [`pack`],
//! what one run used. [`link`] moves bytes to and from Redis, S3, HTTP servers and directories; [`tier`] is the
//! layer the store asks, with [`patience`] as its limit of waiting.
//!
//! | in the key of an object | |
//! |---|---|
//! | the entry's key (which covers engine version, solver, options) | derived address, one way |
//! | the format of envelopes | version in the first bytes; another one is a miss |
//! | not | names of programs, positions, machines |
//!
//! **Invariant:** what came from a server is a candidate. It counts after its form, signature, signer, seal and key
//! were checked here ([`envelope::open`] is the only way from bytes to an entry).

mod delivery;
pub mod envelope;
pub mod jobs;
pub mod keys;
mod link;
pub mod pack;
mod patience;
pub mod seal;
mod tier;

pub use link::{LinkError, Url};
pub use tier::{Evidence, Remote, RemoteConfig, Role};
