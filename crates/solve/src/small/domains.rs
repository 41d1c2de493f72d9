//! Queries over few bytes, by enumeration: every symbol has a set of possible values, conditions over one symbol shrink it,
//! and conditions over several are tried value by value, one symbol after the other.
//!
//! The search fixes symbols in an order that completes conditions early; at each step all values of the next symbol are
//! judged at once (`columns`). If a symbol has no value left, the search returns to the last symbol that any condition in the way
//! mentions (conflict-directed backjumping). It gives up when it has spent its steps; an answer is exact: a model was evaluated,
//! or everything was excluded.

use super::columns::{Column, Columns, Context, symbol_lanes};
use super::{Values, is_among};
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

/// A symbol, how many values its sort has, and those that are possible.
type Domain = (Sym, usize, Values);

/// A query as `grid` takes it.
pub(super) struct Problem {
    /// Symbols and their possible values.
    pub(super) order: Vec<(Sym, Vec<u8>)>,
    /// Conditions over several symbols by the position at which they are complete.
    pub(super) complete_at: Vec<Vec<Term>>,
    mentioned: u32,
}

impl Problem {
    /// Whether a condition over several symbols mentions the symbol at a position.
    pub(super) fn is_mentioned(&self, position: usize) -> bool {
        self.mentioned >> position & 1 == 1
    }
}

/// A condition over several symbols.
struct Joint {
    condition: Term,
    /// Positions of its symbols, as a set: in the order they were met, then in that of the search.
    positions: u32,
}

struct Search<'a> {
    terms: &'a Terms,
    order: Vec<Domain>,
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
        let mut rest = members(values).take_while(|&lane| lane < lanes);
        let mut found = vec![column.at(rest.next()?)];
        let Column::Lanes(column) = column else {
            return Some(found);
        };
        for lane in rest {
            let value = column[lane];
            if found.contains(&value) {
                continue;
            }
            if found.len() == most {
                return None;
            }
            found.push(value);
        }
        Some(found)
    }

    fn try_decide(&mut self, terms: &Terms, constraints: &[Term]) -> Option<Decision> {
        match self.domains_of(terms, constraints)? {
            Some((domains, joint)) => self.search(terms, domains, joint),
            None => Some(Decision::Unsat),
        }
    }

    /// The query as symbols in the order of the search, for `grid`; nothing if it is not over few small symbols, or a condition
    /// over one of them excludes all values.
    pub(super) fn problem(&mut self, terms: &Terms, constraints: &[Term]) -> Option<Problem> {
        let (domains, joint) = self.domains_of(terms, constraints)??;
        let (order, complete_at) = arranged(&domains, joint)?;
        let value = |at: usize| u8::try_from(at).ok();
        let order: Option<Vec<(Sym, Vec<u8>)>> = order
            .iter()
            .map(|(symbol, _, values)| {
                let values = members(values).map(value).collect::<Option<_>>()?;
                Some((*symbol, values))
            })
            .collect();
        let conditions = |joint: &[Joint]| joint.iter().map(|joint| joint.condition).collect();
        let all = complete_at.iter().flatten();
        Some(Problem {
            order: order?,
            mentioned: all.fold(0, |set, joint| set | joint.positions),
            complete_at: complete_at.iter().map(|joint| conditions(joint)).collect(),
        })
    }

    /// Possible values of each symbol under the conditions over one symbol, and the other conditions; nothing inside if a symbol
    /// has no value left, nothing outside if the query is not over few small symbols.
    fn domains_of(
        &mut self,
        terms: &Terms,
        constraints: &[Term],
    ) -> Option<Option<(Vec<Domain>, Vec<Joint>)>> {
        let mut domains: Vec<Domain> = Vec::new();
        let mut joint: Vec<Joint> = Vec::new();
        for &constraint in constraints {
            let symbols = terms.known_symbols(constraint)?;
            let mut positions = 0u32;
            for &symbol in symbols {
                let known = domains.iter().position(|(known, ..)| *known == symbol);
                let position = match known {
                    Some(position) => position,
                    None if domains.len() == MOST_SYMBOLS => return None,
                    None => {
                        let lanes = symbol_lanes(terms, symbol)?;
                        domains.push((symbol, lanes, full(lanes)));
                        domains.len() - 1
                    }
                };
                debug_assert!(
                    position < MOST_SYMBOLS,
                    "sets of positions have a bit for every symbol"
                );
                positions |= 1 << position;
            }
            match symbols {
                [] => {
                    if constraint != Term::TRUE {
                        return None;
                    }
                }
                &[symbol] => {
                    let allowed = self.allowed_by(terms, constraint, symbol)?;
                    let slot = &mut domains[positions.trailing_zeros() as usize].2;
                    if !intersect(slot, &allowed) {
                        return Some(None);
                    }
                }
                _ => joint.push(Joint {
                    condition: constraint,
                    positions,
                }),
            }
        }
        Some(Some((domains, joint)))
    }

    fn allowed_by(&mut self, terms: &Terms, condition: Term, symbol: Sym) -> Option<Values> {
        debug_assert!(
            matches!(terms.known_symbols(condition), Some([only]) if *only == symbol),
            "what a condition allows is kept by the condition, so it mentions no other symbol"
        );
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
        domains: Vec<Domain>,
        joint: Vec<Joint>,
    ) -> Option<Decision> {
        let (order, complete_at) = arranged(&domains, joint)?;
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
        debug_assert_eq!(
            blame & !((2u32 << position) - 1),
            0,
            "only symbols that have values are to blame"
        );
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

/// Symbols in the order of the search, and conditions by the position at which they are complete.
fn arranged(domains: &[Domain], joint: Vec<Joint>) -> Option<(Vec<Domain>, Vec<Vec<Joint>>)> {
    let chosen = ordered(domains, &joint);
    let mut position_of = [0u8; MOST_SYMBOLS];
    for (position, &index) in chosen.iter().enumerate() {
        position_of[index] = position as u8;
    }
    debug_assert_eq!(
        chosen.len(),
        domains.len(),
        "every symbol has a place in the order"
    );
    let order: Vec<Domain> = chosen.iter().map(|&at| domains[at]).collect();
    let mut complete_at: Vec<Vec<Joint>> = order.iter().map(|_| Vec::new()).collect();
    for Joint {
        condition,
        positions: indices,
    } in joint
    {
        let members = (0..order.len()).filter(|index| indices >> index & 1 == 1);
        let positions = members.fold(0u32, |set, index| set | 1 << position_of[index]);
        let last = positions.checked_ilog2()? as usize;
        debug_assert_eq!(
            positions.count_ones(),
            indices.count_ones(),
            "the order renames symbols"
        );
        complete_at[last].push(Joint {
            condition,
            positions,
        });
    }
    Some((order, complete_at))
}

/// An order that completes conditions early, and begins with few values: positions in `domains`.
fn ordered(domains: &[Domain], joint: &[Joint]) -> Vec<usize> {
    let mut open: u32 = ((1u64 << domains.len()) - 1) as u32;
    let mut order = Vec::with_capacity(domains.len());
    while open != 0 {
        // how many symbols the conditions of each symbol still wait for
        let mut waiting = [u32::MAX; MOST_SYMBOLS];
        for condition in joint {
            let mut left = condition.positions & open;
            let count = left.count_ones();
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                waiting[at] = waiting[at].min(count);
                left &= left - 1;
            }
        }
        let rank = |&at: &usize| match count(&domains[at].2) {
            // known values make other conditions simpler
            1 => (0, 1),
            values => (waiting[at], values),
        };
        let members = (0..domains.len()).filter(|at| open >> at & 1 == 1);
        let Some(best) = members.min_by_key(rank) else {
            break;
        };
        open &= !(1 << best);
        order.push(best);
    }
    order
}

fn full(lanes: usize) -> Values {
    debug_assert!(lanes <= 256, "sets have a bit for every value of a byte");
    let mut values = [0; 4];
    for value in 0..lanes {
        values[value / 64] |= 1 << (value % 64);
    }
    values
}

/// The values in a set, in order.
fn members(values: &Values) -> impl Iterator<Item = usize> + '_ {
    (0..values.len()).flat_map(|word| {
        let mut rest = values[word];
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(word * 64 + bit)
        })
    })
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
