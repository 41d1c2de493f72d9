//! Queries in the style of SMT-LIB's benchmark families, at random small sizes: laws of arithmetic and of bits,
//! division by zero, shifts and slices, stores in another order, swaps, copies and searches in arrays.
//!
//! A query asks for a counter-example to a law. One in three laws is spoilt, so that some have one.

use crate::Random;
use stet_term::{Sort, Term, Terms};

/// The constraints of the benchmark-like query with this seed.
pub fn benchmark(terms: &Terms, seed: u64) -> Vec<Term> {
    let mut random = Random::new(seed ^ 0x5eed_bead);
    let kind = random.below(10);
    let spoilt = random.one_in(3);
    let mut maker = Maker {
        terms,
        random,
        spoilt,
    };
    match kind {
        0 => maker.division(),
        1 => maker.signed_division(),
        2 => maker.bit_trick(),
        3 => maker.shift(),
        4 => maker.slices(),
        5 => maker.order(),
        6 => maker.store_order(),
        7 => maker.swaps(),
        8 => maker.copy(),
        _ => maker.fill(),
    }
}

struct Maker<'a> {
    terms: &'a Terms,
    random: Random,
    spoilt: bool,
}

impl Maker<'_> {
    fn width(&mut self, most: u64) -> u32 {
        1 + self.random.below(most) as u32
    }

    fn symbol(&self, name: &str, width: u32) -> Term {
        let name = format!("{name}{width}");
        self.terms.symbol(&name, Sort::bv(width))
    }

    fn pair(&mut self, most: u64) -> (u32, Term, Term) {
        let width = self.width(most);
        (width, self.symbol("x", width), self.symbol("y", width))
    }

    /// The query whether `left` and `right` can differ; a spoilt law has something added on one side.
    fn refute(&mut self, given: &[Term], left: Term, right: Term) -> Vec<Term> {
        let terms = self.terms;
        let width = terms.width(left);
        let right = match (self.spoilt, self.random.below(3)) {
            (false, _) => right,
            (true, 0) => terms.bv_xor(right, terms.bv(width, self.random.below(4))),
            (true, 1) => terms.bv_or(right, terms.bv(width, 1)),
            (true, _) => terms.ite(
                terms.bv_ult(left, terms.bv(width, 3)),
                left,
                terms.bv_not(right),
            ),
        };
        let mut query = given.to_vec();
        query.push(terms.not(terms.eq(left, right)));
        query
    }

    /// `x = (x / y) * y + x % y`, and what division by zero is.
    fn division(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (width, x, y) = self.pair(5);
        let zero = terms.bv(width, 0);
        let (quotient, rest) = (terms.bv_udiv(x, y), terms.bv_urem(x, y));
        match self.random.below(4) {
            0 => {
                let sum = terms.bv_add(terms.bv_mul(quotient, y), rest);
                self.refute(&[], x, sum)
            }
            1 => {
                let given = [terms.eq(y, zero)];
                self.refute(&given, quotient, terms.bv_not(zero))
            }
            2 => self.refute(&[], terms.bv_urem(x, zero), x),
            _ => {
                let small = terms.bool_to_bv(terms.bv_ult(rest, y), 1);
                let given = if self.spoilt {
                    vec![]
                } else {
                    vec![terms.not(terms.eq(y, zero))]
                };
                self.spoilt = false;
                self.refute(&given, small, terms.bv(1, 1))
            }
        }
    }

    /// Signed division by magnitudes, and by zero.
    fn signed_division(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (width, x, y) = self.pair(5);
        let zero = terms.bv(width, 0);
        let magnitude = |a: Term| terms.ite(terms.bv_slt(a, zero), terms.bv_neg(a), a);
        let negative = |a: Term| terms.bv_slt(a, zero);
        match self.random.below(3) {
            0 => {
                let plain = terms.bv_udiv(magnitude(x), magnitude(y));
                let differ = terms.xor(negative(x), negative(y));
                let expected = terms.ite(differ, terms.bv_neg(plain), plain);
                self.refute(&[], terms.bv_sdiv(x, y), expected)
            }
            1 => {
                let plain = terms.bv_urem(magnitude(x), magnitude(y));
                let expected = terms.ite(negative(x), terms.bv_neg(plain), plain);
                self.refute(&[], terms.bv_srem(x, y), expected)
            }
            _ => {
                let one = terms.bv(width, 1);
                let expected = terms.ite(negative(x), one, terms.bv_neg(one));
                self.refute(&[], terms.bv_sdiv(x, zero), expected)
            }
        }
    }

    /// Laws that mix arithmetic and bits.
    fn bit_trick(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (width, x, y) = self.pair(7);
        let one = terms.bv(width, 1);
        let (and, or, xor) = (terms.bv_and(x, y), terms.bv_or(x, y), terms.bv_xor(x, y));
        match self.random.below(6) {
            0 => {
                let carry = terms.bv_shl(and, one);
                self.refute(&[], terms.bv_add(x, y), terms.bv_add(xor, carry))
            }
            1 => self.refute(&[], terms.bv_sub(or, and), xor),
            2 => self.refute(&[], terms.bv_add(or, and), terms.bv_add(x, y)),
            3 => {
                let negated = terms.bv_add(terms.bv_not(x), one);
                self.refute(&[], terms.bv_neg(x), negated)
            }
            4 => {
                let most = terms.bv_xor(
                    y,
                    terms.bv_and(xor, self.mask_if(terms.bv_ult(y, x), width)),
                );
                let expected = terms.ite(terms.bv_ult(y, x), x, y);
                self.refute(&[], most, expected)
            }
            _ => {
                let lowest = terms.bv_and(x, terms.bv_neg(x));
                let cleared = terms.bv_and(x, terms.bv_sub(x, one));
                self.refute(&[], terms.bv_xor(lowest, cleared), x)
            }
        }
    }

    fn mask_if(&self, condition: Term, width: u32) -> Term {
        let terms = self.terms;
        terms.ite(condition, terms.bv(width, u64::MAX), terms.bv(width, 0))
    }

    /// Shifts by constants and symbols, also beyond the width.
    fn shift(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (width, x, y) = self.pair(7);
        let by = self.random.below(u64::from(width) + 2);
        let amount = terms.bv(width, by);
        let fits = by < 1 << width.min(6);
        let size = terms.bv(width, u64::from(width));
        match self.random.below(5) {
            0 if fits && by < 64 => {
                let scaled = terms.bv_mul(x, terms.bv(width, 1 << by));
                self.refute(&[], terms.bv_shl(x, amount), scaled)
            }
            1 if by < u64::from(width) && width > 1 => {
                let divided = terms.bv_udiv(x, terms.bv(width, 1 << by));
                self.refute(&[], terms.bv_lshr(x, amount), divided)
            }
            2 => {
                let given = [
                    terms.bv_ule(size, y),
                    terms.bv_ult(terms.bv(width, 0), size),
                ];
                self.refute(&given, terms.bv_shl(x, y), terms.bv(width, 0))
            }
            3 => {
                let sign = terms.bv_slt(x, terms.bv(width, 0));
                let other = terms.bv_not(terms.bv_lshr(terms.bv_not(x), y));
                let expected = terms.ite(sign, other, terms.bv_lshr(x, y));
                self.refute(&[], terms.bv_ashr(x, y), expected)
            }
            _ => {
                let there = terms.bv_lshr(terms.bv_shl(x, y), y);
                let mask = terms.bv_lshr(terms.bv(width, u64::MAX), y);
                self.refute(&[], there, terms.bv_and(x, mask))
            }
        }
    }

    /// Taking words apart and putting them together again.
    fn slices(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (low, high) = (self.width(5), self.width(5));
        let width = low + high;
        let (x, y) = (self.symbol("x", width), self.symbol("y", high));
        let upper = terms.extract(width - 1, low, x);
        let lower = terms.extract(low - 1, 0, x);
        match self.random.below(4) {
            0 => self.refute(&[], terms.concat(upper, lower), x),
            1 => {
                let shifted = terms.bv_lshr(x, terms.bv(width, u64::from(low)));
                self.refute(&[], terms.zero_extend(upper, width), shifted)
            }
            2 => {
                let wide = terms.sign_extend(y, width);
                let sign = terms.extract(high - 1, high - 1, y);
                let fill = terms.sign_extend(sign, low);
                self.refute(&[], wide, terms.concat(fill, y))
            }
            _ => {
                let turned = terms.concat(lower, upper);
                let left = terms.bv_shl(x, terms.bv(width, u64::from(high)));
                let right = terms.bv_lshr(x, terms.bv(width, u64::from(low)));
                self.refute(&[], turned, terms.bv_or(left, right))
            }
        }
    }

    /// Chains of comparisons: transitive, or a cycle.
    fn order(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let width = self.width(6);
        let count = 2 + self.random.below(4);
        let signed = self.random.one_in(2);
        let strict = self.random.below(count);
        let items: Vec<Term> = (0..count)
            .map(|i| self.symbol(&format!("v{i}_"), width))
            .collect();
        let mut query: Vec<Term> = (0..count as usize)
            .map(|i| {
                let (a, b) = (items[i], items[(i + 1) % items.len()]);
                match (signed, i as u64 == strict) {
                    (true, true) => terms.bv_slt(a, b),
                    (true, false) => terms.bv_sle(a, b),
                    (false, true) => terms.bv_ult(a, b),
                    (false, false) => terms.bv_ule(a, b),
                }
            })
            .collect();
        if self.spoilt {
            query.pop();
        }
        query
    }

    fn array(&self, index: u32, element: u32) -> Term {
        let sort = self.terms.array_sort(Sort::bv(index), Sort::bv(element));
        let name = format!("a{index}_{element}");
        self.terms.symbol(&name, sort)
    }

    fn distinct(&self, items: &[Term]) -> Vec<Term> {
        let mut all = Vec::new();
        for (at, &a) in items.iter().enumerate() {
            for &b in &items[at + 1..] {
                all.push(self.terms.not(self.terms.eq(a, b)));
            }
        }
        all
    }

    fn shuffled(&mut self, count: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count as usize).collect();
        for at in (1..order.len()).rev() {
            let other = self.random.below(at as u64 + 1) as usize;
            order.swap(at, other);
        }
        order
    }

    /// Stores at different places commute; seen at any place.
    fn store_order(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (index, element) = (3, self.width(4));
        let count = 2 + self.random.below(3);
        let array = self.array(index, element);
        let places: Vec<Term> = (0..count)
            .map(|i| self.symbol(&format!("i{i}_"), index))
            .collect();
        let values: Vec<Term> = (0..count)
            .map(|i| self.symbol(&format!("e{i}_"), element))
            .collect();
        let write = |order: &[usize]| {
            order.iter().fold(array, |array, &at| {
                terms.store(array, places[at], values[at])
            })
        };
        let (first, second) = (self.shuffled(count), self.shuffled(count));
        let given = match self.spoilt {
            true => vec![],
            false => self.distinct(&places),
        };
        self.spoilt = false;
        let seen = self.symbol("k", index);
        let (left, right) = (
            terms.select(write(&first), seen),
            terms.select(write(&second), seen),
        );
        self.refute(&given, left, right)
    }

    /// Swapping twice, or by way of exclusive-or.
    fn swaps(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (index, element) = (3, self.width(4));
        let array = self.array(index, element);
        let (i, j) = (self.symbol("i", index), self.symbol("j", index));
        let swap = |array: Term, i: Term, j: Term| {
            let (at_i, at_j) = (terms.select(array, i), terms.select(array, j));
            terms.store(terms.store(array, i, at_j), j, at_i)
        };
        let result = match self.random.one_in(2) {
            true => swap(swap(array, i, j), i, j),
            false => {
                let mix = |array: Term, to: Term, from: Term| {
                    let both = terms.bv_xor(terms.select(array, to), terms.select(array, from));
                    terms.store(array, to, both)
                };
                let mixed = mix(mix(mix(array, i, j), j, i), i, j);
                swap(mixed, i, j)
            }
        };
        // The exclusive-or way needs two places.
        let given = [terms.not(terms.eq(i, j))];
        let seen = self.symbol("k", index);
        let (left, right) = (terms.select(result, seen), terms.select(array, seen));
        self.refute(&given, left, right)
    }

    /// A copy of a few elements from a constant array to another place.
    fn copy(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (index, element) = (4, self.width(4));
        let sort = terms.array_sort(Sort::bv(index), Sort::bv(element));
        let mut source = terms.fill(sort, terms.bv(element, self.random.bits()));
        for _ in 0..self.random.below(6) {
            let (at, value) = (self.random.below(16), self.random.bits());
            source = terms.store(source, terms.bv(index, at), terms.bv(element, value));
        }
        let mut target = self.array(index, element);
        let (from, to) = (self.symbol("f", index), self.symbol("t", index));
        let length = 1 + self.random.below(4);
        for step in 0..length {
            let step = terms.bv(index, step);
            let value = terms.select(source, terms.bv_add(from, step));
            target = terms.store(target, terms.bv_add(to, step), value);
        }
        let seen = self.symbol("k", index);
        let limit = terms.bv(index, length);
        let given = [terms.bv_ult(seen, limit)];
        let left = terms.select(target, terms.bv_add(to, seen));
        let right = terms.select(source, terms.bv_add(from, seen));
        self.refute(&given, left, right)
    }

    /// Constant arrays chosen by a condition and overwritten.
    fn fill(&mut self) -> Vec<Term> {
        let terms = self.terms;
        let (index, element) = (3, self.width(4));
        let sort = terms.array_sort(Sort::bv(index), Sort::bv(element));
        let p = terms.symbol("p", Sort::BOOL);
        // Constants: not every solver fills arrays with anything else.
        let (a, b) = (
            terms.bv(element, self.random.bits()),
            terms.bv(element, self.random.bits()),
        );
        let chosen = terms.ite(p, terms.fill(sort, a), terms.fill(sort, b));
        let (i, k) = (self.symbol("i", index), self.symbol("k", index));
        let written = terms.store(chosen, i, terms.select(chosen, k));
        let expected = terms.ite(p, a, b);
        self.refute(&[], terms.select(written, k), expected)
    }
}
