//! A directory: a network drive, or what a build server keeps between runs. Each object is a file that appears in
//! one step, below a directory named by the first byte of its address.

use super::{Link, LinkError, Progress};
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use stet_key::Digest;

/// A directory of objects.
pub(super) struct Directory {
    path: PathBuf,
}

impl Directory {
    pub(super) fn new(path: PathBuf) -> Self {
        Directory { path }
    }

    fn place(&self, address: &Digest) -> PathBuf {
        let name = address.to_hex();
        self.path.join(&name[..2]).join(name)
    }

    fn read(&self, address: &Digest, limit: usize) -> std::io::Result<Option<Vec<u8>>> {
        let place = self.place(address);
        // What is no file (a pipe, a device) could keep the thread for ever.
        match std::fs::metadata(&place) {
            Ok(data) if data.is_file() => {}
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(place)?;
        file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }

    fn write(&self, address: &Digest, bytes: &[u8]) -> std::io::Result<()> {
        let place = self.place(address);
        let directory = place.parent().unwrap_or(&self.path);
        std::fs::create_dir_all(directory)?;
        let mut draft = tempfile::NamedTempFile::new_in(directory)?;
        draft.write_all(bytes)?;
        draft.persist(&place).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Link for Directory {
    fn get(
        &mut self,
        addresses: &[Digest],
        limit: usize,
        progress: &Progress,
    ) -> Result<Vec<Option<Vec<u8>>>, LinkError> {
        let read = |address| {
            progress.request();
            let found = self.read(address, limit).map_err(fault)?;
            progress.receive(found.as_ref().map_or(0, Vec::len));
            Ok(found)
        };
        addresses.iter().map(read).collect()
    }

    fn put(&mut self, objects: &[(Digest, &[u8])], progress: &Progress) -> Result<(), LinkError> {
        for (address, bytes) in objects {
            progress.request();
            self.write(address, bytes).map_err(fault)?;
            progress.send(bytes.len());
        }
        Ok(())
    }
}

fn fault(error: std::io::Error) -> LinkError {
    LinkError::Refused(error.to_string())
}
