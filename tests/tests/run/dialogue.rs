//! Whole conversations with the top level: what is typed and what comes back.

use expect_test::{Expect, expect};
use std::io::Write;
use std::process::Stdio;
use stet_tests::Sandbox;

/// Feeds the input to `stet run` and compares all that it prints.
fn dialogue(files: &[(&str, &str)], input: &str, expected: &Expect) {
    let mut sandbox = Sandbox::new();
    let mut arguments = vec!["run"];
    for (name, text) in files {
        sandbox = sandbox.file(name, text);
        arguments.push(name);
    }
    let mut child = sandbox
        .command(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.stderr.is_empty() {
        text.push_str("--- stderr\n");
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    let path = sandbox.path("").display().to_string();
    let text = text.replace(path.trim_end_matches('/'), "[DIR]");
    let code = output.status.code().unwrap();
    expected.assert_eq(&format!("{text}--- exit {code}\n"));
}

#[test]
fn answers_read_back_as_queries() {
    dialogue(
        &[],
        "X = 1.\n\
         X = 'a b', Y = \"str\", Z = 0'c.\n\
         X = f(A,B,_), A = B.\n\
         X = [1,2|T].\n\
         X = - 1, Y = -(1), Z = 1 - -1.\n\
         X = {a,b}, Y = (a:-b,c;d->e), Z = [(a,b)].\n\
         X = X.\n\
         X = Y, Y = Z.\n\
         true.\n\
         fail.\n",
        &expect![[r#"
            X = 1.
            X = 'a b',
            Y = "str",
            Z = 99.
            X = f(A, A, _A),
            B = A.
            X = [1, 2|T].
            X = - 1,
            Y = - 1,
            Z = 1- -1.
            X = {a, b},
            Y = (a:-b, c;d->e),
            Z = [(a, b)].
            true.
            Y = X,
            Z = X.
            true.
            false.
            --- exit 0
        "#]],
    );
}

#[test]
fn more_answers() {
    dialogue(
        &[],
        "member(X,[1,2,3]).\n;\n;\n\
         member(X,[1,2,3]).\n;\n\
         member(X,[a,b]), Y = X.\n\
         (X = 1 ; X = 2 ; fail).\n;\n;\n\
         append(X,Y,[1]).\n;\n;\n\
         between(1,inf,X).\n;\n\
         X = last.\n",
        &expect![[r#"
            X = 1 ;
            X = 2 ;
            X = 3.
            X = 1 ;
            X = 2 .
            X = a,
            Y = a .
            X = 1 ;
            X = 2 ;
            false.
            X = [],
            Y = [1] ;
            X = [1],
            Y = [] ;
            false.
            X = 1 ;
            X = 2 .
            X = last.
            --- exit 0
        "#]],
    );
}

#[test]
fn residual_goals() {
    dialogue(
        &[],
        "freeze(X, true).\n\
         freeze(X, (write(woken), nl)), X = 1.\n\
         dif(X, a).\n\
         dif(X, a), X = b.\n\
         dif(X, a), X = a.\n\
         when(ground(X+Y), write(now)), X = 1.\n\
         put_attr(X, m, v).\n",
        &expect![[r#"
            freeze(X, true).
            woken
            X = 1.
            dif(X, a).
            X = b.
            false.
            X = 1,
            when(ground(1+Y), write(now)).
            put_attr(X, m, v).
            --- exit 0
        "#]],
    );
}

#[test]
fn errors_leave_the_top_level_running() {
    dialogue(
        &[],
        "X is foo + 1.\n\
         X is Y + 1.\n\
         undefined_pred(1).\n\
         atom_length(X, Y).\n\
         atom_length(f(x), Y).\n\
         arg(a, f(x), Y).\n\
         throw(my_ball).\n\
         catch(throw(a), a, true).\n\
         assertz((foo :- 1)).\n\
         number_codes(X, \"3x\").\n\
         length(L, -1).\n\
         X = still_here.\n",
        &expect![[r#"
            ERROR: (is)/2: arithmetic: evaluable foo/0 does not exist
            ERROR: (is)/2: arguments are not sufficiently instantiated
            ERROR: unknown procedure: undefined_pred/1
            ERROR: atom_length/2: arguments are not sufficiently instantiated
            ERROR: atom_length/2: type error: `atom` expected, found `f(x)`
            ERROR: arg/3: type error: `integer` expected, found `a`
            ERROR: uncaught exception: my_ball
            true.
            ERROR: assertz/1: type error: `callable` expected, found `1`
            ERROR: number_codes/2: syntax error: illegal_number
            ERROR: length/2: domain error: `not_less_than_zero` expected, found `-1`
            X = still_here.
            --- exit 0
        "#]],
    );
}

#[test]
fn syntax_errors_and_going_on() {
    dialogue(
        &[],
        "foo(.\n\
         X = ].\n\
         X = 1.\n\
         a b c.\n\
         X = [1,2.\n\
         f(x)) = y.\n\
         X = {a.\n\
         X = end.\n",
        &expect![[r#"
            ERROR: syntax error: 1:5: unexpected end of clause
              foo(
                  ^
            ERROR: syntax error: 1:5: unexpected `]`
              X = ]
                  ^
            X = 1.
            ERROR: syntax error: 1:3: operator expected
              a b c
                ^
            ERROR: syntax error: 1:9: unclosed `[` before end of clause
              X = [1,2
                      ^
            ERROR: syntax error: 1:5: unbalanced or misplaced punctuation
              f(x)) = y
                  ^
            ERROR: syntax error: 1:7: unclosed `{` before end of clause
              X = {a
                    ^
            X = end.
            --- exit 0
        "#]],
    );
}

#[test]
fn queries_over_several_lines() {
    dialogue(
        &[],
        "X = f(1,\n  2,\n\n  3).\n\
         % a comment\n\
         X = /* inside */ 2.\n\
         X = 'a. b', Y = 0'. , Z = \"end. \".\n\
         X = 1. Y = 2.\n\
         X = 3\n.\n",
        &expect![[r#"
            X = f(1, 2, 3).
            X = 2.
            X = 'a. b',
            Y = 46,
            Z = "end. ".
            ERROR: syntax error: more than one term
            X = 3.
            --- exit 0
        "#]],
    );
}

#[test]
fn input_and_output_of_the_program() {
    dialogue(
        &[],
        "write(hello), nl.\n\
         read(X).\nterm(from, input).\n\
         get_char(C).\nxyz\n\
         print_message(error, format(\"told ~w\", [so])).\n\
         format(\"~a ~q ~d~n\", [a, 'B c', 42]).\n\
         forall(member(X,[1,2]), (write(X), nl)).\n",
        &expect![[r#"
            hello
            true.
            X = term(from, input).
            C = '\n'.
            ERROR: syntax error: 2:1: operator expected
              print_message(error, format("told ~w", [so]))
              ^
            a 'B c' 42
            true.
            1
            2
            true.
            --- exit 0
        "#]],
    );
}

#[test]
fn the_end_of_input_and_halt() {
    dialogue(
        &[],
        "",
        &expect![[r#"
        --- exit 0
    "#]],
    );
    dialogue(
        &[],
        "X = 1",
        &expect![[r#"
        X = 1.
        --- exit 0
    "#]],
    );
    dialogue(
        &[],
        "halt.\nX = not_reached.\n",
        &expect![[r#"
        --- exit 0
    "#]],
    );
    dialogue(
        &[],
        "write(bye), nl, halt(3).\n",
        &expect![[r#"
        bye
        --- exit 3
    "#]],
    );
    dialogue(
        &[],
        "member(X,[1,2]), halt(4).\n",
        &expect![[r#"
        --- exit 4
    "#]],
    );
}

#[test]
fn files_with_mistakes_are_loaded_as_far_as_possible() {
    dialogue(
        &[(
            "bad.pl",
            "a(1).\n\
             b(X) :- c(X,.\n\
             a(2).\n\
             c(X, Y) :- d(X).\n\
             b(1).\n\
             a(3).\n\
             :- undefined_directive.\n\
             :- fail.\n\
             d(\"text\\q\").\n\
             e(1).\n",
        )],
        "a(X).\n;\n;\n\
         e(X).\n",
        &expect![[r#"
            X = 1 ;
            X = 2 ;
            X = 3.
            X = 1.
            --- stderr
            ERROR: bad.pl:2:13: syntax error: unexpected end of clause
                b(X) :- c(X,.
                            ^
            Warning: bad.pl:4: singleton variables: Y
            Warning: bad.pl:6: clauses of a/1 are not together; declare it discontiguous
            Warning: bad.pl:7: unknown procedure: undefined_directive/0
            Warning: bad.pl:8: directive failed: fail
            ERROR: bad.pl:9:8: syntax error: undefined escape sequence
                d("text\q").
                       ^
            --- exit 2
        "#]],
    );
}

#[test]
fn violations_at_the_top_level() {
    dialogue(
        &[(
            "q.pl",
            ":- module(q, [put/3], [assertions, regtypes, rtchecks]).\n\
             :- regtype queue/1.\n\
             queue(q(F, B)) :- list(int, F), list(int, B).\n\
             :- pred put(Q0, E, Q) : (queue(Q0), int(E)) => queue(Q).\n\
             put(q(F, B), E, q(F, [E|B])).\n",
        )],
        "put(q([],[]), 1, Q).\n\
         put(q([],[]), a, Q).\n\
         save_rtchecks(put(q([],b), 1, Q), [rtcheck(T,_,_,P,_,_)|_]).\n\
         rtchecks_off(all), put(q([],[]), a, Q).\n",
        &expect![[r#"
            Q = q([], [1]).
            Q = q([], [a]).
            Q = q([], [1|b]),
            T = calls,
            P = [(queue(q([], b)), int(1))].
            Q = q([], [a]).
            --- stderr
            {In q.pl
            ERROR: (lns 4-4) q:put(Q0,E,Q) run-time check failure.
              Requires in *calls*:
                (queue(Q0),int(E))
              But instead:
                Q0 = q([],[]), E = a
              (clauses: lns 5-5)
            }
            --- exit 2
        "#]],
    );
}
