//! Which subterms are named, and where.
//!
//! A scope is a whole term or the body of a quantifier. A subterm used more than once in a scope is named
//! there unless it mentions a variable bound further inside; such a subterm is named in the inner scope.
//! Names of one level (depending only on names of lower levels) share one `let`.

use super::{Item, Printer};
use crate::{Op, Sym, Term};
use std::collections::BTreeMap;
use stet_base::{FastMap, FastSet};

impl Printer<'_> {
    /// Replaces a scope's root by its `let`s and the root.
    pub(super) fn enter(&mut self, root: Term, items: &mut Vec<Item>) {
        let levels = self.levels(root);
        let named: Vec<Term> = levels.values().flatten().copied().collect();
        items.push(Item::Leave(named.clone(), levels.len()));
        items.push(Item::Term(root));
        for &term in &named {
            self.names.insert(term, self.next_name);
            self.next_name += 1;
        }
        for level in levels.values().rev() {
            items.push(Item::Text(")) "));
            for (i, &term) in level.iter().enumerate().rev() {
                items.push(Item::Open(term));
                items.push(Item::Text(" "));
                items.push(Item::Name(self.names[&term]));
                items.push(Item::Text(if i > 0 { ") (" } else { "(let ((" }));
            }
        }
    }

    /// The subterms to name, by level.
    fn levels(&self, root: Term) -> BTreeMap<u32, Vec<Term>> {
        let mut levels = BTreeMap::new();
        let terms = self.terms;
        if terms.args(root).is_empty() || self.names.contains_key(&root) {
            return levels;
        }
        let (uses, order, bound_inside) = self.survey(root);
        let mut level_of: FastMap<Term, u32> = FastMap::default();
        for term in order {
            let node = terms.node(term);
            let below = node
                .args()
                .iter()
                .map(|arg| level_of.get(arg).copied().unwrap_or(0))
                .max()
                .unwrap_or(0);
            let worth = uses[&term] > 1 && !node.args().is_empty() && term != root;
            let level = if worth && !self.mentions(term, &bound_inside) {
                levels.entry(below + 1).or_insert_with(Vec::new).push(term);
                below + 1
            } else {
                below
            };
            level_of.insert(term, level);
        }
        levels
    }

    fn mentions(&self, term: Term, symbols: &FastSet<Sym>) -> bool {
        !symbols.is_empty()
            && self
                .terms
                .free_symbols(term)
                .iter()
                .any(|symbol| symbols.contains(symbol))
    }

    /// Uses of each unnamed subterm, a post-order of them, and the symbols bound inside.
    fn survey(&self, root: Term) -> (FastMap<Term, u32>, Vec<Term>, FastSet<Sym>) {
        let terms = self.terms;
        let mut uses: FastMap<Term, u32> = FastMap::default();
        let mut order = Vec::new();
        let mut bound: FastSet<Sym> = FastSet::default();
        let mut stack = vec![(root, false)];
        while let Some((term, ready)) = stack.pop() {
            if ready {
                order.push(term);
                continue;
            }
            let count = uses.entry(term).or_insert(0);
            *count += 1;
            if *count > 1 || (self.names.contains_key(&term) && term != root) {
                continue;
            }
            stack.push((term, true));
            let node = terms.node(term);
            let mut args = node.args();
            if let Op::Forall(id) | Op::Exists(id) = node.op {
                let (variables, rest) = args.split_at(terms.quant_shape(id).bound);
                bound.extend(terms.bound_symbols(variables));
                args = rest;
            }
            stack.extend(args.iter().rev().map(|&arg| (arg, false)));
        }
        order.retain(|term| !self.names.contains_key(term) || *term == root);
        (uses, order, bound)
    }

    /// Closed subterms used by two or more assertions or places, arguments first.
    pub(super) fn shared_between(&self, assertions: &[Term]) -> Vec<Term> {
        let terms = self.terms;
        let mut uses: FastMap<Term, u32> = FastMap::default();
        let mut order = Vec::new();
        let mut stack: Vec<(Term, bool)> = assertions.iter().rev().map(|&a| (a, false)).collect();
        let mut bound: FastSet<Sym> = FastSet::default();
        while let Some((term, ready)) = stack.pop() {
            if ready {
                order.push(term);
                continue;
            }
            let count = uses.entry(term).or_insert(0);
            *count += 1;
            if *count > 1 || self.names.contains_key(&term) {
                continue;
            }
            stack.push((term, true));
            let node = terms.node(term);
            let mut args = node.args();
            if let Op::Forall(id) | Op::Exists(id) = node.op {
                let (variables, rest) = args.split_at(terms.quant_shape(id).bound);
                bound.extend(terms.bound_symbols(variables));
                args = rest;
            }
            stack.extend(args.iter().rev().map(|&arg| (arg, false)));
        }
        order.retain(|&term| {
            uses[&term] > 1
                && !terms.args(term).is_empty()
                && !self.names.contains_key(&term)
                && !self.mentions(term, &bound)
        });
        order
    }
}
