//! Codatatypes and their prefix equality; ordinals as depths.
//!
//! A codatatype is a sort of its own whose constructors, tests and fields are functions: values may contain themselves, so
//! the prover's datatypes, which are well-founded, do not fit. The model is the final coalgebra: equality is the
//! equality of the logic, and no value has a rank.

use crate::cx::{Cx, Env, Work};
use crate::decl::{Decl, Role};
use crate::literals::CTOR_MARK;
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::check;
use stet_base::{FastSet, Span};
use stet_dafny::tree::{
    BinaryOp as Op, CalcStep, DeclId, ExprId, ExprKind, Extreme, Ty, TyKind, TypeDeclKind,
};

impl Cx<'_> {
    pub(crate) fn plain_function(&mut self, name: &str, ins: Vec<TypedName>, out: Sort) {
        self.decls.push(Decl::Function {
            name: name.into(),
            ins,
            out,
            role: Role::Plain,
        });
    }

    /// Declares a codatatype at represented arguments.
    pub(crate) fn declare_codatatype(&mut self, name: &Name, decl: DeclId, args: &[Ty]) {
        let sort = Sort::Named(name.clone());
        self.decls.push(Decl::Type {
            name: name.clone(),
            datatype: false,
        });
        let ctors = self.p.ctors_of(decl).to_vec();
        let types = self.field_types(&ctors, decl, args);
        let (d, value) = (var("d"), vec![(Name::from("d"), sort.clone())]);
        let test = |ctor: &str| app(&format!("is#{ctor}"), vec![d.clone()]);
        let mut names = Vec::new();
        let mut patterns = Vec::new();
        for (&ctor, types) in ctors.iter().zip(types) {
            let text = self.p.text(self.p.ctors[ctor].name);
            let ctor_name = format!("{name}{CTOR_MARK}{text}");
            let mut ins: Vec<TypedName> = Vec::new();
            let mut selected = Vec::new();
            for (i, (&formal, ty)) in self.p.ctors[ctor].formals.iter().zip(types).enumerate() {
                let field = self.field_label(ctor, formal);
                let selector = format!("{field}#{ctor_name}");
                let field_sort = self.sort(ty);
                self.plain_function(&selector, value.clone(), field_sort.clone());
                ins.push((format!("x{i}").into(), field_sort));
                selected.push(app(&selector, vec![d.clone()]));
            }
            self.plain_function(&ctor_name, ins.clone(), sort.clone());
            self.plain_function(
                &format!("is#{ctor_name}"),
                value.clone(),
                Sort::named("bool"),
            );
            self.constructor_axioms(&ctor_name, &ins, &selected);
            let whole = eq(d.clone(), app(&ctor_name, selected.clone()));
            let is = test(&ctor_name);
            let body = imp(is.clone(), whole);
            let axiom = forall(value.clone(), vec![vec![is.clone()]], body);
            self.decls.push(Decl::Axiom(axiom));
            patterns.push(vec![is]);
            patterns.extend(selected.into_iter().map(|s| vec![s]));
            names.push(ctor_name);
        }
        // A value is made by one constructor.
        let mut some = ff();
        let mut one = tt();
        for (i, ctor) in names.iter().enumerate() {
            some = or(some, test(ctor));
            for other in &names[i + 1..] {
                one = and(one, not(and(test(ctor), test(other))));
            }
        }
        let axiom = forall(value, patterns, and(some, one));
        self.decls.push(Decl::Axiom(axiom));
    }

    /// A constructed value passes its test, and its fields are what it was made of.
    fn constructor_axioms(&mut self, ctor: &str, ins: &[TypedName], selected: &[B]) {
        let args: Vec<B> = ins.iter().map(|(n, _)| var(n)).collect();
        let made = app(ctor, args.clone());
        let mut facts = app(&format!("is#{ctor}"), vec![made.clone()]);
        for (field, arg) in selected.iter().zip(&args) {
            if let Node::App(selector, _) = &**field {
                facts = and(facts, eq(app(selector, vec![made.clone()]), arg.clone()));
            }
        }
        let axiom = if ins.is_empty() {
            facts
        } else {
            forall(ins.to_vec(), vec![vec![made]], facts)
        };
        self.decls.push(Decl::Axiom(axiom));
    }

    pub(crate) fn is_codata(&self, rep: Ty) -> bool {
        match &*self.p.types.kind(rep) {
            TyKind::Named { decl, .. } => matches!(
                self.p.decls[*decl].kind,
                TypeDeclKind::Datatype { co: true, .. }
            ),
            _ => false,
        }
    }

    /// `left ==#[k] right`.
    pub(crate) fn prefix_eq(&mut self, k: ExprId, left: ExprId, right: ExprId, env: &Env) -> B {
        let rep = self.rep_of(left, env);
        let is_ordinal = self.rep_of(k, env) == self.p.types.ordinal;
        let k = self.expr(k, env);
        let (x, y) = (self.expr(left, env), self.expr(right, env));
        if !self.is_codata(rep) {
            self.unsupported(self.p.exprs[left].tok, "prefix equality of this type");
            return tt();
        }
        self.prefix_equal(rep, is_ordinal, env.fuel.clone(), k, x, y)
    }

    /// What steps of a calculation say of its ends: these are equal up to the smallest of their depths.
    pub(crate) fn prefix_steps(
        &mut self,
        steps: &[CalcStep],
        first: ExprId,
        last: ExprId,
        env: &Env,
    ) -> B {
        let depth = |step: &CalcStep| match self.p.exprs[step.relation].kind {
            ExprKind::PrefixEq { k, .. } => Some(k),
            _ => None,
        };
        let depths: Vec<ExprId> = steps.iter().filter_map(depth).collect();
        let reps: Vec<Ty> = depths.iter().map(|&k| self.rep_of(k, env)).collect();
        if reps.iter().any(|&rep| rep != reps[0]) {
            return tt();
        }
        let is_ordinal = reps.first() == Some(&self.p.types.ordinal);
        let values = self.args(&depths, env);
        let mut known = tt();
        for (&k, value) in depths.iter().zip(&values) {
            let mut smallest = tt();
            for other in &values {
                let above = below_depth(is_ordinal, value, other);
                smallest = and(smallest, or(eq(value.clone(), other.clone()), above));
            }
            let same = self.prefix_eq(k, first, last, env);
            known = and(known, imp(smallest, same));
        }
        known
    }

    /// Equality of codata up to a depth, with a layer.
    pub(crate) fn prefix_equal(
        &mut self,
        rep: Ty,
        is_ordinal: bool,
        layer: B,
        k: B,
        x: B,
        y: B,
    ) -> B {
        self.need(Chunk::Fuel);
        self.request(Work::PrefixEq(rep, is_ordinal));
        let name = self.prefix_eq_name(rep, is_ordinal);
        app(&name, vec![layer, k, x, y])
    }

    fn prefix_eq_name(&mut self, rep: Ty, is_ordinal: bool) -> String {
        let depth = if is_ordinal { "ord" } else { "nat" };
        format!("$PrefixEq.{depth}.{}", self.sort_name(rep))
    }

    /// Declares prefix equality: at depth zero everything is equal, at a limit what is equal below it, else what has the same
    /// constructor and fields, those of codata one depth less.
    pub(crate) fn declare_prefix_eq(&mut self, rep: Ty, is_ordinal: bool) {
        let sort = self.sort(rep);
        let name = self.prefix_eq_name(rep, is_ordinal);
        let k_sort = self.depth_sort(is_ordinal);
        let vars: Vec<TypedName> = vec![
            ("ly".into(), Sort::named("$Layer")),
            ("k".into(), k_sort.clone()),
            ("a".into(), sort.clone()),
            ("b".into(), sort),
        ];
        self.plain_function(&name, vars.clone(), Sort::named("bool"));
        let at = |layer: B, k: B| app(&name, vec![layer, k, var("a"), var("b")]);
        let (low, high) = (var("ly"), app("$LS", vec![var("ly")]));
        let (now, k) = (at(high, var("k")), var("k"));
        let below = at(low.clone(), k.clone());
        let layers = iff(now.clone(), below.clone());
        let trigger = vec![vec![now.clone()]];
        self.decls
            .push(Decl::Axiom(forall(vars.clone(), trigger.clone(), layers)));
        let same = eq(var("a"), var("b"));
        let reflexive = imp(same, below.clone());
        let any = vec![vec![below.clone()]];
        self.decls
            .push(Decl::Axiom(forall(vars.clone(), any, reflexive)));
        let inside = self.same_constructor(rep, is_ordinal);
        let limit = forall(
            vec![("j".into(), k_sort.clone())],
            vec![vec![at(low.clone(), var("j"))]],
            imp(
                below_depth(is_ordinal, &var("j"), &k),
                at(low.clone(), var("j")),
            ),
        );
        let meaning = ite(is_successor(is_ordinal, &k), inside, limit);
        let body = imp(is_depth(is_ordinal, &k), iff(now.clone(), meaning));
        self.decls
            .push(Decl::Axiom(forall(vars.clone(), trigger, body)));
        // What is equal to some depth is equal to all smaller ones.
        let mut two = vars;
        two.push(("m".into(), k_sort));
        let deeper = at(low.clone(), var("m"));
        let proper = and(
            is_depth(is_ordinal, &k),
            below_depth(is_ordinal, &k, &var("m")),
        );
        let body = imp(and(proper, deeper.clone()), below.clone());
        self.decls
            .push(Decl::Axiom(forall(two, vec![vec![below, deeper]], body)));
    }

    /// That `a` and `b` have one constructor and equal fields, those of the same kind of codata up to one depth less.
    fn same_constructor(&mut self, rep: Ty, is_ordinal: bool) -> B {
        let kind = self.p.types.kind(rep);
        let TyKind::Named { decl, args, .. } = &*kind else {
            return tt();
        };
        let (decl, args) = (*decl, args.clone());
        let ctors = self.p.ctors_of(decl).to_vec();
        let types = self.field_types(&ctors, decl, &args);
        let (a, b) = (var("a"), var("b"));
        let mut all = tt();
        for (ctor, types) in ctors.into_iter().zip(types) {
            let is_a = self.is_ctor(rep, &a, ctor);
            let is_b = self.is_ctor(rep, &b, ctor);
            let mut fields = is_b;
            for (i, ty) in types.into_iter().enumerate() {
                let field_rep = self.rep(ty);
                let x = self.ctor_field(rep, &a, ctor, i);
                let y = self.ctor_field(rep, &b, ctor, i);
                let same = if self.is_codata(field_rep) && self.leads_back(field_rep, decl) {
                    let less = one_less(is_ordinal, &var("k"));
                    self.prefix_equal(field_rep, is_ordinal, var("ly"), less, x, y)
                } else {
                    self.equal(field_rep, x, y)
                };
                fields = and(fields, same);
            }
            all = and(all, imp(is_a, fields));
        }
        all
    }

    /// Whether values of a type may contain values of a declaration.
    fn leads_back(&self, ty: Ty, decl: DeclId) -> bool {
        let mut seen: FastSet<DeclId> = FastSet::default();
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            let ty = self.p.representation(ty);
            if let TyKind::Named { decl: of, .. } = &*self.p.types.kind(ty) {
                if *of == decl {
                    return true;
                }
                if seen.insert(*of) {
                    let ctors = self.p.ctors_of(*of).iter();
                    let formals = ctors.flat_map(|&c| self.p.ctors[c].formals.iter());
                    pending.extend(formals.map(|&f| self.p.vars[f].ty));
                }
            }
            pending.extend(self.p.types.children(ty));
        }
        false
    }

    pub(crate) fn depth_sort(&mut self, is_ordinal: bool) -> Sort {
        if is_ordinal {
            self.need(Chunk::Ordinal);
            Sort::named("$Ordinal")
        } else {
            Sort::named("int")
        }
    }

    /// The value of a depth, as the type that is expected.
    pub(crate) fn depth_value(&mut self, k: ExprId, expected: Ty, env: &Env) -> B {
        let rep = self.rep_of(k, env);
        let value = self.expr(k, env);
        let expected = self.rep(expected);
        let span = self.p.exprs[k].tok;
        self.convert_value(rep, expected, value, span)
    }

    /// That a depth is one.
    pub(crate) fn depth_ok(
        &mut self,
        k: ExprId,
        extreme: Option<Extreme>,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let span = self.p.exprs[k].tok;
        let ordinal = self.p.types.ordinal;
        let rep = self.rep_of(k, env);
        if extreme.is_some_and(|e| e.k_type != ordinal) && rep == ordinal {
            self.unsupported(span, "a depth of another type");
        }
        if rep != ordinal {
            let value = self.expr(k, env);
            let is = le(int(0), value);
            if self.type_of(k, env) == self.p.types.nat {
                out.push(S::Settled);
            } else if !is_true(&is) {
                out.push(check(is, span, "prefix-equality limit must be at least 0"));
            }
        }
    }

    pub(crate) fn ordinal_operator(&mut self, op: Op, x: B, y: B, span: Span) -> B {
        self.need(Chunk::Ordinal);
        let less = |a: B, b: B| app("$Ord.lt", vec![a, b]);
        match op {
            Op::Lt => less(x, y),
            Op::Gt => less(y, x),
            Op::Le => or(less(x.clone(), y.clone()), eq(x, y)),
            Op::Ge => or(less(y.clone(), x.clone()), eq(x, y)),
            Op::Add => app("$Ord.plus", vec![x, y]),
            Op::Sub => app("$Ord.minus", vec![x, y]),
            _ => self.no_operator(op, span),
        }
    }

    /// That a difference of ordinals is one.
    pub(crate) fn ordinal_ok(
        &mut self,
        op: Op,
        x: ExprId,
        y: ExprId,
        env: &Env,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let rep = self.rep_of(y, env);
        let (x, y) = (self.expr(x, env), self.expr(y, env));
        if rep != self.p.types.ordinal {
            self.unsupported(span, "this operator on an ORDINAL and an integer");
            return;
        }
        if op == Op::Sub {
            let offset = |o: B| app("$Ord.offset", vec![o]);
            let is_nat = app("$Ord.is_nat", vec![y.clone()]);
            let message = "RHS of ORDINAL subtraction could not be proved to be a natural number";
            out.push(check(is_nat, span, message));
            let message = "ORDINAL subtraction could not be proved to remain above limit ordinal (that is, RHS could not be proved to be sufficiently small)";
            out.push(check(le(offset(y), offset(x)), span, message));
        }
    }
}

/// That an ordinal is a number, or a number an ordinal.
pub(crate) fn ordinal_converts(from: &TyKind, value: &B, span: Span, out: &mut Vec<S>) {
    match from {
        TyKind::Ordinal => {
            let message = "value to be converted could not be proved to be a natural number";
            let fits = app("$Ord.is_nat", vec![value.clone()]);
            out.push(check(fits, span, message));
        }
        _ => {
            let message = "a negative integer cannot be converted to an ORDINAL";
            out.push(check(le(int(0), value.clone()), span, message));
        }
    }
}

/// That a depth has one below it, with nothing between.
pub(crate) fn is_successor(is_ordinal: bool, k: &B) -> B {
    if is_ordinal {
        lt(int(0), app("$Ord.offset", vec![k.clone()]))
    } else {
        lt(int(0), k.clone())
    }
}

/// That a value of the sort of depths is a depth.
pub(crate) fn is_depth(is_ordinal: bool, k: &B) -> B {
    if is_ordinal {
        tt()
    } else {
        le(int(0), k.clone())
    }
}

/// That one depth is below another; numbers below zero are not depths.
pub(crate) fn below_depth(is_ordinal: bool, j: &B, k: &B) -> B {
    if is_ordinal {
        app("$Ord.lt", vec![j.clone(), k.clone()])
    } else {
        and(le(int(0), j.clone()), lt(j.clone(), k.clone()))
    }
}

/// The depth below a successor.
pub(crate) fn one_less(is_ordinal: bool, k: &B) -> B {
    if is_ordinal {
        app("$Ord.minus", vec![k.clone(), app("$Ord.nat", vec![int(1)])])
    } else {
        sub(k.clone(), int(1))
    }
}
