//! More checks of expressions: collections, binders, function values, conversions, and whether values fit types.

use crate::codata::ordinal_converts;
use crate::collections::replace;
use crate::cx::{Cx, Env};
use crate::tree::*;
use crate::wf::{Builder, aside, check, is_char_code};
use stet_base::Span;
use stet_dafny::tree::{ExprId, ExprKind, Pattern, PatternKind, Ty, TyKind, TypeDeclKind, VarId};

impl Cx<'_> {
    /// That the value of an expression is in a type that may be narrower than its own.
    pub(crate) fn fits(&mut self, e: ExprId, to: Ty, env: &Env, out: &mut Vec<S>) {
        let from = self.type_of(e, env);
        if self.p.is_subtype(from, to) {
            return;
        }
        let value = self.expr(e, env);
        let span = self.p.exprs[e].tok;
        self.value_fits(&value, from, to, span, out);
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

    /// Whether a reference would get type arguments that nothing is known of: an `array<int>` is no `array<nat>`, whatever its
    /// elements are now.
    fn changes_arguments(&mut self, from: Ty, to: Ty) -> bool {
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

    fn fits_message(&mut self, from: Ty, to: Ty) -> String {
        let (source, target) = (self.type_text(from), self.type_text(to));
        let nullable = self.p.is_reference(to) && self.p.parent_of_constrained(to) == Some(from);
        if nullable {
            return format!(
                "value of expression (of type '{source}') is not known to be an instance of type '{target}', because it could not be proved to be non-null"
            );
        }
        if self.p.is_reference(to) {
            return format!(
                "value of expression (of type '{source}') is not known to be an instance of type '{target}'"
            );
        }
        if let TyKind::Arrow { .. } = &*self.p.types.kind(to) {
            return format!(
                "value does not satisfy the subset constraints of '{target}' (possible cause: it may be partial or have read effects)"
            );
        }
        format!("value does not satisfy the subset constraints of '{target}'")
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
        let base = self.p.base_type(ty);
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
            body,
            ..
        } = &self.p.exprs[e].kind
        else {
            return;
        };
        let mut inner = env.clone();
        let mut stmts = Vec::new();
        self.havoc_vars(vars, &mut inner, b, &mut stmts);
        if let Some(requires) = requires {
            self.wf(*requires, &inner, b, &mut stmts);
            stmts.push(S::Assume(self.expr(*requires, &inner)));
        }
        // A function value may be used when the heap has changed: it reads what its type says.
        let reads = b.reads.replace(std::rc::Rc::new(Vec::new()));
        self.wf(*body, &inner, b, &mut stmts);
        b.reads = reads;
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
        let sort = self.sort_name(ty);
        let mut all = vec![self.expr(f, env)];
        all.extend(self.args(args, env));
        if args.is_empty() {
            all.push(tt());
        }
        let required = app(&format!("$req.{sort}"), all);
        out.push(check(
            required,
            span,
            "function precondition could not be proved",
        ));
    }

    pub(crate) fn convert_ok(
        &mut self,
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
        let text = self.type_text(rep);
        let message = format!("value to be converted could not be proved to fit in {text}");
        match (&*a, &*b) {
            (TyKind::Real, TyKind::Int | TyKind::Bv(_) | TyKind::Char) => {
                let whole = eq(to_real(to_int(value.clone())), value.clone());
                let message = "the real-based number must be an integer (if you want truncation, apply .Floor to the real-based number)";
                out.push(check(whole, span, message));
            }
            (TyKind::Int, TyKind::Bv(width)) => {
                let limit = int(Self::bv_limit(*width));
                let fits = and(le(int(0), value.clone()), lt(value.clone(), limit));
                out.push(check(fits, span, message));
            }
            (TyKind::Ordinal, TyKind::Int) | (TyKind::Int, TyKind::Ordinal) => {
                ordinal_converts(&a, &value, span, message, out);
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
        if self.p.is_subtype(own, to) {
            return;
        }
        let fits = self.is_type(to, &converted);
        if is_true(&fits) {
            return;
        }
        let kind = self.p.types.kind(to);
        let name = self.type_text(to);
        let is_newtype = matches!(&*kind, TyKind::Named { decl, .. }
            if matches!(self.p.decls[*decl].kind, TypeDeclKind::Newtype(_)));
        let message = if is_newtype {
            format!(
                "result of operation could not be proved to satisfy newtype constraint for '{name}'"
            )
        } else if self.p.is_reference(to) {
            self.fits_message(own, to)
        } else {
            format!(
                "result of operation could not be proved to satisfy subset type constraint for '{name}'"
            )
        };
        out.push(check(fits, span, message));
    }

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
                self.may_read(&object, Some(&field), env, span, b, out, "array element");
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

    fn index_ok(&mut self, of: ExprId, index: ExprId, env: &Env, span: Span, out: &mut Vec<S>) {
        let rep = self.rep_of(of, env);
        let (value, at) = (self.expr(of, env), self.expr(index, env));
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Seq(_) => {
                let length = self.cardinality(rep, value, span);
                let inside = and(le(int(0), at.clone()), lt(at, length));
                out.push(check(inside, span, "index out of range"));
            }
            TyKind::Map { .. } => {
                let inside = self.binary_in(rep, at, value, span);
                out.push(check(
                    inside,
                    span,
                    "element could not be proved to be in domain",
                ));
            }
            _ => {}
        }
    }

    fn binary_in(&mut self, rep: Ty, key: B, map: B, span: Span) -> B {
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
        }
    }

    fn not_null_array(&mut self, array: ExprId, env: &Env, span: Span, out: &mut Vec<S>) {
        let ty = self.type_of(array, env);
        if let TyKind::Array { nullable: true, .. } = &*self.p.types.kind(ty) {
            let value = self.expr(array, env);
            let message = "target object could not be proved to be non-null";
            out.push(check(neq(value, var("null")), span, message));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a slice in one context")]
    fn slice_ok(
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
            self.may_read(&value, None, env, span, b, out, what);
        }
    }

    fn update_ok(
        &mut self,
        e: ExprId,
        of: ExprId,
        at: ExprId,
        new: ExprId,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let span = self.p.exprs[e].tok;
        let rep = self.rep_of(of, env);
        let kind = self.p.types.kind(rep);
        let ty = self.type_of(e, env);
        let children = self.p.types.children(ty);
        match &*kind {
            TyKind::Seq(_) => {
                self.index_ok(of, at, env, span, out);
                if let Some(&elem) = children.first() {
                    self.fits(new, elem, env, out);
                }
            }
            TyKind::Multiset(_) => {
                let count = self.expr(new, env);
                let message = "new number of occurrences could not be proved to be non-negative";
                out.push(check(le(int(0), count), span, message));
            }
            _ => {
                if let [key, value] = children[..] {
                    self.fits(at, key, env, out);
                    self.fits(new, value, env, out);
                }
            }
        }
    }

    fn datatype_update_ok(
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

    fn wf_seq_construct(
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
        let index = self.declare_local(b, "i", Sort::named("int"));
        stmts.push(S::Havoc(vec![index.clone()]));
        let i = var(&index);
        let inside = and(le(int(0), i.clone()), lt(i.clone(), n));
        if let ExprKind::Lambda {
            vars,
            requires,
            body,
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
            self.lambda_wf(vars, *requires, *body, env, b, out);
            if let Some(requires) = requires {
                let holds = self.expr(*requires, &inner);
                stmts.push(check(holds, span, message));
            }
            if let Some(elem) = elem {
                self.fits(*body, elem, &inner, &mut stmts);
            }
        } else {
            self.wf(init, env, b, out);
            let rep = self.rep_of(init, env);
            let sort = self.sort_name(rep);
            let f = self.expr(init, env);
            stmts.push(S::Assume(inside));
            let required = app(&format!("$req.{sort}"), vec![f, i.clone()]);
            let message =
                "all sequence indices must be in the domain of the initialization function";
            stmts.push(check(required, span, message));
            if let (Some(elem), Some(&result)) = (elem, self.element_types(init, env).last()) {
                let value = self.apply_value(init, vec![i], env);
                self.value_fits(&value, result, elem, span, &mut stmts);
            }
        }
        aside(stmts, out);
    }

    /// A function that makes the elements of a sequence is defined wherever it says so, not only at the indices.
    fn lambda_wf(
        &mut self,
        vars: &[VarId],
        requires: Option<ExprId>,
        body: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let ranges: Vec<ExprId> = requires.into_iter().collect();
        self.wf_bound(vars, &ranges, &[body], env, b, out);
    }
}
