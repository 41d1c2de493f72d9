//! Failures that need not be any: what a search found without having finished is asked once more, in other ways.
//!
//! With quantifiers Z3 rarely says that there is a model; it gives up with a candidate. Whether it finds a proof depends on the
//! order in which it looks at things, so each of the first few failures is asked about alone: only that check may fail, which
//! leaves much less to look at. All ways find instances by matching only: axioms of the encoding of types are not true of values of
//! other types, which triggers keep out and Z3's search in models (`smt.mbqi`, which `auto_config` switches on) does not.

use super::attempt::Attempt;
use super::{Answer, End, Failure, Question, Search, Worker};
use stet_base::Budget;
use stet_solve::pipe::UnknownReason;

/// How many failures of a question are asked about once more.
const DOUBTS: usize = 3;

/// How it ended.
enum Opinion {
    Fails,
    Holds,
    /// Cut short by the user's limits: with more time it might have been a proof.
    Unknown(UnknownReason),
}

impl Worker {
    /// Asks about the failures once more, and keeps those that stay.
    pub(super) fn doubt(&mut self, question: &Question, budget: &Budget, answer: &mut Answer) {
        let mut settled: Vec<Failure> = Vec::new();
        let mut asked: Vec<usize> = Vec::new();
        loop {
            let before = settled.len();
            let mut kept = Vec::new();
            for failure in std::mem::take(&mut answer.failures) {
                let is_new = !failure.is_certain && !asked.contains(&failure.check);
                if !is_new || asked.len() == DOUBTS || matches!(answer.end, End::Unknown(_)) {
                    kept.push(failure);
                    continue;
                }
                asked.push(failure.check);
                match self.opinion(question, &failure, budget) {
                    Opinion::Holds => settled.push(failure),
                    Opinion::Fails => kept.push(failure),
                    Opinion::Unknown(reason) => {
                        kept.push(failure);
                        answer.end = End::Unknown(reason);
                    }
                }
            }
            let holds = |f: &Failure| settled.iter().any(|s| s.check == f.check);
            kept.retain(|f| !holds(f));
            answer.failures = kept;
            if settled.len() == before || answer.end != End::ErrorLimit {
                return;
            }
            // Others were not looked for.
            let mut search = Search {
                answer: answer.clone(),
                settled: settled.clone(),
                ..Search::default()
            };
            let quick = question.quick(super::ENOUGH);
            if self.attempt(question, quick, budget, &mut search) {
                search.answer.end = End::Unknown(UnknownReason::ResourceOut);
            }
            *answer = search.answer;
        }
    }

    /// Whether a check fails. The effort is fixed: the answer must not depend on what the prover was asked before.
    fn opinion(&mut self, question: &Question, failure: &Failure, budget: &Budget) -> Opinion {
        let ways = [Attempt::Second(300_000), Attempt::Unfiltered(600_000)];
        for attempt in ways {
            let mut search = Search {
                pinned: Some(failure.clone()),
                ..Search::default()
            };
            if self.attempt(question, attempt, budget, &mut search) {
                continue;
            }
            return match search.answer.end {
                End::Unknown(reason) => Opinion::Unknown(reason),
                _ => Opinion::Holds,
            };
        }
        Opinion::Fails
    }
}
