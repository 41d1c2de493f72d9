//! The variables of a clause at a program point, and unification over them.
//!
//! A variable is *free* if it is certainly unbound and nothing outside the clause refers to it; it has a type; or it is
//! equal to a term over other variables. Equalities hold for good, so what becomes known of `Y` after `X = f(Y)` is
//! known of `X`. A free variable that becomes reachable in any other way is no longer free.

use crate::program::Term;
use crate::types::{BOTTOM, TOP, Type, Types};
use std::sync::Arc;

/// What is known of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    Free,
    Type(Type),
    Bound(Arc<Term>),
}

/// All variables of a clause.
#[derive(Clone, Debug)]
pub(crate) struct Env(pub(crate) Vec<Slot>);

/// Terms are looked at down to this depth.
const MAX_DEPTH: usize = 40;

impl Env {
    pub(crate) fn new(variables: usize) -> Env {
        Env(vec![Slot::Free; variables])
    }

    /// Follows equalities from a variable to what it stands for.
    pub(crate) fn resolve(&self, term: &Arc<Term>) -> Arc<Term> {
        let mut at = term.clone();
        // Equalities between variables point one way, so the walk ends; the bound is for safety.
        for _ in 0..=self.0.len() {
            match &*at {
                Term::Var(v) => match &self.0[*v] {
                    Slot::Bound(next) => at = next.clone(),
                    _ => break,
                },
                _ => break,
            }
        }
        debug_assert!(
            !matches!(&*at, Term::Var(v) if matches!(self.0[*v], Slot::Bound(_))),
            "equalities between variables point one way"
        );
        at
    }

    /// The variables without an equality that a term reaches, each once.
    pub(crate) fn leaves(&self, term: &Arc<Term>) -> Vec<usize> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.0.len()];
        let mut work = vec![term.clone()];
        while let Some(term) = work.pop() {
            let mut visit = |v: usize, work: &mut Vec<Arc<Term>>| {
                if !std::mem::replace(&mut seen[v], true) {
                    match &self.0[v] {
                        Slot::Bound(next) => work.push(next.clone()),
                        _ => found.push(v),
                    }
                }
            };
            match &*term {
                Term::Var(v) => visit(*v, &mut work),
                Term::Compound(_, args) => work.extend(args.iter().cloned()),
                Term::Unknown(vars) => vars.iter().for_each(|&v| visit(v, &mut work)),
                Term::Const(_) | Term::Prim(_) => {}
            }
        }
        found
    }

    /// A type that holds the term.
    pub(crate) fn type_of(&self, types: &mut Types, term: &Arc<Term>) -> Type {
        self.type_at(types, term, 0)
    }

    fn type_at(&self, types: &mut Types, term: &Arc<Term>, depth: usize) -> Type {
        if depth > MAX_DEPTH {
            return TOP;
        }
        match &*self.resolve(term) {
            Term::Var(v) => match self.0[*v] {
                Slot::Type(found) => found,
                _ => TOP,
            },
            Term::Const(value) => types.constant(*value),
            Term::Prim(prims) => types.prims(*prims),
            Term::Compound(name, args) if !args.is_empty() => {
                let args: Vec<Type> = args
                    .iter()
                    .map(|arg| self.type_at(types, arg, depth + 1))
                    .collect();
                types.compound((*name, args.len()), &args)
            }
            Term::Compound(..) | Term::Unknown(_) => TOP,
        }
    }

    /// The term becomes reachable from elsewhere.
    pub(crate) fn escape(&mut self, term: &Arc<Term>) {
        for v in self.leaves(term) {
            if self.0[v] == Slot::Free {
                self.0[v] = Slot::Type(TOP);
            }
        }
    }

    /// The term is in a type, and shared with something else of that type; false if it cannot be.
    pub(crate) fn narrow(&mut self, types: &mut Types, term: &Arc<Term>, to: Type) -> bool {
        self.narrow_at(types, term, to, 0)
    }

    fn narrow_at(&mut self, types: &mut Types, term: &Arc<Term>, to: Type, depth: usize) -> bool {
        if to == BOTTOM {
            return false;
        }
        let term = self.resolve(term);
        if depth > MAX_DEPTH {
            self.escape(&term);
            return true;
        }
        match &*term {
            Term::Var(v) => {
                let narrowed = match self.0[*v] {
                    Slot::Type(found) => types.meet(found, to),
                    _ => to,
                };
                self.0[*v] = Slot::Type(narrowed);
                narrowed != BOTTOM
            }
            Term::Const(value) => types.has_constant(to, *value),
            Term::Prim(prims) => types.meets_prims(to, *prims),
            Term::Compound(_, args) if args.is_empty() => true,
            Term::Compound(name, args) => match types.arguments(to, (*name, args.len())) {
                None => false,
                Some(parts) => args
                    .iter()
                    .zip(parts.iter())
                    .all(|(arg, &part)| self.narrow_at(types, arg, part, depth + 1)),
            },
            Term::Unknown(_) => {
                self.escape(&term);
                true
            }
        }
    }

    /// The terms become equal; false if they cannot.
    pub(crate) fn unify(&mut self, types: &mut Types, a: &Arc<Term>, b: &Arc<Term>) -> bool {
        let mut work = vec![(a.clone(), b.clone(), 0)];
        while let Some((a, b, depth)) = work.pop() {
            let (a, b) = (self.resolve(&a), self.resolve(&b));
            if depth > MAX_DEPTH {
                self.escape(&a);
                self.escape(&b);
                continue;
            }
            let holds = match (&*a, &*b) {
                (Term::Var(v), Term::Var(w)) if v == w => true,
                (Term::Var(v), _) if self.0[*v] == Slot::Free => self.bind_free(types, *v, &b),
                (_, Term::Var(w)) if self.0[*w] == Slot::Free => self.bind_free(types, *w, &a),
                (Term::Var(v), _) => self.bind_typed(types, *v, &b),
                (_, Term::Var(w)) => self.bind_typed(types, *w, &a),
                (Term::Unknown(_), _) | (_, Term::Unknown(_)) => {
                    self.escape(&a);
                    self.escape(&b);
                    true
                }
                (Term::Const(x), Term::Const(y)) => x == y,
                (Term::Const(x), Term::Prim(p)) | (Term::Prim(p), Term::Const(x)) => {
                    x.prim() & p != 0
                }
                (Term::Prim(p), Term::Prim(q)) => p & q != 0,
                (Term::Compound(f, xs), Term::Compound(g, ys)) => {
                    let same = f == g && xs.len() == ys.len();
                    if same {
                        let pairs = xs.iter().cloned().zip(ys.iter().cloned());
                        work.extend(pairs.map(|(x, y)| (x, y, depth + 1)));
                    }
                    same
                }
                _ => false,
            };
            if !holds {
                return false;
            }
        }
        true
    }

    fn occurs(&self, v: usize, term: &Arc<Term>) -> bool {
        self.leaves(term).contains(&v)
    }

    fn bind_free(&mut self, types: &mut Types, v: usize, term: &Arc<Term>) -> bool {
        if self.occurs(v, term) {
            // An infinite term: what it is at the top is all that is said.
            let found = self.type_of(types, term);
            self.escape(term);
            self.0[v] = Slot::Type(found);
        } else {
            self.0[v] = Slot::Bound(term.clone());
        }
        true
    }

    fn bind_typed(&mut self, types: &mut Types, v: usize, term: &Arc<Term>) -> bool {
        let Slot::Type(found) = self.0[v] else {
            return true;
        };
        if self.occurs(v, term) {
            self.escape(term);
            return true;
        }
        if !self.narrow(types, term, found) {
            return false;
        }
        self.0[v] = Slot::Bound(term.clone());
        true
    }

    /// What holds whichever of two ways was taken.
    pub(crate) fn join(types: &mut Types, a: &Env, b: &Env) -> Env {
        let mut joined = a.clone();
        let mut escaped: Vec<usize> = Vec::new();
        for v in 0..a.0.len() {
            if a.0[v] == b.0[v] {
                continue;
            }
            let term = Arc::new(Term::Var(v));
            let (left, right) = (a.type_of(types, &term), b.type_of(types, &term));
            joined.0[v] = Slot::Type(types.union(left, right));
            escaped.extend(a.leaves(&term));
            escaped.extend(b.leaves(&term));
        }
        for v in escaped {
            if joined.0[v] == Slot::Free {
                joined.0[v] = Slot::Type(TOP);
            }
        }
        joined
    }
}
