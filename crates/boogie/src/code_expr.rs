//! Code expressions `|{ … }|` as plain expressions.
//!
//! The value of a code expression is that every way through it ends in a `return` whose expression holds: its weakest precondition. Assumptions become premises,
//! checks become conjuncts, assignments become `let`s, forgotten and uninitialised variables are quantified. Code with calls, loops or that would grow too large stays as it is.

use crate::ast::*;
use crate::position::nowhere;
use crate::program::{Program, VarKind};
use crate::subst::{Copier, Substitution};
use crate::types::TypeId;
use stet_base::Span;

/// How many expressions one code expression may become.
const LIMIT: usize = 200_000;

/// Replaces all code expressions of a typed program, inner ones first.
pub fn lower_code_expressions(program: &mut Program) {
    if program.codes.is_empty() {
        return;
    }
    for id in program.exprs.ids() {
        if let ExprKind::Code(code) = program.exprs[id].kind
            && program.exprs[id].ty.is_some()
        {
            let start = program.exprs.len();
            let mut lowering = Lowering {
                span: nowhere(program.exprs[id].span),
                bool_type: program.types.bool(),
                limit: start + LIMIT,
                program,
            };
            if let Some(expr) = lowering.code(code) {
                let kind = program.exprs[expr].kind.clone();
                program.exprs[id].kind = kind;
                if let Some(type_args) = program.type_args.get(&expr).cloned() {
                    program.type_args.insert(id, type_args);
                }
            }
        }
    }
}

struct Lowering<'a> {
    program: &'a mut Program,
    span: Span,
    bool_type: TypeId,
    limit: usize,
}

/// The precondition of a block: not begun, being computed, known.
#[derive(Clone, Copy)]
enum Progress {
    New,
    Open,
    Known(ExprId),
}

impl Lowering<'_> {
    fn code(&mut self, code: CodeId) -> Option<ExprId> {
        let CodeExpr { locals, blocks } = self.program.codes[code].clone();
        let mut progress = vec![Progress::New; blocks.len()];
        let value = self.block(&blocks, 0, &mut progress)?;
        // Boogie assumes nothing about the values locals start with.
        self.forall(&locals, value)
    }

    fn block(&mut self, blocks: &[Block], at: usize, progress: &mut [Progress]) -> Option<ExprId> {
        match progress[at] {
            Progress::Known(expr) => return Some(expr),
            Progress::Open => return None,
            Progress::New => progress[at] = Progress::Open,
        }
        let block = &blocks[at];
        let mut value = match &block.transfer.kind {
            TransferKind::ReturnExpr(expr) => *expr,
            TransferKind::Return => return None,
            TransferKind::Goto { targets, .. } => {
                let mut all = None;
                for &target in targets {
                    let next = self.block(blocks, target as usize, progress)?;
                    all = Some(match all {
                        None => next,
                        Some(before) => self.binary(BinaryOp::And, before, next),
                    });
                }
                all?
            }
        };
        for &cmd in block.cmds.iter().rev() {
            value = self.cmd(cmd, value)?;
            if self.program.exprs.len() > self.limit {
                return None;
            }
        }
        progress[at] = Progress::Known(value);
        Some(value)
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let kind = ExprKind::Binary(op, left, right);
        self.program.add_expr(self.span, kind, Some(self.bool_type))
    }

    /// What must hold before a command so that `after` holds after it.
    fn cmd(&mut self, cmd: CmdId, after: ExprId) -> Option<ExprId> {
        Some(match self.program.cmds[cmd].kind.clone() {
            CmdKind::Assume(expr) => self.binary(BinaryOp::Imp, expr, after),
            CmdKind::Assert(expr) => {
                let then = self.binary(BinaryOp::Imp, expr, after);
                self.binary(BinaryOp::And, expr, then)
            }
            CmdKind::Havoc(targets) => {
                let vars: Option<Vec<VarId>> = targets.iter().map(|&t| self.variable(t)).collect();
                let vars = vars?;
                let mut body = after;
                for &var in vars.iter().rev() {
                    if let Some(clause) = self.program.vars[var].where_clause {
                        body = self.binary(BinaryOp::Imp, clause, body);
                    }
                }
                self.forall(&vars, body)?
            }
            CmdKind::Assign { lhss, rhss } => {
                let mut vars = Vec::new();
                let mut values = Vec::new();
                for (lhs, rhs) in lhss.iter().zip(rhss) {
                    vars.push(self.variable(lhs.target)?);
                    values.push(self.stored(lhs.target, &lhs.indexings, rhs)?);
                }
                let (vars, body) = self.renamed(&vars, after);
                let kind = ExprKind::Let(Box::new(LetExpr {
                    vars,
                    values,
                    attrs: Attributes::default(),
                    body,
                }));
                self.program.add_expr(self.span, kind, Some(self.bool_type))
            }
            CmdKind::Call(_) | CmdKind::ParCall(_) | CmdKind::Yield => return None,
        })
    }

    fn variable(&self, expr: ExprId) -> Option<VarId> {
        match self.program.exprs[expr].kind {
            ExprKind::Ident { var, .. } => var,
            _ => None,
        }
    }

    /// The whole map after an assignment to `map[…][…]`.
    fn stored(&mut self, map: ExprId, indexings: &[Indexing], value: ExprId) -> Option<ExprId> {
        let Some((first, rest)) = indexings.split_first() else {
            return Some(value);
        };
        let map_type = self.program.exprs[map].ty?;
        let (_, element_type) = self
            .program
            .types
            .instantiate_map(map_type, &first.type_args)?;
        let mut inner = value;
        if !rest.is_empty() {
            let kind = ExprKind::Select {
                map,
                indices: first.indices.clone(),
            };
            let element = self.program.add_expr(self.span, kind, Some(element_type));
            self.instantiated(element, first);
            inner = self.stored(element, rest, value)?;
        }
        let kind = ExprKind::Store {
            map,
            indices: first.indices.clone(),
            value: inner,
        };
        let stored = self.program.add_expr(self.span, kind, Some(map_type));
        self.instantiated(stored, first);
        Some(stored)
    }

    fn instantiated(&mut self, expr: ExprId, indexing: &Indexing) {
        if !indexing.type_args.is_empty() {
            let type_args = indexing.type_args.clone();
            self.program.type_args.insert(expr, type_args);
        }
    }

    /// Bound copies of variables, and the expression over them.
    fn renamed(&mut self, vars: &[VarId], expr: ExprId) -> (Vec<VarId>, ExprId) {
        let mut subst = Substitution::default();
        let mut copies = Vec::new();
        for &var in vars {
            let mut variable = self.program.vars[var].clone();
            variable.kind = VarKind::Bound;
            variable.where_clause = None;
            variable.attrs = Attributes::default();
            let copy = self.program.vars.push(variable);
            subst.vars.insert(var, copy);
            copies.push(copy);
        }
        let expr = Copier::new(self.program, &subst).expr(expr);
        (copies, expr)
    }

    fn forall(&mut self, vars: &[VarId], expr: ExprId) -> Option<ExprId> {
        if vars.is_empty() {
            return Some(expr);
        }
        let (vars, body) = self.renamed(vars, expr);
        let binder = Binder {
            kind: BinderKind::Forall,
            type_params: Vec::new(),
            vars,
            attrs: Attributes::default(),
            triggers: Vec::new(),
            body,
        };
        let kind = ExprKind::Binder(Box::new(binder));
        Some(self.program.add_expr(self.span, kind, Some(self.bool_type)))
    }
}
