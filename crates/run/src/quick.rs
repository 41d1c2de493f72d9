//! Arithmetic on floats and big integers without going through [`crate::number`]: the usual cases, on the heap's words.
//!
//! Every function answers `None` where the case is not a usual one (overflow, division by zero, very large numbers,
//! other types); the general way then decides. Big integers are sign and magnitude, least significant word first.

use crate::cell::*;
use crate::machine::Machine;
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

/// Words of the largest result made here.
const MOST: usize = 1 << 16;
/// Integers below this are floats exactly.
const EXACT: i64 = 1 << 53;

/// A big or small integer as sign and magnitude.
struct Words<'a> {
    negative: bool,
    words: &'a [u64],
}

impl Machine {
    /// The value of a number as a float, if it is one or an integer that is one exactly.
    #[inline]
    fn as_float(&self, cell: Cell) -> Option<(f64, bool)> {
        match cell.tag() {
            INT if cell.small_value().abs() < EXACT => Some((cell.small_value() as f64, false)),
            BOX if self.heap.cell(cell.index()).kind() == KIND_FLOAT => {
                Some((self.float_value(cell), true))
            }
            _ => None,
        }
    }

    /// `a name b` for two numbers.
    #[inline]
    pub(crate) fn quick2(&mut self, name: Atom, a: Cell, b: Cell) -> Option<Cell> {
        if a.tag() != BOX && b.tag() != BOX || self.h + MOST + 8 >= self.heap_max {
            return None;
        }
        if let (Some((x, first)), Some((y, second))) = (self.as_float(a), self.as_float(b)) {
            if !first && !second {
                return None;
            }
            let value = match name {
                atom::PLUS => x + y,
                atom::MINUS => x - y,
                atom::STAR => x * y,
                atom::SLASH => x / y,
                _ => return None,
            };
            return value.is_finite().then(|| self.new_float(value));
        }
        self.quick_big(name, a, b)
    }

    /// `name(a)` for a float.
    #[inline]
    pub(crate) fn quick1(&mut self, name: Atom, a: Cell) -> Option<Cell> {
        let (x, true) = self.as_float(a)? else {
            return None;
        };
        let value = match name {
            atom::SQRT => x.sqrt(),
            atom::MINUS => -x,
            _ => return None,
        };
        (value.is_finite() && self.h + 8 < self.heap_max).then(|| self.new_float(value))
    }

    /// The order of two numbers one of which is a float.
    #[inline]
    pub(crate) fn quick_compare(&self, a: Cell, b: Cell) -> Option<Ordering> {
        let ((x, _), (y, _)) = (self.as_float(a)?, self.as_float(b)?);
        x.partial_cmp(&y)
    }

    fn words_of<'a>(&'a self, cell: Cell, room: &'a mut [u64; 1]) -> Option<Words<'a>> {
        match cell.tag() {
            INT => {
                let value = cell.small_value();
                room[0] = value.unsigned_abs();
                let len = usize::from(value != 0);
                Some(Words {
                    negative: value < 0,
                    words: &room[..len],
                })
            }
            BOX => {
                let header = self.heap.cell(cell.index());
                let start = cell.index() + 1;
                (header.kind() == KIND_BIG).then(|| Words {
                    negative: header.extra() != 0,
                    words: self.heap.slice(start, start + header.arity()),
                })
            }
            _ => None,
        }
    }

    fn quick_big(&mut self, name: Atom, a: Cell, b: Cell) -> Option<Cell> {
        let (mut room_a, mut room_b) = ([0], [0]);
        let x = self.words_of(a, &mut room_a)?;
        let y = self.words_of(b, &mut room_b)?;
        if x.words.len() + y.words.len() >= MOST {
            return None;
        }
        let (negative, words) = match name {
            atom::PLUS => sum(&x, &y, false),
            atom::MINUS => sum(&x, &y, true),
            atom::STAR => {
                let negative = x.negative != y.negative;
                let product = match (x.words, y.words) {
                    (many, [one]) | ([one], many) => times(many, *one),
                    _ => return None,
                };
                (negative, product)
            }
            _ => return None,
        };
        self.charge(words.len());
        Some(self.integer_of_words(negative, words))
    }

    fn integer_of_words(&mut self, negative: bool, mut words: Vec<u64>) -> Cell {
        while words.last() == Some(&0) {
            words.pop();
        }
        let small = match words.as_slice() {
            [] => Some(0),
            [word] => i64::try_from(*word).ok(),
            _ => None,
        };
        let small = small.map(|value| if negative { -value } else { value });
        if let Some(value) = small.filter(|&value| fits_small(value)) {
            return Cell::small(value);
        }
        let index = self.push(Cell::box_header(KIND_BIG, words.len(), u32::from(negative)));
        let end = self.h + words.len();
        self.heap.slice_mut(self.h, end).copy_from_slice(&words);
        self.h = end;
        Cell::pointer(BOX, index)
    }
}

/// `x + y`, or `x - y` if `minus`.
fn sum(x: &Words<'_>, y: &Words<'_>, minus: bool) -> (bool, Vec<u64>) {
    let other = y.negative != minus;
    if x.negative == other {
        return (x.negative, add(x.words, y.words));
    }
    match compare(x.words, y.words) {
        Ordering::Less => (other, subtract(y.words, x.words)),
        _ => (x.negative, subtract(x.words, y.words)),
    }
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let by_length = a.len().cmp(&b.len());
    by_length.then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn add(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut result = Vec::with_capacity(long.len() + 1);
    let mut carry = false;
    let (low, high) = long.split_at(short.len());
    result.extend(low.iter().zip(short).map(|(&x, &y)| {
        let (sum, first) = x.overflowing_add(y);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first | second;
        sum
    }));
    result.extend(high.iter().map(|&x| {
        let (sum, over) = x.overflowing_add(u64::from(carry));
        carry = over;
        sum
    }));
    if carry {
        result.push(1);
    }
    result
}

/// `a - b` where `a` is not less.
fn subtract(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut result = Vec::with_capacity(a.len());
    let mut borrow = false;
    for (i, &word) in a.iter().enumerate() {
        let (difference, first) = word.overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        result.push(difference);
        borrow = first || second;
    }
    debug_assert!(!borrow);
    result
}

fn times(many: &[u64], one: u64) -> Vec<u64> {
    let mut result = Vec::with_capacity(many.len() + 1);
    let mut carry = 0u64;
    for &word in many {
        let product = u128::from(word) * u128::from(one) + u128::from(carry);
        result.push(product as u64);
        carry = (product >> 64) as u64;
    }
    result.push(carry);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, Sign};

    fn value(words: &Words<'_>) -> BigInt {
        let digits: Vec<u32> = words
            .words
            .iter()
            .flat_map(|&word| [word as u32, (word >> 32) as u32])
            .collect();
        let sign = if words.negative {
            Sign::Minus
        } else {
            Sign::Plus
        };
        BigInt::from_slice(sign, &digits)
    }

    #[test]
    fn sums_and_products_of_words_are_those_of_the_library() {
        let mut state = 88172645463325252u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Runs of ones and zeros make carries that go far.
            match state >> 61 {
                0 => 0,
                1 => u64::MAX,
                _ => state,
            }
        };
        for round in 0..20_000 {
            let length = |n: u64| (n % 7) as usize;
            let (n, k) = (length(random()), length(random()));
            // The most significant word is not zero.
            let mut words = |n: usize| -> Vec<u64> {
                let mut words: Vec<u64> = (0..=n).map(|_| random()).collect();
                words[n] |= 1;
                words
            };
            let (a, b) = (words(n), words(k));
            let x = Words {
                negative: random() & 1 == 1,
                words: &a,
            };
            let y = Words {
                negative: random() & 1 == 1,
                words: &b,
            };
            for minus in [false, true] {
                let (negative, words) = sum(&x, &y, minus);
                let expected = if minus {
                    value(&x) - value(&y)
                } else {
                    value(&x) + value(&y)
                };
                assert_eq!(
                    value(&Words {
                        negative,
                        words: &words
                    }),
                    expected,
                    "round {round}"
                );
            }
            let words = times(&a, b[0]);
            let factor = BigInt::from(b[0]);
            let magnitude = value(&Words {
                negative: false,
                words: &a,
            });
            assert_eq!(
                value(&Words {
                    negative: false,
                    words: &words
                }),
                magnitude * factor
            );
        }
    }
}
