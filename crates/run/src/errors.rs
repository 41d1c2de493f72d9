//! Exceptions and the ISO error terms.

use crate::cell::Cell;
use crate::machine::Machine;
use crate::memory::Memory;
use stet_prolog::{Atom, atom};

/// Why a builtin did not finish.
#[derive(Clone, Copy, Debug)]
pub enum PErr {
    /// An exception with this ball, a term on the heap.
    Throw(Cell),
    /// `halt/1`.
    Halt(i32),
    /// The engine that runs suspends itself.
    Suspend,
}

impl Memory {
    /// `error(formal, Context)`.
    pub(crate) fn iso_error(&mut self, formal: Cell) -> PErr {
        let context = self.new_var();
        PErr::Throw(self.new_term(atom::ERROR, &[formal, context]))
    }

    pub(crate) fn instantiation_error(&mut self) -> PErr {
        self.iso_error(Cell::atom(atom::INSTANTIATION_ERROR))
    }

    /// `type_error(expected, culprit)`, or an instantiation error if the culprit is a variable.
    pub(crate) fn type_error(&mut self, expected: Atom, culprit: Cell) -> PErr {
        let culprit = self.deref(culprit);
        if culprit.is_var() {
            return self.instantiation_error();
        }
        self.type_error_strict(expected, culprit)
    }

    /// `type_error(expected, culprit)` for any culprit.
    pub(crate) fn type_error_strict(&mut self, expected: Atom, culprit: Cell) -> PErr {
        let formal = self.new_term(atom::TYPE_ERROR, &[Cell::atom(expected), culprit]);
        self.iso_error(formal)
    }

    pub(crate) fn domain_error(&mut self, domain: Atom, culprit: Cell) -> PErr {
        let formal = self.new_term(atom::DOMAIN_ERROR, &[Cell::atom(domain), culprit]);
        self.iso_error(formal)
    }

    pub(crate) fn existence_error(&mut self, kind: Atom, culprit: Cell) -> PErr {
        let formal = self.new_term(atom::EXISTENCE_ERROR, &[Cell::atom(kind), culprit]);
        self.iso_error(formal)
    }

    pub(crate) fn permission_error(&mut self, action: Atom, kind: Atom, culprit: Cell) -> PErr {
        let args = [Cell::atom(action), Cell::atom(kind), culprit];
        let formal = self.new_term(atom::PERMISSION_ERROR, &args);
        self.iso_error(formal)
    }

    pub(crate) fn representation_error(&mut self, what: Atom) -> PErr {
        let formal = self.new_term(atom::REPRESENTATION_ERROR, &[Cell::atom(what)]);
        self.iso_error(formal)
    }

    pub(crate) fn evaluation_error(&mut self, what: Atom) -> PErr {
        let formal = self.new_term(atom::EVALUATION_ERROR, &[Cell::atom(what)]);
        self.iso_error(formal)
    }

    pub(crate) fn resource_error(&mut self, what: Atom) -> PErr {
        let formal = self.new_term(atom::RESOURCE_ERROR, &[Cell::atom(what)]);
        self.iso_error(formal)
    }

    /// `Name/Arity`, with its module unless that is `user` or `system`.
    pub(crate) fn indicator(&mut self, module: Atom, name: Atom, arity: usize) -> Cell {
        let args = [Cell::atom(name), Cell::small(arity as i64)];
        let indicator = self.new_term(atom::SLASH, &args);
        if module == atom::USER || module == atom::SYSTEM {
            return indicator;
        }
        self.new_term(atom::COLON, &[Cell::atom(module), indicator])
    }

    /// An error whose formal part is `syntax_error(message)`.
    pub(crate) fn syntax_error(&mut self, message: &str) -> PErr {
        let message = self.atom_cell(message);
        let formal = self.new_term(atom::SYNTAX_ERROR, &[message]);
        self.iso_error(formal)
    }

    /// A domain error with a domain that is not a constant.
    pub(crate) fn domain_error_named(&mut self, domain: &str, culprit: Cell) -> PErr {
        let domain = self.atoms.intern(domain);
        self.domain_error(domain, culprit)
    }
}

impl Machine {
    /// `existence_error(procedure, Name/Arity)`, qualified outside `user`.
    pub(crate) fn unknown_procedure(&mut self, module: Atom, name: Atom, arity: usize) -> PErr {
        let indicator = self.mem.indicator(module, name, arity);
        let args = [Cell::atom(atom::PROCEDURE), indicator];
        let formal = self.mem.new_term(atom::EXISTENCE_ERROR, &args);
        let error = self.mem.iso_error(formal);
        self.note_error(&error, None);
        PErr::Throw(self.mem.new_term(atom::ERROR, &[formal, indicator]))
    }
}
