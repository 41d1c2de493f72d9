//! The one diagnostic value and its renderings.
//!
//! Front ends and engines return [`Diagnostic`]s; nothing but the renderers turns them into text. A
//! diagnostic has a stable code (`verify/assertion`, `prolog/syntax`), so that scripts and editors can
//! rely on it while wording improves.

mod code;
mod concise;
mod excerpt;
mod full;
mod json;
mod junit;
mod markdown;
mod report;
mod sarif;
#[cfg(test)]
mod tests;
mod value;

pub use code::{Catalog, Code};
pub use concise::concise;
pub use full::{full, utc};
pub use json::{JSON_SCHEMA_VERSION, json, json_diagnostic};
pub use junit::junit;
pub use markdown::markdown;
pub use report::Report;
pub use sarif::sarif;
pub use value::{Diagnostic, Label, Provenance, Severity};
