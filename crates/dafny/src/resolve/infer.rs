//! Type inference: pre-types and their unification.
//!
//! Inference works on *pre-types*: subset types are replaced by their bases, reference types by their nullable versions,
//! arrows by the most general one. Pre-types are unified; where traits make a type have proper supertypes, the constraint
//! `sub <: sup` waits until one side is known or [`force`](Infer::force) asks for it. The narrower types come back in a
//! later pass (`retype`).

use crate::tree::{ArrowKind, Program, Ty, TyKind, TypeDeclKind, Variance, is_reference_kind};

/// What a variable may become when nothing else says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VarClass {
    Any,
    /// An integer literal: `int` by default.
    Int,
    /// A decimal literal: `real` by default.
    Real,
    /// `null`: `object?` by default.
    Null,
}

#[derive(Clone, Debug)]
struct Slot {
    value: Option<Ty>,
    class: VarClass,
    lowers: Vec<Ty>,
    uppers: Vec<Ty>,
}

/// The inference variables of one declaration.
#[derive(Default, Debug)]
pub(crate) struct Infer {
    slots: Vec<Slot>,
}

/// How deep unification follows types; deeper ones are taken for different.
const MAX_DEPTH: u32 = 100;

impl Infer {
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
    }

    pub(crate) fn fresh(&mut self, program: &Program, class: VarClass) -> Ty {
        let index = self.slots.len() as u32;
        self.slots.push(Slot {
            value: None,
            class,
            lowers: Vec::new(),
            uppers: Vec::new(),
        });
        program.types.intern(TyKind::Infer(index))
    }

    /// The type with solved variables at its head replaced.
    pub(crate) fn shallow(&self, program: &Program, mut ty: Ty) -> Ty {
        loop {
            let TyKind::Infer(index) = *program.types.kind(ty) else {
                return ty;
            };
            match self.slots.get(index as usize).and_then(|slot| slot.value) {
                Some(next) => ty = next,
                None => return ty,
            }
        }
    }

    /// The type with all solved variables replaced.
    pub(crate) fn deep(&self, program: &Program, ty: Ty) -> Ty {
        self.deep_at(program, ty, 0)
    }

    fn deep_at(&self, program: &Program, ty: Ty, depth: u32) -> Ty {
        let ty = self.shallow(program, ty);
        let children = program.types.children(ty);
        if children.is_empty() {
            return ty;
        }
        if depth > MAX_DEPTH {
            return program.types.error;
        }
        let new: Vec<Ty> = children
            .iter()
            .map(|&c| self.deep_at(program, c, depth + 1))
            .collect();
        if new == children {
            ty
        } else {
            program.types.with_children(ty, &new)
        }
    }

    pub(crate) fn class_of(&self, program: &Program, ty: Ty) -> Option<VarClass> {
        match *program.types.kind(self.shallow(program, ty)) {
            TyKind::Infer(index) => self.slots.get(index as usize).map(|slot| slot.class),
            _ => None,
        }
    }

    fn index_of(&self, program: &Program, ty: Ty) -> Option<usize> {
        match *program.types.kind(ty) {
            // Variables of another declaration, left by an error there, are types like any other.
            TyKind::Infer(index) => Some(index as usize).filter(|&i| i < self.slots.len()),
            _ => None,
        }
    }

    /// Makes two types equal; false if they cannot be.
    pub(crate) fn unify(&mut self, program: &Program, a: Ty, b: Ty) -> bool {
        self.unify_at(program, a, b, 0)
    }

    fn unify_at(&mut self, program: &Program, a: Ty, b: Ty, depth: u32) -> bool {
        let (a, b) = (self.shallow(program, a), self.shallow(program, b));
        if a == b || a == program.types.error || b == program.types.error {
            return true;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        match (self.index_of(program, a), self.index_of(program, b)) {
            (Some(x), Some(_)) if self.slots[x].class == VarClass::Any => {
                self.bind(program, x, b, depth)
            }
            (_, Some(y)) => self.bind(program, y, a, depth),
            (Some(x), None) => self.bind(program, x, b, depth),
            (None, None) => self.unify_heads(program, a, b, depth),
        }
    }

    fn unify_heads(&mut self, program: &Program, a: Ty, b: Ty, depth: u32) -> bool {
        if !same_head(program, a, b) {
            return false;
        }
        let (x, y) = (program.types.children(a), program.types.children(b));
        x.len() == y.len()
            && x.iter()
                .zip(&y)
                .all(|(&x, &y)| self.unify_at(program, x, y, depth + 1))
    }

    fn bind(&mut self, program: &Program, index: usize, value: Ty, depth: u32) -> bool {
        if self.occurs(program, index, value, 0) {
            return false;
        }
        if !self.class_allows(program, self.slots[index].class, value) {
            return false;
        }
        if let Some(other) = self.index_of(program, value)
            && self.slots[index].class != VarClass::Any
            && self.slots[other].class == VarClass::Any
        {
            self.slots[other].class = self.slots[index].class;
        }
        self.slots[index].value = Some(value);
        let lowers = std::mem::take(&mut self.slots[index].lowers);
        let uppers = std::mem::take(&mut self.slots[index].uppers);
        let mut ok = true;
        for lower in lowers {
            ok &= self.assignable_at(program, value, lower, depth + 1);
        }
        for upper in uppers {
            ok &= self.assignable_at(program, upper, value, depth + 1);
        }
        ok
    }

    /// Whether a literal of this class may have this type.
    fn class_allows(&self, program: &Program, class: VarClass, value: Ty) -> bool {
        if let Some(other) = self.class_of(program, value) {
            return match (class, other) {
                (VarClass::Any, _) | (_, VarClass::Any) => true,
                (a, b) => a == b,
            };
        }
        let repr = program.types.kind(program.representation(value));
        match class {
            VarClass::Any => true,
            VarClass::Int => matches!(
                &*repr,
                TyKind::Int | TyKind::Ordinal | TyKind::Bv(_) | TyKind::Error
            ),
            VarClass::Real => matches!(&*repr, TyKind::Real | TyKind::Error),
            VarClass::Null => program.is_reference(value) || *repr == TyKind::Error,
        }
    }

    fn occurs(&self, program: &Program, index: usize, ty: Ty, depth: u32) -> bool {
        let ty = self.shallow(program, ty);
        if self.index_of(program, ty) == Some(index) {
            return depth > 0;
        }
        depth > MAX_DEPTH
            || program
                .types
                .children(ty)
                .into_iter()
                .any(|c| self.occurs_inside(program, index, c, depth + 1))
    }

    fn occurs_inside(&self, program: &Program, index: usize, ty: Ty, depth: u32) -> bool {
        let ty = self.shallow(program, ty);
        self.index_of(program, ty) == Some(index) || self.occurs(program, index, ty, depth)
    }

    /// Makes values of `sub` fit where `sup` is expected; false if they cannot.
    pub(crate) fn assignable(&mut self, program: &Program, sup: Ty, sub: Ty) -> bool {
        self.assignable_at(program, sup, sub, 0)
    }

    fn assignable_at(&mut self, program: &Program, sup: Ty, sub: Ty, depth: u32) -> bool {
        let (sup, sub) = (self.shallow(program, sup), self.shallow(program, sub));
        if sup == sub || sup == program.types.error || sub == program.types.error {
            return true;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        match (self.index_of(program, sup), self.index_of(program, sub)) {
            (Some(x), None) if has_supertypes(program, sub) => {
                self.slots[x].lowers.push(sub);
                true
            }
            (None, Some(y)) if has_subtypes(program, sup) => {
                let ok = self.class_allows(program, self.slots[y].class, sup);
                self.slots[y].uppers.push(sup);
                ok
            }
            (None, None) => self.assignable_heads(program, sup, sub, depth),
            // What a variable was made from is its type: it does not become the common supertype of all that it is put beside.
            (Some(_), Some(y)) if !self.slots[y].lowers.is_empty() => {
                let known = self.force(program, sub);
                match self.index_of(program, known) {
                    Some(_) => self.unify_at(program, sup, known, depth),
                    None => self.assignable_at(program, sup, known, depth + 1),
                }
            }
            _ => self.unify_at(program, sup, sub, depth),
        }
    }

    fn assignable_heads(&mut self, program: &Program, sup: Ty, sub: Ty, depth: u32) -> bool {
        if same_head(program, sup, sub) {
            return self.assignable_args(program, sup, sub, depth);
        }
        if matches!(&*program.types.kind(sup), TyKind::Object { .. }) {
            return program.is_reference(sub);
        }
        for parent in program.parent_traits(sub) {
            let parent = pre_type(program, parent);
            if reaches(program, parent, sup, 0) {
                return self.assignable_at(program, sup, parent, depth + 1);
            }
        }
        false
    }

    fn assignable_args(&mut self, program: &Program, sup: Ty, sub: Ty, depth: u32) -> bool {
        let (x, y) = (program.types.children(sup), program.types.children(sub));
        if x.len() != y.len() {
            return false;
        }
        let variances = variances(program, sup, x.len());
        let mut ok = true;
        for ((&x, &y), variance) in x.iter().zip(&y).zip(variances) {
            ok &= match variance {
                Variance::Covariant | Variance::CovariantPermissive => {
                    self.assignable_at(program, x, y, depth + 1)
                }
                Variance::Contravariant => self.assignable_at(program, y, x, depth + 1),
                _ => self.unify_at(program, x, y, depth + 1),
            };
        }
        ok
    }

    /// Decides a variable from its bounds, if that is possible, and returns the head type.
    pub(crate) fn force(&mut self, program: &Program, ty: Ty) -> Ty {
        let ty = self.shallow(program, ty);
        let Some(index) = self.index_of(program, ty) else {
            return ty;
        };
        let lowers = self.slots[index].lowers.clone();
        let uppers = self.slots[index].uppers.clone();
        let choice = self
            .join(program, &lowers)
            .or_else(|| uppers.first().copied());
        if let Some(choice) = choice {
            self.bind(program, index, choice, 0);
        }
        self.shallow(program, ty)
    }

    /// As `force`, and literals get their default type.
    pub(crate) fn force_default(&mut self, program: &Program, ty: Ty) -> Ty {
        let ty = self.force(program, ty);
        let Some(index) = self.index_of(program, ty) else {
            return ty;
        };
        let default = match self.slots[index].class {
            VarClass::Any => return ty,
            VarClass::Int => program.types.int,
            VarClass::Real => program.types.real,
            VarClass::Null => program.types.object_nullable,
        };
        self.bind(program, index, default, 0);
        default
    }

    /// The least type known that all of these fit into.
    fn join(&mut self, program: &Program, types: &[Ty]) -> Option<Ty> {
        let mut best = *types.first()?;
        for &ty in &types[1..] {
            if reaches(program, ty, best, 0) {
                continue;
            }
            best = if reaches(program, best, ty, 0) {
                ty
            } else {
                common_supertype(program, best, ty)?
            };
        }
        Some(best)
    }

    /// Solves what bounds and literal classes decide, in order of creation.
    pub(crate) fn solve_defaults(&mut self, program: &Program) {
        for round in 0..2 {
            for index in 0..self.slots.len() {
                if self.slots[index].value.is_none() {
                    let ty = program.types.intern(TyKind::Infer(index as u32));
                    if round == 0 {
                        self.force(program, ty);
                    } else {
                        self.force_default(program, ty);
                    }
                }
            }
        }
    }
}

fn variances(program: &Program, ty: Ty, count: usize) -> Vec<Variance> {
    match &*program.types.kind(ty) {
        TyKind::Named { decl, .. } => {
            let params = program.decls[*decl].params.iter();
            params.map(|&p| program.type_params[p].variance).collect()
        }
        TyKind::Array { .. } => vec![Variance::Invariant; count],
        TyKind::Arrow { .. } => {
            let mut all = vec![Variance::Contravariant; count];
            all[count - 1] = Variance::Covariant;
            all
        }
        _ => vec![Variance::Covariant; count],
    }
}

fn same_head(program: &Program, a: Ty, b: Ty) -> bool {
    match (&*program.types.kind(a), &*program.types.kind(b)) {
        (TyKind::Set { finite: f, .. }, TyKind::Set { finite: g, .. })
        | (TyKind::Map { finite: f, .. }, TyKind::Map { finite: g, .. }) => f == g,
        (TyKind::Multiset(_), TyKind::Multiset(_)) | (TyKind::Seq(_), TyKind::Seq(_)) => true,
        (TyKind::Tuple(x, _), TyKind::Tuple(y, _)) => x.len() == y.len(),
        (TyKind::Array { dims: d, .. }, TyKind::Array { dims: e, .. }) => d == e,
        (TyKind::Arrow { params: p, .. }, TyKind::Arrow { params: q, .. }) => p.len() == q.len(),
        (TyKind::Named { decl: d, .. }, TyKind::Named { decl: e, .. }) => d == e,
        (TyKind::Object { .. }, TyKind::Object { .. }) => true,
        (x, y) => x == y,
    }
}

/// Whether values of this pre-type may also have other pre-types.
fn has_supertypes(program: &Program, ty: Ty) -> bool {
    match &*program.types.kind(ty) {
        TyKind::Named { decl, .. } => {
            let d = &program.decls[*decl];
            is_reference_kind(&d.kind) || !d.parents.is_empty()
        }
        TyKind::Param(param) => !program.type_params[*param].bounds.is_empty(),
        TyKind::Array { .. } => true,
        _ => program
            .types
            .children(ty)
            .into_iter()
            .any(|c| has_supertypes(program, c)),
    }
}

fn has_subtypes(program: &Program, ty: Ty) -> bool {
    match &*program.types.kind(ty) {
        TyKind::Named { decl, .. } => {
            matches!(program.decls[*decl].kind, TypeDeclKind::Trait { .. })
        }
        TyKind::Object { .. } => true,
        _ => program
            .types
            .children(ty)
            .into_iter()
            .any(|c| has_subtypes(program, c)),
    }
}

/// Whether the trait hierarchy leads from the head of `sub` to the head of `sup`.
pub(crate) fn reaches(program: &Program, sub: Ty, sup: Ty, depth: u32) -> bool {
    if same_head(program, sub, sup) {
        return true;
    }
    if depth > MAX_DEPTH {
        return false;
    }
    if matches!(&*program.types.kind(sup), TyKind::Object { .. }) && program.is_reference(sub) {
        return true;
    }
    program
        .parent_traits(sub)
        .into_iter()
        .any(|parent| reaches(program, pre_type(program, parent), sup, depth + 1))
}

fn common_supertype(program: &Program, a: Ty, b: Ty) -> Option<Ty> {
    let mut queue = program.parent_traits(a);
    let mut at = 0;
    while at < queue.len() && at < 1000 {
        let parent = pre_type(program, queue[at]);
        if reaches(program, b, parent, 0) {
            return Some(parent);
        }
        queue.extend(program.parent_traits(parent));
        at += 1;
    }
    let both = program.is_reference(a) && program.is_reference(b);
    both.then_some(program.types.object_nullable)
}

/// The pre-type of a type.
pub(crate) fn pre_type(program: &Program, ty: Ty) -> Ty {
    pre_type_at(program, ty, 0)
}

fn pre_type_at(program: &Program, ty: Ty, depth: u32) -> Ty {
    if depth > MAX_DEPTH {
        return program.types.error;
    }
    let base = program.base_type(ty);
    let children = program.types.children(base);
    if children.is_empty() {
        return base;
    }
    let new: Vec<Ty> = children
        .iter()
        .map(|&c| pre_type_at(program, c, depth + 1))
        .collect();
    if new == children {
        base
    } else {
        program.types.with_children(base, &new)
    }
}

/// An arrow pre-type.
pub(crate) fn arrow(program: &Program, params: Vec<Ty>, result: Ty) -> Ty {
    program.types.intern(TyKind::Arrow {
        kind: ArrowKind::General,
        params,
        result,
    })
}
