//! Facts whose arguments are constants and distinct variables: compiled and stored without the general way.
//!
//! Programs that use the database as a table assert mostly such facts, one at a time while they run.

use crate::cell::*;
use crate::code::{Op, word};
use crate::database::{ClauseData, INNER, KEYS, PredId};
use crate::errors::PErr;
use crate::flat::Flat;
use crate::machine::Machine;
use stet_prolog::atom;

/// The largest arity treated here.
const MAX: usize = 16;

impl Machine {
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

    /// The code of such a fact; `None` if `head` is not one.
    pub(super) fn compile_flat_fact(
        &mut self,
        pred: PredId,
        head: Cell,
    ) -> Result<Option<ClauseData>, PErr> {
        let Some((args, arity)) = self.flat_arguments(head) else {
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
            inner: [0; INNER],
            shallow: false,
            term: None,
            line: 0,
        }))
    }

    /// The term `head :- body` outside the heap.
    pub(crate) fn flatten_clause(&mut self, head: Cell, body: Cell) -> Flat {
        let fact = match body.is_atom(atom::TRUE) && head.tag() == STR {
            true => self.flat_arguments(head),
            false => None,
        };
        let Some((args, arity)) = fact else {
            let whole = self.new_term(atom::NECK, &[head, body]);
            return self.flatten(whole, false);
        };
        let mut words = Vec::with_capacity(5 + arity);
        words.push(Cell::pointer(STR, 1).0);
        words.push(Cell::functor(atom::NECK, 2).0);
        words.push(Cell::pointer(STR, 4).0);
        words.push(body.0);
        words.push(self.heap.get(head.index()));
        for cell in &args[..arity] {
            words.push(match cell.tag() {
                REF => Cell::var(words.len()).0,
                _ => cell.0,
            });
        }
        Flat { words }
    }
}
