//! Narrow types of operators, displays, selections and properties.

use super::Resolver;
use crate::tree::{BinaryOp, ExprId, ExprKind, Property, Ty, TyKind, UnaryOp, VarId};

/// How deeply a value is taken apart that a variable may be made from.
const MAX_GROWTH: u32 = 100;

impl Resolver<'_> {
    pub(crate) fn refined_index(&self, id: ExprId, pre: Ty) -> Ty {
        match &self.program.exprs[id].kind {
            ExprKind::Index(base, _) => {
                let ty = self.program.representation(self.ty_at(*base));
                match &*self.program.types.kind(ty) {
                    TyKind::Seq(elem) => *elem,
                    TyKind::Map { value, .. } => *value,
                    TyKind::Multiset(_) => self.program.types.nat,
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
            // What is put in must fit what is updated.
            ExprKind::Update(base, ..) => self.program.base_type(self.ty_at(*base)),
            _ => pre,
        }
    }

    pub(crate) fn join_all(&self, items: impl Iterator<Item = Ty>, pre: Ty) -> Ty {
        let mut best: Option<Ty> = None;
        for ty in items {
            best = Some(match best {
                None => ty,
                Some(old) => self.join_types(old, ty, pre),
            });
        }
        best.unwrap_or(pre)
    }

    pub(crate) fn refined_display(&self, id: ExprId, pre: Ty) -> Ty {
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
            ExprKind::SeqConstruct(_, init) => {
                let given = self.given_element(id, parts[0]);
                let elem = match &*self.program.types.kind(self.ty_at(*init)) {
                    TyKind::Arrow { result, .. } => *result,
                    _ => parts[0],
                };
                let elem = given.unwrap_or(elem);
                self.program.types.with_children(pre, &[elem])
            }
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

    /// The element type that the program gives to `seq<T>(n, f)`.
    fn given_element(&self, id: ExprId, pre: Ty) -> Option<Ty> {
        let given = self.given_elements.get(&id).copied();
        given.filter(|&ty| super::infer::pre_type(&self.program, ty) == pre)
    }

    pub(crate) fn refined_binary(&self, op: BinaryOp, left: ExprId, right: ExprId, pre: Ty) -> Ty {
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

    pub(crate) fn refined_property(&self, property: Property, value: ExprId, pre: Ty) -> Ty {
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

    /// The type that an assigned value gives its variable, where the value may be made from the variable itself: a collection
    /// that grows has the type of what is added to it, and an empty one fits every type.
    pub(crate) fn contribution(&self, var: VarId, e: ExprId, pre: Ty, depth: u32) -> Option<Ty> {
        if depth > MAX_GROWTH {
            return self.assigned_type(e);
        }
        let part = |e: ExprId| self.contribution(var, e, pre, depth + 1);
        let join = |a: Option<Ty>, b: Option<Ty>| match (a, b) {
            (Some(a), Some(b)) => Some(self.join_types(a, b, pre)),
            (a, b) => a.or(b),
        };
        match &self.program.exprs[e].kind {
            ExprKind::Var(v) if *v == var => None,
            ExprKind::SetDisplay(items)
            | ExprKind::SeqDisplay(items)
            | ExprKind::MultisetDisplay(items)
                if items.is_empty() =>
            {
                None
            }
            ExprKind::MapDisplay(entries) if entries.is_empty() => None,
            ExprKind::Binary(BinaryOp::Concat | BinaryOp::Union | BinaryOp::MapMerge, a, b)
            | ExprKind::Ite(_, a, b) => join(part(*a), part(*b)),
            ExprKind::Binary(BinaryOp::Difference | BinaryOp::MapSubtract, a, _) => part(*a),
            ExprKind::Update(of, at, value) => {
                let base = self.program.base_type(self.program.exprs[e].ty);
                let entry = match &*self.program.types.kind(base) {
                    TyKind::Seq(_) => vec![self.ty_at(*value)],
                    TyKind::Multiset(_) => vec![self.ty_at(*at)],
                    TyKind::Map { .. } => vec![self.ty_at(*at), self.ty_at(*value)],
                    _ => return self.assigned_type(e),
                };
                let added = self.program.types.with_children(base, &entry);
                join(part(*of), Some(added))
            }
            _ => self.assigned_type(e),
        }
    }

    /// The elements that a sequence wants are the results of its initializer, if that chooses among literals.
    pub(crate) fn push_initializer(&mut self, id: ExprId, init: ExprId, want: Ty, parts: &[Ty]) {
        let ExprKind::Lambda { body, .. } = self.program.exprs[init].kind else {
            return;
        };
        let (Some(&elem), ExprKind::Ite(..)) = (parts.first(), &self.program.exprs[body].kind)
        else {
            return;
        };
        if !self.chooses_literals(body, 0) {
            return;
        }
        let mut pending = vec![body];
        while let Some(e) = pending.pop() {
            if let ExprKind::Ite(_, then, els) = self.program.exprs[e].kind {
                self.program.exprs[e].ty = elem;
                pending.extend([then, els]);
            }
        }
        let mut arrow = (*self.program.types.kind(self.ty_at(init))).clone();
        if let TyKind::Arrow { result, .. } = &mut arrow {
            *result = elem;
            self.program.exprs[init].ty = self.program.types.intern(arrow);
            self.program.exprs[id].ty = self.program.base_type(want);
        }
    }

    fn chooses_literals(&self, e: ExprId, depth: u32) -> bool {
        match self.program.exprs[e].kind {
            ExprKind::Ite(_, then, els) if depth < MAX_GROWTH => {
                self.chooses_literals(then, depth + 1) && self.chooses_literals(els, depth + 1)
            }
            ExprKind::Unary(UnaryOp::Neg, e) => {
                matches!(self.program.exprs[e].kind, ExprKind::Int(_))
            }
            ExprKind::Int(_) => true,
            _ => false,
        }
    }
}
