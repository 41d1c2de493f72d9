//! The order of the layers below slicing, and what each is asked and told.

use super::address::mentions_address;
use super::agnostic::is_agnostic;
use super::aware::{Known, by_position, translated};
use super::canon::{CanonicalQuery, Naming};
use super::chain::{CacheMode, Mismatch, Purpose, QueryChain, Verdict};
use super::constraints::Slice;
use super::core::{CoreAnswer, Values};
use super::counterexample::Found;
use super::witness::Witness;
use std::sync::Arc;
use stet_base::Stopwatch;
use stet_term::{Sym, Term};

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
            if let Some(query) = &canonical
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
            self.keep(set, canonical.as_ref(), &verdict, with_addresses);
            return self.validated("counter-example", set, None, verdict);
        }
        if mode != CacheMode::Off
            && let Some(verdict) = self.ask_store(set, path, &mut canonical, portable)
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

    /// The canonical form. Constraints of the path over one small symbol count by the values they allow: paths that came
    /// to the same values in different ways ask the same.
    fn canonical(&mut self, set: &[Term], path: Option<&Slice>) -> Option<CanonicalQuery> {
        let mut domains: Vec<(Sym, Values)> = Vec::new();
        let mut rest = Vec::with_capacity(set.len());
        for &constraint in set {
            let on_path = path.is_some_and(|path| path.contains(constraint));
            let allowed = match on_path {
                true => self.allowed_by(constraint),
                false => None,
            };
            let Some((symbol, values)) = allowed else {
                rest.push(constraint);
                continue;
            };
            match domains.iter_mut().find(|(known, _)| *known == symbol) {
                Some((_, known)) => {
                    for (word, other) in known.iter_mut().zip(&values) {
                        *word &= other;
                    }
                }
                None => domains.push((symbol, values)),
            }
        }
        self.canonizer
            .query(&self.terms, &*self.view, &rest, &domains)
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
        canonical: &mut Option<CanonicalQuery>,
        portable: bool,
    ) -> Option<Verdict> {
        self.persistence.as_ref()?;
        let watch = Stopwatch::start();
        if canonical.is_none() {
            *canonical = self.canonical(set, path);
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
        if matches!(verdict, Verdict::Unknown) {
            return None;
        }
        self.tell_counterexamples(set, verdict);
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
