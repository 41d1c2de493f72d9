//! Narrow types: after inference on pre-types, every expression gets the best type known of its value.
//!
//! Declared variables have their declared types, inferred ones the join of what is assigned to them. Types flow from
//! operands to results in arena order, which is program order; assignments in loops need a few rounds. Then types flow
//! down from positions into displays, literals and constructors that fit them (`push_down`).

use super::Resolver;
use super::bodies::Begin;
use super::infer::pre_type;
use crate::tree::{
    ArrowKind, BinaryOp, ExprId, ExprKind, Frame, MemberId, MemberKind, Pattern, PatternKind,
    Property, Rhs, StmtId, StmtKind, Ty, TyKind, TypeParamId, VarId,
};
use stet_base::{FastMap, Index};

/// How many rounds types may need to settle; after that variables keep their pre-types.
const ROUNDS: usize = 6;

/// Where the type of an inferred variable comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The type of a value.
    Expr(ExprId),
    /// The element type of a collection.
    Element(ExprId),
    /// An out-parameter of the call statement.
    Out(StmtId, usize),
    /// A new object or array.
    New(Ty),
    /// A type from a position.
    Fixed(Ty),
    /// Anything: the pre-type.
    Any,
}

pub(crate) struct Retype {
    begin: Begin,
    pre: Vec<Ty>,
    done: Vec<bool>,
    sources: FastMap<VarId, Vec<Source>>,
    changed: bool,
    var_pre: FastMap<VarId, Ty>,
}

impl Resolver<'_> {
    pub(crate) fn retype(&mut self, begin: Begin) {
        if self.failed() {
            return;
        }
        let count = self.program.exprs.len() - begin.exprs;
        let pre = (0..count)
            .map(|i| self.program.exprs[ExprId::from_index(begin.exprs + i)].ty)
            .collect();
        let mut state = Retype {
            begin,
            pre,
            done: vec![false; count],
            sources: FastMap::default(),
            changed: false,
            var_pre: FastMap::default(),
        };
        for i in begin.vars..self.program.vars.len() {
            let var = VarId::from_index(i);
            if self.inferred_vars.contains(&var) {
                state.var_pre.insert(var, self.program.vars[var].ty);
            }
        }
        self.collect_sources(&mut state);
        for round in 0..ROUNDS {
            state.changed = false;
            if round + 1 == ROUNDS {
                self.give_up(&mut state);
            }
            for i in 0..count {
                let id = ExprId::from_index(begin.exprs + i);
                let ty = self.refined(&mut state, id);
                if self.program.exprs[id].ty != ty {
                    state.changed = true;
                    self.program.exprs[id].ty = ty;
                }
                state.done[i] = true;
            }
            self.retype_stmts(&mut state);
            self.settle_vars(&mut state);
            if !state.changed {
                break;
            }
        }
        self.inferred_args.clear();
    }

    fn give_up(&mut self, state: &mut Retype) {
        #[allow(
            clippy::iter_over_hash_type,
            reason = "each entry is changed by itself"
        )]
        for sources in state.sources.values_mut() {
            if sources.len() > 1 {
                *sources = vec![Source::Any];
            }
        }
    }

    fn collect_sources(&mut self, state: &mut Retype) {
        for i in state.begin.exprs..self.program.exprs.len() {
            let id = ExprId::from_index(i);
            match &self.program.exprs[id].kind {
                ExprKind::Let {
                    patterns, values, ..
                } => {
                    for (pattern, &value) in patterns.iter().zip(values) {
                        if let PatternKind::Var(var) = pattern.kind {
                            state.add(var, Source::Expr(value));
                        }
                    }
                }
                ExprKind::Quantifier(q) => {
                    let conditions = [q.range, Some(q.body)];
                    for &var in &q.vars {
                        self.domain_source(state, var, &conditions);
                    }
                }
                ExprKind::SetComprehension { vars, range, .. }
                | ExprKind::MapComprehension { vars, range, .. } => {
                    for &var in vars {
                        self.domain_source(state, var, &[Some(*range)]);
                    }
                }
                ExprKind::LetSuchThat {
                    vars, condition, ..
                } => {
                    for &var in vars {
                        self.domain_source(state, var, &[Some(*condition)]);
                    }
                }
                _ => {}
            }
        }
        for i in state.begin.stmts..self.program.stmts.len() {
            self.stmt_sources(state, StmtId::from_index(i));
        }
    }

    fn stmt_sources(&self, state: &mut Retype, id: StmtId) {
        match &self.program.stmts[id].kind {
            StmtKind::Assign { lhss, rhss } => {
                for (&lhs, rhs) in lhss.iter().zip(rhss) {
                    let ExprKind::Var(var) = self.program.exprs[lhs].kind else {
                        continue;
                    };
                    let source = match rhs {
                        Rhs::Expr(value) => Source::Expr(*value),
                        Rhs::Havoc => Source::Any,
                        Rhs::NewObject { ty, .. } | Rhs::NewArray { ty, .. } => Source::New(*ty),
                    };
                    state.add(var, source);
                }
            }
            StmtKind::Call(call) => {
                for (i, &lhs) in call.lhss.iter().enumerate() {
                    if let ExprKind::Var(var) = self.program.exprs[lhs].kind {
                        state.add(var, Source::Out(id, i));
                    }
                }
            }
            StmtKind::AssignSuchThat { lhss, expr, .. } => {
                for &lhs in lhss {
                    if let ExprKind::Var(var) = self.program.exprs[lhs].kind {
                        self.domain_source(state, var, &[Some(*expr)]);
                    }
                }
            }
            StmtKind::VarPattern { pattern, rhs } => {
                if let PatternKind::Var(var) = pattern.kind {
                    state.add(var, Source::Expr(*rhs));
                }
            }
            StmtKind::Forall { vars, range, .. } => {
                for &var in vars {
                    self.domain_source(state, var, &[Some(*range)]);
                }
            }
            StmtKind::If {
                guard: crate::tree::Guard::Binding { vars, expr, .. },
                ..
            } => {
                for &var in vars {
                    self.domain_source(state, var, &[Some(*expr)]);
                }
            }
            _ => {}
        }
    }

    /// `x in C` among the conjuncts (of the antecedent, for an implication) tells the type of `x`.
    fn domain_source(&self, state: &mut Retype, var: VarId, conditions: &[Option<ExprId>]) {
        for &condition in conditions.iter().flatten() {
            if let Some(collection) = self.find_domain(var, condition, 0) {
                state.add(var, Source::Element(collection));
                return;
            }
        }
        state.add(var, Source::Any);
    }

    fn find_domain(&self, var: VarId, condition: ExprId, depth: u32) -> Option<ExprId> {
        if depth > 200 {
            return None;
        }
        match self.program.exprs[condition].kind {
            ExprKind::Binary(BinaryOp::And, a, b) => self
                .find_domain(var, a, depth + 1)
                .or_else(|| self.find_domain(var, b, depth + 1)),
            ExprKind::Binary(BinaryOp::Imp, a, _) => self.find_domain(var, a, depth + 1),
            ExprKind::Binary(BinaryOp::In, left, right) => match self.program.exprs[left].kind {
                ExprKind::Var(v) if v == var => Some(right),
                _ => None,
            },
            _ => None,
        }
    }

    /// The best type of an inferred variable now known.
    fn var_type(&self, state: &Retype, var: VarId) -> Ty {
        let Some(&pre) = state.var_pre.get(&var) else {
            return self.program.vars[var].ty;
        };
        let Some(sources) = state.sources.get(&var) else {
            return self.program.vars[var].ty;
        };
        let mut best: Option<Ty> = None;
        for source in sources {
            let ty = match *source {
                Source::Any => Some(pre),
                Source::Fixed(ty) | Source::New(ty) => Some(ty),
                Source::Expr(expr) => state.known(expr).then(|| self.program.exprs[expr].ty),
                Source::Element(expr) => {
                    state.known(expr).then(|| self.element_type(expr)).flatten()
                }
                Source::Out(stmt, index) => self.out_type(state, stmt, index),
            };
            let Some(ty) = ty else {
                continue;
            };
            best = Some(match best {
                None => ty,
                Some(old) => self.join_types(old, ty, pre),
            });
        }
        let best = best.unwrap_or(pre);
        if pre_type(&self.program, best) == pre_type(&self.program, pre) {
            best
        } else {
            pre
        }
    }

    fn element_type(&self, collection: ExprId) -> Option<Ty> {
        let ty = self.program.base_type(self.program.exprs[collection].ty);
        match &*self.program.types.kind(ty) {
            TyKind::Set { elem, .. } | TyKind::Seq(elem) | TyKind::Multiset(elem) => Some(*elem),
            TyKind::Map { key, .. } => Some(*key),
            _ => None,
        }
    }

    fn out_type(&self, state: &Retype, stmt: StmtId, index: usize) -> Option<Ty> {
        let StmtKind::Call(call) = &self.program.stmts[stmt].kind else {
            return None;
        };
        let MemberKind::Method(m) = &self.program.members[call.method].kind else {
            return None;
        };
        if call.args.iter().any(|&a| !state.known(a)) {
            return None;
        }
        let out = *m.outs.get(index)?;
        let (owner, own) = self.call_args(
            call.method,
            call.receiver,
            &call.owner_args,
            &call.type_args,
            &m.ins,
            &call.args,
        );
        let params = self.all_params(call.method);
        let args: Vec<Ty> = owner.into_iter().chain(own).collect();
        Some(
            self.program
                .instantiate(self.program.vars[out].ty, &params, &args),
        )
    }

    fn all_params(&self, member: MemberId) -> Vec<TypeParamId> {
        let owner = self.program.owner_params(member).iter();
        owner
            .chain(self.program.type_params_of(member))
            .copied()
            .collect()
    }

    pub(crate) fn join_types(&self, a: Ty, b: Ty, pre: Ty) -> Ty {
        if self.program.is_subtype(b, a) {
            a
        } else if self.program.is_subtype(a, b) {
            b
        } else {
            self.join_parts(a, b).unwrap_or(pre)
        }
    }

    /// The join of two types with one head, part by part.
    fn join_parts(&self, a: Ty, b: Ty) -> Option<Ty> {
        let pre = pre_type(&self.program, a);
        if pre != pre_type(&self.program, b) {
            return None;
        }
        let (x, y) = (self.program.base_type(a), self.program.base_type(b));
        let (p, q) = (
            self.program.types.children(x),
            self.program.types.children(y),
        );
        if p.is_empty() || p.len() != q.len() {
            return Some(pre);
        }
        let covariant = matches!(
            &*self.program.types.kind(x),
            TyKind::Set { .. }
                | TyKind::Seq(_)
                | TyKind::Multiset(_)
                | TyKind::Map { .. }
                | TyKind::Tuple(..)
        );
        if !covariant {
            return Some(pre);
        }
        let parts: Vec<Ty> = p
            .iter()
            .zip(&q)
            .map(|(&p, &q)| self.join_types(p, q, pre_type(&self.program, p)))
            .collect();
        Some(self.program.types.with_children(x, &parts))
    }

    fn settle_vars(&mut self, state: &mut Retype) {
        for i in state.begin.vars..self.program.vars.len() {
            let var = VarId::from_index(i);
            if state.var_pre.contains_key(&var) {
                let ty = self.var_type(state, var);
                if self.program.vars[var].ty != ty {
                    self.program.vars[var].ty = ty;
                    state.changed = true;
                }
            }
        }
    }

    /// The instance of the type that declares `member`, seen from a value of type `ty`.
    fn owner_instance(&self, member: MemberId, ty: Ty) -> Option<Vec<Ty>> {
        let owner = self.owner_decl(member)?;
        self.instance_of(owner, ty, 0)
    }

    fn instance_of(&self, owner: crate::tree::DeclId, ty: Ty, depth: u32) -> Option<Vec<Ty>> {
        if depth > 100 {
            return None;
        }
        if let TyKind::Named { decl, args, .. } = &*self.program.types.kind(ty)
            && *decl == owner
        {
            return Some(args.clone());
        }
        let base = self.program.base_type(ty);
        if base != ty
            && let Some(found) = self.instance_of(owner, base, depth + 1)
        {
            return Some(found);
        }
        let parents = self.program.parent_traits(base);
        parents
            .into_iter()
            .find_map(|p| self.instance_of(owner, p, depth + 1))
    }

    /// Narrowed type arguments of a call: from the receiver, and from the arguments.
    fn call_args(
        &self,
        member: MemberId,
        receiver: Option<ExprId>,
        owner: &[Ty],
        own: &[Ty],
        formals: &[VarId],
        args: &[ExprId],
    ) -> (Vec<Ty>, Vec<Ty>) {
        let from_receiver =
            receiver.and_then(|r| self.owner_instance(member, self.program.exprs[r].ty));
        let owner_args = from_receiver.unwrap_or_else(|| owner.to_vec());
        let params = self.program.type_params_of(member);
        let mut found: FastMap<TypeParamId, Ty> = FastMap::default();
        for (&formal, &arg) in formals.iter().zip(args) {
            self.match_type(
                self.program.vars[formal].ty,
                self.program.exprs[arg].ty,
                &mut found,
                0,
            );
        }
        let own_args = params
            .iter()
            .zip(own)
            .map(|(param, &old)| self.narrower(found.get(param).copied(), old))
            .collect();
        (owner_args, own_args)
    }

    /// `new` if it is a narrowing of the inferred pre-type `old`; explicit types stay.
    fn narrower(&self, new: Option<Ty>, old: Ty) -> Ty {
        match new {
            Some(new) if pre_type(&self.program, new) == old => new,
            _ => old,
        }
    }

    /// Finds what the type parameters in `formal` stand for in `actual`.
    fn match_type(&self, formal: Ty, actual: Ty, found: &mut FastMap<TypeParamId, Ty>, depth: u32) {
        if depth > 50 {
            return;
        }
        if let TyKind::Param(param) = *self.program.types.kind(formal) {
            let joined = match found.get(&param) {
                Some(&old) => self.join_types(old, actual, pre_type(&self.program, actual)),
                None => actual,
            };
            found.insert(param, joined);
            return;
        }
        let formal_parts = self.program.types.children(formal);
        if formal_parts.is_empty() {
            return;
        }
        let mut actual = actual;
        for _ in 0..100 {
            if std::mem::discriminant(&*self.program.types.kind(formal))
                == std::mem::discriminant(&*self.program.types.kind(actual))
            {
                let same = match (
                    &*self.program.types.kind(formal),
                    &*self.program.types.kind(actual),
                ) {
                    (TyKind::Named { decl: a, .. }, TyKind::Named { decl: b, .. }) => a == b,
                    _ => true,
                };
                if same {
                    let parts = self.program.types.children(actual);
                    for (&f, &a) in formal_parts.iter().zip(&parts) {
                        self.match_type(f, a, found, depth + 1);
                    }
                    return;
                }
            }
            match self.program.parent_of_constrained(actual) {
                Some(parent) => actual = parent,
                None => return,
            }
        }
    }

    fn refined(&mut self, state: &mut Retype, id: ExprId) -> Ty {
        let pre = state.pre[id.index() - state.begin.exprs];
        let ty = self.refined_inner(state, id, pre);
        // Never leave the pre-type.
        if pre_type(&self.program, ty) == pre_type(&self.program, pre) {
            ty
        } else {
            pre
        }
    }

    fn ty_at(&self, id: ExprId) -> Ty {
        self.program.exprs[id].ty
    }

    fn refined_inner(&mut self, state: &mut Retype, id: ExprId, pre: Ty) -> Ty {
        let kind = &self.program.exprs[id].kind;
        match kind {
            ExprKind::Var(var) => self.var_type(state, *var),
            ExprKind::This => self.frame.this_type.unwrap_or(pre),
            ExprKind::Field { .. }
            | ExprKind::StaticConst { .. }
            | ExprKind::Destructor { .. }
            | ExprKind::Call(_)
            | ExprKind::FunctionValue { .. }
            | ExprKind::Ctor { .. } => self.refined_member(id, pre),
            ExprKind::TupleSelect(tuple, index) => {
                let ty = self.program.base_type(self.ty_at(*tuple));
                let parts = self.program.types.children(ty);
                parts.get(*index as usize).copied().unwrap_or(pre)
            }
            ExprKind::Property(property, value) => self.refined_property(*property, *value, pre),
            ExprKind::Apply(function, _) => {
                match &*self.program.types.kind(self.ty_at(*function)) {
                    TyKind::Arrow { result, .. } => *result,
                    _ => pre,
                }
            }
            ExprKind::Tuple(items) => {
                let parts: Vec<Ty> = items.iter().map(|&i| self.ty_at(i)).collect();
                self.program.types.with_children(pre, &parts)
            }
            ExprKind::Binary(op, left, right) => self.refined_binary(*op, *left, *right, pre),
            ExprKind::Old(value, _) | ExprKind::Rotate(value, ..) => self.ty_at(*value),
            ExprKind::DatatypeUpdate { value, .. } => self.ty_at(*value),
            ExprKind::StmtExpr(_, body)
            | ExprKind::LetSuchThat { body, .. }
            | ExprKind::Let { body, .. } => {
                let body = *body;
                let ty = self.ty_at(body);
                self.let_patterns(state, id);
                ty
            }
            ExprKind::Index(..)
            | ExprKind::ArrayIndex(..)
            | ExprKind::Slice(..)
            | ExprKind::Update(..) => self.refined_index(id, pre),
            ExprKind::SetDisplay(_)
            | ExprKind::MultisetDisplay(_)
            | ExprKind::SeqDisplay(_)
            | ExprKind::MapDisplay(_)
            | ExprKind::SeqConstruct(..)
            | ExprKind::MultisetOf(_) => self.refined_display(id, pre),
            ExprKind::Ite(_, then, els) => {
                self.join_types(self.ty_at(*then), self.ty_at(*els), pre)
            }
            ExprKind::Match { .. } => self.refined_match(state, id, pre),
            ExprKind::SetComprehension { term, .. } => {
                let elem = self.ty_at(*term);
                self.program.types.with_children(pre, &[elem])
            }
            ExprKind::MapComprehension {
                vars, key, value, ..
            } => {
                let key = match key {
                    Some(key) => self.ty_at(*key),
                    None => self.var_type(state, vars[0]),
                };
                let parts = [key, self.ty_at(*value)];
                self.program.types.with_children(pre, &parts)
            }
            ExprKind::Lambda {
                vars,
                requires,
                reads,
                body,
                ..
            } => {
                let params = vars.iter().map(|&v| self.var_type(state, v)).collect();
                self.arrow_type(requires.is_some(), reads, params, self.ty_at(*body))
            }
            ExprKind::Convert(_, ty) => *ty,
            _ => pre,
        }
    }

    fn arrow_type(&self, partial: bool, reads: &Frame, params: Vec<Ty>, result: Ty) -> Ty {
        let kind = if reads.star || !reads.items.is_empty() {
            ArrowKind::General
        } else if partial {
            ArrowKind::Partial
        } else {
            ArrowKind::Total
        };
        self.program.types.intern(TyKind::Arrow {
            kind,
            params,
            result,
        })
    }

    fn refined_property(&self, property: Property, value: ExprId, pre: Ty) -> Ty {
        let ty = self.program.base_type(self.ty_at(value));
        match (property, &*self.program.types.kind(ty)) {
            (Property::Keys, TyKind::Map { key, .. }) => {
                self.program.types.with_children(pre, &[*key])
            }
            (Property::Values, TyKind::Map { value, .. }) => {
                self.program.types.with_children(pre, &[*value])
            }
            (Property::Items, TyKind::Map { key, value, .. }) => {
                let pair = TyKind::Tuple(vec![*key, *value], vec![false, false]);
                let pair = self.program.types.intern(pair);
                self.program.types.with_children(pre, &[pair])
            }
            _ => pre,
        }
    }

    fn refined_binary(&self, op: BinaryOp, left: ExprId, right: ExprId, pre: Ty) -> Ty {
        match op {
            BinaryOp::Concat | BinaryOp::Union | BinaryOp::MapMerge | BinaryOp::Intersection => {
                let (a, b) = (
                    self.program.base_type(self.ty_at(left)),
                    self.program.base_type(self.ty_at(right)),
                );
                self.join_types(a, b, pre)
            }
            BinaryOp::Difference | BinaryOp::MapSubtract => {
                self.program.base_type(self.ty_at(left))
            }
            _ => pre,
        }
    }

    fn refined_member(&mut self, id: ExprId, pre: Ty) -> Ty {
        let mut kind = std::mem::replace(&mut self.program.exprs[id].kind, ExprKind::Error);
        let inferred = self.inferred_args.contains(&id);
        let ty = match &mut kind {
            ExprKind::Field {
                object,
                field,
                owner_args,
            } => {
                if let Some(args) = self.owner_instance(*field, self.ty_at(*object)) {
                    *owner_args = args;
                }
                self.field_type(*field, owner_args, pre)
            }
            ExprKind::StaticConst { member, owner_args } => {
                self.field_type(*member, owner_args, pre)
            }
            ExprKind::Destructor { value, ctors } => {
                let (ctor, position) = ctors[0];
                let decl = self.program.ctors[ctor].decl;
                let formal = self.program.ctors[ctor].formals[position as usize];
                match self.instance_of(decl, self.ty_at(*value), 0) {
                    Some(args) => {
                        let params = &self.program.decls[decl].params;
                        self.program
                            .instantiate(self.program.vars[formal].ty, params, &args)
                    }
                    None => pre,
                }
            }
            ExprKind::Call(call) => match &self.program.members[call.function].kind {
                MemberKind::Function(f) => {
                    let (owner, own) = self.call_args(
                        call.function,
                        call.receiver,
                        &call.owner_args,
                        &call.type_args,
                        &f.ins,
                        &call.args,
                    );
                    call.owner_args = owner;
                    if inferred {
                        call.type_args = own;
                    }
                    let params = self.all_params(call.function);
                    let args: Vec<Ty> = call
                        .owner_args
                        .iter()
                        .chain(&call.type_args)
                        .copied()
                        .collect();
                    self.program.instantiate(f.result, &params, &args)
                }
                _ => pre,
            },
            ExprKind::FunctionValue {
                function,
                receiver,
                owner_args,
                type_args,
            } => {
                if let Some(receiver) = receiver
                    && let Some(args) = self.owner_instance(*function, self.ty_at(*receiver))
                {
                    *owner_args = args;
                }
                self.function_value_type(*function, owner_args, type_args, pre)
            }
            ExprKind::Ctor {
                ctor,
                type_args,
                args,
            } => {
                if inferred {
                    self.narrow_ctor(*ctor, type_args, args);
                }
                self.program.types.with_children(pre, type_args)
            }
            _ => pre,
        };
        self.program.exprs[id].kind = kind;
        ty
    }

    fn narrow_ctor(&self, ctor: crate::tree::CtorId, type_args: &mut [Ty], args: &[ExprId]) {
        let c = &self.program.ctors[ctor];
        let params = &self.program.decls[c.decl].params;
        let mut found = FastMap::default();
        for (&formal, &arg) in c.formals.iter().zip(args) {
            self.match_type(self.program.vars[formal].ty, self.ty_at(arg), &mut found, 0);
        }
        for (param, ty) in params.iter().zip(type_args) {
            let pre = pre_type(&self.program, *ty);
            *ty = self.narrower(found.get(param).copied(), pre);
        }
    }

    fn function_value_type(
        &self,
        function: MemberId,
        owner_args: &[Ty],
        type_args: &[Ty],
        pre: Ty,
    ) -> Ty {
        let MemberKind::Function(f) = &self.program.members[function].kind else {
            return pre;
        };
        let params = self.all_params(function);
        let args: Vec<Ty> = owner_args.iter().chain(type_args).copied().collect();
        let domain = f
            .ins
            .iter()
            .map(|&v| {
                self.program
                    .instantiate(self.program.vars[v].ty, &params, &args)
            })
            .collect();
        let result = self.program.instantiate(f.result, &params, &args);
        // The callee may not be resolved yet: its syntax tells whether it has a precondition.
        let (mut partial, mut reads) = (!f.requires.is_empty(), f.reads.clone());
        if let Some(syntax) = self.member_syntax.get(&function)
            && let crate::ast::MemberKind::Function(syntax) = &syntax.kind
        {
            partial = !syntax.spec.requires.is_empty();
            reads.star = !syntax.spec.reads.items.is_empty();
        }
        self.arrow_type(partial, &reads, domain, result)
    }

    fn field_type(&self, member: MemberId, owner_args: &[Ty], pre: Ty) -> Ty {
        match &self.program.members[member].kind {
            MemberKind::Field { ty } | MemberKind::Const { ty, .. } => {
                let params = self.program.owner_params(member);
                self.program.instantiate(*ty, params, owner_args)
            }
            _ => pre,
        }
    }

    fn refined_index(&self, id: ExprId, pre: Ty) -> Ty {
        match &self.program.exprs[id].kind {
            ExprKind::Index(base, _) => {
                let ty = self.program.representation(self.ty_at(*base));
                match &*self.program.types.kind(ty) {
                    TyKind::Seq(elem) => *elem,
                    TyKind::Map { value, .. } => *value,
                    _ => pre,
                }
            }
            ExprKind::ArrayIndex(array, _) => {
                let ty = self.program.base_type(self.ty_at(*array));
                match &*self.program.types.kind(ty) {
                    TyKind::Array { elem, .. } => *elem,
                    _ => pre,
                }
            }
            ExprKind::Slice(base, ..) => {
                let ty = self.program.base_type(self.ty_at(*base));
                match &*self.program.types.kind(ty) {
                    TyKind::Array { elem, .. } => self.program.types.intern(TyKind::Seq(*elem)),
                    _ => ty,
                }
            }
            ExprKind::Update(base, _, value) => {
                let ty = self.program.base_type(self.ty_at(*base));
                let value = self.ty_at(*value);
                match &*self.program.types.kind(ty) {
                    TyKind::Seq(elem) => {
                        let elem = self.join_types(*elem, value, pre_type(&self.program, *elem));
                        self.program.types.intern(TyKind::Seq(elem))
                    }
                    TyKind::Map {
                        finite,
                        key,
                        value: old,
                    } => {
                        let value = self.join_types(*old, value, pre_type(&self.program, *old));
                        self.program.types.intern(TyKind::Map {
                            finite: *finite,
                            key: *key,
                            value,
                        })
                    }
                    _ => ty,
                }
            }
            _ => pre,
        }
    }

    fn join_all(&self, items: impl Iterator<Item = Ty>, pre: Ty) -> Ty {
        let mut best: Option<Ty> = None;
        for ty in items {
            best = Some(match best {
                None => ty,
                Some(old) => self.join_types(old, ty, pre),
            });
        }
        best.unwrap_or(pre)
    }

    fn refined_display(&self, id: ExprId, pre: Ty) -> Ty {
        let parts = self.program.types.children(pre);
        match &self.program.exprs[id].kind {
            ExprKind::SetDisplay(items)
            | ExprKind::MultisetDisplay(items)
            | ExprKind::SeqDisplay(items) => {
                let elem = self.join_all(items.iter().map(|&i| self.ty_at(i)), parts[0]);
                self.program.types.with_children(pre, &[elem])
            }
            ExprKind::MapDisplay(entries) => {
                let key = self.join_all(entries.iter().map(|&(k, _)| self.ty_at(k)), parts[0]);
                let value = self.join_all(entries.iter().map(|&(_, v)| self.ty_at(v)), parts[1]);
                self.program.types.with_children(pre, &[key, value])
            }
            ExprKind::SeqConstruct(_, init) => match &*self.program.types.kind(self.ty_at(*init)) {
                TyKind::Arrow { result, .. } => self.program.types.with_children(pre, &[*result]),
                _ => pre,
            },
            ExprKind::MultisetOf(inner) => {
                let ty = self.program.base_type(self.ty_at(*inner));
                match self.program.types.children(ty).first() {
                    Some(&elem) => self.program.types.with_children(pre, &[elem]),
                    None => pre,
                }
            }
            _ => pre,
        }
    }

    fn refined_match(&mut self, state: &mut Retype, id: ExprId, pre: Ty) -> Ty {
        let mut kind = std::mem::replace(&mut self.program.exprs[id].kind, ExprKind::Error);
        let mut result = pre;
        if let ExprKind::Match { scrutinee, cases } = &mut kind {
            let ty = self.ty_at(*scrutinee);
            for case in cases.iter_mut() {
                self.pattern_types(state, &mut case.pattern, ty);
            }
            result = self.join_all(cases.iter().map(|c| self.ty_at(c.body)), pre);
        }
        self.program.exprs[id].kind = kind;
        result
    }

    fn let_patterns(&mut self, state: &mut Retype, id: ExprId) {
        let mut kind = std::mem::replace(&mut self.program.exprs[id].kind, ExprKind::Error);
        if let ExprKind::Let {
            patterns, values, ..
        } = &mut kind
        {
            for (pattern, &value) in patterns.iter_mut().zip(values.iter()) {
                let ty = self.ty_at(value);
                self.pattern_types(state, pattern, ty);
            }
        }
        self.program.exprs[id].kind = kind;
    }

    /// Narrows a pattern and its variables to values of type `ty`.
    fn pattern_types(&mut self, state: &mut Retype, pattern: &mut Pattern, ty: Ty) {
        pattern.ty = ty;
        match &mut pattern.kind {
            PatternKind::Var(var) => {
                if state.var_pre.contains_key(var) {
                    let old = self.program.vars[*var].ty;
                    if old != ty && pre_type(&self.program, ty) == pre_type(&self.program, old) {
                        self.program.vars[*var].ty = ty;
                        state.sources.insert(*var, vec![Source::Fixed(ty)]);
                        state.changed = true;
                    }
                }
            }
            PatternKind::Ctor(ctor, items) => {
                let decl = self.program.ctors[*ctor].decl;
                let args = self.instance_of(decl, ty, 0);
                let formals = self.program.ctors[*ctor].formals.clone();
                for (item, formal) in items.iter_mut().zip(formals) {
                    let full = self.program.vars[formal].ty;
                    let part = match &args {
                        Some(args) => {
                            self.program
                                .instantiate(full, &self.program.decls[decl].params, args)
                        }
                        None => item.ty,
                    };
                    self.pattern_types(state, item, part);
                }
            }
            PatternKind::Tuple(items) => {
                let parts = self.program.types.children(self.program.base_type(ty));
                for (item, part) in items.iter_mut().zip(parts) {
                    self.pattern_types(state, item, part);
                }
            }
            PatternKind::Or(items) => {
                for item in items {
                    self.pattern_types(state, item, ty);
                }
            }
            PatternKind::Wild | PatternKind::Value(_) => {}
        }
    }

    fn retype_stmts(&mut self, state: &mut Retype) {
        for i in state.begin.stmts..self.program.stmts.len() {
            let id = StmtId::from_index(i);
            let mut kind = std::mem::replace(&mut self.program.stmts[id].kind, StmtKind::Error);
            match &mut kind {
                StmtKind::Match { scrutinee, cases } => {
                    let ty = self.ty_at(*scrutinee);
                    for case in cases {
                        self.pattern_types(state, &mut case.pattern, ty);
                    }
                }
                StmtKind::VarPattern { pattern, rhs } => {
                    let ty = self.ty_at(*rhs);
                    self.pattern_types(state, pattern, ty);
                }
                StmtKind::Call(call) => {
                    if let MemberKind::Method(m) = &self.program.members[call.method].kind {
                        let (owner, own) = self.call_args(
                            call.method,
                            call.receiver,
                            &call.owner_args,
                            &call.type_args,
                            &m.ins,
                            &call.args,
                        );
                        call.owner_args = owner;
                        call.type_args = own;
                    }
                }
                StmtKind::Assign { lhss, rhss } => {
                    for (&lhs, rhs) in lhss.iter().zip(rhss) {
                        if let Rhs::Expr(value) = rhs {
                            let want = self.ty_at(lhs);
                            self.push_down(*value, want, 0);
                        }
                    }
                }
                _ => {}
            }
            self.program.stmts[id].kind = kind;
        }
    }

    /// Lets literals, displays and constructors take the type their position wants, where they certainly fit.
    pub(crate) fn push_down(&mut self, id: ExprId, want: Ty, depth: u32) {
        let have = self.program.exprs[id].ty;
        if depth > 100
            || have == want
            || pre_type(&self.program, have) != pre_type(&self.program, want)
        {
            return;
        }
        let parts = self.program.types.children(self.program.base_type(want));
        match self.program.exprs[id].kind.clone() {
            ExprKind::Int(value)
                if want == self.program.types.nat && value.sign() != num_bigint::Sign::Minus =>
            {
                self.program.exprs[id].ty = want;
            }
            ExprKind::SetDisplay(items)
            | ExprKind::SeqDisplay(items)
            | ExprKind::MultisetDisplay(items) => {
                let Some(&elem) = parts.first() else {
                    return;
                };
                for &item in &items {
                    self.push_down(item, elem, depth + 1);
                }
                if items
                    .iter()
                    .all(|&i| self.program.is_subtype(self.ty_at(i), elem))
                {
                    self.program.exprs[id].ty = self.program.base_type(want);
                }
            }
            ExprKind::MapDisplay(entries) if entries.is_empty() => {
                self.program.exprs[id].ty = self.program.base_type(want);
            }
            ExprKind::Ite(_, then, els) => {
                self.push_down(then, want, depth + 1);
                self.push_down(els, want, depth + 1);
                let joined = self.join_types(self.ty_at(then), self.ty_at(els), have);
                self.program.exprs[id].ty = joined;
            }
            ExprKind::Let { body, .. }
            | ExprKind::LetSuchThat { body, .. }
            | ExprKind::StmtExpr(_, body) => {
                self.push_down(body, want, depth + 1);
                self.program.exprs[id].ty = self.ty_at(body);
            }
            ExprKind::Match { cases, .. } => {
                for case in &cases {
                    self.push_down(case.body, want, depth + 1);
                }
                self.program.exprs[id].ty =
                    self.join_all(cases.iter().map(|c| self.ty_at(c.body)), have);
            }
            ExprKind::Ctor { ctor, args, .. } => self.push_ctor(id, ctor, &args, want, depth),
            _ => {}
        }
    }

    fn push_ctor(
        &mut self,
        id: ExprId,
        ctor: crate::tree::CtorId,
        args: &[ExprId],
        want: Ty,
        depth: u32,
    ) {
        let TyKind::Named {
            decl, args: wanted, ..
        } = &*self.program.types.kind(self.program.base_type(want))
        else {
            return;
        };
        let params = self.program.decls[*decl].params.clone();
        let formals = self.program.ctors[ctor].formals.clone();
        let mut fits = self.program.ctors[ctor].decl == *decl;
        for (&formal, &arg) in formals.iter().zip(args) {
            let ty = self
                .program
                .instantiate(self.program.vars[formal].ty, &params, wanted);
            self.push_down(arg, ty, depth + 1);
            fits &= self.program.is_subtype(self.ty_at(arg), ty);
        }
        if fits {
            self.program.exprs[id].ty = self.program.base_type(want);
            if let ExprKind::Ctor { type_args, .. } = &mut self.program.exprs[id].kind {
                *type_args = wanted.clone();
            }
        }
    }
}

impl Retype {
    fn add(&mut self, var: VarId, source: Source) {
        if self.var_pre.contains_key(&var) {
            self.sources.entry(var).or_default().push(source);
        }
    }

    /// Whether the type of an expression is narrowed already (those of other declarations are).
    fn known(&self, expr: ExprId) -> bool {
        expr.index() < self.begin.exprs
            || self
                .done
                .get(expr.index() - self.begin.exprs)
                .copied()
                .unwrap_or(false)
    }
}
