//! The one way of a set of constraints through the layers: asking in order, counting and timing, completing witnesses, telling
//! the others, and checking answers again.

use super::chain::{Mismatch, QueryChain};
use super::constraints::Slice;
use super::form::Question;
use super::layer::{By, Found, Layer, Subject};
use super::verdict::Verdict;
use super::witness::Witness;
use super::{aware::AwareCache, base::BaseCache, counterexample::CounterexampleCache};
use super::{narrow::NarrowingLayer, persist::StoreLayer};
use crate::query::{CacheMode, Purpose};
use std::sync::Arc;
use stet_base::Stopwatch;
use stet_term::Term;

/// The layers before the solver.
pub(super) struct Layers {
    pub(super) base: BaseCache,
    pub(super) narrowing: NarrowingLayer,
    pub(super) aware: AwareCache,
    pub(super) counterexample: CounterexampleCache,
    pub(super) store: StoreLayer,
}

impl Layers {
    /// A layer by its place in the order.
    fn get(&mut self, by: By) -> Option<&mut dyn Layer> {
        match by {
            By::Base => Some(&mut self.base),
            By::Narrowing => Some(&mut self.narrowing),
            By::Aware => Some(&mut self.aware),
            By::Counterexample => Some(&mut self.counterexample),
            By::Store => Some(&mut self.store),
            By::Solver => None,
        }
    }
}

impl QueryChain {
    /// Whether a sorted set of constraints is satisfiable. `path` is where the set comes from.
    pub(super) fn decide(
        &mut self,
        set: &[Term],
        path: Option<&Slice>,
        purpose: Purpose,
    ) -> Verdict {
        if set.contains(&Term::FALSE) {
            return Verdict::Unsat;
        }
        debug_assert!(
            set.windows(2).all(|pair| pair[0] < pair[1]),
            "sets of constraints are sorted: caches compare them"
        );
        let is_aware = self.config.query_cache == CacheMode::AddressAware;
        let portable = is_aware && purpose == Purpose::Program;
        let mut question = Question::new(set, path, portable);
        let (by, verdict) = self.first_answer(&mut question);
        if by != By::Base && !matches!(verdict, Verdict::Unknown) {
            self.tell(&mut question, &verdict, by);
        }
        match by {
            By::Solver => verdict,
            _ => self.rechecked(by, &question, verdict),
        }
    }

    /// Asks the layers in their order, then the solver.
    fn first_answer(&mut self, question: &mut Question<'_>) -> (By, Verdict) {
        for by in By::LAYERS {
            let context = &mut self.context;
            let Some(layer) = self.layers.get(by).filter(|l| l.applies(context, question)) else {
                continue;
            };
            let watch = Stopwatch::start();
            let found = layer.ask(context, question);
            self.layers.aware.learn(question);
            let verdict = found.and_then(|found| self.completed(question, found));
            if let Some(count) = self.counts.of(by) {
                count.add(verdict.is_some(), watch.elapsed());
            }
            if let Some(verdict) = verdict {
                debug_assert!(
                    !matches!(verdict, Verdict::Unknown),
                    "only the solver leaves a query undecided"
                );
                return (by, verdict);
            }
        }
        (By::Solver, self.solved(question))
    }

    /// Asks the solver, for the simpler form if there is one.
    fn solved(&mut self, question: &mut Question<'_>) -> Verdict {
        if let (Some(form), true) = (&question.form, question.path.is_some())
            && form.is_narrowed
        {
            let found = Found {
                verdict: self.context.solve(&form.terms),
                about: Subject::Form,
            };
            if let Some(verdict) = self.completed(question, found) {
                return verdict;
            }
            // what is left of the query has a solution, whatever the query has: nothing is kept for it
            question.form = None;
        }
        self.context.solve(question.set)
    }

    /// What is found means for the query: a witness of a simpler form is completed by the path's, and must hold.
    fn completed(&mut self, question: &Question<'_>, found: Found) -> Option<Verdict> {
        let is_part = match found.about {
            Subject::Question => false,
            Subject::Form => question.form.as_ref().is_some_and(|form| form.is_narrowed),
            Subject::Part => true,
        };
        match (found.verdict, question.path) {
            (Verdict::Sat(own), Some(path)) if is_part => {
                let rest = self.joined_witness(path)?;
                let witness = Arc::new(Witness::union([&*own, &*rest]));
                let holds = self.context.holds(&witness, question.set);
                holds.then_some(Verdict::Sat(witness))
            }
            (verdict, _) => Some(verdict),
        }
    }

    fn tell(&mut self, question: &mut Question<'_>, verdict: &Verdict, by: By) {
        debug_assert!(
            !matches!(verdict, Verdict::Unknown),
            "what is not decided is told to nobody"
        );
        for layer in By::LAYERS {
            if let Some(layer) = self.layers.get(layer) {
                layer.tell(&mut self.context, question, verdict, by);
            }
        }
    }

    /// With `validate`, and for a sample of the keys in debug builds (law 6), solves a hit again; the solver's
    /// word counts.
    fn rechecked(&mut self, by: By, question: &Question<'_>, verdict: Verdict) -> Verdict {
        let key = match by {
            By::Aware | By::Store => question.key().map(|query| query.key),
            _ => None,
        };
        let is_sampled = key.as_ref().is_some_and(stet_store::is_rechecked);
        if !self.config.validate && !is_sampled {
            return verdict;
        }
        self.statistics.validated += u64::from(self.config.validate);
        let solved = self.context.solve_uncounted(question.set);
        let is_wrong = match (&verdict, &solved) {
            (_, Verdict::Unknown) | (Verdict::Unsat, Verdict::Unsat) => false,
            (Verdict::Sat(witness), Verdict::Sat(_)) => !self.context.holds(witness, question.set),
            _ => true,
        };
        if !is_wrong {
            return verdict;
        }
        self.statistics.mismatches += 1;
        self.mismatches.push(Mismatch {
            layer: by.name(),
            key,
            cached: verdict.name(),
            solved: solved.name(),
        });
        solved
    }
}
