//! Predicates declared `module_transparent/1` run in the module of the caller; the answers are SWI-Prolog's.

use stet_run::{Answer, Config, MemoryHost, Request, open};

const LIBRARY: &str = "
:- module(lib, [who/1, run/1, add/1, strip/3, cut/1, count/2, each/2, inner/1]).
:- module_transparent who/1, run/1, add/1, strip/3, cut/1, count/2, each/2, inner/1.
who(M) :- context_module(M).
run(G) :- call(G).
run(_) :- helper(X), write(X), nl.
helper(lib).
add(F) :- assertz(F).
strip(T, M, P) :- strip_module(T, M, P).
cut(G) :- ( \\+ \\+ G -> G, ! ; fail ).
cut(_) :- write(second), nl.
count(0, _) :- !.
count(N, G) :- G, N1 is N-1, count(N1, G).
each([], _).
each([X|Xs], G) :- call(G, X), each(Xs, G).
inner(M) :- who(M).
";

const PROGRAM: &str = "
:- module(main, []).
:- use_module(lib).
p :- write('main:p'), nl.
q(X) :- write(q(X)), nl.
helper(main).
in_clause(M) :- who(M).
qualified(M) :- lib:who(M).
";

#[test]
fn clauses_run_in_the_module_of_the_caller() {
    let mut host = MemoryHost::default();
    let output = host.output.clone();
    for (name, text) in [("/lib.pl", LIBRARY), ("/main.pl", PROGRAM)] {
        host.files
            .insert(name.to_string(), text.as_bytes().to_vec());
    }
    let request = Request {
        config: Config {
            memory: 1 << 28,
            ..Config::standard()
        },
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    let loaded = machine.run_goal("consult('/main.pl')");
    assert!(matches!(loaded, Answer::True(_)), "{loaded:?}");
    let goals = [
        ("main:in_clause(M), write(M), nl", "main\n"),
        ("main:qualified(M), write(M), nl", "lib\n"),
        ("main:(G = who(M), call(G)), write(M), nl", "main\n"),
        ("main:maplist(who, [M]), write(M), nl", "main\n"),
        ("main:inner(M), write(M), nl", "main\n"),
        ("main:findall(M, who(M), L), write(L), nl", "[main]\n"),
        ("@(lib:who(M), user), write(M), nl", "user\n"),
        ("main:forall(run(p), true)", "main:p\nlib\n"),
        ("main:add(fact(1)), main:fact(X), write(X), nl", "1\n"),
        ("main:strip(a, M, P), write(M-P), nl", "main-a\n"),
        ("main:strip(x:a, M, P), write(M-P), nl", "x-a\n"),
        ("main:forall(cut(p), true)", "main:p\nmain:p\n"),
        ("main:count(2, p)", "main:p\nmain:p\n"),
        ("main:each([1, 2], q)", "q(1)\nq(2)\n"),
        (
            "predicate_property(lib:who(_), transparent), write(yes), nl",
            "yes\n",
        ),
        // A copy follows the clauses.
        (
            "lib:assertz(extra(1)), module_transparent(lib:extra/1), main:lib:extra(X), write(X), nl",
            "1\n",
        ),
    ];
    for (goal, expected) in goals {
        output.lock().expect("no panic while held").clear();
        let answer = machine.run_goal(goal);
        assert!(matches!(answer, Answer::True(_)), "{goal}: {answer:?}");
        assert_eq!(
            *output.lock().expect("no panic while held"),
            expected,
            "{goal}"
        );
    }
}

#[test]
fn a_copy_is_made_anew_when_clauses_change() {
    let mut host = MemoryHost::default();
    let output = host.output.clone();
    let library = "
:- module(lib, [t/1, more/0]).
:- dynamic t/1.
:- module_transparent t/1.
t(X) :- context_module(X).
more :- assertz((t(X) :- context_module(M), X = again(M))).
";
    host.files
        .insert("/lib.pl".to_string(), library.as_bytes().to_vec());
    let program = "
:- module(main, [all/0]).
:- use_module(lib).
all :- findall(X, t(X), L), write(L), nl.
";
    host.files
        .insert("/main.pl".to_string(), program.as_bytes().to_vec());
    let request = Request {
        config: Config {
            memory: 1 << 28,
            ..Config::standard()
        },
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    let answer = machine.run_goal("consult('/main.pl'), main:(all, more, all)");
    assert!(matches!(answer, Answer::True(_)), "{answer:?}");
    assert_eq!(
        *output.lock().expect("no panic while held"),
        "[main]\n[main,again(main)]\n"
    );
}
