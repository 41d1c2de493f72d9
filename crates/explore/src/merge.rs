//! Merging of states between `klee_open_merge` and `klee_close_merge`.
//!
//! ```text
//! open: the state and all copies forked from it belong to a group
//! close: the state leaves the group and waits; it is merged into a waiting state of the group if that is possible
//! when no state belongs to the group any more, those that wait go on
//! ```
//!
//! Two states are merged if they stand at the same place with the same frames and objects, and no input leads to both (which is asked,
//! not believed). A value that differs becomes `ite(in_a, a, b)`, where `in_a` is what the first path assumes beyond the second.
//! States that made other objects, wrote other output or have other exceptions in flight stay apart: nothing is lost, only not saved.

use crate::code::{Code, Op, Opd, Reg, Target};
use crate::exec::Executor;
use crate::object::{Kind, Object};
use crate::query::{PathConstraints, Purpose};
use crate::state::{Frame, State};
use crate::value::{Ctx, Value};
use std::rc::{Rc, Weak};
use stet_base::FastSet;
use stet_term::{Sort, Term};

/// The states that opened the same region: each holds a reference.
#[derive(Debug)]
pub(crate) struct MergeGroup {
    pub(crate) id: u64,
}

/// States that wait for others of their group, with their leaves in the tree of forks.
#[derive(Default)]
pub(crate) struct Waiting {
    groups: Vec<(Weak<MergeGroup>, Vec<Leaf>)>,
}

/// A state with its leaf in the tree of forks.
type Leaf = (Box<State>, usize);

/// Differing objects larger than this are not merged byte by byte.
const MOST_BYTES: u64 = 1 << 16;

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// How many states wait.
    pub(crate) fn len(&self) -> usize {
        self.groups.iter().map(|(_, states)| states.len()).sum()
    }

    /// A state leaves its group; the leaf of a state that is no more, if it was merged into another.
    pub(crate) fn close(
        &mut self,
        executor: &mut Executor<'_>,
        group: &Rc<MergeGroup>,
        state: Box<State>,
        leaf: usize,
    ) -> Option<usize> {
        let handle = Rc::downgrade(group);
        let known = self.groups.iter_mut();
        let mut known = known.filter(|(known, _)| Weak::ptr_eq(known, &handle));
        let Some((_, states)) = known.next() else {
            self.groups.push((handle, vec![(state, leaf)]));
            return None;
        };
        for (other, _) in states.iter_mut() {
            if merge(executor, other, &state) {
                return Some(leaf);
            }
        }
        states.push((state, leaf));
        None
    }

    /// Takes the states of groups that no other state can join.
    pub(crate) fn ready(&mut self) -> Vec<Leaf> {
        let mut ready = Vec::new();
        self.groups.retain_mut(|(group, states)| {
            let is_open = group.strong_count() > 0;
            if !is_open {
                ready.append(states);
            }
            is_open
        });
        ready
    }

    pub(crate) fn take(&mut self) -> Vec<Leaf> {
        let groups = std::mem::take(&mut self.groups);
        groups.into_iter().flat_map(|(_, states)| states).collect()
    }
}

/// Merges `b` into `a`, if that is possible; otherwise `a` is as it was.
fn merge(executor: &mut Executor<'_>, a: &mut State, b: &State) -> bool {
    if !same_shape(a, b) {
        return false;
    }
    let Some((common, in_a, in_b)) = conditions(executor, a, b) else {
        return false;
    };
    let ctx = executor.ctx.clone();
    let Some(objects) = merged_objects(&ctx, in_a, a, b) else {
        return false;
    };
    let Some(registers) = merged_registers(&ctx, in_a, a, b) else {
        return false;
    };
    for (id, object) in objects {
        a.memory.insert(id, object);
    }
    for (depth, register, value) in registers {
        a.set_register(depth, register, value);
    }
    a.constraints = common;
    let either = ctx.terms.or(&[in_a, in_b]);
    executor.assume(a, either);
    a.memory.cursors = a.memory.cursors.beyond(&b.memory.cursors);
    a.instructions = a.instructions.max(b.instructions);
    a.depth = a.depth.max(b.depth);
    a.covered_new |= b.covered_new;
    a.leans.set(a.leans.get() | b.leans.get());
    for block in b.new_blocks.in_order() {
        a.new_blocks.push(*block);
    }
    true
}

/// Whether two states differ in values at most.
fn same_shape(a: &State, b: &State) -> bool {
    let frames = |a: &Frame, b: &Frame| {
        let arguments = a.varargs.len() == b.varargs.len()
            && a.varargs
                .iter()
                .zip(&b.varargs)
                .all(|(a, b)| is_same(&a.0, &b.0));
        Rc::ptr_eq(&a.code, &b.code)
            && (a.pc, &a.allocas, a.result, a.normal) == (b.pc, &b.allocas, b.result, b.normal)
            && arguments
    };
    let symbolics = || {
        let (a, b) = (a.symbolics.in_order(), b.symbolics.in_order());
        let same = |(a, b): (&&crate::state::Symbolic, &&crate::state::Symbolic)| {
            a.name == b.name && a.bytes == b.bytes
        };
        a.len() == b.len() && a.iter().zip(&b).all(same)
    };
    let groups =
        |state: &State| -> Vec<u64> { state.merges.iter().map(|group| group.id).collect() };
    let quiet = |state: &State| {
        let in_flight =
            state.landing.is_none() && state.exceptions.is_empty() && state.threads.is_none();
        in_flight && state.caught.is_empty() && state.pending.is_none()
    };
    a.frames == b.frames
        && a.frames().zip(b.frames()).all(|(a, b)| frames(a, b))
        && groups(a) == groups(b)
        && quiet(a)
        && quiet(b)
        && a.jumps.in_order() == b.jumps.in_order()
        && (a.told_status, a.settled) == (b.told_status, b.settled)
        && a.output.in_order() == b.output.in_order()
        && symbolics()
        && same_process(a, b)
}

/// Whether the paths called the same external functions: what these keep cannot be merged.
fn same_process(a: &State, b: &State) -> bool {
    let is_quiet = a.native.imported.is_empty() && b.native.imported.is_empty();
    a.native.calls == b.native.calls
        && is_quiet
        && match (&a.native.process, &b.native.process) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
}

/// The constraints of both paths, and what each assumes beyond; `None` unless no input leads to both.
fn conditions(
    executor: &mut Executor<'_>,
    a: &State,
    b: &State,
) -> Option<(PathConstraints, Term, Term)> {
    let (of_a, of_b): (FastSet<Term>, FastSet<Term>) = (
        a.constraints.iter().collect(),
        b.constraints.iter().collect(),
    );
    let mut common = PathConstraints::new();
    let mut rest_a = Vec::new();
    for term in a.constraints.iter() {
        match of_b.contains(&term) {
            true => executor.chain.assume(&mut common, term),
            false => rest_a.push(term),
        }
    }
    let rest_b: Vec<Term> = b
        .constraints
        .iter()
        .filter(|term| !of_a.contains(term))
        .collect();
    let terms = executor.ctx.terms.clone();
    let (in_a, in_b) = (terms.and(&rest_a), terms.and(&rest_b));
    let both = executor
        .chain
        .may_be_true(&a.constraints, in_b, Purpose::Engine);
    (both == Some(false)).then_some((common, in_a, in_b))
}

/// Objects that differ, merged; `None` if the states have different objects.
fn merged_objects(
    ctx: &Ctx,
    in_a: Term,
    a: &State,
    b: &State,
) -> Option<Vec<(crate::address::ObjectId, Object)>> {
    let mut merged = Vec::new();
    for id in a.memory.differing(&b.memory)? {
        let (first, second) = (a.memory.get(id)?, b.memory.get(id)?);
        let facts = |object: &Object| (object.kind, object.writable, object.size());
        if facts(first) != facts(second) || first.size() > MOST_BYTES {
            return None;
        }
        // Bytes in segments are not where the object is.
        let in_segment = |object: &Object| object.home().is_some() || object.kind == Kind::Segment;
        if in_segment(first) || in_segment(second) {
            return None;
        }
        let mut result = first.clone();
        let size = first.size() as usize;
        let mut at = 0;
        while at < size {
            // whole words first, so that pointers stay whole
            let bits = if at % 8 == 0 && at + 8 <= size { 64 } else { 8 };
            let (x, y) = (first.read(ctx, at, bits), second.read(ctx, at, bits));
            if !is_same(&x, &y) {
                let value = choice(ctx, in_a, &x, &y, bits)?;
                result.write(ctx, at, bits, &value);
            }
            at += bits as usize / 8;
        }
        merged.push((id, result));
    }
    Some(merged)
}

/// Registers that differ and are still needed, merged: the frame counted from the innermost, the register, its value.
fn merged_registers(
    ctx: &Ctx,
    in_a: Term,
    a: &State,
    b: &State,
) -> Option<Vec<(usize, usize, Value)>> {
    let mut merged = Vec::new();
    for (depth, (first, second)) in a.frames().zip(b.frames()).enumerate() {
        let pairs = first.registers.iter().zip(&second.registers).enumerate();
        for (register, (x, y)) in pairs {
            if is_same(x, y) || !is_live(&first.code, first.pc, register as Reg) {
                continue;
            }
            let width = width_of(ctx, x).or_else(|| width_of(ctx, y));
            let width = width.or_else(|| defined_width(&first.code, register as Reg))?;
            merged.push((depth, register, choice(ctx, in_a, x, y, width)?));
        }
    }
    Some(merged)
}

fn choice(ctx: &Ctx, in_a: Term, a: &Value, b: &Value, width: u32) -> Option<Value> {
    let is_scalar = |value: &Value| !matches!(value, Value::Agg(_));
    if !is_scalar(a) || !is_scalar(b) {
        return None;
    }
    let (x, y) = (ctx.term(a, width), ctx.term(b, width));
    let same_sort = ctx.terms.sort(x) == ctx.terms.sort(y);
    same_sort.then(|| ctx.value(ctx.terms.ite(in_a, x, y), width))
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Ptr(a, i), Value::Ptr(b, j)) => (a, i) == (b, j),
        (Value::Sym(a), Value::Sym(b)) => a == b,
        (Value::Wide(a), Value::Wide(b)) => a == b,
        (Value::Agg(a), Value::Agg(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b))
        }
        (
            Value::Part {
                object,
                offset,
                index,
                len,
            },
            Value::Part {
                object: o,
                offset: p,
                index: q,
                len: r,
            },
        ) => (object, offset, index, len) == (o, p, q, r),
        _ => false,
    }
}

/// The width that a value shows by itself.
fn width_of(ctx: &Ctx, value: &Value) -> Option<u32> {
    match value {
        Value::Ptr(..) => Some(64),
        Value::Sym(term) => match ctx.terms.sort(*term) {
            sort if sort == Sort::BOOL => Some(1),
            sort => sort.bv_width(),
        },
        _ => None,
    }
}

/// The width of the register that the instruction defining it gives.
fn defined_width(code: &Code, register: Reg) -> Option<u32> {
    code.ops.iter().find_map(|op| match op {
        Op::Bin { width, dst, .. } if *dst == register => Some(u32::from(*width)),
        Op::ICmp { dst, .. } | Op::FCmp { dst, .. } if *dst == register => Some(1),
        Op::Cast { to, dst, .. } if *dst == register => Some(u32::from(*to)),
        Op::Load { dst, bits, .. } if *dst == register => Some(*bits),
        Op::Select { dst, width, .. } if *dst == register => Some(*width),
        Op::Call(call) if call.dst == Some(register) => {
            (call.result_width > 0).then_some(call.result_width)
        }
        _ => None,
    })
}

/// Whether an instruction that can be reached from `pc` reads the register before it is written.
fn is_live(code: &Code, pc: u32, register: Reg) -> bool {
    let mut seen = vec![false; code.ops.len()];
    let mut pending = vec![pc];
    while let Some(at) = pending.pop() {
        let Some(op) = code.ops.get(at as usize) else {
            continue;
        };
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        let Some((reads, written, next)) = effects(code, op) else {
            return true; // an instruction without an account of its operands
        };
        let wanted = |opd: &Opd| opd.0 & Opd::CONST == 0 && opd.0 == register;
        if reads.iter().any(wanted) {
            return true;
        }
        if written == Some(register) {
            continue;
        }
        match next {
            Next::Following => pending.push(at + 1),
            Next::Nothing => {}
            Next::Edges(edges) => {
                for edge in edges {
                    let Some(edge) = code.edges.get(edge as usize) else {
                        continue;
                    };
                    if edge.moves.iter().any(|(_, source)| wanted(source)) {
                        return true;
                    }
                    if edge.moves.iter().all(|(target, _)| *target != register) {
                        pending.push(edge.target);
                    }
                }
            }
        }
    }
    false
}

enum Next {
    Following,
    Nothing,
    Edges(Vec<u32>),
}

/// What an instruction reads, writes, and where it goes; `None` for those that merging does not look into.
fn effects(code: &Code, op: &Op) -> Option<(Vec<Opd>, Option<Reg>, Next)> {
    let following = |reads: Vec<Opd>, dst: Option<Reg>| Some((reads, dst, Next::Following));
    match op {
        Op::Bin { dst, a, b, .. }
        | Op::FBin { dst, a, b, .. }
        | Op::ICmp { dst, a, b, .. }
        | Op::FCmp { dst, a, b, .. } => following(vec![*a, *b], Some(*dst)),
        Op::FNeg { dst, a, .. }
        | Op::Cast { dst, a, .. }
        | Op::FCast { dst, a, .. }
        | Op::Move { dst, a } => following(vec![*a], Some(*dst)),
        Op::GepConst { dst, base, .. } => following(vec![*base], Some(*dst)),
        Op::Gep {
            dst,
            base,
            first,
            count,
            ..
        } => {
            let steps = &code.scaled[*first as usize..(*first + *count) as usize];
            let mut reads = vec![*base];
            reads.extend(steps.iter().map(|step| step.index));
            following(reads, Some(*dst))
        }
        Op::Load { dst, ptr, .. } => following(vec![*ptr], Some(*dst)),
        Op::Store { value, ptr, .. } => following(vec![*value, *ptr], None),
        Op::Select {
            dst, cond, a, b, ..
        } => following(vec![*cond, *a, *b], Some(*dst)),
        Op::Alloca { dst, count, .. } => {
            following(count.iter().map(|(count, _)| *count).collect(), Some(*dst))
        }
        Op::Begin { ptr, .. } => following(vec![*ptr], None),
        Op::Nop => following(Vec::new(), None),
        Op::Br { edge } => Some((Vec::new(), None, Next::Edges(vec![*edge]))),
        Op::CondBr { cond, yes, no } => Some((vec![*cond], None, Next::Edges(vec![*yes, *no]))),
        Op::Switch(switch) => {
            let mut edges: Vec<u32> = switch.cases.iter().map(|&(_, edge)| edge).collect();
            edges.push(switch.default);
            Some((vec![switch.value], None, Next::Edges(edges)))
        }
        Op::Ret { value } => Some((value.iter().copied().collect(), None, Next::Nothing)),
        Op::Unreachable | Op::Unsupported(_) => Some((Vec::new(), None, Next::Nothing)),
        Op::Call(call) => {
            let mut reads: Vec<Opd> = call.args.iter().map(|arg| arg.value).collect();
            if let Target::Pointer(pointer) = call.target {
                reads.push(pointer);
            }
            let next = match call.normal {
                None => Next::Following,
                Some(normal) => Next::Edges(call.unwind.into_iter().chain([normal]).collect()),
            };
            Some((reads, call.dst, next))
        }
        _ => None,
    }
}
