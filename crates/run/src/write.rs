//! Terms of the machine as text.

use crate::cell::*;
use crate::machine::Machine;
use stet_base::FastMap;
use stet_prolog::{TermView, View, WriteOptions, atom, write_term};

/// The depth at which the writing of cyclic terms ends.
const CYCLE_DEPTH: u32 = 12;

/// The machine's terms for the writer.
struct MachineView<'a> {
    machine: &'a Machine,
    names: Option<&'a FastMap<Cell, String>>,
}

impl TermView for MachineView<'_> {
    type Term = Cell;

    fn view(&self, term: Cell) -> View<Cell> {
        let cell = self.machine.deref(term);
        match cell.tag() {
            REF | ATT => match self.names.and_then(|names| names.get(&cell)) {
                Some(name) => View::Var(name.clone()),
                None => View::Var(format!("_G{}", cell.index())),
            },
            CON => View::Atom(cell.as_atom().unwrap_or(atom::NIL)),
            INT => View::Int(cell.small_value()),
            BOX => match self.machine.heap.cell(cell.index()).kind() {
                KIND_FLOAT => View::Float(self.machine.float_value(cell)),
                KIND_BIG => View::Big(self.machine.big_value(cell)),
                _ => View::Str(self.machine.string_value(cell)),
            },
            _ if self.names.is_some_and(|names| names.contains_key(&cell)) => {
                let name = self.names.and_then(|names| names.get(&cell));
                View::Var(name.cloned().unwrap_or_default())
            }
            _ => match self.machine.compound(cell) {
                Some((atom::STREAM_FUNCTOR, 1, args)) => {
                    View::Verbatim(format!("<stream>({})", self.machine.at(args).small_value()))
                }
                Some((name, arity, _)) => View::Compound(name, arity),
                None => View::Verbatim("?".to_owned()),
            },
        }
    }

    fn arg(&self, term: Cell, index: usize) -> Cell {
        match self.machine.compound(self.machine.deref(term)) {
            Some((_, _, args)) => self.machine.heap.cell(args + index),
            None => Cell::atom(atom::NIL),
        }
    }
}

impl Machine {
    /// Writes a term with options.
    pub(crate) fn format_term(&self, term: Cell, options: &WriteOptions) -> String {
        self.format_named(term, options, None)
    }

    /// Writes a term whose variables have names.
    pub(crate) fn format_named(
        &self,
        term: Cell,
        options: &WriteOptions,
        names: Option<&FastMap<Cell, String>>,
    ) -> String {
        let mut options = *options;
        if options.max_depth == 0 && self.may_be_cyclic(term) && !self.is_acyclic(term) {
            options.max_depth = CYCLE_DEPTH;
        }
        self.format_folded(term, &options, names)
    }

    /// Writes a term whose variables, and the places where it contains itself, have names.
    pub(crate) fn format_folded(
        &self,
        term: Cell,
        options: &WriteOptions,
        names: Option<&FastMap<Cell, String>>,
    ) -> String {
        let view = MachineView {
            machine: self,
            names,
        };
        write_term(&view, term, &self.atoms, &self.ops, options)
    }

    /// A quick test: small terms are walked to their end, anything else may be cyclic.
    pub(crate) fn may_be_cyclic(&self, term: Cell) -> bool {
        let mut count = 0;
        self.walk(term, |_| {
            count += 1;
            count < 1000
        });
        count >= 1000
    }

    /// As `writeq/1` would print.
    pub(crate) fn quoted(&self, term: Cell) -> String {
        self.format_term(term, &WriteOptions::WRITEQ)
    }
}
