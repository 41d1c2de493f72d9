//! Membership on queries written by hand; random ones are tested with the chain.

use super::is_agnostic;
use crate::address::AddressTable;
use crate::query::address::LOWEST_BASE;
use stet_term::{Sort, Term, Terms};

struct Fixture {
    terms: Terms,
    addresses: AddressTable,
}

impl Fixture {
    fn new() -> Self {
        Fixture {
            terms: Terms::new(),
            addresses: AddressTable::new(),
        }
    }

    fn object(&mut self, place: u64, size: u64) -> Term {
        let object = self.addresses.at(LOWEST_BASE + place, size);
        self.addresses.symbol(&self.terms, object)
    }

    fn symbol(&self, name: &str) -> Term {
        self.terms.symbol(name, Sort::bv(64))
    }

    fn below(&self, a: Term, limit: u64) -> Term {
        self.terms.bv_ult(a, self.terms.bv(64, limit))
    }

    fn check(&self, set: &[Term], expected: bool) {
        assert_eq!(is_agnostic(&self.terms, &self.addresses, set), expected);
    }
}

#[test]
fn pointers_inside_one_object_are_numbers() {
    let mut f = Fixture::new();
    let p = f.object(0, 16);
    let i = f.symbol("i");
    let moved = f.terms.bv_add(p, i);
    f.check(
        &[f.terms.eq(f.terms.bv_sub(moved, p), f.terms.bv(64, 5))],
        true,
    );
    f.check(&[f.terms.eq(moved, p)], true);
    // Order inside the object needs a bound: the sum may wrap.
    let next = f.terms.bv_add(p, f.terms.bv(64, 8));
    f.check(&[f.terms.bv_ult(moved, next)], false);
    f.check(&[f.terms.bv_ult(moved, next), f.below(i, 16)], true);
}

#[test]
fn different_objects_are_different() {
    let mut f = Fixture::new();
    let (p, q) = (f.object(0, 16), f.object(64, 16));
    let i = f.symbol("i");
    let moved = f.terms.bv_add(p, i);
    f.check(&[f.terms.eq(moved, q)], false);
    f.check(&[f.terms.eq(moved, q), f.below(i, 17)], true);
    f.check(&[f.terms.eq(moved, q), f.below(i, 32)], true);
    f.check(&[f.terms.eq(moved, q), f.below(i, 33)], false);
    f.check(
        &[f.terms.eq(moved, f.terms.bv(64, 0)), f.below(i, 17)],
        true,
    );
    f.check(&[f.terms.eq(p, f.terms.bv(64, LOWEST_BASE + 4096))], false);
    f.check(&[f.terms.eq(p, f.terms.bv(64, 4096))], true);
}

#[test]
fn parts_of_addresses_depend_on_the_layout() {
    let mut f = Fixture::new();
    let p = f.object(0, 16);
    let low = f.terms.extract(7, 0, p);
    f.check(&[f.terms.eq(low, f.terms.bv(8, 16))], false);
    let i = f.symbol("i");
    f.check(
        &[f.terms.eq(f.terms.bv_mul(p, i), f.terms.bv(64, 3))],
        false,
    );
    f.check(&[f.terms.eq(f.terms.bv_neg(p), i)], false);
    f.check(&[f.terms.eq(p, i)], false);
}

#[test]
fn a_negated_guard_tells_nothing_about_the_object() {
    let mut f = Fixture::new();
    let (p, q) = (f.object(0, 8), f.object(64, 8));
    let c = f.terms.symbol("c", Sort::BOOL);
    let either = f.terms.ite(c, p, q);
    let distance = f.terms.bv_sub(either, p);
    let guard = f.below(distance, 8);
    let bytes = f.terms.byte_table(32, vec![1, 2, 3]);
    let read = f.terms.select(bytes, f.terms.extract(31, 0, distance));
    let is_two = f.terms.eq(read, f.terms.bv(8, 2));
    f.check(&[guard, is_two], true);
    f.check(&[f.terms.not(guard), is_two], false);
    f.check(&[is_two], false);
    f.check(&[f.terms.not(guard)], true);
}

/// An index of several symbolic bytes, as `i < 4` and `table[i]` leave it.
#[test]
fn bounds_on_numbers_of_several_bytes_are_understood() {
    let mut f = Fixture::new();
    let (p, q) = (f.object(0, 4), f.object(64, 4));
    let bytes: Vec<Term> = (0..4)
        .map(|i| f.terms.symbol(&format!("i[{i}]"), Sort::bv(8)))
        .collect();
    let index = (1..4).fold(bytes[0], |low, i| f.terms.concat(bytes[i], low));
    let offset = f
        .terms
        .bv_shl(f.terms.zero_extend(index, 64), f.terms.bv(64, 0));
    let moved = f.terms.bv_add(p, offset);
    let reaches = f.below(f.terms.bv_sub(moved, q), 4);
    f.check(&[reaches], false);
    let bounded = f.terms.bv_ult(index, f.terms.bv(32, 4));
    f.check(&[reaches, bounded], true);
}

#[test]
fn distances_inside_one_object_are_numbers() {
    let mut f = Fixture::new();
    let (p, q) = (f.object(0, 16), f.object(64, 16));
    let c = f.terms.symbol("c", Sort::BOOL);
    let at = |base: Term, offset| f.terms.bv_add(base, f.terms.bv(64, offset));
    let moved = f.terms.ite(c, at(p, 10), at(p, 8));
    let distance = f.terms.bv_sub(at(p, 4), moved);
    f.check(&[f.terms.bv_slt(distance, f.terms.bv(64, 2))], true);
    let other = f.terms.bv_sub(at(q, 4), moved);
    f.check(&[f.terms.bv_slt(other, f.terms.bv(64, 2))], false);
}

/// `(i | j) < 4` bounds both.
#[test]
fn bounds_on_disjunctions_of_bits_bound_their_parts() {
    let mut f = Fixture::new();
    let (p, q) = (f.object(0, 4), f.object(64, 4));
    let (i, j) = (f.symbol("i"), f.symbol("j"));
    let reaches = f.below(f.terms.bv_sub(f.terms.bv_add(p, i), q), 4);
    let both = f.below(f.terms.bv_or(i, j), 4);
    f.check(&[reaches, both], true);
}

/// `d < 256 || d >= 264` on a distance cut to 32 bits leaves large values, too.
#[test]
fn guards_on_narrow_numbers_wrap_at_their_width() {
    let mut f = Fixture::new();
    let (p, table, other) = (f.object(0, 64), f.object(1024, 256), f.object(4096, 16));
    let c = f.terms.symbol("c", Sort::BOOL);
    let at = |offset| f.terms.bv_add(p, f.terms.bv(64, offset));
    let distance = f.terms.bv_sub(f.terms.ite(c, at(3), at(16)), at(8));
    let narrow = f.terms.extract(31, 0, distance);
    let moved = f
        .terms
        .bv_add(narrow, f.terms.bv(32, 256_u64.wrapping_neg() & 0xffff_ffff));
    let outside = f.terms.not(f.terms.bv_ult(moved, f.terms.bv(32, 8)));
    let entry = f.terms.bv_add(table, f.terms.zero_extend(narrow, 64));
    f.check(&[outside, f.terms.eq(entry, other)], false);
    let inside = f.terms.bv_ult(narrow, f.terms.bv(32, 256));
    f.check(&[inside, f.terms.eq(entry, other)], true);
}
