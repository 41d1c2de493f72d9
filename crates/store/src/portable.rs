//! Verdicts in a file to carry elsewhere: `stet cache export` and `import`.
//!
//! The file is a magic line, then for each entry its length and its record (which ends in its own
//! checksum), then a zero length, the number of entries and the digest of everything before. Nothing is
//! imported unless all of it is sound.

use crate::entry::Entry;
use crate::store::{Mode, Store};
use std::io::{self, Read, Write};
use stet_key::Digest;

const MAGIC: &[u8; 16] = b"stet export v1\r\n";

/// No record is longer; a longer length can only be damage.
const RECORD_LIMIT: u64 = 1 << 30;

/// Why a file cannot be imported.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportError {
    /// It is not an exported store.
    NotAnExport,
    /// It ends too early, or something in it was changed.
    Damaged,
    /// It cannot be read.
    Io(io::Error),
    /// The store may not be written.
    ReadOnly,
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ImportError::NotAnExport => f.write_str("it was not made by `stet cache export`"),
            ImportError::Damaged => f.write_str("it is truncated or was changed"),
            ImportError::Io(error) => error.fmt(f),
            ImportError::ReadOnly => f.write_str("the store cannot be written"),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<io::Error> for ImportError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => ImportError::Damaged,
            _ => ImportError::Io(error),
        }
    }
}

impl Store {
    /// Writes all entries, or those of one kind; returns how many.
    pub fn export(&self, output: &mut dyn Write, kind: Option<&str>) -> io::Result<u64> {
        let mut digesting = Digesting::new(output);
        digesting.write(MAGIC)?;
        let mut count = 0u64;
        let mut failure = None;
        self.for_each_entry(|entry| {
            if kind.is_some_and(|kind| kind != &*entry.kind) {
                return true;
            }
            count += 1;
            failure = digesting.write_record(&entry.to_bytes()).err();
            failure.is_none()
        });
        if let Some(error) = failure {
            return Err(error);
        }
        digesting.write(&0u64.to_le_bytes())?;
        digesting.write(&count.to_le_bytes())?;
        let digest = digesting.digest();
        output.write_all(&digest.0)?;
        output.flush()?;
        Ok(count)
    }

    /// Adds the entries of an exported file; returns how many. `open` is called twice: the whole file is
    /// checked before the first entry is taken over.
    pub fn import<R: Read>(
        &self,
        mut open: impl FnMut() -> io::Result<R>,
    ) -> Result<u64, ImportError> {
        if self.mode() != Mode::ReadWrite || self.file().is_none_or(|file| !file.is_writable()) {
            return Err(ImportError::ReadOnly);
        }
        read_entries(&mut open()?, &mut |_| {})?;
        let count = read_entries(&mut open()?, &mut |entry| self.put(entry))?;
        self.flush();
        Ok(count)
    }
}

/// Reads an exported file to its end and gives every entry to `visit`.
fn read_entries(input: &mut dyn Read, visit: &mut dyn FnMut(Entry)) -> Result<u64, ImportError> {
    let mut input = DigestingReader {
        input,
        hasher: Hasher::default(),
    };
    let mut magic = [0; MAGIC.len()];
    match input.read(&mut magic) {
        Err(ImportError::Damaged) => return Err(ImportError::NotAnExport),
        other => other?,
    }
    if magic != *MAGIC {
        return Err(ImportError::NotAnExport);
    }
    let mut count = 0;
    loop {
        let length = input.u64()?;
        if length == 0 {
            break;
        }
        let record = input.record(length)?;
        visit(Entry::from_bytes(&record).map_err(|_| ImportError::Damaged)?);
        count += 1;
    }
    let claimed = input.u64()?;
    let expected = input.hasher.digest();
    let mut found = [0; 32];
    input.input.read_exact(&mut found)?;
    let is_at_end = input.input.read(&mut [0])? == 0;
    if claimed != count || Digest(found) != expected || !is_at_end {
        return Err(ImportError::Damaged);
    }
    Ok(count)
}

/// A running digest of digests of blocks: `stet_key` digests whole byte strings only.
#[derive(Default)]
struct Hasher {
    state: Option<Digest>,
}

impl Hasher {
    fn update(&mut self, bytes: &[u8]) {
        let before = self.state.map_or([0; 32], |digest| digest.0);
        let block = Digest::of_bytes(bytes);
        self.state = Some(Digest::of_bytes(&[before, block.0].concat()));
    }

    fn digest(&self) -> Digest {
        self.state.unwrap_or(Digest([0; 32]))
    }
}

struct Digesting<'a> {
    output: &'a mut dyn Write,
    hasher: Hasher,
}

impl<'a> Digesting<'a> {
    fn new(output: &'a mut dyn Write) -> Self {
        Digesting {
            output,
            hasher: Hasher::default(),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.output.write_all(bytes)
    }

    fn write_record(&mut self, record: &[u8]) -> io::Result<()> {
        debug_assert!(
            !record.is_empty() && (record.len() as u64) <= RECORD_LIMIT,
            "a length of zero ends the file, and what is written can be read"
        );
        self.write(&(record.len() as u64).to_le_bytes())?;
        self.write(record)
    }

    fn digest(&self) -> Digest {
        self.hasher.digest()
    }
}

struct DigestingReader<'a> {
    input: &'a mut dyn Read,
    hasher: Hasher,
}

impl DigestingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<(), ImportError> {
        self.input.read_exact(buffer)?;
        self.hasher.update(buffer);
        Ok(())
    }

    fn u64(&mut self) -> Result<u64, ImportError> {
        let mut bytes = [0; 8];
        self.read(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Grows with what is really there, so that a wrong length cannot exhaust memory.
    fn record(&mut self, length: u64) -> Result<Vec<u8>, ImportError> {
        if length > RECORD_LIMIT {
            return Err(ImportError::Damaged);
        }
        let mut record = Vec::new();
        let read = (&mut *self.input).take(length).read_to_end(&mut record)?;
        if read as u64 != length {
            return Err(ImportError::Damaged);
        }
        debug_assert_eq!(
            record.len() as u64,
            length,
            "what is digested is what was read"
        );
        self.hasher.update(&record);
        Ok(record)
    }
}
