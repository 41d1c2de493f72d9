//! Clauses of files with assertions, kept as they were added for the static analysis.
//!
//! What is recorded is the clause after all expansions, just before it is compiled: the analysis sees the program that
//! runs. Terms that are too large are cut off, with the variables in what was cut.

use crate::cell::*;
use crate::database::{ClauseId, PredId};
use crate::machine::Machine;
use std::sync::Arc;
use stet_analyse::{Const, RawClause, Term, prim};
use stet_base::FastMap;
use stet_prolog::{Atom, atom};

/// A recorded clause.
pub(crate) struct Recorded {
    pub(crate) number: ClauseId,
    /// Tells it from a later clause of the same number.
    pub(crate) seq: i64,
    pub(crate) raw: RawClause,
}

/// Nodes of a clause beyond this many are cut off.
const MAX_NODES: usize = 4_000;
/// And nodes deeper than this.
const MAX_DEPTH: usize = 120;

impl Machine {
    /// A clause of the file being loaded was added.
    pub(crate) fn record_clause(
        &mut self,
        (id, number): (PredId, ClauseId),
        module: Atom,
        head: Cell,
        body: Cell,
    ) {
        let records = self
            .checks
            .files
            .last()
            .is_some_and(|file| file.outer_ops.is_some());
        if !records || !self.checks.analyse {
            return;
        }
        let Some(seq) = self.program.db.clause(number).map(|clause| clause.seq) else {
            return;
        };
        let mut reader = Reader {
            machine: self,
            variables: FastMap::default(),
            nodes: 0,
        };
        let args = match reader.machine.mem.compound(head) {
            Some((_, arity, args)) => (args..args + arity)
                .map(|at| {
                    let cell = reader.machine.mem.heap.cell(at);
                    reader.term(cell, 0)
                })
                .collect(),
            None => Vec::new(),
        };
        let body = reader.term(body, 0);
        let raw = RawClause {
            module,
            variables: reader.variables.len(),
            head: args,
            body,
        };
        self.checks
            .recorded_clauses
            .entry(id)
            .or_default()
            .push(Recorded { number, seq, raw });
    }
}

struct Reader<'a> {
    machine: &'a Machine,
    variables: FastMap<Cell, usize>,
    nodes: usize,
}

impl Reader<'_> {
    fn variable(&mut self, cell: Cell) -> usize {
        let next = self.variables.len();
        *self.variables.entry(cell).or_insert(next)
    }

    fn term(&mut self, cell: Cell, depth: usize) -> Arc<Term> {
        let machine = self.machine;
        let cell = machine.mem.deref(cell);
        self.nodes += 1;
        if cell.is_var() {
            return Arc::new(Term::Var(self.variable(cell)));
        }
        if let Some(name) = cell.as_atom() {
            return Arc::new(Term::Const(Const::Atom(name)));
        }
        if cell.is_small() {
            return Arc::new(Term::Const(Const::Int(cell.small_value())));
        }
        if let Some((name, arity, args)) = machine.mem.compound(cell) {
            if self.nodes > MAX_NODES || depth > MAX_DEPTH || arity == 0 {
                return Arc::new(Term::Unknown(self.variables_of(cell)));
            }
            let args = (args..args + arity)
                .map(|at| self.term(machine.mem.heap.cell(at), depth + 1))
                .collect();
            return Arc::new(Term::Compound(name, args));
        }
        let prims = match machine.mem.box_kind(cell) {
            Some(KIND_FLOAT) => prim::FLOAT,
            Some(KIND_BIG) => prim::LARGE | prim::NEGATIVE,
            Some(KIND_STRING) => prim::STRING,
            _ => prim::ATOMIC,
        };
        Arc::new(Term::Prim(prims))
    }

    fn variables_of(&mut self, cell: Cell) -> Vec<usize> {
        let mut found = Vec::new();
        self.machine.mem.walk(cell, |inner| {
            if inner.is_var() {
                found.push(inner);
            }
            true
        });
        found.into_iter().map(|var| self.variable(var)).collect()
    }
}

/// The names a term mentions.
pub(crate) fn mentioned(term: &Term, found: &mut Vec<Atom>) {
    match term {
        Term::Const(Const::Atom(name)) => found.push(*name),
        Term::Compound(name, args) => {
            found.push(*name);
            args.iter().for_each(|arg| mentioned(arg, found));
        }
        _ => {}
    }
}

/// The names a clause mentions other than as a goal: predicates of these names may be called from outside.
pub(crate) fn mentioned_as_data(raw: &RawClause, found: &mut Vec<Atom>) {
    raw.head.iter().for_each(|arg| mentioned(arg, found));
    let mut work = vec![raw.body.clone()];
    while let Some(term) = work.pop() {
        match &*term {
            Term::Compound(name, args) => {
                let control = matches!(
                    (*name, args.len()),
                    (atom::COMMA | atom::SEMICOLON | atom::ARROW, 2) | (atom::COLON, 2)
                );
                if control {
                    work.extend(args.iter().cloned());
                } else {
                    args.iter().for_each(|arg| mentioned(arg, found));
                }
            }
            Term::Const(_) | Term::Var(_) | Term::Prim(_) | Term::Unknown(_) => {}
        }
    }
}
