//! Canonical encoding and digests: exactly what a verdict depends on, as 256 bits.
//!
//! A [`KeyBuilder`] is fed *parts* in a fixed order; every part has a name and a canonical, length-prefixed
//! encoding, so two different sequences of parts never encode alike. The builder also keeps a digest per
//! part ([`KeyParts`]) so that a miss can name the first part that differs.
//!
//! | in the key | where |
//! |---|---|
//! | encoding version | [`ENCODING_VERSION`], first bytes of every key |
//! | what kind of obligation | the domain given to [`KeyBuilder::new`] |
//! | engine version, solver identity, options, limits, the obligation itself | the parts an engine adds |
//!
//! Not in a key, ever: hash-map order, addresses, interner numbers, clocks, paths of temporary files.

mod decode;
mod encode;

pub use decode::{DecodeError, Decoder};
pub use encode::Encoder;

/// Changes whenever the encoding of any part changes; old entries then miss.
pub const ENCODING_VERSION: u32 = 2;

/// A 256-bit BLAKE3 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of raw bytes. Only for leaf data; compound values go through an [`Encoder`].
    pub fn of_bytes(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// Sixty-four hexadecimal digits.
    pub fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// Reads what [`to_hex`](Self::to_hex) wrote.
    pub fn from_hex(text: &str) -> Option<Digest> {
        blake3::Hash::from_hex(text)
            .ok()
            .map(|hash| Digest(*hash.as_bytes()))
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_hex()[..16])
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_hex())
    }
}

/// The named parts of a key with their digests, in order: what `stet cache why` compares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyParts(pub Vec<(String, Digest)>);

impl KeyParts {
    /// The name of the first part in which two keys differ.
    pub fn first_difference<'a>(&'a self, other: &'a KeyParts) -> Option<&'a str> {
        let longest = self.0.len().max(other.0.len());
        (0..longest).find_map(|i| match (self.0.get(i), other.0.get(i)) {
            (a, b) if a == b => None,
            (Some((name, _)), _) | (None, Some((name, _))) => Some(name.as_str()),
            (None, None) => None,
        })
    }
}

/// Builds a key from named parts.
pub struct KeyBuilder {
    hasher: blake3::Hasher,
    parts: KeyParts,
}

impl KeyBuilder {
    /// Starts a key for one kind of obligation, e.g. `"verify/implementation"`.
    pub fn new(domain: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut head = Encoder::new();
        head.u32(ENCODING_VERSION);
        head.str(domain);
        hasher.update(head.bytes());
        KeyBuilder {
            hasher,
            parts: KeyParts::default(),
        }
    }

    /// Adds a part written by `write`.
    pub fn part(&mut self, name: &str, write: impl FnOnce(&mut Encoder)) -> &mut Self {
        let mut encoder = Encoder::new();
        write(&mut encoder);
        self.digest_part(name, Digest::of_bytes(encoder.bytes()))
    }

    /// Adds a part whose digest is known already.
    pub fn digest_part(&mut self, name: &str, digest: Digest) -> &mut Self {
        let mut encoder = Encoder::new();
        encoder.str(name);
        encoder.digest(&digest);
        self.hasher.update(encoder.bytes());
        self.parts.0.push((name.to_owned(), digest));
        self
    }

    /// The finished key with its parts.
    pub fn finish(self) -> (Digest, KeyParts) {
        (Digest(*self.hasher.finalize().as_bytes()), self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: &[(&str, &str)]) -> (Digest, KeyParts) {
        let mut builder = KeyBuilder::new("test");
        for (name, value) in parts {
            builder.part(name, |e| e.str(value));
        }
        builder.finish()
    }

    #[test]
    fn keys_differ_when_any_part_differs() {
        let base = key(&[("a", "1"), ("b", "2")]);
        assert_eq!(base, key(&[("a", "1"), ("b", "2")]));
        for other in [
            &[("a", "1"), ("b", "3")][..],
            &[("a", "1")],
            &[("a", "1"), ("c", "2")],
            &[("b", "2"), ("a", "1")],
        ] {
            assert_ne!(base.0, key(other).0);
        }
        assert_eq!(
            base.1.first_difference(&key(&[("a", "1"), ("b", "3")]).1),
            Some("b")
        );
        assert_eq!(base.1.first_difference(&base.1), None);
    }

    #[test]
    fn the_domain_is_part_of_the_key() {
        assert_ne!(
            KeyBuilder::new("a").finish().0,
            KeyBuilder::new("b").finish().0
        );
    }

    #[test]
    fn hexadecimal_round_trips() {
        let digest = Digest::of_bytes(b"x");
        assert_eq!(Digest::from_hex(&digest.to_hex()), Some(digest));
        assert_eq!(Digest::from_hex("zz"), None);
    }
}
