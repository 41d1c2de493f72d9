//! The shape of a layer, and the order of all of them.
//!
//! A layer is asked before the solver and told afterwards. Whether it is asked at all, counting and timing, completing a
//! witness, telling the others and checking answers again are the chain's work, in `decide`.

use super::context::Context;
use super::form::Question;
use super::verdict::Verdict;
use std::time::Duration;

/// Who found an answer. The layers are asked in this order; the solver is the last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum By {
    Base,
    Narrowing,
    Aware,
    Counterexample,
    Store,
    Solver,
}

impl By {
    /// The layers before the solver, in their order.
    pub(super) const LAYERS: [By; 5] = [
        By::Base,
        By::Narrowing,
        By::Aware,
        By::Counterexample,
        By::Store,
    ];

    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            By::Base => "base",
            By::Narrowing => "narrowing",
            By::Aware => "address-aware",
            By::Counterexample => "counter-example",
            By::Store => "store",
            By::Solver => "solver",
        }
    }
}

/// What a verdict is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// The constraints as they were asked.
    Question,
    /// The form in which they are looked up: a witness has to be completed by the path's if that was simplified.
    Form,
    /// A part of them: the path's witness completes one of these.
    Part,
}

/// What a layer knows.
pub(super) struct Found {
    pub(super) verdict: Verdict,
    pub(super) about: Subject,
}

/// One way to answer queries without the solver.
pub(super) trait Layer {
    /// Whether the layer can say anything about a query, which it may bring into the form it needs.
    fn applies(&self, context: &mut Context, question: &mut Question<'_>) -> bool;

    /// What is known.
    fn ask(&mut self, context: &mut Context, question: &mut Question<'_>) -> Option<Found>;

    /// Keeps what another found, if it is worth keeping.
    fn tell(
        &mut self,
        context: &mut Context,
        question: &mut Question<'_>,
        verdict: &Verdict,
        by: By,
    );
}

/// How often a layer was asked and answered, and how long it took.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct LayerCount {
    pub asked: u64,
    /// Times it knew the answer.
    pub answered: u64,
    pub time: Duration,
}

impl LayerCount {
    pub(super) fn add(&mut self, is_answered: bool, time: Duration) {
        self.asked += 1;
        self.answered += u64::from(is_answered);
        self.time += time;
    }

    /// Adds another count.
    pub(super) fn merge(&mut self, other: LayerCount) {
        self.asked += other.asked;
        self.answered += other.answered;
        self.time += other.time;
    }
}
