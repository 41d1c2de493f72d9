//! The answer to a query.

use super::witness::Witness;
use std::sync::Arc;

/// The answer to a query.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// Satisfiable, for example so.
    Sat(Arc<Witness>),
    Unsat,
    /// Not decided within the limits; never kept.
    Unknown,
}

impl Verdict {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Verdict::Sat(_) => "satisfiable",
            Verdict::Unsat => "unsatisfiable",
            Verdict::Unknown => "unknown",
        }
    }
}
