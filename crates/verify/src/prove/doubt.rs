//! A second opinion about a check that was found to fail without a model.
//!
//! With quantifiers Z3 rarely says that there is a model; it gives up with a candidate. Whether it finds a proof depends on the
//! order in which it looks at things, so such a check is asked about alone, with nothing but what comes before it
//! ([`crate::split::slice`]), and in other ways. All ways find instances by matching only: axioms of the encoding of types are not
//! true of values of other types, which triggers keep out and Z3's search in models (`smt.mbqi`, which `auto_config` switches
//! on) does not.

use super::attempt::Attempt;
use super::{Answer, End, Question, Search, Worker};
use stet_base::Budget;

/// The resources for the search that found the failure to begin with.
const AS_BEFORE: u64 = 1_000_000;

/// The resources for the attempt with the axioms that are kept for a second look.
const SUPPORTED: u64 = 2_000_000;

impl Worker {
    /// Whether the one check of a question fails: a proof, a failing path, or nothing new (at the limit without a failure). The
    /// effort is fixed: the answer must not depend on what the prover was asked before.
    pub(super) fn opinion(&mut self, question: &Question, budget: &Budget) -> Answer {
        debug_assert!(question.checks <= 1, "a second opinion is about one check");
        let budget = question.limited(budget);
        let mut ways = vec![
            question.quick(AS_BEFORE),
            Attempt::Second(300_000),
            Attempt::Unfiltered(600_000),
        ];
        if question.multiplies() {
            // The older arithmetic solver, which is asked first then, gives up on products that the newer one can compare.
            ways.insert(0, Attempt::newer_arithmetic(AS_BEFORE));
        }
        if crate::second::is_kept_in(&question.foundation) {
            ways.push(Attempt::Supported(SUPPORTED));
        }
        let mut found = Answer {
            failures: Vec::new(),
            end: End::ErrorLimit,
        };
        for attempt in ways {
            let mut search = Search::default();
            if self.attempt(question, attempt, &budget, &mut search) {
                continue;
            }
            let answer = search.answer;
            match answer.failures.first() {
                // A proof, or the user's limits: with more time it might have been one.
                None => return answer,
                Some(failure) if failure.is_certain => return answer,
                Some(_) if found.failures.is_empty() => found = answer,
                Some(_) => {}
            }
        }
        debug_assert!(
            found.failures.iter().all(|failure| !failure.is_certain),
            "an error with a model ends the search"
        );
        found
    }
}
