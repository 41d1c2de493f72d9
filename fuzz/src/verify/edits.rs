//! Random edits of small Boogie programs: what reuse says must be what a fresh run says.
//!
//! Programs are kept as trees and printed; an edit changes a specification, a body, an axiom, a `where` clause, a
//! type, an attribute, a constant, an invariant, a call, a `modifies` clause, the body of a function, a datatype, an order
//! of constants, or what a function or type of the prover is; in some sessions also things Stet has no translation for
//! ([`strange`]). Arithmetic is
//! linear and quantifiers have triggers on ground terms, so the prover decides every check and a difference is a
//! defect of the cache. Most sessions keep one store in memory; some reopen a store on disk for every snapshot, and
//! some reuse whole implementations only. [`oracles`] has what else must not change a verdict.

mod oracles;
mod strange;
mod subject;

pub use subject::Subject;

use oracles::{Oracles, Verdicts, verdicts};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_base::{Budget, SourceMap};
use stet_solve::pipe::{ProverConfig, ProverKind, locate};
use stet_store::{Config, Mode, Store};
use stet_testkit::Random;
use stet_verify::{
    Boogie, Caching, Conclusion, Engine, ImplementationResult, Options, Origin, Outcome, Request,
};

/// The choices of a session.
pub struct Choices {
    random: Random,
    /// Whether things without a translation are among the choices.
    is_strange: bool,
}

impl Choices {
    /// Choices for a seed.
    pub fn new(seed: u64) -> Self {
        Choices {
            random: Random::new(seed),
            is_strange: false,
        }
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit.max(1))
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        self.random.pick(items)
    }
}

/// What a campaign did.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Edits verified both ways.
    pub edits: usize,
    /// Obligations by origin: solved, cached, partially cached, recycled.
    pub origins: [usize; 4],
    /// Programs whose verdicts differ, with the edit before.
    pub differences: Vec<String>,
    /// Edits whose result does not type-check; they are undone.
    pub ill_typed: usize,
    /// Implementations with something without a translation.
    pub unsupported: usize,
}

/// A prover of the campaign, with the one engine that all its runs share.
pub struct Verifier {
    engine: Engine,
    budget: Budget,
}

/// What the engine said about a text, with its source.
pub struct Checked {
    pub outcome: Outcome,
    pub sources: SourceMap,
}

impl Verifier {
    /// An engine whose calls end with this budget.
    pub fn new(budget: &Budget) -> Self {
        Verifier {
            engine: Engine::new(),
            budget: budget.clone(),
        }
    }

    /// Verifies a text as `stet verify` does; `None` if it is not a program.
    pub fn check(&self, text: &str, options: &Options, store: &Store) -> Option<Checked> {
        let mut sources = SourceMap::new();
        let file = sources.add("edit.bpl", text)?;
        let request = Request {
            subject: "edit.bpl",
            sources: &sources,
            files: &[file],
            front: &mut Boogie,
            options,
            store,
            budget: &self.budget,
        };
        let outcome = self.engine.check(request, &mut |_| {});
        outcome.is_usable.then_some(Checked { outcome, sources })
    }

    /// Ends the provers that are kept for the next call.
    pub fn stop(&self) {
        self.engine.stop();
    }
}

/// Where a session keeps its verdicts.
enum Place {
    Memory(Arc<Store>),
    /// Opened anew for every snapshot, as by another process.
    Disk(PathBuf),
}

impl Place {
    fn new(random: &mut Choices, session: usize, directory: &Path) -> Place {
        if random.below(16) > 0 {
            return Place::Memory(Store::in_memory());
        }
        Place::Disk(directory.join(format!("{session}.db")))
    }

    fn store(&self) -> Arc<Store> {
        match self {
            Place::Memory(store) => store.clone(),
            Place::Disk(path) => Store::open(Config::file(path, Mode::ReadWrite)),
        }
    }
}

/// Runs sessions of ten edits until `edits` were made; stores on disk are put into `directory`. `None` without a
/// prover.
pub fn campaign(
    seed: u64,
    edits: usize,
    directory: &Path,
    budget: &Budget,
    progress: &mut dyn FnMut(&Tally),
) -> Option<Tally> {
    let path = locate(ProverKind::Z3, None).ok()?;
    let mut fine = Options::new(ProverConfig::new(ProverKind::Z3, path));
    fine.error_limit = 0;
    let mut basic = fine.clone();
    basic.caching = Caching::Basic;
    // Whatever an edit leaves open, everything in the implementation is asked.
    let mut hasty = fine.clone();
    hasty.edit_effort = 1;
    let mut fresh = fine.clone();
    fresh.caching = Caching::Off;
    let verifier = Verifier::new(budget);
    let nothing = Store::open(Config::memory(Mode::Off));
    let mut tally = Tally::default();
    let mut random = Choices::new(seed);
    let mut session = 0;
    while tally.edits < edits && budget.check().is_ok() {
        session += 1;
        let place = Place::new(&mut random, session, directory);
        let options = match random.below(12) {
            0 => &basic,
            1 => &hasty,
            _ => &fine,
        };
        random.is_strange = random.below(3) == 0;
        let mut subject = Subject::new(&mut random);
        for step in 0..11 {
            let before = subject.clone();
            if step > 0 {
                subject.edit(&mut random);
            }
            let text = laid_out(&subject.text(), &mut random);
            let store = place.store();
            let Some(cached) = verifier.check(&text, options, &store) else {
                tally.ill_typed += 1;
                subject = before;
                continue;
            };
            drop(store);
            let Some(anew) = verifier.check(&text, &fresh, &nothing) else {
                tally.differences.push(format!("read once only:\n{text}"));
                continue;
            };
            // The first snapshot of a session is no edit.
            tally.edits += usize::from(step > 0);
            tally.count(&cached.outcome.verdicts);
            let (one, two) = (verdicts(&cached), verdicts(&anew));
            let oracles = Oracles {
                fresh: &fresh,
                store: &nothing,
                verifier: &verifier,
            };
            let mut found = oracles.differences(&subject, &text, &two, &mut random);
            if one != two {
                found.push(difference(&one, &two, &before));
            }
            if !found.is_empty() && budget.check().is_ok() {
                let found = found.join("\n");
                tally
                    .differences
                    .push(format!("{found}\n--- the program\n{text}"));
            }
        }
        if let Place::Disk(path) = &place {
            remove_store(path);
        }
        progress(&tally);
    }
    Some(tally)
}

/// The same program with comments, blank lines and blanks in places.
fn laid_out(text: &str, random: &mut Choices) -> String {
    let mut made = String::with_capacity(text.len() + 64);
    for line in text.lines() {
        match random.below(16) {
            0 => made.push_str("// a note: { assert false; }\n"),
            1 => made.push('\n'),
            2 => made.push_str("  \t"),
            _ => {}
        }
        made.push_str(line);
        if random.below(16) == 0 {
            made.push_str("  // the end of a line");
        }
        made.push('\n');
    }
    made
}

fn remove_store(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        // What cannot be removed is left to the owner of the directory.
        let _ = std::fs::remove_file(name);
    }
}

fn difference(cached: &Verdicts, fresh: &Verdicts, before: &Subject) -> String {
    let only = |a: &Verdicts, b: &Verdicts| -> Vec<String> {
        let differing = a.iter().filter(|v| !b.contains(v));
        differing.map(|v| format!("{v:?}")).collect()
    };
    format!(
        "cached only: {:?}\nfresh only: {:?}\n--- before\n{}",
        only(cached, fresh),
        only(fresh, cached),
        before.text()
    )
}

impl Tally {
    fn count(&mut self, results: &[ImplementationResult]) {
        let origins = [
            Origin::Solved,
            Origin::Cached,
            Origin::Partial,
            Origin::Recycled,
        ];
        let is_unsupported =
            |r: &&ImplementationResult| matches!(r.conclusion, Conclusion::Unsupported { .. });
        self.unsupported += results.iter().filter(is_unsupported).count();
        for (slot, origin) in origins.into_iter().enumerate() {
            let counts = results.iter().map(|r| r.count(origin));
            self.origins[slot] += counts.sum::<usize>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reuse_gives_the_verdicts_of_a_fresh_run() {
        let edits = std::env::var("STET_EDITS")
            .ok()
            .and_then(|n| n.parse().ok());
        let edits = edits.unwrap_or(400);
        let directory = std::env::temp_dir().join(format!("stet-edits-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a temporary directory");
        let found = campaign(7, edits, &directory, &Budget::unlimited(), &mut |_| {});
        let _ = std::fs::remove_dir_all(&directory);
        let Some(tally) = found else { return };
        assert!(tally.differences.is_empty(), "{}", tally.differences[0]);
        let [solved, cached, partial, recycled] = tally.origins;
        assert!(
            solved > 0 && cached > 0 && partial > 0 && recycled > 0 && tally.unsupported > 0,
            "{tally:?}"
        );
    }
}
