//! The strongly connected components of the call graph, in the order in which they can be solved.

use crate::program::Pred;

/// Strongly connected components of the call graph (Tarjan, without recursion).
pub(crate) fn components(preds: &[Pred]) -> Vec<usize> {
    let edges: Vec<Vec<usize>> = preds.iter().map(callees).collect();
    let mut number = vec![usize::MAX; preds.len()];
    let mut low = vec![0; preds.len()];
    let mut component = vec![usize::MAX; preds.len()];
    let (mut next, mut components) = (0, 0);
    let mut stack: Vec<usize> = Vec::new();
    for root in 0..preds.len() {
        if number[root] != usize::MAX {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((at, edge)) = work.pop() {
            if edge == 0 {
                number[at] = next;
                low[at] = next;
                next += 1;
                stack.push(at);
            }
            if let Some(&to) = edges[at].get(edge) {
                work.push((at, edge + 1));
                if number[to] == usize::MAX {
                    work.push((to, 0));
                } else if component[to] == usize::MAX {
                    low[at] = low[at].min(number[to]);
                }
                continue;
            }
            if low[at] == number[at] {
                while let Some(member) = stack.pop() {
                    component[member] = components;
                    if member == at {
                        break;
                    }
                }
                components += 1;
            }
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[at]);
            }
        }
    }
    component
}

pub(crate) fn callees(pred: &Pred) -> Vec<usize> {
    use crate::program::Goal;
    let mut found = Vec::new();
    let mut work: Vec<&Goal> = pred.clauses.iter().map(|c| &c.body).collect();
    while let Some(goal) = work.pop() {
        match goal {
            Goal::Call { pred, .. } => found.push(*pred),
            Goal::And(goals) => work.extend(goals),
            Goal::Or(a, b) | Goal::Catch(a, _, b) => work.extend([&**a, &**b]),
            Goal::IfThenElse(a, b, c) => work.extend([&**a, &**b, &**c]),
            Goal::Aside(a) | Goal::Findall(_, a, _) => work.push(a),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
