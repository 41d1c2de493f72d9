//! Allocation: C's and C++'s, as one deterministic allocator that never reuses an address.

use super::{Run, arg, width};
use crate::code::{CallOp, MemTy};
use crate::exec::sizes::MANY_SIZES;
use crate::exec::{Executor, Place, Step, error};
use crate::left_out::LeftOutKind;
use crate::memory::Region;
use crate::object::{Kind, Object};
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;
use stet_llvm::{BinaryOp, IntPredicate};

/// Numbers of errors that `posix_memalign` returns.
const ENOMEM: u64 = 12;
const EINVAL: u64 = 22;

/// Objects from this size on are worth a warning.
const LARGE: u128 = 10 << 20;

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "malloc" | "_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t" | "valloc" | "__libc_malloc" => {
            |executor, state, call, args| {
                let place = allocate(executor, state, &arg(args, 0), 16)?;
                Ok(told_to_program(executor, state, call, place))
            }
        }
        "_Znwm" | "_Znam" => |executor, state, call, args| {
            let place = allocate(executor, state, &arg(args, 0), 16)?;
            Ok(thrown_unless(executor, state, call, place))
        },
        // the model of the system relies on zeroes
        "sx_allocate" => |executor, state, _, args| allocate_zeroed(executor, state, &arg(args, 0)),
        "calloc" | "__libc_calloc" => calloc,
        "realloc" | "__libc_realloc" => realloc,
        "reallocarray" => |executor, state, call, args| {
            let size = crate::arith::binary(
                &executor.ctx,
                BinaryOp::Mul,
                64,
                &arg(args, 1),
                &arg(args, 2),
            );
            realloc(executor, state, call, &[arg(args, 0), size])
        },
        "free"
        | "cfree"
        | "__libc_free"
        | "sx_release"
        | "_ZdlPv"
        | "_ZdaPv"
        | "_ZdlPvm"
        | "_ZdaPvm"
        | "_ZdlPvRKSt9nothrow_t"
        | "_ZdaPvRKSt9nothrow_t"
        | "_ZdlPvSt11align_val_t"
        | "_ZdlPvmSt11align_val_t"
        | "_ZdaPvSt11align_val_t"
        | "_ZdaPvmSt11align_val_t"
        | "_ZdlPvSt11align_val_tRKSt9nothrow_t"
        | "_ZdaPvSt11align_val_tRKSt9nothrow_t" => free,
        "aligned_alloc" | "memalign" => |executor, state, call, args| {
            let align =
                executor.concrete(state, &arg(args, 0), width(call, 0), "an alignment")? as u64;
            let place = allocate(executor, state, &arg(args, 1), align)?;
            Ok(told_to_program(executor, state, call, place))
        },
        "_ZnwmSt11align_val_t" | "_ZnamSt11align_val_t" => |executor, state, call, args| {
            let place = allocate_aligned(executor, state, call, args)?;
            Ok(thrown_unless(executor, state, call, place))
        },
        "_ZnwmSt11align_val_tRKSt9nothrow_t" | "_ZnamSt11align_val_tRKSt9nothrow_t" => {
            allocate_aligned
        }
        "posix_memalign" => posix_memalign,
        "malloc_usable_size" => usable_size,
        _ => return None,
    })
}

/// What programs can address on x86-64, and more than any of their allocations has.
const ADDRESS_SPACE: u128 = 1 << 47;

/// The size of an object as a number, limited; `None` where an allocator would fail.
fn size_of(executor: &mut Executor<'_>, state: &mut State, size: &Value) -> Step<Option<u64>> {
    let size = match size {
        Value::Sym(term) => {
            // sizes that are surely small are all followed; of others one is chosen
            let terms = &executor.ctx.terms;
            let small = terms.bv_ult(*term, terms.bv(64, MANY_SIZES));
            match executor.truth(state, small)? {
                Truth::True => u128::from(executor.enumerate(state, size, 64)?),
                _ => executor.concrete_size(state, size, 64, "the size of a heap object")?,
            }
        }
        _ => executor.concrete(state, size, 64, "the size of a heap object")?,
    };
    // no allocator of the platform has so much: programs get null natively, too
    if size >= ADDRESS_SPACE && !executor.settings.klee.klee_words {
        return Ok(None);
    }
    let room = u64::try_from(size).is_ok_and(Object::has_room);
    if size > u128::from(executor.settings.max_allocation) || !room {
        executor.leave_out(
            state,
            LeftOutKind::Refused,
            &format!("an allocation of {size} bytes was refused (returned null)"),
        );
        return Ok(None);
    }
    if size >= LARGE {
        let what = format!("Large memory allocation ({size} bytes)");
        executor.warn_once(match executor.settings.klee.klee_words {
            true => format!("{what}. KLEE may run out of memory."),
            false => what,
        });
    }
    Ok(Some(size as u64))
}

fn allocate(
    executor: &mut Executor<'_>,
    state: &mut State,
    size: &Value,
    align: u64,
) -> Step<Option<Value>> {
    if !align.is_power_of_two() || align > 1 << 30 {
        return Ok(Some(Value::Int(0)));
    }
    let Some(size) = size_of(executor, state, size)? else {
        return Ok(Some(Value::Int(0)));
    };
    let object = executor.allocate_unwritten(state, size, align, Region::Heap);
    Ok(Some(Value::Ptr(object, 0)))
}

/// `new` with an alignment.
fn allocate_aligned(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let align = executor.concrete(state, &arg(args, 1), width(call, 1), "an alignment")? as u64;
    allocate(executor, state, &arg(args, 0), align)
}

/// What an allocation gives to the program; one that failed sets `errno`, which the C library knows.
fn told_to_program(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    place: Option<Value>,
) -> Option<Value> {
    if let Some(Value::Int(0)) = place
        && let Some(failing) = executor
            .program
            .exported_function(&executor.ctx, "sx_no_memory")
        && executor.enter_for_result(state, failing, call)
    {
        return None;
    }
    place
}

/// What `new` gives; without memory the C++ runtime throws, if it is linked.
fn thrown_unless(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    place: Option<Value>,
) -> Option<Value> {
    if let Some(Value::Int(0)) = place
        && let Some(thrower) = executor
            .program
            .exported_function(&executor.ctx, "sx_bad_alloc")
    {
        executor.enter_function(state, thrower, &[], call.normal);
        return None;
    }
    place
}

fn allocate_zeroed(
    executor: &mut Executor<'_>,
    state: &mut State,
    size: &Value,
) -> Step<Option<Value>> {
    let Some(size) = size_of(executor, state, size)? else {
        return Ok(Some(Value::Int(0)));
    };
    let object = executor.allocate(state, size, 16, Region::Heap);
    Ok(Some(Value::Ptr(object, 0)))
}

fn calloc(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let (count, each) = (arg(args, 0), arg(args, 1));
    let numbers = (executor.ctx.number(&count), executor.ctx.number(&each));
    let size = match numbers {
        (Some(count), Some(each)) => count.checked_mul(each).map(Value::Int),
        _ => {
            // a product that wraps around is refused, as by the system's calloc
            let terms = executor.ctx.terms.clone();
            let wide = |value: &Value| terms.zero_extend(executor.ctx.bits_term(value, 64), 128);
            let product = terms.bv_mul(wide(&count), wide(&each));
            let high = terms.extract(127, 64, product);
            let over = terms.not(terms.eq(high, terms.bv(64, 0)));
            let low = executor.ctx.value(terms.extract(63, 0, product), 64);
            match executor.truth(state, over)? {
                Truth::True => None,
                Truth::False => Some(low),
                _ => {
                    if let Some(other) = executor.fork(state, over) {
                        executor.spawned.push(other);
                    }
                    let fits = terms.not(over);
                    executor.assume(state, fits);
                    state.depth += 1;
                    Some(low)
                }
            }
        }
    };
    let place = match size {
        Some(size) => allocate_zeroed(executor, state, &size)?,
        None => Some(Value::Int(0)),
    };
    Ok(told_to_program(executor, state, call, place))
}

fn realloc(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let (old, size) = (arg(args, 0), arg(args, 1));
    let old = match old {
        Value::Int(0) => None,
        old => heap_object(executor, state, &old)?,
    };
    let Some(old) = old else {
        let place = allocate(executor, state, &size, 16)?;
        return Ok(told_to_program(executor, state, call, place));
    };
    let Some(size) = size_of(executor, state, &size)? else {
        return Ok(told_to_program(executor, state, call, Some(Value::Int(0))));
    };
    if size == 0 {
        // as glibc, and KLEE: the object is freed
        state.memory.remove(old);
        return Ok(Some(Value::Int(0)));
    }
    let kept = executor.ctx.addresses.size_of(old).min(size);
    let object = executor.allocate_unwritten(state, size, 16, Region::Heap);
    let from = state.memory.at_home(&executor.ctx, Place::At(old, 0));
    executor.copy_place(state, from, object, 0, kept)?;
    state.memory.remove(old);
    Ok(Some(Value::Ptr(object, 0)))
}

fn free(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let pointer = arg(args, 0);
    if executor.free_natively(state, &pointer)? {
        return Ok(None);
    }
    if let Some(object) = heap_object(executor, state, &pointer)? {
        state.memory.remove(object);
    }
    Ok(None)
}

/// The heap object that starts at a pointer; `None` for null.
fn heap_object(
    executor: &mut Executor<'_>,
    state: &mut State,
    pointer: &Value,
) -> Step<Option<crate::address::ObjectId>> {
    let found = match pointer {
        Value::Int(0) => return Ok(None),
        Value::Ptr(object, offset) => (*object, *offset),
        Value::Int(address) => match state.memory.find(&executor.ctx, *address) {
            Some(found) => found,
            None => return error(ErrorKind::Free, "free of an address that was not allocated"),
        },
        value => {
            let null =
                crate::arith::compare(&executor.ctx, IntPredicate::Eq, 64, value, &Value::Int(0));
            let null = executor.ctx.term(&null, 1);
            match executor.truth(state, null)? {
                Truth::True => return Ok(None),
                Truth::Both => {
                    if let Some(other) = executor.fork(state, null) {
                        executor.spawned.push(other);
                    }
                    let some = executor.ctx.terms.not(null);
                    executor.assume(state, some);
                }
                _ => {}
            }
            match executor.resolve_object(state, value, 0)? {
                Place::At(object, offset) => (object, offset),
                Place::Within(object, offset, _) => {
                    let inside = executor
                        .ctx
                        .terms
                        .not(executor.ctx.terms.eq(offset, executor.ctx.terms.bv(64, 0)));
                    executor.forbid(
                        state,
                        inside,
                        ErrorKind::Free,
                        "free of an address inside an object",
                    )?;
                    (object, 0)
                }
            }
        }
    };
    let (object, offset) = found;
    match state.memory.get(object) {
        None => {
            let size = executor.ctx.addresses.size_of(object);
            error(
                ErrorKind::Free,
                format!("double free: the object of {size} bytes was freed before"),
            )
        }
        Some(content) if content.kind != Kind::Heap => {
            let what = match content.kind {
                Kind::Stack => "a stack object",
                Kind::Function => "a function",
                Kind::Native => {
                    let what = "`realloc` of memory that an external function allocated";
                    return error(ErrorKind::Unsupported, what);
                }
                _ => "a global object",
            };
            error(ErrorKind::Free, format!("free of {what}"))
        }
        Some(_) if offset != 0 => error(ErrorKind::Free, "free of an address inside an object"),
        Some(_) => Ok(Some(object)),
    }
}

fn posix_memalign(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let align = executor.concrete(state, &arg(args, 1), width(call, 1), "an alignment")? as u64;
    let place = arg(args, 0);
    if !align.is_power_of_two() || align < 8 {
        return Ok(Some(Value::Int(EINVAL)));
    }
    executor.resolve(state, &place, 8, true)?;
    match allocate(executor, state, &arg(args, 2), align)? {
        Some(pointer @ Value::Ptr(..)) => {
            executor.store(state, &place, &MemTy::Scalar(64), &pointer)?;
            Ok(Some(Value::Int(0)))
        }
        _ => Ok(Some(Value::Int(ENOMEM))),
    }
}

fn usable_size(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let object = heap_object(executor, state, &arg(args, 0))?;
    let size = object.map_or(0, |object| executor.ctx.addresses.size_of(object));
    Ok(Some(Value::Int(size)))
}
