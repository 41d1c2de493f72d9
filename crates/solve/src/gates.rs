//! The gate graph: and, exclusive or, multiplexer and majority over signed literals, structurally hashed.
//!
//! An and-inverter graph with three more gates, so that adders and choices stay small and their clauses
//! propagate well. Constructors simplify locally; equal gates are one node. Nodes are only added, so
//! arguments precede the gates that use them.

use hashbrown::HashTable;

/// A node of the graph or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    pub(crate) const FALSE: Lit = Lit(0);
    pub(crate) const TRUE: Lit = Lit(1);

    #[inline]
    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    pub(crate) fn of_node(node: usize) -> Lit {
        Lit((node as u32) << 1)
    }

    #[inline]
    pub(crate) fn constant(value: bool) -> Lit {
        Lit(value.into())
    }

    #[inline]
    pub(crate) fn is_constant(self) -> bool {
        self.0 < 2
    }

    #[inline]
    fn negated_if(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gate {
    Constant,
    /// A free bit; of a read if not zero (its number plus one).
    Input(u32),
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// If the first then the second else the third.
    Mux(Lit, Lit, Lit),
    /// At least two of the three.
    Majority(Lit, Lit, Lit),
}

impl Gate {
    #[inline]
    pub(crate) fn inputs(self) -> impl Iterator<Item = Lit> {
        let (items, len) = match self {
            Gate::Constant | Gate::Input(_) => ([Lit::FALSE; 3], 0),
            Gate::And(a, b) | Gate::Xor(a, b) => ([a, b, Lit::FALSE], 2),
            Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => ([a, b, c], 3),
        };
        items.into_iter().take(len)
    }

    #[inline]
    fn hash(self) -> u64 {
        let (tag, a, b, c) = match self {
            Gate::Constant | Gate::Input(_) => (0, Lit::FALSE, Lit::FALSE, Lit::FALSE),
            Gate::And(a, b) => (1, a, b, Lit::FALSE),
            Gate::Xor(a, b) => (2, a, b, Lit::FALSE),
            Gate::Mux(a, b, c) => (3, a, b, c),
            Gate::Majority(a, b, c) => (4, a, b, c),
        };
        let hash = (u64::from(a.0) << 32 | u64::from(b.0)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash =
            (hash ^ hash >> 29 ^ (u64::from(c.0) << 3 | tag)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash ^ hash >> 32
    }
}

pub(crate) struct Gates {
    nodes: Vec<Gate>,
    /// How many gates use a node.
    fanout: Vec<u32>,
    table: HashTable<u32>,
}

impl Gates {
    pub(crate) fn new() -> Self {
        Gates {
            nodes: vec![Gate::Constant],
            fanout: vec![0],
            table: HashTable::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(crate) fn gate(&self, lit: Lit) -> Gate {
        self.nodes[lit.node()]
    }

    #[inline]
    pub(crate) fn fanout(&self, lit: Lit) -> u32 {
        self.fanout[lit.node()]
    }

    fn add(&mut self, gate: Gate) -> Lit {
        debug_assert!(
            gate.inputs().all(|input| input.node() < self.nodes.len()),
            "arguments precede the gates that use them"
        );
        debug_assert_eq!(
            self.nodes.len(),
            self.fanout.len(),
            "a count for every node"
        );
        let node = self.nodes.len();
        for input in gate.inputs() {
            self.fanout[input.node()] += 1;
        }
        self.nodes.push(gate);
        self.fanout.push(0);
        Lit::of_node(node)
    }

    pub(crate) fn input(&mut self, owner: u32) -> Lit {
        self.add(Gate::Input(owner))
    }

    fn hashed(&mut self, gate: Gate) -> Lit {
        debug_assert!(
            gate.inputs().all(|input| !input.is_constant()),
            "gates of constants are simplified"
        );
        let hash = gate.hash();
        let nodes = &self.nodes;
        if let Some(&node) = self.table.find(hash, |&node| nodes[node as usize] == gate) {
            return Lit::of_node(node as usize);
        }
        let lit = self.add(gate);
        let nodes = &self.nodes;
        self.table
            .insert_unique(hash, lit.node() as u32, |&node| nodes[node as usize].hash());
        lit
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if let Some(simpler) = self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            return simpler;
        }
        self.hashed(Gate::And(a, b))
    }

    /// `a` against the arguments of an and below `b`.
    fn absorb(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        let Gate::And(x, y) = self.gate(b) else {
            return None;
        };
        match b.is_negated() {
            false if a == x || a == y => Some(b),
            false if a == !x || a == !y => Some(Lit::FALSE),
            true if a == !x || a == !y => Some(a),
            true if a == x => Some(self.and(a, !y)),
            true if a == y => Some(self.and(a, !x)),
            _ => None,
        }
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.negated_if(a.is_negated()), b.negated_if(b.is_negated()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return Lit::constant(negate);
        }
        if a == Lit::FALSE {
            return b.negated_if(negate);
        }
        debug_assert!(
            !a.is_negated() && !b.is_negated() && a < b,
            "equal gates are one node"
        );
        self.hashed(Gate::Xor(a, b)).negated_if(negate)
    }

    pub(crate) fn mux(&mut self, condition: Lit, then: Lit, other: Lit) -> Lit {
        if condition.is_constant() {
            return if condition == Lit::TRUE { then } else { other };
        }
        if then == other {
            return then;
        }
        if condition.is_negated() {
            return self.mux(!condition, other, then);
        }
        if then == !other {
            return !self.xor(condition, then);
        }
        if then == Lit::TRUE || then == condition {
            return self.or(condition, other);
        }
        if then == Lit::FALSE || then == !condition {
            return self.and(!condition, other);
        }
        if other == Lit::FALSE || other == condition {
            return self.and(condition, then);
        }
        if other == Lit::TRUE || other == !condition {
            return self.or(!condition, then);
        }
        let negate = then.is_negated();
        let gate = Gate::Mux(condition, then.negated_if(negate), other.negated_if(negate));
        self.hashed(gate).negated_if(negate)
    }

    pub(crate) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut all = [a, b, c];
        all.sort_unstable();
        let [a, b, c] = all;
        if a == b || a == !c {
            return b;
        }
        if b == c || b == !c {
            return if b == c { b } else { a };
        }
        if a == !b {
            return c;
        }
        match a {
            Lit::FALSE => return self.and(b, c),
            Lit::TRUE => return self.or(b, c),
            _ => {}
        }
        debug_assert!(
            a.node() < b.node() && b.node() < c.node(),
            "what is left has three different inputs"
        );
        let negated = all.iter().filter(|lit| lit.is_negated()).count() >= 2;
        let [a, b, c] = all.map(|lit| lit.negated_if(negated));
        self.hashed(Gate::Majority(a, b, c)).negated_if(negated)
    }

    /// Sum and carry of three bits.
    pub(crate) fn full_add(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.majority(a, b, c))
    }

    /// The conjunction of many, as a balanced tree, so that equal halves are shared.
    pub(crate) fn and_all(&mut self, lits: &[Lit]) -> Lit {
        match *lits {
            [] => Lit::TRUE,
            [a] => a,
            _ => {
                let (low, high) = lits.split_at(lits.len().next_power_of_two() / 2);
                let (low, high) = (self.and_all(low), self.and_all(high));
                self.and(low, high)
            }
        }
    }

    /// Whether two vectors of bits are equal.
    pub(crate) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        debug_assert_eq!(a.len(), b.len(), "words of one width are compared");
        let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.and_all(&same)
    }

    /// Whether `a` is below `b` as unsigned numbers: the borrow of `a - b`.
    pub(crate) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        debug_assert_eq!(a.len(), b.len(), "words of one width are compared");
        let mut borrow = Lit::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            borrow = self.majority(!a, b, borrow);
        }
        borrow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(gates: &Gates, lit: Lit, inputs: u32) -> bool {
        let value = match gates.gate(lit) {
            Gate::Constant => false,
            Gate::Input(owner) => inputs >> (owner - 100) & 1 == 1,
            Gate::And(a, b) => eval(gates, a, inputs) && eval(gates, b, inputs),
            Gate::Xor(a, b) => eval(gates, a, inputs) != eval(gates, b, inputs),
            Gate::Mux(c, a, b) => {
                if eval(gates, c, inputs) {
                    eval(gates, a, inputs)
                } else {
                    eval(gates, b, inputs)
                }
            }
            Gate::Majority(a, b, c) => {
                [a, b, c]
                    .iter()
                    .filter(|&&x| eval(gates, x, inputs))
                    .count()
                    >= 2
            }
        };
        value != lit.is_negated()
    }

    /// Every gate over every choice of arguments (constants, inputs, gates, negations) is what it says.
    #[test]
    fn simplification_keeps_meaning() {
        let mut gates = Gates::new();
        let (x, y, z) = (gates.input(100), gates.input(101), gates.input(102));
        let and = gates.and(x, y);
        let or = gates.or(y, z);
        let xor = gates.xor(x, z);
        let mut pool = vec![Lit::FALSE, x, y, z, and, or, xor];
        pool.extend(pool.clone().iter().map(|&lit| !lit));
        for &a in &pool {
            for &b in &pool {
                let pairs = [gates.and(a, b), gates.or(a, b), gates.xor(a, b)];
                for inputs in 0..8 {
                    let (va, vb) = (eval(&gates, a, inputs), eval(&gates, b, inputs));
                    let got = pairs.map(|lit| eval(&gates, lit, inputs));
                    assert_eq!(got, [va && vb, va || vb, va != vb], "{a:?} {b:?}");
                }
                for &c in &pool {
                    let triples = [gates.mux(a, b, c), gates.majority(a, b, c)];
                    for inputs in 0..8 {
                        let [va, vb, vc] = [a, b, c].map(|lit| eval(&gates, lit, inputs));
                        let got = triples.map(|lit| eval(&gates, lit, inputs));
                        let majority = u8::from(va) + u8::from(vb) + u8::from(vc) >= 2;
                        assert_eq!(
                            got,
                            [if va { vb } else { vc }, majority],
                            "{a:?} {b:?} {c:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn equal_gates_are_one_node() {
        let mut gates = Gates::new();
        let (x, y) = (gates.input(1), gates.input(2));
        let first = gates.and(x, !y);
        let len = gates.len();
        assert_eq!(gates.and(!y, x), first);
        assert_eq!(gates.xor(x, !y), !gates.xor(y, x));
        assert_eq!(gates.len(), len + 1);
    }
}
