//! Conditions that are to be proved, taken apart as Dafny does it.
//!
//! A condition becomes its conjuncts, under implications, branches and negations; a predicate that can be looked into
//! becomes the conjuncts of its body. Each part is checked and reported by itself: at its own place, or, inside a
//! predicate, at the call with the conjuncts of the bodies as related places.

use crate::cx::{Cx, Env, Instance};
use crate::functions::fuel;
use crate::tree::*;
use stet_base::Span;
use stet_dafny::tree::{BinaryOp as Op, ExprId, ExprKind, FunctionCall, UnaryOp};

/// What Dafny says of a conjunct in a predicate.
const PROPOSITION: &str = "this proposition could not be proved";

/// A conjunct of a condition.
pub(crate) struct Part {
    pub(crate) cond: B,
    /// Its place in the condition.
    pub(crate) at: Span,
    /// Inside predicates: the places in their bodies, the outermost first.
    inside: Vec<Span>,
}

impl Part {
    /// The related places of a check that is reported at the part.
    pub(crate) fn related(&self) -> Vec<(Span, Name)> {
        self.inside
            .iter()
            .map(|&s| (s, PROPOSITION.into()))
            .collect()
    }

    /// The related places of a check that is reported elsewhere.
    pub(crate) fn related_from_outside(&self) -> Vec<(Span, Name)> {
        let mut all = vec![(self.at, PROPOSITION.into())];
        all.extend(self.related());
        all
    }
}

/// A condition as it is taken apart.
struct Splitting {
    parts: Vec<Part>,
    /// Whether a part differs from the condition: what is whole is reported at its statement.
    happened: bool,
}

impl Cx<'_> {
    /// The conjuncts of a condition that is to be proved.
    pub(crate) fn split(&mut self, e: ExprId, env: &Env) -> Vec<Part> {
        self.split_or_whole(e, env).0
    }

    /// The conjuncts, and whether there is more to them than the condition itself.
    pub(crate) fn split_or_whole(&mut self, e: ExprId, env: &Env) -> (Vec<Part>, bool) {
        let env = env.with_fuel(fuel(2));
        let mut found = Splitting {
            parts: Vec::new(),
            happened: false,
        };
        self.split_into(e, true, &env, &tt(), &mut found);
        (found.parts, found.happened)
    }

    /// The same without looking into predicates: callers rely on the terms of a precondition.
    pub(crate) fn split_plainly(&mut self, e: ExprId, env: &Env) -> Vec<Part> {
        let outside = Env {
            scc: 0,
            ..env.clone()
        };
        self.split(e, &outside)
    }

    /// Adds the parts of a condition, or of its negation.
    fn split_into(
        &mut self,
        e: ExprId,
        positive: bool,
        env: &Env,
        under: &B,
        found: &mut Splitting,
    ) {
        match &self.p.exprs[e].kind {
            ExprKind::Unary(UnaryOp::Not, a) => {
                self.split_into(*a, !positive, env, under, found);
            }
            ExprKind::Binary(Op::And, a, b) if positive => {
                found.happened = true;
                self.split_into(*a, true, env, under, found);
                self.split_into(*b, true, env, under, found);
            }
            ExprKind::Binary(Op::Or, a, b) if !positive => {
                found.happened = true;
                self.split_into(*a, false, env, under, found);
                self.split_into(*b, false, env, under, found);
            }
            ExprKind::Binary(Op::Imp, a, b) => {
                found.happened = true;
                if positive {
                    let test = self.expr(*a, &env.with_fuel(fuel(1)));
                    self.split_into(*b, true, env, &and(under.clone(), test), found);
                } else {
                    self.split_into(*a, true, env, under, found);
                    self.split_into(*b, false, env, under, found);
                }
            }
            ExprKind::Ite(test, a, b) => {
                found.happened = true;
                let test = self.expr(*test, &env.with_fuel(fuel(1)));
                let then = and(under.clone(), test.clone());
                self.split_into(*a, positive, env, &then, found);
                self.split_into(*b, positive, env, &and(under.clone(), not(test)), found);
            }
            ExprKind::Call(call) if positive && self.is_inlined(call, env) => {
                found.happened = true;
                self.split_call(e, call, env, under, found);
            }
            _ => self.whole(e, positive, env, under, found),
        }
    }

    /// A condition that has no parts.
    fn whole(&mut self, e: ExprId, positive: bool, env: &Env, under: &B, found: &mut Splitting) {
        let is_some = match &self.p.exprs[e].kind {
            ExprKind::Quantifier(q) => q.forall != positive,
            _ => false,
        };
        // With recursive functions it is proved with more fuel than it is known with: it counts as taken apart.
        found.happened |= !is_some && self.has_layers(e);
        let value = self.expr(e, env);
        let value = if positive { value } else { not(value) };
        found.parts.push(Part {
            cond: imp(under.clone(), value),
            at: self.p.exprs[e].tok,
            inside: Vec::new(),
        });
    }

    /// Whether a recursive function is called in an expression.
    fn has_layers(&self, e: ExprId) -> bool {
        let mut found = false;
        crate::walk::walk(self.p, e, &mut |e| {
            if let ExprKind::Call(call) = &self.p.exprs[e].kind {
                found |= self.function(call.function).is_some_and(|f| f.recursive);
            }
            !found
        });
        found
    }

    /// A predicate holds, or each part of its body does.
    fn split_call(
        &mut self,
        e: ExprId,
        call: &FunctionCall,
        env: &Env,
        under: &B,
        found: &mut Splitting,
    ) {
        let at = self.p.exprs[e].tok;
        let value = self.expr(e, env);
        for part in self.inlined(call, env) {
            let mut inside = vec![part.at];
            inside.extend(part.inside);
            found.parts.push(Part {
                cond: imp(under.clone(), or(value.clone(), part.cond)),
                at,
                inside,
            });
        }
    }

    /// Whether a predicate that is to be proved is replaced by its parts.
    fn is_inlined(&mut self, call: &FunctionCall, env: &Env) -> bool {
        let member = &self.p.members[call.function];
        let Some(f) = self.function(call.function) else {
            return false;
        };
        let is_plain = f.is_predicate && !f.recursive && !f.twostate && f.extreme.is_none();
        is_plain
            && f.body.is_some()
            && f.scc < env.scc
            && call.at.is_none()
            && call.prefix.is_none()
            && !member.opaque
            && member.overrides.is_empty()
    }

    /// The parts of the body of a predicate.
    fn inlined(&mut self, call: &FunctionCall, env: &Env) -> Vec<Part> {
        let Some(f) = self.function(call.function).cloned() else {
            return Vec::new();
        };
        let mut args = self.types(&call.owner_args, env);
        args.extend(self.types(&call.type_args, env));
        let instance = Instance {
            member: call.function,
            args,
        };
        let mut inner = Env {
            subst: self.subst_of(&instance),
            this: call.receiver.map(|r| self.expr(r, env)),
            construction: None,
            focus: None,
            old: env.heap.clone(),
            ..env.clone()
        };
        for (&formal, &arg) in f.ins.iter().zip(&call.args) {
            let value = self.expr(arg, &env.with_fuel(fuel(1)));
            inner.vars.insert(formal, value);
        }
        let mut found = Splitting {
            parts: Vec::new(),
            happened: false,
        };
        if let Some(body) = f.body {
            self.split_into(body, true, &inner, &tt(), &mut found);
        }
        found.parts
    }
}
