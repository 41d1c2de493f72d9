//! Uses that no definition dominates: instructions that use a register that is not defined on every way to them. LLVM's tools refuse such code; it is found here because
//! IR is also written and edited by hand, and a register would otherwise be read with whatever an earlier instruction left in it.
//!
//! Every register has one definition, so a use is right if the definition's block dominates the use's block (Cooper, Harvey, Kennedy:
//! *A Simple, Fast Dominance Algorithm*), or comes before it in the same block. Code that cannot be reached is not looked at.

use super::escape::operands;
use stet_base::{FastSet, Index};
use stet_llvm::{Body, InstKind, LocalId, Operand};

const NONE: usize = usize::MAX;

/// The instructions, by block and position, that use a register too early; for values of phis it is the end of the block they come from.
pub(super) fn early_uses(body: &Body) -> FastSet<(usize, usize)> {
    let mut found = FastSet::default();
    let definitions = definitions(body);
    let tree = Tree::new(body);
    let is_early = |local: LocalId, block: usize, position: usize| match definitions[local.index()]
    {
        None => false,
        Some((home, at)) if home == block => at >= position,
        Some((home, _)) => !tree.dominates(home, block),
    };
    for (block, content) in body.blocks.iter() {
        let block = block.index();
        if !tree.is_reachable(block) {
            continue;
        }
        for (position, inst) in content.insts.iter().enumerate() {
            if let InstKind::Phi(incoming) = &inst.kind {
                for (value, from) in incoming.iter() {
                    let Some(from) = body.block_of[from.index()] else {
                        continue;
                    };
                    let end = body.blocks[from].insts.len();
                    let from = from.index();
                    let reaches = tree.is_reachable(from);
                    if let Operand::Local(local) = value
                        && reaches
                        && is_early(*local, from, end)
                    {
                        found.insert((from, end.saturating_sub(1)));
                    }
                }
                continue;
            }
            operands(&inst.kind, &mut |operand| {
                if let Operand::Local(local) = operand
                    && is_early(*local, block, position)
                {
                    found.insert((block, position));
                }
            });
        }
    }
    found
}

/// Where each local is defined; parameters have no place.
fn definitions(body: &Body) -> Vec<Option<(usize, usize)>> {
    let mut places = vec![None; body.locals as usize];
    for (block, content) in body.blocks.iter() {
        for (position, inst) in content.insts.iter().enumerate() {
            if let Some(local) = inst.result {
                places[local.index()] = Some((block.index(), position));
            }
        }
    }
    places
}

/// The blocks that a block may go on to.
fn successors(body: &Body, kind: &InstKind) -> Vec<usize> {
    let labels: Vec<LocalId> = match kind {
        InstKind::Br(to) => vec![*to],
        InstKind::CondBr(_, yes, no) => vec![*yes, *no],
        InstKind::Switch(_, default, cases) => {
            let cases = cases.iter().map(|(_, to)| *to);
            cases.chain([*default]).collect()
        }
        InstKind::IndirectBr(_, targets) => targets.to_vec(),
        InstKind::Call(call) => call
            .invoke
            .iter()
            .flat_map(|(to, pad)| [*to, *pad])
            .collect(),
        _ => Vec::new(),
    };
    let blocks = labels.iter().filter_map(|to| body.block_of[to.index()]);
    blocks.map(Index::index).collect()
}

/// The dominator tree, as intervals of a walk through it.
struct Tree {
    entered: Vec<usize>,
    left: Vec<usize>,
}

impl Tree {
    fn new(body: &Body) -> Self {
        let count = body.blocks.len();
        let mut next: Vec<Vec<usize>> = Vec::with_capacity(count);
        for (_, content) in body.blocks.iter() {
            let last = content.insts.last();
            next.push(last.map_or_else(Vec::new, |inst| successors(body, &inst.kind)));
        }
        let order = post_order(&next);
        let above = immediate_dominators(&next, &order);
        let mut below = vec![Vec::new(); count];
        for &block in &order {
            if block != 0 {
                below[above[block]].push(block);
            }
        }
        let (mut entered, mut left) = (vec![NONE; count], vec![NONE; count]);
        let mut clock = 0;
        let mut stack = Vec::new();
        if count > 0 {
            stack.push((0, 0));
        }
        while let Some((block, child)) = stack.pop() {
            if child == 0 {
                entered[block] = clock;
                clock += 1;
            }
            match below[block].get(child) {
                Some(&inner) => stack.extend([(block, child + 1), (inner, 0)]),
                None => left[block] = clock,
            }
        }
        Tree { entered, left }
    }

    fn is_reachable(&self, block: usize) -> bool {
        self.entered[block] != NONE
    }

    fn dominates(&self, above: usize, block: usize) -> bool {
        self.is_reachable(above)
            && self.entered[above] <= self.entered[block]
            && self.entered[block] < self.left[above]
    }
}

/// The blocks that can be reached, each after all it leads to (but for loops).
fn post_order(next: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let mut order = Vec::new();
    let mut stack = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        stack.push((0, 0));
    }
    while let Some((block, child)) = stack.pop() {
        match next[block].get(child) {
            Some(&to) => {
                stack.push((block, child + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => order.push(block),
        }
    }
    order
}

fn immediate_dominators(next: &[Vec<usize>], order: &[usize]) -> Vec<usize> {
    let mut number = vec![NONE; next.len()];
    for (k, &block) in order.iter().enumerate() {
        number[block] = k;
    }
    let mut before = vec![Vec::new(); next.len()];
    for &block in order {
        for &to in &next[block] {
            before[to].push(block);
        }
    }
    let mut above = vec![NONE; next.len()];
    if !above.is_empty() {
        above[0] = 0;
    }
    loop {
        let mut changed = false;
        for &block in order.iter().rev().filter(|&&block| block != 0) {
            let known = before[block].iter().copied().filter(|&p| above[p] != NONE);
            let Some(common) = known.reduce(|a, b| meet(&above, &number, a, b)) else {
                continue;
            };
            if above[block] != common {
                above[block] = common;
                changed = true;
            }
        }
        if !changed {
            return above;
        }
    }
}

/// The nearest block that dominates both.
fn meet(above: &[usize], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = above[a];
        }
        while number[b] < number[a] {
            b = above[b];
        }
    }
    a
}
