//! Statements with a proof or a specification of their own: `by` proofs of calls, opaque blocks, `modify` with a body.

use crate::cx::{Cx, Env};
use crate::loops::assigned;
use crate::tree::*;
use crate::wf::{Builder, check};
use std::collections::BTreeSet;
use std::rc::Rc;
use stet_base::Span;
use stet_dafny::tree::{Clause, Frame, StmtId};

impl Cx<'_> {
    /// `call by { … }`: what the call requires is shown after the proof, which nothing else sees.
    pub(crate) fn by_proof(
        &mut self,
        stmt: StmtId,
        proof: StmtId,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut shown = self.stmt_list(proof, env, b);
        crate::hide::keep_visible(&mut shown);
        let outer = std::mem::replace(&mut b.is_shown, false);
        let mut checked = self.stmt_list(stmt, env, b);
        let call = checked.iter().position(|s| matches!(s, S::Call { .. }));
        checked.truncate(required(&checked) + usize::from(call.is_some()));
        shown.extend(checked);
        crate::wf::aside(shown, out);
        b.is_shown = true;
        let mut done = Vec::new();
        self.stmt(stmt, env, b, &mut done);
        b.is_shown = outer;
        let rest = done.split_off(required(&done));
        out.extend(done.into_iter().filter_map(unchecked));
        out.extend(rest);
    }

    /// `opaque ensures … modifies … { … }`: what follows knows the specification only.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement")]
    pub(crate) fn opaque_block(
        &mut self,
        ensures: &[Clause],
        modifies: &Frame,
        body: StmtId,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        if env.construction.is_some() {
            self.unsupported(span, "an opaque block before `new;`");
        }
        let before = self.save_heap("block", env, b, out);
        let outer = (b.modifies.clone(), b.frame_heap.clone());
        if modifies.given {
            self.narrow(modifies, &before, span, env, b, out);
        }
        let frame = b.modifies.clone();
        let base = b.frame_heap.clone().unwrap_or_else(|| env.old.clone());
        let mut inner = self.stmt_list(body, env, b);
        let mut changed = BTreeSet::new();
        assigned(&inner, self, &mut changed);
        let is_set = |flag: &Name| {
            let sets =
                |s: &S| matches!(s, S::Assign(name, value) if name == flag && is_true(value));
            inner.iter().any(sets)
        };
        let set: Vec<Name> = changed.iter().filter(|n| is_set(n)).cloned().collect();
        for clause in ensures {
            self.wf(clause.expr, env, b, &mut inner);
            for part in self.split(clause.expr, env) {
                let message = "ensures might not hold";
                inner.push(check(part.cond, part.at, message));
            }
        }
        crate::wf::aside(inner, out);
        (b.modifies, b.frame_heap) = outer;
        let frame = frame.as_deref().map(|f| &f[..]);
        self.forget(&changed, &set, frame, &base, env, b, out);
        if changed.contains("$Heap") {
            let later = app("$HeapSucc", vec![before, env.heap.clone()]);
            out.push(S::Assume(later));
        }
        for clause in ensures {
            out.push(S::Assume(self.expr(clause.expr, env)));
        }
    }

    /// Any values for variables that a block may have changed, within what it may modify.
    #[expect(
        clippy::too_many_arguments,
        reason = "the effects of a block in one context"
    )]
    fn forget(
        &mut self,
        changed: &BTreeSet<Name>,
        set: &[Name],
        frame: Option<&[crate::frame::FramePart]>,
        base: &B,
        env: &Env,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let mut known: Vec<(stet_dafny::tree::VarId, Name)> = env
            .vars
            .iter()
            .filter_map(|(v, value)| match &**value {
                Node::Var(name) if changed.contains(name) => Some((*v, name.clone())),
                _ => None,
            })
            .collect();
        known.sort_by(|a, c| a.1.cmp(&c.1));
        // Whether a variable was assigned: it was if it was before, or if the block always does.
        for (v, _) in &known {
            if let Some(flag) = b.assigned.get(v)
                && set.contains(flag)
            {
                out.push(S::Assign(flag.clone(), tt()));
            }
        }
        if changed.contains("$Heap") {
            self.havoc_heap(frame, base, env, out);
        }
        if known.is_empty() {
            return;
        }
        out.push(S::Havoc(known.iter().map(|(_, n)| n.clone()).collect()));
        for (v, name) in known {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            let mut typed = self.typed(ty, &var(&name), &env.heap);
            if let Some(flag) = b.assigned.get(&v) {
                typed = imp(var(flag), typed);
            }
            if !is_true(&typed) {
                out.push(S::Assume(typed));
            }
        }
    }

    /// Lets a block modify no more than a frame.
    fn narrow(
        &mut self,
        frame: &Frame,
        before: &B,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        for item in &frame.items {
            self.wf(item.expr, env, b, out);
        }
        let message = "modified object in modify statement could not be proved to be in the current modifies clause";
        self.modifies_ok(frame, env, span, env, b, out, message);
        let parts = self.frame(frame, env);
        b.modifies = parts.map(|parts| Rc::new(self.frozen(parts, env, b, out)));
        b.frame_heap = Some(before.clone());
    }

    /// `modify … { … }`: the block, which may modify no more than the frame.
    pub(crate) fn modify_block(
        &mut self,
        frame: &Frame,
        body: StmtId,
        span: Span,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        if env.construction.is_some() {
            self.unsupported(span, "`modify` before `new;`");
        }
        let before = self.save_heap("modify", env, b, out);
        let outer = (b.modifies.clone(), b.frame_heap.clone());
        self.narrow(frame, &before, span, env, b, out);
        self.stmt(body, env, b, out);
        (b.modifies, b.frame_heap) = outer;
    }
}

/// How many statements come before the call, or before what `:|` assigns.
fn required(stmts: &[S]) -> usize {
    let call = stmts.iter().position(|s| matches!(s, S::Call { .. }));
    let havoc = || stmts.iter().position(|s| matches!(s, S::Havoc(_)));
    call.or_else(havoc).unwrap_or(stmts.len())
}

/// A statement without its checks, which were made elsewhere.
fn unchecked(stmt: S) -> Option<S> {
    match stmt {
        S::Assert(_) => None,
        S::If(test, a, b) => {
            let rest = |list: Vec<S>| list.into_iter().filter_map(unchecked).collect();
            Some(S::If(test, rest(a), rest(b)))
        }
        stmt => Some(stmt),
    }
}
