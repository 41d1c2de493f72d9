//! The assertion language as tables of small programs: kinds, prefixes, star form, modes, properties, types.

mod support;

use support::{QUIET, Run, check};

#[test]
fn status_prefixes() {
    let program = "
:- check pred c(X) : int(X).
c(_).
:- trust pred tr(X) : int(X).
tr(_).
:- true pred tu(X) : int(X).
tu(_).
:- checked pred cd(X) : int(X).
cd(_).
:- false pred fa(X) : int(X).
fa(_).
:- check success cs(X) => int(X).
cs(a).
:- trust success ts(X) => int(X).
ts(a).
:- check calls cc(X) : int(X).
cc(_).
:- trust calls tc(X) : int(X).
tc(_).
:- check comp cm(X) + fails.
cm(_).
:- trust comp tm(X) + fails.
tm(_).
";
    check(
        program,
        &[
            ("c(a)", "calls: int(X) / X = a\ntrue"),
            ("tr(a)", "true"),
            ("tu(a)", "true"),
            ("cd(a)", "true"),
            ("fa(a)", "true"),
            ("cs(X)", "success: int(X) / X = a\nX = a"),
            ("ts(X)", "X = a"),
            ("cc(a)", "calls: int(X) / X = a\ntrue"),
            ("tc(a)", "true"),
            ("cm(a)", "comp: fails / answers(1)\ntrue"),
            ("tm(a)", "true"),
        ],
    );
}

#[test]
fn kinds_of_assertions() {
    let program = "
:- entry en(X) : int(X).
en(_).
:- exit ex(X) => int(X).
ex(a).
:- exit xc(X,Y) : int(X) => int(Y).
xc(_,a).
:- comp co(X) : int(X) + fails.
co(_).
:- pred compat(X) :: int(X).
compat(_).
:- pred all(X,Y) :: int(Y) : int(X) => int(Y) + det # \"everything at once\".
all(_,Y) :- ( Y = a ; Y = b ).
:- regtype tree/1.
tree(e).
tree(n(L,X,R)) :- tree(L), int(X), tree(R).
:- pred tr(T) :: tree(T).
tr(_).
:- pred named/2.
named(_,_).
";
    check(
        program,
        &[
            ("en(a)", "calls: int(X) / X = a\ntrue"),
            ("ex(X)", "success: int(X) / X = a\nX = a"),
            ("xc(1,Y)", "success: int(Y) / Y = a\nY = a"),
            ("xc(b,Y)", "Y = a"),
            ("co(1)", "comp: fails / answers(1)\ntrue"),
            ("co(a)", "true"),
            ("compat(_)", "true"),
            ("compat(1)", "true"),
            ("compat(a)", "compat: int(X) / X = a\ntrue"),
            ("tr(_), tr(n(_,_,e)), tr(n(e,1,_))", "true"),
            ("tr(n(_,a,_))", "compat: tree(T) / T = n(_A,a,_B)\ntrue"),
            ("\\+ \\+ (X = n(X,1,e), save_rtchecks(tr(X), [_]))", "true"),
            ("named(1,2)", "true"),
            ("all(1,Y)", "success: int(Y) / Y = a\nY = a"),
            (
                "findall(Y, all(1,Y), L)",
                "success: int(Y) / Y = a\ncomp: det / answers(2)\nsuccess: int(Y) / Y = b\nL = [a, b]",
            ),
            ("all(x,1)", "calls: int(X) / X = x\nfalse"),
        ],
    );
}

#[test]
fn star_form() {
    let program = "
:- pred s(X,Y) : int * list.
s(_,_).
:- pred p(X,Y) : int * list(int) => (int * list(atm)).
p(_,_).
:- pred one(X) : int.
one(_).
:- pred out(X,Y,Z) : int * int * var => int * int * int.
out(X,Y,Z) :- Z = X-Y.
";
    check(
        program,
        &[
            ("s(1,[a])", "true"),
            ("s(a,[a])", "calls: (int(X),list(Y)) / X = a, Y = [a]\ntrue"),
            ("s(1,a)", "calls: (int(X),list(Y)) / X = 1, Y = a\ntrue"),
            ("p(1,[1])", "success: (int(X),list(atm,Y)) / Y = [1]\ntrue"),
            ("p(1,[])", "true"),
            ("one(1)", "true"),
            ("one(a)", "calls: int(X) / X = a\ntrue"),
            (
                "out(1,2,Z)",
                "success: (int(X),int(Y),int(Z)) / Z = 1-2\nZ = 1-2",
            ),
        ],
    );
}

#[test]
fn modes() {
    let program = "
:- pred in(+X).
in(_).
:- pred out(-X).
out(1).
:- pred any(?X).
any(_).
:- pred kept(@X).
kept(1).
:- pred ins(+int, +list(int)).
ins(_,_).
:- pred outs(+int, -int).
outs(1,1). outs(2,a).
:- pred maybe(?int).
maybe(_).
:- pred given(+int(X), -list(int,Y)).
given(X,[X]).
";
    check(
        program,
        &[
            ("in(1)", "true"),
            ("in(_)", "calls: nonvar(X) / var(X)\ntrue"),
            ("out(X)", "X = 1"),
            ("out(1)", "calls: var(X) / X = 1\ntrue"),
            ("any(_)", "true"),
            ("any(1)", "true"),
            ("kept(X)", "comp: not_further_inst(1) / bound(1)\nX = 1"),
            ("kept(1)", "true"),
            ("ins(1,[1])", "true"),
            (
                "ins(a,[1])",
                "calls: (int(A1),list(int,A2)) / A1 = a, A2 = [1]\ntrue",
            ),
            (
                "ins(1,[b])",
                "calls: (int(A1),list(int,A2)) / A1 = 1, A2 = [b]\ntrue",
            ),
            (
                "ins(1,_)",
                "calls: (int(A1),list(int,A2)) / A1 = 1, var(A2)\ntrue",
            ),
            ("outs(1,Y)", "Y = 1"),
            ("outs(2,Y)", "success: int(A2) / A2 = a\nY = a"),
            ("maybe(1)", "true"),
            ("maybe(_)", "success: int(A1) / var(A1)\ntrue"),
            (
                "maybe(a)",
                "compat: int(A1) / A1 = a\nsuccess: int(A1) / A1 = a\ntrue",
            ),
        ],
    );
}

#[test]
fn modes_defined_by_the_program() {
    let program = "
:- modedef >>(A) : var(A) => gnd(A).
:- modedef big(A) : big_int(A).
:- prop big_int/1.
big_int(X) :- integer(X), X > 100.
:- pred m(>>(X)).
m(f(_)).
:- pred n(big(X)).
n(_).
";
    check(
        program,
        &[
            ("m(X), X = f(1)", "success: gnd(X) / X = f(_A)\nX = f(1)"),
            ("n(200)", "true"),
            ("n(5)", "calls: big_int(X) / X = 5\ntrue"),
        ],
    );
}

#[test]
fn computational_properties_of_all_kinds() {
    let program = "
n(0) :- fail.
n(1).
n(2). n(2).
n(3) :- throw(oops).
:- pred det(X) + det.
det(X) :- n(X).
:- pred semidet(X) + semidet.
semidet(X) :- n(X).
:- pred multi(X) + multi.
multi(X) :- n(X).
:- pred nondet(X) + nondet.
nondet(X) :- n(X).
:- pred not_fails(X) + not_fails.
not_fails(X) :- n(X).
:- pred fails(X) + fails.
fails(X) :- n(X).
:- pred two(X) + num_solutions(2).
two(X) :- n(X).
:- pred throws(X) + exception(oops).
throws(X) :- n(X).
:- pred throws_other(X) + exception(other).
throws_other(X) :- n(X).
:- pred quiet(X) + no_exception.
quiet(X) :- n(X).
:- pred both(X) + (det, no_exception).
both(X) :- n(X).
all(G) :- forall(G, true).
";
    check(
        program,
        &[
            ("det(1)", "true"),
            ("det(0)", "comp: det / answers(0)\nfalse"),
            ("all(det(2))", "comp: det / answers(2)\ntrue"),
            ("semidet(0)", "false"),
            ("all(semidet(1))", "true"),
            ("all(semidet(2))", "comp: semidet / answers(2)\ntrue"),
            ("multi(0)", "comp: multi / answers(0)\nfalse"),
            ("all(multi(2))", "true"),
            ("nondet(0)", "false"),
            ("all(nondet(2))", "true"),
            ("not_fails(0)", "comp: not_fails / answers(0)\nfalse"),
            ("all(not_fails(2))", "true"),
            ("fails(0)", "false"),
            ("fails(1)", "comp: fails / answers(1)\ntrue"),
            ("all(two(2))", "true"),
            ("all(two(1))", "comp: num_solutions(2) / answers(1)\ntrue"),
            ("two(0)", "comp: num_solutions(2) / answers(0)\nfalse"),
            ("catch(throws(3), B, true)", "B = oops"),
            ("throws(1)", "comp: exception(oops) / succeeded\ntrue"),
            ("throws(0)", "comp: exception(oops) / failed\nfalse"),
            (
                "catch(throws_other(3), B, true)",
                "comp: exception(other) / threw(oops)\nB = oops",
            ),
            ("quiet(1)", "true"),
            (
                "catch(quiet(3), B, true)",
                "comp: no_exception / threw(oops)\nB = oops",
            ),
            ("both(1)", "true"),
            ("both(0)", "comp: det / answers(0)\nfalse"),
        ],
    );
}

#[test]
fn types_of_many_shapes() {
    let program = "
:- regtype even/1.
even(z).
even(s(X)) :- odd(X).
:- regtype odd/1.
odd(s(X)) :- even(X).
:- pred e(X) : even(X).
e(_).
:- regtype bt/2.
bt(empty, _).
bt(t(L,X,R), T) :- bt(L,T), T(X), bt(R,T).
:- pred bi(X) : bt(X, int).
bi(_).
:- pred bb(X) : bt(X, bt(atm)).
bb(_).
:- pred bl(X) : bt(X, list(int)).
bl(_).
:- regtype colour/1.
colour(red). colour(1). colour(2.5). colour(\"s\"). colour(f(a)).
:- pred c(X) : colour(X).
c(_).
:- regtype pair/1.
pair(A-B) :- int(A), term(B).
:- pred ps(X) : list(pair, X).
ps(_).
:- regtype alias/1.
alias(X) :- list(int, X).
:- pred al(X) : alias(X).
al(_).
:- regtype either/1.
either(X) :- int(X).
either(X) :- list(atm, X).
:- pred ei(X) : either(X).
ei(_).
:- regtype over/1.
over(X) :- gnd(X).
over(f(X)) :- list(X).
:- pred ov(X) : over(X).
ov(_).
:- regtype wide/1.
wide(X) :- struct(X).
wide(f(X)) :- int(X).
wide(a).
:- pred wi(X) : wide(X).
wi(_).
:- pred both(X) : (list(int, X), even_length(X)).
both(_).
:- prop even_length/1.
even_length([]).
even_length([_,_|T]) :- even_length(T).
";
    check(
        program,
        &[
            ("e(z)", "true"),
            ("e(s(s(z)))", "true"),
            ("e(s(z))", "calls: even(X) / X = s(z)\ntrue"),
            ("e(s(_))", "calls: even(X) / X = s(_A)\ntrue"),
            ("bi(t(empty,1,t(empty,2,empty)))", "true"),
            (
                "bi(t(empty,a,empty))",
                "calls: bt(X,int) / X = t(empty,a,empty)\ntrue",
            ),
            ("bb(t(empty,t(empty,a,empty),empty))", "true"),
            (
                "bb(t(empty,t(empty,1,empty),empty))",
                "calls: bt(X,bt(atm)) / X = t(empty,t(empty,1,empty),empty)\ntrue",
            ),
            ("bl(t(empty,[1],empty))", "true"),
            (
                "bl(t(empty,[a],empty))",
                "calls: bt(X,list(int)) / X = t(empty,[a],empty)\ntrue",
            ),
            ("c(red), c(1), c(2.5), c(f(a))", "true"),
            ("c(blue)", "calls: colour(X) / X = blue\ntrue"),
            ("c(f(b))", "calls: colour(X) / X = f(b)\ntrue"),
            ("c(1.0)", "calls: colour(X) / X = 1.0\ntrue"),
            ("ps([1-_, 2-b])", "true"),
            ("ps([a-1])", "calls: list(pair,X) / X = [a-1]\ntrue"),
            ("al([1])", "true"),
            ("al([a])", "calls: alias(X) / X = [a]\ntrue"),
            ("ei(1), ei([a])", "true"),
            ("ei([1])", "calls: either(X) / X = [1]\ntrue"),
            ("ov(f(a)), ov(f([_])), ov(b)", "true"),
            ("ov(f(g(_)))", "calls: over(X) / X = f(g(_A))\ntrue"),
            ("wi(f(a)), wi(g(_)), wi(a)", "true"),
            ("wi(b)", "calls: wide(X) / X = b\ntrue"),
            ("both([1,2])", "true"),
            (
                "both([1])",
                "calls: (list(int,X),even_length(X)) / X = [1]\ntrue",
            ),
        ],
    );
}

/// Each primitive property: terms that have it, terms that do not; checked on entry and at a program point.
#[test]
fn primitive_properties() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("term(X)", &["_", "1", "a", "f(_)"], &[]),
        (
            "int(X)",
            &["1", "-3", "123456789012345678901234567890"],
            &["_", "1.0", "a", "f(1)"],
        ),
        (
            "nnegint(X)",
            &["0", "5", "123456789012345678901234567890"],
            &["-1", "-123456789012345678901234567890", "_", "a"],
        ),
        ("flt(X)", &["1.0", "-2.5"], &["1", "_", "a"]),
        (
            "num(X)",
            &["1", "1.5", "123456789012345678901234567890"],
            &["_", "a", "f(1)"],
        ),
        (
            "atm(X)",
            &["a", "[]", "'A b'"],
            &["_", "1", "f(a)", "\"s\""],
        ),
        ("struct(X)", &["f(_)", "[a]"], &["_", "1", "a"]),
        (
            "gnd(X)",
            &["a", "1", "f(a,[1])", "\"s\""],
            &["_", "f(_)", "[1|_]"],
        ),
        ("ground(X)", &["f(a)"], &["f(_)"]),
        ("gndstr(X)", &["f(a)", "[1]"], &["a", "f(_)", "_"]),
        ("constant(X)", &["a", "1", "1.5"], &["_", "f(a)"]),
        ("callable(X)", &["a", "f(_)"], &["_", "1", "1.5"]),
        (
            "list(X)",
            &["[]", "[_]", "[a,1]"],
            &["_", "[a|_]", "[a|b]", "a"],
        ),
        (
            "list(int,X)",
            &["[]", "[1,2]"],
            &["[a]", "[_]", "[1|_]", "_"],
        ),
        ("list(list(int),X)", &["[]", "[[1],[]]"], &["[1]", "[[a]]"]),
        (
            "nlist(int,X)",
            &["[]", "1", "[1,[2,[3]],4]"],
            &["a", "[1,[a]]", "_"],
        ),
        ("sequence(int,X)", &["1", "(1,2,3)"], &["a", "(1,a)", "_"]),
        (
            "character_code(X)",
            &["0'a", "0"],
            &["-1", "1114112", "a", "_"],
        ),
        ("string(X)", &["[0'a,0'b]", "[]"], &["[a]", "_", "[-1]"]),
        ("num_code(X)", &["0'1", "0'."], &["0'a", "_"]),
        (
            "predname(X)",
            &["a/1", "foo/0"],
            &["a", "1/a", "_/1", "a/_"],
        ),
        (
            "atm_or_atm_list(X)",
            &["a", "[a,b]", "[]"],
            &["1", "[1]", "_"],
        ),
        (
            "operator_specifier(X)",
            &["xfx", "fy", "yf"],
            &["foo", "1", "_"],
        ),
        ("bytelist(X)", &["[]", "[0,255]"], &["[256]", "[a]", "_"]),
        ("var(X)", &["_"], &["1", "f(_)"]),
        ("nonvar(X)", &["1", "f(_)"], &["_"]),
        ("list(var,X)", &["[_,_]", "[]"], &["[1]", "_"]),
        ("list(gnd,X)", &["[a,f(b)]"], &["[_]", "[f(_)]"]),
    ];
    let mut program = ":- module(m, [], [assertions, regtypes]).\n".to_string();
    for (index, (property, _, _)) in cases.iter().enumerate() {
        program.push_str(&format!(
            ":- pred p{index}(X) : {property} => {property}.\np{index}(_).\nq{index}(X) :- check({property}).\n"
        ));
    }
    let mut run = Run::new(&program, &QUIET, 0);
    for (index, (property, yes, no)) in cases.iter().enumerate() {
        for (terms, violations) in [(yes, 0), (no, 1)] {
            for term in *terms {
                let entry = run.goal(&format!("X = {term}, m:p{index}(X)"));
                let count = entry.matches("calls:").count();
                assert_eq!(count, violations, "{property} of {term}: {entry}");
                let point = run.goal(&format!("X = {term}, m:q{index}(X)"));
                let count = point.matches("pp_check:").count();
                assert_eq!(count, violations, "check({property}) of {term}: {point}");
            }
        }
    }
}

/// [RTC §2]: a property must hold as it is, not become true by binding.
#[test]
fn instantiation_is_checked_not_made() {
    let program = "
:- prop p1/1.
p1(a). p1(f(_)).
:- prop same/2.
same(X, X).
:- pred q(X) : p1(X).
q(_).
:- pred r(X,Y) : same(X,Y).
r(_,_).
:- pred g(X) => list(X).
g(_).
";
    check(
        program,
        &[
            ("q(a)", "true"),
            ("q(f(_))", "true"),
            ("q(X), var(X)", "calls: p1(X) / var(X)\ntrue"),
            ("r(X,X)", "true"),
            (
                "r(X,Y), X \\== Y",
                "calls: same(X,Y) / var(X), var(Y)\ntrue",
            ),
            (
                "r(f(_),f(_))",
                "calls: same(X,Y) / X = f(_A), Y = f(_B)\ntrue",
            ),
            ("g(X), var(X)", "success: list(X) / var(X)\ntrue"),
            ("g([a|T]), var(T)", "success: list(X) / X = [a|_A]\ntrue"),
        ],
    );
}

/// Checks of a property see cyclic and long terms through.
#[test]
fn cyclic_and_long_terms() {
    check(
        "
:- pred l(X) : list(X).
l(_).
:- pred g(X) : gnd(X).
g(_).
n(0, []) :- !.
n(N, [N|T]) :- N1 is N - 1, n(N1, T).
",
        &[
            ("n(300000, L), l(L), g(L), L = [_|_], fail ; true", "true"),
            ("\\+ \\+ (X = [1|X], save_rtchecks(l(X), [_]))", "true"),
            ("\\+ \\+ (X = f(X), save_rtchecks(g(X), [_]))", "true"),
        ],
    );
}
