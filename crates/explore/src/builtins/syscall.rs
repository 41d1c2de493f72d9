//! The system calls of the C library, through its one entry `sx_syscall(number, …)`, with Linux x86-64 numbers.
//!
//! Answered: output, the state of the standard streams, anonymous memory, clocks (stopped), identity, signals (none
//! arrive), the end of the program. No file exists. Everything else is an error that names the call.

use super::{Run, arg};
use crate::code::{CallOp, MemTy};
use crate::exec::{Executor, Place, Step, Stop, error};
use crate::left_out::LeftOutKind;
use crate::memory::Region;
use crate::report::{ErrorKind, Outcome};
use crate::state::State;
use crate::value::Value;

const ENOENT: i64 = 2;
const EBADF: i64 = 9;
const ECHILD: i64 = 10;
const ENOMEM: i64 = 12;
const ENODEV: i64 = 19;
const EINVAL: i64 = 22;
const ENOTTY: i64 = 25;
const ESPIPE: i64 = 29;
/// The time that every clock shows.
const NOW: u64 = 1_600_000_000;

pub(super) fn find(name: &str) -> Option<Run> {
    (name == "sx_syscall").then_some(syscall as Run)
}

fn done(value: i64) -> Step<Option<Value>> {
    Ok(Some(Value::Int(value as u64)))
}

fn syscall(
    executor: &mut Executor<'_>,
    state: &mut State,
    _: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let number = executor.concrete(state, &arg(args, 0), 64, "the number of a system call")? as u64;
    let rest = args.get(1..).unwrap_or(&[]);
    let small = |executor: &mut Executor<'_>, state: &mut State, index: usize| {
        let what = "an argument of a system call";
        executor
            .concrete(state, &arg(rest, index), 64, what)
            .map(|value| value as i64)
    };
    match number {
        0 | 19 => match small(executor, state, 0)? {
            0 => {
                executor.leave_out(state, LeftOutKind::Assumed, "standard input is empty");
                done(0)
            }
            _ => done(-EBADF),
        },
        1 => {
            let fd = small(executor, state, 0)?;
            let len = small(executor, state, 2)? as u64;
            write(executor, state, fd, &arg(rest, 1), len)
        }
        20 => writev(executor, state, rest),
        2 | 257 | 4 | 6 | 21 | 262 | 269 | 439 => {
            let what = "the program looks for a file; none exist while exploring";
            executor.leave_out(state, LeftOutKind::Assumed, what);
            done(-ENOENT)
        }
        3 => done(0),
        5 => fstat(executor, state, rest),
        8 => done(-ESPIPE),
        9 => mmap(executor, state, rest),
        10 | 11 | 28 => done(0),
        12 => done(-ENOMEM),
        13 | 14 | 131 | 158 | 202 | 221 | 203 => done(0),
        16 => ioctl(executor, state, rest),
        24 => done(0),
        35 | 230 => {
            executor.leave_out(state, LeftOutKind::Assumed, "a pause ends at once");
            done(0)
        }
        39 | 186 | 218 => done(2),
        110 => done(1),
        102 | 104 | 107 | 108 => done(1000),
        60 | 231 => {
            let status = executor.status(state, &arg(rest, 0));
            Err(Stop(Box::new(Outcome::Exit(status & 0xff))))
        }
        61 => done(-ECHILD),
        62 | 200 | 234 => {
            let signal = small(executor, state, if number == 234 { 2 } else { 1 })?;
            match signal {
                6 => error(ErrorKind::Abort, "the program sent itself SIGABRT"),
                _ => error(
                    ErrorKind::Unsupported,
                    format!("the delivery of signal {signal} is not supported"),
                ),
            }
        }
        63 => uname(executor, state, &arg(rest, 0)),
        72 => done(0),
        79 => {
            executor.store(
                state,
                &arg(rest, 0),
                &MemTy::Scalar(16),
                &Value::Int(u64::from(b'/')),
            )?;
            done(2)
        }
        89 | 267 => done(-EINVAL),
        95 => done(0o22),
        96 => time(executor, state, &arg(rest, 0)),
        228 | 229 => time(executor, state, &arg(rest, 1)),
        201 => {
            executor.leave_out(state, LeftOutKind::Assumed, "clocks stand still");
            done(NOW as i64)
        }
        97 | 302 => limits(
            executor,
            state,
            if number == 97 {
                arg(rest, 1)
            } else {
                arg(rest, 3)
            },
        ),
        318 => {
            let len = small(executor, state, 1)? as u64;
            executor.leave_out(state, LeftOutKind::Assumed, "random bytes are all 7");
            for k in 0..len {
                let at = executor.offset(&arg(rest, 0), k);
                executor.store(state, &at, &MemTy::Scalar(8), &Value::Int(7))?;
            }
            done(len as i64)
        }
        _ => error(
            ErrorKind::Unsupported,
            format!(
                "the system call {number} ({}) is not supported",
                call_name(number)
            ),
        ),
    }
}

fn write(
    executor: &mut Executor<'_>,
    state: &mut State,
    fd: i64,
    buffer: &Value,
    len: u64,
) -> Step<Option<Value>> {
    if !(1..=2).contains(&fd) {
        return done(-EBADF);
    }
    let bytes = bytes_at(executor, state, buffer, len)?;
    executor.output(state, &bytes);
    done(len as i64)
}

/// Output goes to a terminal, so that the library writes whole lines, and none is lost when a path ends in an error.
fn ioctl(executor: &mut Executor<'_>, state: &mut State, args: &[Value]) -> Step<Option<Value>> {
    const WINDOW_SIZE: i64 = 0x5413;
    let what = "an argument of a system call";
    let fd = executor.concrete(state, &arg(args, 0), 64, what)? as i64;
    let request = executor.concrete(state, &arg(args, 1), 64, what)? as i64;
    if !(1..=2).contains(&fd) || request != WINDOW_SIZE {
        return done(-ENOTTY);
    }
    // rows, columns, and pixels, which are unknown
    let size = Value::Int(24 | 80 << 16);
    executor.store(state, &arg(args, 2), &MemTy::Scalar(64), &size)?;
    done(0)
}

/// The bytes of a buffer; symbolic ones are shown as `?`.
fn bytes_at(
    executor: &mut Executor<'_>,
    state: &mut State,
    buffer: &Value,
    len: u64,
) -> Step<Vec<u8>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    match executor.resolve(state, buffer, len, false)? {
        Place::At(object, offset) => {
            let Some(content) = state.memory.get(object) else {
                return Ok(Vec::new());
            };
            if let Some(bytes) = content.plain_bytes(offset as usize, len as usize) {
                return Ok(bytes.to_vec());
            }
            let byte = |k: u64| match content.byte((offset + k) as usize) {
                crate::object::Byte::Concrete(byte) => byte,
                _ => b'?',
            };
            Ok((0..len).map(byte).collect())
        }
        Place::Within(..) => Ok(vec![b'?'; len as usize]),
    }
}

fn writev(executor: &mut Executor<'_>, state: &mut State, args: &[Value]) -> Step<Option<Value>> {
    let what = "an argument of a system call";
    let fd = executor.concrete(state, &arg(args, 0), 64, what)? as i64;
    let count = executor.concrete(state, &arg(args, 2), 64, what)? as u64;
    let mut total = 0;
    for k in 0..count.min(1024) {
        let entry = executor.offset(&arg(args, 1), k * 16);
        let buffer = executor.load(state, &entry, &MemTy::Scalar(64))?;
        let size = executor.offset(&entry, 8);
        let len = executor.load(state, &size, &MemTy::Scalar(64))?;
        let len = executor.concrete(state, &len, 64, what)? as u64;
        if !(1..=2).contains(&fd) {
            return done(-EBADF);
        }
        write(executor, state, fd, &buffer, len)?;
        total += len;
    }
    done(total as i64)
}

fn fstat(executor: &mut Executor<'_>, state: &mut State, args: &[Value]) -> Step<Option<Value>> {
    let fd = executor.concrete(state, &arg(args, 0), 64, "an argument of a system call")?;
    if fd > 2 {
        return done(-EBADF);
    }
    let buffer = arg(args, 1);
    executor.resolve(state, &buffer, 144, true)?;
    for k in 0..18 {
        let at = executor.offset(&buffer, k * 8);
        executor.store(state, &at, &MemTy::Scalar(64), &Value::Int(0))?;
    }
    let mode = executor.offset(&buffer, 24);
    executor.store(state, &mode, &MemTy::Scalar(32), &Value::Int(0o20620))?;
    done(0)
}

fn mmap(executor: &mut Executor<'_>, state: &mut State, args: &[Value]) -> Step<Option<Value>> {
    let what = "an argument of a system call";
    let size = executor.concrete(state, &arg(args, 1), 64, what)? as u64;
    let flags = executor.concrete(state, &arg(args, 3), 64, what)?;
    if flags & 0x20 == 0 {
        return done(-ENODEV);
    }
    if size > executor.settings.max_allocation {
        return done(-ENOMEM);
    }
    let object = executor.allocate(state, size, 4096, Region::Heap);
    Ok(Some(Value::Ptr(object, 0)))
}

fn time(executor: &mut Executor<'_>, state: &mut State, buffer: &Value) -> Step<Option<Value>> {
    executor.leave_out(state, LeftOutKind::Assumed, "clocks stand still");
    executor.store(state, buffer, &MemTy::Scalar(64), &Value::Int(NOW))?;
    let rest = executor.offset(buffer, 8);
    executor.store(state, &rest, &MemTy::Scalar(64), &Value::Int(0))?;
    done(0)
}

fn limits(executor: &mut Executor<'_>, state: &mut State, buffer: Value) -> Step<Option<Value>> {
    if !matches!(buffer, Value::Int(0)) {
        for k in [0, 8] {
            let at = executor.offset(&buffer, k);
            executor.store(state, &at, &MemTy::Scalar(64), &Value::Int(8 << 20))?;
        }
    }
    done(0)
}

fn uname(executor: &mut Executor<'_>, state: &mut State, buffer: &Value) -> Step<Option<Value>> {
    executor.resolve(state, buffer, 390, true)?;
    for k in 0..390u64 {
        let byte = if k < 5 { b"Linux"[k as usize] } else { 0 };
        let at = executor.offset(buffer, k);
        executor.store(state, &at, &MemTy::Scalar(8), &Value::Int(byte.into()))?;
    }
    done(0)
}

fn call_name(number: u64) -> &'static str {
    match number {
        22 | 293 => "pipe",
        23 | 270 => "select",
        32 | 33 | 292 => "dup",
        41..=55 => "sockets",
        56..=58 => "fork",
        59 => "execve",
        78 | 217 => "getdents",
        82 | 264 => "rename",
        83 | 258 => "mkdir",
        87 | 263 => "unlink",
        _ => "unknown to Stet",
    }
}
