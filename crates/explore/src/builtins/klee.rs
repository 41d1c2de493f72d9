//! KLEE's interface (`klee/klee.h`), its checks, and the handlers of undefined-behaviour sanitizers.

use super::{Run, arg, width};
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Place, Step, Stop, error};
use crate::left_out::LeftOutKind;
use crate::object::{Byte, Kind};
use crate::query::Truth;
use crate::report::{ErrorKind, Outcome, Report, TestObject};
use crate::state::{State, Symbolic};
use crate::value::Value;
use std::rc::Rc;
use stet_llvm::IntPredicate;
use stet_term::{Sort, Term};

/// The longest name or message that is read from the program's memory.
const MAX_STRING: u64 = 4096;

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "klee_make_symbolic" => make_symbolic,
        "klee_assume" => assume,
        "stet_assume" => assume_or_end,
        "klee_int" => int,
        "klee_range" => range,
        "klee_choose" => choose,
        "klee_define_fixed_object" => super::fixed::define,
        "klee_is_symbolic" => is_symbolic,
        "klee_silent_exit" => |_, _, _, _| Err(Stop(Box::new(Outcome::Silent))),
        "klee_abort" => |_, _, _, _| error(ErrorKind::Abort, "the program called klee_abort"),
        "klee_report_error" => report_error,
        "klee_prefer_cex" | "klee_posix_prefer_cex" => prefer,
        "klee_print_expr" => print_expression,
        "klee_print_range" => print_range,
        "klee_warning" => |executor, state, _, args| {
            let message = warning_text(executor, state, &arg(args, 0))?;
            executor.sink.warning(&message);
            Ok(None)
        },
        "klee_warning_once" => |executor, state, _, args| {
            let message = warning_text(executor, state, &arg(args, 0))?;
            executor.warn_once(message);
            Ok(None)
        },
        "klee_open_merge" => open_merge,
        "klee_close_merge" => close_merge,
        "klee_merge" | "klee_stack_trace" => nothing,
        "klee_mark_global" => mark_global,
        "klee_check_memory_access" => check_access,
        "klee_get_obj_size" => object_size,
        "klee_get_errno" => |_, _, _, _| Ok(Some(Value::Int(0))),
        "klee_div_zero_check" => division_check,
        "klee_overshift_check" => shift_check,
        "klee_set_forking" => |executor, _, _, _| {
            executor.warn_once("klee_set_forking is ignored: all paths are explored".into());
            Ok(None)
        },
        "klee_assert" => |executor, state, call, args| {
            let failed = is_zero(executor, &arg(args, 0), width(call, 0));
            executor.forbid(state, failed, ErrorKind::Assertion, "assertion failed")?;
            Ok(None)
        },
        "stet_left_out" => left_out,
        "stet_refuse" => refuse,
        _ if name.starts_with("klee_get_value") => get_value,
        _ if name.starts_with("__ubsan_handle_") => super::sanitizer::handle,
        _ => return None,
    })
}

/// The object may no longer be freed.
fn mark_global(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let object = executor.resolve_object(state, &arg(args, 0), 0)?.object();
    if let Some(content) = state.memory.get_mut(object) {
        content.kind = Kind::Global;
    }
    Ok(None)
}

fn nothing(_: &mut Executor<'_>, _: &mut State, _: &CallOp, _: &[Value]) -> Step<Option<Value>> {
    Ok(None)
}

/// The paths from here on are merged at the matching `klee_close_merge`.
fn open_merge(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    _: &[Value],
) -> Step<Option<Value>> {
    let rules = executor.settings.klee;
    if rules.use_merge {
        executor.next_id += 1;
        let id = executor.next_id;
        state.merges.push(Rc::new(crate::merge::MergeGroup { id }));
        if rules.log_merge {
            let message = format!("KLEE: open merge: state {}", state.id);
            executor.sink.message(&message);
        }
    }
    Ok(None)
}

fn close_merge(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    _: &[Value],
) -> Step<Option<Value>> {
    let rules = executor.settings.klee;
    if !rules.use_merge {
        return Ok(None);
    }
    let Some(group) = state.merges.pop() else {
        let place = executor.location(&state.top.code, state.top.pc);
        let at = format!("{}:{}", place.file, place.line);
        let message = format!(
            "state {} ran into a close at {at} without a preceding open",
            state.id
        );
        executor.sink.warning(&message);
        return Ok(None);
    };
    if rules.log_merge {
        let message = format!(
            "KLEE: close merge: state {} at group {}",
            state.id, group.id
        );
        executor.sink.message(&message);
    }
    state.closing = Some(group);
    Ok(None)
}

/// A string of the program.
pub(super) fn string(
    executor: &mut Executor<'_>,
    state: &mut State,
    pointer: &Value,
) -> Step<String> {
    let mut bytes = Vec::new();
    let mut most = MAX_STRING;
    if executor.settings.klee.klee_words
        && let Place::At(object, offset) = executor.resolve(state, pointer, 0, false)?
    {
        most = most.min(
            executor
                .ctx
                .addresses
                .size_of(object)
                .saturating_sub(offset),
        );
    }
    for k in 0..=most {
        if k == most {
            let what = "String not terminated by \\0 passed to one of the klee_ functions";
            executor.warn_once(what.to_owned());
            break;
        }
        let at = executor.offset(pointer, k);
        match executor.load(state, &at, &MemTy::Scalar(8))? {
            Value::Int(0) => break,
            Value::Int(byte) => bytes.push(byte as u8),
            _ => return error(ErrorKind::User, "a name or message that is symbolic"),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Fresh symbolic bytes under a name that is unique on the path.
pub(super) fn fresh(
    executor: &mut Executor<'_>,
    state: &mut State,
    name: &str,
    size: u64,
) -> Rc<[Term]> {
    let taken = |wanted: &str| {
        state
            .symbolics
            .newest_first()
            .any(|known| &*known.name == wanted)
    };
    let mut unique = name.to_owned();
    let mut number = 0;
    while taken(&unique) {
        number += 1;
        unique = format!("{name}_{number}");
    }
    let terms = &executor.ctx.terms;
    let byte = |k: u64| terms.symbol(&format!("{unique}[{k}]"), Sort::bv(8));
    let bytes: Rc<[Term]> = (0..size).map(byte).collect();
    state.symbolics.push(Symbolic {
        name: unique.as_str().into(),
        bytes: bytes.clone(),
    });
    if !state.seeds.is_empty() {
        crate::seeds::extend(executor, state, &unique, &bytes);
    }
    bytes
}

fn make_symbolic(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    // old programs leave the name out
    let name = match args.len() {
        0..=2 => "unnamed".to_owned(),
        _ => match &args[2] {
            Value::Int(0) => "unnamed".to_owned(),
            pointer => string(executor, state, pointer)?,
        },
    };
    let name = match name.is_empty() {
        true => {
            let warning = "klee_make_symbolic: the empty name was replaced by \"unnamed\"";
            executor.sink.warning(warning);
            "unnamed".to_owned()
        }
        false => name,
    };
    let size = executor.concrete(
        state,
        &arg(args, 1),
        width(call, 1),
        "the size of a symbolic object",
    )? as u64;
    match executor.resolve_object(state, &arg(args, 0), size)? {
        Place::At(object, offset) => {
            if state
                .memory
                .get(object)
                .is_some_and(|content| !content.writable)
            {
                return error(
                    ErrorKind::ReadOnly,
                    "klee_make_symbolic of read-only memory",
                );
            }
            let bytes = match executor.settings.replay.clone() {
                Some(test) => replayed(executor, state, &test, &name, size)?,
                None => fresh(executor, state, &name, size),
            };
            let ctx = executor.ctx.clone();
            let (object, offset) = state.memory.home(object, offset);
            if let Some(content) = state.memory.get_mut(object) {
                for (k, &byte) in bytes.iter().enumerate() {
                    let byte = match ctx.terms.as_u64(byte) {
                        Some(number) => Byte::Concrete(number as u8),
                        None => Byte::Sym(byte),
                    };
                    content.set_byte(&ctx, offset as usize + k, byte);
                }
            }
        }
        Place::Within(..) => {
            return error(ErrorKind::User, "klee_make_symbolic at a symbolic address");
        }
    }
    Ok(None)
}

/// The condition that a value is zero.
fn is_zero(executor: &Executor<'_>, value: &Value, width: u32) -> Term {
    let zero = Value::wide(0, width);
    let equal = crate::arith::compare(&executor.ctx, IntPredicate::Eq, width, value, &zero);
    executor.ctx.term(&equal, 1)
}

fn assume(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let zero = is_zero(executor, &arg(args, 0), width(call, 0));
    let holds = executor.ctx.terms.not(zero);
    match executor.truth(state, holds)? {
        Truth::True => {}
        Truth::False if executor.settings.klee.silent_assume => {
            return Err(Stop(Box::new(Outcome::Silent)));
        }
        Truth::False => {
            return error(
                ErrorKind::User,
                "klee_assume of a condition that cannot be true",
            );
        }
        _ => executor.assume(state, holds),
    }
    Ok(None)
}

/// `stet_assume(uintptr_t)`: paths on which the condition cannot be true end without an error, because a condition with `&&` in it has
/// been decided by the time it comes here.
fn assume_or_end(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let zero = is_zero(executor, &arg(args, 0), width(call, 0));
    let holds = executor.ctx.terms.not(zero);
    match executor.truth(state, holds)? {
        Truth::True => {}
        Truth::False => return Err(Stop(Box::new(Outcome::Silent))),
        _ => executor.assume(state, holds),
    }
    Ok(None)
}

fn join(executor: &Executor<'_>, bytes: &[Term]) -> Term {
    let terms = &executor.ctx.terms;
    let joined = bytes
        .iter()
        .copied()
        .reduce(|low, high| terms.concat(high, low));
    joined.unwrap_or_else(|| terms.bv(8, 0))
}

fn int(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = string(executor, state, &arg(args, 0))?;
    let value = number_object(executor, state, &name, 4)?;
    Ok(Some(executor.ctx.value(value, 32)))
}

fn range(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let begin = executor.concrete(state, &arg(args, 0), 32, "the bound of a range")? as u32 as i32;
    let end = executor.concrete(state, &arg(args, 1), 32, "the bound of a range")? as u32 as i32;
    if begin >= end {
        return error(ErrorKind::User, "klee_range of an empty range");
    }
    if begin.wrapping_add(1) == end {
        return Ok(Some(Value::Int(u64::from(begin as u32))));
    }
    let name = string(executor, state, &arg(args, 2))?;
    let value = number_object(executor, state, &name, 4)?;
    let terms = executor.ctx.terms.clone();
    let low = terms.bv_sle(terms.bv(32, u64::from(begin as u32)), value);
    let high = terms.bv_slt(value, terms.bv(32, u64::from(end as u32)));
    for bound in [low, high] {
        match bound {
            Term::TRUE => {}
            Term::FALSE => {
                return error(
                    ErrorKind::User,
                    "the replayed value lies outside of its range",
                );
            }
            _ => executor.assume(state, bound),
        }
    }
    Ok(Some(executor.ctx.value(value, 32)))
}

/// `klee_choose(count)`: a number below `count`; a path with nothing to choose from ends without a test.
fn choose(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let bits = width(call, 0);
    let count = executor.defined_value(state, &arg(args, 0), bits);
    let count = crate::arith::cast(&executor.ctx, stet_llvm::CastOp::ZExt, bits, 64, &count);
    let value = number_object(executor, state, "klee_choose", 8)?;
    let count = executor.ctx.term(&count, 64);
    let is_inside = executor.ctx.terms.bv_ult(value, count);
    match executor.truth(state, is_inside)? {
        Truth::True => {}
        Truth::False => return Err(Stop(Box::new(Outcome::Silent))),
        _ => executor.assume(state, is_inside),
    }
    Ok(Some(executor.ctx.value(value, 64)))
}

fn is_symbolic(
    executor: &mut Executor<'_>,
    _: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let terms = &executor.ctx.terms;
    let symbolic = match args.first() {
        Some(Value::Sym(term)) => {
            let symbols = terms.free_symbols(*term);
            symbols
                .iter()
                .any(|&symbol| terms.symbol_info(symbol).mark == 0)
        }
        _ => false,
    };
    Ok(Some(Value::bool(symbolic)))
}

fn report_error(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let file = string(executor, state, &arg(args, 0))?;
    let message = string(executor, state, &arg(args, 2))?;
    let suffix = string(executor, state, &arg(args, 3))?;
    let line = executor.ctx.number(&arg(args, 1)).unwrap_or(0) as u32;
    let suffix = suffix.strip_suffix(".err").unwrap_or(&suffix).to_owned();
    let kind = match suffix.as_str() {
        "assert" => ErrorKind::Assertion,
        _ => ErrorKind::User,
    };
    state.report = Some(Rc::new(Report { file, line, suffix }));
    error(kind, message)
}

fn prefer(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let zero = is_zero(executor, &arg(args, 1), width(call, 1));
    let preferred = executor.ctx.terms.not(zero);
    if preferred != Term::TRUE && preferred != Term::FALSE {
        state.preferences.push(preferred);
    }
    Ok(None)
}

fn print_expression(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let message = string(executor, state, &arg(args, 0))?;
    let text = match args.get(1) {
        Some(Value::Int(number)) => number.to_string(),
        Some(value) => {
            let term = executor.ctx.term(value, width(call, 1));
            match executor.settings.klee.klee_words {
                true => crate::kquery::expression(&executor.ctx.terms, term),
                false => stet_term::Printer::new(&executor.ctx.terms).term(term),
            }
        }
        None => String::new(),
    };
    let gap = if executor.settings.klee.klee_words {
        ""
    } else {
        " "
    };
    executor.sink.message(&format!("{message}:{gap}{text}"));
    Ok(None)
}

fn print_range(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let message = string(executor, state, &arg(args, 0))?;
    let width = width(call, 1);
    let text = match executor.ctx.number128(&arg(args, 1)) {
        Some(number) => number.to_string(),
        None => {
            let term = executor.ctx.bits_term(&arg(args, 1), width);
            let terms = executor.ctx.terms.clone();
            let least = executor.chain.minimum(&state.constraints, term);
            // the largest value has the smallest complement
            let inverse = terms.bv_not(term);
            let most = executor.chain.minimum(&state.constraints, inverse);
            let ones = if width >= 128 {
                u128::MAX
            } else {
                (1u128 << width) - 1
            };
            match (least, most) {
                (Some(least), Some(inverse)) => format!("[{least}, {}]", ones - inverse),
                _ => return executor.undecided(),
            }
        }
    };
    executor.sink.message(&format!("{message}:{text}"));
    Ok(None)
}

/// A warning of the program; KLEE puts the function's name before it.
fn warning_text(executor: &mut Executor<'_>, state: &mut State, pointer: &Value) -> Step<String> {
    let message = string(executor, state, pointer)?;
    if !executor.settings.klee.klee_words {
        return Ok(message);
    }
    let functions = executor.program.functions.borrow();
    let function = &functions[state.top.code.function as usize].name;
    Ok(format!("{function}: {message}"))
}

/// Four bytes under a name, symbolic or those of the test being replayed, as one number.
fn number_object(
    executor: &mut Executor<'_>,
    state: &mut State,
    name: &str,
    size: u64,
) -> Step<Term> {
    let bytes = match executor.settings.replay.clone() {
        Some(test) => replayed(executor, state, &test, name, size)?,
        None => fresh(executor, state, name, size),
    };
    Ok(join(executor, &bytes))
}

/// The bytes of the next object of a test.
fn replayed(
    executor: &mut Executor<'_>,
    state: &mut State,
    test: &[TestObject],
    name: &str,
    size: u64,
) -> Step<Rc<[Term]>> {
    let position = state.symbolics.newest_first().count();
    let Some(object) = test.get(position) else {
        return error(
            ErrorKind::User,
            "replay did not consume all objects in test input",
        );
    };
    if object.bytes.len() as u64 != size {
        return error(ErrorKind::User, "replay size mismatch");
    }
    let terms = &executor.ctx.terms;
    let byte = |&byte: &u8| terms.bv(8, u64::from(byte));
    let bytes: Rc<[Term]> = object.bytes.iter().map(byte).collect();
    state.symbolics.push(Symbolic {
        name: name.into(),
        bytes: bytes.clone(),
    });
    Ok(bytes)
}

fn get_value(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let (value, width) = (arg(args, 0), width(call, 0));
    if let Some(number) = executor.ctx.number128(&value) {
        return Ok(Some(Value::wide(number, width)));
    }
    let term = executor.ctx.bits_term(&value, width);
    match executor.chain.minimum(&state.constraints, term) {
        Some(number) => {
            let constant = executor
                .ctx
                .wide_term(number, executor.ctx.terms.width(term));
            let fixed = executor.ctx.terms.eq(term, constant);
            if executor.truth(state, fixed)? != Truth::True {
                let what = "klee_get_value gave one of several values";
                executor.leave_out(state, LeftOutKind::Fixed, what);
            }
            Ok(Some(Value::wide(number, width)))
        }
        None => executor.undecided(),
    }
}

/// `stet_left_out(const char *what)`: a model of the environment assumed something.
fn left_out(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let what = string(executor, state, &arg(args, 0))?;
    executor.leave_out(state, LeftOutKind::Assumed, &what);
    Ok(None)
}

/// `stet_refuse(const char *what)`: a model of the environment does not have something; the path ends.
fn refuse(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let what = string(executor, state, &arg(args, 0))?;
    error(ErrorKind::Unsupported, what)
}

fn check_access(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let size = executor.concrete(
        state,
        &arg(args, 1),
        width(call, 1),
        "the size of a memory access",
    )? as u64;
    executor.resolve(state, &arg(args, 0), size, false)?;
    Ok(None)
}

fn object_size(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let object = executor.resolve_object(state, &arg(args, 0), 0)?.object();
    let size = executor.ctx.addresses.size_of(object);
    Ok(Some(Value::Int(size)))
}

fn division_check(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let zero = is_zero(executor, &arg(args, 0), width(call, 0));
    executor.forbid(state, zero, ErrorKind::DivisionByZero, "division by zero")?;
    Ok(None)
}

fn shift_check(
    executor: &mut Executor<'_>,
    state: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let (bits, amount) = (arg(args, 0), arg(args, 1));
    let over = crate::arith::compare(
        &executor.ctx,
        IntPredicate::Uge,
        width(call, 1),
        &amount,
        &bits,
    );
    let over = executor.ctx.term(&over, 1);
    executor.forbid(
        state,
        over,
        ErrorKind::Overshift,
        "shift by the width or more",
    )?;
    Ok(None)
}
