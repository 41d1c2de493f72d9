//! The status of each assertion after static analysis, as `stet check` prints it.

use super::runtime::SourceRange;

/// The status of one part of an assertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartStatus {
    Checked,
    False,
    /// Checked while the program runs.
    Check,
}

/// What is known of an assertion before the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionStatus {
    /// `module:name/arity`.
    pub predicate: String,
    pub file: String,
    /// Where it is.
    pub place: SourceRange,
    /// Each part it has (`calls`, `success`, `comp`, `compat`), and its status.
    pub parts: Vec<(&'static str, PartStatus)>,
    /// Whether goals outside the program call the predicate: its calls condition is checked for these.
    pub external: bool,
}

impl AssertionStatus {
    /// The status of the whole.
    pub fn status(&self) -> PartStatus {
        let any = |status| self.parts.iter().any(|part| part.1 == status);
        if any(PartStatus::False) {
            PartStatus::False
        } else if any(PartStatus::Check)
            || (self.external && self.parts.iter().any(|p| p.0 == "calls"))
        {
            PartStatus::Check
        } else {
            PartStatus::Checked
        }
    }
}
