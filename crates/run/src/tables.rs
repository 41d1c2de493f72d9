//! The tables of tabling: variants of calls, their answers, and which evaluations are under way.
//!
//! The control is in `lib/tabling.pl`. Calls and answers are found by a canonical form of the term: its cells in
//! prefix order with variables numbered, so variants have the same form whatever they share on the heap.
//!
//! A table is active while it is on the stack, waiting for a leader below it when its evaluation is done but led to an
//! older active table, reopened when that leader starts another round, and complete in the end. As in Tarjan's algorithm
//! only the newest entry of the stack learns which older table was met; it passes that on when it leaves.

use crate::cell::*;
use crate::database::More;
use crate::errors::PErr;
use crate::flat::Flat;
use crate::forms::{Forms, Place};
use crate::machine::{Machine, Res};
use stet_base::FastMap;
use stet_prolog::atom;

/// A term up to the names of its variables.
type Form = Box<[u64]>;

/// Larger forms do not leave their memory to the next.
const KEPT_FORM: usize = 1 << 12;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Active,
    Waiting(usize),
    Reopened,
    Complete,
}

struct Table {
    form: Form,
    goal: Flat,
    status: Status,
    /// Answers in the order found: where each is in `terms`; an empty place was replaced by a later one.
    answers: Vec<(usize, usize)>,
    /// The terms of all answers, each relative to its start.
    terms: Vec<u64>,
    /// The forms of the answers, or of their keys, while the table is being filled, and the answer of each.
    found: Forms,
    at: Vec<usize>,
    /// The changes of incremental predicates when its evaluation began.
    epoch: u64,
}

/// An evaluation: its table, the oldest table it led to, and whether its own table was met.
struct Evaluation {
    table: usize,
    leader: usize,
    met: bool,
}

/// All tables of a machine.
#[derive(Default)]
pub(crate) struct Tables {
    tables: Vec<Table>,
    variants: FastMap<Form, usize>,
    stack: Vec<Evaluation>,
    /// Tables that are not complete, oldest first.
    open: Vec<usize>,
    /// How often the clauses of an incremental predicate changed.
    epoch: u64,
    /// Answers added or replaced so far.
    changes: u64,
    /// The words they take.
    words: usize,
    /// Memory for forms, used again and again.
    form: Vec<u64>,
    rest: Vec<Cell>,
}

impl Table {
    fn new(form: Form, goal: Flat, epoch: u64) -> Self {
        Table {
            form,
            goal,
            status: Status::Active,
            answers: Vec::new(),
            terms: Vec::new(),
            found: Forms::default(),
            at: Vec::new(),
            epoch,
        }
    }

    fn push(&mut self, term: &[u64]) {
        let start = self.terms.len();
        self.terms.extend_from_slice(term);
        debug_assert!(
            start < self.terms.len(),
            "an empty place is an answer that was replaced"
        );
        self.answers.push((start, self.terms.len()));
    }

    /// Adds an answer and empties an older one, in its memory if it fits: calls under way know answers by number.
    fn replace(&mut self, old: usize, term: &[u64]) {
        let (start, end) = self.answers[old];
        debug_assert!(start < end, "an answer is replaced once");
        self.answers[old].1 = start;
        if end - start == term.len() {
            self.terms[start..end].copy_from_slice(term);
            self.answers.push((start, end));
        } else {
            self.push(term);
        }
    }

    /// Gives back what only the filling of a table needs.
    fn close(&mut self) {
        self.answers.shrink_to_fit();
        self.terms.shrink_to_fit();
        self.found = Forms::default();
        self.at = Vec::new();
    }
}

impl Tables {
    /// A predicate that incremental tables depend on changed.
    pub(crate) fn outdate(&mut self) {
        self.epoch += 1;
    }

    /// A complete table is not found by later calls; calls under way still take its answers.
    fn forget(&mut self, table: usize) -> bool {
        let complete = self.tables[table].status == Status::Complete;
        if complete {
            self.variants.remove(&self.tables[table].form);
            self.tables[table].form = Box::default();
        }
        complete
    }

    /// The newest evaluation led to this table.
    fn depend(&mut self, table: usize) {
        if let Some(top) = self.stack.last_mut() {
            top.leader = top.leader.min(table);
            top.met |= top.table == table;
        }
    }

    /// Forgets the tables whose evaluation was left by an exception, from this one on.
    fn abandon(&mut self, from: usize) {
        debug_assert!(
            self.stack
                .windows(2)
                .all(|pair| pair[0].leader <= pair[0].table),
            "a leader is no younger than its table"
        );
        self.stack.retain(|entry| entry.table < from);
        while let Some(&table) = self.open.last()
            && table >= from
        {
            self.open.pop();
            self.variants.remove(&self.tables[table].form);
            let dead = &mut self.tables[table];
            dead.answers = Vec::new();
            dead.terms = Vec::new();
            dead.close();
            dead.form = Box::default();
            dead.status = Status::Complete;
        }
    }

    /// Forgets what an interrupted query left unfinished.
    pub(crate) fn forget_open(&mut self) {
        if !self.open.is_empty() {
            self.abandon(self.open[0]);
        }
    }

    /// The terms kept here, for the collector of atoms.
    pub(crate) fn words(&self) -> impl Iterator<Item = &[u64]> {
        self.tables
            .iter()
            .flat_map(|table| [&table.terms[..], &table.goal.words[..], &table.form[..]])
    }

    /// The memory answers take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words * 8
    }
}

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

    /// Adds an answer under a form, instead of the one that was there if `replace`; false if it stays.
    fn keep_answer(&mut self, key: Cell, answer: Cell, replace: bool) -> Res {
        let number = self.table_arg()?;
        let form = self.form_of(key)?;
        let place = self.program.tables.tables[number].found.place(&form);
        if matches!(place, Place::Found(_)) && !replace {
            self.put_form(form);
            return Ok(false);
        }
        let flat = self.flatten(answer, false);
        self.program.tables.words += form.len() + flat.words.len() + 6;
        self.program.tables.changes += 1;
        debug_assert!(
            self.program.tables.tables[number].status != Status::Complete,
            "a complete table gets no more answers"
        );
        let table = &mut self.program.tables.tables[number];
        let newest = table.answers.len();
        let added = match place {
            Place::Found(found) => {
                let old = std::mem::replace(&mut table.at[found], newest);
                table.replace(old, &flat.words);
                true
            }
            Place::Free(slot) => {
                table.push(&flat.words);
                table.at.push(newest);
                table.found.add(&form, slot).is_some()
            }
        };
        self.put_form(form);
        if !added {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        Ok(true)
    }

    /// The term of an answer; `None` if it was replaced.
    fn table_answer(&mut self, table: usize, number: usize) -> Result<Option<Cell>, PErr> {
        // The terms are lent out while the heap is written.
        let terms = std::mem::take(&mut self.program.tables.tables[table].terms);
        let place = self.program.tables.tables[table].answers.get(number);
        let made = match place {
            Some(&(start, end)) if start < end => {
                self.unflatten_words(&terms[start..end]).map(Some)
            }
            _ => Ok(None),
        };
        self.program.tables.tables[table].terms = terms;
        made
    }

    fn table_arg(&mut self) -> Result<usize, PErr> {
        let number = self.int_arg(0)?;
        match usize::try_from(number) {
            Ok(index) if index < self.program.tables.tables.len() => Ok(index),
            _ => {
                let kind = self.mem.atoms.intern("table");
                Err(self.mem.existence_error(kind, Cell::small(number)))
            }
        }
    }
}

pub(crate) fn register(m: &mut Machine) {
    // '$tbl_enter'(Goal, Table, Evaluate): Evaluate is true if the table has to be filled first.
    m.register("$tbl_enter", 3, enter);
    // '$tbl_add'(Table, Answer): true if it is new.
    m.register("$tbl_add", 2, |m| {
        m.keep_answer(m.control.x[1], m.control.x[1], false)
    });
    // '$tbl_find'(Table, Key, Answer): the answer kept under a key.
    m.register("$tbl_find", 3, |m| {
        let number = m.table_arg()?;
        let form = m.form_of(m.control.x[1])?;
        let table = &m.program.tables.tables[number];
        let found = match table.found.place(&form) {
            Place::Found(found) => table.at.get(found).copied(),
            Place::Free(_) => None,
        };
        m.put_form(form);
        let Some(answer) = found else {
            return Ok(false);
        };
        let term = m.table_answer(number, answer)?;
        match term {
            Some(term) => m.unify_result(m.control.x[2], term),
            None => Ok(false),
        }
    });
    // '$tbl_put'(Table, Key, Answer): keeps an answer under a key instead of the one before.
    m.register("$tbl_put", 3, |m| {
        m.keep_answer(m.control.x[1], m.control.x[2], true)
    });
    // '$tbl_answer'(Table, Goal): the answers, those found meanwhile too.
    m.register_nondet("$tbl_answer", 2, answer);
    m.register("$tbl_changes", 1, |m| {
        let changes = Cell::small(m.program.tables.changes as i64);
        m.unify_result(m.control.x[0], changes)
    });
    // '$tbl_again'(Table, Changes): whether there was an answer since then and another round may find more.
    m.register("$tbl_again", 2, again);
    m.register("$tbl_leave", 1, |m| {
        let table = m.table_arg()?;
        leave(&mut m.program.tables, table);
        Ok(true)
    });
    m.register("$tbl_abandon", 1, |m| {
        let table = m.table_arg()?;
        m.program.tables.abandon(table);
        Ok(true)
    });
    // '$tbl_refresh'(Goal): forgets the table of an incremental call if what it depends on may have changed.
    m.register("$tbl_refresh", 1, |m| {
        let known = m.table_of(m.control.x[0])?;
        let tables = &mut m.program.tables;
        if let Some(table) = known
            && tables.tables[table].epoch != tables.epoch
        {
            tables.forget(table);
        }
        Ok(true)
    });
    // '$tbl_forget'(Table): fails while the table is being filled.
    m.register("$tbl_forget", 1, |m| {
        let table = m.table_arg()?;
        Ok(m.program.tables.forget(table))
    });
    // '$tbl_status'(Goal, Status): complete or incomplete; fails if there is no table.
    m.register("$tbl_status", 2, |m| {
        let Some(table) = m.table_of(m.control.x[0])? else {
            return Ok(false);
        };
        let complete = m.program.tables.tables[table].status == Status::Complete;
        let name = if complete { "complete" } else { "incomplete" };
        let name = Cell::atom(m.mem.atoms.intern(name));
        m.unify_result(m.control.x[1], name)
    });
    // '$tbl_all'(List): `Goal-Table` for every table.
    m.register("$tbl_all", 1, |m| {
        let mut items = Vec::new();
        for number in 0..m.program.tables.tables.len() {
            let table = &m.program.tables.tables[number];
            if table.form.is_empty() {
                continue;
            }
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
    // Fails while an evaluation is under way.
    m.register("$tbl_abolish", 0, |m| {
        let idle = m.program.tables.stack.is_empty();
        if idle {
            m.program.tables = Tables::default();
        }
        Ok(idle)
    });
}

fn enter(m: &mut Machine) -> Res {
    let form = m.form_of(m.control.x[0])?;
    let known = m.program.tables.variants.get(&form[..]).copied();
    let (table, evaluate) = match known {
        Some(table) => match m.program.tables.tables[table].status {
            Status::Complete => (table, false),
            Status::Active => {
                m.program.tables.depend(table);
                (table, false)
            }
            Status::Waiting(leader) => {
                m.program.tables.depend(leader);
                (table, false)
            }
            Status::Reopened => (table, true),
        },
        None => {
            let table = m.program.tables.tables.len();
            let goal = m.flatten(m.control.x[0], false);
            let epoch = m.program.tables.epoch;
            let kept: Form = form[..].into();
            m.program.tables.variants.insert(kept.clone(), table);
            m.program.tables.open.push(table);
            m.program.tables.tables.push(Table::new(kept, goal, epoch));
            (table, true)
        }
    };
    m.put_form(form);
    if evaluate {
        debug_assert!(
            m.program.tables.open.contains(&table),
            "what is evaluated is not complete"
        );
        m.program.tables.tables[table].status = Status::Active;
        m.program.tables.stack.push(Evaluation {
            table,
            leader: table,
            met: false,
        });
    }
    let said = Cell::atom(if evaluate { atom::TRUE } else { atom::FALSE });
    Ok(m.unify(m.control.x[1], Cell::small(table as i64)) && m.unify(m.control.x[2], said))
}

fn answer(m: &mut Machine, state: u64) -> Result<More, PErr> {
    let table = m.table_arg()?;
    let goal = m.control.x[1];
    let mut at = state as usize;
    while at < m.program.tables.tables[table].answers.len() {
        let (mark, top) = (m.mem.tr, m.mem.h);
        let term = m.table_answer(table, at)?;
        at += 1;
        let Some(term) = term else { continue };
        if m.unify(goal, term) {
            let kept = &m.program.tables.tables[table];
            let last = kept.status == Status::Complete && at >= kept.answers.len();
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

fn again(m: &mut Machine) -> Res {
    let table = m.table_arg()?;
    let before = m.int_arg(1)?;
    let tables = &mut m.program.tables;
    let Some(top) = tables.stack.last() else {
        return Ok(false);
    };
    if top.leader != table || !top.met || tables.changes == before as u64 {
        return Ok(false);
    }
    for &open in tables.open.iter().rev().take_while(|&&open| open > table) {
        tables.tables[open].status = Status::Reopened;
    }
    Ok(true)
}

/// The evaluation of a table is done: it waits for its leader, or it is complete with all that waited for it.
fn leave(tables: &mut Tables, table: usize) {
    let Some(done) = tables.stack.pop() else {
        return;
    };
    debug_assert_eq!(done.table, table, "evaluations end in the order they began");
    debug_assert!(
        done.leader <= table,
        "a leader is no younger than its table"
    );
    if done.leader < table {
        tables.tables[table].status = Status::Waiting(done.leader);
        tables.depend(done.leader);
        return;
    }
    while let Some(&open) = tables.open.last()
        && open >= table
    {
        tables.open.pop();
        tables.tables[open].status = Status::Complete;
        tables.tables[open].close();
    }
}
