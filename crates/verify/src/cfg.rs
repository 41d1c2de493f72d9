//! The body of an implementation as the verifier sees it: blocks of four simple commands.
//!
//! [`build`] takes the blocks of the front end and makes everything explicit: `where` clauses and
//! preconditions as assumptions in an entry block, calls as checks, havocs and assumptions, map assignments as
//! whole-map assignments, postconditions as checks in a common exit block. [`loops`] then cuts loops.
//! After that a body is a directed acyclic graph.

mod call;
pub(crate) mod invariants;
pub(crate) mod loops;
pub(crate) mod selective;

use crate::expand::Expander;
use crate::split::Marks;
use crate::tree::{self, Substitution};
use invariants::Stage;
use std::rc::Rc;
use stet_base::{FastMap, FastSet, Span};
use stet_boogie::ast::{
    AssignLhs, AttrParam, Attributes, BinaryOp, CmdId, CmdKind, ExprId, ExprKind, ImplId, Indexing,
    TransferKind, VarId,
};
use stet_boogie::inline::InlinedCheck;
use stet_boogie::{Program, TypeId};

/// The label of the common exit.
pub(crate) const EXIT: &str = "GeneratedUnifiedExit";

/// What kind of check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckKind {
    /// `assert`.
    Assert,
    /// A precondition at a call.
    Requires,
    /// A postcondition at a return.
    Ensures,
    /// A loop invariant when the loop is reached.
    InvariantEntry,
    /// A loop invariant after an iteration.
    InvariantMaintained,
}

/// Where a check comes from.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) kind: CheckKind,
    /// The assertion, call or invariant.
    pub(crate) span: Span,
    /// The precondition or postcondition.
    pub(crate) related: Option<Span>,
    /// Whether later commands may rely on it (`:subsumption`).
    pub(crate) assumed_after: bool,
    /// `{:msg "…"}`.
    pub(crate) message: Option<Rc<str>>,
}

/// A simple command.
#[derive(Clone, Debug)]
pub(crate) enum Cmd {
    Assume(ExprId),
    Assert { check: usize, expr: ExprId },
    Assign(Vec<(VarId, ExprId)>),
    Havoc(Vec<VarId>),
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) label: Rc<str>,
    /// The place shown in execution traces; none for blocks made here.
    pub(crate) span: Option<Span>,
    pub(crate) cmds: Vec<Cmd>,
    pub(crate) successors: Vec<usize>,
    /// The place of the `return` this block ended with.
    pub(crate) returns: Option<Span>,
    /// The place of the `return` of an inlined procedure this block ended with.
    pub(crate) inlined_return: Option<Span>,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The first is the entry.
    pub(crate) blocks: Vec<Block>,
    pub(crate) checks: Vec<Check>,
    /// Formals and locals, those made here included; with globals, everything that can change.
    pub(crate) locals: Vec<VarId>,
    /// What attributes of its commands ask for.
    pub(crate) marks: Marks,
}

/// Something Stet does not support, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported {
    pub(crate) what: String,
    pub(crate) span: Span,
}

/// How bodies are built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuildOptions {
    /// 0: later commands never rely on checks, 1: only on those without quantifiers, 2: always.
    pub(crate) subsumption: u8,
}

/// Builds the body of an implementation; loops are still there.
pub(crate) fn build(
    program: &mut Program,
    expander: &mut Expander,
    imp: ImplId,
    options: BuildOptions,
) -> Result<Body, Unsupported> {
    let implementation = &program.impls[imp];
    let source = implementation.blocks.clone();
    let span = implementation.span;
    let mut locals = implementation.ins.clone();
    locals.extend(&implementation.outs);
    locals.extend(&implementation.locals);
    let mut builder = Builder {
        program,
        expander,
        imp,
        options,
        body: Body {
            blocks: Vec::new(),
            checks: Vec::new(),
            locals,
            marks: Marks::default(),
        },
        temporaries: FastMap::default(),
        ended: Vec::new(),
    };
    builder.entry_block();
    for block in &source {
        builder.block(block)?;
    }
    if source.is_empty() {
        return Err(Unsupported {
            what: "an implementation without blocks".to_owned(),
            span,
        });
    }
    debug_assert_eq!(
        builder.body.blocks.len(),
        source.len() + 1,
        "block i of the program is block i + 1 of the body"
    );
    let (mut body, ended) = (builder.body, builder.ended);
    let shift = |target: &u32| *target as usize + 1;
    for (i, block) in source.iter().enumerate() {
        if let TransferKind::Goto { targets, .. } = &block.transfer.kind {
            body.blocks[i + 1].successors = targets.iter().map(shift).collect();
        }
    }
    body.blocks[0].successors = vec![1];
    for block in ended {
        body.blocks[block].successors.clear();
        body.blocks[block].returns = None;
    }
    prune(&mut body);
    debug_assert_eq!(body.broken_invariant(Stage::Built), None);
    Ok(body)
}

struct Builder<'a> {
    program: &'a mut Program,
    expander: &'a mut Expander,
    imp: ImplId,
    options: BuildOptions,
    body: Body,
    temporaries: FastMap<(String, TypeId), VarId>,
    /// Blocks that nothing comes after.
    ended: Vec<usize>,
}

impl Builder<'_> {
    /// From the procedure's formals to the implementation's.
    fn formals(&mut self) -> Substitution {
        let implementation = &self.program.impls[self.imp];
        let span = implementation.span;
        let ours: Vec<VarId> = [&implementation.ins[..], &implementation.outs[..]].concat();
        let type_params = implementation.type_params.clone();
        let mut by = Substitution::default();
        let Some(procedure) = implementation.proc else {
            return by;
        };
        let procedure = &self.program.procs[procedure];
        let theirs: Vec<VarId> = [&procedure.ins[..], &procedure.outs[..]].concat();
        let their_types = procedure.type_params.clone();
        debug_assert_eq!(
            theirs.len(),
            ours.len(),
            "an implementation has its procedure's formals"
        );
        debug_assert_eq!(
            their_types.len(),
            type_params.len(),
            "an implementation has its procedure's type parameters"
        );
        for (formal, own) in theirs.into_iter().zip(ours) {
            if formal != own {
                let reference = self.program.add_var_ref(span, own);
                by.vars.insert(formal, reference);
            }
        }
        for (theirs, ours) in their_types.into_iter().zip(type_params) {
            if theirs != ours {
                let ty = self.program.types.intern(stet_boogie::Type::Var(ours));
                by.types.insert(theirs, ty);
            }
        }
        by
    }

    fn expand(&mut self, expr: ExprId) -> ExprId {
        self.expander.expand(self.program, expr)
    }

    fn substituted(&mut self, expr: ExprId, by: &Substitution) -> ExprId {
        let expr = tree::substitute(self.program, expr, by);
        self.expand(expr)
    }

    /// `where` clauses of globals, formals and locals, then the preconditions.
    fn entry_block(&mut self) {
        let mut cmds = Vec::new();
        let globals: Vec<VarId> = globals(self.program);
        for var in globals {
            if let Some(clause) = self.program.vars[var].where_clause {
                let clause = self.expand(clause);
                cmds.push(Cmd::Assume(clause));
            }
        }
        let formals = self.formals();
        let implementation = self.program.impls[self.imp].clone();
        let procedure = implementation.proc.map(|p| self.program.procs[p].clone());
        // What the procedure says about its formals holds for the implementation's.
        if let Some(procedure) = &procedure {
            let theirs = procedure.ins.iter().chain(&procedure.outs);
            let ours = implementation.ins.iter().chain(&implementation.outs);
            for (&formal, &own) in theirs.zip(ours) {
                if let Some(clause) = self.program.vars[formal].where_clause {
                    let clause = self.substituted(clause, &formals);
                    self.program.vars[own].where_clause = Some(clause);
                    cmds.push(Cmd::Assume(clause));
                }
            }
        }
        for &var in &implementation.locals {
            if let Some(clause) = self.program.vars[var].where_clause {
                let clause = self.expand(clause);
                cmds.push(Cmd::Assume(clause));
            } else if self
                .program
                .bool_attribute(&self.program.vars[var].attrs, "assumption")
            {
                let span = self.program.vars[var].span;
                cmds.push(Cmd::Assume(self.program.add_var_ref(span, var)));
            }
        }
        for requires in procedure.iter().flat_map(|p| &p.requires) {
            let condition = self.substituted(requires.expr, &formals);
            cmds.push(Cmd::Assume(condition));
        }
        self.body.blocks.push(Block {
            label: "PreconditionGeneratedEntry".into(),
            span: None,
            cmds,
            successors: Vec::new(),
            returns: None,
            inlined_return: None,
        });
    }

    fn block(&mut self, block: &stet_boogie::ast::Block) -> Result<(), Unsupported> {
        let mut cmds = Vec::new();
        for &cmd in &block.cmds {
            self.command(cmd, &mut cmds)?;
            if self.ends_here(cmd, &cmds) {
                self.ended.push(self.body.blocks.len());
                break;
            }
        }
        let returns = match &block.transfer.kind {
            TransferKind::Return => Some(block.transfer.span),
            TransferKind::Goto { .. } => None,
            TransferKind::ReturnExpr(_) => {
                return Err(Unsupported {
                    what: "`return` with a value outside a code expression".to_owned(),
                    span: block.transfer.span,
                });
            }
        };
        self.body.blocks.push(Block {
            label: self.program.name(block.label).into(),
            span: Some(block.span),
            cmds,
            successors: Vec::new(),
            returns,
            inlined_return: self
                .program
                .inlined_returns
                .contains(&block.label)
                .then_some(block.transfer.span),
        });
        Ok(())
    }

    /// Whether nothing comes after a command: `assume false` as written, or `assert false` if it is relied on. A loop whose
    /// body starts with it is none; with a call that cannot return, it is one.
    fn ends_here(&self, id: CmdId, made: &[Cmd]) -> bool {
        let is_written = matches!(
            self.program.cmds[id].kind,
            CmdKind::Assert(_) | CmdKind::Assume(_)
        );
        let is_false =
            |expr: ExprId| matches!(self.program.exprs[expr].kind, ExprKind::Bool(false));
        is_written
            && match made.last() {
                Some(Cmd::Assume(expr)) => is_false(*expr),
                Some(Cmd::Assert { check, expr }) => {
                    is_false(*expr) && self.body.checks[*check].assumed_after
                }
                _ => false,
            }
    }

    fn command(&mut self, id: CmdId, out: &mut Vec<Cmd>) -> Result<(), Unsupported> {
        let cmd = self.program.cmds[id].clone();
        match cmd.kind {
            CmdKind::Assert(expr) => {
                let expr = self.expand(expr);
                let (kind, span, related) = match self.program.inlined_checks.get(&id) {
                    None => (CheckKind::Assert, cmd.span, None),
                    Some(&InlinedCheck::Requires { call, clause }) => {
                        (CheckKind::Requires, call, Some(clause))
                    }
                    Some(&InlinedCheck::Ensures { call, clause }) => {
                        (CheckKind::Ensures, call, Some(clause))
                    }
                };
                let check = self.check(kind, span, related, &cmd.attrs, expr);
                self.mark(&cmd.attrs, expr);
                match self.trusted_when(&cmd.attrs) {
                    None => out.push(Cmd::Assert { check, expr }),
                    Some(when) => {
                        let op = BinaryOp::Or;
                        let checked = tree::binary(self.program, op, when, expr);
                        out.push(Cmd::Assert {
                            check,
                            expr: checked,
                        });
                        out.push(Cmd::Assume(expr));
                    }
                }
            }
            CmdKind::Assume(expr) => {
                let expr = self.expand(expr);
                self.mark(&cmd.attrs, expr);
                out.push(Cmd::Assume(expr));
            }
            CmdKind::Assign { lhss, rhss } => {
                let mut assignments = Vec::new();
                for (lhs, &rhs) in lhss.iter().zip(&rhss) {
                    assignments.extend(self.assignment(lhs, rhs));
                }
                debug_assert_eq!(assignments.len(), lhss.len(), "no assignment is lost");
                out.push(Cmd::Assign(assignments));
            }
            CmdKind::Havoc(targets) => {
                let vars: Vec<VarId> = targets.iter().filter_map(|&t| self.var_of(t)).collect();
                debug_assert_eq!(vars.len(), targets.len(), "no havoc is lost");
                self.havoc(vars, out);
            }
            CmdKind::Call(call) => self.call(cmd.span, &call, &cmd.attrs, out)?,
            CmdKind::ParCall(_) => {
                return Err(Unsupported {
                    what: "`par` calls".to_owned(),
                    span: cmd.span,
                });
            }
            CmdKind::Yield => {
                return Err(Unsupported {
                    what: "`yield`".to_owned(),
                    span: cmd.span,
                });
            }
        }
        Ok(())
    }

    /// Notes `{:split_here}`, `{:focus}`, `{:start_checking_here}`, `{:PossiblyUnreachable}` and `{:captureState}`.
    fn mark(&mut self, attrs: &Attributes, expr: ExprId) {
        if self.program.attribute(attrs, "split_here").is_some() {
            self.body.marks.split_here.insert(expr);
        }
        if self.program.attribute(attrs, "focus").is_some() {
            self.body.marks.focus.insert(expr);
        }
        if self.program.bool_attribute(attrs, "start_checking_here") {
            self.body.marks.start_checking.insert(expr);
        }
        if self.program.bool_attribute(attrs, "PossiblyUnreachable") {
            self.body.marks.possibly_unreachable.insert(expr);
        }
        if let Some(name) = self.program.str_attribute(attrs, "captureState") {
            self.body.marks.states.insert(expr, name.into());
        }
    }

    fn check(
        &mut self,
        kind: CheckKind,
        span: Span,
        related: Option<Span>,
        attrs: &Attributes,
        expr: ExprId,
    ) -> usize {
        let own = self
            .program
            .int_attribute(attrs, "subsumption")
            .and_then(|value| u8::try_from(value).ok());
        let assumed_after = match own.unwrap_or(self.options.subsumption) {
            0 => false,
            1 => !has_quantifier(self.program, expr),
            _ => true,
        };
        let message = self.program.str_attribute(attrs, "msg").map(Rc::from);
        self.body.checks.push(Check {
            kind,
            span,
            related,
            assumed_after,
            message,
        });
        self.body.checks.len() - 1
    }

    /// When a check holds without a proof: under all conditions of `{:verified_under …}`, if there are any.
    fn trusted_when(&mut self, attrs: &Attributes) -> Option<ExprId> {
        let is_meant = |key| self.program.name(key) == "verified_under";
        let conditions: Vec<ExprId> = attrs
            .0
            .iter()
            .filter(|attribute| is_meant(attribute.key))
            .filter_map(|attribute| match attribute.params.first() {
                Some(&AttrParam::Expr(condition)) => Some(condition),
                _ => None,
            })
            .collect();
        let mut all = None;
        for condition in conditions {
            let condition = self.expand(condition);
            let op = BinaryOp::And;
            all = Some(match all {
                None => condition,
                Some(before) => tree::binary(self.program, op, before, condition),
            });
        }
        all
    }

    fn var_of(&self, expr: ExprId) -> Option<VarId> {
        match self.program.exprs[expr].kind {
            ExprKind::Ident { var, .. } => var,
            _ => None,
        }
    }

    /// Havoc, then what the variables' `where` clauses say about the new values.
    fn havoc(&mut self, vars: Vec<VarId>, out: &mut Vec<Cmd>) {
        let clauses: Vec<ExprId> = vars
            .iter()
            .filter_map(|&var| self.program.vars[var].where_clause)
            .collect();
        // An assumption variable can only become false.
        let is_assumption = |var: &VarId| {
            (self.program).bool_attribute(&self.program.vars[*var].attrs, "assumption")
        };
        let assumptions: Vec<VarId> = vars.iter().copied().filter(is_assumption).collect();
        let mut kept = Vec::new();
        for var in assumptions {
            let span = self.program.vars[var].span;
            let name = format!("before#{}", self.program.name(self.program.vars[var].name));
            let before = self.temporary(var, &name, span, &Substitution::default());
            let now = self.program.add_var_ref(span, var);
            out.push(Cmd::Assign(vec![(before, now)]));
            kept.push((now, self.program.add_var_ref(span, before)));
        }
        if !vars.is_empty() {
            out.push(Cmd::Havoc(vars));
        }
        for (now, before) in kept {
            let op = BinaryOp::Imp;
            let claim = tree::binary(self.program, op, now, before);
            out.push(Cmd::Assume(claim));
        }
        for clause in clauses {
            let clause = self.expand(clause);
            out.push(Cmd::Assume(clause));
        }
    }

    fn assignment(&mut self, lhs: &AssignLhs, rhs: ExprId) -> Option<(VarId, ExprId)> {
        let var = self.var_of(lhs.target)?;
        let value = self.updated(lhs.target, &lhs.indexings, rhs);
        Some((var, self.expand(value)))
    }

    /// `m[i][j] := v` assigns `m[i := m[i][j := v]]` to `m`.
    fn updated(&mut self, base: ExprId, indexings: &[Indexing], value: ExprId) -> ExprId {
        let Some((first, rest)) = indexings.split_first() else {
            return value;
        };
        let map_type = self.program.type_of(base);
        let inner = if rest.is_empty() {
            value
        } else {
            let element = self.element_type(map_type, &first.type_args);
            let select = ExprKind::Select {
                map: base,
                indices: first.indices.clone(),
            };
            let select = self.program.add_expr(first.span, select, Some(element));
            self.type_args(select, &first.type_args);
            self.updated(select, rest, value)
        };
        let store = ExprKind::Store {
            map: base,
            indices: first.indices.clone(),
            value: inner,
        };
        let store = self.program.add_expr(first.span, store, Some(map_type));
        self.type_args(store, &first.type_args);
        store
    }

    fn type_args(&mut self, expr: ExprId, args: &[TypeId]) {
        if !args.is_empty() {
            self.program.type_args.insert(expr, args.into());
        }
    }

    fn element_type(&mut self, map: TypeId, type_args: &[TypeId]) -> TypeId {
        let instance = self.program.types.instantiate_map(map, type_args);
        instance.map_or(map, |(_, result)| result)
    }
}

/// The global variables in order.
pub(crate) fn globals(program: &Program) -> Vec<VarId> {
    program
        .decls
        .iter()
        .filter_map(|decl| match decl {
            stet_boogie::Decl::Global(var) => Some(*var),
            _ => None,
        })
        .collect()
}

fn has_quantifier(program: &Program, expr: ExprId) -> bool {
    let mut found = false;
    tree::walk(program, expr, &mut |id| {
        found |= matches!(program.exprs[id].kind, ExprKind::Binder(_));
        !found
    });
    found
}

/// Adds the common exit with the postconditions. Called after loops are cut.
pub(crate) fn add_exit(
    program: &mut Program,
    expander: &mut Expander,
    imp: ImplId,
    body: &mut Body,
    options: BuildOptions,
) {
    let procedure = program.impls[imp].proc;
    let ensures = procedure.map_or_else(Vec::new, |p| program.procs[p].ensures.clone());
    if ensures.iter().all(|e| e.free) {
        return;
    }
    let returning: Vec<usize> = (0..body.blocks.len())
        .filter(|&b| body.blocks[b].returns.is_some())
        .collect();
    if returning.is_empty() {
        return;
    }
    debug_assert!(
        returning
            .iter()
            .all(|&b| body.blocks[b].successors.is_empty()),
        "a block that returns goes nowhere else"
    );
    let taken = std::mem::replace(
        body,
        Body {
            blocks: Vec::new(),
            checks: Vec::new(),
            locals: Vec::new(),
            marks: Marks::default(),
        },
    );
    let mut builder = Builder {
        program,
        expander,
        imp,
        options,
        body: taken,
        temporaries: FastMap::default(),
        ended: Vec::new(),
    };
    let formals = builder.formals();
    let mut cmds = Vec::new();
    for ensure in ensures.iter().filter(|e| !e.free) {
        let expr = builder.substituted(ensure.expr, &formals);
        let check = builder.check(
            CheckKind::Ensures,
            ensure.span,
            Some(ensure.span),
            &ensure.attrs,
            expr,
        );
        cmds.push(Cmd::Assert { check, expr });
    }
    *body = builder.body;
    let exit = body.blocks.len();
    body.blocks.push(Block {
        label: EXIT.into(),
        span: None,
        cmds,
        successors: Vec::new(),
        returns: None,
        inlined_return: None,
    });
    for block in returning {
        body.blocks[block].successors = vec![exit];
    }
}

/// Removes blocks that cannot be reached and renumbers the rest.
pub(crate) fn prune(body: &mut Body) {
    let mut reached = vec![false; body.blocks.len()];
    let mut pending = vec![0];
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            pending.extend(&body.blocks[block].successors);
        }
    }
    if reached.iter().all(|&r| r) {
        return;
    }
    let mut numbers = FastMap::default();
    for (old, _) in reached.iter().enumerate().filter(|(_, r)| **r) {
        let new = numbers.len();
        numbers.insert(old, new);
    }
    let mut index = 0;
    body.blocks.retain(|_| {
        index += 1;
        reached[index - 1]
    });
    debug_assert_eq!(numbers.len(), body.blocks.len(), "what is reached is kept");
    for block in &mut body.blocks {
        for successor in &mut block.successors {
            *successor = numbers[successor];
        }
    }
}

/// The predecessors of every block.
pub(crate) fn predecessors(body: &Body) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); body.blocks.len()];
    for (number, block) in body.blocks.iter().enumerate() {
        for &successor in &block.successors {
            if !found[successor].contains(&number) {
                found[successor].push(number);
            }
        }
    }
    found
}

/// Puts an empty block on every edge from a block with several successors to one with several predecessors.
///
/// Joins equate names at the end of predecessors; on such an edge the equation would also hold on the other ways out.
pub(crate) fn split_edges(body: &mut Body) {
    let before = predecessors(body);
    for from in 0..body.blocks.len() {
        if body.blocks[from].successors.len() < 2 {
            continue;
        }
        for i in 0..body.blocks[from].successors.len() {
            let to = body.blocks[from].successors[i];
            if before[to].len() < 2 {
                continue;
            }
            let edge = body.blocks.len();
            body.blocks.push(Block {
                label: "".into(),
                span: None,
                cmds: Vec::new(),
                successors: vec![to],
                returns: None,
                inlined_return: None,
            });
            body.blocks[from].successors[i] = edge;
        }
    }
}

/// Variables assigned or havocked in a set of blocks, in order of first occurrence.
pub(crate) fn assigned(body: &Body, blocks: &[usize]) -> Vec<VarId> {
    debug_assert!(
        blocks.iter().all(|&block| block < body.blocks.len()),
        "blocks of this body"
    );
    let mut seen = FastSet::default();
    let mut found = Vec::new();
    let mut add = |var: VarId| {
        if seen.insert(var) {
            found.push(var);
        }
    };
    for &block in blocks {
        for cmd in &body.blocks[block].cmds {
            match cmd {
                Cmd::Assign(pairs) => pairs.iter().for_each(|&(var, _)| add(var)),
                Cmd::Havoc(vars) => vars.iter().for_each(|&var| add(var)),
                Cmd::Assume(_) | Cmd::Assert { .. } => {}
            }
        }
    }
    found
}
