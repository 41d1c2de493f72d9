//! Behaviour of the engine that other tests do not reach: cleanups, limits of a program's own, modules that pass on
//! what they import, cyclic terms in builtins, terms that read back as they were written.

use stet_run::{Answer, Config, Machine, MemoryHost, Request, open};

struct World {
    machine: Machine,
    output: std::sync::Arc<std::sync::Mutex<String>>,
}

fn world(files: &[(&str, &str)]) -> World {
    let mut host = MemoryHost::default();
    for (name, text) in files {
        host.files
            .insert((*name).to_owned(), text.as_bytes().to_vec());
    }
    let output = host.output.clone();
    let config = Config {
        memory: 1 << 28,
        ..Config::standard()
    };
    let request = Request {
        config,
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(host));
    if let Some((first, _)) = files.first() {
        let answer = machine.run_goal(&format!("consult('{first}')"));
        assert!(matches!(answer, Answer::True(_)), "{answer:?}");
    }
    World { machine, output }
}

impl World {
    /// The first answer of a goal, and what it wrote.
    fn run(&mut self, goal: &str) -> String {
        let answer = match self.machine.run_goal(goal) {
            Answer::True(_) => "yes".to_owned(),
            Answer::False => "no".to_owned(),
            Answer::Exception { ball, .. } => ball,
            Answer::Halt(code) => format!("halt({code})"),
        };
        let written = std::mem::take(&mut *self.output.lock().expect("no panic while writing"));
        format!("{written}{answer}")
    }
}

const CLEANUP: &str = "
p(X, Log) :- setup_call_cleanup(write(Log), q(X), (write('~'), write(Log))).
q(1). q(2). q(3).
d(X, Log) :- setup_call_cleanup(true, X = 1, (write('~'), write(Log))).
cut_after(N) :- p(X, a), write(X), X >= N, !, write('|').
nested :- p(X, a), p(Y, b), X + Y >= 3, !, write('|').
cut_fail :- p(_, a), !, fail.
thrown :- catch((p(X, a), X >= 2, throw(ball)), ball, write('|')).
inner_throw :- catch(setup_call_cleanup(true, throw(x), write(c)), x, write('|')).
failing :- setup_call_cleanup(true, fail, write(c)).
bad_cleanup :- setup_call_cleanup(true, true, throw(oops)), write('|').
failing_cleanup :- setup_call_cleanup(true, true, fail), write('|').
ite :- ( p(X, a) -> write(X) ; true ), write('|').
neg :- \\+ p(_, a), write('|').
neg :- write(n).
once_ :- once(p(X, a)), write(X), write('|').
all :- findall(X, p(X, a), L), write(L).
setup_once :- findall(X, setup_call_cleanup(member(X, [1,2]), true, write(c)), L), write(L).
loop(0) :- !.
loop(N) :- p(_, ''), !, M is N-1, loop(M).
deep(0) :- !, write(end), fail.
deep(N) :- M is N-1, setup_call_cleanup(true, deep(M), write(N)).
";

#[test]
fn cleanups_run_once_and_in_time() {
    let mut w = world(&[("c.pl", CLEANUP)]);
    let cases = [
        ("all", "a~a[1,2,3]yes"),
        ("d(_, a)", "~ayes"),
        ("cut_after(2)", "a12~a|yes"),
        ("nested", "ab~b~a|yes"),
        ("cut_fail", "a~ano"),
        ("thrown", "a~a|yes"),
        ("inner_throw", "c|yes"),
        ("failing", "cno"),
        ("bad_cleanup", "oops"),
        ("failing_cleanup", "|yes"),
        ("ite", "a~a1|yes"),
        ("neg", "a~anyes"),
        ("once_", "a~a1|yes"),
        ("setup_once", "c[1]yes"),
        ("deep(4)", "end1234no"),
        // The host takes one answer and gives the query up.
        ("p(_, a)", "a~ayes"),
    ];
    for (goal, expected) in cases {
        assert_eq!(w.run(goal), expected, "{goal}");
    }
    w.run("'$set_gc_stress'(1)");
    for (goal, expected) in &cases {
        assert_eq!(w.run(goal), *expected, "{goal} while collecting");
    }
}

#[test]
fn many_cleanups_leave_nothing_behind() {
    let mut w = world(&[("c.pl", CLEANUP)]);
    assert!(w.run("loop(20000)").ends_with("yes"));
}

#[test]
fn goals_for_the_end_run_once_when_the_program_halts() {
    let text = ":- at_halt(write(a)).\n:- at_halt(fail).\n:- at_halt((write(b), halt(4))).\n:- at_halt(throw(x)).\n";
    let mut w = world(&[("h.pl", text)]);
    let said = w.run("at_halt(write(c)), halt(3)");
    let order: String = said.chars().filter(|c| "abc".contains(*c)).collect();
    assert!(
        order.starts_with("ab") && said.ends_with("halt(4)"),
        "{said}"
    );
}

#[test]
fn a_double_dash_may_be_an_argument_of_the_program() {
    let mut config = Config::standard();
    config.arguments = ["a", "--", "b"].map(str::to_owned).to_vec();
    let request = Request {
        config,
        ..Request::load(&[])
    };
    let mut machine = open(&request, Box::new(MemoryHost::default()));
    let answer = machine.run_goal("assertz((main(As) :- length(As, N), halt(N))), main:main");
    assert!(matches!(answer, Answer::Halt(3)), "{answer:?}");
}

#[test]
fn programs_limit_their_own_time() {
    let mut w = world(&[("l.pl", "l :- l.\nc :- catch(l, _, true), l.\n")]);
    let caught = "catch(call_with_time_limit(0.05, l), E, (write(E), nl))";
    assert_eq!(w.run(caught), "time_limit_exceeded\nyes");
    assert_eq!(w.run("call_with_time_limit(100, X = 1), X == 1"), "yes");
    assert_eq!(w.run("call_with_time_limit(100, fail)"), "no");
    assert_eq!(
        w.run("catch(call_with_time_limit(0.05, call_with_time_limit(100, l)), E, write(E))"),
        "time_limit_exceededyes"
    );
    assert_eq!(
        w.run("catch(call_with_time_limit(100, catch(call_with_time_limit(0.05, l), _, write(in))), _, write(out))"),
        "inyes"
    );
    assert!(
        w.run("call_with_time_limit(_, true)")
            .contains("instantiation_error")
    );
    assert!(
        w.run("call_with_time_limit(a, true)")
            .contains("type_error")
    );
}

#[test]
fn modules_pass_on_what_they_import() {
    let files = [
        (
            "user.pl",
            ":- use_module('middle.pl').\ngo :- p(X), q(Y), write(X-Y).\n",
        ),
        (
            "middle.pl",
            ":- module(middle, []).\n:- reexport('low.pl', [p/1]).\n:- reexport('other.pl').\n",
        ),
        (
            "low.pl",
            ":- module(low, [p/1, hidden/1]).\np(1).\nhidden(2).\n",
        ),
        ("other.pl", ":- module(other, [q/1]).\nq(3).\n"),
    ];
    let mut w = world(&files);
    assert_eq!(w.run("go"), "1-3yes");
    assert!(w.run("hidden(_)").contains("existence_error"));
}

#[test]
fn builtins_end_on_cyclic_terms() {
    let mut w = world(&[]);
    for (goal, expected) in [
        ("L = [a|L], atom_codes(_, L)", "error"),
        ("L = [a|L], atom_chars(_, L)", "error"),
        ("L = [0'a|L], string_codes(S, L), S == x", "error"),
        ("L = [0'a|L], format(L, [])", "error"),
        ("X = 1+X, Y is X, Y == 0", "error"),
        ("X = f(X), Y = f(Y), X == Y, X = Y", "yes"),
        ("X = f(X), copy_term(X, Y), X == Y", "yes"),
        ("X = f(X), term_variables(X, []), ground(X)", "yes"),
        ("X = f(X), findall(X, true, [Y]), X == Y", "yes"),
    ] {
        let found = w.run(goal);
        assert!(found.contains(expected), "{goal}: {found}");
    }
}

#[test]
fn written_terms_read_back() {
    let mut w = world(&[("round_trip.pl", include_str!("round_trip.pl"))]);
    assert_eq!(w.run("go(1500)"), "yes");
}

#[test]
fn temporary_atoms_are_collected() {
    let program = "
run(0) :- !.
run(N) :- atom_concat(temporary_, N, A), atom_length(A, _), M is N-1, run(M).
";
    let mut w = world(&[("a.pl", program)]);
    assert_eq!(w.run("run(1500000)"), "yes");
    assert_eq!(w.run("statistics(atoms, N), N < 900000"), "yes");
}

#[test]
fn facts_asserted_while_running() {
    let mut w = world(&[]);
    for (goal, expected) in [
        (
            "assertz(f(1, a)), assertz(f(2, X)), assertz(f(_, _)), f(2, b), f(7, c)",
            "yes",
        ),
        ("findall(X-Y, f(X, Y), L), length(L, 3)", "yes"),
        ("f(1, z)", "yes"),
        ("clause(f(1, a), B), B == true", "yes"),
        ("retract(f(1, a)), \\+ clause(f(1, a), true)", "yes"),
        ("assertz(g(X, X)), \\+ g(1, 2), g(1, 1)", "yes"),
        (
            "assertz(h(\"s\", 1.5, 99999999999999999999)), h(\"s\", F, B), F =:= 1.5, B > 1",
            "yes",
        ),
        ("retractall(f(_, _)), \\+ f(_, _)", "yes"),
        ("assertz(z), z, clause(z, true), retract(z), \\+ z", "yes"),
    ] {
        assert_eq!(w.run(goal), expected, "{goal}");
    }
}

#[test]
fn cyclic_answers_can_be_asked_again() {
    let mut w = world(&[]);
    for (query, expected) in [
        ("X = f(X)", "X = f(X)"),
        ("X = [a,b|X]", "X = [a, b|X]"),
        ("X = g(Y), Y = f(Y, 1)", "X = g(Y), Y = f(Y, 1)"),
        ("Z = h(_Y), _Y = f(_Y)", "Z = h(_S1), _S1 = f(_S1)"),
        ("X = f(X), Y = X", "X = f(X), Y = X"),
    ] {
        let mut question = w.machine.query(query).expect("a goal");
        match w.machine.next_answer(&mut question) {
            Answer::True(solution) => assert_eq!(solution.goals.join(", "), expected),
            other => panic!("{query}: {other:?}"),
        }
    }
}

const WAKING: &str = "
a :- freeze(X, write(a)), freeze(X, write(b)), X = 1, write(c).
b :- freeze(X, fail), ( X = 1 -> write(yes) ; write(no) ).
c :- freeze(X, member(Y, [1,2,3])), findall(Y, X = 1, L), write(L).
d :- dif(X, Y), X = 1, ( Y = 1 -> write(same) ; write(differ) ).
e :- dif(f(X,Y), f(1,2)), X = 1, ( Y = 2 -> write(same) ; write(differ) ), ( Y = 3 -> write(ok) ; true ).
f :- freeze(X, throw(oops)), catch(X = 1, E, write(caught(E))).
g :- freeze(X, write(x)), freeze(Y, write(y)), X = Y, write(m), Y = 1, nl.
h :- freeze(X, write(x)), freeze(Y, write(y)), Y = X, write(m), Y = 1, nl.
i :- when((nonvar(X) ; nonvar(Y)), write(once)), X = 1, Y = 2, nl.
j :- freeze(X, (write(1) ; write(2))), fact(X), write(p), fail.
j.
k :- freeze(X, (X > 5)), findall(X, member(X, [3,7,9]), L), write(L).
l :- freeze(X, write(x)), neck(X).
m :- freeze(X, fail), ( X == 1 -> true ; X = 1 -> write(bad) ; write(good) ).
n :- freeze(X, fail), \\+ X = 1, write(good).
fact(1).
neck(1) :- !, write(body).
neck(_) :- write(other).
";

#[test]
fn woken_goals_run_once_and_in_order() {
    let cases = [
        ("a", "abcyes"),
        ("b", "noyes"),
        ("c", "[1,2,3]yes"),
        ("d", "differyes"),
        ("e", "differokyes"),
        ("f", "caught(oops)yes"),
        ("g", "mxy\nyes"),
        ("h", "mxy\nyes"),
        ("i", "once\nyes"),
        ("j", "1p2pyes"),
        ("k", "[7,9]yes"),
        ("l", "xbodyyes"),
        ("m", "goodyes"),
        ("n", "goodyes"),
    ];
    let mut w = world(&[("w.pl", WAKING)]);
    for stress in ["true", "'$set_gc_stress'(1)"] {
        assert_eq!(w.run(stress), "yes");
        for (goal, expected) in cases {
            assert_eq!(w.run(goal), expected, "{goal} {stress}");
        }
    }
}

#[test]
fn text_may_end_in_a_comment_or_a_cut_off_character() {
    let mut w = world(&[]);
    assert_eq!(w.run("term_to_atom(X, 'foo % bar'), X == foo"), "yes");
    assert!(w.run("term_to_atom(_, '0\\'')").contains("syntax_error"));
    assert_eq!(w.run("term_to_atom(X, '0\\'a'), X == 97"), "yes");
}

#[test]
fn streams_in_the_old_way() {
    let mut w = world(&[("t.pl", "x.\n")]);
    assert_eq!(
        w.run("tell(out), write(hello), write('.'), nl, told, write(done)"),
        "doneyes"
    );
    assert_eq!(w.run("see(out), read(X), seen, write(X)"), "helloyes");
    assert_eq!(
        w.run("append(out), write('b.'), told, see(out), read(_), read(Y), seen, write(Y)"),
        "byes"
    );
    assert!(w.run("see(missing)").contains("existence_error"));
    assert!(w.run("tell(_)").contains("instantiation_error"));
}

const BRANCHES: &str = "
a(X, Y, R) :- ( X = a, Y > 1 -> R = yes ; R = no(X) ).
b(X, R) :- \\+ X = a, !, R = first.
b(_, second).
c(X, Y, R) :- ( \\+ (Y > 1, X = a) -> R = yes ; R = no(X) ).
d(R) :- ( m(A), A == z -> R = A ; ( A = 2 ; A = 3 ), ( A = 2 -> R = A ; R = three ) ).
e(D) :- C = F,
    ( m(A), F = 1, 3 == A *-> m(A)
    ; ( call((A = 2, functor(C, g, 1))), n(F, D) ; D = 3 ), A = b ), !.
m(a).
m(1).
n(1, 2).
n(X, X).
";

#[test]
fn what_a_condition_binds_is_undone_for_the_other_branch() {
    let mut w = world(&[("w.pl", BRANCHES)]);
    for (goal, expected) in [
        ("a(X, 0, R), R == no(X), var(X)", "yes"),
        ("a(X, 2, yes), X == a", "yes"),
        ("b(b, R), write(R)", "firstyes"),
        ("b(_, R), write(R)", "secondyes"),
        ("c(X, 2, R), R == no(X), var(X)", "yes"),
        ("c(X, 1, R), R == yes, var(X)", "yes"),
        ("findall(R, d(R), L), write(L)", "[2,three]yes"),
        ("e(D), write(D)", "3yes"),
    ] {
        assert_eq!(w.run(goal), expected, "{goal}");
    }
}

#[test]
fn one_long_builtin_is_interrupted() {
    let mut w = world(&[]);
    for goal in [
        "between(1, inf, _), fail",
        "X is 7**20000000",
        "X is 3**5000000, call_with_time_limit(0.1, X is X * X)",
        "X is 3**3000000, atom_length(X, _)",
        "numlist(1, 30000, L), repeat, reverse(L, R), msort(R, _), fail",
        "numlist(1, 30000, L), repeat, length(L, 0)",
        "numlist(1, 30000, L), repeat, copy_term(L, _), fail",
        "numlist(1, 30000, L), repeat, atomic_list_concat(L, _), fail",
    ] {
        assert_eq!(
            w.run(&format!("call_with_time_limit(0.3, ({goal}))")),
            "time_limit_exceeded",
            "{goal}"
        );
    }
    assert_eq!(w.run("X is 7**100000 mod 1000, X =:= 1"), "yes");
}

#[test]
fn sorting_keeps_the_order_of_equal_keys() {
    let mut w = world(&[]);
    let goal = "findall(K-I, (between(1, 2000, I), K is I * 7919 mod 37), L), keysort(L, S), \
                findall(K-I, (between(0, 36, K), member(K-I, L)), S), \
                sort(1, @>=, L, D), findall(K-I, (between(0, 36, J), K is 36 - J, member(K-I, L)), D), \
                msort(L, M), sort(0, @=<, L, M), sort(L, M)";
    assert_eq!(w.run(goal), "yes");
}

#[test]
fn an_abolished_predicate_is_unknown_and_operators_as_operands_are_bracketed() {
    let mut w = world(&[]);
    assert_eq!(
        w.run("assertz(gone(1)), abolish(gone/1), catch(gone(_), error(E, _), (writeq(E), nl))"),
        "existence_error(procedure,gone/1)\nyes"
    );
    assert_eq!(w.run("assertz(gone(2)), gone(X), write(X)"), "2yes");
    assert_eq!(
        w.run("writeq([1-(mod),(//)-1,f(mod),[mod],- (is)])"),
        "[1-(mod),(//)-1,f(mod),[mod],- (is)]yes"
    );
    assert_eq!(w.run("divmod(-7, 2, Q, R), writeq(Q/R)"), "-4/1yes");
}

/// Engines put the stacks of the machine aside while the collector runs on theirs.
#[test]
fn engines_and_tables_survive_collections_at_every_call() {
    let program = ":- table path/2.\n\
        path(X, Y) :- edge(X, Y).\npath(X, Y) :- path(X, Z), edge(Z, Y).\n\
        edge(a, b(1)). edge(b(1), \"s\"). edge(\"s\", a).\n\
        squares(L) :- engine_create(X-f(Y), ( between(1, 20, X), Y is X * 12345678901234567890 ), E), take(20, E, L), \\+ engine_next(E, _).\n\
        take(0, _, []) :- !.\n\
        take(N, E, [X|Xs]) :- numlist(1, N, L), engine_next(E, X), length(L, N), N1 is N - 1, take(N1, E, Xs).\n\
        yields(L) :- engine_create(_, ( member(X, [a(_), b(V, V)]), engine_yield(X), fail ), E), engine_next(E, A), engine_next(E, B), \\+ engine_next(E, _), L = [A, B].\n";
    for gc_stress in [0, 1, 7] {
        let mut host = MemoryHost::default();
        host.files
            .insert("/m.pl".to_owned(), program.as_bytes().to_vec());
        let config = Config {
            memory: 1 << 27,
            gc_stress,
            ..Config::standard()
        };
        let request = Request {
            config,
            ..Request::load(&[])
        };
        let mut machine = open(&request, Box::new(host));
        for goal in [
            "consult('/m.pl')",
            "squares(L), last(L, 20-f(Y)), Y =:= 20 * 12345678901234567890, length(L, 20)",
            "yields([a(_), b(X, Y)]), X == Y",
            "findall(X-Y, path(X, Y), L), length(L, 9), findall(Y, path(a, Y), M), length(M, 3)",
            "engine_create(x, engine_self(_), E), engine_next(E, x), engine_destroy(E), \\+ is_engine(E)",
            "engine_create(x, true, E), engine_next(E, _), catch(( engine_next(E, _) -> true ; engine_next(E, _) ), error(existence_error(engine, _), _), true)",
            "catch(thread_get_message(never), error(system_error(deadlock), _), true)",
            "catch(engine_yield(x), error(permission_error(yield, engine, _), _), true)",
        ] {
            let answer = machine.run_goal(goal);
            assert!(
                matches!(answer, Answer::True(_)),
                "{goal} with {gc_stress}: {answer:?}"
            );
        }
    }
}

/// A program that lacks a part it asks for does not end with exit code 0.
#[test]
fn libraries_that_are_not_there_and_refused_features_are_errors_at_load() {
    for (directive, message) in [
        (
            "use_module(library(nosuchlibrary))",
            "ERROR: /m.pl:1: source_sink `library(nosuchlibrary)` does not exist",
        ),
        ("ensure_loaded(nosuchfile)", "ERROR: /m.pl:1: "),
        ("use_module(library(dicts))", "dicts (library(dicts))"),
    ] {
        let mut host = MemoryHost::default();
        let errors = host.errors.clone();
        let text = format!(":- {directive}.\np.\n");
        host.files.insert("/m.pl".to_owned(), text.into_bytes());
        let mut machine = open(&Request::load(&[]), Box::new(host));
        let answer = machine.run_goal("consult('/m.pl'), p");
        assert!(matches!(answer, Answer::True(_)), "{directive}: {answer:?}");
        let said = errors.lock().expect("no panic while held").clone();
        assert!(
            said.starts_with("ERROR: ") && said.contains(message),
            "{said}"
        );
        assert_eq!(machine.load_errors(), 1, "{directive}");
    }
}
