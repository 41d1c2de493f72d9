//! Writes files behind the exploration's back: where tests of many paths are told at once, creating their files takes longer than
//! computing them, and goes in parallel.
//!
//! ```text
//! write(path, content) ──bounded channel──> threads ──> files
//! finish() waits for all of them and returns what could not be written
//! ```

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Files on their way; who writes more waits.
const WAITING: usize = 4096;

/// How many files could not be written, and what was wrong with the first.
pub(super) type Lost = Option<(u64, String)>;

type File = (PathBuf, Vec<u8>);

/// Threads that write files.
#[derive(Debug)]
pub(super) struct Writer {
    files: SyncSender<File>,
    threads: Vec<JoinHandle<Lost>>,
}

impl Writer {
    /// Starts so many threads; `None` if none could be started.
    pub(super) fn start(threads: usize) -> Option<Writer> {
        let (files, waiting) = sync_channel(WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        let start = |_| {
            let waiting = waiting.clone();
            let builder = std::thread::Builder::new().name("writer".to_owned());
            builder.spawn(move || write_all(&waiting)).ok()
        };
        let threads: Vec<_> = (0..threads).filter_map(start).collect();
        (!threads.is_empty()).then_some(Writer { files, threads })
    }

    /// Writes a file, some time before [`finish`](Self::finish) returns.
    pub(super) fn write(&self, path: PathBuf, content: Vec<u8>) {
        // the threads end after the channel only
        let _ = self.files.send((path, content));
    }

    /// Waits for all files.
    pub(super) fn finish(self) -> Lost {
        drop(self.files);
        let lost = self.threads.into_iter().filter_map(|thread| {
            let unknown = || Some((1, "a thread that writes files ended early".to_owned()));
            thread.join().unwrap_or_else(|_| unknown())
        });
        lost.reduce(|a, b| (a.0 + b.0, a.1))
    }
}

fn write_all(waiting: &Mutex<Receiver<File>>) -> Lost {
    let mut lost = None;
    loop {
        let next = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok((path, content)) = next else {
            return lost;
        };
        if let Err(error) = std::fs::write(&path, content) {
            note(&mut lost, &path, &error);
        }
    }
}

/// Counts a file that could not be written.
pub(super) fn note(lost: &mut Lost, path: &std::path::Path, error: &std::io::Error) {
    let first = || (0, format!("`{}`: {error}", path.display()));
    lost.get_or_insert_with(first).0 += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_are_there_at_the_end_and_lost_ones_are_counted() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let writer = Writer::start(3).expect("threads");
        for number in 0..500u32 {
            let path = place.path().join(number.to_string());
            writer.write(path, number.to_le_bytes().to_vec());
        }
        writer.write(place.path().join("no/where"), Vec::new());
        writer.write(place.path().join("no/where/else"), Vec::new());
        let (count, first) = writer.finish().expect("two files are lost");
        assert_eq!(count, 2);
        assert!(first.contains("no/where"), "{first}");
        for number in 0..500u32 {
            let content = std::fs::read(place.path().join(number.to_string()));
            assert_eq!(content.expect("written"), number.to_le_bytes());
        }
    }
}
