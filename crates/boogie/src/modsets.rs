//! Inference of `modifies` clauses (`/inferModifies`): what a procedure with a body assigns, itself or by calls.

use crate::ast::*;
use crate::program::*;
use std::collections::BTreeSet;

/// What the bodies of a procedure assign and call.
#[derive(Default)]
struct Effects {
    globals: BTreeSet<VarId>,
    callees: BTreeSet<ProcId>,
}

/// Adds to the `modifies` clause of every procedure with a body what it may assign. The program is resolved, not yet checked.
pub fn infer_modifies(program: &mut Program) {
    let mut effects: Vec<Effects> = Vec::new();
    effects.resize_with(program.procs.len(), Effects::default);
    for (id, procedure) in program.procs.iter() {
        let declared = procedure
            .modifies
            .iter()
            .filter_map(|&e| global(program, e));
        effects[index(id)].globals.extend(declared);
    }
    let mut with_bodies = BTreeSet::new();
    for (_, implementation) in program.impls.iter() {
        let Some(proc) = implementation.proc else {
            continue;
        };
        with_bodies.insert(proc);
        for block in &implementation.blocks {
            for &cmd in &block.cmds {
                collect(program, cmd, &mut effects[index(proc)]);
            }
        }
    }
    propagate(&mut effects, &with_bodies);
    for proc in with_bodies {
        declare(program, proc, &effects[index(proc)].globals);
    }
}

fn index(proc: ProcId) -> usize {
    stet_base::Index::index(proc)
}

/// The global that an identifier means.
fn global(program: &Program, expr: ExprId) -> Option<VarId> {
    match program.exprs[expr].kind {
        ExprKind::Ident { var: Some(var), .. } => {
            (program.vars[var].kind == VarKind::Global).then_some(var)
        }
        _ => None,
    }
}

fn collect(program: &Program, cmd: CmdId, effects: &mut Effects) {
    let mut assign = |exprs: &mut dyn Iterator<Item = ExprId>| {
        effects
            .globals
            .extend(exprs.filter_map(|e| global(program, e)));
    };
    match &program.cmds[cmd].kind {
        CmdKind::Assign { lhss, .. } => assign(&mut lhss.iter().map(|lhs| lhs.target)),
        CmdKind::Havoc(vars) => assign(&mut vars.iter().copied()),
        CmdKind::Call(call) => {
            assign(&mut call.outs.iter().flatten().copied());
            effects.callees.extend(call.proc);
        }
        CmdKind::ParCall(calls) => {
            for &call in calls {
                collect(program, call, effects);
            }
        }
        CmdKind::Assert(_) | CmdKind::Assume(_) | CmdKind::Yield => {}
    }
}

/// Adds what callees assign, until nothing changes.
fn propagate(effects: &mut [Effects], with_bodies: &BTreeSet<ProcId>) {
    loop {
        let mut is_changed = false;
        for &proc in with_bodies {
            let callees = std::mem::take(&mut effects[index(proc)].callees);
            let mut globals = std::mem::take(&mut effects[index(proc)].globals);
            let before = globals.len();
            for &callee in &callees {
                globals.extend(&effects[index(callee)].globals);
            }
            is_changed |= globals.len() > before;
            effects[index(proc)] = Effects { globals, callees };
        }
        if !is_changed {
            return;
        }
    }
}

fn declare(program: &mut Program, proc: ProcId, globals: &BTreeSet<VarId>) {
    let declared = &program.procs[proc].modifies;
    let declared: BTreeSet<VarId> = declared
        .iter()
        .filter_map(|&e| global(program, e))
        .collect();
    let span = program.procs[proc].span;
    for &var in globals.difference(&declared) {
        let name = program.vars[var].name;
        let kind = ExprKind::Ident {
            name,
            var: Some(var),
        };
        let expr = program.exprs.push(Expr {
            kind,
            span,
            ty: None,
        });
        program.procs[proc].modifies.push(expr);
    }
}
