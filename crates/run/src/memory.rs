//! The machine's memory: terms on the heap, stacks, the trail, atoms, and the operations on terms all else is made of.
//!
//! * Looking at terms: `deref`, `compound`, `structure`, `at`, `walk` and the tests of types; none of them changes anything.
//! * Building terms: `push` and the `new_…` functions. They do not check for room: builtins ask [`Machine::need`] first.
//! * Binding: `bind_plain` and the trail. Variables with attributes wake goals, so [`Machine::bind`] is for these.
//!
//! **Invariant:** nothing here knows registers, code or files. A function of [`Memory`] can read and change terms only.
//!
//! [`Machine::need`]: crate::machine::Machine::need
//! [`Machine::bind`]: crate::machine::Machine::bind

use crate::builtins::subtext::Measured;
use crate::cell::*;
use crate::errors::PErr;
use crate::flat::{Flat, FlatBuffers};
use crate::heap::Area;
use num_bigint::BigInt;
use stet_base::FastMap;
use stet_prolog::{Atom, AtomTable, atom};

/// Trail entries: a variable, or (with the old value in the word below) a changed cell or global.
pub(crate) const TRAIL_VALUE: u64 = 1;
pub(crate) const TRAIL_GLOBAL: u64 = 2;

/// A global variable's value.
pub(crate) enum Global {
    /// Set by `nb_setval` and not used since.
    Kept(Flat),
    /// Set by `b_setval`, or used: a term on the heap.
    Term(Cell),
}

pub(crate) struct Memory {
    pub(crate) heap: Area,
    /// Environments of clauses under way.
    pub(crate) env: Area,
    /// Choice points, the newest at `b`.
    pub(crate) choice: Area,
    pub(crate) trail: Area,
    /// The first free word of the heap.
    pub(crate) h: usize,
    /// The heap's top when the newest choice point was made: older cells are recorded before they change.
    pub(crate) hb: usize,
    /// The first free word of the trail.
    pub(crate) tr: usize,
    /// The end of the environment stack and of the trail, less a margin.
    pub(crate) env_limit: usize,
    pub(crate) trail_limit: usize,
    pub(crate) heap_max: usize,
    /// The heap size at which the next call stops to collect garbage or wake goals; 0 to stop at once.
    pub(crate) soft_limit: usize,
    pub(crate) gc_threshold: usize,
    /// What the last collection left on the heap.
    pub(crate) kept_words: usize,
    pub(crate) gc_countdown: u32,
    /// While positive nothing is collected: registers are held where the collector does not look.
    pub(crate) gc_blocked: u32,
    pub(crate) globals: Vec<Global>,
    pub(crate) global_names: FastMap<Atom, usize>,
    pub(crate) bags: Vec<Vec<Flat>>,
    /// The words in each bag.
    pub(crate) bag_words: Vec<usize>,
    /// Cells the host holds on to across runs; roots of garbage collection.
    pub(crate) handles: Vec<Cell>,
    pub(crate) atoms: AtomTable,
    /// The length of the text whose parts were asked for last.
    pub(crate) measured_text: Option<Measured>,
    /// The global variable that collects new attributed variables, while `call_residue_vars/2` wants them.
    pub(crate) residue: Option<usize>,
    /// Room for the words of big integers under way.
    pub(crate) word_buffers: (Vec<u64>, Vec<u64>),
    /// Room for terms that are taken out of the heap.
    pub(crate) flat_buffers: FlatBuffers,
}

impl Memory {
    /// Memory of at most `words` words for terms, and as many for the stacks.
    pub(crate) fn new(words: usize, gc_stress: u32, atoms: AtomTable) -> Memory {
        let heap = Area::reserve(words + (1 << 20));
        let env = Area::reserve(words);
        let trail = Area::reserve(words / 2);
        let gc_threshold = 1 << 20;
        Memory {
            heap_max: heap.capacity().saturating_sub(1 << 18),
            env_limit: env.capacity().saturating_sub(1 << 16),
            trail_limit: trail.capacity().saturating_sub(1 << 14),
            heap,
            env,
            choice: Area::reserve(words / 2),
            trail,
            h: 8,
            hb: 8,
            tr: 0,
            soft_limit: gc_threshold,
            gc_threshold,
            kept_words: 0,
            gc_countdown: gc_stress,
            gc_blocked: 0,
            globals: Vec::new(),
            global_names: FastMap::default(),
            bags: Vec::new(),
            bag_words: Vec::new(),
            handles: Vec::new(),
            atoms,
            measured_text: None,
            residue: None,
            word_buffers: Default::default(),
            flat_buffers: FlatBuffers::default(),
        }
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
            debug_assert!(
                next.tag() != HDR,
                "a variable is bound to a term, not into one"
            );
            cell = next;
        }
        cell
    }

    /// Name, arity and index of the first argument of a compound term (already dereferenced).
    #[inline]
    pub(crate) fn compound(&self, cell: Cell) -> Option<(Atom, usize, usize)> {
        match cell.tag() {
            LST => Some((atom::DOT, 2, cell.index())),
            STR => {
                let header = self.heap.cell(cell.index());
                debug_assert!(header.tag() == HDR, "a structure starts with its functor");
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
        debug_assert!(cell.tag() != HDR, "a header is no term");
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
        debug_assert_eq!(self.box_kind(cell), Some(KIND_FLOAT), "the box of a float");
        f64::from_bits(self.heap.get(cell.index() + 1))
    }

    /// The value of a big integer box.
    pub(crate) fn big_value(&self, cell: Cell) -> BigInt {
        debug_assert_eq!(self.box_kind(cell), Some(KIND_BIG), "the box of an integer");
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
        debug_assert_eq!(
            self.box_kind(cell),
            Some(KIND_STRING),
            "the box of a string"
        );
        let header = self.heap.cell(cell.index());
        let start = cell.index() + 1;
        let mut bytes = Vec::with_capacity(header.arity() * 8);
        for word in self.heap.slice(start, start + header.arity()) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        debug_assert!(header.extra() < 8, "a string is padded to whole words");
        bytes.truncate(bytes.len() - header.extra() as usize);
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// The text of an atom.
    pub(crate) fn atom_text(&self, name: Atom) -> &str {
        self.atoms.text(name)
    }

    // -- building terms

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
                debug_assert!(
                    args.iter().all(|arg| arg.tag() != HDR),
                    "arguments are terms"
                );
                let index = self.push(Cell::functor(name, args.len()));
                for &arg in args {
                    self.push(arg);
                }
                Cell::pointer(STR, index)
            }
        }
    }

    /// An integer of any size that fits 64 bits.
    pub(crate) fn new_int(&mut self, value: i64) -> Cell {
        if fits_small(value) {
            Cell::small(value)
        } else {
            self.push_big(value < 0, &[value.unsigned_abs()])
        }
    }

    /// An integer, in a cell where it fits; an error if there is no room for it.
    pub(crate) fn new_big(&mut self, value: &BigInt) -> Result<Cell, PErr> {
        match i64::try_from(value) {
            Ok(small) if fits_small(small) => return Ok(Cell::small(small)),
            _ => {}
        }
        let (sign, words) = value.to_u64_digits();
        if words.len() > MAX_SIZE {
            return Err(self.resource_error(atom::MEMORY));
        }
        self.need(words.len() + 1)?;
        Ok(self.push_big(sign == num_bigint::Sign::Minus, &words))
    }

    fn push_big(&mut self, negative: bool, words: &[u64]) -> Cell {
        debug_assert!(
            words.last().is_some_and(|&word| word != 0),
            "equal integers have equal words"
        );
        let index = self.push(Cell::box_header(KIND_BIG, words.len(), u32::from(negative)));
        for &word in words {
            self.push(Cell(word));
        }
        Cell::pointer(BOX, index)
    }

    pub(crate) fn new_float(&mut self, value: f64) -> Cell {
        let index = self.push(Cell::box_header(KIND_FLOAT, 1, 0));
        self.push(Cell(value.to_bits()));
        Cell::pointer(BOX, index)
    }

    /// The atom with this text as a cell.
    pub(crate) fn atom_cell(&mut self, text: &str) -> Cell {
        Cell::atom(self.atoms.intern_temporary(text))
    }

    // -- binding

    /// Binds the unbound variable `var`, which has no attributes.
    #[inline(always)]
    pub(crate) fn bind_plain(&mut self, var: Cell, value: Cell) {
        debug_assert_eq!(var.tag(), REF, "variables with attributes wake goals");
        let index = var.index();
        debug_assert_eq!(
            self.heap.cell(index),
            var,
            "only unbound variables are bound"
        );
        self.heap.put(index, value);
        if index < self.hb {
            self.trail_push(Cell::var(index).0);
        }
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
        debug_assert!(
            self.hb <= self.h,
            "choice points are older than the heap's top"
        );
        debug_assert!(index < self.h, "a cell in use is changed");
        let old = self.heap.get(index);
        self.trail_push(old);
        self.trail_push((index as u64) << 3 | TRAIL_VALUE);
    }

    /// Undoes all bindings made since the trail was `mark` long.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        debug_assert!(mark <= self.tr, "the trail only shrinks by undoing");
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
                kind => {
                    debug_assert_eq!(kind, TRAIL_GLOBAL, "entries of three kinds");
                    self.tr -= 1;
                    let old = self.trail.cell(self.tr);
                    self.globals[index] = Global::Term(old);
                }
            }
        }
    }
}
