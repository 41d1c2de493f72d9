//! Reading back what an [`Encoder`](crate::Encoder) wrote: evidence in a store, entries of an exported file.
//!
//! The input is never trusted: every length is checked against what is left, so that damaged or hostile
//! bytes end in a [`DecodeError`] and not in a panic or a huge allocation.

use crate::Digest;

/// The bytes are not what the reader expects; in a cache that is a miss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DecodeError {
    /// The input ends inside a value.
    Truncated,
    /// A truth value that is neither 0 nor 1, or another value out of its range.
    OutOfRange,
    /// A string that is not UTF-8.
    NotUtf8,
    /// Bytes are left after the last value.
    TrailingBytes,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DecodeError::Truncated => "the data ends too early",
            DecodeError::OutOfRange => "a value is out of its range",
            DecodeError::NotUtf8 => "a string is not UTF-8",
            DecodeError::TrailingBytes => "there is data after the end",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Reads values in the order they were written.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// A reader at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder { rest: bytes }
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// An error if anything is left; called after the last value.
    pub fn finish(self) -> Result<(), DecodeError> {
        match self.rest {
            [] => Ok(()),
            _ => Err(DecodeError::TrailingBytes),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// A tag or a small number.
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    /// A truth value.
    pub fn bool(&mut self) -> Result<bool, DecodeError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::OutOfRange),
        }
    }

    /// A 32-bit number.
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A 64-bit number.
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A signed 64-bit number.
    pub fn i64(&mut self) -> Result<i64, DecodeError> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A number that is mostly small. It has one encoding only: no byte at its end may be zero.
    pub fn count(&mut self) -> Result<usize, DecodeError> {
        let mut value: u64 = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                return Err(DecodeError::OutOfRange);
            }
            value |= bits << shift;
            if byte < 0x80 {
                let is_shortest = byte != 0 || shift == 0;
                let value = usize::try_from(value).ok().filter(|_| is_shortest);
                return value.ok_or(DecodeError::OutOfRange);
            }
        }
        Err(DecodeError::OutOfRange)
    }

    /// A string with its length.
    pub fn str(&mut self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.raw()?).map_err(|_| DecodeError::NotUtf8)
    }

    /// Bytes with their length.
    pub fn raw(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.length()?;
        self.take(length)
    }

    pub fn digest(&mut self) -> Result<Digest, DecodeError> {
        Ok(Digest(self.array()?))
    }

    /// A value that may be absent.
    pub fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        if self.bool()? {
            read(self).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A sequence with its length. Every element takes at least one byte, which bounds the allocation.
    pub fn sequence<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let length = self.length()?;
        let mut items = Vec::with_capacity(length.min(1024));
        for _ in 0..length {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// A length, which cannot exceed what is left.
    pub fn length(&mut self) -> Result<usize, DecodeError> {
        let length = self.count()?;
        if length > self.rest.len() {
            return Err(DecodeError::Truncated);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoder;

    fn sample() -> Encoder {
        let mut e = Encoder::new();
        e.u8(7);
        e.bool(true);
        e.u32(u32::MAX);
        e.u64(1 << 40);
        e.i64(-3);
        e.count(300);
        e.str("naïve");
        e.raw(&[0, 255]);
        e.digest(&Digest::of_bytes(b"d"));
        e.option(Some("x"), |e, x| e.str(x));
        e.option(None::<&str>, |e, x| e.str(x));
        e.sequence(["a", "bc"], |e, x| e.str(x));
        e
    }

    fn read_sample(bytes: &[u8]) -> Result<String, DecodeError> {
        let mut d = Decoder::new(bytes);
        let mut text = format!("{} {} {} ", d.u8()?, d.bool()?, d.u32()?);
        text += &format!("{} {} {} ", d.u64()?, d.i64()?, d.count()?);
        text += &format!("{} ", d.str()?);
        text += &format!("{:?} {:?} ", d.raw()?, d.digest()?);
        text += &format!(
            "{:?} {:?} ",
            d.option(Decoder::str)?,
            d.option(Decoder::str)?
        );
        text += &format!("{:?}", d.sequence(Decoder::str)?);
        d.finish()?;
        Ok(text)
    }

    #[test]
    fn what_was_written_is_read() {
        let text = read_sample(sample().bytes()).unwrap();
        assert_eq!(
            text,
            format!(
                "7 true 4294967295 1099511627776 -3 300 naïve [0, 255] {:?} Some(\"x\") None [\"a\", \"bc\"]",
                Digest::of_bytes(b"d")
            )
        );
    }

    #[test]
    fn every_truncation_and_extension_is_an_error() {
        let sample = sample();
        let bytes = sample.bytes();
        for length in 0..bytes.len() {
            assert!(read_sample(&bytes[..length]).is_err(), "{length}");
        }
        let longer = [bytes, &[0]].concat();
        assert_eq!(read_sample(&longer), Err(DecodeError::TrailingBytes));
    }

    #[test]
    fn flipped_bits_never_panic() {
        let bytes = sample().bytes().to_vec();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let _ = read_sample(&damaged);
        }
    }

    #[test]
    fn huge_lengths_are_refused_before_allocating() {
        let mut e = Encoder::new();
        e.count(usize::MAX);
        assert_eq!(Decoder::new(e.bytes()).raw(), Err(DecodeError::Truncated));
        let sequence = Decoder::new(e.bytes()).sequence(Decoder::u8);
        assert_eq!(sequence, Err(DecodeError::Truncated));
    }
    #[test]
    fn counts_have_one_encoding() {
        for value in [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            u32::MAX as usize,
            usize::MAX,
        ] {
            let mut e = Encoder::new();
            e.count(value);
            let mut d = Decoder::new(e.bytes());
            assert_eq!(d.count(), Ok(value));
            assert_eq!(d.finish(), Ok(()));
        }
        let mut too_large = vec![0xff; 9];
        too_large.push(0x02);
        for bytes in [
            &[0x80, 0x00][..],
            &[0xff, 0x80, 0x00],
            &too_large,
            &[0xff; 11],
        ] {
            let count = Decoder::new(bytes).count();
            assert_eq!(count, Err(DecodeError::OutOfRange), "{bytes:?}");
        }
    }
}
