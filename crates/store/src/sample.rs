//! Which hits are recomputed and compared without `--check-cache`: the share that [`recheck_share`] asks for, other
//! ones in every run; if nothing was asked for, one key in 64 in debug builds, the same ones in every run (law 6 of
//! the design: a cache that is never checked is never known to be right).

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use stet_key::Digest;

/// One key in this many is in the sample of debug builds.
const EVERY: u8 = 64;

/// What the user asked for: a bound on drawn numbers, and the source of this run's draws.
static SHARE: OnceLock<(u64, RandomState)> = OnceLock::new();

/// From now on this share of the hits, between 0 and 1, is recomputed, in place of the sample of debug builds. The first call counts.
pub fn recheck_share(share: f64) {
    let bound = (share.clamp(0.0, 1.0) * u64::MAX as f64) as u64;
    let _ = SHARE.set((bound, RandomState::new()));
}

/// Whether a hit under this key is to be recomputed and compared although not every one is.
pub fn is_rechecked(key: &Digest) -> bool {
    match SHARE.get() {
        Some((bound, random)) => random.hash_one(key) < *bound,
        None => cfg!(debug_assertions) && is_sampled(key),
    }
}

/// Digests are uniform, so any byte of them will do.
fn is_sampled(key: &Digest) -> bool {
    key.0[31].is_multiple_of(EVERY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_one_in_sixty_four() {
        let keys: Vec<Digest> = (0..64_000u32)
            .map(|n| Digest::of_bytes(&n.to_le_bytes()))
            .collect();
        let count = keys.iter().filter(|key| is_sampled(key)).count();
        assert!((800..1200).contains(&count), "{count} of 64000");
    }
}
