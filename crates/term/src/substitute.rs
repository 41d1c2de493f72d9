//! Substitution of terms for terms, memoised, avoiding capture.
//!
//! A [`Substitution`] keeps its memo, so applying it to many terms that share subterms costs each shared
//! subterm once. Under a binder, keys that mention a bound variable are left alone, and a bound variable
//! that a replacement mentions is renamed.

use crate::{Op, Sym, Term, Terms};
use stet_base::{FastMap, FastSet};

#[derive(Default)]
struct Scope {
    map: FastMap<Term, Term>,
    /// Symbols of the keys; a term without any of them is unchanged.
    keys: FastSet<Sym>,
    /// Whether some key has no free symbol, so that `keys` says nothing.
    closed_key: bool,
    /// Free symbols of the replacements: what a binder could capture.
    captured: FastSet<Sym>,
    memo: FastMap<Term, Term>,
}

impl Scope {
    fn insert(&mut self, terms: &Terms, from: Term, to: Term) {
        let symbols = terms.free_symbols(from);
        self.closed_key |= symbols.is_empty();
        self.keys.extend(symbols.iter().copied());
        self.captured.extend(terms.free_symbols(to).iter().copied());
        self.map.insert(from, to);
    }

    fn unchanged(&self, terms: &Terms, term: Term) -> bool {
        !self.closed_key
            && terms
                .known_symbols(term)
                .is_some_and(|symbols| !symbols.iter().any(|s| self.keys.contains(s)))
    }
}

/// A substitution with its memo.
pub struct Substitution<'a> {
    terms: &'a Terms,
    scopes: Vec<Scope>,
    fresh: u32,
}

enum Task {
    Visit(Term, usize),
    Build(Term, usize),
    /// The quantifier, its scope, and the scope and bound variables of its body.
    Bind(Term, usize, usize, Vec<Term>),
}

impl<'a> Substitution<'a> {
    /// Replaces each first by its second, all at once.
    pub fn new(terms: &'a Terms, pairs: impl IntoIterator<Item = (Term, Term)>) -> Self {
        let mut scope = Scope::default();
        for (from, to) in pairs {
            debug_assert_eq!(terms.sort(from), terms.sort(to));
            scope.insert(terms, from, to);
        }
        Substitution {
            terms,
            scopes: vec![scope],
            fresh: 0,
        }
    }

    /// The term with replacements made and rewritten.
    pub fn apply(&mut self, term: Term) -> Term {
        let terms = self.terms;
        let mut tasks = vec![Task::Visit(term, 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(term, scope) => self.visit(term, scope, &mut tasks),
                Task::Build(term, scope) => {
                    let node = terms.node(term);
                    let memo = &self.scopes[scope].memo;
                    let args: Vec<Term> = node.args().iter().map(|arg| memo[arg]).collect();
                    let built = if args == node.args() {
                        term
                    } else {
                        terms.build(node.op, &args, node.sort)
                    };
                    self.scopes[scope].memo.insert(term, built);
                }
                Task::Bind(term, scope, inner, bound) => {
                    let node = terms.node(term);
                    let memo = &self.scopes[inner].memo;
                    let rest = node.args()[bound.len()..].iter().map(|arg| memo[arg]);
                    let args: Vec<Term> = bound.iter().copied().chain(rest).collect();
                    let built = terms.intern(node.op, &args, node.sort);
                    self.scopes[scope].memo.insert(term, built);
                }
            }
        }
        self.scopes[0].memo[&term]
    }

    fn visit(&mut self, term: Term, scope: usize, tasks: &mut Vec<Task>) {
        let terms = self.terms;
        let current = &mut self.scopes[scope];
        if current.memo.contains_key(&term) {
            return;
        }
        if let Some(&to) = current.map.get(&term) {
            current.memo.insert(term, to);
            return;
        }
        let node = terms.node(term);
        if node.args().is_empty() || current.unchanged(terms, term) {
            current.memo.insert(term, term);
            return;
        }
        if let Op::Forall(id) | Op::Exists(id) = node.op {
            let (bound, rest) = node.args().split_at(terms.quant_shape(id).bound);
            let (inner, bound) = self.enter(bound, scope);
            tasks.push(Task::Bind(term, scope, inner, bound));
            tasks.extend(rest.iter().map(|&arg| Task::Visit(arg, inner)));
            return;
        }
        tasks.push(Task::Build(term, scope));
        tasks.extend(node.args().iter().map(|&arg| Task::Visit(arg, scope)));
    }

    /// The scope inside a binder, and the variables it binds there.
    fn enter(&mut self, bound: &[Term], scope: usize) -> (usize, Vec<Term>) {
        let terms = self.terms;
        let symbols = terms.bound_symbols(bound);
        let outer = &self.scopes[scope];
        let clash = |s: &Sym| outer.keys.contains(s) || outer.captured.contains(s);
        if !symbols.iter().any(clash) {
            return (scope, bound.to_vec());
        }
        let mentions = |key: Term| symbols.iter().any(|&s| terms.contains_symbol(key, s));
        let mut kept: Vec<(Term, Term)> = outer
            .map
            .iter()
            .map(|(&from, &to)| (from, to))
            .filter(|&(from, _)| !mentions(from))
            .collect();
        kept.sort_unstable();
        let mut inner = Scope::default();
        for &(from, to) in &kept {
            inner.insert(terms, from, to);
        }
        let mut renamed = bound.to_vec();
        for (variable, &symbol) in renamed.iter_mut().zip(&symbols) {
            if inner.captured.contains(&symbol) {
                let fresh = self.fresh_like(symbol);
                inner.insert(terms, *variable, fresh);
                *variable = fresh;
            }
        }
        self.scopes.push(inner);
        (self.scopes.len() - 1, renamed)
    }

    /// A bound variable that no term of the pool has yet.
    fn fresh_like(&mut self, symbol: Sym) -> Term {
        let info = self.terms.symbol_info(symbol);
        loop {
            self.fresh += 1;
            let name = format!("{}!{}", info.name, self.fresh);
            let before = self.terms.symbol_count();
            let fresh = self.terms.bound(&name, info.sort);
            if self.terms.symbol_count() > before {
                return fresh;
            }
        }
    }
}

impl Terms {
    /// `term` with each first of `pairs` replaced by its second, all at once.
    pub fn substitute(&self, term: Term, pairs: &[(Term, Term)]) -> Term {
        Substitution::new(self, pairs.iter().copied()).apply(term)
    }
}
