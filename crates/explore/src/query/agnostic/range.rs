//! Strided intervals of numbers: `lo, lo + stride, …, hi`, all below 2⁶⁴.

/// A non-empty set of numbers `lo + i·stride` up to `hi`; a single number has stride 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) lo: u64,
    pub(crate) hi: u64,
    pub(crate) stride: u64,
}

/// The largest number of `width` bits.
pub(crate) fn largest(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Range {
    pub(crate) fn only(value: u64) -> Range {
        Range::new(value, value, 0)
    }

    /// All numbers of a width.
    pub(crate) fn full(width: u32) -> Range {
        Range::new(0, largest(width), 1)
    }

    /// Every `stride`-th number from `lo` to at most `hi`.
    pub(crate) fn new(lo: u64, hi: u64, stride: u64) -> Range {
        debug_assert!(lo <= hi);
        let hi = match stride {
            0 => hi,
            _ => lo + (hi - lo) / stride * stride,
        };
        let stride = if lo == hi { 0 } else { stride.max(1) };
        Range { lo, hi, stride }
    }

    /// Whether a number is in the set.
    pub(crate) fn contains(self, value: u64) -> bool {
        (self.lo..=self.hi).contains(&value)
            && (self.stride == 0 || (value - self.lo).is_multiple_of(self.stride))
    }

    /// How many numbers there are, saturating.
    pub(crate) fn count(self) -> u64 {
        match self.stride {
            0 => 1,
            stride => ((self.hi - self.lo) / stride).saturating_add(1),
        }
    }

    /// The numbers in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.count()).map(move |i| self.lo + i * self.stride)
    }

    /// A set that contains both.
    pub(crate) fn join(self, other: Range) -> Range {
        let distance = self.lo.abs_diff(other.lo);
        let stride = gcd(gcd(self.stride, other.stride), distance);
        Range::new(self.lo.min(other.lo), self.hi.max(other.hi), stride)
    }

    /// The numbers also between `lo` and `hi`, if any.
    pub(crate) fn within(self, lo: u64, hi: u64) -> Option<Range> {
        let start = if lo <= self.lo {
            self.lo
        } else if self.stride == 0 {
            return None;
        } else {
            let steps = (lo - self.lo).div_ceil(self.stride);
            self.lo.checked_add(steps.checked_mul(self.stride)?)?
        };
        let end = self.hi.min(hi);
        (start <= end).then(|| Range::new(start, end, self.stride))
    }

    /// Sums modulo 2^width.
    pub(crate) fn add(self, other: Range, width: u32) -> Range {
        let limit = largest(width);
        let lo = u128::from(self.lo) + u128::from(other.lo);
        let hi = u128::from(self.hi) + u128::from(other.hi);
        let modulus = u128::from(limit) + 1;
        // All sums wrap, or none does: otherwise nothing is known.
        if lo / modulus != hi / modulus {
            return Range::full(width);
        }
        let stride = gcd(self.stride, other.stride);
        Range::new((lo % modulus) as u64, (hi % modulus) as u64, stride)
    }

    /// Products with a constant, modulo 2^width.
    pub(crate) fn times(self, factor: u64, width: u32) -> Range {
        let product = |value: u64| value.checked_mul(factor).filter(|p| *p <= largest(width));
        match (product(self.lo), product(self.hi), product(self.stride)) {
            (Some(lo), Some(hi), Some(stride)) => Range::new(lo, hi, stride),
            _ => Range::full(width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_contain_what_they_should() {
        let ranges = [
            Range::only(0),
            Range::only(250),
            Range::new(0, 24, 8),
            Range::new(3, 17, 7),
            Range::new(240, 255, 5),
            Range::full(8),
        ];
        for a in ranges {
            assert_eq!(a.iter().count() as u64, a.count());
            for b in ranges {
                let (joined, sum) = (a.join(b), a.add(b, 8));
                for x in a.iter() {
                    assert!(a.contains(x) && joined.contains(x));
                    assert!(a.times(3, 8).contains(x * 3 % 256), "{a:?}");
                    for y in b.iter() {
                        assert!(joined.contains(y));
                        assert!(sum.contains((x + y) % 256), "{a:?} {b:?}");
                    }
                    let inside = a.within(b.lo, b.hi);
                    let expected = (b.lo..=b.hi).contains(&x);
                    assert_eq!(inside.is_some_and(|r| r.contains(x)), expected);
                }
            }
        }
    }
}
