//! Types in commands, and what they may assign to.

use super::exprs::{Application, Applied, Indexed};
use super::{Checker, InstanceKey};
use crate::ast::*;
use crate::infer::Ty;
use crate::program::VarKind;
use stet_base::Span;

impl Checker<'_> {
    pub(super) fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            for &cmd in &block.cmds {
                self.cmd(cmd);
            }
            if let TransferKind::ReturnExpr(expr) = block.transfer.kind {
                self.condition(expr, block.transfer.span, "a return expression");
            }
        }
    }

    fn condition(&mut self, expr: ExprId, span: Span, what: &str) {
        let ty = self.expr(expr);
        let bool = self.infer.bool;
        if !self.infer.unify(ty, bool) {
            let text = format!("{what} must be of type bool (got: {})", self.show(ty));
            self.error(span, text);
        }
    }

    fn cmd(&mut self, id: CmdId) {
        let Cmd { span, kind, attrs } = self.program.cmds[id].clone();
        match kind {
            CmdKind::Assert(expr) => {
                self.attributes(&attrs);
                self.condition(expr, span, "an asserted expression");
            }
            CmdKind::Assume(expr) => {
                self.attributes(&attrs);
                self.condition(expr, span, "an assumed expression");
            }
            CmdKind::Assign { mut lhss, mut rhss } => {
                self.attributes(&attrs);
                if self.without_paths(&mut lhss, &mut rhss) {
                    let (lhss, rhss) = (lhss.clone(), rhss.clone());
                    self.program.cmds[id].kind = CmdKind::Assign { lhss, rhss };
                }
                if self.program.attribute(&attrs, "unpack").is_some() {
                    self.unpacked_once(span, &lhss);
                }
                self.assign(id, span, &lhss, &rhss);
            }
            CmdKind::Havoc(vars) => {
                self.exprs(&vars);
                let vars = self.variables_of(vars.iter());
                self.check_assigned(span, &vars);
            }
            CmdKind::Call(call) => {
                self.attributes(&attrs);
                self.call_cmd(id, span, &call);
            }
            CmdKind::ParCall(calls) => {
                if !self.yields {
                    let text = "enclosing procedure of a parallel call must yield";
                    self.error(span, text.to_owned());
                }
                for &call in &calls {
                    if let CmdKind::Call(call) = &self.program.cmds[call].kind
                        && let Some(proc) = call.proc
                    {
                        let attrs = &self.program.procs[proc].attrs;
                        if self.program.attribute(attrs, "yields").is_none() {
                            let text = "target procedure of a parallel call must yield";
                            self.error(span, text.to_owned());
                        }
                    }
                }
                for call in calls {
                    self.cmd(call);
                }
            }
            CmdKind::Yield => {
                if !self.yields {
                    let text = "enclosing procedure of a yield command must yield";
                    self.error(span, text.to_owned());
                }
            }
        }
    }

    fn unpacked_once(&mut self, span: Span, lhss: &[AssignLhs]) {
        let mut seen = Vec::new();
        for var in self.variables_of(lhss.iter().map(|lhs| &lhs.target)) {
            if seen.contains(&var) {
                let name = self.program.name(self.program.vars[var].name);
                let text = format!("variable {name} is assigned more than once in unpack command");
                self.error(span, text);
            }
            seen.push(var);
        }
    }

    fn variables_of<'e>(&self, exprs: impl Iterator<Item = &'e ExprId>) -> Vec<VarId> {
        exprs
            .filter_map(|&e| match self.program.exprs[e].kind {
                ExprKind::Ident { var, .. } => var,
                _ => None,
            })
            .collect()
    }

    fn check_assigned(&mut self, span: Span, vars: &[VarId]) {
        for &var in vars {
            let (name, kind) = (self.program.vars[var].name, self.program.vars[var].kind);
            let immutable = matches!(kind, VarKind::Constant | VarKind::In | VarKind::Bound);
            if immutable {
                let text = "command assigns to an immutable variable";
                self.name_error(span, text, name);
            } else if kind == VarKind::Global
                && !self.yields
                && self.frame.as_ref().is_some_and(|f| !f.contains(&var))
            {
                let text = "command assigns to a global variable that is not in the enclosing procedure's modifies clause";
                self.name_error(span, text, name);
            }
        }
    }

    fn assign(&mut self, id: CmdId, span: Span, lhss: &[AssignLhs], rhss: &[ExprId]) {
        let left: Vec<Option<Ty>> = lhss
            .iter()
            .enumerate()
            .map(|(i, lhs)| self.lhs(id, i, lhs))
            .collect();
        let right = self.exprs(rhss);
        let vars = self.variables_of(lhss.iter().map(|l| &l.target));
        self.check_assigned(span, &vars);
        for ((lhs, left), right) in lhss.iter().zip(left).zip(right) {
            let Some(left) = left else { continue };
            if !self.infer.unify(left, right) {
                let span = match lhs.indexings.last() {
                    Some(indexing) => indexing.span,
                    None => self.program.exprs[lhs.target].span,
                };
                let text = format!(
                    "mismatched types in assignment command (cannot assign {} to {})",
                    self.show(right),
                    self.show(left)
                );
                self.error(span, text);
            }
        }
    }

    fn lhs(&mut self, id: CmdId, target: usize, lhs: &AssignLhs) -> Option<Ty> {
        let mut ty = Some(self.expr(lhs.target));
        for (i, indexing) in lhs.indexings.iter().enumerate() {
            let errors = self.errors;
            self.exprs(&indexing.indices);
            if self.errors > errors {
                ty = None;
            }
            let Some(map) = ty else { continue };
            let application = Application {
                span: indexing.span,
                applied: Applied::Other("map assignment"),
            };
            let key = InstanceKey::Lhs(id, target as u32, i as u32);
            let indexed = match i.checked_sub(1) {
                Some(before) => Indexed::AgainTarget(lhs.indexings[before].span),
                None => Indexed::Target(self.program.exprs[lhs.target].span),
            };
            ty = self.select(key, map, indexed, &indexing.indices, &application);
        }
        ty
    }

    fn call_cmd(&mut self, id: CmdId, span: Span, call: &CallCmd) {
        let ins: Vec<ExprId> = call.ins.iter().flatten().copied().collect();
        let outs: Vec<ExprId> = call.outs.iter().flatten().copied().collect();
        self.exprs(&ins);
        let out_types = self.exprs(&outs);
        let Some(proc) = call.proc else { return };
        let procedure = self.program.procs[proc].clone();
        // What an asynchronous call modifies is not modified here.
        if !call.is_async {
            let mut assigned = self.variables_of(outs.iter());
            assigned.extend(self.variables_of(procedure.modifies.iter()));
            self.check_assigned(span, &assigned);
        }
        if call.is_async && self.program.attribute(&procedure.attrs, "yields").is_none() {
            let text = "target procedure of an async call must yield";
            self.error(span, text.to_owned());
        }
        let name = format!("call to {}", self.program.name(call.name));
        let formals: Vec<Ty> = procedure.ins.iter().map(|&v| self.var_type(v)).collect();
        let application = Application {
            span,
            applied: Applied::Other(&name),
        };
        let subst = self.instance(InstanceKey::Call(id), &procedure.type_params);
        self.arguments(&subst, &formals, &ins, &application);
        for (i, (&formal, (&out, actual))) in procedure
            .outs
            .iter()
            .zip(outs.iter().zip(out_types))
            .enumerate()
        {
            let formal = self.var_type(formal);
            let expected = self.infer.substitute(formal, &subst);
            if !self.infer.unify(expected, actual) {
                let text = format!(
                    "invalid type for out-parameter {i} in {name}: {} (expected: {})",
                    self.show(actual),
                    self.show(expected)
                );
                let span = self.program.exprs[out].span;
                self.error(span, text);
            }
        }
    }
}
