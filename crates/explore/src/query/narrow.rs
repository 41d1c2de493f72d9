//! Simplification under possible values: the last thing tried before the solver. Parts of a query that mention no address and
//! one small symbol only, and have the same value for every value the path allows that symbol, become that value. What is
//! left mentions fewer addresses and fewer symbols, so it is sliced again: it is often constant or about one byte, and more often
//! the same as an earlier query.
//!
//! The result is equivalent to the query for all allowed values and under every layout: no address was looked at.

use super::address::mentions_address;
use super::chain::{CacheMode, QueryChain, Verdict};
use super::constraints::Slice;
use super::core::{Values, is_among};
use super::layers::Parts;
use super::witness::{SymbolValue, Witness};
use std::sync::Arc;
use stet_base::FastMap;
use stet_term::{Op, Sort, Sym, Term, Terms};

/// The most nodes of a query that are looked at.
const MOST_NODES: usize = 20_000;

/// When queries are simplified under possible values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Narrowing {
    /// Never.
    Off,
    /// With the address-aware cache: it is part of what that cache sees through.
    Aware,
    /// With every cache.
    All,
}

/// What became of a query.
pub(super) enum Narrow {
    /// It was decided.
    Decided(Verdict),
    /// This is left, and is satisfiable exactly if the query is.
    Left(Parts),
}

impl QueryChain {
    /// Whether queries are simplified in this mode.
    pub(super) fn narrows(&self) -> bool {
        match self.config.narrowing {
            Narrowing::Off => false,
            Narrowing::Aware => self.config.query_cache == CacheMode::AddressAware,
            Narrowing::All => true,
        }
    }

    /// The query for the values allowed; nothing if it is what it was.
    pub(super) fn narrow(&mut self, set: &[Term], path: &Slice, parts: &Parts) -> Option<Narrow> {
        if parts.domains.is_empty() {
            return None;
        }
        let mut known = FastMap::default();
        let (mut asked, mut others) = (Vec::new(), Vec::new());
        for &constraint in &parts.required {
            match self.under_values(constraint, &parts.domains, &mut known)? {
                Term::TRUE => {}
                Term::FALSE => return Some(Narrow::Decided(Verdict::Unsat)),
                simple if path.contains(constraint) => others.push(simple),
                simple => asked.push(simple),
            }
        }
        let left = self.connected(asked, others, parts);
        if left.required.is_empty() {
            let witness = self.joined_witness(path)?;
            return self
                .holds(&witness, set)
                .then_some(Narrow::Decided(Verdict::Sat(witness)));
        }
        if let Some(verdict) = self.by_one_symbol(set, path, &left) {
            return Some(Narrow::Decided(verdict));
        }
        let same = left.required == parts.required && left.domains.len() == parts.domains.len();
        (!same).then_some(Narrow::Left(left))
    }

    /// What is connected with the question by shared symbols. The path is possible, so what is not connected is true for some
    /// values of its own symbols.
    fn connected(&mut self, asked: Vec<Term>, mut others: Vec<Term>, parts: &Parts) -> Parts {
        let mut symbols: Vec<Sym> = Vec::new();
        let mut required = asked;
        let mut done = 0;
        while done < required.len() {
            for &constraint in &required[done..] {
                symbols.extend(self.program_symbols(constraint).iter());
            }
            done = required.len();
            let mut apart = Vec::with_capacity(others.len());
            for constraint in others {
                let shared = self.program_symbols(constraint);
                match shared.iter().any(|symbol| symbols.contains(symbol)) {
                    true => required.push(constraint),
                    false => apart.push(constraint),
                }
            }
            others = apart;
        }
        required.sort_unstable();
        required.dedup();
        let mut given = parts.given.clone();
        given.retain(|&constraint| {
            let own = self.program_symbols(constraint);
            own.iter().any(|symbol| symbols.contains(symbol))
        });
        let domains = parts.domains.iter().copied();
        Parts {
            required,
            given,
            domains: domains
                .filter(|(symbol, _)| symbols.contains(symbol))
                .collect(),
        }
    }

    /// Decides constraints over one small symbol without addresses.
    fn by_one_symbol(&mut self, set: &[Term], path: &Slice, left: &Parts) -> Option<Verdict> {
        let &[(symbol, mut values)] = &left.domains[..] else {
            return None;
        };
        for &constraint in &left.required {
            if mentions_address(&self.terms, constraint) {
                return None;
            }
            let (known, allowed) = self.allowed_by(constraint)?;
            if known != symbol {
                return None;
            }
            values = std::array::from_fn(|i| values[i] & allowed[i]);
        }
        let Some(value) = (0..256).find(|&value| is_among(&values, value)) else {
            return Some(Verdict::Unsat);
        };
        let own = Witness::new(vec![(symbol, SymbolValue::Word(value))]);
        let witness = self.completed(path, &own)?;
        self.holds(&witness, set).then_some(Verdict::Sat(witness))
    }

    /// A witness for a part of a query together with the path's for the rest.
    pub(super) fn completed(&mut self, path: &Slice, own: &Witness) -> Option<Arc<Witness>> {
        let rest = self.joined_witness(path)?;
        Some(Arc::new(Witness::union([own, &*rest])))
    }

    /// A term for the values allowed; nothing if it is too large.
    fn under_values(
        &mut self,
        term: Term,
        domains: &[(Sym, Values)],
        known: &mut FastMap<Term, Term>,
    ) -> Option<Term> {
        let terms = self.terms.clone();
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if known.contains_key(&top) {
                pending.pop();
                continue;
            }
            if known.len() > MOST_NODES {
                return None;
            }
            if let Some(done) = self.leaf(&terms, top, domains) {
                known.insert(top, done);
                continue;
            }
            let node = terms.node(top);
            let before = pending.len();
            let mut args = Vec::with_capacity(node.args().len());
            for arg in node.args() {
                match known.get(arg) {
                    Some(&arg) => args.push(arg),
                    None => pending.push(*arg),
                }
            }
            if pending.len() == before {
                let built = match args == node.args() {
                    true => top,
                    false => terms.build(node.op(), &args, node.sort()),
                };
                known.insert(top, built);
            }
        }
        known.get(&term).copied()
    }

    /// What a term is without looking at its arguments: itself if no value is known of its symbols, or a constant.
    fn leaf(&mut self, terms: &Terms, term: Term, domains: &[(Sym, Values)]) -> Option<Term> {
        if matches!(terms.op(term), Op::Symbol(_)) && terms.sort(term).bv_width().is_none() {
            return Some(term);
        }
        let symbols = terms.known_symbols(term)?;
        let domain = |symbol: &Sym| domains.iter().find(|(known, _)| known == symbol);
        if symbols.iter().all(|symbol| domain(symbol).is_none()) {
            return Some(term);
        }
        let &[symbol] = symbols else {
            return None;
        };
        let (_, values) = domain(&symbol)?;
        let sort = terms.sort(term);
        let width = sort.bv_width();
        let is_word = sort == Sort::BOOL || width.is_some_and(|width| width <= 64);
        let value = match is_word && !mentions_address(terms, term) {
            true => self.core.only_value(terms, term, symbol, values),
            false => None,
        };
        match (value, width) {
            (Some(value), Some(width)) => Some(terms.bv(width, value)),
            (Some(0), None) => Some(Term::FALSE),
            (Some(_), None) => Some(Term::TRUE),
            (None, _) => terms.args(term).is_empty().then_some(term),
        }
    }
}
