//! The machine: its parts, and the operations that need more than one of them.
//!
//! | part | file | what |
//! |---|---|---|
//! | `mem` | `memory.rs` | heap, stacks, trail, atoms; reading, building and binding terms |
//! | `control` | `control.rs` | registers, frames and choice points, exceptions, limits, woken goals |
//! | `program` | `program.rs` | code, predicate entries, clauses, tables of answers |
//! | `loader` | `load.rs` | operators, flags, files being loaded |
//! | `checks` | `checks/runtime.rs` | plans of run-time checks and the cache of their answers |
//! | `io` | `streams.rs` | the host, open streams |
//! | `watch` | `profile.rs` | counters, profile, coverage, traced predicates |
//!
//! A function that needs one part belongs to that part's type, so that its file shows what it may touch.

use crate::cell::*;
use crate::checks::RunTimeChecks;
pub(crate) use crate::control::*;
use crate::errors::PErr;
use crate::host::Host;
use crate::load::Loader;
use crate::memory::Memory;
pub(crate) use crate::memory::{Global, TRAIL_GLOBAL, TRAIL_VALUE};
use crate::profile::Watch;
use crate::program::Program;
use crate::streams::Io;
use stet_base::Budget;
use stet_prolog::{AtomTable, Ops, Quotes, atom};

/// Limits and settings fixed when a machine is made.
#[derive(Clone, Debug)]
pub struct Config {
    /// The most memory terms and stacks may take, in bytes.
    pub memory: usize,
    /// Deadline and interrupt flag.
    pub budget: Budget,
    /// Force a garbage collection at every so many opportunities (0: only when needed).
    pub gc_stress: u32,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// What `"…"` is in files that do not say so themselves, and in goals.
    pub double_quotes: Quotes,
}

impl Config {
    /// The usual limits, without a deadline.
    pub fn standard() -> Config {
        Config {
            memory: 8 << 30,
            budget: Budget::unlimited(),
            gc_stress: 0,
            arguments: Vec::new(),
            double_quotes: Quotes::Codes,
        }
    }
}

/// What the machine counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    pub inferences: u64,
    pub collections: u64,
    /// Words they freed.
    pub collected_words: u64,
    /// Atom table sweeps.
    pub atom_sweeps: u64,
}

// In the order given: the X registers, 64 KiB, come last. Fields behind them would be a multiple of 4 KiB away from registers that
// are in use, and the processor would take a write of one for a write of the other.
#[repr(C)]
pub struct Machine {
    pub(crate) mem: Memory,
    pub(crate) program: Program,
    pub(crate) loader: Loader,
    pub(crate) checks: RunTimeChecks,
    pub(crate) io: Io,
    pub(crate) watch: Watch,
    pub(crate) config: Config,
    pub(crate) control: Control,
}

/// The result of a builtin: success or failure, or an exception.
pub type Res = Result<bool, PErr>;

impl Memory {
    /// An error unless `words` more words fit on the heap.
    pub(crate) fn need(&mut self, words: usize) -> Result<(), PErr> {
        if self.h + words < self.heap_max {
            return Ok(());
        }
        Err(self.resource_error(atom::MEMORY))
    }
}

impl Machine {
    /// A machine with the standard predicates.
    pub(crate) fn new(config: Config, host: Box<dyn Host>) -> Machine {
        let mut atoms = AtomTable::new();
        let loader = Loader::new(Ops::standard(&mut atoms));
        let mut machine = Machine {
            mem: Memory::new(config.memory / 8, config.gc_stress, atoms),
            control: Control::new(),
            program: Program::new(),
            loader,
            checks: RunTimeChecks::default(),
            io: Io::new(host),
            watch: Watch::default(),
            config,
        };
        machine.init_stacks();
        machine.make_no_room();
        crate::builtins::register_all(&mut machine);
        crate::boot::load_boot(&mut machine);
        machine.loader.read_flags.double_quotes = machine.config.double_quotes;
        machine
    }

    /// The cancellation flag and deadline this machine obeys.
    pub fn budget(&self) -> &Budget {
        &self.config.budget
    }

    /// Replaces deadline and flag, as for a new query.
    pub fn set_budget(&mut self, budget: Budget) {
        self.config.budget = budget;
    }

    /// What was counted so far.
    pub fn stats(&self) -> Stats {
        let mut stats = self.watch.stats;
        stats.inferences += (self.control.fuel_given - self.control.fuel).max(0) as u64;
        stats
    }

    /// Words of heap in use.
    pub fn heap_used(&self) -> usize {
        self.mem.h
    }

    /// The exit code `halt` asked for, if it was called.
    pub fn halted(&self) -> Option<i32> {
        self.control.halted
    }

    // -- terms

    /// The dereferenced argument register `index` of the builtin being run.
    #[inline]
    pub(crate) fn arg(&self, index: usize) -> Cell {
        self.mem.deref(self.control.x[index])
    }

    /// A list of `items` ending in `tail`.
    pub(crate) fn list_with_tail(&mut self, items: &[Cell], tail: Cell) -> Result<Cell, PErr> {
        if items.is_empty() {
            return Ok(tail);
        }
        self.mem.need(items.len() * 2)?;
        self.charge(items.len());
        let start = self.mem.h;
        for (i, &item) in items.iter().enumerate() {
            self.mem.push(item);
            let next = Cell::pointer(LST, start + 2 * i + 2);
            self.mem
                .push(if i + 1 == items.len() { tail } else { next });
        }
        debug_assert_eq!(
            self.mem.h,
            start + 2 * items.len(),
            "pairs lie side by side"
        );
        Ok(Cell::pointer(LST, start))
    }

    /// A proper list.
    pub(crate) fn new_proper_list(&mut self, items: &[Cell]) -> Result<Cell, PErr> {
        self.list_with_tail(items, Cell::atom(atom::NIL))
    }

    /// A string object.
    pub(crate) fn new_string(&mut self, text: &str) -> Result<Cell, PErr> {
        let words = text.len().div_ceil(8);
        if words > MAX_SIZE {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        self.check_written()?;
        self.mem.need(words + 1)?;
        let padding = (words * 8 - text.len()) as u32;
        let index = self.mem.push(Cell::box_header(KIND_STRING, words, padding));
        for chunk in text.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            self.mem.push(Cell(u64::from_le_bytes(bytes)));
        }
        Ok(Cell::pointer(BOX, index))
    }

    /// Binds the unbound variable `var` (dereferenced) to `value`.
    #[inline]
    pub(crate) fn bind(&mut self, var: Cell, value: Cell) {
        if var.tag() == ATT {
            return self.bind_attributed(var, value);
        }
        self.mem.bind_plain(var, value);
    }

    /// A goal that `'$wakeup_one'` knows runs before what comes next.
    pub(crate) fn push_pending(&mut self, name: &str, args: &[Cell]) {
        let name = self.mem.atoms.intern(name);
        let goal = self.mem.new_term(name, args);
        let before = self.control.pending;
        self.control.pending = self.mem.new_list(goal, before);
        self.mem.soft_limit = 0;
    }

    fn bind_attributed(&mut self, var: Cell, value: Cell) {
        debug_assert!(
            var.tag() == ATT && self.mem.heap.cell(var.index()) == var,
            "only unbound variables are bound"
        );
        self.mem.trail_value(var.index());
        self.mem.heap.put(var.index(), value);
        let attributes = self.mem.heap.cell(var.index() + 1);
        let goal = {
            let name = self.mem.atoms.intern("$wake");
            self.mem.new_term(name, &[attributes, value])
        };
        let nil = Cell::atom(atom::NIL);
        let last = self.mem.new_list(goal, nil);
        if self.control.pending == nil {
            self.control.pending = last;
        } else {
            let mut tail = self.control.pending.index() + 1;
            while self.mem.heap.cell(tail).tag() == LST {
                tail = self.mem.heap.cell(tail).index() + 1;
            }
            self.mem.heap.put(tail, last);
        }
        self.mem.soft_limit = 0;
        self.checks.cache.on_attributed_binding();
    }

    /// The first free word of the environment stack.
    pub(crate) fn env_top(&self) -> usize {
        let own = if self.control.cp == 0 {
            self.control.e + ENV_HEAD
        } else {
            self.control.e
                + ENV_HEAD
                + (self.program.code.get(self.control.cp - 1) & 0xffff) as usize
        };
        own.max(self.mem.choice.get(self.control.b + choice::ENV_TOP) as usize)
    }

    /// Pushes a choice point with the first `count` X registers.
    pub(crate) fn push_choice(&mut self, alternative: usize, count: usize) {
        let top = self.choice_top();
        let env_top = self.env_top();
        debug_assert!(count <= REGISTERS);
        debug_assert!(self.mem.hb <= self.mem.h, "choice points see growing heaps");
        let trail = self.mem.choice.get(self.control.b + choice::TRAIL) as usize;
        debug_assert!(trail <= self.mem.tr, "choice points see growing trails");
        let fields = [
            self.control.b as u64,
            alternative as u64,
            self.control.e as u64,
            self.control.cp as u64,
            self.mem.tr as u64,
            self.mem.h as u64,
            env_top as u64,
            self.checks.cache.log_top() as u64,
            count as u64,
        ];
        for (i, field) in fields.into_iter().enumerate() {
            self.mem.choice.set(top + i, field);
        }
        for i in 0..count {
            self.mem
                .choice
                .put(top + choice::ARGS + i, self.control.x[i]);
        }
        self.control.b = top;
        self.mem.hb = self.mem.h;
    }

    /// The first free word of the choice point stack.
    pub(crate) fn choice_top(&self) -> usize {
        self.control.b + choice::ARGS + self.mem.choice.get(self.control.b + choice::COUNT) as usize
    }

    fn init_stacks(&mut self) {
        self.program.code.set(0, crate::code::Op::Fail as u64);
        self.program.code.set(1, crate::code::Op::StopFail as u64);
        self.program.code.set(2, crate::code::frame_word(0, 0));
        self.program.code.set(3, crate::code::Op::Stop as u64);
        self.program.code.set(4, crate::code::Op::CatchFail as u64);
        self.program.code.set(5, crate::code::frame_word(3, 7));
        self.program.code.set(6, crate::code::Op::CatchExit as u64);
        self.program
            .code
            .set(7, crate::code::Op::DynamicRetry as u64);
        self.program
            .code
            .set(8, crate::code::Op::NondetRetry as u64);
        self.program.code.set(9, crate::code::Op::CatchFail as u64);
        self.program.code.set(10, crate::code::frame_word(3, 7));
        self.program
            .code
            .set(11, crate::code::Op::CleanupExit as u64);
        self.program
            .code
            .set(12, crate::code::Op::CleanupFail as u64);
        let woken =
            crate::code::frame_word(crate::emulate::wake::SLOTS, crate::emulate::wake::MASK);
        self.program.code.set(13, woken);
        self.program.code.set(14, crate::code::Op::WakeExit as u64);
        self.program.code.set(15, woken);
        self.program.code.set(16, crate::code::Op::WakeTest as u64);
        self.program.code.set(17, crate::code::Op::WakeElse as u64);
        self.program
            .code
            .set(18, crate::code::Op::WakeAlternative as u64);
        self.program.code.set(19, crate::code::frame_word(0, 0));
        self.program.code.set(20, crate::code::Op::Fail as u64);
        self.program.db.code_top = 24;
        self.reset_stacks();
    }

    /// Empties environments, choice points and trail, as before a query.
    pub(crate) fn reset_stacks(&mut self) {
        self.mem.undo_to(0);
        self.control.e = 0;
        self.mem.env.set(0, 0);
        self.mem.env.set(1, 0);
        self.control.cp = code_at::STOP;
        self.control.b = 0;
        self.control.b0 = 0;
        self.control.cleanup_b = 0;
        let fields = [
            0,
            code_at::STOP_FAIL as u64,
            0,
            code_at::STOP as u64,
            0,
            self.mem.h as u64,
            ENV_HEAD as u64,
            0,
            0,
        ];
        for (i, field) in fields.into_iter().enumerate() {
            self.mem.choice.set(i, field);
        }
        self.mem.hb = self.mem.h;
        self.mem.tr = 0;
        self.control.pending = Cell::atom(atom::NIL);
        self.disarm();
        self.checks.cache.undo_to(0);
        self.mem.residue = None;
        self.control.inference_limits.clear();
        self.mem.bags.clear();
        self.mem.bag_words.clear();
    }
}

/// Fixed places in the code area.
pub(crate) mod code_at {
    pub(crate) const STOP_FAIL: usize = 1;
    pub(crate) const STOP: usize = 3;
    pub(crate) const CATCH_FAIL: usize = 4;
    pub(crate) const CATCH_EXIT: usize = 6;
    pub(crate) const DYNAMIC_RETRY: usize = 7;
    pub(crate) const NONDET_RETRY: usize = 8;
    pub(crate) const SOFT_FAIL: usize = 9;
    pub(crate) const CLEANUP_EXIT: usize = 11;
    pub(crate) const CLEANUP_FAIL: usize = 12;
    pub(crate) const WAKE_EXIT: usize = 14;
    pub(crate) const WAKE_TEST: usize = 16;
    pub(crate) const WAKE_ELSE: usize = 17;
    pub(crate) const WAKE_ALTERNATIVE: usize = 18;
    pub(crate) const WAKE_FAIL: usize = 20;
}
