//! The status of Prolog assertions, from an analysis that the caller provides: it loads files, which only the command line may.

use stet_base::Budget;
use stet_diag::Diagnostic;

/// What is known about an assertion before the program runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// Its place in the text, in bytes.
    pub place: (usize, usize),
    /// The predicate it is about.
    pub predicate: String,
    /// `checked` holds in every run, `false` in none, `check` is left to run time.
    pub status: &'static str,
    /// The parts of it (`calls`, `success`, …), each with its status.
    pub parts: Vec<(String, &'static str)>,
}

/// Analyses Prolog files.
pub trait PrologChecker: Send + Sync {
    /// The assertions of a file whose text in the editor is `text`, and what has no place among them.
    fn check(&self, path: &str, text: &str, budget: &Budget) -> (Vec<Assertion>, Vec<Diagnostic>);
}
