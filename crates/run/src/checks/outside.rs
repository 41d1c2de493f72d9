//! Calls from outside a module.
//!
//! `entry` and `exit` assertions, and with the level `exports` all assertions, are about calls from outside the module
//! only. A predicate `p` they are about gets two more:
//!
//! ```text
//! '$outside:p'(X…) :- '$inside:p'(X…).    what other modules, goals of the top level and call/N use
//! '$inside:p'                             goes on at the entry of p, or at its checked code with the level exports
//! ```
//!
//! Checks of the first kind are installed on `'$outside:p'`. Clauses of the module itself call `p`. A goal that reaches
//! `call/N` does not say where it comes from and counts as one from outside.

use crate::code::{Op, word_imm};
use crate::database::{Kind, PredId};
use crate::machine::Machine;

impl Machine {
    /// The predicate that calls of `id` from outside use, made if there is none; `None` if there is no room.
    pub(super) fn outside_of(&mut self, id: PredId) -> Option<PredId> {
        if let Some(known) = self.program.db.pred(id).outside {
            return Some(known);
        }
        let pred = self.program.db.pred(id);
        let (module, arity) = (pred.module, pred.arity);
        let name = self.mem.atoms.text(pred.name).to_string();
        let args: Vec<String> = (1..=arity).map(|i| format!("A{i}")).collect();
        let call = |prefix: &str| {
            let name = stet_prolog::quote_atom(&format!("{prefix}{name}"));
            match args.is_empty() {
                true => name,
                false => format!("{name}({})", args.join(",")),
            }
        };
        let text = format!("{} :- {}", call("$outside:"), call("$inside:"));
        let outside =
            self.compile_private_clause(module, &format!("$outside:{name}"), arity, &text)?;
        self.program.db.pred_mut(id).outside = Some(outside);
        self.set_inside(id, Op::Execute, id);
        self.program.relink_importers(id);
        Some(outside)
    }

    /// With the level `exports`: only calls from outside go through the checks.
    pub(super) fn check_from_outside(&mut self, id: PredId, address: u32, wrapper: Option<PredId>) {
        if self.outside_of(id).is_none() {
            return;
        }
        if address != 0 {
            let inside = self.inside_of(id);
            self.program.set_entry(inside, address);
        } else if let Some(wrapper) = wrapper {
            self.set_inside(id, Op::Execute, wrapper);
        }
    }

    /// Calls from outside go on at the entries of their predicates.
    pub(super) fn check_inside_again(&mut self) {
        for id in 0..self.program.db.preds.len() as PredId {
            if self.program.db.pred(id).outside.is_some() {
                self.set_inside(id, Op::Execute, id);
            }
        }
    }

    fn inside_of(&mut self, id: PredId) -> PredId {
        let pred = self.program.db.pred(id);
        let (module, arity) = (pred.module, pred.arity);
        let name = format!("$inside:{}", self.mem.atoms.text(pred.name));
        let name = self.mem.atoms.intern(&name);
        let inside = self.pred_id(module, name, arity);
        self.program.db.pred_mut(inside).kind = Kind::Special;
        inside
    }

    fn set_inside(&mut self, id: PredId, op: Op, target: PredId) {
        let inside = self.inside_of(id);
        let word = [word_imm(op, 0, 0, target)];
        if let Ok(address) = self.alloc_code(&word) {
            self.program.set_entry(inside, address);
        }
    }
}
