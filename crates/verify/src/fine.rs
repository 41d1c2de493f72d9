//! Fine-grained caching [FGC §4]: reuse of the verdicts of single checks from the snapshot verified last.
//!
//! Two rules are applied, in this order.
//!
//! * **Same statement, same past.** The digest of a command covers the command, the meaning of the functions in
//!   it, and the digests of all commands before it on all paths [FGC §4.1]. A check with a known digest has its
//!   old verdict: verified ones are assumed, failed ones are reported again at their new position.
//! * **Same statement, related past.** [`relate`] runs the old and the new body side by side and keeps track of
//!   the conditions under which every new execution is also an old one. Where they differ, *assumption
//!   variables* record at run time of the proof whether the difference matters [FGC §4.2]; a check verified
//!   before is assumed to hold where its assumption variables are true, and asked about elsewhere.
//!
//! Both need the axioms used by the old proof to be still there ([`snapshot`]); definitions of functions are
//! compared where they are used.

mod align;
mod gap;
pub(crate) mod inject;
pub(crate) mod relate;
mod same_past;
pub(crate) mod snapshot;
