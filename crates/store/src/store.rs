//! The store as engines see it: memory first, then the file.

use crate::entry::Entry;
use crate::file::FileTier;
use crate::memory::Memory;
use crate::names::{Miss, Name};
use crate::note::{Notes, StoreNote};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use stet_base::FastMap;
use stet_key::{Digest, KeyParts};

/// More evidence than this is kept in memory only.
const EVIDENCE_LIMIT: usize = 64 << 20;

/// What may be done with the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Reuse verdicts and add new ones.
    ReadWrite,
    /// Reuse verdicts, add none.
    ReadOnly,
    /// As read-only, and a miss makes the run fail.
    Enforce,
    /// Neither reuse nor add.
    Off,
}

/// How to open a store.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file; `None` keeps verdicts in memory only.
    pub path: Option<PathBuf>,
    /// What may be done with it.
    pub mode: Mode,
    /// The file is kept below this many bytes.
    pub size_limit: u64,
    /// The memory tier is kept below about this many bytes.
    pub memory_limit: usize,
}

impl Config {
    /// A store file with the usual limits: 2 GiB on disk, 256 MiB in memory.
    pub fn file(path: impl Into<PathBuf>, mode: Mode) -> Self {
        Config {
            path: Some(path.into()),
            ..Self::memory(mode)
        }
    }

    /// A store without a file.
    pub fn memory(mode: Mode) -> Self {
        Config {
            path: None,
            mode,
            size_limit: 2 << 30,
            memory_limit: 256 << 20,
        }
    }
}

/// What is looked for, with what is needed to explain a miss.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The namespace.
    pub kind: &'a str,
    /// What the verdict is about.
    pub subject: &'a str,
    /// The key.
    pub key: Digest,
    /// Its named parts.
    pub parts: &'a KeyParts,
}

/// How often things happened since the store was opened.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    /// Look-ups answered.
    pub hits: u64,
    /// Of these, answered from the file.
    pub file_hits: u64,
    /// Look-ups not answered.
    pub misses: u64,
    /// Entries added.
    pub puts: u64,
}

#[derive(Default, Debug)]
struct AtomicCounters {
    hits: AtomicU64,
    file_hits: AtomicU64,
    misses: AtomicU64,
    puts: AtomicU64,
}

/// Subjects seen in this run.
#[derive(Default, Debug)]
struct Names {
    latest: FastMap<Name, Digest>,
    misses: FastMap<Name, Miss>,
}

/// Verdicts by key. Shared between threads behind an [`Arc`].
#[derive(Debug)]
pub struct Store {
    mode: Mode,
    memory: Memory,
    file: Option<FileTier>,
    names: Mutex<Names>,
    notes: Arc<Notes>,
    counters: AtomicCounters,
}

impl Store {
    /// Opens a store. Never fails: trouble becomes a note and a store that misses.
    pub fn open(config: Config) -> Arc<Store> {
        let notes = Arc::new(Notes::default());
        let path = config.path.filter(|_| config.mode != Mode::Off);
        let file =
            path.and_then(|path| FileTier::open(&path, config.mode, config.size_limit, &notes));
        Arc::new(Store {
            mode: config.mode,
            memory: Memory::new(config.memory_limit),
            file,
            names: Mutex::default(),
            notes,
            counters: AtomicCounters::default(),
        })
    }

    /// A store without a file that forgets everything when dropped.
    pub fn in_memory() -> Arc<Store> {
        Self::open(Config::memory(Mode::ReadWrite))
    }

    /// What may be done with this store.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The file behind this store; `None` if it has none or cannot use it.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(FileTier::path)
    }

    /// The verdict under a key of this kind.
    pub fn get(&self, kind: &str, key: &Digest) -> Option<Arc<Entry>> {
        if self.mode == Mode::Off {
            return None;
        }
        let found = self.find(key).filter(|entry| &*entry.kind == kind);
        let counter = match found {
            Some(_) => &self.counters.hits,
            None => &self.counters.misses,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// As [`get`](Self::get); a miss is remembered so that `stet cache why` can explain it.
    pub fn lookup(&self, request: &Request<'_>) -> Option<Arc<Entry>> {
        let found = self.get(request.kind, &request.key);
        if found.is_none() && self.mode != Mode::Off {
            self.remember_miss(request);
        }
        found
    }

    /// Adds a verdict; it is found at once and written to the file soon.
    pub fn put(&self, mut entry: Entry) {
        if self.mode != Mode::ReadWrite {
            return;
        }
        if entry.provenance.created == 0 {
            entry.provenance.created = now();
        }
        let entry = Arc::new(entry);
        if let Some(subject) = &entry.subject {
            let name = Name {
                kind: entry.kind.clone(),
                subject: subject.clone(),
            };
            self.lock_names().latest.insert(name, entry.key);
        }
        self.counters.puts.fetch_add(1, Ordering::Relaxed);
        self.memory.insert(entry.clone());
        if let Some(file) = &self.file {
            if entry.evidence.len() > EVIDENCE_LIMIT {
                let size = entry.evidence.len() >> 20;
                let message = format!("a verdict with {size} MiB of evidence was not written");
                self.notes.add("store/large-entry", message, None);
                return;
            }
            file.submit(|batch| batch.entries.push(entry));
        }
    }

    /// The entry most recently put for a subject, whatever its key.
    pub fn latest(&self, kind: &str, subject: &str) -> Option<Arc<Entry>> {
        if self.mode == Mode::Off {
            return None;
        }
        let name = Name::new(kind, subject);
        let in_memory = self.lock_names().latest.get(&name).copied();
        let key = in_memory.or_else(|| self.file.as_ref()?.latest(&name))?;
        self.find(&key)
            .filter(|entry| &*entry.kind == kind && entry.subject.as_deref() == Some(subject))
    }

    /// The latest miss of a subject, from this run or, if it was written, from an earlier one.
    pub fn latest_miss(&self, kind: &str, subject: &str) -> Option<Miss> {
        let name = Name::new(kind, subject);
        let in_memory = self.lock_names().misses.get(&name).cloned();
        in_memory.or_else(|| self.file.as_ref()?.miss(&name))
    }

    /// Waits until everything put so far is in the file, or a note says why it is not.
    pub fn flush(&self) {
        if let Some(file) = &self.file {
            file.flush();
        }
    }

    /// What the user should be told and was not told yet.
    pub fn take_notes(&self) -> Vec<StoreNote> {
        self.notes.take()
    }

    /// How often things happened.
    pub fn counters(&self) -> Counters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            hits: read(&self.counters.hits),
            file_hits: read(&self.counters.file_hits),
            misses: read(&self.counters.misses),
            puts: read(&self.counters.puts),
        }
    }

    /// The file, for maintenance.
    pub(crate) fn file(&self) -> Option<&FileTier> {
        self.file.as_ref()
    }

    /// Forgets what the memory tier holds, for maintenance.
    pub(crate) fn forget_memory(&self) {
        self.memory.clear();
        *self.lock_names() = Names::default();
    }

    fn find(&self, key: &Digest) -> Option<Arc<Entry>> {
        if let Some(entry) = self.memory.get(key) {
            return Some(entry);
        }
        let file = self.file.as_ref()?;
        let entry = Arc::new(file.get(key)?);
        self.counters.file_hits.fetch_add(1, Ordering::Relaxed);
        self.memory.insert(entry.clone());
        Some(entry)
    }

    fn remember_miss(&self, request: &Request<'_>) {
        let previous = self
            .latest(request.kind, request.subject)
            .map(|entry| (entry.key, entry.parts.clone()));
        let miss = Miss {
            name: Name::new(request.kind, request.subject),
            at: now(),
            key: request.key,
            parts: request.parts.clone(),
            previous,
        };
        if let Some(file) = &self.file {
            file.submit(|batch| batch.misses.push(miss.clone()));
        }
        self.lock_names().misses.insert(miss.name.clone(), miss);
    }

    fn lock_names(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs())
}
