//! The store as engines see it: memory first, then the file, then the shared store if there is one.

use crate::entry::Entry;
use crate::file::FileTier;
use crate::memory::Memory;
use crate::names::{Miss, Name};
use crate::note::{Notes, StoreNote};
use crate::remote::{News, RemoteTier, Traffic};
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
    /// The store of the team.
    pub remote: Option<Arc<dyn RemoteTier>>,
    /// The public keys (hexadecimal) whose entries are believed.
    pub trusted: Arc<[String]>,
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
            remote: None,
            trusted: Arc::default(),
        }
    }
}

/// What is looked for, with what is needed to explain a miss.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub kind: &'a str,
    /// What the verdict is about.
    pub subject: &'a str,
    pub key: Digest,
    /// Its named parts.
    pub parts: &'a KeyParts,
}

/// How often things happened since the store was opened.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counters {
    pub hits: u64,
    /// Of these, answered from the file.
    pub file_hits: u64,
    /// Of these, answered by the shared store.
    pub remote_hits: u64,
    /// Look-ups not answered.
    pub misses: u64,
    pub puts: u64,
}

#[derive(Default, Debug)]
struct AtomicCounters {
    hits: AtomicU64,
    file_hits: AtomicU64,
    remote_hits: AtomicU64,
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
    remote: Option<Arc<dyn RemoteTier>>,
    trusted: Arc<[String]>,
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
            remote: config.remote.filter(|_| config.mode != Mode::Off),
            trusted: config.trusted,
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
        let found = self.find(kind, key);
        let counter = match found {
            Some(_) => &self.counters.hits,
            None => &self.counters.misses,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// As [`get`](Self::get) for what an engine only remembers: missing it is not a miss of a verdict.
    pub fn recall(&self, kind: &str, key: &Digest) -> Option<Arc<Entry>> {
        match self.mode {
            Mode::Off => None,
            _ => self.find(kind, key),
        }
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
        debug_assert!(!entry.kind.is_empty(), "every entry belongs to a kind");
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
        if let Some(remote) = &self.remote {
            remote.tell(&entry, News::Added);
        }
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
        self.find(kind, &key)
            .filter(|entry| entry.subject.as_deref() == Some(subject))
    }

    /// The latest miss of a subject, from this run or, if it was written, from an earlier one.
    pub fn latest_miss(&self, kind: &str, subject: &str) -> Option<Miss> {
        let name = Name::new(kind, subject);
        let in_memory = self.lock_names().misses.get(&name).cloned();
        in_memory.or_else(|| self.file.as_ref()?.miss(&name))
    }

    /// Names what the coming look-ups are about; see [`RemoteTier::begin`].
    pub fn begin(&self, name: &str) {
        if let Some(remote) = &self.remote {
            remote.begin(name);
        }
    }

    /// Fetches from the shared store what this machine does not know of these keys, all at once. Call it before the
    /// first prover starts: single look-ups afterwards do not wait for answers one by one.
    pub fn prefetch(&self, keys: &[Digest]) {
        let Some(remote) = &self.remote else {
            return;
        };
        let is_unknown = |key: &&Digest| {
            let in_file = || {
                self.file
                    .as_ref()
                    .is_some_and(|file| file.get(key).is_some())
            };
            self.memory.get(key).is_none() && !in_file()
        };
        let unknown: Vec<Digest> = keys.iter().filter(is_unknown).copied().collect();
        if !unknown.is_empty() {
            remote.prefetch(&unknown);
        }
    }

    /// Whether there is a shared store behind this one.
    pub fn is_shared(&self) -> bool {
        self.remote.is_some()
    }

    /// What was exchanged with the shared store; `None` if there is none.
    pub fn traffic(&self) -> Option<Traffic> {
        self.remote.as_ref().map(|remote| remote.traffic())
    }

    /// Waits until everything put so far is in the file, or a note says why it is not.
    pub fn flush(&self) {
        if let Some(file) = &self.file {
            file.flush();
        }
    }

    /// At the end of a run: as [`flush`](Self::flush), and gives the shared store a last chance to send.
    pub fn finish(&self) {
        self.flush();
        if let Some(remote) = &self.remote {
            remote.flush();
        }
    }

    /// What the user should be told and was not told yet.
    pub fn take_notes(&self) -> Vec<StoreNote> {
        let mut notes = self.notes.take();
        if let Some(remote) = &self.remote {
            notes.extend(remote.take_notes());
        }
        notes
    }

    /// Who vouches for a stored entry, if it came from a shared store.
    pub fn signer_of(&self, key: &Digest) -> Option<Arc<str>> {
        let entry = self
            .memory
            .get(key)
            .or_else(|| self.file.as_ref()?.get(key).map(Arc::new))?;
        entry.provenance.signer.clone()
    }

    /// How often things happened.
    pub fn counters(&self) -> Counters {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        debug_assert!(
            read(&self.counters.remote_hits) == 0 || self.remote.is_some(),
            "only a shared store gives entries of others"
        );
        Counters {
            hits: read(&self.counters.hits),
            file_hits: read(&self.counters.file_hits),
            remote_hits: read(&self.counters.remote_hits),
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

    /// The entry of this kind under a key, from the nearest layer that has a sound one.
    fn find(&self, kind: &str, key: &Digest) -> Option<Arc<Entry>> {
        let near = self
            .find_here(key)
            .filter(|entry| &*entry.kind == kind && self.is_believed(entry));
        debug_assert!(
            near.as_ref().is_none_or(|entry| entry.key == *key),
            "an entry is found under its own key"
        );
        let Some(remote) = &self.remote else {
            return near;
        };
        if let Some(entry) = near {
            remote.tell(&entry, News::Used);
            return Some(entry);
        }
        let entry = remote.get(kind, key)?;
        if entry.key != *key || &*entry.kind != kind || !self.is_believed(&entry) {
            return None;
        }
        let entry = Arc::new(entry);
        self.counters.remote_hits.fetch_add(1, Ordering::Relaxed);
        self.memory.insert(entry.clone());
        if let Some(file) = self.file.as_ref().filter(|_| self.mode == Mode::ReadWrite) {
            file.submit(|batch| batch.entries.push(entry.clone()));
        }
        Some(entry)
    }

    fn find_here(&self, key: &Digest) -> Option<Arc<Entry>> {
        if let Some(entry) = self.memory.get(key) {
            return Some(entry);
        }
        let entry = Arc::new(self.file.as_ref()?.get(key)?);
        debug_assert!(entry.key == *key, "a row holds the entry of its key");
        self.counters.file_hits.fetch_add(1, Ordering::Relaxed);
        self.memory.insert(entry.clone());
        Some(entry)
    }

    /// Own entries are; those of others as long as their signer is trusted.
    fn is_believed(&self, entry: &Entry) -> bool {
        match entry.provenance.signer.as_deref() {
            None => true,
            Some(signer) => self.trusted.iter().any(|trusted| trusted == signer),
        }
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
