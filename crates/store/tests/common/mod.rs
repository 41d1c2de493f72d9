//! What the store's tests share: entries made from numbers, so that a wrong one is recognised.

#![allow(dead_code, reason = "each test program uses its part")]

pub(crate) mod failing_files;

use std::path::Path;
use std::sync::Arc;
use stet_key::{Digest, KeyBuilder, KeyParts};
use stet_store::{Config, Entry, Mode, Outcome, Provenance, Store};

pub(crate) const KIND: &str = "test/entry";

/// The key of the `n`-th entry and its parts.
pub(crate) fn key(n: u64) -> (Digest, KeyParts) {
    let mut builder = KeyBuilder::new("test");
    builder.part("number", |e| e.u64(n));
    builder.finish()
}

/// The `n`-th entry: everything in it follows from `n`.
pub(crate) fn entry(n: u64) -> Entry {
    let (key, parts) = key(n);
    Entry {
        key,
        kind: KIND.into(),
        subject: n.is_multiple_of(3).then(|| format!("subject-{n}").into()),
        outcome: [Outcome::Holds, Outcome::Fails, Outcome::Unknown][n as usize % 3],
        evidence: vec![n as u8; (n as usize * 37) % 300],
        provenance: Provenance {
            created: 1_000_000 + n,
            ..Provenance::now("test", "1", "solver 4.8")
        },
        parts,
    }
}

/// A temporary directory, in memory where there is such a place: some tests write many small files.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// The row of the `n`-th entry in the file.
pub(crate) fn row(n: u64) -> i64 {
    let first: [u8; 8] = key(n).0.0[..8].try_into().unwrap();
    (u64::from_be_bytes(first) ^ (1 << 63)).cast_signed()
}

pub(crate) fn open(path: &Path, mode: Mode) -> Arc<Store> {
    Store::open(Config::file(path, mode))
}

/// Looks the `n`-th entry up; a hit must be exact.
pub(crate) fn get(store: &Store, n: u64) -> bool {
    match store.get(KIND, &key(n).0) {
        None => false,
        Some(found) => {
            assert_eq!(*found, entry(n), "a wrong verdict");
            true
        }
    }
}

/// The codes of the notes not yet taken.
pub(crate) fn codes(store: &Store) -> Vec<&'static str> {
    store.take_notes().iter().map(|note| note.code).collect()
}
