//! Inlining of procedures with `{:inline n}`: calls become the bodies of what they call, `n` levels deep.
//!
//! Names are Boogie's, because execution traces and `/printInlined` show them: the k-th inlining of `P` has blocks
//! `inline$P$k$Entry`, `inline$P$k$<label>`, `inline$P$k$Return` and variables `inline$P$k$<name>`; the calling block `B` goes on as `B$1`, `B$2`, ….
//! The entry block assigns the parameters, checks the precondition, forgets locals and results and saves what may be modified;
//! the return block checks the postcondition and assigns the results.

use crate::ast::*;
use crate::blocks;
use crate::position::nowhere;
use crate::program::*;
use crate::subst::{Copier, Substitution};
use stet_base::{FastMap, Span, Symbol};

/// What becomes of a call when the depth is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inlining {
    /// Attributes are ignored.
    None,
    /// `assume false`: deeper executions are not looked at.
    Assume,
    /// `assert false`: deeper executions are errors.
    Assert,
    /// The call stays and is treated by its specification.
    Spec,
}

/// How many blocks inlining may add to an implementation: with more of them, neither memory nor a prover would do.
pub const MAX_INLINED: usize = 20_000;

/// Where a check inside an inlined body comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InlinedCheck {
    /// The precondition of an inlined call.
    Requires { call: Span, clause: Span },
    /// The postcondition of an inlined procedure.
    Ensures { call: Span, clause: Span },
}

/// Whether an implementation is not to be verified by itself: `{:verify false}`, or inlined at all its calls.
pub fn skips_verification(program: &Program, id: ImplId, inlining: Inlining) -> bool {
    let implementation = &program.impls[id];
    let proc_attrs = implementation.proc.map(|p| &program.procs[p].attrs);
    let all = || proc_attrs.into_iter().chain([&implementation.attrs]);
    let refused = all()
        .any(|a| program.attribute(a, "verify").is_some() && !program.bool_attribute(a, "verify"));
    refused
        || (matches!(inlining, Inlining::Assume | Inlining::Assert)
            && all().any(|a| program.attribute(a, "inline").is_some()))
}

/// Inlines calls in the implementations that `selected` chooses; returns those that changed. What would become too large is left
/// as it is and put into [`Program::not_inlined`]; so is everything with code expressions that would.
pub fn inline(
    program: &mut Program,
    inlining: Inlining,
    depth: Option<u32>,
    selected: &dyn Fn(&Program, ImplId) -> bool,
) -> Vec<ImplId> {
    let has_inline = |attrs: &Attributes| program.attribute(attrs, "inline").is_some();
    let wanted = program.procs.iter().any(|(_, p)| has_inline(&p.attrs))
        || program.impls.iter().any(|(_, i)| has_inline(&i.attrs));
    if inlining == Inlining::None || !wanted {
        return Vec::new();
    }
    let mut bodies: FastMap<ProcId, Original> = FastMap::default();
    let mut order = Vec::new();
    for &decl in &program.decls {
        if let Decl::Implementation(id) = decl {
            order.push(id);
            if let Some(proc) = program.impls[id].proc {
                bodies.entry(proc).or_insert_with(|| Original {
                    implementation: id,
                    locals: program.impls[id].locals.clone(),
                    blocks: program.impls[id].blocks.clone(),
                });
            }
        }
    }
    let code_fits = inline_in_code(program, inlining, depth, &bodies);
    let mut changed = Vec::new();
    for id in order {
        if !selected(program, id) || skips_verification(program, id, inlining) {
            continue;
        }
        let mut inliner = Inliner {
            inlining,
            depth,
            bodies: &bodies,
            counts: FastMap::default(),
            remaining: FastMap::default(),
            locals: program.impls[id].locals.clone(),
            modifies: Vec::new(),
            inlined: false,
            added: 0,
            program,
        };
        let blocks = inliner.program.impls[id].blocks.clone();
        let mut blocks = inliner.blocks(blocks);
        if inliner.is_full() || !code_fits {
            program.not_inlined.insert(id);
        } else if inliner.inlined {
            let (locals, modifies) = (inliner.locals, inliner.modifies);
            blocks::link(&mut blocks);
            extend_modifies(program, id, modifies);
            let implementation = &mut program.impls[id];
            implementation.locals = locals;
            implementation.blocks = blocks;
            changed.push(id);
        }
    }
    changed
}

/// Inlines calls inside code expressions, whose blocks stand for themselves; `false` if one would become too large.
fn inline_in_code(
    program: &mut Program,
    inlining: Inlining,
    depth: Option<u32>,
    bodies: &FastMap<ProcId, Original>,
) -> bool {
    for code in program.codes.ids() {
        let CodeExpr { locals, blocks } = program.codes[code].clone();
        let mut inliner = Inliner {
            inlining,
            depth,
            bodies,
            counts: FastMap::default(),
            remaining: FastMap::default(),
            locals,
            modifies: Vec::new(),
            inlined: false,
            added: 0,
            program,
        };
        let mut blocks = inliner.blocks(blocks);
        if inliner.is_full() {
            return false;
        }
        if inliner.inlined {
            let locals = inliner.locals;
            blocks::link(&mut blocks);
            program.codes[code] = CodeExpr { locals, blocks };
        }
    }
    true
}

/// What an inlined body modifies, its caller modifies.
fn extend_modifies(program: &mut Program, id: ImplId, modifies: Vec<ExprId>) {
    let Some(proc) = program.impls[id].proc else {
        return;
    };
    let var = |program: &Program, e: ExprId| match program.exprs[e].kind {
        ExprKind::Ident { var, .. } => var,
        _ => None,
    };
    for modified in modifies {
        let wanted = var(program, modified);
        let known = program.procs[proc].modifies.clone();
        if !known.iter().any(|&m| var(program, m) == wanted) {
            program.procs[proc].modifies.push(modified);
        }
    }
}

/// The body of a procedure before any inlining.
struct Original {
    implementation: ImplId,
    locals: Vec<VarId>,
    blocks: Vec<Block>,
}

struct Inliner<'a> {
    program: &'a mut Program,
    inlining: Inlining,
    /// `/inlineDepth`: inline every call this deep, whatever the attributes.
    depth: Option<u32>,
    bodies: &'a FastMap<ProcId, Original>,
    /// How often each procedure was inlined.
    counts: FastMap<ProcId, u32>,
    /// How often each procedure may still be inlined inside itself.
    remaining: FastMap<ProcId, Option<u32>>,
    locals: Vec<VarId>,
    modifies: Vec<ExprId>,
    inlined: bool,
    /// How many blocks were added.
    added: usize,
}

impl Inliner<'_> {
    /// Whether no more is to be inlined.
    fn is_full(&self) -> bool {
        self.added > MAX_INLINED
    }

    /// How deep a call of `proc` is still to be inlined; `None` if it is not.
    fn remaining(&mut self, proc: ProcId) -> Option<u32> {
        if self.depth.is_some() {
            return self.depth;
        }
        if let Some(&remaining) = self.remaining.get(&proc) {
            return remaining;
        }
        let implementation = &self.program.impls[self.bodies[&proc].implementation];
        let count = |attrs: &Attributes| {
            self.program
                .int_attribute(attrs, "inline")
                .map(|n| u32::try_from(n).unwrap_or(u32::MAX))
        };
        let wanted = count(&self.program.procs[proc].attrs).or(count(&implementation.attrs));
        self.remaining.insert(proc, wanted);
        wanted
    }

    fn change_remaining(&mut self, proc: ProcId, by: i64) {
        let change = |n: &mut u32| *n = (i64::from(*n) + by).clamp(0, i64::from(u32::MAX)) as u32;
        match &mut self.depth {
            Some(depth) => change(depth),
            None => {
                if let Some(Some(n)) = self.remaining.get_mut(&proc) {
                    change(n);
                }
            }
        }
    }

    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut result = Vec::new();
        for block in blocks {
            self.block(block, &mut result);
        }
        result
    }

    fn block(&mut self, block: Block, result: &mut Vec<Block>) {
        let mut pieces = 0;
        let mut cmds = Vec::new();
        for &cmd in &block.cmds {
            let call = match &self.program.cmds[cmd].kind {
                CmdKind::Call(call) => call
                    .proc
                    .filter(|p| self.bodies.contains_key(p))
                    .map(|p| (p, (**call).clone())),
                _ => None,
            };
            let Some((proc, call)) = call else {
                cmds.push(cmd);
                continue;
            };
            match self.remaining(proc) {
                _ if self.is_full() => cmds.push(cmd),
                None => cmds.push(cmd),
                Some(0) => {
                    self.inlined = true;
                    cmds.push(self.at_the_bottom(cmd));
                }
                Some(_) => {
                    self.inlined = true;
                    let next = self.piece_label(block.label, pieces + 1);
                    let span = self.program.cmds[cmd].span;
                    let inlined = self.call(span, proc, &call, next);
                    self.added += inlined.len() + 1;
                    self.change_remaining(proc, -1);
                    let inlined = self.blocks(inlined);
                    self.change_remaining(proc, 1);
                    let entry = inlined[0].label;
                    let label = self.piece_label(block.label, pieces);
                    result.push(Block {
                        span: block.span,
                        label,
                        cmds: std::mem::take(&mut cmds),
                        transfer: goto(nowhere(span), entry),
                    });
                    result.extend(inlined);
                    pieces += 1;
                }
            }
        }
        let label = self.piece_label(block.label, pieces);
        result.push(Block {
            label,
            cmds,
            ..block
        });
    }

    /// `B`, `B$1`, `B$2`, ….
    fn piece_label(&mut self, label: Symbol, piece: u32) -> Symbol {
        if piece == 0 {
            return label;
        }
        let text = format!("{}${piece}", self.program.name(label));
        self.program.names.intern(&text)
    }

    fn at_the_bottom(&mut self, call: CmdId) -> CmdId {
        let span = self.program.cmds[call].span;
        let bool_type = Some(self.program.types.bool());
        let no = |this: &mut Self| {
            this.program
                .add_expr(nowhere(span), ExprKind::Bool(false), bool_type)
        };
        let kind = match self.inlining {
            Inlining::Assume => CmdKind::Assume(no(self)),
            Inlining::Assert => CmdKind::Assert(no(self)),
            Inlining::Spec | Inlining::None => return call,
        };
        self.program.add_cmd(span, kind)
    }

    /// The blocks of one inlined call, the entry first; control goes on at `next`.
    fn call(&mut self, span: Span, proc: ProcId, call: &CallCmd, next: Symbol) -> Vec<Block> {
        let number = self.counts.entry(proc).and_modify(|n| *n += 1).or_insert(0);
        let prefix = format!(
            "inline${}${number}",
            self.program.name(self.program.procs[proc].name)
        );
        let bodies = self.bodies;
        let original = &bodies[&proc];
        let procedure = self.program.procs[proc].clone();
        let implementation = self.program.impls[original.implementation].clone();
        let subst = self.variables(&prefix, original, &implementation, &procedure, call);

        let entry = self.entry(&subst, span, call, original, &implementation, &procedure);
        let exit = self.exit(&subst, span, call, &implementation, &procedure);
        let entry_label = self.label(&prefix, "Entry");
        let return_label = self.label(&prefix, "Return");
        let start = self.inner_label(&prefix, original.blocks[0].label);
        let mut blocks = vec![Block {
            span: implementation.span,
            label: entry_label,
            cmds: entry,
            transfer: goto(span, start),
        }];
        for block in &original.blocks {
            let cmds = block
                .cmds
                .iter()
                .map(|&c| Copier::new(self.program, &subst).cmd(c))
                .collect();
            let labels = match &block.transfer.kind {
                TransferKind::Goto { labels, .. } => labels
                    .iter()
                    .map(|&l| self.inner_label(&prefix, l))
                    .collect(),
                _ => vec![return_label],
            };
            let label = self.inner_label(&prefix, block.label);
            blocks.push(Block {
                span: block.span,
                label,
                cmds,
                transfer: Transfer {
                    span: block.transfer.span,
                    kind: TransferKind::Goto {
                        labels,
                        targets: Vec::new(),
                    },
                },
            });
            if !matches!(block.transfer.kind, TransferKind::Goto { .. }) {
                self.program.inlined_returns.insert(label);
            }
        }
        blocks.push(Block {
            span: implementation.span,
            label: return_label,
            cmds: exit,
            transfer: goto(nowhere(span), next),
        });
        blocks
    }

    fn label(&mut self, prefix: &str, suffix: &str) -> Symbol {
        self.program.names.intern(&format!("{prefix}${suffix}"))
    }

    fn inner_label(&mut self, prefix: &str, label: Symbol) -> Symbol {
        let text = format!("{prefix}${}", self.program.name(label));
        self.program.names.intern(&text)
    }

    /// Fresh variables for locals, parameters and the initial values of what may be modified.
    fn variables(
        &mut self,
        prefix: &str,
        original: &Original,
        implementation: &Implementation,
        procedure: &Procedure,
        call: &CallCmd,
    ) -> Substitution {
        let mut subst = Substitution::default();
        let params = procedure.type_params.iter().zip(call.type_args.iter());
        subst.types.extend(params.map(|(&p, &t)| (p, t)));
        let params = implementation.type_params.iter().zip(call.type_args.iter());
        subst.types.extend(params.map(|(&p, &t)| (p, t)));
        for &local in &original.locals {
            let copy = self.fresh(prefix, local, &subst);
            subst.vars.insert(local, copy);
        }
        let pairs = implementation.ins.iter().zip(&procedure.ins);
        let pairs = pairs.chain(implementation.outs.iter().zip(&procedure.outs));
        for (&ours, &theirs) in pairs {
            let copy = self.fresh(prefix, ours, &subst);
            subst.vars.insert(ours, copy);
            subst.vars.insert(theirs, copy);
        }
        let mut old = FastMap::default();
        for &modified in &procedure.modifies {
            if let ExprKind::Ident { var: Some(var), .. } = self.program.exprs[modified].kind {
                let copy = self.fresh(prefix, var, &subst);
                self.program.vars[copy].where_clause = None;
                old.insert(var, copy);
                self.modifies.push(modified);
            }
        }
        subst.old_vars = Some(old);
        for &local in &original.locals {
            if let Some(clause) = self.program.vars[local].where_clause {
                let clause = Copier::new(self.program, &subst).expr(clause);
                let copy = subst.vars[&local];
                self.program.vars[copy].where_clause = Some(clause);
            }
        }
        subst
    }

    fn fresh(&mut self, prefix: &str, var: VarId, subst: &Substitution) -> VarId {
        let mut variable = self.program.vars[var].clone();
        let name = format!("{prefix}${}", self.program.name(variable.name));
        variable.name = self.program.names.intern(&name);
        variable.kind = VarKind::Local;
        variable.where_clause = None;
        if let Some(ty) = variable.ty {
            let new = Copier::new(self.program, subst).ty(ty);
            if new != ty {
                variable.ty = Some(new);
                variable.type_expr = None;
            }
        }
        let copy = self.program.vars.push(variable);
        self.locals.push(copy);
        copy
    }

    fn yes(&mut self, span: Span) -> ExprId {
        let ty = self.program.types.bool();
        self.program.add_expr(span, ExprKind::Bool(true), Some(ty))
    }

    fn assign(&mut self, span: Span, target: ExprId, value: ExprId) -> CmdId {
        let lhss = vec![AssignLhs {
            target,
            indexings: Vec::new(),
            path: Vec::new(),
        }];
        let rhss = vec![value];
        self.program.add_cmd(span, CmdKind::Assign { lhss, rhss })
    }

    fn entry(
        &mut self,
        subst: &Substitution,
        span: Span,
        call: &CallCmd,
        original: &Original,
        implementation: &Implementation,
        procedure: &Procedure,
    ) -> Vec<CmdId> {
        let mut cmds = Vec::new();
        let at = implementation.span;
        for (param, arg) in implementation.ins.iter().zip(&call.ins) {
            if let Some(arg) = *arg {
                let target = self.program.add_var_ref(at, subst.vars[param]);
                cmds.push(self.assign(at, target, arg));
            }
        }
        for spec in &procedure.requires {
            if spec.free {
                // Nothing is checked or assumed, but the block is not empty for Boogie.
                let yes = self.yes(spec.span);
                cmds.push(self.program.add_cmd(span, CmdKind::Assert(yes)));
                continue;
            }
            let expr = Copier::new(self.program, subst).expr(spec.expr);
            let cmd = self.program.add_cmd(span, CmdKind::Assert(expr));
            self.program.cmds[cmd].attrs = spec.attrs.clone();
            let check = InlinedCheck::Requires {
                call: span,
                clause: spec.span,
            };
            self.program.inlined_checks.insert(cmd, check);
            cmds.push(cmd);
        }
        let havoc: Vec<VarId> = original
            .locals
            .iter()
            .chain(&implementation.outs)
            .map(|v| subst.vars[v])
            .collect();
        if !havoc.is_empty() {
            let vars = havoc
                .iter()
                .map(|&v| self.program.add_var_ref(at, v))
                .collect();
            cmds.push(self.program.add_cmd(nowhere(span), CmdKind::Havoc(vars)));
        }
        for &var in &havoc {
            if let Some(clause) = self.program.vars[var].where_clause {
                let assume = CmdKind::Assume(clause);
                cmds.push(self.program.add_cmd(nowhere(span), assume));
            }
        }
        for &modified in &procedure.modifies {
            let ExprKind::Ident { var: Some(var), .. } = self.program.exprs[modified].kind else {
                continue;
            };
            if let Some(&saved) = subst.old_vars.as_ref().and_then(|o| o.get(&var)) {
                let target = self.program.add_var_ref(at, saved);
                cmds.push(self.assign(at, target, modified));
            }
        }
        cmds
    }

    fn exit(
        &mut self,
        subst: &Substitution,
        span: Span,
        call: &CallCmd,
        implementation: &Implementation,
        procedure: &Procedure,
    ) -> Vec<CmdId> {
        let mut cmds = Vec::new();
        for spec in &procedure.ensures {
            let assumed = self.program.bool_attribute(&spec.attrs, "InlineAssume");
            if spec.free && !assumed {
                let yes = self.yes(spec.span);
                cmds.push(self.program.add_cmd(spec.span, CmdKind::Assume(yes)));
                continue;
            }
            let expr = Copier::new(self.program, subst).expr(spec.expr);
            if assumed {
                cmds.push(self.program.add_cmd(spec.span, CmdKind::Assume(expr)));
                continue;
            }
            let cmd = self.program.add_cmd(spec.span, CmdKind::Assert(expr));
            self.program.cmds[cmd].attrs = spec.attrs.clone();
            let check = InlinedCheck::Ensures {
                call: span,
                clause: spec.span,
            };
            self.program.inlined_checks.insert(cmd, check);
            cmds.push(cmd);
        }
        for (param, target) in implementation.outs.iter().zip(&call.outs) {
            if let Some(target) = *target {
                let value = self.program.add_var_ref(span, subst.vars[param]);
                cmds.push(self.assign(implementation.span, target, value));
            }
        }
        cmds
    }
}

fn goto(span: Span, label: Symbol) -> Transfer {
    Transfer {
        span,
        kind: TransferKind::Goto {
            labels: vec![label],
            targets: Vec::new(),
        },
    }
}
