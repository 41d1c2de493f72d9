//! That every state of a body follows the state at its entry: what functions and lemmas of two states rely on.

use crate::cx::Cx;
use crate::tree::*;
use stet_dafny::tree::{MemberKind, MethodKind};

impl Cx<'_> {
    /// Whether the program has functions or lemmas of two states.
    pub(crate) fn has_two_states(&self) -> bool {
        self.p.members.iter().any(|(_, member)| match &member.kind {
            MemberKind::Function(f) => f.twostate,
            MemberKind::Method(m) => m.kind == MethodKind::TwostateLemma,
            _ => false,
        })
    }

    /// States after every write and call of a body that the heap follows the one at its entry. Objects are only ever
    /// added, so it is so; the prover would need a chain of all states in between to find it.
    pub(crate) fn follow_entry(&self, stmts: &mut Vec<S>) {
        let mut at = 0;
        while at < stmts.len() {
            let changes = match &mut stmts[at] {
                S::If(_, a, b) => {
                    self.follow_entry(a);
                    self.follow_entry(b);
                    false
                }
                S::Loop { body, .. } => {
                    self.follow_entry(body);
                    false
                }
                S::Assign(name, value) => &**name == "$Heap" && matches!(&**value, Node::Store(..)),
                S::Call { proc, .. } => self.heap_modifiers.contains(proc),
                _ => false,
            };
            at += 1;
            if changes {
                let (before, heap) = (old(var("$Heap")), var("$Heap"));
                let follows = app("$HeapSucc", vec![before, heap]);
                stmts.insert(at, S::Assume(follows));
                at += 1;
            }
        }
    }
}
