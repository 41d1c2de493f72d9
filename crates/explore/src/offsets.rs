//! Pointers as choices between base addresses, and offsets as choices between numbers: what the segmented memory model
//! needs to turn a pointer into an offset of a segment without addresses in it.
//!
//! A pointer is *structured* if it is a tree of conditions with `β + constant` or numbers at its leaves, plus a sum without
//! addresses. Everything said about a structured pointer is the same tree with other leaves.

use crate::address::ObjectId;
use crate::query::address::mentions_address;
use crate::value::Ctx;
use stet_base::FastMap;
use stet_term::{Op, Term, Terms};

/// The most nodes of a tree that are looked at.
const MAX_NODES: usize = 4096;

/// A leaf of a structured pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    /// An address in an object, before the sum is added.
    In(ObjectId, u64),
    Number(u64),
}

/// A structured pointer: `tree + rest`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Structured {
    tree: Term,
    pub(crate) rest: Term,
}

impl Structured {
    /// Takes a pointer apart; `None` if it is not structured.
    pub(crate) fn new(ctx: &Ctx, pointer: Term) -> Option<Structured> {
        let terms = &ctx.terms;
        let (mut tree, mut rest) = (None, terms.bv(64, 0));
        let mut pending = vec![pointer];
        while let Some(part) = pending.pop() {
            match terms.op(part) {
                Op::BvAdd => pending.extend(terms.args(part)),
                _ if !mentions_address(terms, part) => rest = terms.bv_add(rest, part),
                Op::Ite if tree.is_none() => tree = Some(part),
                _ => return None,
            }
        }
        let pointer = Structured { tree: tree?, rest };
        // every leaf must be known
        pointer.map(ctx, |_| Some(Term::TRUE))?;
        Some(pointer)
    }

    /// The objects at its leaves, in the order they are met.
    pub(crate) fn objects(&self, ctx: &Ctx) -> Vec<ObjectId> {
        let mut objects = Vec::new();
        self.map(ctx, |leaf| {
            if let Leaf::In(object, _) = leaf
                && !objects.contains(&object)
            {
                objects.push(object);
            }
            Some(Term::TRUE)
        });
        objects
    }

    /// The same tree with other leaves, all of one sort. A leaf without a term is left out: the caller knows that it is impossible.
    /// `None` if no leaf is left or the tree is too large.
    pub(crate) fn map(
        &self,
        ctx: &Ctx,
        mut leaf: impl FnMut(Leaf) -> Option<Term>,
    ) -> Option<Term> {
        let terms = &ctx.terms;
        let mut known: FastMap<Term, Option<Term>> = FastMap::default();
        let mut pending = vec![self.tree];
        while let Some(&term) = pending.last() {
            if known.contains_key(&term) {
                pending.pop();
                continue;
            }
            if known.len() > MAX_NODES || pending.len() > MAX_NODES {
                return None;
            }
            let mapped = match (terms.op(term), terms.args(term)) {
                (Op::Ite, &[condition, yes, no]) if mentions_address(terms, term) => {
                    if mentions_address(terms, condition) {
                        return None;
                    }
                    match (known.get(&yes), known.get(&no)) {
                        (Some(&Some(yes)), Some(&Some(no))) => Some(terms.ite(condition, yes, no)),
                        (Some(&yes), Some(&no)) => yes.or(no),
                        _ => {
                            pending.extend([no, yes]);
                            continue;
                        }
                    }
                }
                (Op::Ite, &[condition, yes, no]) => match (known.get(&yes), known.get(&no)) {
                    (Some(&Some(yes)), Some(&Some(no))) => Some(terms.ite(condition, yes, no)),
                    (Some(&yes), Some(&no)) => yes.or(no),
                    _ => {
                        pending.extend([no, yes]);
                        continue;
                    }
                },
                (Op::Bv(number), _) => leaf(Leaf::Number(number)),
                _ => {
                    let (object, offset) = ctx.as_pointer(term)?;
                    leaf(Leaf::In(object, offset))
                }
            };
            known.insert(term, mapped);
        }
        known.get(&self.tree).copied().flatten()
    }
}

/// All numbers a term of 64 bits can be, sorted, from its operators alone: more than it really can be, never fewer. `None` if
/// there are more than `most`.
pub(crate) fn values(terms: &Terms, term: Term, most: usize) -> Option<Vec<u64>> {
    let mut known: FastMap<Term, Vec<u64>> = FastMap::default();
    let mut pending = vec![term];
    while let Some(&term) = pending.last() {
        if known.contains_key(&term) {
            pending.pop();
            continue;
        }
        if known.len() > MAX_NODES || pending.len() > MAX_NODES || terms.width(term) > 64 {
            return None;
        }
        let parts: Vec<Term> = match (terms.op(term), terms.args(term)) {
            (Op::Ite, &[_, yes, no]) => vec![yes, no],
            (Op::BvAdd, args) if args.len() == 2 => args.to_vec(),
            (Op::BvMul | Op::BvShl, &[a, b]) if terms.is_bv_const(b) => vec![a, b],
            (Op::BvMul, &[a, b]) if terms.is_bv_const(a) => vec![a, b],
            (Op::ZeroExtend, &[inner]) => vec![inner],
            (Op::Concat, &[high, low]) if terms.width(term) <= 64 => vec![high, low],
            _ => Vec::new(),
        };
        let missing: Vec<Term> = parts
            .iter()
            .copied()
            .filter(|part| !known.contains_key(part))
            .collect();
        if !missing.is_empty() {
            pending.extend(missing);
            continue;
        }
        let found = combined(terms, term, &parts, &known, most)?;
        known.insert(term, found);
    }
    known.remove(&term)
}

/// The numbers of a term from those of its parts.
fn combined(
    terms: &Terms,
    term: Term,
    parts: &[Term],
    known: &FastMap<Term, Vec<u64>>,
    most: usize,
) -> Option<Vec<u64>> {
    let mask = u64::MAX >> (64 - terms.width(term).clamp(1, 64));
    let of = |part: usize| -> &[u64] { known.get(&parts[part]).map_or(&[], |list| list) };
    let mut found: Vec<u64> = match (terms.op(term), parts.len()) {
        (Op::Bv(number), _) => vec![number],
        (Op::Ite, 2) => of(0).iter().chain(of(1)).copied().collect(),
        (Op::ZeroExtend, 1) => of(0).to_vec(),
        (op @ (Op::BvAdd | Op::BvMul | Op::BvShl | Op::Concat), 2) => {
            if of(0).len().saturating_mul(of(1).len()) > 4 * most {
                return None;
            }
            let low = match op {
                Op::Concat => terms.width(parts[1]),
                _ => 0,
            };
            let both = |(a, b): (u64, u64)| match op {
                Op::BvAdd => a.wrapping_add(b),
                Op::BvMul => a.wrapping_mul(b),
                Op::BvShl => u32::try_from(b).map_or(0, |b| a.checked_shl(b).unwrap_or(0)),
                _ => a.checked_shl(low).unwrap_or(0) | b,
            };
            let pairs = of(0)
                .iter()
                .flat_map(|&a| of(1).iter().map(move |&b| (a, b)));
            pairs.map(both).map(|number| number & mask).collect()
        }
        _ => {
            let upper = crate::words::upper(terms, term);
            if upper >= most as u64 {
                return None;
            }
            (0..=upper).collect()
        }
    };
    found.sort_unstable();
    found.dedup();
    (found.len() <= most).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressTable;
    use std::rc::Rc;
    use stet_term::Sort;

    #[test]
    fn structured_pointers_become_offsets() {
        let ctx = Ctx {
            terms: Rc::new(Terms::new()),
            addresses: Rc::new(AddressTable::new()),
        };
        let terms = &ctx.terms;
        let objects = [0x10_0000, 0x20_0000].map(|base| ctx.addresses.at(base, 32));
        let [a, b] = objects.map(|object| ctx.pointer_term(object, 4));
        let [c, d] = ["c", "d"].map(|name| terms.symbol(name, Sort::BOOL));
        let x = terms.symbol("x", Sort::bv(64));
        let tree = terms.ite(c, a, terms.ite(d, b, terms.bv(64, 0)));
        let Some(pointer) = Structured::new(&ctx, terms.bv_add(tree, x)) else {
            panic!("it is structured");
        };
        assert_eq!(pointer.rest, x);
        assert_eq!(pointer.objects(&ctx), objects);
        let offset = pointer.map(&ctx, |leaf| match leaf {
            Leaf::In(object, at) if object == objects[1] => Some(terms.bv(64, at + 100)),
            Leaf::In(_, at) => Some(terms.bv(64, at)),
            Leaf::Number(_) => None,
        });
        assert_eq!(
            offset,
            Some(terms.ite(c, terms.bv(64, 4), terms.bv(64, 104)))
        );
        // a condition on addresses, and a pointer that was computed with
        let odd = terms.ite(terms.bv_ult(a, b), a, b);
        assert!(Structured::new(&ctx, odd).is_none());
        assert!(Structured::new(&ctx, terms.bv_mul(tree, x)).is_none());
    }

    #[test]
    fn values_are_never_too_few() {
        let terms = Terms::new();
        let c = terms.symbol("c", Sort::BOOL);
        let x = terms.symbol("x", Sort::bv(8));
        let two = terms.zero_extend(terms.extract(1, 0, x), 64);
        let scaled = terms.bv_mul(two, terms.bv(64, 8));
        let chosen = terms.ite(c, terms.bv(64, 100), terms.bv(64, u64::MAX));
        let sum = terms.bv_add(scaled, chosen);
        let expected = [7, 15, 23, 100, 108, 116, 124, u64::MAX];
        assert_eq!(values(&terms, sum, 32), Some(expected.to_vec()));
        assert_eq!(values(&terms, sum, 7), None);
        assert_eq!(values(&terms, terms.symbol("y", Sort::bv(64)), 256), None);
    }
}
