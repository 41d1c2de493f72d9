//! Random queries in the executor's style: tables of pointers, dereferences under guards, tags, orders.
//!
//! A query is a function of a seed and of base addresses, so the same seed under another layout gives the
//! same query up to the bijection.

use super::*;
pub(super) use stet_testkit::Random;

/// Sizes of the objects of a query.
pub(super) const SIZES: [u64; 5] = [32, 8, 8, 16, 3];

/// Kinds of constraints about pointers, and with those about data.
const KINDS: u64 = 14;
const KINDS_WITH_DATA: u64 = 18;

/// A layout: the objects in random order with random gaps.
pub(super) fn layout(world: &World, random: &mut Random) -> Vec<Term> {
    let mut order: Vec<usize> = (0..SIZES.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i as u64 + 1) as usize);
    }
    let mut places = [0; SIZES.len()];
    let mut next = 16 * random.below(64);
    for &object in &order {
        places[object] = next;
        let end = next + SIZES[object] + address::RED_ZONE;
        next = end.div_ceil(16) * 16 + 16 * random.below(8);
    }
    (0..SIZES.len())
        .map(|object| world.address(places[object], SIZES[object]))
        .collect()
}

/// Builds one query.
pub(super) struct Builder<'a> {
    pub(super) world: &'a World,
    pub(super) random: Random,
    pub(super) bases: &'a [Term],
    /// The choice of a base that takes the other object of the same size instead: a near miss.
    pub(super) slip: Option<u64>,
    pub(super) choices: u64,
    /// How many kinds of constraints there are.
    kinds: u64,
}

impl Builder<'_> {
    fn terms(&self) -> &Terms {
        &self.world.terms
    }

    fn base(&mut self) -> Term {
        let chosen = self.random.below(self.bases.len() as u64) as usize;
        self.choices += 1;
        let slipped = match chosen {
            1 | 2 if self.slip == Some(self.choices) => 3 - chosen,
            other => other,
        };
        self.bases[slipped]
    }

    fn small(&mut self) -> Term {
        let names = [("i", 2), ("j", 2), ("x", 3)];
        let (name, width) = names[self.random.below(3) as usize];
        self.world.symbol(name, width)
    }

    /// A 64-bit number.
    fn number(&mut self) -> Term {
        let symbol = self.small();
        let wide = self.terms().zero_extend(symbol, 64);
        match self.random.below(4) {
            0 => {
                let value = self.random.below(20);
                self.terms().bv(64, value)
            }
            1 => self.terms().bv_mul(wide, self.terms().bv(64, 8)),
            2 => {
                let less = self.random.below(3_u64).wrapping_neg();
                self.terms().bv_add(wide, self.terms().bv(64, less))
            }
            _ => wide,
        }
    }

    /// An array of 32 bytes with pointers, numbers, tags and symbolic writes.
    fn table(&mut self) -> Term {
        let entries: Vec<Term> = (0..4)
            .map(|_| match self.random.below(6) {
                0 => self.terms().bv(64, 0),
                1 => {
                    let base = self.base();
                    let offset = self.random.below(12);
                    self.terms().bv_add(base, self.terms().bv(64, offset))
                }
                _ => self.base(),
            })
            .collect();
        let mut table = self.world.table(&entries);
        if self.random.one_in(5) {
            let (at, value) = (self.random.below(32), self.random.below(3));
            let (at, value) = (self.terms().bv(32, at), self.terms().bv(8, value));
            table = self.terms().store(table, at, value);
        }
        if self.random.one_in(4) {
            let pointer = self.base();
            let index = self.slot();
            for byte in 0..8u32 {
                let at = self.terms().bv_add(index, self.terms().bv(32, byte.into()));
                let value = self.terms().extract(8 * byte + 7, 8 * byte, pointer);
                table = self.terms().store(table, at, value);
            }
        }
        table
    }

    /// A 32-bit index of a slot, usually aligned.
    fn slot(&mut self) -> Term {
        let name = if self.random.one_in(2) { "i" } else { "j" };
        let symbol = self.world.symbol(name, 2);
        let wide = self.terms().zero_extend(symbol, 32);
        let step = if self.random.one_in(8) { 4 } else { 8 };
        self.terms().bv_mul(wide, self.terms().bv(32, step))
    }

    fn pointer(&mut self, depth: u32) -> Term {
        match self.random.below(if depth == 0 { 3 } else { 5 }) {
            0 => self.base(),
            1 => {
                let (base, number) = (self.base(), self.number());
                self.terms().bv_add(base, number)
            }
            2 | 3 => {
                let (table, slot) = (self.table(), self.slot());
                let pointer = self.world.read_pointer(table, slot);
                match self.random.below(3) {
                    0 => {
                        let number = self.number();
                        self.terms().bv_add(pointer, number)
                    }
                    _ => pointer,
                }
            }
            _ => {
                let condition = self.plain_condition();
                let (a, b) = (self.pointer(depth - 1), self.pointer(depth - 1));
                self.terms().ite(condition, a, b)
            }
        }
    }

    fn plain_condition(&mut self) -> Term {
        let symbol = self.small();
        let width = self.terms().width(symbol);
        let value = self.random.below(1 << width);
        let constant = self.terms().bv(width, value);
        match self.random.below(3) {
            0 => self.terms().eq(symbol, constant),
            1 => self.terms().bv_ult(symbol, constant),
            _ => self.terms().bv_ule(constant, symbol),
        }
    }

    /// A dereference: a guard, and sometimes a comparison of what is read.
    fn dereference(&mut self, set: &mut Vec<Term>) {
        let pointer = self.pointer(1);
        let object = self.random.below(SIZES.len() as u64) as usize;
        let base = self.bases[object];
        let guard = self.world.guard(pointer, base, SIZES[object]);
        set.push(guard);
        let offset = self.terms().bv_sub(pointer, base);
        let index = self.terms().extract(31, 0, offset);
        if object == 0 && self.random.one_in(2) {
            // A chain of pointers: what is read is dereferenced again.
            let table = self.table();
            let next = self.world.read_pointer(table, index);
            let target = self.random.below(SIZES.len() as u64) as usize;
            set.push(self.world.guard(next, self.bases[target], SIZES[target]));
            return;
        }
        let contents: Vec<u8> = (0..SIZES[object]).map(|i| (i * 37 % 5) as u8).collect();
        let array = self.terms().byte_table(32, contents);
        let value = self.random.below(5);
        let read = self.terms().select(array, index);
        set.push(self.terms().eq(read, self.terms().bv(8, value)));
    }

    /// A distance cut to fewer bits: a test of its range, which may wrap, and its use as an offset.
    fn narrow_distance(&mut self, set: &mut Vec<Term>) {
        let (number, other) = (self.number(), self.number());
        let (base, width) = (self.base(), [8, 16, 32][self.random.below(3) as usize]);
        let condition = self.plain_condition();
        let far = self.terms().bv_add(base, number);
        let near = self.terms().bv_add(base, other);
        let to = self.terms().ite(condition, far, near);
        let start = self.random.below(8);
        let start = self.terms().bv(64, start);
        let distance = self.terms().bv_sub(to, self.terms().bv_add(base, start));
        let narrow = self.terms().extract(width - 1, 0, distance);
        let shift = self.random.below(24_u64).wrapping_neg() & ((1 << width) - 1);
        let shift = if self.random.one_in(2) {
            self.random.below(24)
        } else {
            shift
        };
        let limit = 1 + self.random.below(24);
        let shifted = self.terms().bv_add(narrow, self.terms().bv(width, shift));
        let within = self.terms().bv_ult(shifted, self.terms().bv(width, limit));
        let within = if self.random.one_in(2) {
            within
        } else {
            self.terms().not(within)
        };
        let (from, target) = (self.base(), self.pointer(0));
        let place = self
            .terms()
            .bv_add(from, self.terms().zero_extend(narrow, 64));
        set.extend([within, self.terms().eq(place, target)]);
    }

    /// An index with few values.
    fn place(&mut self) -> Term {
        let condition = self.plain_condition();
        let (a, b) = (self.random.below(10), self.random.below(10));
        match self.random.below(3) {
            0 => {
                let symbol = self.small();
                self.terms().zero_extend(symbol, 32)
            }
            _ => {
                let (a, b) = (self.terms().bv(32, a), self.terms().bv(32, b));
                self.terms().ite(condition, a, b)
            }
        }
    }

    /// A byte of an array of numbers and symbols.
    fn byte(&mut self) -> Term {
        let mut array = self.terms().byte_table(32, vec![1, 0, 3, 0, 5, 2]);
        for _ in 0..self.random.below(4) {
            let symbol = self.small();
            let value = self.terms().zero_extend(symbol, 8);
            let at = match self.random.one_in(5) {
                true => self.place(),
                false => {
                    let at = self.random.below(8);
                    self.terms().bv(32, at)
                }
            };
            array = self.terms().store(array, at, value);
        }
        let index = self.place();
        self.terms().select(array, index)
    }

    /// What is read at a place that depends on a symbol.
    fn data(&mut self) -> Term {
        let read = self.byte();
        let other = match self.random.one_in(2) {
            true => self.byte(),
            false => {
                let value = self.random.below(7);
                self.terms().bv(8, value)
            }
        };
        match self.random.below(3) {
            0 => self.terms().bv_ult(read, other),
            _ => self.terms().eq(read, other),
        }
    }

    /// How far one pointer is from another into the same object.
    fn difference(&mut self) -> Term {
        let (base, to) = (self.base(), self.number());
        let condition = self.plain_condition();
        let (near, far) = (self.number(), self.number());
        let from = self.terms().ite(condition, near, far);
        let from = self.terms().bv_neg(self.terms().bv_add(base, from));
        let to = self.terms().bv_add(base, to);
        let distance = self.terms().bv_add(from, to);
        let limit = self.random.below(6);
        self.terms().bv_slt(distance, self.terms().bv(64, limit))
    }

    fn constraint(&mut self, set: &mut Vec<Term>) {
        let constraint = match self.random.below(self.kinds) {
            0..=3 => return self.dereference(set),
            12 | 13 => return self.narrow_distance(set),
            14..=16 => self.data(),
            17 => self.difference(),
            4..=6 => self.plain_condition(),
            7 | 8 => {
                let (a, b) = (self.pointer(1), self.pointer(1));
                self.terms().eq(a, b)
            }
            9 => {
                let pointer = self.pointer(1);
                self.terms().eq(pointer, self.terms().bv(64, 0))
            }
            10 => {
                let (a, b) = (self.pointer(1), self.pointer(1));
                self.terms().bv_ult(a, b)
            }
            _ => {
                let pointer = self.pointer(1);
                let value = self.random.below(4) * 16;
                let low = self.terms().extract(7, 0, pointer);
                self.terms().eq(low, self.terms().bv(8, value))
            }
        };
        let constraint = match self.random.one_in(3) {
            true => self.terms().not(constraint),
            false => constraint,
        };
        set.push(constraint);
    }

    /// A set of constraints.
    pub(super) fn query(mut self) -> Vec<Term> {
        let mut set = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            self.constraint(&mut set);
        }
        set.retain(|&constraint| constraint != Term::TRUE);
        set.sort_unstable();
        set.dedup();
        set
    }
}

/// The query of a seed under a layout.
pub(super) fn query(world: &World, seed: u64, bases: &[Term]) -> Vec<Term> {
    slipped_query(world, seed, bases, None)
}

/// The same with one base mistaken for another.
pub(super) fn slipped_query(
    world: &World,
    seed: u64,
    bases: &[Term],
    slip: Option<u64>,
) -> Vec<Term> {
    let builder = Builder {
        world,
        random: Random::new(seed),
        bases,
        slip,
        choices: 0,
        kinds: KINDS,
    };
    builder.query()
}

/// A query that may also read numbers and symbols from memory, and compare places in one object.
pub(super) fn query_with_data(world: &World, seed: u64, bases: &[Term]) -> Vec<Term> {
    let builder = Builder {
        world,
        random: Random::new(seed),
        bases,
        slip: None,
        choices: 0,
        kinds: KINDS_WITH_DATA,
    };
    builder.query()
}
