//! The pairwise algorithm [AAQC Alg. 1] as the paper gives it: the oracle for canonical keys.
//!
//! Extended by what the paper leaves open: constraints are a set, so some order of the second query's
//! constraints must match; symbols of the program must be equal, or are renamed like addresses.

use super::*;
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

impl EquiSat<'_> {
    fn equal(&self, a: Term, b: Term, m: &mut Bijection) -> bool {
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
            (f, g) => {
                f == g
                    && x.args().len() == y.args().len()
                    && x.args()
                        .iter()
                        .zip(y.args())
                        .all(|(&a, &b)| self.equal(a, b, m))
            }
        }
    }

    fn sets(&self, a: &[Term], b: &[Term], m: &Bijection) -> bool {
        let Some((&first, rest)) = a.split_first() else {
            return b.is_empty();
        };
        (0..b.len()).any(|i| {
            let mut extended = m.clone();
            if !self.equal(first, b[i], &mut extended) {
                return false;
            }
            let mut others = b.to_vec();
            others.remove(i);
            self.sets(rest, &others, &extended)
        })
    }
}

/// Whether two queries are equal up to a bijection.
pub(super) fn equi_sat(world: &World, naming: Naming, a: &[Term], b: &[Term]) -> bool {
    let algorithm = EquiSat {
        terms: &world.terms,
        view: &*world.addresses,
        naming,
    };
    a.len() == b.len() && algorithm.sets(a, b, &Bijection::default())
}
