//! Arithmetic on floats and big integers without going through [`crate::number`]: the usual cases, on the heap's words.
//!
//! Every function answers `None` where the case is not a usual one (overflow, division by zero, very large numbers,
//! other types); the general way then decides. Big integers are sign and magnitude, least significant word first.

use crate::cell::*;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::words;
use std::cmp::Ordering;
use stet_prolog::{Atom, atom};

/// Words of the largest result made here.
const MOST: usize = 1 << 16;
/// Integers below this are floats exactly.
const EXACT: i64 = 1 << 53;

/// A whole float as an integer, if it is not too large to be exact.
#[inline]
fn whole(value: f64) -> Option<Cell> {
    (value.abs() < EXACT as f64).then(|| Cell::small(value as i64))
}

/// A big or small integer as sign and magnitude.
struct Words<'a> {
    negative: bool,
    words: &'a [u64],
}

impl Memory {
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

    /// `a name b` for two small integers, where no instruction of its own does it.
    #[inline]
    fn quick_small(&mut self, name: Atom, a: i64, b: i64) -> Option<Cell> {
        match name {
            atom::SLASH if b != 0 && a % b == 0 => Some(Cell::small(a / b)).filter(|_| b != -1),
            atom::SLASH if b != 0 && a.abs() < EXACT && b.abs() < EXACT => {
                Some(self.new_float(a as f64 / b as f64))
            }
            atom::XOR => Some(Cell::small(a ^ b)),
            atom::MIN => Some(Cell::small(a.min(b))),
            atom::MAX => Some(Cell::small(a.max(b))),
            atom::DIV if b > 0 => Some(Cell::small(a.div_euclid(b))),
            _ => None,
        }
    }

    /// `name(a)` for a float.
    #[inline]
    pub(crate) fn quick1(&mut self, name: Atom, a: Cell) -> Option<Cell> {
        let (x, true) = self.as_float(a)? else {
            return None;
        };
        if self.h + 8 >= self.heap_max {
            return None;
        }
        let value = match name {
            atom::SQRT => x.sqrt(),
            atom::MINUS => -x,
            atom::ABS => x.abs(),
            atom::SIN => x.sin(),
            atom::COS => x.cos(),
            atom::TAN => x.tan(),
            atom::ATAN => x.atan(),
            atom::EXP => x.exp(),
            atom::LOG if x > 0.0 => x.ln(),
            atom::FLOAT => return Some(a),
            atom::FLOAT_INTEGER_PART => x.trunc(),
            atom::FLOAT_FRACTIONAL_PART => x.fract(),
            atom::TRUNCATE | atom::TRUNC => return whole(x.trunc()),
            atom::FLOOR => return whole(x.floor()),
            atom::CEILING | atom::CEIL => return whole(x.ceil()),
            atom::ROUND | atom::INTEGER => return whole(x.round()),
            _ => return None,
        };
        value.is_finite().then(|| self.new_float(value))
    }

    /// Where the words of a big integer are, and whether it is negative.
    fn big_place(&self, cell: Cell) -> Option<(bool, std::ops::Range<usize>)> {
        if cell.tag() != BOX {
            return None;
        }
        let header = self.heap.cell(cell.index());
        let start = cell.index() + 1;
        (header.kind() == KIND_BIG).then(|| (header.extra() != 0, start..start + header.arity()))
    }

    fn integer_of_words(&mut self, negative: bool, words: &mut Vec<u64>) -> Cell {
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
        self.heap.slice_mut(self.h, end).copy_from_slice(words);
        self.h = end;
        Cell::pointer(BOX, index)
    }
}

impl Machine {
    /// `a name b` for two numbers.
    #[inline]
    pub(crate) fn quick2(&mut self, name: Atom, a: Cell, b: Cell) -> Option<Cell> {
        if self.mem.h + MOST + 8 >= self.mem.heap_max {
            return None;
        }
        if a.is_small() && b.is_small() {
            return self.mem.quick_small(name, a.small_value(), b.small_value());
        }
        if let (Some((x, first)), Some((y, second))) = (self.mem.as_float(a), self.mem.as_float(b))
        {
            if !first && !second {
                return None;
            }
            let value = match name {
                atom::PLUS => x + y,
                atom::MINUS => x - y,
                atom::STAR => x * y,
                atom::SLASH => x / y,
                atom::ATAN2 | atom::ATAN if x != 0.0 || y != 0.0 => x.atan2(y),
                atom::POWER | atom::CARET if x > 0.0 => x.powf(y),
                atom::MAX if first && second => x.max(y),
                atom::MIN if first && second => x.min(y),
                _ => return None,
            };
            return value.is_finite().then(|| self.mem.new_float(value));
        }
        self.quick_big(name, a, b)
    }

    /// The order of two numbers one of which is a float or a big integer.
    #[inline]
    pub(crate) fn quick_compare(&self, a: Cell, b: Cell) -> Option<Ordering> {
        match (self.mem.as_float(a), self.mem.as_float(b)) {
            (Some((x, _)), Some((y, _))) => x.partial_cmp(&y),
            _ => self.compare_big(a, b),
        }
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
                let header = self.mem.heap.cell(cell.index());
                let start = cell.index() + 1;
                (header.kind() == KIND_BIG).then(|| Words {
                    negative: header.extra() != 0,
                    words: self.mem.heap.slice(start, start + header.arity()),
                })
            }
            _ => None,
        }
    }

    /// Sums of big integers with one sign, and products with a small one: written where they stay.
    fn quick_in_place(&mut self, name: Atom, a: Cell, b: Cell) -> Option<Cell> {
        let (a, b) = if a.is_small() { (b, a) } else { (a, b) };
        let (mut negative, long) = self.mem.big_place(a)?;
        if long.len() + 2 >= MOST {
            return None;
        }
        let (start, mut len) = (self.mem.h + 1, long.len() + 1);
        match name {
            atom::STAR if b.is_small() && b.small_value() != 0 => {
                let (low, high) = self.mem.heap.split(start, start + len);
                words::times_one_to(&low[long], b.small_value().unsigned_abs(), high);
                negative ^= b.small_value() < 0;
            }
            atom::PLUS => {
                let (sign, short) = self.mem.big_place(b)?;
                if sign != negative || short.len() + 2 >= MOST {
                    return None;
                }
                let (long, short) = match long.len() < short.len() {
                    true => (short, long),
                    false => (long, short),
                };
                len = long.len() + 1;
                let (low, high) = self.mem.heap.split(start, start + len);
                words::add_to(&low[long], &low[short], high);
            }
            _ => return None,
        }
        // The result is no smaller than a big integer: at most its last word is zero.
        if self.mem.heap.get(start + len - 1) == 0 {
            len -= 1;
        }
        self.charge(len);
        let index = self
            .mem
            .push(Cell::box_header(KIND_BIG, len, u32::from(negative)));
        self.mem.h += len;
        Some(Cell::pointer(BOX, index))
    }

    fn quick_big(&mut self, name: Atom, a: Cell, b: Cell) -> Option<Cell> {
        if let Some(result) = self.quick_in_place(name, a, b) {
            return Some(result);
        }
        let (mut result, mut other) = std::mem::take(&mut self.mem.word_buffers);
        result.clear();
        other.clear();
        let negative = self.big_operation(name, (a, b), &mut result, &mut other);
        let cell = negative.map(|negative| {
            self.charge(result.len());
            self.mem.integer_of_words(negative, &mut result)
        });
        self.mem.word_buffers = (result, other);
        cell
    }

    /// Leaves the magnitude of the result in `result`; whether it is negative.
    fn big_operation(
        &self,
        name: Atom,
        (a, b): (Cell, Cell),
        result: &mut Vec<u64>,
        other: &mut Vec<u64>,
    ) -> Option<bool> {
        let (mut room_a, mut room_b) = ([0], [0]);
        let x = self.words_of(a, &mut room_a)?;
        let y = self.words_of(b, &mut room_b)?;
        if x.words.len() + y.words.len() >= MOST {
            return None;
        }
        match name {
            atom::PLUS => Some(sum(&x, &y, false, result)),
            atom::MINUS => Some(sum(&x, &y, true, result)),
            atom::STAR => {
                if x.words.len().min(y.words.len()) >= words::LONG {
                    return None;
                }
                words::multiply(x.words, y.words, result);
                Some(x.negative != y.negative)
            }
            atom::INT_DIV | atom::DIV | atom::MOD | atom::REM => {
                // Long division takes a step for every pair of a word of the divisor and one of the quotient; if both are
                // long there are faster methods.
                let digits = (x.words.len() + 1).saturating_sub(y.words.len());
                if y.words.is_empty() || digits.min(y.words.len()) > 64 {
                    return None;
                }
                Some(divided(name, &x, &y, result, other))
            }
            atom::AND | atom::OR | atom::XOR if !x.negative && !y.negative => {
                let (long, short) = match x.words.len() < y.words.len() {
                    true => (y.words, x.words),
                    false => (x.words, y.words),
                };
                result.extend(long.iter().enumerate().map(|(i, &word)| {
                    let with = short.get(i).copied().unwrap_or(0);
                    match name {
                        atom::AND => word & with,
                        atom::OR => word | with,
                        _ => word ^ with,
                    }
                }));
                Some(false)
            }
            atom::SHIFT_LEFT | atom::SHIFT_RIGHT if b.is_small() && !x.negative => {
                let bits = usize::try_from(b.small_value()).ok()?;
                match name {
                    atom::SHIFT_RIGHT => words::scale_down(x.words, bits, result),
                    _ if bits / 64 + x.words.len() + 1 >= MOST => return None,
                    _ => words::scale_up(x.words, bits, result),
                }
                Some(false)
            }
            _ => None,
        }
    }

    /// The order of two integers one of which is big.
    fn compare_big(&self, a: Cell, b: Cell) -> Option<Ordering> {
        let (mut room_a, mut room_b) = ([0], [0]);
        let x = self.words_of(a, &mut room_a)?;
        let y = self.words_of(b, &mut room_b)?;
        Some(match (x.negative, y.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => words::compare(x.words, y.words),
            (true, true) => words::compare(y.words, x.words),
        })
    }
}

/// `x + y`, or `x - y` if `minus`; whether the sum is negative.
fn sum(x: &Words<'_>, y: &Words<'_>, minus: bool, result: &mut Vec<u64>) -> bool {
    let other = y.negative != minus;
    if x.negative == other {
        words::add(x.words, y.words, result);
        return x.negative;
    }
    match words::compare(x.words, y.words) {
        Ordering::Less => {
            words::subtract(y.words, x.words, result);
            other
        }
        _ => {
            words::subtract(x.words, y.words, result);
            x.negative
        }
    }
}

/// Quotient or rest of a division that rounds to zero (`//`, `rem`) or down (`div`, `mod`).
fn divided(
    name: Atom,
    x: &Words<'_>,
    y: &Words<'_>,
    result: &mut Vec<u64>,
    other: &mut Vec<u64>,
) -> bool {
    let differ = x.negative != y.negative;
    let quotient = matches!(name, atom::INT_DIV | atom::DIV);
    match quotient {
        true => words::divide(x.words, y.words, result, other),
        false => words::divide(x.words, y.words, other, result),
    }
    let rest: &[u64] = if quotient { other } else { result };
    let down =
        differ && matches!(name, atom::DIV | atom::MOD) && rest.iter().any(|&word| word != 0);
    if !down {
        return if quotient { differ } else { x.negative };
    }
    other.clear();
    std::mem::swap(result, other);
    while other.last() == Some(&0) {
        other.pop();
    }
    match quotient {
        true => words::add(other, &[1], result),
        false => words::subtract(y.words, other, result),
    }
    if quotient { true } else { y.negative }
}

#[cfg(test)]
mod tests {
    use crate::host::MemoryHost;
    use crate::machine::{Config, Machine};
    use crate::query::Answer;

    /// Both ways to the same value: on the heap's words, and by the library for integers of any size.
    #[test]
    fn divisions_and_shifts_of_big_integers_satisfy_their_laws() {
        let mut machine = Machine::new(Config::standard(), Box::new(MemoryHost::default()));
        let law = "forall(( member(A0, [0, 1, 7, 1<<63, (1<<64)-1, 1<<64, 3**50, 7**90-1, (1<<192)-(1<<64)]), \
            member(B0, [1, 7, 1<<59, (1<<63)-1, (1<<64)-1, 1<<64, (1<<128)-1, 3**41, (1<<127)+1]), \
            member(S, [1, -1]), member(T, [1, -1]), A is A0*S, B is B0*T ), \
            ( Q is A // B, R is A rem B, D is A div B, M is A mod B, \
              A =:= Q*B+R, abs(R) < abs(B), R*A >= 0, A =:= D*B+M, abs(M) < abs(B), M*B >= 0, \
              ( A >= 0 -> U is A << 67, V is U >> 67, V =:= A, U =:= A * 2**67, \
                W is A xor abs(B), A =:= W xor abs(B), W =:= (A \\/ abs(B)) - (A /\\ abs(B)) ; true ), \
              ( A < B -> B > A, \\+ A >= B ; A >= B ), compare(O, A, B), Z is sign(A-B), \
              nth0(I, [<, =, >], O), Z =:= I-1 ))";
        let answer = machine.run_goal(law);
        assert!(matches!(answer, Answer::True(_)), "{answer:?}");
    }
}
