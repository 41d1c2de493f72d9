//! Functions the engine carries out itself: KLEE's interface, allocation, memory copying, LLVM's intrinsics, jumps,
//! the end of the program, and what the model of the system cannot do in memory.

mod assembly;
mod cxx;
mod fixed;
mod heap;
mod intrinsics;
mod jump;
mod klee;
mod math;
mod memory;
mod process;
mod prototypes;
mod rust;
mod sanitizer;
mod system;
mod threads;
mod x86;

pub use system::{Root, RootFacts};

use crate::code::CallOp;
use crate::exec::{Executor, Step};
use crate::shape::Shape;
use crate::state::State;
use crate::value::Value;
use std::rc::Rc;

/// Carries out a call; the result is `None` for functions without one.
pub(crate) type Run = fn(&mut Executor<'_>, &mut State, &CallOp, &[Value]) -> Step<Option<Value>>;

/// A function of the engine.
#[derive(Clone)]
pub(crate) struct Builtin {
    pub(crate) run: Run,
    /// How it takes its arguments, for functions that programs declare themselves in other ways.
    pub(crate) shape: Option<Rc<Shape>>,
}

/// Who defines a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Defined {
    Nowhere,
    /// The C library: the engine's version is faster and means the same.
    Library,
    /// The program itself, which is always respected.
    Program,
}

/// The engine's version of a function, if it has one and may use it.
pub(crate) fn find(name: &str, defined: Defined) -> Option<Builtin> {
    if defined == Defined::Program {
        return rust::find(name).map(|run| Builtin { run, shape: None });
    }
    let name = name.strip_prefix('\u{1}').unwrap_or(name);
    let run = if let Some(name) = name.strip_prefix("llvm.stet.") {
        assembly::find(name)
    } else if let Some(name) = name.strip_prefix("llvm.") {
        intrinsics::find(name)
    } else if defined == Defined::Library {
        memory::find(name)
            .or_else(|| jump::find(name).filter(|_| name != "siglongjmp"))
            .or_else(|| process::find_always(name))
            .or_else(|| system::find(name))
    } else {
        klee::find(name)
            .or_else(|| cxx::find(name))
            .or_else(|| heap::find(name))
            .or_else(|| memory::find(name))
            .or_else(|| jump::find(name))
            .or_else(|| process::find_always(name))
            .or_else(|| process::find(name))
            .or_else(|| math::find(name))
            .or_else(|| system::find(name))
            .or_else(|| threads::find(name))
    };
    let shape = prototypes::find(name).map(Rc::new);
    run.map(|run| Builtin { run, shape })
}

/// An argument, or zero if the call has fewer.
pub(crate) fn arg(args: &[Value], index: usize) -> Value {
    args.get(index).cloned().unwrap_or(Value::Int(0))
}

/// The bits of an argument.
pub(crate) fn width(call: &CallOp, index: usize) -> u32 {
    call.args.get(index).map_or(64, |arg| arg.width.max(1))
}
