//! Assumptions that every state of a body follows the states at its entry and at its labels: what functions and lemmas of two states rely on.

use crate::cx::Cx;
use crate::tree::*;
use stet_dafny::tree::{MemberKind, MethodKind, Program};

/// Whether a program has functions or lemmas of two states.
pub(crate) fn has_two_states(p: &Program) -> bool {
    p.members.iter().any(|(_, member)| match &member.kind {
        MemberKind::Function(f) => f.twostate,
        MemberKind::Method(m) => m.kind == MethodKind::TwostateLemma,
        _ => false,
    })
}

impl Cx<'_> {
    /// Whether something in the program depends on which states follow others.
    pub(crate) fn states_follow(&self) -> bool {
        let has_heap = self.chunks.contains(&crate::prelude::Chunk::Heap);
        self.has_two_states || (self.has_general && has_heap)
    }

    /// States that the heap follows the one at the entry and those at the labels passed: at the start, after every write
    /// and call of a body, and at the head of a loop. Objects are only ever added, so it is so; the prover would need a
    /// chain of all states in between to find it.
    pub(crate) fn follow_entry(&self, stmts: &mut Vec<S>) {
        let mut earlier = vec![old(var("$Heap"))];
        self.follow(stmts, &mut earlier);
        stmts.insert(0, follows(&old(var("$Heap"))));
    }

    fn follow(&self, stmts: &mut Vec<S>, earlier: &mut Vec<B>) {
        let outside = earlier.len();
        let mut at = 0;
        while at < stmts.len() {
            let mut changes = false;
            match &mut stmts[at] {
                S::If(_, a, b) => {
                    self.follow(a, earlier);
                    self.follow(b, earlier);
                }
                S::Loop {
                    body,
                    invariants,
                    span,
                } => {
                    // What loops state themselves goes back to the entry.
                    for heap in earlier.iter().skip(1) {
                        invariants.push(crate::loops::free(succ(heap), *span));
                    }
                    self.follow(body, earlier);
                }
                S::Assign(name, value) => {
                    changes = &**name == "$Heap";
                    if name.starts_with("heap.label") && **value == Node::Var("$Heap".into()) {
                        let label = var(name);
                        at += 1;
                        stmts.insert(at, follows(&label));
                        earlier.push(label);
                    }
                }
                S::Havoc(names) => changes = names.iter().any(|n| &**n == "$Heap"),
                S::Call { proc, .. } => changes = self.heap_modifiers.contains(proc),
                _ => {}
            }
            at += 1;
            if changes {
                for heap in &*earlier {
                    stmts.insert(at, follows(heap));
                    at += 1;
                }
            }
        }
        earlier.truncate(outside);
    }
}

fn succ(earlier: &B) -> B {
    app("$HeapSucc", vec![earlier.clone(), var("$Heap")])
}

fn follows(earlier: &B) -> S {
    S::Assume(succ(earlier))
}
