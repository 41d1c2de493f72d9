//! Free symbols. Small sets are on the node; large ones are collected by a walk that respects binders.

use crate::{Op, Sym, Term, Terms};
use std::borrow::Cow;
use std::collections::BTreeSet;
use stet_base::FastSet;

impl Terms {
    /// The free symbols of a term (functions included) in order of symbols.
    pub fn free_symbols(&self, term: Term) -> Cow<'_, [Sym]> {
        match self.sets.members(self.node(term).set) {
            Some(members) => Cow::Borrowed(members),
            None => Cow::Owned(self.collect_symbols(term)),
        }
    }

    /// The free symbols, if their set is small enough to be on the node.
    pub fn known_symbols(&self, term: Term) -> Option<&[Sym]> {
        self.sets.members(self.node(term).set)
    }

    /// Whether a term has no free symbol.
    pub fn is_closed(&self, term: Term) -> bool {
        self.free_symbols(term).is_empty()
    }

    /// Whether two terms have a free symbol in common.
    pub fn share_symbols(&self, a: Term, b: Term) -> bool {
        if self.node(a).set == self.node(b).set {
            return !self.is_closed(a);
        }
        let (left, right) = (self.free_symbols(a), self.free_symbols(b));
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (left.get(i), right.get(j)) {
            match x.cmp(y) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
            }
        }
        false
    }

    /// Whether a symbol is free in a term.
    pub fn contains_symbol(&self, term: Term, symbol: Sym) -> bool {
        self.free_symbols(term).binary_search(&symbol).is_ok()
    }

    fn collect_symbols(&self, root: Term) -> Vec<Sym> {
        let mut found = BTreeSet::new();
        // A scope is the set of symbols bound on the way; scope 0 binds nothing.
        let mut scopes: Vec<Vec<Sym>> = vec![Vec::new()];
        let mut seen: FastSet<(Term, usize)> = FastSet::default();
        let mut stack = vec![(root, 0)];
        while let Some((term, scope)) = stack.pop() {
            if !seen.insert((term, scope)) {
                continue;
            }
            let node = self.node(term);
            if let Some(members) = self.sets.members(node.set) {
                let free = members.iter().filter(|s| !scopes[scope].contains(s));
                found.extend(free.copied());
                continue;
            }
            if let Op::Symbol(symbol) | Op::Apply(symbol) = node.op
                && !scopes[scope].contains(&symbol)
            {
                found.insert(symbol);
            }
            let mut inner = scope;
            if let Op::Forall(id) | Op::Exists(id) = node.op {
                let mut bound = scopes[scope].clone();
                bound.extend(self.bound_symbols(&node.args()[..self.quant_shape(id).bound]));
                scopes.push(bound);
                inner = scopes.len() - 1;
            }
            stack.extend(node.args().iter().map(|&arg| (arg, inner)));
        }
        found.into_iter().collect()
    }

    /// Visits every distinct subterm once, arguments before the terms that use them, roots last.
    pub fn post_order(&self, roots: &[Term], mut visit: impl FnMut(Term)) {
        let mut done: FastSet<Term> = FastSet::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, ready)) = stack.pop() {
            if ready {
                visit(term);
                continue;
            }
            if !done.insert(term) {
                continue;
            }
            stack.push((term, true));
            let args = self.args(term).iter().rev();
            stack.extend(
                args.filter(|arg| !done.contains(arg))
                    .map(|&arg| (arg, false)),
            );
        }
    }
}
