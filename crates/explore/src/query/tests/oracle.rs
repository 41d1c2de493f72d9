//! The pairwise algorithm [AAQC Alg. 1] as the paper gives it: the oracle for canonical keys.
//!
//! Extended by what the paper leaves open: constraints are a set, so some order of the second query's
//! constraints must match, and some order of the operands of a commutative operator; symbols of the program must be equal, or are renamed like addresses.

use super::*;
use crate::query::canon::commutative_operands;
use stet_base::FastMap;

/// A bijection in the making.
#[derive(Clone, Default)]
struct Bijection {
    forward: FastMap<Sym, Sym>,
    backward: FastMap<Sym, Sym>,
}

impl Bijection {
    /// ADD-PAIR: false if the pair contradicts an earlier one.
    fn add_pair(&mut self, a: Sym, b: Sym) -> bool {
        let forward = *self.forward.entry(a).or_insert(b);
        let backward = *self.backward.entry(b).or_insert(a);
        forward == b && backward == a
    }
}

struct EquiSat<'a> {
    terms: &'a Terms,
    view: &'a dyn AddressView,
    naming: Naming,
}

/// What is still to be matched.
#[derive(Clone)]
enum Goal {
    Equal(Term, Term),
    /// In some order: constraints, operands of commutative operators.
    Alike(Vec<Term>, Vec<Term>),
}

impl EquiSat<'_> {
    /// Whether all goals can be met by extending a bijection.
    fn met(&self, mut goals: Vec<Goal>, mut m: Bijection) -> bool {
        while let Some(goal) = goals.pop() {
            match goal {
                Goal::Equal(a, b) => {
                    if !self.step(a, b, &mut m, &mut goals) {
                        return false;
                    }
                }
                Goal::Alike(mut left, right) => {
                    let Some(first) = left.pop() else {
                        continue;
                    };
                    return (0..right.len()).any(|i| {
                        let mut others = right.clone();
                        let other = others.remove(i);
                        let mut extended = goals.clone();
                        extended.push(Goal::Alike(left.clone(), others));
                        extended.push(Goal::Equal(first, other));
                        self.met(extended, m.clone())
                    });
                }
            }
        }
        true
    }

    /// One node of each term; what must hold of their arguments is added to the goals.
    fn step(&self, a: Term, b: Term, m: &mut Bijection, goals: &mut Vec<Goal>) -> bool {
        let (x, y) = (self.terms.node(a), self.terms.node(b));
        if x.sort() != y.sort() {
            return false;
        }
        match (x.op(), y.op()) {
            (Op::Symbol(s), Op::Symbol(t)) => match (self.view.object(s), self.view.object(t)) {
                (Some(left), Some(right)) => m.add_pair(s, t) && left.size == right.size,
                (None, None) => match self.naming {
                    Naming::Exact => s == t,
                    Naming::Renamed => m.add_pair(s, t),
                },
                _ => false,
            },
            (f, g) if f != g => false,
            _ => {
                let operands = |term| commutative_operands(self.terms, term);
                match (operands(a), operands(b)) {
                    (Some(left), Some(right)) => {
                        let same = left.len() == right.len();
                        goals.push(Goal::Alike(left, right));
                        same
                    }
                    _ => {
                        let pairs = x.args().iter().zip(y.args());
                        goals.extend(pairs.map(|(&a, &b)| Goal::Equal(a, b)));
                        x.args().len() == y.args().len()
                    }
                }
            }
        }
    }
}

/// Whether two queries are equal up to a bijection.
pub(super) fn equi_sat(world: &World, naming: Naming, a: &[Term], b: &[Term]) -> bool {
    let algorithm = EquiSat {
        terms: &world.terms,
        view: &*world.addresses,
        naming,
    };
    let goals = vec![Goal::Alike(a.to_vec(), b.to_vec())];
    a.len() == b.len() && algorithm.met(goals, Bijection::default())
}
