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
//! The answer errs on one side: "no" means only that a verdict is kept under the concrete layout.

mod abstraction;
mod memory;
mod range;
#[cfg(test)]
mod tests;

use super::address::AddressView;
use abstraction::Analysis;
use stet_term::{Term, Terms};

/// Rounds of assuming what became invariant; every round but the last must make one more constraint invariant.
const ROUNDS: usize = 16;

/// Whether the constraints have one truth value under all layouts with the same sizes, for every assignment
/// of their other symbols.
pub(crate) fn is_agnostic(
    terms: &Terms,
    addresses: &dyn AddressView,
    constraints: &[Term],
) -> bool {
    let mut analysis = Analysis::new(terms, addresses);
    let mut open: Vec<Term> = Vec::new();
    for &constraint in constraints {
        if super::address::mentions_address(terms, constraint) {
            open.push(constraint);
        } else {
            analysis.assume(constraint);
        }
    }
    for _ in 0..ROUNDS {
        let before = open.len();
        open.retain(|&constraint| {
            let invariant = analysis.is_invariant(constraint);
            if invariant {
                analysis.assume(constraint);
            }
            !invariant
        });
        if open.is_empty() || analysis.is_impossible() {
            return true;
        }
        if open.len() == before {
            return false;
        }
        analysis.forget();
    }
    false
}
