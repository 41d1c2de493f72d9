//! Checks that expressions are well-formed: what Dafny requires before an expression has a value.

use crate::cx::{Cx, Env};
use crate::decl::Variable;
use crate::frame::{FramePart, in_frame};
use crate::measure::Measured;
use crate::tree::*;
use std::rc::Rc;
use stet_base::{FastMap, Span};
use stet_dafny::tree::source::{Text, strength};
use stet_dafny::tree::{
    BinaryOp as Op, Case, ExprId, ExprKind, Frame, LabelId, MemberKind, Property, StmtId, TyKind,
    UnaryOp, VarId,
};

/// What has a `reads` clause.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reader {
    /// Nothing: default values, constants, constraints of types.
    #[default]
    Closed,
    Function,
    TwostateFunction,
    Lambda,
}

/// An implementation being made.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) locals: Vec<Variable>,
    pub(crate) counts: FastMap<String, u32>,
    /// What the frame in `reads` belongs to.
    pub(crate) reader: Reader,
    /// What may be read; nothing said: everything.
    pub(crate) reads: Option<Rc<Vec<FramePart>>>,
    /// What may be modified; nothing said: everything.
    pub(crate) modifies: Option<Rc<Vec<FramePart>>>,
    /// The measure of the enclosing callable at its entry.
    pub(crate) measure: Option<Vec<Measured>>,
    /// The same as expressions, for messages.
    pub(crate) measure_text: crate::explain::MeasureText,
    /// Whether the program does not give that measure.
    pub(crate) measure_inferred: bool,
    /// Why recursive calls are not co-recursive, by their places.
    pub(crate) co_notes: FastMap<Span, String>,
    /// For variables that may be unassigned: the variable that says whether they are assigned.
    pub(crate) assigned: FastMap<VarId, Name>,
    /// For labelled assertions: a variable that implies the condition, assumed when it is revealed.
    pub(crate) labelled: FastMap<LabelId, B>,
    /// Labels to jump to, by the statement they leave or continue.
    pub(crate) exits: FastMap<(StmtId, bool), Name>,
    /// Where control goes from a `return`.
    pub(crate) outs: Vec<VarId>,
    /// Objects not in this heap may be modified in any case; nothing said: the heap at entry.
    pub(crate) frame_heap: Option<B>,
    /// In the first part of a constructor: for fields that need a value, whether they have one.
    pub(crate) fields: FastMap<stet_dafny::tree::MemberId, Name>,
    /// Whether what the next call requires was shown by a proof of its own.
    pub(crate) is_shown: bool,
    /// In the body of a function: what is checked of each result.
    pub(crate) results: Rc<Vec<S>>,
    /// In the body of an iterator: which one.
    pub(crate) iterator: Option<crate::iterators::Running>,
    /// Whether the expression is the default value of a parameter.
    pub(crate) in_default: bool,
    /// In the default value of a constructor's parameter: where that value is put in.
    pub(crate) knots: stet_base::FastSet<u32>,
    /// In a constructor: the object it makes.
    pub(crate) constructed: Option<crate::construct::Construction>,
}

impl Builder {
    /// A name that no other local variable has.
    pub(crate) fn fresh_name(&mut self, name: &str) -> Name {
        let count = self.counts.entry(name.to_owned()).or_insert(0);
        *count += 1;
        format!("{name}#{count}").into()
    }

    pub(crate) fn fresh(&mut self, name: &str, sort: Sort) -> Name {
        let name = self.fresh_name(name);
        self.locals.push(Variable {
            name: name.clone(),
            sort,
            constraint: None,
        });
        name
    }
}

/// Makes the checks of the rest of an expression.
pub(crate) type Then<'f, C> = dyn FnMut(&mut C, ExprId, &Env, &mut Builder, &mut Vec<S>) + 'f;

/// A check with a message.
pub(crate) fn check(cond: B, span: Span, message: impl Into<Name>) -> S {
    S::Assert(Check {
        forgotten: false,
        asserted: None,
        cond,
        span,
        message: message.into(),
        related: Vec::new(),
    })
}

/// A check that nothing after it relies on.
pub(crate) fn check_only(cond: B, span: Span, message: impl Into<Name>) -> S {
    S::Assert(Check {
        forgotten: true,
        asserted: None,
        cond,
        span,
        message: message.into(),
        related: Vec::new(),
    })
}

/// Statements whose effects are forgotten.
pub(crate) fn aside(mut stmts: Vec<S>, out: &mut Vec<S>) {
    if !stmts.iter().any(has_check) {
        return;
    }
    if !stmts.iter().any(has_open_check) {
        out.push(S::Settled);
        return;
    }
    stmts.push(S::Assume(ff()));
    out.push(S::If(None, stmts, Vec::new()));
}

/// Whether Dafny checks something in a statement.
pub(crate) fn has_check(stmt: &S) -> bool {
    match stmt {
        S::Settled => true,
        S::If(_, a, b) => a.iter().chain(b).any(has_check),
        _ => has_open_check(stmt),
    }
}

/// Whether something is left to check in a statement.
fn has_open_check(stmt: &S) -> bool {
    match stmt {
        S::Assert(_) | S::Call { .. } | S::Loop { .. } => true,
        S::If(_, a, b) => a.iter().chain(b).any(has_open_check),
        _ => false,
    }
}

/// An `if`, left out when nothing is checked or assumed in it.
fn branch(test: B, then: Vec<S>, els: Vec<S>, out: &mut Vec<S>) {
    let mut all = then.iter().chain(&els);
    if all.clone().any(|s| !matches!(s, S::Settled)) {
        out.push(S::If(Some(test), then, els));
    } else if all.next().is_some() {
        out.push(S::Settled);
    }
}

impl Cx<'_> {
    pub(crate) fn wf_all(&mut self, es: &[ExprId], env: &Env, b: &mut Builder, out: &mut Vec<S>) {
        for &e in es {
            self.wf(e, env, b, out);
        }
    }

    /// Adds the checks that an expression needs.
    pub(crate) fn wf(&mut self, e: ExprId, env: &Env, b: &mut Builder, out: &mut Vec<S>) {
        if self.p.defaults.contains_key(&e) {
            // Checked where it is declared.
            return;
        }
        self.wf_parts(e, env, b, out);
        if crate::newtypes::makes_value(&self.p.exprs[e].kind) {
            self.result_fits(e, env, out);
        }
    }

    fn wf_parts(&mut self, e: ExprId, env: &Env, b: &mut Builder, out: &mut Vec<S>) {
        let expr = &self.p.exprs[e];
        let span = expr.tok;
        match &expr.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::StaticConst { .. } => {}
            ExprKind::Var(v) => self.is_assigned(*v, span, b, out),
            ExprKind::Field { object, field, .. }
                if env.field_local(self.p, *object, *field).is_some() =>
            {
                self.is_field_assigned(*field, span, b, out);
            }
            ExprKind::Field { object, field, .. } => {
                self.wf(*object, env, b, out);
                self.not_null(*object, env, span, out);
                if let MemberKind::Field { .. } = self.p.members[*field].kind {
                    let args = self.owner_args_of(*object, *field, env);
                    let field = self.field_name(*field, args);
                    let object_value = self.expr(*object, env);
                    self.may_read(&object_value, Some(&field), env, span, b, out, "field", e);
                }
            }
            ExprKind::Destructor { value, ctors } => {
                self.wf(*value, env, b, out);
                self.destructor_ok(e, *value, ctors, env, out);
            }
            ExprKind::Call(call) => self.wf_call(call, env, span, b, out),
            ExprKind::Binary(op, x, y) => self.wf_binary(e, *op, *x, *y, env, b, out),
            ExprKind::Unary(op, x) => {
                let is_literal =
                    matches!(self.p.exprs[*x].kind, ExprKind::Int(_) | ExprKind::Real(_));
                // A negative literal is one: only its value must fit.
                if !(*op == UnaryOp::Neg && is_literal) {
                    self.wf(*x, env, b, out);
                }
            }
            ExprKind::Ite(c, x, y) => {
                self.wf(*c, env, b, out);
                let test = self.expr(*c, env);
                let (mut then, mut els) = (Vec::new(), Vec::new());
                let ty = self.type_of(e, env);
                self.wf(*x, env, b, &mut then);
                self.fits(*x, ty, env, &mut then);
                self.wf(*y, env, b, &mut els);
                self.fits(*y, ty, env, &mut els);
                branch(test, then, els, out);
            }
            ExprKind::Match { scrutinee, cases } => {
                let cases = cases.clone();
                let ty = self.type_of(e, env);
                self.wf_match(
                    *scrutinee,
                    &cases,
                    env,
                    b,
                    out,
                    &mut |cx, body, env, b, out| {
                        cx.wf(body, env, b, out);
                        cx.fits(body, ty, env, out);
                    },
                );
            }
            ExprKind::Let { .. } => {
                let ty = self.type_of(e, env);
                self.wf_let(e, env, b, out, &mut |cx, body, env, b, out| {
                    cx.wf(body, env, b, out);
                    cx.fits(body, ty, env, out);
                });
            }
            ExprKind::StmtExpr(stmt, inner) => {
                self.stmt(*stmt, &mut env.clone(), b, out);
                self.wf(*inner, env, b, out);
                let ty = self.type_of(e, env);
                self.fits(*inner, ty, env, out);
            }
            ExprKind::Old(inner, label) => {
                let heap = self.old_heap(*label, env);
                self.wf(*inner, &env.at_heap(heap), b, out);
            }
            _ => self.wf_more(e, env, b, out),
        }
    }

    fn wf_more(&mut self, e: ExprId, env: &Env, b: &mut Builder, out: &mut Vec<S>) {
        let expr = &self.p.exprs[e];
        let span = expr.tok;
        match &expr.kind {
            ExprKind::Quantifier(q) => {
                let parts: Vec<ExprId> = q.range.into_iter().collect();
                self.wf_bound(&q.vars.clone(), &parts, &[q.body], env, b, out);
            }
            ExprKind::SetComprehension {
                vars, range, term, ..
            } => {
                let types = self.element_types(e, env);
                self.wf_bound_typed(&vars.clone(), &[*range], &[*term], &types, env, b, out);
            }
            ExprKind::MapComprehension {
                vars,
                range,
                key,
                value,
                ..
            } => {
                let mut terms: Vec<ExprId> = key.iter().copied().collect();
                terms.push(*value);
                let types = self.element_types(e, env);
                let types = &types[types.len().saturating_sub(terms.len())..];
                self.wf_bound_typed(&vars.clone(), &[*range], &terms, types, env, b, out);
                if let Some(key) = key {
                    let (vars, range, key, value) = (vars.clone(), *range, *key, *value);
                    let place = self.p.exprs[key].tok;
                    self.keys_determine_values(&vars, range, key, value, env, place, out);
                }
            }
            ExprKind::Lambda { .. } => self.wf_lambda(e, env, b, out),
            ExprKind::FunctionValue { receiver, .. } => {
                if let Some(receiver) = receiver {
                    self.wf(*receiver, env, b, out);
                    self.not_null(*receiver, env, span, out);
                }
                self.assume_checked(e, env, out);
            }
            ExprKind::LetSuchThat { .. } => {
                let ty = self.type_of(e, env);
                self.wf_such_that(e, env, b, out, &mut |cx, body, env, b, out| {
                    cx.wf(body, env, b, out);
                    cx.fits(body, ty, env, out);
                });
            }
            ExprKind::Apply(f, args) => {
                self.wf(*f, env, b, out);
                self.wf_all(args, env, b, out);
                self.apply_ok(*f, args, env, self.p.exprs[*f].tok, b, out);
            }
            ExprKind::PrefixEq { k, left, right, .. } => {
                self.wf_all(&[*k, *left, *right], env, b, out);
                self.depth_ok(*k, None, env, out);
            }
            ExprKind::FnProperty(f, _) => self.wf(*f, env, b, out),
            ExprKind::FnRequires(f, args) | ExprKind::FnReads(f, args) => {
                self.wf(*f, env, b, out);
                self.wf_all(args, env, b, out);
                let types = self.element_types(*f, env);
                for (&arg, param) in args.iter().zip(types) {
                    self.fits(arg, param, env, out);
                }
                if self.is_general(*f, env) {
                    let values = self.args(args, env);
                    if let ExprKind::FnReads(..) = self.p.exprs[e].kind {
                        // Outside the domain of a function nothing is said about what it reads.
                        let required = self.general_app("$reqh", *f, values.clone(), env);
                        let message = "function precondition could not be proved";
                        out.push(check(required, span, message));
                    }
                    let message = "insufficient reads clause to invoke function";
                    self.general_reads_ok(*f, values, env, message, span, b, out);
                    let args = self.list_text(args, env);
                    self.explain_applied(*f, &args, env, b, out);
                }
            }
            ExprKind::Ctor { ctor, args, .. } => {
                self.wf_all(args, env, b, out);
                let ty = self.type_of(e, env);
                let fields = self.ctor_fields(ty, *ctor);
                for (&arg, ty) in args.iter().zip(fields) {
                    self.assume_assigned(arg, env, b, out);
                    self.fits(arg, ty, env, out);
                }
            }
            ExprKind::Convert(inner, ty) => {
                self.wf(*inner, env, b, out);
                self.convert_ok(e, *inner, *ty, env, span, out);
            }
            ExprKind::Property(property, inner) => {
                self.wf(*inner, env, b, out);
                if let Property::ArrayLength(_) = property {
                    self.not_null(*inner, env, span, out);
                }
            }
            ExprKind::Fresh(inner, _) => self.wf(*inner, env, b, out),
            ExprKind::Unchanged(frame, label) => {
                let frame: Frame = frame.clone();
                let before = self.old_heap(*label, env);
                for item in &frame.items {
                    let rep = self.rep_of(item.expr, env);
                    let what = match &*self.p.types.kind(rep) {
                        TyKind::Set { .. } => "set element",
                        TyKind::Multiset(_) => "multiset element",
                        TyKind::Seq(_) => "sequence element",
                        _ => "object",
                    };
                    let message =
                        format!("insufficient reads clause to read state of 'unchanged' {what}");
                    self.wf(item.expr, env, b, out);
                    let one = Frame {
                        items: vec![item.clone()],
                        ..frame.clone()
                    };
                    let place = self.p.exprs[item.expr].tok;
                    self.reads_ok(&one, env, place, &message, b, out);
                    self.frame_existed(&one, &before, what, env, b, out);
                }
            }
            ExprKind::DecreasesTo { old, new, .. } => {
                self.wf_all(&old.clone(), env, b, out);
                self.wf_all(&new.clone(), env, b, out);
            }
            _ => self.wf_collection(e, env, b, out),
        }
    }

    fn is_assigned(&mut self, v: VarId, span: Span, b: &Builder, out: &mut Vec<S>) {
        if let Some(flag) = b.assigned.get(&v) {
            let name = self.p.text(self.p.vars[v].name);
            let message = format!(
                "variable '{name}', which is subject to definite-assignment rules, could not be proved to be initialized here"
            );
            out.push(check_only(var(flag), span, message));
        }
    }

    /// What is bound or stored has a value of its type. That a variable was assigned is checked, not assumed, so this is
    /// assumed: one missing value is one error.
    fn assume_assigned(&mut self, e: ExprId, env: &Env, b: &Builder, out: &mut Vec<S>) {
        if matches!(self.p.exprs[e].kind, ExprKind::Var(v) if b.assigned.contains_key(&v)) {
            let (ty, value) = (self.type_of(e, env), self.expr(e, env));
            let is_value = self.is_type(ty, &value);
            if !is_true(&is_value) {
                out.push(S::Assume(is_value));
            }
        }
    }

    /// A field of the object under construction is not read before it has a value.
    fn is_field_assigned(
        &mut self,
        field: stet_dafny::tree::MemberId,
        span: Span,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        if let Some(flag) = b.fields.get(&field) {
            let name = self.p.text(self.p.members[field].name);
            let message = format!(
                "field '{name}', which is subject to definite-assignment rules, could not be proved to be initialized here"
            );
            out.push(check_only(var(flag), span, message));
        }
    }

    pub(crate) fn not_null(&mut self, object: ExprId, env: &Env, span: Span, out: &mut Vec<S>) {
        let ty = self.type_of(object, env);
        if !self.p.is_reference(ty) || matches!(self.p.exprs[object].kind, ExprKind::This) {
            return;
        }
        if self.p.parent_of_constrained(ty).is_some() {
            out.push(S::Settled);
            return;
        }
        let value = self.expr(object, env);
        out.push(check(
            neq(value, var("null")),
            span,
            "target object could not be proved to be non-null",
        ));
        self.explain_not_null(object, env, out);
    }

    /// That the heap may be read here.
    #[expect(
        clippy::too_many_arguments,
        reason = "one place of the heap in one context"
    )]
    pub(crate) fn may_read(
        &mut self,
        object: &B,
        field: Option<&B>,
        env: &Env,
        span: Span,
        b: &Builder,
        out: &mut Vec<S>,
        what: &str,
        e: ExprId,
    ) {
        if !env.is_current {
            let message = "receiver could not be proved to be allocated in the state in which its fields are accessed";
            out.push(check(crate::types::alloc(&env.heap, object), span, message));
        }
        // What a two-state function reads in the earlier state needs no permission.
        if let (Some(parts), true) = (&b.reads, env.is_current) {
            let hint = self.reads_hint(e, b.reader);
            let message = format!("insufficient reads clause to read {what}{hint}");
            out.push(check_only(in_frame(parts, object, field), span, message));
            let read = match self.p.exprs[e].kind {
                ExprKind::Field { object, .. } => object,
                ExprKind::ArrayIndex(array, _) => array,
                _ => e,
            };
            self.explain_in_frame(parts, read, None, env, out);
        }
    }

    fn destructor_ok(
        &mut self,
        e: ExprId,
        value: ExprId,
        ctors: &[(stet_dafny::tree::CtorId, u32)],
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let rep = self.rep_of(value, env);
        let kind = self.p.types.kind(rep);
        let TyKind::Named { decl, .. } = &*kind else {
            return;
        };
        if self.p.ctors_of(*decl).len() == ctors.len() {
            return;
        }
        let of = self.expr(value, env);
        let tests: Vec<B> = ctors
            .iter()
            .map(|(c, _)| self.is_ctor(rep, &of, *c))
            .collect();
        let names: Vec<String> = ctors
            .iter()
            .map(|(c, _)| format!("'{}'", self.p.text(self.p.ctors[*c].name)))
            .collect();
        let (ctor, index) = ctors[0];
        let formal = self.p.ctors[ctor].formals[index as usize];
        let field = self.p.text(self.p.vars[formal].name).to_owned();
        let message = format!(
            "destructor '{field}' can only be applied to datatype values constructed by {}",
            names.join(" or ")
        );
        out.push(check(disj(tests), self.p.exprs[e].tok, message));
        self.explain(out, |cx| {
            let head = cx.head_text(value, env);
            let test = |(c, _): &(stet_dafny::tree::CtorId, u32)| {
                Text::closed(format!("{head}.{}?", cx.p.text(cx.p.ctors[*c].name)))
            };
            Text::joined(ctors.iter().map(test).collect(), "||", strength::OR)
        });
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "an operator with its operands in one context"
    )]
    fn wf_binary(
        &mut self,
        e: ExprId,
        op: Op,
        x: ExprId,
        y: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        self.wf(x, env, b, out);
        match op {
            Op::And | Op::Imp | Op::Or => {
                let mut inner = Vec::new();
                self.wf(y, env, b, &mut inner);
                let test = self.expr(x, env);
                let test = if op == Op::Or { not(test) } else { test };
                branch(test, inner, Vec::new(), out);
                return;
            }
            _ => self.wf(y, env, b, out),
        }
        let span = self.p.exprs[e].tok;
        let rep = self.rep_of(x, env);
        let kind = self.p.types.kind(rep);
        if matches!(op, Op::Div | Op::Mod) {
            let zero = match &*kind {
                TyKind::Real => real(0.into(), 0),
                TyKind::Bv(width) => bv(0.into(), *width),
                _ => int(0),
            };
            let divisor = self.expr(y, env);
            out.push(check(neq(divisor, zero), span, "possible division by zero"));
            let zero = match &*kind {
                TyKind::Real => "0.0",
                _ => "0",
            };
            self.explain(out, |cx| {
                Some(Text::relation(&cx.text(y, env), "!=", &Text::closed(zero)))
            });
        }
        if let (TyKind::Bv(width), Op::Shl | Op::Shr) = (&*kind, op) {
            self.shift_ok(*width, y, env, span, out);
        }
        if let (TyKind::Char, Op::Add | Op::Sub) = (&*kind, op) {
            self.char_ok(op, x, y, env, span, out);
        }
        if let (TyKind::Ordinal, Op::Add | Op::Sub) = (&*kind, op) {
            self.ordinal_ok(op, x, y, env, span, out);
        }
    }

    /// The checks of a `match`; `then` makes those of the bodies.
    pub(crate) fn wf_match(
        &mut self,
        scrutinee: ExprId,
        cases: &[Case<ExprId>],
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
        then: &mut Then<'_, Self>,
    ) {
        self.wf(scrutinee, env, b, out);
        let rep = self.rep_of(scrutinee, env);
        let value = self.expr(scrutinee, env);
        let span = self.p.exprs[scrutinee].tok;
        let from = self.type_of(scrutinee, env);
        let mut rest = Vec::new();
        let message = "missing case in match expression: not all possibilities are covered";
        if !self.p.is_exhaustive(cases.iter().map(|c| &c.pattern)) {
            rest.push(check(ff(), span, message));
        } else {
            rest.push(S::Assume(ff()));
        }
        for case in cases.iter().rev() {
            let mut inner = env.clone();
            self.bind(&case.pattern, rep, &value, &mut inner);
            let mut body = Vec::new();
            let place = case.pattern.span;
            self.pattern_fits(&case.pattern, from, &value, place, env, &mut body);
            then(self, case.body, &inner, b, &mut body);
            let test = self.matches(&case.pattern, rep, &value, env);
            rest = vec![S::If(Some(test), body, rest)];
        }
        out.extend(rest);
    }

    /// The checks of a `let`; `then` makes those of the body.
    pub(crate) fn wf_let(
        &mut self,
        e: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
        then: &mut Then<'_, Self>,
    ) {
        let ExprKind::Let {
            patterns,
            values,
            body,
            ..
        } = &self.p.exprs[e].kind
        else {
            return;
        };
        let mut inner = env.clone();
        for (pattern, &value) in patterns.iter().zip(values) {
            self.wf(value, env, b, out);
            self.assume_assigned(value, env, b, out);
            let rep = self.rep_of(value, env);
            let ty = self.subst(&env.subst, pattern.ty);
            let from = self.type_of(value, env);
            let bound = self.expr(value, env);
            let sort = self.sort(ty);
            let name = self.declare_hidden(b, "let", sort);
            out.push(S::Assign(name.clone(), bound));
            let bound = var(&name);
            let test = self.matches(pattern, rep, &bound, env);
            if !is_true(&test) {
                let message = "the pattern might not match the value";
                out.push(check(test, pattern.span, message));
            }
            let place = self.p.exprs[value].tok;
            self.pattern_fits(pattern, from, &bound, place, env, out);
            self.bind(pattern, rep, &bound, &mut inner);
        }
        then(self, *body, &inner, b, out);
    }

    /// The checks of `var x :| P; e`.
    pub(crate) fn wf_such_that(
        &mut self,
        e: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
        then: &mut Then<'_, Self>,
    ) {
        let ExprKind::LetSuchThat {
            vars,
            condition,
            body,
            bounds,
            compiled,
            attributes,
            ..
        } = &self.p.exprs[e].kind
        else {
            return;
        };
        self.wf_bound(vars, &[], &[*condition], env, b, out);
        let given = self.given_triggers(attributes);
        let message = self.no_values(vars, *condition, given.is_some());
        let some = self.some_values(vars, *condition, bounds, given.as_deref(), env);
        out.push(check(some, self.p.exprs[e].tok, message));
        let mut inner = env.clone();
        let values = self.such_that_values(vars, *condition, &mut env.clone());
        for (v, value) in vars.iter().zip(values) {
            inner.vars.insert(*v, value);
        }
        let mut known = self.expr(*condition, &inner);
        for &v in vars {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            let value = inner.vars[&v].clone();
            known = and(known, self.typed(ty, &value, &env.heap));
        }
        out.push(S::Assume(known));
        if *compiled {
            self.is_determined(e, vars, *condition, &inner, b, out);
        }
        then(self, *body, &inner, b, out);
    }

    /// Nothing but the values in `chosen` satisfies the condition of a choice.
    fn is_determined(
        &mut self,
        e: ExprId,
        vars: &[VarId],
        condition: ExprId,
        chosen: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut other = chosen.clone();
        let mut stmts = Vec::new();
        self.havoc_vars(vars, &mut other, b, &mut stmts);
        stmts.push(S::Assume(self.expr(condition, &other)));
        let mut same = tt();
        for v in vars {
            let ty = self.subst(&chosen.subst, self.p.vars[*v].ty);
            let rep = self.rep(ty);
            let (one, two) = (chosen.vars[v].clone(), other.vars[v].clone());
            same = and(same, self.equal(rep, one, two));
        }
        let message =
            "to be compilable, the value of a let-such-that expression must be uniquely determined";
        stmts.push(check(same, self.p.exprs[e].tok, message));
        aside(stmts, out);
    }
}

/// That an integer is the code of a character.
pub(crate) fn is_char_code(value: &B) -> B {
    let between = |lo: u32, hi: u32| and(le(int(lo), value.clone()), lt(value.clone(), int(hi)));
    or(between(0, 0xD800), between(0xE000, 0x11_0000))
}
