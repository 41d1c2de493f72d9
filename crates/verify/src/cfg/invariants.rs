//! Invariants of bodies, whoever made or changed them; debug builds check them after each step.

use super::{Body, Cmd};
use stet_base::FastSet;

/// What may be in a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Loops are still there.
    Built,
    /// Loops are cut.
    Acyclic,
}

impl Body {
    /// The invariant that does not hold, if one does not: edges lead to blocks, none to the entry; every check is made by
    /// at most one command; without loops the graph has no cycle.
    pub(crate) fn broken_invariant(&self, stage: Stage) -> Option<String> {
        if self.blocks.is_empty() {
            return Some("there is no entry".to_owned());
        }
        let mut made = FastSet::default();
        for (number, block) in self.blocks.iter().enumerate() {
            for &successor in &block.successors {
                if successor == 0 || successor >= self.blocks.len() {
                    return Some(format!("block {number} goes to {successor}"));
                }
            }
            for cmd in &block.cmds {
                if let Cmd::Assert { check, .. } = cmd
                    && (*check >= self.checks.len() || !made.insert(*check))
                {
                    return Some(format!("block {number} makes check {check} again"));
                }
            }
        }
        (stage == Stage::Acyclic && self.has_cycle()).then(|| "there is a cycle".to_owned())
    }

    fn has_cycle(&self) -> bool {
        let order = super::loops::reverse_postorder(self);
        let mut position = vec![usize::MAX; self.blocks.len()];
        for (i, &block) in order.iter().enumerate() {
            position[block] = i;
        }
        order.iter().any(|&block| {
            let mut after = self.blocks[block].successors.iter();
            after.any(|&successor| position[successor] <= position[block])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;
    use crate::cfg::{Block, Body};
    use crate::split::Marks;

    fn body(edges: &[&[usize]]) -> Body {
        let block = |successors: &&[usize]| Block {
            label: "b".into(),
            span: None,
            cmds: Vec::new(),
            successors: successors.to_vec(),
            returns: None,
            inlined_return: None,
        };
        Body {
            blocks: edges.iter().map(block).collect(),
            checks: Vec::new(),
            locals: Vec::new(),
            marks: Marks::default(),
        }
    }

    #[test]
    fn cycles_and_stray_edges_are_seen() {
        let broken = |edges: &[&[usize]], stage| body(edges).broken_invariant(stage);
        assert_eq!(broken(&[&[1, 2], &[2], &[]], Stage::Acyclic), None);
        assert_eq!(broken(&[&[1], &[2], &[1]], Stage::Built), None);
        let cycle = Some("there is a cycle".to_owned());
        assert_eq!(broken(&[&[1], &[2], &[1]], Stage::Acyclic), cycle);
        let stray = Some("block 0 goes to 3".to_owned());
        assert_eq!(broken(&[&[3]], Stage::Built), stray);
        let entry = Some("block 1 goes to 0".to_owned());
        assert_eq!(broken(&[&[1], &[0]], Stage::Built), entry);
    }
}
