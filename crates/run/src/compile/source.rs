//! The clause as a tree: terms with numbered variables, goals sorted into inline tests, arithmetic,
//! builtins, calls and control.
//!
//! Subterms of more than [`FLAT_LIMIT`] nodes stay flat vectors, so everything here may recurse over terms.

use crate::cell::*;
use crate::code::Op;
use crate::database::{Kind, PredId};
use crate::errors::PErr;
use crate::machine::{MAX_ARITY, Machine};
use stet_base::FastMap;
use stet_prolog::{Atom, atom};

/// Larger terms are copied as a block instead of being built or matched by instructions.
const FLAT_LIMIT: usize = 600;
/// How deep control constructs may nest.
const NESTING_LIMIT: usize = 1000;

/// A term of the clause.
#[derive(Clone, Debug)]
pub(crate) enum T {
    Var(u32),
    /// An atom or small integer.
    Const(u64),
    /// A float, big integer or string: header and raw words.
    Box(Vec<u64>),
    Compound(Atom, Vec<T>),
    /// A large term; with variables it is `'$blob'(Term, Vars…)`.
    Flat(Vec<u64>, Vec<u32>),
}

/// A goal. Control constructs know the range of positions they cover (filled in by the analysis).
#[derive(Debug)]
pub(crate) enum G {
    True,
    Fail,
    Cut,
    Unify(T, T),
    /// A type test by opcode.
    Type(Op, T),
    /// A comparison of terms by opcode.
    Term(Op, T, T),
    /// A comparison of numbers by opcode.
    Compare(Op, T, T),
    Is(T, T),
    /// Number of the builtin and its arguments.
    Builtin(u32, Vec<T>),
    Call(PredId, Vec<T>),
    Conj(Vec<G>),
    /// Condition, then, else, soft cut.
    Ite(Box<(G, G, G)>, bool, Range),
    Or(Box<(G, G)>, Range),
    Not(Box<G>, Range),
}

/// First and last position of a construct.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Range {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// A clause ready for analysis.
pub(crate) struct Source {
    pub(crate) head: Vec<T>,
    pub(crate) body: Vec<G>,
    pub(crate) variables: usize,
}

impl Source {
    /// Reads the clause from the heap.
    pub(crate) fn from_clause(
        machine: &mut Machine,
        module: Atom,
        head: Cell,
        body: Cell,
    ) -> Result<Source, PErr> {
        let mut builder = Builder {
            machine,
            variables: FastMap::default(),
        };
        let head = builder.machine.mem.deref(head);
        let head = match builder.machine.mem.compound(head) {
            Some((_, arity, _)) if arity > MAX_ARITY => {
                return Err(builder.machine.mem.representation_error(atom::MAX_ARITY));
            }
            Some((_, arity, args)) => builder.terms(args, arity)?,
            None => Vec::new(),
        };
        let mut goals = Vec::new();
        builder.conjunction(module, body, &mut goals, 0)?;
        Ok(Source {
            head,
            body: goals,
            variables: builder.variables.len(),
        })
    }
}

struct Builder<'m> {
    machine: &'m mut Machine,
    variables: FastMap<Cell, u32>,
}

impl Builder<'_> {
    fn terms(&mut self, args: usize, arity: usize) -> Result<Vec<T>, PErr> {
        (0..arity)
            .map(|i| {
                let cell = self.machine.mem.at(args + i);
                self.term(cell)
            })
            .collect()
    }

    fn variable(&mut self, cell: Cell) -> u32 {
        let next = self.variables.len() as u32;
        *self.variables.entry(cell).or_insert(next)
    }

    fn term(&mut self, cell: Cell) -> Result<T, PErr> {
        if cell.is_pointer() && !cell.is_var() && self.is_large(cell) {
            return self.flat(cell);
        }
        self.small_term(cell)
    }

    fn is_large(&self, cell: Cell) -> bool {
        let mut count = 0;
        self.machine.mem.walk(cell, |_| {
            count += 1;
            count <= FLAT_LIMIT
        });
        count > FLAT_LIMIT
    }

    fn small_term(&mut self, cell: Cell) -> Result<T, PErr> {
        let cell = self.machine.mem.deref(cell);
        Ok(match cell.tag() {
            REF | ATT => T::Var(self.variable(cell)),
            CON | INT => T::Const(cell.0),
            BOX => {
                let size = self.machine.mem.heap.cell(cell.index()).arity() + 1;
                let words = self
                    .machine
                    .mem
                    .heap
                    .slice(cell.index(), cell.index() + size);
                T::Box(words.to_vec())
            }
            _ => {
                let (name, arity, args) =
                    self.machine.mem.compound(cell).unwrap_or((atom::NIL, 0, 0));
                let mut list = Vec::with_capacity(arity);
                for i in 0..arity {
                    let arg = self.machine.mem.heap.cell(args + i);
                    list.push(self.small_term(arg)?);
                }
                T::Compound(name, list)
            }
        })
    }

    fn flat(&mut self, cell: Cell) -> Result<T, PErr> {
        let found = self.machine.mem.variables_of(cell);
        if found.is_empty() {
            return Ok(T::Flat(self.machine.flatten(cell, false).words, Vec::new()));
        }
        if found.len() > MAX_ARITY {
            return Err(self.machine.mem.resource_error(atom::MEMORY));
        }
        let mut args = vec![cell];
        args.extend_from_slice(&found);
        let name = self.machine.mem.atoms.intern("$blob");
        let block = self.machine.mem.new_term(name, &args);
        let words = self.machine.flatten(block, false).words;
        let numbers = found.iter().map(|&var| self.variable(var)).collect();
        Ok(T::Flat(words, numbers))
    }

    /// Appends the goals of a body to `goals`.
    fn conjunction(
        &mut self,
        module: Atom,
        body: Cell,
        goals: &mut Vec<G>,
        depth: usize,
    ) -> Result<(), PErr> {
        if depth > NESTING_LIMIT {
            return Err(self.machine.mem.resource_error(atom::MEMORY));
        }
        if self.machine.mem.deref(body).is_atom(atom::TRUE) {
            return Ok(());
        }
        let mut pending = vec![body];
        while let Some(goal) = pending.pop() {
            let goal = self.machine.mem.deref(goal);
            if let Some(args) = self.machine.mem.structure(goal, atom::COMMA, 2) {
                pending.push(self.machine.mem.heap.cell(args + 1));
                pending.push(self.machine.mem.heap.cell(args));
                continue;
            }
            let goal = self.goal(module, goal, depth)?;
            match goal {
                G::True => {}
                G::Conj(inner) => goals.extend(inner),
                goal => goals.push(goal),
            }
        }
        Ok(())
    }

    fn block(&mut self, module: Atom, body: Cell, depth: usize) -> Result<G, PErr> {
        let mut goals = Vec::new();
        self.conjunction(module, body, &mut goals, depth + 1)?;
        Ok(G::Conj(goals))
    }

    fn goal(&mut self, module: Atom, goal: Cell, depth: usize) -> Result<G, PErr> {
        if goal.is_var() {
            return self.meta_call(module, goal);
        }
        let Some((name, arity, args)) = self.machine.mem.callable(goal) else {
            return Err(self.machine.mem.type_error(atom::CALLABLE, goal));
        };
        if let Some(control) = self.control(module, name, arity, args, depth)? {
            return Ok(control);
        }
        if let Some(inline) = self.inline(name, arity, args)? {
            return Ok(inline);
        }
        self.call(module, name, arity, args)
    }

    fn meta_call(&mut self, module: Atom, goal: Cell) -> Result<G, PErr> {
        let mut argument = self.term(goal)?;
        if module != atom::USER {
            argument = qualify(module, argument);
        }
        let call = self.machine.pred_id(atom::SYSTEM, atom::CALL, 1);
        Ok(G::Call(call, vec![argument]))
    }

    fn control(
        &mut self,
        module: Atom,
        name: Atom,
        arity: usize,
        args: usize,
        depth: usize,
    ) -> Result<Option<G>, PErr> {
        let first = |b: &Self| b.machine.mem.at(args);
        let range = Range::default();
        Ok(Some(match (name, arity) {
            (atom::TRUE, 0) => G::True,
            (atom::FAIL | atom::FALSE, 0) => G::Fail,
            (atom::CUT, 0) => G::Cut,
            // Behind a module qualifier: `m:(a, b)`.
            (atom::COMMA, 2) => {
                let mut goals = Vec::new();
                for i in 0..2 {
                    let part = self.machine.mem.heap.cell(args + i);
                    self.conjunction(module, part, &mut goals, depth + 1)?;
                }
                G::Conj(goals)
            }
            (atom::SEMICOLON | atom::BAR, 2) => {
                let left = first(self);
                let right = self.machine.mem.heap.cell(args + 1);
                for (functor, soft) in [(atom::ARROW, false), (atom::SOFT_ARROW, true)] {
                    if let Some(inner) = self.machine.mem.structure(left, functor, 2) {
                        let condition = self.machine.mem.heap.cell(inner);
                        let then = self.machine.mem.heap.cell(inner + 1);
                        let parts = (
                            self.block(module, condition, depth)?,
                            self.block(module, then, depth)?,
                            self.block(module, right, depth)?,
                        );
                        return Ok(Some(G::Ite(Box::new(parts), soft, range)));
                    }
                }
                let parts = (
                    self.block(module, left, depth)?,
                    self.block(module, right, depth)?,
                );
                G::Or(Box::new(parts), range)
            }
            (atom::ARROW, 2) => {
                let (condition, then) = (first(self), self.machine.mem.heap.cell(args + 1));
                let parts = (
                    self.block(module, condition, depth)?,
                    self.block(module, then, depth)?,
                    G::Fail,
                );
                G::Ite(Box::new(parts), false, range)
            }
            (atom::SOFT_ARROW, 2) => {
                // The condition is opaque to cuts: keep it a soft if-then-else.
                let (condition, then) = (first(self), self.machine.mem.heap.cell(args + 1));
                let parts = (
                    self.block(module, condition, depth)?,
                    self.block(module, then, depth)?,
                    G::Fail,
                );
                G::Ite(Box::new(parts), true, range)
            }
            (atom::NOT, 1) if !first(self).is_var() => {
                let inner = first(self);
                G::Not(Box::new(self.block(module, inner, depth)?), range)
            }
            (atom::ONCE | atom::IGNORE, 1) if self.machine.mem.is_callable(first(self)) => {
                let inner = first(self);
                let otherwise = if name == atom::ONCE { G::Fail } else { G::True };
                let parts = (self.block(module, inner, depth)?, G::True, otherwise);
                G::Ite(Box::new(parts), false, range)
            }
            (atom::FORALL, 2)
                if self.machine.mem.is_callable(first(self))
                    && self.machine.mem.is_callable(self.machine.mem.at(args + 1)) =>
            {
                let (generate, test) = (first(self), self.machine.mem.at(args + 1));
                let test = G::Not(Box::new(self.block(module, test, depth)?), range);
                let generate = self.block(module, generate, depth)?;
                G::Not(Box::new(G::Conj(vec![generate, test])), range)
            }
            (atom::COLON, 2) => {
                let (inner_module, goal) = (first(self), self.machine.mem.at(args + 1));
                match inner_module.as_atom() {
                    Some(inner) if self.machine.mem.is_callable(goal) => {
                        let goal = self.goal(inner, goal, depth + 1)?;
                        self.as_called_from_outside(module, goal)
                    }
                    _ => {
                        let goal = self
                            .machine
                            .mem
                            .new_term(atom::COLON, &[inner_module, goal]);
                        self.meta_call(atom::USER, goal)?
                    }
                }
            }
            _ => return Ok(None),
        }))
    }

    /// A goal that names another module calls its predicate from outside.
    fn as_called_from_outside(&self, module: Atom, goal: G) -> G {
        let G::Call(id, terms) = goal else {
            return goal;
        };
        let pred = self.machine.program.db.pred(id);
        match pred.outside.filter(|_| pred.module != module) {
            Some(outside) => G::Call(outside, terms),
            None => G::Call(id, terms),
        }
    }

    /// Goals that are instructions.
    fn inline(&mut self, name: Atom, arity: usize, args: usize) -> Result<Option<G>, PErr> {
        let op = match (name, arity) {
            (atom::VAR, 1) => Op::IsVar,
            (atom::NONVAR, 1) => Op::IsNonvar,
            (atom::ATOM, 1) => Op::IsAtom,
            (atom::INTEGER, 1) => Op::IsInteger,
            (atom::FLOAT, 1) => Op::IsFloat,
            (atom::NUMBER, 1) => Op::IsNumber,
            (atom::ATOMIC, 1) => Op::IsAtomic,
            (atom::COMPOUND, 1) => Op::IsCompound,
            (atom::CALLABLE, 1) => Op::IsCallable,
            (atom::STRING, 1) => Op::IsString,
            (atom::IS_LIST, 1) => Op::IsList,
            (atom::EQ, 2) => Op::TermEq,
            (atom::NE, 2) => Op::TermNe,
            (atom::LT, 2) => Op::TermLt,
            (atom::LE, 2) => Op::TermLe,
            (atom::GT, 2) => Op::TermGt,
            (atom::GE, 2) => Op::TermGe,
            (atom::ARITH_EQ, 2) => Op::CmpEq,
            (atom::ARITH_NE, 2) => Op::CmpNe,
            (atom::ARITH_LT, 2) => Op::CmpLt,
            (atom::ARITH_LE, 2) => Op::CmpLe,
            (atom::ARITH_GT, 2) => Op::CmpGt,
            (atom::ARITH_GE, 2) => Op::CmpGe,
            (atom::EQUALS, 2) => Op::GetValX,
            (atom::IS, 2) => Op::Eval,
            _ => return Ok(None),
        };
        let mut terms = self.terms(args, arity)?.into_iter();
        let (Some(a), b) = (terms.next(), terms.next()) else {
            return Ok(None);
        };
        Ok(Some(match (op, b) {
            (Op::GetValX, Some(b)) => G::Unify(a, b),
            (Op::Eval, Some(b)) => G::Is(a, b),
            (op, Some(b)) if (op as u8) < Op::CmpEq as u8 => G::Term(op, a, b),
            (op, Some(b)) => G::Compare(op, a, b),
            (op, None) => G::Type(op, a),
        }))
    }

    fn call(&mut self, module: Atom, name: Atom, arity: usize, args: usize) -> Result<G, PErr> {
        if arity > MAX_ARITY {
            return Err(self.machine.mem.representation_error(atom::MAX_ARITY));
        }
        let mut terms = self.terms(args, arity)?;
        let target = self.machine.program.resolve(module, name, arity);
        if let Some(id) = target {
            if let Some(place) = self.program_point(id) {
                let argument = terms.pop().unwrap_or(T::Const(0));
                let name = self.machine.mem.atoms.intern("$check_at");
                let module_of = self.machine.program.db.pred(id).module;
                let at = self.machine.pred_id(module_of, name, 2);
                return Ok(G::Call(at, vec![qualify(module, argument), place]));
            }
            let pred = self.machine.program.db.pred(id);
            if pred.core && self.machine.may_be_shadowed(module, id) {
                let id = self.machine.pred_id(module, name, arity);
                return Ok(G::Call(id, terms));
            }
            if module != atom::USER && pred.module != module && pred.core {
                self.qualify_meta_arguments(module, id, &mut terms);
            }
            let pred = self.machine.program.db.pred(id);
            if let (Kind::Builtin(number), true) = (pred.kind, pred.core) {
                return Ok(G::Builtin(number, terms));
            }
            if pred.core {
                return Ok(G::Call(id, terms));
            }
        }
        let id = self.machine.pred_id(module, name, arity);
        Ok(G::Call(id, terms))
    }

    /// For `check/1` of run-time checks in a file being loaded: the place of the clause.
    fn program_point(&mut self, id: PredId) -> Option<T> {
        let pred = self.machine.program.db.pred(id);
        let (module, name, arity) = (pred.module, pred.name, pred.arity);
        let is_check = arity == 1
            && self.machine.mem.atom_text(name) == "check"
            && self.machine.mem.atom_text(module) == "rtchecks";
        let frame = self
            .machine
            .loader
            .files
            .frames
            .last()
            .filter(|_| is_check)?;
        let (from, to) = (frame.counted, frame.at.max(frame.counted));
        let text = frame.text.get(from..to).unwrap_or_default();
        let lines = text.trim_end().matches('\n').count() as i64;
        let number = |n: i64| T::Const(Cell::small(n).0);
        let (file, line) = (frame.file, i64::from(frame.line));
        let arguments = vec![
            T::Const(Cell::atom(file).0),
            number(line),
            number(line + lines),
            number(from as i64),
            number((from + text.trim_end().len()) as i64),
        ];
        let place = self.machine.mem.atoms.intern("place");
        Some(T::Compound(place, arguments))
    }

    /// Goals passed to a predicate of another module carry the module they were written in.
    fn qualify_meta_arguments(&mut self, module: Atom, id: PredId, terms: &mut [T]) {
        let Some(meta) = self.machine.program.db.pred(id).meta.clone() else {
            return;
        };
        for (spec, term) in meta.iter().zip(terms) {
            let is_meta = crate::calls::is_goal_spec(*spec);
            let qualified = matches!(term, T::Compound(atom::COLON, args) if args.len() == 2);
            if is_meta && !qualified {
                let inner = std::mem::replace(term, T::Const(0));
                *term = qualify(module, inner);
            }
        }
    }
}

fn qualify(module: Atom, term: T) -> T {
    T::Compound(atom::COLON, vec![T::Const(Cell::atom(module).0), term])
}
