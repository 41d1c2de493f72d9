//! Interval inference (`/infer:j`): bounds of integer, real and Boolean variables at loop heads.
//!
//! A forward analysis of each implementation, from its preconditions and the axioms. Joins take the weaker bounds; at loop heads
//! unstable bounds move to the next threshold (constants the implementation compares with) or are given up. What holds at a loop
//! head is added there as `assume {:inferred} …`, which verification treats as a free invariant.
//!
//! Divisions bound their result only if the divisor cannot be zero: Boogie programs may not rely on `x div 0`.

mod evaluate;

use crate::ast::*;
use crate::position::nowhere;
use crate::program::*;
use crate::types::Type;
use evaluate::{Bounds, Kind, State};
use num_bigint::BigInt;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use stet_base::{FastMap, Span, Symbol};

/// Where facts are added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Places {
    /// At loop heads.
    LoopHeads,
    /// Before and after every block.
    Everywhere,
}

/// After this many blocks the analysis of an implementation is given up.
const STEPS: usize = 200_000;

/// Analyses all implementations and adds what holds.
pub fn infer(program: &mut Program, places: Places) {
    infer_some(program, places, &|_| true);
}

/// As [`infer`], for some of the implementations.
pub fn infer_some(program: &mut Program, places: Places, wanted: &dyn Fn(ImplId) -> bool) {
    let mut start = State::new(Rc::new(operators(program)));
    for &decl in &program.decls {
        if let Decl::Axiom(id) = decl {
            start.assume(program, program.axioms[id].expr);
        }
    }
    for id in program.impls.ids().filter(|&id| wanted(id)) {
        infer_implementation(program, id, &start, places);
    }
}

/// Functions that an axiom defines to be an operator of integers: `(forall x, y: int :: F(x, y) == x div y)`.
fn operators(program: &Program) -> FastMap<FuncId, BinaryOp> {
    let mut found = FastMap::default();
    for &decl in &program.decls {
        if let Decl::Axiom(id) = decl
            && let Some((func, op)) = operator(program, program.axioms[id].expr)
        {
            found.insert(func, op);
        }
    }
    found
}

fn operator(program: &Program, axiom: ExprId) -> Option<(FuncId, BinaryOp)> {
    let ExprKind::Binder(binder) = &program.exprs[axiom].kind else {
        return None;
    };
    if binder.kind != BinderKind::Forall || !binder.type_params.is_empty() {
        return None;
    }
    let ExprKind::Binary(BinaryOp::Eq, left, right) = program.exprs[binder.body].kind else {
        return None;
    };
    let (ExprKind::Call { func, args, .. }, ExprKind::Binary(op, a, b)) =
        (&program.exprs[left].kind, &program.exprs[right].kind)
    else {
        return None;
    };
    let is_int = |e: ExprId| {
        let ty = program.exprs[e].ty.map(|ty| program.types.get(ty));
        matches!(ty, Some(Type::Int))
    };
    let is_bound = |e: ExprId, number: usize| {
        let ExprKind::Ident { var: Some(var), .. } = program.exprs[e].kind else {
            return false;
        };
        is_int(e) && binder.vars.get(number) == Some(&var)
    };
    let is_plain = match args[..] {
        [x, y] => [(x, 0), (y, 1), (*a, 0), (*b, 1)]
            .into_iter()
            .all(|(e, number)| is_bound(e, number)),
        _ => false,
    };
    (is_plain && binder.vars.len() == 2 && is_int(right)).then_some(((*func)?, *op))
}

fn infer_implementation(program: &mut Program, id: ImplId, start: &State, places: Places) {
    let implementation = &program.impls[id];
    let heads = loop_heads(&implementation.blocks);
    for (i, _) in heads.iter().enumerate().filter(|(_, head)| **head) {
        let label: Symbol = implementation.blocks[i].label;
        program.cut_points.insert((id, label));
    }
    if places == Places::LoopHeads && !heads.contains(&true) {
        return;
    }
    let analysis = Analysis {
        program,
        blocks: &implementation.blocks,
        heads: &heads,
        thresholds: Thresholds::of(program, implementation),
    };
    let mut start = start.clone();
    if let Some(proc) = implementation.proc {
        let procedure = &program.procs[proc];
        for (&theirs, &ours) in procedure.ins.iter().zip(&implementation.ins) {
            start.rename(theirs, ours);
        }
        for spec in &procedure.requires {
            start.assume(program, spec.expr);
        }
        start.clear_renaming();
    }
    let Some((before, after)) = analysis.run(start) else {
        return;
    };
    add_facts(program, id, &heads, &before, &after, places);
}

/// What holds before and after each block; `None` where control does not come.
type Facts = (Vec<Option<State>>, Vec<Option<State>>);

struct Analysis<'a> {
    program: &'a Program,
    blocks: &'a [Block],
    heads: &'a [bool],
    thresholds: Thresholds,
}

impl Analysis<'_> {
    /// The fixed point, or nothing if it takes too long.
    fn run(&self, start: State) -> Option<Facts> {
        let mut before: Vec<Option<State>> = vec![None; self.blocks.len()];
        let mut after = before.clone();
        let mut work = VecDeque::from([(0u32, start)]);
        let mut steps = 0;
        while let Some((at, arriving)) = work.pop_front() {
            steps += 1;
            if steps > STEPS {
                return None;
            }
            let at = at as usize;
            if arriving.is_bottom() {
                continue;
            }
            let mut state = match &before[at] {
                None => arriving,
                Some(known) if arriving.is_below(known) => continue,
                Some(known) if self.heads[at] => known.widen(&arriving, &self.thresholds),
                Some(known) => known.join(&arriving),
            };
            before[at] = Some(state.clone());
            for &cmd in &self.blocks[at].cmds {
                self.step(&mut state, cmd);
            }
            if let TransferKind::Goto { targets, .. } = &self.blocks[at].transfer.kind {
                work.extend(targets.iter().map(|&t| (t, state.clone())));
            }
            after[at] = Some(state);
        }
        Some((before, after))
    }

    fn step(&self, state: &mut State, cmd: CmdId) {
        let program = self.program;
        match &program.cmds[cmd].kind {
            CmdKind::Assert(expr) | CmdKind::Assume(expr) => state.assume(program, *expr),
            CmdKind::Assign { lhss, rhss } => {
                let values: Vec<Bounds> = rhss.iter().map(|&r| state.value(program, r)).collect();
                for (lhs, value) in lhss.iter().zip(values) {
                    let value = if lhs.indexings.is_empty() {
                        value
                    } else {
                        Bounds::default()
                    };
                    if let Some(var) = variable(program, lhs.target) {
                        state.set(var, value);
                    }
                }
            }
            CmdKind::Havoc(vars) => self.forget(state, vars),
            CmdKind::Call(call) => self.call(state, call),
            CmdKind::ParCall(calls) => calls.iter().for_each(|&c| self.step(state, c)),
            CmdKind::Yield => {
                // Other threads may change every global.
                let globals = state.variables();
                for var in globals {
                    if program.vars[var].kind == VarKind::Global {
                        state.set(var, Bounds::default());
                    }
                }
            }
        }
    }

    fn forget(&self, state: &mut State, exprs: &[ExprId]) {
        for &expr in exprs {
            if let Some(var) = variable(self.program, expr) {
                state.set(var, Bounds::default());
            }
        }
    }

    /// The callee's postcondition bounds what it returns and modifies. It speaks of the time before results are assigned, which
    /// may be to globals it speaks of.
    fn call(&self, state: &mut State, call: &CallCmd) {
        let Some(proc) = call.proc else { return };
        let procedure = &self.program.procs[proc];
        let args: Vec<Bounds> = call
            .ins
            .iter()
            .map(|a| a.map_or(Bounds::default(), |a| state.value(self.program, a)))
            .collect();
        // In a recursive call the formals are variables of the caller, too.
        let formals = procedure.ins.iter().chain(&procedure.outs);
        let own: Vec<(VarId, Bounds)> = formals.map(|&var| (var, state.get(var))).collect();
        self.forget(state, &procedure.modifies);
        for (&formal, value) in procedure.ins.iter().zip(args) {
            state.set(formal, value);
        }
        for &formal in &procedure.outs {
            state.set(formal, Bounds::default());
        }
        for spec in &procedure.ensures {
            state.assume(self.program, spec.expr);
        }
        let results: Vec<Bounds> = procedure.outs.iter().map(|&var| state.get(var)).collect();
        for (var, bounds) in own {
            state.set(var, bounds);
        }
        for (out, result) in call.outs.iter().zip(results) {
            if let Some(var) = out.and_then(|out| variable(self.program, out)) {
                state.set(var, result);
            }
        }
    }
}

fn variable(program: &Program, expr: ExprId) -> Option<VarId> {
    match program.exprs[expr].kind {
        ExprKind::Ident { var, .. } => var,
        _ => None,
    }
}

/// Targets of back edges of a depth-first search.
fn loop_heads(blocks: &[Block]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut heads = vec![false; blocks.len()];
    let mut visits = vec![Visit::New; blocks.len()];
    let successors = |at: usize| match &blocks[at].transfer.kind {
        TransferKind::Goto { targets, .. } => targets.as_slice(),
        _ => &[],
    };
    if blocks.is_empty() {
        return heads;
    }
    visits[0] = Visit::Open;
    let mut stack = vec![(0usize, 0usize)];
    while let Some((at, next)) = stack.pop() {
        let Some(&to) = successors(at).get(next) else {
            visits[at] = Visit::Done;
            continue;
        };
        stack.push((at, next + 1));
        let to = to as usize;
        match visits[to] {
            Visit::New => {
                visits[to] = Visit::Open;
                stack.push((to, 0));
            }
            Visit::Open => heads[to] = true,
            Visit::Done => {}
        }
    }
    heads
}

/// The bounds that widening tries before it gives up.
pub(super) struct Thresholds {
    down: Vec<BigInt>,
    up: Vec<BigInt>,
}

impl Thresholds {
    fn of(program: &Program, implementation: &Implementation) -> Self {
        let numbers = |list: &[i32]| list.iter().map(|&n| BigInt::from(n)).collect();
        let mut down: BTreeSet<BigInt> = numbers(&[-1, 0, 1]);
        let mut up: BTreeSet<BigInt> = numbers(&[0, 1]);
        let mut visit = |root: ExprId| {
            crate::walk::exprs(program, root, &mut |_, expr| {
                if let ExprKind::Binary(op, left, right) = expr.kind {
                    compared(program, op, left, right, &mut down, &mut up);
                }
            });
        };
        if let Some(proc) = implementation.proc {
            let procedure = &program.procs[proc];
            for spec in procedure.requires.iter().chain(&procedure.ensures) {
                visit(spec.expr);
            }
        }
        for cmd in implementation.blocks.iter().flat_map(|b| &b.cmds) {
            match &program.cmds[*cmd].kind {
                CmdKind::Assert(e) | CmdKind::Assume(e) => visit(*e),
                CmdKind::Assign { rhss, .. } => rhss.iter().for_each(|&e| visit(e)),
                CmdKind::Call(call) => call.ins.iter().flatten().for_each(|&e| visit(e)),
                _ => {}
            }
        }
        Thresholds {
            down: down.into_iter().collect(),
            up: up.into_iter().collect(),
        }
    }

    /// The greatest threshold not above `bound`.
    fn below(&self, bound: &BigInt) -> Option<BigInt> {
        let count = self.down.partition_point(|t| t <= bound);
        self.down[..count].last().cloned()
    }

    /// The least threshold not below `bound`.
    fn above(&self, bound: &BigInt) -> Option<BigInt> {
        let count = self.up.partition_point(|t| t < bound);
        self.up.get(count).cloned()
    }
}

/// The thresholds a comparison with a literal suggests. Upper bounds of integers are exclusive.
fn compared(
    program: &Program,
    op: BinaryOp,
    left: ExprId,
    right: ExprId,
    down: &mut BTreeSet<BigInt>,
    up: &mut BTreeSet<BigInt>,
) {
    let literal = |e: ExprId| match &program.exprs[e].kind {
        ExprKind::Int(n) => Some((**n).clone()),
        _ => None,
    };
    let (left, right, op) = match op {
        BinaryOp::Ge => (right, left, BinaryOp::Le),
        BinaryOp::Gt => (right, left, BinaryOp::Lt),
        op => (left, right, op),
    };
    match op {
        BinaryOp::Eq | BinaryOp::Neq => {
            for n in [literal(left), literal(right)].into_iter().flatten() {
                down.extend([&n - 1, n.clone()]);
                up.extend([&n + 1, &n + 2]);
            }
        }
        BinaryOp::Le => {
            if let Some(n) = literal(left) {
                down.extend([&n - 1, n]);
            }
            if let Some(n) = literal(right) {
                up.extend([&n + 1, &n + 2]);
            }
        }
        BinaryOp::Lt => {
            if let Some(n) = literal(left) {
                down.extend([n.clone(), &n + 1]);
            }
            if let Some(n) = literal(right) {
                up.extend([n.clone(), &n + 1]);
            }
        }
        _ => {}
    }
}

fn add_facts(
    program: &mut Program,
    id: ImplId,
    heads: &[bool],
    before: &[Option<State>],
    after: &[Option<State>],
    places: Places,
) {
    for (i, head) in heads.iter().enumerate() {
        if !head && places == Places::LoopHeads {
            continue;
        }
        let span = program.impls[id].blocks[i].span;
        let mut cmds = vec![fact(program, span, before[i].as_ref(), places)];
        cmds.append(&mut program.impls[id].blocks[i].cmds);
        if places == Places::Everywhere && after[i].is_some() {
            cmds.push(fact(program, span, after[i].as_ref(), places));
        }
        program.impls[id].blocks[i].cmds = cmds;
    }
}

/// `assume {:inferred} …`.
fn fact(program: &mut Program, span: Span, state: Option<&State>, places: Places) -> CmdId {
    let at = nowhere(span);
    let bool_type = Some(program.types.bool());
    let mut conjuncts = Vec::new();
    let mut possible = true;
    match state {
        None => possible = false,
        Some(state) if state.is_bottom() => possible = false,
        Some(state) => {
            for (var, bounds) in state.entries() {
                let kind = program.vars[var].kind;
                let constant = matches!(kind, VarKind::Constant | VarKind::In);
                if !constant || places == Places::Everywhere {
                    bound_exprs(program, at, var, &bounds, &mut conjuncts);
                }
            }
        }
    }
    let and = |program: &mut Program, a, b| {
        program.add_expr(at, ExprKind::Binary(BinaryOp::And, a, b), bool_type)
    };
    let mut conjuncts = conjuncts.into_iter();
    let expr = match conjuncts.next() {
        None => program.add_expr(at, ExprKind::Bool(possible), bool_type),
        Some(first) => conjuncts.fold(first, |all, next| and(program, all, next)),
    };
    let key = program.names.intern("inferred");
    let cmd = program.add_cmd(at, CmdKind::Assume(expr));
    program.cmds[cmd].attrs.0.push(Attribute {
        span: at,
        key,
        params: Vec::new(),
    });
    cmd
}

/// The conditions that say a variable is within its bounds, one conjunct per variable.
fn bound_exprs(
    program: &mut Program,
    at: Span,
    var: VarId,
    bounds: &Bounds,
    conjuncts: &mut Vec<ExprId>,
) {
    let bool_type = Some(program.types.bool());
    let binary = |program: &mut Program, op, a, b| {
        program.add_expr(at, ExprKind::Binary(op, a, b), bool_type)
    };
    let reference = |program: &mut Program| program.add_var_ref(at, var);
    let Some(ty) = program.vars[var].ty else {
        return;
    };
    let kind = match program.types.get(ty) {
        Type::Bool => Kind::Bool,
        Type::Int => Kind::Int,
        Type::Real => Kind::Real,
        _ => return,
    };
    if kind == Kind::Bool {
        let itself = reference(program);
        match (&bounds.low, &bounds.high) {
            (Some(_), None) => conjuncts.push(itself),
            (None, Some(_)) => {
                let kind = ExprKind::Unary(UnaryOp::Not, itself);
                conjuncts.push(program.add_expr(at, kind, bool_type));
            }
            _ => {}
        }
        return;
    }
    let is_point = match (&bounds.low, &bounds.high) {
        (Some(low), Some(high)) if kind == Kind::Int => low + 1 == *high,
        (Some(low), Some(high)) => low == high,
        _ => false,
    };
    if let (Some(low), true) = (&bounds.low, is_point) {
        let itself = reference(program);
        let value = number(program, at, kind, low);
        conjuncts.push(binary(program, BinaryOp::Eq, itself, value));
        return;
    }
    let mut parts = Vec::new();
    if let Some(low) = &bounds.low {
        let value = number(program, at, kind, low);
        let itself = reference(program);
        parts.push(binary(program, BinaryOp::Le, value, itself));
    }
    if let Some(high) = &bounds.high {
        let op = match kind {
            Kind::Int => BinaryOp::Lt,
            _ => BinaryOp::Le,
        };
        let itself = reference(program);
        let value = number(program, at, kind, high);
        parts.push(binary(program, op, itself, value));
    }
    match parts[..] {
        [one] => conjuncts.push(one),
        [low, high] => conjuncts.push(binary(program, BinaryOp::And, low, high)),
        _ => {}
    }
}

fn number(program: &mut Program, at: Span, kind: Kind, value: &BigInt) -> ExprId {
    let negative = *value < BigInt::from(0);
    let magnitude = if negative { -value } else { value.clone() };
    let (literal, ty) = match kind {
        Kind::Real => (
            ExprKind::Real(Box::new(Decimal {
                mantissa: magnitude,
                exponent: 0,
            })),
            program.types.real(),
        ),
        _ => (ExprKind::Int(Box::new(magnitude)), program.types.int()),
    };
    let literal = program.add_expr(at, literal, Some(ty));
    if negative {
        let kind = ExprKind::Unary(UnaryOp::Neg, literal);
        return program.add_expr(at, kind, Some(ty));
    }
    literal
}
