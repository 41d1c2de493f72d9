//! What `lib/tabling.pl` calls: entering and leaving evaluations, adding and taking answers, and the literals that an
//! answer under construction depends on because their truth is not known (its delays, a global variable that
//! backtracking restores).

use super::answers::Added;
use super::{Status, Table, Truth};
use crate::cell::*;
use crate::database::More;
use crate::errors::PErr;
use crate::flat::Flat;
use crate::machine::{Global, Machine, Res, TRAIL_GLOBAL, choice, code_at};
use stet_prolog::atom;

/// Larger forms do not leave their memory to the next.
const KEPT_FORM: usize = 1 << 12;

impl Machine {
    /// The canonical form of a term, in the buffer of the tables: `put_form` gives it back.
    fn form_of(&mut self, term: Cell) -> Result<Vec<u64>, PErr> {
        if self.mem.may_be_cyclic(term) && !self.mem.is_acyclic(term) {
            let expected = self.mem.atoms.intern("acyclic_term");
            return Err(self.mem.type_error_strict(expected, term));
        }
        let mut form = std::mem::take(&mut self.program.tables.form);
        let mut rest = std::mem::take(&mut self.program.tables.rest);
        form.clear();
        rest.clear();
        rest.push(term);
        let free = self.fill_form(&mut form, &mut rest);
        self.program.tables.rest = rest;
        if !free {
            let expected = self.mem.atoms.intern("free_of_attvar");
            return Err(self.mem.type_error_strict(expected, term));
        }
        self.charge(form.len());
        Ok(form)
    }

    fn put_form(&mut self, form: Vec<u64>) {
        if form.capacity() <= KEPT_FORM {
            self.program.tables.form = form;
        }
    }

    /// False at an attributed variable: a table would be shared by calls whose constraints differ.
    fn fill_form(&self, form: &mut Vec<u64>, rest: &mut Vec<Cell>) -> bool {
        let mut variables: Vec<Cell> = Vec::new();
        while let Some(cell) = rest.pop() {
            let cell = self.mem.deref(cell);
            match cell.tag() {
                LST => {
                    form.push(Cell::functor(atom::DOT, 2).0);
                    rest.push(self.mem.heap.cell(cell.index() + 1));
                    rest.push(self.mem.heap.cell(cell.index()));
                }
                STR => {
                    let header = self.mem.heap.cell(cell.index());
                    form.push(header.0);
                    for i in (1..=header.arity()).rev() {
                        rest.push(self.mem.heap.cell(cell.index() + i));
                    }
                }
                BOX => {
                    let words = self.mem.heap.cell(cell.index()).arity();
                    form.extend_from_slice(
                        self.mem.heap.slice(cell.index(), cell.index() + words + 1),
                    );
                }
                ATT => return false,
                REF => {
                    let known = variables.iter().position(|&found| found == cell);
                    let number = known.unwrap_or_else(|| {
                        variables.push(cell);
                        variables.len() - 1
                    });
                    form.push(Cell::var(number).0);
                }
                _ => form.push(cell.0),
            }
        }
        true
    }

    /// The table of a call, if it has one.
    fn table_of(&mut self, goal: Cell) -> Result<Option<usize>, PErr> {
        let form = self.form_of(goal)?;
        let table = self.program.tables.variants.get(&form[..]).copied();
        self.put_form(form);
        Ok(table)
    }

    /// Adds an answer under a form, instead of the one that was there if `replace`; false if nothing changed.
    fn keep_answer(&mut self, key: Cell, answer: Cell, replace: bool) -> Result<Added, PErr> {
        let number = self.table_arg()?;
        let delays = self.delays()?;
        let form = self.form_of(key)?;
        let tables = &self.program.tables;
        let known = tables
            .get(number)
            .and_then(|table| table.answers.find(&form).map(|at| (table, at)));
        let settled = known.is_some_and(|(table, at)| !table.answers.is_undefined(at));
        if settled && !replace {
            self.put_form(form);
            return Ok(Added::Known);
        }
        let condition = match delays.is_atom(atom::NIL) {
            true => None,
            false => {
                self.mem.need(3)?;
                let pair = self.mem.new_term(atom::MINUS, &[answer, delays]);
                Some(self.flatten(pair, false))
            }
        };
        let flat = self.flatten(answer, false);
        let tables = &mut self.program.tables;
        let (mut added, mut grown) = (Added::Known, 0);
        if let Some(table) = tables.get_mut(number) {
            debug_assert!(
                table.status != Status::Complete,
                "a complete table gets no more answers"
            );
            let before = table.answers.size();
            added = match replace {
                true => table.answers.put(&form, &flat.words, condition),
                false => table.answers.add(&form, &flat.words, condition),
            };
            grown = table.answers.size() - before;
        }
        tables.words += grown;
        self.put_form(form);
        match added {
            Added::Full => Err(self.mem.resource_error(atom::MEMORY)),
            _ => Ok(added),
        }
    }

    /// The term of an answer, and whether it is undefined; `None` if it was replaced.
    fn table_answer(&mut self, number: usize, at: usize) -> Result<Option<(Cell, bool)>, PErr> {
        let Some(table) = self.program.tables.get_mut(number) else {
            return Ok(None);
        };
        let answers = table.readable_mut();
        let Some((start, end)) = answers.term(at) else {
            return Ok(None);
        };
        let undefined = answers.is_undefined(at);
        // The terms are lent out while the heap is written.
        let terms = answers.lend();
        let made = self.unflatten_words(&terms[start..end]);
        if let Some(table) = self.program.tables.get_mut(number) {
            table.readable_mut().give_back(terms);
        }
        Ok(Some((made?, undefined)))
    }

    fn table_arg(&mut self) -> Result<usize, PErr> {
        let number = self.int_arg(0)?;
        match usize::try_from(number) {
            Ok(index) if self.program.tables.get(index).is_some() => Ok(index),
            _ => {
                let kind = self.mem.atoms.intern("table");
                Err(self.mem.existence_error(kind, Cell::small(number)))
            }
        }
    }

    /// Forgets what an interrupted query left.
    pub(crate) fn start_tabling(&mut self) {
        self.program.tables.forget_open();
        if self.program.tables.delays {
            let index = self.delays_index();
            self.mem.globals[index] = Global::Term(Cell::atom(atom::NIL));
        }
    }

    // -- delays

    /// Whether the answer of a query is undefined.
    pub(crate) fn has_delays(&mut self) -> bool {
        self.delays().is_ok_and(|list| !list.is_atom(atom::NIL))
    }

    /// The literals what is derived now depends on, newest first.
    fn delays(&mut self) -> Result<Cell, PErr> {
        if !self.program.tables.delays {
            return Ok(Cell::atom(atom::NIL));
        }
        let index = self.delays_index();
        self.global_value(index)
    }

    fn delays_index(&mut self) -> usize {
        let key = self.mem.atoms.intern("$tbl_delays");
        let known = self.mem.global_names.get(&key).copied();
        known.unwrap_or_else(|| {
            self.mem
                .set_global(key, Global::Term(Cell::atom(atom::NIL)))
        })
    }

    fn set_delays(&mut self, list: Cell) -> Result<(), PErr> {
        let index = self.delays_index();
        let old = self.global_value(index)?;
        self.mem.trail_push(old.0);
        self.mem.trail_push((index as u64) << 3 | TRAIL_GLOBAL);
        self.mem.globals[index] = Global::Term(list);
        Ok(())
    }

    fn delay(&mut self, literal: Cell) -> Result<(), PErr> {
        self.program.tables.delays = true;
        let index = self.delays_index();
        let old = self.global_value(index)?;
        self.mem.need(2)?;
        let list = self.mem.new_list(literal, old);
        self.set_delays(list)
    }

    // -- forgotten tables

    /// Gives back the memory of forgotten tables if there are many, but not of those that calls under way read.
    fn reclaim_tables(&mut self) {
        if !self.program.tables.too_many_forgotten() || self.control.engines.any() {
            return;
        }
        let reader = self.program.tables.reader as i64;
        let mut read = Vec::new();
        let mut b = self.control.b;
        while b != 0 {
            let count = self.mem.choice.get(b + choice::COUNT) as usize;
            let arg = |i: usize| self.mem.choice.cell(b + choice::ARGS + i);
            if self.mem.choice.get(b + choice::ALT) as usize == code_at::NONDET_RETRY
                && count == 4
                && arg(2).small_value() & 0xffff == reader
            {
                let table = self.mem.deref(arg(0));
                read.push(table.small_value() as usize);
            }
            b = self.mem.choice.get(b + choice::PREV) as usize;
        }
        self.program.tables.reclaim(&read);
    }
}

pub(crate) fn register(m: &mut Machine) {
    // '$tbl_enter'(Goal, Table, Evaluate): Evaluate is true if the table has to be filled first.
    m.register("$tbl_enter", 3, enter);
    // '$tbl_adds_up'(Table): the answers of the evaluation that just began are added up.
    m.register("$tbl_adds_up", 1, |m| {
        if let Some(top) = m.program.tables.stack.last_mut() {
            top.adds_up = true;
        }
        Ok(true)
    });
    // '$tbl_add'(Table, Answer): true if it is new.
    m.register("$tbl_add", 2, |m| {
        let number = m.table_arg()?;
        let added = m.keep_answer(m.control.x[1], m.control.x[1], false)?;
        Ok(m.program.tables.note(number, added))
    });
    // '$tbl_find'(Table, Key, Answer, Undefined): the answer kept under a key, and whether it is undefined.
    m.register("$tbl_find", 4, find);
    // '$tbl_put'(Table, Key, Answer, Counts): keeps an answer under a key instead of the one before; whether that is
    // worth another round.
    m.register("$tbl_put", 4, |m| {
        let number = m.table_arg()?;
        let counts = m.arg(3).is_atom(atom::TRUE);
        let added = m.keep_answer(m.control.x[1], m.control.x[2], true)?;
        if counts || added == Added::New {
            m.program.tables.note(number, added);
        }
        Ok(true)
    });
    // '$tbl_same'(Table, Key, Answer): the answer kept under the key was derived again.
    m.register("$tbl_same", 3, same);
    // '$tbl_answer'(Table, Goal): the answers, those found meanwhile too.
    m.program.tables.reader = m.program.db.nondets.len();
    m.register_nondet("$tbl_answer", 2, answer);
    // '$tbl_truth'(Table, Truth): true, false or undefined.
    m.register("$tbl_truth", 2, |m| {
        let table = m.table_arg()?;
        let name = match m.program.tables.truth(table) {
            Truth::True => atom::TRUE,
            Truth::False => atom::FALSE,
            Truth::Undefined => m.mem.atoms.intern("undefined"),
        };
        m.unify_result(m.control.x[1], Cell::atom(name))
    });
    // '$tbl_again'(Table): a round is done; whether another one may find more.
    m.register("$tbl_again", 1, |m| {
        let table = m.table_arg()?;
        Ok(m.program.tables.again(table))
    });
    m.register("$tbl_leave", 1, |m| {
        let table = m.table_arg()?;
        m.program.tables.leave(table);
        Ok(true)
    });
    m.register("$tbl_abandon", 1, |m| {
        let table = m.table_arg()?;
        m.program.tables.abandon(table);
        Ok(true)
    });
    register_delays(m);
    register_administration(m);
}

fn register_delays(m: &mut Machine) {
    // '$tbl_delay'(Literal): what is derived from here on depends on it.
    m.register("$tbl_delay", 1, |m| {
        m.delay(m.control.x[0])?;
        Ok(true)
    });
    // '$tbl_delays'(Literals): newest first.
    m.register("$tbl_delays", 1, |m| {
        let delays = m.delays()?;
        m.unify_result(m.control.x[0], delays)
    });
    m.register("$tbl_set_delays", 1, |m| {
        if m.program.tables.delays {
            m.set_delays(m.control.x[0])?;
        }
        Ok(true)
    });
    // '$tbl_conditions'(Table, List): `Answer-Literals` for each way an undefined answer was derived.
    m.register("$tbl_conditions", 2, |m| {
        let number = m.table_arg()?;
        let table = m.program.tables.get(number);
        let flats: Vec<Flat> = table.map_or(Vec::new(), |table| {
            table.answers.conditions().cloned().collect()
        });
        let mut items = Vec::with_capacity(flats.len());
        for flat in &flats {
            items.push(m.unflatten(flat)?);
        }
        let list = m.new_proper_list(&items)?;
        m.unify_result(m.control.x[1], list)
    });
}

fn register_administration(m: &mut Machine) {
    // '$tbl_refresh'(Goal): forgets the table of an incremental call if what it depends on may have changed.
    m.register("$tbl_refresh", 1, |m| {
        let known = m.table_of(m.control.x[0])?;
        let tables = &mut m.program.tables;
        let epoch = tables.epoch;
        if let Some(number) = known
            && let Some(table) = tables.get(number)
            && table.epoch != epoch
            && table.status == Status::Complete
        {
            tables.forget(number);
            m.reclaim_tables();
        }
        Ok(true)
    });
    // '$tbl_forget'(Table): a table that is being filled is forgotten when it is complete.
    m.register("$tbl_forget", 1, |m| {
        let table = m.table_arg()?;
        m.program.tables.abolish(table);
        m.reclaim_tables();
        Ok(true)
    });
    // '$tbl_status'(Goal, Status): complete or incomplete; fails if there is no table.
    m.register("$tbl_status", 2, |m| {
        let table = m.table_of(m.control.x[0])?;
        let Some(table) = table.and_then(|number| m.program.tables.get(number)) else {
            return Ok(false);
        };
        let complete = table.status == Status::Complete;
        let name = if complete { "complete" } else { "incomplete" };
        let name = Cell::atom(m.mem.atoms.intern(name));
        m.unify_result(m.control.x[1], name)
    });
    // '$tbl_all'(List): `Goal-Table` for every table.
    m.register("$tbl_all", 1, |m| {
        let mut items = Vec::new();
        for number in m.program.tables.known() {
            let Some(table) = m.program.tables.get(number) else {
                continue;
            };
            let goal = table.goal.clone();
            let goal = m.unflatten(&goal)?;
            m.mem.need(3)?;
            items.push(
                m.mem
                    .new_term(atom::MINUS, &[goal, Cell::small(number as i64)]),
            );
        }
        let list = m.new_proper_list(&items)?;
        m.unify_result(m.control.x[0], list)
    });
    m.register("$tbl_abolish", 0, |m| {
        for number in m.program.tables.known() {
            m.program.tables.abolish(number);
        }
        m.reclaim_tables();
        Ok(true)
    });
}

fn enter(m: &mut Machine) -> Res {
    let form = m.form_of(m.control.x[0])?;
    let known = m.program.tables.variants.get(&form[..]).copied();
    let known = known.and_then(|number| Some((number, m.program.tables.get(number)?)));
    let status = known.map(|(number, table)| (number, table.status, table.place));
    let (table, evaluate) = match status {
        Some((table, Status::Complete, _)) => (table, false),
        Some((table, Status::Active | Status::Waiting, place)) => {
            m.program.tables.depend(place);
            (table, false)
        }
        Some((table, Status::Reopened, _)) => (table, true),
        None => {
            let table = m.program.tables.tables.len();
            let goal = m.flatten(m.control.x[0], false);
            let epoch = m.program.tables.epoch;
            let kept: super::Form = form[..].into();
            let tables = &mut m.program.tables;
            tables.variants.insert(kept.clone(), table);
            tables
                .tables
                .push(Some(Box::new(Table::new(kept, goal, epoch))));
            (table, true)
        }
    };
    m.put_form(form);
    if evaluate {
        m.program.tables.begin(table);
    }
    let said = Cell::atom(if evaluate { atom::TRUE } else { atom::FALSE });
    Ok(m.unify(m.control.x[1], Cell::small(table as i64)) && m.unify(m.control.x[2], said))
}

fn find(m: &mut Machine) -> Res {
    let number = m.table_arg()?;
    let form = m.form_of(m.control.x[1])?;
    let table = m.program.tables.get(number);
    let found = table.and_then(|table| {
        let at = table.answers.find(&form)?;
        let (start, end) = table.answers.term(at)?;
        let words = table.answers.words()[start..end].to_vec();
        Some((words, table.answers.is_undefined(at)))
    });
    m.put_form(form);
    let Some((words, undefined)) = found else {
        return Ok(false);
    };
    let term = m.unflatten_words(&words)?;
    let undefined = Cell::atom(if undefined { atom::TRUE } else { atom::FALSE });
    Ok(m.unify(m.control.x[2], term) && m.unify(m.control.x[3], undefined))
}

fn same(m: &mut Machine) -> Res {
    let number = m.table_arg()?;
    let added = m.keep_answer(m.control.x[1], m.control.x[2], false)?;
    m.program.tables.note(number, added);
    Ok(true)
}

fn answer(m: &mut Machine, state: u64) -> Result<More, PErr> {
    let number = m.table_arg()?;
    let goal = m.control.x[1];
    let mut at = state as usize;
    while let Some(table) = m.program.tables.get(number)
        && at < table.readable().len()
    {
        let (mark, top) = (m.mem.tr, m.mem.h);
        let term = m.table_answer(number, at)?;
        at += 1;
        let Some((term, undefined)) = term else {
            continue;
        };
        if m.unify(goal, term) {
            if undefined {
                m.delay(term)?;
            }
            let table = m.program.tables.get(number);
            let last = table
                .is_none_or(|table| table.status == Status::Complete && at >= table.answers.len());
            return Ok(if last {
                More::Last
            } else {
                More::State(at as u64)
            });
        }
        m.mem.undo_to(mark);
        m.mem.h = top;
    }
    Ok(More::Fail)
}
