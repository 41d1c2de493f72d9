//! Profiles (where a program spends its calls) and coverage (which clauses ran).
//!
//! The profiler notes at every thousandth call which predicate is called and whose clauses are under way; shares of
//! these samples are shares of the calls made. It writes a table and the format of Callgrind. Coverage counts the
//! entries of each clause of a file (an instruction before the clause, while coverage is on) and writes the format of
//! `lcov`.

use crate::code::{Op, word_imm};
use crate::database::PredId;
use crate::errors::PErr;
use crate::machine::{Machine, Stats};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use stet_base::FastMap;
use stet_prolog::{Atom, atom};

/// Clauses under way that a sample looks at.
const STACK: usize = 64;

/// The samples taken so far.
#[derive(Default)]
pub(crate) struct Profile {
    samples: u64,
    own: BTreeMap<PredId, u64>,
    total: BTreeMap<PredId, u64>,
    /// Samples in which the second was called, directly or not, by a clause of the first that was next to it.
    edges: BTreeMap<(PredId, PredId), u64>,
}

/// A clause of a file and how often it was entered.
pub(crate) struct Counted {
    pred: PredId,
    file: Atom,
    line: u32,
    count: u64,
}

/// What is counted and watched while a program runs.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) stats: Stats,
    pub(crate) profile: Option<Box<Profile>>,
    pub(crate) coverage: Option<Vec<Counted>>,
    /// Predicates that go through the tracer, and what ran in their place before.
    pub(crate) traced: FastMap<PredId, Option<PredId>>,
}

impl Machine {
    /// Starts to take samples.
    pub fn start_profile(&mut self) {
        self.watch.profile = Some(Box::default());
    }

    /// Counts the entries of the clauses loaded from now on.
    pub fn start_coverage(&mut self) {
        self.watch.coverage = Some(Vec::new());
    }

    /// Notes who is called, and by whom.
    #[cold]
    pub(crate) fn take_sample(&mut self, called: PredId) {
        let Some(mut profile) = self.watch.profile.take() else {
            return;
        };
        // The instruction is not one of a builtin: there is no place to note.
        self.control.p = 0;
        self.trace_stack(STACK);
        let mut stack = vec![called];
        stack.extend(self.frames().map(|frame| frame.pred));
        stack.retain(|&id| {
            !self
                .mem
                .atom_text(self.program.db.pred(id).name)
                .starts_with("$query")
        });
        profile.samples += 1;
        *profile.own.entry(called).or_default() += 1;
        for id in stack.iter().collect::<BTreeSet<_>>() {
            *profile.total.entry(*id).or_default() += 1;
        }
        let pairs: BTreeSet<_> = stack.windows(2).map(|pair| (pair[1], pair[0])).collect();
        for (caller, callee) in pairs.into_iter().filter(|(a, b)| a != b) {
            *profile.edges.entry((caller, callee)).or_default() += 1;
        }
        self.watch.profile = Some(profile);
    }

    fn name_of(&self, id: PredId) -> String {
        let pred = self.program.db.pred(id);
        let name = stet_prolog::quote_atom(self.mem.atom_text(pred.name));
        match pred.module {
            atom::USER | atom::SYSTEM => format!("{name}/{}", pred.arity),
            module => format!("{}:{name}/{}", self.mem.atom_text(module), pred.arity),
        }
    }

    /// The samples as a table, the busiest predicates first.
    pub fn profile_table(&self) -> String {
        let Some(profile) = &self.watch.profile else {
            return String::new();
        };
        let mut rows: Vec<(u64, u64, String)> = profile
            .total
            .iter()
            .map(|(id, &total)| {
                let own = profile.own.get(id).copied().unwrap_or(0);
                (own, total, self.name_of(*id))
            })
            .collect();
        rows.sort_by(|a, b| b.cmp(a));
        let share = |n: u64| 100.0 * n as f64 / profile.samples.max(1) as f64;
        let mut text = format!(
            "{} samples, one in a thousand calls\n  self %  total %  predicate\n",
            profile.samples
        );
        for (own, total, name) in rows.into_iter().take(40) {
            let _ = writeln!(text, "{:8.1} {:8.1}  {name}", share(own), share(total));
        }
        text
    }

    /// The samples in the format of Callgrind, for `kcachegrind` and `callgrind_annotate`.
    pub fn profile_callgrind(&self) -> String {
        let Some(profile) = &self.watch.profile else {
            return String::new();
        };
        let mut text =
            String::from("# callgrind format\nversion: 1\ncreator: stet run\nevents: Samples\n");
        for id in profile.total.keys() {
            let (file, line) = self.place_of(*id);
            let own = profile.own.get(id).copied().unwrap_or(0);
            let _ = writeln!(text, "\nfl={file}\nfn={}\n{line} {own}", self.name_of(*id));
            let calls = profile.edges.range((*id, 0)..=(*id, PredId::MAX));
            for (&(_, callee), count) in calls {
                let (file, at) = self.place_of(callee);
                let name = self.name_of(callee);
                let _ = writeln!(
                    text,
                    "cfi={file}\ncfn={name}\ncalls={count} {at}\n{line} {count}"
                );
            }
        }
        let _ = writeln!(text, "\ntotals: {}", profile.samples);
        text
    }

    /// The file and first line of a predicate.
    pub(crate) fn place_of(&self, id: PredId) -> (&str, u32) {
        let pred = self.program.db.pred(id);
        let file = pred.file.map_or("builtin", |file| self.mem.atom_text(file));
        let first = pred.clauses.front();
        let line = first.and_then(|&(_, number)| Some(self.program.db.clause(number)?.line));
        (file, line.unwrap_or(0))
    }

    /// While coverage is on: code that counts an entry and goes on with the clause.
    pub(crate) fn counting_entry(&mut self, pred: PredId, code: u32) -> Result<u32, PErr> {
        let Some((file, line)) = self
            .loader
            .files
            .frames
            .last()
            .map(|frame| (frame.file, frame.line))
        else {
            return Ok(code);
        };
        let Some(counted) = &mut self.watch.coverage else {
            return Ok(code);
        };
        let number = counted.len() as u32;
        let count = 0;
        counted.push(Counted {
            pred,
            file,
            line,
            count,
        });
        let words = [
            word_imm(Op::Count, 0, 0, number),
            word_imm(Op::Jump, 0, 0, code),
        ];
        self.alloc_code(&words)
    }

    /// A clause was entered.
    pub(crate) fn count_entry(&mut self, number: usize) {
        if let Some(clause) = self
            .watch
            .coverage
            .as_mut()
            .and_then(|all| all.get_mut(number))
        {
            clause.count += 1;
        }
    }

    /// The entries of clauses in the format of `lcov`.
    pub fn coverage_report(&self) -> String {
        let mut files: BTreeMap<&str, Vec<&Counted>> = BTreeMap::new();
        for clause in self.watch.coverage.iter().flatten() {
            let file = self.mem.atom_text(clause.file);
            if !file.starts_with("library:") {
                files.entry(file).or_default().push(clause);
            }
        }
        let mut text = String::new();
        for (file, clauses) in files {
            let mut predicates: BTreeMap<String, (u32, u64)> = BTreeMap::new();
            let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
            for clause in clauses {
                let first = (clause.line, 0);
                predicates
                    .entry(self.name_of(clause.pred))
                    .or_insert(first)
                    .1 += clause.count;
                *lines.entry(clause.line).or_default() += clause.count;
            }
            let _ = writeln!(text, "TN:\nSF:{file}");
            for (name, (line, _)) in &predicates {
                let _ = writeln!(text, "FN:{line},{name}");
            }
            for (name, (_, count)) in &predicates {
                let _ = writeln!(text, "FNDA:{count},{name}");
            }
            let hit = predicates.values().filter(|(_, count)| *count > 0).count();
            let _ = writeln!(text, "FNF:{}\nFNH:{hit}", predicates.len());
            for (line, count) in &lines {
                let _ = writeln!(text, "DA:{line},{count}");
            }
            let hit = lines.values().filter(|count| **count > 0).count();
            let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
        }
        text
    }
}
