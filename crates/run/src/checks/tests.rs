//! The cached check against the obvious one, on terms built by hand.

use super::cache::{Cache, CacheConfig, Policy, key};
use super::regcheck::{Checker, check_graph};
use super::types::Types;
use crate::cell::*;
use crate::heap::Area;
use stet_prolog::assertions::add_assertion_operators;
use stet_prolog::assertions::regtypes::{Automata, StateId};
use stet_prolog::{AtomTable, Ops, ReadContext, ReadFlags, atom, read_clause};
use stet_testkit::Random;

struct Bench {
    heap: Area,
    h: usize,
    atoms: AtomTable,
    automata: Automata,
    types: Types,
    ops: Ops,
    map: Vec<StateId>,
    checker: Checker,
}

impl Bench {
    fn new() -> Bench {
        let mut atoms = AtomTable::new();
        let mut ops = Ops::standard(&mut atoms);
        add_assertion_operators(&mut ops, &mut atoms);
        let mut bench = Bench {
            heap: Area::reserve(1 << 20),
            h: 8,
            atoms,
            automata: Automata::new(),
            types: Types::default(),
            ops,
            map: Vec::new(),
            checker: Checker::default(),
        };
        let text = "tree(e). tree(n(L,X,R)) :- tree(L), int(X), tree(R).";
        let mut clauses = Vec::new();
        let mut at = 0;
        while let (Ok(Some(clause)), next) = bench.read(text, at) {
            clauses.push(clause);
            at = next;
        }
        let name = bench.atoms.intern("tree");
        bench.automata.define(name, 1, clauses);
        bench
    }

    fn read(
        &mut self,
        text: &str,
        at: usize,
    ) -> (
        Result<Option<stet_prolog::Clause>, stet_prolog::SyntaxError>,
        usize,
    ) {
        let mut context = ReadContext {
            atoms: &mut self.atoms,
            ops: &self.ops,
            flags: ReadFlags::STANDARD,
        };
        read_clause(&mut context, text, at)
    }

    fn state(&mut self, literal: &str) -> StateId {
        let (clause, _) = self.read(&format!("{literal}."), 0);
        let clause = clause.expect("correct").expect("one clause");
        let (_, state) = self
            .automata
            .literal(&self.atoms, &clause.terms, clause.root)
            .expect("a type")
            .expect("regular");
        self.types.add(&self.automata, &mut self.map);
        self.map[state as usize]
    }

    fn push(&mut self, cell: Cell) -> usize {
        self.heap.put(self.h, cell);
        self.h += 1;
        self.h - 1
    }

    fn var(&mut self) -> Cell {
        let cell = Cell::var(self.h);
        self.push(cell);
        cell
    }

    fn cons(&mut self, head: Cell, tail: Cell) -> Cell {
        let index = self.push(head);
        self.push(tail);
        Cell::pointer(LST, index)
    }

    fn node(&mut self, left: Cell, value: Cell, right: Cell) -> Cell {
        let name = self.atoms.intern("n");
        let index = self.push(Cell::functor(name, 3));
        self.push(left);
        self.push(value);
        self.push(right);
        Cell::pointer(STR, index)
    }

    fn check(&mut self, cache: &mut Cache, cell: Cell, state: StateId) -> bool {
        self.checker.check(
            &self.heap,
            &self.types,
            cache,
            cell,
            state,
            (self.h, self.h * 8),
        )
    }
}

fn policies() -> Vec<CacheConfig> {
    let mut found = vec![
        CacheConfig::STANDARD,
        CacheConfig {
            policy: Policy::Off,
            size: 0,
            depth: 0,
        },
    ];
    for policy in [Policy::DirectMapped, Policy::LeastRecentlyUsed] {
        for size in [1, 2, 3, 32, 256] {
            for depth in [0, 1, 2, 5] {
                found.push(CacheConfig {
                    policy,
                    size,
                    depth,
                });
            }
        }
    }
    found
}

#[test]
fn lists_of_a_million_in_constant_stack() {
    let mut bench = Bench::new();
    bench.heap = Area::reserve(1 << 22);
    let ints = bench.state("list(int,X)");
    let atoms = bench.state("list(atm,X)");
    let mut list = Cell::atom(atom::NIL);
    for i in 0..1_000_000 {
        list = bench.cons(Cell::small(i), list);
    }
    for config in policies() {
        let mut cache = Cache::with_config(config);
        assert!(bench.check(&mut cache, list, ints), "{config:?}");
        assert!(!bench.check(&mut cache, list, atoms), "{config:?}");
    }
}

#[test]
fn the_trap_of_the_older_cell() {
    // X = [_] is older than the choice point; clause 1 binds and checks, then fails; clause 2 must not see the answer.
    for config in policies() {
        let mut bench = Bench::new();
        let ints = bench.state("list(int,X)");
        let mut cache = Cache::with_config(config);
        let element = bench.var();
        let list = bench.cons(element, Cell::atom(atom::NIL));
        let choice_point = cache.log_top();
        assert!(!bench.check(&mut cache, list, ints));
        bench.heap.put(element.index(), Cell::small(1));
        assert!(bench.check(&mut cache, list, ints));
        assert!(bench.check(&mut cache, list, ints));
        bench.heap.put(element.index(), element);
        cache.undo_to(choice_point);
        assert!(!bench.check(&mut cache, list, ints), "{config:?}");
    }
}

#[test]
fn cyclic_terms_are_in_no_type_and_end() {
    for config in policies() {
        let mut bench = Bench::new();
        let ints = bench.state("list(int,X)");
        let trees = bench.state("tree(X)");
        let ground = bench.state("gnd(X)");
        let mut cache = Cache::with_config(config);
        let tail = bench.var();
        let list = bench.cons(Cell::small(1), tail);
        bench.heap.put(tail.index(), list);
        assert!(!bench.check(&mut cache, list, ints));
        assert!(!bench.check(&mut cache, list, ground));
        let inner = bench.var();
        let empty = Cell::atom(bench.atoms.intern("e"));
        let tree = bench.node(inner, Cell::small(1), empty);
        bench.heap.put(inner.index(), tree);
        assert!(!bench.check(&mut cache, tree, trees), "{config:?}");
    }
}

#[test]
fn shared_terms_take_linear_time() {
    for config in policies() {
        let mut bench = Bench::new();
        let trees = bench.state("tree(X)");
        let mut cache = Cache::with_config(config);
        let mut tree = Cell::atom(bench.atoms.intern("e"));
        for i in 0..60 {
            tree = bench.node(tree, Cell::small(i), tree);
        }
        assert!(bench.check(&mut cache, tree, trees), "{config:?}");
        let bad = bench.node(tree, Cell::atom(atom::NIL), tree);
        assert!(!bench.check(&mut cache, bad, trees));
    }
}

#[test]
fn nothing_is_entered_after_a_failure() {
    let mut bench = Bench::new();
    let ints = bench.state("list(int,X)");
    let mut cache = Cache::new();
    let tail = bench.cons(Cell::small(2), Cell::atom(atom::NIL));
    let list = bench.cons(Cell::atom(atom::NIL), tail);
    assert!(!bench.check(&mut cache, list, ints));
    assert_eq!(cache.stats.insertions, 0);
    assert!(!cache.lookup(key(tail.index(), ints)));
}

#[test]
fn variables_are_accepted_only_where_any_term_is() {
    let mut bench = Bench::new();
    let any = bench.state("list(X)");
    let nonvars = bench.state("list(nonvar,X)");
    let vars = bench.state("list(var,X)");
    let mut cache = Cache::new();
    let element = bench.var();
    let list = bench.cons(element, Cell::atom(atom::NIL));
    assert!(bench.check(&mut cache, list, any));
    assert!(!bench.check(&mut cache, list, nonvars));
    assert!(bench.check(&mut cache, list, vars));
    bench.heap.put(element.index(), Cell::small(1));
    assert!(bench.check(&mut cache, list, any));
    assert!(bench.check(&mut cache, list, nonvars));
    assert!(
        !bench.check(&mut cache, list, vars),
        "`var` is never cached"
    );
}

/// Random terms, bindings, choice points and backtracking; every answer is compared with the one without a cache.
#[test]
fn random_backtracking_agrees_with_recomputation() {
    for (round, config) in policies().into_iter().enumerate() {
        let mut bench = Bench::new();
        let states = [
            bench.state("list(int,X)"),
            bench.state("list(X)"),
            bench.state("tree(X)"),
            bench.state("gnd(X)"),
            bench.state("list(tree,X)"),
        ];
        let mut cache = Cache::with_config(config);
        let mut random = Random::new(round as u64 + 1);
        let mut known = vec![Cell::atom(atom::NIL), Cell::small(1)];
        known.push(Cell::atom(bench.atoms.intern("e")));
        let mut trail: Vec<usize> = Vec::new();
        let mut choices: Vec<(usize, usize, usize, usize)> = Vec::new();
        for _ in 0..4_000 {
            let pick = |random: &mut Random, known: &[Cell]| known[random.below(known.len())];
            match random.below(12) {
                0 => known.push(bench.var()),
                1 | 2 => {
                    let (a, b) = (pick(&mut random, &known), pick(&mut random, &known));
                    known.push(bench.cons(a, b));
                }
                3 => {
                    let (a, b) = (pick(&mut random, &known), pick(&mut random, &known));
                    known.push(bench.node(a, Cell::small(3), b));
                }
                4 | 5 => {
                    let var = pick(&mut random, &known);
                    if var.tag() == REF && bench.heap.cell(var.index()) == var {
                        let value = pick(&mut random, &known);
                        if super::regcheck::deref(&bench.heap, value) != var {
                            bench.heap.put(var.index(), value);
                            trail.push(var.index());
                        }
                    }
                }
                6 => choices.push((trail.len(), bench.h, known.len(), cache.log_top())),
                7 if random.below(2) == 0 => {
                    if let Some((trail_top, h, known_top, log)) = choices.pop() {
                        for index in trail.drain(trail_top..) {
                            bench.heap.put(index, Cell::var(index));
                        }
                        bench.h = h;
                        known.truncate(known_top);
                        cache.undo_to(log);
                    }
                }
                8 if random.below(20) == 0 => cache.on_gc(&|i| Some(i)),
                _ => {
                    let cell = pick(&mut random, &known);
                    let state = states[random.below(states.len())];
                    let expected = check_graph(&bench.heap, &bench.types, cell, state);
                    assert_eq!(bench.check(&mut cache, cell, state), expected, "{config:?}");
                }
            }
            if bench.h > (1 << 19) {
                break;
            }
        }
    }
}

#[test]
fn the_adaptive_cache_stays_below_a_tenth_of_the_heap() {
    let mut bench = Bench::new();
    bench.heap = Area::reserve(1 << 22);
    let ints = bench.state("list(int,X)");
    let mut cache = Cache::new();
    let mut list = Cell::atom(atom::NIL);
    for i in 0..1_500_000 {
        list = bench.cons(Cell::small(i), list);
        assert!(bench.check(&mut cache, list, ints));
    }
    assert!(
        cache.bytes() * 10 <= bench.h * 8,
        "{} of {}",
        cache.bytes(),
        bench.h * 8
    );
    // Growing a list by one cell at a time costs a few visits each, however long it is.
    assert!(cache.stats.visits < 1_500_000 * 4, "{}", cache.stats.visits);
}

/// Also while the heap is small: 10 % at every moment from 1 KB on.
#[test]
fn the_adaptive_cache_follows_the_heap() {
    let mut bench = Bench::new();
    let trees = bench.state("tree(X)");
    let mut cache = Cache::new();
    let empty = Cell::atom(bench.atoms.intern("e"));
    let mut tree = empty;
    for i in 0..20_000 {
        tree = bench.node(empty, Cell::small(i), tree);
        assert!(bench.check(&mut cache, tree, trees));
        assert!(cache.bytes() * 10 <= (bench.h * 8).max(1_000), "{i}");
    }
    assert!(cache.capacity() > 1_000, "{}", cache.capacity());
    assert!(cache.stats.visits < 20_000 * 4, "{}", cache.stats.visits);
}

/// A balanced tree in which each step replaces one path, checked at the root only: nothing but that check fills the
/// cache, and a check must stay in the order of the path's length.
#[test]
fn the_adaptive_cache_bounds_walks_into_trees() {
    const LEVELS: u32 = 12;
    let mut bench = Bench::new();
    bench.heap = Area::reserve(1 << 22);
    let trees = bench.state("tree(X)");
    let mut cache = Cache::new();
    let empty = Cell::atom(bench.atoms.intern("e"));
    // Heap order: the children of node i are 2i and 2i + 1.
    let mut nodes = vec![empty; 1 << (LEVELS + 1)];
    for at in (1..1 << LEVELS).rev() {
        nodes[at] = bench.node(nodes[2 * at], Cell::small(0), nodes[2 * at + 1]);
    }
    assert!(bench.check(&mut cache, nodes[1], trees));
    let before = cache.stats.visits;
    let mut random = stet_testkit::Random::new(3);
    let steps = 10_000;
    for step in 0..steps {
        let mut at = (1 << (LEVELS - 1)) + random.below(1_usize << (LEVELS - 1));
        while at > 0 {
            nodes[at] = bench.node(nodes[2 * at], Cell::small(step), nodes[2 * at + 1]);
            at /= 2;
        }
        assert!(bench.check(&mut cache, nodes[1], trees));
    }
    let visits = (cache.stats.visits - before) / steps as u64;
    assert!(visits < 8 * u64::from(LEVELS), "{visits} visits a check");
}
