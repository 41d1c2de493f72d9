//! Frames: what may be read or modified.

use crate::cx::{Cx, Env};
use crate::prelude::Chunk;
use crate::tree::*;
use stet_dafny::tree::{Frame, TyKind};

/// Some objects of a frame.
#[derive(Clone, Debug)]
pub(crate) struct FramePart {
    pub(crate) objects: Objects,
    /// Only this field.
    pub(crate) field: Option<B>,
}

/// Which objects.
#[derive(Clone, Debug)]
pub(crate) enum Objects {
    /// One object, or null.
    One(B),
    /// Those for which the membership function holds of the value.
    In(Name, B),
}

impl Objects {
    fn contains(&self, object: &B) -> B {
        match self {
            Objects::One(o) => eq(object.clone(), o.clone()),
            Objects::In(function, value) => {
                let member = app(function, vec![value.clone(), object.clone()]);
                if function.starts_with("$MultiSet") {
                    lt(int(0), member)
                } else {
                    member
                }
            }
        }
    }
}

/// That an object (and field of it) is in a frame; without a field, all of the object.
pub(crate) fn in_frame(parts: &[FramePart], object: &B, field: Option<&B>) -> B {
    let one = |part: &FramePart| {
        let inside = part.objects.contains(object);
        match (&part.field, field) {
            (None, _) => inside,
            (Some(only), Some(field)) => and(inside, eq(field.clone(), only.clone())),
            (Some(_), None) => ff(),
        }
    };
    disj(parts.iter().map(one))
}

impl Cx<'_> {
    /// The parts of a frame in an environment; nothing for `*`.
    pub(crate) fn frame(&mut self, frame: &Frame, env: &Env) -> Option<Vec<FramePart>> {
        if frame.star {
            return None;
        }
        let mut parts = Vec::new();
        for item in &frame.items {
            let value = self.expr(item.expr, env);
            let field = item.field.map(|f| {
                let args = self.owner_args_of(item.expr, f, env);
                self.field_name(f, args)
            });
            self.need(Chunk::Heap);
            let rep = self.rep_of(item.expr, env);
            self.sort(rep);
            let kind = self.p.types.kind(rep);
            let objects = match &*kind {
                _ if self.p.is_reference(rep) => Objects::One(value),
                TyKind::Set { finite: true, .. } => Objects::In("$Set.in$ref".into(), value),
                TyKind::Set { .. } => Objects::In("$ISet.in$ref".into(), value),
                TyKind::Seq(_) => Objects::In("$Seq.in$ref".into(), value),
                TyKind::Multiset(_) => Objects::In("$MultiSet.count$ref".into(), value),
                _ => {
                    self.unsupported(item.span, "this kind of frame expression");
                    continue;
                }
            };
            parts.push(FramePart { objects, field });
        }
        Some(parts)
    }

    /// That what was allocated in `before` and is not in the frame is the same in `after`.
    pub(crate) fn frame_condition(
        &mut self,
        parts: Option<&[FramePart]>,
        before: &B,
        after: &B,
    ) -> B {
        let Some(parts) = parts else {
            return tt();
        };
        self.need(Chunk::Heap);
        let o = var("o~");
        let now = select(after.clone(), o.clone());
        let then = select(before.clone(), o.clone());
        let existed = and(neq(o.clone(), var("null")), crate::types::alloc(before, &o));
        let object: TypedName = ("o~".into(), Sort::named("ref"));
        if parts.iter().all(|p| p.field.is_none()) {
            let inside = in_frame(parts, &o, None);
            let body = imp(existed, or(eq(now.clone(), then), inside));
            return forall(vec![object], vec![vec![now]], body);
        }
        let f = var("f~");
        let value = select(now, f.clone());
        let inside = in_frame(parts, &o, Some(&f));
        let same = eq(value.clone(), select(then, f));
        let vars = vec![object, ("f~".into(), Sort::named("$Field"))];
        forall(vars, vec![vec![value]], imp(existed, or(same, inside)))
    }
}
