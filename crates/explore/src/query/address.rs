//! Symbolic base addresses β and the concrete addresses hidden behind them [AAQC §III-A].
//!
//! A β is a 64-bit symbol that carries [`ADDRESS_MARK`], so a term without addresses is recognised by one
//! load, and no symbol of the program can be taken for one: the mark is part of a symbol's identity, its
//! name is not what distinguishes it. A β stands for one base and one size for ever; objects of different
//! states that lie at the same place with the same size share it, as they share their address.
//!
//! What the executor's allocator promises, and [`super::agnostic`] relies on:
//! * bases lie in [`LOWEST_BASE`]`..`[`HIGHEST_END`], ends too;
//! * live objects of one state are at least [`RED_ZONE`] bytes apart;
//! * within one state a base is not used again for another object.

use stet_term::{Op, Sym, Term, Terms};

/// The mark of base addresses.
pub(crate) const ADDRESS_MARK: u8 = 1;
/// No object begins below: small integers are never addresses.
pub(crate) const LOWEST_BASE: u64 = 0x1_0000;
/// No object ends above.
pub(crate) const HIGHEST_END: u64 = 1 << 47;
/// At least this many bytes lie between two objects.
pub(crate) const RED_ZONE: u64 = 16;

/// What a base address stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Object {
    /// The hidden concrete address.
    pub base: u64,
    /// The size in bytes.
    pub size: u64,
}

/// Tells base addresses from other symbols, and what they stand for.
pub(crate) trait AddressView {
    /// What a symbol stands for, if it is a base address; always the same.
    fn object(&self, symbol: Sym) -> Option<Object>;
}

/// Whether a term mentions a base address.
#[inline]
pub(crate) fn mentions_address(terms: &Terms, term: Term) -> bool {
    terms.marks(term) & ADDRESS_MARK != 0
}

/// `pointer - base`, with `base` cancelled if it is a summand of the pointer: the common case, and then the
/// offset mentions no address at all.
pub(crate) fn offset_from(terms: &Terms, pointer: Term, base: Term) -> Term {
    let mut rest = Vec::new();
    let mut found = false;
    let mut pending = vec![pointer];
    while let Some(term) = pending.pop() {
        if term == base && !found {
            found = true;
        } else if terms.op(term) == Op::BvAdd && rest.len() < 64 {
            pending.extend(terms.args(term));
        } else {
            rest.push(term);
        }
    }
    if !found {
        return terms.bv_sub(pointer, base);
    }
    let zero = terms.bv(64, 0);
    rest.into_iter().fold(zero, |sum, t| terms.bv_add(sum, t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressTable;
    use stet_term::Sort;

    fn address(table: &AddressTable, terms: &Terms, base: u64, size: u64) -> Term {
        table.symbol(terms, table.at(base, size))
    }

    #[test]
    fn a_user_symbol_of_the_same_name_is_another_symbol() {
        let terms = Terms::new();
        let addresses = AddressTable::new();
        let base = address(&addresses, &terms, LOWEST_BASE, 8);
        let Op::Symbol(symbol) = terms.op(base) else {
            unreachable!("a base address is a symbol")
        };
        let name = terms.symbol_info(symbol).name.clone();
        let user = terms.symbol(&name, Sort::bv(64));
        assert_ne!(user, base);
        assert!(mentions_address(&terms, base) && !mentions_address(&terms, user));
        assert!(addresses.object(symbol).is_some());
        let Op::Symbol(user) = terms.op(user) else {
            unreachable!("a symbol")
        };
        assert_eq!(addresses.object(user), None);
        assert_eq!(address(&addresses, &terms, LOWEST_BASE, 8), base);
        assert_ne!(address(&addresses, &terms, LOWEST_BASE, 9), base);
    }

    #[test]
    fn offsets_within_the_object_lose_the_base() {
        let terms = Terms::new();
        let addresses = AddressTable::new();
        let base = address(&addresses, &terms, LOWEST_BASE, 8);
        let index = terms.symbol("i", Sort::bv(64));
        let pointer = terms.bv_add(terms.bv_add(base, index), terms.bv(64, 4));
        let offset = offset_from(&terms, pointer, base);
        assert_eq!(offset, terms.bv_add(index, terms.bv(64, 4)));
        assert_eq!(offset_from(&terms, base, base), terms.bv(64, 0));
        let other = address(&addresses, &terms, 2 * LOWEST_BASE, 8);
        assert!(mentions_address(
            &terms,
            offset_from(&terms, pointer, other)
        ));
    }
}
