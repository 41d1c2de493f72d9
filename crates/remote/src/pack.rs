//! A pack: the envelopes of one run in one object, so that a run can fetch them with one request.
//!
//! ```text
//! "stet pack v2\r\n\0\0"   its address (32)   count (4)   count × [address (32), offset (4), length (4)], sorted
//! envelopes   BLAKE3 of everything before (32)
//! ```
//!
//! A pack is not signed and need not be: each envelope in it is. The checksum is against servers that cut off, change or
//! mix up what they were given: nothing of such an answer is used, not even envelopes that are intact.

use crate::envelope::{self, ENVELOPE_LIMIT};
use std::collections::BTreeMap;
use stet_key::Digest;

const MAGIC: &[u8; 16] = b"stet pack v2\r\n\0\0";
/// What packs of all versions begin with.
const FAMILY: &[u8] = b"stet pack v";
const HEADER: usize = MAGIC.len() + 32 + 4;
const CHECKSUM: usize = 32;
const ROW: usize = 40;

/// No pack is longer.
pub const PACK_LIMIT: usize = 64 << 20;

/// Envelopes by address, as they were read.
#[derive(Default, Debug)]
pub struct Pack {
    bytes: Vec<u8>,
    count: usize,
}

/// Why bytes are not the pack they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackFault {
    /// A pack of another version of Stet: a miss.
    OtherVersion,
    /// Not what was put there.
    Damaged,
}

impl Pack {
    /// The pack in these bytes, which were asked for at `address`.
    pub fn parse(bytes: Vec<u8>, address: &Digest) -> Result<Pack, PackFault> {
        if !bytes.starts_with(MAGIC) && bytes.starts_with(FAMILY) {
            return Err(PackFault::OtherVersion);
        }
        let count = Self::count_in(&bytes, address).ok_or(PackFault::Damaged)?;
        Ok(Pack { bytes, count })
    }

    /// The number of envelopes in an undamaged pack.
    fn count_in(bytes: &[u8], address: &Digest) -> Option<usize> {
        let (content, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
        let header = content.strip_prefix(MAGIC)?;
        let (claimed, rest) = header.split_first_chunk::<32>()?;
        let (count, _) = rest.split_first_chunk::<4>()?;
        if *claimed != address.0 || blake3::hash(content).as_bytes() != checksum {
            return None;
        }
        let count = u32::from_le_bytes(*count) as usize;
        let index = count.checked_mul(ROW)?.checked_add(HEADER)?;
        (index <= content.len()).then_some(count)
    }

    /// The bytes of a pack with these envelopes for `address`; those that no longer fit are left out.
    pub fn write(address: &Digest, envelopes: &BTreeMap<Digest, Vec<u8>>) -> Vec<u8> {
        let mut room = PACK_LIMIT - HEADER - CHECKSUM;
        let fitting: Vec<_> = envelopes
            .iter()
            .filter(|(_, envelope)| {
                let size = envelope.len() + ROW;
                let fits = size <= room;
                room -= if fits { size } else { 0 };
                fits
            })
            .collect();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(address.0);
        bytes.extend((fitting.len() as u32).to_le_bytes());
        let mut offset = bytes.len() + fitting.len() * ROW;
        for (address, envelope) in &fitting {
            bytes.extend(address.0);
            bytes.extend((offset as u32).to_le_bytes());
            bytes.extend((envelope.len() as u32).to_le_bytes());
            offset += envelope.len();
        }
        fitting
            .iter()
            .for_each(|(_, envelope)| bytes.extend(*envelope));
        let checksum = blake3::hash(&bytes);
        bytes.extend(checksum.as_bytes());
        bytes
    }

    /// How many envelopes there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The envelope at an address.
    pub fn find(&self, address: &Digest) -> Option<&[u8]> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.address(middle)?.cmp(&address.0[..]) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.envelope(middle),
            }
        }
        None
    }

    /// All envelopes that lie at the address they claim.
    pub fn envelopes(&self) -> impl Iterator<Item = (Digest, &[u8])> {
        (0..self.count).filter_map(|n| {
            let envelope = self.envelope(n)?;
            let address = envelope::claimed_address(envelope)?;
            (self.address(n)? == address.0).then_some((address, envelope))
        })
    }

    fn row(&self, n: usize) -> Option<&[u8]> {
        let start = HEADER + n * ROW;
        self.bytes.get(start..start + ROW)
    }

    fn address(&self, n: usize) -> Option<&[u8]> {
        self.row(n)?.get(..32)
    }

    fn envelope(&self, n: usize) -> Option<&[u8]> {
        let row = self.row(n)?;
        let number = |at: usize| Some(u32::from_le_bytes(row.get(at..at + 4)?.try_into().ok()?));
        let (offset, length) = (number(32)? as usize, number(36)? as usize);
        if length > ENVELOPE_LIMIT {
            return None;
        }
        self.bytes.get(offset..offset.checked_add(length)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::tests::entry;
    use crate::keys::Signer;
    use crate::seal;

    fn sample(count: usize) -> BTreeMap<Digest, Vec<u8>> {
        let signer = Signer::from_seed("ci", [1; 32]);
        let entries = (0..count).map(entry);
        entries
            .map(|entry| {
                let envelope = envelope::close(&entry, &signer).unwrap();
                (seal::address(&entry.key), envelope)
            })
            .collect()
    }

    #[test]
    fn what_is_packed_is_found() {
        let name = Digest::of_bytes(b"name");
        for count in [0, 1, 2, 50] {
            let envelopes = sample(count);
            let pack = Pack::parse(Pack::write(&name, &envelopes), &name).unwrap();
            assert_eq!(pack.count(), count);
            for (address, envelope) in &envelopes {
                assert_eq!(pack.find(address), Some(&envelope[..]));
            }
            assert_eq!(pack.find(&Digest::of_bytes(b"none")), None);
            assert_eq!(pack.envelopes().count(), count);
        }
    }

    /// Nothing of a pack is used if any of it is wrong.
    #[test]
    fn whatever_is_changed_is_noticed() {
        let name = Digest::of_bytes(b"name");
        let bytes = Pack::write(&name, &sample(3));
        let fault = |bytes: &[u8]| Pack::parse(bytes.to_vec(), &name).err();
        let family = FAMILY.len()..MAGIC.len();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let expected = match family.contains(&at) {
                true => PackFault::OtherVersion,
                false => PackFault::Damaged,
            };
            assert_eq!(fault(&damaged), Some(expected), "byte {at}");
        }
        for length in MAGIC.len()..bytes.len() {
            assert_eq!(fault(&bytes[..length]), Some(PackFault::Damaged));
        }
        let longer = [&bytes[..], b"x"].concat();
        assert_eq!(fault(&longer), Some(PackFault::Damaged));
        let other = Pack::write(&Digest::of_bytes(b"other"), &sample(3));
        assert_eq!(fault(&other), Some(PackFault::Damaged), "replayed");
    }

    /// Somebody who writes checksums can write any pack: the rows may lie, and must not do more.
    #[test]
    fn packs_with_a_right_checksum_and_wrong_rows_never_panic() {
        let name = Digest::of_bytes(b"name");
        let bytes = Pack::write(&name, &sample(5));
        let content = &bytes[..bytes.len() - CHECKSUM];
        let mut numbers = stet_testkit::Random::new(1);
        let mut random = |limit: usize| numbers.below(limit);
        for _ in 0..5000 {
            let mut damaged = content.to_vec();
            for _ in 0..=random(4) {
                let at = MAGIC.len() + 32 + random(damaged.len() - MAGIC.len() - 32);
                damaged[at] = random(256) as u8;
            }
            damaged.truncate(HEADER + random(content.len() - HEADER) + 1);
            let checksum = blake3::hash(&damaged);
            damaged.extend(checksum.as_bytes());
            if let Ok(pack) = Pack::parse(damaged, &name) {
                let _ = pack.envelopes().count();
                let _ = pack.find(&Digest::of_bytes(b"x"));
            }
        }
    }
}
