//! Sums and products in parentheses, from text to a number. With `--cfg seeded` two errors are in it: an unclosed parenthesis reads past
//! the end of the text, and products overflow.

/// Why a text has no value.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// The text ends too early.
    End,
    /// A character that does not belong here.
    Unexpected(usize),
    /// The number does not fit.
    Overflow,
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
}

/// The value of a text.
pub fn evaluate(text: &[u8]) -> Result<u8, Error> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.sum()?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(Error::Unexpected(parser.at)),
    }
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn sum(&mut self) -> Result<u8, Error> {
        let mut value = self.product()?;
        while self.peek() == Some(b'+') {
            self.at += 1;
            value = value.checked_add(self.product()?).ok_or(Error::Overflow)?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<u8, Error> {
        let mut value = self.atom()?;
        while self.peek() == Some(b'*') {
            self.at += 1;
            let factor = self.atom()?;
            value = match cfg!(seeded) {
                true => value * factor,
                false => value.checked_mul(factor).ok_or(Error::Overflow)?,
            };
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<u8, Error> {
        match self.peek().ok_or(Error::End)? {
            b'(' => {
                self.at += 1;
                let value = self.sum()?;
                let next = match cfg!(seeded) {
                    true => self.text[self.at],
                    false => self.peek().ok_or(Error::End)?,
                };
                if next != b')' {
                    return Err(Error::Unexpected(self.at));
                }
                self.at += 1;
                Ok(value)
            }
            digit @ b'0'..=b'9' => {
                self.at += 1;
                // few digits reach large numbers, so that short texts do
                Ok((digit - b'0') * 28)
            }
            _ => Err(Error::Unexpected(self.at)),
        }
    }
}

#[cfg(stet)]
mod explored {
    use super::*;

    #[stet::explore]
    fn no_text_makes_the_parser_panic() {
        let text: [u8; 4] = stet::symbolic();
        let _ = evaluate(&text);
    }

    #[stet::explore]
    fn parentheses_change_nothing() {
        let digit: u8 = stet::symbolic();
        stet::assume(digit.is_ascii_digit());
        assert_eq!(evaluate(&[digit]), evaluate(&[b'(', digit, b')']));
    }
}
