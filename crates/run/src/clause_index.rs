//! Indexes on the clauses of a predicate, made when a call could use them.
//!
//! A node is a list of clauses with indexes on it; an index is a table from the keys at one position to nodes. The
//! first call that knows a position has it assessed on a sample of the clauses; the position that leaves the fewest is
//! indexed. Where a bucket is still long the next call that knows more gets an index inside the bucket, so several
//! arguments and arguments of arguments work together.
//!
//! **Invariant:** a bucket holds, in the order of the predicate, every clause with its key and every clause that has a
//! variable at the position; clauses that were erased may still be in it and are told by their sequence numbers.

use crate::database::{Bucket, ClauseData, ClauseId, Database, PredId};
use crate::positions::{Found, Pattern, Position};
use crate::program::Program;
use stet_base::FastMap;

/// Lists shorter than this are searched.
pub(crate) const SHORT: usize = 8;
/// Clauses looked at to assess a position.
const SAMPLE: usize = 1_000;
/// How many indexes one call may go through.
const LEVELS: usize = 3;

type Entry = (i64, ClauseId);

/// Clauses in the order of the predicate. Tables of facts have one for each fact, so it is kept small.
pub(crate) enum Entries {
    /// The usual case in a table of facts.
    One {
        seq: i64,
        number: ClauseId,
    },
    Many(Box<Long>),
}

const _: () = assert!(size_of::<Entries>() == 16);

/// Several clauses, with indexes of their own if calls could use them.
#[derive(Default)]
pub(crate) struct Long {
    bucket: Bucket,
    inner: Option<Indexes>,
}

impl Entries {
    /// Adds a clause, to the indexes inside too.
    fn push(&mut self, clause: &ClauseData, entry: Entry, at_end: bool) {
        if let Entries::One { seq, number } = *self {
            *self = Entries::Many(Box::new(Long {
                bucket: Bucket::from([(seq, number)]),
                inner: None,
            }));
        }
        if let Entries::Many(long) = self {
            match at_end {
                true => long.bucket.push_back(entry),
                false => long.bucket.push_front(entry),
            }
            if let Some(inner) = &mut long.inner {
                inner.add(clause, entry, at_end);
            }
        }
    }

    /// The first entry at or after `from` that is wanted, and the sequence number of the one after it.
    pub(crate) fn first_two(
        &self,
        from: i64,
        wanted: impl Fn(i64, ClauseId) -> bool,
    ) -> Option<(ClauseId, Option<i64>)> {
        match self {
            Entries::One { seq, number } => {
                (*seq >= from && wanted(*seq, *number)).then_some((*number, None))
            }
            Entries::Many(long) => first_two(&long.bucket, from, 0, wanted),
        }
    }
}

/// The same for a plain list whose first `dead` entries are known to be unwanted.
pub(crate) fn first_two(
    bucket: &Bucket,
    from: i64,
    dead: usize,
    wanted: impl Fn(i64, ClauseId) -> bool,
) -> Option<(ClauseId, Option<i64>)> {
    let start = match from {
        i64::MIN => dead,
        _ => bucket.partition_point(|&(seq, _)| seq < from),
    };
    debug_assert!(
        start <= bucket.len(),
        "a bucket is searched from a place in it"
    );
    let mut rest = bucket
        .range(start..)
        .filter(|&&(seq, number)| wanted(seq, number));
    let &(_, first) = rest.next()?;
    Some((first, rest.next().map(|&(seq, _)| seq)))
}

/// The indexes on a list of clauses.
#[derive(Default)]
pub(crate) struct Indexes {
    tables: Vec<Table>,
    /// Positions that were assessed, and how many clauses there were then.
    assessed: Vec<(Position, usize)>,
    /// Removed clauses that the tables still have.
    stale: usize,
}

struct Table {
    position: Position,
    buckets: FastMap<u64, Entries>,
    /// The clauses with a variable at the position: what a key without a bucket has.
    open: Bucket,
}

impl Indexes {
    /// The clauses a call may match according to the indexes there are; `None` if none applies.
    pub(crate) fn find(&self, pattern: &Pattern) -> Option<Result<&Entries, &Bucket>> {
        let (table, key) = self
            .tables
            .iter()
            .find_map(|table| Some((table, pattern.key_at(table.position)?)))?;
        let Some(node) = table.buckets.get(&key) else {
            return Some(Err(&table.open));
        };
        let further = match node {
            Entries::Many(long) => long.inner.as_ref().and_then(|inner| inner.find(pattern)),
            Entries::One { .. } => None,
        };
        Some(further.unwrap_or(Ok(node)))
    }

    /// Notes a new clause.
    pub(crate) fn add(&mut self, clause: &ClauseData, entry: Entry, at_end: bool) {
        for table in &mut self.tables {
            table.add(clause, entry, at_end);
        }
        self.tables
            .retain(|table| table.open.len() * table.buckets.len() <= 1 << 20);
    }

    /// A clause was removed from the list of the predicate, which has `left` now. Its entries stay until they are more
    /// than those of live clauses; then the next call that needs an index makes one.
    pub(crate) fn note_removal(&mut self, left: usize) {
        if self.tables.is_empty() {
            return;
        }
        self.stale += 1;
        if self.stale > 2 * left + SHORT {
            *self = Indexes::default();
        }
    }
}

impl Table {
    fn add(&mut self, clause: &ClauseData, entry: Entry, at_end: bool) {
        debug_assert!(
            match at_end {
                true => self.open.back().is_none_or(|&(last, _)| last < entry.0),
                false => self.open.front().is_none_or(|&(first, _)| entry.0 < first),
            },
            "buckets are in the order of the predicate"
        );
        match clause.found_at(self.position) {
            Found::Never => {}
            Found::Key(key) => match self.buckets.get_mut(&key) {
                Some(node) => node.push(clause, entry, at_end),
                None => {
                    let (seq, number) = entry;
                    let node = match self.open.is_empty() {
                        true => Entries::One { seq, number },
                        false => {
                            let bucket = self.open.clone();
                            let inner = None;
                            let mut node = Entries::Many(Box::new(Long { bucket, inner }));
                            node.push(clause, entry, at_end);
                            node
                        }
                    };
                    self.buckets.insert(key, node);
                }
            },
            Found::Any => {
                match at_end {
                    true => self.open.push_back(entry),
                    false => self.open.push_front(entry),
                }
                #[allow(clippy::iter_over_hash_type, reason = "every bucket gets the clause")]
                for node in self.buckets.values_mut() {
                    node.push(clause, entry, at_end);
                }
            }
        }
    }
}

/// How many of `entries` a call that knows the position is left with, in the mean; `None` if nothing is gained.
fn assess(db: &Database, entries: &[Entry], position: Position) -> Option<usize> {
    let step = entries.len().div_ceil(SAMPLE).max(1);
    let mut counts: FastMap<u64, usize> = FastMap::default();
    let (mut open, mut looked) = (0, 0);
    for &(seq, number) in entries.iter().step_by(step) {
        let Some(clause) = db.clause(number).filter(|clause| clause.seq == seq) else {
            continue;
        };
        looked += 1;
        match clause.found_at(position) {
            Found::Key(key) => *counts.entry(key).or_default() += 1,
            Found::Any => open += 1,
            Found::Never => {}
        }
    }
    let keyed: usize = looked - open;
    if counts.is_empty() || open > 0 && open * counts.len() > 1 << 16 {
        return None;
    }
    #[allow(clippy::iter_over_hash_type, reason = "a sum has no order")]
    let squares: usize = counts.values().map(|count| count * count).sum();
    let left = open + squares / keyed.max(1);
    (left * 2 <= looked).then_some(left * step)
}

fn build(db: &Database, entries: &[Entry], position: Position) -> Table {
    let mut table = Table {
        position,
        buckets: FastMap::default(),
        open: Bucket::new(),
    };
    for (done, &(seq, number)) in entries.iter().enumerate() {
        if done == SAMPLE && table.buckets.len() > SAMPLE / 2 {
            // Most clauses have a key of their own.
            table.buckets.reserve(entries.len() - done);
        }
        if let Some(clause) = db.clause(number).filter(|clause| clause.seq == seq) {
            table.add(clause, (seq, number), true);
        }
    }
    table
}

impl Indexes {
    /// Whether a position was not assessed when there were about as many clauses as now; notes that it is.
    fn is_new(&mut self, position: Position, clauses: usize) -> bool {
        match self.assessed.iter_mut().find(|(p, _)| *p == position) {
            Some((_, count)) if clauses < *count * 2 => false,
            Some((_, count)) => {
                *count = clauses;
                true
            }
            None => {
                self.assessed.push((position, clauses));
                true
            }
        }
    }

    /// The table a call uses, made if there is none and something to gain.
    fn table_for(
        &mut self,
        db: &Database,
        clauses: &mut Bucket,
        pattern: &Pattern,
    ) -> Option<&mut Table> {
        let applies = |table: &Table| pattern.key_at(table.position).is_some();
        if let Some(at) = self.tables.iter().position(applies) {
            return self.tables.get_mut(at);
        }
        let count = clauses.len();
        let known = pattern.items().iter().map(|item| item.0);
        let new: Vec<Position> = known.filter(|&p| self.is_new(p, count)).collect();
        if new.is_empty() {
            return None;
        }
        let entries = clauses.make_contiguous();
        let assessed = new
            .into_iter()
            .filter_map(|position| Some((assess(db, entries, position)?, position)));
        let (_, position) = assessed.min()?;
        // What lost against this one may win where this one is not known.
        self.assessed.clear();
        self.tables.push(build(db, entries, position));
        self.tables.last_mut()
    }

    /// Makes the index a call would gain by, here or in the bucket the call leads to.
    fn improve(&mut self, db: &Database, clauses: &mut Bucket, pattern: &Pattern, levels: usize) {
        if clauses.len() < SHORT || levels == 0 {
            return;
        }
        let Some(table) = self.table_for(db, clauses, pattern) else {
            return;
        };
        let key = pattern.key_at(table.position).unwrap_or(0);
        let Some(node) = table.buckets.get_mut(&key) else {
            return;
        };
        if let Entries::Many(long) = node {
            if long.bucket.len() >= SHORT {
                let inner = long.inner.get_or_insert_default();
                inner.improve(db, &mut long.bucket, pattern, levels - 1);
            }
        }
    }
}

impl Program {
    /// Makes an index for calls like this one, if there is something to gain.
    pub(crate) fn improve_index(&mut self, id: PredId, pattern: &Pattern) {
        if self.db.pred(id).clauses.len() < SHORT {
            return;
        }
        let pred = self.db.pred_mut(id);
        let mut indexes = std::mem::take(&mut pred.indexes);
        let mut clauses = std::mem::take(&mut pred.clauses);
        indexes.improve(&self.db, &mut clauses, pattern, LEVELS);
        let pred = self.db.pred_mut(id);
        pred.indexes = indexes;
        pred.clauses = clauses;
    }

    /// The first live clause at or after `from` that may match, and where the one after it is.
    pub(crate) fn matching_clauses(
        &self,
        id: PredId,
        pattern: &Pattern,
        from: i64,
        generation: u64,
    ) -> Option<(ClauseId, Option<i64>)> {
        let pred = self.db.pred(id);
        // A clause number may have been given to another clause: the sequence number tells.
        let wanted = |seq: i64, number: ClauseId| {
            self.db.clause(number).is_some_and(|clause| {
                clause.seq == seq
                    && clause.born <= generation
                    && clause.died > generation
                    && pattern.admits(clause)
            })
        };
        match pred.indexes.find(pattern) {
            Some(Ok(entries)) => entries.first_two(from, wanted),
            Some(Err(open)) => first_two(open, from, 0, wanted),
            None => first_two(&pred.clauses, from, pred.dead_prefix, wanted),
        }
    }
}
