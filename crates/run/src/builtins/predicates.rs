//! Declarations and questions about predicates and modules.

use crate::cell::*;
use crate::database::{Kind, PredId};
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::program::Program;
use stet_prolog::{Atom, atom};

pub(super) fn register(m: &mut Machine) {
    m.register("dynamic", 1, |m| {
        declare(m, |m, id| m.make_dynamic(id))?;
        if is_incremental(m)? {
            declare(m, set_incremental)?;
        }
        Ok(true)
    });
    m.register("$incremental", 1, |m| declare(m, set_incremental));
    m.register("discontiguous", 1, |m| {
        declare(m, |m, id| {
            m.program.db.pred_mut(id).discontiguous = true;
            Ok(())
        })
    });
    m.register("multifile", 1, |m| {
        declare(m, |m, id| {
            m.program.db.pred_mut(id).multifile = true;
            define_empty(m, id);
            Ok(())
        })
    });
    m.register("public", 1, |_| Ok(true));
    m.register("volatile", 1, |_| Ok(true));
    m.register("noprofile", 1, |_| Ok(true));
    m.register("meta_predicate", 1, |m| {
        let (module, spec) = {
            let cell = m.control.x[0];
            m.mem.strip_module(cell)?
        };
        m.declare_meta(module, spec)?;
        Ok(true)
    });
    m.register("$predicates", 1, predicates);
    m.register("$pred_info", 5, info);
    m.register("$meta_arguments", 2, meta_arguments);
    m.register("$export_all", 1, |m| {
        let module = m.atom_arg(0)?;
        m.program.db.modules.entry(module).or_default().exports_all = true;
        Ok(true)
    });
    m.register("$declare_module", 2, |m| {
        let module = m.atom_arg(0)?;
        let list = m.arg(1);
        let exports = m.list_items(list)?;
        m.declare_module(module, &exports)?;
        Ok(true)
    });
    super::modules::register(m);
    crate::transparent::register(m);
    m.register("$source_module", 1, |m| {
        let module = m.loader.source_module();
        m.unify_result(m.control.x[0], Cell::atom(module))
    });
    m.register("$set_source_module", 1, |m| {
        let module = m.atom_arg(0)?;
        m.program.db.modules.entry(module).or_default();
        match m.loader.files.frames.last_mut() {
            Some(frame) => frame.module = module,
            None => m.loader.files.module = module,
        }
        Ok(true)
    });
    m.register("$modules", 1, |m| {
        let mut names: Vec<Atom> = m.program.db.modules.keys().copied().collect();
        names.push(atom::USER);
        names.push(atom::SYSTEM);
        names.sort_unstable();
        names.dedup();
        let cells: Vec<Cell> = names.into_iter().map(Cell::atom).collect();
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[0], list)
    });
    m.register("$strip_module", 3, |m| {
        let cell = m.control.x[0];
        let (module, goal) = m.mem.strip_module(cell)?;
        Ok(m.unify(m.control.x[1], Cell::atom(module)) && m.unify(m.control.x[2], goal))
    });
    m.register("$in_library", 1, |m| {
        let goal = m.arg(0);
        Ok(m.mem
            .callable(goal)
            .is_some_and(|(name, arity, _)| m.loader.library_with(name, arity).is_some()))
    });
    m.register("$is_defined", 1, |m| {
        let cell = m.control.x[0];
        let (module, goal) = m.mem.strip_module(cell)?;
        let Some((name, arity, _)) = m.mem.callable(goal) else {
            return Ok(false);
        };
        Ok(m.program.resolve(module, name, arity).is_some())
    });
}

/// Applies a declaration to `a/1`, lists, conjunctions, qualified.
pub(crate) fn declare(m: &mut Machine, apply: fn(&mut Machine, PredId) -> Result<(), PErr>) -> Res {
    let cell = m.control.x[0];
    let (module, spec) = m.mem.strip_module(cell)?;
    let mut pending = vec![(module, spec)];
    while let Some((module, spec)) = pending.pop() {
        let spec = m.mem.deref(spec);
        if spec.is_var() {
            return Err(m.mem.instantiation_error());
        }
        if spec.is_atom(atom::NIL) {
            continue;
        }
        match m.mem.compound(spec) {
            Some((atom::COMMA | atom::DOT, 2, args)) => {
                pending.push((module, m.mem.heap.cell(args + 1)));
                pending.push((module, m.mem.heap.cell(args)));
            }
            Some((atom::COLON, 2, args)) => {
                let qualifier = m.mem.at(args);
                let inner = m.mem.atom_of(qualifier)?;
                pending.push((inner, m.mem.heap.cell(args + 1)));
            }
            Some((name, 2, args)) if m.mem.atom_text(name) == "as" => {
                pending.push((module, m.mem.heap.cell(args)));
            }
            _ => {
                let (_, name, arity) = m.mem.indicator_of(spec)?;
                if let Some(system) = m.program.db.find(atom::SYSTEM, name, arity) {
                    let pred = m.program.db.pred(system);
                    if pred.core && matches!(pred.kind, Kind::Special | Kind::Builtin(_)) {
                        return Err(m.cannot_modify(system));
                    }
                }
                let id = m.pred_id(module, name, arity);
                apply(m, id)?;
            }
        }
    }
    Ok(true)
}

fn set_incremental(m: &mut Machine, id: PredId) -> Result<(), PErr> {
    m.program.db.pred_mut(id).incremental = true;
    Ok(())
}

/// Whether a declaration ends in `as incremental`, `as monotonic`, or several options with one of them.
fn is_incremental(m: &mut Machine) -> Res {
    let (_, spec) = m.mem.strip_module(m.control.x[0])?;
    let mut pending = match m.mem.compound(spec) {
        Some((name, 2, args)) if m.mem.atom_text(name) == "as" => vec![m.mem.at(args + 1)],
        _ => return Ok(false),
    };
    while let Some(option) = pending.pop() {
        if let Some((atom::COMMA, 2, args)) = m.mem.compound(option) {
            pending.extend([m.mem.at(args), m.mem.at(args + 1)]);
        } else if let Some(name) = option.as_atom()
            && ["incremental", "monotonic"].contains(&m.mem.atom_text(name))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A declared predicate without clauses fails instead of being unknown.
fn define_empty(m: &mut Machine, id: PredId) {
    if m.program.db.pred(id).kind == Kind::Undefined {
        m.program.db.pred_mut(id).kind = Kind::Static;
        m.program.set_stub(id, crate::code::Op::Link, id);
    }
}

impl Program {
    /// A declaration came late: entries made without it are made again.
    pub(crate) fn relink(&mut self, id: PredId) {
        if self.db.pred(id).kind == Kind::Static && self.db.pred(id).module != atom::SYSTEM {
            self.set_stub(id, crate::code::Op::Link, id);
        }
        self.relink_importers(id);
    }

    /// Calls from other modules are resolved anew.
    pub(crate) fn relink_importers(&mut self, id: PredId) {
        let (name, arity) = (self.db.pred(id).name, self.db.pred(id).arity);
        let modules: Vec<Atom> = self
            .db
            .modules
            .keys()
            .copied()
            .chain([atom::USER])
            .collect();
        for module in modules {
            if let Some(other) = self.db.find(module, name, arity)
                && other != id
                && !self.db.is_defined(other)
            {
                self.set_stub(other, crate::code::Op::Undefined, other);
            }
        }
    }
}

impl Machine {
    /// Notes the argument kinds of a meta predicate.
    pub(crate) fn declare_meta(&mut self, module: Atom, spec: Cell) -> Result<(), PErr> {
        let mut pending = vec![(module, spec)];
        while let Some((module, spec)) = pending.pop() {
            let spec = self.mem.deref(spec);
            match self.mem.compound(spec) {
                Some((atom::COMMA | atom::DOT, 2, args)) => {
                    pending.push((module, self.mem.heap.cell(args)));
                    pending.push((module, self.mem.heap.cell(args + 1)));
                }
                Some((atom::COLON, 2, args)) => {
                    let qualifier = self.mem.at(args);
                    let inner = self.mem.atom_of(qualifier)?;
                    pending.push((inner, self.mem.heap.cell(args + 1)));
                }
                Some((name, arity, args)) => {
                    let kinds: Vec<Cell> = (0..arity).map(|i| self.mem.at(args + i)).collect();
                    let id = self.pred_id(module, name, arity);
                    self.program.db.pred_mut(id).meta = Some(kinds.into_boxed_slice());
                    self.program.relink(id);
                }
                None => {}
            }
        }
        Ok(())
    }
}

/// `'$predicates'(List)`: all visible `Module:Name/Arity` with clauses or dynamic.
fn predicates(m: &mut Machine) -> Res {
    let found: Vec<(Atom, Atom, usize)> = m
        .program
        .db
        .preds
        .iter()
        .filter(|pred| {
            !pred.core
                && match pred.kind {
                    Kind::Static => !pred.clauses.is_empty(),
                    Kind::Dynamic => true,
                    _ => false,
                }
        })
        .map(|pred| (pred.module, pred.name, pred.arity))
        .collect();
    let mut cells = Vec::with_capacity(found.len());
    for (module, name, arity) in found {
        let args = [Cell::atom(name), Cell::small(arity as i64)];
        let indicator = m.mem.new_term(atom::SLASH, &args);
        cells.push(
            m.mem
                .new_term(atom::COLON, &[Cell::atom(module), indicator]),
        );
    }
    let list = m.new_proper_list(&cells)?;
    m.unify_result(m.control.x[0], list)
}

/// `'$meta_arguments'(M:Name/Arity, Arguments)`: what a meta-predicate declaration says of each argument.
fn meta_arguments(m: &mut Machine) -> Res {
    let Some(id) = m.named_pred(0)? else {
        return Ok(false);
    };
    let Some(arguments) = m.program.db.pred(id).meta.clone() else {
        return Ok(false);
    };
    let list = m.new_proper_list(&arguments)?;
    m.unify_result(m.control.x[1], list)
}

/// `'$pred_info'(Goal, Module, Kind, ClauseCount, Flags)`.
fn info(m: &mut Machine) -> Res {
    let cell = m.control.x[0];
    let (module, goal) = m.mem.strip_module(cell)?;
    let Some((name, arity, _)) = m.mem.callable(goal) else {
        return Ok(false);
    };
    let Some(id) = m.program.resolve(module, name, arity) else {
        return Ok(false);
    };
    let generation = m.program.db.generation;
    let (home, kind, count, flags) = {
        let pred = m.program.db.pred(id);
        let count = pred
            .clauses
            .iter()
            .filter(|&&(_, n)| m.program.db.clause(n).is_some_and(|c| c.died > generation))
            .count();
        let kind = match pred.kind {
            Kind::Dynamic => "dynamic",
            Kind::Static if pred.core => "built_in",
            Kind::Static => "static",
            Kind::Undefined => "undefined",
            _ => "built_in",
        };
        let mut flags = Vec::new();
        if pred.multifile {
            flags.push("multifile");
        }
        if pred.discontiguous {
            flags.push("discontiguous");
        }
        if pred.meta.is_some() {
            flags.push("meta");
        }
        if pred.transparent {
            flags.push("transparent");
        }
        let exported = m
            .program
            .db
            .modules
            .get(&pred.module)
            .is_some_and(|module| module.is_exported(pred.name, pred.arity));
        if exported {
            flags.push("exported");
        }
        if pred.module != module {
            flags.push("imported");
        }
        (pred.module, kind, count, flags)
    };
    let kind = m.mem.atom_cell(kind);
    let cells: Vec<Cell> = flags
        .into_iter()
        .map(|flag| m.mem.atom_cell(flag))
        .collect();
    let flags = m.new_proper_list(&cells)?;
    Ok(m.unify(m.control.x[1], Cell::atom(home))
        && m.unify(m.control.x[2], kind)
        && m.unify(m.control.x[3], Cell::small(count as i64))
        && m.unify(m.control.x[4], flags))
}
