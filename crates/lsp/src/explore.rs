//! Exploring functions of C files, by what the caller provides: it starts compilers, which only the command line may.

use stet_base::Budget;

/// Something found on a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its code, as in the catalog.
    pub code: &'static str,
    pub message: String,
    /// Its place in the text, in bytes; `None` if it is in another file.
    pub place: Option<(usize, usize)>,
}

/// What exploring a function gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    pub findings: Vec<Finding>,
    /// The run in a line.
    pub summary: String,
}

pub trait Explorer: Send + Sync {
    /// Explores a function of a file whose text in the editor is `text`.
    fn explore(&self, path: &str, text: &str, function: &str, budget: &Budget) -> Explored;
}
