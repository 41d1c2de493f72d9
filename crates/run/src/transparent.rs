//! Predicates whose clauses run in the module of the caller: `module_transparent/1`.
//!
//! A call from another module is never linked to such a predicate: it goes through `'$transparent'/2`
//! (`boot/transparent.pl`), which keeps a copy of the clauses in the module of the caller. A copy is made anew when the
//! clauses it was made from have changed; [`Stamp`] tells.
//!
//! Predicates that are declared meta-predicates, too, take their goals qualified and need no copies.

use crate::cell::Cell;
use crate::database::PredId;
use crate::emulate::Next;
use crate::machine::{Machine, Res};
use crate::program::Program;
use stet_prolog::atom;

/// Which clauses a copy was made from: how many, and the sequence numbers of the first and the last.
pub(crate) type Stamp = (usize, i64, i64);

pub(crate) fn register(m: &mut Machine) {
    m.register("module_transparent", 1, |m| {
        crate::builtins::predicates::declare(m, |m, id| {
            m.program.db.pred_mut(id).transparent = true;
            m.program.relink(id);
            Ok(())
        })
    });
    m.register("$transparent_current", 2, is_current);
    // '$transparent_home'(Goal, Home): a goal of a transparent predicate, and where that is defined.
    m.register("$transparent_home", 2, |m| {
        let (module, goal) = m.mem.strip_module(m.control.x[0])?;
        let Some((name, arity, _)) = m.mem.callable(goal) else {
            return Ok(false);
        };
        let Some(id) = m.program.resolve(module, name, arity) else {
            return Ok(false);
        };
        if !m.program.is_transparent(id) {
            return Ok(false);
        }
        let home = Cell::atom(m.program.db.pred(id).module);
        m.unify_result(m.control.x[1], home)
    });
}

impl Program {
    /// Whether calls from other modules must go through a copy.
    fn is_transparent(&self, id: PredId) -> bool {
        let pred = self.db.pred(id);
        pred.transparent && !pred.core && !self.has_goal_arguments(id)
    }

    fn stamp(&self, id: PredId) -> Stamp {
        let live = || {
            self.db.pred(id).clauses.iter().filter(|(_, number)| {
                let clause = self.db.clause(*number);
                clause.is_some_and(|clause| clause.died > self.db.generation)
            })
        };
        let (first, last) = (live().next(), live().next_back());
        (
            live().count(),
            first.map_or(0, |clause| clause.0),
            last.map_or(0, |clause| clause.0),
        )
    }
}

/// `'$transparent_current'(Context:Copy, Home:Head)`: the copy is one of the present clauses; if it is not, it will be.
fn is_current(m: &mut Machine) -> Res {
    let (context, copy) = m.mem.strip_module(m.control.x[0])?;
    let (home, head) = m.mem.strip_module(m.control.x[1])?;
    let (Some(copy), Some((name, arity, _))) = (copy.as_atom(), m.mem.callable(head)) else {
        return Ok(false);
    };
    let copy = m.pred_id(context, copy, arity);
    let original = m.pred_id(home, name, arity);
    let stamp = m.program.stamp(original);
    Ok(m.program.db.copies.insert(copy, stamp) == Some(stamp))
}

impl Machine {
    /// A predicate without clauses was called: if its name means a transparent predicate of another module, the call of
    /// its copy.
    pub(crate) fn call_transparent(&mut self, id: PredId) -> Option<Next> {
        let (module, name, arity) = {
            let pred = self.program.db.pred(id);
            (pred.module, pred.name, pred.arity)
        };
        let target = self.program.resolve(module, name, arity)?;
        let home = self.program.db.pred(target).module;
        if home == module || !self.program.is_transparent(target) {
            return None;
        }
        let goal = self.goal_from_registers(id);
        self.control.x[0] = Cell::atom(home);
        self.control.x[1] = goal;
        let name = self.mem.atoms.intern("$transparent");
        let pred = self.pred_id(atom::SYSTEM, name, 2);
        Some(Next::Code(self.program.entries.get(pred as usize) as usize))
    }

    /// The predicate that runs when a goal of `module` calls `id` through `call/N`.
    #[inline]
    pub(crate) fn called_from(&mut self, module: stet_prolog::Atom, id: PredId) -> PredId {
        let pred = self.program.db.pred(id);
        if let Some(outside) = pred.outside {
            return outside;
        }
        if !pred.transparent || pred.module == module {
            return id;
        }
        let (name, arity) = (pred.name, pred.arity);
        self.pred_id(module, name, arity)
    }
}
