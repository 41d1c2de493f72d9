//! Branches: edges with their copies, symbolic conditions, switches, block addresses.

use super::{Executor, Step, error, fetch};
use crate::code::{Code, Opd, SwitchOp};
use crate::left_out::LeftOutKind;
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;
use std::rc::Rc;
use stet_term::Term;

impl Executor<'_> {
    /// Goes along an edge: copies the values of phis and marks the block as covered.
    #[inline]
    pub(super) fn take_edge(&mut self, state: &mut State, code: &Code, edge: u32) {
        let edge = &code.edges[edge as usize];
        let registers = &mut state.top.registers;
        if edge.overlapping {
            let values: Vec<Value> = edge
                .moves
                .iter()
                .map(|(_, from)| fetch(code, registers, *from).clone())
                .collect();
            for ((to, _), value) in edge.moves.iter().zip(values) {
                registers[*to as usize] = value;
            }
        } else {
            for (to, from) in edge.moves.iter() {
                registers[*to as usize] = fetch(code, registers, *from).clone();
            }
        }
        state.top.pc = edge.target;
        mark_covered(state, code, edge.block);
    }

    /// The edge a symbolic branch takes; the other side, if possible, becomes a new state.
    pub(super) fn branch(
        &mut self,
        state: &mut State,
        condition: Term,
        code: &Code,
        yes: u32,
        no: u32,
    ) -> Step<u32> {
        let truth = self.truth(state, condition)?;
        if let (Truth::Both, Some(path)) = (truth, self.settings.replay_path.clone()) {
            let taken = state.branches.newest_first().count();
            let side = path.get(taken).copied().unwrap_or(true);
            let kept = if side {
                condition
            } else {
                self.ctx.terms.not(condition)
            };
            self.assume(state, kept);
            state.branches.push(side);
            return Ok(if side { yes } else { no });
        }
        if truth == Truth::Both && self.is_over_static_limit(state) {
            return self.fixed_branch(state, condition, (yes, no));
        }
        match truth {
            Truth::True => Ok(yes),
            Truth::False => Ok(no),
            _ => {
                let negation = self.ctx.terms.not(condition);
                if let Some(mut other) = self.fork(state, negation) {
                    if self.settings.recording.branches {
                        other.branches.push(false);
                    }
                    self.take_edge(&mut other, code, no);
                    self.spawned.push(other);
                }
                self.assume(state, condition);
                if self.settings.recording.branches {
                    state.branches.push(true);
                }
                state.depth += 1;
                Ok(yes)
            }
        }
    }

    /// Whether this place has had its share of forks; counts the coming one if not.
    fn is_over_static_limit(&mut self, state: &State) -> bool {
        use std::hash::{BuildHasher, Hash, Hasher};
        let limits = self.settings.static_limits;
        if limits.forks >= 1.0 && limits.call_path_forks >= 1.0 {
            return false;
        }
        let hash = |path: bool| {
            let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
            path.hash(&mut hasher);
            match path {
                true => state.frames().skip(1).for_each(|frame| {
                    (frame.code.function, frame.pc).hash(&mut hasher);
                }),
                false => (state.top.code.function, state.top.pc).hash(&mut hasher),
            }
            hasher.finish()
        };
        let (here, path) = (hash(false), hash(true));
        let count = |key: u64| self.forks_at.get(&key).copied().unwrap_or(0) as f64;
        let all = self.forks as f64;
        let is_over = self.forks >= limits.delay
            && (limits.forks < 1.0 && count(here) > all * limits.forks
                || limits.call_path_forks < 1.0 && count(path) > all * limits.call_path_forks);
        if !is_over {
            *self.forks_at.entry(here).or_default() += 1;
            *self.forks_at.entry(path).or_default() += 1;
        }
        is_over
    }

    /// Takes one side of a branch, and records that the other is left out.
    fn fixed_branch(&mut self, state: &mut State, condition: Term, edges: (u32, u32)) -> Step<u32> {
        let what = "skipping fork and concretizing condition (MaxStatic*Pct limit reached)";
        self.leave_out(state, LeftOutKind::Fixed, what);
        let terms = self.ctx.terms.clone();
        let bit = terms.ite(condition, terms.bv(8, 1), terms.bv(8, 0));
        let side = match self.chain.value(&state.constraints, bit) {
            Some(value) => value == 1,
            None => return self.undecided(),
        };
        let kept = if side {
            condition
        } else {
            terms.not(condition)
        };
        self.assume(state, kept);
        Ok(if side { edges.0 } else { edges.1 })
    }

    pub(super) fn switch(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        switch: &SwitchOp,
    ) -> Step<u32> {
        let value = fetch(code, &state.top.registers, switch.value).clone();
        if let Some(number) = self.ctx.number128(&value) {
            return Ok(switch.table.get(&number).copied().unwrap_or(switch.default));
        }
        let term = self.ctx.bits_term(&value, switch.width);
        let terms = self.ctx.terms.clone();
        let mut targets: Vec<(u32, Vec<Term>)> = Vec::new();
        for &(case, edge) in &switch.cases {
            let case = match switch.width {
                1 => terms.bv(1, case as u64),
                width => self.ctx.wide_term(case, width),
            };
            let equal = terms.eq(term, case);
            let known = match self.settings.klee.simple_switch {
                true => None,
                false => targets
                    .iter_mut()
                    .find(|(known, _)| leads_alike(code, *known, edge)),
            };
            match known {
                Some((_, conditions)) => conditions.push(equal),
                None => targets.push((edge, vec![equal])),
            }
        }
        if !self.settings.klee.simple_switch {
            let is_default = |edge: u32| leads_alike(code, edge, switch.default);
            targets.retain(|(edge, _)| !is_default(*edge));
        }
        let mut choices: Vec<(u32, Term)> = targets
            .into_iter()
            .map(|(edge, conditions)| (edge, terms.or(&conditions)))
            .collect();
        // what goes nowhere else goes the default way
        let others: Vec<Term> = choices.iter().map(|(_, some)| terms.not(*some)).collect();
        choices.push((switch.default, terms.and(&others)));
        self.choose(state, code, &choices)
    }

    /// Follows every possible choice: the first in this state, the others in new ones. Choices exclude each other
    /// and one of them holds.
    fn choose(&mut self, state: &mut State, code: &Code, choices: &[(u32, Term)]) -> Step<u32> {
        for (k, &(edge, condition)) in choices.iter().enumerate() {
            let last = k + 1 == choices.len();
            let truth = if last {
                Truth::True
            } else {
                self.truth(state, condition)?
            };
            match truth {
                Truth::True => return Ok(edge),
                Truth::False => {}
                _ => {
                    if let Some(mut other) = self.fork(state, condition) {
                        self.take_edge(&mut other, code, edge);
                        self.spawned.push(other);
                    }
                    let rest = self.ctx.terms.not(condition);
                    self.assume(state, rest);
                    state.depth += 1;
                }
            }
        }
        error(ErrorKind::Unsupported, "a switch without a target")
    }

    pub(super) fn indirect_branch(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        address: Opd,
        edges: &[(u32, u32)],
    ) -> Step<u32> {
        let value = fetch(code, &state.top.registers, address).clone();
        let blocks = self.program.blocks.borrow();
        if let Value::Ptr(object, 0) = value {
            let found = blocks
                .get(&object)
                .filter(|(function, _)| *function == code.function);
            let edge = found.and_then(|(_, block)| edges.iter().find(|(to, _)| to == block));
            return match edge {
                Some((_, edge)) => Ok(*edge),
                None => error(
                    ErrorKind::OutOfBounds,
                    "an indirect branch to an address that is not a basic block",
                ),
            };
        }
        let mut choices = Vec::new();
        let mut found: Vec<_> = blocks
            .iter()
            .map(|(object, place)| (*place, *object))
            .collect();
        found.sort_unstable();
        drop(blocks);
        let term = self.ctx.term(&value, 64);
        for ((function, block), object) in found {
            let edge = edges
                .iter()
                .find(|(to, _)| *to == block && function == code.function);
            if let Some((_, edge)) = edge {
                let target = self.ctx.pointer_term(object, 0);
                choices.push((*edge, self.ctx.terms.eq(term, target)));
            }
        }
        let some: Vec<Term> = choices.iter().map(|(_, condition)| *condition).collect();
        let bad = self.ctx.terms.not(self.ctx.terms.or(&some));
        self.forbid(
            state,
            bad,
            ErrorKind::OutOfBounds,
            "an indirect branch to an address that is not a basic block",
        )?;
        self.choose(state, code, &choices)
    }
}

/// Whether two edges lead to the same place with the same values.
fn leads_alike(code: &Code, a: u32, b: u32) -> bool {
    let (a, b) = (&code.edges[a as usize], &code.edges[b as usize]);
    a.target == b.target && a.moves == b.moves
}

/// Notes that a block was entered.
#[inline]
pub(super) fn mark_covered(state: &mut State, code: &Code, block: u32) {
    let mut entered = code.entered.borrow_mut();
    let count = &mut entered[block as usize];
    *count += 1;
    if *count == 1 {
        state.covered_new = true;
        state.new_blocks.push((code.function, block));
        state.since_new = 0;
    }
}
