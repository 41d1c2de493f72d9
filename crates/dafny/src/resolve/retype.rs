//! Narrow types: after inference on pre-types, every expression gets the best type known of its value.
//!
//! Declared variables have their declared types, inferred ones the join of what is assigned to them. Types flow from
//! operands to results in arena order, which is program order; assignments in loops need a few rounds. Then types flow
//! down from positions into displays, literals and constructors that fit them (`push_down`).

use super::Resolver;
use super::bodies::Begin;
use super::first_use::FirstUse;
use super::infer::pre_type;
use super::naturals::Natural;
use crate::tree::{
    ArrowKind, BinaryOp, ExprId, ExprKind, Frame, MemberId, MemberKind, Pattern, PatternKind, Rhs,
    StmtId, StmtKind, Ty, TyKind, TypeDeclKind, TypeParamId, VarId,
};
use stet_base::{FastMap, Index};

/// How many rounds types may need to settle; after that variables keep their pre-types.
const ROUNDS: usize = 6;

/// Where the type of an inferred variable comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// The type of a value.
    Expr(ExprId),
    /// The element type of a collection.
    Element(ExprId),
    /// An out-parameter of the call statement.
    Out(StmtId, usize),
    /// A new object or array: a right-hand side of the assignment.
    New(StmtId, usize),
    /// A type from a position.
    Fixed(Ty),
    /// Any value of the type that other sources give.
    Havoc,
    /// Anything: the pre-type.
    Any,
}

pub(crate) struct Retype {
    begin: Begin,
    pre: Vec<Ty>,
    done: Vec<bool>,
    pub(crate) sources: FastMap<VarId, Vec<Source>>,
    pub(crate) changed: bool,
    /// Whether variables had a round to get their types.
    pub(crate) settled: bool,
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
            settled: false,
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
            let before = self.types_since(begin);
            for i in 0..count {
                let id = ExprId::from_index(begin.exprs + i);
                self.program.exprs[id].ty = self.refined(&mut state, id);
                state.done[i] = true;
            }
            self.retype_stmts(&mut state);
            self.settle_vars(&mut state);
            state.settled = true;
            // Types that flow up are compared after others flowed down: a display has one type on its way up and may get another
            // where it stands.
            if !state.changed && before == self.types_since(begin) {
                break;
            }
        }
        self.inferred_args.clear();
    }

    fn types_since(&self, begin: Begin) -> Vec<Ty> {
        let ids = begin.exprs..self.program.exprs.len();
        ids.map(|i| self.ty_at(ExprId::from_index(i))).collect()
    }

    pub(crate) fn give_up(&mut self, state: &mut Retype) {
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

    pub(crate) fn collect_sources(&mut self, state: &mut Retype) {
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
                ExprKind::Lambda {
                    vars,
                    requires,
                    body,
                    ..
                } => {
                    let conditions = [*requires, Some(*body)];
                    for &var in vars {
                        self.domain_source(state, var, &conditions);
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

    pub(crate) fn stmt_sources(&self, state: &mut Retype, id: StmtId) {
        match &self.program.stmts[id].kind {
            StmtKind::Assign { lhss, rhss } => {
                for (i, (&lhs, rhs)) in lhss.iter().zip(rhss).enumerate() {
                    let ExprKind::Var(var) = self.program.exprs[lhs].kind else {
                        continue;
                    };
                    let source = match rhs {
                        Rhs::Expr(value) => Source::Expr(*value),
                        Rhs::Havoc => Source::Havoc,
                        Rhs::NewObject { .. } | Rhs::NewArray { .. } => Source::New(id, i),
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
            StmtKind::Forall {
                vars,
                range,
                ensures,
                ..
            } => {
                let mut conditions = vec![Some(*range)];
                conditions.extend(ensures.iter().map(|clause| Some(clause.expr)));
                for &var in vars {
                    self.domain_source(state, var, &conditions);
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
    pub(crate) fn domain_source(
        &self,
        state: &mut Retype,
        var: VarId,
        conditions: &[Option<ExprId>],
    ) {
        for &condition in conditions.iter().flatten() {
            if let Some(collection) = self.find_domain(var, condition, 0) {
                state.add(var, Source::Element(collection));
                return;
            }
        }
        let mut conditions = conditions.iter().flatten();
        let used = conditions.find_map(|&c| self.first_use(var, c, 0));
        state.add(
            var,
            match used {
                Some(FirstUse::Argument(ty)) => Source::Fixed(ty),
                _ => Source::Any,
            },
        );
    }

    pub(crate) fn find_domain(&self, var: VarId, condition: ExprId, depth: u32) -> Option<ExprId> {
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
    pub(crate) fn var_type(&self, state: &Retype, var: VarId) -> Ty {
        let Some(&pre) = state.var_pre.get(&var) else {
            return self.program.vars[var].ty;
        };
        let Some(sources) = state.sources.get(&var) else {
            return self.program.vars[var].ty;
        };
        let mut best: Option<Ty> = None;
        for source in sources {
            let ty = match *source {
                Source::Havoc => None,
                Source::Any => Some(pre),
                Source::Fixed(ty) => Some(ty),
                Source::New(stmt, index) => self.allocated_type(stmt, index),
                Source::Expr(expr) if state.known(expr) => self.contribution(var, expr, pre, 0),
                Source::Expr(_) => None,
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
        if pre_type(&self.program, best) != pre_type(&self.program, pre) {
            pre
        } else if self.partly_typed.contains(&var) {
            self.with_arguments_of(pre, best)
        } else {
            best
        }
    }

    /// A type that was declared without its arguments, with those of another type.
    fn with_arguments_of(&self, declared: Ty, other: Ty) -> Ty {
        let types = &self.program.types;
        // The arguments of a subset type are not those of its base.
        let is_constrained = matches!(&*types.kind(declared), TyKind::Named { decl, .. }
            if matches!(self.program.decls[*decl].kind, TypeDeclKind::Subset(_)));
        let args = types.children(self.program.base_type(other));
        if is_constrained || args.len() != types.children(declared).len() {
            return declared;
        }
        types.with_children(declared, &args)
    }

    /// The type that an assigned value gives its variable; a literal gives none.
    pub(crate) fn assigned_type(&self, e: ExprId) -> Option<Ty> {
        let ty = self.program.exprs[e].ty;
        if ty != self.program.types.int {
            return Some(ty);
        }
        match self.natural(e, 0) {
            Natural::Literal => None,
            Natural::Yes => Some(self.program.types.nat),
            Natural::No => Some(ty),
        }
    }

    pub(crate) fn element_type(&self, collection: ExprId) -> Option<Ty> {
        let ty = self.program.base_type(self.program.exprs[collection].ty);
        match &*self.program.types.kind(ty) {
            TyKind::Set { elem, .. } | TyKind::Seq(elem) | TyKind::Multiset(elem) => Some(*elem),
            TyKind::Map { key, .. } => Some(*key),
            _ => None,
        }
    }

    pub(crate) fn out_type(&self, state: &Retype, stmt: StmtId, index: usize) -> Option<Ty> {
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

    pub(crate) fn all_params(&self, member: MemberId) -> Vec<TypeParamId> {
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
            let joined = self.common_parent(a, b);
            joined.or_else(|| self.join_parts(a, b)).unwrap_or(pre)
        }
    }

    /// The nearest type that `a` is constrained from and `b` is a subtype of.
    fn common_parent(&self, a: Ty, b: Ty) -> Option<Ty> {
        let mut parent = self.program.parent_of_constrained(a);
        while let Some(ty) = parent.filter(|&ty| !self.program.is_subtype(b, ty)) {
            parent = self.program.parent_of_constrained(ty);
        }
        parent
    }

    /// The join of two types with one head, part by part.
    pub(crate) fn join_parts(&self, a: Ty, b: Ty) -> Option<Ty> {
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

    pub(crate) fn settle_vars(&mut self, state: &mut Retype) {
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

    pub(crate) fn refined(&mut self, state: &mut Retype, id: ExprId) -> Ty {
        let pre = state.pre[id.index() - state.begin.exprs];
        if self.is_adopted(id, pre) {
            return pre;
        }
        let ty = self.refined_inner(state, id, pre);
        // Never leave the pre-type.
        if pre_type(&self.program, ty) == pre_type(&self.program, pre) {
            ty
        } else {
            pre
        }
    }

    pub(crate) fn ty_at(&self, id: ExprId) -> Ty {
        self.program.exprs[id].ty
    }

    pub(crate) fn refined_inner(&mut self, state: &mut Retype, id: ExprId, pre: Ty) -> Ty {
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
            // What is updated need not satisfy the constraint of a subset type any more.
            ExprKind::DatatypeUpdate { value, .. } => {
                let ty = self.ty_at(*value);
                self.program.base_type(ty)
            }
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

    pub(crate) fn arrow_type(
        &self,
        partial: bool,
        reads: &Frame,
        params: Vec<Ty>,
        result: Ty,
    ) -> Ty {
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

    pub(crate) fn refined_match(&mut self, state: &mut Retype, id: ExprId, pre: Ty) -> Ty {
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

    pub(crate) fn let_patterns(&mut self, state: &mut Retype, id: ExprId) {
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
    pub(crate) fn pattern_types(&mut self, state: &mut Retype, pattern: &mut Pattern, ty: Ty) {
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

    pub(crate) fn retype_stmts(&mut self, state: &mut Retype) {
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
                        match rhs {
                            Rhs::Expr(value) => {
                                let want = self.ty_at(lhs);
                                self.push_down(*value, want, 0);
                            }
                            rhs => self.retype_new(state, lhs, rhs),
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
            || self.program.is_subtype(have, want)
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
            ExprKind::SeqConstruct(_, init) => self.push_initializer(id, init, want, &parts),
            _ => {}
        }
    }

    pub(crate) fn push_ctor(
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
    pub(crate) fn add(&mut self, var: VarId, source: Source) {
        if self.var_pre.contains_key(&var) {
            self.sources.entry(var).or_default().push(source);
        }
    }

    /// Whether the type of an expression is narrowed already (those of other declarations are).
    pub(crate) fn known(&self, expr: ExprId) -> bool {
        expr.index() < self.begin.exprs
            || self
                .done
                .get(expr.index() - self.begin.exprs)
                .copied()
                .unwrap_or(false)
    }
}
