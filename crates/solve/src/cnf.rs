//! From gates to clauses, only for the cone of what is asserted and only in the polarity it is used in
//! (Plaisted and Greenbaum).
//!
//! Because of the polarities, the SAT solver's value of an inner gate may differ from what the gate computes;
//! values are therefore taken from input bits only.

use crate::gates::{Gate, Gates, Lit};
use crate::sat::{Sat, SatLit};

const POSITIVE: u32 = 1;
const NEGATIVE: u32 = 2;
const BOTH: u32 = POSITIVE | NEGATIVE;

/// Which nodes have variables, cleared in constant time.
pub(crate) struct NodeMap {
    /// Epoch and `var << 2 | polarities`.
    entries: Vec<(u32, u32)>,
    epoch: u32,
    count: usize,
}

impl NodeMap {
    pub(crate) fn new() -> Self {
        NodeMap {
            entries: Vec::new(),
            epoch: 1,
            count: 0,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.count = 0;
        match self.epoch.checked_add(1) {
            Some(next) => self.epoch = next,
            None => *self = NodeMap::new(),
        }
    }

    /// How many nodes have variables.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    #[inline]
    fn entry(&self, node: usize) -> Option<u32> {
        let &(epoch, entry) = self.entries.get(node)?;
        (epoch == self.epoch).then_some(entry)
    }

    fn set(&mut self, node: usize, entry: u32) {
        if node >= self.entries.len() {
            self.entries.resize(node + 1 + node / 4, (0, 0));
        }
        debug_assert!(
            self.entry(node)
                .is_none_or(|known| known >> 2 == entry >> 2),
            "a node keeps its variable"
        );
        self.entries[node] = (self.epoch, entry);
    }

    /// The variable of a node, if it has one.
    #[inline]
    pub(crate) fn var(&self, lit: Lit) -> Option<u32> {
        self.entry(lit.node()).map(|entry| entry >> 2)
    }
}

/// Writes gates as clauses into one SAT solver.
pub(crate) struct Encoder<'a> {
    pub(crate) gates: &'a Gates,
    pub(crate) map: &'a mut NodeMap,
    pub(crate) sat: &'a mut dyn Sat,
    /// Reads whose bits got variables, in order.
    pub(crate) reads: &'a mut Vec<u32>,
}

impl Encoder<'_> {
    /// Asserts that one of the literals holds.
    pub(crate) fn assert_clause(&mut self, clause: &[Lit]) {
        match *clause {
            [single] => return self.assert_literal(single),
            [_, _] => {}
            // Lemmas: their literals stand for long paths that many clauses share.
            _ => return self.write_clause(clause),
        }
        let mut flat = Vec::with_capacity(clause.len());
        for &lit in clause {
            self.disjuncts(lit, &mut flat);
        }
        self.write_clause(&flat);
    }

    fn assert_literal(&mut self, root: Lit) {
        let mut stack = vec![root];
        while let Some(lit) = stack.pop() {
            match self.gates.gate(lit) {
                Gate::And(a, b) if !lit.is_negated() => stack.extend([b, a]),
                Gate::And(..) => {
                    let mut clause = Vec::new();
                    self.disjuncts(lit, &mut clause);
                    self.write_clause(&clause);
                }
                _ => self.write_clause(&[lit]),
            }
        }
    }

    /// The literals of which `lit` is the disjunction.
    fn disjuncts(&self, lit: Lit, out: &mut Vec<Lit>) {
        let mut stack = vec![lit];
        while let Some(lit) = stack.pop() {
            match self.gates.gate(lit) {
                Gate::And(a, b) if lit.is_negated() && out.len() < 4096 => stack.extend([!b, !a]),
                _ => out.push(lit),
            }
        }
    }

    fn write_clause(&mut self, clause: &[Lit]) {
        if clause.contains(&Lit::TRUE) {
            return;
        }
        let mut literals = Vec::with_capacity(clause.len());
        for &lit in clause {
            if lit != Lit::FALSE {
                literals.push(self.encode(lit));
            }
        }
        debug_assert!(
            literals
                .iter()
                .all(|lit| (lit.var() as usize) < self.map.count()),
            "literals of variables that exist"
        );
        self.sat.add(&literals);
    }

    /// The SAT literal of a literal that is not constant, whose truth then implies the gate's.
    pub(crate) fn encode(&mut self, root: Lit) -> SatLit {
        debug_assert!(!root.is_constant(), "constants have no variable");
        let polarity = if root.is_negated() {
            NEGATIVE
        } else {
            POSITIVE
        };
        let mut stack = vec![(root.node(), polarity)];
        while let Some((node, polarity)) = stack.pop() {
            let known = self.entry(node);
            let missing = polarity & !known;
            if missing != 0 {
                self.map.set(node, known | missing);
                self.define(node, missing, &mut stack);
            }
        }
        self.literal(root)
    }

    /// The variable and polarities of a node, with a variable made on first use.
    fn entry(&mut self, node: usize) -> u32 {
        if let Some(entry) = self.map.entry(node) {
            return entry;
        }
        let entry = self.sat.new_var() << 2;
        debug_assert_eq!(
            entry >> 2,
            self.map.count as u32,
            "variables are numbered from zero"
        );
        self.map.count += 1;
        self.map.set(node, entry);
        if let Gate::Input(owner) = self.gates.gate(Lit::of_node(node))
            && owner > 0
            && self.reads.last() != Some(&(owner - 1))
        {
            self.reads.push(owner - 1);
        }
        entry
    }

    fn literal(&mut self, lit: Lit) -> SatLit {
        SatLit::new(self.entry(lit.node()) >> 2, lit.is_negated())
    }

    fn define(&mut self, node: usize, polarity: u32, stack: &mut Vec<(usize, u32)>) {
        let lit = Lit::of_node(node);
        debug_assert!(
            polarity != 0 && polarity & !BOTH == 0,
            "a gate is defined in a polarity it is used in"
        );
        let out = self.literal(lit);
        let need = |stack: &mut Vec<(usize, u32)>, lit: Lit, polarity: u32| {
            let flipped = polarity >> 1 | (polarity & 1) << 1;
            let polarity = if lit.is_negated() { flipped } else { polarity };
            stack.push((lit.node(), polarity));
        };
        match self.gates.gate(lit) {
            Gate::Constant | Gate::Input(_) => {}
            Gate::And(..) => {
                let mut leaves = Vec::new();
                self.leaves(lit, &mut leaves);
                let inputs: Vec<SatLit> = leaves.iter().map(|&leaf| self.literal(leaf)).collect();
                if polarity & POSITIVE != 0 {
                    for &input in &inputs {
                        self.sat.add(&[!out, input]);
                    }
                }
                if polarity & NEGATIVE != 0 {
                    let mut clause: Vec<SatLit> = inputs.iter().map(|&input| !input).collect();
                    clause.push(out);
                    self.sat.add(&clause);
                }
                for leaf in leaves {
                    need(stack, leaf, polarity);
                }
            }
            Gate::Xor(a, b) => {
                let (x, y) = (self.literal(a), self.literal(b));
                if polarity & POSITIVE != 0 {
                    self.sat.add(&[!out, x, y]);
                    self.sat.add(&[!out, !x, !y]);
                }
                if polarity & NEGATIVE != 0 {
                    self.sat.add(&[out, !x, y]);
                    self.sat.add(&[out, x, !y]);
                }
                need(stack, a, BOTH);
                need(stack, b, BOTH);
            }
            Gate::Mux(c, a, b) => {
                let [c_lit, x, y] = [c, a, b].map(|lit| self.literal(lit));
                if polarity & POSITIVE != 0 {
                    self.sat.add(&[!out, !c_lit, x]);
                    self.sat.add(&[!out, c_lit, y]);
                    self.sat.add(&[!out, x, y]);
                }
                if polarity & NEGATIVE != 0 {
                    self.sat.add(&[out, !c_lit, !x]);
                    self.sat.add(&[out, c_lit, !y]);
                    self.sat.add(&[out, !x, !y]);
                }
                need(stack, c, BOTH);
                need(stack, a, polarity);
                need(stack, b, polarity);
            }
            Gate::Majority(a, b, c) => {
                let [x, y, z] = [a, b, c].map(|lit| self.literal(lit));
                for (p, q) in [(x, y), (x, z), (y, z)] {
                    if polarity & POSITIVE != 0 {
                        self.sat.add(&[!out, p, q]);
                    }
                    if polarity & NEGATIVE != 0 {
                        self.sat.add(&[out, !p, !q]);
                    }
                }
                for lit in [a, b, c] {
                    need(stack, lit, polarity);
                }
            }
        }
    }

    /// The literals of which `lit` is the conjunction, through gates that nobody else uses.
    fn leaves(&self, lit: Lit, out: &mut Vec<Lit>) {
        let mut stack = vec![lit];
        while let Some(current) = stack.pop() {
            match self.gates.gate(current) {
                Gate::And(a, b)
                    if current == lit
                        || (!current.is_negated() && self.gates.fanout(current) == 1) =>
                {
                    stack.extend([b, a]);
                }
                _ => out.push(current),
            }
        }
    }

    /// Gives variables to the bits of all reads below a literal, without writing clauses.
    pub(crate) fn touch(&mut self, root: Lit, seen: &mut stet_base::FastSet<usize>) {
        let mut stack = vec![root.node()];
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            let gate = self.gates.gate(Lit::of_node(node));
            match gate {
                Gate::Input(owner) if owner > 0 => {
                    self.entry(node);
                }
                _ => stack.extend(gate.inputs().map(Lit::node)),
            }
        }
    }
}
