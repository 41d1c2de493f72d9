//! Numbers: decimals in scientific form and floating-point literals by their fields.

use crate::ast::{Decimal, FloatLit, FloatValue};
use num_bigint::BigInt;

/// `12.50e-3` as mantissa and exponent, without trailing zeros.
pub(crate) fn decimal(text: &str) -> Option<Decimal> {
    let (number, exponent) = match text.split_once('e') {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let zeros = digits.len() - significant.len();
    let exponent = exponent
        .checked_sub(i32::try_from(fraction.len()).ok()?)?
        .checked_add(i32::try_from(zeros).ok()?)?;
    if significant.is_empty() {
        return Some(Decimal {
            mantissa: BigInt::from(0),
            exponent: 0,
        });
    }
    Some(Decimal {
        mantissa: significant.parse().ok()?,
        exponent,
    })
}

/// Why a floating-point literal is refused.
pub(crate) enum FloatError {
    /// Bits of the significand would be lost.
    Significand(u32),
    /// The exponent does not fit, or the value is too small.
    Exponent(u32),
    /// The size of the significand is too small or absurd.
    SignificandSize,
    /// The size of the exponent is too small or absurd.
    ExponentSize,
    /// Not a number at all.
    Format,
}

impl FloatError {
    /// Boogie's words for it.
    pub(crate) fn text(&self) -> String {
        match self {
            FloatError::Significand(bits) => {
                format!("The given significand cannot fit in the bit size {bits}")
            }
            FloatError::Exponent(bits) => {
                format!("The given exponent cannot fit in the bit size {bits}")
            }
            FloatError::SignificandSize => "Significand size must be greater than 1".to_owned(),
            FloatError::ExponentSize => "Exponent size must be greater than 1".to_owned(),
            FloatError::Format => "the number is not well formed".to_owned(),
        }
    }
}

/// `-0x1.8e3f24e8` (the exponent counts hexadecimal digits) or a special value, by its IEEE fields.
pub(crate) fn float(text: &str) -> Result<FloatLit, FloatError> {
    let special = [
        ("0NaN", FloatValue::Nan),
        ("0nan", FloatValue::Nan),
        ("0+oo", FloatValue::Infinity { negative: false }),
        ("0-oo", FloatValue::Infinity { negative: true }),
    ];
    for (prefix, value) in special {
        if let Some(size) = text.strip_prefix(prefix) {
            let (significand_bits, exponent_bits) = sizes(size)?;
            return Ok(FloatLit {
                significand_bits,
                exponent_bits,
                value,
            });
        }
    }
    let f = text.rfind('f').ok_or(FloatError::Format)?;
    let (significand_bits, exponent_bits) = sizes(&text[f + 1..])?;
    let e = text[..f].rfind('e').ok_or(FloatError::Format)?;
    let hex_exponent: i64 = text[e + 1..f]
        .parse()
        .map_err(|_| FloatError::Exponent(exponent_bits))?;
    let (negative, digits) = match text[..e].strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, &text[..e]),
    };
    let digits = digits.strip_prefix("0x").ok_or(FloatError::Format)?;
    let (whole, fraction) = digits.split_once('.').ok_or(FloatError::Format)?;
    let mantissa = BigInt::parse_bytes(format!("{whole}{fraction}").as_bytes(), 16)
        .ok_or(FloatError::Format)?;
    let scale = hex_exponent
        .checked_sub(fraction.len() as i64)
        .and_then(|s| s.checked_mul(4))
        .ok_or(FloatError::Exponent(exponent_bits))?;
    let (exponent, significand) = fields(mantissa, scale, significand_bits, exponent_bits)?;
    Ok(FloatLit {
        significand_bits,
        exponent_bits,
        value: FloatValue::Finite {
            negative,
            exponent,
            significand,
        },
    })
}

fn sizes(text: &str) -> Result<(u32, u32), FloatError> {
    let (significand, exponent) = text.split_once('e').ok_or(FloatError::Format)?;
    let significand: u32 = significand
        .parse()
        .map_err(|_| FloatError::SignificandSize)?;
    let exponent: u32 = exponent.parse().map_err(|_| FloatError::ExponentSize)?;
    if !(2..60).contains(&exponent) {
        return Err(FloatError::ExponentSize);
    }
    if !(2..1 << 20).contains(&significand) {
        return Err(FloatError::SignificandSize);
    }
    Ok((significand, exponent))
}

/// The biased exponent and the significand without its hidden bit of `mantissa · 2^scale`.
fn fields(
    mut mantissa: BigInt,
    mut scale: i64,
    significand_bits: u32,
    exponent_bits: u32,
) -> Result<(BigInt, BigInt), FloatError> {
    let zero = BigInt::from(0);
    if mantissa == zero {
        return Ok((zero.clone(), zero));
    }
    let bias: i64 = (1i64 << (exponent_bits - 1)) - 1;
    let least = 1 - bias;
    let stored = i64::from(significand_bits) - 1;
    // The value is 1.x · 2^top, or subnormal when top is below the least exponent.
    let top = scale + mantissa.bits() as i64 - 1;
    if top > bias {
        return Err(FloatError::Exponent(exponent_bits));
    }
    let unit = top.max(least) - stored;
    if unit - scale > mantissa.bits() as i64 {
        return Err(FloatError::Exponent(exponent_bits));
    }
    while scale < unit {
        let shift = (unit - scale).min(1 << 20) as u64;
        let shifted = &mantissa >> shift;
        if &shifted << shift != mantissa {
            return Err(if top < least {
                FloatError::Exponent(exponent_bits)
            } else {
                FloatError::Significand(significand_bits - 1)
            });
        }
        mantissa = shifted;
        scale += shift as i64;
    }
    let significand = mantissa << (scale - unit) as u64;
    if top < least {
        return Ok((zero, significand));
    }
    let hidden = BigInt::from(1) << stored as u64;
    Ok((BigInt::from(top + bias), significand - hidden))
}
