//! Names in commands and blocks.

use super::Resolver;
use crate::ast::*;
use crate::program::Decl;
use stet_base::{Span, Symbol};

impl Resolver<'_> {
    pub(super) fn register_labels(&mut self, blocks: &[Block]) {
        self.labels.clear();
        for (i, block) in blocks.iter().enumerate() {
            let index = *self.labels.entry(block.label).or_insert(i as u32);
            if index != i as u32 {
                self.name_error(
                    block.span,
                    "more than one declaration of block name",
                    block.label,
                );
            }
        }
    }

    pub(super) fn blocks(&mut self, blocks: &mut [Block]) {
        for block in blocks {
            for &cmd in &block.cmds {
                self.cmd(cmd);
            }
            match &mut block.transfer.kind {
                TransferKind::Return => {}
                &mut TransferKind::ReturnExpr(expr) => self.expr(expr),
                TransferKind::Goto { labels, targets } => {
                    targets.clear();
                    for &label in labels.iter() {
                        match self.labels.get(&label) {
                            Some(&index) => targets.push(index),
                            None => {
                                self.name_error(block.transfer.span, "goto to unknown block", label)
                            }
                        }
                    }
                }
            }
        }
    }

    fn cmd(&mut self, id: CmdId) {
        let Cmd { span, kind, attrs } = self.program.cmds[id].clone();
        self.statement_id(span, &attrs);
        match kind {
            CmdKind::Assert(expr) | CmdKind::Assume(expr) => {
                self.attributes(&attrs);
                self.expr(expr);
            }
            CmdKind::Assign { lhss, rhss } => {
                self.attributes(&attrs);
                let unpacks = self.program.attribute(&attrs, "unpack").is_some();
                self.assign(span, unpacks, &lhss, &rhss);
            }
            CmdKind::Havoc(vars) => self.exprs(&vars),
            CmdKind::Call(call) => {
                self.attributes(&attrs);
                self.call_cmd(id, span, &call);
            }
            CmdKind::ParCall(calls) => self.par_call(span, &calls),
            CmdKind::Yield => {}
        }
    }

    /// `{:id "…"}` must be unique among all statements.
    fn statement_id(&mut self, span: Span, attrs: &Attributes) {
        let Some(id) = self.program.str_attribute(attrs, "id") else {
            return;
        };
        if !self.statement_ids.insert(id.into()) {
            self.error(span, format!("more than one statement with same id: {id}"));
        }
    }

    fn assign(&mut self, span: Span, unpacks: bool, lhss: &[AssignLhs], rhss: &[ExprId]) {
        if lhss.len() != rhss.len() {
            let text = "number of left-hand sides does not match number of right-hand sides";
            self.error(span, text.to_owned());
        }
        for lhs in lhss {
            self.expr(lhs.target);
            for indexing in &lhs.indexings {
                self.exprs(&indexing.indices);
            }
            for step in &lhs.path {
                if let Step::Index { indices, .. } = step {
                    self.exprs(indices);
                }
            }
        }
        self.exprs(rhss);
        let mut seen: Vec<Option<VarId>> = Vec::new();
        for lhs in lhss {
            let ExprKind::Ident { name, var } = self.program.exprs[lhs.target].kind else {
                continue;
            };
            if var.is_some() && !unpacks && seen.contains(&var) {
                let span = match lhs.indexings.last() {
                    Some(indexing) => indexing.span,
                    None => self.program.exprs[lhs.target].span,
                };
                let text = format!(
                    "variable {} is assigned more than once in parallel assignment",
                    self.program.name(name)
                );
                self.error(span, text);
            }
            seen.push(var);
        }
        self.assumption_variables(span, lhss, rhss);
    }

    /// Assumption variables may only be strengthened: `a := a && e`.
    fn assumption_variables(&mut self, span: Span, lhss: &[AssignLhs], rhss: &[ExprId]) {
        for (lhs, &rhs) in lhss.iter().zip(rhss) {
            let target = &self.program.exprs[lhs.target];
            let ExprKind::Ident {
                name,
                var: Some(var),
            } = target.kind
            else {
                continue;
            };
            let attrs = &self.program.vars[var].attrs;
            if !lhs.indexings.is_empty()
                || !lhs.path.is_empty()
                || !self.program.bool_attribute(attrs, "assumption")
            {
                continue;
            }
            let strengthens = match self.program.exprs[rhs].kind {
                ExprKind::Binary(BinaryOp::And, left, _) => matches!(
                    self.program.exprs[left].kind,
                    ExprKind::Ident { var: Some(v), .. } if v == var
                ),
                _ => false,
            };
            if !strengthens {
                let name = self.program.name(name);
                let text = format!(
                    "RHS of assignment to assumption variable {name} must match expression \"{name} && <boolean expression>\""
                );
                self.error(span, text);
            } else if !self.assigned_assumptions.insert(var) {
                self.error(
                    span,
                    "assumption variable may not be assigned to more than once".to_owned(),
                );
            }
        }
    }

    fn call_cmd(&mut self, id: CmdId, span: Span, call: &CallCmd) {
        let found = match self.callables.get(&call.name) {
            Some(&Decl::Procedure(proc)) => Some(proc),
            _ => None,
        };
        if found.is_none() {
            self.name_error(span, "call to undeclared procedure", call.name);
        }
        if let CmdKind::Call(call) = &mut self.program.cmds[id].kind {
            call.proc = found;
        }
        for &arg in call.ins.iter().flatten() {
            self.expr(arg);
        }
        let mut seen: Vec<Symbol> = Vec::new();
        for &out in call.outs.iter().flatten() {
            self.expr(out);
            let ExprKind::Ident { name, .. } = self.program.exprs[out].kind else {
                continue;
            };
            if seen.contains(&name) {
                let text = "left-hand side of call command contains variable twice";
                self.name_error(span, text, name);
            }
            seen.push(name);
        }
        let Some(proc) = found else { return };
        let (ins, outs) = {
            let proc = &self.program.procs[proc];
            (proc.ins.len(), proc.outs.len())
        };
        let name = self.program.name(call.name).to_owned();
        if ins != call.ins.len() {
            let count = call.ins.len();
            let text = format!("wrong number of arguments in call to {name}: {count}");
            self.error(span, text);
        } else if outs != call.outs.len() {
            let count = call.outs.len();
            let text = format!("wrong number of result variables in call to {name}: {count}");
            self.error(span, text);
        }
        if call.is_async && !call.outs.is_empty() {
            let text = "a procedure called asynchronously cannot have output parameters";
            self.error(span, text.to_owned());
        }
    }

    fn par_call(&mut self, span: Span, calls: &[CmdId]) {
        let mut seen: Vec<Symbol> = Vec::new();
        for &call in calls {
            self.cmd(call);
            let CmdKind::Call(call) = &self.program.cmds[call].kind else {
                continue;
            };
            for out in call.outs.clone().into_iter().flatten() {
                let ExprKind::Ident { name, .. } = self.program.exprs[out].kind else {
                    continue;
                };
                if seen.contains(&name) {
                    let text = "left-hand side of parallel call command contains variable twice";
                    self.name_error(span, text, name);
                }
                seen.push(name);
            }
        }
    }
}
