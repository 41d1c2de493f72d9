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
use stet_base::{Budget, FileId, SourceMap};
use stet_boogie::Program;
use stet_solve::pipe::{ProverConfig, ProverKind, identify, locate};
use stet_store::{Config, Mode, Store};
use stet_verify::{
    Caching, Context, ImplementationResult, Options, Origin, Outcome, ProgramKey, Provers, Texts,
    make_last, verify_here,
};

/// A small, seeded source of choices (xorshift).
pub struct Random {
    state: u64,
    /// Whether things without a translation are among the choices.
    is_strange: bool,
}

impl Random {
    /// A source for a seed.
    pub fn new(seed: u64) -> Self {
        Random {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            is_strange: false,
        }
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % limit.max(1)
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
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

/// A typed program with its source; `None` if it is none.
pub fn read(text: &str) -> Option<(Program, SourceMap, FileId)> {
    let mut sources = SourceMap::new();
    let file = sources.add("edit.bpl", text)?;
    let mut program = Program::default();
    if !stet_boogie::parse(&mut program, &sources, file, &[]).is_empty() {
        return None;
    }
    let (resolved, messages) = stet_boogie::resolve(&mut program);
    if !messages.is_empty() || !stet_boogie::typecheck(&mut program, resolved).is_empty() {
        return None;
    }
    Some((program, sources, file))
}

/// Where a session keeps its verdicts.
enum Place {
    Memory(Arc<Store>),
    /// Opened anew for every snapshot, as by another process.
    Disk(PathBuf),
}

impl Place {
    fn new(random: &mut Random, session: usize, directory: &Path) -> Place {
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
    let config = ProverConfig::new(ProverKind::Z3, path);
    let identity = identify(&config).ok()?;
    let mut fine = Options::new(config, identity);
    fine.error_limit = 0;
    fine.provers = Some(Arc::new(Provers::default()));
    let mut basic = fine.clone();
    basic.caching = Caching::Basic;
    // Whatever an edit leaves open, everything in the implementation is asked.
    let mut hasty = fine.clone();
    hasty.edit_effort = 1;
    // The other side asks about everything, but not twice about the same text.
    let fresh = basic.clone();
    let mut tally = Tally::default();
    let mut random = Random::new(seed);
    let mut session = 0;
    while tally.edits < edits && budget.check().is_ok() {
        session += 1;
        let place = Place::new(&mut random, session, directory);
        let asked = Store::in_memory();
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
            let Some((program, sources, file)) = read(&text) else {
                tally.ill_typed += 1;
                subject = before;
                continue;
            };
            let run = |program, options: &Options, store: &Store| {
                let context = Context {
                    store,
                    subject: "edit.bpl",
                    budget,
                };
                verify_here(program, options, &context, &mut |_| {})
            };
            let texts = Texts::new("edits", &[(file, &text)]).map(Arc::new);
            let options = Options {
                texts,
                ..options.clone()
            };
            let store = place.store();
            let key = {
                let texts = options.texts.as_deref();
                ProgramKey::new("edits", &[(file, &text)], texts, &options)
            };
            let known = key.as_ref().and_then(|key| key.recall(&store));
            if let Some(results) = &known {
                make_last(&store, "edit.bpl", &options, results);
            }
            let cached = known.unwrap_or_else(|| {
                let run = run(program.clone(), &options, &store);
                if let Some(key) = &key {
                    key.remember(&store, &options, &run.results);
                }
                run.results
            });
            drop(store);
            let anew = run(program, &fresh, &asked).results;
            // The first snapshot of a session is no edit.
            tally.edits += usize::from(step > 0);
            tally.count(&cached);
            let (one, two) = (verdicts(&cached, &sources), verdicts(&anew, &sources));
            let oracles = Oracles {
                fresh: &fresh,
                asked: &asked,
                budget,
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
fn laid_out(text: &str, random: &mut Random) -> String {
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
            |r: &&ImplementationResult| matches!(r.outcome, Outcome::Unsupported { .. });
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
