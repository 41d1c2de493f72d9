//! The builtin predicates, by topic.
//!
//! A deterministic builtin is a function on the machine that finds its arguments with [`Machine::arg`] and
//! answers true, false or an exception; a nondeterministic one also gets and returns a state (see
//! [`crate::More`]). Each file has a `register` function; [`register_all`] calls them.

mod arith;
mod atoms;
mod attributed;
mod bags;
mod chars;
mod clauses;
mod domains;
mod files;
mod flags;
mod format;
mod input;
mod lists;
mod loading;
mod modules;
pub(crate) mod operators;
mod output;
pub(crate) mod predicates;
mod streams;
pub(crate) mod subtext;
mod system;
mod terms;
mod text;
pub(crate) mod tools;

use crate::cell::Cell;
use crate::code::Op;
use crate::database::Kind;
use crate::errors::PErr;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_prolog::{Atom, atom};

pub(crate) fn register_all(machine: &mut Machine) {
    arith::register(machine);
    crate::backtrace::register(machine);
    atoms::register(machine);
    attributed::register(machine);
    bags::register(machine);
    chars::register(machine);
    clauses::register(machine);
    domains::register(machine);
    files::register(machine);
    flags::register(machine);
    format::register(machine);
    input::register(machine);
    lists::register(machine);
    loading::register(machine);
    operators::register(machine);
    output::register(machine);
    predicates::register(machine);
    streams::register(machine);
    subtext::register(machine);
    system::register(machine);
    terms::register(machine);
    tools::register(machine);
    crate::continuations::register(machine);
    crate::engines::register(machine);
    crate::tables::register(machine);
    crate::checks::register(machine);
    special(machine);
}

/// `call/N` up to this N: more arguments than programs pass, and few enough for a byte of an instruction.
const CALL_ARITY: usize = 64;

/// Predicates that are instructions of the machine.
fn special(machine: &mut Machine) {
    let any = Cell::atom(machine.mem.atoms.intern("?"));
    for arity in 1..=CALL_ARITY {
        let id = machine.pred_id(atom::SYSTEM, atom::CALL, arity);
        let mut meta = vec![any; arity];
        meta[0] = Cell::small(arity as i64 - 1);
        machine.program.db.pred_mut(id).kind = Kind::Special;
        machine.program.db.pred_mut(id).core = true;
        machine.program.db.pred_mut(id).meta = Some(meta.into_boxed_slice());
        machine.program.set_stub(id, Op::CallN, id);
    }
    let id = machine.pred_id(atom::SYSTEM, atom::CATCH, 3);
    machine.program.db.pred_mut(id).kind = Kind::Special;
    machine.program.db.pred_mut(id).core = true;
    machine.program.set_stub(id, Op::Catch, id);
    let name = machine.mem.atoms.intern("$call_cleanup");
    let id = machine.pred_id(atom::SYSTEM, name, 2);
    machine.program.db.pred_mut(id).kind = Kind::Special;
    machine.program.db.pred_mut(id).core = true;
    machine.program.set_stub(id, Op::CallCleanup, id);
    machine.register("throw", 1, |m| {
        let ball = m.arg(0);
        if ball.is_var() {
            return Err(m.mem.instantiation_error());
        }
        Err(PErr::Throw(ball))
    });
    machine.register("true", 0, |_| Ok(true));
    machine.register("otherwise", 0, |_| Ok(true));
    machine.register("fail", 0, |_| Ok(false));
    machine.register("false", 0, |_| Ok(false));
}

impl Memory {
    pub(crate) fn int_of(&mut self, cell: Cell) -> Result<i64, PErr> {
        let cell = self.deref(cell);
        if cell.is_small() {
            return Ok(cell.small_value());
        }
        if self.is_integer(cell) {
            return match i64::try_from(&self.big_value(cell)) {
                Ok(value) => Ok(value),
                Err(_) => Err(self.representation_error(atom::MAX_INTEGER)),
            };
        }
        Err(self.type_error(atom::INTEGER, cell))
    }

    pub(crate) fn atom_of(&mut self, cell: Cell) -> Result<Atom, PErr> {
        let cell = self.deref(cell);
        match cell.as_atom() {
            Some(name) => Ok(name),
            None => Err(self.type_error(atom::ATOM, cell)),
        }
    }

    /// A callable argument without its module qualifier; goals without one are goals of `user`.
    pub(crate) fn strip_module(&mut self, cell: Cell) -> Result<(Atom, Cell), PErr> {
        self.strip_module_in(atom::USER, cell)
    }

    /// A term without its module qualifier, and its module.
    pub(crate) fn strip_module_in(
        &mut self,
        module: Atom,
        cell: Cell,
    ) -> Result<(Atom, Cell), PErr> {
        let mut module = module;
        let mut cell = self.deref(cell);
        let mut steps = 0;
        while let Some(args) = self.structure(cell, atom::COLON, 2) {
            self.count_qualifier(&mut steps, cell)?;
            let qualifier = self.at(args);
            match qualifier.as_atom() {
                Some(name) => module = name,
                None => return Err(self.type_error(atom::ATOM, qualifier)),
            }
            cell = self.at(args + 1);
        }
        Ok((module, cell))
    }

    /// Counts one module qualifier of a term: more of them than there are cells are those of a cyclic term.
    pub(crate) fn count_qualifier(&mut self, steps: &mut usize, cell: Cell) -> Result<(), PErr> {
        *steps += 1;
        if *steps <= self.h {
            return Ok(());
        }
        let acyclic = self.atoms.intern("acyclic_term");
        Err(self.type_error(acyclic, cell))
    }

    /// `Name/Arity`, possibly qualified.
    pub(crate) fn indicator_of(&mut self, cell: Cell) -> Result<(Atom, Atom, usize), PErr> {
        let (module, cell) = self.strip_module(cell)?;
        if cell.is_var() {
            return Err(self.instantiation_error());
        }
        let (args, extra) = match (
            self.structure(cell, atom::SLASH, 2),
            self.structure(cell, atom::INT_DIV, 2),
        ) {
            (Some(args), _) => (args, 0),
            (None, Some(args)) => (args, 2),
            _ => return Err(self.type_error(atom::PREDICATE_INDICATOR, cell)),
        };
        let (name, arity) = (self.at(args), self.at(args + 1));
        if name.is_var() || arity.is_var() {
            return Err(self.instantiation_error());
        }
        let name = self.atom_of(name)?;
        let count = self.int_of(arity)?;
        if count < 0 {
            return Err(self.domain_error(atom::NOT_LESS_THAN_ZERO, arity));
        }
        if count > crate::machine::MAX_ARITY as i64 {
            return Err(self.representation_error(atom::MAX_ARITY));
        }
        Ok((module, name, count as usize + extra))
    }
}

impl Machine {
    /// An integer argument that fits 64 bits.
    pub(crate) fn int_arg(&mut self, index: usize) -> Result<i64, PErr> {
        let cell = self.arg(index);
        self.mem.int_of(cell)
    }

    /// An atom argument.
    pub(crate) fn atom_arg(&mut self, index: usize) -> Result<Atom, PErr> {
        let cell = self.arg(index);
        self.mem.atom_of(cell)
    }

    /// The same for what is said in a file being loaded: without a qualifier it is about the file's module.
    pub(crate) fn strip_source_module(&mut self, cell: Cell) -> Result<(Atom, Cell), PErr> {
        self.mem.strip_module_in(self.loader.source_module(), cell)
    }
}
