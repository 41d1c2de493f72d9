//! Registers and instructions: the head, terms, and the moving of arguments. Goals are in `goals`.
//!
//! A temporary variable lives in an X register from its first to its last occurrence in its chunk. A
//! permanent variable has a slot in the environment, and may have a copy in an X register within a chunk.
//! The environment is allocated as late as possible: just before the first call, so that heads and guards
//! run without one. A clause whose guard ends in a neck cut keeps its argument registers intact up to the
//! cut ("shallow"), so that the machine can go on to the next clause without a choice point.

use super::Compiled;
use super::analyse::{Analysis, analyse, is_pure_inline};
use super::source::{G, Source, T};
use crate::cell::*;
use crate::code::{Op, frame_word, op_of, word, word_imm};
use crate::database::KEYS;
use crate::emulate::wake::mark_end;
use crate::errors::PErr;
use crate::machine::{Machine, REGISTERS};
use stet_prolog::atom;

/// Who owns an X register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    Free,
    Var(u32),
    /// An argument not yet looked at, or already in place for the call being set up.
    Reserved,
    /// A value the code generator is working with.
    Scratch,
}

/// Where everything is at one point of the code.
#[derive(Clone)]
pub(super) struct State {
    pub(super) x: Vec<Option<u16>>,
    pub(super) y: Vec<bool>,
    pub(super) owner: Vec<Owner>,
    pub(super) allocated: bool,
}

pub(super) struct Emitter {
    pub(super) code: Vec<u64>,
    pub(super) labels: Vec<usize>,
    /// Words whose low half is the number of slots, known at the end.
    pub(super) frames: Vec<usize>,
    pub(super) allocates: Vec<usize>,
    pub(super) info: Analysis,
    pub(super) state: State,
    pub(super) position: u32,
    /// Registers below this are kept until the neck cut.
    pub(super) pinned: usize,
    pub(super) base: usize,
    /// The argument position a variable will be needed in next.
    pub(super) hints: Vec<Option<u16>>,
    pub(super) next_slot: u16,
    pub(super) overflow: bool,
    /// The last word if it is a move that another may join.
    pub(super) last_move: Option<usize>,
}

/// Compiles a clause.
pub(super) fn emit(machine: &mut Machine, source: Source) -> Result<Compiled, PErr> {
    let mut source = source;
    let info = analyse(&mut source);
    let arity = source.head.len();
    let shallow = has_guard(&source.body);
    let count = source.variables;
    let mut owner = vec![Owner::Free; info.max_args + 16];
    owner[..arity].fill(Owner::Reserved);
    let next_slot = info.slots;
    let base = info.max_args;
    let mut emitter = Emitter {
        code: Vec::with_capacity(32),
        labels: Vec::new(),
        frames: Vec::new(),
        allocates: Vec::new(),
        info,
        state: State {
            x: vec![None; count],
            y: vec![false; count],
            owner,
            allocated: false,
        },
        position: 0,
        pinned: if shallow { arity } else { 0 },
        base,
        hints: vec![None; count],
        next_slot,
        overflow: false,
        last_move: None,
    };
    emitter.set_hints(&source.body);
    emitter.head(&source.head);
    mark_end(&mut emitter.code, 0);
    emitter.sequence(&source.body, true);
    if emitter.overflow || emitter.next_slot > 60_000 {
        return Err(machine.mem.resource_error(atom::MEMORY));
    }
    let mut keys = [0; KEYS];
    for (key, term) in keys.iter_mut().zip(&source.head) {
        *key = key_of(term);
    }
    emitter.patch_frames();
    Ok(Compiled {
        words: emitter.code,
        labels: emitter.labels,
        keys,
        shallow,
    })
}

fn key_of(term: &T) -> u64 {
    match term {
        T::Const(cell) => *cell,
        T::Compound(name, args) => Cell::functor(*name, args.len()).0,
        // Boxes and large terms match any key: they are told apart by unification.
        T::Var(_) | T::Box(_) | T::Flat(..) => 0,
    }
}

/// Whether the body starts with inline goals and then a cut.
fn has_guard(body: &[G]) -> bool {
    for goal in body {
        match goal {
            G::Cut => return true,
            goal if is_pure_inline(goal) => {}
            _ => return false,
        }
    }
    false
}

impl Emitter {
    fn patch_frames(&mut self) {
        let slots = u64::from(self.next_slot);
        debug_assert!(slots <= 0xffff, "slots are counted in 16 bits");
        for &at in &self.frames {
            debug_assert_eq!(
                self.code[at] & 0xffff,
                0,
                "the number of slots is written once"
            );
            self.code[at] |= slots;
            if slots > 32 {
                self.code[at] |= 0xffff_ffff << 32;
            }
        }
        for &at in &self.allocates {
            let op = if slots > 32 {
                Op::AllocateInit
            } else {
                Op::Allocate
            };
            self.code[at] = word_imm(op, 0, 0, slots as u32);
        }
    }

    pub(super) fn put(&mut self, word: u64) {
        self.last_move = None;
        self.code.push(word);
    }

    /// A move, store or load (`op`), fused with the one before it where both fit.
    pub(super) fn transfer(&mut self, op: Op, from: u16, to: u16) {
        if let Some(last) = self.last_move {
            let previous = self.code[last];
            let small = from < 256 && to < 256;
            let pair = u64::from(from) | u64::from(to) << 8;
            let fused = match (op_of(previous), op) {
                (Op::Move, Op::Move) => Some(Op::Move2),
                (Op::StoreY, Op::StoreY) => Some(Op::StoreY2),
                (Op::LoadY, Op::LoadY) => Some(Op::LoadY2),
                _ => None,
            };
            let (a, b) = ((previous >> 16) & 0xffff, (previous >> 32) & 0xffff);
            if let (Some(fused), true, true) = (fused, small, a < 256 && b < 256) {
                self.code[last] = fused as u64 | a << 8 | b << 16 | pair << 24;
                return;
            }
            let fused = match (op_of(previous), op) {
                (Op::Move2, Op::Move) => Some(Op::Move3),
                (Op::StoreY2, Op::StoreY) => Some(Op::StoreY3),
                (Op::LoadY2, Op::LoadY) => Some(Op::LoadY3),
                _ => None,
            };
            if let (Some(fused), true) = (fused, small) {
                self.code[last] = (previous & !0xff) | fused as u64 | pair << 40;
                self.last_move = None;
                return;
            }
        }
        self.code.push(word(op, 0, from, to, 0));
        self.last_move = Some(self.code.len() - 1);
    }

    // -- registers

    pub(super) fn fresh(&mut self, owner: Owner) -> u16 {
        let found =
            (self.base..self.state.owner.len()).find(|&r| self.state.owner[r] == Owner::Free);
        let register = match found {
            Some(register) => register,
            None => {
                self.state.owner.push(Owner::Free);
                self.state.owner.len() - 1
            }
        };
        if register >= REGISTERS - 8 {
            self.overflow = true;
            return (REGISTERS - 1) as u16;
        }
        self.state.owner[register] = owner;
        register as u16
    }

    pub(super) fn free(&mut self, register: u16) {
        let register = register as usize;
        self.state.owner[register] = if register < self.pinned {
            Owner::Reserved
        } else {
            Owner::Free
        };
    }

    /// A register for a variable that becomes known now; the one it will be passed in if that is free.
    pub(super) fn register_for(&mut self, variable: u32) -> u16 {
        if let Some(hint) = self.hints[variable as usize] {
            if self.state.owner[hint as usize] == Owner::Free {
                self.state.owner[hint as usize] = Owner::Var(variable);
                self.state.x[variable as usize] = Some(hint);
                return hint;
            }
        }
        let register = self.fresh(Owner::Var(variable));
        self.state.x[variable as usize] = Some(register);
        register
    }

    pub(super) fn is_known(&self, variable: u32) -> bool {
        self.state.x[variable as usize].is_some() || self.state.y[variable as usize]
    }

    pub(super) fn is_void(&self, variable: u32) -> bool {
        self.info.variables[variable as usize].occurrences == 1
    }

    /// A permanent variable got its value in X: keep the slot up to date.
    pub(super) fn save_if_permanent(&mut self, variable: u32) {
        let info = self.info.variables[variable as usize];
        if !(info.permanent && self.state.allocated) || self.state.y[variable as usize] {
            return;
        }
        if let Some(register) = self.state.x[variable as usize] {
            debug_assert!(
                info.slot < self.next_slot,
                "a permanent variable has a slot"
            );
            self.transfer(Op::StoreY, register, info.slot);
            self.state.y[variable as usize] = true;
        }
    }

    /// The X register of a known variable, loading it from its slot if need be.
    pub(super) fn load(&mut self, variable: u32) -> u16 {
        if let Some(register) = self.state.x[variable as usize] {
            return register;
        }
        debug_assert!(
            self.state.y[variable as usize],
            "a variable is loaded from a slot that has it"
        );
        let register = self.register_for(variable);
        let slot = self.info.variables[variable as usize].slot;
        self.transfer(Op::LoadY, slot, register);
        register
    }

    /// Frees registers of variables that do not occur after this position.
    pub(super) fn release_dead(&mut self) {
        for variable in 0..self.state.x.len() {
            if self.info.variables[variable].last <= self.position {
                if let Some(register) = self.state.x[variable].take() {
                    self.free(register);
                    // A dead permanent variable keeps its slot: nobody reads it any more.
                }
            }
        }
    }

    /// Registers do not survive: only slots are known.
    pub(super) fn forget_registers(&mut self) {
        self.state.x.fill(None);
        self.state.owner.fill(Owner::Free);
    }

    // -- the environment

    /// Makes sure there is an environment, with all known permanent variables in it.
    pub(super) fn need_environment(&mut self) {
        if self.state.allocated {
            return;
        }
        self.state.allocated = true;
        self.allocates.push(self.code.len());
        self.put(0);
        if let Some(level) = self.info.level {
            self.put(word(Op::GetLevel, 0, level, 0, 0));
        }
        for variable in 0..self.state.x.len() as u32 {
            self.save_if_permanent(variable);
        }
    }

    /// The word describing the live slots after this position.
    pub(super) fn frame(&mut self) {
        let mut mask = 0;
        for (variable, info) in self.info.variables.iter().enumerate() {
            if self.state.y[variable] && info.last > self.position && info.slot < 32 {
                mask |= 1 << info.slot;
            }
        }
        self.frames.push(self.code.len());
        self.put(frame_word(0, mask));
    }

    pub(super) fn new_slot(&mut self) -> u16 {
        self.next_slot += 1;
        self.next_slot - 1
    }

    // -- the head

    fn head(&mut self, head: &[T]) {
        for (i, term) in head.iter().enumerate() {
            if let T::Var(variable) = *term {
                if self.is_void(variable) {
                    self.free(i as u16);
                } else if !self.is_known(variable) {
                    self.state.x[variable as usize] = Some(i as u16);
                    self.state.owner[i] = Owner::Var(variable);
                }
            }
        }
        for (i, term) in head.iter().enumerate() {
            match *term {
                T::Var(variable) => {
                    let known = self.state.x[variable as usize];
                    if let Some(register) = known {
                        if register != i as u16 {
                            self.put(word(Op::GetValX, 0, i as u16, register, 0));
                            self.free(i as u16);
                        }
                    }
                }
                _ => self.get(i as u16, term),
            }
        }
        self.release_dead();
    }

    /// Unifies the value in a register with a non-variable term. The register is free afterwards.
    pub(super) fn get(&mut self, register: u16, term: &T) {
        let mut pending = vec![(register, term)];
        while let Some((register, term)) = pending.pop() {
            match term {
                T::Const(cell) => {
                    self.put(word(Op::GetConst, 0, register, 0, 0));
                    self.put(*cell);
                    self.free(register);
                }
                T::Box(words) => {
                    self.put(word_imm(Op::GetBox, 0, register, words.len() as u32));
                    self.last_move = None;
                    self.code.extend_from_slice(words);
                    self.free(register);
                }
                T::Flat(..) => {
                    let other = self.build(term, None);
                    self.put(word(Op::GetValX, 0, register, other, 0));
                    self.free(other);
                    self.free(register);
                }
                T::Compound(name, args) => {
                    let mut nested = self.get_compound(register, *name, args);
                    nested.reverse();
                    pending.extend(nested);
                }
                T::Var(_) => {}
            }
        }
    }

    fn get_compound<'t>(
        &mut self,
        register: u16,
        name: stet_prolog::Atom,
        args: &'t [T],
    ) -> Vec<(u16, &'t T)> {
        debug_assert!(!args.is_empty(), "no structure has no arguments");
        let is_list = name == atom::DOT && args.len() == 2;
        if is_list && self.get_list_fused(register, &args[0], &args[1]) {
            return Vec::new();
        }
        if is_list {
            self.put(word(Op::GetList, 0, register, 0, 0));
        } else {
            self.put(word(Op::GetStruct, 0, register, 0, 0));
            self.put(Cell::functor(name, args.len()).0);
        }
        self.free(register);
        let mut nested = Vec::new();
        let mut args = args;
        loop {
            let spine = name == atom::DOT && args.len() == 2;
            match (&args[args.len() - 1], spine) {
                (T::Compound(atom::DOT, inner), true) if inner.len() == 2 => {
                    self.unify_args(&args[..1], &mut nested);
                    self.put(word(Op::UnifyTail, 0, 0, 0, 0));
                    args = inner;
                }
                _ => {
                    self.unify_args(args, &mut nested);
                    return nested;
                }
            }
        }
    }

    /// `[Var|Var]` in one instruction, where the tail is new and the head is new or in a register.
    fn get_list_fused(&mut self, register: u16, head: &T, tail: &T) -> bool {
        let (T::Var(head), T::Var(tail)) = (head, tail) else {
            return false;
        };
        let (head, tail) = (*head, *tail);
        if head == tail || self.is_known(tail) {
            return false;
        }
        let permanent = |v: u32| self.info.variables[v as usize].permanent;
        if self.state.allocated && (permanent(head) || permanent(tail)) {
            return false;
        }
        if self.is_known(head) {
            let Some(known) = self.state.x[head as usize] else {
                return false;
            };
            self.free(register);
            let to = self.register_or_scratch(tail);
            self.put(word(Op::GetListVX, 0, register, known, to));
            self.drop_scratch(to);
            return true;
        }
        self.free(register);
        // The tail is assigned first: it is what recursion passes on in the same place.
        let to = self.register_or_scratch(tail);
        let from = self.register_or_scratch(head);
        self.put(word(Op::GetListXX, 0, register, from, to));
        self.drop_scratch(to);
        self.drop_scratch(from);
        true
    }

    /// A register for a first occurrence; a scratch one for a void variable.
    fn register_or_scratch(&mut self, variable: u32) -> u16 {
        if self.is_void(variable) {
            self.fresh(Owner::Scratch)
        } else {
            self.register_for(variable)
        }
    }

    fn drop_scratch(&mut self, register: u16) {
        if self.state.owner[register as usize] == Owner::Scratch {
            self.free(register);
        }
    }

    fn unify_args<'t>(&mut self, args: &'t [T], nested: &mut Vec<(u16, &'t T)>) {
        let mut i = 0;
        while i < args.len() {
            match &args[i] {
                T::Var(variable) if self.is_void(*variable) => {
                    let run = args[i..]
                        .iter()
                        .take_while(|arg| matches!(arg, T::Var(v) if self.is_void(*v)))
                        .count();
                    self.put(word_imm(Op::UnifyVoid, 0, 0, run as u32));
                    i += run;
                    continue;
                }
                T::Var(variable) => {
                    if let Some(&T::Var(next)) = args.get(i + 1) {
                        if self.unify_two(*variable, next) {
                            i += 2;
                            continue;
                        }
                    }
                    self.unify_variable(*variable);
                }
                T::Const(cell) => {
                    self.put(word(Op::UnifyConst, 0, 0, 0, 0));
                    self.put(*cell);
                }
                compound => {
                    let register = self.fresh(Owner::Scratch);
                    self.put(word(Op::UnifyVarX, 0, register, 0, 0));
                    nested.push((register, compound));
                }
            }
            i += 1;
        }
    }

    /// Two first occurrences in a row, both for X registers.
    fn unify_two(&mut self, a: u32, b: u32) -> bool {
        if a == b
            || self.state.allocated
            || self.is_known(a)
            || self.is_known(b)
            || self.is_void(a)
            || self.is_void(b)
        {
            return false;
        }
        let (first, second) = (self.register_for(a), self.register_for(b));
        self.put(word(Op::UnifyVarXX, 0, first, second, 0));
        true
    }

    fn unify_variable(&mut self, variable: u32) {
        let info = self.info.variables[variable as usize];
        if let Some(register) = self.state.x[variable as usize] {
            return self.put(word(Op::UnifyValX, 0, register, 0, 0));
        }
        if self.state.y[variable as usize] {
            return self.put(word(Op::UnifyValY, 0, info.slot, 0, 0));
        }
        if info.permanent && self.state.allocated {
            self.state.y[variable as usize] = true;
            return self.put(word(Op::UnifyVarY, 0, info.slot, 0, 0));
        }
        let register = self.register_for(variable);
        self.put(word(Op::UnifyVarX, 0, register, 0, 0));
    }

    // -- building

    /// Puts a term into `target`, or into a register of its own choice (which the caller owns).
    pub(super) fn build(&mut self, term: &T, target: Option<u16>) -> u16 {
        match term {
            T::Var(variable) => self.build_variable(*variable, target),
            T::Const(cell) => {
                let to = target.unwrap_or_else(|| self.fresh(Owner::Scratch));
                self.put(word(Op::PutConst, 0, to, 0, 0));
                self.put(*cell);
                to
            }
            T::Box(words) => {
                let to = target.unwrap_or_else(|| self.fresh(Owner::Scratch));
                self.put(word_imm(Op::PutBox, 0, to, words.len() as u32));
                self.code.extend_from_slice(words);
                to
            }
            T::Flat(words, variables) => {
                let to = target.unwrap_or_else(|| self.fresh(Owner::Scratch));
                self.put(word_imm(Op::PutFlat, 0, to, words.len() as u32));
                self.code.extend_from_slice(words);
                if !variables.is_empty() {
                    self.put(word(Op::GetStruct, 0, to, 0, 0));
                    self.put(words[Cell(words[0]).index()]);
                    self.put(word(Op::UnifyVarX, 0, to, 0, 0));
                    for &variable in variables {
                        if self.is_void(variable) {
                            self.put(word_imm(Op::UnifyVoid, 0, 0, 1));
                        } else {
                            self.unify_variable(variable);
                        }
                    }
                }
                to
            }
            T::Compound(name, args) => self.build_compound(*name, args, target),
        }
    }

    fn build_variable(&mut self, variable: u32, target: Option<u16>) -> u16 {
        let info = self.info.variables[variable as usize];
        if let Some(register) = self.state.x[variable as usize] {
            if let Some(to) = target {
                if to != register {
                    self.transfer(Op::Move, register, to);
                }
                return to;
            }
            return register;
        }
        if self.state.y[variable as usize] {
            return match target {
                Some(to) => {
                    self.transfer(Op::LoadY, info.slot, to);
                    to
                }
                None => self.load(variable),
            };
        }
        // First occurrence.
        if info.permanent && self.state.allocated {
            let to = target.unwrap_or_else(|| self.fresh(Owner::Scratch));
            self.put(word(Op::PutVarY, 0, info.slot, to, 0));
            self.state.y[variable as usize] = true;
            return to;
        }
        if self.is_void(variable) {
            let to = target.unwrap_or_else(|| self.fresh(Owner::Scratch));
            self.put(word(Op::PutVarX, 0, to, to, 0));
            return to;
        }
        let own = self.fresh(Owner::Var(variable));
        self.state.x[variable as usize] = Some(own);
        let to = target.unwrap_or(own);
        self.put(word(Op::PutVarX, 0, own, to, 0));
        to
    }

    fn build_compound(&mut self, name: stet_prolog::Atom, args: &[T], target: Option<u16>) -> u16 {
        // Nested terms first, each in a register; the spine of a list is one run of cells.
        let mut cells: Vec<Item<'_>> = Vec::new();
        debug_assert!(!args.is_empty(), "no structure has no arguments");
        let is_list = name == atom::DOT && args.len() == 2;
        let mut rest = args;
        loop {
            let last = rest.len() - 1;
            for (i, arg) in rest.iter().enumerate() {
                match arg {
                    T::Compound(atom::DOT, inner) if is_list && i == last && inner.len() == 2 => {}
                    T::Compound(..) | T::Box(_) | T::Flat(..) => {
                        let register = self.build(arg, None);
                        cells.push(Item::Register(register));
                    }
                    arg => cells.push(Item::Term(arg)),
                }
            }
            match &rest[last] {
                T::Compound(atom::DOT, inner) if is_list && inner.len() == 2 => {
                    cells.push(Item::Tail);
                    rest = inner;
                }
                _ => break,
            }
        }
        let to = target.unwrap_or_else(|| self.fresh(Owner::Scratch));
        if is_list && cells.len() == 2 {
            if let (Some(head), Some(tail)) =
                (self.in_register(&cells[0]), self.in_register(&cells[1]))
            {
                self.put(word(Op::PutListXX, 0, to, head, tail));
                self.free_items(&cells);
                return to;
            }
        }
        if is_list {
            self.put(word(Op::PutList, 0, to, 0, 0));
        } else {
            self.put(word(Op::PutStruct, 0, to, 0, 0));
            self.put(Cell::functor(name, args.len()).0);
        }
        self.set_items(&cells);
        self.free_items(&cells);
        to
    }

    fn in_register(&self, item: &Item<'_>) -> Option<u16> {
        match item {
            Item::Register(register) => Some(*register),
            Item::Term(T::Var(variable)) => self.state.x[*variable as usize],
            _ => None,
        }
    }

    fn free_items(&mut self, cells: &[Item<'_>]) {
        for cell in cells {
            if let Item::Register(register) = cell {
                self.free(*register);
            }
        }
    }

    fn set_items(&mut self, cells: &[Item<'_>]) {
        let mut i = 0;
        while i < cells.len() {
            if let (Some(a), Some(b)) = (
                self.in_register(&cells[i]),
                cells.get(i + 1).and_then(|next| self.in_register(next)),
            ) {
                self.put(word(Op::SetValXX, 0, a, b, 0));
                i += 2;
                continue;
            }
            match &cells[i] {
                Item::Tail => self.put(word(Op::SetTail, 0, 0, 0, 0)),
                Item::Register(register) => self.put(word(Op::SetValX, 0, *register, 0, 0)),
                Item::Term(T::Const(cell)) => {
                    self.put(word(Op::SetConst, 0, 0, 0, 0));
                    self.put(*cell);
                }
                Item::Term(T::Var(variable)) => self.set_variable(*variable),
                Item::Term(_) => {}
            }
            i += 1;
        }
    }

    fn set_variable(&mut self, variable: u32) {
        let info = self.info.variables[variable as usize];
        if let Some(register) = self.state.x[variable as usize] {
            return self.put(word(Op::SetValX, 0, register, 0, 0));
        }
        if self.state.y[variable as usize] {
            return self.put(word(Op::SetValY, 0, info.slot, 0, 0));
        }
        if self.is_void(variable) {
            return self.put(word_imm(Op::SetVoid, 0, 0, 1));
        }
        if info.permanent && self.state.allocated {
            self.state.y[variable as usize] = true;
            return self.put(word(Op::SetVarY, 0, info.slot, 0, 0));
        }
        let register = self.register_for(variable);
        self.put(word(Op::SetVarX, 0, register, 0, 0));
    }
}

/// A cell of a structure being built.
enum Item<'t> {
    Term(&'t T),
    Register(u16),
    /// The tail cell points to the pair that follows.
    Tail,
}
