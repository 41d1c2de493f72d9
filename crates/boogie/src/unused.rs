//! Dropping locals that no command mentions: what their `where` clauses say is not assumed then.
//!
//! Only one that the `where` clause of another mentions stays, without its own. Boogie does this before everything else.
//! Attributes and `where` clauses of other variables do not count as mentions, nor does code that no path leads to: none
//! leads out of a block with `assert false` or `assume false`.

use crate::ast::*;
use crate::program::Program;
use crate::walk;
use stet_base::FastSet;

/// Drops the locals of all implementations that their commands do not mention.
pub fn drop_unused_locals(program: &mut Program) {
    for id in program.impls.ids() {
        let mut found = Mentions {
            program,
            used: FastSet::default(),
            codes: Vec::new(),
        };
        found.in_blocks(&program.impls[id].blocks);
        while let Some(code) = found.codes.pop() {
            found.in_blocks(&program.codes[code].blocks);
        }
        let used = std::mem::take(&mut found.used);
        let locals = program.impls[id].locals.clone();
        let (kept, unused): (Vec<VarId>, Vec<VarId>) =
            locals.iter().partition(|var| used.contains(var));
        let clauses = kept
            .iter()
            .filter_map(|&var| program.vars[var].where_clause);
        clauses.for_each(|clause| found.in_expr(clause));
        let in_clauses = found.used;
        for &var in &unused {
            program.vars[var].where_clause = None;
        }
        let stays = |var: &VarId| used.contains(var) || in_clauses.contains(var);
        program.impls[id].locals.retain(stays);
    }
}

struct Mentions<'a> {
    program: &'a Program,
    used: FastSet<VarId>,
    /// Code expressions still to be looked at.
    codes: Vec<CodeId>,
}

impl Mentions<'_> {
    fn in_blocks(&mut self, blocks: &[Block]) {
        let mut reached = vec![false; blocks.len()];
        let mut pending = vec![0];
        while let Some(number) = pending.pop() {
            let Some(block) = blocks.get(number) else {
                continue;
            };
            if std::mem::replace(&mut reached[number], true) {
                continue;
            }
            block.cmds.iter().for_each(|&cmd| self.in_command(cmd));
            if block.cmds.iter().any(|&cmd| self.is_false(cmd)) {
                continue;
            }
            match &block.transfer.kind {
                TransferKind::Goto { targets, .. } => {
                    pending.extend(targets.iter().map(|&target| target as usize));
                }
                TransferKind::ReturnExpr(expr) => self.in_expr(*expr),
                TransferKind::Return => {}
            }
        }
    }

    /// Whether nothing can come after a command.
    fn is_false(&self, cmd: CmdId) -> bool {
        match self.program.cmds[cmd].kind {
            CmdKind::Assert(expr) | CmdKind::Assume(expr) => {
                matches!(self.program.exprs[expr].kind, ExprKind::Bool(false))
            }
            _ => false,
        }
    }

    fn in_command(&mut self, cmd: CmdId) {
        let program = self.program;
        match &program.cmds[cmd].kind {
            CmdKind::Assert(expr) | CmdKind::Assume(expr) => self.in_expr(*expr),
            CmdKind::Assign { lhss, rhss } => {
                for lhs in lhss {
                    self.in_expr(lhs.target);
                    let indices = lhs.indexings.iter().flat_map(|i| i.indices.iter());
                    indices.for_each(|&index| self.in_expr(index));
                }
                rhss.iter().for_each(|&value| self.in_expr(value));
            }
            CmdKind::Havoc(targets) => targets.iter().for_each(|&t| self.in_expr(t)),
            CmdKind::Call(call) => {
                let actuals = call.ins.iter().chain(&call.outs).flatten();
                actuals.for_each(|&actual| self.in_expr(actual));
            }
            // Only calls are in it.
            CmdKind::ParCall(calls) => calls.iter().for_each(|&call| self.in_command(call)),
            CmdKind::Yield => {}
        }
    }

    fn in_expr(&mut self, expr: ExprId) {
        walk::exprs(self.program, expr, &mut |_, found| match &found.kind {
            ExprKind::Ident { var: Some(var), .. } => {
                self.used.insert(*var);
            }
            ExprKind::Code(code) => self.codes.push(*code),
            _ => {}
        });
    }
}
