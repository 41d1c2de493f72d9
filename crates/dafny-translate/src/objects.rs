//! Expressions about objects and the heap: what is unchanged, what is fresh, the objects of a collection.

use crate::cx::{Cx, Env};
use crate::expr::trigger_of;
use crate::prelude::Chunk;
use crate::tree::*;
use stet_dafny::tree::{ExprId, Frame, Ty, TyKind};

impl Cx<'_> {
    pub(crate) fn unchanged(&mut self, frame: &Frame, before: &B, env: &Env) -> B {
        self.need(Chunk::Heap);
        let mut all = tt();
        for item in &frame.items {
            let field = item.field.map(|f| {
                let args = self.owner_args_of(item.expr, f, env);
                self.field_name(f, args)
            });
            let same = |o: &B| {
                let (now, then) = (
                    select(env.heap.clone(), o.clone()),
                    select(before.clone(), o.clone()),
                );
                match &field {
                    Some(f) => eq(select(now, f.clone()), select(then, f.clone())),
                    None => eq(now, then),
                }
            };
            all = and(all, self.each_object(item.expr, env, &same));
        }
        all
    }

    /// The arguments of the owner of a field of an object of a frame.
    pub(crate) fn owner_args_of(
        &mut self,
        object: ExprId,
        field: stet_dafny::tree::MemberId,
        env: &Env,
    ) -> Vec<Ty> {
        let mut ty = self.type_of(object, env);
        if let TyKind::Arrow { result, .. } = &*self.p.types.kind(self.p.base_type(ty)) {
            // A frame made by a function.
            ty = *result;
        }
        if !self.p.is_reference(ty) {
            let rep = self.rep(ty);
            ty = self.p.types.children(rep).first().copied().unwrap_or(ty);
        }
        let base = self.p.base_type(ty);
        let stet_dafny::tree::Owner::Type(decl) = self.p.members[field].owner else {
            return Vec::new();
        };
        self.args_at(base, decl).unwrap_or_default()
    }

    /// The arguments at which a type implements a declared type.
    pub(crate) fn args_at(&self, ty: Ty, decl: stet_dafny::tree::DeclId) -> Option<Vec<Ty>> {
        if let TyKind::Named { decl: d, args, .. } = &*self.p.types.kind(ty)
            && *d == decl
        {
            return Some(args.clone());
        }
        let parents = self.p.parent_traits(ty);
        parents
            .into_iter()
            .find_map(|parent| self.args_at(parent, decl))
    }

    /// A condition on every object of an object, set, sequence or multiset.
    pub(crate) fn each_object(&mut self, e: ExprId, env: &Env, holds: &dyn Fn(&B) -> B) -> B {
        let value = self.expr(e, env);
        if self.p.is_reference(self.p.exprs[e].ty) {
            return or(eq(value.clone(), var("null")), holds(&value));
        }
        let object = var("obj~");
        let member = self.object_in(e, &value, &object, env);
        match &*member {
            Node::App(function, args) => each_member(function, &args[0], holds),
            _ => over_members(member.clone(), &object, holds),
        }
    }

    /// That an object is among those a frame expression stands for.
    pub(crate) fn object_in(&mut self, e: ExprId, value: &B, object: &B, env: &Env) -> B {
        self.need(Chunk::Heap);
        let rep = self.rep_of(e, env);
        let kind = self.p.types.kind(rep);
        self.sort(rep);
        let args = vec![value.clone(), object.clone()];
        match &*kind {
            TyKind::Set { finite: true, .. } => app("$Set.in$ref", args),
            TyKind::Set { .. } => app("$ISet.in$ref", args),
            TyKind::Seq(_) => app("$Seq.in$ref", args),
            TyKind::Multiset(_) => lt(int(0), app("$MultiSet.count$ref", args)),
            _ if self.p.is_reference(rep) => eq(object.clone(), value.clone()),
            _ => {
                self.unsupported(self.p.exprs[e].tok, "this kind of frame expression");
                ff()
            }
        }
    }

    pub(crate) fn fresh(&mut self, e: ExprId, before: &B, env: &Env) -> B {
        self.need(Chunk::Heap);
        if self.p.is_reference(self.p.exprs[e].ty) {
            let value = self.expr(e, env);
            let new = not(crate::types::alloc(before, &value));
            return and(neq(value.clone(), var("null")), new);
        }
        let holds = |o: &B| {
            imp(
                neq(o.clone(), var("null")),
                not(crate::types::alloc(before, o)),
            )
        };
        self.each_object(e, env, &holds)
    }
}

/// A condition on every member of a collection of objects. A union or difference of sets is taken apart, so that what is
/// known of an operand's members finds it: in `fresh(Repr - old(Repr))` the interesting objects are those of `Repr`.
fn each_member(function: &Name, value: &B, holds: &dyn Fn(&B) -> B) -> B {
    if let Node::App(head, args) = &**value
        && let [a, b] = &args[..]
    {
        match &**head {
            "$Set.union$ref" | "$ISet.union$ref" => {
                return and(
                    each_member(function, a, holds),
                    each_member(function, b, holds),
                );
            }
            "$Set.diff$ref" | "$ISet.diff$ref" => {
                let kept = |o: &B| or(app(function, vec![b.clone(), o.clone()]), holds(o));
                return each_member(function, a, &kept);
            }
            _ => {}
        }
    }
    let object = var("obj~");
    let member = app(function, vec![value.clone(), object.clone()]);
    over_members(member, &object, holds)
}

fn over_members(member: B, object: &B, holds: &dyn Fn(&B) -> B) -> B {
    let body = imp(member.clone(), holds(object));
    forall(
        vec![("obj~".into(), Sort::named("ref"))],
        vec![vec![trigger_of(&member)]],
        body,
    )
}
