//! Long lists of clauses of static predicates: indexes on what the dispatch by code does not look at.
//!
//! Where the linker cannot tell clauses apart (`compile/index.rs`) it writes a `Chain` instruction before the list. A
//! call that knows something about a position is led to the clauses with its key: one clause, or code written for that
//! key when it is first wanted, which may begin with a `Chain` instruction again. So static predicates have indexes on
//! any argument, on several and inside terms, and only those that calls use.

use crate::clause_index::SHORT;
use crate::code::{Op, word_imm};
use crate::compile::index::chain_code;
use crate::database::{ClauseId, Database, PredId};
use crate::machine::Machine;
use crate::positions::{Found, Pattern, Position};
use crate::program::Program;
use stet_base::FastMap;

/// Clauses looked at to assess a position.
const SAMPLE: usize = 1_000;

/// A long list.
pub(crate) struct Chain {
    pred: PredId,
    members: Vec<ClauseId>,
    tables: Vec<Table>,
    assessed: Vec<Position>,
    /// Code written for keys.
    code: Vec<(u32, u32)>,
}

struct Table {
    position: Position,
    targets: FastMap<u64, Target>,
    /// For keys that no clause has.
    open: Target,
}

#[derive(Clone)]
enum Target {
    Members(Vec<ClauseId>),
    Code(u32),
}

impl Chain {
    /// The table a call uses; made if there is something to gain.
    fn table_for(&mut self, db: &Database, pattern: &Pattern) -> Option<usize> {
        let applies = |table: &Table| pattern.key_at(table.position).is_some();
        if let Some(at) = self.tables.iter().position(applies) {
            return Some(at);
        }
        let mut best: Option<(usize, Position)> = None;
        for &(position, _) in pattern.items() {
            if self.assessed.contains(&position) {
                continue;
            }
            self.assessed.push(position);
            if let Some(left) = assess(db, &self.members, position) {
                best = Some(best.map_or((left, position), |found| found.min((left, position))));
            }
        }
        let (_, position) = best?;
        self.assessed.clear();
        self.tables.push(build(db, &self.members, position));
        Some(self.tables.len() - 1)
    }
}

/// How many clauses a call that knows the position is left with; `None` if that is more than half of them.
fn assess(db: &Database, members: &[ClauseId], position: Position) -> Option<usize> {
    let step = members.len().div_ceil(SAMPLE).max(1);
    let mut counts: FastMap<u64, usize> = FastMap::default();
    let (mut open, mut looked) = (0, 0);
    for &number in members.iter().step_by(step) {
        let Some(clause) = db.clause(number) else {
            continue;
        };
        looked += 1;
        match clause.found_at(position) {
            Found::Key(key) => *counts.entry(key).or_default() += 1,
            Found::Any => open += 1,
            Found::Never => {}
        }
    }
    if counts.is_empty() || open * counts.len() * step > 1 << 17 {
        return None;
    }
    #[allow(clippy::iter_over_hash_type, reason = "a sum has no order")]
    let squares: usize = counts.values().map(|count| count * count).sum();
    let left = open + squares / (looked - open).max(1);
    (left * 2 <= looked).then_some(left)
}

fn build(db: &Database, members: &[ClauseId], position: Position) -> Table {
    let mut targets: FastMap<u64, Vec<ClauseId>> = FastMap::default();
    let mut open: Vec<ClauseId> = Vec::new();
    for &number in members {
        let Some(clause) = db.clause(number) else {
            continue;
        };
        match clause.found_at(position) {
            Found::Never => {}
            Found::Key(key) => targets
                .entry(key)
                .or_insert_with(|| open.clone())
                .push(number),
            Found::Any => {
                open.push(number);
                #[allow(clippy::iter_over_hash_type, reason = "every list gets the clause")]
                for list in targets.values_mut() {
                    list.push(number);
                }
            }
        }
    }
    #[allow(clippy::iter_over_hash_type, reason = "from one map into another")]
    let targets = targets
        .into_iter()
        .map(|(key, list)| match list.as_slice() {
            [only] => {
                let code = db.clause(*only).map_or(0, |clause| clause.code);
                (key, Target::Code(code))
            }
            _ => (key, Target::Members(list)),
        });
    Table {
        position,
        targets: targets.collect(),
        open: Target::Members(open),
    }
}

impl Program {
    /// Registers the long lists the linker found; their numbers follow those there are.
    pub(crate) fn add_chains(&mut self, id: PredId, lists: Vec<Vec<ClauseId>>) {
        for members in lists {
            let number = self.db.chains.len() as u32;
            self.db.pred_mut(id).chains.push(number);
            self.db.chains.push(Some(Chain {
                pred: id,
                members,
                tables: Vec::new(),
                assessed: Vec::new(),
                code: Vec::new(),
            }));
        }
    }
}

impl Machine {
    /// Gives up the lists of a predicate whose clauses change.
    pub(crate) fn drop_chains(&mut self, id: PredId) {
        for number in std::mem::take(&mut self.program.db.pred_mut(id).chains) {
            if let Some(chain) = self.program.db.chains[number as usize].take() {
                for (start, len) in chain.code {
                    self.retire_code(start, len);
                }
            }
        }
    }

    /// Where a call goes on; `None` if nothing it knows tells the clauses apart.
    pub(crate) fn choose_in_chain(&mut self, number: u32) -> Option<usize> {
        let mut chain = self.program.db.chains.get_mut(number as usize)?.take()?;
        let arity = self.program.db.pred(chain.pred).arity;
        let pattern = self.pattern_of_call(arity, true);
        let chosen = self.choose(&mut chain, &pattern);
        self.program.db.chains[number as usize] = Some(chain);
        chosen
    }

    fn choose(&mut self, chain: &mut Chain, pattern: &Pattern) -> Option<usize> {
        let at = chain.table_for(&self.program.db, pattern)?;
        let table = &mut chain.tables[at];
        let key = pattern.key_at(table.position)?;
        let target = table.targets.get_mut(&key).unwrap_or(&mut table.open);
        if let Target::Members(members) = target {
            let (code, len) = self.code_for(chain.pred, members.clone())?;
            *target = Target::Code(code);
            if len > 0 {
                chain.code.push((code, len));
            }
            return Some(code as usize);
        }
        match target {
            Target::Code(code) => Some(*code as usize),
            Target::Members(_) => None,
        }
    }

    /// Code that tries these clauses, and its length if it was written for them.
    fn code_for(&mut self, id: PredId, members: Vec<ClauseId>) -> Option<(u32, u32)> {
        let clauses = members
            .iter()
            .filter_map(|&number| self.program.db.clause(number));
        let clauses: Vec<(u32, bool)> = clauses.map(|c| (c.code, c.shallow)).collect();
        match clauses.as_slice() {
            [] => return Some((0, 0)),
            [(code, _)] => return Some((*code, 0)),
            _ => {}
        }
        let mut words = Vec::with_capacity(clauses.len() + 1);
        let long = clauses.len() >= SHORT;
        if long {
            let number = self.program.db.chains.len() as u32;
            words.push(word_imm(Op::Chain, 0, 0, number));
        }
        chain_code(
            &mut words,
            self.program.db.pred(id).arity,
            clauses.into_iter(),
        );
        let start = self.alloc_code(&words).ok()?;
        if long {
            self.program.add_chains(id, vec![members]);
        }
        Some((start, words.len() as u32))
    }
}
