//! Type arguments that nothing determines: settled arbitrarily, with a warning.

use super::{Checker, InstanceKey};
use crate::ast::*;
use crate::program::*;
use crate::{codes, message};
use stet_base::Span;

impl Checker<'_> {
    /// Visits all uses in declaration order, outer ones first.
    pub(super) fn settle_all(&mut self, decls: &[Decl]) {
        let undetermined = {
            let slots = self.instances.values().map(|i| &self.infer.slots[i.slot]);
            slots.flatten().any(|&ty| self.infer.is_undetermined(ty))
        };
        if !undetermined {
            return;
        }
        for &decl in decls {
            match decl {
                Decl::TypeCtor(_) | Decl::Synonym(_) | Decl::Constant(_) => {}
                Decl::Function(id) => {
                    if let Some(body) = self.program.funcs[id].body {
                        self.settle_expr(body);
                    }
                }
                Decl::Global(var) => self.settle_where(&[var]),
                Decl::Axiom(id) => self.settle_expr(self.program.axioms[id].expr),
                Decl::Procedure(id) => {
                    let proc = self.program.procs[id].clone();
                    for spec in proc.ensures.iter().chain(&proc.requires) {
                        self.settle_expr(spec.expr);
                    }
                    self.settle_where(&proc.ins);
                    self.settle_where(&proc.outs);
                }
                Decl::Implementation(id) => {
                    let Implementation { locals, blocks, .. } = self.program.impls[id].clone();
                    self.settle_where(&locals);
                    self.settle_blocks(&blocks);
                }
            }
        }
    }

    fn settle_where(&mut self, vars: &[VarId]) {
        for &var in vars {
            if let Some(expr) = self.program.vars[var].where_clause {
                self.settle_expr(expr);
            }
        }
    }

    fn settle_blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            for &cmd in &block.cmds {
                self.settle_cmd(cmd);
            }
            if let TransferKind::ReturnExpr(expr) = block.transfer.kind {
                self.settle_expr(expr);
            }
        }
    }

    fn settle_cmd(&mut self, id: CmdId) {
        match self.program.cmds[id].kind.clone() {
            CmdKind::Assert(expr) | CmdKind::Assume(expr) => self.settle_expr(expr),
            CmdKind::Assign { lhss, rhss } => {
                for (i, lhs) in lhss.iter().enumerate() {
                    for (j, indexing) in lhs.indexings.iter().enumerate().rev() {
                        let key = InstanceKey::Lhs(id, i as u32, j as u32);
                        self.settle_instance(key, indexing.span);
                        for &index in &indexing.indices {
                            self.settle_expr(index);
                        }
                    }
                }
                for rhs in rhss {
                    self.settle_expr(rhs);
                }
            }
            CmdKind::Call(call) => {
                for &arg in call.ins.iter().flatten() {
                    self.settle_expr(arg);
                }
            }
            CmdKind::ParCall(calls) => calls.into_iter().for_each(|c| self.settle_cmd(c)),
            CmdKind::Havoc(_) | CmdKind::Yield => {}
        }
    }

    fn settle_expr(&mut self, root: ExprId) {
        let mut uses = Vec::new();
        crate::walk::exprs(self.program, root, &mut |id, expr| {
            if let ExprKind::Code(code) = expr.kind {
                uses.push((id, expr.span, Some(code)));
            } else {
                uses.push((id, expr.span, None));
            }
        });
        for (id, span, code) in uses {
            match code {
                Some(code) => {
                    let blocks = self.program.codes[code].blocks.clone();
                    self.settle_blocks(&blocks);
                }
                None => self.settle_instance(InstanceKey::Expr(id), span),
            }
        }
    }

    fn settle_instance(&mut self, key: InstanceKey, span: Span) {
        let Some(instance) = self.instances.get(&key) else {
            return;
        };
        let params = instance.params.clone();
        let types = self.infer.slots[instance.slot].clone();
        for (param, ty) in params.iter().zip(types) {
            if self.infer.settle(self.program, span, ty) {
                let name = self.program.type_vars[*param].name;
                let text = format!(
                    "type parameter {} is ambiguous, instantiating to {}",
                    self.program.name(name),
                    self.show(ty)
                );
                self.messages
                    .push(message::warning(codes::TYPE, span, text));
            }
        }
    }
}
