//! Dafny 2.3.0 beside Stet: which members of a program each of them finds errors in.

use crate::dafny::soundness::peer_output;
use crate::dafny::subject::{Fate, Verifier};
use std::collections::BTreeSet;
use std::path::Path;

/// What a verifier says about the members of a program, by the lines where its text is.
#[derive(Clone, Debug, Default)]
pub struct Opinion {
    /// Lines with errors.
    pub lines: BTreeSet<usize>,
    /// Lines of members without a verdict.
    pub undecided: BTreeSet<usize>,
    /// What it printed.
    pub text: Vec<String>,
}

impl Opinion {
    /// Whether there is an error in these lines; `None` if there is no verdict.
    pub fn fails(&self, first: usize, last: usize) -> Option<bool> {
        if self.lines.range(first..=last).next().is_some() {
            return Some(true);
        }
        match self.undecided.range(first..=last).next() {
            Some(_) => None,
            None => Some(false),
        }
    }
}

/// What Dafny 2.3.0 says; `None` if it does not accept the program.
pub fn of_peer(dafny: &Path, text: &str) -> Option<Opinion> {
    let printed = peer_output(dafny, text)?;
    if !printed.contains("Dafny program verifier finished") {
        return None;
    }
    let mut opinion = Opinion::default();
    for line in printed.lines() {
        let Some(at) = place(line) else { continue };
        opinion.text.push(line.to_owned());
        if line.contains("Timed out") || line.contains("Out of") || line.contains("inconclusive") {
            opinion.undecided.insert(at);
        } else if line.contains("): Error") {
            opinion.lines.insert(at);
        }
    }
    Some(opinion)
}

/// What Stet says; the reason if it does not accept the program.
pub fn of_stet(verifier: &Verifier, name: &str, text: &str) -> Result<Opinion, String> {
    let finding = verifier.check(name, text);
    if !matches!(
        finding.fate,
        Fate::Verified | Fate::Errors | Fate::Undecided
    ) {
        return Err(format!("{:?}: {}", finding.fate, finding.lines.join(" | ")));
    }
    let mut opinion = Opinion {
        text: finding.lines.clone(),
        ..Opinion::default()
    };
    for line in &finding.lines {
        let Some(at) = place(line) else { continue };
        if line.contains("): Error") {
            opinion.lines.insert(at);
        } else if line.contains("limit reached")
            || line.contains("no verdict")
            || line.contains("ran out")
        {
            opinion.undecided.insert(at);
        }
    }
    Ok(opinion)
}

/// The line in `file(line,column): …`.
fn place(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once(".dfy(")?;
    let (numbers, _) = rest.split_once(')')?;
    numbers.split(',').next()?.parse().ok()
}
