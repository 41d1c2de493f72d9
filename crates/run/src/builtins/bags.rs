//! Collecting solutions: a stack of bags of terms kept outside the heap.

use crate::cell::Cell;
use crate::machine::{Global, Machine, Res, TRAIL_GLOBAL};
use crate::memory::Memory;
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    m.register("$bag_open", 1, |m| {
        m.mem.bags.push(Vec::new());
        m.mem.bag_words.truncate(m.mem.bags.len() - 1);
        m.mem.bag_words.push(0);
        let depth = m.mem.bags.len() as i64;
        m.unify_result(m.control.x[0], Cell::small(depth))
    });
    m.register("$bag_add", 2, |m| {
        let depth = m.int_arg(0)? as usize;
        let flat = m.flatten(m.control.x[1], true);
        m.mem.bags.truncate(depth);
        if let Some(bag) = m.mem.bags.get_mut(depth - 1) {
            m.mem.bag_words.truncate(depth);
            m.mem.bag_words[depth - 1] += flat.words.len() + 4;
            bag.push(flat);
        }
        Ok(true)
    });
    m.register("$bag_count", 2, |m| {
        let depth = m.int_arg(0)? as usize;
        let count = m.mem.bags.get(depth - 1).map_or(0, Vec::len);
        m.unify_result(m.control.x[1], Cell::small(count as i64))
    });
    // '$bag_close'(Depth, List, Tail)
    m.register("$bag_close", 3, close);
    m.register("nb_setval", 2, |m| {
        let key = m.global_key()?;
        let flat = m.flatten(m.control.x[1], true);
        m.mem.set_global(key, Global::Kept(flat));
        Ok(true)
    });
    m.register("b_setval", 2, |m| {
        let key = m.global_key()?;
        let index = match m.mem.global_names.get(&key) {
            Some(&index) => index,
            None => m.mem.set_global(key, Global::Term(Cell::atom(atom::NIL))),
        };
        let old = m.global_value(index)?;
        m.mem.trail_push(old.0);
        m.mem.trail_push((index as u64) << 3 | TRAIL_GLOBAL);
        let value = m.arg(1);
        m.mem.globals[index] = Global::Term(value);
        Ok(true)
    });
    // '$getval'(Key, Value): fails if there is no such variable
    m.register("$getval", 2, get);
    m.register("nb_current", 2, |m| {
        let key = m.atom_arg(0)?;
        match m.mem.global_names.get(&key) {
            Some(&index) => {
                let value = m.global_value(index)?;
                m.unify_result(m.control.x[1], value)
            }
            None => Ok(false),
        }
    });
}

fn close(m: &mut Machine) -> Res {
    let depth = m.int_arg(0)? as usize;
    m.mem.bags.truncate(depth);
    let bag = m.mem.bags.pop().unwrap_or_default();
    m.mem.bag_words.truncate(m.mem.bags.len());
    let mut items = Vec::with_capacity(bag.len());
    for flat in &bag {
        items.push(m.unflatten(flat)?);
    }
    let list = m.list_with_tail(&items, m.control.x[2])?;
    m.unify_result(m.control.x[1], list)
}

fn get(m: &mut Machine) -> Res {
    let key = m.global_key()?;
    match m.mem.global_names.get(&key) {
        Some(&index) => {
            let value = m.global_value(index)?;
            m.unify_result(m.control.x[1], value)
        }
        None => Ok(false),
    }
}

impl Memory {
    pub(crate) fn set_global(&mut self, key: stet_prolog::Atom, value: Global) -> usize {
        match self.global_names.get(&key) {
            Some(&index) => {
                self.globals[index] = value;
                index
            }
            None => {
                self.globals.push(value);
                self.global_names.insert(key, self.globals.len() - 1);
                self.globals.len() - 1
            }
        }
    }
}

impl Machine {
    fn global_key(&mut self) -> Result<stet_prolog::Atom, crate::PErr> {
        self.atom_arg(0)
    }

    /// The term of a global variable. All uses share it: what is changed in it by `setarg/3`, or bound, others see.
    pub(crate) fn global_value(&mut self, index: usize) -> Result<Cell, crate::PErr> {
        let flat = match &self.mem.globals[index] {
            Global::Term(cell) => return Ok(*cell),
            Global::Kept(flat) => flat.clone(),
        };
        let cell = self.unflatten(&flat)?;
        if cell.is_pointer() {
            // It stays the value after backtracking, which must not throw it away.
            self.protect_heap();
        }
        self.mem.globals[index] = Global::Term(cell);
        Ok(cell)
    }

    /// Takes the values of global variables off the heap, when a query has ended and nothing else refers to them.
    pub(crate) fn keep_globals(&mut self) {
        for index in 0..self.mem.globals.len() {
            if let Global::Term(cell) = self.mem.globals[index]
                && cell.is_pointer()
            {
                self.mem.globals[index] = Global::Kept(self.flatten(cell, true));
            }
        }
    }
}
