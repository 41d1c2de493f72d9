//! Indexes made at run time find the clauses a search through all of them finds, in the same order.

use stet_run::{Answer, Config, Machine, MemoryHost, Request, open};

const PROGRAM: &str = include_str!("indexes.pl");

fn machine(gc_stress: u32) -> Machine {
    let mut host = MemoryHost::default();
    host.files
        .insert("/indexes.pl".to_string(), PROGRAM.as_bytes().to_vec());
    let config = Config {
        memory: 1 << 28,
        gc_stress,
        ..Config::standard()
    };
    let request = Request {
        config,
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    let loaded = machine.run_goal("consult('/indexes.pl')");
    assert!(matches!(loaded, Answer::True(_)), "{loaded:?}");
    machine
}

fn holds(machine: &mut Machine, goal: &str) {
    let answer = machine.run_goal(goal);
    assert!(matches!(answer, Answer::True(_)), "{goal}: {answer:?}");
}

#[test]
fn random_facts_are_found_as_without_indexes() {
    let mut machine = machine(0);
    holds(&mut machine, "run(900)");
    holds(&mut machine, "static('/facts.pl')");
}

#[test]
fn random_facts_are_found_under_garbage_collection() {
    let mut machine = machine(7);
    holds(&mut machine, "run(150)");
}

#[test]
fn a_key_inside_a_term_is_looked_up_not_searched_for() {
    let mut machine = machine(0);
    holds(
        &mut machine,
        "forall(between(1, 3000, I), assertz(fact(a, b, v(I))))",
    );
    let before = machine.stats().inferences;
    holds(
        &mut machine,
        "forall(between(1, 3000, I), ( fact(_, _, v(I)) -> true ; throw(missing(I)) ))",
    );
    // A search would be counted too if it left choice points: nine million of them.
    assert!(machine.stats().inferences - before < 60_000);
}
