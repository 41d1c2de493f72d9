//! Reused verdicts against answers computed afresh (law 6), for all layers.

use crate::options::Options;
use crate::result::{Conclusion, ImplementationResult, Origin, Verdict};
use stet_key::Digest;

/// Whether a result owes something to a layer.
fn is_reused(result: &ImplementationResult) -> bool {
    result.cached || result.count(Origin::Solved) < result.obligations.len()
}

/// Whether a result is to be computed afresh and compared: every reused one when that was asked for, a sample in debug builds.
pub(crate) fn is_due(result: &ImplementationResult, options: &Options) -> bool {
    let is_sampled =
        || Digest::from_hex(&result.key).is_some_and(|key| stet_store::is_rechecked(&key));
    is_reused(result) && (options.check_cache || is_sampled())
}

/// What is wrong with a reused result, given the same computed afresh.
pub(crate) fn mismatch(
    reused: &ImplementationResult,
    fresh: &ImplementationResult,
    options: &Options,
) -> Option<String> {
    let is_decided = |r: &ImplementationResult| {
        matches!(r.conclusion, Conclusion::Verified | Conclusion::Errors)
    };
    if !is_decided(reused) || !is_decided(fresh) {
        return None;
    }
    let failing = |result: &ImplementationResult| -> Vec<usize> {
        let checks = result.obligations.iter().enumerate();
        let failed = checks.filter(|(_, o)| o.verdict == Verdict::Failed);
        failed.map(|(number, _)| number).collect()
    };
    let (one, two) = (failing(reused), failing(fresh));
    let is_limited = reused.reaches_limit(options);
    let same = if is_limited {
        reused.errors.len() == fresh.errors.len()
    } else {
        one == two
    };
    (!same).then(|| {
        format!(
            "`{}` under key {}: failing checks {one:?} reused, {two:?} recomputed",
            reused.name, reused.key
        )
    })
}
