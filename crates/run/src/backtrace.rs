//! Backtraces of errors: the builtin that raised it, and the clauses whose calls were under way.
//!
//! When `error(Formal, Context)` with an unbound context is raised, the addresses the calls would return to are noted,
//! and the context becomes `context(Module:Name/Arity, _)` if a predicate of the system raised it. Which clauses the
//! addresses belong to is found out only when somebody asks ([`Machine::frames`]). Calls in last position leave no
//! address.

use crate::cell::*;
use crate::code::{Op, op_of};
use crate::database::{Kind, PredId};
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use stet_prolog::{Atom, atom};

/// Addresses noted for one error.
const DEPTH: usize = 40;

/// A clause whose call was under way.
pub(crate) struct Frame {
    pub(crate) pred: PredId,
    pub(crate) line: u32,
}

pub(crate) fn register(m: &mut Machine) {
    // '$backtrace'(Frames): those of the newest error, innermost first, as frame(PI, File, Line)
    m.register("$backtrace", 1, backtrace);
}

impl Machine {
    /// Notes where an error comes from; `raiser` is the builtin that raised it, if one did.
    pub(crate) fn note_error(&mut self, error: &PErr, raiser: Option<PredId>) {
        let PErr::Throw(ball) = *error else { return };
        let Some(args) = self.mem.structure(ball, atom::ERROR, 2) else {
            return;
        };
        let context = self.mem.at(args + 1);
        if !context.is_var() || self.mem.h + 16 >= self.mem.heap_max {
            return;
        }
        self.trace_stack(DEPTH);
        let raiser = raiser
            .filter(|&id| self.program.db.pred(id).name != atom::THROW)
            .filter(|&id| {
                !self
                    .mem
                    .atom_text(self.program.db.pred(id).name)
                    .starts_with('$')
            })
            .or_else(|| self.raising_system_predicate())
            .map(|id| {
                (
                    self.program.db.pred(id).name,
                    self.program.db.pred(id).arity,
                )
            })
            .or_else(|| Some((arithmetic_at(self.program.code.get(self.control.p))?, 2)));
        if let Some((name, arity)) = raiser {
            let indicator = self.mem.indicator(atom::SYSTEM, name, arity);
            let module = Cell::atom(atom::SYSTEM);
            let qualified = self.mem.new_term(atom::COLON, &[module, indicator]);
            let message = self.mem.new_var();
            let name = self.mem.atoms.intern("context");
            let term = self.mem.new_term(name, &[qualified, message]);
            self.bind(context, term);
        }
    }

    /// Notes the addresses of the calls under way, innermost first.
    pub(crate) fn trace_stack(&mut self, depth: usize) {
        self.control.last_trace.clear();
        self.control
            .last_trace
            .extend([self.control.p as u32, self.control.cp as u32]);
        let mut e = self.control.e;
        while e != 0 && self.control.last_trace.len() < depth {
            self.control.last_trace.push(self.mem.env.get(e + 1) as u32);
            e = self.mem.env.get(e) as usize;
        }
    }

    /// The predicate of the system, written in Prolog, that called `throw/1`, if the user's program did not.
    fn raising_system_predicate(&self) -> Option<PredId> {
        let mut found = None;
        for frame in self.frames() {
            let pred = self.program.db.pred(frame.pred);
            if pred.module != atom::SYSTEM {
                break;
            }
            let name = self.mem.atom_text(pred.name);
            if !name.starts_with('$') {
                found = Some(frame.pred);
                break;
            }
            // From here on it is the loader that called, not the predicate that raised.
            if [
                "$load",
                "$directive",
                "$run",
                "$query",
                "$use",
                "$condition",
            ]
            .iter()
            .any(|start| name.starts_with(start))
            {
                break;
            }
        }
        found
    }

    /// The clauses of the noted addresses, innermost first.
    pub(crate) fn frames(&self) -> impl Iterator<Item = Frame> {
        let mut before = None;
        self.control.last_trace.iter().filter_map(move |&address| {
            let (_, &(len, number)) = self.program.db.bodies.range(..=address).next_back()?;
            let clause = self.program.db.clause(number)?;
            let inside = address < clause.code + len;
            let again = before.replace(address) == Some(address);
            (inside && !again).then_some(Frame {
                pred: clause.pred,
                line: clause.line,
            })
        })
    }
}

/// The arithmetic predicate an instruction belongs to.
fn arithmetic_at(word: u64) -> Option<Atom> {
    Some(match op_of(word) {
        Op::CmpEq | Op::CmpEqI => atom::ARITH_EQ,
        Op::CmpNe | Op::CmpNeI => atom::ARITH_NE,
        Op::CmpLt | Op::CmpLtI => atom::ARITH_LT,
        Op::CmpLe | Op::CmpLeI => atom::ARITH_LE,
        Op::CmpGt | Op::CmpGtI => atom::ARITH_GT,
        Op::CmpGe | Op::CmpGeI => atom::ARITH_GE,
        Op::Add | Op::Sub | Op::Mul | Op::IntDiv | Op::Mod | Op::Rem | Op::And | Op::Or => atom::IS,
        Op::Shl | Op::Shr | Op::AddI | Op::Arith2 | Op::Arith1 | Op::Eval => atom::IS,
        _ => return None,
    })
}

fn backtrace(m: &mut Machine) -> Res {
    let frames: Vec<(Atom, Atom, usize, Option<Atom>, u32)> = m
        .frames()
        .filter_map(|frame| {
            let pred = m.program.db.pred(frame.pred);
            let own = pred.module != atom::SYSTEM && pred.kind != Kind::Undefined;
            own.then_some((pred.module, pred.name, pred.arity, pred.file, frame.line))
        })
        .collect();
    let name = m.mem.atoms.intern("frame");
    m.mem.need(frames.len() * 16)?;
    let mut items = Vec::new();
    for (module, predicate, arity, file, line) in frames {
        let indicator = m.mem.indicator(module, predicate, arity);
        let file = Cell::atom(file.unwrap_or(atom::NIL));
        items.push(
            m.mem
                .new_term(name, &[indicator, file, Cell::small(i64::from(line))]),
        );
    }
    let list = m.new_proper_list(&items)?;
    m.unify_result(m.control.x[0], list)
}
