//! A state: one path being explored. Cloning shares everything but the registers of the top frame.

use crate::address::ObjectId;
use crate::code::{Code, MemTy, Reg};
use crate::memory::Memory;
use crate::merge::MergeGroup;
use crate::query::PathConstraints;
use crate::shape::Shape;
use crate::value::Value;
use std::rc::Rc;
use stet_term::Term;

/// A function being executed.
#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) code: Rc<Code>,
    pub(crate) pc: u32,
    pub(crate) registers: Vec<Value>,
    /// Stack objects to remove on return.
    pub(crate) allocas: Vec<ObjectId>,
    /// Where local addresses started when the frame was entered.
    pub(crate) local_mark: u64,
    pub(crate) varargs: Vec<(Value, MemTy, u64)>,
    /// Where the caller wants the result.
    pub(crate) result: Option<Reg>,
    /// The edge the caller takes after an `invoke`.
    pub(crate) normal: Option<u32>,
    /// How the function was called, if it is defined with other types.
    pub(crate) called_as: Option<Rc<Shape>>,
    /// How many instructions the path had executed: no two calls of a function have the same number.
    pub(crate) entered: u64,
}

/// The frames below the top one.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) frame: Frame,
    pub(crate) next: Option<Rc<Caller>>,
}

impl Drop for Caller {
    /// Takes long chains apart without recursion.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(caller) = next {
            match Rc::try_unwrap(caller) {
                Ok(mut caller) => next = caller.next.take(),
                Err(_) => break,
            }
        }
    }
}

/// A symbolic object the program made.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic {
    pub(crate) name: Rc<str>,
    pub(crate) bytes: Rc<[Term]>,
}

/// A list that only grows, shared with the states it was forked from.
pub(crate) struct Log<T> {
    last: Option<Rc<LogNode<T>>>,
}

struct LogNode<T> {
    item: T,
    before: Option<Rc<LogNode<T>>>,
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Log {
            last: self.last.clone(),
        }
    }
}

impl<T> Drop for Log<T> {
    fn drop(&mut self) {
        let mut last = self.last.take();
        while let Some(node) = last {
            match Rc::try_unwrap(node) {
                Ok(mut node) => last = node.before.take(),
                Err(_) => break,
            }
        }
    }
}

impl<T> Log<T> {
    pub(crate) fn new() -> Self {
        Log { last: None }
    }

    pub(crate) fn push(&mut self, item: T) {
        let before = self.last.take();
        self.last = Some(Rc::new(LogNode { item, before }));
    }

    /// Items, newest first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &T> {
        std::iter::successors(self.last.as_deref(), |node| node.before.as_deref())
            .map(|node| &node.item)
    }

    /// Items, oldest first.
    pub(crate) fn in_order(&self) -> Vec<&T> {
        let mut items: Vec<&T> = self.newest_first().collect();
        items.reverse();
        items
    }
}

/// Where `setjmp` was called.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct JumpTarget {
    /// What is in the buffer.
    pub(crate) token: u64,
    pub(crate) depth: u32,
    /// Which call of the function it was.
    pub(crate) entered: u64,
    pub(crate) pc: u32,
    pub(crate) function: u32,
    pub(crate) result: Option<Reg>,
    pub(crate) normal: Option<u32>,
}

#[derive(Clone)]
pub(crate) struct State {
    pub(crate) id: u64,
    pub(crate) top: Frame,
    pub(crate) callers: Option<Rc<Caller>>,
    /// How many frames there are.
    pub(crate) frames: u32,
    pub(crate) memory: Memory,
    pub(crate) constraints: PathConstraints,
    pub(crate) symbolics: Log<Symbolic>,
    pub(crate) output: Log<Rc<[u8]>>,
    pub(crate) jumps: Log<JumpTarget>,
    pub(crate) preferences: Log<Term>,
    /// What the exit status that is told means, if it is one of several.
    pub(crate) told_status: Option<Term>,
    /// Which way was taken at each fork: 0 for the state that went on, else the number of the copy.
    pub(crate) choices: Log<u32>,
    /// Resolutions decided when this state was forked; valid until its next instruction completes.
    pub(crate) decided: Vec<(Term, ObjectId)>,
    pub(crate) instructions: u64,
    /// How many times the path was forked.
    pub(crate) depth: u32,
    /// Instructions since a block was entered that no path had entered before.
    pub(crate) since_new: u64,
    /// Whether this path entered a block first.
    pub(crate) covered_new: bool,
    /// What the program said about the error that ends the path.
    pub(crate) report: Option<Rc<crate::report::Report>>,
    /// Which way the path went at each branch, if that is recorded.
    pub(crate) branches: Log<bool>,
    /// Blocks this path covered first: function and block.
    pub(crate) new_blocks: Log<(u32, u32)>,
    /// Exceptions thrown on the path.
    pub(crate) exceptions: Vec<Thrown>,
    /// Exceptions being handled, innermost last.
    pub(crate) caught: Vec<ObjectId>,
    /// The exception and selector for the landing pad that control goes to.
    pub(crate) landing: Option<(ObjectId, u64)>,
    /// Constructors still to run before the entry function.
    pub(crate) pending: Option<Rc<Pending>>,
    /// The regions the state is in whose paths are merged at their end, innermost last.
    pub(crate) merges: Vec<Rc<MergeGroup>>,
    /// Whether the path's inputs were fixed to those of its test, so that every value has one number.
    pub(crate) settled: bool,
    /// The seeds that satisfy the path's constraints.
    pub(crate) seeds: Vec<crate::seeds::SeedPath>,
    pub(crate) native: NativeView,
    /// Threads beside the one that runs, of programs that start some.
    pub(crate) threads: Option<Rc<crate::threads::Threads>>,
    /// The region that was left by the instruction executed last.
    pub(crate) closing: Option<Rc<MergeGroup>>,
    /// Whether something assumed or fixed had a part in the path so far.
    pub(crate) leans: std::cell::Cell<bool>,
}

/// What a path knows of external functions.
#[derive(Clone, Default)]
pub(crate) struct NativeView {
    /// The process in which they are called, after the first call.
    pub(crate) process: Option<Rc<dyn crate::external::NativeProcess>>,
    /// Memory of the process that the path has looked at since the last call, as it was then.
    pub(crate) imported: Vec<(ObjectId, Rc<crate::object::Object>)>,
    /// How many calls were made, or left out with any result.
    pub(crate) calls: u32,
}

/// What of a thrown object a handler catches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Caught {
    /// The part of it at an offset.
    Part(u64),
    /// The pointer that was thrown, so much further if it is not null.
    Pointer(u64),
    /// A null pointer, for `nullptr`.
    Null,
}

/// A thrown C++ object.
#[derive(Clone, Debug)]
pub(crate) struct Thrown {
    pub(crate) object: ObjectId,
    pub(crate) type_info: Value,
    pub(crate) destructor: Value,
    /// What its handler catches.
    pub(crate) caught: Caught,
    /// Handlers that have not ended.
    pub(crate) handlers: i32,
    /// How many `std::exception_ptr` mean it.
    pub(crate) pointers: i32,
    /// Whether no handler has begun since it was thrown, or thrown again.
    pub(crate) flying: bool,
}

/// Functions to run one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) function: u32,
    pub(crate) args: Vec<Value>,
    pub(crate) next: Option<Rc<Pending>>,
}

impl State {
    /// The state before the first instruction of a program.
    pub(crate) fn first(code: Rc<Code>, memory: Memory) -> Self {
        State {
            id: 0,
            top: Frame {
                code,
                pc: 0,
                registers: Vec::new(),
                allocas: Vec::new(),
                local_mark: memory.cursors.local,
                varargs: Vec::new(),
                result: None,
                normal: None,
                called_as: None,
                entered: 0,
            },
            callers: None,
            frames: 1,
            memory,
            constraints: PathConstraints::new(),
            symbolics: Log::new(),
            output: Log::new(),
            jumps: Log::new(),
            preferences: Log::new(),
            told_status: None,
            choices: Log::new(),
            decided: Vec::new(),
            exceptions: Vec::new(),
            caught: Vec::new(),
            landing: None,
            instructions: 0,
            depth: 0,
            since_new: 0,
            covered_new: false,
            report: None,
            branches: Log::new(),
            new_blocks: Log::new(),
            pending: None,
            merges: Vec::new(),
            threads: None,
            closing: None,
            settled: false,
            native: NativeView::default(),
            seeds: Vec::new(),
            leans: std::cell::Cell::new(false),
        }
    }

    /// What is known of a thrown object.
    pub(crate) fn thrown(&self, object: ObjectId) -> Option<&Thrown> {
        self.exceptions
            .iter()
            .find(|thrown| thrown.object == object)
    }

    fn thrown_mut(&mut self, object: ObjectId) -> Option<&mut Thrown> {
        let mut thrown = self.exceptions.iter_mut();
        thrown.find(|thrown| thrown.object == object)
    }

    /// Throws an object.
    pub(crate) fn throw(&mut self, thrown: Thrown) {
        self.exceptions
            .retain(|known| known.object != thrown.object);
        self.exceptions.push(thrown);
    }

    /// Notes that an object is on its way to a landing pad; `caught` is what its handler catches.
    pub(crate) fn fly(&mut self, object: ObjectId, caught: Option<Caught>) {
        if let Some(thrown) = self.thrown_mut(object) {
            thrown.flying = true;
            if let Some(caught) = caught {
                thrown.caught = caught;
            }
        }
    }

    /// Counts handlers of an object that begin or end; how many are left.
    pub(crate) fn count_handler(&mut self, object: ObjectId, change: i32) -> i32 {
        match self.thrown_mut(object) {
            Some(thrown) => {
                thrown.handlers += change;
                thrown.flying &= change < 0;
                thrown.handlers
            }
            None => 0,
        }
    }

    /// Counts `std::exception_ptr`s of an object that begin or end to mean it.
    pub(crate) fn count_pointer(&mut self, object: ObjectId, change: i32) {
        if let Some(thrown) = self.thrown_mut(object) {
            thrown.pointers += change;
        }
    }

    /// Takes the frame below the top one.
    pub(crate) fn pop_caller(&mut self) -> Option<Frame> {
        let caller = self.callers.take()?;
        debug_assert!(self.frames > 1, "the frames below the top one are counted");
        self.frames -= 1;
        match Rc::try_unwrap(caller) {
            Ok(mut caller) => {
                self.callers = caller.next.take();
                let frame = &mut caller.frame;
                Some(Frame {
                    code: frame.code.clone(),
                    pc: frame.pc,
                    registers: std::mem::take(&mut frame.registers),
                    allocas: std::mem::take(&mut frame.allocas),
                    local_mark: frame.local_mark,
                    varargs: std::mem::take(&mut frame.varargs),
                    result: frame.result,
                    normal: frame.normal,
                    called_as: frame.called_as.take(),
                    entered: frame.entered,
                })
            }
            Err(shared) => {
                self.callers = shared.next.clone();
                Some(shared.frame.clone())
            }
        }
    }

    /// Puts a frame on top.
    pub(crate) fn push_frame(&mut self, frame: Frame) {
        let below = std::mem::replace(&mut self.top, frame);
        let next = self.callers.take();
        self.callers = Some(Rc::new(Caller { frame: below, next }));
        self.frames += 1;
    }

    /// Sets a register of a frame, counted from the innermost.
    pub(crate) fn set_register(&mut self, depth: usize, register: usize, value: Value) {
        let mut frame = &mut self.top;
        let mut next = &mut self.callers;
        for _ in 0..depth {
            let Some(caller) = next else {
                return;
            };
            let caller = Rc::make_mut(caller);
            (frame, next) = (&mut caller.frame, &mut caller.next);
        }
        if let Some(place) = frame.registers.get_mut(register) {
            *place = value;
        }
    }

    /// All frames, innermost first.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        let below = std::iter::successors(self.callers.as_deref(), |caller| caller.next.as_deref());
        std::iter::once(&self.top).chain(below.map(|caller| &caller.frame))
    }
}
