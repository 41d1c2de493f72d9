//! The graph of modules: no cycles among modules and imports, and the order in which Dafny resolves modules.

use super::Resolver;
use crate::ast;
use crate::tree::ModuleId;
use stet_base::{FastMap, Index};

/// A module, or an import of a module by its position there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Module(ModuleId),
    Import(ModuleId, usize),
}

impl Resolver<'_> {
    /// Reports one cycle among modules, their nested modules and imports.
    pub(crate) fn check_module_cycles(&mut self) {
        let mut state: FastMap<Node, bool> = FastMap::default();
        for module in self.program.modules.ids().collect::<Vec<_>>() {
            let mut path = Vec::new();
            if let Some(cycle) = self.find_cycle(Node::Module(module), &mut state, &mut path) {
                let shown: Vec<String> = cycle.iter().map(|&node| self.show_node(node)).collect();
                let span = match cycle[0] {
                    Node::Module(m) => self.program.modules[m].span,
                    Node::Import(m, at) => self.work[m.index()].imports[at].span,
                };
                self.error(
                    span,
                    format!(
                        "module definition contains a cycle (note: parent modules implicitly depend on submodules): {}",
                        shown.join(" -> ")
                    ),
                );
                return;
            }
        }
    }

    /// Depth first, without recursion; the first node of the cycle is repeated at its end.
    fn find_cycle(
        &self,
        root: Node,
        state: &mut FastMap<Node, bool>,
        path: &mut Vec<(Node, usize)>,
    ) -> Option<Vec<Node>> {
        if state.contains_key(&root) {
            return None;
        }
        state.insert(root, false);
        path.push((root, 0));
        while let Some(&(node, at)) = path.last() {
            let next = self.module_edges(node).get(at).copied();
            if let Some(last) = path.last_mut() {
                last.1 += 1;
            }
            match next {
                None => {
                    state.insert(node, true);
                    path.pop();
                }
                Some(to) => match state.get(&to) {
                    Some(true) => {}
                    Some(false) => {
                        let start = path.iter().position(|&(n, _)| n == to)?;
                        let mut cycle: Vec<Node> = path[start..].iter().map(|&(n, _)| n).collect();
                        cycle.push(to);
                        return Some(cycle);
                    }
                    None => {
                        state.insert(to, false);
                        path.push((to, 0));
                    }
                },
            }
        }
        None
    }

    fn module_edges(&self, node: Node) -> Vec<Node> {
        match node {
            Node::Module(module) => {
                let m = &self.program.modules[module];
                let mut out: Vec<Node> = m.refines.map(Node::Module).into_iter().collect();
                out.extend(m.modules.iter().copied().map(Node::Module));
                let count = self.work[module.index()].imports.len();
                out.extend((0..count).map(|at| Node::Import(module, at)));
                out
            }
            Node::Import(module, at) => {
                let import = &self.work[module.index()].imports[at];
                self.import_start(module, import).into_iter().collect()
            }
        }
    }

    /// What the first name of an import's path stands for.
    fn import_start(&self, module: ModuleId, import: &ast::Import) -> Option<Node> {
        let first = import.path.first()?.sym;
        let mut scope = Some(module);
        while let Some(at) = scope {
            let own = &self.work[at.index()].imports;
            let alias = own.iter().position(|other| {
                other.name.sym == first && !(at == module && std::ptr::eq(other, import))
            });
            let nested = self.program.modules[at].modules.iter().copied();
            let nested = nested
                .into_iter()
                .find(|&m| self.program.modules[m].name == first);
            if let Some(found) = nested {
                return Some(Node::Module(found));
            }
            if let Some(alias) = alias {
                return Some(Node::Import(at, alias));
            }
            scope = self.program.modules[at].parent;
        }
        None
    }

    fn show_node(&self, node: Node) -> String {
        match node {
            Node::Module(m) => format!("module {}", self.text(self.program.modules[m].name)),
            Node::Import(m, at) => {
                let import = &self.work[m.index()].imports[at];
                format!("import {}", self.text(import.name.sym))
            }
        }
    }

    /// For each module its place in the order of resolution: what it needs comes first.
    pub(crate) fn module_ranks(&self) -> Vec<u32> {
        let count = self.program.modules.len();
        let mut ranks = vec![u32::MAX; count];
        let mut next = 0;
        for root in 0..count {
            let mut stack = vec![(ModuleId::from_index(root), 0usize)];
            let mut open = vec![false; count];
            while let Some(&(module, at)) = stack.last() {
                if ranks[module.index()] != u32::MAX {
                    stack.pop();
                    continue;
                }
                open[module.index()] = true;
                let needs = self.module_needs(module);
                if let Some(last) = stack.last_mut() {
                    last.1 += 1;
                }
                match needs.get(at) {
                    Some(&to) if ranks[to.index()] == u32::MAX && !open[to.index()] => {
                        stack.push((to, 0));
                    }
                    Some(_) => {}
                    None => {
                        ranks[module.index()] = next;
                        next += 1;
                        stack.pop();
                    }
                }
            }
        }
        ranks
    }

    fn module_needs(&self, module: ModuleId) -> Vec<ModuleId> {
        let m = &self.program.modules[module];
        let mut out: Vec<ModuleId> = m.refines.into_iter().collect();
        out.extend(&m.modules);
        out.extend(&m.imports);
        out
    }

    /// Modules that need a module with errors are not resolved: their own errors give way to one that says so.
    pub(crate) fn drop_dependents(&mut self) {
        let ranks = self.module_ranks();
        let mut order: Vec<ModuleId> = self.program.modules.ids().collect();
        order.sort_by_key(|m| ranks[m.index()]);
        for module in order {
            let Some((span, what, name)) = self.failed_need(module) else {
                continue;
            };
            let own = self.text(self.program.modules[module].name);
            let mut kept = Vec::new();
            let found: Vec<_> = self.diagnostics.drain(self.reported_before..).collect();
            for (diagnostic, blamed) in found.into_iter().zip(self.blamed.drain(..)) {
                if blamed != module {
                    self.diagnostics.push(diagnostic);
                    kept.push(blamed);
                }
            }
            self.blamed = kept;
            self.failed_modules.insert(module);
            if !self.essentially_empty(module) {
                self.error_in(
                    module,
                    span,
                    format!("not resolving module '{own}' because there were errors in resolving its {what} '{name}'"),
                );
            }
        }
    }

    /// Whether a module declares nothing but modules.
    fn essentially_empty(&self, module: ModuleId) -> bool {
        let m = &self.program.modules[module];
        m.types.is_empty() && m.members.is_empty()
    }

    fn failed_need(&self, module: ModuleId) -> Option<(stet_base::Span, &'static str, String)> {
        for import in &self.work[module.index()].imports {
            let target = self.import_targets.get(&(module, import.name.sym)).copied();
            if target.is_some_and(|t| self.module_failed(t)) {
                return Some((import.span, "import", self.text(import.name.sym)));
            }
        }
        let nested = self.program.modules[module].modules.iter();
        for &inner in nested {
            if self.module_failed(inner) {
                let m = &self.program.modules[inner];
                return Some((m.span, "nested module", self.text(m.name)));
            }
        }
        None
    }
}
