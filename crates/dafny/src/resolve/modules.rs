//! The module tree: nested modules, refinement, imports and the names of each module.

use super::{Entity, ModuleNames, Resolver};
use crate::ast;
use crate::tree::{Module, ModuleId};
use stet_base::{FastMap, Index, Span, Symbol};

/// A module with the declarations it will have, its base's included.
#[derive(Debug)]
pub(crate) struct ModuleWork {
    pub(crate) id: ModuleId,
    pub(crate) decls: Vec<ast::Decl>,
    pub(crate) imports: Vec<ast::Import>,
    pub(crate) exports: Vec<ast::Export>,
    refines: Option<Vec<ast::Name>>,
    merged: Option<bool>,
}

/// The name of the outermost module.
const ROOT: &str = "_module";

impl Resolver<'_> {
    pub(crate) fn build_modules(&mut self, decls: Vec<ast::Decl>) {
        let name = self.sym(ROOT);
        let span = Span {
            file: Index::from_index(0),
            start: 0,
            end: 0,
        };
        let root = self.new_module(name, span, None, true);
        self.add_decls(root, decls);
        self.check_module_cycles();
        if self.root_failed() {
            return;
        }
        self.merge_refinements();
        self.resolve_imports();
    }

    fn new_module(
        &mut self,
        name: Symbol,
        span: Span,
        parent: Option<ModuleId>,
        verify: bool,
    ) -> ModuleId {
        let id = self.program.modules.push(Module {
            name,
            span,
            parent,
            is_abstract: false,
            refines: None,
            types: Vec::new(),
            members: Vec::new(),
            modules: Vec::new(),
            imports: Vec::new(),
            attributes: Vec::new(),
            has_exports: false,
            verify,
        });
        self.modules.push(ModuleNames::default());
        self.work.push(ModuleWork {
            id,
            decls: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            refines: None,
            merged: None,
        });
        id
    }

    /// Sorts declarations into the module's work, making nested modules.
    fn add_decls(&mut self, module: ModuleId, decls: Vec<ast::Decl>) {
        for decl in decls {
            match decl {
                ast::Decl::Module(nested) => self.add_module(module, *nested),
                ast::Decl::Import(import) => self.work[module.index()].imports.push(import),
                ast::Decl::Export(export) => self.work[module.index()].exports.push(export),
                other => self.work[module.index()].decls.push(other),
            }
        }
    }

    fn add_module(&mut self, mut parent: ModuleId, module: ast::Module) {
        let (last, path) = match module.path.split_last() {
            Some((last, path)) => (*last, path.to_vec()),
            None => return,
        };
        for name in &path {
            parent = match self.modules[parent.index()].own.get(&name.sym) {
                Some(&Entity::Module(inner)) => inner,
                _ => {
                    let inner = self.new_module(name.sym, name.span, Some(parent), module.verify);
                    self.register_module(parent, name.sym, inner);
                    inner
                }
            };
        }
        if self.modules[parent.index()].own.contains_key(&last.sym) {
            let text = self.text(last.sym);
            self.error(
                last.span,
                format!("duplicate name of top-level declaration: {text}"),
            );
            return;
        }
        let id = self.new_module(last.sym, last.span, Some(parent), module.verify);
        self.register_module(parent, last.sym, id);
        self.program.modules[id].is_abstract = module.is_abstract || module.replaceable;
        self.note_extern(id, &module.attrs);
        self.work[id.index()].refines = module.refines;
        self.add_decls(id, module.decls);
    }

    /// Remembers the name a compiled module has in foreign code.
    fn note_extern(&mut self, id: ModuleId, attrs: &[ast::Attr]) {
        let is = |r: &Self, attr: &ast::Attr, name: &str| r.program.text(attr.name.sym) == name;
        let not_compiled = attrs.iter().any(|a| {
            is(self, a, "compile")
                && a.args
                    .first()
                    .is_some_and(|&e| matches!(self.ast.exprs[e].kind, ast::ExprKind::Bool(false)))
        });
        if not_compiled {
            return;
        }
        for attr in attrs {
            let Some(&arg) = attr.args.last().filter(|_| is(self, attr, "extern")) else {
                continue;
            };
            if let ast::ExprKind::Str(text) = &self.ast.exprs[arg].kind {
                let text = text.iter().filter_map(|&c| char::from_u32(c)).collect();
                self.extern_names.push((text, id));
            }
        }
    }

    fn register_module(&mut self, parent: ModuleId, name: Symbol, id: ModuleId) {
        self.modules[parent.index()]
            .own
            .insert(name, Entity::Module(id));
        self.program.modules[parent].modules.push(id);
    }

    /// Merges each refining module with its base, bases first.
    fn merge_refinements(&mut self) {
        let mut at = 0;
        // Merging may add nested modules, which are visited in turn.
        while at < self.work.len() {
            let id = ModuleId::from_index(at);
            self.merge_refinement(id, 0);
            at += 1;
        }
    }

    fn merge_refinement(&mut self, id: ModuleId, depth: u32) {
        match self.work[id.index()].merged {
            Some(true) => return,
            Some(false) => {
                let span = self.program.modules[id].span;
                self.error(span, "module refinement is cyclic");
                return;
            }
            None => self.work[id.index()].merged = Some(false),
        }
        if let Some(path) = self.work[id.index()].refines.clone()
            && depth < 1000
        {
            let parent = self.program.modules[id].parent.unwrap_or(id);
            if let Some(base) = self.find_module_path(parent, &path, Some(id)) {
                self.merge_refinement(base, depth + 1);
                self.program.modules[id].refines = Some(base);
                self.merge_with(id, base);
            }
        }
        self.work[id.index()].merged = Some(true);
    }

    fn merge_with(&mut self, id: ModuleId, base: ModuleId) {
        let base_decls = self.work[base.index()].decls.clone();
        let base_imports = self.work[base.index()].imports.clone();
        let base_exports = self.work[base.index()].exports.clone();
        let own = std::mem::take(&mut self.work[id.index()].decls);
        let outer = self.frame.module.replace(id);
        self.merging = Some(base);
        let merged = self.merge_decls(base_decls, own);
        self.frame.module = outer;
        let work = &mut self.work[id.index()];
        work.decls = merged;
        for import in base_imports {
            let replaced = work.imports.iter().any(|i| i.name.sym == import.name.sym)
                || self.modules[id.index()].own.contains_key(&import.name.sym);
            if !replaced {
                work.imports.push(import);
            }
        }
        let (own_name, base_name) = (
            self.program.modules[id].name,
            self.program.modules[base].name,
        );
        let default = work
            .exports
            .iter()
            .any(|e| e.name.is_none_or(|n| n.sym == own_name));
        for mut export in base_exports {
            // The default set of the base is also a set named after the base.
            let name = export.name.map_or(base_name, |n| n.sym);
            if export.name.is_none_or(|n| n.sym == base_name) && !default {
                let mut copy = export.clone();
                copy.name = None;
                work.exports.push(copy);
            }
            let span = export.span;
            export.name = Some(ast::Name { sym: name, span });
            work.exports.push(export);
        }
        let nested: Vec<ModuleId> = self.program.modules[base].modules.clone();
        for inner in nested {
            let name = self.program.modules[inner].name;
            // A nested module of the base is shared.
            self.modules[id.index()]
                .own
                .entry(name)
                .or_insert(Entity::Module(inner));
        }
    }

    fn resolve_imports(&mut self) {
        // Imports may name other imports: go round until nothing changes.
        let mut pending: Vec<(ModuleId, ast::Import)> = Vec::new();
        for work in &self.work {
            pending.extend(work.imports.iter().map(|i| (work.id, i.clone())));
        }
        let mut bound: FastMap<(ModuleId, Symbol), Span> = FastMap::default();
        for (module, import) in &pending {
            if self.is_nested(*module, import.name.sym) {
                let text = self.text(import.name.sym);
                self.error(
                    import.span,
                    format!(
                        "Import declaration uses same name as a module in the same scope: {text}"
                    ),
                );
            }
        }
        if self.root_failed() {
            return;
        }
        loop {
            let before = pending.len();
            let mut rest = Vec::new();
            for (module, import) in pending {
                let start = self.import_root(module, &import);
                match self.try_module_path(start, &import.path, module, &import) {
                    Some(target) => {
                        self.link_modules(start, &import.path);
                        self.bind_import(module, &import, target, &mut bound);
                    }
                    None => rest.push((module, import)),
                }
            }
            pending = rest;
            if pending.len() == before || pending.is_empty() {
                break;
            }
        }
        for (module, import) in pending {
            let start = self.import_root(module, &import);
            self.find_module_path(start, &import.path, Some(module));
        }
    }

    fn import_root(&self, module: ModuleId, _import: &ast::Import) -> ModuleId {
        module
    }

    fn bind_import(
        &mut self,
        module: ModuleId,
        import: &ast::Import,
        target: ModuleId,
        bound: &mut FastMap<(ModuleId, Symbol), Span>,
    ) {
        let names = &mut self.modules[module.index()];
        if import.opened {
            names.opened.push(target);
        }
        self.program.modules[module].imports.push(target);
        let previous = names.own.get(&import.name.sym).copied();
        if bound.contains_key(&(module, import.name.sym)) {
            let text = self.text(import.name.sym);
            self.error(import.span, format!("duplicate name of import: {text}"));
            return;
        }
        if previous.is_some() {
            let text = self.text(import.name.sym);
            self.error(
                import.span,
                format!("Import declaration uses same name as a module in the same scope: {text}"),
            );
            return;
        }
        self.import_targets
            .insert((module, import.name.sym), target);
        if import.is_abstract && !self.program.modules[module].is_abstract {
            let text = self.text(import.name.sym);
            self.error(import.name.span, format!("The abstract import named {text} (using :) may only be used in an abstract or replaceable module declaration"));
        }
        bound.insert((module, import.name.sym), import.name.span);
        names_insert(&mut self.modules[module.index()], import.name.sym, target);
    }

    /// A path of modules seen from `module`: the first name there or further out, except the import itself.
    fn try_module_path(
        &self,
        from: ModuleId,
        path: &[ast::Name],
        own: ModuleId,
        import: &ast::Import,
    ) -> Option<ModuleId> {
        let first = path.first()?;
        let mut scope = Some(from);
        while let Some(module) = scope {
            let found = self.modules[module.index()].own.get(&first.sym);
            let is_self =
                module == own && first.sym == import.name.sym && !self.is_nested(module, first.sym);
            if let Some(&Entity::Module(start)) = found
                && !is_self
                && start != own
            {
                return self.walk_path(start, &path[1..]).ok();
            }
            scope = self.program.modules[module].parent;
        }
        None
    }

    fn is_nested(&self, module: ModuleId, name: Symbol) -> bool {
        let nested = self.program.modules[module].modules.iter();
        nested
            .into_iter()
            .any(|&m| self.program.modules[m].name == name)
    }

    fn walk_path(&self, start: ModuleId, rest: &[ast::Name]) -> Result<ModuleId, usize> {
        let mut at = start;
        for (i, name) in rest.iter().enumerate() {
            match self.modules[at.index()].own.get(&name.sym) {
                Some(&Entity::Module(inner)) => at = inner,
                _ => return Err(i + 1),
            }
        }
        Ok(at)
    }

    /// As `try_module_path`, with a message when there is none.
    pub(crate) fn find_module_path(
        &mut self,
        from: ModuleId,
        path: &[ast::Name],
        not: Option<ModuleId>,
    ) -> Option<ModuleId> {
        let first = *path.first()?;
        let mut scope = Some(from);
        let mut failed_at = 0;
        while let Some(module) = scope {
            let found = self.modules[module.index()].own.get(&first.sym).copied();
            if let Some(Entity::Module(start)) = found
                && Some(start) != not
            {
                match self.walk_path(start, &path[1..]) {
                    Ok(target) => {
                        self.link_path(start, path);
                        return Some(target);
                    }
                    Err(position) => {
                        failed_at = position;
                        break;
                    }
                }
            }
            scope = self.program.modules[module].parent;
        }
        let dotted: Vec<String> = path.iter().map(|n| self.text(n.sym)).collect();
        let name = dotted[failed_at].clone();
        let message = if path.len() == 1 {
            format!("module {name} does not exist")
        } else {
            format!(
                "module {name} does not exist (position {failed_at} in path {})",
                dotted.join(".")
            )
        };
        let message = match dotted[0] == "Std" {
            true => format!("{message}: not supported: this module of Dafny's standard library"),
            false => message,
        };
        self.error(path[failed_at].span, message);
        None
    }
}

fn names_insert(names: &mut ModuleNames, name: Symbol, target: ModuleId) {
    names.own.insert(name, Entity::Module(target));
}
