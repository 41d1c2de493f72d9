//! Threads of an explored program: the call stacks that wait beside the one that runs, and each thread's own copies of
//! thread-local variables.
//!
//! The engine only keeps stacks. Which thread runs next is decided by the model of the system (`runtime/posix/threads.c`), in
//! program memory, so that it forks with the path. A program with one thread has none of this.
//!
//! **Invariant:** the stack of the running thread is the state's own; every other live thread has one in `stacks`.

use crate::address::{LOCAL_START, ObjectId};
use crate::state::{Caller, Frame, State};
use std::rc::Rc;

/// How many threads may be alive at once.
pub(crate) const MAX_THREADS: usize = 256;

/// Room for the locals of one thread; their addresses are used again when their functions return.
const LOCAL_STRIDE: u64 = 1 << 34;

/// A thread that does not run.
#[derive(Clone)]
struct Stack {
    top: Frame,
    callers: Option<Rc<Caller>>,
    frames: u32,
    /// Where the thread's next local is placed.
    local: u64,
    caught: Vec<ObjectId>,
    landing: Option<(ObjectId, u64)>,
}

/// A thread's copies of thread-local variables: the global of the program, and the object that stands for it.
type Own = Vec<(ObjectId, ObjectId)>;

#[derive(Clone, Default)]
pub(crate) struct Threads {
    running: usize,
    stacks: Vec<Option<Stack>>,
    own: Vec<Own>,
}

impl Threads {
    pub(crate) fn is_first(&self) -> bool {
        self.running == 0
    }

    /// The running thread's copy of a thread-local variable.
    pub(crate) fn own(&self, global: ObjectId) -> Option<ObjectId> {
        let own = self.own.get(self.running)?;
        let found = own.iter().find(|(known, _)| *known == global);
        found.map(|&(_, copy)| copy)
    }

    pub(crate) fn add_own(&mut self, global: ObjectId, copy: ObjectId) {
        if let Some(own) = self.own.get_mut(self.running) {
            own.push((global, copy));
        }
    }

    /// Forgets a thread; the objects that stood for its thread-local variables.
    fn forget(&mut self, slot: usize) -> Own {
        self.stacks[slot] = None;
        std::mem::take(&mut self.own[slot])
    }
}

/// Adds a thread that starts with this frame when control is given to it; `None` if the slot is taken or beyond the limit.
pub(crate) fn add(state: &mut State, slot: u64, mut first: Frame) -> Option<()> {
    let slot = usize::try_from(slot)
        .ok()
        .filter(|slot| *slot < MAX_THREADS)?;
    let threads = Rc::make_mut(state.threads.get_or_insert_default());
    let count = threads.stacks.len().max(slot + 1);
    threads.stacks.resize(count, None);
    threads.own.resize(count, Vec::new());
    if slot == threads.running || threads.stacks[slot].is_some() {
        return None;
    }
    let local = LOCAL_START + slot as u64 * LOCAL_STRIDE;
    first.local_mark = local;
    threads.stacks[slot] = Some(Stack {
        top: first,
        callers: None,
        frames: 1,
        local,
        caught: Vec::new(),
        landing: None,
    });
    Some(())
}

/// Gives control to another thread; the running one waits.
pub(crate) fn switch(state: &mut State, slot: u64) -> Option<()> {
    let next = take(state, slot)?;
    let waiting = put(state, next);
    let threads = Rc::make_mut(state.threads.as_mut()?);
    let running = std::mem::replace(&mut threads.running, slot as usize);
    threads.stacks[running] = Some(waiting);
    Some(())
}

/// Gives control to another thread; the running one is over. The objects of its thread-local variables are over, too.
pub(crate) fn end(state: &mut State, slot: u64) -> Option<Own> {
    let next = take(state, slot)?;
    put(state, next);
    let threads = Rc::make_mut(state.threads.as_mut()?);
    let running = std::mem::replace(&mut threads.running, slot as usize);
    Some(threads.forget(running))
}

fn take(state: &mut State, slot: u64) -> Option<Stack> {
    let threads = Rc::make_mut(state.threads.as_mut()?);
    threads.stacks.get_mut(usize::try_from(slot).ok()?)?.take()
}

/// Makes a stack the state's own; the one that was.
fn put(state: &mut State, stack: Stack) -> Stack {
    Stack {
        top: std::mem::replace(&mut state.top, stack.top),
        callers: std::mem::replace(&mut state.callers, stack.callers),
        frames: std::mem::replace(&mut state.frames, stack.frames),
        local: std::mem::replace(&mut state.memory.cursors.local, stack.local),
        caught: std::mem::replace(&mut state.caught, stack.caught),
        landing: std::mem::replace(&mut state.landing, stack.landing),
    }
}
