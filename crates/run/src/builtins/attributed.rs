//! Attributed variables: the cell after the variable holds a list of `att(Module, Value)` terms.

use crate::cell::*;
use crate::machine::{Machine, Res};
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

fn put(m: &mut Machine) -> Res {
    let var = m.arg(0);
    match var.tag() {
        ATT => {
            m.property_cache.on_destructive_assignment();
            m.trail_value(var.index() + 1);
            let value = m.arg(1);
            m.heap.put(var.index() + 1, value);
            Ok(true)
        }
        REF => {
            let index = m.h;
            m.push(Cell::pointer(ATT, index));
            let value = m.arg(1);
            m.push(value);
            m.bind(var, Cell::pointer(ATT, index));
            Ok(true)
        }
        _ => {
            let what = m.atoms.intern("uninstantiation_error");
            let formal = m.new_term(what, &[var]);
            let _ = atom::NIL;
            Err(m.iso_error(formal))
        }
    }
}
