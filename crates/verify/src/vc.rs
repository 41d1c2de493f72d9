//! Verification conditions: single assignment, then one formula per block [Barnett & Leino, PASTE 2005].
//!
//! Every assignment gives its variable a new name; where paths join, predecessors equate the name used after
//! the join with theirs. The formula of a block implies that all checks in it and after it hold; it
//! refers to the formulas of its successors, which are bound by `let`. The function `ControlFlow` is
//! constrained so that a model says which way the failing path goes and which check fails at its end.

mod exit;

use crate::cfg::invariants::Stage;
use crate::cfg::loops::reverse_postorder;
use crate::cfg::{self, Body, Cmd};
use crate::smt::{Feature, Smt, Types};
use crate::tree;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;
use stet_base::{FastMap, FastSet};
use stet_boogie::ast::{ExprId, ExprKind, TypeVarId, VarId};
use stet_boogie::{Program, TypeId, VarKind};

/// A verification condition as text.
pub(crate) struct Condition {
    /// Declarations of the implementation's variables.
    pub(crate) declarations: String,
    /// The negated formula.
    pub(crate) formula: String,
    /// What it needs declared before it.
    pub(crate) needs: BTreeSet<Feature>,
    /// The body's block behind each number of `ControlFlow`, from one.
    pub(crate) blocks: Vec<usize>,
    /// The check behind each negative number, from one.
    pub(crate) checks: Vec<usize>,
    /// The names of local variables here, and in models: those of the program are in no question, so that a local may be
    /// renamed without asking again.
    pub(crate) shown: Vec<(Rc<str>, String)>,
    pub(crate) states: Vec<State>,
    /// Which blocks of the body say nothing once variables have single names; Boogie leaves them out of traces.
    pub(crate) silent: Vec<bool>,
    /// Which blocks Boogie merges into the common exit, because nothing is left of them.
    pub(crate) merged: Vec<bool>,
    /// The block whose name and place the exit takes then.
    pub(crate) exit_name: Option<usize>,
}

/// What variables are called at a point of interest.
pub(crate) struct State {
    pub(crate) name: Rc<str>,
    /// Its block of the body, and its position among the commands there.
    pub(crate) block: usize,
    pub(crate) position: usize,
    pub(crate) values: Vec<(VarId, Rc<str>)>,
}

impl Condition {
    /// Whether there is anything to prove.
    pub(crate) fn is_trivial(&self) -> bool {
        self.checks.is_empty()
    }
}

/// A command without side effects.
enum Passive {
    Assume(String),
    Assert {
        check: usize,
        text: String,
        /// The same as an assumption, if later commands rely on it.
        assumed: Option<String>,
    },
}

/// Makes the condition of a body without loops.
pub(crate) fn generate(
    program: &Program,
    smt: &mut Smt,
    body: &Body,
    type_params: &[TypeVarId],
    branches_in_order: bool,
) -> Condition {
    smt.begin();
    debug_assert_eq!(body.broken_invariant(Stage::Acyclic), None);
    let order = reverse_postorder(body);
    let live = live_variables(program, body, &order);
    let mut passifier = Passifier {
        program,
        smt,
        body,
        names: FastMap::default(),
        taken: FastSet::default(),
        declarations: String::new(),
        shown: Vec::new(),
        states: Vec::new(),
        at_end: vec![FastMap::default(); body.blocks.len()],
        passive: (0..body.blocks.len()).map(|_| Vec::new()).collect(),
    };
    passifier.type_params(type_params);
    let mut at_entry = live[0].clone();
    globals_in_old(program, body, &mut at_entry);
    passifier.initial(&at_entry);
    passifier.capture("<initial>".into(), 0, 0);
    let before = cfg::predecessors(body);
    for &block in &order {
        passifier.block(block, &before[block], &live[block]);
    }
    let exit = exit::find(body, &before, &live, &passifier.at_end);
    let Passifier {
        declarations,
        passive,
        shown,
        states,
        ..
    } = passifier;
    let mut condition = print(body, &order, &passive, declarations, branches_in_order);
    condition.silent = (0..body.blocks.len())
        .map(|b| {
            let says = |c: &Cmd| matches!(c, Cmd::Assume(_) | Cmd::Assert { .. });
            let is_empty = passive[b].is_empty() && !body.blocks[b].cmds.iter().any(says);
            is_empty && b != 1 && !exit.as_ref().is_some_and(|e| e.is_kept(b))
        })
        .collect();
    if let Some(exit) = &exit {
        (condition.merged, condition.exit_name) = exit.merged(body, &condition.silent);
    }
    condition.shown = shown;
    condition.states = states;
    condition.needs = smt.take_needs();
    condition
}

/// The variables whose value on entry to a block matters.
fn live_variables(program: &Program, body: &Body, order: &[usize]) -> Vec<FastSet<VarId>> {
    let mut live: Vec<FastSet<VarId>> = vec![FastSet::default(); body.blocks.len()];
    let mut reads: FastMap<ExprId, Rc<FastSet<VarId>>> = FastMap::default();
    let mut read = |expr: ExprId| {
        reads
            .entry(expr)
            .or_insert_with(|| {
                let mut found = FastSet::default();
                tree::variables(program, expr, &mut found);
                found.retain(|&var| {
                    !matches!(program.vars[var].kind, VarKind::Bound | VarKind::Constant)
                });
                Rc::new(found)
            })
            .clone()
    };
    for &block in order.iter().rev() {
        let mut now = FastSet::default();
        for &successor in &body.blocks[block].successors {
            now.extend(live[successor].iter().copied());
        }
        for cmd in body.blocks[block].cmds.iter().rev() {
            match cmd {
                Cmd::Assume(expr) | Cmd::Assert { expr, .. } => now.extend(read(*expr).iter()),
                Cmd::Assign(pairs) => {
                    for (var, _) in pairs {
                        now.remove(var);
                    }
                    for (_, expr) in pairs {
                        now.extend(read(*expr).iter());
                    }
                }
                Cmd::Havoc(vars) => {
                    for var in vars {
                        now.remove(var);
                    }
                }
            }
        }
        live[block] = now;
    }
    live
}

/// Globals whose value on entry is read by `old`, wherever that is.
fn globals_in_old(program: &Program, body: &Body, found: &mut FastSet<VarId>) {
    let mut seen: FastSet<ExprId> = FastSet::default();
    let mut roots: Vec<ExprId> = Vec::new();
    for cmd in body.blocks.iter().flat_map(|block| &block.cmds) {
        match cmd {
            Cmd::Assume(expr) | Cmd::Assert { expr, .. } => roots.push(*expr),
            Cmd::Assign(pairs) => roots.extend(pairs.iter().map(|&(_, expr)| expr)),
            Cmd::Havoc(_) => {}
        }
    }
    for root in roots {
        if !seen.insert(root) {
            continue;
        }
        tree::walk(program, root, &mut |id| {
            if let ExprKind::Old(inner) = program.exprs[id].kind {
                let mut read = FastSet::default();
                tree::variables(program, inner, &mut read);
                read.retain(|&var| program.vars[var].kind == VarKind::Global);
                found.extend(read);
                return false;
            }
            true
        });
    }
}

struct Passifier<'a> {
    program: &'a Program,
    smt: &'a mut Smt,
    body: &'a Body,
    /// Base name and next incarnation of every variable.
    names: FastMap<VarId, (String, u32)>,
    taken: FastSet<String>,
    declarations: String,
    shown: Vec<(Rc<str>, String)>,
    states: Vec<State>,
    at_end: Vec<FastMap<VarId, Rc<str>>>,
    passive: Vec<Vec<Passive>>,
}

impl Passifier<'_> {
    fn type_params(&mut self, params: &[TypeVarId]) {
        if self.smt.encoding.types == Types::Monomorphic {
            return;
        }
        for &param in params {
            let name = self.program.name(self.program.type_vars[param].name);
            let text = crate::smt::quoted(&format!("{name}@type"));
            let _ = writeln!(self.declarations, "(declare-fun {text} () T@T)");
            self.smt.bind_type_var(param, text.into());
        }
    }

    /// Remembers what variables are called here.
    fn capture(&mut self, name: Rc<str>, block: usize, position: usize) {
        let globals = cfg::globals(self.program);
        let all = globals.iter().chain(&self.body.locals);
        let values = all.filter_map(|&var| Some((var, self.smt.current.get(&var)?.clone())));
        self.states.push(State {
            name,
            block,
            position,
            values: values.collect(),
        });
    }

    /// Names the variables that are read before they are written, and all globals for `old`.
    fn initial(&mut self, live: &FastSet<VarId>) {
        let globals = cfg::globals(self.program);
        let candidates = globals.iter().chain(&self.body.locals);
        let wanted: Vec<VarId> = candidates.copied().filter(|v| live.contains(v)).collect();
        for var in wanted {
            let text = self.base_name(var);
            let text: Rc<str> = crate::smt::quoted(&text).into();
            self.declare(var, &text);
            self.smt.current.insert(var, text.clone());
            if self.program.vars[var].kind == VarKind::Global {
                self.smt.entry.insert(var, text);
            }
        }
    }

    fn base_name(&mut self, var: VarId) -> String {
        if let Some((name, _)) = self.names.get(&var) {
            return name.clone();
        }
        let plain = match self.program.vars[var].kind {
            VarKind::Global => self.program.name(self.program.vars[var].name).to_owned(),
            _ => format!("v{}", self.names.len()),
        };
        let mut name = plain.clone();
        let mut suffix = 0;
        while self.smt.is_taken(&name) || !self.taken.insert(name.clone()) {
            name = format!("{plain}@@{suffix}");
            suffix += 1;
        }
        self.names.insert(var, (name.clone(), 0));
        name
    }

    fn declare(&mut self, var: VarId, text: &Rc<str>) {
        let ty = self.ty(var);
        let sort = self.smt.sort(self.program, ty);
        let _ = writeln!(self.declarations, "(declare-fun {text} () {sort})");
        if let Some(premise) = self.smt.type_premise(self.program, text, ty) {
            let _ = writeln!(self.declarations, "(assert {premise})");
        }
        if let Some((base, _)) = self.names.get(&var) {
            let plain = self.program.name(self.program.vars[var].name);
            let rest = text.trim_matches('|').strip_prefix(base.as_str());
            let shown = rest.map(|rest| format!("{plain}{rest}"));
            self.shown.extend(shown.map(|shown| (text.clone(), shown)));
        }
    }

    fn ty(&self, var: VarId) -> TypeId {
        let ty = self.program.vars[var].ty;
        ty.unwrap_or(self.program.types.bool())
    }

    fn fresh(&mut self, var: VarId) -> Rc<str> {
        self.base_name(var);
        let (name, next) = self.names.get_mut(&var).expect("named just before");
        let text: Rc<str> = crate::smt::quoted(&format!("{name}@{next}")).into();
        *next += 1;
        self.declare(var, &text);
        text
    }

    fn block(&mut self, block: usize, before: &[usize], live: &FastSet<VarId>) {
        if let [first, rest @ ..] = before {
            let names = self.join(*first, rest, live);
            self.smt.current = names;
        }
        for i in 0..self.body.blocks[block].cmds.len() {
            let body = self.body;
            let passive = match &body.blocks[block].cmds[i] {
                Cmd::Assume(expr) => {
                    if let Some(name) = body.marks.states.get(expr) {
                        self.capture(name.clone(), block, i);
                    }
                    if is_true(self.program, *expr) {
                        continue;
                    }
                    vec![Passive::Assume(self.smt.assumption(self.program, *expr))]
                }
                Cmd::Assert { check, expr } => vec![Passive::Assert {
                    check: *check,
                    text: self.smt.goal(self.program, *expr),
                    assumed: body.checks[*check]
                        .assumed_after
                        .then(|| self.smt.assumption(self.program, *expr)),
                }],
                Cmd::Assign(pairs) => self.assign(pairs),
                Cmd::Havoc(vars) => {
                    for &var in vars {
                        let text = self.fresh(var);
                        self.smt.current.insert(var, text);
                    }
                    continue;
                }
            };
            self.passive[block].extend(passive);
        }
        self.at_end[block] = self.smt.current.clone();
    }

    /// The names after a join; predecessors with other names equate them.
    fn join(
        &mut self,
        first: usize,
        rest: &[usize],
        live: &FastSet<VarId>,
    ) -> FastMap<VarId, Rc<str>> {
        if rest.is_empty() {
            return self.at_end[first].clone();
        }
        let mut names = FastMap::default();
        let globals = cfg::globals(self.program);
        let candidates: Vec<VarId> = globals
            .into_iter()
            .chain(self.body.locals.iter().copied())
            .filter(|var| live.contains(var))
            .collect();
        for var in candidates {
            let Some(text) = self.at_end[first].get(&var).cloned() else {
                debug_assert!(
                    rest.iter()
                        .all(|&pred| !self.at_end[pred].contains_key(&var)),
                    "a variable that is read after a join has a name on all paths to it, or on none"
                );
                continue;
            };
            let same = |&pred: &usize| self.at_end[pred].get(&var) == Some(&text);
            if rest.iter().all(same) {
                names.insert(var, text);
                continue;
            }
            let joined = self.fresh(var);
            for &pred in std::iter::once(&first).chain(rest) {
                if let Some(text) = self.at_end[pred].get(&var) {
                    let equation = format!("(= {joined} {text})");
                    self.passive[pred].push(Passive::Assume(equation));
                }
            }
            names.insert(var, joined);
        }
        names
    }

    fn assign(&mut self, pairs: &[(VarId, ExprId)]) -> Vec<Passive> {
        let texts: Vec<String> = pairs
            .iter()
            .map(|&(_, expr)| self.smt.text(self.program, expr))
            .collect();
        let mut equations = Vec::new();
        for (&(var, expr), text) in pairs.iter().zip(texts) {
            if is_atomic(self.program, expr, &text) {
                self.smt.current.insert(var, text.into());
                continue;
            }
            let name = self.fresh(var);
            equations.push(Passive::Assume(format!("(= {name} {text})")));
            self.smt.current.insert(var, name);
        }
        equations
    }
}

fn is_true(program: &Program, expr: ExprId) -> bool {
    matches!(program.exprs[expr].kind, ExprKind::Bool(true))
}

/// Whether a value is a name or literal, so that it can stand for the variable itself.
fn is_atomic(program: &Program, expr: ExprId, text: &str) -> bool {
    let atom = matches!(
        program.exprs[expr].kind,
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Ident { .. } | ExprKind::Old(_)
    );
    atom && !text.starts_with('(')
}

/// Prints the formula: blocks without checks at or after them are left out. Formulas of blocks have names that nothing
/// in a program can have: a `let` would hide it.
fn print(
    body: &Body,
    order: &[usize],
    passive: &[Vec<Passive>],
    declarations: String,
    branches_in_order: bool,
) -> Condition {
    let mut useful = vec![false; body.blocks.len()];
    for &block in order.iter().rev() {
        useful[block] = passive[block]
            .iter()
            .any(|cmd| matches!(cmd, Passive::Assert { .. }))
            || body.blocks[block].successors.iter().any(|&s| useful[s]);
    }
    let kept: Vec<usize> = order.iter().copied().filter(|&b| useful[b]).collect();
    let mut numbers = vec![0; body.blocks.len()];
    for (i, &block) in kept.iter().enumerate() {
        numbers[block] = i + 1;
    }
    let mut checks = Vec::new();
    let mut formulas = vec![String::new(); kept.len()];
    for (i, &block) in kept.iter().enumerate() {
        let mut successors: Vec<usize> = body.blocks[block]
            .successors
            .iter()
            .map(|&s| numbers[s])
            .filter(|&n| n != 0)
            .collect();
        successors.dedup();
        if branches_in_order {
            successors.reverse();
        }
        formulas[i] = block_formula(i + 1, &passive[block], &successors, &mut checks);
    }
    debug_assert!(
        kept.is_empty() || kept[0] == 0,
        "a check that can be reached is reached from the entry"
    );
    debug_assert!(
        kept.iter().all(|&b| body.blocks[b]
            .successors
            .iter()
            .all(|&s| numbers[s] == 0 || numbers[s] > numbers[b])),
        "numbers grow along edges: paths are read off models that way"
    );
    let mut text = String::new();
    if !kept.is_empty() {
        text.push_str("(assert (not\n");
        for (i, formula) in formulas.iter().enumerate().rev() {
            let _ = writeln!(text, "(let ((B%{} {formula}))", i + 1);
        }
        text.push_str("(=> (= (ControlFlow 0 0) 1) B%1)");
        text.push_str(&")".repeat(kept.len()));
        text.push_str("))\n");
    }
    Condition {
        declarations,
        formula: text,
        needs: BTreeSet::new(),
        blocks: kept,
        checks,
        shown: Vec::new(),
        states: Vec::new(),
        silent: Vec::new(),
        merged: Vec::new(),
        exit_name: None,
    }
}

fn block_formula(
    number: usize,
    passive: &[Passive],
    successors: &[usize],
    checks: &mut Vec<usize>,
) -> String {
    // Assumptions after the last check matter only if something follows.
    let last = if successors.is_empty() {
        let is_check = |cmd: &Passive| matches!(cmd, Passive::Assert { .. });
        passive.iter().rposition(is_check).map_or(0, |i| i + 1)
    } else {
        passive.len()
    };
    let mut text = String::new();
    let mut open = 0;
    let mut i = 0;
    while i < last {
        match &passive[i] {
            Passive::Assume(_) => {
                let run = passive[i..last]
                    .iter()
                    .take_while(|cmd| matches!(cmd, Passive::Assume(_)))
                    .count();
                text.push_str("(=> ");
                if run > 1 {
                    text.push_str("(and");
                }
                for cmd in &passive[i..i + run] {
                    if let Passive::Assume(condition) = cmd {
                        if run > 1 {
                            text.push(' ');
                        }
                        text.push_str(condition);
                    }
                }
                if run > 1 {
                    text.push(')');
                }
                text.push_str("\n ");
                open += 1;
                i += run;
            }
            Passive::Assert {
                check,
                text: condition,
                assumed,
            } => {
                checks.push(*check);
                let _ = write!(
                    text,
                    "(and (=> (= (ControlFlow 0 {number}) (- {})) {condition})\n ",
                    checks.len()
                );
                open += 1;
                i += 1;
                if let Some(assumed) = assumed
                    && (i < last || !successors.is_empty())
                {
                    let _ = write!(text, "(=> {assumed}\n ");
                    open += 1;
                }
            }
        }
    }
    let branches: Vec<String> = successors
        .iter()
        .map(|n| format!("(=> (= (ControlFlow 0 {number}) {n}) B%{n})"))
        .collect();
    match &branches[..] {
        [] => text.push_str("true"),
        [one] => text.push_str(one),
        many => {
            let _ = write!(text, "(and {})", many.join(" "));
        }
    }
    text.push_str(&")".repeat(open));
    text
}
