//! Counters of run-time checks.

/// Counters of checks and of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    pub checks: u64,
    /// Compound terms looked at.
    pub visits: u64,
    /// Compound terms found in the cache.
    pub hits: u64,
    pub insertions: u64,
    /// Entries overwritten by others.
    pub evictions: u64,
    /// Entries removed by backtracking.
    pub invalidations: u64,
    /// Times everything was forgotten.
    pub flushes: u64,
    /// The deepest term any check looked at.
    pub max_depth: u64,
    /// Hits that a second evaluation contradicted; always zero.
    pub mismatches: u64,
    /// Conditions found violated.
    pub violations: u64,
}

impl Stats {
    /// The counters by name, in the order they are shown.
    pub fn fields(&self) -> [(&'static str, u64); 9] {
        [
            ("checks", self.checks),
            ("visits", self.visits),
            ("hits", self.hits),
            ("insertions", self.insertions),
            ("evictions", self.evictions),
            ("invalidations", self.invalidations),
            ("flushes", self.flushes),
            ("max_depth", self.max_depth),
            ("violations", self.violations),
        ]
    }
}
