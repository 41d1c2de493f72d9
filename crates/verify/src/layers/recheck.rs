//! Reused verdicts against answers computed afresh (law 6), for all layers.

use crate::options::Options;
use crate::result::{Conclusion, ImplementationResult, Origin, Verdict};
use stet_key::Digest;

/// Whether a result owes something to a layer.
fn is_reused(result: &ImplementationResult) -> bool {
    result.cached || result.count(Origin::Solved) < result.obligations.len()
}

fn is_decided(result: &ImplementationResult) -> bool {
    matches!(result.conclusion, Conclusion::Verified | Conclusion::Errors)
}

/// Whether a result is to be computed afresh and compared: every reused one when that was asked for, a sample in debug builds.
pub(crate) fn is_due(result: &ImplementationResult, options: &Options) -> bool {
    let is_sampled =
        || Digest::from_hex(&result.key).is_some_and(|key| stet_store::is_rechecked(&key));
    is_decided(result) && is_reused(result) && (options.check_cache || is_sampled())
}

/// What is wrong with a reused result, given the same computed afresh: an error that the question does not have, or a proof of
/// what the prover has a counterexample for. (A proof of what the prover cannot decide in the implementation's own question
/// is a proof.)
pub(crate) fn mismatch(
    reused: &ImplementationResult,
    fresh: &ImplementationResult,
    options: &Options,
) -> Option<String> {
    if !is_decided(reused) || !is_decided(fresh) {
        return None;
    }
    debug_assert_eq!(
        reused.implementation, fresh.implementation,
        "results of one implementation are compared"
    );
    debug_assert_eq!(
        reused.obligations.len(),
        fresh.obligations.len(),
        "an implementation has the same checks whoever answers"
    );
    let with = |result: &ImplementationResult, verdict: Verdict| -> Vec<usize> {
        let checks = result.obligations.iter().enumerate();
        let such = checks.filter(|(_, o)| o.verdict == verdict);
        such.map(|(number, _)| number).collect()
    };
    let failing = with(fresh, Verdict::Failed);
    let is_limited = fresh.reaches_limit(options);
    let is_spurious = |check: &usize| !failing.contains(check) && !is_limited;
    let proved = with(reused, Verdict::Verified);
    let refuted = fresh.errors.iter().filter(|error| error.is_certain);
    let is_wrong = with(reused, Verdict::Failed).iter().any(is_spurious)
        || refuted.into_iter().any(|e| proved.contains(&e.obligation));
    is_wrong.then(|| {
        format!(
            "`{}` under key {}: failing checks {:?} reused, {failing:?} recomputed",
            reused.name,
            reused.key,
            with(reused, Verdict::Failed),
        )
    })
}
