//! Programs that Dafny 2.3.0 accepts, compared member by member.

use crate::dafny::peer::{of_peer, of_stet};
use crate::dafny::subject::Verifier;
use std::path::Path;
use std::sync::Arc;
use stet_base::SourceMap;
use stet_dafny::Includes;

/// How two verdicts about a member relate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Comparison {
    Same,
    /// Stet proves what Dafny 2.3.0 does not.
    OnlyStetProves,
    /// Dafny 2.3.0 proves what Stet does not.
    OnlyDafnyProves,
    /// One of them has no verdict.
    Undecided,
    /// Stet does not accept the program.
    Refused,
}

struct NoIncludes;

impl Includes for NoIncludes {
    fn load(&mut self, _from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        Err(format!("{path}: not read"))
    }
}

/// The members of a program with their first and last lines.
pub fn members(name: &str, text: &str) -> Vec<(String, usize, usize)> {
    let mut sources = SourceMap::new();
    let Some(file) = sources.add(name, text.to_owned()) else {
        return Vec::new();
    };
    let checked = stet_dafny::check(&mut sources, &[file], &mut NoIncludes);
    let line = |offset: u32| {
        let before = &text[..(offset as usize).min(text.len())];
        before.matches('\n').count() + 1
    };
    let members = checked.program.members.iter();
    let mut starts: Vec<(usize, String)> = members
        .filter(|(_, m)| m.span.file == file && m.span.end > m.span.start)
        .map(|(_, m)| {
            let name = text.get(m.span.start as usize..m.span.end as usize);
            (line(m.span.start), name.unwrap_or_default().to_owned())
        })
        .collect();
    starts.sort();
    // The place of a member is its name's: it ends where the next one begins.
    let ends = starts.iter().skip(1).map(|(next, _)| *next - 1);
    let ends: Vec<usize> = ends.chain([usize::MAX]).collect();
    let spans = starts.into_iter().zip(ends);
    spans
        .map(|((first, name), last)| (name, first, last.max(first)))
        .collect()
}

/// Compares verdicts; `None` if Dafny 2.3.0 does not accept the program.
pub fn compare(
    verifier: &Verifier,
    dafny: &Path,
    name: &str,
    text: &str,
) -> Option<Vec<(String, Comparison)>> {
    let peer = of_peer(dafny, text)?;
    let stet = match of_stet(verifier, name, text) {
        Ok(stet) => stet,
        Err(why) => return Some(vec![(why, Comparison::Refused)]),
    };
    let found = members(name, text)
        .into_iter()
        .map(|(member, first, last)| {
            let comparison = match (stet.fails(first, last), peer.fails(first, last)) {
                (Some(a), Some(b)) if a == b => Comparison::Same,
                (Some(false), Some(true)) => Comparison::OnlyStetProves,
                (Some(true), Some(false)) => Comparison::OnlyDafnyProves,
                _ => Comparison::Undecided,
            };
            (format!("{member} (line {first})"), comparison)
        });
    Some(found.collect())
}
