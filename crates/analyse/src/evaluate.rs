//! The effect of a goal on the abstract values of the clause's variables.

use crate::builtins::{self, Effect, Known};
use crate::env::{Env, Slot};
use crate::program::{Goal, Term};
use crate::solve::{Abstract, Solver};
use crate::types::{Const, TOP, Type, prim};
use std::sync::Arc;
use stet_prolog::{Atom, atom};

impl Solver<'_> {
    /// The state after the goal; `None` if it cannot succeed.
    pub(crate) fn goal(&mut self, goal: &Goal, mut env: Env) -> Option<Env> {
        if !self.step() {
            return Some(self.forget(env));
        }
        match goal {
            Goal::True => Some(env),
            Goal::Fail => None,
            Goal::And(goals) => {
                for goal in goals {
                    env = self.goal(goal, env)?;
                }
                Some(env)
            }
            Goal::Or(a, b) => {
                let left = self.goal(a, env.clone());
                let right = self.goal(b, env);
                self.either(left, right)
            }
            Goal::IfThenElse(condition, then, otherwise) => {
                let left = self
                    .goal(condition, env.clone())
                    .and_then(|env| self.goal(then, env));
                let right = self.goal(otherwise, env);
                self.either(left, right)
            }
            Goal::Aside(inner) => {
                let _ = self.goal(inner, env.clone());
                Some(env)
            }
            Goal::Findall(template, inner, list) => {
                let found = self.goal(inner, env.clone());
                let answers = match found {
                    Some(after) => {
                        let element = after.type_of(&mut self.types, template);
                        self.types.list(element)
                    }
                    None => self.types.constant(Const::Atom(atom::NIL)),
                };
                env.narrow(&mut self.types, list, answers).then_some(env)
            }
            Goal::Catch(inner, ball, recovery) => {
                let tried = self.goal(inner, env.clone());
                env.escape(ball);
                let caught = self.goal(recovery, env);
                self.either(tried, caught)
            }
            Goal::Unify(a, b) => env.unify(&mut self.types, a, b).then_some(env),
            Goal::Is(result, expression) => {
                let prims = self.arithmetic(&env, expression, 0);
                let number = self.types.prims(prims);
                env.narrow(&mut self.types, result, number).then_some(env)
            }
            Goal::Known(effect, args) => self.known(*effect, args, env),
            Goal::Call { pred, args, site } => self.call(*pred, args, *site, env),
            Goal::Unknown(args) => {
                args.iter().for_each(|arg| env.escape(arg));
                Some(env)
            }
        }
    }

    fn either(&mut self, left: Option<Env>, right: Option<Env>) -> Option<Env> {
        match (left, right) {
            (Some(left), Some(right)) => Some(Env::join(&mut self.types, &left, &right)),
            (one, other) => one.or(other),
        }
    }

    fn forget(&mut self, mut env: Env) -> Env {
        env.0.iter_mut().for_each(|slot| *slot = Slot::Type(TOP));
        env
    }

    fn known(&mut self, effect: Effect, args: &[Arc<Term>], mut env: Env) -> Option<Env> {
        for (arg, known) in args.iter().zip(effect.args) {
            let to = self.known_type(*known);
            let resolved = env.resolve(arg);
            let free = matches!(&*resolved, Term::Var(v) if env.0[*v] == Slot::Free);
            if !effect.binds && free {
                // A test of an unbound variable fails or raises an error, unless it admits one.
                if to != TOP {
                    return None;
                }
                continue;
            }
            if effect.binds || to != TOP {
                if !effect.binds {
                    // The argument is looked at, not shared: its own variables stay free.
                    let kept = env.clone();
                    if !env.narrow(&mut self.types, arg, to) {
                        return None;
                    }
                    for v in kept.leaves(arg) {
                        if kept.0[v] == Slot::Free && env.0[v] == Slot::Type(TOP) {
                            env.0[v] = Slot::Free;
                        }
                    }
                } else if !env.narrow(&mut self.types, arg, to) {
                    return None;
                }
                if effect.binds {
                    env.escape(arg);
                }
            }
        }
        Some(env)
    }

    fn known_type(&mut self, known: Known) -> Type {
        match known {
            Known::Any => TOP,
            Known::Integer => self.types.prims(prim::INTEGER),
            Known::Natural => self.types.prims(prim::NATURAL),
            Known::Number => self.types.prims(prim::NUMBER),
            Known::Float => self.types.prims(prim::FLOAT),
            Known::Atom => self.types.prims(prim::ATOM),
            Known::Atomic => self.types.prims(prim::ATOMIC),
            Known::Callable => self.types.with_compounds(prim::ATOM),
            Known::Compound => self.types.with_compounds(0),
            Known::Nonvar => self.types.nonvar(),
            Known::Ground => self.types.ground(),
            Known::List => self.types.list(TOP),
            Known::Text => self.types.prims(prim::STRING),
            Known::Order => {
                let orders = ["<", "=", ">"].map(|text| self.atom(text).map(Const::Atom));
                match orders {
                    [Some(a), Some(b), Some(c)] => self.types.constants(&[a, b, c]),
                    _ => self.types.prims(prim::ATOM),
                }
            }
        }
    }

    fn atom(&self, text: &str) -> Option<Atom> {
        self.atoms.lookup(text)
    }

    /// The primitive sets of the value of an expression.
    fn arithmetic(&mut self, env: &Env, expression: &Arc<Term>, depth: usize) -> u16 {
        if depth > 40 {
            return prim::NUMBER;
        }
        match &*env.resolve(expression) {
            Term::Const(Const::Int(value)) => Const::Int(*value).prim() | prim::CODE,
            Term::Prim(prims) if prims & !prim::NUMBER == 0 => *prims,
            Term::Var(v) => match env.0[*v] {
                Slot::Type(found) => {
                    for prims in [prim::NATURAL, prim::INTEGER, prim::FLOAT, prim::NUMBER] {
                        let set = self.types.prims(prims);
                        if self.types.is_subset(found, set) {
                            return prims;
                        }
                    }
                    prim::NUMBER
                }
                _ => prim::NUMBER,
            },
            Term::Compound(name, args) => {
                let sets: Vec<u16> = args
                    .iter()
                    .map(|arg| self.arithmetic(env, arg, depth + 1))
                    .collect();
                let all = |set: u16| sets.iter().all(|found| found & !set == 0);
                let text = self.atoms.text(*name);
                let keeps = builtins::keeps_integers(text, args.len());
                let natural = matches!(
                    text,
                    "+" | "*"
                        | "min"
                        | "max"
                        | "//"
                        | "mod"
                        | "rem"
                        | "div"
                        | "gcd"
                        | ">>"
                        | "/\\"
                        | "\\/"
                );
                if args.len() == 2 && natural && all(prim::NATURAL) {
                    prim::NATURAL
                } else if builtins::gives_integers(text, args.len())
                    || (keeps && all(prim::INTEGER))
                {
                    prim::INTEGER
                } else {
                    prim::NUMBER
                }
            }
            _ => prim::NUMBER,
        }
    }

    fn call(&mut self, pred: usize, args: &[Arc<Term>], site: usize, mut env: Env) -> Option<Env> {
        let call = self.abstract_call(args, &env);
        self.record_site(pred, site, &call);
        let success = self.enter(pred, &call)?;
        for (arg, &found) in args.iter().zip(&success) {
            if !env.narrow(&mut self.types, arg, found) {
                return None;
            }
        }
        args.iter().for_each(|arg| env.escape(arg));
        Some(env)
    }

    /// An argument is free if it is a free variable that no other argument reaches.
    fn abstract_call(&mut self, args: &[Arc<Term>], env: &Env) -> Vec<Abstract> {
        let leaves: Vec<Vec<usize>> = args.iter().map(|arg| env.leaves(arg)).collect();
        let mut call = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            let free = match &*env.resolve(arg) {
                Term::Var(v) if env.0[*v] == Slot::Free => !leaves
                    .iter()
                    .enumerate()
                    .any(|(other, found)| other != at && found.contains(v)),
                _ => false,
            };
            call.push(if free {
                Abstract::Free
            } else {
                Abstract::Type(env.type_of(&mut self.types, arg))
            });
        }
        call
    }
}
