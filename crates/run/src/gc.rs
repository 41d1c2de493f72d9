//! Garbage collection: mark, then slide everything live down, keeping its order.
//!
//! Marking starts from registers, environments (only the slots their continuation says are live), choice
//! points, the trail and what the host holds. A bitmap of marks with a running count per 64 cells gives each
//! live cell its new index; one pass then moves cells and corrects pointers. Because order is kept, the heap
//! segments of choice points stay segments, and the age of variables stays comparable.

use crate::cell::*;
use crate::code::{Op, op_of};
use crate::machine::{ENV_HEAD, Global, Machine, TRAIL_GLOBAL, TRAIL_VALUE, choice, code_at};
use crate::memory::Memory;
use crate::program::Program;

/// The least a heap grows before a collection is worth the effort, in words.
const MIN_THRESHOLD: usize = 1 << 20;
/// Temporary atoms made since the last sweep that make another one worth while, in a small program.
const ATOM_LIMIT: usize = 20_000;
/// Cells below this index are never used.
const FIRST: usize = 8;

struct Bits(Vec<u64>);

impl Bits {
    fn new(len: usize) -> Bits {
        Bits(vec![0; len / 64 + 2])
    }

    #[inline(always)]
    fn get(&self, i: usize) -> bool {
        self.0[i >> 6] >> (i & 63) & 1 == 1
    }

    /// Sets a bit; true if it was not set before.
    #[inline(always)]
    fn set(&mut self, i: usize) -> bool {
        let (word, bit) = (i >> 6, 1 << (i & 63));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }
}

struct Marker {
    cells: Bits,
    slots: Bits,
    frames: Bits,
    stack: Vec<Cell>,
    code: Vec<u32>,
    alternatives: Vec<u32>,
}

/// Old index to new index.
struct Relocation {
    cells: Bits,
    counts: Vec<u32>,
}

impl Relocation {
    #[inline(always)]
    fn index(&self, i: usize) -> usize {
        let word = i >> 6;
        let below = self.cells.0[word] & ((1u64 << (i & 63)) - 1);
        self.counts[word] as usize + below.count_ones() as usize
    }

    #[inline(always)]
    fn cell(&self, cell: Cell) -> Cell {
        if cell.is_pointer() {
            debug_assert!(
                self.cells.get(cell.index()),
                "what is live points to live cells only"
            );
            Cell::pointer(cell.tag(), self.index(cell.index()))
        } else {
            cell
        }
    }
}

impl Memory {
    fn mark(&self, marker: &mut Marker, root: Cell) {
        if !root.is_pointer() {
            return;
        }
        marker.stack.push(root);
        self.drain(marker);
    }

    fn drain(&self, marker: &mut Marker) {
        while let Some(cell) = marker.stack.pop() {
            let index = cell.index();
            match cell.tag() {
                REF => self.mark_cell(marker, index),
                ATT => {
                    self.mark_cell(marker, index + 1);
                    self.mark_cell(marker, index);
                }
                LST => {
                    self.mark_cell(marker, index + 1);
                    self.mark_cell(marker, index);
                }
                STR => {
                    if marker.cells.set(index) {
                        debug_assert_eq!(
                            self.heap.cell(index).kind(),
                            KIND_FUNCTOR,
                            "a structure starts with its functor"
                        );
                        let arity = self.heap.cell(index).arity();
                        for i in (1..=arity).rev() {
                            self.mark_cell(marker, index + i);
                        }
                    }
                }
                BOX => {
                    if marker.cells.set(index) {
                        debug_assert!(
                            self.heap.cell(index).kind() != KIND_FUNCTOR,
                            "a box starts with its own header"
                        );
                        let words = self.heap.cell(index).arity();
                        for i in 1..=words {
                            marker.cells.set(index + i);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    #[inline(always)]
    fn mark_cell(&self, marker: &mut Marker, index: usize) {
        if marker.cells.set(index) {
            let cell = self.heap.cell(index);
            if cell.is_pointer() {
                marker.stack.push(cell);
            }
        }
    }

    /// Marks the live slots of one environment; false if it was visited before (then its parents were too).
    fn mark_frame(&self, marker: &mut Marker, e: usize, frame: u64) -> bool {
        let slots = (frame & 0xffff) as usize;
        let mask = (frame >> 32) as u32;
        for i in 0..slots {
            if slots > 32 || mask >> i & 1 == 1 {
                let at = e + ENV_HEAD + i;
                if marker.slots.set(at) {
                    self.mark(marker, self.env.cell(at));
                }
            }
        }
        marker.frames.set(e)
    }

    fn update_environments(&mut self, slots: &Bits, relocation: &Relocation) {
        for (word, &bits) in slots.0.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let at = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let cell = relocation.cell(self.env.cell(at));
                self.env.put(at, cell);
            }
        }
    }

    /// Moves the live cells down.
    fn slide(&mut self, relocation: &Relocation) {
        let mut to = 0;
        let mut skip_to = 0;
        let end = self.h;
        for (word, &bits) in relocation.cells.0.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let from = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if from < skip_to || from >= end {
                    continue;
                }
                debug_assert!(to <= from, "live cells only move down");
                let cell = self.heap.cell(from);
                if cell.is_pointer() {
                    self.heap.put(to, relocation.cell(cell));
                    to += 1;
                } else {
                    self.heap.put(to, cell);
                    to += 1;
                    if cell.tag() == HDR && cell.kind() != KIND_FUNCTOR {
                        for i in 1..=cell.arity() {
                            let raw = self.heap.get(from + i);
                            self.heap.set(to, raw);
                            to += 1;
                        }
                        skip_to = from + 1 + cell.arity();
                    }
                }
            }
        }
        debug_assert!(to <= end, "live cells only move down");
        self.h = to;
    }
}

impl Program {
    /// Frees retired code no stack refers to.
    fn free_dead_code(&mut self, code: &[u32], alternatives: &[u32]) {
        if self.db.dead_code.is_empty() {
            return;
        }
        let mut dead = std::mem::take(&mut self.db.dead_code);
        dead.sort_unstable();
        debug_assert!(
            dead.windows(2)
                .all(|pair| pair[0].0 + pair[0].1 <= pair[1].0),
            "code is retired once"
        );
        let find = |address: u32| -> Option<usize> {
            let at = dead.partition_point(|&(start, _)| start <= address);
            let (start, len) = *dead.get(at.checked_sub(1)?)?;
            // A continuation may be one past the last word of a block.
            (address <= start + len).then_some(at - 1)
        };
        // An alternative inside retired code may lead to any other retired clause: keep everything.
        if alternatives.iter().any(|&address| find(address).is_some()) {
            self.db.dead_words = 0;
            self.db.dead_code = dead;
            return;
        }
        let mut used = vec![false; dead.len()];
        #[allow(clippy::iter_over_hash_type, reason = "marking has no order")]
        for &address in code.iter().chain(&self.pinned) {
            if let Some(i) = find(address) {
                used[i] = true;
            }
        }
        self.db.dead_words = 0;
        for (i, (start, len)) in dead.into_iter().enumerate() {
            if used[i] {
                self.db.dead_code.push((start, len));
            } else {
                self.db.free_code.entry(len).or_default().push(start);
            }
        }
    }
}

impl Machine {
    /// Collects garbage; the first `arity` X registers are live.
    pub(crate) fn collect(&mut self, arity: usize) {
        debug_assert_eq!(
            self.mem.gc_blocked, 0,
            "no registers are held where the collector does not look"
        );
        debug_assert!(arity <= crate::machine::REGISTERS, "live registers exist");
        self.check_stacks();
        let before = self.mem.h;
        let mut marker = Marker {
            cells: Bits::new(self.mem.h),
            slots: Bits::new(self.env_top() + 64),
            frames: Bits::new(self.env_top() + 64),
            stack: Vec::new(),
            code: Vec::new(),
            alternatives: Vec::new(),
        };
        self.mark_roots(arity, &mut marker);
        self.mark_environments(&mut marker);
        let Marker {
            cells,
            slots,
            code,
            alternatives,
            ..
        } = marker;
        let relocation = count(cells, self.mem.h);
        self.update_trail(&relocation);
        self.update_roots(arity, &relocation);
        self.mem.update_environments(&slots, &relocation);
        self.update_choice_points(&relocation);
        self.mem.slide(&relocation);
        self.checks
            .cache
            .on_gc(&|i| relocation.cells.get(i).then(|| relocation.index(i)));
        self.mem.hb = self.mem.choice.get(self.control.b + choice::HEAP) as usize;
        if self.control.engines.any() {
            self.program.db.dead_words = 0;
        } else {
            self.program.free_dead_code(&code, &alternatives);
        }
        if !self.control.engines.any() && self.mem.atoms.temporary_since_sweep() > self.atom_limit()
        {
            self.sweep_atoms(arity);
        }
        debug_assert!(self.mem.hb <= self.mem.h && self.mem.h <= before);
        self.check_stacks();
        self.mem.kept_words = self.mem.h;
        self.watch.stats.collections += 1;
        self.watch.stats.collected_words += (before - self.mem.h) as u64;
        self.mem.gc_threshold = (self.mem.h * 2 + MIN_THRESHOLD).min(self.mem.heap_max - (1 << 16));
        self.mem.soft_limit = self.mem.gc_threshold;
    }

    /// Choice points are linked to older ones, which are of shorter trails and smaller heaps.
    #[cfg(debug_assertions)]
    fn check_stacks(&self) {
        let (mut b, mut tr, mut h) = (self.control.b, self.mem.tr, self.mem.h);
        loop {
            let field = |field: usize| self.mem.choice.get(b + field) as usize;
            debug_assert!(
                field(choice::TRAIL) <= tr,
                "older choice points: shorter trails"
            );
            debug_assert!(
                field(choice::HEAP) <= h,
                "older choice points: smaller heaps"
            );
            debug_assert!(
                field(choice::ENV) < self.mem.env.capacity(),
                "an environment"
            );
            if b == 0 {
                return;
            }
            debug_assert!(
                field(choice::PREV) < b,
                "choice points are linked to older ones"
            );
            (tr, h) = (field(choice::TRAIL), field(choice::HEAP));
            b = field(choice::PREV);
        }
    }

    #[cfg(not(debug_assertions))]
    fn check_stacks(&self) {}

    /// How many temporary atoms are worth a sweep, which goes through all memory.
    pub(crate) fn atom_limit(&self) -> usize {
        let words = self.mem.kept_words.min(self.mem.h)
            + self.program.db.code_top
            + self.mem.atoms.capacity();
        (words / 32).max(ATOM_LIMIT)
    }

    fn mark_roots(&self, arity: usize, marker: &mut Marker) {
        for i in 0..FIRST {
            marker.cells.set(i);
        }
        for i in 0..arity {
            self.mem.mark(marker, self.control.x[i]);
        }
        self.mem.mark(marker, self.control.pending);
        for &cell in &self.mem.handles {
            self.mem.mark(marker, cell);
        }
        for global in &self.mem.globals {
            if let Global::Term(cell) = global {
                self.mem.mark(marker, *cell);
            }
        }
        self.mark_trail(marker);
    }

    /// Old values that will be put back. A cell newer than the choice point its entry belongs to goes when that is
    /// returned to: nothing is put back there, and [`Machine::update_trail`] drops the entry.
    fn mark_trail(&self, marker: &mut Marker) {
        let mut i = self.mem.tr;
        let mut b = self.control.b;
        while i > 0 {
            i -= 1;
            let entry = self.mem.trail.get(i);
            if entry & 7 == 0 {
                continue;
            }
            i -= 1;
            while b != 0 && self.mem.choice.get(b + choice::TRAIL) as usize > i {
                b = self.mem.choice.get(b + choice::PREV) as usize;
            }
            debug_assert!(
                matches!(entry & 7, TRAIL_VALUE | TRAIL_GLOBAL),
                "old values are recorded with what they are values of"
            );
            let index = (entry >> 3) as usize;
            if entry & 7 != TRAIL_VALUE {
                self.mem.mark(marker, self.mem.trail.cell(i));
            } else if index < self.mem.choice.get(b + choice::HEAP) as usize {
                self.mem.mark(marker, self.mem.trail.cell(i));
                // The cell itself must survive, to have its old value put back.
                self.mem.mark_cell(marker, index);
                self.mem.drain(marker);
            }
        }
    }

    fn mark_environments(&self, marker: &mut Marker) {
        self.mark_chain(marker, self.control.e, self.control.cp);
        let mut b = self.control.b;
        loop {
            let count = self.mem.choice.get(b + choice::COUNT) as usize;
            for i in 0..count {
                self.mem
                    .mark(marker, self.mem.choice.cell(b + choice::ARGS + i));
            }
            let alternative = self.mem.choice.get(b + choice::ALT) as usize;
            let (e, cp) = (
                self.mem.choice.get(b + choice::ENV) as usize,
                self.mem.choice.get(b + choice::CP) as usize,
            );
            marker.alternatives.push(alternative as u32);
            if alternative == code_at::WAKE_ALTERNATIVE {
                let address = self
                    .mem
                    .choice
                    .cell(b + choice::ARGS + count - 1)
                    .small_value();
                marker.alternatives.push(address as u32);
            }
            marker.code.push(cp as u32);
            match op_of(self.program.code.get(alternative)) {
                Op::TrustElse | Op::RetryElse => {
                    if self
                        .mem
                        .mark_frame(marker, e, self.program.code.get(alternative + 1))
                    {
                        let parent = self.mem.env.get(e) as usize;
                        let continuation = self.mem.env.get(e + 1) as usize;
                        self.mark_chain(marker, parent, continuation);
                    }
                }
                _ if alternative == code_at::SOFT_FAIL => {}
                _ => self.mark_chain(marker, e, cp),
            }
            if b == 0 {
                return;
            }
            b = self.mem.choice.get(b + choice::PREV) as usize;
        }
    }

    fn mark_chain(&self, marker: &mut Marker, e: usize, cp: usize) {
        let (mut e, mut cp) = (e, cp);
        loop {
            marker.code.push(cp as u32);
            if e == 0 {
                return;
            }
            if matches!(cp, code_at::WAKE_EXIT | code_at::WAKE_TEST) {
                // Its first slot is the address a clause goes on at.
                let address = self.mem.env.cell(e + ENV_HEAD).small_value();
                marker.code.push(address as u32);
            }
            if !self
                .mem
                .mark_frame(marker, e, self.program.code.get(cp - 1))
            {
                return;
            }
            debug_assert!(
                (self.mem.env.get(e) as usize) < e,
                "environments are linked to older ones"
            );
            cp = self.mem.env.get(e + 1) as usize;
            e = self.mem.env.get(e) as usize;
        }
    }

    fn update_roots(&mut self, arity: usize, relocation: &Relocation) {
        for i in 0..arity {
            self.control.x[i] = relocation.cell(self.control.x[i]);
        }
        self.control.pending = relocation.cell(self.control.pending);
        for cell in &mut self.mem.handles {
            *cell = relocation.cell(*cell);
        }
        for global in &mut self.mem.globals {
            if let Global::Term(cell) = global {
                *cell = relocation.cell(*cell);
            }
        }
    }

    fn update_choice_points(&mut self, relocation: &Relocation) {
        let mut b = self.control.b;
        loop {
            let count = self.mem.choice.get(b + choice::COUNT) as usize;
            for i in 0..count {
                let at = b + choice::ARGS + i;
                let cell = relocation.cell(self.mem.choice.cell(at));
                self.mem.choice.put(at, cell);
            }
            let top = self.mem.choice.get(b + choice::HEAP) as usize;
            self.mem
                .choice
                .set(b + choice::HEAP, relocation.index(top) as u64);
            if b == 0 {
                return;
            }
            b = self.mem.choice.get(b + choice::PREV) as usize;
        }
    }

    /// Relocates trail entries and drops those of cells that are gone.
    fn update_trail(&mut self, relocation: &Relocation) {
        // Choice points from oldest to newest know where their part of the trail starts.
        let mut frames = Vec::new();
        let mut b = self.control.b;
        loop {
            frames.push(b);
            if b == 0 {
                break;
            }
            b = self.mem.choice.get(b + choice::PREV) as usize;
        }
        let mut to = 0;
        let mut i = 0;
        let mut limit = 0;
        let end = self.mem.tr;
        let mut next_frame = frames.pop();
        // Value entries are two words with the tag in the second: find them from the top first.
        let mut is_value = Bits::new(end + 1);
        let mut k = end;
        while k > 0 {
            k -= 1;
            if self.mem.trail.get(k) & 7 != 0 {
                k -= 1;
                is_value.set(k);
            }
        }
        while i <= end {
            while let Some(frame) = next_frame {
                if self.mem.choice.get(frame + choice::TRAIL) as usize > i {
                    break;
                }
                self.mem.choice.set(frame + choice::TRAIL, to as u64);
                limit = self.mem.choice.get(frame + choice::HEAP) as usize;
                next_frame = frames.pop();
            }
            if i == end {
                break;
            }
            if is_value.get(i) {
                let entry = self.mem.trail.get(i + 1);
                if entry & 7 == TRAIL_VALUE && (entry >> 3) as usize >= limit {
                    i += 2;
                    continue;
                }
                debug_assert!(to <= i, "entries only move down");
                let old = relocation.cell(self.mem.trail.cell(i));
                let place = if entry & 7 == TRAIL_GLOBAL {
                    entry
                } else {
                    (relocation.index((entry >> 3) as usize) as u64) << 3 | TRAIL_VALUE
                };
                self.mem.trail.put(to, old);
                self.mem.trail.set(to + 1, place);
                to += 2;
                i += 2;
            } else {
                let index = (self.mem.trail.get(i) >> 3) as usize;
                if index < limit && relocation.cells.get(index) {
                    self.mem.trail.put(to, Cell::var(relocation.index(index)));
                    to += 1;
                }
                i += 1;
            }
        }
        debug_assert!(
            frames.is_empty() && next_frame.is_none(),
            "every choice point knows where its part of the trail starts"
        );
        self.mem.tr = to;
    }
}

fn count(cells: Bits, end: usize) -> Relocation {
    let mut counts = Vec::with_capacity(cells.0.len());
    let mut total = 0u32;
    for &word in &cells.0 {
        counts.push(total);
        total += word.count_ones();
    }
    debug_assert!(total as usize <= end.max(FIRST));
    Relocation { cells, counts }
}
