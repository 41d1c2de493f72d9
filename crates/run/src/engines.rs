//! Engines: coroutines with memory of their own that share the program, flags and streams of the machine.
//!
//! A step of an engine puts the machine's stacks and registers aside, runs on the engine's, and comes back with an
//! answer, with nothing, with an exception, or because the engine suspended itself. Terms cross as copies.
//!
//! ```text
//!   Fresh ──step──▶ Running ──answer──▶ Answered ──step──▶ Running
//!                      │  └──suspend──▶ Suspended ──step──▶ Running
//!                      └── failure, exception, destroy ──▶ gone
//! ```
//!
//! **Invariant:** while an engine exists, neither atoms nor code nor erased clauses are freed: the collectors see the
//! memory of the machine that runs, not of those put aside.

use crate::cell::Cell;
use crate::checks::Cache;
use crate::emulate::Outcome;
use crate::errors::PErr;
use crate::flat::Flat;
use crate::heap::Area;
use crate::machine::{Global, Machine, Res, choice, code_at};
use stet_base::FastMap;
use stet_prolog::{Atom, atom};

/// Steps may start steps of other engines, so many deep: each takes native stack.
const MAX_NESTED: usize = 100;
/// More engines than this at a time are refused.
const MAX_ENGINES: usize = 20_000;

/// The memory and registers of a run.
pub(crate) struct Stacks {
    areas: [Area; 4],
    registers: [usize; 12],
    s: u64,
    limits: [usize; 5],
    pending: Cell,
    globals: Vec<Global>,
    global_names: FastMap<Atom, usize>,
    bags: Vec<Vec<Flat>>,
    bag_words: Vec<usize>,
    handles: Vec<Cell>,
    property_cache: Cache,
    gc_blocked: u32,
    run_floor: usize,
    residue: Option<usize>,
    inference_limits: Vec<u64>,
}

enum State {
    /// `Template-Goal`, not started.
    Fresh(Flat),
    Answered,
    Suspended,
    Running,
}

struct Engine {
    stacks: Option<Box<Stacks>>,
    state: State,
}

/// All engines of a machine; the number of an engine is its index.
#[derive(Default)]
pub(crate) struct Engines {
    list: Vec<Option<Engine>>,
    free: Vec<usize>,
    /// Engines under way, innermost last.
    running: Vec<usize>,
    /// What the innermost engine said when it suspended itself.
    said: Option<Flat>,
    /// The engine that runs was suspended and goes on now.
    resumed: bool,
}

impl Engines {
    /// Whether there is memory the collectors do not see.
    pub(crate) fn any(&self) -> bool {
        self.list.len() > self.free.len()
    }
}

impl Stacks {
    /// `None` if the system has not so much memory: the limits below need areas of the full size.
    fn new(memory: usize, cache: Cache) -> Option<Stacks> {
        let words = (memory / 64).clamp(1 << 20, 1 << 27);
        let heap = Area::try_reserve(words + (1 << 20))?;
        let env = Area::try_reserve(words / 2 + (1 << 18))?;
        let choice = Area::try_reserve(words / 4 + (1 << 18))?;
        let trail = Area::try_reserve(words / 4 + (1 << 18))?;
        let threshold = 1 << 20;
        let limits = [
            env.capacity().saturating_sub(1 << 16),
            trail.capacity().saturating_sub(1 << 14),
            0,
            threshold,
            heap.capacity() - (1 << 18),
        ];
        Some(Stacks {
            areas: [heap, env, choice, trail],
            registers: [8, 8, 0, 0, 0, 0, code_at::STOP, 0, 0, 0, 0, 0],
            s: 0,
            limits,
            pending: Cell::atom(atom::NIL),
            globals: Vec::new(),
            global_names: FastMap::default(),
            bags: Vec::new(),
            bag_words: Vec::new(),
            handles: Vec::new(),
            property_cache: cache,
            gc_blocked: 0,
            run_floor: 0,
            residue: None,
            inference_limits: Vec::new(),
        })
    }
}

/// How a step ended.
enum Event {
    Answer(Flat),
    No,
    Thrown(Flat),
    Suspended(Flat),
}

pub(crate) fn register(m: &mut Machine) {
    // '$engine_create'(Template-Goal, Number)
    m.register("$engine_create", 2, create);
    // '$engine_step'(Number, Event): the(Answer), no, throw(Ball) or suspended(Term). To be called through call/N.
    m.register("$engine_step", 2, step);
    m.register("$engine_destroy", 1, |m| {
        let number = engine_arg(m)?;
        m.destroy_engine(number)?;
        Ok(true)
    });
    m.register("$engine_self", 1, |m| {
        match m.control.engines.running.last() {
            Some(&number) => m.unify_result(m.control.x[0], Cell::small(number as i64)),
            None => Ok(false),
        }
    });
    m.register("$engine_exists", 1, |m| {
        let number = m.int_arg(0)?;
        let found = usize::try_from(number)
            .ok()
            .map(|n| m.control.engines.list.get(n));
        Ok(matches!(found, Some(Some(Some(_)))))
    });
    // '$suspend'(Term): ends the step of the engine that runs; true when it is asked again. Through call/N, too.
    m.register("$suspend", 1, |m| {
        if std::mem::take(&mut m.control.engines.resumed) {
            return Ok(true);
        }
        if m.control.engines.running.is_empty() || m.mem.gc_blocked > 0 {
            let (yields, engine) = (m.mem.atoms.intern("yield"), m.mem.atoms.intern("engine"));
            let culprit = Cell::atom(m.mem.atoms.intern("main"));
            return Err(m.mem.permission_error(yields, engine, culprit));
        }
        m.control.engines.said = Some(m.flatten(m.control.x[0], true));
        Err(PErr::Suspend)
    });
}

fn engine_arg(m: &mut Machine) -> Result<usize, PErr> {
    let number = m.int_arg(0)?;
    let index = usize::try_from(number).unwrap_or(usize::MAX);
    if matches!(m.control.engines.list.get(index), Some(Some(_))) {
        return Ok(index);
    }
    let kind = m.mem.atoms.intern("engine");
    Err(m.mem.existence_error(kind, Cell::small(number)))
}

fn create(m: &mut Machine) -> Res {
    if m.control.engines.list.len() - m.control.engines.free.len() >= MAX_ENGINES {
        return Err(m.mem.resource_error(atom::MEMORY));
    }
    let goal = m.flatten(m.control.x[0], true);
    let cache = Cache::with_config(m.checks.cache.config());
    let Some(stacks) = Stacks::new(m.config.memory, cache) else {
        return Err(m.mem.resource_error(atom::MEMORY));
    };
    let engine = Engine {
        stacks: Some(Box::new(stacks)),
        state: State::Fresh(goal),
    };
    let number = match m.control.engines.free.pop() {
        Some(number) => number,
        None => {
            m.control.engines.list.push(None);
            m.control.engines.list.len() - 1
        }
    };
    m.control.engines.list[number] = Some(engine);
    m.unify_result(m.control.x[1], Cell::small(number as i64))
}

fn step(m: &mut Machine) -> Res {
    let number = engine_arg(m)?;
    let result = m.control.x[1];
    if m.control.engines.running.len() >= MAX_NESTED {
        return Err(m.mem.resource_error(atom::MEMORY));
    }
    let event = m.step_engine(number)?;
    let (name, flat) = match event {
        Event::No => {
            let no = Cell::atom(m.mem.atoms.intern("no"));
            return m.unify_result(result, no);
        }
        Event::Answer(flat) => ("the", flat),
        Event::Thrown(flat) => ("throw", flat),
        Event::Suspended(flat) => ("suspended", flat),
    };
    let name = m.mem.atoms.intern(name);
    let term = m.unflatten(&flat)?;
    m.mem.need(2)?;
    let term = m.mem.new_term(name, &[term]);
    m.unify_result(result, term)
}

impl Machine {
    /// Exchanges the memory and registers of the run with those put aside.
    fn exchange(&mut self, with: &mut Stacks) {
        use std::mem::swap;
        self.disarm();
        let [heap, env, choice, trail] = &mut with.areas;
        swap(&mut self.mem.heap, heap);
        swap(&mut self.mem.env, env);
        swap(&mut self.mem.choice, choice);
        swap(&mut self.mem.trail, trail);
        let own = [
            &mut self.mem.h,
            &mut self.mem.hb,
            &mut self.mem.tr,
            &mut self.control.e,
            &mut self.control.b,
            &mut self.control.b0,
            &mut self.control.cp,
            &mut self.control.p,
            &mut self.control.shallow,
            &mut self.control.shallow_tr,
            &mut self.control.cleanup_b,
        ];
        for (mine, other) in own.into_iter().zip(&mut with.registers) {
            swap(mine, other);
        }
        swap(&mut self.control.s, &mut with.s);
        let own = [
            &mut self.mem.env_limit,
            &mut self.mem.trail_limit,
            &mut self.mem.soft_limit,
            &mut self.mem.gc_threshold,
            &mut self.mem.heap_max,
        ];
        for (mine, other) in own.into_iter().zip(&mut with.limits) {
            swap(mine, other);
        }
        swap(&mut self.control.pending, &mut with.pending);
        swap(&mut self.mem.globals, &mut with.globals);
        swap(&mut self.mem.global_names, &mut with.global_names);
        swap(&mut self.mem.bags, &mut with.bags);
        swap(&mut self.mem.bag_words, &mut with.bag_words);
        swap(&mut self.mem.handles, &mut with.handles);
        swap(&mut self.checks.cache, &mut with.property_cache);
        // Answers belong to the memory they are about, counters to the machine: a mismatch in an engine must not go with it.
        swap(&mut self.checks.cache.stats, &mut with.property_cache.stats);
        swap(&mut self.mem.gc_blocked, &mut with.gc_blocked);
        swap(&mut self.control.run_floor, &mut with.run_floor);
        swap(&mut self.mem.residue, &mut with.residue);
        swap(
            &mut self.control.inference_limits,
            &mut with.inference_limits,
        );
        self.mem.measured_text = None;
    }

    fn step_engine(&mut self, number: usize) -> Result<Event, PErr> {
        let Some(Some(engine)) = self.control.engines.list.get_mut(number) else {
            return Ok(Event::No);
        };
        let Some(mut stacks) = engine.stacks.take() else {
            // An engine cannot step itself, or one that waits for it.
            let (resume, kind) = (
                self.mem.atoms.intern("resume"),
                self.mem.atoms.intern("engine"),
            );
            return Err(self
                .mem
                .permission_error(resume, kind, Cell::small(number as i64)));
        };
        let state = std::mem::replace(&mut engine.state, State::Running);
        self.exchange(&mut stacks);
        self.control.engines.running.push(number);
        let outcome = self.run_engine(state);
        self.control.engines.resumed = false;
        // The answer leaves before the memory does.
        debug_assert_eq!(
            self.control.engines.running.last(),
            Some(&number),
            "steps end in the order they began"
        );
        let event = match outcome {
            Outcome::True => Ok(Event::Answer(self.flatten(self.mem.handles[0], true))),
            Outcome::False => Ok(Event::No),
            Outcome::Exception(ball) => Ok(Event::Thrown(ball)),
            Outcome::Suspended => match self.control.engines.said.take() {
                Some(said) => Ok(Event::Suspended(said)),
                None => Ok(Event::No),
            },
            Outcome::Halt(code) => Err(PErr::Halt(code)),
        };
        self.control.engines.running.pop();
        self.exchange(&mut stacks);
        let next = match &event {
            Ok(Event::Answer(_)) => State::Answered,
            Ok(Event::Suspended(_)) => State::Suspended,
            _ => {
                self.control.engines.list[number] = None;
                self.control.engines.free.push(number);
                return event;
            }
        };
        if let Some(Some(engine)) = self.control.engines.list.get_mut(number) {
            engine.stacks = Some(stacks);
            engine.state = next;
        }
        event
    }

    /// Runs on the memory of an engine until its next event.
    fn run_engine(&mut self, state: State) -> Outcome {
        match state {
            State::Fresh(goal) => {
                self.reset_stacks();
                let term = match self.unflatten(&goal) {
                    Ok(term) => term,
                    Err(error) => return self.left_by(error),
                };
                let Some((_, 2, args)) = self.mem.compound(term) else {
                    return Outcome::False;
                };
                let template = self.mem.heap.cell(args);
                self.mem.handles.push(template);
                self.control.x[0] = self.mem.heap.cell(args + 1);
                self.mem.hb = self.mem.h;
                self.mem.choice.set(choice::HEAP, self.mem.h as u64);
                let call = self.pred_id(atom::SYSTEM, atom::CALL, 1);
                let start = match self.alloc_query_code(call) {
                    Ok(start) => start,
                    Err(error) => return self.left_by(error),
                };
                self.control.p = start;
                self.control.cp = code_at::STOP;
                self.control.b0 = 0;
                self.run(false)
            }
            State::Answered if self.control.b == 0 => Outcome::False,
            State::Answered => self.run(true),
            State::Suspended => {
                self.control.engines.resumed = true;
                self.control.x[0] = Cell::atom(atom::NIL);
                self.run(false)
            }
            State::Running => Outcome::False,
        }
    }

    /// A run that could not begin: not having an answer would be something else.
    fn left_by(&mut self, error: PErr) -> Outcome {
        match error {
            PErr::Throw(ball) => Outcome::Exception(self.flatten(ball, true)),
            PErr::Halt(code) => Outcome::Halt(code),
            PErr::Suspend => Outcome::Suspended,
        }
    }

    fn destroy_engine(&mut self, number: usize) -> Result<(), PErr> {
        let Some(Some(engine)) = self.control.engines.list.get_mut(number) else {
            return Ok(());
        };
        let Some(mut stacks) = engine.stacks.take() else {
            let (destroy, kind) = (
                self.mem.atoms.intern("destroy"),
                self.mem.atoms.intern("engine"),
            );
            return Err(self
                .mem
                .permission_error(destroy, kind, Cell::small(number as i64)));
        };
        debug_assert!(
            !matches!(engine.state, State::Running),
            "an engine whose memory is put aside does not run"
        );
        let started = !matches!(engine.state, State::Fresh(_));
        engine.state = State::Running;
        if started && self.control.engines.running.len() < MAX_NESTED {
            self.exchange(&mut stacks);
            if self.control.cleanup_b > 0 {
                // Their exceptions have nowhere to go.
                let _ = self.run_cleanups(0);
            }
            self.exchange(&mut stacks);
        }
        self.control.engines.list[number] = None;
        self.control.engines.free.push(number);
        match self.control.halted {
            Some(code) => Err(PErr::Halt(code)),
            None => Ok(()),
        }
    }
}
