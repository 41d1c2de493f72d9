//! The query mix of the solver benchmark: queries as symbolic execution asks them.
//!
//! A *path* is a growing list of constraints; each of its queries asks whether one more condition can hold
//! after the constraints so far. Families:
//!
//! * `bytes`: symbolic bytes against constants and ranges, also put together to words;
//! * `arith`: small multiplications, shifts, sums of words;
//! * `ptr`: `base <= p < base + size`, with indices scaled and bounded;
//! * `rowchain`: reads over 50 to 500 writes;
//! * `table`: symbolic indices into constant tables.

use stet_term::{Sort, Term, Terms};
use stet_testkit::Random;

/// A kind of queries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// Symbolic bytes against constants.
    Bytes,
    /// Small multiplications and shifts.
    Arith,
    /// Bounds of pointers.
    Ptr,
    /// Reads over many writes.
    Rowchain,
    Table,
}

impl Family {
    pub const ALL: [Family; 5] = [
        Family::Bytes,
        Family::Arith,
        Family::Ptr,
        Family::Rowchain,
        Family::Table,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Family::Bytes => "bytes",
            Family::Arith => "arith",
            Family::Ptr => "ptr",
            Family::Rowchain => "rowchain",
            Family::Table => "table",
        }
    }
}

/// Constraints of a path, and the condition asked after each prefix of them.
#[derive(Clone, Debug)]
pub struct Path {
    pub family: Family,
    /// Step `i` asks `asked` after the `assumed` of steps before it, then assumes its own.
    pub steps: Vec<Step>,
}

/// One query of a path.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The condition asked.
    pub asked: Term,
    /// What is assumed afterwards: the condition or its negation, or true if both are impossible.
    pub assumed: Term,
}

impl Path {
    /// The constraints of query `step`, the condition asked last.
    pub fn query(&self, step: usize) -> Vec<Term> {
        let before = self.steps[..step].iter().map(|step| step.assumed);
        let asked = std::iter::once(self.steps[step].asked);
        before.chain(asked).filter(|&t| t != Term::TRUE).collect()
    }
}

/// Queries per path.
pub const STEPS: usize = 10;

/// Paths with together `queries` queries, the families in turn.
pub fn mix(terms: &Terms, seed: u64, queries: usize) -> Vec<Path> {
    let count = queries / STEPS;
    (0..count)
        .map(|number| {
            let family = Family::ALL[number % Family::ALL.len()];
            let random = Random::new(seed ^ (number as u64) << 20);
            Maker {
                terms,
                random,
                tag: number % 40,
            }
            .path(family)
        })
        .collect()
}

struct Maker<'a> {
    terms: &'a Terms,
    random: Random,
    tag: usize,
}

impl Maker<'_> {
    fn path(&mut self, family: Family) -> Path {
        let chain = match family {
            Family::Rowchain => Some(self.written()),
            _ => None,
        };
        let table = self.table();
        let steps = (0..STEPS)
            .map(|_| {
                let asked = match family {
                    Family::Bytes => self.bytes(),
                    Family::Arith => self.arith(),
                    Family::Ptr => self.ptr(),
                    Family::Rowchain => self.rowchain(chain.unwrap_or(table)),
                    Family::Table => self.lookup(table),
                };
                let assumed = match self.random.below(3) {
                    0 => self.terms.not(asked),
                    _ => asked,
                };
                Step { asked, assumed }
            })
            .collect();
        Path { family, steps }
    }

    fn buffer(&self) -> Term {
        let sort = self.terms.array_sort(Sort::bv(32), Sort::bv(8));
        self.terms.symbol(&format!("buf{}", self.tag), sort)
    }

    fn byte(&mut self, at: u64) -> Term {
        let index = self.terms.bv(32, at);
        self.terms.select(self.buffer(), index)
    }

    fn word(&mut self, at: u64) -> Term {
        let bytes = [0, 1, 2, 3].map(|i| self.byte(at * 4 + i));
        let low = self.terms.concat(bytes[1], bytes[0]);
        let high = self.terms.concat(bytes[3], bytes[2]);
        self.terms.concat(high, low)
    }

    fn bytes(&mut self) -> Term {
        let terms = self.terms;
        let at = self.random.below(16);
        let byte = self.byte(at);
        let constant = self.random.below(128);
        let value = terms.bv(8, constant);
        match self.random.below(7) {
            0 => terms.not(terms.eq(byte, value)),
            1 => terms.bv_ule(terms.bv(8, 32), byte),
            2 => terms.bv_slt(terms.sign_extend(byte, 32), terms.bv(32, constant)),
            3 => {
                let digit = terms.bv_sub(terms.zero_extend(byte, 32), terms.bv(32, 48));
                terms.bv_ult(digit, terms.bv(32, 10))
            }
            4 => {
                let at = self.random.below(4);
                let word = self.word(at);
                terms.bv_ult(word, terms.bv(32, self.random.bits() >> 34))
            }
            5 => {
                let at = self.random.below(16);
                let other = self.byte(at);
                terms.bv_ule(byte, other)
            }
            _ => terms.eq(
                terms.bv_or(byte, terms.bv(8, 32)),
                terms.bv(8, constant | 32),
            ),
        }
    }

    fn arith(&mut self) -> Term {
        let terms = self.terms;
        let (i, j) = (self.random.below(3), self.random.below(3));
        let (x, y) = (self.word(i), self.word(j));
        let small = terms.zero_extend(self.byte(i * 4), 32);
        let constant = terms.bv(32, self.random.below(5000));
        match self.random.below(6) {
            0 => {
                let scaled = terms.bv_mul(x, terms.bv(32, 3 + self.random.below(29)));
                terms.bv_ult(terms.bv_add(scaled, y), terms.bv(32, 1 << 30))
            }
            1 => {
                let other = terms.zero_extend(self.byte(j * 4 + 1), 32);
                terms.bv_ult(constant, terms.bv_mul(small, other))
            }
            2 => terms.eq(
                terms.bv_and(
                    terms.bv_lshr(x, terms.bv(32, self.random.below(24))),
                    terms.bv(32, 7),
                ),
                terms.bv(32, self.random.below(8)),
            ),
            3 => {
                let shift = terms.bv_and(y, terms.bv(32, 7));
                terms.bv_slt(constant, terms.bv_add(terms.bv_shl(small, shift), x))
            }
            4 => terms.eq(
                terms.bv_urem(small, terms.bv(32, 3 + self.random.below(9))),
                terms.bv(32, self.random.below(3)),
            ),
            _ => {
                let sum = terms.bv_add(terms.bv_add(x, y), small);
                terms.bv_slt(sum, constant)
            }
        }
    }

    fn ptr(&mut self) -> Term {
        let terms = self.terms;
        let number = self.random.below(3);
        let base = terms.marked_symbol(&format!("base{}_{number}", self.tag), Sort::bv(64), 1);
        let size = 16 << number;
        let index = self.random.below(6);
        let index = self.byte(index);
        let scale = self.random.below(3);
        let offset = terms.bv_shl(terms.zero_extend(index, 64), terms.bv(64, scale));
        let offset = terms.bv_add(offset, terms.bv(64, self.random.below(8)));
        let pointer = terms.bv_add(base, offset);
        let end = terms.bv_add(base, terms.bv(64, size));
        match self.random.below(5) {
            0 => terms.bv_ule(base, pointer),
            1 => terms.bv_ult(pointer, end),
            2 => terms.and2(terms.bv_ule(base, pointer), terms.bv_ult(pointer, end)),
            3 => {
                let low = terms.bv_ule(terms.bv(64, 0x10000), base);
                terms.and2(low, terms.bv_ult(base, terms.bv(64, 1 << 47)))
            }
            _ => {
                let distance = terms.bv_sub(pointer, base);
                terms.bv_ult(distance, terms.bv(64, size - 3))
            }
        }
    }

    /// 50 to 500 writes at constant and symbolic indices.
    fn written(&mut self) -> Term {
        let terms = self.terms;
        let mut array = self.buffer();
        let writes = 50 + self.random.below(451);
        for _ in 0..writes {
            let index = match self.random.below(8) {
                0 => {
                    let at = 64 + self.random.below(8);
                    terms.zero_extend(self.byte(at), 32)
                }
                _ => terms.bv(32, self.random.below(256)),
            };
            let value = match self.random.below(3) {
                0 => {
                    let at = 64 + self.random.below(16);
                    self.byte(at)
                }
                _ => terms.bv(8, self.random.bits()),
            };
            array = terms.store(array, index, value);
        }
        array
    }

    fn rowchain(&mut self, array: Term) -> Term {
        let terms = self.terms;
        let at = 64 + self.random.below(12);
        let index = terms.zero_extend(self.byte(at), 32);
        let index = terms.bv_add(index, terms.bv(32, self.random.below(4)));
        let read = terms.select(array, index);
        let value = terms.bv(8, self.random.bits());
        match self.random.below(3) {
            0 => terms.eq(read, value),
            1 => terms.bv_ult(read, value),
            _ => terms.bv_ult(index, terms.bv(32, 8 + self.random.below(200))),
        }
    }

    fn table(&mut self) -> Term {
        let len = [64, 128, 256, 256][self.random.below(4) as usize];
        let kind = self.random.below(3);
        let bytes: Vec<u8> = (0..len)
            .map(|i| match kind {
                0 => (i * 7 % 256) as u8,
                1 => u8::from((48..58).contains(&i)) | u8::from((65..91).contains(&i)) << 1,
                _ => self.random.bits() as u8,
            })
            .collect();
        self.terms.byte_table(32, bytes)
    }

    fn lookup(&mut self, table: Term) -> Term {
        let terms = self.terms;
        let at = self.random.below(6);
        let index = terms.zero_extend(self.byte(at), 32);
        let mut read = terms.select(table, index);
        if self.random.one_in(4) {
            read = terms.select(table, terms.zero_extend(read, 32));
        }
        let value = terms.bv(8, self.random.below(256));
        match self.random.below(4) {
            0 => terms.eq(read, value),
            1 => terms.bv_ult(read, value),
            2 => terms.not(terms.eq(
                terms.bv_and(read, terms.bv(8, 1 << self.random.below(8))),
                terms.bv(8, 0),
            )),
            _ => terms.bv_ult(terms.bv(8, 31), self.byte(at)),
        }
    }
}
