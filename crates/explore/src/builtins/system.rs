//! Engine support for the system model (`runtime/posix`), for effects that memory cannot express: output, the end
//! of the program, and the read-only root directory.

use super::klee::string;
use super::{Run, arg};
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Place, Step, Stop, error};
use crate::memory::Region;
use crate::object::{Byte, Kind, Object};
use crate::query::Purpose;
use crate::report::{ErrorKind, Outcome};
use crate::state::State;
use crate::value::Value;

/// What a file of the root is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootFacts {
    /// Type and permissions, as `st_mode` has them.
    pub mode: u32,
    pub size: u64,
    /// Modification time, in seconds.
    pub modified: i64,
}

/// The read-only directory explored programs find their concrete files in. Paths are absolute and have no links,
/// `.` or `..` in them.
pub trait Root: std::fmt::Debug + Send + Sync {
    /// What is at a path, without following a link.
    fn facts(&self, path: &str) -> Option<RootFacts>;
    /// The contents of a file.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// The names in a folder.
    fn list(&self, path: &str) -> Option<Vec<String>>;
    /// The target of a link.
    fn link(&self, path: &str) -> Option<String>;
}

pub(super) fn find(name: &str) -> Option<Run> {
    Some(match name {
        "sx_output" => output,
        "sx_exit" => |executor, state, _, args| {
            let status = executor.status(state, &arg(args, 0))?;
            Err(Stop(Box::new(Outcome::Exit(status & 0xff))))
        },
        "sx_killed" => killed,
        "sx_room" => room,
        "sx_assumed" => assumed,
        "sx_root_stat" => root_stat,
        "sx_root_read" => |executor, state, _, args| {
            let path = string(executor, state, &arg(args, 0))?;
            let root = executor.settings.root.clone();
            let bytes = root.and_then(|root| root.read(&path));
            give(executor, state, args, bytes)
        },
        "sx_root_list" => |executor, state, _, args| {
            let path = string(executor, state, &arg(args, 0))?;
            let root = executor.settings.root.clone();
            let names = root.and_then(|root| root.list(&path));
            let bytes = names.map(|names| {
                let ended = names.iter().flat_map(|name| name.bytes().chain([0]));
                ended.collect()
            });
            give(executor, state, args, bytes)
        },
        "sx_root_link" => |executor, state, _, args| {
            let path = string(executor, state, &arg(args, 0))?;
            let root = executor.settings.root.clone();
            let target = root.and_then(|root| root.link(&path));
            give(executor, state, args, target.map(String::into_bytes))
        },
        _ => return None,
    })
}

/// A signal's default action ended the program: an error where it stands for one.
fn killed(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let signal = executor.status(state, &arg(args, 0))?;
    match signal {
        // the signals that stand for faults: QUIT, ILL, TRAP, ABRT, BUS, FPE, SEGV, XCPU, XFSZ, SYS
        3..=8 | 11 | 24 | 25 | 31 => error(
            ErrorKind::Abort,
            format!("the program was killed by signal {signal}, which it sent itself"),
        ),
        _ => Err(Stop(Box::new(Outcome::Exit(128 + signal)))),
    }
}

/// `sx_assumed(value, key, what)`: a number that is another one elsewhere, and is recorded where it decides something.
fn assumed(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let what = string(executor, state, &arg(args, 2))?;
    let key = executor.ctx.number(&arg(args, 1)).unwrap_or(0);
    let value = executor.ctx.assumed(&arg(args, 0), key, &what);
    Ok(Some(value))
}

/// How many bytes can be accessed from an address on: none where no object is.
fn room(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let pointer = arg(args, 0);
    if let Value::Int(address) = pointer
        && state.memory.find(&executor.ctx, address).is_none()
    {
        return Ok(Some(Value::Int(0)));
    }
    let place = executor.resolve_object(state, &pointer, 0)?;
    let left = match place {
        Place::At(object, offset) => executor
            .ctx
            .addresses
            .size_of(object)
            .saturating_sub(offset),
        Place::Within(object, ..) => executor.ctx.addresses.size_of(object),
    };
    Ok(Some(Value::Int(left)))
}

fn root_stat(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let path = string(executor, state, &arg(args, 0))?;
    let root = executor.settings.root.clone();
    let Some(facts) = root.and_then(|root| root.facts(&path)) else {
        return Ok(Some(Value::Int(0)));
    };
    let numbers = [u64::from(facts.mode), facts.size, facts.modified as u64];
    for (k, number) in numbers.into_iter().enumerate() {
        let at = executor.offset(&arg(args, 1), 8 * k as u64);
        executor.store(state, &at, &MemTy::Scalar(64), &Value::Int(number))?;
    }
    Ok(Some(Value::Int(1)))
}

/// Bytes of the root as a new object, with their number where the second argument points.
fn give(
    executor: &mut Executor<'_>,
    state: &mut State,
    args: &[Value],
    bytes: Option<Vec<u8>>,
) -> Step<Option<Value>> {
    let Some(mut bytes) = bytes else {
        return Ok(Some(Value::Int(0)));
    };
    let size = Value::Int(bytes.len() as u64);
    executor.store(state, &arg(args, 1), &MemTy::Scalar(64), &size)?;
    bytes.push(0);
    let object = Object::with_bytes(Kind::Heap, bytes.into());
    let policy = (executor.settings.allocator, &executor.shared);
    let ctx = executor.ctx.clone();
    let object = state
        .memory
        .allocate(&ctx, policy, object, 16, Region::Heap);
    Ok(Some(Value::Ptr(object, 0)))
}

fn output(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let len = executor.byte_count(state, &arg(args, 2), "the size of a piece of output")?;
    if len == 0 {
        return Ok(None);
    }
    let bytes = match executor.resolve(state, &arg(args, 1), len, false)? {
        Place::At(object, offset) => shown(executor, state, object, offset, len),
        Place::Within(..) => vec![b'?'; len as usize],
    };
    executor.output(state, &bytes);
    Ok(None)
}

/// Longer pieces of output are not looked into for symbolic bytes that have one value only.
const MOST_DECIDED: u64 = 64;

/// Bytes of an object; symbolic ones are shown as `?`, unless they have one value only: because the inputs were fixed, or, for KLEE's
/// users, who are used to see numbers there, on this path.
fn shown(
    executor: &mut Executor<'_>,
    state: &State,
    object: crate::address::ObjectId,
    offset: u64,
    len: u64,
) -> Vec<u8> {
    let Some(content) = state.memory.get(object) else {
        return Vec::new();
    };
    if let Some(bytes) = content.plain_bytes(offset as usize, len as usize) {
        return bytes.to_vec();
    }
    let ctx = executor.ctx.clone();
    let mut byte = |k: u64| match content.byte((offset + k) as usize) {
        Byte::Concrete(byte) => byte,
        Byte::Unwritten => 0,
        Byte::Sym(term) if executor.known_but_undefined(term).is_some() => {
            executor.known_but_undefined(term).unwrap_or(0)
        }
        _ if state.settled || executor.settings.klee.klee_words && len <= MOST_DECIDED => {
            let value = content.read(&ctx, (offset + k) as usize, 8);
            let term = ctx.term(&value, 8);
            let Some(found) = executor.chain.value(&state.constraints, term) else {
                return b'?';
            };
            let equal = ctx.terms.eq(term, ctx.terms.bv(8, found as u64));
            let other = ctx.terms.not(equal);
            let constraints = &state.constraints;
            let is_decided = state.settled
                || executor
                    .chain
                    .may_be_true(constraints, other, Purpose::Engine)
                    == Some(false);
            if is_decided { found as u8 } else { b'?' }
        }
        _ => b'?',
    };
    (0..len).map(&mut byte).collect()
}
