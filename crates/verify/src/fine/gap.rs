//! Gaps between two commands that both bodies have: commands of one body only, and how their effects are recorded in
//! assumption variables ([`super::relate`] has the table).

use super::relate::{Assumptions, Cursor, Relation, State, Taint};
use super::snapshot::{OldCmdKind, OldVar, OldVerdict};
use crate::canon;
use crate::cfg::Cmd;
use crate::tree::{self, OldMode, Substitution};
use stet_base::{FastMap, FastSet};
use stet_boogie::ast::{BinaryOp, ExprId, VarId};
use stet_key::{Decoder, Digest};

/// What happens between two common commands.
#[derive(Default)]
pub(super) struct Gap {
    pub(super) old: Vec<Cursor>,
    pub(super) new: Vec<usize>,
}

/// What the old commands of a gap did, in terms of values at its start.
struct Past {
    /// Assigned; `None` if the value cannot be expressed.
    values: FastMap<VarId, Option<ExprId>>,
    /// Havocked: the old value is whatever the new one is at the gap's end.
    free: FastSet<VarId>,
}

impl Past {
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.free.is_empty()
    }

    fn known_values(&self) -> Vec<ExprId> {
        let mut found: Vec<ExprId> = self.values.values().filter_map(|v| *v).collect();
        found.sort_unstable();
        found
    }
}

impl Relation<'_> {
    /// Commands of one body only; `position` is that of the next common command in the new block.
    pub(super) fn gap(
        &mut self,
        block: usize,
        position: usize,
        gap: Gap,
        state: &mut State,
    ) -> Option<()> {
        if gap.old.is_empty() && gap.new.is_empty() {
            return Some(());
        }
        debug_assert!(
            gap.new.is_sorted() && gap.new.last().is_none_or(|&last| last < position),
            "new commands of a gap come in order, before the next common one"
        );
        debug_assert!(
            gap.old
                .windows(2)
                .all(|pair| pair[0].0 == pair[1].0 && pair[0].1 < pair[1].1),
            "old commands of a gap come in order, from one block"
        );
        let first = gap.new.first().copied().unwrap_or(position);
        let changed = self.changed_by(block, &gap.new);
        let mut saved: FastMap<VarId, VarId> = FastMap::default();
        let mut past = Past {
            values: FastMap::default(),
            free: FastSet::default(),
        };
        let mut conditions: Vec<ExprId> = Vec::new();
        for cursor in &gap.old {
            self.old_only(*cursor, state, &mut past, &mut conditions, (block, first))?;
        }
        debug_assert!(
            past.free.iter().all(|var| !past.values.contains_key(var)),
            "an old value is either chosen or computed"
        );
        // Values at the start of the gap that new commands overwrite are saved there.
        let wanted: Vec<ExprId> = conditions
            .iter()
            .copied()
            .chain(past.known_values())
            .collect();
        for &var in &changed {
            let kept_by_old = !past.values.contains_key(&var) && !past.free.contains(&var);
            let read = wanted.iter().any(|&e| self.reads(e).contains(&var));
            if kept_by_old || read {
                let ty = self.program.vars[var].ty?;
                let name = self.program.name(self.program.vars[var].name);
                let name = format!("before@{}@{name}", self.new_locals.len());
                let copy = tree::new_local(self.program, &name, ty, self.span);
                self.new_locals.push(copy);
                let value = self.program.add_var_ref(self.span, var);
                self.edit(block, first, Cmd::Assign(vec![(copy, value)]));
                saved.insert(var, copy);
            }
        }
        if !conditions.is_empty() {
            let mut needed = Assumptions::new();
            let mut all = None;
            for &condition in &conditions {
                needed.extend(self.agreement_at_start(condition, state, &past)?);
                let stated = self.restated(condition, &saved, &past);
                all = Some(match all {
                    None => stated,
                    Some(before) => tree::binary(self.program, BinaryOp::And, before, stated),
                });
            }
            debug_assert!(
                needed.iter().all(|&number| number < self.variables.len()),
                "assumption variables are made before they are relied on"
            );
            let number = self.record(block, position, all?);
            state.path.extend(needed);
            state.path.insert(number);
        }
        self.record_values(block, position, &changed, &saved, &past, state);
        Some(())
    }

    fn changed_by(&self, block: usize, positions: &[usize]) -> Vec<VarId> {
        let mut changed = Vec::new();
        for &position in positions {
            match &self.body.blocks[block].cmds[position] {
                Cmd::Assign(pairs) => changed.extend(pairs.iter().map(|&(var, _)| var)),
                Cmd::Havoc(vars) => changed.extend(vars),
                Cmd::Assume(_) | Cmd::Assert { .. } => {}
            }
        }
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// Sets an assumption variable at a place and returns its number.
    fn record(&mut self, block: usize, position: usize, condition: ExprId) -> usize {
        let number = self.assumption();
        let var = self.variables[number];
        self.edit(block, position, Cmd::Assign(vec![(var, condition)]));
        number
    }

    /// A command of the old body only: what it requires or changes, in terms of values at the gap's start.
    fn old_only(
        &mut self,
        cursor: Cursor,
        state: &State,
        past: &mut Past,
        conditions: &mut Vec<ExprId>,
        start: (usize, usize),
    ) -> Option<()> {
        let cmd = &self.old.blocks[cursor.0].cmds[cursor.1];
        let digest = cmd.digest;
        match cmd.kind.clone() {
            OldCmdKind::Assume(form) => {
                let read = self.read(&form)?;
                self.has_old_meaning(&Cmd::Assume(read), &digest)?;
                conditions.push(self.with_past(read, past)?);
            }
            OldCmdKind::Assert {
                condition,
                assumed_after,
                verdict,
            } => {
                let stated = self.read(&condition).and_then(|read| {
                    self.condition_has_old_meaning(read, assumed_after, &digest)?;
                    self.with_past(read, past)
                });
                if verdict == OldVerdict::Verified {
                    // Known to hold wherever the relation does [FGC §4.3, before the call].
                    if let Some(stated) = stated
                        && past.is_empty()
                        && conditions.is_empty()
                        && let Some(needed) = self.agreement(stated, state)
                    {
                        let under = state.path.union(&needed).copied().collect();
                        let known = self.under(&under, stated);
                        self.edit(start.0, start.1, Cmd::Assume(known));
                    }
                } else if assumed_after {
                    conditions.push(stated?);
                }
            }
            OldCmdKind::Assign(pairs) => {
                for (var, value) in self.old_values(&pairs, &digest, past) {
                    if past.free.contains(&var) {
                        self.forget(var, past, conditions)?;
                        past.free.remove(&var);
                    }
                    past.values.insert(var, value);
                }
            }
            OldCmdKind::Havoc(vars) => {
                for var in &vars {
                    let Some(var) = self.lookup(var) else {
                        continue;
                    };
                    self.forget(var, past, conditions)?;
                    // One choice per gap; a second one makes the value unknown.
                    if past.free.contains(&var) {
                        past.free.remove(&var);
                        past.values.insert(var, None);
                    } else {
                        past.values.remove(&var);
                        past.free.insert(var);
                    }
                }
            }
        }
        Some(())
    }

    /// The values an old assignment gives, with what cannot be expressed as `None`.
    fn old_values(
        &mut self,
        pairs: &[(OldVar, Vec<u8>)],
        digest: &Digest,
        past: &Past,
    ) -> Vec<(VarId, Option<ExprId>)> {
        let read: Option<Vec<(VarId, ExprId)>> = pairs
            .iter()
            .map(|(var, form)| Some((self.lookup(var)?, self.read(form)?)))
            .collect();
        if let Some(read) = read
            && self
                .has_old_meaning(&Cmd::Assign(read.clone()), digest)
                .is_some()
        {
            return read
                .into_iter()
                .map(|(var, value)| (var, self.with_past(value, past)))
                .collect();
        }
        let known = pairs.iter().filter_map(|(var, _)| self.lookup(var));
        known.map(|var| (var, None)).collect()
    }

    /// A variable is about to get a value of its own: what was said with its name would now mean another.
    fn forget(&self, var: VarId, past: &mut Past, conditions: &[ExprId]) -> Option<()> {
        if conditions.iter().any(|&c| self.reads(c).contains(&var)) {
            return None;
        }
        #[allow(clippy::iter_over_hash_type, reason = "each value on its own")]
        for value in past.values.values_mut() {
            if value.is_some_and(|value| self.reads(value).contains(&var)) {
                *value = None;
            }
        }
        Some(())
    }

    fn lookup(&self, var: &OldVar) -> Option<VarId> {
        self.scope.vars.get(var).copied()
    }

    /// An old expression in the new program.
    fn read(&mut self, form: &[u8]) -> Option<ExprId> {
        let mut decoder = Decoder::new(form);
        let expr = canon::decode(self.program, self.scope, &mut decoder).ok()?;
        decoder.finish().ok()?;
        Some(expr)
    }

    /// Whether an old command read into the new program still means what it meant: the digest covers the
    /// functions in it.
    fn has_old_meaning(&self, cmd: &Cmd, digest: &Digest) -> Option<()> {
        let now = self.meanings.command(self.program, self.body, cmd);
        (now == *digest).then_some(())
    }

    fn condition_has_old_meaning(
        &self,
        condition: ExprId,
        assumed_after: bool,
        digest: &Digest,
    ) -> Option<()> {
        let now = self
            .meanings
            .assertion(self.program, condition, assumed_after);
        (now == *digest).then_some(())
    }

    /// An expression with what old commands of this gap assigned put in.
    fn with_past(&mut self, expr: ExprId, past: &Past) -> Option<ExprId> {
        let reads = self.reads(expr);
        let mut by = Substitution {
            old: OldMode::GlobalsFixed,
            ..Substitution::default()
        };
        #[allow(clippy::iter_over_hash_type, reason = "fills a map")]
        for var in reads {
            match past.values.get(&var) {
                Some(Some(value)) => {
                    by.vars.insert(var, *value);
                }
                Some(None) => return None,
                None => {}
            }
        }
        Some(tree::substitute(self.program, expr, &by))
    }

    /// The assumption variables under which an expression over values at the gap's start has its old value.
    fn agreement_at_start(&self, expr: ExprId, state: &State, past: &Past) -> Option<Assumptions> {
        let mut all = Assumptions::new();
        #[allow(
            clippy::iter_over_hash_type,
            reason = "a union does not depend on order"
        )]
        for var in self.reads(expr) {
            if past.free.contains(&var) {
                continue;
            }
            match state.taint.get(&var) {
                None => {}
                Some(Taint::Under(set)) => all.extend(set),
                Some(Taint::Unknown) => return None,
            }
        }
        Some(all)
    }

    /// Puts saved values in; values the old body chose freely are those of the new body at the gap's end.
    fn restated(&mut self, expr: ExprId, saved: &FastMap<VarId, VarId>, past: &Past) -> ExprId {
        let mut by = Substitution {
            old: OldMode::GlobalsFixed,
            ..Substitution::default()
        };
        #[allow(clippy::iter_over_hash_type, reason = "fills a map")]
        for (&var, &copy) in saved {
            if !past.free.contains(&var) {
                let reference = self.program.add_var_ref(self.span, copy);
                by.vars.insert(var, reference);
            }
        }
        tree::substitute(self.program, expr, &by)
    }

    /// How the variables changed in a gap relate after it.
    fn record_values(
        &mut self,
        block: usize,
        position: usize,
        changed: &[VarId],
        saved: &FastMap<VarId, VarId>,
        past: &Past,
        state: &mut State,
    ) {
        let mut vars: Vec<VarId> = changed.to_vec();
        vars.extend(past.values.keys().copied());
        vars.extend(past.free.iter().copied());
        vars.sort_unstable();
        vars.dedup();
        let before = state.clone();
        for var in vars {
            if past.free.contains(&var) {
                state.taint.remove(&var);
                continue;
            }
            let (value, mut under) = match past.values.get(&var) {
                Some(Some(value)) => {
                    let Some(under) = self.agreement_at_start(*value, &before, past) else {
                        state.taint.insert(var, Taint::Unknown);
                        continue;
                    };
                    (self.restated(*value, saved, past), under)
                }
                Some(None) => {
                    state.taint.insert(var, Taint::Unknown);
                    continue;
                }
                // The old body leaves it alone.
                None => {
                    let under = match before.taint.get(&var) {
                        None => Assumptions::new(),
                        Some(Taint::Under(set)) => set.clone(),
                        Some(Taint::Unknown) => continue,
                    };
                    let Some(&copy) = saved.get(&var) else {
                        state.taint.insert(var, Taint::Unknown);
                        continue;
                    };
                    (self.program.add_var_ref(self.span, copy), under)
                }
            };
            let current = self.program.add_var_ref(self.span, var);
            let same = tree::binary(self.program, BinaryOp::Eq, current, value);
            under.insert(self.record(block, position, same));
            state.taint.insert(var, Taint::Under(under));
        }
    }
}
