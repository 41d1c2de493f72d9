//! Objects at addresses that the program names itself: `klee_define_fixed_object`.

use super::{arg, width};
use crate::address::{BASE_ALIGN, GLOBAL_START, HEAP_START, RED_ZONE};
use crate::code::CallOp;
use crate::exec::{Executor, Step, error};
use crate::object::{Kind, Object};
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;

/// `klee_define_fixed_object(address, size)`: memory that holds zeroes at first. The address is a number where neither the
/// program's own objects nor those of the heap lie, so that no two objects meet.
pub(super) fn define(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let (Value::Int(base), Value::Int(size)) = (arg(args, 0), arg(args, 1)) else {
        let what = "klee_define_fixed_object of an address or size that is no constant";
        return error(ErrorKind::User, what);
    };
    debug_assert!(width(call, 0) == 64);
    let end = base.saturating_add(size);
    let is_low = end <= GLOBAL_START;
    // between the program and its heap the first addresses are the globals'
    let is_high = base >= HEAP_START / 2 && end <= HEAP_START;
    if base % BASE_ALIGN != 0 || size == 0 || !(is_low || is_high) {
        let what = format!(
            "klee_define_fixed_object of {size} bytes at {base:#x}: objects are supported at multiples of {BASE_ALIGN} below {GLOBAL_START:#x}, and from {:#x} to {HEAP_START:#x}",
            HEAP_START / 2
        );
        return error(ErrorKind::Unsupported, what);
    }
    if size > executor.settings.max_allocation || !Object::has_room(size) {
        let what = "klee_define_fixed_object of more memory than an allocation may have";
        return error(ErrorKind::Unsupported, what);
    }
    let around = (base.saturating_sub(RED_ZONE), end + RED_ZONE);
    let mut near = executor.ctx.addresses.between(around).into_iter();
    if near.any(|object| state.memory.get(object).is_some()) {
        let what = "klee_define_fixed_object of an address range that is in use";
        return error(ErrorKind::User, what);
    }
    let object = executor.ctx.addresses.at(base, size);
    let mut content = Object::zeroed(Kind::Global, size);
    content.id = Some((object, state.memory.next_serial()));
    state.memory.insert(object, content);
    Ok(None)
}
