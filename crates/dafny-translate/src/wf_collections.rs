//! Checks of expressions about collections: indices, keys, slices, updates.

use crate::cx::{Cx, Env};
use crate::tree::*;
use crate::wf::{Builder, aside, check};
use stet_base::Span;
use stet_dafny::tree::source::Text;
use stet_dafny::tree::{ExprId, ExprKind, Ty, TyKind};

impl Cx<'_> {
    pub(crate) fn wf_collection(
        &mut self,
        e: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let expr = &self.p.exprs[e];
        let span = expr.tok;
        match &expr.kind {
            ExprKind::Index(of, index) => {
                self.wf_all(&[*of, *index], env, b, out);
                self.index_ok(*of, *index, env, span, out);
            }
            ExprKind::ArrayIndex(array, indices) => {
                self.wf(*array, env, b, out);
                self.wf_all(indices, env, b, out);
                self.element_ok(*array, indices, env, span, out);
                let object = self.expr(*array, env);
                let values = self.args(indices, env);
                let field = self.index_field(&values);
                let what = "array element";
                self.may_read(&object, Some(&field), env, span, b, out, what, e);
            }
            ExprKind::Slice(of, lo, hi) => {
                self.wf(*of, env, b, out);
                self.wf_all(
                    &lo.iter().chain(hi).copied().collect::<Vec<_>>(),
                    env,
                    b,
                    out,
                );
                self.slice_ok(*of, *lo, *hi, env, span, b, out);
            }
            ExprKind::Update(of, at, value) => {
                self.wf_all(&[*of, *at, *value], env, b, out);
                self.update_ok(e, *of, *at, *value, env, out);
            }
            ExprKind::DatatypeUpdate {
                value,
                ctors,
                updates,
            } => {
                self.wf(*value, env, b, out);
                for (_, new) in updates {
                    self.wf(*new, env, b, out);
                }
                self.datatype_update_ok(e, *value, ctors, updates, env, out);
            }
            ExprKind::Rotate(of, by, _) => {
                self.wf_all(&[*of, *by], env, b, out);
                let rep = self.rep_of(*of, env);
                if let TyKind::Bv(width) = *self.p.types.kind(rep) {
                    self.shift_ok(width, *by, env, span, out);
                }
            }
            ExprKind::SeqConstruct(length, init) => {
                self.wf_seq_construct(e, *length, *init, env, b, out);
            }
            ExprKind::SetDisplay(items)
            | ExprKind::MultisetDisplay(items)
            | ExprKind::SeqDisplay(items) => {
                self.wf_all(items, env, b, out);
                let elem = self.element_types(e, env).first().copied();
                for &item in items {
                    if let Some(elem) = elem {
                        self.fits(item, elem, env, out);
                    }
                }
            }
            ExprKind::Tuple(items) => {
                self.wf_all(items, env, b, out);
                let types = self.element_types(e, env);
                for (&item, ty) in items.iter().zip(types) {
                    self.fits(item, ty, env, out);
                }
            }
            ExprKind::MapDisplay(entries) => {
                let types = self.element_types(e, env);
                for (key, value) in entries {
                    self.wf_all(&[*key, *value], env, b, out);
                    for (&part, &ty) in [key, value].into_iter().zip(&types) {
                        self.fits(part, ty, env, out);
                    }
                }
            }
            ExprKind::MultisetOf(a)
            | ExprKind::TupleSelect(a, _)
            | ExprKind::Discriminator(a, _)
            | ExprKind::TypeTest(a, _)
            | ExprKind::Allocated(a) => self.wf(*a, env, b, out),
            // `expr` refuses what is left.
            _ => {
                self.expr(e, env);
            }
        }
    }

    pub(crate) fn index_ok(
        &mut self,
        of: ExprId,
        index: ExprId,
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let rep = self.rep_of(of, env);
        let (value, at) = (self.expr(of, env), self.expr(index, env));
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Seq(_) => {
                let length = self.cardinality(rep, value, span);
                let inside = and(le(int(0), at.clone()), lt(at, length));
                out.push(check(inside, span, "index out of range"));
                let length = self.text(of, env).text;
                self.explain_index(index, &format!("|{length}|"), env, out);
            }
            TyKind::Map { .. } => {
                let inside = self.binary_in(rep, at, value, span);
                out.push(check(
                    inside,
                    span,
                    "element could not be proved to be in domain",
                ));
                self.explain(out, |cx| {
                    let (key, map) = (cx.text(index, env), cx.text(of, env));
                    Some(Text::relation(&key, "in", &map))
                });
            }
            _ => {}
        }
    }

    pub(crate) fn binary_in(&mut self, rep: Ty, key: B, map: B, span: Span) -> B {
        let _ = span;
        let kind = self.p.types.kind(rep);
        let TyKind::Map { finite, key: k, .. } = &*kind else {
            return tt();
        };
        let domain = self.map_app("dom", rep, vec![map]);
        let head = if *finite { "$Set" } else { "$ISet" };
        let sort = self.sort_name(*k);
        app(&format!("{head}.in${sort}"), vec![domain, key])
    }

    /// That an array is not null and its indices are in range.
    pub(crate) fn element_ok(
        &mut self,
        array: ExprId,
        indices: &[ExprId],
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        self.not_null_array(array, env, span, out);
        let object = self.expr(array, env);
        let count = indices.len() as u32;
        for (d, &index) in indices.iter().enumerate() {
            let at = self.expr(index, env);
            let length = self.array_length(count, d as u32, &object);
            let inside = and(le(int(0), at.clone()), lt(at, length));
            let message = if count == 1 {
                "index out of range".to_owned()
            } else {
                format!("index {d} out of range")
            };
            out.push(check(inside, span, message));
            let head = self.head_text(array, env);
            let length = match count {
                1 => format!("{head}.Length"),
                _ => format!("{head}.Length{d}"),
            };
            self.explain_index(index, &length, env, out);
        }
    }

    pub(crate) fn not_null_array(
        &mut self,
        array: ExprId,
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let ty = self.type_of(array, env);
        if let TyKind::Array { nullable: true, .. } = &*self.p.types.kind(ty) {
            let value = self.expr(array, env);
            let message = "target object could not be proved to be non-null";
            out.push(check(neq(value, var("null")), span, message));
            self.explain_not_null(array, env, out);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a slice in one context")]
    pub(crate) fn slice_ok(
        &mut self,
        of: ExprId,
        lo: Option<ExprId>,
        hi: Option<ExprId>,
        env: &Env,
        span: Span,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let rep = self.rep_of(of, env);
        let value = self.expr(of, env);
        let kind = self.p.types.kind(rep);
        let (length, what) = if let TyKind::Array { .. } = &*kind {
            self.not_null_array(of, env, span, out);
            (self.array_length(1, 0, &value), "array")
        } else {
            (self.cardinality(rep, value.clone(), span), "sequence")
        };
        let low = lo.map_or(int(0), |lo| self.expr(lo, env));
        if lo.is_some() {
            let inside = and(le(int(0), low.clone()), le(low.clone(), length.clone()));
            out.push(check(inside, span, "lower bound out of range"));
        }
        if let Some(hi) = hi {
            let high = self.expr(hi, env);
            let inside = and(le(low, high.clone()), le(high, length));
            let message = format!("upper bound below lower bound or above length of {what}");
            out.push(check(inside, span, message));
        }
        if let TyKind::Array { .. } = &*kind {
            let what = "the indicated range of array elements";
            self.may_read(&value, None, env, span, b, out, what, of);
        }
    }

    pub(crate) fn update_ok(
        &mut self,
        e: ExprId,
        of: ExprId,
        at: ExprId,
        new: ExprId,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let rep = self.rep_of(of, env);
        let kind = self.p.types.kind(rep);
        let ty = self.type_of(e, env);
        let children = self.p.types.children(ty);
        match &*kind {
            TyKind::Seq(_) => {
                self.index_ok(of, at, env, self.p.exprs[at].tok, out);
                if let Some(&elem) = children.first() {
                    self.fits(new, elem, env, out);
                }
            }
            TyKind::Multiset(_) => {
                if let Some(&elem) = children.first() {
                    self.fits(at, elem, env, out);
                }
                let count = self.expr(new, env);
                let message = "new number of occurrences could not be proved to be non-negative";
                let place = self.p.exprs[new].tok;
                out.push(check(le(int(0), count), place, message));
            }
            _ => {
                if let [key, value] = children[..] {
                    self.fits(at, key, env, out);
                    self.fits(new, value, env, out);
                }
            }
        }
    }

    pub(crate) fn datatype_update_ok(
        &mut self,
        e: ExprId,
        value: ExprId,
        ctors: &[stet_dafny::tree::CtorId],
        updates: &[(stet_base::Symbol, ExprId)],
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let span = self.p.exprs[e].tok;
        let rep = self.rep_of(value, env);
        let of = self.expr(value, env);
        let tests: Vec<B> = ctors.iter().map(|&c| self.is_ctor(rep, &of, c)).collect();
        let names: Vec<String> = ctors
            .iter()
            .map(|&c| format!("'{}'", self.p.text(self.p.ctors[c].name)))
            .collect();
        let message = format!(
            "source of datatype update must be constructed by {}",
            names.join(" or ")
        );
        let Some(&ctor) = ctors.first() else {
            return;
        };
        if ctors.len() < self.p.ctors_of(self.p.ctors[ctor].decl).len() {
            out.push(check(disj(tests), span, message));
        }
        let ty = self.type_of(e, env);
        let fields = self.ctor_fields(ty, ctor);
        let formals = self.p.ctors[ctor].formals.clone();
        for (formal, field) in formals.into_iter().zip(fields) {
            let name = self.p.vars[formal].name;
            if let Some((_, new)) = updates.iter().find(|(n, _)| *n == name) {
                self.fits(*new, field, env, out);
            }
        }
    }

    pub(crate) fn wf_seq_construct(
        &mut self,
        e: ExprId,
        length: ExprId,
        init: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let span = self.p.exprs[e].tok;
        let elem = self.element_types(e, env).first().copied();
        self.wf(length, env, b, out);
        let n = self.expr(length, env);
        let message = "sequence size could not be proved to be non-negative";
        out.push(check(
            le(int(0), n.clone()),
            self.p.exprs[length].tok,
            message,
        ));
        let mut stmts = Vec::new();
        let index = self.declare_hidden(b, "i", Sort::named("int"));
        stmts.push(S::Havoc(vec![index.clone()]));
        let i = var(&index);
        let inside = and(le(int(0), i.clone()), lt(i.clone(), n));
        if let ExprKind::Lambda {
            vars,
            requires,
            body,
            reads,
            ..
        } = &self.p.exprs[init].kind
        {
            let mut inner = env.clone();
            stmts.push(S::Assume(inside));
            let message =
                "all sequence indices must be in the domain of the initialization function";
            for &v in vars {
                let ty = self.subst(&env.subst, self.p.vars[v].ty);
                let typed = self.is_type(ty, &i);
                stmts.push(check(typed, span, message));
                inner.vars.insert(v, i.clone());
            }
            self.wf_lambda(init, env, b, out);
            if let Some(requires) = requires {
                let holds = self.expr(*requires, &inner);
                stmts.push(check(holds, span, message));
            }
            let message = "insufficient reads clause to invoke the function passed as an argument to the sequence constructor";
            self.reads_ok(reads, &inner, span, message, b, &mut stmts);
            if let Some(elem) = elem {
                let (value, from) = (self.expr(*body, &inner), self.type_of(*body, &inner));
                let place = self.p.exprs[init].tok;
                self.value_fits(&value, from, elem, place, &mut stmts);
            }
        } else {
            self.wf(init, env, b, out);
            let rep = self.rep_of(init, env);
            let sort = self.sort_name(rep);
            let f = self.expr(init, env);
            stmts.push(S::Assume(inside));
            let required = if self.is_general(init, env) {
                self.general_app("$reqh", init, vec![i.clone()], env)
            } else {
                app(&format!("$req.{sort}"), vec![f, i.clone()])
            };
            let message =
                "all sequence indices must be in the domain of the initialization function";
            stmts.push(check(required, span, message));
            if self.is_general(init, env) {
                let message = "insufficient reads clause to invoke the function passed as an argument to the sequence constructor";
                let at = vec![i.clone()];
                self.general_reads_ok(init, at, env, message, span, b, &mut stmts);
                self.explain_each_index(length, init, env, b, &mut stmts);
            }
            if let (Some(elem), Some(&result)) = (elem, self.element_types(init, env).last()) {
                let value = self.apply_value(init, vec![i], env);
                self.value_fits(&value, result, elem, span, &mut stmts);
            }
        }
        aside(stmts, out);
    }
}
