//! The entry of the query chain: slicing, facts that need no query, and then the layers (`decide`).

use super::address::{AddressView, mentions_address};
use super::aware::AwareCache;
use super::base::BaseCache;
use super::canon::Naming;
use super::constraints::{PathConstraints, Slice};
use super::context::Context;
use super::counterexample::CounterexampleCache;
use super::decide::Layers;
use super::narrow::{Narrowing, NarrowingLayer};
use super::persist::{Persistence, StoreLayer};
use super::statistics::{Counts, Statistics};
use super::verdict::Verdict;
use super::witness::{SymbolValue, Witness};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use stet_base::Budget;
use stet_solve::Solver;
use stet_store::Store;
use stet_term::{Model, Op, Sym, Term, Terms};

/// Which query cache is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheMode {
    Off,
    /// Equal sets of terms, with concrete addresses.
    Base,
    /// Sets equal up to addresses.
    AddressAware,
}

/// How the chain works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The query cache.
    pub query_cache: CacheMode,
    /// Whether subsets and supersets are looked for.
    pub counterexample_cache: bool,
    /// Whether independent constraints are left out.
    pub slicing: bool,
    /// When queries are simplified under the possible values of the path's bytes before they are solved.
    pub narrowing: Narrowing,
    /// Whether the address-aware cache also renames the program's symbols.
    pub naming: Naming,
    /// Whether every hit is solved again and compared [AAQC §VI-B].
    pub validate: bool,
    /// The time for one query of the solver.
    pub solver_time: Option<Duration>,
}

impl Config {
    /// Everything on, nothing validated, no limit.
    pub fn full() -> Self {
        Config {
            query_cache: CacheMode::AddressAware,
            counterexample_cache: true,
            slicing: true,
            narrowing: Narrowing::Aware,
            naming: Naming::Renamed,
            validate: false,
            solver_time: None,
        }
    }
}

/// On whose account a query is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// The program's: branches, bounds checks, resolution of a pointer to one object.
    Program,
    /// The engine's: answers may depend on the order of objects, and are never reused across layouts
    /// [AAQC §III-C].
    Engine,
}

/// What a condition can be on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    True,
    False,
    /// Sometimes true, sometimes false.
    Both,
    /// Not decided within the limits.
    Unknown,
}

/// A wrong hit: an internal error that names the query.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Which cache was wrong.
    pub layer: &'static str,
    /// The canonical key of the query, if it has one.
    pub key: Option<stet_key::Digest>,
    /// What the cache said.
    pub cached: &'static str,
    /// What the solver said.
    pub solved: &'static str,
}

/// How often [`QueryChain::minimum`] asks for anything smaller before it halves.
const DESCENTS: u32 = 4;
/// How many answers [`QueryChain::assume`] finds witnesses in when there is no cache.
const RECENT: usize = 8;

/// The chain with its caches.
pub(crate) struct QueryChain {
    pub(super) config: Config,
    pub(super) context: Context,
    pub(super) layers: Layers,
    pub(super) counts: Counts,
    recent: VecDeque<(Box<[Term]>, Arc<Witness>)>,
    pub(super) statistics: Statistics,
    pub(super) mismatches: Vec<Mismatch>,
}

impl QueryChain {
    /// A chain with empty caches.
    pub(crate) fn new(
        terms: Rc<Terms>,
        view: Rc<dyn AddressView>,
        solver: Box<dyn Solver>,
        config: Config,
        budget: Budget,
    ) -> Self {
        let mode = config.query_cache;
        let layers = Layers {
            base: BaseCache { mode },
            narrowing: NarrowingLayer::new(config.narrowing, mode),
            aware: AwareCache::new(config.naming, config.validate || cfg!(debug_assertions)),
            counterexample: CounterexampleCache::new(config.counterexample_cache),
            store: StoreLayer {
                persistence: None,
                is_on: mode != CacheMode::Off,
            },
        };
        QueryChain {
            context: Context::new(terms, view, solver, &config, budget),
            config,
            layers,
            counts: Counts::default(),
            recent: VecDeque::new(),
            statistics: Statistics::default(),
            mismatches: Vec::new(),
        }
    }

    /// The same chain, with verdicts of earlier processes.
    pub(crate) fn with_store(mut self, store: Arc<Store>) -> Self {
        let solver = self.context.solver.identity();
        self.layers.store.persistence = Some(Persistence::new(store, solver));
        self
    }

    /// What was counted so far.
    pub(crate) fn statistics(&self) -> Statistics {
        let context = &self.context;
        Statistics {
            base: self.counts.base,
            aware: self.counts.aware,
            counterexample: self.counts.counterexample,
            narrowed: self.counts.narrowing,
            store: self.counts.store,
            solver: context.solved,
            uncertified: context.judged.uncertified,
            layout_dependent: context.judged.layout_dependent,
            agnostic: context.judged.agnostic,
            agnostic_time: context.judged.time,
            base_entries: context.verdicts.len() as u64,
            aware_entries: self.layers.aware.len() as u64,
            enumerated: context.solver.statistics().enumerated,
            ..self.statistics.clone()
        }
    }

    /// Hits that were wrong, with `validate`.
    pub(crate) fn mismatches(&self) -> &[Mismatch] {
        &self.mismatches
    }

    /// Why the last query was not decided.
    pub(crate) fn unknown_reason(&self) -> Option<&str> {
        self.context.unknown_reason.as_deref()
    }

    /// Adds a condition to a path. The caller knows that the path remains possible.
    pub(crate) fn assume(&mut self, path: &mut PathConstraints, condition: Term) {
        let terms = self.context.terms.clone();
        let mut pending = vec![condition];
        while let Some(condition) = pending.pop() {
            if condition == Term::TRUE {
                continue;
            }
            if terms.op(condition) == Op::And {
                pending.extend(terms.args(condition));
                continue;
            }
            let symbols = self.context.program_symbols(condition);
            let slice = path.slice(&symbols);
            if slice.contains(condition) {
                continue;
            }
            let set = self.query_set(&slice, condition);
            let witness = self
                .remembered(&set)
                .or_else(|| self.still_valid(&slice, condition))
                .or_else(|| self.recent_for(&set));
            path.add(condition, &symbols, self.fixed_symbol(condition), witness);
        }
    }

    /// The symbol that a constraint equates with a constant.
    fn fixed_symbol(&self, constraint: Term) -> Option<Sym> {
        let (op, args) = (
            self.context.terms.op(constraint),
            self.context.terms.args(constraint),
        );
        match (op, args) {
            (Op::Eq, &[a, b]) if self.context.terms.is_bv_const(b) => {
                match self.context.terms.op(a) {
                    Op::Symbol(symbol) => Some(symbol),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a condition can be on a path.
    pub(crate) fn evaluate(
        &mut self,
        path: &PathConstraints,
        condition: Term,
        purpose: Purpose,
    ) -> Truth {
        let negation = self.context.terms.not(condition);
        let slice = self.slice(path, condition);
        if let Some(truth) = self.trivial(&slice, condition, negation) {
            return truth;
        }
        if let Some(truth) = self.by_values(&slice, condition, negation) {
            return truth;
        }
        self.count(purpose, &slice, condition);
        let (first, second) = match self.witnessed(&slice, condition) {
            Some((true, witness)) => (Verdict::Sat(witness), None),
            Some((false, witness)) => (
                self.satisfiable(&slice, condition, purpose),
                Some(Verdict::Sat(witness)),
            ),
            None => (self.satisfiable(&slice, condition, purpose), None),
        };
        if matches!(first, Verdict::Unsat) {
            return Truth::False;
        }
        let second = match second {
            Some(known) => known,
            None => self.satisfiable(&slice, negation, purpose),
        };
        match (&first, &second) {
            (Verdict::Sat(yes), Verdict::Sat(no)) => {
                let (set, other) = (
                    self.query_set(&slice, condition),
                    self.query_set(&slice, negation),
                );
                self.remember(set, yes.clone());
                self.remember(other, no.clone());
                Truth::Both
            }
            (Verdict::Sat(_), Verdict::Unsat) => Truth::True,
            _ => Truth::Unknown,
        }
    }

    /// Whether a condition can be true on a path; `None` if that was not decided.
    pub(crate) fn may_be_true(
        &mut self,
        path: &PathConstraints,
        condition: Term,
        purpose: Purpose,
    ) -> Option<bool> {
        let negation = self.context.terms.not(condition);
        let slice = self.slice(path, condition);
        if let Some(truth) = self.trivial(&slice, condition, negation) {
            return Some(truth == Truth::True);
        }
        if let Some(truth) = self.by_values(&slice, condition, negation) {
            return Some(truth != Truth::False);
        }
        self.count(purpose, &slice, condition);
        if let Some((true, witness)) = self.witnessed(&slice, condition) {
            let set = self.query_set(&slice, condition);
            self.remember(set, witness);
            return Some(true);
        }
        match self.satisfiable(&slice, condition, purpose) {
            Verdict::Sat(witness) => {
                let set = self.query_set(&slice, condition);
                self.remember(set, witness);
                Some(true)
            }
            Verdict::Unsat => Some(false),
            Verdict::Unknown => None,
        }
    }

    /// Whether a condition holds for the path's own witness together with values of symbols that no path has constraints over.
    pub(crate) fn holds_with(
        &mut self,
        path: &PathConstraints,
        condition: Term,
        values: Vec<(Sym, SymbolValue)>,
    ) -> bool {
        let slice = self.slice(path, condition);
        debug_assert!(
            values.iter().all(|(symbol, _)| slice
                .groups
                .iter()
                .all(|group| !group.symbols().contains(symbol))),
            "a value that is tried is free on the path"
        );
        let Some(own) = self.joined_witness(&slice) else {
            return false;
        };
        let tried = Witness::new(values);
        let witness = Arc::new(Witness::union([&tried, &*own]));
        self.context.value(&witness, condition) == Some(1)
    }

    /// Whether there is no time for further queries. Steps that ask some look at this, because few of them can take long.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.context.budget.check().is_err()
    }

    /// A value the expression can have on a path, of at most 128 bits; `None` if none was found.
    pub(crate) fn value(&mut self, path: &PathConstraints, expression: Term) -> Option<u128> {
        self.statistics.total += 1;
        self.statistics.model_queries += 1;
        let slice = self.slice(path, expression);
        let witness = self.joined_witness(&slice)?;
        self.context.value(&witness, expression)
    }

    /// The smallest value the expression can have on a path: the same whatever was cached before, so this
    /// is what an executor should fix a symbolic value to. `None` if a query was not decided.
    pub(crate) fn minimum(&mut self, path: &PathConstraints, expression: Term) -> Option<u128> {
        let width = self.context.terms.width(expression);
        let mut hi = self.value(path, expression)?;
        let mut lo = 0u128;
        let mut steps = 0;
        while lo < hi {
            // Usually there are few values: step down through witnesses before halving the range.
            let limit = match steps {
                0..DESCENTS => hi - 1,
                _ => lo + (hi - lo) / 2,
            };
            steps += 1;
            debug_assert!(lo <= limit && limit < hi, "the range becomes smaller");
            let constant = wide_constant(&self.context.terms, width, limit);
            let below = self.context.terms.bv_ule(expression, constant);
            match self.may_be_true(path, below, Purpose::Engine)? {
                true => {
                    let mut lower = path.clone();
                    self.assume(&mut lower, below);
                    hi = self.value(&lower, expression)?.min(limit);
                }
                false => lo = limit + 1,
            }
        }
        debug_assert_eq!(lo, hi, "one value is left");
        Some(lo)
    }

    /// Values for all symbols of a path; symbols without a value are free, and zero will do.
    pub(crate) fn model(&mut self, path: &PathConstraints) -> Option<Model> {
        self.statistics.total += 1;
        self.statistics.model_queries += 1;
        let everything = path.everything();
        let witness = self.joined_witness(&everything)?;
        Some(witness.to_model(&self.context.terms))
    }

    /// The constraints a query about a term needs.
    fn slice(&mut self, path: &PathConstraints, term: Term) -> Slice {
        if self.config.slicing {
            let symbols = self.context.program_symbols(term);
            path.slice(&symbols)
        } else {
            path.everything()
        }
    }

    /// Constants, and conditions that are on the path already.
    fn trivial(&mut self, slice: &Slice, condition: Term, negation: Term) -> Option<Truth> {
        let truth = if condition == Term::TRUE || slice.contains(condition) {
            Truth::True
        } else if condition == Term::FALSE || slice.contains(negation) {
            Truth::False
        } else {
            self.determined(slice, condition)?
        };
        self.statistics.trivial += 1;
        Some(truth)
    }

    /// A condition all of whose symbols have one value only, that of any witness; or that has none but base addresses, which a
    /// program without symbolic input may compare.
    fn determined(&mut self, slice: &Slice, condition: Term) -> Option<Truth> {
        let symbols = self.context.program_symbols(condition);
        let witness = match symbols.is_empty() {
            true => Arc::default(),
            false if slice.fixes(&symbols) => self.joined_witness(slice)?,
            false => return None,
        };
        match self.context.value(&witness, condition)? {
            0 => Some(Truth::False),
            _ => Some(Truth::True),
        }
    }

    /// Counts a query in the classes of [AAQC Table II].
    fn count(&mut self, purpose: Purpose, slice: &Slice, condition: Term) {
        let statistics = &mut self.statistics;
        statistics.total += 1;
        statistics.passed_to_cache += 1;
        if purpose == Purpose::Program {
            statistics.of_program += 1;
            let mentions = |term| mentions_address(&self.context.terms, term);
            if mentions(condition) || slice.constraints().any(mentions) {
                statistics.address_dependent += 1;
            }
        }
    }

    /// The value of a condition under the path's own witness: that side is possible.
    fn witnessed(&mut self, slice: &Slice, condition: Term) -> Option<(bool, Arc<Witness>)> {
        let witness = self.joined_witness(slice)?;
        let value = self.context.value(&witness, condition)?;
        debug_assert!(value <= 1, "a condition is a truth value");
        self.statistics.by_witness += 1;
        Some((value == 1, witness))
    }

    /// A witness for all groups of a slice.
    pub(super) fn joined_witness(&mut self, slice: &Slice) -> Option<Arc<Witness>> {
        let mut parts = Vec::with_capacity(slice.groups.len());
        for group in &slice.groups {
            let witness = match &group.witness {
                Some(witness) => witness.clone(),
                None => match self.decide(&group.constraints, None, Purpose::Program) {
                    Verdict::Sat(witness) => witness,
                    _ => return None,
                },
            };
            parts.push(witness);
        }
        if let [only] = parts.as_slice() {
            return Some(only.clone());
        }
        // a group's witness may come from a larger query: what it says of other groups' symbols is not meant here
        let own = slice.groups.iter().zip(&parts);
        Some(Arc::new(Witness::joined(
            own.map(|(group, witness)| (group.symbols(), &**witness)),
        )))
    }

    /// The path's own witness, if it satisfies one more condition.
    fn still_valid(&mut self, slice: &Slice, condition: Term) -> Option<Arc<Witness>> {
        if slice.groups.iter().any(|group| group.witness.is_none()) {
            return None;
        }
        let joined = self.joined_witness(slice)?;
        self.context.holds(&joined, &[condition]).then_some(joined)
    }

    /// A recent witness that satisfies a set.
    fn recent_for(&mut self, set: &[Term]) -> Option<Arc<Witness>> {
        let context = &mut self.context;
        let mut recent = self.recent.iter().rev().map(|(_, witness)| witness);
        recent.find(|witness| context.holds(witness, set)).cloned()
    }

    /// The sorted set of a slice and a condition, whose conjuncts are members of their own.
    pub(super) fn query_set(&self, slice: &Slice, condition: Term) -> Vec<Term> {
        let mut set: Vec<Term> = slice.constraints().collect();
        let mut pending = vec![condition];
        while let Some(condition) = pending.pop() {
            match self.context.terms.op(condition) {
                Op::And => pending.extend(self.context.terms.args(condition)),
                _ => set.push(condition),
            }
        }
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Keeps a witness for [`assume`](Self::assume), which usually follows with the same set.
    pub(super) fn remember(&mut self, set: Vec<Term>, witness: Arc<Witness>) {
        debug_assert!(set.is_sorted(), "sets are compared member by member");
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((set.into(), witness));
    }

    fn remembered(&self, set: &[Term]) -> Option<Arc<Witness>> {
        let recent = self.recent.iter().rev().find(|(known, _)| **known == *set);
        match (recent, self.context.verdicts.get(set)) {
            (Some((_, witness)), _) | (None, Some(Verdict::Sat(witness))) => Some(witness.clone()),
            _ => None,
        }
    }

    /// Whether the slice together with a condition is satisfiable.
    fn satisfiable(&mut self, slice: &Slice, condition: Term, purpose: Purpose) -> Verdict {
        let set = self.query_set(slice, condition);
        self.decide(&set, Some(slice), purpose)
    }
}

fn wide_constant(terms: &Terms, width: u32, value: u128) -> Term {
    if width <= 64 {
        return terms.bv(width, value as u64);
    }
    let high = terms.bv(width - 64, (value >> 64) as u64);
    terms.concat(high, terms.bv(64, value as u64))
}
