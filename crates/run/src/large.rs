//! Products, powers and decimal digits of very large integers, in steps between which the clock is looked at.

use num_bigint::{BigInt, BigUint, Sign};

/// Below this many bits one operation takes no time worth mentioning.
pub(crate) const LARGE: u64 = 1 << 20;

/// Says whether to go on.
pub(crate) type GoOn<'a> = &'a mut dyn FnMut() -> bool;

/// The product; `None` if stopped.
pub(crate) fn multiply(a: &BigInt, b: &BigInt, go_on: GoOn<'_>) -> Option<BigInt> {
    let product = multiply_magnitudes(a.magnitude(), b.magnitude(), go_on)?;
    Some(BigInt::from_biguint(a.sign() * b.sign(), product))
}

/// Karatsuba's way down to where the library is quick.
fn multiply_magnitudes(a: &BigUint, b: &BigUint, go_on: GoOn<'_>) -> Option<BigUint> {
    if a.bits().min(b.bits()) < LARGE {
        return go_on().then(|| a * b);
    }
    let half = a.bits().max(b.bits()) / 2;
    let split = |n: &BigUint| {
        let high = n >> half;
        let low = n - (&high << half);
        (high, low)
    };
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    let high = multiply_magnitudes(&a1, &b1, go_on)?;
    let low = multiply_magnitudes(&a0, &b0, go_on)?;
    let both = multiply_magnitudes(&(a1 + a0), &(b1 + b0), go_on)?;
    let middle = both - &high - &low;
    Some((high << (2 * half)) + (middle << half) + low)
}

/// The power; `None` if stopped.
pub(crate) fn power(base: &BigInt, exponent: u32, go_on: GoOn<'_>) -> Option<BigInt> {
    let mut result = BigInt::from(1);
    for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
        result = multiply(&result, &result, go_on)?;
        if exponent >> bit & 1 == 1 {
            result = multiply(&result, base, go_on)?;
        }
    }
    Some(result)
}

/// The decimal digits; `None` if stopped.
pub(crate) fn decimal(value: &BigInt, go_on: GoOn<'_>) -> Option<String> {
    if value.bits() < LARGE {
        return Some(value.to_string());
    }
    let mut rest = value.magnitude().clone();
    // One division takes about as many steps as there are words in both operands, multiplied.
    let words = rest.bits() / 64;
    let digits = ((1 << 26) / words).clamp(16, 1 << 12) as u32 * 19;
    let chunk = BigUint::from(10u32).pow(digits);
    let mut pieces = Vec::new();
    while rest.bits() >= chunk.bits() {
        if !go_on() {
            return None;
        }
        let quotient = &rest / &chunk;
        let remainder = rest - &quotient * &chunk;
        pieces.push(format!("{remainder:0>width$}", width = digits as usize));
        rest = quotient;
    }
    let mut text = String::new();
    if value.sign() == num_bigint::Sign::Minus {
        text.push('-');
    }
    if rest > BigUint::ZERO || pieces.is_empty() {
        text.push_str(&rest.to_string());
    } else if let Some(first) = pieces.pop() {
        text.push_str(first.trim_start_matches('0'));
    }
    for piece in pieces.iter().rev() {
        text.push_str(piece);
    }
    Some(text)
}

/// The nearest float.
pub(crate) fn big_to_float(value: &BigInt) -> f64 {
    // The most significant 64 bits with a last bit that stands for all below round as the whole number does.
    let shift = value.bits().saturating_sub(64);
    let magnitude = value.magnitude();
    let top = magnitude >> shift;
    let exact = magnitude
        .trailing_zeros()
        .is_none_or(|zeros| zeros >= shift);
    let Some(&top) = top.to_u64_digits().first() else {
        return 0.0;
    };
    let top = (top | u64::from(!exact)) as f64;
    let scaled = match i32::try_from(shift) {
        Ok(shift) if shift <= 960 => top * 2f64.powi(shift),
        _ => f64::INFINITY,
    };
    match value.sign() {
        Sign::Minus => -scaled,
        _ => scaled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_to_the_same() {
        let mut yes = || true;
        let base = BigInt::from(-7);
        let large = power(&base, 800_001, &mut yes).expect("nobody stops it");
        assert_eq!(large, base.pow(800_001));
        let product = multiply(&large, &large, &mut yes).expect("nobody stops it");
        assert_eq!(product, &large * &large);
        assert_eq!(
            decimal(&large, &mut yes).as_deref(),
            Some(large.to_string().as_str())
        );
        let round = BigInt::from(10).pow(400_000);
        assert_eq!(
            decimal(&round, &mut yes).as_deref(),
            Some(round.to_string().as_str())
        );
    }

    #[test]
    fn steps_can_be_stopped() {
        let mut no = || false;
        let large = BigInt::from(3).pow(1_000_000);
        assert_eq!(multiply(&large, &large, &mut no), None);
        assert_eq!(power(&large, 3, &mut no), None);
        assert_eq!(decimal(&large, &mut no), None);
    }
}
