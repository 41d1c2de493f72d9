//! Queries over few bytes, by enumeration: every symbol has a set of possible values, conditions over one symbol shrink it,
//! and conditions over several are tried value by value, one symbol after the other.
//!
//! The search fixes symbols in an order that completes conditions early; at each step all values of the next symbol are
//! judged at once (`columns`). If a symbol has no value left, the search returns to the last symbol that any condition in the way
//! mentions (conflict-directed backjumping). It gives up when it has spent its steps; an answer is exact: a model was evaluated,
//! or everything was excluded.

use super::columns::{Column, Columns, Context, symbol_lanes};
use crate::query::{Values, is_among};
use stet_base::FastMap;
use stet_term::{Sym, Term, Terms};

/// The most symbols that are enumerated together.
const MOST_SYMBOLS: usize = 24;
/// Operators that may be evaluated in the search of one query. The bit-vector procedure needs about as long as this for what is left.
const STEPS: u64 = 300;

/// What enumeration found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    Sat(Vec<(Sym, u64)>),
    Unsat,
    /// Not a query over few small symbols, or too much work.
    GaveUp,
}

/// The procedure with the columns of earlier queries.
#[derive(Default)]
pub(super) struct Domains {
    columns: Columns,
    /// What conditions over one symbol allow.
    allowed: FastMap<Term, Values>,
}

/// A condition over several symbols.
struct Joint {
    condition: Term,
    /// Positions of its symbols in the order of the search, as a set.
    positions: u32,
}

struct Search<'a> {
    terms: &'a Terms,
    order: Vec<(Sym, usize, Values)>,
    /// Conditions by the position at which they are complete.
    complete_at: Vec<Vec<Joint>>,
    steps: u64,
}

enum Outcome {
    Found,
    /// No value, because of these positions.
    Conflict(u32),
    GaveUp,
}

impl Domains {
    /// Decides a conjunction.
    pub(super) fn decide(&mut self, terms: &Terms, constraints: &[Term]) -> Decision {
        self.columns.trim();
        if self.allowed.len() > 1 << 18 {
            self.allowed.clear();
        }
        match self.try_decide(terms, constraints) {
            Some(decision) => decision,
            None => Decision::GaveUp,
        }
    }

    /// The values of a symbol for which a condition over no other symbol holds.
    pub(super) fn allowed(
        &mut self,
        terms: &Terms,
        condition: Term,
        symbol: Sym,
    ) -> Option<Values> {
        let lanes = symbol_lanes(terms, symbol)?;
        match terms.known_symbols(condition)? {
            [] => match condition {
                Term::TRUE => Some(full(lanes)),
                Term::FALSE => Some([0; 4]),
                _ => None,
            },
            &[only] if only == symbol => self.allowed_by(terms, condition, symbol),
            _ => None,
        }
    }

    /// The different values that a term over one symbol has for these values of it, if there are no more than `most`.
    pub(super) fn few_values(
        &mut self,
        terms: &Terms,
        term: Term,
        symbol: Sym,
        values: &Values,
        most: usize,
    ) -> Option<Vec<u64>> {
        self.columns.trim();
        let lanes = symbol_lanes(terms, symbol)?;
        let column = self.columns.of_one(terms, term, symbol)?;
        let mut found = Vec::new();
        for lane in (0..lanes).filter(|&lane| is_among(values, lane as u64)) {
            let value = column.at(lane);
            if found.contains(&value) {
                continue;
            }
            if found.len() == most {
                return None;
            }
            found.push(value);
        }
        (!found.is_empty()).then_some(found)
    }

    fn try_decide(&mut self, terms: &Terms, constraints: &[Term]) -> Option<Decision> {
        let mut domains: Vec<(Sym, usize, Values)> = Vec::new();
        let mut joint: Vec<Term> = Vec::new();
        for &constraint in constraints {
            let symbols = terms.known_symbols(constraint)?;
            for &symbol in symbols {
                if domains.iter().all(|(known, ..)| *known != symbol) {
                    let lanes = symbol_lanes(terms, symbol)?;
                    domains.push((symbol, lanes, full(lanes)));
                }
            }
            if domains.len() > MOST_SYMBOLS {
                return None;
            }
            match symbols {
                [] => {
                    if constraint != Term::TRUE {
                        return None;
                    }
                }
                &[symbol] => {
                    let allowed = self.allowed_by(terms, constraint, symbol)?;
                    let slot = domains.iter_mut().find(|(known, ..)| *known == symbol)?;
                    if !intersect(&mut slot.2, &allowed) {
                        return Some(Decision::Unsat);
                    }
                }
                _ => joint.push(constraint),
            }
        }
        self.search(terms, domains, joint)
    }

    fn allowed_by(&mut self, terms: &Terms, condition: Term, symbol: Sym) -> Option<Values> {
        if let Some(allowed) = self.allowed.get(&condition) {
            return Some(*allowed);
        }
        let column = self.columns.of_one(terms, condition, symbol)?;
        let allowed = true_in(&column, symbol_lanes(terms, symbol)?);
        self.allowed.insert(condition, allowed);
        Some(allowed)
    }

    fn search(
        &mut self,
        terms: &Terms,
        domains: Vec<(Sym, usize, Values)>,
        joint: Vec<Term>,
    ) -> Option<Decision> {
        let order = ordered(terms, domains, &joint)?;
        let mut complete_at: Vec<Vec<Joint>> = order.iter().map(|_| Vec::new()).collect();
        for condition in joint {
            let symbols = terms.known_symbols(condition)?;
            let mut positions = 0u32;
            for symbol in symbols {
                let position = order.iter().position(|(known, ..)| known == symbol)?;
                positions |= 1 << position;
            }
            let last = positions.checked_ilog2()? as usize;
            complete_at[last].push(Joint {
                condition,
                positions,
            });
        }
        let mut search = Search {
            terms,
            order,
            complete_at,
            steps: STEPS,
        };
        let mut values = Vec::new();
        match self.descend(&mut search, &mut values) {
            Outcome::Found => Some(Decision::Sat(values)),
            Outcome::Conflict(_) => Some(Decision::Unsat),
            Outcome::GaveUp => None,
        }
    }

    /// Finds values for the symbols from the position `values.len()` on. As deep as there are symbols.
    fn descend(&mut self, search: &mut Search<'_>, values: &mut Vec<(Sym, u64)>) -> Outcome {
        let position = values.len();
        let Some(&(symbol, lanes, mut possible)) = search.order.get(position) else {
            return Outcome::Found;
        };
        let mut blame = 0u32;
        let mut local = FastMap::default();
        for joint in &search.complete_at[position] {
            let context = Context {
                terms: search.terms,
                lane: symbol,
                lanes,
                fixed: values,
            };
            let column =
                self.columns
                    .compute(&context, joint.condition, &mut local, &mut search.steps);
            let Some(column) = column else {
                return Outcome::GaveUp;
            };
            blame |= joint.positions;
            if !intersect(&mut possible, &true_in(&column, lanes)) {
                return Outcome::Conflict(blame & !(1 << position));
            }
        }
        let here = 1u32 << position;
        for value in 0..lanes as u64 {
            if !is_among(&possible, value) {
                continue;
            }
            match search.steps.checked_sub(1) {
                Some(left) => search.steps = left,
                None => return Outcome::GaveUp,
            }
            values.push((symbol, value));
            match self.descend(search, values) {
                Outcome::Conflict(conflict) => {
                    values.pop();
                    if conflict & here == 0 {
                        return Outcome::Conflict(conflict);
                    }
                    blame |= conflict;
                }
                other => return other,
            }
        }
        Outcome::Conflict(blame & !here)
    }
}

/// An order that completes conditions early, and begins with few values.
fn ordered(
    terms: &Terms,
    mut domains: Vec<(Sym, usize, Values)>,
    joint: &[Term],
) -> Option<Vec<(Sym, usize, Values)>> {
    let sets: Option<Vec<&[Sym]>> = joint
        .iter()
        .map(|&condition| terms.known_symbols(condition))
        .collect();
    let sets = sets?;
    let mut order: Vec<(Sym, usize, Values)> = Vec::with_capacity(domains.len());
    while !domains.is_empty() {
        let rank = |&(symbol, _, values): &(Sym, usize, Values)| {
            let is_open = |other: &&Sym| order.iter().all(|(known, ..)| known != *other);
            let left = sets
                .iter()
                .filter(|set| set.contains(&symbol))
                .map(|set| set.iter().filter(is_open).count())
                .min();
            match count(&values) {
                // known values make other conditions simpler
                1 => (0, 1),
                values => (left.unwrap_or(usize::MAX), values),
            }
        };
        let best = (0..domains.len()).min_by_key(|&i| rank(&domains[i]))?;
        order.push(domains.swap_remove(best));
    }
    Some(order)
}

fn full(lanes: usize) -> Values {
    let mut values = [0; 4];
    for value in 0..lanes {
        values[value / 64] |= 1 << (value % 64);
    }
    values
}

fn count(values: &Values) -> u32 {
    values.iter().map(|word| word.count_ones()).sum()
}

/// Whether anything is left.
fn intersect(values: &mut Values, other: &Values) -> bool {
    let mut any = 0;
    for (word, other) in values.iter_mut().zip(other) {
        *word &= other;
        any |= *word;
    }
    any != 0
}

/// The lanes in which a condition is true.
fn true_in(column: &Column, lanes: usize) -> Values {
    let mut values = [0; 4];
    for lane in 0..lanes {
        values[lane / 64] |= (column.at(lane) & 1) << (lane % 64);
    }
    values
}
