//! Membership of a term in a regular type, with the cache ([RTC Alg. 1]).
//!
//! The algorithm of the paper recurses and enters each term after its arguments. Here a work list takes the place
//! of recursion, and what is to be entered is kept back until the whole check has succeeded: the automaton is
//! deterministic, so the whole fails as soon as any part does. Nothing is entered after a failure.
//!
//! A term that is a tree is done after at most one visit per heap cell, and meets no cell twice. More visits, or a
//! second visit to one of a few cells remembered on the way, mean sharing or a cycle; the check then starts again
//! with a set of finished and of open terms, which makes sharing linear and tells a cycle (no finite proof, so not in
//! the type) from sharing.

use super::cache::{Cache, Key, SHALLOW, key};
use super::types::{
    ANY_ATOM, ANY_COMPOUND, ANY_INTEGER, ANY_VARIABLE, CellState, GROUND_COMPOUND, GROUND_STATE,
    Types, bit,
};
use crate::cell::*;
use crate::heap::Area;
use stet_base::FastMap;
use stet_prolog::assertions::regtypes::{Constant, Primitive, StateId};

/// What a check reads and what it works with; kept between checks so that no check allocates.
#[derive(Debug, Default)]
pub(crate) struct Checker {
    work: Vec<(Cell, StateId, u32)>,
    /// The terms that were visited, parents first, with their depths; key 0 is not entered.
    pending: Vec<(Key, u32)>,
    /// Visits below the term that is being entered, by depth.
    below: Vec<u32>,
}

/// What a term's top says about a state.
enum Top {
    Yes,
    No,
    /// A compound term at this index: go on with the arguments.
    Open(usize, Args),
}

/// Where the states of the arguments are.
#[derive(Clone, Copy)]
enum Args {
    List(StateId, StateId),
    Struct(u32, usize),
    /// All arguments, this many (0: head and tail of a list), are ground.
    Ground(usize),
}

#[inline(always)]
pub(crate) fn deref(heap: &Area, mut cell: Cell) -> Cell {
    loop {
        if !matches!(cell.tag(), REF | ATT) {
            return cell;
        }
        let next = heap.cell(cell.index());
        if next == cell {
            return cell;
        }
        cell = next;
    }
}

impl Checker {
    /// Whether the term is in the type. `heap_top` is the number of heap cells in use, `heap_bytes` the largest
    /// size the heap has had. Most checks end at the top of the term: it is atomic, or known.
    #[inline(always)]
    pub(crate) fn check(
        &mut self,
        heap: &Area,
        types: &Types,
        cache: &mut Cache,
        cell: Cell,
        state: StateId,
        limits: (usize, usize),
    ) -> bool {
        cache.stats.checks += 1;
        let (index, args) = match top(heap, types, cell, state) {
            Top::Yes => return true,
            Top::No => return false,
            Top::Open(index, args) => (index, args),
        };
        if types.states[state as usize].cacheable && cache.lookup(key(index, state)) {
            cache.stats.visits += 1;
            cache.stats.hits += 1;
            cache.stats.max_depth = cache.stats.max_depth.max(1);
            return true;
        }
        self.check_below(heap, types, cache, (index, args, state), limits)
    }

    /// The check of a compound term that is not in the cache.
    #[inline(never)]
    fn check_below(
        &mut self,
        heap: &Area,
        types: &Types,
        cache: &mut Cache,
        start: (usize, Args, StateId),
        limits: (usize, usize),
    ) -> bool {
        self.work.clear();
        self.pending.clear();
        let (heap_top, heap_bytes) = limits;
        match self.walk(heap, types, cache, start, heap_top) {
            Some(true) => {
                self.enter(cache, heap_bytes);
                true
            }
            Some(false) => false,
            None => {
                let (index, args, state) = start;
                let cell = Cell::pointer(args.tag(), index);
                let found = check_graph(heap, types, cell, state);
                if found && types.states[state as usize].cacheable {
                    cache.insert(key(index, state), heap_bytes);
                }
                found
            }
        }
    }

    /// Enters what was visited, children before parents, as the recursive algorithm does: terms near the top, and
    /// those whose check was heavy.
    fn enter(&mut self, cache: &mut Cache, heap_bytes: usize) {
        let heavy = cache.heavy();
        if self.pending.len() < heavy as usize {
            for &(key, depth) in self.pending.iter().rev() {
                if key != 0 && depth < SHALLOW {
                    cache.insert(key, heap_bytes);
                }
            }
            return;
        }
        for at in (0..self.pending.len()).rev() {
            let (key, depth) = self.pending[at];
            let level = depth as usize;
            if self.below.len() < level + 2 {
                self.below.resize(level + 2, 0);
            }
            debug_assert!(
                at == 0 || depth <= self.pending[at - 1].1 + 1,
                "terms were visited parents first"
            );
            let visits = std::mem::take(&mut self.below[level + 1]).saturating_add(1);
            if key != 0 && (visits >= heavy || depth < SHALLOW) {
                cache.insert(key, heap_bytes);
            } else {
                self.below[level] = self.below[level].saturating_add(visits);
            }
        }
        self.below[0] = 0;
    }

    /// `None`: more visits than a tree can need.
    #[inline(always)]
    fn walk(
        &mut self,
        heap: &Area,
        types: &Types,
        cache: &mut Cache,
        start: (usize, Args, StateId),
        heap_top: usize,
    ) -> Option<bool> {
        let (mut index, mut args, mut state) = start;
        let mut depth = 0_u32;
        let mut visits = 0_usize;
        let mut deepest = 0_u32;
        // A place met before, renewed after 64, 128, 256, … visits: the walk through a cycle comes by it again.
        let (mut landmark, mut renewal) = ((usize::MAX, 0), 64);
        // The first term was looked up before.
        let mut looked_up = true;
        let result = 'all: loop {
            visits += 1;
            deepest = deepest.max(depth);
            if visits > heap_top {
                break None;
            }
            let mut known = false;
            if types.states[state as usize].cacheable {
                let key = key(index, state);
                if !std::mem::take(&mut looked_up) && cache.lookup(key) {
                    cache.stats.hits += 1;
                    known = true;
                } else {
                    let wanted = if cache.wants(depth) { key } else { 0 };
                    self.pending.push((wanted, depth));
                }
            } else {
                looked_up = false;
                self.pending.push((0, depth));
            }
            let mut next = None;
            if !known {
                if (index, state) == landmark {
                    break None;
                }
                if visits >= renewal {
                    landmark = (index, state);
                    renewal *= 2;
                }
                let (first, count) = args.cells(index);
                for i in (0..count).rev() {
                    let arg_state = args.state(types, i);
                    match top(heap, types, heap.cell(first + i), arg_state) {
                        Top::Yes => {}
                        Top::No => break 'all Some(false),
                        Top::Open(at, inner) => {
                            // The first compound argument found (the last one) goes on in the loop.
                            if next.is_none() {
                                next = Some((at, inner, arg_state, depth + 1));
                            } else {
                                self.work.push((heap.cell(first + i), arg_state, depth + 1));
                            }
                        }
                    }
                }
            }
            if next.is_none()
                && let Some((cell, work_state, work_depth)) = self.work.pop()
            {
                let Top::Open(at, inner) = top(heap, types, cell, work_state) else {
                    unreachable!("only compound terms are kept for later");
                };
                next = Some((at, inner, work_state, work_depth));
            }
            match next {
                Some(found) => (index, args, state, depth) = found,
                None => break Some(true),
            }
        };
        cache.stats.visits += visits as u64;
        cache.stats.max_depth = cache.stats.max_depth.max(u64::from(deepest) + 1);
        result
    }
}

impl Args {
    /// The tag of a pointer to such a term.
    fn tag(self) -> u64 {
        match self {
            Args::List(..) | Args::Ground(0) => LST,
            Args::Struct(..) | Args::Ground(_) => STR,
        }
    }

    /// The first argument's cell and their number.
    #[inline(always)]
    fn cells(self, index: usize) -> (usize, usize) {
        match self {
            Args::List(..) => (index, 2),
            Args::Struct(_, arity) => (index + 1, arity),
            Args::Ground(0) => (index, 2),
            Args::Ground(arity) => (index + 1, arity),
        }
    }

    #[inline(always)]
    fn state(self, types: &Types, i: usize) -> StateId {
        match self {
            Args::List(head, tail) => {
                if i == 0 {
                    head
                } else {
                    tail
                }
            }
            Args::Struct(first, _) => types.args[first as usize + i],
            Args::Ground(_) => GROUND_STATE,
        }
    }
}

/// Decides on a term by its top, or says how to go on.
#[inline(always)]
fn top(heap: &Area, types: &Types, cell: Cell, state: StateId) -> Top {
    let cell = deref(heap, cell);
    let accept = &types.states[state as usize];
    let mask = accept.primitives;
    let yes = match cell.tag() {
        LST => {
            if let Some((head, tail)) = accept.list {
                return Top::Open(cell.index(), Args::List(head, tail));
            }
            return other_compound(mask, cell, 0);
        }
        STR => {
            let header = heap.cell(cell.index());
            for &(wanted, first) in &accept.structs {
                if wanted == header.0 {
                    return Top::Open(cell.index(), Args::Struct(first, header.arity()));
                }
            }
            if header.arity() == 0 && mask & GROUND_COMPOUND != 0 {
                return Top::Yes;
            }
            return other_compound(mask, cell, header.arity());
        }
        CON => mask & ANY_ATOM != 0 || accept.constants.contains(&cell.0),
        INT => mask & ANY_INTEGER != 0 || other_integer(accept, cell),
        REF | ATT => mask & ANY_VARIABLE != 0,
        _ => boxed(heap, accept, cell),
    };
    if yes { Top::Yes } else { Top::No }
}

#[inline(always)]
fn other_compound(mask: u32, cell: Cell, arity: usize) -> Top {
    if mask & ANY_COMPOUND != 0 {
        Top::Yes
    } else if mask & GROUND_COMPOUND != 0 {
        Top::Open(cell.index(), Args::Ground(arity))
    } else {
        Top::No
    }
}

fn other_integer(accept: &CellState, cell: Cell) -> bool {
    let value = cell.small_value();
    let mask = accept.primitives;
    (mask & bit(Primitive::Nnegint) != 0 && value >= 0)
        || (mask & bit(Primitive::CharacterCode) != 0 && (0..=0x10_ffff).contains(&value))
        || (mask & bit(Primitive::NumCode) != 0 && is_number_code(value))
        || accept.constants.contains(&cell.0)
}

fn is_number_code(value: i64) -> bool {
    u8::try_from(value).is_ok_and(|c| c.is_ascii_digit() || b"+-.eE".contains(&c))
}

#[cold]
fn boxed(heap: &Area, accept: &CellState, cell: Cell) -> bool {
    use Primitive::{
        Any, Constant as AnyConstant, Flt, Ground, Int, Nnegint, Nonvar, Num, StringObject,
    };
    let header = heap.cell(cell.index());
    let mask = accept.primitives;
    let all = bit(Any) | bit(Ground) | bit(Nonvar);
    let numbers = all | bit(Num) | bit(AnyConstant);
    match header.kind() {
        KIND_FLOAT => {
            let value = f64::from_bits(heap.get(cell.index() + 1));
            mask & (numbers | bit(Flt)) != 0
                || accept.boxed.iter().any(
                    |c| matches!(c, Constant::Float(wanted) if wanted.to_bits() == value.to_bits()),
                )
        }
        KIND_BIG => {
            mask & (numbers | bit(Int)) != 0
                || (mask & bit(Nnegint) != 0 && !big_is_negative(heap, cell))
                || accept.boxed.iter().any(|c| big_equals(heap, cell, c))
        }
        KIND_RATIO => mask & numbers != 0,
        _ => mask & (all | bit(StringObject)) != 0,
    }
}

fn big_is_negative(heap: &Area, cell: Cell) -> bool {
    heap.cell(cell.index()).extra() != 0
}

fn big_equals(heap: &Area, cell: Cell, constant: &Constant) -> bool {
    let value = big_at(heap, cell);
    match constant {
        Constant::Big(wanted) => value == *wanted,
        Constant::Int(wanted) => value == num_bigint::BigInt::from(*wanted),
        _ => false,
    }
}

fn big_at(heap: &Area, cell: Cell) -> num_bigint::BigInt {
    let header = heap.cell(cell.index());
    let start = cell.index() + 1;
    let digits: Vec<u32> = heap
        .slice(start, start + header.arity())
        .iter()
        .flat_map(|&word| [word as u32, (word >> 32) as u32])
        .collect();
    let sign = match header.extra() {
        0 => num_bigint::Sign::Plus,
        _ => num_bigint::Sign::Minus,
    };
    num_bigint::BigInt::from_slice(sign, &digits)
}

/// The check without a cache, for terms with sharing or cycles and to recompute cached answers.
pub(crate) fn check_graph(heap: &Area, types: &Types, cell: Cell, state: StateId) -> bool {
    walk_graph(heap, types, cell, state, false)
}

/// Whether some instance of the term is in the type, for `::`. Variables may become anything; that one variable
/// stands in two places is not looked at.
pub(crate) fn compatible(heap: &Area, types: &Types, cell: Cell, state: StateId) -> bool {
    walk_graph(heap, types, cell, state, true)
}

/// Depth first, each (term, state) once; meeting one that is still open means a cycle. Keys of the cache would not do: only
/// some states have one.
fn walk_graph(heap: &Area, types: &Types, cell: Cell, state: StateId, free: bool) -> bool {
    enum Work {
        Enter(Cell, StateId),
        Leave(usize, StateId),
    }
    let mut open: FastMap<(usize, StateId), bool> = FastMap::default();
    let mut work = vec![Work::Enter(cell, state)];
    while let Some(item) = work.pop() {
        match item {
            Work::Leave(index, state) => {
                open.insert((index, state), false);
            }
            Work::Enter(cell, _) if free && matches!(deref(heap, cell).tag(), REF | ATT) => {}
            Work::Enter(cell, state) => match top(heap, types, cell, state) {
                Top::Yes => {}
                Top::No => return false,
                Top::Open(index, args) => match open.get(&(index, state)) {
                    Some(true) => return false,
                    Some(false) => {}
                    None => {
                        open.insert((index, state), true);
                        work.push(Work::Leave(index, state));
                        let (first, count) = args.cells(index);
                        for i in 0..count {
                            work.push(Work::Enter(heap.cell(first + i), args.state(types, i)));
                        }
                    }
                },
            },
        }
    }
    true
}
