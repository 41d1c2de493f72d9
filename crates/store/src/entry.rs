//! One verdict as the store keeps it, and its bytes.
//!
//! A record is the canonical encoding of all fields followed by the BLAKE3 digest of that encoding. The
//! key is among the fields, so a record found under another key than its own does not decode: a flipped
//! bit anywhere in a row is a miss.

use std::sync::Arc;
use stet_key::{DecodeError, Decoder, Digest, Encoder, KeyParts};

/// Changes whenever the encoding of a record changes; records of another version miss.
pub const RECORD_VERSION: u32 = 3;

/// What was found out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Outcome {
    /// The obligation holds (verified, unsatisfiable, property satisfied).
    Holds = 1,
    /// The obligation fails; the evidence says how (errors, a model).
    Fails = 2,
    /// Neither was established within the limits that are part of the key.
    Unknown = 3,
    /// Not a verdict: data an engine keeps beside its verdicts, e.g. the snapshot last verified.
    Data = 4,
}

impl Outcome {
    /// The word shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Fails => "fails",
            Outcome::Unknown => "unknown",
            Outcome::Data => "data",
        }
    }

    fn from_tag(tag: u8) -> Result<Self, DecodeError> {
        [Self::Holds, Self::Fails, Self::Unknown, Self::Data]
            .into_iter()
            .find(|outcome| *outcome as u8 == tag)
            .ok_or(DecodeError::OutOfRange)
    }
}

/// Who found it out, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provenance {
    /// The engine, e.g. `verify`.
    pub engine: Arc<str>,
    /// The version of its semantics.
    pub engine_version: Arc<str>,
    /// The solver and its version; empty if none took part.
    pub solver: Arc<str>,
    /// Seconds since 1970; zero lets [`Store::put`](crate::Store::put) fill in the present.
    pub created: u64,
    /// The public key that vouches for it, in hexadecimal digits, if it came from a shared store; `None` for what
    /// was found out here. Entries whose signer is no longer trusted are not believed.
    pub signer: Option<Arc<str>>,
}

impl Provenance {
    /// Provenance of a verdict found now.
    pub fn now(engine: &str, engine_version: &str, solver: &str) -> Self {
        Provenance {
            engine: engine.into(),
            engine_version: engine_version.into(),
            solver: solver.into(),
            created: 0,
            signer: None,
        }
    }
}

/// A verdict with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What the verdict depends on, digested.
    pub key: Digest,
    /// The namespace, e.g. `"explore/query"`.
    pub kind: Arc<str>,
    /// What the verdict is about, for `latest` and `why`; e.g. `file.bpl:Proc`.
    pub subject: Option<Arc<str>>,
    pub outcome: Outcome,
    /// What supports it, in the engine's own encoding.
    pub evidence: Vec<u8>,
    /// Who found it out, and when.
    pub provenance: Provenance,
    /// The named parts of the key; may be empty where nobody will ask why.
    pub parts: KeyParts,
}

impl Entry {
    /// The record of this entry, checksum included.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut e = Encoder::new();
        e.u32(RECORD_VERSION);
        e.digest(&self.key);
        e.str(&self.kind);
        e.option(self.subject.as_deref(), Encoder::str);
        e.u8(self.outcome as u8);
        e.raw(&self.evidence);
        e.str(&self.provenance.engine);
        e.str(&self.provenance.engine_version);
        e.str(&self.provenance.solver);
        e.u64(self.provenance.created);
        e.option(self.provenance.signer.as_deref(), Encoder::str);
        write_parts(&mut e, &self.parts);
        let checksum = e.digest_of_all();
        e.digest(&checksum);
        debug_assert!(
            Entry::from_bytes(e.bytes()).is_ok_and(|read| read == *self),
            "what is written can be read"
        );
        e.bytes().to_vec()
    }

    /// Reads a record; an error unless every bit is as it was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Entry, DecodeError> {
        let body = checked_body(bytes)?;
        let mut d = Decoder::new(body);
        if d.u32()? != RECORD_VERSION {
            return Err(DecodeError::OutOfRange);
        }
        let entry = Entry {
            key: d.digest()?,
            kind: d.str()?.into(),
            subject: d.option(Decoder::str)?.map(Arc::from),
            outcome: Outcome::from_tag(d.u8()?)?,
            evidence: d.raw()?.to_vec(),
            provenance: Provenance {
                engine: d.str()?.into(),
                engine_version: d.str()?.into(),
                solver: d.str()?.into(),
                created: d.u64()?,
                signer: d.option(Decoder::str)?.map(Arc::from),
            },
            parts: read_parts(&mut d)?,
        };
        d.finish()?;
        Ok(entry)
    }

    /// Roughly how much memory the entry takes.
    pub(crate) fn weight(&self) -> usize {
        let parts: usize = self.parts.0.iter().map(|(name, _)| name.len() + 56).sum();
        200 + self.evidence.len() + self.subject.as_ref().map_or(0, |s| s.len()) + parts
    }
}

/// The part of `bytes` before the checksum, if the checksum is right.
pub(crate) fn checked_body(bytes: &[u8]) -> Result<&[u8], DecodeError> {
    let (body, checksum) = bytes
        .split_last_chunk::<32>()
        .ok_or(DecodeError::Truncated)?;
    if Digest::of_bytes(body) != Digest(*checksum) {
        return Err(DecodeError::OutOfRange);
    }
    Ok(body)
}

pub(crate) fn write_parts(e: &mut Encoder, parts: &KeyParts) {
    e.sequence(&parts.0, |e, (name, digest)| {
        e.str(name);
        e.digest(digest);
    });
}

pub(crate) fn read_parts(d: &mut Decoder<'_>) -> Result<KeyParts, DecodeError> {
    let parts = d.sequence(|d| Ok((d.str()?.to_owned(), d.digest()?)))?;
    Ok(KeyParts(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Entry {
        Entry {
            key: Digest::of_bytes(b"key"),
            kind: "test/kind".into(),
            subject: Some("a.bpl:P".into()),
            outcome: Outcome::Fails,
            evidence: b"evidence".to_vec(),
            provenance: Provenance {
                created: 12,
                ..Provenance::now("test", "1", "solver 2")
            },
            parts: KeyParts(vec![("options".into(), Digest::of_bytes(b"o"))]),
        }
    }

    #[test]
    fn records_round_trip() {
        let entry = sample();
        assert_eq!(Entry::from_bytes(&entry.to_bytes()), Ok(entry));
    }

    /// Damage that a checksum cannot find, because it is right: the decoder must still not panic, and what
    /// it accepts must be what it would write.
    #[test]
    fn mutated_records_with_a_right_checksum_decode_canonically_or_not_at_all() {
        let bytes = sample().to_bytes();
        let body = &bytes[..bytes.len() - 32];
        let mut numbers = stet_testkit::Random::new(1);
        let mut random = |limit: usize| numbers.below(limit);
        let mut accepted = 0;
        for _ in 0..20_000 {
            let mut mutated = body.to_vec();
            for _ in 0..=random(3) {
                let at = random(mutated.len());
                match random(4) {
                    0 => mutated[at] = random(256) as u8,
                    1 => mutated[at] ^= 1 << random(8),
                    2 => mutated.truncate(at.max(1)),
                    _ => mutated.insert(at, random(256) as u8),
                }
            }
            let checksum = Digest::of_bytes(&mutated);
            mutated.extend(checksum.0);
            if let Ok(entry) = Entry::from_bytes(&mutated) {
                assert_eq!(entry.to_bytes(), mutated);
                accepted += 1;
            }
        }
        assert!(accepted > 1000, "{accepted}");
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_noticed() {
        let bytes = sample().to_bytes();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Entry::from_bytes(&damaged).is_err(), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(
                Entry::from_bytes(&bytes[..length]).is_err(),
                "length {length}"
            );
        }
    }
}
