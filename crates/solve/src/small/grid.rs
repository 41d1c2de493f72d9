//! Queries over few bytes with many operators: all combinations of possible values are rows of a table, and conditions
//! delete rows.
//!
//! Symbols become columns one after the other, in the order of the search in `domains`. After each, the conditions that are
//! then complete are evaluated for a block of rows at once, operator by operator, and rows where one is false are dropped
//! before the next symbol multiplies them. Floating point over three digits has a thousand rows and some ten thousand
//! operators: milliseconds here, minutes for a SAT solver.
//!
//! The work is counted (operators times rows) and limited; an answer is exact: a row that is left at the end satisfies all
//! conditions, and if none is left all combinations were excluded.

use super::domains::{Decision, Problem};
use super::rows::{Plan, Rows};
use stet_base::Budget;
use stet_term::{Sym, Terms};

/// Rows that are evaluated together.
const BLOCK: usize = 512;

/// One symbol, and what is evaluated when it has values.
struct Level {
    symbol: Sym,
    /// Its values; only one if no condition mentions it.
    values: Vec<u8>,
    plan: Option<Plan>,
}

/// Whether a problem may be worth a table: operators times all combinations, whatever conditions delete on the way.
/// What is above `most` is not counted.
pub(super) fn estimate(terms: &Terms, problem: &Problem, most: u64) -> u64 {
    let mut combinations = 1u64;
    let mut total = 0u64;
    for (position, (_, values)) in problem.order.iter().enumerate() {
        if problem.is_mentioned(position) {
            combinations = combinations.saturating_mul(values.len() as u64);
        }
        if combinations > most {
            return u64::MAX;
        }
        let conditions = &problem.complete_at[position];
        if conditions.is_empty() {
            continue;
        }
        let mut operators = 0u64;
        terms.post_order(conditions, |_| operators += 1);
        total = total.saturating_add(operators.saturating_mul(combinations));
    }
    total
}

/// Decides a problem by a table; gives up when `work` is spent.
pub(super) fn decide(terms: &Terms, problem: &Problem, work: u64, budget: &Budget) -> Decision {
    debug_assert_eq!(
        problem.order.len(),
        problem.complete_at.len(),
        "conditions for every position"
    );
    debug_assert!(
        problem.order.iter().all(|(_, values)| !values.is_empty()),
        "a symbol without a value was decided before"
    );
    let levels: Option<Vec<Level>> = (0..problem.order.len())
        .map(|position| {
            let (symbol, values) = &problem.order[position];
            let mentioned = problem.is_mentioned(position);
            let count = if mentioned { values.len() } else { 1 };
            let conditions = &problem.complete_at[position];
            Some(Level {
                symbol: *symbol,
                values: values[..count].to_vec(),
                plan: match conditions.is_empty() {
                    true => None,
                    false => Some(Plan::new(terms, conditions)?),
                },
            })
        })
        .collect();
    let Some(levels) = levels else {
        return Decision::GaveUp;
    };
    let mut table = Table {
        terms,
        levels: &levels,
        work,
        budget,
    };
    match table.extend(&Rows::start()) {
        Some(Some(row)) => {
            let symbols = levels.iter().map(|level| level.symbol);
            Decision::Sat(symbols.zip(row.into_iter().map(u64::from)).collect())
        }
        Some(None) => Decision::Unsat,
        None => Decision::GaveUp,
    }
}

struct Table<'a> {
    terms: &'a Terms,
    levels: &'a [Level],
    work: u64,
    budget: &'a Budget,
}

impl Table<'_> {
    /// A row for all symbols that begins as one of these and satisfies all conditions; nothing outside if the work is spent.
    /// As deep as there are symbols.
    fn extend(&mut self, rows: &Rows) -> Option<Option<Vec<u8>>> {
        let levels = self.levels;
        let Some(level) = levels.get(rows.symbols()) else {
            return Some(Some(rows.first()));
        };
        let all = rows.len() * level.values.len();
        for start in (0..all).step_by(BLOCK) {
            self.budget.check().ok()?;
            let block = start..(start + BLOCK).min(all);
            let mut wider = rows.times(level.symbol, &level.values, block);
            if let Some(plan) = &level.plan {
                let kept = plan.evaluate(self.terms, &wider, &mut self.work)?;
                wider.keep(&kept);
            }
            debug_assert_eq!(
                wider.symbols(),
                rows.symbols() + 1,
                "one symbol after the other"
            );
            if wider.len() == 0 {
                continue;
            }
            let found = self.extend(&wider)?;
            if found.is_some() {
                return Some(found);
            }
        }
        Some(None)
    }
}
