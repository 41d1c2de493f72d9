//! The machine: its memory, registers and tables, and the operations on terms everything else is made of.

use crate::cell::*;
use crate::checks::Cache;
use crate::database::Database;
use crate::errors::PErr;
use crate::flat::Flat;
use crate::heap::Area;
use crate::host::Host;
use crate::streams::Streams;
use num_bigint::BigInt;
use stet_base::{Budget, FastMap, FastSet};
use stet_prolog::{Atom, AtomTable, Ops, Quotes, ReadFlags, atom};

/// The number of X registers; arguments beyond [`MAX_ARITY`] are refused.
pub(crate) const REGISTERS: usize = 8192;
/// The largest arity of a predicate.
pub(crate) const MAX_ARITY: usize = 1024;

/// Words of an environment before its slots: previous environment, continuation.
pub(crate) const ENV_HEAD: usize = 2;

/// The fields of a choice point.
pub(crate) mod choice {
    pub(crate) const PREV: usize = 0;
    pub(crate) const ALT: usize = 1;
    pub(crate) const ENV: usize = 2;
    pub(crate) const CP: usize = 3;
    pub(crate) const TRAIL: usize = 4;
    pub(crate) const HEAP: usize = 5;
    pub(crate) const ENV_TOP: usize = 6;
    pub(crate) const LOG: usize = 7;
    pub(crate) const COUNT: usize = 8;
    pub(crate) const ARGS: usize = 9;
}

/// Trail entries: a variable, or (with the old value in the word below) a changed cell or global.
pub(crate) const TRAIL_VALUE: u64 = 1;
pub(crate) const TRAIL_GLOBAL: u64 = 2;

/// Marks the barrier of a cut in an environment: an integer no program is likely to hold there.
pub(crate) const LEVEL: u64 = 1 << 62;

/// The cell that keeps a choice point as the barrier of a cut.
#[inline(always)]
pub(crate) const fn level(b: usize) -> u64 {
    (b as u64) << 3 | LEVEL | INT
}

/// The choice point of such a cell.
#[inline(always)]
pub(crate) const fn level_of(cell: u64) -> usize {
    ((cell & !LEVEL) >> 3) as usize
}

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

/// A global variable's value.
pub(crate) enum Global {
    /// Set by `nb_setval` and not used since.
    Kept(Flat),
    /// Set by `b_setval`, or used: a term on the heap.
    Term(Cell),
}

pub struct Machine {
    pub(crate) heap: Area,
    pub(crate) env: Area,
    pub(crate) choice: Area,
    pub(crate) trail: Area,
    pub(crate) code: Area,
    pub(crate) entries: Area,
    pub(crate) x: [Cell; REGISTERS],
    pub(crate) h: usize,
    pub(crate) hb: usize,
    pub(crate) tr: usize,
    pub(crate) e: usize,
    pub(crate) b: usize,
    pub(crate) b0: usize,
    pub(crate) cp: usize,
    pub(crate) p: usize,
    /// The structure pointer, between instructions.
    pub(crate) s: u64,
    /// Where failure goes before the neck cut of a clause entered without a choice point; 0 for none.
    pub(crate) shallow: usize,
    /// The trail when that clause was entered.
    pub(crate) shallow_tr: usize,
    /// The end of the environment stack and of the trail, less a margin.
    pub(crate) env_limit: usize,
    pub(crate) trail_limit: usize,
    /// The newest choice point that has a cleanup goal; 0 for none.
    pub(crate) cleanup_b: usize,
    /// Budgets that running time limits put aside.
    pub(crate) time_limits: Vec<Budget>,
    /// How the run ended, for the loop that started it.
    pub(crate) outcome: Option<crate::emulate::Outcome>,
    /// An exception on its way to being raised.
    pub(crate) error: Option<PErr>,
    /// Calls until the next look at the clock.
    pub(crate) fuel: i64,
    pub(crate) fuel_given: i64,
    pub(crate) looks: u32,
    /// Returns from clauses since fuel was given: a deep recursion that is backtracked into returns many times a call.
    pub(crate) returns: u64,
    /// Cells and characters builtins went through since the last look.
    pub(crate) work: usize,
    /// An interrupt was caught too often: it leaves the query now.
    pub(crate) uncatchable: bool,
    /// The heap size at which the next call stops to collect garbage or wake goals; 0 to stop at once.
    pub(crate) soft_limit: usize,
    pub(crate) gc_threshold: usize,
    /// What the last collection left on the heap.
    pub(crate) kept_words: usize,
    pub(crate) heap_max: usize,
    /// Goals woken by bindings of attributed variables, a list.
    pub(crate) pending: Cell,
    /// Where `Wake` stands in for an instruction, and which.
    pub(crate) armed: Option<(usize, u64)>,
    /// Continuations that describe an environment, by the word that does.
    pub(crate) descriptions: FastMap<u64, usize>,
    /// What clauses need from an address on, where goals were woken; forgotten when code is used again.
    pub(crate) liveness: FastMap<usize, std::sync::Arc<crate::emulate::liveness::Live>>,
    pub(crate) globals: Vec<Global>,
    pub(crate) global_names: FastMap<Atom, usize>,
    pub(crate) bags: Vec<Vec<Flat>>,
    /// The words in each bag.
    pub(crate) bag_words: Vec<usize>,
    /// Cells the host holds on to across runs; roots of garbage collection.
    pub(crate) handles: Vec<Cell>,
    pub(crate) atoms: AtomTable,
    pub(crate) ops: Ops,
    pub(crate) module_ops: crate::builtins::operators::ModuleOps,
    pub(crate) read_flags: ReadFlags,
    pub(crate) flags: Vec<(Atom, Flat)>,
    pub(crate) occurs_check: bool,
    pub(crate) db: Database,
    pub(crate) property_cache: Cache,
    pub(crate) checks: crate::checks::RunTimeChecks,
    pub(crate) host: Box<dyn Host>,
    pub(crate) streams: Streams,
    pub(crate) config: Config,
    pub(crate) stats: Stats,
    pub(crate) random: u64,
    pub(crate) gc_countdown: u32,
    pub(crate) load: crate::load::LoadState,
    pub(crate) halted: Option<i32>,
    pub(crate) deadline_hits: u32,
    /// While positive nothing is collected: registers are held where the collector does not look.
    pub(crate) gc_blocked: u32,
    /// The choice point below which an exception leaves the innermost run.
    pub(crate) run_floor: usize,
    /// A term was not written to its end because of a limit.
    pub(crate) write_stopped: std::cell::Cell<bool>,
    /// The length of the text whose parts were asked for last.
    pub(crate) measured_text: Option<crate::builtins::subtext::Measured>,
    /// The global variable that collects new attributed variables, while `call_residue_vars/2` wants them.
    pub(crate) residue: Option<usize>,
    /// Where the calls under way came from when the newest error was raised: code addresses, innermost first.
    pub(crate) last_trace: Vec<u32>,
    /// Addresses that continuations return to; their code is never freed.
    pub(crate) pinned: FastSet<u32>,
    pub(crate) profile: Option<Box<crate::profile::Profile>>,
    pub(crate) coverage: Option<Vec<crate::profile::Counted>>,
    /// Predicates that go through the tracer, and what ran in their place before.
    pub(crate) traced: FastMap<crate::database::PredId, Option<crate::database::PredId>>,
    /// Numbers of calls at which goals with a limit are stopped, innermost last.
    pub(crate) inference_limits: Vec<u64>,
    pub(crate) engines: crate::engines::Engines,
    pub(crate) tables: crate::tables::Tables,
    /// Room for the words of big integers under way.
    pub(crate) word_buffers: (Vec<u64>, Vec<u64>),
    /// Room for terms that are taken out of the heap.
    pub(crate) flat_buffers: crate::flat::FlatBuffers,
}

/// The result of a builtin: success or failure, or an exception.
pub type Res = Result<bool, PErr>;

impl Machine {
    /// A machine with the standard predicates.
    pub fn new(config: Config, host: Box<dyn Host>) -> Machine {
        let words = config.memory / 8;
        let mut atoms = AtomTable::new();
        let ops = Ops::standard(&mut atoms);
        let mut machine = Machine {
            heap: Area::reserve(words + (1 << 20)),
            env: Area::reserve(words),
            choice: Area::reserve(words / 2),
            trail: Area::reserve(words / 2),
            code: Area::reserve(1 << 27),
            entries: Area::reserve(1 << 22),
            x: [Cell::small(0); REGISTERS],
            h: 8,
            hb: 8,
            tr: 0,
            e: 0,
            b: 0,
            b0: 0,
            cp: 0,
            p: 0,
            s: 0,
            shallow: 0,
            shallow_tr: 0,
            env_limit: 0,
            trail_limit: 0,
            cleanup_b: 0,
            time_limits: Vec::new(),
            outcome: None,
            error: None,
            fuel: 0,
            fuel_given: 0,
            looks: 0,
            returns: 0,
            work: 0,
            uncatchable: false,
            soft_limit: 0,
            gc_threshold: 1 << 20,
            kept_words: 0,
            heap_max: 0,
            pending: Cell::atom(atom::NIL),
            armed: None,
            descriptions: FastMap::default(),
            liveness: FastMap::default(),
            globals: Vec::new(),
            global_names: FastMap::default(),
            bags: Vec::new(),
            bag_words: Vec::new(),
            handles: Vec::new(),
            atoms,
            ops,
            module_ops: Default::default(),
            read_flags: ReadFlags::STANDARD,
            flags: Vec::new(),
            occurs_check: false,
            db: Database::new(),
            property_cache: Cache::new(),
            checks: crate::checks::RunTimeChecks::default(),
            host,
            streams: Streams::new(),
            config,
            stats: Stats::default(),
            random: 0x9E37_79B9_7F4A_7C15,
            gc_countdown: 0,
            load: crate::load::LoadState::default(),
            halted: None,
            deadline_hits: 0,
            gc_blocked: 0,
            run_floor: 0,
            write_stopped: std::cell::Cell::new(false),
            measured_text: None,
            residue: None,
            last_trace: Vec::new(),
            pinned: FastSet::default(),
            profile: None,
            coverage: None,
            traced: FastMap::default(),
            inference_limits: Vec::new(),
            engines: crate::engines::Engines::default(),
            tables: crate::tables::Tables::default(),
            word_buffers: Default::default(),
            flat_buffers: Default::default(),
        };
        machine.heap_max = machine.heap.capacity().saturating_sub(1 << 18);
        machine.env_limit = machine.env.capacity().saturating_sub(1 << 16);
        machine.trail_limit = machine.trail.capacity().saturating_sub(1 << 14);
        machine.soft_limit = machine.gc_threshold;
        machine.gc_countdown = machine.config.gc_stress;
        machine.init_stacks();
        crate::builtins::register_all(&mut machine);
        crate::boot::load_boot(&mut machine);
        machine.read_flags.double_quotes = machine.config.double_quotes;
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
        let mut stats = self.stats;
        stats.inferences += (self.fuel_given - self.fuel).max(0) as u64;
        stats
    }

    /// Words of heap in use.
    pub fn heap_used(&self) -> usize {
        self.h
    }

    /// The exit code `halt` asked for, if it was called.
    pub fn halted(&self) -> Option<i32> {
        self.halted
    }

    // -- looking at terms

    /// Follows bindings to the term itself.
    #[inline(always)]
    pub(crate) fn deref(&self, cell: Cell) -> Cell {
        let mut cell = cell;
        while matches!(cell.tag(), REF | ATT) {
            let next = self.heap.cell(cell.index());
            if next == cell {
                break;
            }
            cell = next;
        }
        cell
    }

    /// The dereferenced argument register `index` of the builtin being run.
    #[inline]
    pub(crate) fn arg(&self, index: usize) -> Cell {
        self.deref(self.x[index])
    }

    /// Name, arity and index of the first argument of a compound term (already dereferenced).
    #[inline]
    pub(crate) fn compound(&self, cell: Cell) -> Option<(Atom, usize, usize)> {
        match cell.tag() {
            LST => Some((atom::DOT, 2, cell.index())),
            STR => {
                let header = self.heap.cell(cell.index());
                Some((header.name(), header.arity(), cell.index() + 1))
            }
            _ => None,
        }
    }

    /// The arguments' start if the term is `name/arity`.
    pub(crate) fn structure(&self, cell: Cell, name: Atom, arity: usize) -> Option<usize> {
        match self.compound(cell) {
            Some((found, n, args)) if found == name && n == arity => Some(args),
            _ => None,
        }
    }

    /// Name and arity of a callable term: an atom has arity 0.
    pub(crate) fn callable(&self, cell: Cell) -> Option<(Atom, usize, usize)> {
        match cell.as_atom() {
            Some(name) => Some((name, 0, 0)),
            None => self.compound(cell),
        }
    }

    /// The dereferenced argument of a compound term whose arguments start at `args`.
    #[inline]
    pub(crate) fn at(&self, args: usize) -> Cell {
        self.deref(self.heap.cell(args))
    }

    /// The kind of a box, `None` for any other cell.
    pub(crate) fn box_kind(&self, cell: Cell) -> Option<u64> {
        (cell.tag() == BOX).then(|| self.heap.cell(cell.index()).kind())
    }

    pub(crate) fn is_integer(&self, cell: Cell) -> bool {
        cell.is_small() || self.box_kind(cell) == Some(KIND_BIG)
    }

    pub(crate) fn is_float(&self, cell: Cell) -> bool {
        self.box_kind(cell) == Some(KIND_FLOAT)
    }

    pub(crate) fn is_number(&self, cell: Cell) -> bool {
        cell.is_small()
            || matches!(
                self.box_kind(cell),
                Some(KIND_BIG | KIND_FLOAT | KIND_RATIO)
            )
    }

    pub(crate) fn is_string(&self, cell: Cell) -> bool {
        self.box_kind(cell) == Some(KIND_STRING)
    }

    pub(crate) fn is_callable(&self, cell: Cell) -> bool {
        matches!(cell.tag(), CON | LST | STR)
    }

    /// The value of a float box.
    pub(crate) fn float_value(&self, cell: Cell) -> f64 {
        f64::from_bits(self.heap.get(cell.index() + 1))
    }

    /// The value of a big integer box.
    pub(crate) fn big_value(&self, cell: Cell) -> BigInt {
        let header = self.heap.cell(cell.index());
        let start = cell.index() + 1;
        let digits: Vec<u32> = self
            .heap
            .slice(start, start + header.arity())
            .iter()
            .flat_map(|&word| [word as u32, (word >> 32) as u32])
            .collect();
        let sign = match header.extra() {
            0 => num_bigint::Sign::Plus,
            _ => num_bigint::Sign::Minus,
        };
        BigInt::from_slice(sign, &digits)
    }

    /// The text of a string box.
    pub(crate) fn string_value(&self, cell: Cell) -> String {
        let header = self.heap.cell(cell.index());
        let start = cell.index() + 1;
        let mut bytes = Vec::with_capacity(header.arity() * 8);
        for word in self.heap.slice(start, start + header.arity()) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.truncate(bytes.len() - header.extra() as usize);
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// The text of an atom.
    pub(crate) fn atom_text(&self, name: Atom) -> &str {
        self.atoms.text(name)
    }

    // -- building terms

    /// An error unless `words` more words fit on the heap.
    pub(crate) fn need(&mut self, words: usize) -> Result<(), PErr> {
        if self.h + words < self.heap_max {
            return Ok(());
        }
        Err(self.resource_error(atom::MEMORY))
    }

    #[inline]
    pub(crate) fn push(&mut self, cell: Cell) -> usize {
        let index = self.h;
        self.heap.put(index, cell);
        self.h = index + 1;
        index
    }

    /// A fresh variable.
    pub(crate) fn new_var(&mut self) -> Cell {
        let cell = Cell::var(self.h);
        self.push(cell);
        cell
    }

    /// A pair `[head|tail]`.
    pub(crate) fn new_list(&mut self, head: Cell, tail: Cell) -> Cell {
        let index = self.push(head);
        self.push(tail);
        Cell::pointer(LST, index)
    }

    /// The compound term `name(args…)`, or the atom if there are no arguments.
    pub(crate) fn new_term(&mut self, name: Atom, args: &[Cell]) -> Cell {
        match args {
            [] => Cell::atom(name),
            [head, tail] if name == atom::DOT => self.new_list(*head, *tail),
            _ => {
                let index = self.push(Cell::functor(name, args.len()));
                for &arg in args {
                    self.push(arg);
                }
                Cell::pointer(STR, index)
            }
        }
    }

    /// A list of `items` ending in `tail`.
    pub(crate) fn list_with_tail(&mut self, items: &[Cell], tail: Cell) -> Result<Cell, PErr> {
        if items.is_empty() {
            return Ok(tail);
        }
        self.need(items.len() * 2)?;
        self.charge(items.len());
        let start = self.h;
        for (i, &item) in items.iter().enumerate() {
            self.push(item);
            let next = Cell::pointer(LST, start + 2 * i + 2);
            self.push(if i + 1 == items.len() { tail } else { next });
        }
        Ok(Cell::pointer(LST, start))
    }

    /// A proper list.
    pub(crate) fn new_proper_list(&mut self, items: &[Cell]) -> Result<Cell, PErr> {
        self.list_with_tail(items, Cell::atom(atom::NIL))
    }

    /// An integer of any size that fits 64 bits.
    pub(crate) fn new_int(&mut self, value: i64) -> Cell {
        if fits_small(value) {
            Cell::small(value)
        } else {
            self.new_box_big(&BigInt::from(value))
        }
    }

    /// An integer, in a cell where it fits.
    pub(crate) fn new_big(&mut self, value: &BigInt) -> Cell {
        match i64::try_from(value) {
            Ok(small) if fits_small(small) => Cell::small(small),
            _ => self.new_box_big(value),
        }
    }

    fn new_box_big(&mut self, value: &BigInt) -> Cell {
        let (sign, digits) = value.to_u64_digits();
        let negative = u32::from(sign == num_bigint::Sign::Minus);
        if self.h + digits.len() + 1 >= self.heap_max || digits.len() > MAX_SIZE {
            // Numbers are limited to 2^24 words by the evaluator; this is the last line of defence.
            return Cell::small(0);
        }
        let index = self.push(Cell::box_header(KIND_BIG, digits.len(), negative));
        for digit in digits {
            self.push(Cell(digit));
        }
        Cell::pointer(BOX, index)
    }

    pub(crate) fn new_float(&mut self, value: f64) -> Cell {
        let index = self.push(Cell::box_header(KIND_FLOAT, 1, 0));
        self.push(Cell(value.to_bits()));
        Cell::pointer(BOX, index)
    }

    /// A string object.
    pub(crate) fn new_string(&mut self, text: &str) -> Result<Cell, PErr> {
        let words = text.len().div_ceil(8);
        if words > MAX_SIZE {
            return Err(self.resource_error(atom::MEMORY));
        }
        self.check_written()?;
        self.need(words + 1)?;
        let padding = (words * 8 - text.len()) as u32;
        let index = self.push(Cell::box_header(KIND_STRING, words, padding));
        for chunk in text.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            self.push(Cell(u64::from_le_bytes(bytes)));
        }
        Ok(Cell::pointer(BOX, index))
    }

    /// The atom with this text as a cell.
    pub(crate) fn atom_cell(&mut self, text: &str) -> Cell {
        Cell::atom(self.atoms.intern_temporary(text))
    }

    // -- binding

    /// Binds the unbound variable `var` (dereferenced) to `value`.
    #[inline]
    pub(crate) fn bind(&mut self, var: Cell, value: Cell) {
        if var.tag() == ATT {
            return self.bind_attributed(var, value);
        }
        self.bind_plain(var, value);
    }

    /// Binds the unbound variable `var`, which has no attributes.
    #[inline(always)]
    pub(crate) fn bind_plain(&mut self, var: Cell, value: Cell) {
        let index = var.index();
        self.heap.put(index, value);
        if index < self.hb {
            self.trail_push(Cell::var(index).0);
        }
    }

    fn bind_attributed(&mut self, var: Cell, value: Cell) {
        self.trail_value(var.index());
        self.heap.put(var.index(), value);
        let attributes = self.heap.cell(var.index() + 1);
        let goal = {
            let name = self.atoms.intern("$wake");
            self.new_term(name, &[attributes, value])
        };
        let nil = Cell::atom(atom::NIL);
        let last = self.new_list(goal, nil);
        if self.pending == nil {
            self.pending = last;
        } else {
            let mut tail = self.pending.index() + 1;
            while self.heap.cell(tail).tag() == LST {
                tail = self.heap.cell(tail).index() + 1;
            }
            self.heap.put(tail, last);
        }
        self.soft_limit = 0;
        self.property_cache.on_attributed_binding();
    }

    #[inline]
    pub(crate) fn trail_push(&mut self, entry: u64) {
        self.trail.set(self.tr, entry);
        self.tr += 1;
    }

    /// Records the present value of a cell, to be put back on backtracking.
    pub(crate) fn trail_value(&mut self, index: usize) {
        // What is newer than the choice point goes with it.
        if index >= self.hb {
            return;
        }
        let old = self.heap.get(index);
        self.trail_push(old);
        self.trail_push((index as u64) << 3 | TRAIL_VALUE);
    }

    /// Undoes all bindings made since the trail was `mark` long.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        while self.tr > mark {
            self.tr -= 1;
            let entry = self.trail.get(self.tr);
            let index = (entry >> 3) as usize;
            match entry & 7 {
                0 => self.heap.set(index, entry),
                TRAIL_VALUE => {
                    self.tr -= 1;
                    let old = self.trail.get(self.tr);
                    self.heap.set(index, old);
                }
                _ => {
                    self.tr -= 1;
                    let old = self.trail.cell(self.tr);
                    self.globals[index] = Global::Term(old);
                }
            }
        }
    }

    /// The first free word of the environment stack.
    pub(crate) fn env_top(&self) -> usize {
        let own = if self.cp == 0 {
            self.e + ENV_HEAD
        } else {
            self.e + ENV_HEAD + (self.code.get(self.cp - 1) & 0xffff) as usize
        };
        own.max(self.choice.get(self.b + choice::ENV_TOP) as usize)
    }

    /// Pushes a choice point with the first `count` X registers.
    pub(crate) fn push_choice(&mut self, alternative: usize, count: usize) {
        let top = self.choice_top();
        let env_top = self.env_top();
        let fields = [
            self.b as u64,
            alternative as u64,
            self.e as u64,
            self.cp as u64,
            self.tr as u64,
            self.h as u64,
            env_top as u64,
            self.property_cache.log_top() as u64,
            count as u64,
        ];
        for (i, field) in fields.into_iter().enumerate() {
            self.choice.set(top + i, field);
        }
        for i in 0..count {
            self.choice.put(top + choice::ARGS + i, self.x[i]);
        }
        self.b = top;
        self.hb = self.h;
    }

    /// The first free word of the choice point stack.
    pub(crate) fn choice_top(&self) -> usize {
        self.b + choice::ARGS + self.choice.get(self.b + choice::COUNT) as usize
    }

    fn init_stacks(&mut self) {
        self.code.set(0, crate::code::Op::Fail as u64);
        self.code.set(1, crate::code::Op::StopFail as u64);
        self.code.set(2, crate::code::frame_word(0, 0));
        self.code.set(3, crate::code::Op::Stop as u64);
        self.code.set(4, crate::code::Op::CatchFail as u64);
        self.code.set(5, crate::code::frame_word(3, 7));
        self.code.set(6, crate::code::Op::CatchExit as u64);
        self.code.set(7, crate::code::Op::DynamicRetry as u64);
        self.code.set(8, crate::code::Op::NondetRetry as u64);
        self.code.set(9, crate::code::Op::CatchFail as u64);
        self.code.set(10, crate::code::frame_word(3, 7));
        self.code.set(11, crate::code::Op::CleanupExit as u64);
        self.code.set(12, crate::code::Op::CleanupFail as u64);
        let woken =
            crate::code::frame_word(crate::emulate::wake::SLOTS, crate::emulate::wake::MASK);
        self.code.set(13, woken);
        self.code.set(14, crate::code::Op::WakeExit as u64);
        self.code.set(15, woken);
        self.code.set(16, crate::code::Op::WakeTest as u64);
        self.code.set(17, crate::code::Op::WakeElse as u64);
        self.code.set(18, crate::code::Op::WakeAlternative as u64);
        self.code.set(19, crate::code::frame_word(0, 0));
        self.code.set(20, crate::code::Op::Fail as u64);
        self.db.code_top = 24;
        self.reset_stacks();
    }

    /// Empties environments, choice points and trail, as before a query.
    pub(crate) fn reset_stacks(&mut self) {
        self.undo_to(0);
        self.e = 0;
        self.env.set(0, 0);
        self.env.set(1, 0);
        self.cp = code_at::STOP;
        self.b = 0;
        self.b0 = 0;
        self.cleanup_b = 0;
        let fields = [
            0,
            code_at::STOP_FAIL as u64,
            0,
            code_at::STOP as u64,
            0,
            self.h as u64,
            ENV_HEAD as u64,
            0,
            0,
        ];
        for (i, field) in fields.into_iter().enumerate() {
            self.choice.set(i, field);
        }
        self.hb = self.h;
        self.tr = 0;
        self.pending = Cell::atom(atom::NIL);
        self.disarm();
        self.property_cache.undo_to(0);
        self.residue = None;
        self.inference_limits.clear();
        self.bags.clear();
        self.bag_words.clear();
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
