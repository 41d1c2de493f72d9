//! Unification, iterative and safe on cyclic terms.
//!
//! Pairs still to be unified wait on an explicit stack; the last argument is taken up directly, so lists
//! need no stack. After [`PATIENCE`] steps pairs of compound terms are remembered and not entered twice,
//! which is what ends the unification of cyclic terms.

use crate::cell::*;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_base::FastSet;

/// Steps after which visited pairs are remembered.
pub(crate) const PATIENCE: u32 = 2_000_000;

impl Memory {
    /// Whether two boxes hold the same number or string.
    pub(crate) fn boxes_equal(&self, a: Cell, b: Cell) -> bool {
        debug_assert!(a.tag() == BOX && b.tag() == BOX, "boxes are compared");
        let header = self.heap.cell(a.index());
        let size = header.arity() + 1;
        self.heap.slice(a.index(), a.index() + size)
            == self
                .heap
                .slice(b.index(), (b.index() + size).min(self.heap.capacity()))
    }

    /// Whether the variable occurs in the term.
    pub(crate) fn occurs_in(&self, var: Cell, term: Cell) -> bool {
        debug_assert!(var.is_var(), "a dereferenced variable is looked for");
        let mut found = false;
        self.walk(term, |cell| {
            found |= cell == var;
            !found
        });
        found
    }

    /// Whether a compound subterm of the term has this cell among its arguments. Those of that subterm are not looked at:
    /// it may be one that is being built.
    #[cold]
    pub(crate) fn has_argument_at(&self, term: Cell, at: usize) -> bool {
        let mut found = false;
        self.walk(term, |cell| {
            let inside = |(_, arity, args): (_, usize, usize)| (args..args + arity).contains(&at);
            found |= self.compound(cell).is_some_and(inside);
            !found
        });
        found
    }

    /// Visits every dereferenced subterm once, outermost first, left to right; `visit` says whether to go on.
    ///
    /// This is the way to look at a whole term: iterative, linear in the number of cells, and safe on
    /// cyclic terms because from [`PATIENCE`] steps on compound terms are not entered twice.
    pub(crate) fn walk(&self, term: Cell, visit: impl FnMut(Cell) -> bool) {
        self.walk_after(0, term, visit);
    }

    /// The same after so many steps; the steps in the end. A walk that passes [`PATIENCE`] may have gone round and round
    /// a cycle before it came to what stands beside it: an order is that of the text only if it starts there or ends before.
    fn walk_after(&self, mut steps: u32, term: Cell, mut visit: impl FnMut(Cell) -> bool) -> u32 {
        let mut stack = vec![term];
        let mut seen: FastSet<Cell> = FastSet::default();
        while let Some(cell) = stack.pop() {
            let mut cell = self.deref(cell);
            loop {
                if !visit(cell) {
                    return steps;
                }
                let Some((_, arity, args)) = self.compound(cell) else {
                    break;
                };
                steps = steps.saturating_add(1);
                if steps >= PATIENCE && !seen.insert(cell) {
                    break;
                }
                for i in (1..arity).rev() {
                    stack.push(self.heap.cell(args + i));
                }
                cell = self.at(args);
            }
        }
        steps
    }

    /// Whether the term contains no variable.
    pub(crate) fn is_ground(&self, term: Cell) -> bool {
        let mut ground = true;
        self.walk(term, |cell| {
            ground &= !cell.is_var();
            ground
        });
        ground
    }

    /// The variables of a term in order of first occurrence.
    pub(crate) fn variables_of(&self, term: Cell) -> Vec<Cell> {
        let mut found = Vec::new();
        let mut seen: FastSet<Cell> = FastSet::default();
        for before in [0, PATIENCE] {
            found.clear();
            seen.clear();
            let steps = self.walk_after(before, term, |cell| {
                if cell.is_var() && seen.insert(cell) {
                    found.push(cell);
                }
                true
            });
            if steps < PATIENCE {
                break;
            }
        }
        found
    }

    /// The variables that occur once in the term as it is written, in their order. In a cycle it occurs again and again.
    pub(crate) fn singletons_of(&self, term: Cell) -> Vec<Cell> {
        let mut found = Vec::new();
        let mut again: FastSet<Cell> = FastSet::default();
        let mut seen: FastSet<Cell> = FastSet::default();
        let mut note = |cell: Cell| {
            if cell.is_var() {
                if seen.insert(cell) {
                    found.push(cell);
                } else {
                    again.insert(cell);
                }
            }
            true
        };
        if self.is_acyclic(term) {
            let mut rest = vec![term];
            while let Some(cell) = rest.pop() {
                let cell = self.deref(cell);
                note(cell);
                if let Some((_, arity, args)) = self.compound(cell) {
                    rest.extend((0..arity).rev().map(|i| self.heap.cell(args + i)));
                }
            }
        } else {
            self.walk(term, note);
        }
        found.retain(|cell| !again.contains(cell));
        found
    }

    /// Whether the term is a finite tree.
    pub(crate) fn is_acyclic(&self, term: Cell) -> bool {
        let mut heads = Vec::new();
        self.loop_heads(term, 1, &mut heads);
        heads.is_empty()
    }

    /// Adds the compound terms that contain themselves where they are entered first, `limit` at most.
    pub(crate) fn loop_heads(&self, term: Cell, limit: usize, heads: &mut Vec<Cell>) {
        // Depth-first with an explicit path: a compound term met again on the path closes a cycle.
        enum Step {
            Enter(Cell),
            Leave(Cell),
        }
        let mut stack = vec![Step::Enter(term)];
        let mut open: FastSet<Cell> = FastSet::default();
        let mut done: FastSet<Cell> = FastSet::default();
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(cell) => {
                    open.remove(&cell);
                    done.insert(cell);
                }
                Step::Enter(cell) => {
                    let cell = self.deref(cell);
                    let Some((_, arity, args)) = self.compound(cell) else {
                        continue;
                    };
                    if open.contains(&cell) {
                        if !heads.contains(&cell) {
                            heads.push(cell);
                        }
                        if heads.len() >= limit {
                            return;
                        }
                        continue;
                    }
                    if done.contains(&cell) {
                        continue;
                    }
                    open.insert(cell);
                    stack.push(Step::Leave(cell));
                    for i in (0..arity).rev() {
                        stack.push(Step::Enter(self.heap.cell(args + i)));
                    }
                }
            }
        }
    }
}

impl Machine {
    /// Unifies two terms; on failure some variables may be bound (the caller backtracks).
    pub(crate) fn unify(&mut self, a: Cell, b: Cell) -> bool {
        if self.loader.occurs_check {
            return self.unify_occurs(a, b);
        }
        let mut steps = 0;
        match self.unify_nested(a, b, 0, &mut steps) {
            Some(unified) => unified,
            None => self.unify_plain(a, b),
        }
    }

    /// Unifies by recursion down to a small depth: most terms need no stack of their own. `None`: the terms are deep,
    /// large, cyclic or shared, and the whole has to start again with pairs remembered.
    fn unify_nested(&mut self, a: Cell, b: Cell, depth: u32, steps: &mut u32) -> Option<bool> {
        let (mut a, mut b) = (self.mem.deref(a), self.mem.deref(b));
        loop {
            if a == b {
                return Some(true);
            }
            match self.unify_layer(a, b) {
                Layer::Fail => return Some(false),
                Layer::Done => return Some(true),
                Layer::Args(first, second, count) => {
                    *steps += 1;
                    if depth > 40 || *steps > 100_000 {
                        return None;
                    }
                    debug_assert!(count > 0, "no structure has no arguments");
                    for i in 0..count - 1 {
                        let (x, y) = (self.mem.at(first + i), self.mem.at(second + i));
                        if x == y {
                            continue;
                        }
                        // The usual cases without another call: a variable and a value, two constants.
                        if x.tag() == REF && !y.is_var() {
                            self.mem.bind_plain(x, y);
                        } else if y.tag() == REF && !x.is_var() {
                            self.mem.bind_plain(y, x);
                        } else if matches!(x.tag(), CON | INT) && !y.is_var() {
                            return Some(false);
                        } else {
                            match self.unify_nested(x, y, depth + 1, steps) {
                                Some(true) => {}
                                other => return other,
                            }
                        }
                    }
                    a = self.mem.at(first + count - 1);
                    b = self.mem.at(second + count - 1);
                }
            }
        }
    }

    /// Unifies without occurs check.
    pub(crate) fn unify_plain(&mut self, a: Cell, b: Cell) -> bool {
        let mut stack: Vec<(Cell, Cell)> = Vec::new();
        let mut seen: FastSet<(Cell, Cell)> = FastSet::default();
        let mut steps = 0u32;
        let (mut a, mut b) = (a, b);
        loop {
            a = self.mem.deref(a);
            b = self.mem.deref(b);
            if a != b {
                match self.unify_layer(a, b) {
                    Layer::Fail => return false,
                    Layer::Done => {}
                    Layer::Args(first, second, count) => {
                        steps += 1;
                        if steps < PATIENCE || seen.insert((a, b)) {
                            for i in (1..count).rev() {
                                stack.push((
                                    self.mem.heap.cell(first + i),
                                    self.mem.heap.cell(second + i),
                                ));
                            }
                            a = self.mem.heap.cell(first);
                            b = self.mem.heap.cell(second);
                            if count == 2 {
                                // Take the head first if it is atomic, and stay on the spine.
                                let (x, y) = (self.mem.deref(a), self.mem.deref(b));
                                if x.is_atomic() || y.is_atomic() || x == y {
                                    if x != y && !self.unify_atomic(x, y) {
                                        return false;
                                    }
                                    if let Some((next_a, next_b)) = stack.pop() {
                                        a = next_a;
                                        b = next_b;
                                    }
                                }
                            }
                            continue;
                        }
                    }
                }
            }
            match stack.pop() {
                Some((next_a, next_b)) => {
                    a = next_a;
                    b = next_b;
                }
                None => return true,
            }
        }
    }

    /// One of the two is atomic or they are equal.
    fn unify_atomic(&mut self, a: Cell, b: Cell) -> bool {
        matches!(self.unify_layer(a, b), Layer::Done)
    }

    #[inline(always)]
    fn unify_layer(&mut self, a: Cell, b: Cell) -> Layer {
        debug_assert!(a != b, "equal cells are unified already");
        debug_assert!(a.tag() != HDR && b.tag() != HDR, "terms are unified");
        match (a.tag(), b.tag()) {
            (REF, REF) => {
                // The younger variable points to the older one.
                if a.index() < b.index() {
                    self.bind(b, a);
                } else {
                    self.bind(a, b);
                }
                Layer::Done
            }
            (REF, _) => {
                self.bind(a, b);
                Layer::Done
            }
            (_, REF) => {
                self.bind(b, a);
                Layer::Done
            }
            // The younger wakes, and its goals come after those of the older.
            (ATT, ATT) if a.index() < b.index() => {
                self.bind(b, a);
                Layer::Done
            }
            (ATT, _) => {
                self.bind(a, b);
                Layer::Done
            }
            (_, ATT) => {
                self.bind(b, a);
                Layer::Done
            }
            (LST, LST) => Layer::Args(a.index(), b.index(), 2),
            (STR, STR) => {
                let header = self.mem.heap.cell(a.index());
                if header != self.mem.heap.cell(b.index()) {
                    return Layer::Fail;
                }
                Layer::Args(a.index() + 1, b.index() + 1, header.arity())
            }
            (BOX, BOX) if self.mem.boxes_equal(a, b) => Layer::Done,
            _ => Layer::Fail,
        }
    }

    /// Unifies with occurs check: binding a variable to a term containing it fails.
    pub(crate) fn unify_occurs(&mut self, a: Cell, b: Cell) -> bool {
        let mut stack = vec![(a, b)];
        let mut seen: FastSet<(Cell, Cell)> = FastSet::default();
        let mut steps = 0u32;
        while let Some((a, b)) = stack.pop() {
            let (a, b) = (self.mem.deref(a), self.mem.deref(b));
            if a == b {
                continue;
            }
            if a.is_var() && !b.is_var() && self.mem.occurs_in(a, b)
                || b.is_var() && !a.is_var() && self.mem.occurs_in(b, a)
            {
                return false;
            }
            match self.unify_layer(a, b) {
                Layer::Fail => return false,
                Layer::Done => {}
                Layer::Args(first, second, count) => {
                    steps += 1;
                    if steps < PATIENCE || seen.insert((a, b)) {
                        for i in (0..count).rev() {
                            stack.push((
                                self.mem.heap.cell(first + i),
                                self.mem.heap.cell(second + i),
                            ));
                        }
                    }
                }
            }
        }
        true
    }
}

enum Layer {
    Fail,
    Done,
    /// Arguments to unify: their starts and number.
    Args(usize, usize, usize),
}
