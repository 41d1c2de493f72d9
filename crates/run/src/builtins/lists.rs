//! Sorting and the length of lists.

use crate::cell::*;
use crate::database::More;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    m.register("msort", 2, |m| {
        let list = m.arg(0);
        let items = m.list_items(list)?;
        let mut keyed = items.into_iter().map(|item| (item, item)).collect();
        m.sort_terms(&mut keyed, false)?;
        let sorted = new_sorted_list(m, &keyed)?;
        m.unify_result(m.control.x[1], sorted)
    });
    m.register("sort", 2, |m| {
        let list = m.arg(0);
        let items = m.list_items(list)?;
        let result = m.arg(1);
        check_partial_list(m, result)?;
        let mut keyed = items.into_iter().map(|item| (item, item)).collect();
        m.sort_terms(&mut keyed, false)?;
        keyed.dedup_by(|a, b| m.mem.compare(a.0, b.0).is_eq());
        let sorted = new_sorted_list(m, &keyed)?;
        m.unify_result(m.control.x[1], sorted)
    });
    m.register("sort", 4, sort4);
    m.register("keysort", 2, keysort);
    m.register_nondet("length", 2, length);
    m.program
        .det_when(|m| !m.arg(1).is_var() || m.mem.is_proper_list(m.control.x[0]));
    m.register("$skip_list", 3, |m| {
        let mut count = 0;
        let mut cell = m.arg(1);
        // A cell met before, renewed at every power of two: in a cyclic list it comes again.
        let (mut landmark, mut renewal) = (cell, 64);
        while cell.tag() == LST {
            count += 1;
            cell = m.mem.at(cell.index() + 1);
            if cell == landmark {
                break;
            }
            if count == renewal {
                landmark = cell;
                renewal *= 2;
            }
        }
        Ok(m.unify(m.control.x[0], Cell::small(count)) && m.unify(m.control.x[2], cell))
    });
    m.register("memberchk", 2, memberchk);
}

/// The list of the second components.
fn new_sorted_list(m: &mut Machine, keyed: &[(Cell, Cell)]) -> Result<Cell, PErr> {
    let items: Vec<Cell> = keyed.iter().map(|&(_, item)| item).collect();
    m.new_proper_list(&items)
}

fn check_partial_list(m: &mut Machine, cell: Cell) -> Result<(), PErr> {
    match m.mem.list_end(cell) {
        Some(end) if end.is_var() || end.is_atom(atom::NIL) => Ok(()),
        _ => Err(m.mem.type_error(atom::LIST, cell)),
    }
}

/// The arguments that lead to the key of `sort/4`: none for 0, else one, or those of a list.
fn sort_path(m: &mut Machine) -> Result<Vec<usize>, PErr> {
    let given = m.arg(0);
    let is_list = given.is_atom(atom::NIL) || m.mem.structure(given, atom::DOT, 2).is_some();
    let items = if is_list {
        m.list_items(given)?
    } else {
        vec![given]
    };
    let mut path = Vec::with_capacity(items.len());
    for item in items {
        let at = m.mem.int_of(item)?;
        let Ok(index) = usize::try_from(at) else {
            return Err(m.mem.domain_error(atom::NOT_LESS_THAN_ZERO, item));
        };
        if index > 0 {
            path.push(index);
        }
    }
    Ok(path)
}

fn sort4(m: &mut Machine) -> Res {
    let path = sort_path(m)?;
    let order = m.atom_arg(1)?;
    let list = m.arg(2);
    let items = m.list_items(list)?;
    let mut keyed: Vec<(Cell, Cell)> = Vec::with_capacity(items.len());
    for item in items {
        let mut key = item;
        for &at in &path {
            let Some((_, arity, args)) = m.mem.compound(key) else {
                return Err(m.mem.type_error(atom::COMPOUND, key));
            };
            if at > arity {
                return Err(m.mem.type_error(atom::COMPOUND, key));
            }
            key = m.mem.at(args + at - 1);
        }
        keyed.push((key, item));
    }
    let (descending, unique) = match m.mem.atom_text(order) {
        "@<" => (false, true),
        "@=<" => (false, false),
        "@>" => (true, true),
        "@>=" => (true, false),
        _ => return Err(m.mem.domain_error(atom::ORDER, Cell::atom(order))),
    };
    m.sort_terms(&mut keyed, descending)?;
    if unique {
        keyed.dedup_by(|a, b| m.mem.compare(a.0, b.0).is_eq());
    }
    let sorted = new_sorted_list(m, &keyed)?;
    m.unify_result(m.control.x[3], sorted)
}

fn keysort(m: &mut Machine) -> Res {
    let list = m.arg(0);
    let items = m.list_items(list)?;
    let mut keyed: Vec<(Cell, Cell)> = Vec::with_capacity(items.len());
    for item in items {
        match m.mem.structure(item, atom::MINUS, 2) {
            Some(args) => keyed.push((m.mem.at(args), item)),
            None => return Err(m.mem.type_error(atom::PAIR, item)),
        }
    }
    let result = m.arg(1);
    check_partial_list(m, result)?;
    m.sort_terms(&mut keyed, false)?;
    let sorted = new_sorted_list(m, &keyed)?;
    m.unify_result(m.control.x[1], sorted)
}

/// For partial lists the state is the number of elements to add, plus one.
fn length(m: &mut Machine, state: u64) -> Result<More, PErr> {
    let list = m.arg(0);
    let Some(end) = m.mem.list_end(list) else {
        return Err(m.mem.type_error(atom::LIST, list));
    };
    let mut known = 0i64;
    let mut cell = list;
    while cell.tag() == LST {
        known += 1;
        cell = m.mem.at(cell.index() + 1);
    }
    m.charge(known as usize);
    let wanted = m.arg(1);
    if !wanted.is_var() {
        if !m.mem.is_integer(wanted) {
            return Err(m.mem.type_error(atom::INTEGER, wanted));
        }
        if wanted.is_small() && wanted.small_value() < 0 {
            return Err(m.mem.domain_error(atom::NOT_LESS_THAN_ZERO, wanted));
        }
    }
    let done = |found: bool| if found { More::Last } else { More::Fail };
    if end.is_atom(atom::NIL) {
        return Ok(done(m.unify(wanted, Cell::small(known))));
    }
    if !end.is_var() {
        return Err(m.mem.type_error(atom::LIST, list));
    }
    // Nothing is a list and the number of its elements.
    if wanted == end {
        return Ok(More::Fail);
    }
    let extra = if wanted.is_var() {
        state.saturating_sub(1) as i64
    } else {
        let wanted = m.mem.int_of(wanted)?;
        if wanted < known {
            return Ok(More::Fail);
        }
        wanted - known
    };
    let tail = m.new_open_list(extra as usize)?;
    m.unify(end, tail);
    if !wanted.is_var() {
        return Ok(More::Last);
    }
    m.unify(wanted, Cell::small(known + extra));
    Ok(More::State(extra as u64 + 2))
}

fn memberchk(m: &mut Machine) -> Res {
    let element = m.control.x[0];
    let mut cell = m.arg(1);
    let mut steps = 0;
    while cell.tag() == LST {
        // More elements than cells: the list is cyclic, and all its elements were tried.
        steps += 1;
        if steps > m.mem.h {
            return Ok(false);
        }
        let mark = m.mem.tr;
        let hb = m.mem.hb;
        let pending = m.control.pending;
        m.mem.hb = m.mem.h;
        let item = m.mem.heap.cell(cell.index());
        let found = m.unify(element, item);
        m.mem.hb = hb;
        let woken = m.control.pending != pending;
        if found && !woken {
            return Ok(true);
        }
        m.mem.undo_to(mark);
        m.control.pending = pending;
        if found {
            return Ok(memberchk_woken(m, element, cell));
        }
        cell = m.mem.at(cell.index() + 1);
    }
    if cell.tag() == ATT {
        return Ok(memberchk_woken(m, element, cell));
    }
    if cell.is_var() {
        let rest = m.mem.new_var();
        let list = m.mem.new_list(element, rest);
        return Ok(m.unify(cell, list));
    }
    Ok(false)
}

/// The search goes on as a goal from an element on whose unification wakes goals: whether it is the one depends on them.
fn memberchk_woken(m: &mut Machine, element: Cell, list: Cell) -> bool {
    m.push_pending("$memberchk", &[element, list]);
    true
}

impl Machine {
    /// A list of so many fresh variables.
    fn new_open_list(&mut self, length: usize) -> Result<Cell, PErr> {
        if length == 0 {
            return Ok(Cell::atom(atom::NIL));
        }
        self.mem.need(length.saturating_mul(2))?;
        let start = self.mem.h;
        for i in 0..length {
            if i & 0xf_ffff == 0xf_ffff {
                self.look()?;
            }
            self.mem.new_var();
            let next = match i + 1 == length {
                true => Cell::atom(atom::NIL),
                false => Cell::pointer(LST, start + 2 * i + 2),
            };
            self.mem.push(next);
        }
        Ok(Cell::pointer(LST, start))
    }
}
