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
use super::snapshot::{Meanings, OldCmdKind, OldVar, OldVerdict, Snapshot};
use crate::canon::{self, Scope};
use crate::cfg::loops::reverse_postorder;
use crate::cfg::{self, Body, Cmd};
use crate::tree::{self, OldMode, Substitution};
use std::collections::BTreeSet;
use stet_base::{FastMap, FastSet, Span};
use stet_boogie::Program;
use stet_boogie::ast::{BinaryOp, ExprId, VarId};
use stet_key::{Decoder, Digest, Encoder};

/// What was found out about the checks of a new body.
pub(crate) struct Reuse {
    /// The body with what is known put into it.
    pub(crate) body: Body,
    /// Checks that hold without asking.
    pub(crate) verified: Vec<usize>,
    /// Checks that hold where their assumption variables are true.
    pub(crate) partial: Vec<usize>,
    /// Checks that fail as before, with the blocks of the failing path.
    pub(crate) recycled: Vec<(usize, Vec<usize>)>,
}

/// Compares a body with a snapshot. `digests` are those of the new commands, by block. Errors are recycled only
/// if the axioms are exactly the same: new ones could rule the failing execution out.
pub(crate) fn relate(
    program: &mut Program,
    body: &Body,
    digests: &[Vec<Digest>],
    old: &Snapshot,
    scope: &Scope,
    meanings: &Meanings,
    same_facts: bool,
) -> Reuse {
    let span = scope.span;
    let mut same_past = same_past(body, digests, old);
    if !same_facts {
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

/// Verdicts by the digest of a check and everything before it.
struct SamePast {
    verified: FastSet<usize>,
    failed: FastMap<usize, Vec<usize>>,
}

/// Digests of all points: a command with everything that can come before it.
fn chains(
    count: usize,
    order: &[usize],
    before: &[Vec<usize>],
    digests: &dyn Fn(usize) -> Vec<Digest>,
) -> (Vec<Vec<Digest>>, Vec<Digest>) {
    let mut points = vec![Vec::new(); count];
    let mut ends = vec![Digest::of_bytes(b"unreached"); count];
    for &block in order {
        let mut encoder = Encoder::new();
        encoder.digest_set(before[block].iter().map(|&p| ends[p]));
        let mut now = encoder.digest_of_all();
        for digest in digests(block) {
            let mut encoder = Encoder::new();
            encoder.digest(&now);
            encoder.digest(&digest);
            now = encoder.digest_of_all();
            points[block].push(now);
        }
        ends[block] = now;
    }
    (points, ends)
}

fn same_past(body: &Body, digests: &[Vec<Digest>], old: &Snapshot) -> SamePast {
    let order = reverse_postorder(body);
    let before = cfg::predecessors(body);
    let (points, ends) = chains(body.blocks.len(), &order, &before, &|b| digests[b].clone());
    let (old_order, old_before) = old_graph(old);
    let (old_points, old_ends) = chains(old.blocks.len(), &old_order, &old_before, &|b| {
        old.blocks[b].cmds.iter().map(|cmd| cmd.digest).collect()
    });
    let mut known: FastMap<Digest, &OldVerdict> = FastMap::default();
    for (block, points) in old.blocks.iter().zip(&old_points) {
        for (cmd, point) in block.cmds.iter().zip(points) {
            if let OldCmdKind::Assert { verdict, .. } = &cmd.kind {
                known.insert(*point, verdict);
            }
        }
    }
    let mut found = SamePast {
        verified: FastSet::default(),
        failed: FastMap::default(),
    };
    for &block in &order {
        for (cmd, point) in body.blocks[block].cmds.iter().zip(&points[block]) {
            let Cmd::Assert { check, .. } = cmd else {
                continue;
            };
            match known.get(point) {
                Some(OldVerdict::Verified) => {
                    found.verified.insert(*check);
                }
                Some(OldVerdict::Failed(path)) => {
                    if let Some(path) = retrace(block, path, &before, &ends, &old_ends) {
                        found.failed.insert(*check, path);
                    }
                }
                Some(OldVerdict::Unknown) | None => {}
            }
        }
    }
    found
}

fn old_graph(old: &Snapshot) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut before = vec![Vec::new(); old.blocks.len()];
    for (number, block) in old.blocks.iter().enumerate() {
        for &successor in &block.successors {
            if !before[successor].contains(&number) {
                before[successor].push(number);
            }
        }
    }
    let mut seen = vec![false; old.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = stack.pop() {
        match old.blocks[block].successors.get(next) {
            Some(&successor) => {
                stack.push((block, next + 1));
                if !std::mem::replace(&mut seen[successor], true) {
                    stack.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    (order, before)
}

/// The new blocks of an old failing path: equal pasts have equal digests, so there is one.
fn retrace(
    end: usize,
    old_path: &[u32],
    before: &[Vec<usize>],
    ends: &[Digest],
    old_ends: &[Digest],
) -> Option<Vec<usize>> {
    let mut path = vec![end];
    let mut block = end;
    for &old in old_path.iter().rev().skip(1) {
        let wanted = old_ends.get(old as usize)?;
        block = *before[block].iter().find(|&&p| ends[p] == *wanted)?;
        path.push(block);
    }
    path.reverse();
    (path.first() == Some(&0)).then_some(path)
}

/// A place in the old body.
type Cursor = (usize, usize);
/// Assumption variables by number.
type Assumptions = BTreeSet<usize>;

/// How a variable of the new body relates to the old one.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Taint {
    /// Agrees where these are true.
    Under(Assumptions),
    /// Nothing is known.
    Unknown,
}

/// The relation at a point.
#[derive(Clone, Debug)]
struct State {
    cursor: Cursor,
    path: Assumptions,
    taint: FastMap<VarId, Taint>,
}

/// Commands to be put into the new body.
#[derive(Default)]
struct Edits {
    /// Before the command at a position (or at the end) of a block.
    before: FastMap<(usize, usize), Vec<Cmd>>,
}

struct Relation<'a> {
    program: &'a mut Program,
    body: &'a Body,
    digests: &'a [Vec<Digest>],
    old: &'a Snapshot,
    scope: &'a Scope,
    meanings: &'a Meanings,
    span: Span,
    /// The assumption variables.
    variables: Vec<VarId>,
    edits: Edits,
    /// Checks verified before, with their assumption variables.
    partial: FastMap<usize, Assumptions>,
    at_end: Vec<Option<State>>,
    new_locals: Vec<VarId>,
}

/// What happens between two common commands.
#[derive(Default)]
struct Gap {
    old: Vec<Cursor>,
    new: Vec<usize>,
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

    fn assumption(&mut self) -> usize {
        let name = format!("assumption@{}", self.variables.len());
        let bool_type = self.program.types.bool();
        let var = tree::new_local(self.program, &name, bool_type, self.span);
        self.variables.push(var);
        self.variables.len() - 1
    }

    fn edit(&mut self, block: usize, position: usize, cmd: Cmd) {
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

    fn reads(&self, expr: ExprId) -> FastSet<VarId> {
        let mut found = FastSet::default();
        tree::variables(self.program, expr, &mut found);
        found
    }

    /// The assumption variables under which all variables of an expression agree.
    fn agreement(&self, expr: ExprId, state: &State) -> Option<Assumptions> {
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

    /// Commands of one body only; `position` is that of the next common command in the new block.
    fn gap(&mut self, block: usize, position: usize, gap: Gap, state: &mut State) -> Option<()> {
        if gap.old.is_empty() && gap.new.is_empty() {
            return Some(());
        }
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

    fn under(&mut self, assumptions: &Assumptions, condition: ExprId) -> ExprId {
        under(
            self.program,
            &self.variables,
            self.span,
            assumptions,
            condition,
        )
    }
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

/// `a && b ==> condition`.
fn under(
    program: &mut Program,
    variables: &[VarId],
    span: Span,
    assumptions: &Assumptions,
    condition: ExprId,
) -> ExprId {
    let mut premise = None;
    for &number in assumptions {
        let var = program.add_var_ref(span, variables[number]);
        premise = Some(match premise {
            None => var,
            Some(before) => tree::binary(program, BinaryOp::And, before, var),
        });
    }
    match premise {
        None => condition,
        Some(premise) => tree::binary(program, BinaryOp::Imp, premise, condition),
    }
}

#[allow(
    clippy::too_many_arguments,
    reason = "one call; everything that was found out"
)]
fn assemble(
    program: &mut Program,
    body: &Body,
    span: Span,
    same_past: SamePast,
    variables: &[VarId],
    mut edits: Edits,
    partial: FastMap<usize, Assumptions>,
    new_locals: Vec<VarId>,
) -> Reuse {
    let mut reuse = Reuse {
        body: body.clone(),
        verified: Vec::new(),
        partial: Vec::new(),
        recycled: Vec::new(),
    };
    for (number, block) in body.blocks.iter().enumerate() {
        let mut cmds = Vec::new();
        if number == 0 && !variables.is_empty() {
            let pairs = variables
                .iter()
                .map(|&var| (var, tree::bool_literal(program, span, true)));
            cmds.push(Cmd::Assign(pairs.collect()));
        }
        for (position, cmd) in block.cmds.iter().enumerate() {
            cmds.extend(
                edits
                    .before
                    .remove(&(number, position))
                    .into_iter()
                    .flatten(),
            );
            let Cmd::Assert { check, expr } = cmd else {
                cmds.push(cmd.clone());
                continue;
            };
            let known = partial.get(check);
            if let Some(path) = same_past.failed.get(check) {
                reuse.recycled.push((*check, path.clone()));
                assume_if(body.checks[*check].assumed_after, *expr, &mut cmds);
            } else if same_past.verified.contains(check) || known.is_some_and(BTreeSet::is_empty) {
                reuse.verified.push(*check);
                cmds.push(Cmd::Assume(*expr));
            } else if let Some(assumptions) = known {
                reuse.partial.push(*check);
                let known = under(program, variables, span, assumptions, *expr);
                cmds.push(Cmd::Assume(known));
                cmds.push(cmd.clone());
            } else {
                cmds.push(cmd.clone());
            }
        }
        let end = block.cmds.len();
        cmds.extend(edits.before.remove(&(number, end)).into_iter().flatten());
        reuse.body.blocks[number].cmds = cmds;
    }
    reuse.body.locals.extend(variables);
    reuse.body.locals.extend(new_locals);
    reuse
}

/// A failing check is relied upon afterwards only if it was before.
fn assume_if(wanted: bool, expr: ExprId, cmds: &mut Vec<Cmd>) {
    if wanted {
        cmds.push(Cmd::Assume(expr));
    }
}
