//! Mutation sessions of programs that a front end generated: what reuse says must be what a run with the cache off says.
//!
//! Such programs stand on quantifiers that no prover decides, so the two sides may differ in one way: reuse may have a proof
//! where the implementation's own question has none. That is counted ([`Tally::only_cached_proves`]). An error that only reuse
//! reports, or a proof of what the prover has a counterexample for, is a defect. What one side leaves undecided is counted, too.
//!
//! Mutations change one line after the prelude: an operator, a number, a condition that is dropped or said twice.

use crate::verify::edits::{Checked, Choices, Verifier};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;
use stet_base::Budget;
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::{Config, Mode, Store};
use stet_verify::{Caching, Conclusion, ImplementationResult, Options, Origin, Verdict};

/// Edits per session.
const SESSION: usize = 12;
/// How long an implementation may take.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// What a campaign did.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Edits verified both ways.
    pub edits: usize,
    /// Mutations whose result does not type-check; they are undone.
    pub ill_typed: usize,
    /// Implementations compared with a run without a cache.
    pub compared: usize,
    /// Implementations that both sides, or one of them, left undecided.
    pub undecided: usize,
    /// Checks that only reuse has a proof of, while the implementation's own question is not decided: allowed.
    pub only_cached_proves: usize,
    /// Checks by origin: solved, cached, partially cached, recycled.
    pub origins: [usize; 4],
    /// Differences that are not allowed.
    pub differences: Vec<String>,
}

/// What a run without a cache says about a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Said {
    Verified,
    Failed { is_certain: bool },
    Unknown,
}

/// Runs sessions on the programs of a folder until `edits` were made. `None` without a prover or programs.
pub fn campaign(
    programs: &Path,
    seed: u64,
    edits: usize,
    budget: &Budget,
    progress: &mut dyn FnMut(&Tally),
) -> Option<Tally> {
    let prover = locate(ProverKind::Z3, None).ok()?;
    let mut cached = Options::new(ProverConfig::new(ProverKind::Z3, prover));
    cached.time_limit = Some(TIME_LIMIT);
    let mut fresh = cached.clone();
    fresh.caching = Caching::Off;
    let mut files: Vec<_> = std::fs::read_dir(programs).ok()?.flatten().collect();
    files.sort_by_key(|file| file.file_name());
    let texts: Vec<String> = files
        .iter()
        .filter(|file| file.path().extension().is_some_and(|e| e == "bpl"))
        .filter_map(|file| std::fs::read_to_string(file.path()).ok())
        .collect();
    if texts.is_empty() {
        return None;
    }
    let mut random = Choices::new(seed);
    let mut tally = Tally::default();
    let mut session = 0;
    while tally.edits < edits && budget.check().is_ok() {
        let original = &texts[session % texts.len()];
        session += 1;
        let mut player = Player {
            verifier: Verifier::new(budget),
            cached: &cached,
            fresh: &fresh,
            store: Store::in_memory(),
            nothing: Store::open(Config::memory(Mode::Off)),
            asked: HashMap::new(),
        };
        player.play(original, &mut random, &mut tally);
        progress(&tally);
    }
    Some(tally)
}

struct Player<'a> {
    verifier: Verifier,
    cached: &'a Options,
    fresh: &'a Options,
    store: std::sync::Arc<Store>,
    nothing: std::sync::Arc<Store>,
    /// What runs without a cache said, by the key of the question: the same question is not asked twice.
    asked: HashMap<String, Vec<Said>>,
}

impl Player<'_> {
    fn play(&mut self, original: &str, random: &mut Choices, tally: &mut Tally) {
        let mut text = original.to_owned();
        if self
            .verifier
            .check(&text, self.cached, &self.store)
            .is_none()
        {
            return;
        }
        for _ in 0..SESSION {
            let edited = if random.below(5) == 0 {
                original.to_owned()
            } else {
                mutated(&text, random)
            };
            if edited == text {
                continue;
            }
            let Some(checked) = self.verifier.check(&edited, self.cached, &self.store) else {
                tally.ill_typed += 1;
                continue;
            };
            tally.edits += 1;
            tally.count(&checked.outcome.verdicts);
            self.compare(&text, &edited, &checked, tally);
            text = edited;
        }
    }

    fn compare(&mut self, before: &str, text: &str, checked: &Checked, tally: &mut Tally) {
        let results = checked.outcome.verdicts.iter();
        let unasked: Vec<String> = results
            .filter(|r| !r.obligations.is_empty() && !self.asked.contains_key(&r.key))
            .map(|r| r.name.clone())
            .collect();
        if !unasked.is_empty() {
            let options = Options {
                procedures: unasked,
                ..self.fresh.clone()
            };
            let Some(fresh) = self.verifier.check(text, &options, &self.nothing) else {
                tally.differences.push(format!("read once only:\n{text}"));
                return;
            };
            for result in &fresh.outcome.verdicts {
                self.asked.insert(result.key.clone(), said(result));
            }
        }
        for result in &checked.outcome.verdicts {
            let Some(fresh) = self.asked.get(&result.key) else {
                continue;
            };
            tally.compared += 1;
            let is_open = |r: &ImplementationResult| {
                !matches!(r.conclusion, Conclusion::Verified | Conclusion::Errors)
            };
            if is_open(result) || fresh.contains(&Said::Unknown) {
                tally.undecided += 1;
                continue;
            }
            if let Some(difference) = tally.difference(result, fresh) {
                let edit = changed_line(before, text);
                tally.differences.push(format!("{difference}\n{edit}"));
            }
        }
    }
}

fn said(result: &ImplementationResult) -> Vec<Said> {
    let is_certain = |number: usize| {
        let mut errors = result.errors.iter();
        errors.any(|e| e.obligation == number && e.is_certain)
    };
    let verdicts = result.obligations.iter().enumerate();
    let said = verdicts.map(|(number, o)| match o.verdict {
        Verdict::Verified => Said::Verified,
        Verdict::Failed => Said::Failed {
            is_certain: is_certain(number),
        },
        Verdict::Unknown => Said::Unknown,
    });
    said.collect()
}

impl Tally {
    fn count(&mut self, results: &[ImplementationResult]) {
        let origins = [
            Origin::Solved,
            Origin::Cached,
            Origin::Partial,
            Origin::Recycled,
        ];
        for (slot, origin) in origins.into_iter().enumerate() {
            self.origins[slot] += results.iter().map(|r| r.count(origin)).sum::<usize>();
        }
    }

    fn difference(&mut self, result: &ImplementationResult, fresh: &[Said]) -> Option<String> {
        let pairs = result.obligations.iter().map(|o| o.verdict).zip(fresh);
        for (number, (cached, &fresh)) in pairs.enumerate() {
            match (cached, fresh) {
                (Verdict::Failed, Said::Verified)
                | (Verdict::Verified, Said::Failed { is_certain: true }) => {
                    return Some(format!(
                        "`{}`, check {number}: {cached:?} with reuse, {fresh:?} without",
                        result.name
                    ));
                }
                (Verdict::Verified, Said::Failed { is_certain: false }) => {
                    self.only_cached_proves += 1;
                }
                _ => {}
            }
        }
        None
    }
}

/// The lines in which two texts differ first.
fn changed_line(before: &str, after: &str) -> String {
    let mut pairs = before.lines().zip(after.lines());
    match pairs.find(|(one, two)| one != two) {
        Some((one, two)) => format!("- {one}\n+ {two}"),
        None => "at the end".to_owned(),
    }
}

/// What replaces what.
const SWAPS: [(&str, &str); 14] = [
    ("<=", "<"),
    (" < ", " <= "),
    (">=", ">"),
    ("==>", "<=="),
    (" == ", " != "),
    (" != ", " == "),
    ("&&", "||"),
    ("||", "&&"),
    ("+ 1", ""),
    ("+ 1", "+ 2"),
    ("- 1", "+ 1"),
    ("true", "false"),
    ("LitInt(0)", "LitInt(1)"),
    ("$Heap", "old($Heap)"),
];

/// The program with one line changed.
fn mutated(text: &str, random: &mut Choices) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let starts = |line: &str, words: &[&str]| words.iter().any(|w| line.starts_with(w));
    let is_command = |line: &str| starts(line, &["assert ", "assume "]) && line.ends_with(';');
    let is_subject = |line: &str| {
        is_command(line)
            || line.contains(" := ")
            || starts(line, &["requires ", "ensures ", "free ", "invariant "])
    };
    // The prelude of these programs takes about half of them.
    let subjects: Vec<usize> = (lines.len() * 2 / 5..lines.len())
        .filter(|&number| is_subject(lines[number].trim()))
        .collect();
    let Some(&number) = subjects.get(random.below(subjects.len())) else {
        return text.to_owned();
    };
    let line = lines[number];
    let other = match random.below(6) {
        0 if is_command(line.trim()) => String::new(),
        1 if is_command(line.trim()) => format!("{line} {}", line.trim()),
        2 if is_command(line.trim()) => format!("{line} assert true;"),
        _ => {
            let (from, to) = SWAPS[random.below(SWAPS.len())];
            let places: Vec<usize> = line.match_indices(from).map(|(at, _)| at).collect();
            let Some(&at) = places.get(random.below(places.len())) else {
                return text.to_owned();
            };
            format!("{}{to}{}", &line[..at], &line[at + from.len()..])
        }
    };
    let mut made = String::with_capacity(text.len() + other.len());
    for (i, line) in lines.iter().enumerate() {
        made.push_str(if i == number { &other } else { line });
        made.push('\n');
    }
    made
}
