//! Constant contents as arrays: one element nearly everywhere is written down as that, with the exceptions stored over it.
//!
//! Hash tables begin as thousands of equal words. A read of such a table at a symbolic index is the common element, or one of
//! few choices, where a table of all elements would be asked about index by index.
//!
//! Only places inside of the contents are ever read: every access is checked against its object first.

use crate::value::Ctx;
use stet_term::{Sort, Table, Term};

/// Fewer elements are a table: it is decided as a circuit.
const FEWEST: usize = 256;
/// The most exceptions.
const EXCEPTIONS: usize = 32;

/// A constant array of a sort whose elements have so many bits.
pub(crate) fn constant_array(ctx: &Ctx, sort: Sort, element_bits: u32, content: Table) -> Term {
    let count = content.len();
    if count < FEWEST {
        return ctx.terms.table(sort, content);
    }
    let common = majority(&content);
    let differs = |&at: &usize| content.get(at as u64) != common;
    let exceptions: Vec<usize> = (0..count).filter(differs).take(EXCEPTIONS + 1).collect();
    if exceptions.len() > EXCEPTIONS {
        return ctx.terms.table(sort, content);
    }
    let terms = &ctx.terms;
    let filled = terms.fill(sort, terms.bv(element_bits, common));
    exceptions.iter().fold(filled, |array, &at| {
        debug_assert!(at < count, "an exception is an element");
        let index = terms.bv(crate::object::INDEX_BITS, at as u64);
        let value = terms.bv(element_bits, content.get(at as u64));
        terms.store(array, index, value)
    })
}

/// The element that more than half of the places have, if any has.
fn majority(content: &Table) -> u64 {
    let (mut candidate, mut lead) = (content.get(0), 0usize);
    for at in 0..content.len() as u64 {
        let element = content.get(at);
        match (element == candidate, lead) {
            (true, _) => lead += 1,
            (false, 0) => (candidate, lead) = (element, 1),
            (false, _) => lead -= 1,
        }
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::AddressTable;
    use crate::object::INDEX_BITS;
    use std::rc::Rc;
    use stet_term::{Op, Terms};

    fn ctx() -> Ctx {
        Ctx {
            terms: Rc::new(Terms::new()),
            addresses: Rc::new(AddressTable::new()),
        }
    }

    #[test]
    fn equal_words_are_one_element_and_few_others_are_stored_over_it() {
        let ctx = ctx();
        let terms = &ctx.terms;
        let sort = terms.array_sort(Sort::bv(INDEX_BITS), Sort::bv(64));
        let any = terms.symbol("i", Sort::bv(INDEX_BITS));
        let minus_one = terms.bv(64, u64::MAX);
        let mut words = vec![u64::MAX; 1000];
        let array = constant_array(&ctx, sort, 64, Table::Words(words.clone().into()));
        assert_eq!(terms.select(array, any), minus_one);
        words[7] = 3;
        let array = constant_array(&ctx, sort, 64, Table::Words(words.clone().into()));
        let at = |index| terms.select(array, terms.bv(INDEX_BITS, index));
        assert_eq!((at(7), at(8)), (terms.bv(64, 3), minus_one));
        words.truncate(FEWEST - 1);
        let array = constant_array(&ctx, sort, 64, Table::Words(words.into()));
        assert!(matches!(terms.op(array), Op::Table(_)), "a small table");
        let many: Box<[u8]> = (0..1000u32).map(|k| (k % 20) as u8).collect();
        let sort = terms.array_sort(Sort::bv(INDEX_BITS), Sort::bv(8));
        let array = constant_array(&ctx, sort, 8, Table::Bytes(many));
        assert!(matches!(terms.op(array), Op::Table(_)), "no common element");
    }
}
