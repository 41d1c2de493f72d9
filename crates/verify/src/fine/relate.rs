//! The old and the new body side by side.
//!
//! The relation kept at every point of the new body: *if the assumption variables in `path` are true, then an
//! old execution reaches the corresponding point of the old body, and agrees on every variable whose own
//! assumption variables (`taint`) are true*. A check verified in the old body then holds in the new one wherever
//! its path and the variables it reads are untainted or their assumption variables are true.
//!
//! | command | in both | only in the old body | only in the new body |
//! |---|---|---|---|
//! | `assume P` | needs the variables of `P` to agree | record whether `P` holds | nothing: fewer executions |
//! | `assert P` | as `assume`; its verdict is reused | verified: `P` is known; otherwise as `assume` | nothing |
//! | `x := e` | `x` agrees if the variables of `e` do | record whether `x == e` | record whether `x` is unchanged |
//! | `havoc x` | `x` agrees | `x` agrees: the old value can be chosen | record whether `x` is unchanged |
//!
//! The three cases of calls [FGC §4.3] are instances: a changed precondition is an assertion only in one body, a
//! changed postcondition an assumption only in one body, a changed `modifies` clause a havoc only in one body.
//! Paths that exist only in the new body set an assumption variable to false.
//!
//! Loops are cut before, and assumption variables are no targets of loops, so an assumption made in a loop body is
//! not forgotten at its head [FGC §4.3, optimization].

use super::align::{Step, align};
use super::gap::Gap;
use super::inject::{Edits, Reuse, assemble, under};
use super::same_past::same_past;
use super::snapshot::{Meanings, OldCmdKind, OldVerdict, Snapshot};
use crate::canon::Scope;
use crate::cfg::loops::reverse_postorder;
use crate::cfg::{self, Body, Cmd};
use crate::tree;
use std::collections::BTreeSet;
use stet_base::{FastMap, FastSet, Span};
use stet_boogie::Program;
use stet_boogie::ast::{ExprId, VarId};
use stet_key::Digest;

/// Compares a body with a snapshot. `digests` are those of the new commands, by block. Errors are recycled only
/// if the axioms are exactly the same: new ones could rule the failing execution out.
pub(crate) fn relate(
    program: &mut Program,
    body: &Body,
    digests: &[Vec<Digest>],
    old: &Snapshot,
    scope: &Scope,
    meanings: &Meanings<'_>,
    recycles: bool,
) -> Reuse {
    debug_assert!(
        body.blocks.len() == digests.len()
            && body
                .blocks
                .iter()
                .zip(digests)
                .all(|(block, digests)| block.cmds.len() == digests.len()),
        "a digest for every command"
    );
    let span = scope.span;
    let mut same_past = same_past(body, digests, old);
    if !recycles {
        same_past.failed.clear();
    }
    let mut relation = Relation {
        program,
        body,
        digests,
        old,
        scope,
        meanings,
        span,
        variables: Vec::new(),
        edits: Edits::default(),
        partial: FastMap::default(),
        at_end: vec![None; body.blocks.len()],
        new_locals: Vec::new(),
    };
    relation.run();
    let Relation {
        variables,
        edits,
        partial,
        new_locals,
        ..
    } = relation;
    assemble(
        program, body, span, same_past, &variables, edits, partial, new_locals,
    )
}

/// A place in the old body.
pub(super) type Cursor = (usize, usize);
/// Assumption variables by number.
pub(super) type Assumptions = BTreeSet<usize>;

/// How a variable of the new body relates to the old one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Taint {
    /// Agrees where these are true.
    Under(Assumptions),
    /// Nothing is known.
    Unknown,
}

/// The relation at a point.
#[derive(Clone, Debug)]
pub(super) struct State {
    cursor: Cursor,
    pub(super) path: Assumptions,
    pub(super) taint: FastMap<VarId, Taint>,
}

pub(super) struct Relation<'a> {
    pub(super) program: &'a mut Program,
    pub(super) body: &'a Body,
    digests: &'a [Vec<Digest>],
    pub(super) old: &'a Snapshot,
    pub(super) scope: &'a Scope,
    pub(super) meanings: &'a Meanings<'a>,
    pub(super) span: Span,
    /// The assumption variables.
    pub(super) variables: Vec<VarId>,
    edits: Edits,
    /// Checks verified before, with their assumption variables.
    partial: FastMap<usize, Assumptions>,
    at_end: Vec<Option<State>>,
    pub(super) new_locals: Vec<VarId>,
}

impl Relation<'_> {
    fn run(&mut self) {
        let order = reverse_postorder(self.body);
        let before = cfg::predecessors(self.body);
        for &block in &order {
            let state = if block == 0 {
                Some(State {
                    cursor: (0, 0),
                    path: Assumptions::new(),
                    taint: FastMap::default(),
                })
            } else {
                self.enter(block, &before[block])
            };
            self.at_end[block] = state.and_then(|state| self.block(block, state));
        }
    }

    pub(super) fn assumption(&mut self) -> usize {
        let name = format!("assumption@{}", self.variables.len());
        let bool_type = self.program.types.bool();
        let var = tree::new_local(self.program, &name, bool_type, self.span);
        self.variables.push(var);
        self.variables.len() - 1
    }

    pub(super) fn edit(&mut self, block: usize, position: usize, cmd: Cmd) {
        debug_assert!(
            position <= self.body.blocks[block].cmds.len(),
            "before a command, or at the end of its block"
        );
        self.edits
            .before
            .entry((block, position))
            .or_default()
            .push(cmd);
    }

    /// The state on entry to a block with predecessors.
    fn enter(&mut self, block: usize, before: &[usize]) -> Option<State> {
        let wanted: Vec<Option<Cursor>> = before
            .iter()
            .map(|&pred| self.follow(pred, block))
            .collect();
        let mut votes: Vec<(Cursor, usize)> = Vec::new();
        for cursor in wanted.iter().flatten() {
            match votes.iter_mut().find(|(c, _)| c == cursor) {
                Some((_, count)) => *count += 1,
                None => votes.push((*cursor, 1)),
            }
        }
        let &(cursor, _) = votes.iter().rev().max_by_key(|(_, count)| *count)?;
        debug_assert!(
            cursor.0 < self.old.blocks.len() && cursor.1 <= self.old.blocks[cursor.0].cmds.len(),
            "the corresponding point is in the old body"
        );
        let mut joined = State {
            cursor,
            path: Assumptions::new(),
            taint: FastMap::default(),
        };
        let mut strangers = Vec::new();
        for (&pred, wanted) in before.iter().zip(&wanted) {
            match (&self.at_end[pred], wanted) {
                (Some(state), Some(c)) if *c == cursor => {
                    joined.path.extend(&state.path);
                    #[allow(
                        clippy::iter_over_hash_type,
                        reason = "a union does not depend on order"
                    )]
                    for (&var, taint) in &state.taint {
                        merge(&mut joined.taint, var, taint);
                    }
                }
                _ => strangers.push(pred),
            }
        }
        if !strangers.is_empty() {
            // New paths: no old execution corresponds to them.
            let number = self.assumption();
            let var = self.variables[number];
            let no = tree::bool_literal(self.program, self.span, false);
            for pred in strangers {
                let end = self.body.blocks[pred].cmds.len();
                self.edit(pred, end, Cmd::Assign(vec![(var, no)]));
            }
            joined.path.insert(number);
        }
        Some(joined)
    }

    /// Where an edge of the new body leads in the old one.
    fn follow(&self, from: usize, to: usize) -> Option<Cursor> {
        let (block, position) = self.at_end[from].as_ref()?.cursor;
        let old = &self.old.blocks[block];
        if position < old.cmds.len() {
            return Some((block, position));
        }
        let place = self.body.blocks[from]
            .successors
            .iter()
            .position(|&s| s == to)?;
        let score = |candidate: usize, index: usize| {
            let theirs = &self.old.blocks[candidate];
            let common = theirs
                .cmds
                .iter()
                .filter(|cmd| self.digests[to].contains(&cmd.digest))
                .count();
            let first = theirs.cmds.first().map(|cmd| cmd.digest);
            let same_first = first.is_some() && first == self.digests[to].first().copied();
            let same_label = *theirs.label == *self.body.blocks[to].label;
            (
                common + 2 * usize::from(same_first),
                usize::from(same_label) + usize::from(index == place),
            )
        };
        old.successors
            .iter()
            .enumerate()
            .rev()
            .max_by_key(|&(index, &candidate)| score(candidate, index))
            .map(|(_, &candidate)| (candidate, 0))
    }

    /// Goes through a block; `None` if the relation is lost.
    fn block(&mut self, block: usize, mut state: State) -> Option<State> {
        let (old_block, start) = state.cursor;
        let old: Vec<Digest> = self.old.blocks[old_block].cmds[start..]
            .iter()
            .map(|cmd| cmd.digest)
            .collect();
        let mut steps = align(&old, &self.digests[block]);
        let kept = self.keep_for_later(block, &old, &mut steps);
        let mut gap = Gap::default();
        for step in steps {
            match step {
                Step::Old(i) => gap.old.push((old_block, start + i)),
                Step::New(j) => gap.new.push(j),
                Step::Both(_, j) => {
                    self.gap(block, j, std::mem::take(&mut gap), &mut state)?;
                    let cursor = match step {
                        Step::Both(i, _) => (old_block, start + i),
                        _ => continue,
                    };
                    self.both(block, j, cursor, &mut state)?;
                }
            }
        }
        let end = self.body.blocks[block].cmds.len();
        self.gap(block, end, gap, &mut state)?;
        debug_assert!(
            kept <= old.len(),
            "what is kept for later is the end of the old block"
        );
        state.cursor = (old_block, start + old.len() - kept);
        Some(state)
    }

    /// Old commands at the end that come up again in later blocks are left for those: the old block was split.
    fn keep_for_later(&self, block: usize, old: &[Digest], steps: &mut Vec<Step>) -> usize {
        let matched = steps
            .iter()
            .filter_map(|step| match step {
                Step::Both(i, _) => Some(i + 1),
                _ => None,
            })
            .max()
            .unwrap_or(0);
        let rest: FastSet<Digest> = old[matched..].iter().copied().collect();
        if rest.is_empty() {
            return 0;
        }
        let mut seen = FastSet::default();
        let mut pending = self.body.blocks[block].successors.clone();
        while let Some(later) = pending.pop() {
            if seen.len() > 200 || !seen.insert(later) {
                continue;
            }
            if self.digests[later].iter().any(|d| rest.contains(d)) {
                steps.retain(|step| !matches!(step, Step::Old(i) if *i >= matched));
                return old.len() - matched;
            }
            pending.extend(&self.body.blocks[later].successors);
        }
        0
    }

    pub(super) fn reads(&self, expr: ExprId) -> FastSet<VarId> {
        let mut found = FastSet::default();
        tree::variables(self.program, expr, &mut found);
        found
    }

    /// The assumption variables under which all variables of an expression agree.
    pub(super) fn agreement(&self, expr: ExprId, state: &State) -> Option<Assumptions> {
        let mut all = Assumptions::new();
        #[allow(
            clippy::iter_over_hash_type,
            reason = "a union does not depend on order"
        )]
        for var in self.reads(expr) {
            match state.taint.get(&var) {
                None => {}
                Some(Taint::Under(set)) => all.extend(set),
                Some(Taint::Unknown) => return None,
            }
        }
        Some(all)
    }

    /// A command of both bodies.
    fn both(
        &mut self,
        block: usize,
        position: usize,
        old: Cursor,
        state: &mut State,
    ) -> Option<()> {
        let body = self.body;
        debug_assert_eq!(
            self.old.blocks[old.0].cmds[old.1].digest, self.digests[block][position],
            "a command of both bodies has one digest"
        );
        match &body.blocks[block].cmds[position] {
            Cmd::Assume(expr) => {
                let needed = self.agreement(*expr, state)?;
                state.path.extend(needed);
            }
            Cmd::Assert { check, expr } => {
                let needed = self.agreement(*expr, state);
                let OldCmdKind::Assert { verdict, .. } = &self.old.blocks[old.0].cmds[old.1].kind
                else {
                    stet_base::never!("equal digests of different commands");
                    return None;
                };
                if let (OldVerdict::Verified, Some(needed)) = (verdict, &needed) {
                    let under: Assumptions = state.path.union(needed).copied().collect();
                    self.partial.insert(*check, under);
                }
                if body.checks[*check].assumed_after {
                    state.path.extend(needed?);
                }
            }
            Cmd::Assign(pairs) => {
                let taints: Vec<(VarId, Option<Assumptions>)> = pairs
                    .iter()
                    .map(|&(var, expr)| (var, self.agreement(expr, state)))
                    .collect();
                for (var, agreement) in taints {
                    set_taint(state, var, agreement);
                }
            }
            Cmd::Havoc(vars) => {
                for var in vars {
                    state.taint.remove(var);
                }
            }
        }
        Some(())
    }

    pub(super) fn under(&mut self, assumptions: &Assumptions, condition: ExprId) -> ExprId {
        under(
            self.program,
            &self.variables,
            self.span,
            assumptions,
            condition,
        )
    }
}

fn merge(taints: &mut FastMap<VarId, Taint>, var: VarId, taint: &Taint) {
    match (taints.get_mut(&var), taint) {
        (Some(Taint::Unknown), _) => {}
        (Some(Taint::Under(set)), Taint::Under(more)) => set.extend(more),
        (Some(slot), Taint::Unknown) => *slot = Taint::Unknown,
        (None, taint) => {
            taints.insert(var, taint.clone());
        }
    }
}

fn set_taint(state: &mut State, var: VarId, agreement: Option<Assumptions>) {
    match agreement {
        Some(set) if set.is_empty() => state.taint.remove(&var),
        Some(set) => state.taint.insert(var, Taint::Under(set)),
        None => state.taint.insert(var, Taint::Unknown),
    };
}
