//! Copying and filling memory.

use super::{Run, arg, width};
use crate::address::ObjectId;
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Place, Step};
use crate::memory::read_scalar_at;
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;
use stet_llvm::IntPredicate;

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => copy,
        "memset" | "__memset_chk" => fill,
        "mempcpy" => |executor, state, call, args| {
            let start = copy(executor, state, call, args)?.unwrap_or(Value::Int(0));
            let sum = crate::arith::binary(
                &executor.ctx,
                stet_llvm::BinaryOp::Add,
                64,
                &start,
                &arg(args, 2),
            );
            Ok(Some(sum))
        },
        _ => return None,
    })
}

/// `memcpy` and `memmove`: overlapping ranges are copied as if through a buffer.
pub(super) fn copy(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let (to, from, len) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let len = length(executor, state, &[&to, &from], &len, width(call, 2))?;
    if len > 0 {
        let mut target = executor.resolve(state, &to, len, true)?;
        let merged = executor.merged;
        let source = executor.resolve(state, &from, len, false)?;
        if executor.merged != merged {
            // the target's bytes may have moved into the source's segment
            target = executor.resolve(state, &to, len, true)?;
        }
        executor.copy_between(state, target, source, len)?;
    }
    Ok(Some(to))
}

/// `memset`.
pub(super) fn fill(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let (to, byte, len) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let len = length(executor, state, &[&to], &len, width(call, 2))?;
    if len > 0 {
        let byte = crate::arith::cast(
            &executor.ctx,
            stet_llvm::CastOp::Trunc,
            width(call, 1),
            8,
            &byte,
        );
        match executor.resolve(state, &to, len, true)? {
            Place::At(object, offset) => {
                let ctx = executor.ctx.clone();
                if let Some(content) = state.memory.get_mut(object) {
                    content.fill(&ctx, offset as usize, len as usize, &byte);
                }
            }
            Place::Within(..) => {
                for k in 0..len {
                    let at = executor.offset(&to, k);
                    executor.store(state, &at, &MemTy::Scalar(8), &byte)?;
                }
            }
        }
    }
    Ok(Some(to))
}

/// The length as a number: every possible one is followed in its own state. Lengths that do not fit the
/// objects are reported first, so that there are not more states than bytes.
fn length(
    executor: &mut Executor<'_>,
    state: &mut State,
    pointers: &[&Value],
    len: &Value,
    width: u32,
) -> Step<u64> {
    if let Some(len) = executor.ctx.number(len) {
        return Ok(len);
    }
    if executor.is_nothing(state, len, width)? {
        return Ok(0);
    }
    for pointer in pointers {
        let place = executor.resolve_object(state, pointer, 0)?;
        if let Place::At(object, offset) = place {
            let room = executor
                .ctx
                .addresses
                .size_of(object)
                .saturating_sub(offset);
            let room = Value::wide(u128::from(room), width);
            let over = crate::arith::compare(&executor.ctx, IntPredicate::Ugt, width, len, &room);
            let over = executor.ctx.term(&over, 1);
            let message = "copying or filling may run past the end of an object";
            executor.forbid(state, over, ErrorKind::OutOfBounds, message)?;
        }
    }
    executor.enumerate(state, len, width)
}

impl Executor<'_> {
    /// Whether a length is zero, which is followed in a state of its own: then pointers need not point to anything.
    fn is_nothing(&mut self, state: &mut State, len: &Value, width: u32) -> Step<bool> {
        let len = self.defined_value(state, len, width);
        let zero = crate::arith::compare(
            &self.ctx,
            IntPredicate::Eq,
            width,
            &len,
            &Value::wide(0, width),
        );
        let zero = self.ctx.term(&zero, 1);
        match self.truth(state, zero)? {
            Truth::True => Ok(true),
            Truth::False => Ok(false),
            Truth::Both => {
                let some = self.ctx.terms.not(zero);
                if let Some(other) = self.fork(state, some) {
                    self.spawned.push(other);
                }
                self.assume(state, zero);
                state.depth += 1;
                Ok(true)
            }
            Truth::Unknown => self.undecided(),
        }
    }

    /// A number for a symbolic value: every possible one is followed in its own state.
    pub(crate) fn enumerate(&mut self, state: &mut State, value: &Value, width: u32) -> Step<u64> {
        let value = self.defined_value(state, value, width);
        let term = self.ctx.bits_term(&value, width);
        let Some(smallest) = self.chain.minimum(&state.constraints, term) else {
            return self.undecided();
        };
        let equal = self.ctx.terms.eq(term, self.ctx.wide_term(smallest, width));
        if self.truth(state, equal)? == Truth::Both {
            let other = self.ctx.terms.not(equal);
            if let Some(other) = self.fork(state, other) {
                self.spawned.push(other);
            }
            self.assume(state, equal);
            state.depth += 1;
        }
        Ok(smallest as u64)
    }

    /// Copies into a known place of an object.
    pub(crate) fn copy_place(
        &mut self,
        state: &mut State,
        from: Place,
        object: ObjectId,
        at: u64,
        len: u64,
    ) -> Step {
        self.copy_between(state, Place::At(object, at), from, len)
    }

    /// Copies between two checked places.
    pub(crate) fn copy_between(
        &mut self,
        state: &mut State,
        to: Place,
        from: Place,
        len: u64,
    ) -> Step {
        let ctx = self.ctx.clone();
        if let (Place::At(target, to), Place::At(source, from)) = (to, from) {
            let snapshot = state.memory.snapshot(source);
            if let (Some(snapshot), Some(content)) = (snapshot, state.memory.get_mut(target)) {
                content.copy_from(&ctx, to as usize, &snapshot, from as usize, len as usize);
            }
            return Ok(());
        }
        let met = self.may_be_unwritten(state, from, len);
        let mut bytes = Vec::with_capacity(len as usize);
        for k in 0..len {
            bytes.push(match from {
                Place::At(object, at) => match state.memory.get(object) {
                    Some(content) => content.read(&ctx, (at + k) as usize, 8),
                    None => Value::Int(0),
                },
                Place::Within(object, at, reach) => {
                    let at = ctx.terms.bv_add(at, ctx.terms.bv(64, k));
                    match state.memory.get_mut(object) {
                        Some(content) => read_scalar_at(&ctx, content, at, 8, reach, met),
                        None => Value::Int(0),
                    }
                }
            });
        }
        for (k, byte) in bytes.iter().enumerate() {
            match to {
                Place::At(object, at) => {
                    if let Some(content) = state.memory.get_mut(object) {
                        content.write(&ctx, at as usize + k, 8, byte);
                    }
                }
                Place::Within(object, at, reach) => {
                    let at = ctx.terms.bv_add(at, ctx.terms.bv(64, k as u64));
                    if let Some(content) = state.memory.get_mut(object) {
                        content.write_at(&ctx, at, 8, byte, reach);
                    }
                }
            }
        }
        Ok(())
    }
}
