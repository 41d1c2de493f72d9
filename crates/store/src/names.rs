//! What is remembered by name rather than by key: the latest entry of a subject, and its latest miss.

use crate::entry::{checked_body, read_parts, write_parts};
use std::sync::Arc;
use stet_key::{DecodeError, Decoder, Digest, Encoder, KeyParts};

/// A kind and a subject.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    pub kind: Arc<str>,
    /// What the verdict is about.
    pub subject: Arc<str>,
}

impl Name {
    /// The name of a subject within a kind.
    pub fn new(kind: &str, subject: &str) -> Self {
        Name {
            kind: kind.into(),
            subject: subject.into(),
        }
    }

    /// The row of this name in the file.
    pub(crate) fn digest(&self) -> Digest {
        let mut e = Encoder::new();
        self.write(&mut e);
        e.digest_of_all()
    }

    fn write(&self, e: &mut Encoder) {
        e.str(&self.kind);
        e.str(&self.subject);
    }

    fn read(d: &mut Decoder<'_>) -> Result<Name, DecodeError> {
        Ok(Name {
            kind: d.str()?.into(),
            subject: d.str()?.into(),
        })
    }
}

/// The key under which a subject was last put.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Latest {
    pub(crate) name: Name,
    pub(crate) key: Digest,
}

impl Latest {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let bytes = sealed(|e| {
            self.name.write(e);
            e.digest(&self.key);
        });
        debug_assert!(
            Latest::from_bytes(&bytes).is_ok_and(|read| read == *self),
            "what is written can be read"
        );
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut d = Decoder::new(checked_body(bytes)?);
        let latest = Latest {
            name: Name::read(&mut d)?,
            key: d.digest()?,
        };
        d.finish()?;
        Ok(latest)
    }
}

/// The latest miss of a subject: what was looked for and what was there instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Miss {
    /// What was asked about.
    pub name: Name,
    /// When, in seconds since 1970.
    pub at: u64,
    /// The key that was looked for.
    pub key: Digest,
    pub parts: KeyParts,
    /// The key and the parts of the subject's latest entry at that time, if it had one.
    pub previous: Option<(Digest, KeyParts)>,
}

impl Miss {
    /// The first part in which the key differs from that of the latest entry; `None` if there was no
    /// entry, or if the entry with the same parts had been lost or evicted.
    pub fn first_difference(&self) -> Option<&str> {
        let (_, previous) = self.previous.as_ref()?;
        self.parts.first_difference(previous)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let bytes = sealed(|e| {
            self.name.write(e);
            e.u64(self.at);
            e.digest(&self.key);
            write_parts(e, &self.parts);
            e.option(self.previous.as_ref(), |e, (key, parts)| {
                e.digest(key);
                write_parts(e, parts);
            });
        });
        debug_assert!(
            Miss::from_bytes(&bytes).is_ok_and(|read| read == *self),
            "what is written can be read"
        );
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut d = Decoder::new(checked_body(bytes)?);
        let miss = Miss {
            name: Name::read(&mut d)?,
            at: d.u64()?,
            key: d.digest()?,
            parts: read_parts(&mut d)?,
            previous: d.option(|d| Ok((d.digest()?, read_parts(d)?)))?,
        };
        d.finish()?;
        Ok(miss)
    }
}

fn sealed(write: impl FnOnce(&mut Encoder)) -> Vec<u8> {
    let mut e = Encoder::new();
    write(&mut e);
    let checksum = e.digest_of_all();
    e.digest(&checksum);
    debug_assert!(
        checked_body(e.bytes()).is_ok(),
        "a record ends with the digest of all before it"
    );
    e.bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_round_trip_and_notice_every_flipped_bit() {
        let parts = |text: &str| {
            KeyParts(vec![(
                "options".to_owned(),
                Digest::of_bytes(text.as_bytes()),
            )])
        };
        let miss = Miss {
            name: Name::new("k", "s"),
            at: 5,
            key: Digest::of_bytes(b"1"),
            parts: parts("a"),
            previous: Some((Digest::of_bytes(b"2"), parts("b"))),
        };
        assert_eq!(miss.first_difference(), Some("options"));
        let latest = Latest {
            name: Name::new("k", "s"),
            key: Digest::of_bytes(b"1"),
        };
        assert_eq!(Miss::from_bytes(&miss.to_bytes()), Ok(miss.clone()));
        assert_eq!(Latest::from_bytes(&latest.to_bytes()), Ok(latest.clone()));
        for (bytes, is_miss) in [(miss.to_bytes(), true), (latest.to_bytes(), false)] {
            for bit in 0..bytes.len() * 8 {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                let noticed = if is_miss {
                    Miss::from_bytes(&damaged).is_err()
                } else {
                    Latest::from_bytes(&damaged).is_err()
                };
                assert!(noticed, "bit {bit}");
            }
        }
    }
}
