//! Calls: check the precondition, forget what the callee may change, assume its postcondition.

use super::{Builder, CheckKind, Cmd, Unsupported};
use crate::tree::{self, OldMode, Substitution};
use stet_base::{FastMap, Span};
use stet_boogie::ast::{Attributes, CallCmd, VarId};

impl Builder<'_> {
    pub(super) fn call(
        &mut self,
        span: Span,
        call: &CallCmd,
        attrs: &Attributes,
        out: &mut Vec<Cmd>,
    ) -> Result<(), Unsupported> {
        let refused = match call {
            CallCmd {
                is_forall: true, ..
            } => Some("`call forall`"),
            CallCmd { is_async: true, .. } => Some("`async` calls"),
            CallCmd { proc: None, .. } => Some("a call of an unknown procedure"),
            _ => None,
        };
        if let Some(what) = refused {
            return Err(Unsupported {
                what: what.to_owned(),
                span,
            });
        }
        let Some(procedure) = call.proc else {
            return Ok(());
        };
        let procedure = self.program.procs[procedure].clone();
        let callee = self.program.name(procedure.name).to_owned();
        let mut by = Substitution::default();
        debug_assert_eq!(
            procedure.type_params.len(),
            call.type_args.len(),
            "the type checker finds all type arguments of a call"
        );
        for (&param, &ty) in procedure.type_params.iter().zip(call.type_args.iter()) {
            by.types.insert(param, ty);
        }
        self.arguments(span, call, &procedure.ins, &callee, &mut by, out);
        for requires in procedure.requires.iter().filter(|r| !r.free) {
            if call.is_free {
                continue;
            }
            let expr = self.substituted(requires.expr, &by);
            let attrs = if requires.attrs.0.is_empty() {
                attrs
            } else {
                &requires.attrs
            };
            let check = self.check(CheckKind::Requires, span, Some(requires.span), attrs, expr);
            out.push(Cmd::Assert { check, expr });
        }
        let changed: Vec<VarId> = procedure
            .modifies
            .iter()
            .filter_map(|&e| self.var_of(e))
            .collect();
        debug_assert_eq!(
            changed.len(),
            procedure.modifies.len(),
            "nothing that a call changes is lost"
        );
        let before = self.save_globals(span, &changed, &callee, out);
        let results = self.results(span, call, &procedure.outs, &callee, &mut by, out);
        if !changed.is_empty() {
            out.push(Cmd::Havoc(changed.clone()));
        }
        for &var in &changed {
            if let Some(clause) = self.program.vars[var].where_clause {
                let clause = self.expand(clause);
                out.push(Cmd::Assume(clause));
            }
        }
        by.old = OldMode::Replace(before);
        for &var in procedure.outs.iter() {
            if let Some(clause) = self.program.vars[var].where_clause {
                let clause = self.substituted(clause, &by);
                out.push(Cmd::Assume(clause));
            }
        }
        for ensures in &procedure.ensures {
            let condition = self.substituted(ensures.expr, &by);
            out.push(Cmd::Assume(condition));
        }
        self.assign_results(span, results, out);
        Ok(())
    }

    /// Evaluates the actual parameters into variables; `*` is an arbitrary value.
    fn arguments(
        &mut self,
        span: Span,
        call: &CallCmd,
        formals: &[VarId],
        callee: &str,
        by: &mut Substitution,
        out: &mut Vec<Cmd>,
    ) {
        debug_assert_eq!(
            formals.len(),
            call.ins.len(),
            "a call has an argument for every parameter"
        );
        let mut assignments = Vec::new();
        let mut arbitrary = Vec::new();
        for (&formal, actual) in formals.iter().zip(&call.ins) {
            let name = self.program.name(self.program.vars[formal].name);
            let name = format!("call@{callee}@formal@{name}");
            let temporary = self.temporary(formal, &name, span, by);
            match actual {
                Some(actual) => {
                    let actual = self.expand(*actual);
                    assignments.push((temporary, actual));
                }
                None => arbitrary.push(temporary),
            }
            let reference = self.program.add_var_ref(span, temporary);
            by.vars.insert(formal, reference);
        }
        if !arbitrary.is_empty() {
            out.push(Cmd::Havoc(arbitrary));
        }
        if !assignments.is_empty() {
            out.push(Cmd::Assign(assignments));
        }
    }

    /// A variable for one call. All calls of a procedure share theirs, so that inserting a call does not
    /// rename those of later ones.
    pub(super) fn temporary(
        &mut self,
        formal: VarId,
        name: &str,
        span: Span,
        by: &Substitution,
    ) -> VarId {
        let bool_type = self.program.types.bool();
        let ty = self.program.vars[formal].ty.unwrap_or(bool_type);
        let ty = self.program.types.substitute(ty, &by.types);
        let key = (name.to_owned(), ty);
        if let Some(&var) = self.temporaries.get(&key) {
            debug_assert_eq!(
                self.program.vars[var].ty,
                Some(ty),
                "calls share variables of one type"
            );
            return var;
        }
        let var = tree::new_local(self.program, name, ty, span);
        self.body.locals.push(var);
        self.temporaries.insert(key, var);
        var
    }

    /// Remembers the globals the callee may change, for `old` in its postcondition.
    fn save_globals(
        &mut self,
        span: Span,
        changed: &[VarId],
        callee: &str,
        out: &mut Vec<Cmd>,
    ) -> FastMap<VarId, stet_boogie::ast::ExprId> {
        let mut before = FastMap::default();
        let mut saved = Vec::new();
        for &global in changed {
            let name = self.program.name(self.program.vars[global].name);
            let name = format!("call@{callee}@old@{name}");
            let temporary = self.temporary(global, &name, span, &Substitution::default());
            let value = self.program.add_var_ref(span, global);
            saved.push((temporary, value));
            let reference = self.program.add_var_ref(span, temporary);
            before.insert(global, reference);
        }
        if !saved.is_empty() {
            out.push(Cmd::Assign(saved));
        }
        before
    }

    /// Variables for the results, with arbitrary values.
    fn results(
        &mut self,
        span: Span,
        call: &CallCmd,
        formals: &[VarId],
        callee: &str,
        by: &mut Substitution,
        out: &mut Vec<Cmd>,
    ) -> Vec<(VarId, VarId)> {
        debug_assert_eq!(
            formals.len(),
            call.outs.len(),
            "a call has a place for every result"
        );
        let mut pairs = Vec::new();
        let mut havocked = Vec::new();
        for (&formal, actual) in formals.iter().zip(&call.outs) {
            let name = self.program.name(self.program.vars[formal].name);
            let name = format!("call@{callee}@result@{name}");
            let temporary = self.temporary(formal, &name, span, by);
            let reference = self.program.add_var_ref(span, temporary);
            by.vars.insert(formal, reference);
            havocked.push(temporary);
            if let Some(actual) = actual.and_then(|actual| self.var_of(actual)) {
                pairs.push((actual, temporary));
            }
        }
        debug_assert_eq!(
            pairs.len(),
            call.outs.iter().flatten().count(),
            "every result that is wanted is assigned"
        );
        if !havocked.is_empty() {
            out.push(Cmd::Havoc(havocked));
        }
        pairs
    }

    /// As any assignment, this says nothing about `where` clauses of the targets.
    fn assign_results(&mut self, span: Span, results: Vec<(VarId, VarId)>, out: &mut Vec<Cmd>) {
        let assignments: Vec<_> = results
            .iter()
            .map(|&(actual, temporary)| (actual, self.program.add_var_ref(span, temporary)))
            .collect();
        if !assignments.is_empty() {
            out.push(Cmd::Assign(assignments));
        }
    }
}
