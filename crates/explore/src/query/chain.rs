//! The chain itself: what the executor calls, and the order of the layers.

use super::address::{AddressView, mentions_address};
use super::agnostic::is_agnostic;
use super::aware::{AwareCache, Known, by_position, translated};
use super::canon::{CanonicalQuery, Canonizer, Naming};
use super::constraints::{PathConstraints, Slice};
use super::core::{Concretizer, Core, CoreAnswer};
use super::counterexample::{CounterexampleCache, Found};
use super::persist::Persistence;
use super::statistics::Statistics;
use super::witness::{Evaluation, Witness};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use stet_base::{Budget, FastMap, Stopwatch};
use stet_store::Store;
use stet_term::{Model, Op, Sym, Term, Terms};

/// Which query cache is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheMode {
    /// None.
    Off,
    /// Equal sets of terms, with concrete addresses.
    Base,
    /// Sets equal up to addresses.
    AddressAware,
}

/// How the chain works.
#[derive(Clone, Debug)]
pub struct Config {
    /// The query cache.
    pub query_cache: CacheMode,
    /// Whether subsets and supersets are looked for.
    pub counterexample_cache: bool,
    /// Whether independent constraints are left out.
    pub slicing: bool,
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
            naming: Naming::Renamed,
            validate: false,
            solver_time: None,
        }
    }
}

/// On whose account a query is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The program's: branches, bounds checks, resolution of a pointer to one object.
    Program,
    /// The engine's: answers may depend on the order of objects, and are never reused across layouts
    /// [AAQC §III-C].
    Engine,
}

/// What a condition can be on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// Always true.
    True,
    /// Always false.
    False,
    /// Sometimes true, sometimes false.
    Both,
    /// Not decided within the limits.
    Unknown,
}

/// The answer to a query.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    Sat(Arc<Witness>),
    Unsat,
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

/// How many answers [`QueryChain::assume`] finds witnesses in when there is no cache.
const RECENT: usize = 8;

/// The chain with its caches.
pub struct QueryChain {
    terms: Rc<Terms>,
    view: Rc<dyn AddressView>,
    config: Config,
    core: Box<dyn Core>,
    persistence: Option<Persistence>,
    budget: Budget,
    canonizer: Canonizer,
    concretizer: Concretizer,
    base: FastMap<Box<[Term]>, Verdict>,
    aware: AwareCache,
    counterexamples: CounterexampleCache,
    recent: VecDeque<(Box<[Term]>, Arc<Witness>)>,
    symbols: FastMap<Term, Arc<[Sym]>>,
    statistics: Statistics,
    mismatches: Vec<Mismatch>,
    unknown_reason: Option<String>,
}

impl QueryChain {
    /// A chain with empty caches.
    pub fn new(
        terms: Rc<Terms>,
        view: Rc<dyn AddressView>,
        core: Box<dyn Core>,
        config: Config,
        budget: Budget,
    ) -> Self {
        QueryChain {
            canonizer: Canonizer::new(config.naming),
            terms,
            view,
            config,
            core,
            persistence: None,
            budget,
            concretizer: Concretizer::default(),
            base: FastMap::default(),
            aware: AwareCache::default(),
            counterexamples: CounterexampleCache::new(),
            recent: VecDeque::new(),
            symbols: FastMap::default(),
            statistics: Statistics::default(),
            mismatches: Vec::new(),
            unknown_reason: None,
        }
    }

    /// The same chain, with verdicts of earlier processes.
    pub fn with_store(mut self, store: Arc<Store>) -> Self {
        let solver = self.core.identity();
        self.persistence = Some(Persistence::new(store, solver));
        self
    }

    /// How the chain works.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What was counted so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            base_entries: self.base.len() as u64,
            aware_entries: self.aware.len() as u64,
            ..self.statistics.clone()
        }
    }

    /// Hits that were wrong, with `validate`.
    pub fn mismatches(&self) -> &[Mismatch] {
        &self.mismatches
    }

    /// Why the last query was not decided.
    pub fn unknown_reason(&self) -> Option<&str> {
        self.unknown_reason.as_deref()
    }

    /// Adds a condition to a path. The caller knows that the path remains possible.
    pub fn assume(&mut self, path: &mut PathConstraints, condition: Term) {
        let terms = self.terms.clone();
        let mut pending = vec![condition];
        while let Some(condition) = pending.pop() {
            if condition == Term::TRUE {
                continue;
            }
            if terms.op(condition) == Op::And {
                pending.extend(terms.args(condition));
                continue;
            }
            let symbols = self.program_symbols(condition);
            let slice = path.slice(&symbols);
            if slice.contains(condition) {
                continue;
            }
            let set = self.query_set(&slice, condition);
            let witness = self
                .remembered(&set)
                .or_else(|| self.still_valid(&slice, condition))
                .or_else(|| self.recent_for(&set));
            path.add(condition, &symbols, witness);
        }
    }

    /// What a condition can be on a path.
    pub fn evaluate(&mut self, path: &PathConstraints, condition: Term, purpose: Purpose) -> Truth {
        let negation = self.terms.not(condition);
        let slice = self.slice(path, condition);
        if let Some(truth) = self.trivial(&slice, condition, negation) {
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
    pub fn may_be_true(
        &mut self,
        path: &PathConstraints,
        condition: Term,
        purpose: Purpose,
    ) -> Option<bool> {
        let negation = self.terms.not(condition);
        let slice = self.slice(path, condition);
        match self.trivial(&slice, condition, negation) {
            Some(truth) => return Some(truth == Truth::True),
            None => self.count(purpose, &slice, condition),
        }
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

    /// Whether a condition is always true on a path; `None` if that was not decided.
    pub fn must_be_true(
        &mut self,
        path: &PathConstraints,
        condition: Term,
        purpose: Purpose,
    ) -> Option<bool> {
        let negation = self.terms.not(condition);
        self.may_be_true(path, negation, purpose).map(|may| !may)
    }

    /// A value the expression can have on a path, of at most 128 bits; `None` if none was found.
    pub fn value(&mut self, path: &PathConstraints, expression: Term) -> Option<u128> {
        self.statistics.total += 1;
        self.statistics.model_queries += 1;
        let slice = self.slice(path, expression);
        let witness = self.joined_witness(&slice)?;
        Evaluation::new(&self.terms, &*self.view, &witness).value(expression)
    }

    /// The smallest value the expression can have on a path: the same whatever was cached before, so this
    /// is what an executor should fix a symbolic value to. `None` if a query was not decided.
    pub fn minimum(&mut self, path: &PathConstraints, expression: Term) -> Option<u128> {
        let width = self.terms.width(expression);
        let mut hi = self.value(path, expression)?;
        let mut lo = 0u128;
        while lo < hi {
            let middle = lo + (hi - lo) / 2;
            let limit = wide_constant(&self.terms, width, middle);
            let below = self.terms.bv_ule(expression, limit);
            match self.may_be_true(path, below, Purpose::Engine)? {
                true => {
                    let mut lower = path.clone();
                    self.assume(&mut lower, below);
                    hi = self.value(&lower, expression)?.min(middle);
                }
                false => lo = middle + 1,
            }
        }
        Some(lo)
    }

    /// Values for all symbols of a path; symbols without a value are free, and zero will do.
    pub fn model(&mut self, path: &PathConstraints) -> Option<Model> {
        self.statistics.total += 1;
        self.statistics.model_queries += 1;
        let everything = path.everything();
        let witness = self.joined_witness(&everything)?;
        Some(witness.to_model(&self.terms))
    }

    /// The constraints a query about a term needs.
    fn slice(&mut self, path: &PathConstraints, term: Term) -> Slice {
        if self.config.slicing {
            let symbols = self.program_symbols(term);
            path.slice(&symbols)
        } else {
            path.everything()
        }
    }

    /// The symbols of a term that are no base addresses, sorted.
    fn program_symbols(&mut self, term: Term) -> Arc<[Sym]> {
        if let Some(symbols) = self.symbols.get(&term) {
            return symbols.clone();
        }
        let all = self.terms.free_symbols(term);
        let own = all.iter().filter(|&&symbol| {
            let mark = self.terms.symbol_info(symbol).mark;
            mark & super::address::ADDRESS_MARK == 0
        });
        let symbols: Arc<[Sym]> = own.copied().collect();
        self.symbols.insert(term, symbols.clone());
        symbols
    }

    /// Constants, and conditions that are on the path already.
    fn trivial(&mut self, slice: &Slice, condition: Term, negation: Term) -> Option<Truth> {
        let truth = if condition == Term::TRUE || slice.contains(condition) {
            Truth::True
        } else if condition == Term::FALSE || slice.contains(negation) {
            Truth::False
        } else {
            return None;
        };
        self.statistics.trivial += 1;
        Some(truth)
    }

    /// Counts a query in the classes of [AAQC Table II].
    fn count(&mut self, purpose: Purpose, slice: &Slice, condition: Term) {
        let statistics = &mut self.statistics;
        statistics.total += 1;
        statistics.passed_to_cache += 1;
        if purpose == Purpose::Program {
            statistics.of_program += 1;
            let mentions = |term| mentions_address(&self.terms, term);
            if mentions(condition) || slice.constraints().any(mentions) {
                statistics.address_dependent += 1;
            }
        }
    }

    /// The value of a condition under the path's own witness: that side is possible.
    fn witnessed(&mut self, slice: &Slice, condition: Term) -> Option<(bool, Arc<Witness>)> {
        let witness = self.joined_witness(slice)?;
        let mut evaluation = Evaluation::new(&self.terms, &*self.view, &witness);
        let value = evaluation.value(condition)?;
        self.statistics.by_witness += 1;
        Some((value == 1, witness))
    }

    /// A witness for all groups of a slice.
    fn joined_witness(&mut self, slice: &Slice) -> Option<Arc<Witness>> {
        let mut parts = Vec::with_capacity(slice.groups.len());
        for group in &slice.groups {
            let witness = match &group.witness {
                Some(witness) => witness.clone(),
                None => match self.decide(&group.constraints, Purpose::Program) {
                    Verdict::Sat(witness) => witness,
                    _ => return None,
                },
            };
            parts.push(witness);
        }
        match parts.as_slice() {
            [only] => Some(only.clone()),
            _ => Some(Arc::new(Witness::union(parts.iter().map(|part| &**part)))),
        }
    }

    /// The path's own witness, if it satisfies one more condition.
    fn still_valid(&mut self, slice: &Slice, condition: Term) -> Option<Arc<Witness>> {
        if slice.groups.iter().any(|group| group.witness.is_none()) {
            return None;
        }
        let joined = self.joined_witness(slice)?;
        self.holds(&joined, &[condition]).then_some(joined)
    }

    /// A recent witness that satisfies a set.
    fn recent_for(&self, set: &[Term]) -> Option<Arc<Witness>> {
        let mut recent = self.recent.iter().rev().map(|(_, witness)| witness);
        recent.find(|witness| self.holds(witness, set)).cloned()
    }

    fn holds(&self, witness: &Witness, set: &[Term]) -> bool {
        Evaluation::new(&self.terms, &*self.view, witness).satisfies(set.iter().copied())
    }

    /// The sorted set of a slice and a condition, whose conjuncts are members of their own.
    fn query_set(&self, slice: &Slice, condition: Term) -> Vec<Term> {
        let mut set: Vec<Term> = slice.constraints().collect();
        let mut pending = vec![condition];
        while let Some(condition) = pending.pop() {
            match self.terms.op(condition) {
                Op::And => pending.extend(self.terms.args(condition)),
                _ => set.push(condition),
            }
        }
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Keeps a witness for [`assume`](Self::assume), which usually follows with the same set.
    fn remember(&mut self, set: Vec<Term>, witness: Arc<Witness>) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((set.into(), witness));
    }

    fn remembered(&self, set: &[Term]) -> Option<Arc<Witness>> {
        let recent = self.recent.iter().rev().find(|(known, _)| **known == *set);
        match (recent, self.base.get(set)) {
            (Some((_, witness)), _) | (None, Some(Verdict::Sat(witness))) => Some(witness.clone()),
            _ => None,
        }
    }

    /// Whether the slice together with a condition is satisfiable.
    fn satisfiable(&mut self, slice: &Slice, condition: Term, purpose: Purpose) -> Verdict {
        let set = self.query_set(slice, condition);
        self.decide(&set, purpose)
    }

    /// Whether a sorted set of constraints is satisfiable: the layers in their order.
    fn decide(&mut self, set: &[Term], purpose: Purpose) -> Verdict {
        if set.contains(&Term::FALSE) {
            return Verdict::Unsat;
        }
        let mode = self.config.query_cache;
        if mode != CacheMode::Off
            && let Some(verdict) = self.from_base(set)
        {
            return self.validated("base", set, None, verdict);
        }
        let with_addresses = set.iter().any(|&term| mentions_address(&self.terms, term));
        let portable = mode == CacheMode::AddressAware && purpose == Purpose::Program;
        let mut canonical = None;
        if portable && (with_addresses || self.config.naming == Naming::Renamed) {
            canonical = self.canonical(set);
            if let Some(query) = &canonical
                && let Some(verdict) = self.from_aware(query, set)
            {
                self.base.insert(set.into(), verdict.clone());
                return self.validated("address-aware", set, Some(query.key), verdict);
            }
        }
        if self.config.counterexample_cache
            && let Some(verdict) = self.from_counterexamples(set)
        {
            self.keep(set, canonical.as_ref(), &verdict, with_addresses);
            return self.validated("counter-example", set, None, verdict);
        }
        if mode != CacheMode::Off
            && let Some(verdict) = self.from_store(set, &mut canonical, portable)
        {
            self.keep(
                set,
                canonical.as_ref().filter(|_| portable),
                &verdict,
                with_addresses,
            );
            return self.validated("store", set, canonical.map(|query| query.key), verdict);
        }
        let verdict = self.solve(set);
        let portable_query = canonical.as_ref().filter(|_| portable);
        let known = self.keep(set, portable_query, &verdict, with_addresses);
        if let Some(query) = &canonical {
            self.put_store(query, &verdict, known);
        }
        verdict
    }

    fn canonical(&mut self, set: &[Term]) -> Option<CanonicalQuery> {
        self.canonizer.query(&self.terms, &*self.view, set)
    }

    fn from_base(&mut self, set: &[Term]) -> Option<Verdict> {
        let watch = Stopwatch::start();
        let found = self.base.get(set).cloned();
        let layer = &mut self.statistics.base;
        layer.asked += 1;
        layer.answered += u64::from(found.is_some());
        layer.time += watch.elapsed();
        found
    }

    fn from_aware(&mut self, query: &CanonicalQuery, set: &[Term]) -> Option<Verdict> {
        let watch = Stopwatch::start();
        let found = match self.aware.get(query).cloned() {
            Some(known) => self.certified(query, set, &known),
            None => None,
        };
        let layer = &mut self.statistics.aware;
        layer.asked += 1;
        layer.answered += u64::from(found.is_some());
        layer.time += watch.elapsed();
        found
    }

    /// What a stored verdict means for the present query, if its witness holds.
    fn certified(
        &mut self,
        query: &CanonicalQuery,
        set: &[Term],
        known: &Known,
    ) -> Option<Verdict> {
        match known {
            Known::Unsatisfiable => Some(Verdict::Unsat),
            Known::DependsOnLayout => None,
            Known::Satisfiable(values) => {
                let witness = translated(query, values);
                if self.holds(&witness, set) {
                    return Some(Verdict::Sat(Arc::new(witness)));
                }
                self.statistics.uncertified += 1;
                None
            }
        }
    }

    fn from_counterexamples(&mut self, set: &[Term]) -> Option<Verdict> {
        let watch = Stopwatch::start();
        let found = match self.counterexamples.find(set) {
            Found::Unsatisfiable => Some(Verdict::Unsat),
            Found::Satisfiable(witness) => Some(Verdict::Sat(witness)),
            Found::Candidates(candidates) => candidates
                .into_iter()
                .find(|witness| self.holds(witness, set))
                .map(Verdict::Sat),
        };
        let layer = &mut self.statistics.counterexample;
        layer.asked += 1;
        layer.answered += u64::from(found.is_some());
        layer.time += watch.elapsed();
        found
    }

    fn from_store(
        &mut self,
        set: &[Term],
        canonical: &mut Option<CanonicalQuery>,
        portable: bool,
    ) -> Option<Verdict> {
        self.persistence.as_ref()?;
        let watch = Stopwatch::start();
        if canonical.is_none() {
            *canonical = self.canonical(set);
        }
        let found = canonical
            .as_ref()
            .and_then(|query| self.look_in_store(query, set, portable));
        let layer = &mut self.statistics.store;
        layer.asked += 1;
        layer.answered += u64::from(found.is_some());
        layer.time += watch.elapsed();
        found
    }

    fn look_in_store(
        &mut self,
        query: &CanonicalQuery,
        set: &[Term],
        portable: bool,
    ) -> Option<Verdict> {
        let persistence = self.persistence.as_ref()?;
        let agnostic = portable.then(|| persistence.get(&persistence.agnostic_key(query)));
        let own = persistence.layout_key(query, &*self.view);
        if let Some(Some(known)) = agnostic
            && let Some(verdict) = self.certified(query, set, &known)
        {
            return Some(verdict);
        }
        let known = self.persistence.as_ref()?.get(&own)?;
        self.certified(query, set, &known)
    }

    fn put_store(&mut self, query: &CanonicalQuery, verdict: &Verdict, known: Option<Known>) {
        let Some(persistence) = &self.persistence else {
            return;
        };
        let own = match verdict {
            Verdict::Unknown => return,
            Verdict::Unsat => Known::Unsatisfiable,
            Verdict::Sat(witness) => Known::Satisfiable(by_position(query, witness)),
        };
        match known {
            Some(Known::DependsOnLayout) => {
                persistence.put(persistence.agnostic_key(query), &Known::DependsOnLayout);
                persistence.put(persistence.layout_key(query, &*self.view), &own);
            }
            Some(known) => persistence.put(persistence.agnostic_key(query), &known),
            None => persistence.put(persistence.layout_key(query, &*self.view), &own),
        }
    }

    /// Puts a verdict into the caches of this run; what became of it in the address-aware one.
    fn keep(
        &mut self,
        set: &[Term],
        canonical: Option<&CanonicalQuery>,
        verdict: &Verdict,
        with_addresses: bool,
    ) -> Option<Known> {
        match verdict {
            Verdict::Unknown => return None,
            Verdict::Sat(witness) if self.config.counterexample_cache => {
                self.counterexamples
                    .insert_satisfiable(set, witness.clone());
            }
            Verdict::Unsat if self.config.counterexample_cache => {
                self.counterexamples.insert_unsatisfiable(set);
            }
            _ => {}
        }
        if self.config.query_cache != CacheMode::Off {
            self.base.insert(set.into(), verdict.clone());
        }
        let query = canonical?;
        let known = match verdict {
            Verdict::Sat(witness) => Known::Satisfiable(by_position(query, witness)),
            _ if !with_addresses || self.agnostic(query, set) => Known::Unsatisfiable,
            _ => Known::DependsOnLayout,
        };
        self.aware.insert(query, known.clone());
        Some(known)
    }

    /// Whether an unsatisfiable set is unsatisfiable under every layout.
    fn agnostic(&mut self, query: &CanonicalQuery, set: &[Term]) -> bool {
        if self.aware.get(query) == Some(&Known::DependsOnLayout) {
            return false;
        }
        let watch = Stopwatch::start();
        let agnostic = is_agnostic(&self.terms, &*self.view, set);
        self.statistics.agnostic_time += watch.elapsed();
        if agnostic {
            // A query that was satisfiable under another layout cannot be agnostic.
            let satisfiable = matches!(self.aware.get(query), Some(Known::Satisfiable(_)));
            if satisfiable {
                stet_base::never!("an agnostic query changed its verdict: {:?}", query.key);
                self.statistics.layout_dependent += 1;
                return false;
            }
            self.statistics.agnostic += 1;
        } else {
            self.statistics.layout_dependent += 1;
        }
        agnostic
    }

    /// Asks the solver, with concrete addresses.
    fn solve(&mut self, set: &[Term]) -> Verdict {
        let watch = Stopwatch::start();
        self.statistics.solver.asked += 1;
        let verdict = self.solve_uncounted(set);
        let layer = &mut self.statistics.solver;
        layer.answered += u64::from(!matches!(verdict, Verdict::Unknown));
        layer.time += watch.elapsed();
        verdict
    }

    fn solve_uncounted(&mut self, set: &[Term]) -> Verdict {
        let mut concrete: Vec<Term> = set
            .iter()
            .map(|&term| self.concretizer.concrete(&self.terms, &*self.view, term))
            .filter(|&term| term != Term::TRUE)
            .collect();
        concrete.sort_unstable();
        concrete.dedup();
        if concrete.contains(&Term::FALSE) {
            return Verdict::Unsat;
        }
        let budget = match self.config.solver_time {
            Some(time) => self.budget.limited_to(time),
            None => self.budget.clone(),
        };
        match self.core.check(&self.terms, &concrete, &budget) {
            CoreAnswer::Unsat => Verdict::Unsat,
            CoreAnswer::Sat(model) => match Witness::of_model(&model) {
                Some(witness) => Verdict::Sat(Arc::new(witness)),
                None => self.unknown("the model has values of unknown sorts".to_owned()),
            },
            CoreAnswer::Unknown(reason) => self.unknown(reason),
        }
    }

    fn unknown(&mut self, reason: String) -> Verdict {
        self.unknown_reason = Some(reason);
        Verdict::Unknown
    }

    /// With `validate`, solves a hit again; the solver's word counts.
    fn validated(
        &mut self,
        layer: &'static str,
        set: &[Term],
        key: Option<stet_key::Digest>,
        verdict: Verdict,
    ) -> Verdict {
        if !self.config.validate {
            return verdict;
        }
        self.statistics.validated += 1;
        let solved = self.solve_uncounted(set);
        let wrong = match (&verdict, &solved) {
            (_, Verdict::Unknown) => false,
            (Verdict::Sat(witness), Verdict::Sat(_)) => !self.holds(witness, set),
            (Verdict::Unsat, Verdict::Unsat) => false,
            _ => true,
        };
        if !wrong {
            return verdict;
        }
        self.statistics.mismatches += 1;
        self.mismatches.push(Mismatch {
            layer,
            key,
            cached: verdict.name(),
            solved: solved.name(),
        });
        solved
    }
}

impl Verdict {
    fn name(&self) -> &'static str {
        match self {
            Verdict::Sat(_) => "satisfiable",
            Verdict::Unsat => "unsatisfiable",
            Verdict::Unknown => "unknown",
        }
    }
}

fn wide_constant(terms: &Terms, width: u32, value: u128) -> Term {
    if width <= 64 {
        return terms.bv(width, value as u64);
    }
    let high = terms.bv(width - 64, (value >> 64) as u64);
    terms.concat(high, terms.bv(64, value as u64))
}
