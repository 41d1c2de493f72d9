//! Possible values of small symbols: what the constraints of a path over one symbol of at most eight bits allow. Conditions over
//! such a symbol that mention no address need no query: they are decided by looking.

use super::address::mentions_address;
use super::chain::{QueryChain, Truth};
use super::constraints::{PathConstraints, Slice};
use super::witness::{SymbolValue, Witness};
use std::sync::Arc;
use stet_base::FastMap;
use stet_solve::Values;
use stet_term::{Op, Sym, Term};

/// The most operators a value is narrowed in.
const NARROWED: usize = 1024;

/// The values a symbol can have.
#[derive(Clone, Copy, Debug)]
struct Possible {
    values: Values,
    /// Whether each of them is possible on the path: nothing else is known of the symbol.
    exact: bool,
}

fn both(a: &Values, b: &Values) -> Values {
    std::array::from_fn(|i| a[i] & b[i])
}

fn without(a: &Values, b: &Values) -> Values {
    std::array::from_fn(|i| a[i] & !b[i])
}

fn smallest(values: &Values) -> Option<u64> {
    let word = values.iter().position(|word| *word != 0)?;
    Some(word as u64 * 64 + u64::from(values[word].trailing_zeros()))
}

impl QueryChain {
    /// What a condition over one small symbol can be; nothing if its values do not tell.
    pub(super) fn by_values(
        &mut self,
        slice: &Slice,
        condition: Term,
        negation: Term,
    ) -> Option<Truth> {
        if mentions_address(&self.context.terms, condition) {
            return None;
        }
        let (symbol, allowed) = self.context.allowed_by(condition)?;
        let possible = self.possible(slice, symbol)?;
        let yes = smallest(&both(&possible.values, &allowed));
        let no = smallest(&without(&possible.values, &allowed));
        let truth = match (yes, no) {
            (None, _) => Truth::False,
            (_, None) => Truth::True,
            (Some(yes), Some(no)) if possible.exact => {
                for (side, value) in [(condition, yes), (negation, no)] {
                    let witness = Witness::new(vec![(symbol, SymbolValue::Word(value))]);
                    let set = self.query_set(slice, side);
                    self.remember(set, Arc::new(witness));
                }
                Truth::Both
            }
            _ => return None,
        };
        self.statistics.total += 1;
        self.statistics.by_values += 1;
        Some(truth)
    }

    /// All numbers that a term over one small symbol may be on a path, with the concrete addresses; nothing if it has more
    /// symbols, or if queries are not simplified under possible values.
    pub(crate) fn possible_values(
        &mut self,
        path: &PathConstraints,
        term: Term,
    ) -> Option<Vec<u64>> {
        if !self.layers.narrowing.is_on() {
            return None;
        }
        let &[symbol] = &*self.context.program_symbols(term) else {
            return None;
        };
        let slice = path.slice(&[symbol]);
        let possible = self.possible(&slice, symbol)?;
        self.context.few_values(term, symbol, &possible.values)
    }

    /// The values a symbol can have on a path.
    fn possible(&mut self, slice: &Slice, symbol: Sym) -> Option<Possible> {
        let width = self
            .context
            .terms
            .symbol_info(symbol)
            .sort
            .bv_width()
            .unwrap_or(1);
        let mut values = [0u64; 4];
        for value in 0..1usize << width.min(8) {
            values[value / 64] |= 1 << (value % 64);
        }
        debug_assert!(width <= 8, "values are enumerated for bytes only");
        let mut exact = true;
        for group in &slice.groups {
            for &constraint in &group.constraints {
                match self.context.allowed_by(constraint) {
                    Some((known, allowed)) if known == symbol => values = both(&values, &allowed),
                    _ => exact = false,
                }
            }
        }
        Some(Possible { values, exact })
    }

    /// A value without the choices that the possible values of a symbol rule out.
    pub(crate) fn narrowed(&mut self, path: &PathConstraints, value: Term) -> Term {
        let terms = self.context.terms.clone();
        if !matches!(terms.op(value), Op::Ite | Op::BvAdd) {
            return value;
        }
        let mut domains: FastMap<Sym, Option<Values>> = FastMap::default();
        let mut known: FastMap<Term, Term> = FastMap::default();
        let mut pending = vec![value];
        for _ in 0..NARROWED {
            let Some(&term) = pending.last() else {
                break;
            };
            if known.contains_key(&term) {
                pending.pop();
                continue;
            }
            let args = terms.args(term);
            let needed: Vec<Term> = match terms.op(term) {
                Op::Ite => match self.decided(path, args[0], &mut domains) {
                    Some(true) => vec![args[1]],
                    Some(false) => vec![args[2]],
                    None => vec![args[1], args[2]],
                },
                Op::BvAdd => args.to_vec(),
                _ => Vec::new(),
            };
            let missing: Vec<Term> = needed
                .iter()
                .copied()
                .filter(|part| !known.contains_key(part))
                .collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            let narrow = |part: &Term| known.get(part).copied().unwrap_or(*part);
            let result = match (terms.op(term), &needed[..]) {
                (Op::Ite, [only]) => narrow(only),
                (Op::Ite, [yes, no]) => terms.ite(args[0], narrow(yes), narrow(no)),
                (Op::BvAdd, [a, b]) => terms.bv_add(narrow(a), narrow(b)),
                _ => term,
            };
            known.insert(term, result);
        }
        known.get(&value).copied().unwrap_or(value)
    }

    /// What the possible values of its symbol say about a condition.
    fn decided(
        &mut self,
        path: &PathConstraints,
        condition: Term,
        domains: &mut FastMap<Sym, Option<Values>>,
    ) -> Option<bool> {
        if mentions_address(&self.context.terms, condition) {
            return None;
        }
        let (symbol, allowed) = self.context.allowed_by(condition)?;
        let values = match domains.get(&symbol) {
            Some(values) => *values,
            None => {
                let slice = path.slice(&[symbol]);
                let values = self.possible(&slice, symbol).map(|known| known.values);
                domains.insert(symbol, values);
                values
            }
        }?;
        match (
            smallest(&both(&values, &allowed)),
            smallest(&without(&values, &allowed)),
        ) {
            (None, _) => Some(false),
            (_, None) => Some(true),
            _ => None,
        }
    }
}
