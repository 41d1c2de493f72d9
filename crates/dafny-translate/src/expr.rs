//! The values of expressions.
//!
//! [`Cx::expr`] assumes that the expression is well-formed; [`wf`](crate::wf) makes the checks for that.

use crate::cx::{Cx, Env, Instance, Work};
use crate::prelude::Chunk;
use crate::tree::*;
use stet_base::Span;
use stet_dafny::tree::{
    BinaryOp as Op, ExprId, ExprKind, FunctionCall, MemberKind, Pattern, PatternKind, Property, Ty,
    TyKind, UnaryOp,
};

/// Values with more nodes than this are named by a `let` instead of being repeated.
const LARGE: usize = 30;

impl Cx<'_> {
    /// The type of an expression in its environment.
    pub(crate) fn type_of(&mut self, e: ExprId, env: &Env) -> Ty {
        let ty = self.p.exprs[e].ty;
        self.subst(&env.subst, ty)
    }

    /// The type that represents the values of an expression.
    pub(crate) fn rep_of(&mut self, e: ExprId, env: &Env) -> Ty {
        let ty = self.type_of(e, env);
        self.rep(ty)
    }

    pub(crate) fn args(&mut self, args: &[ExprId], env: &Env) -> Vec<B> {
        args.iter().map(|&a| self.expr(a, env)).collect()
    }

    /// Types with the type parameters of the environment replaced.
    pub(crate) fn types(&mut self, types: &[Ty], env: &Env) -> Vec<Ty> {
        let types: Vec<Ty> = types.iter().map(|&t| self.subst(&env.subst, t)).collect();
        types.iter().for_each(|&t| self.may_instantiate(t));
        types
    }

    /// The value of an expression.
    pub(crate) fn expr(&mut self, e: ExprId, env: &Env) -> B {
        if let Some(value) = self.focused(e, env) {
            return value;
        }
        let expr = &self.p.exprs[e];
        let span = expr.tok;
        match &expr.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Null => self.literal(e, env),
            ExprKind::Var(v) => match env.vars.get(v) {
                Some(value) => value.clone(),
                None => {
                    let name = self.p.text(self.p.vars[*v].name).to_owned();
                    self.unsupported(span, format!("variable {name} here"));
                    int(0)
                }
            },
            ExprKind::This => match &env.this {
                Some(this) => this.clone(),
                None => {
                    self.unsupported(span, "`this` here");
                    int(0)
                }
            },
            ExprKind::Field {
                object,
                field,
                owner_args,
            } => self.field(*object, *field, owner_args, env),
            ExprKind::StaticConst { member, owner_args } => {
                let args = self.types(owner_args, env);
                self.constant(*member, args, None)
            }
            ExprKind::Destructor { value, ctors } => {
                let rep = self.rep_of(*value, env);
                let value = self.expr(*value, env);
                self.destructor(rep, &value, ctors)
            }
            ExprKind::TupleSelect(tuple, index) => {
                let rep = self.rep_of(*tuple, env);
                let value = self.expr(*tuple, env);
                self.tuple_item(rep, &value, *index)
            }
            ExprKind::Discriminator(value, ctor) => {
                let rep = self.rep_of(*value, env);
                let value = self.expr(*value, env);
                self.is_ctor(rep, &value, *ctor)
            }
            ExprKind::Property(property, of) => self.property(*property, *of, env, span),
            ExprKind::Call(call) => self.function_call(call, env, span),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, env, span),
            ExprKind::Unary(op, a) => self.unary(*op, *a, env, span),
            ExprKind::Ite(c, a, b) => {
                let c = self.expr(*c, env);
                ite(c, self.expr(*a, env), self.expr(*b, env))
            }
            ExprKind::Match { scrutinee, cases } => self.match_expr(e, *scrutinee, cases, env),
            ExprKind::Let { .. } => self.let_expr(e, env),
            ExprKind::StmtExpr(_, inner) => self.expr(*inner, env),
            ExprKind::Old(inner, label) => {
                let heap = self.old_heap(*label, env);
                self.expr(*inner, &env.at_heap(heap))
            }
            ExprKind::Convert(inner, ty) => self.convert(*inner, *ty, env, span),
            ExprKind::TypeTest(inner, ty) => {
                let ty = self.subst(&env.subst, *ty);
                let value = self.expr(*inner, env);
                self.is_type(ty, &value)
            }
            _ => self.other_expr(e, env),
        }
    }

    fn other_expr(&mut self, e: ExprId, env: &Env) -> B {
        let expr = &self.p.exprs[e];
        match &expr.kind {
            ExprKind::Quantifier(q) => self.quantifier(q, env),
            ExprKind::SetComprehension { .. } => self.set_comprehension(e, env),
            ExprKind::MapComprehension { .. } => self.map_comprehension(e, env),
            ExprKind::Lambda { .. } | ExprKind::FunctionValue { .. } => self.function_value(e, env),
            ExprKind::Apply(f, args) => self.apply("$apply", *f, args, env),
            ExprKind::FnRequires(f, args) => self.apply("$req", *f, args, env),
            ExprKind::LetSuchThat { .. } => self.let_such_that(e, env),
            ExprKind::Ctor {
                ctor,
                type_args,
                args,
            } => {
                let rep = self.rep_of(e, env);
                let _ = type_args;
                let args = self.args(args, env);
                self.make_ctor(rep, *ctor, args)
            }
            ExprKind::Tuple(items) => {
                let sort = self.rep_of(e, env);
                let sort = self.sort_name(sort);
                let items = self.args(items, env);
                app(&format!("$make.{sort}"), items)
            }
            ExprKind::Unchanged(frame, label) => {
                let before = self.old_heap(*label, env);
                self.unchanged(frame, &before, env)
            }
            ExprKind::Fresh(inner, label) => {
                let before = self.old_heap(*label, env);
                self.fresh(*inner, &before, env)
            }
            ExprKind::Allocated(inner) => {
                let ty = self.type_of(*inner, env);
                let value = self.expr(*inner, env);
                if self.hides_references(ty, &mut Vec::new()) {
                    return self.is_alloc_hidden(ty, value, env);
                }
                self.is_alloc(ty, &value, &env.heap)
            }
            ExprKind::DecreasesTo {
                old,
                new,
                allow_equal,
            } => self.decreases_to(old, new, *allow_equal, env),
            _ => self.collection_expr(e, env),
        }
    }

    /// The heap `old` or `old@L` means.
    pub(crate) fn old_heap(&mut self, label: Option<stet_dafny::tree::LabelId>, env: &Env) -> B {
        self.need(Chunk::Heap);
        match label {
            None => env.old.clone(),
            Some(label) => match env.labels.get(&label) {
                Some(heap) => heap.clone(),
                None => {
                    let span = self.p.labels[label].span;
                    self.unsupported(span, "a label whose state is not known here");
                    env.old.clone()
                }
            },
        }
    }

    fn literal(&mut self, e: ExprId, env: &Env) -> B {
        let rep = self.rep_of(e, env);
        let kind = self.p.types.kind(rep);
        let expr = &self.p.exprs[e];
        match (&expr.kind, &*kind) {
            (ExprKind::Bool(value), _) => boolean(*value),
            (ExprKind::Int(value), TyKind::Bv(width)) => bv(value.clone(), *width),
            (ExprKind::Int(value), TyKind::Real) => real(value.clone(), 0),
            (ExprKind::Int(value), TyKind::Ordinal) => {
                self.need(Chunk::Ordinal);
                app("$Ord.nat", vec![int(value.clone())])
            }
            (ExprKind::Int(value), _) => int(value.clone()),
            (ExprKind::Real(d), _) => real(d.digits.clone(), d.exponent),
            (ExprKind::Char(code), _) => self.char_literal(*code),
            (ExprKind::Str(codes), _) => {
                self.sort(rep);
                let items: Vec<B> = codes.iter().map(|&c| self.char_literal(c)).collect();
                seq_display("char", items)
            }
            _ => {
                self.need(Chunk::Heap);
                var("null")
            }
        }
    }

    fn char_literal(&mut self, code: u32) -> B {
        self.need(Chunk::Char);
        app("$char.of", vec![int(code)])
    }

    /// A field of an object, or a constant of a value.
    fn field(
        &mut self,
        object: ExprId,
        field: stet_dafny::tree::MemberId,
        args: &[Ty],
        env: &Env,
    ) -> B {
        if let Some(local) = env.field_local(self.p, object, field) {
            return var(local);
        }
        let args = self.types(args, env);
        let object = self.expr(object, env);
        if let MemberKind::Const { .. } = self.p.members[field].kind {
            return self.constant(field, args, Some(object));
        }
        let sort = self.field_sort(field, &args);
        let state = select(env.heap.clone(), object);
        let name = self.field_name(field, args);
        app(&format!("$Unbox${sort}"), vec![select(state, name)])
    }

    /// The sort of a field at these arguments of its owner.
    pub(crate) fn field_sort(&mut self, field: stet_dafny::tree::MemberId, args: &[Ty]) -> String {
        let ty = self.field_type(field, args);
        let sort = self.sort_name(ty);
        self.need(Chunk::Box(sort.clone()));
        sort
    }

    pub(crate) fn field_type(&mut self, field: stet_dafny::tree::MemberId, args: &[Ty]) -> Ty {
        let ty = match &self.p.members[field].kind {
            MemberKind::Field { ty } | MemberKind::Const { ty, .. } => *ty,
            _ => self.p.types.error,
        };
        let params = self.p.owner_params(field);
        self.p.instantiate(ty, params, args)
    }

    /// The Boogie name of a field.
    pub(crate) fn field_name(&mut self, field: stet_dafny::tree::MemberId, args: Vec<Ty>) -> B {
        let name = self.p.member_path(field);
        self.request(Work::Field(Instance {
            member: field,
            args,
        }));
        var(&format!("$field.{name}"))
    }

    /// A constant: of a module, or of an object or value.
    pub(crate) fn constant(
        &mut self,
        member: stet_dafny::tree::MemberId,
        args: Vec<Ty>,
        object: Option<B>,
    ) -> B {
        let instance = Instance { member, args };
        let name = format!("$const.{}", self.instance_name(&instance));
        self.request(Work::Const(instance));
        match object {
            Some(object) => app(&name, vec![object]),
            None => var(&name),
        }
    }

    fn property(&mut self, property: Property, of: ExprId, env: &Env, span: Span) -> B {
        let rep = self.rep_of(of, env);
        let value = self.expr(of, env);
        let kind = self.p.types.kind(rep);
        match (property, &*kind) {
            (Property::ArrayLength(d), TyKind::Array { dims, .. }) => {
                self.array_length(*dims, d, &value)
            }
            (Property::Floor, _) => self.floor(value),
            (Property::Offset, _) => app("$Ord.offset", vec![value]),
            (Property::IsNat, _) => app("$Ord.is_nat", vec![value]),
            (Property::IsLimit, _) => eq(app("$Ord.offset", vec![value]), int(0)),
            (Property::IsSucc, _) => lt(int(0), app("$Ord.offset", vec![value])),
            (Property::Keys, TyKind::Map { .. }) => self.map_app("dom", rep, vec![value]),
            (
                Property::Values,
                TyKind::Map {
                    finite,
                    key,
                    value: v,
                },
            ) => {
                let (k, v) = (self.sort_name(*key), self.sort_name(*v));
                self.need(if *finite {
                    Chunk::MapValues(k, v)
                } else {
                    Chunk::IMapValues(k, v)
                });
                self.map_app("values", rep, vec![value])
            }
            (
                Property::Items,
                TyKind::Map {
                    finite,
                    key,
                    value: v,
                },
            ) => {
                let pair = TyKind::Tuple(vec![*key, *v], vec![false, false]);
                let pair = self.p.types.intern(pair);
                let sort = self.sort(pair);
                let sort = sort.name().to_owned();
                let (k, v) = (self.sort_name(*key), self.sort_name(*v));
                if *finite {
                    self.need(Chunk::Set(sort));
                    self.need(Chunk::MapItems(k, v));
                } else {
                    self.need(Chunk::ISet(sort));
                    self.need(Chunk::IMapItems(k, v));
                }
                self.map_app("items", rep, vec![value])
            }
            _ => {
                self.unsupported(span, format!("property {property:?}"));
                int(0)
            }
        }
    }

    pub(crate) fn array_length(&mut self, dims: u32, dimension: u32, array: &B) -> B {
        self.need(Chunk::Heap);
        if dims == 1 {
            return app("$length", vec![array.clone()]);
        }
        self.need(Chunk::Lengths);
        app("$lengths", vec![array.clone(), int(dimension)])
    }

    /// A function of a map type: `$Map.dom$int$bool`.
    pub(crate) fn map_app(&mut self, function: &str, rep: Ty, args: Vec<B>) -> B {
        let kind = self.p.types.kind(rep);
        let TyKind::Map { finite, key, value } = &*kind else {
            return int(0);
        };
        self.sort(rep);
        let (key, value) = (self.sort_name(*key), self.sort_name(*value));
        let head = if *finite { "$Map" } else { "$IMap" };
        app(&format!("{head}.{function}${key}${value}"), args)
    }

    /// A call of a function.
    pub(crate) fn function_call(&mut self, call: &FunctionCall, env: &Env, span: Span) -> B {
        let instance = self.function_instance(call, env);
        let receiver = call.receiver.map(|r| self.expr(r, env));
        let actuals = self.args(&call.args, env);
        if let Some(k) = call.prefix {
            let Some(extreme) = self.function(call.function).and_then(|f| f.extreme) else {
                self.unsupported(span, "a prefix of a predicate that has none");
                return tt();
            };
            let k = self.depth_value(k, extreme.k_type, env);
            return self.apply_prefix(&instance, k, receiver, actuals, env);
        }
        if call.at.is_some() {
            let before = self.old_heap(call.at, env);
            let env = Env {
                old: before,
                ..env.clone()
            };
            return self.apply_function(&instance, receiver, actuals, &env);
        }
        self.apply_function(&instance, receiver, actuals, env)
    }

    fn apply(&mut self, head: &str, f: ExprId, args: &[ExprId], env: &Env) -> B {
        if self.is_general(f, env) {
            let args = self.args(args, env);
            return self.general_app(&format!("{head}h"), f, args, env);
        }
        let rep = self.rep_of(f, env);
        let sort = self.sort_name(rep);
        let mut all = vec![self.expr(f, env)];
        all.extend(self.args(args, env));
        if args.is_empty() {
            all.push(tt());
        }
        app(&format!("{head}.{sort}"), all)
    }

    fn let_expr(&mut self, e: ExprId, env: &Env) -> B {
        let ExprKind::Let {
            patterns,
            values,
            body,
            ..
        } = &self.p.exprs[e].kind
        else {
            return int(0);
        };
        let mut inner = env.clone();
        let mut named = (Vec::new(), Vec::new());
        for (pattern, &value) in patterns.iter().zip(values) {
            let rep = self.rep_of(value, env);
            let mut value = self.expr(value, env);
            if size(&value, LARGE) > LARGE {
                let name = inner.fresh_bound("let");
                named.0.push(name.clone());
                named.1.push(value);
                value = var(&name);
            }
            self.bind(pattern, rep, &value, &mut inner);
        }
        let body = self.expr(*body, &inner);
        let_in(named.0, named.1, body)
    }

    /// Binds the variables of a pattern to parts of a value.
    pub(crate) fn bind(&mut self, pattern: &Pattern, rep: Ty, value: &B, env: &mut Env) {
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Value(_) | PatternKind::Or(_) => {}
            PatternKind::Var(v) => {
                env.vars.insert(*v, value.clone());
            }
            PatternKind::Ctor(ctor, parts) => {
                let fields = self.ctor_fields(rep, *ctor);
                for (i, (part, ty)) in parts.iter().zip(fields).enumerate() {
                    let inner = self.ctor_field(rep, value, *ctor, i);
                    let rep = self.rep(ty);
                    self.bind(part, rep, &inner, env);
                }
            }
            PatternKind::Tuple(parts) => {
                let items = self.p.types.children(rep);
                for (i, (part, ty)) in parts.iter().zip(items).enumerate() {
                    let inner = self.tuple_item(rep, value, i as u32);
                    self.bind(part, ty, &inner, env);
                }
            }
        }
    }

    /// That a value matches a pattern.
    pub(crate) fn matches(&mut self, pattern: &Pattern, rep: Ty, value: &B, env: &Env) -> B {
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Var(_) => tt(),
            PatternKind::Value(literal) => {
                let literal = self.expr(*literal, env);
                self.equal(rep, value.clone(), literal)
            }
            PatternKind::Or(options) => {
                let options = options.iter();
                disj(
                    options
                        .map(|o| self.matches(o, rep, value, env))
                        .collect::<Vec<_>>(),
                )
            }
            PatternKind::Ctor(ctor, parts) => {
                let fields = self.ctor_fields(rep, *ctor);
                let mut all = self.is_ctor(rep, value, *ctor);
                for (i, (part, ty)) in parts.iter().zip(fields).enumerate() {
                    let inner = self.ctor_field(rep, value, *ctor, i);
                    let rep = self.rep(ty);
                    all = and(all, self.matches(part, rep, &inner, env));
                }
                all
            }
            PatternKind::Tuple(parts) => {
                let items = self.p.types.children(rep);
                let mut all = tt();
                for (i, (part, ty)) in parts.iter().zip(items).enumerate() {
                    let inner = self.tuple_item(rep, value, i as u32);
                    all = and(all, self.matches(part, ty, &inner, env));
                }
                all
            }
        }
    }

    fn match_expr(
        &mut self,
        e: ExprId,
        scrutinee: ExprId,
        cases: &[stet_dafny::tree::Case<ExprId>],
        env: &Env,
    ) -> B {
        let rep = self.rep_of(scrutinee, env);
        let value = self.expr(scrutinee, env);
        let mut result: Option<B> = None;
        for case in cases.iter().rev() {
            let mut inner = env.clone();
            self.bind(&case.pattern, rep, &value, &mut inner);
            let body = self.expr(case.body, &inner);
            result = Some(match result {
                // The last case needs no test: cases are checked to be exhaustive.
                None => body,
                Some(rest) => ite(self.matches(&case.pattern, rep, &value, env), body, rest),
            });
        }
        match result {
            Some(result) => result,
            None => {
                // The checks of the match show that it is not reached: any value will do.
                let ty = self.type_of(e, env);
                let sort = self.sort(ty);
                let name: Name = format!("$any.{}", sort.name()).into();
                if self.made.insert(name.clone()) {
                    self.decls.push(crate::decl::Decl::Const {
                        name: name.clone(),
                        sort,
                        unique: false,
                    });
                }
                var(&name)
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, a: ExprId, env: &Env, span: Span) -> B {
        let rep = self.rep_of(a, env);
        let value = self.expr(a, env);
        let kind = self.p.types.kind(rep);
        match (op, &*kind) {
            (UnaryOp::Not, _) => not(value),
            (UnaryOp::BitNot, TyKind::Bv(w)) => self.bv_app("bvnot", *w, vec![value]),
            (UnaryOp::Neg, TyKind::Bv(w)) => self.bv_app("bvneg", *w, vec![value]),
            (UnaryOp::Neg, _) => neg(value),
            (UnaryOp::Cardinality, _) => self.cardinality(rep, value, span),
            _ => {
                self.unsupported(span, format!("operator {op:?} here"));
                value
            }
        }
    }

    pub(crate) fn cardinality(&mut self, rep: Ty, value: B, span: Span) -> B {
        let kind = self.p.types.kind(rep);
        let sort = self.sort_name(rep);
        let elem = self.p.types.children(rep).first().copied();
        let elem = elem.map(|t| self.sort_name(t)).unwrap_or_default();
        match &*kind {
            TyKind::Seq(_) => app(&format!("$Seq.len${elem}"), vec![value]),
            TyKind::Set { finite: true, .. } => app(&format!("$Set.card${elem}"), vec![value]),
            TyKind::Multiset(_) => app(&format!("$MultiSet.card${elem}"), vec![value]),
            TyKind::Map { finite: true, .. } => self.map_app("card", rep, vec![value]),
            _ => {
                self.unsupported(span, format!("the size of a {sort}"));
                int(0)
            }
        }
    }

    pub(crate) fn binary(&mut self, op: Op, a: ExprId, b: ExprId, env: &Env, span: Span) -> B {
        let rep = self.rep_of(a, env);
        // The right operand of `in` decides; elsewhere both have one representation.
        let rep_b = self.rep_of(b, env);
        let (x, y) = (self.expr(a, env), self.expr(b, env));
        match op {
            Op::And => and(x, y),
            Op::Or => or(x, y),
            Op::Imp => imp(x, y),
            Op::Iff => iff(x, y),
            Op::Eq => self.equal_either(rep, rep_b, x, y),
            Op::Neq => not(self.equal_either(rep, rep_b, x, y)),
            Op::In => self.member(rep_b, x, y, span),
            Op::NotIn => not(self.member(rep_b, x, y, span)),
            Op::RankLt => lt(self.rank(rep, &x, span), self.rank(rep_b, &y, span)),
            Op::RankGt => lt(self.rank(rep_b, &y, span), self.rank(rep, &x, span)),
            Op::Shl | Op::Shr => {
                let y = match &*self.p.types.kind(rep) {
                    TyKind::Bv(width) => self.shift_amount(*width, rep_b, y, span),
                    _ => y,
                };
                self.operator(op, rep, x, y, span)
            }
            _ => self.operator(op, rep, x, y, span),
        }
    }

    fn equal_either(&mut self, a: Ty, b: Ty, x: B, y: B) -> B {
        let is_null = |t: Ty, p: &stet_dafny::tree::Program| p.is_reference(t);
        if is_null(a, self.p) || is_null(b, self.p) {
            return eq(x, y);
        }
        self.equal(a, x, y)
    }

    /// Equality of values of a represented type; collections are equal if their contents are.
    pub(crate) fn equal(&mut self, rep: Ty, x: B, y: B) -> B {
        let kind = self.p.types.kind(rep);
        let head = match &*kind {
            TyKind::Seq(_) => "$Seq.eq",
            TyKind::Set { finite: true, .. } => "$Set.eq",
            TyKind::Set { .. } => "$ISet.eq",
            TyKind::Multiset(_) => "$MultiSet.eq",
            TyKind::Map { .. } => return self.map_app("eq", rep, vec![x, y]),
            TyKind::Bool => return iff(x, y),
            TyKind::Tuple(..) | TyKind::Named { .. } if self.is_extensional(rep) => {
                return self.structural_equal(rep, x, y);
            }
            _ => return eq(x, y),
        };
        self.sort(rep);
        let elem = self.p.types.children(rep)[0];
        let elem = self.sort_name(elem);
        app(&format!("{head}${elem}"), vec![x, y])
    }

    /// `x in y`.
    fn member(&mut self, rep: Ty, x: B, y: B, span: Span) -> B {
        let kind = self.p.types.kind(rep);
        self.sort(rep);
        let elem = self.p.types.children(rep).first().copied();
        let elem = elem.map(|t| self.sort_name(t)).unwrap_or_default();
        match &*kind {
            TyKind::Seq(_) => app(&format!("$Seq.in${elem}"), vec![y, x]),
            TyKind::Set { finite: true, .. } => app(&format!("$Set.in${elem}"), vec![y, x]),
            TyKind::Set { .. } => app(&format!("$ISet.in${elem}"), vec![y, x]),
            TyKind::Multiset(_) => lt(int(0), app(&format!("$MultiSet.count${elem}"), vec![y, x])),
            TyKind::Map { finite, .. } => {
                let domain = self.map_app("dom", rep, vec![y]);
                let head = if *finite { "$Set.in" } else { "$ISet.in" };
                app(&format!("{head}${elem}"), vec![domain, x])
            }
            _ => {
                self.unsupported(span, "`in` here");
                ff()
            }
        }
    }
}

/// A sequence from its elements.
pub(crate) fn seq_display(elem: &str, items: Vec<B>) -> B {
    let mut seq = var(&format!("$Seq.empty${elem}"));
    for item in items {
        seq = app(&format!("$Seq.push${elem}"), vec![seq, item]);
    }
    seq
}

/// The term of a membership test that instances are found by.
pub(crate) fn trigger_of(member: &B) -> B {
    match &**member {
        Node::Bin(_, _, b) => b.clone(),
        _ => member.clone(),
    }
}

/// The number of nodes of a tree, counted up to a little more than `limit`.
pub(crate) fn size(e: &B, limit: usize) -> usize {
    let mut count = 0;
    let mut pending: Vec<&B> = vec![e];
    while let Some(next) = pending.pop() {
        count += 1;
        if count > limit {
            return count;
        }
        pending.extend(children(next));
    }
    count
}

/// A name made from a tree: equal trees have equal names.
pub(crate) fn content_name(e: &B) -> String {
    let digest = stet_key::Digest::of_bytes(format!("{e:?}").as_bytes());
    digest.to_string()
}
