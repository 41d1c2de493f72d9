//! What a path holds, judged by the first bytes, before SQLite touches it.
//!
//! A file that is not ours is never written to. Ours are SQLite files with our application id; since a
//! flipped bit may be in either mark, a file with one mark intact and the other nearly so is ours, damaged.

use std::io::{ErrorKind, Read};
use std::path::Path;

/// The application id in the header of our files: `STET`.
pub(crate) const APPLICATION_ID: u32 = 0x5354_4554;

/// Changes whenever the tables change; older files start afresh, newer ones are left alone.
pub(crate) const FORMAT_VERSION: u32 = 4;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// As many wrong bits as this do not make a mark a different mark.
const TOLERATED_BITS: u32 = 4;

/// What a path holds.
#[derive(Debug)]
pub(crate) enum Recognised {
    /// Nothing, or an empty file.
    Nothing,
    /// A database without an application id: ours in the making if it has no tables, else foreign.
    Unmarked,
    /// A store of the present format, or one that claims to be.
    Ours,
    /// A store of this older format.
    Older(u32),
    /// A store of this newer format.
    Newer(u32),
    /// A store with a damaged header.
    Damaged,
    Foreign,
    /// It cannot be read at all.
    Unreadable(std::io::Error),
}

/// Looks at the first bytes of a file.
pub(crate) fn recognise(path: &Path) -> Recognised {
    match look(path) {
        // Another process may have moved the log into the file between two looks at them: look again.
        Recognised::Damaged => look(path),
        other => other,
    }
}

fn look(path: &Path) -> Recognised {
    let mut header = Vec::with_capacity(100);
    // Before the file is opened: opening a named pipe waits for somebody to write to it.
    if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return Recognised::Foreign;
    }
    let read = std::fs::File::open(path).and_then(|mut file| {
        file.by_ref().take(100).read_to_end(&mut header)?;
        Ok(file.metadata()?.len())
    });
    match read {
        Ok(length) => match judge(&header) {
            Recognised::Ours if is_cut(&header, length) && !has_log(path) => Recognised::Damaged,
            other => other,
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Recognised::Nothing,
        Err(error) => Recognised::Unreadable(error),
    }
}

/// Whether the file is shorter than its header says. SQLite takes what is missing for zeros.
fn is_cut(header: &[u8], length: u64) -> bool {
    let page_size = header
        .get(16..18)
        .map_or(0, |bytes| u64::from(bytes[0]) << 8 | u64::from(bytes[1]));
    // The count of pages counts only if these two agree.
    let is_valid = word(header, 24) == word(header, 92);
    let pages = word(header, 28).map_or(0, u64::from);
    is_valid && length < pages * page_size
}

/// Pages that the file lacks may still be in the log.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|data| data.len() > 0)
}

fn judge(header: &[u8]) -> Recognised {
    if header.is_empty() {
        return Recognised::Nothing;
    }
    let (Some(magic), Some(id), Some(version)) =
        (header.get(..16), word(header, 68), word(header, 60))
    else {
        return Recognised::Foreign;
    };
    let magic_bits: u32 = MAGIC
        .iter()
        .zip(magic)
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    let id_bits = (id ^ APPLICATION_ID).count_ones();
    // A write version that SQLite does not know makes a file read-only for ever.
    let is_writable = header
        .get(18..20)
        .is_some_and(|v| v == [1, 1] || v == [2, 2]);
    match (magic_bits, id_bits) {
        (0, 0) if !is_writable => Recognised::Damaged,
        (0, 0) if version == FORMAT_VERSION => Recognised::Ours,
        (0, 0) if version < FORMAT_VERSION => Recognised::Older(version),
        (0, 0) => Recognised::Newer(version),
        (0, _) if id == 0 => Recognised::Unmarked,
        (0, 1..=TOLERATED_BITS) | (1..=TOLERATED_BITS, 0) => Recognised::Damaged,
        _ => Recognised::Foreign,
    }
}

fn word(header: &[u8], at: usize) -> Option<u32> {
    let bytes = header.get(at..at + 4)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(version: u32) -> Vec<u8> {
        let mut bytes = vec![0; 100];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[18..20].copy_from_slice(&[2, 2]);
        bytes[60..64].copy_from_slice(&version.to_be_bytes());
        bytes[68..72].copy_from_slice(&APPLICATION_ID.to_be_bytes());
        bytes
    }

    #[test]
    fn our_files_are_told_from_others() {
        assert!(matches!(judge(b""), Recognised::Nothing));
        assert!(matches!(judge(&header(FORMAT_VERSION)), Recognised::Ours));
        assert!(matches!(judge(&header(0)), Recognised::Older(0)));
        assert!(matches!(judge(&header(9)), Recognised::Newer(9)));
        assert!(matches!(judge(&[b'x'; 200]), Recognised::Foreign));
        assert!(matches!(
            judge(&header(FORMAT_VERSION)[..60]),
            Recognised::Foreign
        ));
        let mut other_application = header(FORMAT_VERSION);
        other_application[68..72].copy_from_slice(&[0; 4]);
        assert!(matches!(judge(&other_application), Recognised::Unmarked));
        other_application[68..72].copy_from_slice(b"GPKG");
        assert!(matches!(judge(&other_application), Recognised::Foreign));
    }

    #[test]
    fn one_flipped_bit_does_not_make_our_file_foreign() {
        for bit in (0..16 * 8).chain(18 * 8..20 * 8).chain(68 * 8..72 * 8) {
            let mut bytes = header(FORMAT_VERSION);
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(judge(&bytes), Recognised::Damaged), "bit {bit}");
        }
    }
}
