//! Attributed variables: the cell after the variable holds a list of `att(Module, Value)` terms.

use crate::cell::*;
use crate::machine::{Global, Machine, Res, TRAIL_GLOBAL};
use crate::memory::Memory;
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    // '$get_attributes'(Var, Attributes)
    m.register("$get_attributes", 2, |m| {
        let var = m.arg(0);
        if var.tag() != ATT {
            return Ok(false);
        }
        let attributes = m.mem.heap.cell(var.index() + 1);
        m.unify_result(m.control.x[1], attributes)
    });
    m.register("$put_attributes", 2, |m| {
        let (var, attributes) = (m.arg(0), m.arg(1));
        put(m, var, attributes)
    });
    m.register("get_attr", 3, get_attr);
    m.register("put_attr", 3, put_attr);
    m.register("$residue", 1, residue);
    m.register("$del_attributes", 1, |m| {
        let var = m.arg(0);
        if var.tag() == ATT {
            let fresh = m.mem.new_var();
            m.mem.trail_value(var.index());
            m.mem.heap.put(var.index(), fresh);
        }
        Ok(true)
    });
    // Those of the term, and those their attributes lead to.
    m.register("term_attvars", 2, |m| {
        let mut found: Vec<Cell> = Vec::new();
        let mut terms = vec![m.control.x[0]];
        let mut seen = stet_base::FastSet::default();
        while let Some(term) = terms.pop() {
            for var in m.mem.variables_of(term) {
                if var.tag() == ATT && seen.insert(var) {
                    found.push(var);
                    terms.push(m.mem.heap.cell(var.index() + 1));
                }
            }
        }
        let list = m.new_proper_list(&found)?;
        m.unify_result(m.control.x[1], list)
    });
    // Those of the term alone.
    m.register("$term_attvars", 2, |m| {
        let found: Vec<Cell> = m
            .mem
            .variables_of(m.control.x[0])
            .into_iter()
            .filter(|cell| cell.tag() == ATT)
            .collect();
        let list = m.new_proper_list(&found)?;
        m.unify_result(m.control.x[1], list)
    });
}

impl Memory {
    /// Adds a variable to those `call_residue_vars/2` is to find, if it wants any.
    fn note_attributed(&mut self, var: Cell) {
        let Some(index) = self.residue else {
            return;
        };
        if let Global::Term(old) = self.globals[index] {
            let list = self.new_list(var, old);
            self.trail_push(old.0);
            self.trail_push((index as u64) << 3 | TRAIL_GLOBAL);
            self.globals[index] = Global::Term(list);
        }
    }
}

/// `'$residue'(Variables)`: starts to collect attributed variables after these; `off` ends it.
fn residue(m: &mut Machine) -> Res {
    let list = m.arg(0);
    let off = m.mem.atoms.intern("off");
    if list.is_atom(off) {
        m.mem.residue = None;
        return Ok(true);
    }
    let key = m.mem.atoms.intern("$residue");
    let index = match m.mem.global_names.get(&key) {
        Some(&index) => index,
        None => m.mem.set_global(key, Global::Term(Cell::atom(atom::NIL))),
    };
    if let Global::Term(old) = m.mem.globals[index] {
        m.mem.trail_push(old.0);
        m.mem.trail_push((index as u64) << 3 | TRAIL_GLOBAL);
    }
    m.mem.globals[index] = Global::Term(list);
    m.mem.residue = Some(index);
    Ok(true)
}

/// The value of a module's attribute in a list of attributes.
fn value_in(m: &Machine, mut attributes: Cell, module: Cell) -> Option<Cell> {
    while attributes.tag() == LST {
        let args = m
            .mem
            .structure(m.mem.at(attributes.index()), atom::ATT, 2)?;
        if m.mem.at(args) == module {
            return Some(m.mem.at(args + 1));
        }
        attributes = m.mem.at(attributes.index() + 1);
    }
    None
}

fn get_attr(m: &mut Machine) -> Res {
    let (var, module) = (m.arg(0), m.arg(1));
    if var.tag() != ATT {
        return Ok(false);
    }
    match value_in(m, m.mem.at(var.index() + 1), module) {
        Some(value) => m.unify_result(m.control.x[2], value),
        None => Ok(false),
    }
}

/// Puts the value in the place of the old one, or behind the others.
fn put_attr(m: &mut Machine) -> Res {
    let (var, module, value) = (m.arg(0), m.arg(1), m.arg(2));
    let mut before = Vec::new();
    let mut rest = match var.tag() {
        ATT => m.mem.at(var.index() + 1),
        _ => Cell::atom(atom::NIL),
    };
    let mut tail = Cell::atom(atom::NIL);
    while rest.tag() == LST {
        let (item, next) = (m.mem.at(rest.index()), m.mem.at(rest.index() + 1));
        let own = m
            .mem
            .structure(item, atom::ATT, 2)
            .map(|args| m.mem.at(args));
        if own == Some(module) {
            tail = next;
            break;
        }
        before.push(item);
        rest = next;
    }
    m.mem.need(before.len() * 2 + 16)?;
    let attribute = m.mem.new_term(atom::ATT, &[module, value]);
    let list = m.mem.new_list(attribute, tail);
    let list = m.list_with_tail(&before, list)?;
    put(m, var, list)
}

fn put(m: &mut Machine, var: Cell, value: Cell) -> Res {
    match var.tag() {
        ATT => {
            m.checks.cache.on_destructive_assignment();
            m.mem.trail_value(var.index() + 1);
            m.mem.heap.put(var.index() + 1, value);
            m.mem.note_attributed(var);
            Ok(true)
        }
        REF => {
            let index = m.mem.h;
            m.mem.push(Cell::pointer(ATT, index));
            m.mem.push(value);
            m.bind(var, Cell::pointer(ATT, index));
            m.mem.note_attributed(Cell::pointer(ATT, index));
            Ok(true)
        }
        _ => {
            let what = m.mem.atoms.intern("uninstantiation_error");
            let formal = m.mem.new_term(what, &[var]);
            Err(m.mem.iso_error(formal))
        }
    }
}
