//! More checks of expressions: collections, binders, function values, conversions, and whether values fit types.

use crate::codata::ordinal_converts;
use crate::collections::replace;
use crate::cx::{Cx, Env};
use crate::tree::*;
use crate::wf::{Builder, aside, check, is_char_code};
use stet_base::Span;
use stet_dafny::tree::source::Text;
use stet_dafny::tree::{
    ArrowKind, BinaryOp as Op, ExprId, ExprKind, Pattern, PatternKind, Ty, TyKind, TypeDeclKind,
    UnaryOp, VarId,
};

impl Cx<'_> {
    /// That the value of an expression is in a type that may be narrower than its own.
    pub(crate) fn fits(&mut self, e: ExprId, to: Ty, env: &Env, out: &mut Vec<S>) {
        let from = self.type_of(e, env);
        if self.p.is_subtype(from, to) {
            let is_number = matches!(self.p.exprs[e].kind, ExprKind::Int(_));
            if is_number && matches!(&*self.p.types.kind(to), TyKind::Nat) {
                // Dafny asks, although the text says it.
                out.push(S::Settled);
            }
            return;
        }
        if self.p.defaults.contains_key(&e) {
            self.default_fits(e, to, env, out);
            return;
        }
        let value = self.expr(e, env);
        let span = self.p.exprs[e].tok;
        // A negation has the type of its operand.
        if let ExprKind::Unary(UnaryOp::Not | UnaryOp::BitNot, x) = self.p.exprs[e].kind
            && self.type_of(x, env) == to
        {
            self.result_is(&value, from, to, span, "", out);
            return;
        }
        if self.parts_fit(e, to, env, out) {
            return;
        }
        self.value_fits(&value, from, to, span, out);
    }

    /// What a collection is made of fits into the elements of a wider one: each part is checked and reported at its place.
    /// Whether this is all there is to check.
    fn parts_fit(&mut self, e: ExprId, to: Ty, env: &Env, out: &mut Vec<S>) -> bool {
        let is_collection = matches!(
            &*self.p.types.kind(to),
            TyKind::Seq(_)
                | TyKind::Set { .. }
                | TyKind::Multiset(_)
                | TyKind::Map { .. }
                | TyKind::Tuple(..)
        );
        if !is_collection {
            return false;
        }
        let wanted = self.p.types.children(to);
        match &self.p.exprs[e].kind {
            ExprKind::SeqDisplay(items)
            | ExprKind::SetDisplay(items)
            | ExprKind::MultisetDisplay(items) => {
                for &item in items {
                    self.fits(item, wanted[0], env, out);
                }
                true
            }
            ExprKind::Tuple(items) => {
                for (&item, ty) in items.iter().zip(wanted) {
                    self.fits(item, ty, env, out);
                }
                true
            }
            ExprKind::MapDisplay(entries) => {
                for &(key, value) in entries {
                    self.fits(key, wanted[0], env, out);
                    self.fits(value, wanted[1], env, out);
                }
                true
            }
            ExprKind::SeqConstruct(_, init) => {
                let is = self.expr(e, env);
                let condition = self.is_type(to, &is);
                let given = self.element_types(e, env);
                let message = self.fits_message(given[0], wanted[0]);
                out.push(check(condition, self.p.exprs[*init].tok, message));
                true
            }
            _ => false,
        }
    }

    pub(crate) fn value_fits(&mut self, value: &B, from: Ty, to: Ty, span: Span, out: &mut Vec<S>) {
        if self.p.is_subtype(from, to) {
            return;
        }
        let condition = match self.changes_arguments(from, to) {
            true => ff(),
            false => self.is_type(to, value),
        };
        if is_true(&condition) {
            return;
        }
        let message = self.fits_message(from, to);
        out.push(check(condition, span, message));
    }

    /// Whether a value would get type arguments that nothing is known of: an `array<int>` is no `array<nat>`, whatever its
    /// elements are now, and a `nat ~> int` no `int ~> int`, whatever its domain is in this heap.
    fn changes_arguments(&mut self, from: Ty, to: Ty) -> bool {
        let (given, wanted) = (self.p.types.kind(from), self.p.types.kind(to));
        if let (
            TyKind::Arrow { params: given, .. },
            TyKind::Arrow {
                kind: ArrowKind::General,
                params: wanted,
                ..
            },
        ) = (&*given, &*wanted)
        {
            let accepts = |(&given, &wanted): (&Ty, &Ty)| self.p.is_subtype(wanted, given);
            return !given.iter().zip(wanted).all(accepts);
        }
        let wanted = self.p.types.children(to);
        if !self.p.is_reference(to) || wanted.is_empty() {
            return false;
        }
        let given = self.p.types.children(from);
        if given.len() != wanted.len() {
            return wanted.iter().any(|&ty| self.rep(ty) != ty);
        }
        let is_same = |(&a, &b): (&Ty, &Ty)| self.p.is_subtype(a, b) && self.p.is_subtype(b, a);
        !given.iter().zip(&wanted).all(is_same)
    }

    /// That the variables of a pattern can hold the parts of a value they stand for.
    pub(crate) fn pattern_fits(
        &mut self,
        pattern: &Pattern,
        from: Ty,
        value: &B,
        span: Span,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Value(_) => {}
            // Alternatives bind nothing.
            PatternKind::Or(_) => {}
            PatternKind::Var(v) => {
                let declared = self.subst(&env.subst, self.p.vars[*v].ty);
                self.value_fits(value, from, declared, span, out);
            }
            PatternKind::Ctor(ctor, parts) => {
                let base = self.p.base_type(from);
                let rep = self.rep(from);
                let fields = self.ctor_fields(base, *ctor);
                for (i, (part, ty)) in parts.iter().zip(fields).enumerate() {
                    let inner = self.ctor_field(rep, value, *ctor, i);
                    self.pattern_fits(part, ty, &inner, span, env, out);
                }
            }
            PatternKind::Tuple(parts) => {
                let base = self.p.base_type(from);
                let rep = self.rep(from);
                let items = self.p.types.children(base);
                for (i, (part, ty)) in parts.iter().zip(items).enumerate() {
                    let inner = self.tuple_item(rep, value, i as u32);
                    self.pattern_fits(part, ty, &inner, span, env, out);
                }
            }
        }
    }

    pub(crate) fn fits_message(&mut self, from: Ty, to: Ty) -> String {
        let (source, target) = (self.type_text(from), self.type_text(to));
        if self.p.is_reference(to) {
            let is_subset = matches!(&*self.p.types.kind(to), TyKind::Named { decl, .. }
                if is_subset_type(self.p, *decl));
            let cause = if is_subset || self.p.parent_of_constrained(to) != Some(from) {
                ""
            } else if self.p.types.children(to).is_empty() {
                ", because it could not be proved to be non-null"
            } else {
                " (possible cause: it may be null)"
            };
            return not_an_instance(&source, &target, cause);
        }
        let cause = match &*self.p.types.kind(to) {
            TyKind::Arrow { kind, .. } => match kind {
                ArrowKind::Total => " (possible cause: it may be partial or have read effects)",
                ArrowKind::Partial => " (possible cause: it may have read effects)",
                ArrowKind::General => return not_an_instance(&source, &target, ""),
            },
            TyKind::Nat => "",
            TyKind::Named { decl, .. } if is_subset_type(self.p, *decl) => "",
            _ => return not_an_instance(&source, &target, ""),
        };
        format!("value does not satisfy the subset constraints of '{target}'{cause}")
    }

    /// A type as the program would write it.
    pub(crate) fn type_text(&mut self, ty: Ty) -> String {
        let kind = self.p.types.kind(ty);
        let children: Vec<String> = self
            .p
            .types
            .children(ty)
            .into_iter()
            .map(|c| self.type_text(c))
            .collect();
        let args = children.join(", ");
        let mark = |nullable: bool| if nullable { "?" } else { "" };
        match &*kind {
            TyKind::Seq(elem) if *elem == self.p.types.char_ => "string".into(),
            TyKind::Seq(_) => format!("seq<{args}>"),
            TyKind::Set { finite, .. } => {
                format!("{}<{args}>", if *finite { "set" } else { "iset" })
            }
            TyKind::Multiset(_) => format!("multiset<{args}>"),
            TyKind::Map { finite, .. } => {
                format!("{}<{args}>", if *finite { "map" } else { "imap" })
            }
            TyKind::Tuple(..) => format!("({args})"),
            TyKind::Array { dims, nullable, .. } => {
                let dims = if *dims == 1 {
                    String::new()
                } else {
                    dims.to_string()
                };
                format!("array{dims}{}<{args}>", mark(*nullable))
            }
            TyKind::Arrow { kind, params, .. } => {
                use stet_dafny::tree::ArrowKind;
                let arrow = match kind {
                    ArrowKind::General => "~>",
                    ArrowKind::Partial => "-->",
                    ArrowKind::Total => "->",
                };
                let (last, first) = children.split_last().map_or(("", &[][..]), |(l, f)| (l, f));
                if params.len() == 1 {
                    format!("{} {arrow} {last}", first[0])
                } else {
                    format!("({}) {arrow} {last}", first.join(", "))
                }
            }
            TyKind::Object { nullable } => format!("object{}", mark(*nullable)),
            TyKind::Named { decl, nullable, .. } => {
                let name = self.p.text(self.p.decls[*decl].name);
                if children.is_empty() {
                    format!("{name}{}", mark(*nullable))
                } else {
                    format!("{name}{}<{args}>", mark(*nullable))
                }
            }
            TyKind::Param(param) => self.p.text(self.p.type_params[*param].name).to_owned(),
            _ => self.mangle(ty),
        }
    }

    /// The checks of what is under a binder: `ranges` guard `bodies`.
    pub(crate) fn wf_bound(
        &mut self,
        vars: &[VarId],
        ranges: &[ExprId],
        bodies: &[ExprId],
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        self.wf_bound_typed(vars, ranges, bodies, &[], env, b, out);
    }

    /// The types of what a collection is made of.
    pub(crate) fn element_types(&mut self, e: ExprId, env: &Env) -> Vec<Ty> {
        let ty = self.type_of(e, env);
        let base = self.p.representation(ty);
        self.p.types.children(base)
    }

    /// The same, for bodies that must be of these types.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a comprehension in one context"
    )]
    pub(crate) fn wf_bound_typed(
        &mut self,
        vars: &[VarId],
        ranges: &[ExprId],
        bodies: &[ExprId],
        types: &[Ty],
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut inner = env.clone();
        let mut stmts = Vec::new();
        self.havoc_vars(vars, &mut inner, b, &mut stmts);
        for &range in ranges {
            self.wf(range, &inner, b, &mut stmts);
            stmts.push(S::Assume(self.expr(range, &inner)));
        }
        for (i, &body) in bodies.iter().enumerate() {
            self.wf(body, &inner, b, &mut stmts);
            if let Some(&ty) = types.get(i) {
                self.fits(body, ty, &inner, &mut stmts);
            }
        }
        aside(stmts, out);
    }

    /// Local variables with any value of their types for bound variables.
    pub(crate) fn havoc_vars(
        &mut self,
        vars: &[VarId],
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut names = Vec::new();
        let mut typing = tt();
        for &v in vars {
            let declared = &self.p.vars[v];
            let text = self.p.text(declared.name).to_owned();
            let ty = self.subst(&env.subst, declared.ty);
            let sort = self.sort(ty);
            let name = self.declare_local(b, &text, sort);
            typing = and(typing, self.typed(ty, &var(&name), &env.heap));
            env.vars.insert(v, var(&name));
            names.push(name);
        }
        out.push(S::Havoc(names));
        if !is_true(&typing) {
            out.push(S::Assume(typing));
        }
    }

    pub(crate) fn declare_local(&mut self, b: &mut Builder, name: &str, sort: Sort) -> Name {
        let name = b.fresh(name, sort.clone());
        self.var_sorts.insert(name.clone(), sort);
        name
    }

    /// A local variable of the translation. Its name is none that a program can have, so that counterexamples leave it out.
    pub(crate) fn declare_hidden(&mut self, b: &mut Builder, name: &str, sort: Sort) -> Name {
        self.declare_local(b, &format!("{name}."), sort)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a comprehension in one context"
    )]
    pub(crate) fn keys_determine_values(
        &mut self,
        vars: &[VarId],
        range: ExprId,
        key: ExprId,
        value: ExprId,
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let mut inner = env.clone();
        let (names, typing) = self.bound_vars(vars, &mut inner);
        let holds = and(typing, self.expr(range, &inner));
        let (k, v) = (self.expr(key, &inner), self.expr(value, &inner));
        let other: Vec<TypedName> = names
            .iter()
            .map(|(n, s)| (Name::from(format!("{n}'")), s.clone()))
            .collect();
        let by: Vec<B> = other.iter().map(|(n, _)| var(n)).collect();
        let again = |e: &B| replace(e, &names, &by);
        let same_key = eq(k.clone(), again(&k));
        let condition = and(and(holds.clone(), again(&holds)), same_key);
        let body = imp(condition, eq(v.clone(), again(&v)));
        let all = names.iter().chain(&other).cloned().collect();
        let message = "key expressions could not be proved to refer to different values";
        out.push(check(forall(all, Vec::new(), body), span, message));
    }

    pub(crate) fn wf_lambda(&mut self, e: ExprId, env: &Env, b: &mut Builder, out: &mut Vec<S>) {
        let ExprKind::Lambda {
            vars,
            requires,
            reads,
            body,
            ..
        } = &self.p.exprs[e].kind
        else {
            return;
        };
        if reads.star || !reads.items.is_empty() {
            self.wf_general_lambda(e, env, b, out);
            return;
        }
        let mut inner = env.clone();
        let mut stmts = Vec::new();
        self.havoc_vars(vars, &mut inner, b, &mut stmts);
        if let Some(requires) = requires {
            self.wf(*requires, &inner, b, &mut stmts);
            stmts.push(S::Assume(self.expr(*requires, &inner)));
        }
        // A function value may be used when the heap has changed: it reads what its type says.
        let reads = b.reads.replace(std::rc::Rc::new(Vec::new()));
        let reader = std::mem::replace(&mut b.reader, crate::wf::Reader::Lambda);
        self.wf(*body, &inner, b, &mut stmts);
        b.reads = reads;
        b.reader = reader;
        let ty = self.type_of(e, env);
        if let TyKind::Arrow { result, .. } = &*self.p.types.kind(ty) {
            self.fits(*body, *result, &inner, &mut stmts);
        }
        aside(stmts, out);
    }

    pub(crate) fn apply_ok(
        &mut self,
        f: ExprId,
        args: &[ExprId],
        env: &Env,
        span: Span,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let ty = self.type_of(f, env);
        let base = self.p.base_type(ty);
        let kind = self.p.types.kind(base);
        let TyKind::Arrow { params, .. } = &*kind else {
            return;
        };
        for (&arg, &param) in args.iter().zip(params) {
            self.fits(arg, param, env, out);
        }
        let own = self.p.types.kind(ty);
        if let TyKind::Arrow {
            kind: stet_dafny::tree::ArrowKind::Total,
            ..
        } = &*own
        {
            return;
        }
        let message = "function precondition could not be proved";
        if self.is_general(f, env) {
            let values = self.args(args, env);
            let required = self.general_app("$reqh", f, values.clone(), env);
            out.push(check(required, span, message));
            let message = "insufficient reads clause to invoke function";
            self.general_reads_ok(f, values, env, message, span, b, out);
            let args = self.list_text(args, env);
            self.explain_applied(f, &args, env, b, out);
            return;
        }
        let sort = self.sort_name(ty);
        let mut all = vec![self.expr(f, env)];
        all.extend(self.args(args, env));
        if args.is_empty() {
            all.push(tt());
        }
        let required = app(&format!("$req.{sort}"), all);
        out.push(check(required, span, message));
    }

    pub(crate) fn convert_ok(
        &mut self,
        whole: ExprId,
        e: ExprId,
        to: Ty,
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let from = self.rep_of(e, env);
        let to = self.subst(&env.subst, to);
        let rep = self.rep(to);
        let value = self.expr(e, env);
        let (a, b) = (self.p.types.kind(from), self.p.types.kind(rep));
        let text = match self.p.written.get(&whole) {
            Some(&name) => self.p.text(name).to_owned(),
            None => self.type_text(to),
        };
        let message = format!("value to be converted could not be proved to fit in {text}");
        match (&*a, &*b) {
            (TyKind::Real, TyKind::Int | TyKind::Bv(_) | TyKind::Char) => {
                let floor = self.floor(value.clone());
                let whole = eq(self.real_of(floor), value.clone());
                let message = "the real-based number must be an integer (if you want truncation, apply .Floor to the real-based number)";
                out.push(check(whole, span, message));
            }
            (TyKind::Int, TyKind::Bv(width)) => {
                let limit = int(Self::bv_limit(*width));
                let fits = and(le(int(0), value.clone()), lt(value.clone(), limit));
                out.push(check(fits, span, message));
            }
            (TyKind::Ordinal, TyKind::Int) | (TyKind::Int, TyKind::Ordinal) => {
                ordinal_converts(&a, &value, span, out);
            }
            (TyKind::Int, TyKind::Char) => {
                out.push(check(is_char_code(&value), span, message));
            }
            (TyKind::Bv(wide), TyKind::Bv(width)) if wide > width => {
                let limit = bv(Self::bv_limit(*width), *wide);
                let fits = self.bv_app("bvult", *wide, vec![value.clone(), limit]);
                out.push(check(fits, span, message));
            }
            _ => {}
        }
        let own = self.type_of(e, env);
        let converted = self.convert_value(from, rep, value, span);
        self.result_is(&converted, own, to, span, "", out);
    }

    pub(crate) fn shift_ok(
        &mut self,
        width: u32,
        y: ExprId,
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let rep = self.rep_of(y, env);
        let amount = self.expr(y, env);
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Int | TyKind::Nat => {
                let low = le(int(0), amount.clone());
                out.push(check(low, span, "shift amount must be non-negative"));
                self.explain(out, |cx| {
                    Some(Text::relation(&Text::closed("0"), "<=", &cx.text(y, env)))
                });
                let message =
                    format!("shift amount must not exceed the width of the result ({width})");
                out.push(check(le(amount, int(width)), span, message));
                self.explain(out, |cx| {
                    let width = Text::closed(width.to_string());
                    Some(Text::relation(&cx.text(y, env), "<=", &width))
                });
            }
            TyKind::Bv(w) if u64::from(width) < (1u64 << (*w).min(40)) => {
                let limit = bv(width.into(), *w);
                let message =
                    format!("shift amount must not exceed the width of the result ({width})");
                let ok = self.bv_app("bvule", *w, vec![amount, limit]);
                out.push(check(ok, span, message));
            }
            _ => {}
        }
    }

    pub(crate) fn char_ok(
        &mut self,
        op: Op,
        x: ExprId,
        y: ExprId,
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let code = |c: B| app("$char.code", vec![c]);
        let (a, c) = (self.expr(x, env), self.expr(y, env));
        let (value, message) = if op == Op::Add {
            (
                add(code(a), code(c)),
                "char addition could not be proved not to overflow",
            )
        } else {
            (
                sub(code(a), code(c)),
                "char subtraction could not be proved to remain above minimum",
            )
        };
        out.push(check(is_char_code(&value), span, message));
    }

    /// That a value, of a type with the same representation, is of a type: the check of a conversion and of a witness.
    pub(crate) fn result_is(
        &mut self,
        value: &B,
        from: Ty,
        to: Ty,
        span: Span,
        prefix: &str,
        out: &mut Vec<S>,
    ) {
        if self.p.is_subtype(from, to) {
            return;
        }
        let mut fits = self.is_type(to, value);
        if is_true(&fits) {
            return;
        }
        let kind = self.p.types.kind(to);
        if matches!(&*kind, TyKind::Named { .. }) && self.depth_of_literal(value).is_some() {
            // Functions of literals are computed.
            fits = or(fits, self.constraint_holds(to, value));
        }
        let declared = match &*kind {
            TyKind::Named { decl, .. } => Some(&self.p.decls[*decl]),
            _ => None,
        };
        let name = match declared {
            Some(declared) => self.p.text(declared.name).to_owned(),
            None => self.type_text(to),
        };
        let is_newtype = declared.is_some_and(|d| matches!(d.kind, TypeDeclKind::Newtype(_)));
        let message = if self.p.is_reference(to) {
            self.fits_message(from, to)
        } else {
            let what = if is_newtype { "newtype" } else { "subset type" };
            format!(
                "result of operation could not be proved to satisfy {what} constraint for '{name}'"
            )
        };
        out.push(check(fits, span, format!("{prefix}{message}")));
    }
}

fn not_an_instance(source: &str, target: &str, cause: &str) -> String {
    format!(
        "value of expression (of type '{source}') is not known to be an instance of type '{target}'{cause}"
    )
}

fn is_subset_type(p: &stet_dafny::tree::Program, decl: stet_dafny::tree::DeclId) -> bool {
    matches!(p.decls[decl].kind, TypeDeclKind::Subset(_))
}
