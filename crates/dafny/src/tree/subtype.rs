//! Subtyping and type characteristics of closed types.

use super::*;

/// How deep the questions of this module look into types; deeper types get the safe answer.
const MAX_DEPTH: u32 = 200;

impl Program {
    /// Whether every value of `sub` is known to be a value of `sup`, without a check.
    pub fn is_subtype(&self, sub: Ty, sup: Ty) -> bool {
        self.subtype_at(sub, sup, 0)
    }

    fn subtype_at(&self, sub: Ty, sup: Ty, depth: u32) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        let (sub, sup) = (self.expand_synonym(sub), self.expand_synonym(sup));
        if sub == sup || self.same_head_subtype(sub, sup, depth) {
            return true;
        }
        let is_object = matches!(&*self.types.kind(sup), TyKind::Object { nullable: true });
        if is_object && self.is_reference(sub) {
            return true;
        }
        if let Some(parent) = self.parent_of_constrained(sub)
            && self.subtype_at(parent, sup, depth + 1)
        {
            return true;
        }
        self.trait_subtype(sub, sup, depth)
    }

    /// Through the traits of `sub`, keeping non-nullness.
    fn trait_subtype(&self, sub: Ty, sup: Ty, depth: u32) -> bool {
        let nullable = matches!(&*self.types.kind(sub), TyKind::Named { nullable: true, .. });
        if !nullable && sup == self.types.object && self.is_reference(sub) {
            return true;
        }
        self.parent_traits(sub).into_iter().any(|parent| {
            let parent = if nullable {
                self.with_null(parent)
            } else {
                parent
            };
            self.subtype_at(parent, sup, depth + 1)
        })
    }

    /// The nullable version of a reference type.
    pub fn with_null(&self, ty: Ty) -> Ty {
        match &*self.types.kind(ty) {
            TyKind::Named {
                decl,
                nullable: false,
                ..
            } if !is_reference_kind(&self.decls[*decl].kind) => ty,
            TyKind::Named {
                nullable: false, ..
            }
            | TyKind::Array {
                nullable: false, ..
            }
            | TyKind::Object { nullable: false } => self.parent_of_constrained(ty).unwrap_or(ty),
            _ => ty,
        }
    }

    fn same_head_subtype(&self, sub: Ty, sup: Ty, depth: u32) -> bool {
        let (a, b) = (self.types.kind(sub), self.types.kind(sup));
        let below = |x: Ty, y: Ty| self.subtype_at(x, y, depth + 1);
        match (&*a, &*b) {
            (TyKind::Set { finite: f, elem: x }, TyKind::Set { finite: g, elem: y }) => {
                f == g && below(*x, *y)
            }
            (TyKind::Multiset(x), TyKind::Multiset(y)) | (TyKind::Seq(x), TyKind::Seq(y)) => {
                below(*x, *y)
            }
            (
                TyKind::Map {
                    finite: f,
                    key: k,
                    value: v,
                },
                TyKind::Map {
                    finite: g,
                    key: l,
                    value: w,
                },
            ) => f == g && below(*k, *l) && below(*v, *w),
            (TyKind::Tuple(x, _), TyKind::Tuple(y, _)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(&x, &y)| below(x, y))
            }
            (
                TyKind::Arrow {
                    kind: k,
                    params: p,
                    result: r,
                },
                TyKind::Arrow {
                    kind: l,
                    params: q,
                    result: s,
                },
            ) => {
                k == l
                    && p.len() == q.len()
                    && p.iter().zip(q).all(|(&x, &y)| below(y, x))
                    && below(*r, *s)
            }
            (
                TyKind::Named {
                    decl: d,
                    args: x,
                    nullable: m,
                },
                TyKind::Named {
                    decl: e,
                    args: y,
                    nullable: n,
                },
            ) => d == e && m == n && self.args_subtype(*d, x, y, depth),
            _ => false,
        }
    }

    fn args_subtype(&self, decl: DeclId, sub: &[Ty], sup: &[Ty], depth: u32) -> bool {
        let params = &self.decls[decl].params;
        params
            .iter()
            .zip(sub.iter().zip(sup))
            .all(
                |(&param, (&x, &y))| match self.type_params[param].variance {
                    Variance::Covariant | Variance::CovariantPermissive => {
                        self.subtype_at(x, y, depth + 1)
                    }
                    Variance::Contravariant => self.subtype_at(y, x, depth + 1),
                    Variance::Invariant | Variance::InvariantPermissive => {
                        self.subtype_at(x, y, depth + 1) && self.subtype_at(y, x, depth + 1)
                    }
                },
            )
    }

    /// Whether which values this type has depends on what is allocated. What a function value captures does not count: such
    /// values are not among those that a type has less of in another state.
    pub fn may_contain_references(&self, ty: Ty) -> bool {
        self.references_at(ty, false, &mut Vec::new())
    }

    /// Whether a value of this type may hold a reference to the heap, also hidden in a function value.
    pub fn may_hide_references(&self, ty: Ty) -> bool {
        self.references_at(ty, true, &mut Vec::new())
    }

    fn references_at(&self, ty: Ty, hidden: bool, seen: &mut Vec<DeclId>) -> bool {
        if seen.len() > MAX_DEPTH as usize {
            return true;
        }
        match &*self.types.kind(ty) {
            TyKind::Object { .. } | TyKind::Array { .. } => true,
            TyKind::Arrow { .. } if hidden => true,
            TyKind::Param(param) => !self.type_params[*param].characteristics.no_references,
            TyKind::Named { decl, args, .. } => {
                let d = &self.decls[*decl];
                match &d.kind {
                    TypeDeclKind::Class { .. }
                    | TypeDeclKind::Iterator(_)
                    | TypeDeclKind::Trait { .. } => true,
                    TypeDeclKind::Abstract(c) => !c.no_references,
                    TypeDeclKind::Synonym(base) => {
                        self.references_at(self.instantiate(*base, &d.params, args), hidden, seen)
                    }
                    TypeDeclKind::Newtype(c) | TypeDeclKind::Subset(c) => {
                        self.references_at(self.instantiate(c.base, &d.params, args), hidden, seen)
                    }
                    TypeDeclKind::Datatype { ctors, .. } => {
                        if args.iter().any(|&a| self.references_at(a, hidden, seen)) {
                            return true;
                        }
                        if seen.contains(decl) {
                            return false;
                        }
                        seen.push(*decl);
                        let holds = self.fields_may_contain_references(
                            ctors,
                            (&d.params, args),
                            hidden,
                            seen,
                        );
                        seen.pop();
                        holds
                    }
                }
            }
            _ => self
                .types
                .children(ty)
                .into_iter()
                .any(|c| self.references_at(c, hidden, seen)),
        }
    }

    fn fields_may_contain_references(
        &self,
        ctors: &[CtorId],
        (params, args): (&[TypeParamId], &[Ty]),
        hidden: bool,
        seen: &mut Vec<DeclId>,
    ) -> bool {
        ctors.iter().any(|&ctor| {
            self.ctors[ctor].formals.iter().any(|&formal| {
                let ty = self.instantiate(self.vars[formal].ty, params, args);
                self.references_at(ty, hidden, seen)
            })
        })
    }
}
