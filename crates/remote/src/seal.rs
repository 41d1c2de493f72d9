//! Sealing: an entry is encrypted under a key derived from its own key, and lies at an address derived one way.
//!
//! A server, or anybody who reads its disk, sees addresses, sizes and times. To read an entry one must know its
//! key, which is a digest of the whole obligation: whoever has it has the program already. Nothing is shared in
//! advance between members of a team.
//!
//! The cipher is BLAKE3 in keyed mode with extendable output, xored onto the record; its nonce is a keyed digest of
//! the record, checked after decryption (the synthetic-IV construction: the same record gives the same bytes, and
//! two records under one key never share a key stream).

use stet_key::Digest;
use stet_store::Entry;

const ADDRESS: &str = "stet shared store 2026: address of an entry";
const STREAM: &str = "stet shared store 2026: key stream of an entry";
const NONCE: &str = "stet shared store 2026: nonce of an entry";
const PACK: &str = "stet shared store 2026: address of a pack";

const NONCE_LENGTH: usize = 16;

/// Where the entry with this key lies.
pub fn address(key: &Digest) -> Digest {
    Digest(blake3::derive_key(ADDRESS, &key.0))
}

/// Where the pack with this name lies.
pub fn pack_address(name: &str) -> Digest {
    Digest(blake3::derive_key(PACK, name.as_bytes()))
}

/// The record of an entry, readable by those who know its key.
pub fn seal(entry: &Entry) -> Vec<u8> {
    let record = entry.to_bytes();
    let nonce = nonce(&entry.key, &record);
    let mut sealed = nonce.to_vec();
    sealed.extend(record);
    apply_stream(&entry.key, &nonce, &mut sealed[NONCE_LENGTH..]);
    sealed
}

/// The entry in sealed bytes; `None` unless every bit is as it was sealed and the key is this one.
pub fn unseal(key: &Digest, sealed: &[u8]) -> Option<Entry> {
    let (found, body) = sealed.split_first_chunk::<NONCE_LENGTH>()?;
    let mut record = body.to_vec();
    apply_stream(key, found, &mut record);
    if nonce(key, &record) != *found {
        return None;
    }
    let entry = Entry::from_bytes(&record).ok()?;
    (entry.key == *key).then_some(entry)
}

fn nonce(key: &Digest, record: &[u8]) -> [u8; NONCE_LENGTH] {
    let digest = blake3::keyed_hash(&blake3::derive_key(NONCE, &key.0), record);
    let mut nonce = [0; NONCE_LENGTH];
    nonce.copy_from_slice(&digest.as_bytes()[..NONCE_LENGTH]);
    nonce
}

fn apply_stream(key: &Digest, nonce: &[u8; NONCE_LENGTH], bytes: &mut [u8]) {
    let mut stream = blake3::Hasher::new_keyed(&blake3::derive_key(STREAM, &key.0))
        .update(nonce)
        .finalize_xof();
    let mut block = [0; 1024];
    for chunk in bytes.chunks_mut(block.len()) {
        stream.fill(&mut block);
        chunk
            .iter_mut()
            .zip(block)
            .for_each(|(byte, pad)| *byte ^= pad);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::tests::entry;

    #[test]
    fn sealed_entries_open_under_their_key_only() {
        for size in [0, 1, 1000, 5000] {
            let entry = entry(size);
            let sealed = seal(&entry);
            assert_eq!(unseal(&entry.key, &sealed), Some(entry.clone()));
            assert_eq!(unseal(&Digest::of_bytes(b"other"), &sealed), None);
        }
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_noticed() {
        let entry = entry(20);
        let sealed = seal(&entry);
        for bit in 0..sealed.len() * 8 {
            let mut damaged = sealed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(unseal(&entry.key, &damaged), None, "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert_eq!(unseal(&entry.key, &sealed[..length]), None, "{length}");
        }
    }

    #[test]
    fn sealed_bytes_show_nothing_of_the_record() {
        let mut entry = entry(0);
        entry.evidence = b"SECRET".repeat(1000);
        let sealed = seal(&entry);
        for word in ["SECRET", "solver", "file.bpl", "test/kind"] {
            let found = sealed.windows(word.len()).any(|w| w == word.as_bytes());
            assert!(!found, "{word}");
        }
    }
}
