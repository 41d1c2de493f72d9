//! Collecting solutions: a stack of bags of terms kept outside the heap.

use crate::cell::Cell;
use crate::machine::{Global, Machine, Res, TRAIL_GLOBAL};
use stet_prolog::atom;

pub(super) fn register(m: &mut Machine) {
    m.register("$bag_open", 1, |m| {
        m.bags.push(Vec::new());
        m.bag_words.truncate(m.bags.len() - 1);
        m.bag_words.push(0);
        let depth = m.bags.len() as i64;
        m.unify_result(m.x[0], Cell::small(depth))
    });
    m.register("$bag_add", 2, |m| {
        let depth = m.int_arg(0)? as usize;
        let flat = m.flatten(m.x[1], true);
        m.bags.truncate(depth);
        if let Some(bag) = m.bags.get_mut(depth - 1) {
            m.bag_words.truncate(depth);
            m.bag_words[depth - 1] += flat.words.len() + 4;
            bag.push(flat);
        }
        Ok(true)
    });
    m.register("$bag_count", 2, |m| {
        let depth = m.int_arg(0)? as usize;
        let count = m.bags.get(depth - 1).map_or(0, Vec::len);
        m.unify_result(m.x[1], Cell::small(count as i64))
    });
    // '$bag_close'(Depth, List, Tail)
    m.register("$bag_close", 3, close);
    m.register("nb_setval", 2, |m| {
        let key = m.global_key()?;
        let flat = m.flatten(m.x[1], true);
        m.set_global(key, Global::Kept(flat));
        Ok(true)
    });
    m.register("b_setval", 2, |m| {
        let key = m.global_key()?;
        let index = match m.global_names.get(&key) {
            Some(&index) => index,
            None => m.set_global(key, Global::Term(Cell::atom(atom::NIL))),
        };
        let old = m.global_value(index)?;
        m.trail_push(old.0);
        m.trail_push((index as u64) << 3 | TRAIL_GLOBAL);
        let value = m.arg(1);
        m.globals[index] = Global::Term(value);
        Ok(true)
    });
    // '$getval'(Key, Value): fails if there is no such variable
    m.register("$getval", 2, get);
    m.register("nb_current", 2, |m| {
        let key = m.atom_arg(0)?;
        match m.global_names.get(&key) {
            Some(&index) => {
                let value = m.global_value(index)?;
                m.unify_result(m.x[1], value)
            }
            None => Ok(false),
        }
    });
}

fn close(m: &mut Machine) -> Res {
    let depth = m.int_arg(0)? as usize;
    m.bags.truncate(depth);
    let bag = m.bags.pop().unwrap_or_default();
    m.bag_words.truncate(m.bags.len());
    let mut items = Vec::with_capacity(bag.len());
    for flat in &bag {
        items.push(m.unflatten(flat)?);
    }
    let list = m.list_with_tail(&items, m.x[2])?;
    m.unify_result(m.x[1], list)
}

fn get(m: &mut Machine) -> Res {
    let key = m.global_key()?;
    match m.global_names.get(&key) {
        Some(&index) => {
            let value = m.global_value(index)?;
            m.unify_result(m.x[1], value)
        }
        None => Ok(false),
    }
}

impl Machine {
    fn global_key(&mut self) -> Result<stet_prolog::Atom, crate::PErr> {
        self.atom_arg(0)
    }

    pub(super) fn set_global(&mut self, key: stet_prolog::Atom, value: Global) -> usize {
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

    /// The term of a global variable. All uses share it: what is changed in it by `setarg/3`, or bound, others see.
    fn global_value(&mut self, index: usize) -> Result<Cell, crate::PErr> {
        let flat = match &self.globals[index] {
            Global::Term(cell) => return Ok(*cell),
            Global::Kept(flat) => flat.clone(),
        };
        let cell = self.unflatten(&flat)?;
        if cell.is_pointer() {
            // It stays the value after backtracking, which must not throw it away.
            self.protect_heap();
        }
        self.globals[index] = Global::Term(cell);
        Ok(cell)
    }

    /// Takes the values of global variables off the heap, when a query has ended and nothing else refers to them.
    pub(crate) fn keep_globals(&mut self) {
        for index in 0..self.globals.len() {
            if let Global::Term(cell) = self.globals[index]
                && cell.is_pointer()
            {
                self.globals[index] = Global::Kept(self.flatten(cell, true));
            }
        }
    }
}
