//! `modify` and `forall` statements.

use crate::assign::Target;
use crate::cx::{Cx, Env};
use crate::tree::*;
use crate::wf::{Builder, aside, check};
use stet_base::Span;
use stet_dafny::tree::{ExprId, ForallKind, Frame, MethodCall, Rhs, StmtId, StmtKind};

impl Cx<'_> {
    pub(crate) fn modify(
        &mut self,
        frame: &Frame,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        if env.construction.is_some() {
            self.unsupported(span, "`modify` before `new;`");
        }
        for item in &frame.items {
            self.wf(item.expr, env, b, out);
        }
        let message = "modified object in modify statement could not be proved to be in the current modifies clause";
        self.modifies_ok(frame, env, span, env, b, out, message);
        let parts = self.frame(frame, env);
        let before = self.save_heap("modify", env, b, out);
        let parts = parts.map(|parts| self.frozen(parts, env, b, out));
        self.havoc_heap(parts.as_deref(), &before, env, out);
    }

    /// Frame parts whose values do not change when the heap does.
    pub(crate) fn frozen(
        &mut self,
        parts: Vec<crate::frame::FramePart>,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> Vec<crate::frame::FramePart> {
        use crate::frame::Objects;
        let _ = env;
        parts
            .into_iter()
            .map(|mut part| {
                let (value, sort) = match &part.objects {
                    Objects::One(o) => (o.clone(), "ref".to_owned()),
                    Objects::In(f, v) => {
                        let head = f.split('.').next().unwrap_or_default();
                        (v.clone(), format!("{head}$ref"))
                    }
                    Objects::Image(..) => {
                        self.unsupported(self.here, "modifying what a function gives");
                        return part;
                    }
                };
                let temp = self.declare_hidden(b, "frame", Sort::named(&sort));
                out.push(S::Assign(temp.clone(), value));
                part.objects = match part.objects {
                    Objects::One(_) => Objects::One(var(&temp)),
                    Objects::In(f, _) => Objects::In(f, var(&temp)),
                    other @ Objects::Image(..) => other,
                };
                part
            })
            .collect()
    }

    /// Any later heap that differs within a frame only.
    pub(crate) fn havoc_heap(
        &mut self,
        parts: Option<&[crate::frame::FramePart]>,
        before: &B,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        out.push(S::Havoc(vec!["$Heap".into()]));
        let condition = self.frame_condition(parts, before, &env.heap);
        out.push(S::Assume(app("$HeapOk", vec![env.heap.clone()])));
        out.push(S::Assume(app(
            "$HeapSucc",
            vec![before.clone(), env.heap.clone()],
        )));
        out.push(S::Assume(condition));
    }

    pub(crate) fn forall_stmt(
        &mut self,
        s: StmtId,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let StmtKind::Forall {
            vars,
            range,
            ensures,
            body,
            kind,
            ..
        } = &self.p.stmts[s].kind
        else {
            return;
        };
        let (vars, range, ensures) = (vars.clone(), *range, ensures.clone());
        let mut inner = env.clone();
        let mut proof = Vec::new();
        self.havoc_vars(&vars, &mut inner, b, &mut proof);
        self.wf(range, &inner, b, &mut proof);
        proof.push(S::Assume(self.expr(range, &inner)));
        if let Some(body) = *body {
            self.stmt(body, &mut inner.clone(), b, &mut proof);
        }
        if *kind == ForallKind::Assign {
            self.forall_assign(s, proof, env, b, out);
            return;
        }
        for clause in &ensures {
            self.wf(clause.expr, &inner, b, &mut proof);
            for part in self.split(clause.expr, &inner) {
                proof.push(S::Assert(Check {
                    forgotten: false,
                    asserted: None,
                    span: part.at,
                    message: "a postcondition of the forall statement could not be proved".into(),
                    related: part.related(),
                    cond: part.cond,
                }));
            }
        }
        let (mut quantified, call) = (env.clone(), self.single_call(*body));
        aside(proof, out);
        let (names, typing) = self.bound_vars(&vars, &mut quantified);
        let holds = and(typing, self.expr(range, &quantified));
        let mut facts = tt();
        for clause in &ensures {
            facts = and(facts, self.expr(clause.expr, &quantified));
        }
        if ensures.is_empty()
            && let (ForallKind::Call, Some(call)) = (*kind, call)
        {
            facts = self.ensured_by(&call, &quantified);
        }
        if ensures.is_empty()
            && let Some(result) = self.single_calc(*body)
        {
            facts = self.expr(result, &quantified);
        }
        let body = imp(holds, facts.clone());
        let mut triggers = crate::trigger::choose(&facts, &names);
        for more in crate::trigger::choose(&body, &names) {
            if !triggers.contains(&more) {
                triggers.push(more);
            }
        }
        let all = if triggers.is_empty() {
            self.marked(true, names, body)
        } else {
            forall(names, triggers, body)
        };
        out.push(S::Assume(all));
    }

    /// The only call in the body of a `forall` statement.
    fn single_call(&self, body: Option<StmtId>) -> Option<MethodCall> {
        match &self.p.stmts[body?].kind {
            StmtKind::Call(call) => Some(call.clone()),
            StmtKind::Block(stmts) | StmtKind::Sequence(stmts) => match stmts[..] {
                [only] => self.single_call(Some(only)),
                _ => None,
            },
            _ => None,
        }
    }

    /// What the only calculation in the body of a `forall` statement proves.
    fn single_calc(&self, body: Option<StmtId>) -> Option<ExprId> {
        match &self.p.stmts[body?].kind {
            StmtKind::Calc(calc) if !calc.steps.is_empty() => {
                let is_prefix = |e: &ExprId| {
                    let kind = &self.p.exprs[*e].kind;
                    matches!(kind, stet_dafny::tree::ExprKind::PrefixEq { .. })
                };
                calc.result.filter(|e| !is_prefix(e))
            }
            StmtKind::Block(stmts) => match stmts[..] {
                [only] => self.single_calc(Some(only)),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a lemma ensures for its arguments.
    fn ensured_by(&mut self, call: &MethodCall, env: &Env) -> B {
        let Some(m) = self.method(call.method).cloned() else {
            return tt();
        };
        let instance = self.call_instance(call, env);
        let mut callee = Env {
            subst: self.subst_of(&instance),
            this: call.receiver.map(|r| self.expr(r, env)),
            construction: None,
            focus: None,
            old: env.heap.clone(),
            ..env.clone()
        };
        for (&formal, &arg) in m.ins.iter().zip(&call.args) {
            let value = self.expr(arg, env);
            callee.vars.insert(formal, value);
        }
        if let Some(extreme) = m.extreme {
            let mut unused = (crate::wf::Builder::default(), Vec::new());
            let (b, out) = (&mut unused.0, &mut unused.1);
            // The depth was checked with the call.
            if let Some(k) = self.call_depth(call.prefix, &m, call.tok, env, b, out) {
                callee = self.prefix_specification(&m, extreme, &k, &callee).0;
            }
        }
        let mut facts = tt();
        for clause in &m.ensures {
            facts = and(facts, self.expr(clause.expr, &callee));
        }
        facts
    }

    /// Simultaneous assignment for all values of the bound variables.
    fn forall_assign(
        &mut self,
        s: StmtId,
        checks: Vec<S>,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        aside(checks, out);
        let StmtKind::Forall {
            vars, range, body, ..
        } = &self.p.stmts[s].kind
        else {
            return;
        };
        let span = self.p.stmts[s].tok;
        let Some((lhs, rhs)) = self.single_assign(*body) else {
            self.unsupported(span, "this kind of forall statement");
            return;
        };
        let before = self.save_heap("forall", env, b, out);
        let mut inner = env.at_heap(before.clone());
        inner.is_current = true;
        let (names, typing) = self.bound_vars(vars, &mut inner);
        let holds = and(typing, self.expr(*range, &inner));
        let mut ignored = Vec::new();
        let (target, _) = self.target(lhs, &inner, b, &mut ignored);
        let Target::Heap {
            object,
            field,
            sort,
        } = target
        else {
            self.unsupported(span, "this kind of forall statement");
            return;
        };
        let value = self.expr(rhs, &inner);
        let value_type = self.type_of(rhs, &inner);
        if env.construction.is_some() && self.has_references(value_type, &mut Vec::new()) {
            self.unsupported(span, "storing objects by a forall statement before `new;`");
        }
        self.one_value_per_place(&names, &holds, &object, &field, &value, span, out);
        out.push(S::Havoc(vec!["$Heap".into()]));
        let heap = env.heap.clone();
        out.push(S::Assume(app("$HeapOk", vec![heap.clone()])));
        out.push(S::Assume(app(
            "$HeapSucc",
            vec![before.clone(), heap.clone()],
        )));
        // Other places are as before.
        let (o, f) = (var("o~"), var("f~"));
        let place = and(eq(o.clone(), object.clone()), eq(f.clone(), field.clone()));
        let changed = and(holds.clone(), place);
        let triggers = crate::trigger::choose(&changed, &names);
        let changed = exists(names.clone(), triggers, changed);
        let now = select(select(heap.clone(), o.clone()), f.clone());
        let then = select(select(before, o), f);
        let all = vec![
            ("o~".into(), Sort::named("ref")),
            ("f~".into(), Sort::named("$Field")),
        ];
        let same = or(eq(now.clone(), then), changed);
        out.push(S::Assume(forall(all, vec![vec![now]], same)));
        let place = select(select(heap, object), field);
        let boxed = app(&format!("$Box${sort}"), vec![value]);
        for inverse in inverses(&names, &place, &holds, &boxed) {
            out.push(S::Assume(inverse));
        }
        let body = imp(holds, eq(place.clone(), boxed));
        let triggers = crate::trigger::choose(&place, &names);
        out.push(S::Assume(forall(names, triggers, body)));
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one assignment")]
    fn one_value_per_place(
        &mut self,
        names: &[TypedName],
        holds: &B,
        object: &B,
        field: &B,
        value: &B,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let other: Vec<TypedName> = names
            .iter()
            .map(|(n, s)| (Name::from(format!("{n}'")), s.clone()))
            .collect();
        let by: Vec<B> = other.iter().map(|(n, _)| var(n)).collect();
        let again = |e: &B| crate::collections::replace(e, names, &by);
        let same_place = and(
            eq(object.clone(), again(object)),
            eq(field.clone(), again(field)),
        );
        let condition = and(and(holds.clone(), again(holds)), same_place);
        let body = imp(condition, eq(value.clone(), again(value)));
        let all = names.iter().chain(&other).cloned().collect();
        let message = "left-hand sides for different forall-statement bound variables might refer to the same location";
        out.push(check(forall(all, Vec::new(), body), span, message));
    }

    fn single_assign(&self, body: Option<StmtId>) -> Option<(ExprId, ExprId)> {
        match &self.p.stmts[body?].kind {
            StmtKind::Assign { lhss, rhss } => match (&lhss[..], &rhss[..]) {
                ([lhs], [Rhs::Expr(rhs)]) => Some((*lhs, *rhs)),
                _ => None,
            },
            StmtKind::Block(stmts) | StmtKind::Sequence(stmts) => match stmts[..] {
                [only] => self.single_assign(Some(only)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What is said of the element at `i + c` for all `i`, said of the element at `j` for all `j`: so it is found by the
/// elements that later conditions speak of. Of an index `if i < p then i else i + n` each branch is turned around.
fn inverses(names: &[TypedName], place: &B, holds: &B, value: &B) -> Vec<B> {
    let ([(name, sort)], Node::Select(row, field)) = (names, &**place) else {
        return Vec::new();
    };
    let Some(Node::App(head, index)) = field.first().map(|f| &**f) else {
        return Vec::new();
    };
    let [index] = &index[..] else {
        return Vec::new();
    };
    if matches!(**index, Node::Var(_)) || mentions(row, name) {
        return Vec::new();
    }
    let element = |at: &B| select(row.clone(), app(head, vec![at.clone()]));
    let mut leaves = Vec::new();
    branches(index, &tt(), &mut leaves);
    let inverse = |(guard, leaf): (B, B)| {
        if !mentions(&leaf, name) {
            let only = only_value(&guard, name)?;
            let condition = and(holds.clone(), guard);
            let body = imp(condition, eq(element(&leaf), value.clone()));
            return Some(crate::collections::replace(&body, names, &[only]));
        }
        let at: Name = format!("{name}.at").into();
        let from = solved(&leaf, name, var(&at))?;
        let place = element(&var(&at));
        let moved = |e: &B| crate::collections::replace(e, names, std::slice::from_ref(&from));
        let condition = moved(&and(holds.clone(), guard.clone()));
        let body = imp(condition, eq(place.clone(), moved(value)));
        Some(forall(vec![(at, sort.clone())], vec![vec![place]], body))
    };
    leaves.into_iter().filter_map(inverse).collect()
}

/// The values of a conditional expression with the conditions under which it has them.
fn branches(e: &B, guard: &B, found: &mut Vec<(B, B)>) {
    match &**e {
        Node::Ite(c, x, y) => {
            branches(x, &and(guard.clone(), c.clone()), found);
            branches(y, &and(guard.clone(), not(c.clone())), found);
        }
        _ => found.push((guard.clone(), e.clone())),
    }
}

/// The only value of a variable that a condition allows, if it says so by an equation.
fn only_value(condition: &B, name: &str) -> Option<B> {
    let Node::Bin(op, a, b) = &**condition else {
        return None;
    };
    let is_it = |e: &B| matches!(&**e, Node::Var(n) if &**n == name);
    match op {
        BinaryOp::And => only_value(a, name).or_else(|| only_value(b, name)),
        BinaryOp::Eq if is_it(a) && !mentions(b, name) => Some(b.clone()),
        BinaryOp::Eq if is_it(b) && !mentions(a, name) => Some(a.clone()),
        _ => None,
    }
}

/// The value of a variable for which a sum or difference has a value; nothing if it is not the only one.
fn solved(sum: &B, name: &str, value: B) -> Option<B> {
    match &**sum {
        Node::Var(n) if &**n == name => Some(value),
        Node::Bin(BinaryOp::Add, a, b) if !mentions(b, name) => {
            solved(a, name, sub(value, b.clone()))
        }
        Node::Bin(BinaryOp::Add, a, b) if !mentions(a, name) => {
            solved(b, name, sub(value, a.clone()))
        }
        Node::Bin(BinaryOp::Sub, a, b) if !mentions(b, name) => {
            solved(a, name, add(value, b.clone()))
        }
        Node::Bin(BinaryOp::Sub, a, b) if !mentions(a, name) => {
            solved(b, name, sub(a.clone(), value))
        }
        _ => None,
    }
}
