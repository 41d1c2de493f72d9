//! Frames: what may be read or modified.

use crate::cx::{Cx, Env};
use crate::explain::FrameText;
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::Builder;
use std::rc::Rc;
use stet_dafny::tree::{ExprId, ExprKind, Frame, FrameItem, Program, TyKind};

/// Some objects of a frame.
#[derive(Clone, Debug)]
pub(crate) struct FramePart {
    pub(crate) objects: Objects,
    /// Only this field.
    pub(crate) field: Option<B>,
    /// The part as program text, if checks are explained.
    pub(crate) source: Option<Rc<FrameText>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Objects {
    /// One object, or null.
    One(B),
    /// Those for which the membership function holds of the value.
    In(Name, B),
    /// Those in the collection that the last is for some values of the variables, by a membership function.
    Image(Vec<TypedName>, Name, B),
}

impl Objects {
    fn contains(&self, object: &B) -> B {
        match self {
            Objects::One(o) => eq(object.clone(), o.clone()),
            Objects::In(function, value) => member(function, value, object),
            Objects::Image(vars, function, value) => {
                let inside = member(function, value, object);
                if vars.is_empty() {
                    return inside;
                }
                let used: Vec<TypedName> = vars
                    .iter()
                    .filter(|(n, _)| mentions(value, n))
                    .cloned()
                    .collect();
                let trigger = app(function, vec![value.clone(), object.clone()]);
                exists(used, vec![vec![trigger]], inside)
            }
        }
    }
}

fn member(function: &Name, value: &B, object: &B) -> B {
    let found = app(function, vec![value.clone(), object.clone()]);
    if function.starts_with("$MultiSet") {
        lt(int(0), found)
    } else {
        found
    }
}

/// How objects of a collection are found in it.
pub(crate) fn membership(kind: &TyKind) -> Option<Name> {
    let function = match kind {
        TyKind::Set { finite: true, .. } => "$Set.in$ref",
        TyKind::Set { .. } => "$ISet.in$ref",
        TyKind::Seq(_) => "$Seq.in$ref",
        TyKind::Multiset(_) => "$MultiSet.count$ref",
        _ => return None,
    };
    Some(function.into())
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
            if is_nothing(self.p, item.expr) {
                continue;
            }
            let field = item.field.map(|f| {
                let args = self.owner_args_of(item.expr, f, env);
                self.field_name(f, args)
            });
            let source = self.frame_text(item.expr, item.field, env).map(Rc::new);
            if let Some(objects) = self.image(item.expr, env) {
                parts.push(FramePart {
                    objects,
                    field,
                    source,
                });
                continue;
            }
            let value = self.expr(item.expr, env);
            self.need(Chunk::Heap);
            let rep = self.rep_of(item.expr, env);
            self.sort(rep);
            let kind = self.p.types.kind(rep);
            let objects = if self.p.is_reference(rep) {
                Objects::One(value)
            } else if let Some(function) = membership(&kind) {
                Objects::In(function, value)
            } else {
                self.unsupported(item.span, "this kind of frame expression");
                continue;
            };
            parts.push(FramePart {
                objects,
                field,
                source,
            });
        }
        Some(parts)
    }

    /// A field of one object is in a frame only if there is that object.
    pub(crate) fn frame_field_ok(&mut self, item: &FrameItem, env: &Env, out: &mut Vec<S>) {
        let ty = self.type_of(item.expr, env);
        if item.field.is_none() || !self.p.is_reference(ty) {
            return;
        }
        if self.p.parent_of_constrained(ty).is_some() {
            out.push(S::Settled);
            return;
        }
        let value = self.expr(item.expr, env);
        let message = "frame expression could not be proved to be non-null";
        let place = self.p.exprs[item.expr].tok;
        out.push(crate::wf::check(neq(value, var("null")), place, message));
    }

    /// That the objects of the only item of a frame are there, and were there in `before`.
    pub(crate) fn frame_existed(
        &mut self,
        frame: &Frame,
        before: &B,
        what: &str,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let [item] = &frame.items[..] else {
            return;
        };
        let place = self.p.exprs[item.expr].tok;
        let ty = self.type_of(item.expr, env);
        let Some(parts) = self.frame(frame, env) else {
            return;
        };
        for part in parts {
            let mut stmts = Vec::new();
            let (object, ty) = match &part.objects {
                Objects::One(value) => (value.clone(), Some(ty)),
                objects => {
                    let name = self.declare_hidden(b, "o", Sort::named("ref"));
                    stmts.push(S::Havoc(vec![name.clone()]));
                    stmts.push(S::Assume(objects.contains(&var(&name))));
                    let base = self.p.base_type(ty);
                    let elem = self.p.types.children(base).first().copied();
                    (var(&name), elem)
                }
            };
            match ty.and_then(|ty| self.p.parent_of_constrained(ty)) {
                Some(_) => {
                    // The type says so, and nothing else would say it of an element.
                    let there = neq(object.clone(), var("null"));
                    stmts.push(S::Assume(there));
                }
                None => {
                    let message = format!("{what} could not be proved to be non-null");
                    let there = neq(object.clone(), var("null"));
                    stmts.push(crate::wf::check(there, place, message));
                }
            }
            let message = format!(
                "{what} could not be proved to be allocated in the old-state of the 'unchanged' predicate"
            );
            let existed = crate::types::alloc(before, &object);
            stmts.push(crate::wf::check(existed, place, message));
            match &part.objects {
                Objects::One(_) => out.extend(stmts),
                _ => crate::wf::aside(stmts, out),
            }
        }
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

/// An empty display, or a function that gives one: whatever the type of its elements is.
fn is_nothing(p: &Program, e: ExprId) -> bool {
    match &p.exprs[e].kind {
        ExprKind::SetDisplay(items)
        | ExprKind::SeqDisplay(items)
        | ExprKind::MultisetDisplay(items) => items.is_empty(),
        ExprKind::Lambda { body, .. } => is_nothing(p, *body),
        _ => false,
    }
}
