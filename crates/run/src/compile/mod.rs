//! Clauses to instructions.
//!
//! Three steps: [`source`] turns a clause term into a tree of goals, deciding which goals are inline
//! instructions; [`analyse`] finds out which variables live across calls; [`emit`] allocates registers and
//! writes the code. [`index`] links the clauses of a predicate together.

mod analyse;
mod arith;
mod emit;
mod facts;
mod goals;
pub(crate) mod index;
mod source;

use crate::cell::Cell;
use crate::database::{ClauseData, KEYS, PredId};
use crate::errors::PErr;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_prolog::Atom;

pub(crate) use source::Source;

/// A compiled clause not yet placed in the code area.
pub(crate) struct Compiled {
    pub(crate) words: Vec<u64>,
    /// Words whose upper half is a label relative to the start.
    pub(crate) labels: Vec<usize>,
    pub(crate) keys: [u64; KEYS],
    pub(crate) shallow: bool,
}

impl Memory {
    /// The index key of a dereferenced argument: 0 for variables and boxes.
    pub(crate) fn key_of(&self, cell: Cell) -> u64 {
        match cell.tag() {
            crate::cell::CON | crate::cell::INT => cell.0,
            crate::cell::LST => Cell::functor(stet_prolog::atom::DOT, 2).0,
            crate::cell::STR => self.heap.get(cell.index()),
            _ => 0,
        }
    }
}

impl Machine {
    /// Compiles `head :- body`, read in `module`, as a clause of predicate `pred`.
    pub(crate) fn compile_clause(
        &mut self,
        module: Atom,
        pred: PredId,
        head: Cell,
        body: Cell,
    ) -> Result<ClauseData, PErr> {
        if body.is_atom(stet_prolog::atom::TRUE) {
            if let Some(fact) = self.compile_flat_fact(pred, head)? {
                return Ok(fact);
            }
        }
        let source = Source::from_clause(self, module, head, body)?;
        let compiled = emit::emit(self, source)?;
        let len = compiled.words.len() as u32;
        let mut words = compiled.words;
        let base = u64::from(self.program.next_code(words.len()));
        for at in compiled.labels {
            words[at] += base << 32;
        }
        let code = self.alloc_code(&words)?;
        Ok(ClauseData {
            pred,
            code,
            len,
            seq: 0,
            born: 0,
            died: u64::MAX,
            keys: compiled.keys,
            deep: self.mem.deep_keys(head),
            has_body: !body.is_atom(stet_prolog::atom::TRUE),
            flat: false,
            shallow: compiled.shallow,
            term: None,
            line: 0,
        })
    }
}
