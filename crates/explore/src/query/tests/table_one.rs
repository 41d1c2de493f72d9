//! The program of [AAQC Fig. 1] and the queries of [AAQC Table I].

use super::*;
use crate::query::agnostic::is_agnostic;
use crate::query::canon::Canonizer;

/// The queries two states ask at line 17.
pub(super) struct Queries {
    /// The pointer resolves to the first row: q5 (or q7).
    pub(super) first: Vec<Term>,
    /// The pointer resolves to the second row: q6 (or q8).
    pub(super) second: Vec<Term>,
}

/// The queries when the array and its two rows are at these places.
pub(super) fn queries(world: &World, places: [u64; 3]) -> Queries {
    sized_queries(world, places, 2)
}

fn sized_queries(world: &World, [array, first, second]: [u64; 3], row_size: u64) -> Queries {
    let terms = &world.terms;
    let _array = world.address(array, 16);
    let rows = [first, second].map(|place| world.address(place, row_size));
    let (i, j) = (world.symbol("i", 4), world.symbol("j", 4));
    let two = terms.bv(4, 2);
    let bounds = [terms.bv_ult(i, two), terms.bv_ult(j, two)];
    let table = world.table(&rows);
    let index = terms.bv_mul(terms.zero_extend(i, 32), terms.bv(32, 8));
    let pointer = world.read_pointer(table, index);
    let pointer = terms.bv_add(pointer, terms.zero_extend(j, 64));
    let contents = [vec![0, 7], vec![0, 0]].map(|bytes| terms.byte_table(32, bytes));
    let query = |row: usize| {
        let offset = terms.bv_sub(pointer, rows[row]);
        let element = terms.select(contents[row], terms.extract(31, 0, offset));
        let is_magic = terms.eq(element, terms.bv(8, 7));
        let guard = world.guard(pointer, rows[row], 2);
        vec![bounds[0], bounds[1], guard, is_magic]
    };
    Queries {
        first: query(0),
        second: query(1),
    }
}

#[test]
fn keys_coincide_as_in_table_one() {
    let world = World::new();
    let (s1, s2) = (
        queries(&world, [0x100, 0x200, 0x300]),
        queries(&world, [0x400, 0x500, 0x600]),
    );
    let reversed = queries(&world, [0x900, 0x800, 0x700]);
    let other_size = sized_queries(&world, [0xa00, 0xb00, 0xc00], 3);
    for naming in [Naming::Exact, Naming::Renamed] {
        let mut canonizer = Canonizer::new(naming);
        let mut key = |query: &[Term]| {
            let query = canonizer.query(&world.terms, &*world.addresses, query, &[]);
            query.expect("bit-vectors have forms").key
        };
        assert_eq!(key(&s1.first), key(&s2.first), "q5 and q7");
        assert_eq!(key(&s1.second), key(&s2.second), "q6 and q8");
        assert_ne!(key(&s1.first), key(&s1.second), "q5 and q6");
        assert_eq!(
            key(&s1.first),
            key(&reversed.first),
            "order does not matter"
        );
        assert_ne!(key(&s1.first), key(&other_size.first), "sizes do");
    }
    for query in [&s1.first, &s1.second, &s2.first, &reversed.second] {
        assert!(is_agnostic(&world.terms, &*world.addresses, query));
    }
    // Under the base cache q1 and q3 are different sets.
    assert_ne!(s1.first, s2.first);
}

#[test]
fn the_second_state_needs_the_solver_only_without_address_awareness() {
    for (mode, second_state_asks) in [(CacheMode::Base, true), (CacheMode::AddressAware, false)] {
        let world = World::new();
        let (mut chain, calls) = world.chain(config(mode));
        let mut answers = Vec::new();
        let mut reached = Vec::new();
        for places in [[0x100, 0x200, 0x300], [0x400, 0x500, 0x600]] {
            let queries = queries(&world, places);
            let before = calls.get();
            answers.push((
                ask(&mut chain, &queries.first),
                ask(&mut chain, &queries.second),
            ));
            reached.push(calls.get() - before);
        }
        assert_eq!(answers, [(true, false), (true, false)]);
        assert!(reached[0] > 0);
        assert_eq!(reached[1] > 0, second_state_asks, "{mode:?} {reached:?}");
        let statistics = chain.statistics();
        assert_eq!(statistics.of_program, statistics.passed_to_cache);
        assert_eq!(statistics.address_dependent, 4);
    }
}
