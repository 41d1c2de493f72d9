//! Adding, finding and removing clauses.

use crate::cell::*;
use crate::code::Op;
use crate::database::{Kind, More, PredId};
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::memory::Memory;
use stet_prolog::{Atom, atom};

/// States of iteration are `(predicate + 1) << 37 | (sequence number + 2^36)`; the machine recognises the
/// predicate in choice points before it removes erased clauses.
/// How the names of files that are libraries start.
const LIBRARY_FILE: &str = "library:";
const SEQ_BITS: u32 = 37;
const SEQ_BIAS: i64 = 1 << 36;

pub(super) fn register(m: &mut Machine) {
    m.register("assertz", 1, |m| assert(m, true));
    m.register("assert", 1, |m| assert(m, true));
    m.register("asserta", 1, |m| assert(m, false));
    m.register("assertz", 2, |m| assert_ref(m, true));
    m.register("assert", 2, |m| assert_ref(m, true));
    m.register("asserta", 2, |m| assert_ref(m, false));
    m.register("erase", 1, |m| {
        let reference = m.arg(0);
        match m.clause_number(reference)? {
            Some(number) => Ok(m.erase_clause(number)),
            None => Ok(false),
        }
    });
    m.register_nondet("clause", 2, clause);
    // '$clause_ref'(Head, Body, Reference)
    m.register_nondet("$clause_ref", 3, |m, state| {
        clause_with(m, state, |m, number| {
            let reference = m.clause_reference(number);
            m.unify(m.control.x[2], reference)
        })
    });
    // '$clause_of'(Reference, Module, Head, Body)
    m.register("$clause_of", 4, |m| {
        let reference = m.arg(0);
        let Some(number) = m.clause_number(reference)? else {
            return Ok(false);
        };
        let Some(pred) = m.program.db.clause(number).map(|clause| clause.pred) else {
            return Ok(false);
        };
        let module = m.program.db.pred(pred).module;
        match m.clause_term(number)? {
            Some((head, body)) => Ok(m.unify(m.control.x[1], Cell::atom(module))
                && m.unify(m.control.x[2], head)
                && m.unify(m.control.x[3], body)),
            None => Ok(false),
        }
    });
    m.register("$is_reference", 1, |m| {
        let reference = m.arg(0);
        Ok(m.clause_number(reference).is_ok())
    });
    m.register_nondet("retract", 1, retract);
    m.register("retractall", 1, retractall);
    m.register("abolish", 1, abolish);
    m.register("$add_clause", 2, add_loaded_clause);
    // '$erase_last_clause'(Module:Name/Arity)
    m.register("$erase_last_clause", 1, |m| {
        let (module, name, arity) = m.mem.indicator_of(m.control.x[0])?;
        let id = m.pred_id(module, name, arity);
        let last = m.program.db.pred(id).clauses.back();
        let number = last.map(|&(_, number)| number);
        Ok(number.is_none_or(|number| m.erase_clause(number)))
    });
    m.register("$erase_all", 1, |m| {
        let (module, name, arity) = m.mem.indicator_of(m.control.x[0])?;
        let id = m.pred_id(module, name, arity);
        m.wipe_pred(id);
        Ok(true)
    });
}

impl Memory {
    /// Splits a clause into module, head and body. A body is about the module the clause is written in, even if the
    /// head is one of another module; it is then qualified.
    pub(crate) fn split_clause(
        &mut self,
        module: Atom,
        clause: Cell,
    ) -> Result<(Atom, Cell, Cell), PErr> {
        let (written, clause) = self.strip_module_in(module, clause)?;
        let mut module = written;
        if clause.is_var() {
            return Err(self.instantiation_error());
        }
        let (head, body) = match self.structure(clause, atom::NECK, 2) {
            Some(args) => (self.at(args), self.at(args + 1)),
            None => (clause, Cell::atom(atom::TRUE)),
        };
        let mut head = head;
        let mut steps = 0;
        while let Some(args) = self.structure(head, atom::COLON, 2) {
            self.count_qualifier(&mut steps, head)?;
            let qualifier = self.at(args);
            module = self.atom_of(qualifier)?;
            head = self.at(args + 1);
        }
        if head.is_var() {
            return Err(self.instantiation_error());
        }
        if !self.is_callable(head) {
            return Err(self.type_error(atom::CALLABLE, head));
        }
        let body = self.deref(body);
        if module == written
            || body.is_atom(atom::TRUE)
            || !body.is_var() && !self.is_callable(body)
        {
            return Ok((module, head, body));
        }
        self.need(4)?;
        let body = self.new_term(atom::COLON, &[Cell::atom(written), body]);
        Ok((module, head, body))
    }
}

impl Machine {
    /// The term that refers to a clause; its sequence number makes a stale one harmless.
    fn clause_reference(&mut self, number: u32) -> Cell {
        let seq = self
            .program
            .db
            .clause(number)
            .map_or(0, |clause| clause.seq);
        let args = [Cell::small(i64::from(number)), Cell::small(seq)];
        self.mem.new_term(atom::CLAUSE_REF, &args)
    }

    /// The clause a reference means, if it still exists.
    fn clause_number(&mut self, reference: Cell) -> Result<Option<u32>, PErr> {
        let Some(args) = self.mem.structure(reference, atom::CLAUSE_REF, 2) else {
            return Err(self.mem.type_error_strict(atom::CLAUSE_REF, reference));
        };
        let (number, seq) = (
            self.mem.at(args).small_value() as u32,
            self.mem.at(args + 1),
        );
        let clause = self.program.db.clause(number);
        let same = clause.is_some_and(|c| c.seq == seq.small_value() && c.died == u64::MAX);
        Ok(same.then_some(number))
    }

    /// The predicate a goal of the module would call.
    fn seen_pred(&mut self, module: Atom, head: Cell) -> PredId {
        let (name, arity, _) = self.mem.callable(head).unwrap_or((atom::NIL, 0, 0));
        match self.program.resolve(module, name, arity) {
            Some(id) => id,
            None => self.pred_id(module, name, arity),
        }
    }

    /// The predicate whose clauses change: the module's own, or one it imports by name; what it only sees through import
    /// modules such as `user` stays as it is.
    fn own_pred(&mut self, module: Atom, head: Cell) -> PredId {
        let (name, arity, _) = self.mem.callable(head).unwrap_or((atom::NIL, 0, 0));
        let own = self.program.db.find(module, name, arity);
        if let Some(id) = own.filter(|&id| self.program.db.is_defined(id)) {
            return id;
        }
        let functor = Cell::functor(name, arity).0;
        let imports = self.program.db.modules.get(&module);
        let imported = imports.is_some_and(|found| found.imports.contains_key(&functor));
        match self.program.resolve(module, name, arity) {
            Some(id) if imported || self.program.db.pred(id).core => id,
            _ => self.pred_id(module, name, arity),
        }
    }

    /// Compiles and adds a clause of a dynamic predicate.
    pub(crate) fn assert_clause(&mut self, clause: Cell, at_end: bool) -> Result<u32, PErr> {
        let (module, head, body) = self.mem.split_clause(atom::USER, clause)?;
        let id = self.own_pred(module, head);
        if self.program.db.pred(id).core && self.program.db.pred(id).kind != Kind::Dynamic {
            return Err(self.cannot_modify(id));
        }
        // A rule with `=>` is made by the loader only. Facts of that name are data if they are declared so.
        let is_rule = self.mem.structure(head, atom::IMPLIES, 2).is_some();
        if is_rule && self.program.db.pred(id).kind != Kind::Dynamic {
            return Err(self.cannot_modify(id));
        }
        self.check_modifiable(id)?;
        if !body.is_var() && !self.mem.is_callable(body) {
            return Err(self.mem.type_error(atom::CALLABLE, body));
        }
        self.make_dynamic(id)?;
        let mut data = self.compile_clause(module, id, head, body)?;
        if !data.flat {
            data.term = Some(Box::new(self.flatten_clause(head, body)));
        }
        Ok(self.add_clause(data, at_end))
    }

    /// The head and body of a stored clause, on the heap.
    fn clause_term(&mut self, number: u32) -> Result<Option<(Cell, Cell)>, PErr> {
        if let Some(head) = self.flat_fact(number)? {
            return Ok(Some((head, Cell::atom(atom::TRUE))));
        }
        // The term is lent for the time it is copied.
        let Some(flat) = self.program.db.take_term(number) else {
            return Ok(None);
        };
        let term = self.unflatten(&flat);
        self.program.db.put_term(number, flat);
        let term = term?;
        let args = self.mem.structure(term, atom::NECK, 2).unwrap_or(0);
        Ok(Some((self.mem.at(args), self.mem.at(args + 1))))
    }
}

fn assert(m: &mut Machine, at_end: bool) -> Res {
    let clause = m.arg(0);
    m.assert_clause(clause, at_end)?;
    Ok(true)
}

fn assert_ref(m: &mut Machine, at_end: bool) -> Res {
    let clause = m.arg(0);
    let number = m.assert_clause(clause, at_end)?;
    let reference = m.clause_reference(number);
    m.unify_result(m.control.x[1], reference)
}

/// Goes through the clauses of a predicate; `accept` says whether a clause is an answer.
fn iterate(
    m: &mut Machine,
    id: PredId,
    head: Cell,
    body: Cell,
    state: u64,
    accept: fn(&mut Machine, u32) -> bool,
) -> Result<More, PErr> {
    let pattern = m.pattern_of_head(head);
    // The indexes of static predicates belong to their code.
    if m.program.db.pred(id).kind == Kind::Dynamic {
        m.program.improve_index(id, &pattern);
    }
    // The logical view: clauses added after the first call have larger sequence numbers (or, with
    // asserta, smaller ones than where we are).
    let mut from = match state {
        0 => i64::MIN,
        _ => (state & ((1 << SEQ_BITS) - 1)) as i64 - SEQ_BIAS,
    };
    let generation = if state == 0 {
        m.program.db.generation
    } else {
        let count = m
            .mem
            .choice
            .get(m.control.b + crate::machine::choice::COUNT) as usize;
        m.mem
            .choice
            .cell(m.control.b + crate::machine::choice::ARGS + count - 2)
            .small_value() as u64
            >> 16
    };
    if state == 0 {
        remember_generation(m, generation);
    }
    loop {
        let Some((number, next)) = m.program.matching_clauses(id, &pattern, from, generation)
        else {
            return Ok(More::Fail);
        };
        let mark = m.mem.tr;
        let heap = m.mem.h;
        if let Some((h, b)) = m.clause_term(number)? {
            if m.unify(head, h) && m.unify(body, b) && accept(m, number) {
                return Ok(match next {
                    None => More::Last,
                    Some(seq) => {
                        let seq = (seq + SEQ_BIAS) as u64;
                        More::State((u64::from(id) + 1) << SEQ_BITS | seq)
                    }
                });
            }
            m.mem.undo_to(mark);
            m.mem.h = heap;
        }
        match next {
            Some(seq) => from = seq,
            None => return Ok(More::Fail),
        }
    }
}

/// Keeps the generation of the call beside the number of the builtin in its choice point.
fn remember_generation(m: &mut Machine, generation: u64) {
    let count = m
        .mem
        .choice
        .get(m.control.b + crate::machine::choice::COUNT) as usize;
    let at = m.control.b + crate::machine::choice::ARGS + count - 2;
    let number = m.mem.choice.cell(at).small_value() & 0xffff;
    m.mem
        .choice
        .put(at, Cell::small((generation as i64) << 16 | number));
}

fn clause(m: &mut Machine, state: u64) -> Result<More, PErr> {
    clause_with(m, state, |_, _| true)
}

fn clause_with(
    m: &mut Machine,
    state: u64,
    accept: fn(&mut Machine, u32) -> bool,
) -> Result<More, PErr> {
    let (module, head) = {
        let cell = m.control.x[0];
        m.mem.strip_module(cell)?
    };
    if head.is_var() {
        return Err(m.mem.instantiation_error());
    }
    if !m.mem.is_callable(head) {
        return Err(m.mem.type_error(atom::CALLABLE, head));
    }
    let body = m.arg(1);
    if !body.is_var() && !m.mem.is_callable(body) {
        return Err(m.mem.type_error(atom::CALLABLE, body));
    }
    let id = m.seen_pred(module, head);
    match m.program.db.pred(id).kind {
        Kind::Dynamic => {}
        Kind::Undefined => return Ok(More::Fail),
        Kind::Static if m.shows_static(id) => {}
        _ => {
            let pred = m.program.db.pred(id);
            let (module, name, arity) = (pred.module, pred.name, pred.arity);
            let indicator = m.mem.indicator(module, name, arity);
            return Err(m
                .mem
                .permission_error(atom::ACCESS, atom::PRIVATE_PROCEDURE, indicator));
        }
    }
    iterate(m, id, head, body, state, accept)
}

fn retract(m: &mut Machine, state: u64) -> Result<More, PErr> {
    let clause = m.control.x[0];
    let (module, head, body) = m.mem.split_clause(atom::USER, clause)?;
    let id = m.own_pred(module, head);
    match m.program.db.pred(id).kind {
        Kind::Dynamic => {}
        Kind::Undefined => return Ok(More::Fail),
        _ => return Err(m.cannot_modify(id)),
    }
    // What was erased since the call started is still an answer: the logical view.
    iterate(m, id, head, body, state, |m, number| {
        m.erase_clause(number);
        true
    })
}

fn retractall(m: &mut Machine) -> Res {
    let (module, head) = {
        let cell = m.control.x[0];
        m.mem.strip_module(cell)?
    };
    if head.is_var() {
        return Err(m.mem.instantiation_error());
    }
    if !m.mem.is_callable(head) {
        return Err(m.mem.type_error(atom::CALLABLE, head));
    }
    let id = m.own_pred(module, head);
    match m.program.db.pred(id).kind {
        Kind::Dynamic => {}
        Kind::Undefined => {
            m.make_dynamic(id)?;
            return Ok(true);
        }
        Kind::Static if m.program.db.pred(id).clauses.is_empty() => {
            m.make_dynamic(id)?;
            return Ok(true);
        }
        _ => return Err(m.cannot_modify(id)),
    }
    let pattern = m.pattern_of_head(head);
    m.program.improve_index(id, &pattern);
    let generation = m.program.db.generation;
    let mut from = i64::MIN;
    let mut victims = Vec::new();
    while let Some((number, next)) = m.program.matching_clauses(id, &pattern, from, generation) {
        let mark = m.mem.tr;
        let (heap, hb, pending) = (m.mem.h, m.mem.hb, m.control.pending);
        m.mem.hb = m.mem.h;
        if let Some((h, _)) = m.clause_term(number)? {
            if m.unify(head, h) {
                victims.push(number);
            }
        }
        m.mem.undo_to(mark);
        m.mem.h = heap;
        m.mem.hb = hb;
        m.control.pending = pending;
        match next {
            Some(seq) => from = seq,
            None => break,
        }
    }
    for number in victims {
        m.erase_clause(number);
    }
    Ok(true)
}

fn abolish(m: &mut Machine) -> Res {
    let (module, name, arity) = m.mem.indicator_of(m.control.x[0])?;
    let Some(id) = m.program.db.find(module, name, arity) else {
        return match m.program.resolve(module, name, arity) {
            Some(id) if m.program.db.pred(id).core => Err(m.cannot_modify(id)),
            _ => Ok(true),
        };
    };
    match m.program.db.pred(id).kind {
        Kind::Dynamic => {
            m.wipe_pred(id);
            m.program.db.pred_mut(id).kind = Kind::Undefined;
            m.program.set_stub(id, Op::Undefined, id);
            Ok(true)
        }
        Kind::Undefined => match m.program.resolve(module, name, arity) {
            Some(other) if m.program.db.pred(other).core => Err(m.cannot_modify(other)),
            _ => Ok(true),
        },
        _ => Err(m.cannot_modify(id)),
    }
}

/// `'$add_clause'(Clause, Note)`: a clause of the file being loaded; `[]`, or what is strange about it.
fn add_loaded_clause(m: &mut Machine) -> Res {
    let clause = m.arg(0);
    let source = m.loader.source_module();
    let (module, head, body) = m.mem.split_clause(source, clause)?;
    let (name, arity, _) = m.mem.callable(head).unwrap_or((atom::NIL, 0, 0));
    if let Some(system) = m.program.db.find(atom::SYSTEM, name, arity) {
        let protected = m.program.db.is_defined(system)
            && m.program.db.pred(system).core
            && m.is_protected(system);
        if protected && module != atom::SYSTEM {
            return Err(m.cannot_modify(system));
        }
    }
    let id = m.pred_id(module, name, arity);
    m.check_modifiable(id)?;
    let note = m.begin_definition(id);
    if !body.is_var() && !m.mem.is_callable(body) {
        return Err(m.mem.type_error(atom::CALLABLE, body));
    }
    let mut data = m.compile_clause(module, id, head, body)?;
    if m.watch.coverage.is_some() {
        data.code = m.counting_entry(id, data.code)?;
        data.len = 2;
        data.flat = false;
    }
    if !data.flat && (m.program.db.pred(id).kind == Kind::Dynamic || m.shows_static(id)) {
        data.term = Some(Box::new(m.flatten_clause(head, body)));
    }
    data.line = m.loader.files.frames.last().map_or(0, |frame| frame.line);
    let number = m.add_clause(data, true);
    m.record_clause((id, number), module, head, body);
    m.unify_result(m.control.x[1], note)
}

impl Machine {
    /// Whether `clause/2` shows the clauses of a static predicate: programs that interpret programs want to see them.
    /// Those of libraries and of the system are not kept, and the flags `iso` and `protect_static_code` hide all.
    fn shows_static(&self, id: PredId) -> bool {
        let pred = self.program.db.pred(id);
        let from_library = |file: Atom| self.mem.atom_text(file).starts_with(LIBRARY_FILE);
        !pred.core
            && pred.file.is_some_and(|file| !from_library(file))
            && !self.loader.read_flags.iso
            && self.loader.flag_atom(atom::PROTECT_STATIC_CODE) != Some(atom::TRUE)
    }

    /// Control constructs and ISO builtins may not be redefined; library-like builtins may.
    fn is_protected(&self, id: PredId) -> bool {
        let pred = self.program.db.pred(id);
        match pred.kind {
            Kind::Special => true,
            Kind::Builtin(_) | Kind::Nondet(_) => ISO.contains(&self.mem.atom_text(pred.name)),
            _ => {
                matches!(
                    self.mem.atom_text(pred.name),
                    "findall" | "bagof" | "setof" | "once" | "\\+"
                ) || matches!(pred.name, atom::COMMA | atom::SEMICOLON | atom::ARROW)
            }
        }
    }

    /// Whether the file being loaded may still define a predicate that is the system's so far.
    pub(crate) fn may_be_shadowed(&self, module: Atom, id: PredId) -> bool {
        let frame = self.loader.files.frames.last();
        module != atom::SYSTEM
            && frame.is_some_and(|frame| frame.shadowing.contains(&self.program.db.pred(id).name))
            && !self.is_protected(id)
    }

    /// The first clause a file gives for a predicate replaces what other files said.
    fn begin_definition(&mut self, id: PredId) -> Cell {
        let nothing = Cell::atom(atom::NIL);
        let Some(frame) = self.loader.files.frames.last_mut() else {
            return nothing;
        };
        let file = frame.file;
        let before = frame.last.replace(id);
        if !frame.defined.insert(id) {
            let apart = before != Some(id) && !self.program.db.pred(id).discontiguous;
            if apart && frame.warned.insert(id) && !self.program.db.pred(id).multifile {
                return self.note_about("discontiguous_clauses", id, None);
            }
            return nothing;
        }
        let pred = self.program.db.pred_mut(id);
        let other_file = pred.file.replace(file);
        if pred.multifile || pred.kind == Kind::Dynamic && other_file.is_none() {
            return nothing;
        }
        let was_defined = !pred.clauses.is_empty();
        if was_defined {
            self.wipe_pred(id);
        }
        match other_file {
            Some(other) if was_defined && other != file => {
                self.note_about("redefined", id, Some(other))
            }
            _ => nothing,
        }
    }

    fn note_about(&mut self, what: &str, id: PredId, file: Option<Atom>) -> Cell {
        let pred = self.program.db.pred(id);
        let (module, name, arity) = (pred.module, pred.name, pred.arity);
        let indicator = self.mem.indicator(module, name, arity);
        let what = self.mem.atoms.intern(what);
        match file {
            Some(file) => self.mem.new_term(what, &[indicator, Cell::atom(file)]),
            None => self.mem.new_term(what, &[indicator]),
        }
    }
}

/// Builtins of the standard.
const ISO: &[&str] = &[
    "true",
    "fail",
    "call",
    "!",
    ",",
    ";",
    "->",
    "catch",
    "throw",
    "=",
    "\\=",
    "unify_with_occurs_check",
    "var",
    "nonvar",
    "atom",
    "number",
    "atomic",
    "compound",
    "integer",
    "float",
    "callable",
    "ground",
    "@=<",
    "==",
    "\\==",
    "@<",
    "@>",
    "@>=",
    "compare",
    "functor",
    "arg",
    "=..",
    "copy_term",
    "term_variables",
    "is",
    "=:=",
    "=\\=",
    "<",
    "=<",
    ">",
    ">=",
    "clause",
    "current_predicate",
    "asserta",
    "assertz",
    "retract",
    "abolish",
    "findall",
    "bagof",
    "setof",
    "current_input",
    "current_output",
    "set_input",
    "set_output",
    "open",
    "close",
    "flush_output",
    "stream_property",
    "at_end_of_stream",
    "set_stream_position",
    "get_char",
    "peek_char",
    "put_char",
    "get_code",
    "peek_code",
    "put_code",
    "nl",
    "get_byte",
    "peek_byte",
    "put_byte",
    "read_term",
    "read",
    "write_term",
    "write",
    "writeq",
    "print",
    "write_canonical",
    "op",
    "current_op",
    "char_conversion",
    "current_char_conversion",
    "\\+",
    "once",
    "false",
    "repeat",
    "atom_length",
    "atom_concat",
    "sub_atom",
    "atom_chars",
    "atom_codes",
    "char_code",
    "number_chars",
    "number_codes",
    "set_prolog_flag",
    "current_prolog_flag",
    "halt",
    "keysort",
    "sort",
    "msort",
    "retractall",
    "subsumes_term",
    "acyclic_term",
];
