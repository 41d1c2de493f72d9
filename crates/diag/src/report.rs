//! Everything one run has to say, as the structured renderings take it.

use crate::{Catalog, Diagnostic};
use serde_json::Value;
use stet_base::SourceMap;

/// What a run found and did.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The command, e.g. `verify`.
    pub command: &'a str,
    /// The version of Stet.
    pub version: &'a str,
    /// What the codes mean.
    pub catalog: Catalog,
    /// The files the diagnostics point into.
    pub sources: &'a SourceMap,
    /// What was found, in order.
    pub diagnostics: &'a [Diagnostic],
    /// The engine's own account of its obligations; `Null` if it has none.
    pub result: &'a Value,
    /// Counters; `Null` if there are none.
    pub statistics: &'a Value,
    /// The exit code of the run.
    pub exit_code: u8,
}
