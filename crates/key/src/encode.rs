//! The canonical encoding: fixed-width little-endian integers, length-prefixed bytes and sequences; lengths take as few
//! bytes as they need.
//!
//! Every value is self-delimiting, so a concatenation of values decodes in one way only; that is what
//! makes a digest of it a key.

use crate::Digest;

/// Writes values in canonical form.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    /// An empty encoding.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The digest of what was written so far.
    pub fn digest_of_all(&self) -> Digest {
        Digest::of_bytes(&self.bytes)
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// A tag or a small number.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) {
        self.u8(value.into());
    }

    /// A 32-bit number.
    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A 64-bit number.
    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A signed 64-bit number.
    pub fn i64(&mut self, value: i64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A number that is mostly small: seven bits to a byte, the last byte below 128.
    pub fn count(&mut self, value: usize) {
        let mut rest = value;
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    /// A string with its length.
    pub fn str(&mut self, value: &str) {
        self.raw(value.as_bytes());
    }

    /// Bytes with their length.
    pub fn raw(&mut self, value: &[u8]) {
        self.count(value.len());
        self.bytes.extend_from_slice(value);
    }

    /// A digest (fixed length).
    pub fn digest(&mut self, value: &Digest) {
        self.bytes.extend_from_slice(&value.0);
    }

    /// A value that may be absent.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.bool(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    /// A sequence with its length.
    pub fn sequence<T>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let items = items.into_iter();
        self.count(items.len());
        for item in items {
            write(self, item);
        }
    }

    /// A set of digests, independent of the order and repetition of `items`.
    pub fn digest_set(&mut self, items: impl IntoIterator<Item = Digest>) {
        let mut items: Vec<Digest> = items.into_iter().collect();
        items.sort_unstable();
        items.dedup();
        self.sequence(&items, Self::digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(write: impl FnOnce(&mut Encoder)) -> Vec<u8> {
        let mut encoder = Encoder::new();
        write(&mut encoder);
        encoder.bytes().to_vec()
    }

    #[test]
    fn boundaries_are_part_of_the_encoding() {
        let split = |a: &str, b: &str| {
            encoded(|e| {
                e.str(a);
                e.str(b);
            })
        };
        assert_ne!(split("ab", "c"), split("a", "bc"));
    }

    #[test]
    fn sets_ignore_order_and_repetition() {
        let [a, b] = [b"a", b"b"].map(|bytes| Digest::of_bytes(bytes));
        assert_eq!(
            encoded(|e| e.digest_set([a, b, a])),
            encoded(|e| e.digest_set([b, a]))
        );
        assert_ne!(
            encoded(|e| e.digest_set([a])),
            encoded(|e| e.digest_set([a, b]))
        );
    }
}
