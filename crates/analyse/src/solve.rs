//! The fixpoint: variants (predicate, abstract call) in units, one per strongly connected component and first call.
//!
//! A unit iterates the variants of its component until their successes are stable; calls into lower components are
//! units of their own, solved when they are met. When a unit is stable its clauses are gone through once more to decide
//! the conditions at its call sites and exits. What a unit found is one entry of the store, see [`crate::keys`].

use crate::components::{callees, components};
use crate::env::{Env, Slot};
use crate::keys::{self, Uses};
use crate::program::{Literal, Pred, Program, Spec, Term};
use crate::types::{BOTTOM, TOP, Type, Types};
use std::collections::BTreeMap;
use std::sync::Arc;
use stet_base::{Budget, FastMap};
use stet_prolog::AtomTable;
use stet_store::Store;

/// An argument of an abstract call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Abstract {
    /// An unbound variable nothing else refers to.
    Free,
    /// A term of this type.
    Type(Type),
}

/// Whether a condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    Proved,
    Refuted,
    Unknown,
}

impl Proof {
    /// What holds of all of several cases.
    pub(crate) fn and(self, other: Proof) -> Proof {
        if self == other { self } else { Proof::Unknown }
    }
}

/// What is known of the calls condition at a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteVerdict {
    /// Whether it holds, over all ways to get there.
    pub proof: Proof,
    /// The abstract call, for messages.
    pub call: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Analysis {
    /// By predicate, clause and call.
    pub sites: BTreeMap<(usize, usize, usize), SiteVerdict>,
    /// By predicate and success condition, with the abstract success.
    pub success: BTreeMap<(usize, usize), (Proof, String)>,
    /// Units that were analysed, and that were taken from the store.
    pub computed: Vec<String>,
    /// Units taken from the store.
    pub reused: Vec<String>,
    /// Units of the store that differ from their recomputation.
    pub mismatches: Vec<String>,
    /// Everything was looked at; otherwise nothing is proved.
    pub complete: bool,
}

/// Analyses a program. With `recheck` everything found in the store is recomputed and compared.
pub fn analyse(
    program: Program,
    atoms: &AtomTable,
    store: Option<&Store>,
    recheck: bool,
    budget: &Budget,
) -> Analysis {
    let Program { preds, types } = program;
    let mut solver = Solver {
        component: components(&preds),
        preds: &preds,
        types,
        atoms,
        store,
        recheck,
        budget,
        variants: Vec::new(),
        index: FastMap::default(),
        active: Vec::new(),
        recorder: None,
        candidates: FastMap::default(),
        analysis: Analysis {
            complete: true,
            ..Analysis::default()
        },
        steps: 0,
    };
    for (number, pred) in preds.iter().enumerate() {
        if pred.external {
            let call = vec![Abstract::Type(TOP); pred.arity];
            solver.enter(number, &call);
        }
    }
    let mut analysis = solver.analysis;
    if !analysis.complete {
        analysis.sites.clear();
        analysis.success.clear();
    }
    analysis
}

/// Goals evaluated before the analysis gives up.
const MAX_STEPS: u64 = 3_000_000;
/// Units inside units.
const MAX_NESTING: usize = 400;
/// Abstract calls of one predicate in a unit before they are joined, and before they are given up.
const JOINED_FROM: usize = 6;
const GIVEN_UP_FROM: usize = 12;

pub(crate) struct Variant {
    pub(crate) pred: usize,
    pub(crate) call: Vec<Abstract>,
    pub(crate) success: Option<Vec<Type>>,
    rounds: u32,
}

struct Unit {
    component: usize,
    members: Vec<usize>,
    grown: bool,
    uses: Uses,
}

/// What the last pass over a unit collects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) sites: BTreeMap<(usize, usize, usize), (u8, String)>,
    pub(crate) success: BTreeMap<(usize, usize), (u8, String)>,
}

pub(crate) struct Recorder {
    pub(crate) at: (usize, usize),
    pub(crate) record: Record,
}

pub(crate) struct Solver<'a> {
    pub(crate) preds: &'a [Pred],
    pub(crate) types: Types,
    pub(crate) atoms: &'a AtomTable,
    pub(crate) store: Option<&'a Store>,
    recheck: bool,
    budget: &'a Budget,
    /// The strongly connected component of each predicate.
    pub(crate) component: Vec<usize>,
    pub(crate) variants: Vec<Variant>,
    index: FastMap<(usize, Vec<Abstract>), usize>,
    active: Vec<Unit>,
    pub(crate) recorder: Option<Recorder>,
    /// Types of conditions each component and what it calls have, smaller ones first.
    candidates: FastMap<usize, Arc<[Type]>>,
    pub(crate) analysis: Analysis,
    steps: u64,
}

impl Solver<'_> {
    /// Counts a step; false once there were too many.
    pub(crate) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS
            || (self.steps.is_multiple_of(1024) && self.budget.check().is_err())
        {
            self.analysis.complete = false;
        }
        self.analysis.complete
    }

    /// The types widening may choose in the active unit: those of the conditions that its key covers.
    fn candidates(&mut self) -> Arc<[Type]> {
        let Some(component) = self.active.last().map(|unit| unit.component) else {
            return Vec::new().into();
        };
        if let Some(known) = self.candidates.get(&component) {
            return known.clone();
        }
        let preds = self.preds;
        let members: Vec<usize> = (0..preds.len())
            .filter(|&pred| self.component[pred] == component)
            .collect();
        let mut relevant: Vec<usize> = members.iter().flat_map(|&m| callees(&preds[m])).collect();
        relevant.extend(members);
        let mut found: Vec<Type> = Vec::new();
        for pred in relevant {
            let spec = &preds[pred].spec;
            let posts = spec.success.iter().map(|s| &s.post);
            for literal in spec.pres.iter().chain(posts).flatten().flatten() {
                if let Literal::In { over, .. } = *literal
                    && !found.contains(&over)
                    && over != TOP
                {
                    found.push(over);
                }
            }
        }
        let mut ranked: Vec<(usize, String, Type)> = Vec::new();
        for &small in &found {
            let below = found
                .iter()
                .filter(|&&other| self.types.is_subset(other, small))
                .count();
            ranked.push((below, self.types.text(small, self.atoms), small));
        }
        ranked.sort();
        let found: Arc<[Type]> = ranked.into_iter().map(|(.., found)| found).collect();
        self.candidates.insert(component, found.clone());
        found
    }

    /// The success of a call, with what is assumed of calls and successes; `None` if there is none.
    pub(crate) fn enter(&mut self, pred: usize, call: &[Abstract]) -> Option<Vec<Type>> {
        let preds = self.preds;
        let spec = &preds[pred].spec;
        debug_assert_eq!(
            call.len(),
            preds[pred].arity,
            "a call has an argument for every parameter"
        );
        let Some(assumptions) = assumptions(spec) else {
            let success = self.demand(pred, call.to_vec())?;
            return self.refined(spec, None, success);
        };
        let mut joined: Option<Vec<Type>> = None;
        for (pre, literals) in assumptions {
            let Some(call) = self.assume(call, literals) else {
                continue;
            };
            let Some(success) = self.demand(pred, call) else {
                continue;
            };
            let Some(success) = self.refined(spec, Some(pre), success) else {
                continue;
            };
            joined = Some(match joined {
                None => success,
                Some(before) => before
                    .iter()
                    .zip(&success)
                    .map(|(&a, &b)| self.types.union(a, b))
                    .collect(),
            });
        }
        joined
    }

    /// The call under a precondition; `None` if they exclude each other.
    fn assume(&mut self, call: &[Abstract], literals: &[Literal]) -> Option<Vec<Abstract>> {
        let mut call = call.to_vec();
        for literal in literals {
            match *literal {
                Literal::In { over: TOP, .. } | Literal::Unknown => {}
                Literal::In { arg, over, .. } => match call[arg] {
                    Abstract::Free => return None,
                    Abstract::Type(found) => {
                        let narrowed = self.types.meet(found, over);
                        if narrowed == BOTTOM {
                            return None;
                        }
                        call[arg] = Abstract::Type(narrowed);
                    }
                },
                Literal::Free(arg) => {
                    if !matches!(call[arg], Abstract::Free | Abstract::Type(TOP)) {
                        return None;
                    }
                }
            }
        }
        Some(call)
    }

    /// A success with the postconditions that hold or are checked.
    fn refined(
        &mut self,
        spec: &Spec,
        pre: Option<usize>,
        mut success: Vec<Type>,
    ) -> Option<Vec<Type>> {
        for condition in spec.success.iter().chain(&spec.trusted) {
            let applies = condition.pre.is_none() || condition.pre == pre;
            let [single] = &condition.post[..] else {
                continue;
            };
            if !applies {
                continue;
            }
            debug_assert!(
                single.iter().all(
                    |literal| !matches!(literal, Literal::In { arg, .. } if *arg >= success.len())
                ),
                "conditions are about arguments of the predicate"
            );
            for literal in single {
                if let Literal::In { arg, over, .. } = *literal {
                    success[arg] = self.types.meet(success[arg], over);
                    if success[arg] == BOTTOM {
                        return None;
                    }
                }
            }
        }
        Some(success)
    }

    /// The success of a variant as far as it is known.
    fn demand(&mut self, pred: usize, call: Vec<Abstract>) -> Option<Vec<Type>> {
        let call = self.generalised(pred, call);
        let success = match self.index.get(&(pred, call.clone())) {
            Some(&known) => self.variants[known].success.clone(),
            None if self.in_active_unit(pred) => {
                let variant = self.add_variant(pred, call.clone());
                if let Some(unit) = self.active.last_mut() {
                    unit.members.push(variant);
                    unit.grown = true;
                }
                None
            }
            None => self.solve_unit(pred, call.clone()),
        };
        if !self.in_active_unit(pred)
            && let Some(unit) = self.active.last_mut()
        {
            unit.uses.insert((pred, call), success.clone());
        }
        success
    }

    fn in_active_unit(&self, pred: usize) -> bool {
        self.active
            .last()
            .is_some_and(|unit| unit.component == self.component[pred])
    }

    fn add_variant(&mut self, pred: usize, call: Vec<Abstract>) -> usize {
        debug_assert!(
            !self.index.contains_key(&(pred, call.clone())),
            "an abstract call is one variant"
        );
        let variant = self.variants.len();
        self.variants.push(Variant {
            pred,
            call: call.clone(),
            success: None,
            rounds: 0,
        });
        self.index.insert((pred, call), variant);
        variant
    }

    /// Keeps the number of abstract calls of a predicate in the active unit finite.
    fn generalised(&mut self, pred: usize, call: Vec<Abstract>) -> Vec<Abstract> {
        if !self.in_active_unit(pred) || self.index.contains_key(&(pred, call.clone())) {
            return call;
        }
        let members: Vec<usize> = self.active.last().map_or(Vec::new(), |u| u.members.clone());
        let before: Vec<Vec<Abstract>> = members
            .iter()
            .filter(|&&m| self.variants[m].pred == pred)
            .map(|&m| self.variants[m].call.clone())
            .collect();
        if before.len() < JOINED_FROM {
            return call;
        }
        if before.len() >= GIVEN_UP_FROM {
            return vec![Abstract::Type(TOP); call.len()];
        }
        let mut joined = call;
        for (at, arg) in joined.iter_mut().enumerate() {
            for other in &before {
                *arg = match (*arg, other[at]) {
                    (Abstract::Free, Abstract::Free) => Abstract::Free,
                    (Abstract::Type(a), Abstract::Type(b)) => {
                        Abstract::Type(self.types.union(a, b))
                    }
                    _ => Abstract::Type(TOP),
                };
            }
            if let Abstract::Type(found) = *arg {
                *arg = Abstract::Type(self.widened(found, 3));
            }
        }
        joined
    }

    fn solve_unit(&mut self, pred: usize, call: Vec<Abstract>) -> Option<Vec<Type>> {
        if self.active.len() > MAX_NESTING {
            self.analysis.complete = false;
        }
        if !self.analysis.complete {
            return Some(vec![TOP; call.len()]);
        }
        let outer = self.recorder.take();
        let name = keys::subject(self, pred, &call);
        let stored = keys::find(self, pred, &call);
        let success = match stored {
            Some(stored) if !self.recheck => {
                self.analysis.reused.push(name);
                keys::apply(self, &stored);
                stored.variants[0].2.clone()
            }
            stored => {
                let (members, record, uses) = self.compute_unit(pred, &call);
                self.analysis.computed.push(name.clone());
                let found = keys::Stored::of(self, &members, &record, &uses);
                if stored.is_some_and(|stored| stored != found) {
                    self.analysis.mismatches.push(name);
                }
                if self.analysis.complete {
                    keys::put(self, pred, &call, &found);
                }
                self.take_record(&record);
                found.variants[0].2.clone()
            }
        };
        self.recorder = outer;
        success
    }

    fn compute_unit(&mut self, pred: usize, call: &[Abstract]) -> (Vec<usize>, Record, Uses) {
        debug_assert!(
            self.active
                .iter()
                .all(|unit| unit.component != self.component[pred]),
            "a component is no part of what it calls"
        );
        debug_assert!(
            self.recorder.is_none(),
            "a unit records what it finds itself"
        );
        let first = self.add_variant(pred, call.to_vec());
        self.active.push(Unit {
            component: self.component[pred],
            members: vec![first],
            grown: false,
            uses: Uses::new(),
        });
        loop {
            let mut changed = false;
            let mut at = 0;
            while let Some(&member) = self.active.last().and_then(|unit| unit.members.get(at)) {
                changed |= self.iterate(member);
                at += 1;
            }
            let grown = self
                .active
                .last_mut()
                .is_some_and(|unit| std::mem::take(&mut unit.grown));
            if (!changed && !grown) || !self.analysis.complete {
                break;
            }
        }
        // Successes are stable: the calls of a last pass are those of the fixpoint.
        if let Some(unit) = self.active.last_mut() {
            unit.uses.clear();
        }
        self.recorder = Some(Recorder {
            at: (pred, 0),
            record: Record::default(),
        });
        let members = self.active.last().map_or(Vec::new(), |u| u.members.clone());
        for &member in &members {
            self.pass(member);
            self.record_success(member);
        }
        let record = self.recorder.take().map(|r| r.record).unwrap_or_default();
        let uses = self.active.pop().map(|unit| unit.uses).unwrap_or_default();
        (members, record, uses)
    }

    /// One more round of a variant; whether its success grew.
    fn iterate(&mut self, member: usize) -> bool {
        let found = self.pass(member);
        let Some(found) = found else {
            return false;
        };
        let rounds = self.variants[member].rounds;
        let next = match self.variants[member].success.clone() {
            None => found,
            Some(before) => {
                let mut next = before.clone();
                for (slot, new) in next.iter_mut().zip(found) {
                    if !self.types.is_subset(new, *slot) {
                        let joined = self.types.union(*slot, new);
                        *slot = self.widened(joined, rounds);
                    }
                }
                if next == before {
                    return false;
                }
                next
            }
        };
        debug_assert!(
            self.variants[member].success.clone().is_none_or(|before| {
                let mut pairs = before.into_iter().zip(&next);
                pairs.all(|(before, &next)| self.types.is_subset(before, next))
            }),
            "successes only grow"
        );
        self.variants[member].success = Some(next);
        self.variants[member].rounds += 1;
        true
    }

    /// A superset from a choice that gets smaller with the rounds.
    fn widened(&mut self, found: Type, rounds: u32) -> Type {
        if rounds < 1 {
            return found;
        }
        if rounds > 12 {
            return TOP;
        }
        for &candidate in self.candidates().iter() {
            if self.types.is_subset(found, candidate) {
                return candidate;
            }
        }
        if rounds < 3 {
            found
        } else {
            self.types.folded(found)
        }
    }

    /// The joined success of all clauses.
    fn pass(&mut self, member: usize) -> Option<Vec<Type>> {
        let preds = self.preds;
        let (pred, call) = (
            self.variants[member].pred,
            self.variants[member].call.clone(),
        );
        let mut joined: Option<Vec<Type>> = None;
        for (number, clause) in preds[pred].clauses.iter().enumerate() {
            if let Some(recorder) = &mut self.recorder {
                recorder.at = (pred, number);
            }
            let mut env = Env::new(clause.variables);
            if !self.head(&mut env, &clause.head, &call) {
                continue;
            }
            let Some(env) = self.goal(&clause.body, env) else {
                continue;
            };
            let found: Vec<Type> = clause
                .head
                .iter()
                .map(|arg| env.type_of(&mut self.types, arg))
                .collect();
            joined = Some(match joined {
                None => found,
                Some(before) => before
                    .iter()
                    .zip(&found)
                    .map(|(&a, &b)| self.types.union(a, b))
                    .collect(),
            });
        }
        joined
    }

    fn head(&mut self, env: &mut Env, head: &[Arc<Term>], call: &[Abstract]) -> bool {
        debug_assert_eq!(
            head.len(),
            call.len(),
            "a call has an argument for every parameter"
        );
        // Arguments with a type first: a free one is then bound to what is known by then.
        for (term, arg) in head.iter().zip(call) {
            if let Abstract::Type(found) = *arg
                && !env.narrow(&mut self.types, term, found)
            {
                return false;
            }
        }
        // A free argument is a variable of its own: a variable of the head that occurs elsewhere in it stays shared
        // with what it was passed for.
        for (at, (term, arg)) in head.iter().zip(call).enumerate() {
            if *arg != Abstract::Free {
                continue;
            }
            let others: Vec<usize> = head
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .flat_map(|(_, term)| env.leaves(term))
                .collect();
            for v in env.leaves(term) {
                if env.0[v] == Slot::Free && others.contains(&v) {
                    env.0[v] = Slot::Type(TOP);
                }
            }
        }
        true
    }

    /// Adds what a unit found to the result.
    pub(crate) fn take_record(&mut self, record: &Record) {
        debug_assert!(
            record
                .sites
                .keys()
                .all(|&(pred, clause, _)| clause < self.preds[pred].clauses.len()),
            "sites are in clauses of the program"
        );
        for (&at, (proof, call)) in &record.sites {
            let proof = keys::proof(*proof);
            let entry = self.analysis.sites.entry(at).or_insert(SiteVerdict {
                proof,
                call: call.clone(),
            });
            entry.proof = entry.proof.and(proof);
        }
        for (&at, (proof, text)) in &record.success {
            let proof = keys::proof(*proof);
            let entry = self
                .analysis
                .success
                .entry(at)
                .or_insert((proof, text.clone()));
            entry.0 = entry.0.and(proof);
        }
    }

    pub(crate) fn restore_variant(
        &mut self,
        pred: usize,
        call: Vec<Abstract>,
        success: Option<Vec<Type>>,
    ) {
        if !self.index.contains_key(&(pred, call.clone())) {
            let variant = self.add_variant(pred, call);
            self.variants[variant].success = success;
        }
    }

    /// Solves the calls a stored unit used; their successes.
    pub(crate) fn resolve_use(&mut self, pred: usize, call: Vec<Abstract>) -> Option<Vec<Type>> {
        match self.index.get(&(pred, call.clone())) {
            Some(&known) => self.variants[known].success.clone(),
            None => self.solve_unit(pred, call),
        }
    }

    /// An abstract call for people.
    pub(crate) fn call_text(&self, call: &[Abstract]) -> String {
        let args: Vec<String> = call
            .iter()
            .map(|arg| match arg {
                Abstract::Free => "var".to_string(),
                Abstract::Type(found) => self.types.text(*found, self.atoms),
            })
            .collect();
        args.join(",")
    }
}

/// The calls that the first calls condition lets through; `None` if that is all, or too many kinds.
fn assumptions(spec: &Spec) -> Option<Vec<(usize, &Vec<Literal>)>> {
    let condition = spec.calls.first()?;
    let found: Vec<(usize, &Vec<Literal>)> = condition
        .iter()
        .flat_map(|&pre| spec.pres[pre].iter().map(move |literals| (pre, literals)))
        .collect();
    (found.len() <= 8).then_some(found)
}
