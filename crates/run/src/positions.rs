//! Positions in the arguments of calls and clause heads, and the keys found there.
//!
//! A position is an argument, an argument of that argument, or one level deeper: three bytes, outermost first, each
//! the number of the argument plus one. A key is what tells terms apart at a position: the atom or small integer
//! itself, the functor of a structure, a digest of a float, big integer or string. In order of their numbers positions
//! are in the order of a walk through the term, so two lists of them are compared in one pass.
//!
//! **Invariant:** a clause whose key at a position differs from the call's cannot match the call. Positions left out
//! because a clause has too many count as variables.

use crate::cell::*;
use crate::database::{ClauseData, KEYS};
use crate::machine::Machine;
use crate::memory::Memory;

/// A position; see the module's header.
pub(crate) type Position = u32;

/// Positions looked at in a call.
const IN_CALL: usize = 24;
/// Positions kept with a clause.
const IN_CLAUSE: usize = 16;
/// Arguments looked at on each level.
const WIDTH: usize = 16;

/// What is known about the arguments of a call.
pub(crate) struct Pattern {
    /// The keys of the leading arguments; 0 if there is none.
    pub(crate) keys: [u64; KEYS],
    items: [(Position, u64); IN_CALL],
    len: usize,
}

impl Pattern {
    fn new() -> Pattern {
        Pattern {
            keys: [0; KEYS],
            items: [(0, 0); IN_CALL],
            len: 0,
        }
    }

    /// Everything known, in order of positions.
    pub(crate) fn items(&self) -> &[(Position, u64)] {
        &self.items[..self.len]
    }

    /// The key at a position.
    pub(crate) fn key_at(&self, position: Position) -> Option<u64> {
        let items = self.items();
        debug_assert!(
            items.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "what is known of a call is in order of positions"
        );
        let at = items.binary_search_by_key(&position, |item| item.0).ok()?;
        Some(items[at].1)
    }

    /// Whether a clause may match.
    #[inline]
    pub(crate) fn admits(&self, clause: &ClauseData) -> bool {
        let plain = clause
            .keys
            .iter()
            .zip(&self.keys)
            .all(|(&a, &b)| a == 0 || b == 0 || a == b);
        plain && (clause.deep.is_none() || self.len == 0 || self.admits_deep(clause.positions()))
    }

    fn admits_deep(&self, positions: &[(Position, u64)]) -> bool {
        let mut known = self.items().iter().peekable();
        for &(position, key) in positions {
            while known.next_if(|item| item.0 < position).is_some() {}
            match known.peek() {
                Some(&&(at, other)) if at == position && other != key => return false,
                Some(_) => {}
                None => return true,
            }
        }
        true
    }
}

/// What a clause has at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Key(u64),
    /// A variable, or something not kept.
    Any,
    /// No term that has such a position matches this clause.
    Never,
}

impl ClauseData {
    /// The keys beyond those of the leading arguments.
    pub(crate) fn positions(&self) -> &[(Position, u64)] {
        self.deep.as_deref().unwrap_or_default()
    }

    /// What the clause has at a position.
    pub(crate) fn found_at(&self, position: Position) -> Found {
        if let Some(key) = self.key_at(position) {
            return Found::Key(key);
        }
        let Some((parent, number)) = parent_of(position) else {
            return Found::Any;
        };
        match self.found_at(parent) {
            Found::Key(key) if Cell(key).tag() != HDR || number > Cell(key).arity() => Found::Never,
            Found::Never => Found::Never,
            _ => Found::Any,
        }
    }

    /// The key at a position, if one is kept.
    pub(crate) fn key_at(&self, position: Position) -> Option<u64> {
        if position & 0xffff == 0 {
            let key = self.keys.get((position >> 16) as usize - 1);
            if let Some(&key) = key.filter(|&&key| key != 0) {
                return Some(key);
            }
        }
        let positions = self.positions();
        let at = positions
            .binary_search_by_key(&position, |item| item.0)
            .ok()?;
        Some(positions[at].1)
    }
}

/// The position of argument `number` (counted from one) of the call.
pub(crate) fn argument(number: usize) -> Position {
    debug_assert!(
        (1..256).contains(&number),
        "a number of an argument is a byte of a position"
    );
    (number as u32) << 16
}

/// The position of argument `number` of the term at `position`; `None` below the third level.
pub(crate) fn inside(position: Position, number: usize) -> Option<Position> {
    debug_assert!(
        (1..256).contains(&number),
        "a number of an argument is a byte of a position"
    );
    let number = number as u32;
    match position {
        _ if position & 0xff != 0 => None,
        _ if position & 0xff00 != 0 => Some(position | number),
        _ => Some(position | number << 8),
    }
}

fn parent_of(position: Position) -> Option<(Position, usize)> {
    if position & 0xff != 0 {
        return Some((position & !0xff, (position & 0xff) as usize));
    }
    let number = (position >> 8 & 0xff) as usize;
    (number != 0).then_some((position & !0xffff, number))
}

impl Memory {
    /// The keys of a clause's head beyond those of the leading arguments.
    pub(crate) fn deep_keys(&self, head: Cell) -> Option<Box<[(Position, u64)]>> {
        let (_, arity, args) = self.compound(head)?;
        // Asserted one at a time in programs that use the database as a table: one allocation at most.
        let mut places = [(argument(1), 0); IN_CLAUSE];
        let mut len = 0;
        for i in 0..arity.min(WIDTH) {
            let top = argument(i + 1);
            let mut sink = |position: Position, key: u64| {
                // Boxes have no key among those of the leading arguments.
                if position != top || i >= KEYS || Cell(key).tag() == BOX {
                    places[len] = (position, key);
                    len += 1;
                }
                len < IN_CLAUSE
            };
            if !self.visit_positions(top, self.at(args + i), &mut sink) {
                break;
            }
        }
        let found = &places[..len];
        debug_assert!(
            found.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "keys of a clause are in order of positions"
        );
        (!found.is_empty()).then(|| found.into())
    }

    /// Hands out the keys in a term, outermost first, until `sink` says that it has enough.
    fn visit_positions(
        &self,
        position: Position,
        term: Cell,
        sink: &mut dyn FnMut(Position, u64) -> bool,
    ) -> bool {
        let key = match term.tag() {
            BOX => self.box_key(term),
            _ => self.key_of(term),
        };
        if key == 0 {
            return true;
        }
        if !sink(position, key) {
            return false;
        }
        let Some((_, arity, args)) = self.compound(term) else {
            return true;
        };
        (0..arity.min(WIDTH)).all(|i| match inside(position, i + 1) {
            Some(inner) => self.visit_positions(inner, self.at(args + i), sink),
            None => true,
        })
    }

    /// A digest of a float, big integer or string that no other kind of key equals.
    fn box_key(&self, cell: Cell) -> u64 {
        let header = self.heap.cell(cell.index());
        let start = cell.index() + 1;
        let words = self.heap.slice(start, start + header.arity().min(16));
        let digest = words.iter().fold(header.0, |digest, &word| {
            (digest.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        digest << 3 | BOX
    }
}

impl Machine {
    /// What is known about the first `arity` argument registers.
    pub(crate) fn pattern_of_call(&self, arity: usize, deep: bool) -> Pattern {
        self.pattern(arity, deep, |m, i| m.mem.deref(m.control.x[i]))
    }

    /// What is known about the arguments of a head.
    pub(crate) fn pattern_of_head(&self, head: Cell) -> Pattern {
        match self.mem.compound(head) {
            Some((_, arity, args)) => self.pattern(arity, true, |m, i| m.mem.at(args + i)),
            None => Pattern::new(),
        }
    }

    #[inline]
    fn pattern(&self, arity: usize, deep: bool, term: impl Fn(&Machine, usize) -> Cell) -> Pattern {
        let mut pattern = Pattern::new();
        for (i, key) in pattern.keys.iter_mut().enumerate().take(arity) {
            *key = self.mem.key_of(term(self, i));
        }
        if !deep {
            return pattern;
        }
        for i in 0..arity.min(WIDTH) {
            let mut sink = |position, key| {
                let room = pattern.len < IN_CALL;
                if room {
                    pattern.items[pattern.len] = (position, key);
                    pattern.len += 1;
                }
                room
            };
            if !self
                .mem
                .visit_positions(argument(i + 1), term(self, i), &mut sink)
            {
                break;
            }
        }
        pattern
    }
}

// A number of an argument is a byte of a position.
const _: () = assert!(WIDTH < 256);
