//! The layer the store asks: packs first, then single objects, within the limits of [`Patience`].
//!
//! Threads of the [`exchange`] own the connections; look-ups and the end of a run wait for them, everything
//! else is queued. Looking up checks what came (see [`envelope::open`]); telling seals, signs and sends.

mod exchange;

use crate::envelope;
use crate::keys::{Signer, Trust};
use crate::link::{LinkError, Url};
use crate::pack::{PACK_LIMIT, Pack, PackFault};
use crate::patience::Patience;
use crate::seal;
use exchange::{Answer, Exchange, Job, Letter};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stet_key::Digest;
use stet_store::{Entry, News, RemoteTier, StoreNote, Traffic};

/// What may be done with a shared store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Believe, do not send.
    ReadOnly,
    /// Send, do not ask.
    WriteOnly,
    ReadWrite,
}

impl Role {
    fn reads(self) -> bool {
        self != Role::WriteOnly
    }

    fn writes(self) -> bool {
        self != Role::ReadOnly
    }
}

/// What of the evidence is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// All of it, sealed.
    Sealed,
    /// None that speaks of the program: entries that need it, subjects and parts of keys are not sent.
    None,
}

/// How to use a shared store.
#[derive(Debug)]
pub struct RemoteConfig {
    /// The server; `None` uses pulled packs only.
    pub url: Option<Url>,
    /// What may be done with it.
    pub role: Role,
    /// Whose signature goes on what is sent; without, nothing is.
    pub signer: Option<Signer>,
    /// Whose entries are believed; put the own key on the list, too.
    pub trust: Trust,
    /// What of the evidence is sent.
    pub evidence: Evidence,
    /// Nothing may happen for this long before the server is given up.
    pub wait: Duration,
    /// Remembers a failure for the next runs.
    pub pause_file: Option<PathBuf>,
    /// Where packs that were pulled are.
    pub packs: Option<PathBuf>,
    /// Kinds of which there are too many to send them one by one: they travel in packs only.
    pub packed_kinds: &'static [&'static str],
    /// Kinds that mean nothing on other machines.
    pub local_kinds: &'static [&'static str],
    /// Kinds whose evidence does not speak of the program, for [`Evidence::None`].
    pub silent_kinds: &'static [&'static str],
}

/// A shared store.
#[derive(Debug)]
pub struct Remote {
    config: RemoteConfig,
    exchange: Arc<Exchange>,
    can_send: bool,
    verdicts: AtomicU64,
    waited: AtomicU64,
    wasted: AtomicU64,
}

impl Remote {
    /// Prepares a shared store; connections are made when they are needed.
    pub fn open(mut config: RemoteConfig) -> Arc<Remote> {
        let server = config.url.as_ref().map(Url::to_string).unwrap_or_default();
        let patience = Patience::new(config.wait, config.pause_file.clone(), &server);
        let signer = config.signer.take().filter(|_| config.role.writes());
        let can_send = signer.is_some();
        let exchange = Exchange::new(config.url.clone(), signer, patience);
        let remote = Remote {
            can_send,
            exchange,
            verdicts: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            wasted: AtomicU64::new(0),
            config,
        };
        if remote.config.role.writes() && !can_send && remote.config.url.is_some() {
            remote.exchange.note(
                "store/remote-no-key",
                "nothing is sent to the shared store: there is no signing key".to_owned(),
                "make one with `stet cache keys new`, or choose `--remote-role read-only`",
            );
        }
        remote.load_packs();
        Arc::new(remote)
    }

    /// Asks the server something; how long it took.
    pub fn ping(&self) -> Result<Duration, LinkError> {
        let start = Instant::now();
        self.exchange.ask(Digest([0; 32]), 1024)?;
        Ok(start.elapsed())
    }

    /// Fetches the pack with this name and keeps it in the directory of packs; how many entries it has, `None` if
    /// there is none.
    pub fn pull(&self, name: &str) -> Result<Option<usize>, LinkError> {
        let address = seal::pack_address(name);
        let Some(bytes) = self.exchange.ask(address, PACK_LIMIT)? else {
            return Ok(None);
        };
        let fault = |why: String| LinkError::Refused(why);
        let pack = Pack::parse(bytes.clone(), &address).map_err(|flaw| {
            fault(match flaw {
                PackFault::Damaged => "the pack is damaged".into(),
                PackFault::OtherVersion => "the pack is of another version of Stet".into(),
            })
        })?;
        if let Some(directory) = &self.config.packs {
            let write = || {
                std::fs::create_dir_all(directory)?;
                let draft = tempfile::NamedTempFile::new_in(directory)?;
                std::fs::write(draft.path(), &bytes)?;
                let place = directory.join(format!("{address}.pack"));
                draft.persist(place).map_err(|error| error.error)
            };
            write().map_err(|error| fault(error.to_string()))?;
        }
        Ok(Some(pack.count()))
    }

    fn load_packs(&self) {
        let directory = self.config.packs.iter();
        let files = directory.flat_map(|path| std::fs::read_dir(path).into_iter().flatten());
        let mut room = 4 * PACK_LIMIT as u64;
        for file in files.flatten() {
            let is_pack = file.path().extension().is_some_and(|e| e == "pack");
            let size = file.metadata().map_or(u64::MAX, |data| data.len());
            if !is_pack || size > room {
                continue;
            }
            room -= size;
            let stem = file.path().file_stem().map(|stem| stem.to_owned());
            let address = stem.and_then(|stem| Digest::from_hex(stem.to_str()?));
            let (Some(address), Ok(bytes)) = (address, std::fs::read(file.path())) else {
                continue;
            };
            if let Ok(pack) = Pack::parse(bytes, &address) {
                self.exchange.lock().packs.push((None, Arc::new(pack)));
            }
        }
    }

    /// The bytes for an address, from packs or the server; waits within limits.
    fn candidate(&self, kind: &str, address: &Digest) -> Option<Answer> {
        if self.exchange.lock().pending_packs > 0 {
            self.wait(|state| state.pending_packs == 0);
        }
        {
            let state = self.exchange.lock();
            if let Some(pack) = state.packs.iter().find(|(_, p)| p.find(address).is_some()) {
                return Some(Answer::Packed(pack.1.clone()));
            }
            if let Some(answer) = state.answers.get(address) {
                return Some(answer.clone());
            }
        }
        let wasted = Duration::from_micros(self.wasted.load(Ordering::Relaxed));
        let is_single = !self.config.packed_kinds.contains(&kind);
        if !is_single || wasted > self.exchange.patience.waste_limit() {
            return None;
        }
        self.exchange.submit(Job::Fetch(vec![*address]));
        self.wait(|state| state.answers.get(address).is_some_and(Answer::is_final));
        self.exchange.lock().answers.get(address).cloned()
    }

    /// Waits until `done`, as long as something happens.
    fn wait(&self, done: impl Fn(&exchange::State) -> bool) -> bool {
        let start = Instant::now();
        let is_done = self.exchange.wait(done);
        let micros = start.elapsed().as_micros() as u64;
        self.waited.fetch_add(micros, Ordering::Relaxed);
        is_done
    }

    /// What is sent of an entry, if anything.
    fn letter(&self, entry: &Arc<Entry>, news: News) -> Option<Letter> {
        if self.config.local_kinds.contains(&&*entry.kind) || entry.provenance.signer.is_some() {
            return None;
        }
        let entry = match self.config.evidence {
            Evidence::Sealed => entry.clone(),
            Evidence::None => {
                let is_silent = self.config.silent_kinds.contains(&&*entry.kind);
                if !is_silent && !entry.evidence.is_empty() {
                    return None;
                }
                Arc::new(Entry {
                    subject: None,
                    parts: Default::default(),
                    ..(**entry).clone()
                })
            }
        };
        let is_single = !self.config.packed_kinds.contains(&&*entry.kind);
        Some(Letter {
            alone: is_single && news == News::Added,
            pack: self.exchange.lock().current,
            entry,
        })
    }
}

impl RemoteTier for Remote {
    fn begin(&self, name: &str) {
        let address = seal::pack_address(name);
        self.exchange.lock().current = Some(address);
        if self.config.role.reads() || self.can_send {
            self.exchange.submit(Job::FetchPack(address));
        }
    }

    fn prefetch(&self, keys: &[Digest]) {
        if !self.config.role.reads() {
            return;
        }
        self.wait(|state| state.pending_packs == 0);
        let addresses: Vec<Digest> = {
            let state = self.exchange.lock();
            let is_new = |address: &Digest| {
                !state.answers.contains_key(address)
                    && !state
                        .packs
                        .iter()
                        .any(|(_, pack)| pack.find(address).is_some())
            };
            keys.iter().map(seal::address).filter(is_new).collect()
        };
        if addresses.is_empty() {
            return;
        }
        self.exchange.submit(Job::Fetch(addresses.clone()));
        self.wait(|state| {
            let is_final = |address| state.answers.get(address).is_some_and(Answer::is_final);
            addresses.iter().all(is_final)
        });
    }

    fn get(&self, kind: &str, key: &Digest) -> Option<Entry> {
        if !self.config.role.reads() || self.config.local_kinds.contains(&kind) {
            return None;
        }
        let start = Instant::now();
        let address = seal::address(key);
        let answer = self.candidate(kind, &address);
        let envelope = match &answer {
            Some(Answer::Packed(pack)) => pack.find(&address),
            Some(Answer::Found(bytes)) => Some(&bytes[..]),
            Some(Answer::Asked | Answer::Absent) | None => None,
        };
        let entry = match envelope.map(|bytes| envelope::open(key, bytes, &self.config.trust)) {
            Some(Ok(entry)) => Some(entry),
            Some(Err(refusal)) => {
                self.exchange.refuse(refusal);
                None
            }
            None => None,
        };
        match entry.is_some() {
            true => self.verdicts.fetch_add(1, Ordering::Relaxed),
            false => {
                let micros = start.elapsed().as_micros() as u64;
                self.wasted.fetch_add(micros, Ordering::Relaxed)
            }
        };
        entry
    }

    fn tell(&self, entry: &Arc<Entry>, news: News) {
        if !self.can_send {
            return;
        }
        {
            let mut state = self.exchange.lock();
            if state.trouble.is_some() || !state.told.insert(entry.key) {
                return;
            }
        }
        if let Some(letter) = self.letter(entry, news) {
            self.exchange.submit(Job::Send(vec![letter]));
        }
    }

    fn flush(&self) {
        if !self.can_send {
            return;
        }
        if !self.wait(|state| state.is_idle()) {
            self.exchange.give_up_sending();
            return;
        }
        if self.exchange.submit_packs() && !self.wait(|state| state.is_idle()) {
            self.exchange.give_up_sending();
        }
    }

    fn take_notes(&self) -> Vec<StoreNote> {
        std::mem::take(&mut self.exchange.lock().notes)
    }

    fn traffic(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let progress = &self.exchange.progress;
        Traffic {
            verdicts: read(&self.verdicts),
            refused: read(&self.exchange.refused),
            sent: {
                let state = self.exchange.lock();
                state.sent.max(state.packed)
            },
            requests: read(&progress.requests),
            bytes_received: read(&progress.received),
            bytes_sent: read(&progress.sent),
            waited: read(&self.waited) / 1000,
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.exchange.stop();
    }
}
