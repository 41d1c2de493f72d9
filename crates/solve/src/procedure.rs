//! The decision procedure for quantifier-free bit-vectors and arrays.
//!
//! ```text
//!   terms ──blast──► gates ──cnf──► batsat ──(too many conflicts)──► CaDiCaL
//!                      ▲               │ Sat
//!                      └─── lemmas ◄── refine: are the reads what the arrays say?
//! ```
//!
//! The translation to gates lives as long as the procedure and is shared by all checks. What is asserted is
//! a log of clauses over gates; each SAT solver (a [`Side`]) has written a prefix of it. A fresh query clears
//! the log and the sides but keeps the gates.

use crate::blast::Blaster;
use crate::cnf::{Encoder, NodeMap};
use crate::gates::Lit;
use crate::refine::{self, Step};
use crate::sat::{Batsat, Cadical, Sat, SatAnswer, SatLit};
use crate::{Limits, Reason};
use std::rc::Rc;
use stet_base::{Budget, FastMap, FastSet};
use stet_term::{Model, Term, Terms};

/// Conflicts after which the second SAT solver takes over.
const EASY_CONFLICTS: u64 = 8_000;

/// Gates after which a fresh query starts with an empty graph, to bound memory.
const MOST_GATES: usize = 1 << 23;

/// One SAT solver and what was written into it.
pub(crate) struct Side {
    pub(crate) sat: Box<dyn Sat>,
    pub(crate) map: NodeMap,
    synced: usize,
    /// Reads whose bits have variables; repetitions possible.
    pub(crate) reads: Vec<u32>,
    /// How many of the reads were given the lemmas earlier queries needed for them.
    recalled: usize,
}

impl Side {
    fn new(sat: Box<dyn Sat>, map: NodeMap) -> Self {
        Side {
            sat,
            map,
            synced: 0,
            reads: Vec::new(),
            recalled: 0,
        }
    }

    pub(crate) fn encoder<'a>(&'a mut self, blaster: &'a Blaster) -> Encoder<'a> {
        Encoder {
            gates: &blaster.gates,
            map: &mut self.map,
            sat: self.sat.as_mut(),
            reads: &mut self.reads,
        }
    }

    fn sync(&mut self, blaster: &Blaster, log: &Log, budget: &Budget) -> Result<(), Reason> {
        debug_assert!(self.synced <= log.len(), "a solver has a prefix of the log");
        for at in self.synced..log.len() {
            if at.is_multiple_of(64) {
                budget.check()?;
            }
            let clause = log.clause(at);
            self.encoder(blaster).assert_clause(clause);
            self.synced = at + 1;
        }
        Ok(())
    }
}

/// Clauses over gates.
#[derive(Default)]
pub(crate) struct Log {
    lits: Vec<Lit>,
    ends: Vec<usize>,
}

impl Log {
    pub(crate) fn push(&mut self, clause: &[Lit]) {
        debug_assert!(
            !clause.is_empty(),
            "a clause of gates has a literal, if a constant one"
        );
        self.lits.extend_from_slice(clause);
        self.ends.push(self.lits.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn clause(&self, at: usize) -> &[Lit] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        debug_assert!(start <= self.ends[at], "clauses stand one after the other");
        &self.lits[start..self.ends[at]]
    }

    fn clear(&mut self) {
        self.lits.clear();
        self.ends.clear();
    }
}

/// How many lemmas of earlier queries a read brings along.
const RECALLED: usize = 24;

/// Lemmas about reads. They hold whatever is asserted, so they live as long as the translation, and a query
/// that reads what earlier queries read starts with what those had to learn.
#[derive(Default)]
pub(crate) struct Lemmas {
    /// Number of a lemma by its content: the path taken, the bits of the read, the bits it then equals.
    numbers: FastMap<Rc<[Lit]>, u32>,
    contents: Vec<Rc<[Lit]>>,
    /// The lemmas of each read that mention nothing but parts of it, oldest first.
    of_read: FastMap<u32, Vec<u32>>,
    /// Those in the log.
    logged: FastSet<u32>,
}

impl Lemmas {
    /// Puts a lemma into the log, and keeps it for later queries that make the read `owner`; false if it is
    /// there already.
    pub(crate) fn add(&mut self, owner: Option<u32>, content: &[Lit], log: &mut Log) -> bool {
        debug_assert_eq!(
            self.numbers.len(),
            self.contents.len(),
            "lemmas are numbered by content"
        );
        let number = match self.numbers.get(content) {
            Some(&number) => number,
            None => {
                let number = self.contents.len() as u32;
                let content: Rc<[Lit]> = content.into();
                self.contents.push(content.clone());
                self.numbers.insert(content, number);
                if let Some(read) = owner {
                    self.of_read.entry(read).or_default().push(number);
                }
                number
            }
        };
        self.log(number, log)
    }

    fn log(&mut self, number: u32, log: &mut Log) -> bool {
        if !self.logged.insert(number) {
            return false;
        }
        let content = &self.contents[number as usize];
        let (taken, rest) = (content[0], &content[1..]);
        debug_assert!(
            !rest.is_empty() && rest.len().is_multiple_of(2),
            "a lemma equates two words of one width"
        );
        let (bits, target) = rest.split_at(rest.len() / 2);
        for (&bit, &value) in bits.iter().zip(target) {
            log.push(&[!taken, !bit, value]);
            log.push(&[!taken, bit, !value]);
        }
        true
    }

    /// Puts the latest lemmas of a read into the log, and where they lead into `links`; whether any were missing.
    fn recall(&mut self, read: u32, log: &mut Log, links: &mut FastMap<u32, Vec<Lit>>) -> bool {
        let Some(numbers) = self.of_read.get(&read) else {
            return false;
        };
        let latest = &numbers[numbers.len().saturating_sub(RECALLED)..];
        let latest: Vec<u32> = latest.to_vec();
        let mut any = false;
        for number in latest {
            if !self.log(number, log) {
                continue;
            }
            any = true;
            let content = &self.contents[number as usize];
            let target = &content[1 + (content.len() - 1) / 2..];
            let links = links.entry(read).or_default();
            links.push(content[0]);
            links.extend(target);
        }
        any
    }
}

/// What the log and the SAT solvers hold beside the query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keeping {
    /// Nothing: the log has the query's constraints.
    Nothing,
    /// Scopes that are open or were closed; the query is the open ones.
    Scopes,
    /// Gates of earlier queries; the query is the assumptions.
    Queries,
}

/// What a check found, with evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Sat(Model),
    /// The assumptions (as literals) that clash.
    Unsat(Vec<Lit>),
    Unknown(Reason),
}

/// Counters of the procedure.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counters {
    pub(crate) conflicts: u64,
    pub(crate) fallbacks: u64,
    pub(crate) lemmas: u64,
}

/// The procedure with its translation and solvers.
pub(crate) struct Procedure {
    pub(crate) blaster: Blaster,
    pub(crate) log: Log,
    easy: Option<Side>,
    hard: Option<Side>,
    spare_map: Option<NodeMap>,
    pub(crate) lemmas: Lemmas,
    /// Equalities of indices that lemmas needed; part of the translation.
    pub(crate) index_pairs: FastMap<(Term, Term), Lit>,
    /// Literals in the lemmas of a read: where its meaning leads.
    pub(crate) links: FastMap<u32, Vec<Lit>>,
    pub(crate) counters: Counters,
    easy_conflicts: u64,
}

impl Procedure {
    pub(crate) fn new() -> Self {
        Procedure {
            blaster: Blaster::new(),
            log: Log::default(),
            easy: None,
            hard: None,
            spare_map: Some(NodeMap::new()),
            lemmas: Lemmas::default(),
            index_pairs: FastMap::default(),
            links: FastMap::default(),
            counters: Counters::default(),
            easy_conflicts: EASY_CONFLICTS,
        }
    }

    /// Sets the conflicts after which CaDiCaL takes over.
    pub(crate) fn set_easy_conflicts(&mut self, conflicts: u64) {
        self.easy_conflicts = conflicts;
    }

    /// Whether nothing is asserted and no solver has clauses.
    pub(crate) fn is_fresh(&self) -> bool {
        self.log.len() == 0 && self.easy.is_none() && self.hard.is_none()
    }
    /// Forgets the translation if it has become too large. Only between queries: literals die with it.
    pub(crate) fn trim(&mut self) {
        if self.blaster.gates.len() > MOST_GATES {
            self.forget_translation();
        }
    }

    /// Forgets everything but counters and options.
    pub(crate) fn forget_translation(&mut self) {
        self.blaster = Blaster::new();
        self.index_pairs.clear();
        self.lemmas = Lemmas::default();
        self.start_afresh();
    }

    /// Forgets assertions and solvers, keeps the translation.
    pub(crate) fn start_afresh(&mut self) {
        self.log.clear();
        self.lemmas.logged.clear();
        self.links.clear();
        self.hard = None;
        if let Some(side) = self.easy.take() {
            self.spare_map = Some(side.map);
        }
        if let Some(map) = &mut self.spare_map {
            map.reset();
        }
    }

    /// How many variables the first SAT solver has.
    pub(crate) fn variables(&self) -> usize {
        self.easy.as_ref().map_or(0, |side| side.map.count())
    }

    /// Asserts a Boolean term, or that it follows from `guard`.
    pub(crate) fn assert(
        &mut self,
        terms: &Terms,
        term: Term,
        guard: Option<Lit>,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let lit = self.blaster.literal(terms, term, budget)?;
        match guard {
            None => self.log.push(&[lit]),
            Some(guard) => self.log.push(&[!guard, lit]),
        }
        Ok(())
    }

    /// Forgets the second SAT solver, which is not worth keeping for another query.
    pub(crate) fn forget_hard(&mut self) {
        self.hard = None;
    }

    /// Solves the log under assumptions. `roots` are the terms the model must be good for.
    pub(crate) fn solve(
        &mut self,
        terms: &Terms,
        assumptions: &[Lit],
        roots: &[Term],
        keeping: Keeping,
        limits: &Limits,
    ) -> Found {
        if assumptions.contains(&Lit::FALSE) {
            return Found::Unsat(vec![Lit::FALSE]);
        }
        match self.search(terms, assumptions, roots, keeping, limits) {
            Ok(found) => found,
            Err(reason) => Found::Unknown(reason),
        }
    }

    fn search(
        &mut self,
        terms: &Terms,
        assumptions: &[Lit],
        roots: &[Term],
        keeping: Keeping,
        limits: &Limits,
    ) -> Result<Found, Reason> {
        let budget = &limits.budget;
        let mut left = limits.resources.unwrap_or(u64::MAX);
        let mut easy_left = self.easy_conflicts;
        loop {
            let easy = easy_left > 0;
            let allowed = if easy { left.min(easy_left) } else { left };
            let side = self.side(easy);
            let mut side = side;
            let outcome = match keeping {
                Keeping::Scopes => Ok(()),
                Keeping::Nothing => self.recall(&mut side, budget),
                Keeping::Queries => {
                    self.encoded(&mut side, assumptions);
                    self.recall(&mut side, budget)
                }
            };
            let outcome =
                outcome.and_then(|()| self.solve_side(&mut side, assumptions, budget, allowed));
            let (answer, used, literals) = match outcome {
                Ok(parts) => parts,
                Err(reason) => {
                    self.put_back(side, easy);
                    return Err(reason);
                }
            };
            self.counters.conflicts += used;
            left = left.saturating_sub(used);
            easy_left = easy_left.saturating_sub(used);
            let next = match answer {
                SatAnswer::Unsat => {
                    debug_assert_eq!(
                        assumptions.len(),
                        literals.len(),
                        "a SAT literal for every assumption"
                    );
                    let failed = side.sat.failed();
                    let core = assumptions.iter().zip(&literals);
                    let core = core.filter(|(_, sat)| failed.contains(sat));
                    Some(Ok(Found::Unsat(core.map(|(&lit, _)| lit).collect())))
                }
                SatAnswer::Stopped(Reason::Resources) if easy && left > 0 => {
                    self.counters.fallbacks += 1;
                    easy_left = 0;
                    None
                }
                SatAnswer::Stopped(reason) => Some(Err(reason)),
                SatAnswer::Sat => {
                    match self.refine(terms, &mut side, assumptions, roots, keeping, budget) {
                        Ok(Step::Consistent(model)) => Some(Ok(Found::Sat(model))),
                        Ok(Step::Refined) => None,
                        Err(reason) => Some(Err(reason)),
                    }
                }
            };
            self.put_back(side, easy);
            if let Some(result) = next {
                return result;
            }
        }
    }

    /// Gives the reads of a fresh query the lemmas of earlier ones, and the reads those mention, and so on.
    fn recall(&mut self, side: &mut Side, budget: &Budget) -> Result<(), Reason> {
        side.sync(&self.blaster, &self.log, budget)?;
        debug_assert!(side.recalled <= side.reads.len(), "reads are only added");
        while let Some(&read) = side.reads.get(side.recalled) {
            side.recalled += 1;
            if self.lemmas.recall(read, &mut self.log, &mut self.links) {
                side.sync(&self.blaster, &self.log, budget)?;
            }
        }
        Ok(())
    }

    fn refine(
        &mut self,
        terms: &Terms,
        side: &mut Side,
        assumptions: &[Lit],
        roots: &[Term],
        keeping: Keeping,
        budget: &Budget,
    ) -> Result<Step, Reason> {
        let reads = match keeping {
            Keeping::Nothing => refine::all_reads(self, side, terms),
            _ => refine::reachable_reads(self, side, terms, assumptions, roots),
        };
        refine::refine(self, side, terms, roots, &reads, budget)
    }

    fn side(&mut self, easy: bool) -> Side {
        match easy {
            true => self.easy.take().unwrap_or_else(|| {
                let map = self.spare_map.take().unwrap_or_else(NodeMap::new);
                Side::new(Box::new(Batsat::new()), map)
            }),
            false => self
                .hard
                .take()
                .unwrap_or_else(|| Side::new(Box::new(Cadical::new()), NodeMap::new())),
        }
    }

    fn put_back(&mut self, side: Side, easy: bool) {
        debug_assert!(
            if easy {
                self.easy.is_none()
            } else {
                self.hard.is_none()
            },
            "a solver is put back where it was taken"
        );
        match easy {
            true => self.easy = Some(side),
            false => self.hard = Some(side),
        }
    }

    /// Assumptions as the SAT solver has them.
    fn encoded(&self, side: &mut Side, assumptions: &[Lit]) -> Vec<SatLit> {
        let encoded = |&lit: &Lit| match lit {
            // Constant true assumptions need no variable; a dummy keeps the positions.
            Lit::TRUE => SatLit::new(u32::MAX >> 1, false),
            lit => side.encoder(&self.blaster).encode(lit),
        };
        assumptions.iter().map(encoded).collect()
    }

    fn solve_side(
        &mut self,
        side: &mut Side,
        assumptions: &[Lit],
        budget: &Budget,
        conflicts: u64,
    ) -> Result<(SatAnswer, u64, Vec<SatLit>), Reason> {
        side.sync(&self.blaster, &self.log, budget)?;
        let literals = self.encoded(side, assumptions);
        let real: Vec<SatLit> = assumptions
            .iter()
            .zip(&literals)
            .filter(|(lit, _)| **lit != Lit::TRUE)
            .map(|(_, &sat)| sat)
            .collect();
        let before = side.sat.conflicts();
        let answer = side.sat.solve(&real, budget, conflicts);
        debug_assert!(side.sat.conflicts() >= before, "conflicts are only added");
        Ok((answer, side.sat.conflicts() - before, literals))
    }
}
