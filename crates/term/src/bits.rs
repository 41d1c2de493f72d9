//! Bit-vector values and their arithmetic, after SMT-LIB's QF_BV.
//!
//! Widths up to 64 are one machine word; wider values are big numbers. Division by zero gives all ones,
//! the remainder by zero the dividend. The same functions fold constants and evaluate terms.

use num_bigint::{BigInt, BigUint, Sign};

/// A bit-vector value. Invariant: the number is below two to the width, and small exactly when the
/// width is at most 64.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bits {
    width: u32,
    number: Number,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Number {
    Small(u64),
    Big(BigUint),
}

#[inline]
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

impl Bits {
    /// The low `width` bits of `value`.
    pub fn new(width: u32, value: u64) -> Bits {
        let number = if width <= 64 {
            Number::Small(value & mask(width))
        } else {
            Number::Big(value.into())
        };
        Bits { width, number }
    }

    /// The low `width` bits of `value`.
    pub fn from_big(width: u32, value: BigUint) -> Bits {
        if width <= 64 {
            let low = value.iter_u64_digits().next().unwrap_or(0);
            return Bits::new(width, low);
        }
        let number = if value.bits() > u64::from(width) {
            Number::Big(value % (BigUint::from(1u32) << width))
        } else {
            Number::Big(value)
        };
        Bits { width, number }
    }

    /// The low `width` bits of a number given by its bytes, least significant first.
    pub fn from_little_endian(width: u32, bytes: &[u8]) -> Bits {
        Bits::from_big(width, BigUint::from_bytes_le(bytes))
    }

    pub fn ones(width: u32) -> Bits {
        Bits::new(width, 0).not()
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value, if the width is at most 64.
    #[inline]
    pub fn to_u64(&self) -> Option<u64> {
        match self.number {
            Number::Small(value) => Some(value),
            Number::Big(_) => None,
        }
    }

    /// The value if it fits 64 bits, whatever the width.
    pub fn value_u64(&self) -> Option<u64> {
        match &self.number {
            Number::Small(value) => Some(*value),
            Number::Big(value) => u64::try_from(value).ok(),
        }
    }

    /// The value as a big number.
    pub fn to_big(&self) -> BigUint {
        match &self.number {
            Number::Small(value) => (*value).into(),
            Number::Big(value) => value.clone(),
        }
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        match &self.number {
            Number::Small(value) => *value == 0,
            Number::Big(value) => *value == BigUint::ZERO,
        }
    }

    /// Whether every bit is one.
    pub fn is_ones(&self) -> bool {
        match &self.number {
            Number::Small(value) => *value == mask(self.width),
            Number::Big(value) => value.count_ones() == u64::from(self.width),
        }
    }

    /// Whether the value is one.
    pub fn is_one(&self) -> bool {
        self.value_u64() == Some(1)
    }

    /// One bit, from the least significant; false past the width.
    pub fn bit(&self, index: u32) -> bool {
        match &self.number {
            Number::Small(value) => index < 64 && value >> index & 1 == 1,
            Number::Big(value) => value.bit(index.into()),
        }
    }

    /// The sign bit.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// The exponent, if exactly one bit is set.
    pub fn power_of_two(&self) -> Option<u32> {
        match &self.number {
            Number::Small(value) => value.is_power_of_two().then(|| value.trailing_zeros()),
            Number::Big(value) if value.count_ones() == 1 => {
                value.trailing_zeros().and_then(|n| u32::try_from(n).ok())
            }
            Number::Big(_) => None,
        }
    }

    fn lift(
        &self,
        other: &Bits,
        small: impl FnOnce(u64, u64) -> u64,
        big: impl FnOnce(&BigUint, &BigUint) -> BigUint,
    ) -> Bits {
        debug_assert_eq!(self.width, other.width);
        match (&self.number, &other.number) {
            (Number::Small(a), Number::Small(b)) => Bits::new(self.width, small(*a, *b)),
            _ => Bits::from_big(self.width, big(&self.to_big(), &other.to_big())),
        }
    }

    /// `bvadd`.
    pub fn add(&self, other: &Bits) -> Bits {
        self.lift(other, u64::wrapping_add, |a, b| a + b)
    }

    /// `bvsub`.
    pub fn sub(&self, other: &Bits) -> Bits {
        self.add(&other.neg())
    }

    /// `bvmul`.
    pub fn mul(&self, other: &Bits) -> Bits {
        self.lift(other, u64::wrapping_mul, |a, b| a * b)
    }

    /// `bvudiv`: all ones by zero.
    pub fn udiv(&self, other: &Bits) -> Bits {
        if other.is_zero() {
            return Bits::ones(self.width);
        }
        self.lift(other, |a, b| a / b, |a, b| a / b)
    }

    /// `bvurem`: the dividend by zero.
    pub fn urem(&self, other: &Bits) -> Bits {
        if other.is_zero() {
            return self.clone();
        }
        self.lift(other, |a, b| a % b, |a, b| a % b)
    }

    fn magnitude(&self) -> Bits {
        if self.is_negative() {
            self.neg()
        } else {
            self.clone()
        }
    }

    /// `bvsdiv`: truncating; by zero minus one or one, as the dividend's sign says.
    pub fn sdiv(&self, other: &Bits) -> Bits {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() == other.is_negative() {
            quotient
        } else {
            quotient.neg()
        }
    }

    /// `bvsrem`: the sign follows the dividend.
    pub fn srem(&self, other: &Bits) -> Bits {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.is_negative() {
            remainder.neg()
        } else {
            remainder
        }
    }

    /// `bvneg`.
    pub fn neg(&self) -> Bits {
        self.not().add(&Bits::new(self.width, 1))
    }

    /// `bvnot`.
    pub fn not(&self) -> Bits {
        match &self.number {
            Number::Small(value) => Bits::new(self.width, !value),
            Number::Big(value) => {
                let ones = (BigUint::from(1u32) << self.width) - 1u32;
                Bits::from_big(self.width, ones - value)
            }
        }
    }

    /// `bvand`.
    pub fn and(&self, other: &Bits) -> Bits {
        self.lift(other, |a, b| a & b, |a, b| a & b)
    }

    /// `bvor`.
    pub fn or(&self, other: &Bits) -> Bits {
        self.lift(other, |a, b| a | b, |a, b| a | b)
    }

    /// `bvxor`.
    pub fn xor(&self, other: &Bits) -> Bits {
        self.lift(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    fn shift_amount(&self, other: &Bits) -> Option<u32> {
        let amount = other.value_u64()?;
        (amount < u64::from(self.width)).then_some(amount as u32)
    }

    /// `bvshl`.
    pub fn shl(&self, other: &Bits) -> Bits {
        match (self.shift_amount(other), &self.number) {
            (None, _) => Bits::new(self.width, 0),
            (Some(n), Number::Small(value)) => Bits::new(self.width, value << n),
            (Some(n), Number::Big(value)) => Bits::from_big(self.width, value << n),
        }
    }

    /// `bvlshr`.
    pub fn lshr(&self, other: &Bits) -> Bits {
        match (self.shift_amount(other), &self.number) {
            (None, _) => Bits::new(self.width, 0),
            (Some(n), Number::Small(value)) => Bits::new(self.width, value >> n),
            (Some(n), Number::Big(value)) => Bits::from_big(self.width, value >> n),
        }
    }

    /// `bvashr`.
    pub fn ashr(&self, other: &Bits) -> Bits {
        if self.is_negative() {
            self.not().lshr(other).not()
        } else {
            self.lshr(other)
        }
    }

    /// `bvult`.
    pub fn ult(&self, other: &Bits) -> bool {
        debug_assert_eq!(self.width, other.width);
        self.number < other.number
    }

    /// `bvslt`.
    pub fn slt(&self, other: &Bits) -> bool {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.ult(other),
        }
    }

    /// `concat`, `self` above `low`.
    pub fn concat(&self, low: &Bits) -> Bits {
        let width = self.width + low.width;
        match (&self.number, &low.number) {
            (Number::Small(a), Number::Small(b)) if width <= 64 => {
                Bits::new(width, a << low.width | b)
            }
            _ => Bits::from_big(width, (self.to_big() << low.width) | low.to_big()),
        }
    }

    /// `(_ extract high low)`.
    pub fn extract(&self, high: u32, low: u32) -> Bits {
        let width = high - low + 1;
        match &self.number {
            Number::Small(value) => Bits::new(width, value >> low),
            Number::Big(value) => Bits::from_big(width, value >> low),
        }
    }

    /// Zero-extends to `width`.
    pub fn zero_extend(&self, width: u32) -> Bits {
        match &self.number {
            Number::Small(value) => Bits::new(width, *value),
            Number::Big(value) => Bits::from_big(width, value.clone()),
        }
    }

    /// Sign-extends to `width`.
    pub fn sign_extend(&self, width: u32) -> Bits {
        if self.is_negative() {
            self.not().zero_extend(width).not()
        } else {
            self.zero_extend(width)
        }
    }

    /// The value read as two's complement.
    pub fn to_signed(&self) -> BigInt {
        if self.is_negative() {
            BigInt::from_biguint(Sign::Minus, self.neg().to_big())
        } else {
            self.to_big().into()
        }
    }
}

impl std::fmt::Display for Bits {
    /// As SMT-LIB writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.number {
            Number::Small(value) if self.width.is_multiple_of(4) => {
                write!(f, "#x{value:0width$x}", width = (self.width / 4) as usize)
            }
            Number::Small(value) if self.width < 8 => {
                write!(f, "#b{value:0width$b}", width = self.width as usize)
            }
            Number::Small(value) => write!(f, "(_ bv{value} {})", self.width),
            Number::Big(value) => write!(f, "(_ bv{value} {})", self.width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wide arithmetic agrees with machine words on values that fit both.
    #[test]
    fn big_and_small_agree() {
        let samples = [0u64, 1, 2, 3, 7, 0x7f, 0x80, 0xff, 0xfffe];
        for &a in &samples {
            for &b in &samples {
                let small = (Bits::new(16, a), Bits::new(16, b));
                let big = (
                    Bits::new(16, a).sign_extend(80),
                    Bits::new(16, b).sign_extend(80),
                );
                type Binary = fn(&Bits, &Bits) -> Bits;
                let exact: [Binary; 5] = [Bits::add, Bits::sub, Bits::mul, Bits::and, Bits::xor];
                for op in exact {
                    let wide = op(&big.0, &big.1).extract(15, 0);
                    assert_eq!(wide, op(&small.0, &small.1), "{a} {b}");
                }
                assert_eq!(small.0.slt(&small.1), big.0.slt(&big.1));
                let quotient = small.0.sdiv(&small.1);
                assert_eq!(big.0.sdiv(&big.1).extract(15, 0), quotient, "{a} / {b}");
                let remainder = small.0.srem(&small.1);
                assert_eq!(big.0.srem(&big.1).extract(15, 0), remainder, "{a} % {b}");
            }
        }
    }

    #[test]
    fn shifts_past_the_width_saturate() {
        let value = Bits::new(8, 0x81);
        for amount in [8, 9, 255] {
            let amount = Bits::new(8, amount);
            assert!(value.shl(&amount).is_zero());
            assert!(value.lshr(&amount).is_zero());
            assert!(value.ashr(&amount).is_ones());
        }
        let wide = Bits::ones(100);
        assert!(wide.shl(&Bits::new(100, 100)).is_zero());
        assert!(wide.ashr(&Bits::ones(100)).is_ones());
    }

    #[test]
    fn written_as_smt_lib_reads_it() {
        let text = [
            Bits::new(8, 10),
            Bits::new(3, 5),
            Bits::new(9, 5),
            Bits::ones(65),
        ];
        let text: Vec<String> = text.iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            [
                "#x0a",
                "#b101",
                "(_ bv5 9)",
                "(_ bv36893488147419103231 65)"
            ]
        );
    }
}
