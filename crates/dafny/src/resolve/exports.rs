//! Export sets: what importers see of a module.
//!
//! A module without export sets shows everything. Otherwise an import sees the sets it names (the default set, if it names
//! none): provided names without their definitions, revealed names with them. Types that are provided only are abstract
//! to the importer ([`Program::hidden`](crate::tree::Program::hidden)); constructors, destructors and members that no set names do not exist for it.

use super::{Entity, Resolver};
use crate::ast;
use crate::tree::{CtorId, DeclId, MemberId, ModuleId, Owner};
use std::sync::Arc;
use stet_base::{FastMap, FastSet, Index, Symbol};

/// How much a set shows of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Shown {
    Provided,
    Revealed,
}

/// An export set.
#[derive(Clone, Default, Debug)]
pub(crate) struct ExportSet {
    names: FastMap<Symbol, Shown>,
    members: FastMap<(Symbol, Symbol), Shown>,
    provides_all: bool,
    reveals_all: bool,
}

impl ExportSet {
    fn shown(&self, name: Symbol) -> Option<Shown> {
        if self.reveals_all {
            return Some(Shown::Revealed);
        }
        let own = self.names.get(&name).copied();
        own.max(self.provides_all.then_some(Shown::Provided))
    }

    fn shown_member(&self, owner: Symbol, name: Symbol) -> Option<Shown> {
        if self.reveals_all {
            return Some(Shown::Revealed);
        }
        let own = self.members.get(&(owner, name)).copied();
        own.max(self.provides_all.then_some(Shown::Provided))
    }

    fn add(&mut self, other: &ExportSet) {
        let names: Vec<_> = other.names.iter().map(|(&n, &s)| (n, s)).collect();
        for (name, shown) in names {
            let old = self.names.get(&name).copied();
            self.names.insert(name, old.map_or(shown, |o| o.max(shown)));
        }
        let members: Vec<_> = other.members.iter().map(|(&n, &s)| (n, s)).collect();
        for (name, shown) in members {
            let old = self.members.get(&name).copied();
            self.members
                .insert(name, old.map_or(shown, |o| o.max(shown)));
        }
        self.provides_all |= other.provides_all;
        self.reveals_all |= other.reveals_all;
    }
}

impl Resolver<'_> {
    /// Reads the export sets of all modules; runs when all names are declared.
    pub(crate) fn build_exports(&mut self) {
        for at in 0..self.work.len() {
            let module = self.work[at].id;
            let exports = self.work[at].exports.clone();
            if exports.is_empty() {
                continue;
            }
            self.program.modules[module].has_exports = true;
            self.frame.module = Some(module);
            self.module_exports(module, &exports);
        }
        self.frame.module = None;
    }

    fn module_exports(&mut self, module: ModuleId, exports: &[ast::Export]) {
        let own = self.program.modules[module].name;
        let mut defaults = 0;
        let mut seen: Vec<Symbol> = Vec::new();
        for export in exports {
            let name = export.name.map_or(own, |n| n.sym);
            if name == own {
                defaults += 1;
            }
            if seen.contains(&name) {
                let text = self.text(name);
                let span = export.name.map_or(export.span, |n| n.span);
                self.error(span, format!("duplicate name of export set: {text}"));
                continue;
            }
            seen.push(name);
            let set = self.export_set(module, export);
            self.export_sets.insert((module, name), set);
        }
        if defaults > 1 {
            let text = self.text(own);
            let span = self.program.modules[module].span;
            self.error(
                span,
                format!("more than one default export set declared in module {text}"),
            );
        }
        // `extends`, as often as the longest chain may need.
        for _ in 0..exports.len() {
            for export in exports {
                let name = export.name.map_or(own, |n| n.sym);
                for base in &export.extends {
                    let found = self.export_sets.get(&(module, base.sym)).cloned();
                    if let (Some(found), Some(set)) =
                        (found, self.export_sets.get_mut(&(module, name)))
                    {
                        set.add(&found);
                    }
                }
            }
        }
        for export in exports {
            for base in &export.extends {
                if !self.export_sets.contains_key(&(module, base.sym)) {
                    let text = self.text(base.sym);
                    self.error(
                        base.span,
                        format!(
                            "{text} must be an export of {} to be extended",
                            self.text(own)
                        ),
                    );
                }
            }
        }
    }

    fn export_set(&mut self, module: ModuleId, export: &ast::Export) -> ExportSet {
        let mut set = ExportSet {
            provides_all: export.provides_all,
            reveals_all: export.reveals_all,
            ..ExportSet::default()
        };
        let lists = [
            (&export.provides, Shown::Provided),
            (&export.reveals, Shown::Revealed),
        ];
        for (list, shown) in lists {
            for path in list {
                self.export_path(module, path, shown, &mut set);
            }
        }
        set
    }

    fn export_path(
        &mut self,
        module: ModuleId,
        path: &[ast::Name],
        shown: Shown,
        set: &mut ExportSet,
    ) {
        match path {
            [name] => {
                if !self.modules[module.index()].own.contains_key(&name.sym) {
                    let text = self.text(name.sym);
                    self.error(
                        name.span,
                        format!(
                            "'{text}' must be a member of '{}' to be exported",
                            self.text(self.program.modules[module].name)
                        ),
                    );
                }
                if let Some(&found) = self.modules[module.index()].own.get(&name.sym) {
                    self.link_entity(*name, found);
                }
                let old = set.names.get(&name.sym).copied();
                set.names
                    .insert(name.sym, old.map_or(shown, |o| o.max(shown)));
            }
            [owner, name] => {
                if let Some(&found @ Entity::Type(decl)) =
                    self.modules[module.index()].own.get(&owner.sym)
                {
                    self.link_entity(*owner, found);
                    if let Some(member) = self.type_members.get(&(decl, name.sym)).cloned() {
                        self.link_type_member(*name, &member);
                    }
                }
                set.members.insert((owner.sym, name.sym), shown);
            }
            _ => {}
        }
    }

    /// The sets of `target` that `from` imports; the default set if it imports none by name.
    fn imported_sets(&self, from: ModuleId, target: ModuleId) -> ExportSet {
        let mut all = ExportSet::default();
        let mut found = false;
        let own = self.program.modules[target].name;
        for import in &self.work[from.index()].imports {
            let key = (from, import.name.sym);
            if self.import_targets.get(&key) != Some(&target) {
                continue;
            }
            let names: Vec<Symbol> = if import.exports.is_empty() {
                vec![own]
            } else {
                import.exports.iter().map(|n| n.sym).collect()
            };
            for name in names {
                found = true;
                if let Some(set) = self.export_sets.get(&(target, name)) {
                    all.add(set);
                }
            }
        }
        let nested = self.program.modules[target].parent == Some(from);
        if (!found || nested)
            && let Some(set) = self.export_sets.get(&(target, own))
        {
            all.add(set);
        }
        all
    }

    /// Whether export sets stand between two modules.
    fn is_foreign(&self, from: ModuleId, target: ModuleId) -> bool {
        from != target && self.program.modules[target].has_exports
    }

    /// A name of `target`, as far as `from` sees it.
    pub(crate) fn visible_in(
        &self,
        from: ModuleId,
        target: ModuleId,
        name: Symbol,
    ) -> Option<Entity> {
        let found = self.modules[target.index()].own.get(&name).copied()?;
        if !self.is_foreign(from, target) {
            return Some(found);
        }
        self.imported_sets(from, target).shown(name).map(|_| found)
    }

    /// A name of another module, seen from the module being resolved.
    pub(crate) fn visible_from_here(&self, target: ModuleId, name: Symbol) -> Option<Entity> {
        match self.frame.module {
            Some(from) => self.visible_in(from, target, name),
            None => self.modules[target.index()].own.get(&name).copied(),
        }
    }

    /// The constructors of that name whose datatypes are revealed.
    pub(crate) fn visible_ctors(&self, target: ModuleId, name: Symbol) -> Vec<CtorId> {
        let all = self.modules[target.index()].ctors.get(&name);
        let all = all.cloned().unwrap_or_default();
        let Some(from) = self.frame.module else {
            return all;
        };
        if !self.is_foreign(from, target) {
            return all;
        }
        let set = self.imported_sets(from, target);
        all.into_iter()
            .filter(|&c| {
                let decl = self.program.ctors[c].decl;
                set.shown(self.program.decls[decl].name) == Some(Shown::Revealed)
            })
            .collect()
    }

    /// Whether the module being resolved sees the definition of a type.
    pub(crate) fn sees_definition(&self, decl: DeclId) -> bool {
        !self.program.hidden.contains(&decl)
    }

    /// Whether the module being resolved sees a member of a type.
    pub(crate) fn sees_member(&self, member: MemberId) -> bool {
        let m = &self.program.members[member];
        let (Some(from), Owner::Type(decl)) = (self.frame.module, m.owner) else {
            return true;
        };
        if !self.is_foreign(from, m.module) {
            return true;
        }
        let set = self.imported_sets(from, m.module);
        let owner = self.program.decls[decl].name;
        set.shown_member(owner, m.name).is_some() || set.shown(owner) == Some(Shown::Revealed)
    }

    /// Functions that modules see without their bodies.
    pub(crate) fn find_provided(&mut self) {
        let mut provided: FastMap<ModuleId, FastSet<MemberId>> = FastMap::default();
        for at in 0..self.work.len() {
            let from = self.work[at].id;
            let targets: Vec<ModuleId> = self.work[at]
                .imports
                .iter()
                .filter_map(|import| self.import_targets.get(&(from, import.name.sym)).copied())
                .collect();
            for (id, member) in self.program.members.iter() {
                let target = member.module;
                let is_defined = matches!(
                    member.kind,
                    crate::tree::MemberKind::Function(_)
                        | crate::tree::MemberKind::Const { value: Some(_), .. }
                );
                if !is_defined || !targets.contains(&target) || self.is_inside(from, target) {
                    continue;
                }
                if !self.is_foreign(from, target) {
                    continue;
                }
                let set = self.imported_sets(from, target);
                let shown = match member.owner {
                    Owner::Module(_) => set.shown(member.name),
                    Owner::Type(decl) => {
                        set.shown_member(self.program.decls[decl].name, member.name)
                    }
                };
                if shown == Some(Shown::Provided) {
                    provided.entry(from).or_default().insert(id);
                }
            }
        }
        self.program.provided = provided;
    }

    /// Types that some export set provides without their definitions.
    pub(crate) fn find_hideable(&mut self) {
        let mut out = FastSet::default();
        for (decl, d) in self.program.decls.iter() {
            if !self.program.modules[d.module].has_exports {
                continue;
            }
            let sets = self.export_sets.iter();
            let mut own = sets.filter(|((m, _), _)| *m == d.module);
            if own.any(|(_, set)| set.shown(d.name) != Some(Shown::Revealed)) {
                out.insert(decl);
            }
        }
        self.hideable = out;
    }

    /// Sets which types are abstract to `module`.
    pub(crate) fn look_from(&mut self, module: ModuleId) {
        if self.hideable.is_empty() {
            return;
        }
        if let Some(known) = self.hidden_from.get(&module) {
            self.program.hidden = known.clone();
            return;
        }
        let mut hidden = FastSet::default();
        let mut all: Vec<DeclId> = self.hideable.iter().copied().collect();
        all.sort_unstable();
        for decl in all {
            let d = &self.program.decls[decl];
            if !self.is_foreign(module, d.module) || self.is_inside(module, d.module) {
                continue;
            }
            let set = self.imported_sets(module, d.module);
            if set.shown(d.name) != Some(Shown::Revealed) {
                hidden.insert(decl);
            }
        }
        let hidden = Arc::new(hidden);
        self.hidden_from.insert(module, hidden.clone());
        self.program.hidden = hidden;
    }

    /// Replaces the synonyms that were kept for export sets, now that nobody resolves names any more.
    pub(crate) fn expand_kept(&mut self) {
        self.program.hidden = Arc::default();
        if self.hideable.is_empty() {
            return;
        }
        self.keeps_synonyms = false;
        for var in self.program.vars.ids().collect::<Vec<_>>() {
            self.program.vars[var].ty = self.expand(self.program.vars[var].ty);
        }
        for member in self.program.members.ids().collect::<Vec<_>>() {
            let mut kind = self.program.members[member].kind.clone();
            match &mut kind {
                crate::tree::MemberKind::Field { ty }
                | crate::tree::MemberKind::Const { ty, .. } => {
                    *ty = self.expand(*ty);
                }
                crate::tree::MemberKind::Function(f) => f.result = self.expand(f.result),
                crate::tree::MemberKind::Method(_) => {}
            }
            self.program.members[member].kind = kind;
        }
        for expr in self.program.exprs.ids().collect::<Vec<_>>() {
            self.program.exprs[expr].ty = self.expand(self.program.exprs[expr].ty);
            let mut kind = self.program.exprs[expr].kind.clone();
            super::zonk::map_expr_types(&mut kind, &mut |ty| self.expand(ty));
            self.program.exprs[expr].kind = kind;
        }
        for stmt in self.program.stmts.ids().collect::<Vec<_>>() {
            let mut kind = self.program.stmts[stmt].kind.clone();
            super::zonk::map_stmt_types(&mut kind, &mut |ty| self.expand(ty));
            self.program.stmts[stmt].kind = kind;
        }
    }

    /// Compiled modules import compiled modules; two modules do not have one name for foreign code.
    pub(crate) fn check_imports(&mut self) {
        for at in 0..self.work.len() {
            let module = self.work[at].id;
            if self.in_abstract(module) {
                continue;
            }
            for import in self.work[at].imports.clone() {
                let key = (module, import.name.sym);
                let target = self.import_targets.get(&key).copied();
                let Some(target) = target.filter(|_| !import.is_abstract) else {
                    continue;
                };
                if self.program.modules[target].is_abstract {
                    let own = self.text(self.program.modules[module].name);
                    let path: Vec<String> = import.path.iter().map(|n| self.text(n.sym)).collect();
                    let span = import.path.first().map_or(import.span, |n| n.span);
                    self.error_in(module, span, format!("a compiled module ({own}) is not allowed to import an abstract module ({})", path.join(".")));
                }
            }
        }
        let named = std::mem::take(&mut self.extern_names);
        for (i, (name, module)) in named.iter().enumerate() {
            if let Some((_, first)) = named[..i].iter().find(|(n, _)| n == name) {
                let message = format!(
                    "modules '{}' and '{}' both have CompileName '{name}'",
                    self.text(self.program.modules[*first].name),
                    self.text(self.program.modules[*module].name)
                );
                self.error_in(*module, self.program.modules[*module].span, message);
            }
        }
    }

    fn is_inside(&self, module: ModuleId, outer: ModuleId) -> bool {
        let mut at = Some(module);
        while let Some(module) = at {
            if module == outer {
                return true;
            }
            at = self.program.modules[module].parent;
        }
        false
    }
}
