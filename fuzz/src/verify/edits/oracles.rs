//! What must not change a verdict, besides reuse: which other implementations are verified, in which order and by how many
//! provers, what things are called, and what stands in the place of things without a translation.

use super::subject::Subject;
use super::{Checked, Choices, Verifier};
use stet_store::Store;
use stet_verify::{Caching, Conclusion, Options};

/// Verdicts of checks, by implementation, line, line of the clause, kind; and outcomes of implementations, on line nought.
pub(super) type Verdicts = Vec<(String, u32, u32, u8, u8)>;

/// The kind of outcomes among verdicts.
const OUTCOME: u8 = u8::MAX;
const VERIFIED: u8 = 0;
const ERRORS: u8 = 1;
const UNSUPPORTED: u8 = 2;
const UNDECIDED: u8 = 3;

pub(super) fn verdicts(checked: &Checked) -> Verdicts {
    let sources = &checked.sources;
    let mut found: Verdicts = Vec::new();
    for result in &checked.outcome.verdicts {
        let outcome = match result.conclusion {
            Conclusion::Verified => VERIFIED,
            Conclusion::Errors => ERRORS,
            Conclusion::Unsupported { .. } => UNSUPPORTED,
            _ => UNDECIDED,
        };
        found.push((result.name.clone(), 0, 0, OUTCOME, outcome));
        for o in &result.obligations {
            let at = sources.start_of(o.span);
            let related = o.related.map_or(0, |span| sources.start_of(span).line);
            let (kind, verdict) = (o.kind as u8, o.verdict as u8);
            found.push((result.name.clone(), at.line, related, kind, verdict));
        }
    }
    found.sort();
    found
}

/// Whether the prover left something open, which it never does with these programs.
pub(super) fn is_undecided(verdicts: &Verdicts) -> bool {
    let open = |v: &(String, u32, u32, u8, u8)| v.3 == OUTCOME && v.4 == UNDECIDED;
    verdicts.iter().any(open)
}

fn outcome(verdicts: &Verdicts, name: &str) -> u8 {
    let mut own = verdicts.iter().filter(|v| v.0 == name && v.3 == OUTCOME);
    own.next().map_or(UNDECIDED, |v| v.4)
}

fn of(verdicts: &Verdicts, name: &str) -> Verdicts {
    let own = verdicts.iter().filter(|v| v.0 == name);
    own.cloned().collect()
}

/// Runs without reuse.
pub(super) struct Oracles<'a> {
    pub(super) fresh: &'a Options,
    /// A store that is off.
    pub(super) store: &'a Store,
    pub(super) verifier: &'a Verifier,
}

impl Oracles<'_> {
    fn anew(&self, text: &str, options: &Options) -> Option<Verdicts> {
        let checked = self.verifier.check(text, options, self.store)?;
        Some(verdicts(&checked))
    }

    /// What differs where nothing may. `text` is the program as it was verified, with these verdicts.
    pub(super) fn differences(
        &self,
        subject: &Subject,
        text: &str,
        verdicts: &Verdicts,
        random: &mut Choices,
    ) -> Vec<String> {
        let often = if subject.strange.is_some() { 2 } else { 8 };
        let mut found = Vec::new();
        if is_undecided(verdicts) {
            found.push("no verdict".to_owned());
        }
        if subject.strange.is_some() {
            found.extend(self.strength(subject));
        }
        if random.below(often) == 0 {
            found.extend(self.alone(text, verdicts));
        }
        if random.below(often) == 0 {
            found.extend(self.other_order(subject));
        }
        if random.below(often) == 0 {
            let other = self.anew(&renamed(text), self.fresh);
            if other.as_ref() != Some(verdicts) {
                found.push(format!("with other names: {other:?}"));
            }
        }
        if random.below(16 * often) == 0 {
            let together = Options {
                jobs: 2,
                caching: Caching::Off,
                ..self.fresh.clone()
            };
            let other = self.anew(text, &together);
            if other.as_ref() != Some(verdicts) {
                found.push(format!("with two provers: {other:?}"));
            }
        }
        found
    }

    /// Every implementation on its own.
    fn alone(&self, text: &str, verdicts: &Verdicts) -> Option<String> {
        for name in ["P0", "P1"] {
            let only = Options {
                procedures: vec![name.to_owned()],
                ..self.fresh.clone()
            };
            if self.anew(text, &only).as_ref() != Some(&of(verdicts, name)) {
                return Some(format!("`{name}` alone"));
            }
        }
        None
    }

    fn other_order(&self, subject: &Subject) -> Option<String> {
        // Lines are others, but in the same order within an implementation.
        let without_lines = |subject: &Subject| -> Option<Vec<(String, u8, u8)>> {
            let verdicts = self.anew(&subject.text(), self.fresh)?.into_iter();
            Some(verdicts.map(|v| (v.0, v.3, v.4)).collect())
        };
        let [one, two] = [subject, &subject.reversed()].map(without_lines);
        (one != two).then(|| format!("in another order: {one:?}, {two:?}"))
    }

    /// What is said about an implementation must be said with an unknown function in the place of what has no translation.
    fn strength(&self, subject: &Subject) -> Option<String> {
        let more = subject.strange?.may_mean_something();
        let strange = self.anew(&subject.text(), self.fresh)?;
        let weaker = self
            .anew(&subject.weakened(), self.fresh)
            .unwrap_or_default();
        for name in ["P0", "P1"] {
            let (one, two) = (of(&strange, name), of(&weaker, name));
            let fails_only_here = |v: &&(String, u32, u32, u8, u8)| {
                v.3 != OUTCOME && v.4 != VERIFIED && !two.contains(v)
            };
            let is_wrong = match outcome(&strange, name) {
                UNSUPPORTED => false,
                _ if more => one.iter().any(|v| fails_only_here(&v)),
                _ => one != two,
            };
            if is_wrong {
                return Some(format!(
                    "`{name}` with an unknown function: {one:?}, {two:?}"
                ));
            }
        }
        None
    }
}

/// The program with names that formulas, encodings or provers might use themselves.
fn renamed(text: &str) -> String {
    const NAMES: [(&str, &str); 9] = [
        ("g", "B1"),
        ("h", "B2"),
        ("u", "x0"),
        ("c", "intType"),
        ("d", "UOrdering2"),
        ("f", "B3"),
        ("p", "U_2_int"),
        ("m", "MapType1Select"),
        ("k", "bvadd"),
    ];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_#.$'".contains(c);
    let mut made = String::with_capacity(2 * text.len());
    for piece in text.split_inclusive(|c| !is_name(c)) {
        let word = piece.trim_end_matches(|c| !is_name(c));
        let other = NAMES.iter().find(|(name, _)| *name == word);
        made.push_str(other.map_or(word, |(_, other)| other));
        made.push_str(&piece[word.len()..]);
    }
    made
}
