//! The cache of property checks: the machine's side of it.
//!
//! The machine tells the cache when bindings come and go: choice points remember [`Cache::log_top`],
//! backtracking calls [`Cache::undo_to`], garbage collection [`Cache::on_gc`], and destructive assignment
//! [`Cache::on_destructive_assignment`].

/// Positive answers of property checks by (cell index, type).
#[derive(Debug, Default)]
pub struct Cache {
    log: Vec<u64>,
}

impl Cache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many insertions are logged; saved in every choice point.
    #[inline(always)]
    pub fn log_top(&self) -> usize {
        self.log.len()
    }

    /// Forgets every insertion made since the log was `mark` long; backtracking calls it.
    #[cold]
    pub fn undo_to(&mut self, mark: usize) {
        self.log.truncate(mark);
    }

    /// The heap was compacted; `relocate` maps a live cell's old index to its new one and gives `None` for
    /// cells that are gone.
    pub fn on_gc(&mut self, relocate: &dyn Fn(usize) -> Option<usize>) {
        let _ = relocate;
    }

    /// A cell that may be part of a checked term was overwritten.
    pub fn on_destructive_assignment(&mut self) {}

    /// An attributed variable was bound.
    pub fn on_attributed_binding(&mut self) {}
}
