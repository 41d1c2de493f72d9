//! The first part of a constructor, up to `new;`.
//!
//! Until then the fields of `this` are local variables and `this` is not allocated: nothing that holds of allocated objects is
//! known of it, and it must not be stored in the heap or handed to a method or function. At `new;` the object is put into
//! the heap with the values of these variables.

use crate::cx::{Cx, Env, Instance};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, check, check_only};
use std::rc::Rc;
use stet_base::{FastMap, Span};
use stet_dafny::tree::{AutoInit, ExprId, MemberId, MemberKind, Ty, TyKind};

/// An object under construction.
#[derive(Clone, Debug)]
pub(crate) struct Construction {
    /// Fields and constants without a value of their own, with the arguments of their owners, in the order of their names.
    fields: Vec<(MemberId, Vec<Ty>)>,
}

impl Cx<'_> {
    /// `this` is an object that is not in the heap yet, whose fields have no values.
    pub(crate) fn start_construction(
        &mut self,
        instance: &Instance,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let Some(ty) = self.receiver_type(instance.member, &instance.args) else {
            return;
        };
        out.push(S::Havoc(vec!["this".into()]));
        let is_new = self.is_new(ty, &var("this"), &env.heap);
        out.push(S::Assume(is_new));
        let mut fields = Vec::new();
        self.fields_of(ty, &mut fields);
        fields.sort_by_cached_key(|(field, _)| self.p.member_path(*field));
        fields.dedup();
        let mut locals = FastMap::default();
        for (field, args) in &fields {
            let name = self.p.text(self.p.members[*field].name).to_owned();
            let ty = self.field_type(*field, args);
            let sort = self.sort(ty);
            let local = self.declare_local(b, &format!("this.{name}"), sort);
            let init = self.auto_init(ty);
            let is_ghost = self.p.members[*field].ghost || self.p.members[instance.member].ghost;
            if init == AutoInit::MaybeEmpty || (!is_ghost && init == AutoInit::Nonempty) {
                let flag =
                    self.declare_local(b, &format!("assigned.this.{name}"), Sort::named("bool"));
                out.push(S::Assign(flag.clone(), ff()));
                b.fields.insert(*field, flag);
            } else {
                let is = self.is_type(ty, &var(&local));
                if !is_true(&is) {
                    out.push(S::Assume(is));
                }
            }
            locals.insert(*field, local);
        }
        env.construction = Some(Rc::new(locals));
        b.constructed = Some(Construction { fields });
    }

    /// The fields of a class and of its traits.
    fn fields_of(&self, ty: Ty, found: &mut Vec<(MemberId, Vec<Ty>)>) {
        if let TyKind::Named { decl, args, .. } = &*self.p.types.kind(ty) {
            for &m in &self.p.decls[*decl].members {
                let member = &self.p.members[m];
                let has_place = matches!(
                    member.kind,
                    MemberKind::Field { .. } | MemberKind::Const { value: None, .. }
                );
                if !member.is_static && has_place {
                    found.push((m, args.clone()));
                }
            }
        }
        for parent in self.p.parent_traits(ty) {
            self.fields_of(parent, found);
        }
    }

    /// `new;`: the object is in the heap, with its fields.
    pub(crate) fn finish_construction(
        &mut self,
        env: &mut Env,
        b: &Builder,
        span: Span,
        out: &mut Vec<S>,
    ) {
        let (Some(locals), Some(construction)) = (env.construction.take(), b.constructed.clone())
        else {
            return;
        };
        self.need(Chunk::Heap);
        let this = var("this");
        let heap = env.heap.clone();
        out.push(S::Assume(not(crate::types::alloc(&heap, &this))));
        let mut state = select(heap.clone(), this.clone());
        for (field, args) in construction.fields {
            let Some(local) = locals.get(&field) else {
                continue;
            };
            if let Some(flag) = b.fields.get(&field) {
                let name = self.p.text(self.p.members[field].name);
                let message = format!(
                    "field '{name}', which is subject to definite-assignment rules, could not be proved to be initialized at this point in the constructor body"
                );
                out.push(check_only(var(flag), span, message));
            }
            if let MemberKind::Const { .. } = self.p.members[field].kind {
                let constant = self.constant(field, args, Some(this.clone()));
                out.push(S::Assume(eq(constant, var(local))));
            } else {
                let sort = self.field_sort(field, &args);
                let boxed = app(&format!("$Box${sort}"), vec![var(local)]);
                let name = self.field_name(field, args);
                state = store(state, name, boxed);
            }
        }
        state = store(state, var("$field.alloc"), var("$Box.allocated"));
        out.push(S::Assign("$Heap".into(), store(heap.clone(), this, state)));
        out.push(S::Assume(app("$HeapOk", vec![heap])));
    }

    /// The fields of the object under construction, with their types.
    pub(crate) fn constructed_fields(&mut self, b: &Builder) -> Vec<(MemberId, Ty)> {
        let fields = b.constructed.iter().flat_map(|c| &c.fields);
        fields
            .map(|(field, args)| (*field, self.field_type(*field, args)))
            .collect()
    }

    /// In the first part of a constructor: that a value does not refer to the object under construction.
    pub(crate) fn is_settled(
        &mut self,
        ty: Ty,
        value: &B,
        env: &Env,
        span: Span,
        message: &str,
        out: &mut Vec<S>,
    ) {
        if env.construction.is_none() && env.is_current {
            return;
        }
        let settled = self.is_alloc(ty, value, &env.heap);
        if !is_true(&settled) {
            out.push(check(settled, span, message));
        }
    }

    /// The same for the arguments of a call.
    pub(crate) fn args_settled(
        &mut self,
        args: &[ExprId],
        env: &Env,
        message: &str,
        out: &mut Vec<S>,
    ) {
        if env.construction.is_none() && env.is_current {
            return;
        }
        for &arg in args {
            let ty = self.type_of(arg, env);
            let value = self.expr(arg, env);
            self.is_settled(ty, &value, env, self.p.exprs[arg].tok, message, out);
        }
    }
}
