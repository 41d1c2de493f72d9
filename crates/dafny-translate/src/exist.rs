//! Proof obligations for assign-such-that: some value satisfies `x :| P(x)`.
//!
//! Beside the quantifier, some values are tried: the default of the type, the bounds of a range, what the variable is equal
//! to or compared with. The prover looks for witnesses only among terms that the program mentions.

use crate::cx::{Cx, Env};
use crate::functions::fuel;
use crate::tree::*;
use stet_dafny::tree::{Attribute, BinaryOp, ExprId, ExprKind, Program, TyKind, VarBound, VarId};

/// How many combinations of values are tried.
const MAX_GUESSES: usize = 8;

/// How many elements of a display are tried for a variable that is in it.
const MAX_ELEMENTS: usize = 3;

const NO_VALUES: &str =
    "cannot establish the existence of LHS values that satisfy the such-that predicate";

impl Cx<'_> {
    /// What is said when no values were found.
    pub(crate) fn no_values(&self, vars: &[VarId], condition: ExprId, is_given: bool) -> String {
        if is_given || self.p.has_trigger(vars, &[condition]) {
            return NO_VALUES.into();
        }
        format!(
            "{NO_VALUES}. Note, no trigger was found for the such-that predicate, which may be the reason the proof failed. To give a trigger explicitly, use the {{:trigger}} attribute. For more information, see the section on quantifier instantiation rules in the reference manual."
        )
    }

    /// The terms of `{:trigger …}`; nothing if there is no such attribute.
    pub(crate) fn given_triggers(&self, attributes: &[Attribute]) -> Option<Vec<Vec<ExprId>>> {
        let is_trigger = |a: &&Attribute| self.p.text(a.name) == "trigger";
        let all = attributes.iter().filter(is_trigger);
        let found: Vec<Vec<ExprId>> = all.map(|a| a.args.clone()).collect();
        (!found.is_empty()).then_some(found)
    }

    /// That some values of the variables satisfy a condition; `chosen` are the triggers that the program gives.
    pub(crate) fn some_values(
        &mut self,
        vars: &[VarId],
        condition: ExprId,
        bounds: &[Option<VarBound>],
        chosen: Option<&[Vec<ExprId>]>,
        env: &Env,
    ) -> B {
        let mut inner = env.clone();
        let (names, typing) = self.bound_vars(vars, &mut inner);
        let holds = and(typing, self.expr(condition, &inner));
        let mut triggers = Vec::new();
        for terms in chosen.unwrap_or_default() {
            let terms = self.args(terms, &inner);
            triggers.extend(crate::trigger::usable(terms, &names, true));
        }
        if chosen.is_none() {
            triggers = crate::trigger::choose(&holds, &names);
            crate::trigger::add_bare(&mut triggers);
        }
        let found = if triggers.is_empty() {
            self.marked(false, names, holds)
        } else {
            exists(names, triggers, holds)
        };
        let mut guesses = vec![(env.with_fuel(fuel(2)), tt())];
        for (i, &v) in vars.iter().enumerate() {
            let bound = bounds.get(i).and_then(Option::as_ref);
            let mut next = Vec::new();
            for (env, typing) in &guesses {
                let ty = self.subst(&env.subst, self.p.vars[v].ty);
                let mut values = self.guesses(v, bound, &vars[i..], env);
                self.first_elements(v, condition, &vars[i..], env, &mut values);
                self.limits_of(v, condition, &vars[i..], env, &mut values);
                for value in values {
                    let typed = self.typed(ty, &value, &env.heap);
                    let mut env = env.clone();
                    env.vars.insert(v, value);
                    next.push((env, and(typing.clone(), typed)));
                }
            }
            next.truncate(MAX_GUESSES);
            guesses = next;
        }
        let mut all = Vec::new();
        for (env, typing) in &guesses {
            all.push(and(typing.clone(), self.expr(condition, env)));
        }
        let found = or(disj(all), found);
        if is_closed(self.p, condition, vars) && self.are_inhabited(vars, env) {
            // Whatever the values are.
            return or(found, self.expr(condition, env));
        }
        // What is asked only under a condition that says nothing of the values.
        if let ExprKind::Binary(BinaryOp::Imp, given, asked) = self.p.exprs[condition].kind
            && is_closed(self.p, given, vars)
            && self.are_inhabited(vars, env)
        {
            let test = self.expr(given, env);
            let some = self.some_values(vars, asked, &[], chosen, env);
            return or(found, imp(test, some));
        }
        found
    }

    /// Whether the types of variables are known to have values.
    fn are_inhabited(&mut self, vars: &[VarId], env: &Env) -> bool {
        vars.iter().all(|&v| {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            self.auto_init(ty) != stet_dafny::tree::AutoInit::MaybeEmpty
        })
    }

    /// What a variable is compared with.
    fn limits_of(
        &mut self,
        v: VarId,
        condition: ExprId,
        open: &[VarId],
        env: &Env,
        values: &mut Vec<B>,
    ) {
        let is_it = |p: &Program, e: ExprId| matches!(p.exprs[e].kind, ExprKind::Var(w) if w == v);
        let mut pending = vec![condition];
        while let Some(e) = pending.pop() {
            let ExprKind::Binary(op, a, b) = self.p.exprs[e].kind else {
                continue;
            };
            if op == BinaryOp::And {
                pending.extend([b, a]);
                continue;
            }
            let (other, is_left) = match (is_it(self.p, a), is_it(self.p, b)) {
                (true, false) => (b, true),
                (false, true) => (a, false),
                _ => {
                    if op == BinaryOp::Eq {
                        self.solved_for(v, (a, b), open, env, values);
                        self.solved_for(v, (b, a), open, env, values);
                    }
                    continue;
                }
            };
            let rep = self.rep_of(other, env);
            if !matches!(&*self.p.types.kind(rep), TyKind::Int) || !is_closed(self.p, other, open) {
                continue;
            }
            // `x < e` is met by `e - 1`, `e < x` by `e + 1`.
            let step = match (op, is_left) {
                (BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq, _) => 0,
                (BinaryOp::Lt, true) | (BinaryOp::Gt, false) => -1,
                (BinaryOp::Lt, false) | (BinaryOp::Gt, true) => 1,
                _ => continue,
            };
            let limit = self.expr(other, env);
            let value = if step == 0 {
                limit
            } else {
                add(limit, int(step))
            };
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }

    /// The solution of `x + c == e`, `c + x == e` or `x - c == e` for an integer variable.
    fn solved_for(
        &mut self,
        v: VarId,
        (sum, whole): (ExprId, ExprId),
        open: &[VarId],
        env: &Env,
        values: &mut Vec<B>,
    ) {
        let p = self.p;
        let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = p.exprs[sum].kind else {
            return;
        };
        let is_it = |e: ExprId| matches!(p.exprs[e].kind, ExprKind::Var(w) if w == v);
        let part = match op {
            _ if is_it(a) => b,
            BinaryOp::Add if is_it(b) => a,
            _ => return,
        };
        let rep = self.rep_of(whole, env);
        let is_known = is_closed(p, part, open) && is_closed(p, whole, open);
        if !is_known || !matches!(&*p.types.kind(rep), TyKind::Int) {
            return;
        }
        let (whole, part) = (self.expr(whole, env), self.expr(part, env));
        let value = match op {
            BinaryOp::Add => crate::tree::sub(whole, part),
            _ => add(whole, part),
        };
        if !values.contains(&value) {
            values.push(value);
        }
    }

    /// The first elements of sequences that a variable must be in.
    fn first_elements(
        &mut self,
        v: VarId,
        condition: ExprId,
        open: &[VarId],
        env: &Env,
        values: &mut Vec<B>,
    ) {
        let mut pending = vec![condition];
        while let Some(e) = pending.pop() {
            match &self.p.exprs[e].kind {
                ExprKind::Binary(BinaryOp::And, a, b) => pending.extend([a, b]),
                ExprKind::Binary(BinaryOp::In, a, of) if matches!(self.p.exprs[*a].kind, ExprKind::Var(w) if w == v) =>
                {
                    let rep = self.rep_of(*of, env);
                    let is_known = is_closed(self.p, *of, open);
                    if let (TyKind::Seq(elem), true) = (&*self.p.types.kind(rep), is_known) {
                        let sort = self.sort_name(*elem);
                        let seq = self.expr(*of, env);
                        values.push(app(&format!("$Seq.nth${sort}"), vec![seq, int(0)]));
                    }
                }
                _ => {}
            }
        }
    }

    /// Values to try for a variable.
    fn guesses(&mut self, v: VarId, bound: Option<&VarBound>, open: &[VarId], env: &Env) -> Vec<B> {
        let (mut values, mut listed) = (Vec::new(), Vec::new());
        let p = self.p;
        let is_known = |e: &ExprId| is_closed(p, *e, open);
        let ty = self.subst(&env.subst, self.p.vars[v].ty);
        match bound {
            Some(VarBound::Range(low, high)) => {
                values.extend(low.filter(is_known).map(|e| self.expr(e, env)));
                let last = high.filter(is_known);
                values.extend(last.map(|e| sub(self.expr(e, env), int(1))));
            }
            Some(VarBound::Exact(e)) if is_known(e) => values.push(self.expr(*e, env)),
            Some(VarBound::In(of)) => {
                if let ExprKind::SetDisplay(items)
                | ExprKind::SeqDisplay(items)
                | ExprKind::MultisetDisplay(items) = &p.exprs[*of].kind
                {
                    let items = items.iter().filter(|e| is_known(e)).take(MAX_ELEMENTS);
                    listed.extend(items.map(|&e| self.expr(e, env)));
                }
            }
            _ => {}
        }
        let rep = self.rep(ty);
        let is_number = matches!(&*self.p.types.kind(rep), TyKind::Int);
        if !is_number && !values.is_empty() && !matches!(bound, Some(VarBound::Exact(_))) {
            values.clear();
        }
        values.append(&mut listed);
        if let Some((value, _)) = self.default_value(ty) {
            values.push(value);
        }
        if rep == self.p.types.bool_ {
            values.push(tt());
        }
        values
    }
}

/// Whether none of these variables occurs in an expression.
fn is_closed(p: &Program, root: ExprId, open: &[VarId]) -> bool {
    let mut found = false;
    crate::walk::walk(p, root, &mut |e| {
        found |= matches!(p.exprs[e].kind, ExprKind::Var(w) if open.contains(&w));
        !found
    });
    !found
}
