//! Static discharge: what is proved is left out and never fails, what is refuted is an error, and an edit re-analyses
//! only what it reaches.

mod support;

use stet_run::checks::{CheckSettings, PartStatus};
use stet_run::{Answer, MemoryHost, Request, open};
use stet_store::Store;
use support::{QUIET, Run};

const ANALYSED: CheckSettings = CheckSettings {
    analyse: true,
    ..QUIET
};

const TREES: &str = "
:- module(m, [build/2], [assertions, regtypes]).
:- regtype tree/1.
tree(e).
tree(n(L,X,R)) :- tree(L), int(X), tree(R).
:- pred ins(X, T0, T) : (int(X), tree(T0)) => tree(T).
ins(X, e, n(e,X,e)).
ins(X, n(L,Y,R), T) :- compare(O, X, Y), ins_at(O, X, L, Y, R, T).
ins_at(<, X, L, Y, R, n(L1,Y,R)) :- ins(X, L, L1).
ins_at(=, X, L, _, R, n(L,X,R)).
ins_at(>, X, L, Y, R, n(L,Y,R1)) :- ins(X, R, R1).
:- pred build(N, T) : int(N) => tree(T).
build(N, T) :- build(N, e, T).
:- pred build(N, T0, T) : (int(N), tree(T0)) => tree(T).
build(0, T, T) :- !.
build(N, T0, T) :- X is N * 7919 mod 1009, ins(X, T0, T1), N1 is N - 1, build(N1, T1, T).
";

#[test]
fn proved_conditions_cost_nothing() {
    let mut run = Run::new(TREES, &ANALYSED, 0);
    for status in run.machine.assertion_statuses() {
        for (part, found) in &status.parts {
            assert_eq!(*found, PartStatus::Checked, "{} {part}", status.predicate);
        }
    }
    assert_eq!(run.goal("m:build(500, T), T = n(_,_,_), T = x"), "false");
    // One check at the entry from outside, none inside.
    assert_eq!(run.machine.check_stats().checks, 1);
    // A goal that breaks the precondition takes the proofs back.
    let text = run.goal("m:ins(1, n(e,a,e), _)");
    assert!(text.starts_with("calls: (int(X),tree(T0)) / "), "{text}");
    let text = run.goal("m:ins_at(<, 1, a, 2, e, _)");
    assert!(text.starts_with("calls: (int(X),tree(T0)) / "), "{text}");
    // A helper that only analysed clauses call is guarded.
    let mut run = Run::new(TREES, &ANALYSED, 0);
    let text = run.goal("m:ins_at(<, 1, a, 2, e, _)");
    assert!(text.starts_with("calls: (int(X),tree(T0)) / "), "{text}");
    assert!(run.machine.proofs_withdrawn().is_some());
}

/// An export names a predicate with its arity: a helper of the same name is not called from outside.
#[test]
fn an_export_does_not_expose_helpers_of_the_same_name() {
    let program = TREES
        .replace("[build/2]", "[ins/3]")
        .replace("ins_at(", "ins(");
    let run = Run::new(&program, &ANALYSED, 0);
    let statuses = run.machine.assertion_statuses();
    let ins = statuses.iter().find(|s| s.predicate == "m:ins/3");
    let parts = &ins.expect("it has an assertion").parts;
    assert!(
        parts
            .iter()
            .all(|(_, status)| *status == PartStatus::Checked),
        "{parts:?}"
    );
}

/// Found by the campaign: `inner/2` is proved for the calls of the program, and a goal from outside is none of them.
#[test]
fn a_goal_from_outside_takes_proofs_of_inner_predicates_back() {
    let program = "
:- module(m, [outer/1], [assertions, regtypes]).
:- pred inner(X, Y) => atm(Y).
inner(X, X).
outer(Y) :- inner(a, Y).
unreached(X, Y) :- inner(X, Y).
";
    let violation = "success: atm(Y) / Y = 1\ntrue";
    for verify in [false, true] {
        let settings = CheckSettings { verify, ..ANALYSED };
        for goal in ["m:inner(1, _)", "m:unreached(1, _)"] {
            let mut run = Run::new(program, &settings, 0);
            assert_eq!(run.goal("m:outer(_)"), "true");
            assert!(run.machine.proofs_withdrawn().is_none());
            assert_eq!(run.goal(goal), violation, "{goal}, verify: {verify}");
            assert_eq!(run.machine.check_stats().mismatches, 0);
        }
    }
}

#[test]
fn refuted_conditions_are_errors_at_load() {
    let program = "
:- module(m, [q/1, r/1], [assertions]).
:- pred p(X) : int(X).
p(_).
q(_) :- p(a).
:- pred r(X) => int(X).
r(b).
";
    let run = Run::new(program, &ANALYSED, 0);
    let problems: Vec<&str> = run
        .machine
        .load_problems()
        .iter()
        .map(|p| p.message.as_str())
        .collect();
    assert_eq!(
        problems,
        [
            "the call on line 5 violates the calls condition whenever it is reached: m:p/1(a)",
            "no answer satisfies the success condition: m:r/1(b)",
        ]
    );
}

/// Loads a program with a store; the abstract calls analysed and those taken from the store.
fn units(text: &str, store: &std::sync::Arc<Store>) -> (Vec<String>, usize) {
    let mut host = MemoryHost::default();
    host.files
        .insert("/m.pl".to_string(), text.as_bytes().to_vec());
    let request = Request {
        checks: ANALYSED,
        store: Some(store.clone()),
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    let loaded = machine.perform("consult('/m.pl')");
    assert!(matches!(loaded, Answer::True(_)));
    let (computed, reused) = machine.analysed_units();
    let mut names: Vec<String> = computed
        .iter()
        .map(|unit| unit.split('(').next().unwrap_or_default().to_string())
        .collect();
    names.sort();
    names.dedup();
    (names, reused.len())
}

#[test]
fn an_edit_re_analyses_what_it_reaches() {
    let store = Store::in_memory();
    let (first, reused) = units(TREES, &store);
    assert_eq!(first, ["m:build/2", "m:build/3", "m:ins/3"]);
    assert_eq!(reused, 0);
    let (again, reused) = units(TREES, &store);
    assert!(again.is_empty(), "{again:?}");
    assert!(reused >= 3, "{reused}");
    // Comments and variable names do not matter.
    let renamed = TREES
        .replace("N1", "Next")
        .replace(":- regtype", "% a type\n:- regtype");
    assert!(units(&renamed, &store).0.is_empty());
    // The edited predicate has the same success: its callers stand.
    let edited = TREES.replace(
        "ins_at(=, X, L, _, R, n(L,X,R)).",
        "ins_at(=, X, L, X, R, n(L,X,R)).",
    );
    assert_eq!(units(&edited, &store).0, ["m:ins/3"]);
    // An edit of the caller leaves the callee alone.
    let edited = TREES.replace("mod 1009", "mod 997");
    assert_eq!(units(&edited, &store).0, ["m:build/3"]);
}
