//! The standard order of terms: variables, numbers, strings, atoms, compound terms.
//!
//! Numbers compare by value, a float before an equal integer; atoms and strings by their characters;
//! compound terms by arity, name, then arguments from the left.

use crate::cell::*;
use crate::memory::Memory;
use crate::number::Num;
use crate::unify::PATIENCE;
use std::cmp::Ordering;
use stet_base::FastSet;

/// Pairs still to be compared, the newest first. The first few are kept in place: most terms have few arguments, and sorting
/// compares often.
struct Pending {
    near: [(Cell, Cell); NEAR],
    len: usize,
    far: Vec<(Cell, Cell)>,
}

const NEAR: usize = 8;

impl Pending {
    fn new() -> Pending {
        Pending {
            near: [(Cell::small(0), Cell::small(0)); NEAR],
            len: 0,
            far: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, pair: (Cell, Cell)) {
        debug_assert!(
            self.far.is_empty() || self.len == NEAR,
            "the far pairs are newer than the near ones"
        );
        match self.near.get_mut(self.len) {
            Some(place) => {
                *place = pair;
                self.len += 1;
            }
            None => self.far.push(pair),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cell, Cell)> {
        if let Some(pair) = self.far.pop() {
            return Some(pair);
        }
        self.len = self.len.checked_sub(1)?;
        Some(self.near[self.len])
    }
}

impl Memory {
    /// Compares two terms.
    pub(crate) fn compare(&self, a: Cell, b: Cell) -> Ordering {
        let mut stack = Pending::new();
        let mut seen: FastSet<(Cell, Cell)> = FastSet::default();
        let mut steps = 0u32;
        let (mut a, mut b) = (self.deref(a), self.deref(b));
        loop {
            if a != b {
                let order = self.compare_layer(a, b);
                if order != Ordering::Equal {
                    return order;
                }
                if let (Some((_, arity, first)), Some((_, _, second))) =
                    (self.compound(a), self.compound(b))
                {
                    steps += 1;
                    if steps < PATIENCE || seen.insert((a, b)) {
                        for i in (1..arity).rev() {
                            stack.push((self.heap.cell(first + i), self.heap.cell(second + i)));
                        }
                        a = self.at(first);
                        b = self.at(second);
                        continue;
                    }
                }
            }
            match stack.pop() {
                Some((x, y)) => {
                    a = self.deref(x);
                    b = self.deref(y);
                }
                None => return Ordering::Equal,
            }
        }
    }

    fn rank(&self, cell: Cell) -> u8 {
        match cell.tag() {
            REF | ATT => 0,
            INT => 1,
            BOX if self.is_string(cell) => 2,
            BOX => 1,
            CON => 3,
            _ => 5,
        }
    }

    /// Compares the outermost layer; compound terms with the same functor are equal here.
    fn compare_layer(&self, a: Cell, b: Cell) -> Ordering {
        if a.is_small() && b.is_small() {
            return a.small_value().cmp(&b.small_value());
        }
        let (rank_a, rank_b) = (self.rank(a), self.rank(b));
        if rank_a != rank_b {
            return rank_a.cmp(&rank_b);
        }
        match rank_a {
            0 => a.index().cmp(&b.index()),
            1 => self.compare_numbers(a, b),
            3 => match (a.as_atom(), b.as_atom()) {
                (Some(x), Some(y)) => self.atom_text(x).cmp(self.atom_text(y)),
                _ => Ordering::Equal,
            },
            2 => self.string_value(a).cmp(&self.string_value(b)),
            _ => match (self.compound(a), self.compound(b)) {
                (Some((name_a, arity_a, _)), Some((name_b, arity_b, _))) => {
                    arity_a.cmp(&arity_b).then_with(|| {
                        if name_a == name_b {
                            Ordering::Equal
                        } else {
                            self.atom_text(name_a).cmp(self.atom_text(name_b))
                        }
                    })
                }
                _ => Ordering::Equal,
            },
        }
    }

    fn compare_numbers(&self, a: Cell, b: Cell) -> Ordering {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => {
                let by_type = || matches!(y, Num::Float(_)).cmp(&matches!(x, Num::Float(_)));
                // What is not a number comes before all numbers, and -0.0 before 0.0.
                let by_form = || match (&x, &y) {
                    (Num::Float(x), Num::Float(y)) if x.is_nan() == y.is_nan() => x.total_cmp(y),
                    (Num::Float(x), _) if x.is_nan() => Ordering::Less,
                    _ => Ordering::Greater,
                };
                match x.compare(&y) {
                    Some(Ordering::Equal) => by_type().then_with(|| match (&x, &y) {
                        (Num::Float(x), Num::Float(y)) => x.total_cmp(y),
                        _ => Ordering::Equal,
                    }),
                    Some(order) => order,
                    None => by_form(),
                }
            }
            _ => Ordering::Equal,
        }
    }
}
