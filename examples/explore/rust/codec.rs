//! Numbers as groups of seven bits, and hexadecimal text. With `--cfg seeded` the first reader shifts too far on long inputs, and the
//! second one trusts that digits come in pairs.

/// Why bytes mean nothing.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// There are too few.
    End,
    /// The number does not fit.
    TooLong,
    /// Not a digit.
    Digit(u8),
}

/// A number as groups of seven bits, the lowest first.
pub fn write_number(mut number: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Reads what [`write_number`] wrote.
pub fn read_number(bytes: &[u8]) -> Result<u16, Error> {
    let mut number = 0u16;
    let mut shift = 0;
    for &byte in bytes {
        let group = u16::from(byte & 0x7f);
        if !cfg!(seeded) && (shift > 14 || shift == 14 && group > 3) {
            return Err(Error::TooLong);
        }
        number |= group << shift;
        if byte < 0x80 {
            return Ok(number);
        }
        shift += 7;
    }
    Err(Error::End)
}

/// Bytes as text.
pub fn write_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads what [`write_hex`] wrote.
pub fn read_hex(text: &str) -> Result<Vec<u8>, Error> {
    let digit = |byte: u8| (byte as char).to_digit(16).ok_or(Error::Digit(byte));
    let mut bytes = Vec::new();
    for pair in text.as_bytes().chunks(2) {
        if !cfg!(seeded) && pair.len() < 2 {
            return Err(Error::End);
        }
        bytes.push((digit(pair[0])? * 16 + digit(pair[1])?) as u8);
    }
    Ok(bytes)
}

#[cfg(stet)]
mod explored {
    use super::*;

    #[stet::explore]
    fn numbers_survive() {
        let number: u16 = stet::symbolic();
        assert_eq!(read_number(&write_number(number)), Ok(number));
    }

    #[stet::explore]
    fn no_bytes_make_the_reader_of_numbers_panic() {
        let bytes = stet::bytes("bytes", 4);
        let _ = read_number(&bytes);
    }

    #[stet::explore]
    fn no_text_makes_the_reader_of_digits_panic() -> Result<(), String> {
        let text = stet::text("text", 3);
        match read_hex(&text) {
            Ok(bytes) if bytes.len() * 2 != text.len() => Err(format!("{} bytes", bytes.len())),
            _ => Ok(()),
        }
    }
}
