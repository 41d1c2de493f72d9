//! Concrete floating point: the machine's own operations for `float` and `double`, `rustc_apfloat` for the other formats.
//!
//! Numbers are their bits. NaNs are those of x86, as in the symbolic circuits of `stet_term`: the first NaN operand made
//! quiet, or the negative quiet NaN without payload, whatever the machine Stet runs on.

use crate::code::Fmt;
use rustc_apfloat::{Float, FloatConvert, Round, Status, ieee};
use std::cmp::Ordering;
use stet_llvm::{BinaryOp, FloatPredicate};
use stet_term::{FloatFormat, Floats, Rounding, Terms, ieee_to_x87, x87_to_ieee};

impl Fmt {
    /// Bits of a number.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Fmt::F16 | Fmt::BF16 => 16,
            Fmt::F32 => 32,
            Fmt::F64 => 64,
            Fmt::F80 => 80,
            Fmt::F128 => 128,
        }
    }

    /// The IEEE format the number has, for the x87's without its explicit leading bit.
    pub(crate) fn format(self) -> FloatFormat {
        match self {
            Fmt::F16 => FloatFormat::HALF,
            Fmt::BF16 => FloatFormat::BFLOAT,
            Fmt::F32 => FloatFormat::SINGLE,
            Fmt::F64 => FloatFormat::DOUBLE,
            Fmt::F80 => FloatFormat::EXTENDED,
            Fmt::F128 => FloatFormat::QUAD,
        }
    }

    /// The bit of the sign.
    pub(crate) fn sign(self) -> u128 {
        1 << (self.bits() - 1)
    }

    /// The bit that makes a NaN quiet.
    fn quiet(self) -> u128 {
        1 << (self.format().precision - 2)
    }

    /// The NaN of invalid operations.
    fn invalid(self) -> u128 {
        match self {
            Fmt::F16 => 0xfe00,
            Fmt::BF16 => 0xffc0,
            Fmt::F32 => 0xffc0_0000,
            Fmt::F64 => 0xfff8_0000_0000_0000,
            Fmt::F80 => 0xffff_c000_0000_0000_0000,
            Fmt::F128 => 0xffff_8000_0000_0000 << 64,
        }
    }
}

/// Runs code with a type of `rustc_apfloat` for a format.
macro_rules! with_float {
    ($fmt:expr, $name:ident => $body:expr) => {
        match $fmt {
            Fmt::F16 => {
                type $name = ieee::Half;
                $body
            }
            Fmt::BF16 => {
                type $name = ieee::BFloat;
                $body
            }
            Fmt::F32 => {
                type $name = ieee::Single;
                $body
            }
            Fmt::F64 => {
                type $name = ieee::Double;
                $body
            }
            Fmt::F80 => {
                type $name = ieee::X87DoubleExtended;
                $body
            }
            Fmt::F128 => {
                type $name = ieee::Quad;
                $body
            }
        }
    };
}

/// Whether the number is a NaN.
pub(crate) fn is_nan(fmt: Fmt, x: u128) -> bool {
    with_float!(fmt, F => F::from_bits(x).is_nan())
}

/// The result of an operation, with the NaN its operands ask for.
fn settled(fmt: Fmt, result: u128, operands: &[u128]) -> u128 {
    if !is_nan(fmt, result) {
        return result;
    }
    let nan = operands.iter().find(|&&operand| is_nan(fmt, operand));
    nan.map_or(fmt.invalid(), |nan| nan | fmt.quiet())
}

/// `x op y`.
pub(crate) fn binary(op: BinaryOp, fmt: Fmt, x: u128, y: u128) -> u128 {
    let result = match fmt {
        Fmt::F32 => {
            let (a, b) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
            let result = match op {
                BinaryOp::FAdd => a + b,
                BinaryOp::FSub => a - b,
                BinaryOp::FMul => a * b,
                BinaryOp::FDiv => a / b,
                _ => a % b,
            };
            u128::from(result.to_bits())
        }
        Fmt::F64 => {
            let (a, b) = (f64::from_bits(x as u64), f64::from_bits(y as u64));
            let result = match op {
                BinaryOp::FAdd => a + b,
                BinaryOp::FSub => a - b,
                BinaryOp::FMul => a * b,
                BinaryOp::FDiv => a / b,
                _ => a % b,
            };
            u128::from(result.to_bits())
        }
        _ => with_float!(fmt, F => {
            let (a, b) = (F::from_bits(x), F::from_bits(y));
            let result = match op {
                BinaryOp::FAdd => a + b,
                BinaryOp::FSub => a - b,
                BinaryOp::FMul => a * b,
                BinaryOp::FDiv => a / b,
                _ => a.c_fmod(b),
            };
            result.value.to_bits()
        }),
    };
    settled(fmt, result, &[x, y])
}

/// `x * y + z`, rounded once.
pub(crate) fn fma(fmt: Fmt, [x, y, z]: [u128; 3]) -> u128 {
    let result = with_float!(fmt, F => {
        let (x, y, z) = (F::from_bits(x), F::from_bits(y), F::from_bits(z));
        x.mul_add(y, z).value.to_bits()
    });
    settled(fmt, result, &[x, y, z])
}

/// The square root.
pub(crate) fn sqrt(fmt: Fmt, x: u128) -> u128 {
    let result = match fmt {
        Fmt::F32 => u128::from(f32::from_bits(x as u32).sqrt().to_bits()),
        Fmt::F64 => u128::from(f64::from_bits(x as u64).sqrt().to_bits()),
        _ => {
            let terms = Terms::new();
            let floats = Floats::new(&terms, fmt.format());
            let bits = stet_term::Bits::from_little_endian(fmt.bits(), &x.to_le_bytes());
            let term = terms.bits(&bits);
            let root = match fmt {
                Fmt::F80 => ieee_to_x87(&terms, floats.sqrt(x87_to_ieee(&terms, term))),
                _ => floats.sqrt(term),
            };
            let value = terms.as_bits(root).as_ref().and_then(crate::value::to_u128);
            stet_base::always!(value.is_some(), "a circuit on numbers gives a number");
            value.unwrap_or(fmt.invalid())
        }
    };
    settled(fmt, result, &[x])
}

/// The number rounded to an integer.
pub(crate) fn round(fmt: Fmt, mode: Rounding, x: u128) -> u128 {
    let mode = match mode {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Zero => Round::TowardZero,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
    };
    let result = with_float!(fmt, F => F::from_bits(x).round_to_integral(mode).value.to_bits());
    settled(fmt, result, &[x])
}

/// How two numbers compare; `None` if one is a NaN.
pub(crate) fn order(fmt: Fmt, x: u128, y: u128) -> Option<Ordering> {
    match fmt {
        Fmt::F32 => f32::from_bits(x as u32).partial_cmp(&f32::from_bits(y as u32)),
        Fmt::F64 => f64::from_bits(x as u64).partial_cmp(&f64::from_bits(y as u64)),
        _ => with_float!(fmt, F => F::from_bits(x).partial_cmp(&F::from_bits(y))),
    }
}

pub(crate) fn compare(predicate: FloatPredicate, fmt: Fmt, x: u128, y: u128) -> bool {
    use Ordering::{Equal, Greater, Less};
    let order = order(fmt, x, y);
    let is = |wanted: &[Ordering]| order.is_some_and(|order| wanted.contains(&order));
    let unordered = order.is_none();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => is(&[Equal]),
        FloatPredicate::Ogt => is(&[Greater]),
        FloatPredicate::Oge => is(&[Greater, Equal]),
        FloatPredicate::Olt => is(&[Less]),
        FloatPredicate::Ole => is(&[Less, Equal]),
        FloatPredicate::One => is(&[Less, Greater]),
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::Ueq => unordered || is(&[Equal]),
        FloatPredicate::Ugt => unordered || is(&[Greater]),
        FloatPredicate::Uge => unordered || is(&[Greater, Equal]),
        FloatPredicate::Ult => unordered || is(&[Less]),
        FloatPredicate::Ule => unordered || is(&[Less, Equal]),
        FloatPredicate::Une => unordered || is(&[Less, Greater]),
        FloatPredicate::True => true,
    }
}

/// A number as one of another format.
pub(crate) fn convert(from: Fmt, to: Fmt, x: u128) -> u128 {
    if from == to {
        return x;
    }
    let mut loses = false;
    let result = with_float!(from, F => with_float!(to, T => {
        let converted: T = F::from_bits(x).convert(&mut loses).value;
        converted.to_bits()
    }));
    match is_nan(to, result) {
        true => result | to.quiet(),
        false => result,
    }
}

/// The number without its fraction as an integer of `width` bits, and whether it fits.
pub(crate) fn to_int(fmt: Fmt, x: u128, width: u32, signed: bool) -> (u128, bool) {
    let mut exact = false;
    let width = width.clamp(1, 128) as usize;
    let (value, status) = with_float!(fmt, F => {
        let number = F::from_bits(x);
        match signed {
            true => {
                let result = number.to_i128_r(width, Round::TowardZero, &mut exact);
                (result.value as u128, result.status)
            }
            false => {
                let result = number.to_u128_r(width, Round::TowardZero, &mut exact);
                (result.value, result.status)
            }
        }
    });
    let fits = !status.contains(Status::INVALID_OP);
    (value & crate::value::mask128(width as u32), fits)
}

/// The nearest number to an integer.
pub(crate) fn from_int(fmt: Fmt, integer: u128, width: u32, signed: bool) -> u128 {
    with_float!(fmt, F => match signed {
        true => F::from_i128(crate::value::signed128(integer, width)).value.to_bits(),
        false => F::from_u128(integer).value.to_bits(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The machine's x87 is not reachable from Rust; known values stand in for it.
    #[test]
    fn the_formats_without_hardware_are_computed() {
        let one = 0x3fff_8000_0000_0000_0000;
        let half = 0x3ffe_8000_0000_0000_0000;
        let sum = binary(BinaryOp::FAdd, Fmt::F80, one, half);
        assert_eq!(sum, 0x3fff_c000_0000_0000_0000);
        let third = binary(
            BinaryOp::FDiv,
            Fmt::F80,
            one,
            binary(BinaryOp::FAdd, Fmt::F80, sum, sum),
        );
        assert_eq!(third, 0x3ffd_aaaa_aaaa_aaaa_aaab);
        assert_eq!(
            convert(Fmt::F80, Fmt::F64, sum),
            u128::from(1.5f64.to_bits())
        );
        assert_eq!(
            convert(Fmt::F64, Fmt::F80, u128::from(1.5f64.to_bits())),
            sum
        );
        assert_eq!(to_int(Fmt::F80, sum, 32, true), (1, true));
        assert_eq!(from_int(Fmt::F80, 3, 32, true), 0x4000_c000_0000_0000_0000);
        let two = from_int(Fmt::F80, 2, 32, true);
        assert_eq!(sqrt(Fmt::F80, two), 0x3fff_b504_f333_f9de_6484);
        assert_eq!(binary(BinaryOp::FMul, Fmt::F16, 0x3e00, 0x4000), 0x4200);
        assert_eq!(binary(BinaryOp::FAdd, Fmt::BF16, 0x3fc0, 0x3f80), 0x4020);
        let minus = fmt_minus(Fmt::F80, one);
        assert_eq!(sqrt(Fmt::F80, minus), Fmt::F80.invalid());
        assert!(compare(FloatPredicate::Olt, Fmt::F80, minus, half));
    }

    fn fmt_minus(fmt: Fmt, x: u128) -> u128 {
        x ^ fmt.sign()
    }

    #[test]
    fn nans_are_those_of_x86() {
        let nan = u128::from(0x7ff0_0000_0000_0001u64);
        let one = u128::from(1f64.to_bits());
        let zero = 0;
        assert_eq!(binary(BinaryOp::FAdd, Fmt::F64, nan, one), nan | 1 << 51);
        assert_eq!(
            binary(BinaryOp::FDiv, Fmt::F64, zero, zero),
            Fmt::F64.invalid()
        );
        assert!(compare(FloatPredicate::Uno, Fmt::F64, nan, one));
    }
}
