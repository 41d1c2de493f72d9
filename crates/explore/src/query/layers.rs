//! The order of the layers below slicing, and what each is asked and told.

use super::address::mentions_address;
use super::agnostic::{Judgement, judge};
use super::aware::{Known, by_position, translated};
use super::canon::{CanonicalQuery, Naming};
use super::chain::{CacheMode, Mismatch, Purpose, QueryChain, Verdict};
use super::constraints::Slice;
use super::core::{CoreAnswer, Values, is_among};
use super::counterexample::Found;
use super::narrow::Narrow;
use super::witness::Witness;
use std::sync::Arc;
use stet_base::Stopwatch;
use stet_term::{Op, Sym, Term};

/// A query in two parts: what is in a key as terms, and what by the values it allows.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) required: Vec<Term>,
    pub(super) given: Vec<Term>,
    pub(super) domains: Vec<(Sym, Values)>,
    /// Those of the required constraints that are the question, not the path.
    pub(super) asked: Vec<Term>,
    /// Symbols whose values the question restricts.
    pub(super) asked_symbols: Vec<Sym>,
}

impl Parts {
    /// Leaves a symbol only some values; whether there are any.
    pub(super) fn restrict(&mut self, symbol: Sym, values: &Values) -> bool {
        let known = match self.domains.iter().position(|(known, _)| *known == symbol) {
            Some(at) => &mut self.domains[at].1,
            None => {
                self.domains.push((symbol, *values));
                return values.iter().any(|word| *word != 0);
            }
        };
        *known = std::array::from_fn(|i| known[i] & values[i]);
        known.iter().any(|word| *word != 0)
    }

    /// Whether nothing of the question is among these constraints and the allowed values: then the path satisfies them.
    fn is_path_only(&self, part: &[Term]) -> bool {
        self.asked_symbols.is_empty() && !part.iter().any(|term| self.asked.contains(term))
    }
}

/// A simpler form of a query: its constraints, and its key.
type Simple = (Vec<Term>, Option<Portable>);

/// A query with its key.
pub(super) struct Portable {
    pub(super) query: CanonicalQuery,
    parts: Parts,
}

impl QueryChain {
    /// Whether a sorted set of constraints is satisfiable: the layers in their order. `path` is where the set comes from.
    pub(super) fn decide(
        &mut self,
        set: &[Term],
        path: Option<&Slice>,
        purpose: Purpose,
    ) -> Verdict {
        if set.contains(&Term::FALSE) {
            return Verdict::Unsat;
        }
        let mode = self.config.query_cache;
        if mode != CacheMode::Off
            && let Some(verdict) = self.ask_base(set)
        {
            return self.validated("base", set, None, verdict);
        }
        let with_addresses = set.iter().any(|&term| mentions_address(&self.terms, term));
        let portable = mode == CacheMode::AddressAware && purpose == Purpose::Program;
        let mut canonical = None;
        if portable && (with_addresses || self.config.naming == Naming::Renamed) {
            canonical = self.canonical(set, path);
            if let Some(Portable { query, .. }) = &canonical
                && let Some(verdict) = self.ask_aware(query, set)
            {
                self.tell_counterexamples(set, &verdict);
                self.base.insert(set.into(), verdict.clone());
                return self.validated("address-aware", set, Some(query.key), verdict);
            }
        }
        if self.config.counterexample_cache
            && let Some(verdict) = self.ask_counterexamples(set)
        {
            self.keep(set, canonical.as_ref(), &verdict);
            return self.validated("counter-example", set, None, verdict);
        }
        let narrowed = match self.ask_narrowing(set, path, portable, canonical.as_ref()) {
            Some(Err(verdict)) => {
                self.keep(set, None, &verdict);
                return self.validated("narrowing", set, None, verdict);
            }
            Some(Ok(narrowed)) => Some(narrowed),
            None => None,
        };
        if mode != CacheMode::Off
            && let Some(verdict) = self.ask_store(set, path, &mut canonical, portable)
        {
            self.keep(set, canonical.as_ref().filter(|_| portable), &verdict);
            let key = canonical.map(|portable| portable.query.key);
            return self.validated("store", set, key, verdict);
        }
        let verdict = match (&narrowed, path) {
            (Some((simple, _)), Some(path)) => self.solve_simple(set, path, simple),
            _ => self.solve(set),
        };
        let portable_query = canonical.as_ref().filter(|_| portable);
        let told = narrowed.and_then(|(simple, key)| self.keep(&simple, key.as_ref(), &verdict));
        let known = match told {
            // the simpler query is equivalent, so what holds of it under all layouts holds of this one
            Some(known @ (Known::Unsatisfiable | Known::DependsOnLayout)) => {
                self.keep(set, None, &verdict);
                if let Some(Portable { query, .. }) = portable_query {
                    self.aware.insert(query, known.clone());
                }
                Some(known)
            }
            _ => self.keep(set, portable_query, &verdict),
        };
        if let Some(Portable { query, .. }) = &canonical {
            self.put_store(query, &verdict, known);
        }
        verdict
    }

    /// Simplifies a query for the values its path allows: a verdict, or the simpler query that was not seen before.
    fn ask_narrowing(
        &mut self,
        set: &[Term],
        path: Option<&Slice>,
        portable: bool,
        canonical: Option<&Portable>,
    ) -> Option<Result<Simple, Verdict>> {
        let path = path.filter(|_| self.narrows())?;
        let watch = Stopwatch::start();
        let parts = match canonical {
            Some(portable) => portable.parts.clone(),
            None => self.parts(set, Some(path)),
        };
        let narrowed = self.narrow(set, path, &parts);
        let found = narrowed.map(|narrowed| self.narrowed_before(set, path, narrowed, portable));
        let layer = &mut self.statistics.narrowed;
        layer.asked += 1;
        layer.answered += u64::from(matches!(found, Some(Err(_))));
        layer.time += watch.elapsed();
        found
    }

    fn narrowed_before(
        &mut self,
        set: &[Term],
        path: &Slice,
        narrowed: Narrow,
        portable: bool,
    ) -> Result<Simple, Verdict> {
        let parts = match narrowed {
            Narrow::Decided(verdict) => return Err(verdict),
            Narrow::Left(parts) => parts,
        };
        let mut simple: Vec<Term> = parts.required.iter().chain(&parts.given).copied().collect();
        simple.sort_unstable();
        simple.dedup();
        if self.config.query_cache != CacheMode::Off {
            let known = self.base.get(&simple[..]).cloned();
            if let Some(verdict) = known.and_then(|known| self.of_simple(set, path, known)) {
                return Err(verdict);
            }
        }
        let key = match portable {
            true => self.keyed(parts),
            false => None,
        };
        if let Some(Portable { query, .. }) = &key {
            let known = self.ask_aware(query, &simple);
            if let Some(verdict) = known.and_then(|known| self.of_simple(set, path, known)) {
                return Err(verdict);
            }
        }
        Ok((simple, key))
    }

    /// What the verdict of the simpler form means for the query; nothing if its witness does not hold.
    fn of_simple(&mut self, set: &[Term], path: &Slice, verdict: Verdict) -> Option<Verdict> {
        let Verdict::Sat(own) = verdict else {
            return Some(verdict);
        };
        let witness = self.completed(path, &own)?;
        self.holds(&witness, set).then_some(Verdict::Sat(witness))
    }

    /// Solves the simpler form of a query.
    fn solve_simple(&mut self, set: &[Term], path: &Slice, simple: &[Term]) -> Verdict {
        let verdict = self.solve(simple);
        match self.of_simple(set, path, verdict) {
            Some(verdict) => verdict,
            None => self.solve(set),
        }
    }

    /// The canonical form. Constraints of the path over one small symbol count by the values they allow: paths that came
    /// to the same values in different ways ask the same.
    fn canonical(&mut self, set: &[Term], path: Option<&Slice>) -> Option<Portable> {
        let parts = self.parts(set, path);
        self.keyed(parts)
    }

    fn keyed(&mut self, parts: Parts) -> Option<Portable> {
        let query =
            self.canonizer
                .query(&self.terms, &*self.view, &parts.required, &parts.domains)?;
        Some(Portable { query, parts })
    }

    /// Constraints of the path over one small symbol, and such of the question that mention no address, are in the key by values.
    fn parts(&mut self, set: &[Term], path: Option<&Slice>) -> Parts {
        let mut parts = Parts {
            required: Vec::with_capacity(set.len()),
            given: Vec::new(),
            domains: Vec::new(),
            asked: Vec::new(),
            asked_symbols: Vec::new(),
        };
        for &constraint in set {
            let on_path = path.is_some_and(|path| path.contains(constraint));
            let allowed = match on_path || !mentions_address(&self.terms, constraint) {
                true => self.allowed_by(constraint),
                false => None,
            };
            match allowed {
                Some((symbol, values)) => {
                    parts.restrict(symbol, &values);
                    parts.given.push(constraint);
                    if !on_path {
                        parts.asked_symbols.push(symbol);
                    }
                }
                None => {
                    parts.required.push(constraint);
                    if !on_path {
                        parts.asked.push(constraint);
                    }
                }
            }
        }
        parts
    }

    /// The symbol of a constraint over one small symbol, and its values under which the constraint holds, with the concrete
    /// addresses.
    pub(super) fn allowed_by(&mut self, constraint: Term) -> Option<(Sym, Values)> {
        if let Some(known) = self.allowed.get(&constraint) {
            return *known;
        }
        let symbols = self.program_symbols(constraint);
        let allowed = match symbols[..] {
            [symbol] => {
                let concrete = self
                    .concretizer
                    .concrete(&self.terms, &*self.view, constraint);
                let values = self.core.allowed(&self.terms, concrete, symbol);
                values.map(|values| (symbol, values))
            }
            _ => None,
        };
        self.allowed.insert(constraint, allowed);
        allowed
    }

    fn ask_base(&mut self, set: &[Term]) -> Option<Verdict> {
        let watch = Stopwatch::start();
        let found = self.base.get(set).cloned();
        let layer = &mut self.statistics.base;
        layer.asked += 1;
        layer.answered += u64::from(found.is_some());
        layer.time += watch.elapsed();
        found
    }

    fn ask_aware(&mut self, query: &CanonicalQuery, set: &[Term]) -> Option<Verdict> {
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

    fn ask_counterexamples(&mut self, set: &[Term]) -> Option<Verdict> {
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

    fn ask_store(
        &mut self,
        set: &[Term],
        path: Option<&Slice>,
        canonical: &mut Option<Portable>,
        portable: bool,
    ) -> Option<Verdict> {
        self.persistence.as_ref()?;
        let watch = Stopwatch::start();
        if canonical.is_none() {
            *canonical = self.canonical(set, path);
        }
        let found = canonical
            .as_ref()
            .and_then(|canonical| self.look_in_store(&canonical.query, set, portable));
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
        canonical: Option<&Portable>,
        verdict: &Verdict,
    ) -> Option<Known> {
        if matches!(verdict, Verdict::Unknown) {
            return None;
        }
        self.tell_counterexamples(set, verdict);
        if self.config.query_cache != CacheMode::Off {
            self.base.insert(set.into(), verdict.clone());
        }
        let portable = canonical?;
        let known = match verdict {
            Verdict::Sat(witness) => Known::Satisfiable(by_position(&portable.query, witness)),
            _ if self.agnostic(portable) => Known::Unsatisfiable,
            _ => Known::DependsOnLayout,
        };
        self.aware.insert(&portable.query, known.clone());
        Some(known)
    }

    fn tell_counterexamples(&mut self, set: &[Term], verdict: &Verdict) {
        if !self.config.counterexample_cache {
            return;
        }
        match verdict {
            Verdict::Sat(witness) => self
                .counterexamples
                .insert_satisfiable(set, witness.clone()),
            Verdict::Unsat => self.counterexamples.insert_unsatisfiable(set),
            Verdict::Unknown => {}
        }
    }

    /// Whether an unsatisfiable query is unsatisfiable under every layout.
    fn agnostic(&mut self, portable: &Portable) -> bool {
        let mut required = portable.parts.required.iter();
        if !required.any(|&term| mentions_address(&self.terms, term)) {
            return true;
        }
        let known = self.aware.get(&portable.query);
        let again = known == Some(&Known::DependsOnLayout);
        if again && self.looked_closer.contains(&portable.query.key) {
            return false;
        }
        // A query that was satisfiable under another layout cannot be agnostic.
        let satisfiable = matches!(known, Some(Known::Satisfiable(_)));
        let watch = Stopwatch::start();
        let judgement = judge(
            &self.terms,
            &*self.view,
            &portable.parts.required,
            &portable.parts.given,
            &portable.parts.domains,
        );
        self.statistics.agnostic_time += watch.elapsed();
        let agnostic = match judgement {
            Judgement::Agnostic => true,
            Judgement::Invariant(part) => {
                !satisfiable
                    && (again || self.looks_pay())
                    && self.unsatisfiable_part(portable, part)
            }
        };
        if agnostic && satisfiable {
            stet_base::never!(
                "an agnostic query changed its verdict: {:?}",
                portable.query.key
            );
        }
        let agnostic = agnostic && !satisfiable;
        self.statistics.agnostic += u64::from(agnostic);
        self.statistics.layout_dependent += u64::from(!agnostic);
        agnostic
    }

    /// Whether solving independent parts alone finds enough to be tried at once; otherwise only for queries that come again.
    fn looks_pay(&self) -> bool {
        self.looks < 16 || self.found_closer * 4 >= self.looks
    }

    /// Whether the constraints that do not depend on the layout, and the values allowed, exclude each other: then the others
    /// do not matter.
    fn unsatisfiable_part(&mut self, portable: &Portable, mut part: Vec<Term>) -> bool {
        self.looked_closer.insert(portable.query.key);
        if part.is_empty() || portable.parts.is_path_only(&part) {
            return false;
        }
        for &(symbol, values) in &portable.parts.domains {
            part.extend(self.membership(symbol, &values));
        }
        part.sort_unstable();
        part.dedup();
        self.looks += 1;
        let found = matches!(self.solve(&part), Verdict::Unsat);
        self.found_closer += u64::from(found);
        found
    }

    /// The constraints that a symbol has one of some values.
    fn membership(&self, symbol: Sym, values: &Values) -> Vec<Term> {
        let sort = self.terms.symbol_info(symbol).sort;
        let Some(width) = sort.bv_width() else {
            return Vec::new(); // fewer constraints are satisfiable more often
        };
        let term = self.terms.intern(Op::Symbol(symbol), &[], sort);
        (0..1u64 << width.min(8))
            .filter(|&value| !is_among(values, value))
            .map(|value| {
                let constant = self.terms.bv(width, value);
                self.terms.not(self.terms.eq(term, constant))
            })
            .collect()
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

    /// With `validate`, and for a sample of the keys in debug builds (law 6), solves a hit again; the solver's
    /// word counts.
    fn validated(
        &mut self,
        layer: &'static str,
        set: &[Term],
        key: Option<stet_key::Digest>,
        verdict: Verdict,
    ) -> Verdict {
        let sampled = key.as_ref().is_some_and(stet_store::is_rechecked);
        if !self.config.validate && !sampled {
            return verdict;
        }
        self.statistics.validated += u64::from(self.config.validate);
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
