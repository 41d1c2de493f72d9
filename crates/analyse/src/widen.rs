//! Widening: types get no deeper than one occurrence of each functor on a path.
//!
//! [`folded`] merges a node with an ancestor that shares a functor, and closes under congruence (merged nodes have
//! merged arguments), so that the result is deterministic again. The number of such grammars over the functors of a
//! program is finite, which makes every chain of widened unions end.

use crate::types::{Const, Functor, Node};
use std::collections::BTreeSet;
use stet_base::FastMap;

/// A grammar for a superset in which no node shares a functor with a proper ancestor.
pub(crate) fn folded(nodes: &[Node]) -> Vec<Node> {
    let mut nodes = nodes.to_vec();
    loop {
        let Some((a, b)) = repeated(&nodes) else {
            return nodes;
        };
        nodes = merged(&nodes, a, b);
    }
}

/// A node and a descendant that share a functor.
fn repeated(nodes: &[Node]) -> Option<(usize, usize)> {
    // Each item: node, and the path to it.
    let mut work = vec![(0, Vec::new())];
    let mut steps = 0;
    while let Some((at, path)) = work.pop() {
        steps += 1;
        if steps > 10_000 {
            return path.first().map(|&root| (root, at)).filter(|(r, a)| r != a);
        }
        if path.contains(&at) {
            continue;
        }
        let shares = |&&above: &&usize| {
            nodes[above]
                .rules
                .keys()
                .any(|functor| nodes[at].rules.contains_key(functor))
        };
        if let Some(&above) = path.iter().find(shares) {
            return Some((above, at));
        }
        let mut below = path.clone();
        below.push(at);
        for &arg in nodes[at].rules.values().flatten() {
            work.push((arg, below.clone()));
        }
    }
    None
}

/// Merges two nodes and, as merged nodes have one rule per functor, their arguments.
fn merged(nodes: &[Node], a: usize, b: usize) -> Vec<Node> {
    debug_assert!(
        a != b && a < nodes.len() && b < nodes.len(),
        "two nodes are merged"
    );
    let mut parent: Vec<usize> = (0..nodes.len()).collect();
    fn find(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    let mut work = vec![(a, b)];
    loop {
        while let Some((x, y)) = work.pop() {
            let (x, y) = (find(&mut parent, x), find(&mut parent, y));
            if x != y {
                parent[x.max(y)] = x.min(y);
            }
        }
        // Congruence: members of a class agree on the classes of arguments.
        let mut rules: FastMap<(usize, Functor), Vec<usize>> = FastMap::default();
        for (at, node) in nodes.iter().enumerate() {
            let class = find(&mut parent, at);
            for (&functor, args) in &node.rules {
                match rules.get(&(class, functor)) {
                    Some(known) => {
                        for (&x, &y) in known.iter().zip(args) {
                            if find(&mut parent, x) != find(&mut parent, y) {
                                work.push((x, y));
                            }
                        }
                    }
                    None => {
                        rules.insert((class, functor), args.clone());
                    }
                }
            }
        }
        if work.is_empty() {
            break;
        }
    }
    let class: Vec<usize> = (0..nodes.len()).map(|at| find(&mut parent, at)).collect();
    rebuilt(nodes, &class)
}

fn rebuilt(nodes: &[Node], class: &[usize]) -> Vec<Node> {
    debug_assert!(
        class.len() == nodes.len() && class.iter().all(|&at| class[at] == at),
        "a class is named by one of its nodes"
    );
    let mut joined: Vec<Node> = vec![Node::default(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        let target = &mut joined[class[at]];
        target.top |= node.top;
        target.prims |= node.prims;
        target.any_compound |= node.any_compound;
        // A rule beside all ground terms would have to admit them: all compound terms do.
        target.ground_compound |= node.ground_compound;
        target.consts.extend(node.consts.iter().copied());
        for (&functor, args) in &node.rules {
            let args = args.iter().map(|&arg| class[arg]).collect();
            target.rules.insert(functor, args);
        }
    }
    for node in &mut joined {
        if node.ground_compound && !node.rules.is_empty() {
            node.any_compound = true;
        }
        if node.top {
            *node = Node::top();
        } else if node.any_compound {
            node.rules.clear();
            node.ground_compound = false;
        }
        let prims = node.prims;
        let consts: BTreeSet<Const> = node
            .consts
            .iter()
            .copied()
            .filter(|c| c.prim() & prims == 0)
            .collect();
        node.consts = consts;
    }
    compacted(&joined, class[0])
}

/// The nodes that can be reached, root first.
fn compacted(nodes: &[Node], root: usize) -> Vec<Node> {
    let mut number: FastMap<usize, usize> = FastMap::default();
    let mut order = vec![root];
    number.insert(root, 0);
    let mut result = Vec::new();
    while result.len() < order.len() {
        let mut node = nodes[order[result.len()]].clone();
        for arg in node.rules.values_mut().flatten() {
            let fresh = order.len();
            let at = *number.entry(*arg).or_insert(fresh);
            if at == fresh {
                order.push(*arg);
            }
            *arg = at;
        }
        result.push(node);
    }
    result
}
