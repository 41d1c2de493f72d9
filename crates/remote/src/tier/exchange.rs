//! The queue between runs and servers, and the threads that work it off.
//!
//! Jobs are taken in their order, each by one thread with a connection of its own. The first failure opens the
//! breaker, and so do [`BAD_ANSWERS`] answers that are not what was put there: what is queued is dropped, what is asked
//! later is answered by silence, and the user is told once.

use crate::envelope::{self, ENVELOPE_LIMIT, Refusal};
use crate::keys::Signer;
use crate::link::{Link, LinkError, Progress, Url};
use crate::pack::{PACK_LIMIT, Pack, PackFault};
use crate::patience::Patience;
use crate::seal;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stet_base::FastMap;
use stet_key::Digest;
use stet_store::{Entry, StoreNote};

/// How often a waiting run looks whether something happened.
const TICK: Duration = Duration::from_millis(10);

/// A fetched pack above this size is not carried on as a whole when a new one is written.
const CARRY_LIMIT: usize = 32 << 20;

/// So many damaged, mixed up or forged answers show that a server is broken. One alone may be an object that was torn
/// once: it is replaced by what this run sends.
const BAD_ANSWERS: u64 = 3;

const REFUSED: &str = "store/remote-refused";
const FAILED: &str = "store/remote-failed";

/// Something to do for a thread.
#[derive(Debug)]
pub(super) enum Job {
    /// Fetch single objects.
    Fetch(Vec<Digest>),
    /// Fetch a pack.
    FetchPack(Digest),
    /// Seal, sign and put entries.
    Send(Vec<Letter>),
    /// Put a pack.
    PutPack(Digest, Vec<u8>),
}

/// What is known of an address.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// It was asked for.
    Asked,
    /// The server has nothing there.
    Absent,
    /// What the server has there.
    Found(Arc<[u8]>),
    /// It is in a pack.
    Packed(Arc<Pack>),
}

impl Answer {
    pub(super) fn is_final(&self) -> bool {
        !matches!(self, Answer::Asked)
    }
}

/// An entry to send.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) entry: Arc<Entry>,
    /// As an object of its own, not only in the pack.
    pub(super) alone: bool,
    /// The pack it belongs to.
    pub(super) pack: Option<Digest>,
}

/// Everything behind the one lock.
#[derive(Default, Debug)]
pub(super) struct State {
    queue: VecDeque<Job>,
    /// What is sent when nobody waits for anything.
    letters: Vec<Letter>,
    running: usize,
    threads: usize,
    stop: bool,
    pub(super) answers: FastMap<Digest, Answer>,
    /// Packs with the address they came from; `None` for pulled ones.
    pub(super) packs: Vec<(Option<Digest>, Arc<Pack>)>,
    pub(super) pending_packs: usize,
    /// The pack that what is told belongs to.
    pub(super) current: Option<Digest>,
    /// Keys of entries that were told.
    pub(super) told: BTreeSet<Digest>,
    outgoing: BTreeMap<Digest, BTreeMap<Digest, Vec<u8>>>,
    /// Answers that were not what was put there.
    bad_answers: u64,
    /// Why the server is not asked any more.
    pub(super) trouble: Option<String>,
    /// Entries sent on their own.
    pub(super) sent: u64,
    /// New entries sent in packs.
    pub(super) packed: u64,
    pub(super) notes: Vec<StoreNote>,
    noted: Vec<&'static str>,
}

impl State {
    /// Says something once.
    fn note(&mut self, code: &'static str, message: String, advice: &str) {
        if self.noted.contains(&code) {
            return;
        }
        self.noted.push(code);
        self.notes.push(StoreNote {
            code,
            message,
            advice: Some(advice.to_owned()),
        });
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.letters.is_empty() && self.running == 0
    }
}

/// The queue and its threads.
#[derive(Debug)]
pub(super) struct Exchange {
    url: Option<Url>,
    signer: Option<Signer>,
    pub(super) patience: Patience,
    pub(super) progress: Progress,
    /// Answers that were not believed.
    pub(super) refused: AtomicU64,
    state: Mutex<State>,
    changed: Condvar,
}

impl Exchange {
    pub(super) fn new(url: Option<Url>, signer: Option<Signer>, patience: Patience) -> Arc<Self> {
        let exchange = Arc::new(Exchange {
            patience,
            signer,
            progress: Progress::default(),
            refused: AtomicU64::new(0),
            state: Mutex::default(),
            changed: Condvar::new(),
            url,
        });
        match (&exchange.url, exchange.patience.paused()) {
            (None, _) => exchange.lock().trouble = Some(String::new()),
            (Some(url), Some(seconds)) => {
                let why = format!("the shared store {url} failed lately");
                exchange.lock().trouble = Some(why.clone());
                let advice =
                    format!("it is tried again in {seconds} s; until then runs do without it");
                exchange.note(FAILED, why, &advice);
            }
            (Some(_), None) => {}
        }
        exchange
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, code: &'static str, message: String, advice: &str) {
        self.lock().note(code, message, advice);
    }

    /// Queues a job, in pieces that fit the server.
    pub(super) fn submit(self: &Arc<Self>, job: Job) {
        let Some(url) = &self.url else {
            return;
        };
        let mut state = self.lock();
        if state.trouble.is_some() {
            return;
        }
        let batch = url.batch();
        match job {
            Job::Fetch(addresses) => {
                for address in &addresses {
                    state.answers.insert(*address, Answer::Asked);
                }
                let pieces = addresses
                    .chunks(batch)
                    .map(|piece| Job::Fetch(piece.to_vec()));
                state.queue.extend(pieces);
            }
            Job::FetchPack(_) => {
                state.pending_packs += 1;
                // Whatever is looked up needs it first.
                state.queue.push_front(job);
            }
            Job::Send(letters) => state.letters.extend(letters),
            Job::PutPack(..) => state.queue.push_back(job),
        }
        self.start_threads(&mut state, url);
        self.changed.notify_all();
    }

    fn start_threads(self: &Arc<Self>, state: &mut State, url: &Url) {
        let open = state.running + state.queue.len() + usize::from(!state.letters.is_empty());
        let wanted = url.connections().min(open);
        while state.threads < wanted {
            let exchange = self.clone();
            let builder = std::thread::Builder::new().name("shared store".to_owned());
            if builder.spawn(move || exchange.work()).is_err() {
                break;
            }
            state.threads += 1;
        }
    }

    /// The life of a thread.
    fn work(&self) {
        let Some(url) = &self.url else {
            return;
        };
        let mut link = url.link();
        loop {
            let Some(job) = self.next_job(url.batch()) else {
                return;
            };
            let done = self.carry_out(&mut *link, job);
            self.lock().running -= 1;
            if let Err(error) = done {
                self.fail(&format!("cannot use the shared store {url}: {error}"));
            }
            self.changed.notify_all();
        }
    }

    /// Waits for something to do; `None` at the end. Look-ups come before letters.
    fn next_job(&self, batch: usize) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.stop {
                return None;
            }
            let job = state.queue.pop_front().or_else(|| {
                let count = batch.min(state.letters.len());
                (count > 0).then(|| Job::Send(state.letters.drain(..count).collect()))
            });
            if let Some(job) = job {
                state.running += 1;
                return Some(job);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn carry_out(&self, link: &mut dyn Link, job: Job) -> Result<(), LinkError> {
        match job {
            Job::Fetch(addresses) => {
                let found = link.get(&addresses, ENVELOPE_LIMIT, &self.progress)?;
                for (address, bytes) in addresses.into_iter().zip(found) {
                    let answer = self.sort_in(&address, bytes);
                    self.lock().answers.insert(address, answer);
                }
            }
            Job::FetchPack(address) => {
                let found = link.get(&[address], PACK_LIMIT, &self.progress);
                let (bytes, outcome) = match found {
                    Ok(found) => (found.into_iter().next().flatten(), Ok(())),
                    Err(error) => (None, Err(error)),
                };
                let pack = bytes.map(|bytes| Pack::parse(bytes, &address));
                if let Some(Err(PackFault::Damaged)) = &pack {
                    self.refuse(Refusal::Malformed);
                }
                let mut state = self.lock();
                state.pending_packs = state.pending_packs.saturating_sub(1);
                let pack = pack.and_then(Result::ok);
                let pack = pack.map(|pack| (Some(address), Arc::new(pack)));
                state.packs.extend(pack);
                drop(state);
                outcome?;
            }
            Job::Send(letters) => {
                let objects = self.seal(letters);
                let objects: Vec<(Digest, &[u8])> = objects
                    .iter()
                    .map(|(address, bytes)| (*address, &bytes[..]))
                    .collect();
                if !objects.is_empty() {
                    link.put(&objects, &self.progress)?;
                    self.lock().sent += objects.len() as u64;
                }
            }
            Job::PutPack(address, pack) => link.put(&[(address, &pack)], &self.progress)?,
        }
        Ok(())
    }

    /// What an answer of the server is worth by its form.
    fn sort_in(&self, address: &Digest, bytes: Option<Vec<u8>>) -> Answer {
        let Some(bytes) = bytes else {
            return Answer::Absent;
        };
        match envelope::check_form(address, &bytes) {
            Ok(()) => Answer::Found(bytes.into()),
            Err(refusal) => {
                self.refuse(refusal);
                Answer::Absent
            }
        }
    }

    /// Counts an answer that is not believed; too many of them open the breaker.
    pub(super) fn refuse(&self, refusal: Refusal) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        let why = match refusal {
            Refusal::Malformed => "is damaged or too large".to_owned(),
            Refusal::OtherVersion => "is of another version of Stet".to_owned(),
            Refusal::OtherKey => "is not what its address says".to_owned(),
            Refusal::Untrusted(key) => {
                format!("is signed by {}, which is not trusted", Digest(key))
            }
            Refusal::Forged(key) => format!("has a forged signature of {}", Digest(key)),
        };
        self.note(
            REFUSED,
            format!("an answer of the shared store {why}: it is not believed"),
            "`stet cache keys list` shows who is trusted",
        );
        let is_broken = {
            let mut state = self.lock();
            state.bad_answers += u64::from(refusal.is_fault());
            let is_broken = state.bad_answers >= BAD_ANSWERS && state.trouble.is_none();
            if is_broken {
                // One warning says it all.
                state.notes.retain(|note| note.code != REFUSED);
            }
            is_broken
        };
        if is_broken {
            let shown = self.shown();
            self.fail(&format!(
                "{BAD_ANSWERS} answers of the shared store {shown} were damaged or mixed up, the last one {why}; none was believed"
            ));
        }
    }

    /// The server's address without credentials.
    fn shown(&self) -> String {
        self.url.as_ref().map(Url::to_string).unwrap_or_default()
    }

    /// Opens the breaker.
    fn fail(&self, why: &str) {
        {
            let mut state = self.lock();
            state.queue.clear();
            state.letters.clear();
            state.pending_packs = 0;
            if state.trouble.is_some() {
                return;
            }
            state.trouble = Some(why.to_owned());
            // in one step: a run that sees the trouble may end at once, and tells what there is to tell
            let advice = "this run goes on without it; nothing was lost";
            state.note(FAILED, why.to_owned(), advice);
        }
        self.patience.pause();
        self.changed.notify_all();
    }

    /// Waits until `done`, as long as something happens; false if it gave up.
    pub(super) fn wait(&self, done: impl Fn(&State) -> bool) -> bool {
        let start = Instant::now();
        let total = || {
            let progress = &self.progress;
            let counters = [&progress.received, &progress.sent, &progress.work];
            counters.map(|counter| counter.load(Ordering::Relaxed))
        };
        let (mut last, mut happened) = (total(), start);
        let mut state = self.lock();
        loop {
            if done(&state) {
                return true;
            }
            if state.trouble.is_some() {
                return false;
            }
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if last != total() {
                (last, happened) = (total(), Instant::now());
            }
            let is_stalled = happened.elapsed() > self.patience.stall;
            if !is_stalled && start.elapsed() <= self.patience.limit() {
                continue;
            }
            drop(state);
            let shown = self.shown();
            self.fail(&format!("the shared store {shown} is too slow"));
            return false;
        }
    }

    /// Seals and signs entries and puts them into their packs; returns those to send on their own.
    fn seal(&self, letters: Vec<Letter>) -> Vec<(Digest, Vec<u8>)> {
        let Some(signer) = &self.signer else {
            return Vec::new();
        };
        let mut alone = Vec::new();
        for letter in letters {
            let address = seal::address(&letter.entry.key);
            let is_packed = || {
                let state = self.lock();
                state
                    .packs
                    .iter()
                    .any(|(_, pack)| pack.find(&address).is_some())
            };
            if !letter.alone && (letter.pack.is_none() || is_packed()) {
                continue;
            }
            let Some(bytes) = envelope::close(&letter.entry, signer) else {
                continue;
            };
            self.progress.work.fetch_add(1, Ordering::Relaxed);
            if let Some(pack) = letter.pack {
                let mut state = self.lock();
                let outgoing = state.outgoing.entry(pack).or_default();
                outgoing.insert(address, bytes.clone());
            }
            if letter.alone {
                alone.push((address, bytes));
            }
        }
        alone
    }

    /// Queues the packs that have something new; whether there were any.
    pub(super) fn submit_packs(self: &Arc<Self>) -> bool {
        let outgoing = std::mem::take(&mut self.lock().outgoing);
        let is_any = !outgoing.is_empty();
        for (address, mut envelopes) in outgoing {
            let new = envelopes.len() as u64;
            let old = {
                let state = self.lock();
                let mut packs = state.packs.iter();
                let old = packs.find(|(from, _)| *from == Some(address));
                old.map(|(_, pack)| pack.clone())
            };
            for (at, envelope) in old.iter().flat_map(|pack| pack.envelopes()) {
                let size: usize = envelopes.values().map(Vec::len).sum();
                if size + envelope.len() > CARRY_LIMIT {
                    break;
                }
                envelopes.entry(at).or_insert_with(|| envelope.to_vec());
            }
            self.lock().packed += new;
            let pack = Pack::write(&address, &envelopes);
            self.submit(Job::PutPack(address, pack));
        }
        is_any
    }

    /// Drops what was not sent in time.
    pub(super) fn give_up_sending(&self) {
        let mut state = self.lock();
        state.queue.clear();
        state.letters.clear();
    }

    /// Asks for one object, with the patience of somebody who has nothing else to do.
    pub(super) fn ask(&self, address: Digest, limit: usize) -> Result<Option<Vec<u8>>, LinkError> {
        let Some(url) = &self.url else {
            return Err(LinkError::Refused("there is no shared store".to_owned()));
        };
        let found = url.link().get(&[address], limit, &self.progress)?;
        self.patience.resume();
        Ok(found.into_iter().next().flatten())
    }

    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.stop = true;
        state.queue.clear();
        self.changed.notify_all();
    }
}
