//! Predicates, clauses, modules, and the code area they live in.
//!
//! A predicate is called through its entry in the machine's entry table. The entry points to a one-word stub
//! (`Undefined`, `Link`, `Dynamic`, …), to linked clauses, or to a jump to another predicate (an import, or
//! the checked version of the predicate, see [`Machine::set_checked_entry`]). Changing the entry is how a
//! predicate changes its behaviour; callers are never recompiled.
//!
//! Clauses carry the generations in which they were born and died, which gives the logical update view: a
//! call sees the clauses of the generation in which it started.

use crate::cell::Cell;
use crate::code::{Op, word_imm};
use crate::errors::PErr;
use crate::flat::Flat;
use crate::machine::{MAX_ARITY, Machine, Res};
use crate::program::Program;
use std::collections::{BTreeMap, VecDeque};
use stet_base::FastMap;
use stet_prolog::{Atom, atom};

pub type PredId = u32;

/// What stands for predicates that there is no room for: a call of it, and a clause for it, is a resource error.
pub(crate) const NO_ROOM: PredId = 0;

pub(crate) type ClauseId = u32;

/// How many leading arguments have their keys in the clause itself.
pub(crate) const KEYS: usize = 4;
/// How many arguments of a structure in the first argument are dispatched on by code as well.
pub(crate) const INNER: usize = 3;

/// What a clause takes in the lists of its predicate, and the allocator for its term.
const BUCKET_BYTES: usize = 64;

/// A deterministic builtin: its arguments are the machine's first X registers.
pub type BuiltinFn = fn(&mut Machine) -> Res;
/// A nondeterministic builtin: called with 0 first, then with what it returned in [`More::State`].
pub type NondetFn = fn(&mut Machine, u64) -> Result<More, PErr>;

/// Whether a call of a nondeterministic builtin has at most one answer.
pub(crate) type DetTest = fn(&Machine) -> bool;

/// What a nondeterministic builtin answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    Fail,
    /// The last answer.
    Last,
    /// An answer; on backtracking call again with this state.
    State(u64),
}

/// What a predicate is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Undefined,
    /// Clauses from files.
    Static,
    /// Clauses that may come and go.
    Dynamic,
    /// A deterministic builtin.
    Builtin(u32),
    /// A nondeterministic builtin.
    Nondet(u32),
    /// An instruction of the machine.
    Special,
}

pub(crate) type Bucket = VecDeque<(i64, ClauseId)>;

pub(crate) struct Pred {
    pub(crate) module: Atom,
    pub(crate) name: Atom,
    pub(crate) arity: usize,
    pub(crate) kind: Kind,
    pub(crate) clauses: Bucket,
    /// The stub owned by this predicate: two words.
    pub(crate) stub: u32,
    /// The entry without checks.
    pub(crate) plain: u32,
    /// The predicate that runs instead while checks are on.
    pub(crate) checked: Option<PredId>,
    pub(crate) index_code: Option<(u32, u32)>,
    /// Indexes on the clauses of a dynamic predicate.
    pub(crate) indexes: crate::clause_index::Indexes,
    /// Lists of clauses of a static predicate that calls may get indexes on.
    pub(crate) chains: Vec<u32>,
    pub(crate) erased: usize,
    /// How many clauses at the front are known to be erased: new calls start behind them.
    pub(crate) dead_prefix: usize,
    pub(crate) multifile: bool,
    pub(crate) discontiguous: bool,
    /// Tables declared incremental are out of date when its clauses change.
    pub(crate) incremental: bool,
    /// Defined by the system and not to be changed.
    pub(crate) core: bool,
    pub(crate) meta: Option<Box<[Cell]>>,
    /// Its clauses run in the module of the caller (`module_transparent/1`).
    pub(crate) transparent: bool,
    /// What calls from other modules and meta-calls use instead, if they are checked in a way of their own.
    pub(crate) outside: Option<PredId>,
    /// The file that defined it, to wipe it on reload.
    pub(crate) file: Option<Atom>,
}

pub(crate) struct ClauseData {
    pub(crate) pred: PredId,
    pub(crate) code: u32,
    pub(crate) len: u32,
    pub(crate) seq: i64,
    pub(crate) born: u64,
    pub(crate) died: u64,
    pub(crate) keys: [u64; KEYS],
    /// The keys of further arguments and of arguments inside them.
    pub(crate) deep: Option<Box<[(crate::positions::Position, u64)]>>,
    /// A fact of constants and distinct variables: its code says what it is, and no term is kept.
    pub(crate) flat: bool,
    /// Whether there is more than a head.
    pub(crate) has_body: bool,
    /// Argument preserving up to a neck cut.
    pub(crate) shallow: bool,
    /// The term `Head :- Body`; kept for dynamic predicates only, unless `flat`.
    pub(crate) term: Option<Box<Flat>>,
    pub(crate) line: u32,
}

#[derive(Default)]
pub(crate) struct Module {
    pub(crate) imports: FastMap<u64, PredId>,
    pub(crate) exports: Vec<(Atom, usize)>,
    /// Everything is exported: `:- module(m, _)`.
    pub(crate) exports_all: bool,
    pub(crate) file: Option<Atom>,
    /// Modules whose predicates are seen here before those of `user` (`add_import_module/3`), first one first.
    pub(crate) parents: Vec<Atom>,
}

/// How many modules are looked through one behind the other; a circle of them ends there.
const MAX_PARENTS: usize = 16;

impl Module {
    /// Whether a predicate may be imported from here.
    pub(crate) fn is_exported(&self, name: Atom, arity: usize) -> bool {
        self.exports_all || self.exports.contains(&(name, arity))
    }
}

#[derive(Default)]
pub(crate) struct Database {
    pub(crate) preds: Vec<Pred>,
    pub(crate) by_name: FastMap<(Atom, u64), PredId>,
    /// Copies of transparent predicates, and what they were made from.
    pub(crate) copies: FastMap<PredId, crate::transparent::Stamp>,
    pub(crate) clauses: Vec<Option<ClauseData>>,
    pub(crate) free_clauses: Vec<ClauseId>,
    pub(crate) modules: FastMap<Atom, Module>,
    pub(crate) generation: u64,
    pub(crate) code_top: usize,
    pub(crate) free_code: FastMap<u32, Vec<u32>>,
    /// Code nobody can enter any more; freed when no stack refers to it.
    pub(crate) dead_code: Vec<(u32, u32)>,
    pub(crate) dead_words: usize,
    /// Long lists of clauses of static predicates, by the number in their instruction.
    pub(crate) chains: Vec<Option<crate::chains::Chain>>,
    pub(crate) builtins: Vec<(BuiltinFn, PredId)>,
    /// The code of clauses that call something: length and clause by start.
    pub(crate) bodies: BTreeMap<u32, (u32, ClauseId)>,
    pub(crate) nondets: Vec<(NondetFn, Option<DetTest>, PredId)>,
    pub(crate) next_seq: i64,
    pub(crate) first_seq: i64,
    /// The code that starts a query; 0 until it is made.
    pub(crate) query_code: usize,
    /// Words of the terms of clauses.
    pub(crate) term_words: usize,
}

impl Database {
    pub(crate) fn new() -> Self {
        Database {
            generation: 1,
            next_seq: 1,
            ..Default::default()
        }
    }

    pub(crate) fn clause(&self, id: ClauseId) -> Option<&ClauseData> {
        self.clauses.get(id as usize)?.as_ref()
    }

    /// Lends the term of a clause, to be given back with [`put_term`](Self::put_term).
    pub(crate) fn take_term(&mut self, id: ClauseId) -> Option<Flat> {
        self.clauses
            .get_mut(id as usize)?
            .as_mut()?
            .term
            .take()
            .map(|term| *term)
    }

    pub(crate) fn put_term(&mut self, id: ClauseId, term: Flat) {
        if let Some(Some(clause)) = self.clauses.get_mut(id as usize) {
            debug_assert!(clause.term.is_none(), "a term that was lent is given back");
            clause.term = Some(Box::new(term));
        }
    }

    /// The predicate if it was ever mentioned.
    pub(crate) fn find(&self, module: Atom, name: Atom, arity: usize) -> Option<PredId> {
        let key = (module, Cell::functor(name, arity).0);
        self.by_name.get(&key).copied()
    }

    pub(crate) fn pred(&self, id: PredId) -> &Pred {
        &self.preds[id as usize]
    }

    pub(crate) fn pred_mut(&mut self, id: PredId) -> &mut Pred {
        &mut self.preds[id as usize]
    }

    pub(crate) fn is_defined(&self, id: PredId) -> bool {
        self.pred(id).kind != Kind::Undefined
    }
}

impl Program {
    /// Where the next [`alloc_code`](Self::alloc_code) of this size will put the words.
    pub(crate) fn next_code(&self, len: usize) -> u32 {
        match self
            .db
            .free_code
            .get(&(len as u32))
            .and_then(|free| free.last())
        {
            Some(&start) => start,
            None => self.db.code_top as u32,
        }
    }

    /// Sets the plain entry; callers see it unless checks are on.
    pub(crate) fn set_entry(&mut self, id: PredId, address: u32) {
        if id == NO_ROOM {
            return;
        }
        self.db.pred_mut(id).plain = address;
        if self.db.pred(id).checked.is_none() {
            self.entries.set(id as usize, u64::from(address));
        }
    }

    /// Makes the stub this instruction and the entry the stub.
    pub(crate) fn set_stub(&mut self, id: PredId, op: Op, imm: u32) {
        if id == NO_ROOM {
            return;
        }
        let (stub, arity) = (self.db.pred(id).stub, self.db.pred(id).arity);
        let word = word_imm(op, arity.min(255) as u8, 0, imm);
        self.code.set(stub as usize, word);
        self.set_entry(id, stub);
    }

    /// Says when the nondeterministic builtin registered last has at most one answer.
    pub(crate) fn det_when(&mut self, is_det: DetTest) {
        if let Some(last) = self.db.nondets.last_mut() {
            last.1 = Some(is_det);
        }
    }

    /// The predicate that a call of `name/arity` from `module` reaches now, if it is defined.
    pub(crate) fn resolve(&self, module: Atom, name: Atom, arity: usize) -> Option<PredId> {
        let functor = Cell::functor(name, arity).0;
        if let Some(id) = self.resolve_own(module, name, arity, MAX_PARENTS) {
            return Some(id);
        }
        for default in [atom::USER, atom::SYSTEM] {
            if let Some(id) = self.db.find(default, name, arity) {
                if self.db.is_defined(id) {
                    return Some(id);
                }
            }
            if default == atom::USER && module != atom::USER {
                if let Some(&id) = self
                    .db
                    .modules
                    .get(&atom::USER)
                    .and_then(|user| user.imports.get(&functor))
                {
                    if self.db.is_defined(id) {
                        return Some(id);
                    }
                }
            }
        }
        None
    }

    /// What a module defines, imports, or sees in its import modules.
    fn resolve_own(&self, module: Atom, name: Atom, arity: usize, depth: usize) -> Option<PredId> {
        let functor = Cell::functor(name, arity).0;
        if let Some(id) = self.db.find(module, name, arity) {
            if self.db.is_defined(id) {
                return Some(id);
            }
        }
        if let Some(found) = self.db.modules.get(&module) {
            if let Some(&id) = found.imports.get(&functor) {
                if self.db.is_defined(id) {
                    return Some(id);
                }
                let target = self.db.pred(id);
                if target.module != module {
                    return self.resolve(target.module, name, arity).or(Some(id));
                }
            }
        }
        let parents = &self.db.modules.get(&module)?.parents;
        let depth = depth.checked_sub(1)?;
        parents
            .iter()
            .find_map(|&parent| self.resolve_own(parent, name, arity, depth))
    }

    /// Whether a predicate is declared to take goals.
    pub(crate) fn has_goal_arguments(&self, id: PredId) -> bool {
        let meta = self.db.pred(id).meta.as_ref();
        meta.is_some_and(|specs| specs.iter().any(|&spec| crate::calls::is_goal_spec(spec)))
    }
}

impl Machine {
    /// Reserves code words; `None` if the code area is full.
    pub(crate) fn alloc_code(&mut self, words: &[u64]) -> Result<u32, PErr> {
        let len = words.len();
        if let Some(start) = self
            .program
            .db
            .free_code
            .get_mut(&(len as u32))
            .and_then(Vec::pop)
        {
            debug_assert!(
                start as usize + len <= self.program.db.code_top,
                "code that was freed is in the code area"
            );
            let at = start as usize;
            self.program
                .code
                .slice_mut(at, at + len)
                .copy_from_slice(words);
            self.control.liveness.clear();
            return Ok(start);
        }
        let at = self.program.db.code_top;
        if at + len >= self.program.code.capacity() {
            return Err(self.mem.resource_error(atom::MEMORY));
        }
        self.program
            .code
            .slice_mut(at, at + len)
            .copy_from_slice(words);
        self.program.db.code_top = at + len;
        Ok(at as u32)
    }

    /// Gives code back once no stack refers to it.
    pub(crate) fn retire_code(&mut self, start: u32, len: u32) {
        debug_assert!(
            (start + len) as usize <= self.program.db.code_top,
            "what is retired was allocated"
        );
        self.program.db.dead_code.push((start, len));
        self.program.db.dead_words += len as usize;
        if self.program.db.dead_words > 1 << 20 {
            self.mem.soft_limit = 0;
        }
    }

    /// Makes [`NO_ROOM`], the first predicate of all.
    pub(crate) fn make_no_room(&mut self) {
        let name = self.mem.atoms.intern("$no_room");
        let id = self.pred_id(atom::SYSTEM, name, 0);
        debug_assert_eq!(id, NO_ROOM, "it is made before all others");
        self.program.db.pred_mut(id).kind = Kind::Special;
        self.program.db.pred_mut(id).core = true;
    }

    /// The predicate `module:name/arity`, made on first mention; [`NO_ROOM`] if there are too many.
    pub(crate) fn pred_id(&mut self, module: Atom, name: Atom, arity: usize) -> PredId {
        let key = (module, Cell::functor(name, arity).0);
        if let Some(&id) = self.program.db.by_name.get(&key) {
            return id;
        }
        let id = self.program.db.preds.len() as PredId;
        let words = [
            word_imm(Op::Undefined, 0, 0, id),
            word_imm(Op::ExecutePlain, 0, 0, id),
        ];
        // Entries are read and written without a check of bounds.
        if id as usize >= self.program.entries.capacity() {
            return NO_ROOM;
        }
        let Ok(stub) = self.alloc_code(&words) else {
            return NO_ROOM;
        };
        debug_assert!(arity <= crate::cell::MAX_SIZE, "an arity fits its functor");
        self.program.db.preds.push(Pred {
            module,
            name,
            arity,
            kind: Kind::Undefined,
            clauses: Bucket::new(),
            stub,
            plain: stub,
            checked: None,
            index_code: None,
            indexes: Default::default(),
            chains: Vec::new(),
            erased: 0,
            dead_prefix: 0,
            multifile: false,
            discontiguous: false,
            incremental: false,
            core: false,
            meta: None,
            transparent: false,
            outside: None,
            file: None,
        });
        self.program.db.by_name.insert(key, id);
        self.program.entries.set(id as usize, u64::from(stub));
        id
    }

    /// Switches a predicate between its plain code (`None`) and another predicate of the same arity that
    /// runs in its place, for example one that checks its assertions. No code is recompiled. The other
    /// predicate reaches the plain code through [`Machine::plain_alias`].
    pub fn set_checked_entry(&mut self, id: PredId, checked: Option<PredId>) {
        if id == NO_ROOM {
            return;
        }
        debug_assert!(
            checked.is_none_or(|other| {
                other != id && self.program.db.pred(other).arity == self.program.db.pred(id).arity
            }),
            "a predicate of the same arity runs in its place"
        );
        self.program.db.pred_mut(id).checked = checked;
        match checked {
            None => {
                let plain = self.program.db.pred(id).plain;
                self.program.entries.set(id as usize, u64::from(plain));
            }
            Some(other) => {
                let word = [word_imm(Op::Execute, 0, 0, other)];
                if let Ok(address) = self.alloc_code(&word) {
                    self.program.entries.set(id as usize, u64::from(address));
                }
            }
        }
    }

    /// A predicate named `name` that always runs the plain code of `id`.
    pub fn plain_alias(&mut self, id: PredId, name: Atom) -> PredId {
        let (module, arity) = (
            self.program.db.pred(id).module,
            self.program.db.pred(id).arity,
        );
        let alias = self.pred_id(module, name, arity);
        let stub = self.program.db.pred(id).stub;
        debug_assert_eq!(self.program.db.pred(NO_ROOM).kind, Kind::Special);
        self.program.db.pred_mut(alias).kind = Kind::Special;
        self.program.set_entry(alias, stub + 1);
        alias
    }

    /// Registers a deterministic builtin in module `system`.
    pub fn register(&mut self, name: &str, arity: usize, function: BuiltinFn) -> PredId {
        let name = self.mem.atoms.intern(name);
        let id = self.pred_id(atom::SYSTEM, name, arity);
        let number = self.program.db.builtins.len() as u32;
        self.program.db.builtins.push((function, id));
        self.program.db.pred_mut(id).kind = Kind::Builtin(number);
        self.program.db.pred_mut(id).core = true;
        self.program.set_stub(id, Op::BuiltinPred, number);
        id
    }

    /// Registers a nondeterministic builtin in module `system`.
    pub fn register_nondet(&mut self, name: &str, arity: usize, function: NondetFn) -> PredId {
        let name = self.mem.atoms.intern(name);
        let id = self.pred_id(atom::SYSTEM, name, arity);
        let number = self.program.db.nondets.len() as u32;
        self.program.db.nondets.push((function, None, id));
        self.program.db.pred_mut(id).kind = Kind::Nondet(number);
        self.program.db.pred_mut(id).core = true;
        self.program.set_stub(id, Op::NondetPred, number);
        id
    }

    /// Makes an undefined predicate run the one its name resolves to; false if there is none.
    pub(crate) fn link_import(&mut self, id: PredId) -> bool {
        let (module, name, arity) = {
            let pred = self.program.db.pred(id);
            (pred.module, pred.name, pred.arity)
        };
        match self.program.resolve(module, name, arity) {
            Some(target) if target != id => {
                let outside = self.program.db.pred(target).outside.unwrap_or(target);
                let execute = word_imm(Op::Execute, 0, 0, outside);
                let goals = self.program.has_goal_arguments(target);
                let allocated = if goals {
                    // The caller's module is known here and nowhere else.
                    self.program.db.pred_mut(id).meta = self.program.db.pred(target).meta.clone();
                    self.alloc_code(&[word_imm(Op::QualifyMeta, 0, 0, id), execute])
                } else {
                    self.alloc_code(&[execute])
                };
                if let Ok(address) = allocated {
                    self.program.set_entry(id, address);
                }
                true
            }
            _ => false,
        }
    }

    /// Makes the predicate dynamic (if it is not defined otherwise).
    pub(crate) fn make_dynamic(&mut self, id: PredId) -> Result<(), PErr> {
        match self.program.db.pred(id).kind {
            Kind::Dynamic => Ok(()),
            Kind::Undefined | Kind::Static if self.program.db.pred(id).clauses.is_empty() => {
                self.program.db.pred_mut(id).kind = Kind::Dynamic;
                self.program.set_stub(id, Op::Dynamic, id);
                Ok(())
            }
            Kind::Static if self.program.db.pred(id).multifile => Ok(()),
            _ => Err(self.cannot_modify(id)),
        }
    }

    pub(crate) fn cannot_modify(&mut self, id: PredId) -> PErr {
        if id == NO_ROOM {
            return self.mem.resource_error(atom::MEMORY);
        }
        let (module, name, arity) = {
            let pred = self.program.db.pred(id);
            (pred.module, pred.name, pred.arity)
        };
        let indicator = self.mem.indicator(module, name, arity);
        self.mem
            .permission_error(atom::MODIFY, atom::STATIC_PROCEDURE, indicator)
    }

    /// Adds a compiled clause at the end or the start of its predicate.
    pub(crate) fn add_clause(&mut self, clause: ClauseData, at_end: bool) -> ClauseId {
        let mut clause = clause;
        let id = clause.pred;
        self.program.db.generation += 1;
        clause.born = self.program.db.generation;
        clause.seq = if at_end {
            self.program.db.next_seq += 1;
            self.program.db.next_seq
        } else {
            self.program.db.first_seq -= 1;
            self.program.db.first_seq
        };
        let seq = clause.seq;
        self.program.db.term_words += clause.term.as_ref().map_or(0, |term| term.words.len());
        let number = match self.program.db.free_clauses.last() {
            Some(&number) => number,
            None => self.program.db.clauses.len() as ClauseId,
        };
        if clause.has_body {
            self.program
                .db
                .bodies
                .insert(clause.code, (clause.len, number));
        }
        self.outdate_tables(id);
        let pred = self.program.db.pred_mut(id);
        if pred.dead_prefix == pred.clauses.len() {
            // Nothing is left to look up: the next call that needs an index makes one.
            pred.indexes = Default::default();
        }
        debug_assert!(
            match at_end {
                true => pred.clauses.back().is_none_or(|&(last, _)| last < seq),
                false => pred.clauses.front().is_none_or(|&(first, _)| seq < first),
            },
            "clauses are in the order of their sequence numbers"
        );
        push_entry(&mut pred.clauses, (seq, number), at_end);
        pred.indexes.add(&clause, (seq, number), at_end);
        if !at_end {
            pred.dead_prefix = 0;
        }
        match self.program.db.free_clauses.pop() {
            Some(number) => self.program.db.clauses[number as usize] = Some(clause),
            None => self.program.db.clauses.push(Some(clause)),
        }
        let pred = self.program.db.pred_mut(id);
        if pred.kind != Kind::Dynamic && id != NO_ROOM {
            pred.kind = Kind::Static;
            self.drop_links(id);
            self.program.set_stub(id, Op::Link, id);
        }
        number
    }

    /// Erases a clause; calls under way still see it.
    pub(crate) fn erase_clause(&mut self, number: ClauseId) -> bool {
        self.program.db.generation += 1;
        let generation = self.program.db.generation;
        let Some(Some(clause)) = self.program.db.clauses.get_mut(number as usize) else {
            return false;
        };
        if clause.died != u64::MAX {
            return false;
        }
        clause.died = generation;
        debug_assert!(clause.born < generation, "a clause dies after it was born");
        let id = clause.pred;
        self.outdate_tables(id);
        let pred = self.program.db.pred_mut(id);
        pred.erased += 1;
        if pred.kind == Kind::Dynamic {
            if pred
                .clauses
                .get(pred.dead_prefix)
                .is_some_and(|&(_, front)| front == number)
            {
                self.drop_front(id);
            }
            let pred = self.program.db.pred(id);
            if pred.erased > 16 && pred.erased * 2 > pred.clauses.len() {
                self.clean_pred(id);
            }
        } else {
            self.clean_pred(id);
            self.program.set_stub(id, Op::Link, id);
        }
        true
    }

    fn outdate_tables(&mut self, id: PredId) {
        if self.program.db.pred(id).incremental {
            self.program.tables.outdate();
        }
    }

    /// Removes erased clauses at the front, so that a queue of facts stays fast; not while a call may still
    /// see them.
    fn drop_front(&mut self, id: PredId) {
        if self.has_open_calls(id, 100) {
            let pred = self.program.db.pred(id);
            let mut dead = pred.dead_prefix;
            while let Some(&(_, number)) = pred.clauses.get(dead) {
                match self.program.db.clause(number) {
                    Some(clause) if clause.died == u64::MAX => break,
                    _ => dead += 1,
                }
            }
            self.program.db.pred_mut(id).dead_prefix = dead;
            return;
        }
        self.program.db.pred_mut(id).dead_prefix = 0;
        while let Some(&(_, number)) = self.program.db.pred(id).clauses.front() {
            let Some(clause) = self.program.db.clause(number) else {
                break;
            };
            if clause.died == u64::MAX {
                break;
            }
            let pred = self.program.db.pred_mut(id);
            pred.clauses.pop_front();
            pred.indexes.note_removal(pred.clauses.len());
            pred.erased = pred.erased.saturating_sub(1);
            self.free_clause(number);
        }
    }

    /// Gives up the code that chooses among the clauses of a static predicate.
    fn drop_links(&mut self, id: PredId) {
        let pred = self.program.db.pred_mut(id);
        let index = pred.index_code.take();
        if let Some((start, len)) = index {
            self.retire_code(start, len);
        }
        self.drop_chains(id);
    }

    fn free_clause(&mut self, number: ClauseId) {
        if let Some(clause) = self.program.db.clauses[number as usize].take() {
            if clause.has_body {
                self.program.db.bodies.remove(&clause.code);
            }
            let words = clause.term.map_or(0, |term| term.words.len());
            self.program.db.term_words = self.program.db.term_words.saturating_sub(words);
            self.retire_code(clause.code, clause.len);
            debug_assert!(clause.died != u64::MAX, "only erased clauses are freed");
            self.program.db.free_clauses.push(number);
        }
    }

    /// Bytes the program takes outside the stacks: clauses, atoms, collected solutions.
    pub(crate) fn program_bytes(&self) -> usize {
        let words = self.program.db.code_top
            + self.program.db.term_words
            + self.mem.bag_words.iter().sum::<usize>();
        let clauses =
            self.program.db.clauses.len() * (size_of::<Option<ClauseData>>() + BUCKET_BYTES);
        words * 8 + clauses + self.mem.atoms.bytes() + self.program.tables.bytes()
    }

    /// Removes erased clauses from the lists if no call of the predicate is under way.
    pub(crate) fn clean_pred(&mut self, id: PredId) {
        if self.program.db.pred(id).kind == Kind::Dynamic && self.has_open_calls(id, 1_000_000) {
            // Try again after as many erasures more.
            self.program.db.pred_mut(id).erased /= 2;
            return;
        }
        let clauses = std::mem::take(&mut self.program.db.pred_mut(id).clauses);
        let mut kept = Bucket::with_capacity(clauses.len() / 2);
        let mut gone = Vec::new();
        for (seq, number) in clauses {
            match self.program.db.clause(number) {
                Some(clause) if clause.died == u64::MAX => kept.push_back((seq, number)),
                _ => gone.push(number),
            }
        }
        debug_assert!(
            kept.iter().zip(kept.iter().skip(1)).all(|(a, b)| a.0 < b.0),
            "clauses are in the order of their sequence numbers"
        );
        let pred = self.program.db.pred_mut(id);
        pred.clauses = kept;
        pred.erased = 0;
        pred.dead_prefix = 0;
        pred.indexes = Default::default();
        self.drop_links(id);
        for number in gone {
            self.free_clause(number);
        }
    }

    /// Removes all clauses of a predicate, as reloading its file does.
    pub(crate) fn wipe_pred(&mut self, id: PredId) {
        self.program.db.generation += 1;
        let generation = self.program.db.generation;
        let numbers: Vec<ClauseId> = self
            .program
            .db
            .pred(id)
            .clauses
            .iter()
            .map(|&(_, n)| n)
            .collect();
        for number in numbers {
            if let Some(Some(clause)) = self.program.db.clauses.get_mut(number as usize) {
                clause.died = clause.died.min(generation);
            }
        }
        self.clean_pred(id);
        if self.program.db.pred(id).kind == Kind::Static {
            self.program.set_stub(id, Op::Link, id);
        }
    }

    /// Checks a predicate indicator's parts before a clause is added to it.
    pub(crate) fn check_modifiable(&mut self, id: PredId) -> Result<(), PErr> {
        let pred = self.program.db.pred(id);
        if pred.arity > MAX_ARITY {
            return Err(self.mem.representation_error(atom::MAX_ARITY));
        }
        match pred.kind {
            Kind::Builtin(_) | Kind::Nondet(_) | Kind::Special => Err(self.cannot_modify(id)),
            _ => Ok(()),
        }
    }
}

fn push_entry(bucket: &mut Bucket, entry: (i64, ClauseId), at_end: bool) {
    if at_end {
        bucket.push_back(entry);
    } else {
        bucket.push_front(entry);
    }
}
