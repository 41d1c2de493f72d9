//! Facts whose arguments are constants and distinct variables: compiled and stored without the general way.
//!
//! Programs that use the database as a table assert mostly such facts, one at a time while they run.

use crate::cell::*;
use crate::code::{Op, op_of, word};
use crate::database::{ClauseData, ClauseId, KEYS, PredId};
use crate::errors::PErr;
use crate::flat::Flat;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_prolog::{Atom, atom};

/// The largest arity treated here.
const MAX: usize = 16;
/// Bodies with more goals than this are kept as they are.
const MOST_GOALS: usize = 50_000;

impl Memory {
    /// The dereferenced arguments of a structure if all are constants or distinct variables.
    fn flat_arguments(&self, head: Cell) -> Option<([Cell; MAX], usize)> {
        let (_, arity, args) = self.callable(head)?;
        if arity > MAX {
            return None;
        }
        let mut found = [Cell::small(0); MAX];
        for i in 0..arity {
            let cell = self.at(args + i);
            match cell.tag() {
                CON | INT => {}
                REF if !found[..i].contains(&cell) => {}
                _ => return None,
            }
            found[i] = cell;
        }
        Some((found, arity))
    }

    /// A body in which `call(V)` stands for every goal `V` that is a variable, as `clause/2` shows it.
    fn callable_body(&mut self, body: Cell) -> Cell {
        let body = self.deref(body);
        if !body.is_var() && self.control_parts(body).is_none() {
            return body;
        }
        let mut pending = vec![body];
        let (mut goals, mut open) = (0, false);
        while let Some(goal) = pending.pop() {
            let goal = self.deref(goal);
            goals += 1;
            open |= goal.is_var();
            if let Some((left, right)) = self.control_parts(goal) {
                pending.extend([left, right]);
            }
        }
        match open && goals < MOST_GOALS {
            true => self.with_calls(body, 0),
            false => body,
        }
    }

    fn control_parts(&self, goal: Cell) -> Option<(Cell, Cell)> {
        match self.compound(goal)? {
            (atom::COMMA | atom::SEMICOLON | atom::ARROW | atom::SOFT_ARROW, 2, args) => {
                Some((self.heap.cell(args), self.heap.cell(args + 1)))
            }
            _ => None,
        }
    }

    fn with_calls(&mut self, body: Cell, depth: usize) -> Cell {
        let mut lefts: Vec<(Atom, Cell)> = Vec::new();
        let mut rest = self.deref(body);
        // A loop along the right, where bodies are long.
        while let Some((left, right)) = self.control_parts(rest) {
            let name = self.compound(rest).map_or(atom::COMMA, |(name, ..)| name);
            let left = match depth < MOST_GOALS / 50 {
                true => self.with_calls(left, depth + 1),
                false => left,
            };
            lefts.push((name, left));
            rest = self.deref(right);
        }
        if rest.is_var() {
            rest = self.new_term(atom::CALL, &[rest]);
        }
        while let Some((name, left)) = lefts.pop() {
            rest = self.new_term(name, &[left, rest]);
        }
        rest
    }
}

impl Machine {
    /// The code of such a fact; `None` if `head` is not one.
    pub(super) fn compile_flat_fact(
        &mut self,
        pred: PredId,
        head: Cell,
    ) -> Result<Option<ClauseData>, PErr> {
        let Some((args, arity)) = self.mem.flat_arguments(head) else {
            return Ok(None);
        };
        let mut words = [0; 2 * MAX + 1];
        let mut len = 0;
        let mut keys = [0; KEYS];
        for (i, cell) in args[..arity].iter().enumerate() {
            if cell.tag() == REF {
                continue;
            }
            words[len] = word(Op::GetConst, 0, i as u16, 0, 0);
            words[len + 1] = cell.0;
            len += 2;
            if let Some(key) = keys.get_mut(i) {
                *key = cell.0;
            }
        }
        words[len] = word(Op::Proceed, 0, 0, 0, 0);
        len += 1;
        let code = self.alloc_code(&words[..len])?;
        Ok(Some(ClauseData {
            pred,
            code,
            len: len as u32,
            seq: 0,
            born: 0,
            died: u64::MAX,
            keys,
            deep: self.mem.deep_keys(head),
            has_body: false,
            flat: true,
            shallow: false,
            term: None,
            line: 0,
        }))
    }

    /// The head of such a fact again, from its code.
    pub(crate) fn flat_fact(&mut self, number: ClauseId) -> Result<Option<Cell>, PErr> {
        let Some(clause) = self.program.db.clause(number).filter(|clause| clause.flat) else {
            return Ok(None);
        };
        let (code, pred) = (clause.code as usize, clause.pred);
        let (name, arity) = (
            self.program.db.pred(pred).name,
            self.program.db.pred(pred).arity,
        );
        self.mem.need(arity + 2)?;
        if arity == 0 {
            return Ok(Some(Cell::atom(name)));
        }
        let is_list = name == atom::DOT && arity == 2;
        if !is_list {
            self.mem.push(Cell::functor(name, arity));
        }
        let args = self.mem.h;
        for _ in 0..arity {
            self.mem.new_var();
        }
        let mut at = code;
        while op_of(self.program.code.get(at)) == Op::GetConst {
            let argument = (self.program.code.get(at) >> 16 & 0xffff) as usize;
            self.mem
                .heap
                .put(args + argument, self.program.code.cell(at + 1));
            at += 2;
        }
        Ok(Some(match is_list {
            true => Cell::pointer(LST, args),
            false => Cell::pointer(STR, args - 1),
        }))
    }

    /// The term `head :- body` outside the heap.
    pub(crate) fn flatten_clause(&mut self, head: Cell, body: Cell) -> Flat {
        let body = self.mem.callable_body(body);
        let whole = self.mem.new_term(atom::NECK, &[head, body]);
        self.flatten(whole, false)
    }
}
