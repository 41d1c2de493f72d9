//! C++ exceptions: finding a handler, unwinding to it, landing pads.
//!
//! As the Itanium ABI asks, the handler is looked for before anything is unwound: an exception that nobody catches is
//! reported where it is thrown. A thrown object is found again by its address; its landing pads see `{ptr, i32}` with
//! the address and a selector: the number of the type that caught it (what `llvm.eh.typeid.for` gives), or 0 for cleanups.

use super::{Executor, Step, error};
use crate::address::ObjectId;
use crate::code::{Clause, Op};
use crate::report::ErrorKind;
use crate::state::{Caught, Frame, State, Thrown};
use crate::value::Value;
use stet_base::Index;

/// What a landing pad does with an exception.
enum Landing {
    /// Nothing: unwinding passes by.
    No,
    /// Destructors run, then unwinding goes on.
    Cleanup,
    /// The exception is caught: the selector, and what of it is caught.
    Caught(u64, Caught),
}

impl Executor<'_> {
    /// The selector of a type: the same wherever the type is named, never 0.
    pub(crate) fn selector(&self, type_info: &Value) -> u64 {
        match type_info {
            Value::Ptr(object, _) => object.index() as u64 + 1,
            // `catch (...)`
            _ => 0x7fff_ffff,
        }
    }

    /// Starts or goes on unwinding with a thrown object, from the instruction of the top frame.
    pub(crate) fn unwind(&mut self, state: &mut State, exception: ObjectId) -> Step {
        let Some(thrown) = state.thrown(exception).cloned() else {
            return error(ErrorKind::Unsupported, "unwinding without an exception");
        };
        let mut found = None;
        let mut stop = None;
        for (depth, frame) in state.frames().enumerate() {
            match self.landing(state, frame, &thrown)? {
                Landing::No => {}
                Landing::Cleanup => {
                    stop.get_or_insert((depth, 0, Caught::Part(0)));
                }
                Landing::Caught(selector, caught) => {
                    found = Some(());
                    stop.get_or_insert((depth, selector, caught));
                    break;
                }
            }
        }
        let (Some((depth, selector, caught)), Some(())) = (stop, found) else {
            let name = self.type_name(state, &thrown.type_info);
            return error(
                ErrorKind::Abort,
                format!("an exception of type `{name}` is not caught"),
            );
        };
        for _ in 0..depth {
            self.leave(state);
            if let Some(frame) = state.pop_caller() {
                state.top = frame;
            }
        }
        state.fly(exception, (selector != 0).then_some(caught));
        let code = state.top.code.clone();
        let Some(Op::Call(call)) = code.ops.get(state.top.pc as usize) else {
            return error(
                ErrorKind::Unsupported,
                "unwinding to a frame without a call",
            );
        };
        let Some(edge) = call.unwind else {
            return error(
                ErrorKind::Unsupported,
                "unwinding to a call without a landing pad",
            );
        };
        state.landing = Some((exception, selector));
        self.take_edge(state, &code, edge);
        Ok(())
    }

    /// What the landing pad of a frame's current call does with an exception.
    fn landing(&self, state: &State, frame: &Frame, thrown: &Thrown) -> Step<Landing> {
        let Some(Op::Call(call)) = frame.code.ops.get(frame.pc as usize) else {
            return Ok(Landing::No);
        };
        let Some(edge) = call.unwind else {
            return Ok(Landing::No);
        };
        let target = frame.code.edges[edge as usize].target as usize;
        let Some(Op::LandingPad {
            clauses, cleanup, ..
        }) = frame.code.ops.get(target)
        else {
            return error(ErrorKind::Unsupported, "a landing pad of this kind");
        };
        for clause in clauses.iter() {
            match clause {
                Clause::Catch(wanted) => {
                    if let Some(caught) = self.catches(state, wanted, thrown)? {
                        return Ok(Landing::Caught(self.selector(wanted), caught));
                    }
                }
                Clause::Filter(allowed) => {
                    let mut listed = false;
                    for wanted in allowed.iter() {
                        listed |= self.catches(state, wanted, thrown)?.is_some();
                    }
                    if !listed {
                        // a negative selector: the exception specification is violated
                        return Ok(Landing::Caught(0xffff_ffff, Caught::Part(0)));
                    }
                }
            }
        }
        Ok(if *cleanup {
            Landing::Cleanup
        } else {
            Landing::No
        })
    }

    /// The landing pad that unwinding arrived at.
    pub(super) fn land(&mut self, state: &mut State, dst: u32) -> Step {
        let Some((exception, selector)) = state.landing.take() else {
            return error(
                ErrorKind::Unsupported,
                "a landing pad that was not unwound to",
            );
        };
        let parts = [Value::Ptr(exception, 0), Value::Int(selector)];
        state.top.registers[dst as usize] = Value::Agg(parts.into());
        Ok(())
    }

    /// `resume`: unwinding goes on above this frame.
    pub(crate) fn resume(&mut self, state: &mut State, exception: &Value) -> Step {
        let object = match exception {
            Value::Agg(parts) => match parts.first() {
                Some(Value::Ptr(object, 0)) => *object,
                _ => return error(ErrorKind::Unsupported, "a symbolic exception"),
            },
            Value::Ptr(object, 0) => *object,
            _ => return error(ErrorKind::Unsupported, "a symbolic exception"),
        };
        self.unwind(state, object)
    }
}
