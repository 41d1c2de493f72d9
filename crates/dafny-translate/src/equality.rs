//! Equality of datatype values and tuples that hold collections.
//!
//! Collections are equal if their contents are, which the prover tries only where it is asked to. So the equality of values
//! with collections inside is a function of its own: it is the equality of the logic, and follows from the equality of
//! the parts.

use crate::cx::{Cx, Work};
use crate::decl::{Decl, Role};
use crate::tree::*;
use stet_dafny::tree::{Ty, TyKind, TypeDeclKind};

impl Cx<'_> {
    /// Whether equality of values of a represented type is more than that of the logic.
    pub(crate) fn is_extensional(&mut self, rep: Ty) -> bool {
        if let Some(&known) = self.extensional.get(&rep) {
            return known;
        }
        self.extensional.insert(rep, false);
        let found = match &*self.p.types.kind(rep) {
            TyKind::Seq(_) | TyKind::Set { .. } | TyKind::Multiset(_) | TyKind::Map { .. } => true,
            TyKind::Tuple(..) | TyKind::Named { .. } => {
                let parts = self.parts(rep);
                let fields = parts.into_iter().flat_map(|(_, fields)| fields);
                fields.into_iter().any(|(_, ty)| self.is_extensional(ty))
            }
            _ => false,
        };
        self.extensional.insert(rep, found);
        found
    }

    /// For each constructor its test and its fields: the function that selects each, and its represented type.
    fn parts(&mut self, rep: Ty) -> Vec<(String, Vec<(String, Ty)>)> {
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Tuple(items, _) => {
                let make = format!("$make.{}", self.sort_name(rep));
                let fields = items.iter().enumerate();
                let fields = fields
                    .map(|(i, &t)| (format!("item{i}#{make}"), self.rep(t)))
                    .collect();
                vec![(format!("is#{make}"), fields)]
            }
            TyKind::Named { decl, args, .. }
                if matches!(
                    self.p.decls[*decl].kind,
                    TypeDeclKind::Datatype { co: false, .. }
                ) =>
            {
                let ctors = self.p.ctors_of(*decl).to_vec();
                let types = self.field_types(&ctors, *decl, args);
                let mut all = Vec::new();
                for (ctor, types) in ctors.into_iter().zip(types) {
                    let name = self.ctor_name(rep, ctor);
                    let formals = self.p.ctors[ctor].formals.clone();
                    let fields = formals.iter().zip(types);
                    let fields = fields
                        .map(|(&f, t)| {
                            let field = self.field_label(ctor, f);
                            (format!("{field}#{name}"), self.rep(t))
                        })
                        .collect();
                    all.push((format!("is#{name}"), fields));
                }
                all
            }
            _ => Vec::new(),
        }
    }

    /// Equality of values with collections inside.
    pub(crate) fn structural_equal(&mut self, rep: Ty, x: B, y: B) -> B {
        self.request(Work::Equality(rep));
        let sort = self.sort_name(rep);
        app(&format!("$Eq.{sort}"), vec![x, y])
    }

    /// Declares the equality of a datatype or tuple.
    pub(crate) fn declare_equality(&mut self, rep: Ty) {
        let sort = self.sort(rep);
        let name = format!("$Eq.{}", sort.name());
        let vars: Vec<TypedName> = vec![("a".into(), sort.clone()), ("b".into(), sort)];
        self.decls.push(Decl::Function {
            name: name.as_str().into(),
            ins: vars.clone(),
            out: Sort::named("bool"),
            role: Role::Plain,
        });
        let (a, b) = (var("a"), var("b"));
        let equal = app(&name, vec![a.clone(), b.clone()]);
        let trigger = vec![vec![equal.clone()]];
        let meaning = iff(equal.clone(), eq(a.clone(), b.clone()));
        self.decls
            .push(Decl::Axiom(forall(vars.clone(), trigger.clone(), meaning)));
        for (test, fields) in self.parts(rep) {
            let mut same = tt();
            for (field, ty) in fields {
                let of = |v: &B| app(&field, vec![v.clone()]);
                // Where a type contains itself, the equality of the logic ends the unfolding.
                let part = if self.contains(ty, rep, 0) {
                    eq(of(&a), of(&b))
                } else {
                    self.equal(ty, of(&a), of(&b))
                };
                same = and(same, part);
            }
            let is = |v: &B| app(&test, vec![v.clone()]);
            let body = imp(and(is(&a), is(&b)), imp(same, equal.clone()));
            self.decls
                .push(Decl::Axiom(forall(vars.clone(), trigger.clone(), body)));
        }
    }

    /// Whether values of one type are parts of values of another.
    fn contains(&mut self, ty: Ty, part: Ty, depth: u32) -> bool {
        if ty == part || depth > 6 {
            return true;
        }
        match &*self.p.types.kind(ty) {
            TyKind::Seq(_) | TyKind::Set { .. } | TyKind::Multiset(_) | TyKind::Map { .. } => false,
            _ => {
                let parts = self.parts(ty);
                let fields = parts.into_iter().flat_map(|(_, fields)| fields);
                fields
                    .into_iter()
                    .any(|(_, ty)| self.contains(ty, part, depth + 1))
            }
        }
    }
}
