//! The one diagnostic value and its renderings.
//!
//! Front ends and engines return [`Diagnostic`]s; nothing but the renderers turns them into text. A
//! diagnostic has a stable code (`verify/assertion`, `prolog/syntax`), so that scripts and editors can
//! rely on it while wording improves.

mod value;

pub use value::{Diagnostic, Label, Provenance, Severity};
