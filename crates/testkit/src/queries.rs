//! Random queries over bit-vectors and arrays, for cross-checks between solvers.
//!
//! The same seed gives the same query in every pool, whatever the pool's rewriting level: choices depend on
//! the generator only, never on the terms built. So a query can be built once without rewriting for an
//! external solver and once with it for ours.

mod families;

use crate::Random;
use stet_term::{Sort, Table, Term, Terms};

pub use families::benchmark;

/// How large the parts of a query may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Up to a few bits, so that every solver is quick: for queries by the million.
    Small,
    /// Words of 64 bits and more among them.
    Mixed,
}

/// What has been built so far, with widths kept beside the terms.
struct Builder<'a> {
    terms: &'a Terms,
    random: Random,
    shape: Shape,
    bits: Vec<(Term, u32)>,
    bools: Vec<Term>,
    /// Arrays with index and element widths.
    arrays: Vec<(Term, u32, u32)>,
}

/// The constraints of the random query with this seed.
pub fn query(terms: &Terms, seed: u64) -> Vec<Term> {
    let mut builder = Builder::new(terms, seed, Shape::Mixed);
    let steps = 4 + builder.random.below(20);
    builder.constraints(steps)
}

/// The constraints of the random query with this seed over a few bits only.
pub fn small_query(terms: &Terms, seed: u64) -> Vec<Term> {
    let mut builder = Builder::new(terms, seed, Shape::Small);
    let steps = 3 + builder.random.below(12);
    builder.constraints(steps)
}

impl<'a> Builder<'a> {
    fn new(terms: &'a Terms, seed: u64, shape: Shape) -> Self {
        let mut random = Random::new(seed);
        let width = match (shape, random.below(8_u64)) {
            (Shape::Small, kind) => 1 + (kind % 5) as u32,
            (_, 0) => 1,
            (_, 1..3) => 2 + random.below(3) as u32,
            (_, 3..7) => 4 + random.below(5) as u32,
            _ => random.pick(&[13, 16, 32, 64, 65]),
        };
        let other = match shape {
            Shape::Small => 1 + random.below(6) as u32,
            Shape::Mixed => 8,
        };
        let mut builder = Builder {
            terms,
            random,
            shape,
            bits: Vec::new(),
            bools: Vec::new(),
            arrays: Vec::new(),
        };
        for name in ["x", "y", "z"] {
            let name = format!("{name}{width}");
            let symbol = terms.symbol(&name, Sort::bv(width));
            builder.bits.push((symbol, width));
        }
        let name = format!("b{other}");
        let symbol = terms.symbol(&name, Sort::bv(other));
        builder.bits.push((symbol, other));
        builder.bools.push(terms.symbol("p", Sort::BOOL));
        if builder.random.one_in(2) {
            builder.add_arrays(width);
        }
        builder
    }

    fn constraints(&mut self, steps: u64) -> Vec<Term> {
        for _ in 0..steps {
            self.step();
        }
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.constraint()).collect()
    }

    fn add_arrays(&mut self, width: u32) {
        let terms = self.terms;
        let element = match self.shape {
            Shape::Small => self.random.pick(&[1, 3, 4, width]),
            Shape::Mixed => self.random.pick(&[1, 4, 8, width]),
        };
        let sort = terms.array_sort(Sort::bv(width), Sort::bv(element));
        let name = format!("a{width}_{element}");
        self.arrays
            .push((terms.symbol(&name, sort), width, element));
        let len = 1 + self.random.below(12);
        let content: Box<[u64]> = (0..len)
            .map(|_| self.random.bits() & mask(element.min(64)))
            .collect();
        if element <= 64 {
            let table = terms.table(sort, Table::Words(content));
            self.arrays.push((table, width, element));
        }
        let fill = self.constant(element);
        self.arrays.push((terms.fill(sort, fill), width, element));
    }

    fn constant(&mut self, width: u32) -> Term {
        let value = match self.random.below(4) {
            0 => self.random.below(3),
            1 => u64::MAX - self.random.below(2),
            _ => self.random.bits(),
        };
        self.terms.bv(width, value)
    }

    fn any(&mut self) -> (Term, u32) {
        let recent = self.bits.len().saturating_sub(5);
        if self.random.one_in(2) && recent > 0 {
            let at = recent as u64 + self.random.below((self.bits.len() - recent) as u64);
            return self.bits[at as usize];
        }
        let all = self.bits.len() as u64;
        self.bits[self.random.below(all) as usize]
    }

    /// Some bits of a given width: those that are there, or others resized.
    fn of_width(&mut self, width: u32) -> Term {
        if self.random.one_in(4) {
            return self.constant(width);
        }
        let (term, from) = self.any();
        if from == width {
            return term;
        }
        let signed = self.random.one_in(2);
        match (from > width, signed) {
            (true, _) => {
                let low = self.random.below(u64::from(from - width + 1)) as u32;
                self.terms.extract(low + width - 1, low, term)
            }
            (false, true) => self.terms.sign_extend(term, width),
            (false, false) => self.terms.zero_extend(term, width),
        }
    }

    fn step(&mut self) {
        match self.random.below(12) {
            0..6 => self.binary(),
            6 => self.unary(),
            7 => self.slice(),
            8 | 9 => {
                let condition = self.condition();
                self.bools.push(condition);
            }
            10 => {
                let at = self.random.below(self.bools.len() as u64) as usize;
                let (a, width) = self.any();
                let b = self.of_width(width);
                let choice = self.terms.ite(self.bools[at], a, b);
                self.bits.push((choice, width));
            }
            _ => self.array_step(),
        }
    }

    fn binary(&mut self) {
        let terms = self.terms;
        let (a, width) = self.any();
        let b = self.of_width(width);
        let (a, b) = if self.random.one_in(2) {
            (a, b)
        } else {
            (b, a)
        };
        // Multiplication and division only where every solver is quick.
        let cheap = match self.shape {
            Shape::Small => width > 4,
            Shape::Mixed => width > 8,
        };
        let term = match self.random.below(if cheap { 9 } else { 14 }) {
            0 => terms.bv_add(a, b),
            1 => terms.bv_sub(a, b),
            2 => terms.bv_and(a, b),
            3 => terms.bv_or(a, b),
            4 => terms.bv_xor(a, b),
            5 => terms.bv_shl(a, b),
            6 => terms.bv_lshr(a, b),
            7 => terms.bv_ashr(a, b),
            8 => {
                let constant = self.random.below(20);
                terms.bv_mul(a, terms.bv(width, constant))
            }
            9 => terms.bv_mul(a, b),
            10 => terms.bv_udiv(a, b),
            11 => terms.bv_urem(a, b),
            12 => terms.bv_sdiv(a, b),
            _ => terms.bv_srem(a, b),
        };
        self.bits.push((term, width));
    }

    fn unary(&mut self) {
        let (a, width) = self.any();
        let term = match self.random.below(2) {
            0 => self.terms.bv_not(a),
            _ => self.terms.bv_neg(a),
        };
        self.bits.push((term, width));
    }

    fn slice(&mut self) {
        let (a, width) = self.any();
        match self.random.below(4) {
            0 => {
                let low = self.random.below(width);
                let high = low + self.random.below(width - low);
                let part = self.terms.extract(high, low, a);
                self.bits.push((part, high - low + 1));
            }
            1 => {
                let (b, other) = self.any();
                let most = match self.shape {
                    Shape::Small => 9,
                    Shape::Mixed => 80,
                };
                if width + other <= most {
                    let both = self.terms.concat(a, b);
                    self.bits.push((both, width + other));
                }
            }
            kind => {
                let more = match self.shape {
                    Shape::Small => 3,
                    Shape::Mixed => 8,
                };
                let to = width + 1 + self.random.below(more) as u32;
                let extended = match kind {
                    2 => self.terms.zero_extend(a, to),
                    _ => self.terms.sign_extend(a, to),
                };
                self.bits.push((extended, to));
            }
        }
    }

    fn array_step(&mut self) {
        if self.arrays.is_empty() {
            return self.binary();
        }
        let at = self.random.below(self.arrays.len() as u64) as usize;
        let (array, index, element) = self.arrays[at];
        let terms = self.terms;
        let position = self.of_width(index);
        match self.random.below(5) {
            0 | 1 => {
                let value = self.of_width(element);
                let stored = terms.store(array, position, value);
                self.arrays.push((stored, index, element));
            }
            2 => {
                let other = self.random.below(self.arrays.len() as u64) as usize;
                let condition = self.condition();
                let chosen = terms.ite(condition, array, self.arrays[other].0);
                self.arrays.push((chosen, index, element));
            }
            _ => {
                let read = terms.select(array, position);
                self.bits.push((read, element));
            }
        }
    }

    fn condition(&mut self) -> Term {
        let terms = self.terms;
        let (mut a, width) = self.any();
        let mut b = self.of_width(width);
        if self.random.one_in(4) {
            // Offsets from one base, as pointers are compared.
            let (base, offset) = (self.of_width(width), self.constant(width));
            a = terms.bv_add(base, a);
            b = match self.random.below(3) {
                0 => base,
                1 => terms.bv_add(base, b),
                _ => terms.bv_add(terms.bv_add(b, offset), base),
            };
            if self.random.one_in(2) {
                (a, b) = (b, a);
            }
        }
        match self.random.below(6) {
            0 | 1 => terms.eq(a, b),
            2 => terms.bv_ult(a, b),
            3 => terms.bv_ule(a, b),
            4 => terms.bv_slt(a, b),
            _ => terms.bv_sle(a, b),
        }
    }

    fn constraint(&mut self) -> Term {
        let mut term = self.condition();
        for _ in 0..self.random.below(3) {
            let other = match self.random.one_in(2) {
                true => self.condition(),
                false => {
                    let at = self.random.below(self.bools.len() as u64) as usize;
                    self.bools[at]
                }
            };
            term = match self.random.below(5) {
                0 => self.terms.and2(term, other),
                1 => self.terms.or2(term, other),
                2 => self.terms.implies(term, other),
                3 => self.terms.xor(term, other),
                _ => self.terms.not(term),
            };
        }
        term
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}
