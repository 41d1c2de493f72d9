//! Random queries: keys against the pairwise algorithm, membership against all assignments under other
//! layouts, cached answers against the oracle. `STET_QUERY_CASES` at build time makes a campaign of them.

use super::generator::{Random, layout, query, query_with_data, slipped_query};
use super::oracle::equi_sat;
use super::*;
use crate::query::agnostic::is_agnostic;
use crate::query::canon::Canonizer;
use crate::query::concretize::Concretizer;
use crate::query::witness::{Evaluation, SymbolValue, Witness};

fn cases(default: u64) -> u64 {
    let asked = option_env!("STET_QUERY_CASES").and_then(|text| text.parse().ok());
    asked.unwrap_or(default)
}

/// Worlds are renewed so that term tables stay small.
const PER_WORLD: u64 = 200;

/// Every world has queries of its own, and each of them several times.
fn family(seed: u64) -> u64 {
    seed / PER_WORLD * 1000
}

fn each_case(count: u64, mut check: impl FnMut(&World, u64)) {
    let mut world = World::new();
    for seed in 0..count {
        if seed % PER_WORLD == 0 {
            world = World::new();
        }
        check(&world, seed);
    }
}

/// The truth of a set for every assignment of the three symbols of the generator.
fn truth_table(world: &World, set: &[Term]) -> Vec<bool> {
    let symbols = [("i", 2u32), ("j", 2), ("x", 3)].map(|(name, width)| {
        let Op::Symbol(symbol) = world.terms.op(world.symbol(name, width)) else {
            unreachable!("a symbol")
        };
        (symbol, width)
    });
    let row = |assignment: u64| {
        let mut rest = assignment;
        let values = symbols.map(|(symbol, width)| {
            let value = rest & ((1 << width) - 1);
            rest >>= width;
            (symbol, SymbolValue::Word(value))
        });
        let witness = Witness::new(values.to_vec());
        let addresses = &*world.addresses;
        Evaluation::new(&world.terms, addresses, &witness).satisfies(set.iter().copied())
    };
    (0..1 << 7).map(row).collect()
}

#[test]
fn agnostic_means_the_same_under_every_layout() {
    let (mut yes, mut with_addresses) = (0, 0);
    each_case(cases(3000), |world, seed| {
        let mut random = Random::new(seed ^ 0xA5A5);
        let bases = layout(world, &mut random);
        let set = query(world, seed, &bases);
        let mentions = |&t: &Term| address::mentions_address(&world.terms, t);
        if !set.iter().any(mentions) {
            return;
        }
        with_addresses += 1;
        if !is_agnostic(&world.terms, &*world.addresses, &set) {
            return;
        }
        yes += 1;
        let expected = truth_table(world, &set);
        for _ in 0..4 {
            let other = query(world, seed, &layout(world, &mut random));
            assert_eq!(truth_table(world, &other), expected, "seed {seed}");
        }
    });
    assert!(
        yes * 8 > with_addresses,
        "{yes} of {with_addresses} are agnostic"
    );
}

#[test]
fn keys_agree_with_the_pairwise_algorithm() {
    let (mut equal, mut near) = (0, 0);
    each_case(cases(2500), |world, seed| {
        let mut random = Random::new(seed ^ 0x5A5A);
        let (first, second) = (layout(world, &mut random), layout(world, &mut random));
        // The same query elsewhere, or one that shares most of its structure.
        let other_seed = if random.below(4) == 0 { seed + 1 } else { seed };
        let a = query(world, seed, &first);
        let slip = (random.below(2) == 0).then(|| 1 + random.below(8));
        let mut b = slipped_query(world, other_seed, &second, slip);
        if random.below(4) == 0 {
            b.pop();
        }
        if random.below(3) == 0 {
            b.reverse();
        }
        for naming in [Naming::Exact, Naming::Renamed] {
            let mut canonizer = Canonizer::new(naming);
            let mut canonical = |set: &[Term]| {
                let query = canonizer.query(&world.terms, &*world.addresses, set, &[]);
                query.expect("bit-vectors have forms")
            };
            let (x, y) = (canonical(&a), canonical(&b));
            let paired = equi_sat(world, naming, &a, &b);
            near += u64::from(slip.is_some() && a.len() == b.len() && !paired);
            if x.key == y.key {
                equal += 1;
                assert!(paired, "seed {seed}: equal keys, different queries");
                assert_eq!(x.order.len(), y.order.len());
            } else if paired && naming == Naming::Exact {
                panic!("seed {seed}: equal queries, different keys");
            }
        }
    });
    assert!(equal > 100 && near > 100, "{equal} {near}");
}

#[test]
fn cached_and_uncached_answers_agree() {
    let modes = [CacheMode::Off, CacheMode::Base, CacheMode::AddressAware];
    let mut world = World::new();
    let mut chains: Vec<(QueryChain, Rc<Cell<u64>>)> = Vec::new();
    let mut hits = 0;
    for seed in 0..cases(2000) {
        if seed % PER_WORLD == 0 {
            hits += chains
                .iter()
                .map(|(c, _)| c.statistics().aware.answered)
                .sum::<u64>();
            world = World::new();
            chains = modes
                .iter()
                .flat_map(|&mode| {
                    let full = Config {
                        query_cache: mode,
                        ..Config::full()
                    };
                    let paper = Config {
                        query_cache: mode,
                        ..config(mode)
                    };
                    [world.chain(full), world.chain(paper)]
                })
                .collect();
        }
        let mut random = Random::new(seed ^ 0x33);
        let bases = layout(&world, &mut random);
        let set = query_with_data(&world, family(seed) + seed % 61, &bases);
        let mut concretizer = Concretizer::default();
        let concrete: Vec<Term> = set
            .iter()
            .map(|&t| concretizer.concrete(&world.terms, &*world.addresses, t))
            .collect();
        let expected = brute_force(&world.terms, &concrete).is_some();
        for (chain, _) in &mut chains {
            assert_eq!(
                ask_all(chain, &set),
                expected,
                "seed {seed} {:?}",
                chain.config
            );
        }
    }
    assert!(hits > 100, "the address-aware cache is used: {hits}");
}

#[test]
fn answers_on_paths_agree() {
    let modes = [
        (CacheMode::Off, Narrowing::All),
        (CacheMode::Base, Narrowing::All),
        (CacheMode::AddressAware, Narrowing::Off),
        (CacheMode::AddressAware, Narrowing::Aware),
    ];
    let mut world = World::new();
    let mut chains: Vec<QueryChain> = Vec::new();
    let mut narrowed = 0;
    for seed in 0..cases(400) {
        if seed % PER_WORLD == 0 {
            let answered = |chain: &QueryChain| chain.statistics().narrowed.answered;
            narrowed += chains.iter().map(answered).sum::<u64>();
            world = World::new();
            chains = modes
                .iter()
                .map(|&(query_cache, narrowing)| {
                    let full = Config {
                        query_cache,
                        narrowing,
                        ..Config::full()
                    };
                    world.chain(full).0
                })
                .collect();
        }
        let mut random = Random::new(seed ^ 0x77);
        let bases = layout(&world, &mut random);
        let mut set = query_with_data(&world, family(seed) + seed % 61, &bases);
        set.extend(query_with_data(
            &world,
            family(seed) + 61 + seed % 7,
            &bases,
        ));
        let mut paths = vec![PathConstraints::new(); chains.len()];
        let mut taken: Vec<Term> = Vec::new();
        for condition in set {
            let mut concretizer = Concretizer::default();
            let mut concrete = |term| concretizer.concrete(&world.terms, &*world.addresses, term);
            let mut all: Vec<Term> = taken.iter().map(|&term| concrete(term)).collect();
            all.push(concrete(condition));
            let expected = brute_force(&world.terms, &all).is_some();
            for (chain, path) in chains.iter_mut().zip(&mut paths) {
                let answer = chain.may_be_true(path, condition, Purpose::Program);
                assert_eq!(answer, Some(expected), "seed {seed} {:?}", chain.config);
                if expected {
                    chain.assume(path, condition);
                    let model = chain.model(path).expect("the path is possible");
                    for &constraint in &all {
                        assert!(
                            Evaluator::new(&world.terms, &model).holds(constraint),
                            "seed {seed}: a model that is none"
                        );
                    }
                }
            }
            if expected {
                taken.push(condition);
            }
        }
    }
    assert!(narrowed > 50, "queries are simplified: {narrowed}");
}

/// Satisfiability of a set whose path may be impossible already: the conjunction as one condition.
fn ask_all(chain: &mut QueryChain, set: &[Term]) -> bool {
    let condition = chain.context.terms.and(set);
    let answer = chain.may_be_true(&PathConstraints::new(), condition, Purpose::Program);
    answer.expect("the oracle decides everything")
}
