//! Conditions that are to be proved, taken apart as Dafny does it.
//!
//! A condition becomes its conjuncts, under implications, branches and negations; a predicate that can be looked into
//! becomes the conjuncts of its body. Each part is checked and reported by itself: at its own place, or, inside a
//! predicate, at the call with the conjuncts of the bodies as related places.

use crate::codata::is_successor;
use crate::cx::{Cx, Env};
use crate::extreme::Focus;
use crate::functions::fuel;
use crate::tree::*;
use stet_base::{FastMap, Span};
use stet_dafny::tree::{
    BinaryOp as Op, ExprId, ExprKind, Extreme, Extremum, FunctionCall, PatternKind, Quantifier,
    StmtKind, TyKind, UnaryOp, VarId,
};

/// What Dafny says of a conjunct in a predicate.
const PROPOSITION: &str = "this proposition could not be proved";

/// A conjunct of a condition.
pub(crate) struct Part {
    pub(crate) cond: B,
    /// Its place in the condition.
    pub(crate) at: Span,
    /// Inside predicates: the places in their bodies, the outermost first.
    inside: Vec<Span>,
    /// The expression, if nothing of it was taken apart.
    of: Option<ExprId>,
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
#[derive(Default)]
struct Splitting {
    parts: Vec<Part>,
    /// Whether a part differs from the condition: what is whole is reported at its statement.
    happened: bool,
    /// Inside a predicate: the arguments of its parameters, where it is called.
    given: FastMap<VarId, (ExprId, Env)>,
}

impl Cx<'_> {
    /// The conjuncts of a condition that is to be proved.
    pub(crate) fn split(&mut self, e: ExprId, env: &Env) -> Vec<Part> {
        self.split_or_whole(e, env).0
    }

    /// The conjuncts, and whether there is more to them than the condition itself.
    pub(crate) fn split_or_whole(&mut self, e: ExprId, env: &Env) -> (Vec<Part>, bool) {
        let env = env.with_fuel(fuel(2));
        let mut found = Splitting::default();
        self.split_into(e, true, &env, &tt(), &mut found);
        (found.parts, found.happened)
    }

    /// The same without looking into predicates: callers rely on the terms of a precondition.
    pub(crate) fn split_plainly(&mut self, e: ExprId, env: &Env) -> Vec<Part> {
        let outside = Env {
            scc: 0,
            ..env.clone()
        };
        let mut parts = self.split(e, &outside);
        for part in &mut parts {
            let deeper = part.of.and_then(|e| self.deeper(e, env));
            if let Some(deeper) = deeper {
                part.cond = or(part.cond.clone(), deeper);
            }
        }
        parts
    }

    /// What the body of a predicate says, if it calls recursive functions (these then have the fuel of what is proved) or
    /// speaks of two states (the prover seldom unfolds those in what it is to prove).
    fn deeper(&mut self, e: ExprId, env: &Env) -> Option<B> {
        let ExprKind::Call(call) = &self.p.exprs[e].kind else {
            return None;
        };
        let member = &self.p.members[call.function];
        let f = self.function(call.function)?;
        let body = f.body?;
        let is_plain = f.is_predicate && !f.recursive && f.extreme.is_none();
        let is_seen = f.scc < env.scc
            && !member.opaque
            && !env.hidden.hides(call.function)
            && member.overrides.is_empty();
        if !is_plain || !is_seen || call.prefix.is_some() {
            return None;
        }
        if !f.twostate && !self.has_layers(body) {
            return None;
        }
        let parts = self.inlined(call, &env.with_fuel(fuel(2)));
        Some(conj(parts.into_iter().map(|p| p.cond)))
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
                let mut inner = Splitting {
                    given: found.given.clone(),
                    ..Splitting::default()
                };
                self.split_into(*a, !positive, env, under, &mut inner);
                if let (false, [only]) = (inner.happened, &mut inner.parts[..]) {
                    only.at = self.p.exprs[e].tok;
                }
                found.happened |= inner.happened;
                found.parts.append(&mut inner.parts);
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
            ExprKind::StmtExpr(stmt, inner) => {
                // Its conclusion was shown where the expression was checked to make sense.
                let known = match &self.p.stmts[*stmt].kind {
                    StmtKind::Assert {
                        expr, label: None, ..
                    } => self.expr(*expr, &env.with_fuel(fuel(1))),
                    StmtKind::Assume(expr) => self.expr(*expr, &env.with_fuel(fuel(1))),
                    _ => tt(),
                };
                self.split_into(*inner, positive, env, &and(under.clone(), known), found);
            }
            ExprKind::Binary(Op::Eq, left, _)
            | ExprKind::PrefixEq {
                left,
                negated: false,
                ..
            } if positive && self.has_codata(*left, env) => {
                found.happened = true;
                self.split_equality(e, *left, env, under, found);
            }
            ExprKind::Call(call) if positive && self.is_inlined(call, env) => {
                found.happened = true;
                self.split_call(e, call, env, under, found);
            }
            // A parameter is the argument that was given, with its parts.
            ExprKind::Var(v) if found.given.contains_key(v) => {
                if let Some((arg, outer)) = found.given.get(v).cloned() {
                    let given = std::mem::take(&mut found.given);
                    self.split_into(arg, positive, &outer, under, found);
                    found.given = given;
                }
            }
            ExprKind::Let {
                patterns,
                values,
                body,
                ..
            } if patterns
                .iter()
                .all(|p| matches!(p.kind, PatternKind::Var(_))) =>
            {
                let mut inner = env.clone();
                for (pattern, &value) in patterns.iter().zip(values) {
                    let rep = self.rep_of(value, env);
                    let bound = self.expr(value, &env.with_fuel(fuel(1)));
                    inner.reserve(&bound);
                    self.bind(pattern, rep, &bound, &mut inner);
                }
                self.split_into(*body, positive, &inner, under, found);
            }
            _ => self.whole(e, positive, env, under, found),
        }
    }

    fn has_codata(&mut self, e: ExprId, env: &Env) -> bool {
        let rep = self.rep_of(e, env);
        self.is_codata(rep)
    }

    /// The equality of values of a codatatype, one part for each constructor.
    fn split_equality(
        &mut self,
        e: ExprId,
        left: ExprId,
        env: &Env,
        under: &B,
        found: &mut Splitting,
    ) {
        let rep = self.rep_of(left, env);
        let kind = self.p.types.kind(rep);
        let TyKind::Named { decl, .. } = &*kind else {
            return;
        };
        let (value, made) = (self.expr(e, env), self.expr(left, env));
        let ctors = self.p.ctors_of(*decl).to_vec();
        let are_several = ctors.len() > 1;
        for ctor in ctors {
            let under = match are_several {
                true => and(under.clone(), self.is_ctor(rep, &made, ctor)),
                false => under.clone(),
            };
            found.parts.push(Part {
                cond: imp(under, value.clone()),
                at: self.p.exprs[e].tok,
                inside: vec![self.p.ctors[ctor].span],
                of: None,
            });
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
        let value = match &self.p.exprs[e].kind {
            ExprKind::Quantifier(q) if positive && q.forall && env.scc > 0 => self
                .by_induction(q, env)
                .unwrap_or_else(|| self.expr(e, env)),
            _ => self.expr(e, env),
        };
        let mut value = if positive { value } else { not(value) };
        if positive
            && env.scc > 0
            && let Some(deeper) = self.deeper(e, env)
        {
            value = or(value, deeper);
        }
        found.parts.push(Part {
            cond: imp(under.clone(), value),
            at: self.p.exprs[e].tok,
            inside: Vec::new(),
            of: positive.then_some(e),
        });
    }

    /// A quantifier that is to be proved, under the hypothesis that it holds for smaller values of some variables: those that
    /// `{:induction}` names, else those in arguments of recursive functions.
    fn by_induction(&mut self, q: &Quantifier, env: &Env) -> Option<B> {
        let chosen = self.quantifier_induction(q);
        if chosen.is_empty() {
            return None;
        }
        let mut inner = env.clone();
        let (names, typing) = self.bound_vars(&q.vars, &mut inner);
        let mut smaller = inner.clone();
        let (others, other_typing) = self.bound_vars(&chosen, &mut smaller);
        let measure = |cx: &mut Self, env: &Env| -> Vec<crate::measure::Measured> {
            let mut all = Vec::new();
            for v in &chosen {
                let ty = cx.subst(&env.subst, cx.p.vars[*v].ty);
                all.push((cx.rep(ty), env.vars[v].clone()));
            }
            all
        };
        let (new, old) = (measure(self, &smaller), measure(self, &inner));
        let below = self.decreases(&new, &old, self.here);
        let claim = |cx: &mut Self, env: &Env| {
            let range = q.range.map_or(tt(), |r| cx.expr(r, env));
            imp(range, cx.expr(q.body, env))
        };
        let facts = claim(self, &smaller.with_fuel(fuel(1)));
        let triggers = crate::trigger::choose(&facts, &others);
        if triggers.is_empty() {
            return None;
        }
        let hypothesis = forall(others, triggers, imp(and(other_typing, below), facts));
        let body = claim(self, &inner);
        let triggers = crate::trigger::choose(&body, &names);
        Some(forall(names, triggers, imp(typing, imp(hypothesis, body))))
    }

    fn quantifier_induction(&self, q: &Quantifier) -> Vec<VarId> {
        let p = self.p;
        let is_ordered = |v: &VarId| {
            let rep = p.representation(p.vars[*v].ty);
            matches!(&*p.types.kind(rep), TyKind::Int | TyKind::Nat) || self.is_ranked(rep)
        };
        for attribute in &q.attributes {
            if p.text(attribute.name) != "induction" {
                continue;
            }
            let named: Vec<VarId> = attribute
                .args
                .iter()
                .filter_map(|&arg| match p.exprs[arg].kind {
                    ExprKind::Var(v) => Some(v),
                    _ => None,
                })
                .collect();
            let is_off = attribute
                .args
                .iter()
                .any(|&arg| matches!(p.exprs[arg].kind, ExprKind::Bool(false)));
            if is_off {
                return Vec::new();
            }
            let all = if named.is_empty() { &q.vars } else { &named };
            return all.iter().copied().filter(is_ordered).collect();
        }
        let roots = q.range.into_iter().chain([q.body]);
        let occurs = |v: &VarId| {
            roots
                .clone()
                .any(|e| crate::induction::in_recursive_call(p, e, Some(*v)))
        };
        q.vars
            .iter()
            .copied()
            .filter(|v| is_ordered(v) && occurs(v))
            .collect()
    }

    /// Whether a recursive function is called in an expression.
    pub(crate) fn has_layers(&self, e: ExprId) -> bool {
        let mut found = false;
        crate::walk::walk(self.p, e, &mut |e| {
            if let ExprKind::Call(call) = &self.p.exprs[e].kind {
                found |= self.function(call.function).is_some_and(|f| f.recursive)
                    && self.recurs(call.function);
            }
            !found
        });
        found
    }

    /// Whether a function calls its own component other than in its postconditions.
    fn recurs(&self, member: stet_dafny::tree::MemberId) -> bool {
        let Some(f) = self.function(member) else {
            return false;
        };
        let clauses = f.requires.iter().map(|c| c.expr);
        let frame = f.reads.items.iter().map(|i| i.expr);
        let mut found = false;
        for root in clauses.chain(frame).chain(f.body) {
            crate::walk::walk(self.p, root, &mut |e| {
                if let ExprKind::Call(call) = &self.p.exprs[e].kind {
                    found |= self.function(call.function).is_some_and(|g| g.scc == f.scc);
                }
                !found
            });
        }
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
        let depth = self.prefix_depth(e, env);
        let parts = self.inlined_at(call, depth.as_ref(), env);
        let is_least = |extreme: Extreme| extreme.kind == Extremum::Least;
        let extreme = self.function(call.function).and_then(|f| f.extreme);
        let has_bottom = depth.as_ref().is_some_and(|(_, is_ordinal)| !is_ordinal)
            && extreme.is_some_and(is_least);
        let is_step = depth.map(|(k, is_ordinal)| is_successor(is_ordinal, &k));
        let last = match has_bottom {
            true => usize::MAX,
            false => parts.len().saturating_sub(1),
        };
        if let (Some(is_step), true) = (&is_step, has_bottom) {
            // At depth 0 nothing holds.
            found.parts.push(Part {
                cond: imp(under.clone(), or(value.clone(), is_step.clone())),
                at,
                inside: vec![self.p.members[call.function].span],
                of: None,
            });
        }
        for (i, part) in parts.into_iter().enumerate() {
            let mut inside = vec![part.at];
            inside.extend(part.inside);
            // A prefix means the body one step below; at a limit it is proved as a whole, once.
            let cond = match is_step.clone() {
                Some(is_step) if i == last => and(is_step, part.cond),
                Some(is_step) => imp(is_step, part.cond),
                None => part.cond,
            };
            found.parts.push(Part {
                cond: imp(under.clone(), or(value.clone(), cond)),
                at,
                inside,
                of: None,
            });
        }
    }

    /// Whether a predicate that is to be proved is replaced by its parts.
    fn is_inlined(&mut self, call: &FunctionCall, env: &Env) -> bool {
        let member = &self.p.members[call.function];
        let Some(f) = self.function(call.function) else {
            return false;
        };
        let (result, bool_) = (f.result, self.p.types.bool_);
        let may = f.body.is_some()
            && self.p.sees_body(self.module, call.function)
            && f.scc < env.scc
            && !member.opaque
            && !env.hidden.hides(call.function)
            && member.overrides.is_empty();
        if !may || result == bool_ {
            return may;
        }
        // A generic function may have a truth value as its result.
        let instance = self.function_instance(call, env);
        let subst = self.subst_of(&instance);
        self.subst(&subst, result) == bool_
    }

    /// The parts of the body of a predicate.
    fn inlined(&mut self, call: &FunctionCall, env: &Env) -> Vec<Part> {
        self.inlined_at(call, None, env)
    }

    /// The parts of the body of a predicate, or of its prefix at a depth.
    fn inlined_at(
        &mut self,
        call: &FunctionCall,
        depth: Option<&(B, bool)>,
        env: &Env,
    ) -> Vec<Part> {
        let Some(f) = self.function(call.function).cloned() else {
            return Vec::new();
        };
        let instance = self.function_instance(call, env);
        let mut inner = Env {
            subst: self.subst_of(&instance),
            this: call.receiver.map(|r| self.expr(r, env)),
            construction: None,
            focus: depth.map(|(k, is_ordinal)| Focus::below(*is_ordinal, k, f.scc)),
            old: match f.twostate {
                true => self.old_heap(call.at, env),
                false => env.heap.clone(),
            },
            // A recursive predicate is looked into once.
            scc: if f.recursive { f.scc } else { env.scc },
            ..env.clone()
        };
        let mut found = Splitting::default();
        for (&formal, &arg) in f.ins.iter().zip(&call.args) {
            let value = self.expr(arg, &env.with_fuel(fuel(1)));
            inner.reserve(&value);
            inner.vars.insert(formal, value);
            if self.rep_of(arg, env) == self.p.types.bool_ {
                found.given.insert(formal, (arg, env.clone()));
            }
        }
        if let Some(body) = f.body {
            self.split_into(body, true, &inner, &tt(), &mut found);
        }
        found.parts
    }
}
