//! A pack: the envelopes of one run in one object, so that a run can fetch them with one request.
//!
//! ```text
//! "stet pack v1\r\n\0\0"   count (4)   count × [address (32), offset (4), length (4)], sorted   envelopes
//! ```
//!
//! A pack is not signed and need not be: each envelope in it is. Whatever is wrong with it makes entries miss.

use crate::envelope::{self, ENVELOPE_LIMIT};
use std::collections::BTreeMap;
use stet_key::Digest;

const MAGIC: &[u8; 16] = b"stet pack v1\r\n\0\0";
const ROW: usize = 40;

/// No pack is longer.
pub const PACK_LIMIT: usize = 64 << 20;

/// Envelopes by address, as they were read.
#[derive(Default, Debug)]
pub struct Pack {
    bytes: Vec<u8>,
    count: usize,
}

impl Pack {
    /// The pack in these bytes; `None` if they are not one.
    pub fn parse(bytes: Vec<u8>) -> Option<Pack> {
        let count = u32::from_le_bytes(bytes.strip_prefix(MAGIC)?.get(..4)?.try_into().ok()?);
        let count = count as usize;
        let index = count.checked_mul(ROW)?.checked_add(MAGIC.len() + 4)?;
        (index <= bytes.len()).then_some(Pack { bytes, count })
    }

    /// The bytes of a pack with these envelopes; those that no longer fit are left out.
    pub fn write(envelopes: &BTreeMap<Digest, Vec<u8>>) -> Vec<u8> {
        let mut room = PACK_LIMIT - MAGIC.len() - 4;
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
        let start = MAGIC.len() + 4 + n * ROW;
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
        for count in [0, 1, 2, 50] {
            let envelopes = sample(count);
            let pack = Pack::parse(Pack::write(&envelopes)).unwrap();
            assert_eq!(pack.count(), count);
            for (address, envelope) in &envelopes {
                assert_eq!(pack.find(address), Some(&envelope[..]));
            }
            assert_eq!(pack.find(&Digest::of_bytes(b"none")), None);
            assert_eq!(pack.envelopes().count(), count);
        }
    }

    #[test]
    fn damaged_packs_never_panic() {
        let bytes = Pack::write(&sample(5));
        let mut numbers = stet_testkit::Random::new(1);
        let mut random = |limit: usize| numbers.below(limit);
        for _ in 0..5000 {
            let mut damaged = bytes.clone();
            for _ in 0..=random(4) {
                let at = random(damaged.len());
                damaged[at] = random(256) as u8;
            }
            damaged.truncate(random(bytes.len()) + 1);
            if let Some(pack) = Pack::parse(damaged) {
                let _ = pack.envelopes().count();
                let _ = pack.find(&Digest::of_bytes(b"x"));
            }
        }
    }
}
