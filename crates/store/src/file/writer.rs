//! The writing thread: collects changes and writes them in batches, off the path of those who look up.
//!
//! A batch goes out when it is large, when [`LINGER`] has passed since its first change, on a flush and at
//! the end. What happens to a batch that cannot be written:
//!
//! * others hold the file: tried again a few times, then dropped with a note;
//! * the file is damaged: the file starts afresh, the batch is tried once more;
//! * no room: the log is moved into the file, then, at our own limit, old entries are evicted; the batch is
//!   tried again after each, then writing stops with a note;
//! * read-only or any other error: writing stops with a note. Look-ups go on.

use super::batch::{self, Batch};
use super::connect::{self, Fault};
use super::evict;
use crate::note::Notes;
use rusqlite::{Connection, Error};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a small batch may wait for more.
const LINGER: Duration = Duration::from_millis(200);
/// More than this many waiting changes make [`Writer::submit`] wait.
const QUEUE_LIMIT: usize = 65_536;
/// How often a batch is tried while others hold the file.
const ATTEMPTS: u32 = 3;

/// A handle to the writing thread.
#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default, Debug)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    written: Condvar,
}

#[derive(Default, Debug)]
struct Queue {
    batch: Batch,
    /// A batch is being written.
    is_writing: bool,
    /// Somebody waits: do not linger.
    hurry: bool,
    stop: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Starts the thread; `connection` becomes its own.
    pub(crate) fn start(
        path: PathBuf,
        connection: Connection,
        size_limit: u64,
        notes: Arc<Notes>,
    ) -> std::io::Result<Writer> {
        let shared = Arc::new(Shared::default());
        let mut worker = Worker {
            path,
            connection: Some(connection),
            size_limit,
            notes,
            batches_until_check: 0,
        };
        worker.limit_pages();
        let theirs = shared.clone();
        let thread = std::thread::Builder::new()
            .name("stet-store".to_owned())
            .spawn(move || worker.run(&theirs))?;
        Ok(Writer {
            shared,
            thread: Some(thread),
        })
    }

    /// Adds changes; waits only if the thread is very far behind.
    pub(crate) fn submit(&self, change: impl FnOnce(&mut Batch)) {
        let mut queue = self.shared.lock();
        while queue.batch.entries.len() >= QUEUE_LIMIT && !queue.stop {
            queue = wait(&self.shared.written, queue);
        }
        if queue.stop {
            return; // nobody will write it
        }
        let was_empty = queue.batch.is_empty();
        change(&mut queue.batch);
        debug_assert!(
            was_empty || !queue.batch.is_empty(),
            "changes are only added to a batch that waits"
        );
        if was_empty || queue.batch.is_large() {
            self.shared.changed.notify_one();
        }
    }

    /// Waits until everything submitted so far is written or given up.
    pub(crate) fn flush(&self) {
        let mut queue = self.shared.lock();
        while (!queue.batch.is_empty() || queue.is_writing) && !queue.stop {
            queue.hurry = true;
            self.shared.changed.notify_one();
            queue = wait(&self.shared.written, queue);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported by the panic hook; the entries are lost, no more.
            let _ = thread.join();
        }
    }
}

fn wait<'a>(condition: &Condvar, guard: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}

/// If the thread dies, those who wait for it must not wait for ever.
struct StopOnExit<'a>(&'a Shared);

impl Drop for StopOnExit<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.stop = true;
        queue.is_writing = false;
        self.0.written.notify_all();
    }
}

struct Worker {
    path: PathBuf,
    /// `None` once writing has stopped.
    connection: Option<Connection>,
    size_limit: u64,
    notes: Arc<Notes>,
    batches_until_check: u32,
}

impl Worker {
    fn run(&mut self, shared: &Shared) {
        let _stop = StopOnExit(shared);
        while let Some(batch) = next_batch(shared) {
            self.write(&batch);
            let mut queue = shared.lock();
            debug_assert!(
                queue.is_writing || queue.stop,
                "the batch that was taken is done"
            );
            queue.is_writing = false;
            shared.written.notify_all();
        }
    }

    fn write(&mut self, batch: &Batch) {
        if batch.must_start_afresh || (batch.file_is_damaged && self.is_really_damaged()) {
            self.start_afresh();
        }
        let mut repaired = false;
        for attempt in 1..=ATTEMPTS {
            let Some(connection) = &mut self.connection else {
                return;
            };
            let Err(error) = batch::write(connection, batch, crate::store::now()) else {
                self.keep_below_limit();
                return;
            };
            match connect::fault(&error) {
                Fault::Busy if attempt < ATTEMPTS => {}
                Fault::Busy => self.note_busy(),
                Fault::Damaged if !repaired => {
                    repaired = true;
                    self.start_afresh();
                }
                // A wrong page count in the header looks like a full file.
                Fault::Full if attempt == 1 && self.is_really_damaged() => self.start_afresh(),
                Fault::Full if attempt == 1 => self.shorten_log(),
                Fault::Full if attempt < ATTEMPTS => self.make_room(),
                fault => return self.stop_writing(fault, &error),
            }
        }
    }

    fn note_busy(&self) {
        self.notes.add(
            "store/busy",
            format!(
                "other processes keep `{}` locked; some verdicts were not written",
                self.path.display()
            ),
            None,
        );
    }

    /// Moves the log into the file: it may hold many versions of the same pages.
    fn shorten_log(&self) {
        if let Some(connection) = &self.connection {
            // Failing here makes the next attempt fail.
            let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
        }
    }

    /// Another process may have reset the file already, and a row may be damaged without the file being so.
    fn is_really_damaged(&self) -> bool {
        let Some(connection) = &self.connection else {
            return false;
        };
        let check = connection.pragma_query_value(None, "quick_check", |row| row.get(0));
        let verdict: Result<String, Error> = check;
        connect::check_tables(connection).is_err() || verdict.as_deref() != Ok("ok")
    }

    fn start_afresh(&mut self) {
        self.connection = None;
        match connect::reset(&self.path) {
            Ok(connection) => {
                self.connection = Some(connection);
                self.limit_pages();
                note_fresh_start(&self.notes, &self.path);
            }
            Err(error) => self.stop_writing(connect::fault(&error), &error),
        }
    }

    /// Evicts if it is our own limit that was reached; on a full disk that would free nothing.
    fn make_room(&mut self) {
        let limit = self.size_limit;
        if let Some(connection) = &mut self.connection
            && evict::used_bytes(connection).is_ok_and(|used| used > limit / 2)
        {
            // Failing here makes the next attempt fail, which stops writing.
            let _ = evict::evict_to(connection, limit / 2);
        }
    }

    fn keep_below_limit(&mut self) {
        if self.batches_until_check > 0 {
            self.batches_until_check -= 1;
            return;
        }
        self.batches_until_check = 8;
        let Some(connection) = &mut self.connection else {
            return;
        };
        let limit = self.size_limit;
        if evict::used_bytes(connection).is_ok_and(|used| used > limit / 10 * 9) {
            // A failure here shows up again when the next batch is written.
            let _ = evict::evict_to(connection, limit / 10 * 7);
        }
    }

    /// The limit as SQLite enforces it, in case eviction comes too late.
    fn limit_pages(&mut self) {
        if let Some(connection) = &self.connection {
            let pages = (self.size_limit / 4096).clamp(16, u64::from(u32::MAX / 2));
            let _ = connection.pragma_update(None, "max_page_count", pages as i64);
        }
    }

    fn stop_writing(&mut self, fault: Fault, error: &Error) {
        self.connection = None;
        let path = self.path.display();
        let (code, message) = match fault {
            Fault::Full => ("store/full", format!("no room left to write `{path}`")),
            Fault::ReadOnly => ("store/read-only", format!("cannot write `{path}`: {error}")),
            Fault::Damaged => (
                "store/damaged",
                format!("`{path}` is damaged and cannot be emptied: {error}"),
            ),
            Fault::Busy | Fault::Other => (
                "store/write-failed",
                format!("writing `{path}` failed: {error}"),
            ),
        };
        self.notes.add(
            code,
            message,
            Some("new verdicts are kept for this run only"),
        );
    }
}

/// Tells the user that the old verdicts are gone.
pub(crate) fn note_fresh_start(notes: &Notes, path: &Path) {
    notes.add(
        "store/damaged",
        format!("`{}` was damaged and starts afresh", path.display()),
        Some("no verdict was taken from the damaged file"),
    );
}

/// Waits for the next batch; `None` when there is nothing left and the end has come.
fn next_batch(shared: &Shared) -> Option<Batch> {
    let mut queue = shared.lock();
    while queue.batch.is_empty() {
        queue.hurry = false;
        if queue.stop {
            return None;
        }
        queue = wait(&shared.changed, queue);
    }
    if !queue.batch.is_large() && !queue.hurry && !queue.stop {
        queue = shared
            .changed
            .wait_timeout_while(queue, LINGER, |queue| {
                !queue.batch.is_large() && !queue.hurry && !queue.stop
            })
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
    debug_assert!(!queue.is_writing, "one batch is written at a time");
    debug_assert!(!queue.batch.is_empty(), "an empty batch is not written");
    queue.is_writing = true;
    Some(std::mem::take(&mut queue.batch))
}
