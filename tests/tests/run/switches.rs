//! The options that switch checks and choose the cache; none of them may change what a program does.

use super::check;
use expect_test::expect;
use stet_tests::{Outcome, Sandbox};

const PROGRAM: &str = "\
:- module(m, [outer/1, sum/2, main/0], [assertions, regtypes, rtchecks]).

:- pred outer(X) : int(X).
outer(X) :- inner(X).

:- pred inner(X) : int(X).
inner(_).

:- regtype tree/1.
tree(e).
tree(n(L, X, R)) :- tree(L), int(X), tree(R).

:- pred insert(T0, X, T) : (tree(T0), int(X)) => tree(T).
insert(e, X, n(e, X, e)).
insert(n(L, Y, R), X, n(L1, Y, R)) :- X < Y, !, insert(L, X, L1).
insert(n(L, Y, R), X, n(L, Y, R1)) :- insert(R, X, R1).

:- pred sum(T, N) : tree(T) => int(N).
sum(e, 0).
sum(n(L, X, R), N) :- sum(L, A), sum(R, B), N is A + X + B.

fill(0, _, T, T) :- !.
fill(N, X0, T0, T) :-
    X is (X0 * 16807) mod 2147483647, insert(T0, X, T1), N1 is N - 1, fill(N1, X, T1, T).

% The trap: the cell is older than the choice point, the binding is not.
trap(X) :- X = n(e, 1, e), sum(X, _), fail.
trap(X) :- sum(X, _).

main :- fill(200, 42, e, T), sum(T, N), write(N), nl, catch(trap(n(e, _, e)), _, true), outer(a).
";

fn run(options: &[&str], goal: &str) -> Outcome {
    let arguments = [&["run", "m.pl"], options, &["-g", goal, "-t", "halt"]].concat();
    Sandbox::new().file("m.pl", PROGRAM).run(&arguments)
}

#[test]
fn checks_are_off_for_exports_or_all() {
    let violations = |level: &str| {
        let outcome = run(&["--checks", level], "m:outer(a)");
        let count = outcome.stderr.matches("ERROR:").count();
        (count, outcome.code)
    };
    assert_eq!(violations("off"), (0, Some(0)));
    assert_eq!(violations("exports"), (1, Some(2)));
    assert_eq!(violations("all"), (2, Some(2)));
}

#[test]
fn a_running_program_switches_them() {
    check(
        &run(
            &["--checks", "off"],
            "outer(a), write(1), nl, rtchecks_on(m:inner/1), outer(a), write(2), nl, \
             rtchecks_on(m), rtchecks_off(m:inner/1), outer(a), write(3), nl, \
             rtchecks_off(all), outer(a), rtchecks_on(exports), write(4), nl, outer(a)",
        ),
        &expect![[r#"
            exit 2
            --- stdout
            1
            2
            3
            4
            --- stderr
            {In m.pl
            ERROR: (lns 6-6) m:inner(X) run-time check failure.
              Requires in *calls*:
                int(X)
              But instead:
                X = a
              (clauses: lns 7-7)
            }
            {In m.pl
            ERROR: (lns 3-3) m:outer(X) run-time check failure.
              Requires in *calls*:
                int(X)
              But instead:
                X = a
              (clauses: lns 4-4)
            }
            {In m.pl
            ERROR: (lns 3-3) m:outer(X) run-time check failure.
              Requires in *calls*:
                int(X)
              But instead:
                X = a
              (clauses: lns 4-4)
            }
        "#]],
    );
}

#[test]
fn no_cache_changes_what_is_found() {
    let expected = run(&["--property-cache-policy", "off"], "m:main");
    assert_eq!(expected.code, Some(2), "{}", expected.summary());
    for policy in ["adaptive", "dm", "lru"] {
        for size in ["1", "2", "3", "16", "256", "100000"] {
            for depth in ["0", "1", "2", "5"] {
                let found = run(
                    &[
                        "--check-cache",
                        "--property-cache-policy",
                        policy,
                        "--property-cache-size",
                        size,
                        "--property-cache-depth",
                        depth,
                    ],
                    "m:main",
                );
                assert_eq!(
                    found.summary(),
                    expected.summary(),
                    "{policy} {size} {depth}"
                );
            }
        }
    }
}

#[test]
fn forced_collections_change_nothing() {
    let expected = run(&[], "m:main");
    for every in ["1", "7", "1000"] {
        let found = run(&["--check-cache", "--gc-stress", every], "m:main");
        assert_eq!(found.summary(), expected.summary(), "{every}");
    }
}

#[test]
fn a_small_cache_is_seen_in_the_statistics() {
    let visits = |options: &[&str]| -> (u64, u64) {
        let options = [options, &["--format", "json", "--stats"]].concat();
        let json = run(&options, "m:fill(500, 42, e, _)").json();
        let number = |name: &str| json["statistics"]["checks"][name].as_u64().unwrap();
        (number("visits"), number("evictions"))
    };
    let (off, _) = visits(&["--property-cache-policy", "off"]);
    let (one, evicted) = visits(&[
        "--property-cache-policy",
        "lru",
        "--property-cache-size",
        "1",
    ]);
    let (standard, _) = visits(&[]);
    assert!(standard * 4 < one && one < off, "{standard} {one} {off}");
    assert!(evicted > 0);
}

#[test]
fn wrong_settings_are_usage_errors() {
    for options in [
        ["--checks", "some"],
        ["--property-cache-policy", "fifo"],
        ["--property-cache-size", "0"],
        ["--property-cache-depth", "x"],
    ] {
        let outcome = run(&options, "true");
        assert_eq!(outcome.code, Some(2), "{options:?}");
        assert!(outcome.stderr.contains(options[0]), "{}", outcome.summary());
    }
}

/// Text in double quotes is a string, as in SWI-Prolog; a list of codes in files with Ciao's packages; what is asked for otherwise.
#[test]
fn text_in_double_quotes_is_what_the_dialect_says() {
    let plain = ":- module(p, [show/0]).\nshow :- X = \"ab\", print(X), nl.\n";
    let ciao = ":- module(c, [show/0], [assertions]).\nshow :- X = \"ab\", print(X), nl.\n";
    let package = ":- use_package(assertions).\nshow :- X = \"ab\", print(X), nl.\n";
    let sandbox = Sandbox::new()
        .file("plain.pl", plain)
        .file("ciao.pl", ciao)
        .file("package.pl", package);
    let shown = |arguments: &[&str]| {
        let goal = ["-g", "show", "-g", "print(\"q\"), nl"];
        sandbox.run(&[&["run"], arguments, &goal].concat()).stdout
    };
    assert_eq!(shown(&["plain.pl"]), "\"ab\"\n\"q\"\n");
    assert_eq!(shown(&["ciao.pl"]), "[97,98]\n\"q\"\n");
    assert_eq!(shown(&["package.pl"]), "[97,98]\n\"q\"\n");
    assert_eq!(
        shown(&["--double-quotes", "codes", "plain.pl"]),
        "[97,98]\n[113]\n"
    );
    assert_eq!(shown(&["--double-quotes", "atom", "plain.pl"]), "ab\nq\n");
    let phrase = sandbox.run(&["run", "-g", "phrase(\"ab\", L), print(L)"]);
    assert_eq!(phrase.stdout, "[97,98]", "{phrase:?}");
}
