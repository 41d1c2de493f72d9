//! Random programs that try to make the cache wrong: they build terms (also partial, shared, deep and cyclic ones),
//! bind, check, backtrack, cut, throw, collect solutions, wake goals and overwrite arguments. The
//! cached checks must agree with recomputation.

use std::fmt::Write as _;
use stet_run::checks::{CacheConfig, CheckSettings, CheckStats, Policy};
use stet_run::{Answer, Config, MemoryHost, Request, open};
use stet_testkit::Random;

/// What every random program starts with.
const PRELUDE: &str = include_str!("checks.pl");

/// The caches a campaign goes through.
pub const CACHES: &[CacheConfig] = &[
    config(Policy::Adaptive, 0, 0),
    config(Policy::DirectMapped, 1, 0),
    config(Policy::LeastRecentlyUsed, 1, 0),
    config(Policy::DirectMapped, 7, 3),
    config(Policy::LeastRecentlyUsed, 7, 3),
    config(Policy::Adaptive, 0, 2),
    config(Policy::DirectMapped, 64, 1),
    config(Policy::LeastRecentlyUsed, 64, 1),
    config(Policy::DirectMapped, 256, 2),
    config(Policy::LeastRecentlyUsed, 256, 2),
    config(Policy::DirectMapped, 4096, 0),
    config(Policy::LeastRecentlyUsed, 4096, 5),
];

/// Collections are forced at every so many opportunities.
pub const COLLECTIONS: &[u32] = &[1, 7, 1000];

const fn config(policy: Policy, size: usize, depth: u32) -> CacheConfig {
    CacheConfig {
        policy,
        size,
        depth,
    }
}

/// A program with a predicate `run(Seed, Rounds, Digest)` that explores `goals` random goals.
pub fn random_program(seed: u64, goals: u32) -> String {
    let mut random = Random::new(seed);
    let mut text = PRELUDE.to_string();
    let _ = writeln!(text, "goals({goals}).");
    for index in 0..goals {
        let mut budget = 14;
        let body = conjunction(&mut random, &mut budget, 3);
        let _ = writeln!(text, "goal({index}, [V0,V1,V2,V3,V4,V5]) :- {body}.");
    }
    text
}

/// What a run of a random program came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomRun {
    /// How it ended, and which conditions were violated, in order.
    pub outcome: Vec<String>,
    pub stats: CheckStats,
}

/// Runs a random program with this cache and collections forced at every `gc`th opportunity (0: as needed). With a
/// cache every answer is recomputed.
pub fn run_random_program(program: &str, cache: CacheConfig, gc: u32, rounds: u32) -> RandomRun {
    let mut host = MemoryHost::default();
    host.files
        .insert("/m.pl".to_string(), program.as_bytes().to_vec());
    let request = Request {
        config: Config {
            memory: 1 << 28,
            ..Config::standard()
        },
        checks: CheckSettings {
            cache,
            verify: cache.policy != Policy::Off,
            quiet: true,
            ..CheckSettings::STANDARD
        },
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    let mut outcome = Vec::new();
    let run = format!("'$set_gc_stress'({gc}), random:run({rounds}, {rounds}, Digest)");
    for goal in ["consult('/m.pl')", &run] {
        outcome.push(match machine.run_goal(goal) {
            Answer::True(solution) => solution.goals.join(", "),
            other => format!("{other:?}"),
        });
    }
    let violations = machine.violations().iter();
    outcome.extend(violations.map(|v| format!("{} {}", v.kind, v.predicate)));
    RandomRun {
        outcome,
        stats: machine.check_stats(),
    }
}

fn variable(random: &mut Random) -> String {
    format!("V{}", random.below(6))
}

fn conjunction(random: &mut Random, budget: &mut i32, depth: u32) -> String {
    let count = 2 + random.below(4);
    let mut goals = vec!["tick".to_string()];
    goals.extend((0..count).map(|_| goal(random, budget, depth)));
    goals.join(", ")
}

fn goal(random: &mut Random, budget: &mut i32, depth: u32) -> String {
    *budget -= 1;
    match random.below(if depth == 0 || *budget < 0 { 20 } else { 30 }) {
        0..=3 => binding(random),
        4..=8 => check(random),
        9..=11 => format!("hole({})", variable(random)),
        12..=14 => format!("make({})", variable(random)),
        15..=19 => effect(random),
        _ => control(random, budget, depth - 1),
    }
}

fn binding(random: &mut Random) -> String {
    let (a, b, c) = (variable(random), variable(random), variable(random));
    match random.below(9) {
        0 => format!("{a} = [{b}|{c}]"),
        1 => format!("{a} = [1, 2|{b}]"),
        2 => format!("{a} = n({b}, 3, {c})"),
        3 => format!("{a} = []"),
        4 => format!("{a} = e"),
        5 => format!("{a} = [p(k, {b})|{c}]"),
        6 => format!("{a} = {}", random.below(3)),
        7 => format!("{a} = {b}"),
        _ => format!("{a} = [{a}|{b}]"),
    }
}

fn check(random: &mut Random) -> String {
    let a = variable(random);
    match random.below(16) {
        0..=2 => format!("ints({a})"),
        3 | 4 => format!("trees({a})"),
        5 => format!("anys({a})"),
        6 => format!("many({a})"),
        7 => format!("several({a})"),
        8 => format!("param({a})"),
        9 => format!("skip({a})"),
        10 => format!("walk({a}, _)"),
        11 => format!("point({a})"),
        _ => format!("check_any({a})"),
    }
}

fn effect(random: &mut Random) -> String {
    let (a, b) = (variable(random), variable(random));
    match random.below(20) {
        0..=2 => format!("overwrite({a}, {b})"),
        3 => format!("nb_overwrite({a}, {b})"),
        4 => format!("overwrite({a}, 1)"),
        5 => format!("garbage({})", random.below(20)),
        6 => format!("b_setval(k, {a})"),
        7 => format!("nb_setval(k, {a})"),
        8 => format!("b_getval(k, {a})"),
        9 => format!("nb_getval(k, {a}), check_any({a})"),
        10 => format!("( var({a}) -> freeze({a}, check_any({b})) ; true )"),
        11 => format!("( var({a}) -> put_attr({a}, random, {b}) ; true )"),
        12 => format!("once(grow({a}, {b}))"),
        13 => format!("grow({a}, {b})"),
        14 => format!("cutter({a})"),
        15 => "( rnd(2, 0) -> '$rtc_action'(_, throw) ; '$rtc_action'(_, report) )".to_string(),
        16 => "remember(_)".to_string(),
        17 => format!("insert_many(3, {a}, {b})"),
        18 => format!("copy_term({a}, {b}), check_any({b})"),
        _ => format!("( rnd(40, 0) -> garbage_collect ; check_any({a}) )"),
    }
}

fn control(random: &mut Random, budget: &mut i32, depth: u32) -> String {
    let (a, b, c) = (variable(random), variable(random), variable(random));
    let inner = conjunction(random, budget, depth);
    match random.below(13) {
        0..=2 => format!("( {inner} ; {} )", conjunction(random, budget, depth)),
        3 => {
            let yes = conjunction(random, budget, depth);
            let no = conjunction(random, budget, depth);
            format!("( {inner} -> {yes} ; {no} )")
        }
        4 => {
            let yes = conjunction(random, budget, depth);
            let no = conjunction(random, budget, depth);
            format!("( {inner} *-> {yes} ; {no} )")
        }
        5 => format!("\\+ ( {inner} )"),
        6 => format!("catch(( {inner} ), _, check_any({a}))"),
        7 => format!("( {inner}, throw(out) ; true )"),
        8 => format!("once(( {inner} ))"),
        9 => format!("( {inner}, fail ; check_any({a}) )"),
        10 => format!("findall({a}, ( {inner} ), {b}), check_any({b})"),
        11 => format!("b_setval(k, {a}), ( {inner}, fail ; b_getval(k, {c}) ), check_any({c})"),
        _ => format!("{inner}, !"),
    }
}
