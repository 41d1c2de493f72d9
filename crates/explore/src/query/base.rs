//! The base cache: verdicts by the exact set of constraints.

use super::chain::CacheMode;
use super::context::Context;
use super::form::Question;
use super::layer::{By, Found, Layer, Subject};
use super::verdict::Verdict;

/// The layer; the verdicts themselves are in the [`Context`].
pub(super) struct BaseCache {
    pub(super) mode: CacheMode,
}

impl Layer for BaseCache {
    fn applies(&self, _: &mut Context, _: &mut Question<'_>) -> bool {
        self.mode != CacheMode::Off
    }

    fn ask(&mut self, context: &mut Context, question: &mut Question<'_>) -> Option<Found> {
        let verdict = context.verdicts.get(question.set)?.clone();
        Some(Found {
            verdict,
            about: Subject::Question,
        })
    }

    fn tell(
        &mut self,
        context: &mut Context,
        question: &mut Question<'_>,
        verdict: &Verdict,
        by: By,
    ) {
        if self.mode == CacheMode::Off {
            return;
        }
        for set in question.sets(by) {
            debug_assert!(
                !matches!(verdict, Verdict::Unknown),
                "what is not decided is not kept (law 4)"
            );
            context.verdicts.insert(set.into(), verdict.clone());
        }
    }
}
