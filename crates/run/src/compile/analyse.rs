//! Variable analysis: which variables live across calls.
//!
//! The body is walked in the order in which code is emitted. Every goal has a position; calls end a *chunk*
//! (registers do not survive them), and so do the alternatives and the end of control constructs that push
//! a choice point. A variable that occurs in two chunks is permanent: it gets a slot of the environment.

use super::source::{G, Range, Source, T};

/// What is known of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarInfo {
    pub(crate) permanent: bool,
    pub(crate) slot: u16,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) occurrences: u32,
    chunk: u32,
}

/// The result of the analysis.
pub(crate) struct Analysis {
    pub(crate) variables: Vec<VarInfo>,
    pub(crate) slots: u16,
    /// A cut after a call needs the barrier in a slot.
    pub(crate) level: Option<u16>,
    /// The largest number of argument registers any goal uses.
    pub(crate) max_args: usize,
}

/// Analyses a clause and fills in the ranges of its control constructs.
pub(crate) fn analyse(source: &mut Source) -> Analysis {
    let unseen = VarInfo {
        permanent: false,
        slot: 0,
        first: 0,
        last: 0,
        occurrences: 0,
        chunk: u32::MAX,
    };
    let mut walker = Walker {
        variables: vec![unseen; source.variables],
        chunk: 0,
        chunks: 0,
        position: 0,
        deep_cut: false,
        max_args: source.head.len(),
    };
    for term in &source.head {
        walker.term(term);
    }
    walker.sequence(&mut source.body, true, true);
    let mut slots = 0;
    for variable in &mut walker.variables {
        if variable.permanent {
            variable.slot = slots;
            slots += 1;
        }
    }
    let level = walker.deep_cut.then_some(slots);
    Analysis {
        variables: walker.variables,
        slots: slots + u16::from(level.is_some()),
        level,
        max_args: walker.max_args,
    }
}

/// Whether a goal is made of tests: it binds nothing, and needs no choice point.
pub(crate) fn is_test(goal: &G) -> bool {
    match goal {
        G::True | G::Fail | G::Type(..) | G::Term(..) | G::Compare(..) => true,
        G::Conj(goals) => goals.iter().all(is_test),
        G::Not(inner, _) => is_test(inner),
        _ => false,
    }
}

/// Whether a condition can be tested without a choice point: it binds nothing unless it succeeds, so that only its
/// last goal may bind.
pub(crate) fn is_simple_condition(goal: &G) -> bool {
    match goal {
        G::Conj(goals) => match goals.split_last() {
            None => true,
            Some((last, before)) => before.iter().all(is_test) && is_simple_condition(last),
        },
        goal => is_test(goal) || is_constant_unification(goal),
    }
}

/// `Variable = constant`: fails without binding anything.
fn is_constant_unification(goal: &G) -> bool {
    match goal {
        G::Unify(T::Var(_), T::Const(_)) | G::Unify(T::Const(_), T::Var(_)) => true,
        G::Conj(goals) => goals.len() == 1 && is_constant_unification(&goals[0]),
        _ => false,
    }
}

/// Goals that need no argument registers and no environment.
pub(crate) fn is_pure_inline(goal: &G) -> bool {
    match goal {
        G::True
        | G::Fail
        | G::Unify(..)
        | G::Type(..)
        | G::Term(..)
        | G::Compare(..)
        | G::Is(..) => true,
        G::Conj(goals) => goals.iter().all(is_pure_inline),
        G::Not(inner, _) => is_test(inner),
        G::Ite(parts, soft, _) => {
            !soft
                && is_simple_condition(&parts.0)
                && is_pure_inline(&parts.1)
                && is_pure_inline(&parts.2)
        }
        _ => false,
    }
}

struct Walker {
    variables: Vec<VarInfo>,
    chunk: u32,
    chunks: u32,
    position: u32,
    deep_cut: bool,
    max_args: usize,
}

impl Walker {
    fn new_chunk(&mut self) {
        self.chunks += 1;
        self.chunk = self.chunks;
    }

    fn touch(&mut self, variable: u32) {
        let info = &mut self.variables[variable as usize];
        if info.chunk == u32::MAX {
            info.chunk = self.chunk;
            info.first = self.position;
        } else if info.chunk != self.chunk {
            info.permanent = true;
        }
        info.last = self.position;
        info.occurrences += 1;
    }

    fn term(&mut self, term: &T) {
        match term {
            T::Var(variable) => self.touch(*variable),
            T::Compound(_, args) => args.iter().for_each(|arg| self.term(arg)),
            T::Flat(_, variables) => variables.iter().for_each(|&v| self.touch(v)),
            T::Const(_) | T::Box(_) => {}
        }
    }

    /// `top`: directly in the clause body, where a cut is the clause's.
    fn sequence(&mut self, goals: &mut [G], last: bool, top: bool) {
        let count = goals.len();
        for (i, goal) in goals.iter_mut().enumerate() {
            self.goal(goal, last && i + 1 == count, top);
        }
    }

    fn goal(&mut self, goal: &mut G, last: bool, top: bool) {
        match goal {
            G::Conj(goals) => self.sequence(goals, last, top),
            G::Ite(parts, soft, range) => {
                self.open(range);
                self.if_then_else(parts, *soft, last, top);
                self.close(range);
            }
            G::Or(parts, range) => {
                self.open(range);
                self.goal(&mut parts.0, last, top);
                self.new_chunk();
                self.goal(&mut parts.1, last, top);
                self.new_chunk();
                self.close(range);
            }
            G::Not(inner, range) => {
                self.open(range);
                let simple = is_test(inner);
                self.goal(inner, false, false);
                if !simple {
                    self.new_chunk();
                }
                self.close(range);
            }
            leaf => self.leaf(leaf, top),
        }
    }

    fn open(&mut self, range: &mut Range) {
        range.first = self.position + 1;
    }

    fn close(&mut self, range: &mut Range) {
        range.last = self.position;
    }

    fn if_then_else(&mut self, parts: &mut (G, G, G), soft: bool, last: bool, top: bool) {
        let simple = !soft && is_simple_condition(&parts.0);
        let inline = simple && is_pure_inline(&parts.1) && is_pure_inline(&parts.2);
        self.goal(&mut parts.0, false, false);
        let after_condition = self.chunk;
        self.goal(&mut parts.1, last, top);
        if inline {
            return self.goal(&mut parts.2, last, top);
        }
        if simple {
            self.chunk = after_condition;
        } else {
            self.new_chunk();
        }
        self.goal(&mut parts.2, last, top);
        self.new_chunk();
    }

    fn leaf(&mut self, goal: &G, top: bool) {
        self.position += 1;
        match goal {
            G::Cut => self.deep_cut |= top && self.chunk != 0,
            G::Unify(a, b) | G::Term(_, a, b) | G::Compare(_, a, b) | G::Is(a, b) => {
                self.term(a);
                self.term(b);
            }
            G::Type(_, a) => self.term(a),
            G::Builtin(_, args) => {
                self.max_args = self.max_args.max(args.len());
                args.iter().for_each(|arg| self.term(arg));
            }
            G::Call(_, args) => {
                self.max_args = self.max_args.max(args.len());
                args.iter().for_each(|arg| self.term(arg));
                self.new_chunk();
            }
            _ => {}
        }
    }
}
