//! Tests of the chain: the paper's Table I, persistence with exact counts, traps, and random queries against
//! oracles (`oracle`, `random`).

mod generator;
mod narrow;
mod oracle;
mod random;
mod table_one;
mod traps;

use super::*;
use crate::address::AddressTable;
use crate::query::address::LOWEST_BASE;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use stet_base::Budget;
use stet_solve::{Limits, Outcome as SolverOutcome, Solver, Values, is_among};
use stet_store::Store;
use stet_term::{Bits, Evaluator, Model, Op, Sort, SortKind, Sym, Term, Terms, Value};

/// Decides by trying every assignment: the oracle, independent of every layer.
pub(super) struct BruteForce {
    pub(super) calls: Rc<Cell<u64>>,
}

pub(super) fn brute_force(terms: &Terms, constraints: &[Term]) -> Option<Model> {
    let mut symbols: Vec<Sym> = Vec::new();
    for &constraint in constraints {
        symbols.extend(terms.free_symbols(constraint).iter());
    }
    symbols.sort_unstable();
    symbols.dedup();
    let width = |symbol: &Sym| match terms.sort_kind(terms.symbol_info(*symbol).sort) {
        SortKind::BitVec(width) => width,
        _ => 1,
    };
    let bits: u32 = symbols.iter().map(width).sum();
    assert!(bits <= 16, "too many assignments to try");
    (0..1u64 << bits).find_map(|assignment| {
        let mut rest = assignment;
        let mut model = Model::new();
        for symbol in &symbols {
            let width = width(symbol);
            let value = rest & ((1 << width) - 1);
            rest >>= width;
            model.set(
                *symbol,
                match terms.symbol_info(*symbol).sort.bv_width() {
                    Some(width) => Value::Bv(Bits::new(width, value)),
                    None => Value::Bool(value == 1),
                },
            );
        }
        let mut evaluator = Evaluator::new(terms, &model);
        let satisfied = constraints.iter().all(|&c| evaluator.holds(c));
        satisfied.then_some(model)
    })
}

impl Solver for BruteForce {
    fn check(&mut self, terms: &Terms, constraints: &[Term], _: &Limits) -> SolverOutcome {
        self.calls.set(self.calls.get() + 1);
        match brute_force(terms, constraints) {
            Some(model) => SolverOutcome::Sat(model),
            None => SolverOutcome::Unsat,
        }
    }

    fn allowed(&mut self, terms: &Terms, constraint: Term, symbol: Sym) -> Option<Values> {
        let width = terms.symbol_info(symbol).sort.bv_width()?;
        let mut values = [0; 4];
        for value in 0..1u64 << width.min(8) {
            let mut model = Model::new();
            model.set(symbol, Value::Bv(Bits::new(width, value)));
            let holds = Evaluator::new(terms, &model).holds(constraint);
            values[value as usize / 64] |= u64::from(holds) << (value % 64);
        }
        (width <= 8).then_some(values)
    }

    fn few_values(
        &mut self,
        terms: &Terms,
        term: Term,
        symbol: Sym,
        values: &Values,
        most: usize,
    ) -> Option<Vec<u64>> {
        let width = terms.symbol_info(symbol).sort.bv_width()?;
        let possible = (0..1u64 << width.min(8)).filter(|&value| is_among(values, value));
        let mut found = Vec::new();
        for value in possible {
            let mut model = Model::new();
            model.set(symbol, Value::Bv(Bits::new(width, value)));
            let value = match Evaluator::new(terms, &model).eval(term).ok()? {
                Value::Bool(truth) => u64::from(truth),
                Value::Bv(bits) => bits.to_u64()?,
                _ => return None,
            };
            if !found.contains(&value) {
                found.push(value);
            }
        }
        (width <= 8 && !found.is_empty() && found.len() <= most).then_some(found)
    }

    fn identity(&self) -> String {
        "brute force".to_owned()
    }
}

/// Terms, addresses and a way to make chains over them.
pub(super) struct World {
    pub(super) terms: Rc<Terms>,
    pub(super) addresses: Rc<AddressTable>,
}

impl World {
    pub(super) fn new() -> Self {
        World {
            terms: Rc::new(Terms::new()),
            addresses: Rc::default(),
        }
    }

    pub(super) fn address(&self, place: u64, size: u64) -> Term {
        let base = LOWEST_BASE + place;
        self.addresses
            .symbol(&self.terms, self.addresses.at(base, size))
    }

    /// A chain and the number of queries that reached its solver.
    pub(super) fn chain(&self, config: Config) -> (QueryChain, Rc<Cell<u64>>) {
        let calls = Rc::new(Cell::new(0));
        let core = BruteForce {
            calls: calls.clone(),
        };
        let chain = QueryChain::new(
            self.terms.clone(),
            self.addresses.clone(),
            Box::new(core),
            config,
            Budget::unlimited(),
        );
        (chain, calls)
    }

    pub(super) fn symbol(&self, name: &str, width: u32) -> Term {
        self.terms.symbol(name, Sort::bv(width))
    }

    /// An array of bytes in which pointers stand at multiples of eight.
    pub(super) fn table(&self, pointers: &[Term]) -> Term {
        let mut array = self.terms.byte_table(32, Vec::new());
        for (slot, &pointer) in pointers.iter().enumerate() {
            for byte in 0..8u32 {
                let at = self.terms.bv(32, slot as u64 * 8 + u64::from(byte));
                let value = self.terms.extract(8 * byte + 7, 8 * byte, pointer);
                array = self.terms.store(array, at, value);
            }
        }
        array
    }

    /// Eight bytes of an array at a 32-bit index.
    pub(super) fn read_pointer(&self, array: Term, index: Term) -> Term {
        let byte = |i: u64| {
            let at = self.terms.bv_add(index, self.terms.bv(32, i));
            self.terms.select(array, at)
        };
        (1..8).fold(byte(0), |low, i| self.terms.concat(byte(i), low))
    }

    /// `pointer - base < limit`.
    pub(super) fn guard(&self, pointer: Term, base: Term, limit: u64) -> Term {
        let offset = self.terms.bv_sub(pointer, base);
        self.terms.bv_ult(offset, self.terms.bv(64, limit))
    }
}

pub(super) fn config(query_cache: CacheMode) -> Config {
    Config {
        query_cache,
        counterexample_cache: false,
        naming: Naming::Exact,
        ..Config::full()
    }
}

/// Asks whether a set is satisfiable, as a path and a last condition.
pub(super) fn ask(chain: &mut QueryChain, set: &[Term]) -> bool {
    let Some((last, first)) = set.split_last() else {
        return true;
    };
    let mut path = PathConstraints::new();
    for &constraint in first {
        chain.assume(&mut path, constraint);
    }
    chain
        .may_be_true(&path, *last, Purpose::Program)
        .expect("the oracle decides everything")
}

/// A path whose query needs no address: `x < 3` and `x = 2`.
#[test]
fn a_second_process_asks_the_solver_nothing() {
    let store = Store::in_memory();
    let mut counts = Vec::new();
    for _ in 0..2 {
        let world = World::new();
        let (chain, calls) = world.chain(config(CacheMode::AddressAware));
        let mut chain = chain.with_store(store.clone());
        let queries = table_one::queries(&world, [0x100, 0x200, 0x300]);
        for query in [&queries.first, &queries.second] {
            ask(&mut chain, query);
        }
        counts.push((calls.get(), chain.statistics().store.answered));
    }
    assert_eq!(counts[0].1, 0);
    assert!(counts[0].0 > 0);
    assert_eq!(
        counts[1],
        (0, counts[0].0),
        "every query is answered by the store"
    );
}

/// Another layout in the second process: still nothing for the solver.
#[test]
fn a_second_process_with_another_layout_asks_nothing() {
    let store = Store::in_memory();
    let mut calls_per_run = Vec::new();
    for places in [[0x100, 0x200, 0x300], [0x900, 0x700, 0x500]] {
        let world = World::new();
        let (chain, calls) = world.chain(config(CacheMode::AddressAware));
        let mut chain = chain.with_store(store.clone());
        let queries = table_one::queries(&world, places);
        for query in [&queries.first, &queries.second] {
            ask(&mut chain, query);
        }
        calls_per_run.push(calls.get());
    }
    assert!(calls_per_run[0] > 0);
    assert_eq!(calls_per_run[1], 0);
}

/// With the base cache, another layout is another query, also in the store.
#[test]
fn the_base_cache_is_not_shared_across_layouts() {
    let store = Store::in_memory();
    let mut calls_per_run = Vec::new();
    for places in [
        [0x100, 0x200, 0x300],
        [0x900, 0x700, 0x500],
        [0x100, 0x200, 0x300],
    ] {
        let world = World::new();
        let (chain, calls) = world.chain(config(CacheMode::Base));
        let mut chain = chain.with_store(store.clone());
        let queries = table_one::queries(&world, places);
        for query in [&queries.first, &queries.second] {
            ask(&mut chain, query);
        }
        calls_per_run.push(calls.get());
    }
    assert!(calls_per_run[0] > 0);
    assert_eq!(calls_per_run[1], calls_per_run[0]);
    assert_eq!(calls_per_run[2], 0);
}

/// The engine's own queries are never answered from another layout.
#[test]
fn engine_queries_stay_in_their_layout() {
    let world = World::new();
    let (mut chain, calls) = world.chain(Config::full());
    let index = world.symbol("i", 2);
    for (low, high, expected) in [(0x100, 0x200, true), (0x400, 0x300, false)] {
        let (p, q) = (world.address(low, 8), world.address(high, 8));
        let offset = world.terms.zero_extend(index, 64);
        let below = world.terms.bv_ult(world.terms.bv_add(p, offset), q);
        let before = calls.get();
        let answer = chain.may_be_true(&PathConstraints::new(), below, Purpose::Engine);
        assert_eq!(answer, Some(expected));
        assert_eq!(calls.get(), before + u64::from(!expected), "{low:#x}");
    }
}

/// The same query of the program depends on the layout as well, and that is found out.
#[test]
fn order_of_objects_is_not_agnostic() {
    let world = World::new();
    let (mut chain, _) = world.chain(Config::full());
    let index = world.symbol("i", 2);
    for (low, high, expected) in [
        (0x400, 0x300, Truth::False),
        (0x100, 0x200, Truth::True),
        (0x700, 0x600, Truth::False),
    ] {
        let (p, q) = (world.address(low, 8), world.address(high, 8));
        let offset = world.terms.zero_extend(index, 64);
        let below = world.terms.bv_ult(world.terms.bv_add(p, offset), q);
        let answer = chain.evaluate(&PathConstraints::new(), below, Purpose::Program);
        assert_eq!(answer, expected);
    }
    assert!(chain.statistics().layout_dependent > 0);
}

/// Constraints about other symbols are not part of the query.
#[test]
fn independent_constraints_are_left_out() {
    let world = World::new();
    let (mut chain, calls) = world.chain(config(CacheMode::Base));
    let mut path = PathConstraints::new();
    for name in ["a", "b", "c"] {
        let symbol = world.symbol(name, 9);
        let limit = world.terms.bv_ult(symbol, world.terms.bv(9, 9));
        assert_eq!(chain.evaluate(&path, limit, Purpose::Program), Truth::Both);
        chain.assume(&mut path, limit);
    }
    let before = calls.get();
    let symbol = world.symbol("b", 9);
    let ten = world.terms.eq(symbol, world.terms.bv(9, 10));
    assert_eq!(chain.evaluate(&path, ten, Purpose::Program), Truth::False);
    assert_eq!(calls.get(), before + 1);
    assert_eq!(chain.minimum(&path, symbol), Some(0));
    let three = world.terms.bv_ult(world.terms.bv(9, 3), symbol);
    chain.assume(&mut path, three);
    assert_eq!(chain.minimum(&path, symbol), Some(4));
    let model = chain.model(&path).expect("the path is possible");
    let mut evaluator = Evaluator::new(&world.terms, &model);
    assert!(path.iter().all(|constraint| evaluator.holds(constraint)));
}

/// Conditions on symbols with one value need no query.
#[test]
fn conditions_on_fixed_symbols_are_decided_by_evaluation() {
    let world = World::new();
    let (mut chain, calls) = world.chain(Config::full());
    let (x, y) = (world.symbol("x", 4), world.symbol("y", 4));
    let mut path = PathConstraints::new();
    for (symbol, value) in [(x, 3), (y, 9)] {
        let fixed = world.terms.eq(symbol, world.terms.bv(4, value));
        assert_eq!(
            chain.may_be_true(&path, fixed, Purpose::Program),
            Some(true)
        );
        chain.assume(&mut path, fixed);
    }
    let before = calls.get();
    let sum = world.terms.bv_add(x, y);
    for value in 0..16 {
        let condition = world.terms.eq(sum, world.terms.bv(4, value));
        let expected = if value == 12 {
            Truth::True
        } else {
            Truth::False
        };
        assert_eq!(chain.evaluate(&path, condition, Purpose::Program), expected);
    }
    assert_eq!(calls.get(), before);
}

/// The witness of a part of a path may come from a query about more symbols: what it says of those does not count.
#[test]
fn witnesses_of_independent_parts_do_not_mix() {
    let world = World::new();
    for mode in [CacheMode::Off, CacheMode::Base, CacheMode::AddressAware] {
        let (mut chain, _) = world.chain(config(mode));
        let is = |name: &str, value| {
            let symbol = world.symbol(name, 4);
            world.terms.eq(symbol, world.terms.bv(4, value))
        };
        let both = world.terms.and(&[is("x", 3), is("y", 5)]);
        let empty = PathConstraints::new();
        let answer = chain.may_be_true(&empty, both, Purpose::Program);
        assert_eq!(answer, Some(true));
        let mut path = PathConstraints::new();
        for condition in [is("x", 3), is("y", 7)] {
            chain.assume(&mut path, condition);
        }
        let model = chain.model(&path).expect("the path is possible");
        let mut evaluator = Evaluator::new(&world.terms, &model);
        assert!(path.iter().all(|constraint| evaluator.holds(constraint)));
        assert_eq!(chain.value(&path, world.symbol("y", 4)), Some(7));
    }
}

/// Conditions over one small symbol are decided by its possible values, without a query, and witnesses are kept.
#[test]
fn small_symbols_need_no_query() {
    let world = World::new();
    let (mut chain, calls) = world.chain(config(CacheMode::AddressAware));
    let mut path = PathConstraints::new();
    let symbol = world.symbol("s", 6);
    let below = |limit| world.terms.bv_ult(symbol, world.terms.bv(6, limit));
    assert_eq!(
        chain.evaluate(&path, below(40), Purpose::Program),
        Truth::Both
    );
    chain.assume(&mut path, below(40));
    let above = world.terms.not(below(30));
    assert_eq!(chain.evaluate(&path, above, Purpose::Program), Truth::Both);
    chain.assume(&mut path, above);
    assert_eq!(
        chain.evaluate(&path, below(40), Purpose::Program),
        Truth::True
    );
    assert_eq!(
        chain.evaluate(&path, below(50), Purpose::Program),
        Truth::True
    );
    assert_eq!(
        chain.evaluate(&path, below(7), Purpose::Program),
        Truth::False
    );
    assert_eq!(
        chain.may_be_true(&path, below(31), Purpose::Program),
        Some(true)
    );
    let value = chain.value(&path, symbol);
    assert!(
        value.is_some_and(|value| (30..40).contains(&value)),
        "{value:?}"
    );
    assert_eq!(calls.get(), 0);
    // a choice loses what the values rule out
    let number = |n| world.terms.bv(16, n);
    let tree = world.terms.ite(
        below(20),
        number(1),
        world.terms.ite(below(35), number(2), number(3)),
    );
    let expected = world.terms.ite(below(35), number(2), number(3));
    assert_eq!(chain.narrowed(&path, tree), expected);
}

/// Unknown answers are not kept.
#[test]
fn unknown_is_never_stored() {
    struct Undecided(Rc<Cell<u64>>);
    impl Solver for Undecided {
        fn check(&mut self, _: &Terms, _: &[Term], _: &Limits) -> SolverOutcome {
            self.0.set(self.0.get() + 1);
            SolverOutcome::Unknown(stet_solve::Reason::Deadline)
        }
        fn identity(&self) -> String {
            "undecided".to_owned()
        }
    }
    let world = World::new();
    let calls = Rc::new(Cell::new(0));
    let chain = QueryChain::new(
        world.terms.clone(),
        world.addresses.clone(),
        Box::new(Undecided(calls.clone())),
        Config::full(),
        Budget::unlimited(),
    );
    let store = Store::in_memory();
    let mut chain = chain.with_store(Arc::clone(&store));
    let symbol = world.symbol("x", 8);
    let condition = world.terms.eq(symbol, world.terms.bv(8, 3));
    for round in 1..3 {
        let answer = chain.may_be_true(&PathConstraints::new(), condition, Purpose::Program);
        assert_eq!(answer, None);
        assert_eq!(calls.get(), round);
    }
    assert_eq!(chain.unknown_reason(), Some("out of time"));
    assert_eq!(store.counters().puts, 0);
}

/// A solver that calls everything unsatisfiable, under the oracle's name: it fills a store with wrong verdicts.
struct Liar;

impl Solver for Liar {
    fn check(&mut self, _: &Terms, _: &[Term], _: &Limits) -> SolverOutcome {
        SolverOutcome::Unsat
    }

    fn identity(&self) -> String {
        "brute force".to_owned()
    }
}

fn liar(world: &World, store: &Arc<Store>) -> QueryChain {
    let liar = QueryChain::new(
        world.terms.clone(),
        world.addresses.clone(),
        Box::new(Liar),
        Config::full(),
        Budget::unlimited(),
    );
    liar.with_store(store.clone())
}

/// A wrong entry in the store is caught by validation.
#[test]
fn validation_catches_a_wrong_verdict() {
    let store = Store::in_memory();
    let world = World::new();
    let symbol = world.symbol("x", 9);
    let odd = world.terms.eq(
        world.terms.bv_and(symbol, world.terms.bv(9, 5)),
        world.terms.bv(9, 1),
    );
    let empty = PathConstraints::new();
    assert_eq!(
        liar(&world, &store).may_be_true(&empty, odd, Purpose::Program),
        Some(false)
    );
    let mut config = Config::full();
    config.validate = true;
    let (chain, _) = world.chain(config);
    let mut chain = chain.with_store(store);
    assert_eq!(chain.may_be_true(&empty, odd, Purpose::Program), Some(true));
    assert_eq!(chain.statistics().mismatches, 1);
    assert_eq!(chain.mismatches()[0].cached, "unsatisfiable");
}

/// Law 6: nobody asks for validation, yet a debug build finds that a store is wrong.
#[test]
#[cfg(debug_assertions)]
fn the_sample_of_a_debug_build_catches_wrong_verdicts() {
    let store = Store::in_memory();
    let world = World::new();
    // nine bits: conditions over a single byte need no query
    let symbol = world.symbol("x", 9);
    let empty = PathConstraints::new();
    let conditions: Vec<Term> = (0..512u64)
        .map(|n| {
            let mask = world.terms.bv(9, (n / 2) | 1);
            let scaled = world
                .terms
                .bv_mul(symbol, world.terms.bv(9, 3 + (n % 2) * 2));
            let kept = world.terms.bv_and(scaled, mask);
            world.terms.eq(kept, world.terms.bv(9, 1))
        })
        .collect();
    let mut lies = liar(&world, &store);
    for &condition in &conditions {
        lies.may_be_true(&empty, condition, Purpose::Program);
    }
    let (chain, _) = world.chain(Config::full());
    let mut chain = chain.with_store(store);
    let believed = conditions
        .iter()
        .filter(|&&condition| chain.may_be_true(&empty, condition, Purpose::Program) == Some(false))
        .count();
    let caught = chain.mismatches().len();
    assert!(caught > 0, "{believed} wrong verdicts were believed");
    assert!(believed > caught, "a sample is not everything");
}

/// Symbols of the program never stand for addresses, whatever they are called.
#[test]
fn a_symbol_named_like_an_address_is_not_one() {
    let world = World::new();
    let base = world.address(0x100, 8);
    let Op::Symbol(symbol) = world.terms.op(base) else {
        unreachable!("a base address is a symbol")
    };
    let name = world.terms.symbol_info(symbol).name.clone();
    let twin = world.terms.symbol(&name, Sort::bv(64));
    let mut canonizer = canon::Canonizer::new(Naming::Renamed);
    let mut key = |term: Term| {
        let zero = world.terms.eq(term, world.terms.bv(64, 1 << 40));
        let query = canonizer.query(&world.terms, &*world.addresses, &[zero], &[]);
        query.expect("bit-vectors have forms").key
    };
    assert_ne!(key(base), key(twin));
}

/// The operands of `β1 = β2` are alike; other constraints tell them apart, whichever was made first.
#[test]
fn alike_operands_are_told_apart_by_other_constraints() {
    let world = World::new();
    let terms = &world.terms;
    let [a, b] = [0x100, 0x200].map(|place| world.address(place, 8));
    let mut canonizer = canon::Canonizer::new(Naming::Exact);
    let mut key = |equal: Term, known: Term| {
        let first = terms.bv_ult(terms.bv(64, 7), known);
        let query = canonizer.query(terms, &*world.addresses, &[equal, first], &[]);
        query.expect("bit-vectors have forms").key
    };
    let three = |base| terms.bv_add(base, terms.bv(64, 3));
    for (left, right) in [(a, b), (three(a), three(b))] {
        let equal = terms.eq(left, right);
        assert_eq!(key(equal, a), key(equal, b));
        assert_eq!(key(terms.not(equal), a), key(terms.not(equal), b));
        assert_ne!(key(terms.not(equal), a), key(equal, b));
    }
    // With different operands it matters which of them is meant.
    let unlike = terms.eq(a, three(b));
    assert_ne!(key(unlike, a), key(unlike, b));
}
