//! Statements, as written and as blocks.

use super::Printer;
use crate::ast::*;

impl Printer<'_> {
    pub(super) fn stmt_list(&mut self, level: usize, list: StmtListId) {
        for (i, block) in self.program.stmts[list].blocks.iter().enumerate() {
            if i > 0 {
                self.out.line("");
            }
            if let Some(label) = block.label {
                self.out.indent(level);
                self.name(label);
                self.out.line(":");
            }
            for &cmd in &block.cmds {
                self.cmd(level + 1, cmd);
            }
            match &block.end {
                BlockEnd::None => {}
                BlockEnd::Transfer(transfer) => self.transfer(level + 1, transfer),
                BlockEnd::If { arms, otherwise } => self.if_command(level + 1, arms, *otherwise),
                BlockEnd::While {
                    guard,
                    invariants,
                    body,
                    ..
                } => self.while_command(level + 1, *guard, invariants, *body),
                BlockEnd::Break { label, .. } => {
                    self.out.indent(level + 1);
                    self.out.write("break");
                    if let Some(label) = label {
                        self.out.write(" ");
                        self.name(*label);
                    }
                    self.out.line(";");
                }
            }
        }
    }

    fn guard(&mut self, guard: Option<ExprId>) {
        match guard {
            Some(expr) => self.expr(expr, 0, false),
            None => self.out.write("*"),
        }
        self.out.line(")");
    }

    fn braced(&mut self, level: usize, body: StmtListId) {
        self.out.line_at(level, "{");
        self.stmt_list(level + 1, body);
        self.out.line_at(level, "}");
    }

    fn if_command(&mut self, level: usize, arms: &[IfArm], otherwise: Option<StmtListId>) {
        for (i, arm) in arms.iter().enumerate() {
            self.out.indent(level);
            self.out.write(if i == 0 { "if (" } else { "else if (" });
            self.guard(arm.guard);
            self.braced(level, arm.body);
        }
        if let Some(body) = otherwise {
            self.out.line_at(level, "else");
            self.braced(level, body);
        }
    }

    fn while_command(
        &mut self,
        level: usize,
        guard: Option<ExprId>,
        invariants: &[CmdId],
        body: StmtListId,
    ) {
        self.out.indent(level);
        self.out.write("while (");
        self.guard(guard);
        for &invariant in invariants {
            let cmd = &self.program.cmds[invariant];
            self.out.indent(level + 1);
            let expr = match cmd.kind {
                CmdKind::Assume(expr) => {
                    self.out.write("free invariant ");
                    expr
                }
                CmdKind::Assert(expr) => {
                    self.out.write("invariant ");
                    expr
                }
                _ => continue,
            };
            self.attributes(&cmd.attrs);
            self.expr(expr, 0, false);
            self.out.line(";");
        }
        self.braced(level, body);
    }

    pub(super) fn block(&mut self, level: usize, block: &Block, is_cut_point: bool) {
        self.out.line("");
        self.out.indent(level);
        self.name(block.label);
        self.out
            .line(if is_cut_point { ":  // cut point" } else { ":" });
        for &cmd in &block.cmds {
            self.cmd(level + 1, cmd);
        }
        self.transfer(level + 1, &block.transfer);
    }

    fn transfer(&mut self, level: usize, transfer: &Transfer) {
        self.out.indent(level);
        match &transfer.kind {
            TransferKind::Return => self.out.write("return"),
            TransferKind::ReturnExpr(expr) => {
                self.out.write("return ");
                self.expr(*expr, 0, false);
            }
            TransferKind::Goto { labels, .. } => {
                self.out.write("goto ");
                for (i, &label) in labels.iter().enumerate() {
                    if i > 0 {
                        self.out.write(", ");
                    }
                    self.name(label);
                }
            }
        }
        self.out.line(";");
    }

    /// `C(x, y) := e`, whose parts are a test and this assignment of the fields.
    fn unpack(&mut self, constructor: &str, lhss: &[AssignLhs], rhss: &[ExprId]) {
        self.out.write(constructor);
        self.out.write("(");
        let targets: Vec<ExprId> = lhss.iter().map(|lhs| lhs.target).collect();
        self.exprs(&targets);
        self.out.write(") := ");
        if let Some(&rhs) = rhss.first()
            && let ExprKind::Call { args, .. } = &self.program.exprs[rhs].kind
        {
            self.exprs(args);
        }
    }

    pub(super) fn cmd(&mut self, level: usize, id: CmdId) {
        let cmd = &self.program.cmds[id];
        let unpacked = self.program.str_attribute(&cmd.attrs, "unpack");
        if unpacked.is_some() && matches!(cmd.kind, CmdKind::Assert(_)) {
            return;
        }
        self.out.indent(level);
        match &cmd.kind {
            CmdKind::Assign { lhss, rhss } if unpacked.is_some() => {
                self.unpack(unpacked.unwrap_or_default(), lhss, rhss);
            }
            CmdKind::Assert(expr) => self.predicate("assert ", cmd, *expr),
            CmdKind::Assume(expr) => self.predicate("assume ", cmd, *expr),
            CmdKind::Assign { lhss, rhss } => {
                for (i, lhs) in lhss.iter().enumerate() {
                    if i > 0 {
                        self.out.write(", ");
                    }
                    self.expr(lhs.target, 0, false);
                    for indexing in &lhs.indexings {
                        self.out.write("[");
                        self.exprs(&indexing.indices);
                        self.out.write("]");
                    }
                    self.path(&lhs.path);
                }
                self.out.write(" := ");
                for (i, &rhs) in rhss.iter().enumerate() {
                    if i > 0 {
                        self.out.write(", ");
                    }
                    self.expr(rhs, 0, false);
                }
            }
            CmdKind::Havoc(vars) => {
                self.out.write("havoc ");
                self.exprs(vars);
            }
            CmdKind::Call(call) => {
                if call.is_free {
                    self.out.write("free ");
                }
                if call.is_async {
                    self.out.write("async ");
                }
                self.out.write("call ");
                self.call(cmd, call);
            }
            CmdKind::ParCall(calls) => {
                self.out.write("par ");
                for (i, &call) in calls.iter().enumerate() {
                    if i > 0 {
                        self.out.write(" | ");
                    }
                    let cmd = &self.program.cmds[call];
                    if let CmdKind::Call(call) = &cmd.kind {
                        self.call(cmd, call);
                    }
                }
            }
            CmdKind::Yield => self.out.write("yield"),
        }
        self.out.line(";");
    }

    fn predicate(&mut self, keyword: &str, cmd: &Cmd, expr: ExprId) {
        self.out.write(keyword);
        self.attributes(&cmd.attrs);
        self.expr(expr, 0, false);
    }

    fn call(&mut self, cmd: &Cmd, call: &CallCmd) {
        self.attributes(&cmd.attrs);
        self.optional_exprs(&call.outs);
        if !call.outs.is_empty() {
            self.out.write(" := ");
        }
        self.name(call.name);
        self.out.write("(");
        self.optional_exprs(&call.ins);
        self.out.write(")");
    }

    fn optional_exprs(&mut self, exprs: &[Option<ExprId>]) {
        for (i, expr) in exprs.iter().enumerate() {
            if i > 0 {
                self.out.write(", ");
            }
            match expr {
                Some(expr) => self.expr(*expr, 0, false),
                None => self.out.write("*"),
            }
        }
    }
}
