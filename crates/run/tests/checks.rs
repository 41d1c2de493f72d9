//! Run-time checks through whole programs: the semantics of assertions as a table, the trap of the older cell and its
//! variants, the transformation, tests.

mod support;

use expect_test::{Expect, expect};
use stet_run::checks::{CacheConfig, CheckLevel, CheckSettings, Policy, TestFilter, TestVerdict};
use support::{HEADER, QUIET, Run, check};

const EXAMPLE_1: &str = "
:- pred p(X,Y) : (int(X), var(Y)) => (int(X), int(Y)).
:- pred p(X,Y) : (int(X), var(Y)) => (int(X), atm(Y)).
:- pred p(X,Y) : (atm(X), var(Y)) => (atm(X), atm(Y)).
p(1,42). p(2,gamma). p(a,alpha).
";

#[test]
fn paper_example_1_semantics() {
    check(
        EXAMPLE_1,
        &[
            ("p(1,Y)", "success: (int(X),atm(Y)) / Y = 42\nY = 42"),
            ("p(2,Y)", "success: (int(X),int(Y)) / Y = gamma\nY = gamma"),
            ("p(a,Y)", "Y = alpha"),
            (
                "p(1.5,_)",
                "calls: (int(X),var(Y)) ; (atm(X),var(Y)) / X = 1.5, var(Y)\nfalse",
            ),
            (
                "p(a,alpha)",
                "calls: (int(X),var(Y)) ; (atm(X),var(Y)) / X = a, Y = alpha\ntrue",
            ),
        ],
    );
}

#[test]
fn calls_conditions() {
    let program = "
:- pred one(X) : int(X).
one(_).
:- pred free(X).
:- pred free(X) : int(X) => atm(X).
free(_).
:- calls both(X,_) : int(X).
:- calls both(_,Y) : atm(Y).
both(_,_).
:- trust pred believed(X) : int(X).
believed(_).
:- true pred inferred(X) : int(X).
inferred(_).
:- entry outer(X) : atm(X).
outer(_).
:- pred zero.
zero.
";
    check(
        program,
        &[
            ("one(1)", "true"),
            ("one(a)", "calls: int(X) / X = a\ntrue"),
            ("one(_)", "calls: int(X) / var(X)\ntrue"),
            ("free(a)", "true"),
            ("free(1)", "success: atm(X) / X = 1\ntrue"),
            ("both(1,a)", "true"),
            ("both(1,2)", "true"),
            ("both(a,1)", "calls: int(X) ; atm(Y) / X = a, Y = 1\ntrue"),
            ("believed(a)", "true"),
            ("inferred(a)", "true"),
            ("outer(1)", "calls: atm(X) / X = 1\ntrue"),
            ("zero", "true"),
        ],
    );
}

#[test]
fn success_conditions() {
    let program = "
:- success s(X,Y) : int(X) => int(Y).
:- success s(X,Y) => (atm(X) ; s2(X,Y)).
s(X,X).
:- prop s2/2.
s2(1,_).
:- pred app(A,B,C) : list * list * var => list(C).
app([],L,L).
app([H|T],L,[H|R]) :- app(T,L,R).
:- pred fails(X) : int(X) => atm(X).
fails(1) :- fail.
:- pred choice(X) : var(X) => int(X).
choice(1). choice(a). choice(2).
";
    check(
        program,
        &[
            ("app([1],[2],C)", "C = [1, 2]"),
            ("fails(1)", "false"),
            ("choice(X), X == 2", "success: int(X) / X = a\nX = 2"),
            ("s(1,Y)", "Y = 1"),
            ("s(a,Y)", "Y = a"),
            (
                "s(1.5,Y)",
                "success: atm(X) ; s2(X,Y) / X = 1.5, Y = 1.5\nY = 1.5",
            ),
        ],
    );
}

#[test]
fn properties_that_are_no_types() {
    let program = "
:- prop sorted/1.
sorted([]). sorted([_]).
sorted([A,B|T]) :- A =< B, sorted([B|T]).
:- pred s(L) : sorted(L).
s(_).
:- prop binds/1.
binds(a).
:- pred b(X) : binds(X).
b(_).
:- prop even/1.
even(X) :- integer(X), 0 is X mod 2.
:- pred half(X,Y) : even(X) => (int(Y), even(Y)).
half(X,Y) :- Y is X // 2.
:- pred c(X) :: list(X).
c(_).
";
    check(
        program,
        &[
            ("s([1,2,3])", "true"),
            ("s([2,1])", "calls: sorted(L) / L = [2,1]\ntrue"),
            ("b(a)", "true"),
            ("b(_)", "calls: binds(X) / var(X)\ntrue"),
            ("half(8,Y)", "Y = 4"),
            ("half(6,Y)", "success: (int(Y),even(Y)) / Y = 3\nY = 3"),
            ("c(_)", "true"),
            ("c([a|_])", "true"),
            ("c(a)", "compat: list(X) / X = a\ntrue"),
        ],
    );
}

#[test]
fn computational_properties() {
    let program = "
:- pred d(X) + det.
d(1). d(2).
:- pred sd(X) + semidet.
sd(1).
:- pred nf(X) + not_fails.
nf(1).
:- pred f(X) + fails.
f(1).
:- pred ns(X) + num_solutions(2).
ns(1). ns(2). ns(3).
:- pred ne(X) + no_exception.
ne(X) :- _ is X + 1.
:- pred ex(X) + exception(error(type_error(_,_),_)).
ex(X) :- _ is X + 1.
:- pred ni(X,Y) + not_further_inst(X).
ni(Y,Y).
:- pred cond(X) : int(X) + not_fails.
cond(1).
";
    check(
        program,
        &[
            ("d(1)", "true"),
            ("findall(X,d(X),L)", "comp: det / answers(2)\nL = [1, 2]"),
            ("sd(2)", "false"),
            ("nf(2)", "comp: not_fails / answers(0)\nfalse"),
            ("f(1)", "comp: fails / answers(1)\ntrue"),
            ("f(2)", "false"),
            (
                "findall(X,ns(X),L)",
                "comp: num_solutions(2) / answers(3)\nL = [1, 2, 3]",
            ),
            (
                "findall(X,(ns(X),X<3),L), L = [_,_|_]",
                "comp: num_solutions(2) / answers(3)\nL = [1, 2]",
            ),
            ("ne(1)", "true"),
            ("ni(_,_)", "true"),
            ("ni(X,1)", "comp: not_further_inst(1) / bound(1)\nX = 1"),
            ("cond(1)", "true"),
        ],
    );
}

#[test]
fn program_points_and_saved_errors() {
    let program = "
:- regtype t/1.
t(a). t(f(X)) :- t(X).
q(X) :- check((t(X) ; int(X))).
:- pred r(X) : int(X).
r(_).
";
    check(
        program,
        &[
            ("q(f(f(a)))", "true"),
            ("q(3)", "true"),
            (
                "q(f(b))",
                "pp_check: t(f(b));int(f(b)) / t(f(b));int(f(b)) does not hold\ntrue",
            ),
            (
                "save_rtchecks(r(a), [rtcheck(T,P,D,Q,A,_)])",
                "T = calls, P = m:r(a), D = ['X'=a], Q = [int(a)], A = ['X'=a]",
            ),
            (
                "'$rtc_action'(_,throw), catch(r(b), rtcheck(T,_,_,_,_,_), true), '$rtc_action'(_,report)",
                "T = calls",
            ),
        ],
    );
}

#[test]
fn switching_from_the_program() {
    let mut run = Run::new(
        ":- module(m, [e/1], [assertions]).
         :- pred e(X) : int(X). e(_).
         :- pred i(X) : int(X). i(_).",
        &QUIET,
        0,
    );
    let both = |run: &mut Run| {
        let e = run.goal("m:e(a)").contains("calls");
        let i = run.goal("m:i(a)").contains("calls");
        (e, i)
    };
    assert_eq!(both(&mut run), (true, true));
    run.goal("rtchecks_off(all)");
    assert_eq!(both(&mut run), (false, false));
    run.goal("rtchecks_on(exports)");
    assert_eq!(both(&mut run), (true, false));
    run.goal("rtchecks_on(m:i/1)");
    assert_eq!(both(&mut run), (true, true));
    run.goal("rtchecks_off(m)");
    assert_eq!(both(&mut run), (false, false));
    run.machine.set_checks(&CheckSettings {
        level: CheckLevel::Exports,
        ..QUIET
    });
    run.goal("rtchecks_on(exports)");
    assert_eq!(both(&mut run), (true, false));
}

#[test]
fn messages_name_places_and_bindings() {
    let mut run = Run::new(&format!("{HEADER}{EXAMPLE_1}"), &CheckSettings::STANDARD, 0);
    run.goal("m:p(2,_)");
    expect![[r#"
        {In /m.pl
        ERROR: (lns 3-3) m:p(X,Y) run-time check failure.
          Requires in *success*:
            (int(X),int(Y))
          But instead:
            Y = gamma
          (clauses: lns 6-6)
        }
    "#]]
    .assert_eq(&run.errors());
    assert_eq!(run.written(), "");
}

fn transformed(program: &str, expected: Expect) {
    let settings = CheckSettings {
        print: true,
        ..QUIET
    };
    let run = Run::new(&format!("{HEADER}{program}"), &settings, 0);
    expected.assert_eq(run.machine.transformed_program());
}

#[test]
fn transformation_of_example_1() {
    transformed(
        EXAMPLE_1,
        expect![[r#"
            p(X,Y) :-
                p_c(X,Y,R3,R4),
                'p\''(X,Y),
                p_s(X,Y,R3,R4).

            p_c(X,Y,R3,R4) :-
                reify_check(atm(X),R0),
                reify_check(int(X),R1),
                reify_check(var(Y),R2),
                R3 is R1/\R2,
                R4 is R0/\R2,
                Rc is R3\/R4,
                error_if_false(Rc).

            p_s(X,Y,R3,R4) :-
                reify_check(atm(X),R5),
                reify_check(int(X),R6),
                reify_check(atm(Y),R7),
                reify_check(int(Y),R8),
                Rs is (R3#1\/(R6/\R8)) /\ (R3#1\/(R6/\R7)) /\ (R4#1\/(R5/\R7)),
                error_if_false(Rs).

            'p\''(1,42).
            'p\''(2,gamma).
            'p\''(a,alpha).
        "#]],
    );
}

#[test]
fn transformation_leaves_out_what_is_trivial() {
    transformed(
        ":- pred len(L,N) : list(L).
         len([],0).
         len([_|T],N) :- len(T,M), N is M+1.
         :- pred make(X) => int(X).
         make(1).
         other(X) :- make(X), len([X],_).",
        expect![[r#"
            len(L,N) :-
                len_c(L,N),
                'len\''(L,N).

            len_c(L,N) :-
                reify_check(list(L),R0),
                error_if_false(R0).

            make(X) :-
                'make\''(X),
                make_s(X).

            make_s(X) :-
                reify_check(int(X),R0),
                Rs is (R0),
                error_if_false(Rs).

            'len\''([],0).
            'len\''([_0|T],N) :-
                len(T,M),
                N is M+1.

            'make\''(1).

            other(X) :-
                make(X),
                len([X],_1).
        "#]],
    );
}

#[test]
fn test_assertions() {
    let mut run = Run::new(
        &format!(
            "{HEADER}
:- test app(A,B,C) : (A = [1,2], B = [3]) => (C == [1,2,3]).
:- test app(A,B,C) : (A = [1], B = []) => (C == [2]) # \"wrong\".
:- test half(X,_) : (X = 3) + fails.
:- test half(X,_) : (X = 4) + fails.
:- test half(X,_) : (X = a) + exception(error(type_error(_,_),_)).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
half(X, Y) :- 0 is X mod 2, Y is X // 2.
"
        ),
        &QUIET,
        0,
    );
    let results: Vec<String> = run
        .machine
        .run_test_assertions(&TestFilter::default())
        .into_iter()
        .map(|(_, r)| {
            format!(
                "{} ln {}: {}",
                r.predicate,
                r.place.lines.0,
                match r.verdict {
                    TestVerdict::Failed(why) => why,
                    TestVerdict::Skipped(status) => status.to_string(),
                    TestVerdict::Passed => "passed".to_string(),
                }
            )
        })
        .collect();
    assert_eq!(
        results,
        [
            "m:app/3 ln 3: passed",
            "m:app/3 ln 4: postcondition",
            "m:half/2 ln 5: passed",
            "m:half/2 ln 6: fails-answers(1)",
            "m:half/2 ln 7: passed",
        ]
    );
}

/// [RTC §3]: checking `length/2` at every step makes it quadratic; with the cache each step looks at a few cells.
#[test]
fn checking_every_step_of_length_stays_linear() {
    let program = format!(
        "{HEADER}
:- pred len(L,N) : list(L) => (list(L), int(N)).
len([], 0).
len([_|T], N) :- len(T, M), N is M + 1.
"
    );
    let visits = |policy: Policy| {
        let settings = CheckSettings {
            cache: CacheConfig {
                policy,
                ..CacheConfig::STANDARD
            },
            ..QUIET
        };
        let mut run = Run::new(&program, &settings, 0);
        let goal = "numlist(1, 1000, L), m:len(L, N), N =:= 1000, fail ; true";
        assert_eq!(run.goal(goal), "true");
        run.machine.check_stats().visits
    };
    let (off, cached) = (visits(Policy::Off), visits(Policy::Adaptive));
    assert!(off > 1_000_000, "{off}");
    assert!(cached < 60_000, "{cached}");
}

/// [RTC Example 2]: a parametric type and one of its instances.
#[test]
fn paper_example_2() {
    check(
        "
:- regtype bintree/2.
bintree(empty, T).
bintree(tree(LC,X,RC), T) :- bintree(LC,T), T(X), bintree(RC,T).
:- pred t(X) : bintree(X, int).
t(_).
",
        &[
            ("t(empty)", "true"),
            ("t(tree(tree(empty,1,empty),2,empty))", "true"),
            (
                "t(tree(empty,a,empty))",
                "calls: bintree(X,int) / X = tree(empty,a,empty)\ntrue",
            ),
            (
                "t(tree(empty,1,_))",
                "calls: bintree(X,int) / X = tree(empty,1,_A)\ntrue",
            ),
        ],
    );
}

/// The trap: the cell is older than the choice point, the binding is not.
#[test]
fn the_trap_and_its_variants() {
    let program = "
:- pred c(X) : list(int,X).
c(_).
trap(X) :- X = [1], c(X), fail.
trap(X) :- c(X).
ite(X) :- ( X = [1], c(X), fail -> true ; c(X) ).
neg(X) :- \\+ \\+ ( X = [1], c(X) ), c(X).
all(X) :- findall(X, ( X = [1], c(X) ), _), c(X).
thrown(X) :- catch(( X = [1], c(X), throw(x) ), x, true), c(X).
cut(X) :- ( inner(X) ; true ), c(X).
inner(X) :- X = [1], c(X), !, fail.
tail(X) :- X = [1|T], ( T = [2], c(X), fail ; T = a ), c(X).
deep(X) :- X = [_|_], ( X = [1,2,3], c(X), fail ; X = [1,b,3] ), c(X).
old(X) :- X = [1,2], c(X), ( fail ; true ), c(X).
set(X) :- X = [1,2], c(X), setarg(1, X, a), c(X).
nbset(X) :- X = [1,2], c(X), nb_setarg(1, X, a), c(X).
undone(X) :- X = [a,2], ( setarg(1, X, 1), c(X), fail ; true ), c(X).
twice(X) :- ( X = [1], c(X), ( c(X), fail ; true ), c(X), fail ; c(X) ).
frozen(X) :- X = [Y], freeze(Y, true), ( Y = 1, c(X), fail ; true ), c(X).
global(X) :- X = [Y], b_setval(v, X), ( b_getval(v, Z), Y = 1, c(Z), fail ; true ), c(X).
gone(X) :- ( build(1, A), c(A), fail ; true ), build(a, X), c(X).
build(E, [E,E,E]).
ok(X) :- X = [1], c(X), c(X).
";
    let bad = |goal: &'static str| (goal, true);
    let cases = [
        bad("X = [_], trap(X)"),
        bad("X = [_], ite(X)"),
        bad("X = [_], neg(X)"),
        bad("X = [_], all(X)"),
        bad("X = [_], thrown(X)"),
        bad("X = [_], cut(X)"),
        bad("tail(_)"),
        bad("deep(_)"),
        ("old(_)", false),
        bad("set(_)"),
        bad("nbset(_)"),
        bad("undone(_)"),
        bad("X = [_], twice(X)"),
        bad("frozen(_)"),
        bad("global(_)"),
        bad("gone(_)"),
        ("ok(_)", false),
    ];
    for cache in caches() {
        for gc_stress in [0, 1, 7] {
            for verify in [false, true] {
                let settings = CheckSettings {
                    cache,
                    verify,
                    ..QUIET
                };
                let mut run = Run::new(&format!("{HEADER}{program}"), &settings, gc_stress);
                for (goal, violated) in cases {
                    let text = run.goal(&format!("m:({goal})"));
                    let count = text.matches("calls:").count();
                    assert_eq!(
                        count,
                        usize::from(violated),
                        "{goal} {cache:?} gc {gc_stress}: {text}"
                    );
                }
                assert_eq!(run.machine.check_stats().mismatches, 0);
            }
        }
    }
}

fn caches() -> Vec<CacheConfig> {
    let mut found = vec![CacheConfig::STANDARD];
    for policy in [Policy::Off, Policy::DirectMapped, Policy::LeastRecentlyUsed] {
        for (size, depth) in [(1, 0), (8, 2), (256, 0)] {
            found.push(CacheConfig {
                policy,
                size,
                depth,
            });
        }
    }
    found
}

#[test]
fn a_program_point_has_the_place_of_its_clause() {
    let program = format!("{HEADER}p(X) :-\n    check(int(X)).\nq(X) :- check(atm(X)), true.\n");
    let mut run = Run::new(&program, &QUIET, 0);
    assert_eq!(
        run.goal("m:p(a), m:q(1)"),
        "pp_check: int(a) / int(a) does not hold\npp_check: atm(1) / atm(1) does not hold\ntrue"
    );
    let places: Vec<_> = run
        .machine
        .violations()
        .iter()
        .map(|v| (v.file.clone(), v.place.map(|place| place.lines)))
        .collect();
    let file = "/m.pl".to_owned();
    assert_eq!(places, [(file.clone(), Some((2, 3))), (file, Some((4, 4)))]);
    assert!(
        run.goal("save_rtchecks(m:p(a), [rtcheck(pp_check,m,[],[int(a)],[],[Place])])")
            .contains("pploc")
    );
}

#[test]
fn violations_are_kept_up_to_a_limit_and_counted_beyond_it() {
    let program = format!("{HEADER}:- pred p(X) : atm(X).\np(_).\n");
    let mut run = Run::new(&program, &QUIET, 0);
    let answer = run.machine.perform("forall(between(1, 10050, X), m:p(X))");
    assert!(matches!(answer, stet_run::Answer::True(_)), "{answer:?}");
    assert_eq!(run.machine.violations().len(), 10_000);
    assert_eq!(run.machine.more_violations(), 50);
    assert_eq!(run.machine.check_stats().violations, 10_050);
}

/// Counters, also of reused answers that turned out wrong, do not go with the engine that made the checks.
#[test]
fn checks_in_engines_are_counted_with_the_others() {
    let program = "
:- module(m, [p/1], [assertions, regtypes]).
:- pred p(X) : list(X, int).
p(_).
";
    let mut run = Run::new(program, &QUIET, 0);
    assert_eq!(run.goal("m:p([1, 2])"), "true");
    let before = run.machine.check_stats();
    let text = run.goal("engine_create(t, m:p([3, 4]), E), engine_next(E, _), engine_destroy(E)");
    assert!(!text.contains("calls"), "{text}");
    let after = run.machine.check_stats();
    assert_eq!(after.checks, before.checks + 1);
    let text = run.goal("engine_create(t, m:p([a]), E), engine_next(E, _)");
    assert!(text.contains("calls"), "{text}");
    assert_eq!(run.machine.check_stats().violations, before.violations + 1);
}
