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
use crate::machine::{Machine, Res};
use stet_base::FastMap;
use stet_prolog::atom;

/// A term up to the names of its variables.
type Form = Box<[u64]>;

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
    /// Answers in the order found; `None` was replaced by a later one.
    answers: Vec<Option<Flat>>,
    found: FastMap<Form, usize>,
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
    /// Answers added or replaced so far.
    changes: u64,
    /// The words they take.
    words: usize,
}

impl Tables {
    /// The newest evaluation led to this table.
    fn depend(&mut self, table: usize) {
        if let Some(top) = self.stack.last_mut() {
            top.leader = top.leader.min(table);
            top.met |= top.table == table;
        }
    }

    /// Forgets the tables whose evaluation was left by an exception, from this one on.
    fn abandon(&mut self, from: usize) {
        self.stack.retain(|entry| entry.table < from);
        while let Some(&table) = self.open.last()
            && table >= from
        {
            self.open.pop();
            self.variants.remove(&self.tables[table].form);
            let dead = &mut self.tables[table];
            dead.answers = Vec::new();
            dead.found = FastMap::default();
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
        self.tables.iter().flat_map(|table| {
            let answers = table.answers.iter().flatten().map(|flat| &flat.words[..]);
            answers.chain([&table.goal.words[..], &table.form[..]])
        })
    }

    /// The memory answers take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words * 8
    }
}

impl Machine {
    /// The canonical form of a term.
    fn form_of(&mut self, term: Cell) -> Result<Form, PErr> {
        if self.mem.may_be_cyclic(term) && !self.mem.is_acyclic(term) {
            let expected = self.mem.atoms.intern("acyclic_term");
            return Err(self.mem.type_error_strict(expected, term));
        }
        let mut form = Vec::with_capacity(8);
        let mut variables: Vec<Cell> = Vec::new();
        let mut rest = vec![term];
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
                REF | ATT => {
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
        self.charge(form.len());
        Ok(form.into())
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
        let table = m.table_arg()?;
        let form = m.form_of(m.control.x[1])?;
        if m.program.tables.tables[table].found.contains_key(&form) {
            return Ok(false);
        }
        let flat = m.flatten(m.control.x[1], false);
        m.program.tables.words += form.len() + flat.words.len() + 12;
        let table = &mut m.program.tables.tables[table];
        table.found.insert(form, table.answers.len());
        table.answers.push(Some(flat));
        m.program.tables.changes += 1;
        Ok(true)
    });
    // '$tbl_find'(Table, Key, Answer): the answer kept under a key.
    m.register("$tbl_find", 3, |m| {
        let table = m.table_arg()?;
        let form = m.form_of(m.control.x[1])?;
        let table = &m.program.tables.tables[table];
        let Some(flat) = table
            .found
            .get(&form)
            .and_then(|&at| table.answers[at].clone())
        else {
            return Ok(false);
        };
        let answer = m.unflatten(&flat)?;
        m.unify_result(m.control.x[2], answer)
    });
    // '$tbl_put'(Table, Key, Answer): keeps an answer under a key instead of the one before.
    m.register("$tbl_put", 3, |m| {
        let table = m.table_arg()?;
        let form = m.form_of(m.control.x[1])?;
        let flat = m.flatten(m.control.x[2], false);
        m.program.tables.words += form.len() + flat.words.len() + 12;
        let table = &mut m.program.tables.tables[table];
        let at = table.answers.len();
        table.answers.push(Some(flat));
        if let Some(old) = table.found.insert(form, at) {
            table.answers[old] = None;
        }
        m.program.tables.changes += 1;
        Ok(true)
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
    // '$tbl_status'(Goal, Status): complete or incomplete; fails if there is no table.
    m.register("$tbl_status", 2, |m| {
        let form = m.form_of(m.control.x[0])?;
        let Some(&table) = m.program.tables.variants.get(&form) else {
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
    let known = m.program.tables.variants.get(&form).copied();
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
            m.program.tables.variants.insert(form.clone(), table);
            m.program.tables.open.push(table);
            m.program.tables.tables.push(Table {
                form,
                goal,
                status: Status::Active,
                answers: Vec::new(),
                found: FastMap::default(),
            });
            (table, true)
        }
    };
    if evaluate {
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
    while let Some(found) = m.program.tables.tables[table].answers.get(at) {
        at += 1;
        let Some(flat) = found.clone() else { continue };
        let (mark, top) = (m.mem.tr, m.mem.h);
        let term = m.unflatten(&flat)?;
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
        tables.tables[open].answers.shrink_to_fit();
        tables.tables[open].found = FastMap::default();
    }
}
