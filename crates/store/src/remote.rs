//! The layer behind the file: verdicts of a team.
//!
//! The store asks it last and tells it everything that was used or added. What it answers was checked
//! by it: signature, signer, version and key. It never fails and waits only as long as it thinks fit; the store
//! treats its silence as a miss. Implemented above this crate, which knows no network.

use crate::entry::Entry;
use crate::note::StoreNote;
use std::sync::Arc;
use stet_key::Digest;

/// A shared store as this one sees it.
pub trait RemoteTier: Send + Sync + std::fmt::Debug {
    /// Names what the coming look-ups are about (a program), so that what was used for it last time can be
    /// fetched in one piece. Returns at once.
    fn begin(&self, name: &str);

    /// Fetches what may be asked for soon, all at once; returns when it is there or not worth waiting for.
    fn prefetch(&self, keys: &[Digest]);

    /// A verdict that can be believed.
    fn get(&self, kind: &str, key: &Digest) -> Option<Entry>;

    /// Takes note of an entry that was looked up with success or added; sends it sooner or later. Returns at once.
    fn tell(&self, entry: &Arc<Entry>, news: News);

    /// Sends what is still to be sent, unless that takes too long.
    fn flush(&self);

    /// What the user should be told.
    fn take_notes(&self) -> Vec<StoreNote>;

    /// What the exchange amounted to.
    fn traffic(&self) -> Traffic;
}

/// Whether an entry is new to this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// It was found out just now.
    Added,
    /// It was found in memory or in the file.
    Used,
}

/// What was exchanged with a shared store in this run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    pub verdicts: u64,
    /// Entries refused: forged, of untrusted signers, damaged.
    pub refused: u64,
    pub sent: u64,
    pub requests: u64,
    /// Bytes of answers.
    pub bytes_received: u64,
    /// Bytes of entries sent.
    pub bytes_sent: u64,
    /// Milliseconds that look-ups and the end of the run waited.
    pub waited: u64,
}
