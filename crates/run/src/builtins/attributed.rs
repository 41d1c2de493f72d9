//! Attributed variables: the cell after the variable holds a list of `att(Module, Value)` terms.

use crate::cell::*;
use crate::machine::{Global, Machine, Res, TRAIL_GLOBAL};
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    // '$get_attributes'(Var, Attributes)
    m.register("$get_attributes", 2, |m| {
        let var = m.arg(0);
        if var.tag() != ATT {
            return Ok(false);
        }
        let attributes = m.heap.cell(var.index() + 1);
        m.unify_result(m.x[1], attributes)
    });
    m.register("$put_attributes", 2, put);
    m.register("$residue", 1, residue);
    m.register("$del_attributes", 1, |m| {
        let var = m.arg(0);
        if var.tag() == ATT {
            let fresh = m.new_var();
            m.trail_value(var.index());
            m.heap.put(var.index(), fresh);
        }
        Ok(true)
    });
    m.register("term_attvars", 2, |m| {
        let found: Vec<Cell> = m
            .variables_of(m.x[0])
            .into_iter()
            .filter(|cell| cell.tag() == ATT)
            .collect();
        let list = m.new_proper_list(&found)?;
        m.unify_result(m.x[1], list)
    });
}

impl Machine {
    /// Adds a variable to those `call_residue_vars/2` is to find, if it wants any.
    fn note_attributed(&mut self, var: Cell) {
        let Some(index) = self.residue else { return };
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
    let off = m.atoms.intern("off");
    if list.is_atom(off) {
        m.residue = None;
        return Ok(true);
    }
    let key = m.atoms.intern("$residue");
    let index = match m.global_names.get(&key) {
        Some(&index) => index,
        None => m.set_global(key, Global::Term(Cell::atom(atom::NIL))),
    };
    if let Global::Term(old) = m.globals[index] {
        m.trail_push(old.0);
        m.trail_push((index as u64) << 3 | TRAIL_GLOBAL);
    }
    m.globals[index] = Global::Term(list);
    m.residue = Some(index);
    Ok(true)
}

fn put(m: &mut Machine) -> Res {
    let var = m.arg(0);
    match var.tag() {
        ATT => {
            m.property_cache.on_destructive_assignment();
            m.trail_value(var.index() + 1);
            let value = m.arg(1);
            m.heap.put(var.index() + 1, value);
            m.note_attributed(var);
            Ok(true)
        }
        REF => {
            let index = m.h;
            m.push(Cell::pointer(ATT, index));
            let value = m.arg(1);
            m.push(value);
            m.bind(var, Cell::pointer(ATT, index));
            m.note_attributed(Cell::pointer(ATT, index));
            Ok(true)
        }
        _ => {
            let what = m.atoms.intern("uninstantiation_error");
            let formal = m.new_term(what, &[var]);
            Err(m.iso_error(formal))
        }
    }
}
