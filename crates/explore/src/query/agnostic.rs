//! Membership in the address-agnostic fragment [AAQC §IV]: is the truth of these constraints, for every
//! assignment of the program's symbols, the same under all layouts with the same object sizes?
//!
//! An abstract interpretation decides it. A term is *invariant* if its value does not depend on the layout.
//! Its abstract value is a set of [`Place`]s: "offset `r` in object β" or "a number in `r`", where *which*
//! place and the offset are invariant. Checked, bottom up:
//!
//! * terms without addresses are invariant;
//! * a base address plus an invariant number is a place [AAQC Def. IV.1];
//! * pointers read from memory are places if all their eight bytes come from one stored pointer (or from
//!   none): a pointer with an overwritten byte is not a place, and nothing is known about it;
//! * equality of places is invariant if the offsets stay within their objects, one past the end included:
//!   different objects never meet, thanks to the red zones, and small numbers are never addresses;
//! * `p - β + c < s` is invariant if the range of `s` bytes lies in β's object and `p` in its own: the *guard*
//!   of a dereference [AAQC Def. IV.9];
//! * under a guard, `p - β` is the offset of those places of `p` that are in β [AAQC Lemma IV.11];
//! * everything else built from invariant terms is invariant, and everything else built from places is not.
//!
//! Constraints may be assumed once they are known to be invariant under what was assumed before: then for
//! every assignment two layouts agree on the first constraint that is false, if there is one. Bounds and guards
//! learnt in this way make later constraints invariant; the analysis repeats until nothing changes.
//!
//! If what is assumed leaves a pointer no place at all, the query is false under every layout, and the rest of
//! it does not matter.
//!
//! Constraints of the path that are in the key by the values they allow need not be invariant: take an assignment of allowed
//! values; under the layout that was solved all of them are true, so the first false constraint is a required one, and it is
//! false under every layout in which the same values are allowed.
//!
//! The answer errs on one side: "no" means only that a verdict is kept under the concrete layout.

mod abstraction;
mod memory;
mod range;
#[cfg(test)]
mod tests;

use super::address::AddressView;
use abstraction::Analysis;
use stet_solve::Values;
use stet_term::{Sym, Term, Terms};

/// Rounds of assuming what became invariant; every round but the last must make one more constraint invariant.
const ROUNDS: usize = 16;

/// Why an unsatisfiable query is so under every layout, or what stands in the way.
pub(crate) enum Judgement {
    /// It has one truth value under all layouts with the same sizes, for every assignment of its other symbols.
    Agnostic,
    /// These of the required constraints do not depend on the layout; the others may.
    Invariant(Vec<Term>),
}

/// Judges a query: constraints that are *required*, and others that are only *given* — the key has the values they
/// allow in their place, so of these, those that depend on the layout are left out and only `domains` is assumed.
pub(crate) fn judge(
    terms: &Terms,
    addresses: &dyn AddressView,
    required: &[Term],
    given: &[Term],
    domains: &[(Sym, Values)],
) -> Judgement {
    let mut analysis = Analysis::new(terms, addresses);
    for (symbol, values) in domains {
        analysis.assume_values(*symbol, values);
    }
    let mut open: Vec<(Term, bool)> = Vec::new();
    let all = required.iter().map(|&constraint| (constraint, true));
    for (constraint, is_required) in all.chain(given.iter().map(|&constraint| (constraint, false)))
    {
        if super::address::mentions_address(terms, constraint) {
            open.push((constraint, is_required));
        } else {
            analysis.assume(constraint);
        }
    }
    for _ in 0..ROUNDS {
        let before = open.len();
        open.retain(|&(constraint, _)| {
            let invariant = analysis.is_invariant(constraint);
            if invariant {
                analysis.assume(constraint);
            }
            !invariant
        });
        if open.iter().all(|(_, is_required)| !is_required) || analysis.is_impossible() {
            return Judgement::Agnostic;
        }
        if open.len() == before {
            break;
        }
        analysis.forget();
    }
    let depends = |constraint: &Term| open.iter().any(|(other, _)| other == constraint);
    let invariant = required.iter().copied();
    Judgement::Invariant(
        invariant
            .filter(|constraint| !depends(constraint))
            .collect(),
    )
}

/// Whether the constraints have one truth value under all layouts with the same sizes, for every assignment
/// of their other symbols.
#[cfg(test)]
pub(crate) fn is_agnostic(
    terms: &Terms,
    addresses: &dyn AddressView,
    constraints: &[Term],
) -> bool {
    matches!(
        judge(terms, addresses, constraints, &[], &[]),
        Judgement::Agnostic
    )
}
