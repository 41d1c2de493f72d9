//! What a cache entry of another layout implies for the present query: a witness is evaluated again, and unsatisfiability
//! counts if the query is the same under every layout.

use super::agnostic::{Judgement, judge};
use super::aware::{Known, translated};
use super::context::Context;
use super::form::{Form, Parts};
use super::verdict::Verdict;
use std::sync::Arc;
use stet_base::Stopwatch;
use stet_term::Term;

impl Context {
    /// What a cache entry implies for a form, and what was found out about the entry on the way.
    pub(super) fn certified(
        &mut self,
        form: &Form,
        known: &Known,
    ) -> (Option<Verdict>, Option<Known>) {
        let Some(key) = &form.key else {
            return (None, None);
        };
        debug_assert!(
            form.parts
                .required
                .iter()
                .all(|term| form.is_narrowed || form.terms.binary_search(term).is_ok()),
            "the parts of a form are its terms"
        );
        match known {
            Known::Unsatisfiable => (Some(Verdict::Unsat), None),
            Known::DependsOnLayout => (None, None),
            // unsatisfiable elsewhere: the same here if it does not depend on where things are
            Known::Unjudged => match self.is_agnostic(form) {
                true => (Some(Verdict::Unsat), Some(Known::Unsatisfiable)),
                false => (None, Some(Known::DependsOnLayout)),
            },
            Known::Satisfiable(values) => {
                let witness = Arc::new(translated(key, values));
                if self.holds(&witness, &form.terms) {
                    return (Some(Verdict::Sat(witness)), None);
                }
                self.judged.uncertified += 1;
                (None, None)
            }
        }
    }

    /// Whether a form that is unsatisfiable under some layout is so under every layout.
    pub(super) fn is_agnostic(&mut self, form: &Form) -> bool {
        if !form.parts.is_about_addresses(self) {
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
        self.judged.time += watch.elapsed();
        let is_agnostic = match judgement {
            Judgement::Agnostic => true,
            Judgement::Invariant(part) => {
                self.looks_pay() && self.is_unsatisfiable_part(&form.parts, part)
            }
        };
        self.judged.agnostic += u64::from(is_agnostic);
        self.judged.layout_dependent += u64::from(!is_agnostic);
        is_agnostic
    }

    /// Whether solving independent parts alone finds enough to be tried.
    fn looks_pay(&self) -> bool {
        self.judged.looks < 16 || self.judged.found_closer * 4 >= self.judged.looks
    }

    /// Whether the constraints that do not depend on the layout, and the values allowed, exclude each other: then the others
    /// do not matter.
    fn is_unsatisfiable_part(&mut self, parts: &Parts, mut part: Vec<Term>) -> bool {
        if part.is_empty() || parts.is_path_only(&part) {
            return false;
        }
        for &(symbol, values) in &parts.domains {
            part.extend(self.membership(symbol, &values));
        }
        part.sort_unstable();
        part.dedup();
        debug_assert!(
            self.judged.found_closer <= self.judged.looks,
            "a part is found after it is looked at"
        );
        self.judged.looks += 1;
        let is_found = matches!(self.solve(&part), Verdict::Unsat);
        self.judged.found_closer += u64::from(is_found);
        is_found
    }
}
