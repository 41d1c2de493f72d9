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

/// A query as it is looked up and solved.
struct Form {
    /// The constraints, sorted: those of the query, or what simplification left of them.
    terms: Vec<Term>,
    /// Whether it did: then the path's witness completes one of these.
    narrowed: bool,
    parts: Parts,
    key: Option<CanonicalQuery>,
}

impl Form {
    fn whole(set: &[Term], parts: Parts) -> Self {
        Form {
            terms: set.to_vec(),
            narrowed: false,
            parts,
            key: None,
        }
    }

    fn left(parts: Parts) -> Self {
        let mut terms: Vec<Term> = parts.required.iter().chain(&parts.given).copied().collect();
        terms.sort_unstable();
        terms.dedup();
        Form {
            terms,
            narrowed: true,
            parts,
            key: None,
        }
    }
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
        let portable = mode == CacheMode::AddressAware && purpose == Purpose::Program;
        let mut form = match self.form(set, path, portable) {
            Ok(form) => form,
            Err(verdict) => {
                self.keep(set, None, portable, &verdict);
                return self.validated("narrowing", set, None, verdict);
            }
        };
        if let Some(form) = &form
            && let Some(key) = &form.key
            && let Some(verdict) = self.ask_aware(form)
            && let Some(verdict) = self.of_form(set, path, form, verdict)
        {
            self.tell_counterexamples(set, &verdict);
            self.base.insert(set.into(), verdict.clone());
            return self.validated("address-aware", set, Some(key.key), verdict);
        }
        if self.config.counterexample_cache
            && let Some(verdict) = self.ask_counterexamples(set)
        {
            self.keep(set, form.as_ref(), portable, &verdict);
            return self.validated("counter-example", set, None, verdict);
        }
        if mode != CacheMode::Off
            && let Some(verdict) = self.ask_store(set, path, &mut form, portable)
        {
            self.keep(set, form.as_ref(), portable, &verdict);
            let key = form.and_then(|form| form.key).map(|query| query.key);
            return self.validated("store", set, key, verdict);
        }
        let verdict = match (&form, path) {
            (Some(form), Some(path)) if form.narrowed => self.solve_simple(set, path, &form.terms),
            _ => self.solve(set),
        };
        let known = self.keep(set, form.as_ref(), portable, &verdict);
        if let Some(key) = form.and_then(|form| form.key) {
            self.put_store(&key, &verdict, known);
        }
        verdict
    }

    /// What a query is looked up as: itself or, in modes that simplify, what is left of it; nothing if it is looked up by its
    /// constraints only. An error is a verdict that simplification found.
    fn form(
        &mut self,
        set: &[Term],
        path: Option<&Slice>,
        portable: bool,
    ) -> Result<Option<Form>, Verdict> {
        let path_to_narrow = path.filter(|_| self.narrows());
        if !portable && path_to_narrow.is_none() {
            return Ok(None);
        }
        let parts = self.parts(set, path);
        let narrowed = path_to_narrow.map(|path| self.ask_narrowing(set, path, &parts));
        let mut form = match narrowed {
            Some(Some(Err(verdict))) => return Err(verdict),
            Some(Some(Ok(form))) => form,
            _ => Form::whole(set, parts),
        };
        let mentions = |&term: &Term| mentions_address(&self.terms, term);
        if portable && (self.config.naming == Naming::Renamed || form.terms.iter().any(mentions)) {
            form.key = self.key_of(&form.parts);
        }
        Ok(Some(form))
    }

    /// Simplifies a query for the values its path allows: a verdict, or the simpler query if that was not asked before.
    fn ask_narrowing(
        &mut self,
        set: &[Term],
        path: &Slice,
        parts: &Parts,
    ) -> Option<Result<Form, Verdict>> {
        let watch = Stopwatch::start();
        let found = match self.narrow(set, path, parts) {
            None => None,
            Some(Narrow::Decided(verdict)) => Some(Err(verdict)),
            Some(Narrow::Left(left)) => {
                let form = Form::left(left);
                let known = match self.config.query_cache {
                    CacheMode::Off => None,
                    _ => self.base.get(&form.terms[..]).cloned(),
                };
                match known.and_then(|known| self.of_form(set, Some(path), &form, known)) {
                    Some(verdict) => Some(Err(verdict)),
                    None => Some(Ok(form)),
                }
            }
        };
        let layer = &mut self.statistics.narrowed;
        layer.asked += 1;
        layer.answered += u64::from(matches!(found, Some(Err(_))));
        layer.time += watch.elapsed();
        found
    }

    /// What the verdict of a form means for the query; nothing if its witness does not hold.
    fn of_form(
        &mut self,
        set: &[Term],
        path: Option<&Slice>,
        form: &Form,
        verdict: Verdict,
    ) -> Option<Verdict> {
        match path.filter(|_| form.narrowed) {
            Some(path) => self.of_simple(set, path, verdict),
            None => Some(verdict),
        }
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

    fn key_of(&mut self, parts: &Parts) -> Option<CanonicalQuery> {
        let (required, domains) = (&parts.required, &parts.domains);
        self.canonizer
            .query(&self.terms, &*self.view, required, domains)
    }

    /// Constraints of the path over one small symbol, and such of the question that mention no address, are in the key by values:
    /// paths that came to the same values in different ways ask the same.
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

    fn ask_aware(&mut self, form: &Form) -> Option<Verdict> {
        let watch = Stopwatch::start();
        let known = form.key.as_ref().and_then(|key| self.aware.get(key));
        let found = match known.cloned() {
            Some(known) => self.certified(form, &known),
            None => None,
        };
        let layer = &mut self.statistics.aware;
        layer.asked += 1;
        layer.answered += u64::from(found.is_some());
        layer.time += watch.elapsed();
        found
    }

    /// What is known of a key means for the present form, if its witness holds.
    fn certified(&mut self, form: &Form, known: &Known) -> Option<Verdict> {
        let key = form.key.as_ref()?;
        match known {
            Known::Unsatisfiable => Some(Verdict::Unsat),
            Known::DependsOnLayout => None,
            Known::Unjudged => {
                // unsatisfiable elsewhere: the same here if it does not depend on where things are
                let agnostic = self.agnostic(form);
                let known = match agnostic {
                    true => Known::Unsatisfiable,
                    false => Known::DependsOnLayout,
                };
                self.aware.insert(key, known);
                agnostic.then_some(Verdict::Unsat)
            }
            Known::Satisfiable(values) => {
                let witness = translated(key, values);
                if self.holds(&witness, &form.terms) {
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
        form: &mut Option<Form>,
        portable: bool,
    ) -> Option<Verdict> {
        self.persistence.as_ref()?;
        let watch = Stopwatch::start();
        let mut own = match form.take() {
            Some(form) => form,
            None => Form::whole(set, self.parts(set, path)),
        };
        if own.key.is_none() {
            own.key = self.key_of(&own.parts);
        }
        let found = self
            .look_in_store(&own, portable)
            .and_then(|verdict| self.of_form(set, path, &own, verdict));
        *form = Some(own);
        let layer = &mut self.statistics.store;
        layer.asked += 1;
        layer.answered += u64::from(found.is_some());
        layer.time += watch.elapsed();
        found
    }

    fn look_in_store(&mut self, form: &Form, portable: bool) -> Option<Verdict> {
        let key = form.key.as_ref()?;
        let persistence = self.persistence.as_ref()?;
        let agnostic = persistence.agnostic_key(key);
        let own = persistence.layout_key(key, &*self.view);
        if portable && let Some(known) = persistence.get(&agnostic) {
            let verdict = self.certified(form, &known);
            if known == Known::Unjudged
                && let (Some(judged), Some(persistence)) = (self.aware.get(key), &self.persistence)
            {
                persistence.put(agnostic, judged);
            }
            if verdict.is_some() {
                return verdict;
            }
        }
        let known = self.persistence.as_ref()?.get(&own)?;
        self.certified(form, &known)
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
            Some(known @ (Known::DependsOnLayout | Known::Unjudged)) => {
                persistence.put(persistence.agnostic_key(query), &known);
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
        form: Option<&Form>,
        portable: bool,
        verdict: &Verdict,
    ) -> Option<Known> {
        if matches!(verdict, Verdict::Unknown) {
            return None;
        }
        self.keep_set(set, verdict);
        let form = form?;
        if form.narrowed {
            self.keep_set(&form.terms, verdict);
        }
        let key = form.key.as_ref().filter(|_| portable)?;
        let known = match verdict {
            Verdict::Sat(witness) => Known::Satisfiable(by_position(key, witness)),
            _ => self.unsatisfiable_here(form, key),
        };
        self.aware.insert(key, known.clone());
        Some(known)
    }

    fn keep_set(&mut self, set: &[Term], verdict: &Verdict) {
        self.tell_counterexamples(set, verdict);
        if self.config.query_cache != CacheMode::Off {
            self.base.insert(set.into(), verdict.clone());
        }
    }

    /// What to keep of a form that is unsatisfiable under the present layout. Whether it is so under every layout is looked at
    /// when it comes again under another one: most never do.
    fn unsatisfiable_here(&mut self, form: &Form, key: &CanonicalQuery) -> Known {
        match self.aware.get(key) {
            _ if !self.is_about_addresses(form) => Known::Unsatisfiable,
            Some(Known::DependsOnLayout) => Known::DependsOnLayout,
            Some(Known::Unsatisfiable) => Known::Unsatisfiable,
            Some(Known::Satisfiable(_)) => {
                if (self.config.validate || cfg!(debug_assertions)) && self.agnostic(form) {
                    stet_base::never!("an agnostic query changed its verdict: {:?}", key.key);
                }
                Known::DependsOnLayout
            }
            Some(Known::Unjudged) | None => Known::Unjudged,
        }
    }

    fn is_about_addresses(&self, form: &Form) -> bool {
        let mut required = form.parts.required.iter();
        required.any(|&term| mentions_address(&self.terms, term))
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

    /// Whether a form that is unsatisfiable under some layout is so under every layout.
    fn agnostic(&mut self, form: &Form) -> bool {
        if !self.is_about_addresses(form) {
            return true;
        }
        let watch = Stopwatch::start();
        let judgement = judge(
            &self.terms,
            &*self.view,
            &form.parts.required,
            &form.parts.given,
            &form.parts.domains,
        );
        self.statistics.agnostic_time += watch.elapsed();
        let agnostic = match judgement {
            Judgement::Agnostic => true,
            Judgement::Invariant(part) => {
                self.looks_pay() && self.unsatisfiable_part(&form.parts, part)
            }
        };
        self.statistics.agnostic += u64::from(agnostic);
        self.statistics.layout_dependent += u64::from(!agnostic);
        agnostic
    }

    /// Whether solving independent parts alone finds enough to be tried.
    fn looks_pay(&self) -> bool {
        self.looks < 16 || self.found_closer * 4 >= self.looks
    }

    /// Whether the constraints that do not depend on the layout, and the values allowed, exclude each other: then the others
    /// do not matter.
    fn unsatisfiable_part(&mut self, parts: &Parts, mut part: Vec<Term>) -> bool {
        if part.is_empty() || parts.is_path_only(&part) {
            return false;
        }
        for &(symbol, values) in &parts.domains {
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
