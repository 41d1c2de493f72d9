//! The layers of the cascade, from the coarsest to the finest: they answer without asking the prover.
//!
//! | layer | a hit gives | on |
//! |---|---|---|
//! | [`program`] | the results of the whole program, without reading it | the texts of its files |
//! | [`text`] | the result of an implementation, without making its condition | its text and that of all declarations |
//! | [`implementation`] | the answer about an implementation | its condition, as the prover would be told |
//! | [`undecided`] | that limits were reached | its condition and the limits |
//! | [`checks`] | verdicts of single checks, and a smaller question | the snapshot verified last |
//! | [`opinions`] | whether a check that was found to fail does | the question about it alone |
//!
//! Every layer is a [`Layer`]: it is asked before the prover and told afterwards. [`Metered`] counts and times them all;
//! [`recheck`] compares what any of them said with an answer computed afresh (law 6).

pub(crate) mod checks;
pub(crate) mod implementation;
pub(crate) mod opinions;
pub(crate) mod program;
pub(crate) mod recheck;
pub(crate) mod text;
pub(crate) mod undecided;

use std::time::Duration;
use stet_base::Stopwatch;

/// One way to know something without the prover.
pub(crate) trait Layer {
    /// What it is called in statistics.
    const NAME: &'static str;
    /// What a verdict is wanted for.
    type Question<'q>;
    /// What the layer knows.
    type Known;
    /// What was found otherwise.
    type Found<'f>;

    /// What is known.
    fn ask(&mut self, question: Self::Question<'_>) -> Option<Self::Known>;

    /// Keeps what was found, if it is worth keeping.
    fn tell(&mut self, question: Self::Question<'_>, found: Self::Found<'_>);
}

/// How often a layer was asked, and what that took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayerCount {
    pub name: &'static str,
    pub asked: usize,
    /// Questions it answered.
    pub hits: usize,
    /// Answers it was told.
    pub told: usize,
    /// The time spent in it.
    pub time: Duration,
}

/// A layer with its counters.
pub(crate) struct Metered<L> {
    layer: L,
    count: LayerCount,
}

impl<L: Layer> Metered<L> {
    pub(crate) fn new(layer: L) -> Self {
        let count = LayerCount {
            name: L::NAME,
            asked: 0,
            hits: 0,
            told: 0,
            time: Duration::ZERO,
        };
        Metered { layer, count }
    }

    pub(crate) fn ask(&mut self, question: L::Question<'_>) -> Option<L::Known> {
        let watch = Stopwatch::start();
        let known = self.layer.ask(question);
        self.count.asked += 1;
        self.count.hits += usize::from(known.is_some());
        self.count.time += watch.elapsed();
        known
    }

    pub(crate) fn tell(&mut self, question: L::Question<'_>, found: L::Found<'_>) {
        let watch = Stopwatch::start();
        self.layer.tell(question, found);
        self.count.told += 1;
        self.count.time += watch.elapsed();
    }

    pub(crate) fn layer(&self) -> &L {
        &self.layer
    }

    pub(crate) fn count(&self) -> &LayerCount {
        &self.count
    }
}
