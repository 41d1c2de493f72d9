//! Terms outside the heap: a vector of cells with pointers relative to its start.
//!
//! Taking a term out ([`Machine::flatten`]) and putting it back ([`Machine::unflatten`]) keep sharing and
//! cycles; both are linear and iterative. Solutions of `findall/3`, exceptions, clause terms and kept global
//! variables live in this form.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::Machine;
use crate::memory::Memory;

/// A term as a relocatable vector; the first cell is the term itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flat {
    pub(crate) words: Vec<u64>,
}

/// Memory for taking terms out, used again and again: most terms are small.
#[derive(Default)]
pub(crate) struct FlatBuffers {
    words: Vec<u64>,
    /// Heap cells that were marked, and what they were.
    log: Vec<(usize, u64)>,
    aliases: Vec<(usize, usize)>,
}

/// Terms of more words than this do not leave their memory to the next.
const KEPT_BUFFER: usize = 1 << 12;

/// Marks a heap cell whose copy is at the index kept with it.
const KIND_MOVED: u64 = 31;

/// Marks a variable whose copy is at the index kept with it. It may be the head of a pair that was not copied yet.
const KIND_MOVED_VARIABLE: u64 = 29;

/// Stands where an attributed variable will be, so that the scan passes over it.
const PLACE_OF_ATTRIBUTED: Cell = Cell(30 << 3 | HDR);

fn restore_attributed(words: &mut [u64]) {
    let mut i = 0;
    while i < words.len() {
        let cell = Cell(words[i]);
        if cell == PLACE_OF_ATTRIBUTED {
            words[i] = Cell::pointer(ATT, i).0;
        } else if cell.tag() == HDR && cell.kind() != KIND_FUNCTOR {
            i += cell.arity();
        }
        i += 1;
    }
}

fn moved(to: usize) -> Cell {
    Cell((to as u64) << 8 | KIND_MOVED << 3 | HDR)
}

fn moved_variable(to: usize) -> Cell {
    Cell((to as u64) << 8 | KIND_MOVED_VARIABLE << 3 | HDR)
}

fn moved_to(cell: Cell) -> Option<usize> {
    let is_moved = cell.tag() == HDR && matches!(cell.kind(), KIND_MOVED | KIND_MOVED_VARIABLE);
    is_moved.then_some((cell.0 >> 8) as usize)
}

impl Flat {
    /// An atomic term.
    pub(crate) fn atomic(cell: Cell) -> Flat {
        Flat {
            words: vec![cell.0],
        }
    }
}

/// Copies a flat term's words to `target`, adding `base` to each pointer.
pub(crate) fn relocate(words: &[u64], target: &mut [u64], base: usize) {
    debug_assert!(words.len() <= target.len(), "there is room for all of it");
    let shift = (base as u64) << 3;
    let mut i = 0;
    while i < words.len() {
        let cell = Cell(words[i]);
        if cell.is_pointer() {
            debug_assert!(cell.index() < words.len(), "a flat term points into itself");
            target[i] = cell.0 + shift;
        } else {
            target[i] = cell.0;
            if cell.tag() == HDR && cell.kind() != KIND_FUNCTOR {
                let end = i + 1 + cell.arity();
                target[i + 1..end].copy_from_slice(&words[i + 1..end]);
                i = end;
                continue;
            }
        }
        i += 1;
    }
}

impl Memory {
    fn flatten_cell(
        &mut self,
        cell: Cell,
        at: usize,
        words: &mut Vec<u64>,
        log: &mut Vec<(usize, u64)>,
        aliases: &mut Vec<(usize, usize)>,
        attributes: bool,
    ) -> Cell {
        let mut cell = cell;
        loop {
            let tag = cell.tag();
            if matches!(tag, CON | INT | HDR) {
                return cell;
            }
            let index = cell.index();
            let first = self.heap.cell(index);
            let head_only = tag == LST && first.tag() == HDR && first.kind() == KIND_MOVED_VARIABLE;
            if let Some(to) = moved_to(first).filter(|_| !head_only) {
                let tag = if tag == ATT { REF } else { tag };
                return Cell::pointer(tag, to);
            }
            match tag {
                REF | ATT if first != cell => cell = first,
                REF => {
                    log.push((index, first.0));
                    self.heap.put(index, moved_variable(at));
                    return Cell::var(at);
                }
                ATT => {
                    log.push((index, first.0));
                    if !attributes {
                        self.heap.put(index, moved_variable(at));
                        return Cell::var(at);
                    }
                    let to = words.len();
                    words.push(PLACE_OF_ATTRIBUTED.0);
                    words.push(self.heap.get(index + 1));
                    self.heap.put(index, moved(to));
                    return Cell::var(to);
                }
                _ => {
                    let size = match tag {
                        LST => 2,
                        _ => 1 + first.arity(),
                    };
                    let to = words.len();
                    words.extend_from_slice(self.heap.slice(index, index + size));
                    if tag != BOX {
                        // A variable inside that was reached from elsewhere before has its copy there already.
                        let inside = to + usize::from(tag != LST);
                        for (i, word) in words.iter_mut().enumerate().skip(inside) {
                            if let Some(target) = moved_to(Cell(*word)) {
                                *word = Cell::small(0).0;
                                aliases.push((i, target));
                            }
                        }
                    }
                    if tag != BOX {
                        log.push((index, first.0));
                        self.heap.put(index, moved(to));
                    }
                    return Cell::pointer(tag, to);
                }
            }
        }
    }
}

impl Machine {
    /// Takes a term out of the heap; attributes of variables are kept if `attributes`.
    pub(crate) fn flatten(&mut self, term: Cell, attributes: bool) -> Flat {
        let term = self.mem.deref(term);
        if matches!(term.tag(), CON | INT) {
            return Flat::atomic(term);
        }
        let FlatBuffers {
            mut words,
            mut log,
            mut aliases,
        } = std::mem::take(&mut self.mem.flat_buffers);
        debug_assert!(
            words.is_empty() && log.is_empty() && aliases.is_empty(),
            "buffers are given back empty"
        );
        words.push(term.0);
        let mut scan = 0;
        while scan < words.len() {
            let cell = Cell(words[scan]);
            if cell.tag() == HDR {
                scan += 1;
                if cell.kind() != KIND_FUNCTOR {
                    scan += cell.arity();
                }
                continue;
            }
            words[scan] = self
                .mem
                .flatten_cell(cell, scan, &mut words, &mut log, &mut aliases, attributes)
                .0;
            scan += 1;
        }
        for (at, to) in aliases.drain(..) {
            words[at] = Cell::var(to).0;
        }
        for (index, old) in log.drain(..).rev() {
            self.mem.heap.set(index, old);
        }
        if attributes {
            restore_attributed(&mut words);
        }
        self.charge(words.len());
        if words.len() > KEPT_BUFFER {
            return Flat { words };
        }
        let flat = Flat {
            words: words.as_slice().to_vec(),
        };
        words.clear();
        self.mem.flat_buffers = FlatBuffers {
            words,
            log,
            aliases,
        };
        flat
    }

    /// Puts a flat term on the heap.
    pub(crate) fn unflatten(&mut self, flat: &Flat) -> Result<Cell, PErr> {
        self.unflatten_words(&flat.words)
    }

    pub(crate) fn unflatten_words(&mut self, words: &[u64]) -> Result<Cell, PErr> {
        debug_assert!(!words.is_empty(), "the first cell is the term itself");
        let first = Cell(words[0]);
        if matches!(first.tag(), CON | INT) {
            return Ok(first);
        }
        self.mem.need(words.len())?;
        self.charge(words.len());
        let base = self.mem.h;
        relocate(
            words,
            self.mem.heap.slice_mut(base, base + words.len()),
            base,
        );
        self.mem.h = base + words.len();
        Ok(self.mem.heap.cell(base))
    }

    /// A copy with fresh variables.
    pub(crate) fn copy_term(&mut self, term: Cell, attributes: bool) -> Result<Cell, PErr> {
        let flat = self.flatten(term, attributes);
        self.unflatten(&flat)
    }
}
