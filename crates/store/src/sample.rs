//! Which hits a debug build recomputes without being asked: one key in 64, the same ones in every run (law 6 of
//! the design: a cache that is never checked is never known to be right).

use stet_key::Digest;

/// One key in this many is in the sample.
const EVERY: u8 = 64;

/// Whether a hit under this key is to be recomputed and compared although nobody asked for `--check-cache`.
/// Never in release builds.
pub fn is_rechecked(key: &Digest) -> bool {
    cfg!(debug_assertions) && is_sampled(key)
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
