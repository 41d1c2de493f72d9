//! Modules: what they export and import.

use crate::cell::*;
use crate::database::{Kind, PredId};
use crate::errors::PErr;
use crate::machine::Machine;
use crate::program::Program;
use stet_prolog::{Atom, atom};

pub(super) fn register(m: &mut Machine) {
    // '$import'(Module, all | except(List) | List, Missing)
    m.register("$import", 3, |m| {
        let from = m.atom_arg(0)?;
        let what = m.arg(1);
        let missing = import(m, from, what, false)?;
        let list = m.new_proper_list(&missing)?;
        m.unify_result(m.control.x[2], list)
    });
    m.register("$reexport", 2, |m| {
        let from = m.atom_arg(0)?;
        let what = m.arg(1);
        import(m, from, what, true)?;
        Ok(true)
    });
    m.register("$import_into", 4, |m| {
        let (to, from, name) = (m.atom_arg(0)?, m.atom_arg(1)?, m.atom_arg(2)?);
        let arity = m.int_arg(3)?.max(0) as usize;
        m.import_one(to, from, (name, arity), name);
        Ok(true)
    });
    // '$parents'(Module, List) and '$set_parents'(Module, List): the import modules before `user`.
    m.register("$parents", 2, |m| {
        let module = m.atom_arg(0)?;
        let entry = m.program.db.modules.get(&module);
        let parents = entry.map_or(Vec::new(), |entry| entry.parents.clone());
        let cells: Vec<Cell> = parents.into_iter().map(Cell::atom).collect();
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[1], list)
    });
    m.register("$set_parents", 2, |m| {
        let module = m.atom_arg(0)?;
        let list = m.arg(1);
        let mut parents = Vec::new();
        for item in m.list_items(list)? {
            parents.push(m.mem.atom_of(item)?);
        }
        let entry = m.program.db.modules.entry(module).or_default();
        entry.parents = parents;
        m.program.relink_module(module);
        Ok(true)
    });
    m.register("$add_export", 2, |m| {
        let module = m.atom_arg(0)?;
        let spec = m.control.x[1];
        let (_, name, arity) = m.mem.indicator_of(spec)?;
        let entry = m.program.db.modules.entry(module).or_default();
        if !entry.exports.contains(&(name, arity)) {
            entry.exports.push((name, arity));
        }
        Ok(true)
    });
    m.register("$undefined_exports", 2, |m| {
        let module = m.atom_arg(0)?;
        let mut cells = Vec::new();
        for (name, arity) in m.program.exports_of(module) {
            if m.program.resolve(module, name, arity).is_none()
                && m.loader.library_with(name, arity).is_none()
            {
                let args = [Cell::atom(name), Cell::small(arity as i64)];
                cells.push(m.mem.new_term(atom::SLASH, &args));
            }
        }
        let list = m.new_proper_list(&cells)?;
        m.unify_result(m.control.x[1], list)
    });
    // '$meta_spec'(Module:Goal, Kinds): the kinds of arguments of a meta-predicate.
    m.register("$meta_spec", 2, |m| {
        let (module, goal) = m.mem.strip_module(m.control.x[0])?;
        let Some((name, arity, _)) = m.mem.callable(goal) else {
            return Ok(false);
        };
        // A declaration may come before the clauses.
        let declared = m.program.db.find(module, name, arity);
        let Some(id) = m.program.resolve(module, name, arity).or(declared) else {
            return Ok(false);
        };
        let Some(kinds) = m.program.db.pred(id).meta.clone() else {
            return Ok(false);
        };
        let list = m.new_proper_list(&kinds)?;
        m.unify_result(m.control.x[1], list)
    });
}

impl Program {
    /// Calls from a module that were linked to predicates of others are resolved anew.
    fn relink_module(&mut self, module: Atom) {
        let own: Vec<PredId> = self
            .db
            .by_name
            .iter()
            .filter(|&(key, &id)| key.0 == module && !self.db.is_defined(id))
            .map(|(_, &id)| id)
            .collect();
        for id in own {
            self.set_stub(id, crate::code::Op::Undefined, id);
        }
    }

    fn exports_of(&self, module: Atom) -> Vec<(Atom, usize)> {
        match self.db.modules.get(&module) {
            Some(entry) if entry.exports_all => {
                let defined = self
                    .db
                    .by_name
                    .iter()
                    .filter(|&(key, &id)| key.0 == module && self.db.is_defined(id));
                defined
                    .map(|(_, &id)| (self.db.pred(id).name, self.db.pred(id).arity))
                    .collect()
            }
            Some(entry) => entry.exports.clone(),
            None => Vec::new(),
        }
    }

    /// Whether the module says that it exports the predicate.
    fn is_export(&self, module: Atom, name: Atom, arity: usize) -> bool {
        let entry = self.db.modules.get(&module);
        entry.is_none_or(|entry| entry.is_exported(name, arity))
    }
}

impl Machine {
    /// Starts a module in the file being loaded.
    pub(crate) fn declare_module(&mut self, module: Atom, exports: &[Cell]) -> Result<(), PErr> {
        let file = self.loader.files.frames.last().map(|frame| frame.file);
        let mut found = Vec::new();
        for &export in exports {
            if self
                .mem
                .structure(export, stet_prolog::atom::SLASH, 2)
                .is_some()
                || self
                    .mem
                    .structure(export, stet_prolog::atom::INT_DIV, 2)
                    .is_some()
            {
                let (_, name, arity) = self.mem.indicator_of(export)?;
                found.push((name, arity));
            }
        }
        let entry = self.program.db.modules.entry(module).or_default();
        entry.exports = found;
        entry.exports_all = false;
        entry.file = file;
        if let Some(frame) = self.loader.files.frames.last_mut() {
            frame.module = module;
            self.loader.files.loaded.insert(frame.file, module);
        }
        Ok(())
    }

    /// Imports one predicate under a name of its own.
    fn import_one(&mut self, to: Atom, from: Atom, predicate: (Atom, usize), alias: Atom) {
        let (name, arity) = predicate;
        let source = match self.program.resolve(from, name, arity) {
            Some(id) => id,
            None => self.pred_id(from, name, arity),
        };
        let key = Cell::functor(alias, arity).0;
        let module = self.program.db.modules.entry(to).or_default();
        module.imports.insert(key, source);
        // A stub that was linked elsewhere is resolved anew.
        if let Some(id) = self.program.db.find(to, alias, arity) {
            if !self.program.db.is_defined(id) && id != source {
                self.program.set_stub(id, crate::code::Op::Undefined, id);
            }
        }
    }
}

/// A predicate to import, and its name here.
type Wanted = ((Atom, usize), Atom);

/// Imports into the source module, which may export it in turn; the indicators that are not exported.
fn import(m: &mut Machine, from: Atom, what: Cell, export: bool) -> Result<Vec<Cell>, PErr> {
    let to = m.loader.source_module();
    if from == to || from == atom::USER {
        return Ok(Vec::new());
    }
    let exports = m.program.exports_of(from);
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut missing = Vec::new();
    let is_all = what
        .as_atom()
        .is_some_and(|name| m.mem.atom_text(name) == "all");
    if is_all {
        wanted.extend(exports.into_iter().map(|found| (found, found.0)));
    } else if let Some((name, 1, args)) = m.mem.compound(what)
        && m.mem.atom_text(name) == "except"
    {
        let list = m.mem.at(args);
        let mut skipped = Vec::new();
        for item in m.list_items(list)? {
            match item_of(m, item)? {
                Some((found, alias)) if alias == found.0 => skipped.push(found),
                Some((found, alias)) => {
                    skipped.push(found);
                    wanted.push((found, alias));
                }
                None => {}
            }
        }
        let others = exports.into_iter().filter(|found| !skipped.contains(found));
        wanted.extend(others.map(|found| (found, found.0)));
    } else {
        for item in m.list_items(what)? {
            let Some((found, alias)) = item_of(m, item)? else {
                continue;
            };
            if !m.program.is_export(from, found.0, found.1) {
                let args = [Cell::atom(found.0), Cell::small(found.1 as i64)];
                missing.push(m.mem.new_term(atom::SLASH, &args));
            }
            wanted.push((found, alias));
        }
    }
    for (found, alias) in wanted {
        // What a module defines itself is not replaced by what others export.
        let own = m.program.db.find(to, alias, found.1);
        let defined = own.is_some_and(|id| m.program.db.pred(id).kind != Kind::Undefined);
        if !defined {
            m.import_one(to, from, found, alias);
        }
        if export {
            let module = m.program.db.modules.entry(to).or_default();
            if !module.exports.contains(&(alias, found.1)) {
                module.exports.push((alias, found.1));
            }
        }
    }
    Ok(missing)
}

/// `Name/Arity`, `Name//Arity`, either `as Alias`; operators are not for here.
fn item_of(m: &mut Machine, item: Cell) -> Result<Option<Wanted>, PErr> {
    let (item, alias) = match m.mem.compound(item) {
        Some((name, 2, args)) if m.mem.atom_text(name) == "as" => {
            let alias = m.mem.at(args + 1);
            (m.mem.at(args), Some(m.mem.atom_of(alias)?))
        }
        _ => (item, None),
    };
    let is_indicator = m.mem.structure(item, atom::SLASH, 2).is_some()
        || m.mem.structure(item, atom::INT_DIV, 2).is_some();
    if !is_indicator {
        return Ok(None);
    }
    let (_, name, arity) = m.mem.indicator_of(item)?;
    Ok(Some(((name, arity), alias.unwrap_or(name))))
}
