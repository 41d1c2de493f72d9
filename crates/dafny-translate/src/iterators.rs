//! The bodies of iterators.
//!
//! A body runs in pieces, from one `yield` to the next; each piece is one call of `MoveNext`. Between two pieces others may change
//! everything but the iterator itself, what it reads and what it made (`_new`). The heap at the start of a piece is kept
//! in a variable: what the iterator made or was promised then, and what was allocated since, is what the piece may
//! change, and `old` of `yield ensures` and `ensures` means that heap, as it does for callers of `MoveNext`.
//! `old` and `fresh` in the body mean the heap in which the iterator was made.

use crate::cx::{Cx, Env, Instance};
use crate::decl::{Body, Procedure};
use crate::frame::{FramePart, Objects, in_frame};
use crate::methods::{POST, clause, head_env, plain, start_of};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, check};
use std::rc::Rc;
use stet_base::Span;
use stet_dafny::tree::{
    DeclId, IteratorDecl, IteratorFrames, MemberId, Method, Owner, StmtId, Ty, TyKind, TypeDeclKind,
};

/// The heap at the start of the piece that is running.
const PIECE: &str = "heap.piece";

/// An iterator whose body is being made.
#[derive(Clone)]
pub(crate) struct Running {
    decl: DeclId,
    args: Vec<Ty>,
    frames: IteratorFrames,
    /// How often it yielded.
    count: Name,
}

impl Cx<'_> {
    /// The iterator that a member belongs to.
    pub(crate) fn iterator_of(&self, member: MemberId) -> Option<(DeclId, &IteratorDecl)> {
        let Owner::Type(decl) = self.p.members[member].owner else {
            return None;
        };
        match &self.p.decls[decl].kind {
            TypeDeclKind::Iterator(iterator) => Some((decl, iterator)),
            _ => None,
        }
    }

    pub(crate) fn is_iterator_body(&self, member: MemberId) -> bool {
        let found = self.iterator_of(member);
        found.is_some_and(|(_, it)| it.body == Some(member))
    }

    /// What the constructor of an iterator ensures besides its clauses: the sets of objects of its frames and the parts of its
    /// measure, as `env` has them. Nothing for other callables.
    pub(crate) fn iterator_promises(&mut self, instance: &Instance, env: &Env) -> B {
        let Some((_, it)) = self.iterator_of(instance.member) else {
            return tt();
        };
        let it = it.clone();
        let (Some(frames), Some(this)) = (it.frame_fields, env.this.clone()) else {
            return tt();
        };
        if it.constructor != Some(instance.member) {
            return tt();
        }
        let mut facts = tt();
        let args = instance.args.clone();
        for (frame, field) in [(&it.reads, frames.reads), (&it.modifies, frames.modifies)] {
            self.refuse_infinite(frame, env);
            let parts = self.frame(frame, env).unwrap_or_default();
            let set = self.constant(field, args.clone(), Some(this.clone()));
            self.objects_sort(field, &args);
            let object = var("o~");
            let member = app("$Set.in$ref", vec![set, object.clone()]);
            let inside = and(
                neq(object.clone(), var("null")),
                in_frame(&parts, &object, None),
            );
            let vars = vec![("o~".into(), Sort::named("ref"))];
            let same = iff(member.clone(), inside);
            facts = and(facts, forall(vars, vec![vec![member]], same));
        }
        for (&field, &part) in it.measure_fields.iter().zip(&it.decreases.exprs) {
            let kept = self.constant(field, args.clone(), Some(this.clone()));
            let value = self.expr(part, env);
            let rep = self.rep_of(part, env);
            facts = and(facts, self.equal(rep, kept, value));
        }
        facts
    }

    /// Checks the frames and the measure of an iterator, with its constructor.
    pub(crate) fn iterator_wf(
        &mut self,
        instance: &Instance,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let Some((_, it)) = self.iterator_of(instance.member) else {
            return;
        };
        if it.constructor != Some(instance.member) {
            return;
        }
        let it = it.clone();
        for item in it.reads.items.iter().chain(&it.modifies.items) {
            self.wf(item.expr, env, b, out);
        }
        self.wf_all(&it.decreases.exprs, env, b, out);
    }

    /// The clauses of an iterator's constructor are those of the iterator: Dafny counts and reports them for both, with
    /// what is said about yielding, which is checked for `MoveNext`.
    pub(crate) fn iterator_again(
        &mut self,
        instance: &Instance,
        constructor: &Procedure,
        env: &Env,
        scc: u32,
    ) {
        let Some((_, it)) = self.iterator_of(instance.member) else {
            return;
        };
        if it.constructor != Some(instance.member) {
            return;
        }
        let it = it.clone();
        let mut others = Vec::new();
        for clause in it.yield_requires.iter().chain(&it.yield_ensures) {
            self.wf(clause.expr, env, &mut Builder::default(), &mut others);
        }
        let mut again = constructor.clone();
        again.name = format!("$Wf.iterator.{}", constructor.name).into();
        if let (Some(body), true) = (&mut again.body, others.iter().any(crate::wf::has_check)) {
            body.stmts.push(S::Settled);
        }
        self.add_verified(again, scc);
    }

    /// The objects of an iterator's frame are kept as a finite set.
    fn refuse_infinite(&mut self, frame: &stet_dafny::tree::Frame, env: &Env) {
        for item in &frame.items {
            let rep = self.rep_of(item.expr, env);
            let kind = self.p.types.kind(rep);
            let is_finite = self.p.is_reference(rep)
                || matches!(
                    &*kind,
                    TyKind::Set { finite: true, .. } | TyKind::Seq(_) | TyKind::Multiset(_)
                );
            if !is_finite {
                self.unsupported(item.span, "this kind of frame of an iterator");
            }
        }
    }

    /// Makes the sort of sets of objects known.
    fn objects_sort(&mut self, field: MemberId, args: &[Ty]) {
        self.need(Chunk::Heap);
        let ty = self.field_type(field, args);
        self.sort(ty);
    }

    /// The implementation of an iterator's body.
    pub(crate) fn iterator_body(&mut self, instance: &Instance, m: &Method) {
        let Some((decl, it)) = self.iterator_of(instance.member) else {
            return;
        };
        let it = it.clone();
        let (Some(frames), Some(constructor), Some(body)) =
            (it.frame_fields, it.constructor, m.body)
        else {
            return;
        };
        self.need(Chunk::Heap);
        self.objects_sort(frames.new, &instance.args);
        let mut head = self.head(instance, m);
        head.outs.push(plain(PIECE, Sort::named("$HeapType")));
        let mut env = head.env.clone();
        let mut b = Builder {
            measure_inferred: m.decreases.inferred,
            frame_heap: Some(var(PIECE)),
            ..Builder::default()
        };
        let count = self.declare_hidden(&mut b, "yields", Sort::named("int"));
        let running = Running {
            decl,
            args: instance.args.clone(),
            frames,
            count,
        };
        let mut out = Vec::new();
        self.constructed(&it, constructor, &running, &env, &mut out);
        b.modifies = Some(Rc::new(self.owned(&running, &env)));
        b.iterator = Some(running.clone());
        if !m.decreases.star {
            b.measure = Some(self.measure(&m.decreases.exprs, &env));
        }
        self.others_run(&it, &running, &env, &mut b, &mut out);
        self.stmt(body, &mut env, &mut b, &mut out);
        let start = start_of(self.p.stmts[body].span);
        out.push(S::Return(start));
        let mut ensures = Vec::new();
        let at_end = Env {
            old: var(PIECE),
            ..head_env(&head, &env)
        };
        for spec in &m.ensures {
            for part in self.split(spec.expr, &at_end) {
                let related = part.related();
                let mut checked = clause(part.cond, part.at, POST, false);
                checked.check.related = related;
                ensures.push(checked);
            }
        }
        let facts = self.entry_facts(instance, m, &head.env);
        if self.states_follow() {
            self.follow_entry(&mut out);
        }
        let span = self.p.members[instance.member].span;
        let name = self.instance_name(instance);
        let procedure = Procedure {
            name: format!("$Impl.{name}").into(),
            span,
            ins: head.ins,
            outs: head.outs,
            requires: vec![clause(facts, span, "", true)],
            ensures,
            modifies: vec!["$Heap".into()],
            attributes: self.limits(&self.p.members[instance.member].attributes),
            body: Some(Body {
                locals: b.locals,
                stmts: out,
                end: Some(start),
            }),
        };
        self.add_verified(procedure, m.scc);
    }

    /// What is known of an iterator that was made and did not run yet.
    fn constructed(
        &mut self,
        it: &IteratorDecl,
        constructor: MemberId,
        running: &Running,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let Some(made) = self.method(constructor).cloned() else {
            return;
        };
        let mut given = env.clone();
        given.old = env.heap.clone();
        for (&v, &field) in made.ins.iter().zip(&it.in_fields) {
            let value = self.constant(field, running.args.clone(), env.this.clone());
            given.vars.insert(v, value);
        }
        for spec in made.requires.iter().chain(&made.ensures) {
            out.push(S::Assume(self.expr(spec.expr, &given)));
        }
        let instance = Instance {
            member: constructor,
            args: running.args.clone(),
        };
        out.push(S::Assume(self.iterator_promises(&instance, &given)));
        out.push(S::Assign(running.count.clone(), int(0)));
    }

    /// For `MoveNext`: what the iterator requires held in an earlier state.
    pub(crate) fn was_constructed(
        &mut self,
        instance: &Instance,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let Some((_, it)) = self.iterator_of(instance.member) else {
            return;
        };
        let Some(constructor) = it.constructor else {
            return;
        };
        if it.move_next != Some(instance.member) {
            return;
        }
        let fields = it.in_fields.clone();
        let Some(made) = self.method(constructor).cloned() else {
            return;
        };
        self.need(Chunk::Heap);
        let name = self.declare_local(b, "heap.made", Sort::named("$HeapType"));
        let heap = var(&name);
        out.push(S::Assume(app("$HeapOk", vec![heap.clone()])));
        let later = app("$HeapSucc", vec![heap.clone(), env.heap.clone()]);
        out.push(S::Assume(later));
        let mut given = env.at_heap(heap.clone());
        given.old = heap;
        for (&v, &field) in made.ins.iter().zip(&fields) {
            let value = self.constant(field, instance.args.clone(), env.this.clone());
            given.vars.insert(v, value);
        }
        for spec in &made.requires {
            out.push(S::Assume(self.expr(spec.expr, &given)));
        }
    }

    /// A set of objects that an iterator keeps.
    fn kept(&mut self, field: MemberId, running: &Running, heap: &B, env: &Env) -> B {
        let this = env.this.clone().unwrap_or_else(|| var("this"));
        self.field_at(field, &running.args, this, heap)
    }

    /// A field of an object in a heap, or a constant of it.
    fn field_at(&mut self, field: MemberId, args: &[Ty], object: B, heap: &B) -> B {
        if let stet_dafny::tree::MemberKind::Const { .. } = self.p.members[field].kind {
            return self.constant(field, args.to_vec(), Some(object));
        }
        let sort = self.field_sort(field, args);
        let name = self.field_name(field, args.to_vec());
        let boxed = select(select(heap.clone(), object), name);
        app(&format!("$Unbox${sort}"), vec![boxed])
    }

    /// What a piece may change, besides what was allocated since it started.
    fn owned(&mut self, running: &Running, env: &Env) -> Vec<FramePart> {
        let this = env.this.clone().unwrap_or_else(|| var("this"));
        let heap = var(PIECE);
        let member: Name = "$Set.in$ref".into();
        let modifies = self.kept(running.frames.modifies, running, &heap, env);
        let new = self.kept(running.frames.new, running, &heap, env);
        let part = |objects| FramePart {
            objects,
            field: None,
            source: None,
        };
        vec![
            part(Objects::One(this)),
            part(Objects::In(member.clone(), modifies)),
            part(Objects::In(member, new)),
        ]
    }

    /// Others run: the heap is another one, in which the iterator, what it reads and what it made are as they were.
    fn others_run(
        &mut self,
        it: &IteratorDecl,
        running: &Running,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let before = self.save_heap("yield", env, b, out);
        out.push(S::Havoc(vec!["$Heap".into()]));
        let heap = env.heap.clone();
        out.push(S::Assume(app("$HeapOk", vec![heap.clone()])));
        for earlier in [&before, &env.old] {
            let later = app("$HeapSucc", vec![earlier.clone(), heap.clone()]);
            out.push(S::Assume(later));
        }
        let o = var("o~");
        let this = env.this.clone().unwrap_or_else(|| var("this"));
        let mut protected = eq(o.clone(), this);
        for field in [running.frames.reads, running.frames.new] {
            let set = self.kept(field, running, &before, env);
            protected = or(protected, app("$Set.in$ref", vec![set, o.clone()]));
        }
        let existed = and(
            neq(o.clone(), var("null")),
            crate::types::alloc(&before, &o),
        );
        let now = select(heap.clone(), o.clone());
        let same = eq(now.clone(), select(before, o));
        let vars = vec![("o~".into(), Sort::named("ref"))];
        let body = imp(and(existed, protected), same);
        out.push(S::Assume(forall(vars, vec![vec![now]], body)));
        for spec in &it.yield_requires {
            out.push(S::Assume(self.expr(spec.expr, env)));
        }
        out.push(S::Assign(PIECE.into(), heap));
    }

    pub(crate) fn yield_stmt(
        &mut self,
        init: Option<StmtId>,
        span: Span,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let Some(running) = b.iterator.clone() else {
            self.unsupported(span, "`yield` here");
            return;
        };
        if b.frame_heap != Some(var(PIECE)) {
            self.unsupported(
                span,
                "`yield` in a statement with a `modifies` clause of its own",
            );
            return;
        }
        let TypeDeclKind::Iterator(it) = &self.p.decls[running.decl].kind else {
            return;
        };
        let it = it.clone();
        if let Some(init) = init {
            self.stmt(init, env, b, out);
        }
        self.record(&it, &running, env, out);
        let piece = Env {
            old: var(PIECE),
            ..env.clone()
        };
        for spec in &it.yield_ensures {
            for part in self.split(spec.expr, &piece) {
                let mut related = vec![(
                    part.at,
                    "this is the yield ensures that could not be proved".into(),
                )];
                related.extend(part.related());
                out.push(S::Assert(Check {
                    forgotten: false,
                    asserted: None,
                    cond: part.cond,
                    span,
                    message: "possible violation of yield-ensures condition".into(),
                    related,
                }));
            }
        }
        self.others_run(&it, &running, env, b, out);
    }

    /// The values yielded become the last ones of their histories.
    fn record(&mut self, it: &IteratorDecl, running: &Running, env: &Env, out: &mut Vec<S>) {
        let this = env.this.clone().unwrap_or_else(|| var("this"));
        for (&value, &history) in it.out_fields.iter().zip(&it.history_fields) {
            let item = self.field_at(value, &running.args, this.clone(), &env.heap);
            let before = self.field_at(history, &running.args, this.clone(), &env.heap);
            let ty = self.field_type(value, &running.args);
            let elem = self.sort_name(ty);
            let grown = app(&format!("$Seq.push${elem}"), vec![before, item]);
            let sort = self.field_sort(history, &running.args);
            let boxed = app(&format!("$Box${sort}"), vec![grown]);
            let name = self.field_name(history, running.args.clone());
            self.write(&this, &name, boxed, env, out);
        }
        let next = add(var(&running.count), int(1));
        out.push(S::Assign(running.count.clone(), next));
    }

    /// A new object belongs to the iterator that made it.
    pub(crate) fn own_new(&mut self, object: &B, env: &Env, b: &Builder, out: &mut Vec<S>) {
        let Some(running) = b.iterator.clone() else {
            return;
        };
        let mine = self.kept(running.frames.new, &running, &env.heap, env);
        let grown = app("$Set.add$ref", vec![mine, object.clone()]);
        self.set_new(grown, &running, env, out);
    }

    fn set_new(&mut self, set: B, running: &Running, env: &Env, out: &mut Vec<S>) {
        let this = env.this.clone().unwrap_or_else(|| var("this"));
        let sort = self.field_sort(running.frames.new, &running.args);
        let name = self.field_name(running.frames.new, running.args.clone());
        let boxed = app(&format!("$Box${sort}"), vec![set]);
        self.write(&this, &name, boxed, env, out);
    }

    /// What a call allocated belongs to the iterator: `before` is the heap before the call.
    pub(crate) fn own_allocated(
        &mut self,
        before: &B,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let Some(running) = b.iterator.clone() else {
            return;
        };
        let ty = self.field_type(running.frames.new, &running.args);
        let sort = self.sort(ty);
        let set = self.declare_hidden(b, "new", sort);
        out.push(S::Havoc(vec![set.clone()]));
        let o = var("o~");
        let member = app("$Set.in$ref", vec![var(&set), o.clone()]);
        // Nobody but the iterator changes this set, whatever a call may modify.
        let mine = self.kept(running.frames.new, &running, before, env);
        let was = app("$Set.in$ref", vec![mine, o.clone()]);
        let came = and(
            neq(o.clone(), var("null")),
            and(
                not(crate::types::alloc(before, &o)),
                crate::types::alloc(&env.heap, &o),
            ),
        );
        let vars = vec![("o~".into(), Sort::named("ref"))];
        let known = forall(vars, vec![vec![member.clone()]], iff(member, or(was, came)));
        out.push(S::Assume(known));
        self.set_new(var(&set), &running, env, out);
    }

    /// A value assigned to `_new` has no more objects than it.
    pub(crate) fn shrinks_new(
        &mut self,
        target: &crate::assign::Target,
        value: &B,
        span: Span,
        env: &Env,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        let Some(running) = b.iterator.clone() else {
            return;
        };
        let crate::assign::Target::Heap { field, .. } = target else {
            return;
        };
        let name = self.field_name(running.frames.new, running.args.clone());
        if *field != name {
            return;
        }
        let mine = self.kept(running.frames.new, &running, &env.heap, env);
        let cond = app("$Set.subset$ref", vec![value.clone(), mine]);
        let message = "an assignment to _new is only allowed to shrink the set";
        out.push(check(cond, span, message));
    }

    /// Whether the iterator yielded since `count` was saved.
    pub(crate) fn has_yielded(&self, saved: Option<&Name>, b: &Builder) -> B {
        match (saved, &b.iterator) {
            (Some(saved), Some(running)) => lt(var(saved), var(&running.count)),
            _ => ff(),
        }
    }

    /// A copy of how often the iterator yielded.
    pub(crate) fn save_count(&mut self, b: &mut Builder, out: &mut Vec<S>) -> Option<Name> {
        let running = b.iterator.clone()?;
        let saved = self.declare_local(b, "yields.before", Sort::named("int"));
        out.push(S::Assign(saved.clone(), var(&running.count)));
        Some(saved)
    }

    /// What holds at the head of every loop of an iterator whose body changes the heap. `before` is the heap before the loop.
    pub(crate) fn iterator_invariants(
        &mut self,
        before: &B,
        span: Span,
        env: &Env,
        b: &Builder,
        invariants: &mut Vec<Invariant>,
    ) {
        let Some(running) = b.iterator.clone() else {
            return;
        };
        let TypeDeclKind::Iterator(it) = &self.p.decls[running.decl].kind else {
            return;
        };
        let histories = it.history_fields.clone();
        let gives_away = it.gives_away;
        let this = env.this.clone().unwrap_or_else(|| var("this"));
        let heap = env.heap.clone();
        let piece = var(PIECE);
        for (earlier, later) in [(&env.old, &piece), (&piece, &heap)] {
            let follows = app("$HeapSucc", vec![earlier.clone(), later.clone()]);
            invariants.push(crate::loops::free(follows, span));
        }
        invariants.push(crate::loops::free(
            app("$HeapOk", vec![piece.clone()]),
            span,
        ));
        // What the iterator has made was not there when it was made.
        let o = var("o~");
        for state in [&heap, &piece] {
            let set = self.kept(running.frames.new, &running, state, env);
            let member = app("$Set.in$ref", vec![set, o.clone()]);
            let made = and(
                not(crate::types::alloc(&env.old, &o)),
                crate::types::alloc(state, &o),
            );
            let body = imp(member.clone(), and(neq(o.clone(), var("null")), made));
            let vars = vec![("o~".into(), Sort::named("ref"))];
            invariants.push(crate::loops::free(
                forall(vars, vec![vec![member]], body),
                span,
            ));
        }
        if !gives_away {
            self.keeps_new(before, &running, span, env, invariants);
        }
        // What it reads and does not change, nobody changes.
        let reads = self.kept(running.frames.reads, &running, &heap, env);
        let modifies = self.kept(running.frames.modifies, &running, &heap, env);
        let is_read = app("$Set.in$ref", vec![reads, o.clone()]);
        let is_changed = app("$Set.in$ref", vec![modifies, o.clone()]);
        let existed = and(
            neq(o.clone(), this.clone()),
            crate::types::alloc(&env.old, &o),
        );
        let now = select(heap.clone(), o.clone());
        let same = eq(now.clone(), select(before.clone(), o));
        let steady = imp(and(existed, and(is_read, not(is_changed))), same);
        let vars = vec![("o~".into(), Sort::named("ref"))];
        invariants.push(crate::loops::free(
            forall(vars, vec![vec![now]], steady),
            span,
        ));
        for history in histories {
            let ty = self.field_type(history, &running.args);
            let elem = self
                .p
                .types
                .children(ty)
                .first()
                .map(|&t| self.sort_name(t));
            let Some(elem) = elem else {
                continue;
            };
            let value = self.field_at(history, &running.args, this.clone(), &heap);
            let length = app(&format!("$Seq.len${elem}"), vec![value]);
            invariants.push(crate::loops::free(eq(length, var(&running.count)), span));
        }
    }

    /// Of a body that never assigns `_new`: what was in it before a loop is in it now, and was when the piece started unless
    /// it was not allocated then.
    fn keeps_new(
        &mut self,
        before: &B,
        running: &Running,
        span: Span,
        env: &Env,
        invariants: &mut Vec<Invariant>,
    ) {
        let o = var("o~");
        let mut sets = [before, &env.heap, &var(PIECE)].map(|heap| {
            let set = self.kept(running.frames.new, running, heap, env);
            app("$Set.in$ref", vec![set, o.clone()])
        });
        let unborn = not(crate::types::alloc(&var(PIECE), &o));
        let triggers = sets.iter().map(|set| vec![set.clone()]).collect();
        sets[2] = or(sets[2].clone(), unborn);
        let [was, is, at_start] = sets;
        let vars = vec![("o~".into(), Sort::named("ref"))];
        let body = imp(was, and(is, at_start));
        invariants.push(crate::loops::free(forall(vars, triggers, body), span));
    }
}
