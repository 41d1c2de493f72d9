//! Calls of functions that are defined with other types than they are called with (`shape`).

use super::{Executor, Step, error};
use crate::builtins::Run;
use crate::code::{Arg, CallOp, Code, MemTy, Opd};
use crate::report::ErrorKind;
use crate::shape::{self, Class, Shape, Source};
use crate::state::State;
use crate::value::{Ctx, Value};
use std::rc::Rc;

impl Executor<'_> {
    /// Where the parameters of a function find their values in a call of another shape.
    pub(super) fn parameters(&self, call: &CallOp, callee: &Code) -> Step<Vec<Source>> {
        let sources = call.shape.sources(&callee.shape);
        match sources.contains(&Source::Unclear) {
            true => refuse("arguments", &self.name_of(callee.function)),
            false => Ok(sources),
        }
    }

    /// Puts what the parameters read into their registers, which hold what the call put in their places.
    pub(super) fn read_parameters(
        &mut self,
        state: &State,
        (call, callee): (&CallOp, &Code),
        sources: &[Source],
        registers: &mut [Value],
    ) -> Step {
        let take = |register: &u32| {
            let place = &mut registers[*register as usize];
            std::mem::replace(place, Value::Int(0))
        };
        let given = callee.params.iter().map(take).collect();
        let shapes = (&*call.shape, &*callee.shape);
        let found = self.read_arguments(state, callee.function, shapes, (sources, given))?;
        for (&register, value) in callee.params.iter().zip(found) {
            registers[register as usize] = value;
        }
        Ok(())
    }

    /// What the parameters of a function read, given for each what is in its place.
    fn read_arguments(
        &self,
        state: &State,
        function: u32,
        (call, callee): (&Shape, &Shape),
        (sources, given): (&[Source], Vec<Value>),
    ) -> Step<Vec<Value>> {
        let name = self.name_of(function);
        let what = format!(
            "what `{name}` finds where it is given no argument (it is called with other types than it is defined with); it was taken as 0"
        );
        let mut unset = unset(&self.ctx, state.instructions, &what);
        let mut found = Vec::with_capacity(given.len());
        for ((source, class), value) in sources.iter().zip(&callee.params).zip(given) {
            let value = match *source {
                Source::Argument(k) => {
                    let both = (&call.params[k], class);
                    shape::convert(&self.ctx, both, value, &mut unset)
                }
                _ => class.unset(&mut unset),
            };
            match value {
                Some(value) => found.push(value),
                None => return refuse("arguments", &name),
            }
        }
        Ok(found)
    }

    /// The result that a caller reads of what the function on top gave.
    pub(super) fn read_result(
        &self,
        state: &State,
        read: &Class,
        value: Option<Value>,
    ) -> Step<Option<Value>> {
        let code = &state.top.code;
        let both = (&code.shape.result, read);
        self.read_result_of(state, code.function, both, value)
    }

    fn read_result_of(
        &self,
        state: &State,
        function: u32,
        both: (&Class, &Class),
        value: Option<Value>,
    ) -> Step<Option<Value>> {
        let name = self.name_of(function);
        let what = format!(
            "the result of `{name}`, which is called with another type of result than it is defined with; it was taken as 0"
        );
        let mut unset = unset(&self.ctx, state.instructions, &what);
        match shape::result(&self.ctx, both, value, &mut unset) {
            Some(value) => Ok(value),
            None => refuse("result", &name),
        }
    }

    /// Carries out a function of the engine that the program declares with other types.
    pub(super) fn call_declared_otherwise(
        &mut self,
        state: &mut State,
        call: &CallOp,
        (run, shape): (Run, &Rc<Shape>),
        args: Vec<Value>,
    ) -> Step<Option<Value>> {
        let function = self.callee;
        let sources = call.shape.sources(shape);
        if sources.contains(&Source::Unclear) {
            return refuse("arguments", &self.name_of(function));
        }
        let given = sources.iter().map(|source| match source {
            Source::Argument(k) => args[*k].clone(),
            _ => Value::Int(0),
        });
        let given = (&sources[..], given.collect());
        let args = self.read_arguments(state, function, (&call.shape, shape), given)?;
        let declared = as_declared(call, shape);
        let result = run(self, state, &declared, &args)?;
        match call.dst {
            None => Ok(result),
            Some(_) => {
                let both = (&shape.result, &call.shape.result);
                self.read_result_of(state, function, both, result)
            }
        }
    }

    fn name_of(&self, function: u32) -> String {
        self.program.functions.borrow()[function as usize]
            .name
            .clone()
    }
}

/// A call with the types that the function has.
fn as_declared(call: &CallOp, shape: &Rc<Shape>) -> CallOp {
    let arg = |class: &Class| {
        let width = class.scalar_bits().unwrap_or(0);
        Arg {
            value: Opd(0),
            width,
            ty: MemTy::Scalar(width),
            is_pointer: false,
            byval: None,
            align: 0,
        }
    };
    CallOp {
        dst: call.dst,
        target: call.target,
        args: shape.params.iter().map(arg).collect(),
        result_width: shape.result.scalar_bits().unwrap_or(0),
        shape: shape.clone(),
        normal: call.normal,
        unwind: call.unwind,
        native: None,
    }
}

fn refuse<T>(part: &str, name: &str) -> Step<T> {
    let what = format!("a call of `{name}` with other types of {part} than it is defined with");
    error(ErrorKind::Unsupported, what)
}

/// Makes values that nobody set; no two of one call are the same.
fn unset<'a>(ctx: &'a Ctx, entered: u64, what: &'a str) -> impl FnMut(u32) -> Value + 'a {
    let mut count = 0;
    move |width| {
        count += 1;
        ctx.unset(width, entered << 8 | count, what)
    }
}
