//! Traps an address-aware cache must not fall into.

use super::*;
use crate::query::agnostic::is_agnostic;
use crate::query::canon::Canonizer;

struct Trap {
    world: World,
    cells: Term,
    index: Term,
}

impl Trap {
    fn new() -> Self {
        let world = World::new();
        let cells = world.address(0x1000, 4);
        let i = world.symbol("i", 2);
        let index = world.terms.zero_extend(i, 32);
        let index = world.terms.bv_mul(index, world.terms.bv(32, 8));
        Trap {
            world,
            cells,
            index,
        }
    }

    /// A table of four equal pointers with one byte of one of them replaced.
    fn table(&self, replaced: Option<(u64, u64)>) -> Term {
        let terms = &self.world.terms;
        let table = self.world.table(&[self.cells; 4]);
        match replaced {
            None => table,
            Some((at, value)) => terms.store(table, terms.bv(32, at), terms.bv(8, value)),
        }
    }

    /// Some entry is not the pointer.
    fn differs(&self, table: Term) -> Term {
        let entry = self.world.read_pointer(table, self.index);
        self.world.terms.not(self.world.terms.eq(entry, self.cells))
    }

    fn key(&self, constraint: Term) -> stet_key::Digest {
        let mut canonizer = Canonizer::new(Naming::Renamed);
        let query = canonizer.query(
            &self.world.terms,
            &*self.world.addresses,
            &[constraint],
            &[],
        );
        query.expect("bit-vectors have forms").key
    }
}

/// The artifact compared the top byte of a pointer only.
#[test]
fn every_byte_of_a_stored_pointer_counts() {
    let trap = Trap::new();
    let plain = trap.differs(trap.table(None));
    assert!(is_agnostic(
        &trap.world.terms,
        &*trap.world.addresses,
        &[plain]
    ));
    for at in 0..32 {
        let changed = trap.differs(trap.table(Some((at, 0x41))));
        assert_ne!(trap.key(plain), trap.key(changed), "byte {at}");
        assert!(
            !is_agnostic(&trap.world.terms, &*trap.world.addresses, &[changed]),
            "byte {at}"
        );
        let (mut chain, _) = trap.world.chain(Config::full());
        assert!(!ask(&mut chain, &[plain]));
        assert!(ask(&mut chain, &[changed]), "byte {at}");
        assert!(!ask(&mut chain, &[plain]));
    }
}

/// The artifact skipped the writes after a pointer byte.
#[test]
fn writes_after_a_pointer_count() {
    let trap = Trap::new();
    let terms = &trap.world.terms;
    let table = trap.world.table(&[trap.cells; 4]);
    let mut keys = Vec::new();
    for value in 0..3 {
        let table = terms.store(table, terms.bv(32, 40), terms.bv(8, value));
        let at = terms.bv_add(trap.index, terms.bv(32, 40));
        let constraint = terms.eq(terms.select(table, at), terms.bv(8, 2));
        keys.push(trap.key(constraint));
        let (mut chain, _) = trap.world.chain(Config::full());
        assert_eq!(ask(&mut chain, &[constraint]), value == 2);
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 3);
}

/// `t[i] < q`, allocated in both orders.
#[test]
fn order_across_objects_is_asked_again() {
    let mut answers = Vec::new();
    let world = World::new();
    let (mut chain, _) = world.chain(Config::full());
    for (p, q) in [
        (0x100, 0x200),
        (0x400, 0x300),
        (0x500, 0x600),
        (0x800, 0x700),
    ] {
        let (p, q) = (world.address(p, 16), world.address(q, 16));
        let table = world.table(&[p, world.terms.bv_add(p, world.terms.bv(64, 8))]);
        let i = world.symbol("i", 1);
        let index = world
            .terms
            .bv_mul(world.terms.zero_extend(i, 32), world.terms.bv(32, 8));
        let below = world.terms.bv_ult(world.read_pointer(table, index), q);
        let path = PathConstraints::new();
        answers.push(chain.evaluate(&path, below, Purpose::Program));
    }
    use Truth::{False, True};
    assert_eq!(answers, [True, False, True, False]);
}

/// A number the program guessed can be an address in one layout and not in another.
#[test]
fn guessed_addresses_depend_on_the_layout() {
    let world = World::new();
    let guess = world.terms.bv(64, LOWEST_BASE + 0x100);
    let i = world.symbol("i", 2);
    let (mut chain, _) = world.chain(Config::full());
    for (place, expected) in [(0x200, false), (0x100, true), (0x300, false), (0x100, true)] {
        let base = world.address(place, 4);
        let pointer = world.terms.bv_add(base, world.terms.zero_extend(i, 64));
        let hit = world.terms.eq(pointer, guess);
        assert!(!is_agnostic(&world.terms, &*world.addresses, &[hit]));
        assert_eq!(ask(&mut chain, &[hit]), expected, "{place:#x}");
    }
}

/// A pointer past its object may or may not reach another one.
#[test]
fn out_of_bounds_pointers_are_not_agnostic() {
    let world = World::new();
    let (p, q) = (world.address(0x100, 10), world.address(0x200, 50));
    let i = world.symbol("i", 8);
    let pointer = world.terms.bv_add(p, world.terms.zero_extend(i, 64));
    let reaches = world.guard(pointer, q, 50);
    assert!(!is_agnostic(&world.terms, &*world.addresses, &[reaches]));
    let bounded = world.terms.bv_ult(i, world.terms.bv(8, 11));
    let set = [bounded, reaches];
    assert!(is_agnostic(&world.terms, &*world.addresses, &set));
}

/// What ordinary programs ask about tables of pointers must not be kept per layout.
#[test]
fn ordinary_queries_are_agnostic() {
    let trap = Trap::new();
    let (world, terms) = (&trap.world, &*trap.world.terms);
    let other = world.address(0x2000, 4);
    let null = terms.bv(64, 0);
    let table = world.table(&[trap.cells, null, other, trap.cells]);
    let entry = world.read_pointer(table, trap.index);
    let j = terms.zero_extend(world.symbol("j", 2), 32);
    let second = world.read_pointer(table, terms.bv_mul(j, terms.bv(32, 8)));
    let is_null = terms.eq(entry, null);
    let same = terms.eq(entry, second);
    let next = terms.bv_add(entry, terms.bv(64, 4));
    for constraint in [is_null, same, terms.eq(entry, other), terms.eq(next, other)] {
        for constraint in [constraint, terms.not(constraint)] {
            assert!(is_agnostic(terms, &*world.addresses, &[constraint]));
        }
    }
    // Resolution after the null check, to each object and to none of them.
    let guards = [trap.cells, other].map(|base| world.guard(entry, base, 4));
    let neither = guards.map(|guard| terms.not(guard));
    let set = [terms.not(is_null), neither[0], neither[1]];
    assert!(is_agnostic(terms, &*world.addresses, &set));
    let (mut chain, _) = world.chain(Config::full());
    assert!(!ask(&mut chain, &set));
    // A write of a pointer at a symbolic slot, then the same questions.
    let mut written = table;
    for byte in 0..8u32 {
        let at = terms.bv_add(trap.index, terms.bv(32, byte.into()));
        written = terms.store(written, at, terms.extract(8 * byte + 7, 8 * byte, other));
    }
    let read = world.read_pointer(written, terms.bv_mul(j, terms.bv(32, 8)));
    let set = [terms.eq(read, null), world.guard(read, other, 4)];
    assert!(is_agnostic(terms, &*world.addresses, &set));
}
