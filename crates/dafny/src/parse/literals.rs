//! Literals: numbers, characters, strings.

use super::lexer::unescape;
use super::token::Tok;
use super::{PResult, Parser};
use crate::ast::ExprKind;
use crate::tree::Decimal;
use num_bigint::BigInt;
use stet_base::Span;

/// The longest number that is read; longer ones are refused.
const MAX_DIGITS: usize = 100_000;

/// The largest power of ten a literal may name.
const MAX_EXPONENT: i64 = 10_000;

impl Parser<'_> {
    /// A literal token other than `true`, `false`, `null`.
    pub(crate) fn literal(&mut self) -> PResult<ExprKind> {
        let span = self.span();
        let text = self.text_of(span);
        let kind = match self.kind() {
            Tok::Int => ExprKind::Int(self.integer(span, text, 10)),
            Tok::Hex => ExprKind::Int(self.integer(span, &text[2..], 16)),
            Tok::Decimal => ExprKind::Real(self.decimal(span, text)),
            Tok::Char => self.char_literal(span, text),
            Tok::Str => ExprKind::Str(self.unescaped(span, &text[1..text.len() - 1])),
            Tok::VerbatimStr => {
                let body = text[2..text.len() - 1].replace("\"\"", "\"");
                ExprKind::Str(body.chars().map(|c| c as u32).collect())
            }
            _ => return self.error("invalid Literal"),
        };
        self.bump();
        Ok(kind)
    }

    fn integer(&mut self, span: Span, digits: &str, radix: u32) -> BigInt {
        if digits.len() > MAX_DIGITS {
            self.semantic_error(span, "number is too long");
            return BigInt::default();
        }
        let clean: Vec<u8> = digits.bytes().filter(|&b| b != b'_').collect();
        BigInt::parse_bytes(&clean, radix).unwrap_or_default()
    }

    fn decimal(&mut self, span: Span, text: &str) -> Decimal {
        let (mantissa, power) = text.split_once('e').unwrap_or((text, "0"));
        let power: i64 = power.replace('_', "").parse().unwrap_or(i64::MAX);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction_digits = fraction.bytes().filter(|&b| b != b'_').count() as i64;
        let digits = self.integer(span, &format!("{whole}{fraction}"), 10);
        let exponent = power.saturating_sub(fraction_digits);
        if power.abs() > MAX_EXPONENT {
            self.semantic_error(span, "the exponent of this number is too large");
        }
        Decimal {
            digits,
            exponent: exponent.clamp(-1_000_000, 1_000_000) as i32,
        }
    }

    fn char_literal(&mut self, span: Span, text: &str) -> ExprKind {
        let value = self.unescaped(span, &text[1..text.len() - 1]);
        if value.len() > 1 {
            self.semantic_error(span, "too many characters in character literal");
        }
        ExprKind::Char(value.first().copied().unwrap_or(0))
    }

    fn unescaped(&mut self, span: Span, body: &str) -> Vec<u32> {
        unescape(body).unwrap_or_else(|message| {
            self.semantic_error(span, message);
            Vec::new()
        })
    }
}
