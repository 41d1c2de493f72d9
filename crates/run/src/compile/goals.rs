//! Goals: inline instructions, calls, and control constructs.

use super::analyse::{is_pure_inline, is_simple_condition, is_test};
use super::emit::{Emitter, Owner};
use super::source::{G, Range, T};
use crate::code::{Op, word, word_imm};
use crate::emulate::wake::mark_end;

/// Where a failing test goes: collects the tests to be patched, or `None` to fail.
type Else<'a> = Option<&'a mut Vec<usize>>;

impl Emitter {
    /// Goals in order; `last` if nothing of the clause follows.
    pub(super) fn sequence(&mut self, goals: &[G], last: bool) {
        for (i, goal) in goals.iter().enumerate() {
            self.goal(goal, last && i + 1 == goals.len());
            if matches!(
                goal,
                G::Call(..) | G::Or(..) | G::Ite(..) | G::Not(..) | G::Builtin(..)
            ) {
                self.set_hints(&goals[i + 1..]);
            }
        }
        if last && !ends_itself(goals) {
            self.put_proceed();
        }
    }

    /// Looks ahead to the next call: its variables should be computed in their argument registers.
    pub(super) fn set_hints(&mut self, goals: &[G]) {
        self.hints.fill(None);
        for goal in goals {
            match goal {
                G::Call(_, args) => {
                    for (i, arg) in args.iter().enumerate() {
                        if let T::Var(variable) = arg {
                            self.hints[*variable as usize] = Some(i as u16);
                        }
                    }
                    return;
                }
                goal if is_pure_inline(goal) || matches!(goal, G::Cut) => {}
                _ => return,
            }
        }
    }

    fn put_proceed(&mut self) {
        let op = if self.state.allocated {
            Op::DeallocProceed
        } else {
            Op::Proceed
        };
        self.put(word(op, 0, 0, 0, 0));
    }

    fn goal(&mut self, goal: &G, last: bool) {
        match goal {
            G::Conj(goals) => self.sequence(goals, last),
            G::Ite(parts, soft, range) => self.if_then_else(parts, *soft, *range, last),
            G::Or(parts, range) => self.disjunction(&parts.0, &parts.1, *range, last),
            G::Not(inner, range) => {
                self.negation(inner, *range);
                if last {
                    self.put_proceed();
                }
            }
            leaf => {
                self.position += 1;
                self.leaf(leaf, last);
                self.release_dead();
            }
        }
    }

    fn leaf(&mut self, goal: &G, last: bool) {
        match goal {
            G::Fail => self.put(word(Op::Fail, 0, 0, 0, 0)),
            G::Cut => self.cut(),
            G::Unify(a, b) => {
                let from = self.code.len();
                self.unify_goal(a, b);
                mark_end(&mut self.code, from);
            }
            G::Type(..) | G::Term(..) | G::Compare(..) => self.test(goal, None),
            G::Is(target, expression) => self.is_goal(target, expression),
            G::Builtin(number, args) => {
                self.arguments(args);
                self.put(word_imm(Op::Builtin, args.len().min(255) as u8, 0, *number));
                self.free_arguments(args.len());
            }
            G::Call(pred, args) => self.call(*pred, args, last),
            _ => {}
        }
    }

    fn cut(&mut self) {
        match self.info.level {
            Some(level) if self.state.allocated => self.put(word(Op::CutY, 0, level, 0, 0)),
            _ => self.put(word(Op::NeckCut, 0, 0, 0, 0)),
        }
        if self.pinned > 0 {
            let pinned = std::mem::take(&mut self.pinned);
            for register in 0..pinned {
                if self.state.owner[register] == Owner::Reserved {
                    self.state.owner[register] = Owner::Free;
                }
            }
        }
    }

    // -- calls

    fn call(&mut self, pred: u32, args: &[T], last: bool) {
        if !last {
            self.need_environment();
        }
        self.arguments(args);
        if last {
            let op = if self.state.allocated {
                Op::DeallocExecute
            } else {
                Op::Execute
            };
            self.put(word_imm(op, 0, 0, pred));
        } else {
            self.put(word_imm(Op::Call, 0, 0, pred));
            self.frame();
        }
        self.forget_registers();
    }

    /// Moves the arguments of a goal into the first registers.
    fn arguments(&mut self, args: &[T]) {
        let mut uses = vec![0u32; self.state.x.len()];
        for arg in args {
            count_uses(arg, &mut uses);
        }
        let mut pending: Vec<usize> = (0..args.len()).collect();
        while !pending.is_empty() {
            let ready = pending
                .iter()
                .position(|&i| self.is_ready(i, &args[i], &uses));
            let at = ready.unwrap_or(0);
            let i = pending.remove(at);
            if ready.is_none() {
                self.evict(i);
            }
            self.argument(i as u16, &args[i]);
            discount_uses(&args[i], &mut uses);
        }
    }

    /// Whether register `i` may be overwritten now.
    fn is_ready(&self, i: usize, term: &T, uses: &[u32]) -> bool {
        match self.state.owner[i] {
            Owner::Free => true,
            Owner::Var(variable) => {
                if matches!(term, T::Var(own) if *own == variable) {
                    // Already in place; others may still copy from it.
                    return true;
                }
                let mut used = uses[variable as usize];
                if let T::Compound(..) | T::Flat(..) = term {
                    let mut own = vec![0; uses.len()];
                    count_uses(term, &mut own);
                    used -= own[variable as usize].min(used);
                    // A structure reads its variables before its register is written only if the
                    // instruction order allows it; keep it simple and wait.
                    if own[variable as usize] > 0 {
                        return false;
                    }
                }
                used == 0 && !self.needed_later(variable)
            }
            Owner::Reserved | Owner::Scratch => false,
        }
    }

    fn needed_later(&self, variable: u32) -> bool {
        let info = &self.info.variables[variable as usize];
        info.last > self.position && !self.state.y[variable as usize]
    }

    /// Moves the variable in argument register `i` out of the way.
    fn evict(&mut self, i: usize) {
        if let Owner::Var(variable) = self.state.owner[i] {
            let to = self.fresh(Owner::Var(variable));
            self.transfer(Op::Move, i as u16, to);
            self.state.x[variable as usize] = Some(to);
            self.state.owner[i] = Owner::Free;
        }
    }

    fn argument(&mut self, i: u16, term: &T) {
        if let T::Var(variable) = *term {
            if self.state.x[variable as usize] == Some(i) {
                // In place. If the variable is needed after an inline builtin it must survive there too.
                return self.reserve(i, variable);
            }
            if !self.is_known(variable) && !self.is_void(variable) {
                return self.first_argument(i, variable);
            }
        }
        self.disown(i);
        self.build(term, Some(i));
        self.state.owner[i as usize] = Owner::Reserved;
    }

    fn reserve(&mut self, i: u16, variable: u32) {
        if self.needed_later(variable) {
            let copy = self.fresh(Owner::Var(variable));
            self.transfer(Op::Move, i, copy);
            self.state.x[variable as usize] = Some(copy);
            self.state.owner[i as usize] = Owner::Reserved;
        }
    }

    /// The owner of register `i` has no use for it any more.
    fn disown(&mut self, i: u16) {
        if let Owner::Var(variable) = self.state.owner[i as usize] {
            self.state.x[variable as usize] = None;
        }
        self.state.owner[i as usize] = Owner::Free;
    }

    /// A variable whose first occurrence is this argument.
    fn first_argument(&mut self, i: u16, variable: u32) {
        self.disown(i);
        let info = self.info.variables[variable as usize];
        if info.permanent && self.state.allocated {
            self.put(word(Op::PutVarY, 0, info.slot, i, 0));
            self.state.y[variable as usize] = true;
            self.state.owner[i as usize] = Owner::Reserved;
            return;
        }
        let own = self.fresh(Owner::Var(variable));
        self.put(word(Op::PutVarX, 0, own, i, 0));
        self.state.x[variable as usize] = Some(own);
        self.state.owner[i as usize] = Owner::Reserved;
    }

    fn free_arguments(&mut self, count: usize) {
        for register in 0..count {
            match self.state.owner[register] {
                Owner::Var(variable)
                    if self.info.variables[variable as usize].last > self.position => {}
                Owner::Var(variable) => {
                    self.state.x[variable as usize] = None;
                    self.state.owner[register] = Owner::Free;
                }
                _ => self.state.owner[register] = Owner::Free,
            }
        }
    }

    // -- unification

    fn unify_goal(&mut self, a: &T, b: &T) {
        match (a, b) {
            (T::Var(x), T::Var(y)) => self.unify_variables(*x, *y),
            (T::Var(x), term) | (term, T::Var(x)) => self.unify_term(*x, term),
            (T::Compound(f, xs), T::Compound(g, ys)) if f == g && xs.len() == ys.len() => {
                for (x, y) in xs.iter().zip(ys) {
                    self.unify_goal(x, y);
                }
            }
            (T::Const(x), T::Const(y)) if x == y => {}
            (T::Box(x), T::Box(y)) if x == y => {}
            (T::Flat(..), _) | (_, T::Flat(..)) => {
                let (left, right) = (self.build(a, None), self.build(b, None));
                self.put(word(Op::GetValX, 0, left, right, 0));
                self.free(left);
                self.free(right);
            }
            _ => self.put(word(Op::Fail, 0, 0, 0, 0)),
        }
    }

    fn unify_variables(&mut self, x: u32, y: u32) {
        if x == y {
            if !self.is_known(x) && !self.is_void(x) {
                self.make_known(x);
            }
            return;
        }
        match (self.is_known(x), self.is_known(y)) {
            (true, true) => {
                let left = self.load(x);
                let right = self.load(y);
                self.put(word(Op::GetValX, 0, left, right, 0));
            }
            (false, true) => self.alias(x, y),
            (true, false) => self.alias(y, x),
            (false, false) => {
                self.make_known(x);
                self.alias(y, x);
            }
        }
    }

    /// A fresh variable in a register.
    fn make_known(&mut self, variable: u32) {
        let register = self.register_for(variable);
        self.put(word(Op::PutVarX, 0, register, register, 0));
        self.save_if_permanent(variable);
    }

    /// `new` becomes another name of the known variable.
    fn alias(&mut self, new: u32, known: u32) {
        if self.is_void(new) {
            return;
        }
        let from = self.load(known);
        let to = self.register_for(new);
        self.transfer(Op::Move, from, to);
        self.save_if_permanent(new);
    }

    fn unify_term(&mut self, variable: u32, term: &T) {
        if self.is_void(variable) {
            return self.mention(term);
        }
        if !self.is_known(variable) {
            if occurs(variable, term) {
                self.make_known(variable);
            } else {
                let wanted = self.wanted(variable);
                let register = self.build(term, wanted);
                self.state.owner[register as usize] = Owner::Var(variable);
                self.state.x[variable as usize] = Some(register);
                return self.save_if_permanent(variable);
            }
        }
        let from = self.load(variable);
        if let T::Const(cell) = term {
            self.put(word(Op::GetConst, 0, from, 0, 0));
            return self.put(*cell);
        }
        // `get` frees the register it works on: give it a copy if the variable lives on.
        let copy = self.fresh(Owner::Scratch);
        self.transfer(Op::Move, from, copy);
        self.get(copy, term);
        self.save_all();
    }

    /// The register the variable will be passed in, taken if it is free.
    pub(super) fn wanted(&mut self, variable: u32) -> Option<u16> {
        let hint = self.hints[variable as usize]?;
        if self.state.owner[hint as usize] != Owner::Free {
            return None;
        }
        self.state.owner[hint as usize] = Owner::Scratch;
        Some(hint)
    }

    /// Variables that occur only in a term that is never built still become known.
    fn mention(&mut self, term: &T) {
        match term {
            T::Var(variable) => {
                if !self.is_known(*variable) && !self.is_void(*variable) {
                    self.make_known(*variable);
                }
            }
            T::Compound(_, args) => args.iter().for_each(|arg| self.mention(arg)),
            T::Flat(_, variables) => {
                for &variable in variables {
                    self.mention(&T::Var(variable));
                }
            }
            T::Const(_) | T::Box(_) => {}
        }
    }

    pub(super) fn save_all(&mut self) {
        if self.state.allocated {
            for variable in 0..self.state.x.len() as u32 {
                self.save_if_permanent(variable);
            }
        }
    }

    // -- tests

    /// A type test or comparison.
    pub(super) fn test(&mut self, goal: &G, otherwise: Else<'_>) {
        let at = match goal {
            G::Type(op, term) => {
                let register = self.operand(term);
                let at = self.code.len();
                self.put(word_imm(*op, 0, register, 0));
                self.release_operand(term, register);
                at
            }
            G::Term(op, a, b) => {
                let left = self.operand(a);
                let right = self.operand(b);
                let at = self.code.len();
                self.put(word_imm(*op, 0, left, 0));
                self.put(u64::from(right));
                self.release_operand(a, left);
                self.release_operand(b, right);
                at
            }
            G::Compare(op, a, b) => self.compare(*op, a, b),
            G::Unify(a, b) => {
                let (T::Var(variable), T::Const(cell)) = order(a, b) else {
                    return;
                };
                if !self.is_known(*variable) {
                    self.make_known(*variable);
                }
                let register = self.load(*variable);
                let at = self.code.len();
                self.put(word_imm(Op::TestConst, 0, register, 0));
                self.put(*cell);
                at
            }
            _ => return,
        };
        if let Some(pending) = otherwise {
            pending.push(at);
        }
    }

    /// A register holding the term; unknown variables become known first.
    pub(super) fn operand(&mut self, term: &T) -> u16 {
        if let T::Var(variable) = *term {
            if !self.is_known(variable) && !self.is_void(variable) {
                self.make_known(variable);
            }
        }
        self.build(term, None)
    }

    pub(super) fn release_operand(&mut self, term: &T, register: u16) {
        let scratch = self.state.owner[register as usize] == Owner::Scratch;
        if scratch || !matches!(term, T::Var(_)) {
            self.free(register);
        }
    }

    // -- control

    fn label_here(&mut self, pending: &[usize]) {
        self.last_move = None;
        let here = self.code.len() as u64;
        for &at in pending {
            self.code[at] |= here << 32;
            self.labels.push(at);
        }
    }

    fn jump(&mut self) -> usize {
        self.put(word_imm(Op::Jump, 0, 0, 0));
        self.code.len() - 1
    }

    /// A condition without a choice point; failing tests are added to `otherwise`.
    fn condition(&mut self, goal: &G, otherwise: &mut Vec<usize>) {
        match goal {
            G::Conj(goals) => {
                for goal in goals {
                    self.condition(goal, otherwise);
                }
            }
            G::Not(inner, _) => {
                let mut inner_fails = Vec::new();
                self.condition(inner, &mut inner_fails);
                otherwise.push(self.jump());
                self.label_here(&inner_fails);
            }
            goal => {
                self.position += 1;
                match goal {
                    G::True => {}
                    G::Fail => otherwise.push(self.jump()),
                    goal => self.test(goal, Some(otherwise)),
                }
            }
        }
    }

    /// Variables that first occur inside a construct and are used behind it start as fresh variables. (They may
    /// occur before it too, in the other branch of a construct around it.)
    fn introduce(&mut self, range: Range) {
        for variable in 0..self.state.x.len() as u32 {
            let info = self.info.variables[variable as usize];
            let crosses = info.first <= range.last && info.last > range.last;
            if !crosses || self.is_known(variable) {
                continue;
            }
            if info.permanent && self.state.allocated {
                self.put(word(Op::InitY, 0, info.slot, 0, 0));
                self.state.y[variable as usize] = true;
            } else {
                self.make_known(variable);
            }
        }
    }

    fn if_then_else(&mut self, parts: &(G, G, G), soft: bool, range: Range, last: bool) {
        let simple = !soft && is_simple_condition(&parts.0);
        if !simple {
            return self.if_with_choice(parts, soft, range, last);
        }
        let inline = is_pure_inline(&parts.1) && is_pure_inline(&parts.2);
        if !last {
            if !inline {
                self.need_environment();
            }
            self.introduce(range);
        }
        let mut otherwise = Vec::new();
        let pinned = self.pinned;
        // A failing test may jump from the middle of the condition: only what was known before it is
        // known in the other branch.
        let before = self.state.clone();
        self.condition(&parts.0, &mut otherwise);
        self.set_hints(std::slice::from_ref(&parts.1));
        self.branch(&parts.1, last);
        let end = (!last).then(|| self.jump());
        self.label_here(&otherwise);
        self.state = before.clone();
        self.pinned = pinned;
        self.set_hints(std::slice::from_ref(&parts.2));
        self.branch(&parts.2, last);
        if let Some(end) = end {
            self.label_here(&[end]);
            self.join(before, inline);
        }
    }

    fn branch(&mut self, goal: &G, last: bool) {
        match goal {
            G::Conj(goals) => {
                self.set_hints(goals);
                self.sequence(goals, last);
            }
            goal => self.sequence(std::slice::from_ref(goal), last),
        }
    }

    /// After the branches of a construct that is not the last goal.
    fn join(&mut self, before: super::emit::State, inline: bool) {
        self.state = before;
        if inline {
            self.release_dead();
        } else {
            self.forget_registers();
        }
    }

    fn if_with_choice(&mut self, parts: &(G, G, G), soft: bool, range: Range, last: bool) {
        self.need_environment();
        if !last {
            self.introduce(range);
        }
        let slot = self.new_slot();
        let try_at = self.try_else();
        let before = self.state.clone();
        self.put(word(Op::SaveBY, 0, slot, 0, 0));
        self.local(&parts.0, slot);
        let op = if soft { Op::SoftCutY } else { Op::CutPrevY };
        self.put(word(op, 0, slot, 0, 0));
        self.branch(&parts.1, last);
        let end = (!last).then(|| self.jump());
        self.label_here(&[try_at]);
        self.state = before.clone();
        self.forget_registers();
        self.put(word_imm(Op::TrustElse, 0, 0, 0));
        self.frame();
        self.branch(&parts.2, last);
        if let Some(end) = end {
            self.label_here(&[end]);
            self.join(before, false);
        }
    }

    /// A condition or negated goal: cuts in it are local to the choice point in `slot`.
    fn local(&mut self, goal: &G, slot: u16) {
        let outer = self.info.level.replace(slot);
        match goal {
            G::Conj(goals) => self.sequence(goals, false),
            goal => self.sequence(std::slice::from_ref(goal), false),
        }
        self.info.level = outer;
    }

    fn try_else(&mut self) -> usize {
        let at = self.code.len();
        self.put(word_imm(Op::TryElse, 0, 0, 0));
        self.frame();
        at
    }

    fn disjunction(&mut self, left: &G, right: &G, range: Range, last: bool) {
        self.need_environment();
        if !last {
            self.introduce(range);
        }
        let try_at = self.try_else();
        let before = self.state.clone();
        self.branch(left, last);
        let end = (!last).then(|| self.jump());
        self.label_here(&[try_at]);
        self.state = before.clone();
        self.forget_registers();
        self.put(word_imm(Op::TrustElse, 0, 0, 0));
        self.frame();
        self.branch(right, last);
        if let Some(end) = end {
            self.label_here(&[end]);
            self.join(before, false);
        }
    }

    fn negation(&mut self, inner: &G, range: Range) {
        if is_test(inner) {
            let mut inner_fails = Vec::new();
            self.introduce(range);
            let before = self.state.clone();
            self.condition(inner, &mut inner_fails);
            self.put(word(Op::Fail, 0, 0, 0, 0));
            self.label_here(&inner_fails);
            self.state = before;
            self.release_dead();
            return;
        }
        self.need_environment();
        self.introduce(range);
        let slot = self.new_slot();
        let try_at = self.try_else();
        let before = self.state.clone();
        self.put(word(Op::SaveBY, 0, slot, 0, 0));
        self.local(inner, slot);
        self.put(word(Op::CutPrevY, 0, slot, 0, 0));
        self.put(word(Op::Fail, 0, 0, 0, 0));
        self.label_here(&[try_at]);
        self.state = before.clone();
        self.forget_registers();
        self.put(word_imm(Op::TrustElse, 0, 0, 0));
        self.frame();
    }
}

/// Whether the code of these goals ends in a jump elsewhere.
fn ends_itself(goals: &[G]) -> bool {
    matches!(
        goals.last(),
        Some(G::Call(..) | G::Ite(..) | G::Or(..) | G::Not(..) | G::Conj(_))
    )
}

fn order<'t>(a: &'t T, b: &'t T) -> (&'t T, &'t T) {
    if matches!(a, T::Var(_)) {
        (a, b)
    } else {
        (b, a)
    }
}

fn occurs(variable: u32, term: &T) -> bool {
    match term {
        T::Var(other) => *other == variable,
        T::Compound(_, args) => args.iter().any(|arg| occurs(variable, arg)),
        T::Flat(_, variables) => variables.contains(&variable),
        T::Const(_) | T::Box(_) => false,
    }
}

fn count_uses(term: &T, uses: &mut [u32]) {
    match term {
        T::Var(variable) => uses[*variable as usize] += 1,
        T::Compound(_, args) => args.iter().for_each(|arg| count_uses(arg, uses)),
        T::Flat(_, variables) => variables.iter().for_each(|&v| uses[v as usize] += 1),
        T::Const(_) | T::Box(_) => {}
    }
}

fn discount_uses(term: &T, uses: &mut [u32]) {
    match term {
        T::Var(variable) => uses[*variable as usize] -= 1,
        T::Compound(_, args) => args.iter().for_each(|arg| discount_uses(arg, uses)),
        T::Flat(_, variables) => variables.iter().for_each(|&v| uses[v as usize] -= 1),
        T::Const(_) | T::Box(_) => {}
    }
}
