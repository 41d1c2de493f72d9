//! Behaviour of the machine through queries: control, exceptions, the database, limits, cyclic terms, and
//! everything again while garbage is collected at every opportunity.

use crate::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stet_base::Budget;

struct World {
    machine: Machine,
    output: Arc<Mutex<String>>,
}

fn world_with(program: &str, change: impl FnOnce(&mut Config)) -> World {
    let mut host = MemoryHost::default();
    host.files
        .insert("program.pl".to_owned(), program.as_bytes().to_vec());
    let output = host.output.clone();
    let errors = host.errors.clone();
    let mut config = Config {
        memory: 1 << 28,
        ..Config::standard()
    };
    change(&mut config);
    let mut machine = Machine::new(config, Box::new(host));
    if !program.is_empty() {
        let answer = machine.run_goal("consult('program.pl')");
        let complaints = errors.lock().unwrap().clone();
        assert!(
            matches!(answer, Answer::True(_)) && complaints.is_empty(),
            "{answer:?} {complaints}"
        );
    }
    World { machine, output }
}

fn world(program: &str) -> World {
    world_with(program, |_| {})
}

impl World {
    /// All answers of a query, at most 50, separated by semicolons.
    fn ask(&mut self, text: &str) -> String {
        let mut found = Vec::new();
        let mut query = match self.machine.query(text) {
            Ok(query) => query,
            Err(message) => return format!("syntax: {message}"),
        };
        for _ in 0..50 {
            let (text, more) = match self.machine.next_answer(&mut query) {
                Answer::True(solution) if solution.goals.is_empty() => {
                    ("true".to_owned(), solution.more)
                }
                Answer::True(solution) => (solution.goals.join(", "), solution.more),
                Answer::False => ("false".to_owned(), false),
                Answer::Exception { message, .. } => (message, false),
                Answer::Halt(code) => (format!("halt({code})"), false),
            };
            found.push(text);
            if !more {
                break;
            }
        }
        found.join("; ")
    }
}

/// Asks each query and compares its answers.
fn check(program: &str, cases: &[(&str, &str)]) {
    let mut plain = world(program);
    let mut stressed = world_with(program, |config| config.gc_stress = 1);
    for (query, expected) in cases {
        assert_eq!(plain.ask(query), *expected, "{query}");
        assert_eq!(
            stressed.ask(query),
            *expected,
            "{query} while collecting garbage at every call"
        );
    }
}

#[test]
fn answers() {
    check(
        "",
        &[
            ("X = f(Y, a)", "X = f(Y, a)"),
            ("X is 1 + 2 * 3", "X = 7"),
            ("(X = 1 ; X = 2)", "X = 1; X = 2"),
            ("fail", "false"),
            ("foo(1)", "unknown procedure: foo/1"),
            ("catch(throw(a), X, true)", "X = a"),
            ("findall(X, member(X, [1,2,3]), L)", "L = [1, 2, 3]"),
            ("X = Y, Y = Z", "Y = X, Z = X"),
            ("X = 'A b', Y = \"ab\"", "X = 'A b', Y = [97, 98]"),
            ("freeze(X, true)", "freeze(X, true)"),
            ("dif(X, a), X = b", "X = b"),
            ("dif(X, a), X = a", "false"),
            ("freeze(X, fail), X = 1", "false"),
            (
                "X is 7 / 0",
                "(is)/2: arithmetic: evaluation error: zero_divisor",
            ),
            ("halt(3)", "halt(3)"),
        ],
    );
}

#[test]
fn control() {
    check(
        "p(1). p(2). p(3).\n\
         first(X) :- p(X), !.\n\
         neck(X, R) :- X > 5, !, R = big.\n\
         neck(_, small).\n\
         ite(X, R) :- ( X > 5 -> R = big ; X > 2 -> R = middle ; R = small ).\n\
         local(X) :- ( p(X), X > 1 -> true ; X = none ).\n\
         soft(X) :- ( p(X), X > 1 *-> true ; X = none ).\n\
         cutin(X) :- ( true ; X = never ), p(X), ( X >= 2, ! ; fail ).\n\
         notp(X) :- \\+ p(X).\n\
         mixed(X, Y) :- ( X = 1, Y = a ; X = 2, ( Y = b ; Y = c ) ), true.\n\
         later(X, Z) :- ( X == 1 -> Y = one ; Y = other ), p(_), !, Z = Y.\n",
        &[
            ("first(X)", "X = 1"),
            ("neck(9, R)", "R = big"),
            ("neck(1, R)", "R = small"),
            (
                "ite(9, R), ite(3, S), ite(1, T)",
                "R = big, S = middle, T = small",
            ),
            ("local(X)", "X = 2"),
            ("soft(X)", "X = 2; X = 3"),
            ("cutin(X)", "X = 2"),
            ("notp(4)", "true"),
            ("notp(2)", "false"),
            ("mixed(X, Y)", "X = 1, Y = a; X = 2, Y = b; X = 2, Y = c"),
            ("later(1, Z), later(2, W)", "Z = one, W = other"),
            ("call((p(X), !))", "X = 1"),
            ("forall(p(X), X > 0)", "true"),
            ("G = (p(X), X > 2), call(G)", "G = (p(3), 3>2), X = 3"),
            ("once(p(X))", "X = 1"),
            (
                "findall(X-Y, (p(X), p(Y), X < Y), L)",
                "L = [1-2, 1-3, 2-3]",
            ),
        ],
    );
}

#[test]
fn exceptions() {
    check(
        "nested(0) :- throw(deep([1,2,3])).\n\
         nested(N) :- M is N-1, catch(nested(M), no_match, true), true.\n\
         exited :- catch(member(_, [1,2]), _, true), throw(outside).\n",
        &[
            ("catch(nested(50), E, true)", "E = deep([1, 2, 3])"),
            ("catch(exited, X, true)", "X = outside"),
            ("catch((X = 1, throw(e)), e, true)", "true"),
            ("catch(throw(a), b, true)", "uncaught exception: a"),
            ("catch(catch(throw(a), b, true), a, X = c)", "X = c"),
            (
                "catch(number_codes(X, \"3x\"), error(E, _), true)",
                "E = syntax_error(illegal_number)",
            ),
            (
                "catch(atom_length(X, _), error(E, _), true)",
                "E = instantiation_error",
            ),
            (
                "catch(call(1), error(E, _), true)",
                "E = type_error(callable, 1)",
            ),
            (
                "catch(assertz((foo :- 1)), error(E, _), true)",
                "E = type_error(callable, 1)",
            ),
            (
                "catch(assertz(atom(_)), error(E, _), true)",
                "E = permission_error(modify, static_procedure, atom/1)",
            ),
        ],
    );
}

#[test]
fn the_database_has_the_logical_update_view() {
    check(
        ":- dynamic(q/1).\n:- dynamic(c/2).\nq(1). q(2). q(3).\n\
         grow :- q(X), Y is X + 10, assertz(q(Y)), fail.\ngrow.\n\
         drop(L) :- findall(X, (q(X), retract(q(X))), L).\n",
        &[
            ("grow, findall(X, q(X), L)", "L = [1, 2, 3, 11, 12, 13]"),
            ("q(X), X > 2, retractall(q(_)), q(_)", "false"),
            ("findall(X, q(X), L)", "L = []"),
            (
                "assertz(q(1)), asserta(q(0)), findall(X, q(X), L)",
                "L = [0, 1]",
            ),
            ("clause(q(X), true)", "X = 0; X = 1"),
            ("retract(q(0)), \\+ q(0)", "true"),
            ("drop(L), \\+ q(_)", "L = [1]"),
            (
                "forall(between(1, 300, I), (J is I mod 7, assertz(c(I, J)))), c(77, X), aggregate_all(count, c(_, 3), N)",
                "X = 0, N = 43",
            ),
            ("retract(c(77, _)), \\+ c(77, _), c(78, X)", "X = 1"),
        ],
    );
}

#[test]
fn cyclic_terms_hang_nothing() {
    check(
        "",
        &[
            ("X = f(X), Y = f(Y), X = Y, fail", "false"),
            (
                "X = [a|X], \\+ is_list(X), \\+ acyclic_term(X), ground(X), fail",
                "false",
            ),
            (
                "X = f(X, Z), term_variables(X, L), L == [Z], copy_term(X, Y), cyclic_term(Y), fail",
                "false",
            ),
            (
                "X = f(X), Y = f(Y), compare(O, X, Y), O == (=), X == Y, fail",
                "false",
            ),
            (
                "X = f(X), findall(X, true, [Y]), cyclic_term(Y), fail",
                "false",
            ),
            (
                "X = [a|X], catch(length(X, _), error(type_error(list, _), _), true), fail",
                "false",
            ),
            ("unify_with_occurs_check(X, f(X))", "false"),
            (
                "X = f(X), with_output_to(atom(A), print(X)), atom_length(A, N), N > 10, fail",
                "false",
            ),
        ],
    );
}

#[test]
fn limits_raise_resource_errors() {
    let program = "grow(L) :- grow([x|L]).\ndeep(X) :- deep(Y), X is Y + 1.\nspin :- spin.\n\
                   choose :- choose2, choose.\nchoose2.\nchoose2.\n";
    let mut w = world_with(program, |config| config.memory = 1 << 24);
    for goal in ["grow([])", "deep(_)", "choose", "length(L, 100000000)"] {
        assert_eq!(
            w.ask(&format!("catch({goal}, error(resource_error(R), _), true)")),
            "R = memory",
            "{goal}"
        );
    }
    w.machine
        .set_budget(Budget::unlimited().limited_to(Duration::from_millis(30)));
    assert_eq!(w.ask("spin"), "not enough resources: time_limit");
    let budget = Budget::unlimited();
    budget.cancel();
    w.machine.set_budget(budget);
    assert_eq!(w.ask("spin"), "interrupted");
    // A goal that catches everything cleans up, and does not go on.
    assert_eq!(
        w.ask("catch(spin, _, nb_setval(cleaned, yes)), nb_setval(cleaned, no)"),
        "interrupted"
    );
    assert_eq!(w.ask("catch(spin, E, fail) ; true"), "interrupted");
    w.machine.set_budget(Budget::unlimited());
    assert_eq!(w.ask("nb_getval(cleaned, X)"), "X = yes");
}

#[test]
fn deep_recursion_and_long_lists() {
    let program = "len([], 0).\nlen([_|T], N) :- len(T, M), N is M + 1.\n\
                   make(0, []) :- !.\nmake(N, [N|T]) :- M is N - 1, make(M, T).\n";
    let mut w = world_with(program, |config| config.memory = 1 << 30);
    assert_eq!(w.ask("make(1000000, L), len(L, N), L = []"), "false");
    assert_eq!(
        w.ask("make(1000000, L), len(L, N), length(L, N), msort(L, [F|_]), L2 = F, fail"),
        "false"
    );
    assert_eq!(
        w.ask("numlist(1, 300000, L), atom_to_chars(L), fail"),
        "unknown procedure: atom_to_chars/1"
    );
    assert_eq!(w.ask("findall(X, between(1, 500000, X), L), sum_list(L, S), L = [_|_], length(L, N), X = S-N, fail"), "false");
}

const STRESS: &str = "
tree(0, leaf) :- !.
tree(N, node(L, N, R)) :- N1 is N-1, tree(N1, L), tree(N1, R).
sum(leaf, 0).
sum(node(L, N, R), S) :- sum(L, A), sum(R, B), S is A+B+N.
trees(0) :- !.
trees(N) :- tree(6, T), sum(T, S), S =:= 120, N1 is N-1, trees(N1).
queens(N, K) :- numlist(1, N, L), findall(Q, place(L, [], Q), Qs), length(Qs, K).
place([], Q, Q).
place(L, P, Q) :- select(X, L, R), safe(X, 1, P), place(R, [X|P], Q).
safe(_, _, []).
safe(X, D, [Y|T]) :- X =\\= Y+D, X =\\= Y-D, D1 is D+1, safe(X, D1, T).
texts(T) :- numlist(1, 60, L),
    maplist([X,Y]>>(atom_number(A, X), atom_concat(x, A, B), atom_string(B, S), string_length(S, Z), Y is Z*1.5+2**70), L, R),
    foldl([X,S0,S1]>>(S1 is S0+X), R, 0, T).
frozen_all(L) :- length(L, 6), maplist([V]>>freeze(V, integer(V)), L), L = [1|_], garbage_collect,
    L = [_,2|_], \\+ L = [_,_,a|_], L = [_,_,3,4,5,6].
globals(X-Y) :- b_setval(v, f(_)), nb_setval(w, [1,2]), ( b_setval(v, g(1)), fail ; true ),
    b_getval(v, X), nb_getval(w, Y).
restored(X-Y) :- nb_setval(w, [1,2]), ( b_setval(w, 3), fail ; true ), numlist(1, 20, L), copy_term(L, _),
    b_getval(w, X), ( b_setval(w, 4), fail ; true ), b_getval(w, Y).
called(S-T-N) :- S = t(a), call((setarg(1, S, b), true)), T = t(a), catch(throw(x), x, (nb_setarg(1, T, [c]), true)),
    numlist(1, 3000, L), findall(X, (member(X, L), X > 2990, \\+ X = 2995), Xs), length(Xs, N).
assign(T) :- T = t(a, b), ( setarg(1, T, c), T = t(c, b), fail ; true ), nb_setarg(2, T, h(i)).
grammar(L) :- phrase(letters(L), [a,b,c]).
letters([X|T]) --> [X], !, letters(T).
letters([]) --> [].
";

#[test]
fn collecting_at_every_opportunity_changes_nothing() {
    let queries = [
        ("trees(5)", "true"),
        ("queens(6, K)", "K = 4"),
        ("texts(T)", "T = 7.083549724304468e22"),
        ("frozen_all(L)", "L = [1, 2, 3, 4, 5, 6]"),
        ("globals(X)", "X = f(_A)-[1, 2]"),
        ("assign(T)", "T = t(a, h(i))"),
        ("restored(X)", "X = [1, 2]-[1, 2]"),
        (
            "\\+ \\+ (X = f(X, a, X), Y = f(Y, a, Y), X = Y, Z = f(Z, b, Z), X \\= Z)",
            "true",
        ),
        ("called(X)", "X = t(b)-t([c])-9"),
        ("grammar(L)", "L = [a, b, c]"),
        (
            "setof(X-Y, member(X-Y, [2-a, 1-b, 2-a]), L)",
            "L = [1-b, 2-a]",
        ),
        (
            "bagof(X, member(X-Y, [1-a, 2-b, 3-a]), L)",
            "Y = a, L = [1, 3]; Y = b, L = [2]",
        ),
    ];
    for stress in [0, 1, 7, 1000] {
        let mut w = world_with(STRESS, |config| config.gc_stress = stress);
        for (query, expected) in queries {
            assert_eq!(w.ask(query), expected, "{query} at every {stress}");
        }
    }
}

#[test]
fn modules_keep_their_predicates_apart() {
    let mut host = MemoryHost::default();
    let files = [
        (
            "a.pl",
            ":- module(a, [pa/1, twice/2]).\n:- meta_predicate twice(1, ?).\npa(X) :- hidden(X).\nhidden(from_a).\ntwice(G, X) :- call(G, X), call(G, X).\n",
        ),
        (
            "b.pl",
            ":- module(b, [pb/1]).\n:- use_module(a).\npb(X) :- twice(own, X).\nown(from_b).\nhidden(wrong).\n",
        ),
        (
            "c.pl",
            ":- module(c, _, []).\npc(X) :- pc2(X).\npc2(from_c).\n",
        ),
        (
            "main.pl",
            ":- use_module(a, [pa/1]).\n:- use_module(b).\n:- use_module(c).\nhidden(user).\n",
        ),
    ];
    for (name, text) in files {
        host.files.insert(name.to_owned(), text.as_bytes().to_vec());
    }
    let mut w = World {
        output: host.output.clone(),
        machine: Machine::new(Config::standard(), Box::new(host)),
    };
    assert_eq!(w.ask("consult('main.pl')"), "true");
    assert_eq!(w.ask("pa(X)"), "X = from_a");
    assert_eq!(w.ask("pb(X)"), "X = from_b");
    assert_eq!(w.ask("pc(X), pc2(X)"), "X = from_c");
    assert_eq!(w.ask("hidden(X)"), "X = user");
    assert_eq!(w.ask("b:hidden(X)"), "X = wrong");
    assert_eq!(w.ask("a:hidden(X), write(X)"), "X = from_a");
    assert_eq!(w.output.lock().unwrap().as_str(), "from_a");
}

#[test]
fn a_predicate_can_be_switched_to_its_checked_version_and_back() {
    let mut w =
        world("p(X) :- X = plain.\np_checked(X) :- p_plain(Y), X = checked(Y).\nq(X) :- p(X).\n");
    assert_eq!(w.ask("q(X)"), "X = plain");
    let user = stet_prolog::atom::USER;
    let (p, checked, plain) = {
        let atoms = &mut w.machine.mem.atoms;
        (
            atoms.intern("p"),
            atoms.intern("p_checked"),
            atoms.intern("p_plain"),
        )
    };
    let p = w.machine.pred_id(user, p, 1);
    let checked = w.machine.pred_id(user, checked, 1);
    w.machine.plain_alias(p, plain);
    w.machine.set_checked_entry(p, Some(checked));
    assert_eq!(w.ask("q(X)"), "X = checked(plain)");
    w.machine.set_checked_entry(p, None);
    assert_eq!(w.ask("q(X)"), "X = plain");
}

#[test]
fn errors_in_files_are_reported_and_loading_goes_on() {
    let mut host = MemoryHost::default();
    host.files.insert(
        "bad.pl".to_owned(),
        b"ok(1).\nfoo(a b).\nok(2).\n:- undefined_goal.\n:- fail.\nok(3).\n".to_vec(),
    );
    let errors = host.errors.clone();
    let mut w = World {
        output: host.output.clone(),
        machine: Machine::new(Config::standard(), Box::new(host)),
    };
    assert_eq!(w.ask("consult('bad.pl')"), "true");
    assert_eq!(w.ask("findall(X, ok(X), L)"), "L = [1, 2, 3]");
    expect_test::expect![[r#"
        ERROR: bad.pl:2:7: syntax error: operator expected
            foo(a b).
                  ^
        Warning: bad.pl:4: unknown procedure: undefined_goal/0
        Warning: bad.pl:5: directive failed: fail
    "#]]
    .assert_eq(&errors.lock().unwrap());
}

#[test]
fn atoms_made_while_running_do_not_pile_up() {
    let program = "loop(0) :- !.\n\
                   loop(N) :- atom_number(A, N), atom_concat(tmp_, A, B), atom_length(B, _), N1 is N-1, loop(N1).\n\
                   keep(L) :- findall(A, (between(1, 100, N), atom_concat(kept_, N, A)), L).\n";
    let mut w = world(program);
    assert_eq!(
        w.ask("keep(L), nth1(50, L, X), loop(500000), statistics(atoms, N), N < 500000, keep(L), L = [F|_], L2 = F, fail"),
        "false"
    );
    assert_eq!(
        w.ask("keep([A|_]), loop(300000), atom_codes(A, C), atom_codes(B, C), A == B, atom_length(A, N)"),
        "A = kept_1, C = [107, 101, 112, 116, 95, 49], B = kept_1, N = 6"
    );
    assert!(w.machine.stats().atom_sweeps > 0);
}

#[test]
fn queues_of_facts_stay_fast() {
    let mut w = world(
        ":- dynamic(q/1).\nfill(0) :- !.\nfill(N) :- assertz(q(N)), M is N-1, fill(M).\n\
         drain :- once(retract(q(_))), drain.\ndrain.\n",
    );
    assert_eq!(w.ask("once((fill(50000), drain)), \\+ q(_)"), "true");
    assert_eq!(
        w.ask("fill(20000), (retract(q(_)), fail ; true), \\+ q(_)"),
        "true"
    );
}

/// Declarations are operators by the time a library is read: `table/1` as an argument was a syntax error.
#[test]
fn every_library_loads_without_a_message() {
    for (name, _) in crate::libraries::LIBRARIES {
        world(&format!(":- use_module(library({name})).\n"));
    }
    world(":- table p/1.\np(1).\n");
}

#[test]
fn a_listing_shows_a_predicate_once() {
    let mut world = world("p(1).\n");
    let answer = world.machine.run_goal("listing(p/1)");
    assert!(matches!(answer, Answer::True(_)));
    let written = world.output.lock().unwrap().clone();
    assert_eq!(written.matches("p(1).").count(), 1, "{written}");
}

#[test]
fn a_number_without_room_is_an_error() {
    // Each takes 7.5 MB, and no call lies between them that would look at the memory.
    let program = "last(W) :- X is 1 << 60000000, Y is 1 << 60000001, Z is 1 << 60000002, W is 1 << 60000003,\n\
                   X < Y, Y < Z.\n\
                   try(R) :- catch((last(W), (W =:= 0 -> R = wrong ; R = right)), error(resource_error(R), _), true).\n";
    let mut world = world_with(program, |config| config.memory = 16 << 20);
    assert_eq!(world.ask("try(R)"), "R = memory");
}

#[test]
fn an_engine_without_room_is_an_error() {
    let mut world = world_with("", |config| config.memory = 64 << 20);
    // The goal does not fit the memory of an engine.
    let asked = "catch((numlist(1, 1000000, _L), engine_create(x, length(_L, _), _E), \
                 (engine_next(_E, _) -> R = yes ; R = no)), error(resource_error(_), _), R = full)";
    assert_eq!(world.ask(asked), "R = full");
}

#[test]
fn a_continuation_keeps_every_value() {
    // As cells, the number looks like the barrier of a cut, and the atom is what stands for one in a continuation.
    let program = "p(X) :- shift(a), q(X). q(X) :- nb_setval(seen, X).\n\
                   try(X, Y) :- reset(p(X), a, Rest), call(Rest), nb_getval(seen, Y).\n";
    let mut world = world(program);
    let asked = "X is (1 << 59) + 3, try(X, Y), Z is Y - X";
    assert!(world.ask(asked).ends_with("Z = 0"), "{}", world.ask(asked));
    assert_eq!(world.ask("try('$level', Y)"), "Y = '$level'");
}

#[test]
fn predicates_without_room_are_errors() {
    let mut world = world("");
    // As if there were millions of predicates: room for fifty more.
    let program = &mut world.machine.program;
    let count = program.db.preds.len();
    let mut entries = crate::heap::Area::try_reserve(count + 50).unwrap();
    for id in 0..count {
        entries.set(id, program.entries.get(id));
    }
    program.entries = entries;
    let made = "(between(1, 100, _N), atom_concat(p_, _N, _A), _T =.. [_A, 1], assertz(_T), fail ; R = done)";
    let caught = format!("catch({made}, error(resource_error(R), _), true)");
    assert_eq!(world.ask(&caught), "R = memory");
    assert_eq!(world.ask("p_1(X)"), "X = 1");
    let called = "catch(q_1(1), error(resource_error(R), _), true)";
    assert_eq!(world.ask(called), "R = memory");
    let declared = "catch(dynamic(q_2/1), error(resource_error(R), _), true)";
    assert_eq!(world.ask(declared), "R = memory");
}
