//! Checks of the whole program: overriding, the call graph, co-recursive calls, grounding constructors.

use super::{Resolver, TypeMember};
use crate::tree::{DeclId, MemberId, MemberKind};
use stet_base::Index;

impl Resolver<'_> {
    pub(crate) fn finish(&mut self) {
        self.discover_bounds();
        let before = self.failed_modules.clone();
        self.check_finite();
        // One stage: what the first check finds does not keep the second from looking.
        let found = std::mem::replace(&mut self.failed_modules, before);
        self.check_allocation();
        self.failed_modules.extend(found);
        self.check_ghost();
        self.infer_equality();
        self.check_characteristics();
        self.check_refined_types();
        self.link_overrides();
        let component = self.components();
        self.check_termination_overrides();
        self.check_infinite_loops();
        self.check_measures();
        self.check_recursion(&component);
        self.check_knots();
        self.default_measures();
        self.co_calls();
    }

    fn link_overrides(&mut self) {
        let decls: Vec<DeclId> = self.program.decls.ids().collect();
        for decl in decls {
            let members = self.program.decls[decl].members.clone();
            for member in members {
                let name = self.program.members[member].name;
                let parents = self.program.decls[decl].parents.clone();
                let mut found = Vec::new();
                for parent in parents {
                    if let Some((TypeMember::Member(m), _)) = self.find_type_member(parent, name)
                        && m != member
                        && !found.contains(&m)
                    {
                        found.push(m);
                    }
                }
                for &overridden in &found {
                    // A call of the trait's member may reach this one.
                    self.calls.push((overridden, member));
                }
                self.program.members[member].overrides = found;
            }
        }
    }

    /// Strongly connected components of the call graph, callees first (Tarjan, without recursion).
    fn components(&mut self) -> Vec<u32> {
        let count = self.program.members.len();
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut self_loop = vec![false; count];
        for &(from, to) in &self.calls {
            if from == to {
                self_loop[from.index()] = true;
            }
            edges[from.index()].push(to.index());
        }
        let component = tarjan(&edges);
        let mut sizes = vec![0usize; count + 1];
        for &c in &component {
            sizes[c as usize] += 1;
        }
        for i in 0..count {
            let recursive_here = self_loop[i] || sizes[component[i] as usize] > 1;
            match &mut self.program.members[MemberId::from_index(i)].kind {
                MemberKind::Function(f) => {
                    f.scc = component[i];
                    f.recursive = recursive_here;
                }
                MemberKind::Method(m) => {
                    m.scc = component[i];
                    m.recursive = recursive_here;
                }
                _ => {}
            }
        }
        component
    }
}

/// The component of each node; callees have smaller or equal numbers.
fn tarjan(edges: &[Vec<usize>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let count = edges.len();
    let mut index = vec![NONE; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut component = vec![NONE; count];
    let mut stack = Vec::new();
    let mut next_index = 0;
    let mut next_component = 0;
    for root in 0..count {
        if index[root] != NONE {
            continue;
        }
        let mut work: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&(node, edge)) = work.last() {
            if edge == 0 {
                index[node] = next_index;
                low[node] = next_index;
                next_index += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(edge) {
                if let Some(last) = work.last_mut() {
                    last.1 += 1;
                }
                if index[to] == NONE {
                    work.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if edge == 0 {
                // No edges at all: keep the marker past zero.
                if let Some(last) = work.last_mut() {
                    last.1 = 1;
                }
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(top) = stack.pop() {
                    on_stack[top] = false;
                    component[top] = next_component;
                    if top == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::tarjan;

    #[test]
    fn components_number_callees_before_callers() {
        // 0 -> 1 <-> 2 -> 3, and 4 alone.
        let component = tarjan(&[vec![1], vec![2], vec![1, 3], vec![], vec![]]);
        assert_eq!(component[1], component[2]);
        assert!(component[3] < component[1] && component[1] < component[0]);
        assert_ne!(component[4], component[0]);
    }
}
