//! Calls and returns.

use super::branch::mark_covered;
use super::{Executor, Step, error, fetch};
use crate::address::{ADDRESS_MARK, ObjectId};
use crate::builtins::{self, Builtin, Defined};
use crate::code::{CallOp, Code, MemTy, Target};
use crate::external::NativeFunction;
use crate::left_out::LeftOutKind;
use crate::memory::Region;
use crate::query::{Purpose, Truth};
use crate::report::{ErrorKind, Outcome};
use crate::shape::Source;
use crate::state::{Frame, State};
use crate::value::Value;
use std::rc::Rc;
use stet_term::Term;

impl Executor<'_> {
    pub(super) fn call(&mut self, state: &mut State, code: &Rc<Code>, call: &CallOp) -> Step {
        let function = match call.target {
            Target::Function(function) => function,
            Target::Pointer(opd) => {
                let pointer = fetch(code, &state.top.registers, opd).clone();
                if let Some(address) = self.native_code(state, &pointer) {
                    return self.call_native(state, code, call, NativeFunction::At(address));
                }
                self.callee(state, &pointer)?
            }
        };
        let builtin = match self.builtins.get(&function) {
            Some(known) => known.clone(),
            None => {
                let found = self.find_builtin(function);
                self.builtins.insert(function, found.clone());
                found
            }
        };
        if let Some(builtin) = builtin {
            self.callee = function;
            return self.call_builtin(state, code, call, builtin);
        }
        let Some(callee) = self.program.code(&self.ctx, function) else {
            let name = self.program.functions.borrow()[function as usize]
                .name
                .clone();
            if self.is_panicking(state) {
                let message = format!(
                    "the program panicked (`{name}`, which is not defined, would print why)"
                );
                return error(ErrorKind::Abort, message);
            }
            return self.call_external(state, code, call, name);
        };
        self.enter(state, code, call, callee)
    }

    /// Whether a Rust program is on its way out after a panic.
    fn is_panicking(&self, state: &State) -> bool {
        let functions = self.program.functions.borrow();
        state.frames().take(64).any(|frame| {
            let name = &functions[frame.code.function as usize].name;
            name.ends_with("rust_begin_unwind")
        })
    }

    fn find_builtin(&self, function: u32) -> Option<Builtin> {
        let functions = self.program.functions.borrow();
        let entry = &functions[function as usize];
        let defined = match entry.definition {
            None => Defined::Nowhere,
            Some((module, _)) if self.program.is_library(module) => Defined::Library,
            Some(_) => Defined::Program,
        };
        builtins::find(&entry.name, defined)
    }

    fn call_builtin(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        call: &CallOp,
        builtin: Builtin,
    ) -> Step {
        let registers = &state.top.registers;
        let args: Vec<Value> = call
            .args
            .iter()
            .map(|arg| fetch(code, registers, arg.value).clone())
            .collect();
        let (frames, pc) = (state.frames, state.top.pc);
        let result = match &builtin.shape {
            Some(shape) if !call.shape.is_for(shape, false) => {
                self.call_declared_otherwise(state, call, (builtin.run, shape), args)?
            }
            _ => (builtin.run)(self, state, call, &args)?,
        };
        state.decided.clear();
        if state.frames != frames || state.top.pc != pc || !Rc::ptr_eq(&state.top.code, code) {
            return Ok(()); // a jump
        }
        self.after_call(state, code, call.dst, call.normal, result);
        Ok(())
    }

    /// Puts the result in place and goes on after a call.
    pub(crate) fn after_call(
        &mut self,
        state: &mut State,
        code: &Code,
        dst: Option<u32>,
        normal: Option<u32>,
        result: Option<Value>,
    ) {
        debug_assert!(
            dst.is_none_or(|dst| (dst as usize) < state.top.registers.len()),
            "a result goes to a register of the frame that called"
        );
        if let (Some(dst), Some(result)) = (dst, result) {
            state.top.registers[dst as usize] = result;
        }
        match normal {
            Some(edge) => self.take_edge(state, code, edge),
            None => state.top.pc += 1,
        }
    }

    fn enter(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        call: &CallOp,
        callee: Rc<Code>,
    ) -> Step {
        if state.frames >= self.settings.max_frames {
            return error(
                ErrorKind::StackOverflow,
                format!("more than {} frames", self.settings.max_frames),
            );
        }
        let mut registers = vec![Value::Int(0); callee.registers as usize];
        let mut varargs = Vec::new();
        let mut copies = Vec::new();
        let is_same = call.shape.is_for(&callee.shape, callee.varargs);
        let parameters = match is_same {
            true => None,
            false => Some(self.parameters(call, &callee)?),
        };
        for (k, arg) in call.args.iter().enumerate() {
            let mut value = fetch(code, &state.top.registers, arg.value).clone();
            if let Some(size) = arg.byval {
                value = self.copy_argument(state, &value, size)?;
                if let Value::Ptr(object, _) = value {
                    copies.push(object);
                }
            }
            let parameter = match &parameters {
                None => Some(k),
                Some(found) => found
                    .iter()
                    .position(|source| *source == Source::Argument(k)),
            };
            match parameter.and_then(|parameter| callee.params.get(parameter)) {
                Some(&register) => registers[register as usize] = value,
                None if callee.varargs => {
                    let ty = match arg.byval {
                        Some(size) => MemTy::Parts {
                            parts: Rc::from([]),
                            size,
                        },
                        None => arg.ty.clone(),
                    };
                    varargs.push((value, ty, arg.align));
                }
                None => {}
            }
        }
        if let Some(sources) = &parameters {
            self.read_parameters(state, (call, &callee), sources, &mut registers)?;
        }
        self.set_thread_locals(state, &callee, &mut registers)?;
        debug_assert_eq!(
            registers.len(),
            callee.registers as usize,
            "a frame has the registers of its code"
        );
        let frame = Frame {
            pc: 0,
            registers,
            allocas: copies,
            local_mark: state.memory.cursors.local,
            varargs,
            result: call.dst,
            normal: call.normal,
            called_as: (!is_same).then(|| call.shape.clone()),
            entered: state.instructions,
            code: callee.clone(),
        };
        state.push_frame(frame);
        if !callee.block_sizes.is_empty() {
            mark_covered(state, &callee, 0);
        }
        Ok(())
    }

    /// Runs a function before the program goes on after the call being executed; nothing if it has no code.
    pub(crate) fn enter_function(
        &mut self,
        state: &mut State,
        function: u32,
        args: &[Value],
        normal: Option<u32>,
    ) {
        if let Some(mut frame) = self.first_frame(state, function, args) {
            frame.normal = normal;
            state.push_frame(frame);
        }
    }

    /// Runs a function without parameters in place of the one being called; false if it has no code.
    pub(crate) fn enter_for_result(
        &mut self,
        state: &mut State,
        function: u32,
        call: &CallOp,
    ) -> bool {
        let Some(mut frame) = self.first_frame(state, function, &[]) else {
            return false;
        };
        (frame.result, frame.normal) = (call.dst, call.normal);
        state.push_frame(frame);
        true
    }

    /// Gives a function that is entered the addresses of the running thread's own variables: the first thread uses the
    /// globals themselves, others have copies of their initial values.
    fn set_thread_locals(
        &mut self,
        state: &mut State,
        code: &Code,
        registers: &mut [Value],
    ) -> Step {
        for &(register, global, offset) in &code.thread_locals {
            let own = match &state.threads {
                Some(threads) if !threads.is_first() => match threads.own(global) {
                    Some(copy) => copy,
                    None => self.copy_thread_local(state, global)?,
                },
                _ => global,
            };
            registers[register as usize] = Value::Ptr(own, offset);
        }
        Ok(())
    }

    fn copy_thread_local(&mut self, state: &mut State, global: ObjectId) -> Step<ObjectId> {
        let Some(initial) = self.first_memory.get(global).cloned() else {
            let what = "a thread-local variable without a definition";
            return error(ErrorKind::Unsupported, what);
        };
        let policy = (self.settings.allocator, &self.shared);
        let copy = state
            .memory
            .allocate(&self.ctx, policy, initial, 16, Region::Stack);
        if let Some(threads) = state.threads.as_mut() {
            Rc::make_mut(threads).add_own(global, copy);
        }
        Ok(copy)
    }

    /// The copy of an argument passed by value.
    fn copy_argument(&mut self, state: &mut State, source: &Value, size: u64) -> Step<Value> {
        let place = self.resolve(state, source, size, false)?;
        let object = self.allocate(state, size, 16, Region::Stack);
        self.copy_place(state, place, object, 0, size)?;
        Ok(Value::Ptr(object, 0))
    }

    /// Starts a function with nothing below it.
    pub(crate) fn start(&mut self, state: &mut State, function: u32, args: &[Value]) -> Step {
        let Some(frame) = self.first_frame(state, function, args) else {
            let name = self.program.functions.borrow()[function as usize]
                .name
                .clone();
            return error(
                ErrorKind::Unsupported,
                format!("`{name}` has no definition"),
            );
        };
        state.callers = None;
        state.frames = 1;
        state.top = frame;
        Ok(())
    }

    /// The frame of a function with nothing below it; nothing if it has no code.
    pub(crate) fn first_frame(
        &mut self,
        state: &mut State,
        function: u32,
        args: &[Value],
    ) -> Option<Frame> {
        let code = self.program.code(&self.ctx, function)?;
        let mut registers = vec![Value::Int(0); code.registers as usize];
        for (&register, value) in code.params.iter().zip(args) {
            registers[register as usize] = value.clone();
        }
        self.set_thread_locals(state, &code, &mut registers).ok()?;
        mark_covered(state, &code, 0);
        Some(Frame {
            code,
            pc: 0,
            registers,
            allocas: Vec::new(),
            local_mark: state.memory.cursors.local,
            varargs: Vec::new(),
            result: None,
            normal: None,
            called_as: None,
            entered: state.instructions,
        })
    }

    /// Removes the stack objects of the top frame.
    pub(crate) fn leave(&mut self, state: &mut State) {
        let allocas = std::mem::take(&mut state.top.allocas);
        for object in allocas {
            state.memory.remove(object);
        }
        state.memory.cursors.local = state.top.local_mark;
    }

    pub(super) fn ret(&mut self, state: &mut State, value: Option<Value>) -> Step {
        self.leave(state);
        let (result, normal) = (state.top.result, state.top.normal);
        let value = match state.top.called_as.take() {
            Some(shape) => self.read_result(state, &shape.result, value)?,
            None => value,
        };
        let Some(frame) = state.pop_caller() else {
            return self.entry_returned(state, value);
        };
        state.top = frame;
        let code = state.top.code.clone();
        self.after_call(state, &code, result, normal, value);
        Ok(())
    }

    /// A constructor or the entry function returned.
    fn entry_returned(&mut self, state: &mut State, value: Option<Value>) -> Step {
        if state.threads.as_ref().is_some_and(|all| !all.is_first()) {
            let what = "the first function of a thread returned";
            return error(ErrorKind::Unsupported, what);
        }
        if let Some(pending) = state.pending.take() {
            state.pending = pending.next.clone();
            return self.start(state, pending.function, &pending.args);
        }
        let status = match value {
            Some(value) => self.status(state, &value)?,
            None => 0,
        };
        Err(super::Stop(Box::new(Outcome::Exit(status))))
    }

    /// The exit status of an ending path: if it is symbolic, the one the path's test gives.
    pub(crate) fn status(&mut self, state: &mut State, value: &Value) -> Step<i32> {
        let value = &self.defined_value(state, value, 32);
        Ok(match (self.ctx.number(value), value) {
            (Some(status), _) => status as i32,
            (None, Value::Sym(term)) => {
                let Some(status) = self.chain.value(&state.constraints, *term) else {
                    return self.undecided();
                };
                // The path has several statuses: its test is one that ends with this.
                let width = self.ctx.terms.sort(*term).bv_width().unwrap_or(1);
                let told = self.ctx.term(&Value::wide(status, width), width);
                state.told_status = Some(self.ctx.terms.eq(*term, told));
                status as i32
            }
            _ => 0,
        })
    }

    /// The function a pointer means; other possible ones are followed in new states.
    fn callee(&mut self, state: &mut State, pointer: &Value) -> Step<u32> {
        const INVALID: &str = "call through a pointer that is not the address of a function";
        let pointer = &self.defined_value(state, pointer, 64);
        let term = match pointer {
            Value::Ptr(object, 0) => {
                return match self.program.function_at(*object) {
                    Some(function) => Ok(function),
                    None => error(ErrorKind::OutOfBounds, INVALID),
                };
            }
            Value::Int(address) => {
                let around = self.ctx.addresses.around(*address);
                let found = around
                    .into_iter()
                    .find(|&object| self.ctx.addresses.base_of(object) == *address);
                return match found.and_then(|object| self.program.function_at(object)) {
                    Some(function) => Ok(function),
                    None if *address < 4096 => {
                        error(ErrorKind::Null, "call through a null pointer")
                    }
                    None => error(ErrorKind::OutOfBounds, INVALID),
                };
            }
            Value::Sym(term) => *term,
            _ => return error(ErrorKind::OutOfBounds, INVALID),
        };
        if let Some(&(_, object)) = state.decided.iter().find(|(known, _)| *known == term)
            && let Some(function) = self.program.function_at(object)
        {
            return Ok(function);
        }
        self.choose_callee(state, term, INVALID)
    }

    fn choose_callee(&mut self, state: &mut State, term: Term, invalid: &str) -> Step<u32> {
        let mut candidates = Vec::new();
        let terms = self.ctx.terms.clone();
        terms.post_order(&[term], |part| {
            if let stet_term::Op::Symbol(symbol) = terms.op(part)
                && terms.marks(part) & ADDRESS_MARK != 0
            {
                candidates.extend(self.ctx.addresses.object_of(symbol));
            }
        });
        let mut possible = Vec::new();
        let mut none = Vec::new();
        for object in candidates {
            let Some(function) = self.program.function_at(object) else {
                continue;
            };
            let equal = terms.eq(term, self.ctx.pointer_term(object, 0));
            if self.truth(state, equal)? != Truth::False {
                possible.push((object, function, equal));
                none.push(terms.not(equal));
            }
        }
        self.other_callees(state, term, &mut possible, &mut none)?;
        let bad = terms.and(&none);
        self.forbid(state, bad, ErrorKind::OutOfBounds, invalid)?;
        let Some(&(_, function, condition)) = possible.first() else {
            return error(ErrorKind::OutOfBounds, invalid);
        };
        for &(object, _, equal) in &possible[1..] {
            if let Some(mut other) = self.fork(state, equal) {
                other.decided.push((term, object));
                self.spawned.push(other);
            }
        }
        if possible.len() > 1 {
            self.assume(state, condition);
            state.depth += 1;
        }
        Ok(function)
    }

    /// Functions that a pointer can mean although their addresses do not occur in it: a symbolic pointer that the path has
    /// compared with them, or one that may be anything.
    fn other_callees(
        &mut self,
        state: &State,
        term: Term,
        possible: &mut Vec<(ObjectId, u32, Term)>,
        none: &mut Vec<Term>,
    ) -> Step {
        for function in 0..self.program.function_count() {
            let rest = self.ctx.terms.and(none);
            match rest {
                Term::TRUE => {}
                _ => match self
                    .chain
                    .may_be_true(&state.constraints, rest, Purpose::Program)
                {
                    Some(true) => {}
                    Some(false) => return Ok(()),
                    None => return self.undecided(),
                },
            }
            let object = self.program.functions.borrow()[function as usize].object;
            if possible.iter().any(|&(known, ..)| known == object) {
                continue;
            }
            let equal = self.ctx.terms.eq(term, self.ctx.pointer_term(object, 0));
            if self.truth(state, equal)? != Truth::False {
                possible.push((object, function, equal));
                none.push(self.ctx.terms.not(equal));
                if possible.len() >= MAX_CALLEES {
                    let what = "calls of further functions through a symbolic pointer";
                    self.leave_out(state, LeftOutKind::Refused, what);
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// How many functions one symbolic pointer may mean.
const MAX_CALLEES: usize = 64;
