//! What simplification under possible values sees through, counted in queries that reach the solver.

use super::*;

/// A chain with the address-aware cache, and a path on which `i < limit` for a symbol of four bits.
fn chain_and_path(world: &World, limit: u64) -> (QueryChain, Rc<Cell<u64>>, PathConstraints) {
    let renamed = Config {
        naming: Naming::Renamed,
        ..config(CacheMode::AddressAware)
    };
    let (mut chain, calls) = world.chain(renamed);
    let mut path = PathConstraints::new();
    let i = world.symbol("i", 4);
    let below = world.terms.bv_ult(i, world.terms.bv(4, limit));
    assert_eq!(chain.evaluate(&path, below, Purpose::Program), Truth::Both);
    chain.assume(&mut path, below);
    (chain, calls, path)
}

/// `bytes[i] = y` where the first two bytes are `x` and `y + 1`.
fn read(world: &World, bytes: &[u8]) -> Term {
    let terms = &world.terms;
    let mut array = terms.byte_table(32, bytes.to_vec());
    let [x, y] = ["x", "y"].map(|name| terms.zero_extend(world.symbol(name, 4), 8));
    for (at, value) in [(0, x), (1, terms.bv_add(y, terms.bv(8, 1)))] {
        array = terms.store(array, terms.bv(32, at), value);
    }
    let index = terms.zero_extend(world.symbol("i", 4), 32);
    terms.eq(terms.select(array, index), y)
}

#[test]
fn elements_that_cannot_be_read_do_not_matter() {
    let world = World::new();
    let (mut chain, calls, path) = chain_and_path(&world, 2);
    let [first, second] = [[0u8, 0, 7, 8], [0, 0, 9, 7]].map(|bytes| read(&world, &bytes));
    assert_ne!(first, second);
    for (condition, solved) in [(first, 1), (second, 1)] {
        let answer = chain.may_be_true(&path, condition, Purpose::Program);
        assert_eq!(answer, Some(true));
        assert!(calls.get() <= solved, "{}", calls.get());
    }
    // a third byte that can be read does
    let (mut chain, calls, path) = chain_and_path(&world, 3);
    let unequal = |x: &str, y: &str| {
        let [x, y] = [x, y].map(|name| world.symbol(name, 4));
        world.terms.not(world.terms.eq(x, y))
    };
    let mut path = path;
    for condition in [
        unequal("x", "y"),
        world.terms.eq(world.symbol("y", 4), world.terms.bv(4, 9)),
    ] {
        let answer = chain.may_be_true(&path, condition, Purpose::Program);
        assert_eq!(answer, Some(true));
        chain.assume(&mut path, condition);
    }
    assert_eq!(
        chain.may_be_true(&path, first, Purpose::Program),
        Some(false)
    );
    assert_eq!(
        chain.may_be_true(&path, second, Purpose::Program),
        Some(true)
    );
    assert!(calls.get() > 0);
}

#[test]
fn the_distance_in_one_object_mentions_no_address() {
    let world = World::new();
    let (mut chain, calls, path) = chain_and_path(&world, 8);
    let terms = &world.terms;
    let base = world.address(0x100, 16);
    let i = world.symbol("i", 4);
    let number = |n| terms.bv(64, n);
    let small = terms.bv_ult(i, terms.bv(4, 3));
    let from = terms.bv_add(terms.ite(small, number(6), number(5)), base);
    let to = terms.bv_add(terms.bv_add(terms.bv_neg(from), base), number(6));
    let after = terms.bv_slt(number(0), to);
    assert!(address::mentions_address(terms, after));
    assert_eq!(chain.evaluate(&path, after, Purpose::Program), Truth::Both);
    let before = terms.bv_slt(to, number(0));
    assert_eq!(
        chain.evaluate(&path, before, Purpose::Program),
        Truth::False
    );
    assert_eq!(calls.get(), 0);
}

/// Questions about one byte that leave it the same values are one question.
#[test]
fn a_question_counts_by_the_values_it_leaves() {
    let world = World::new();
    let (mut chain, calls, mut path) = chain_and_path(&world, 12);
    let terms = &world.terms;
    let (i, y) = (world.symbol("i", 4), world.symbol("y", 4));
    let product = terms.eq(terms.bv_mul(i, y), terms.bv(4, 5));
    assert_eq!(
        chain.evaluate(&path, product, Purpose::Program),
        Truth::Both
    );
    chain.assume(&mut path, product);
    let before = calls.get();
    // an odd product needs odd factors
    let four = |n| terms.bv(4, n);
    let first = terms.eq(terms.bv_and(i, four(0b1101)), four(0));
    let second = terms.or(&[terms.eq(i, four(0)), terms.eq(i, four(2))]);
    for condition in [first, second] {
        let answer = chain.may_be_true(&path, condition, Purpose::Program);
        assert_eq!(answer, Some(false));
        assert_eq!(calls.get(), before + 1);
    }
}

/// Constraints of the path alone are satisfiable: under another layout the query is solved again, and nothing else.
#[test]
fn a_layout_dependent_question_is_solved_once_per_layout() {
    let world = World::new();
    let (mut chain, calls, mut path) = chain_and_path(&world, 12);
    let terms = &world.terms;
    let (i, y) = (world.symbol("i", 4), world.symbol("y", 4));
    let product = terms.eq(terms.bv_mul(i, y), terms.bv(4, 5));
    assert_eq!(
        chain.evaluate(&path, product, Purpose::Program),
        Truth::Both
    );
    chain.assume(&mut path, product);
    let before = calls.get();
    let scaled = terms.bv_mul(terms.zero_extend(terms.bv_add(i, y), 64), terms.bv(64, 2));
    for (round, places) in (1..).zip([[0x100, 0x200], [0x100, 0x300], [0x300, 0x400]]) {
        let [first, second] = places.map(|place| world.address(place, 8));
        let order = terms.bv_ult(second, terms.bv_add(first, scaled));
        let answer = chain.may_be_true(&path, order, Purpose::Program);
        assert_eq!(answer, Some(false));
        assert_eq!(calls.get(), before + round);
        // judged when it comes again, and only once
        let judged = chain.statistics().layout_dependent;
        assert_eq!(judged, u64::from(round > 1));
    }
}

/// The question's values can leave of a constraint of the path something about other symbols only, which is false. That is part of
/// the query: what else is left has a solution, and is not unsatisfiable for the next path.
#[test]
fn what_the_question_makes_of_the_path_is_part_of_the_query() {
    let world = World::new();
    let terms = &world.terms;
    let [a, b, c] =
        [(0x100, 13), (0x1000, 16), (0x2000, 16)].map(|(place, size)| world.address(place, size));
    let (x, y) = (world.symbol("x", 4), world.symbol("y", 4));
    let question = terms.eq(terms.extract(3, 2, x), terms.bv(2, 3));
    let otherwise = terms.not(question);
    let is = |term, number| terms.eq(term, terms.bv(terms.width(term), number));
    let pointer = terms.ite(is(terms.extract(1, 0, x), 0), a, b);
    let possible = terms.or(&[
        terms.and(&[otherwise, is(y, 7)]),
        world.guard(pointer, a, 14),
    ]);
    let impossible = world.guard(terms.ite(is(y, 0), b, c), a, 4);
    let excludes = terms.or(&[otherwise, impossible]);
    for naming in [Naming::Exact, Naming::Renamed] {
        let (mut chain, _) = world.chain(Config {
            naming,
            ..config(CacheMode::AddressAware)
        });
        assert!(!ask(&mut chain, &[possible, excludes, question]));
        assert!(ask(&mut chain, &[possible, question]));
        assert!(!ask(&mut chain, &[possible, excludes, question]));
    }
}
