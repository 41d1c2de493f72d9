:- use_module(library(plunit)).
:- use_module(library(lists)).
:- begin_tests(numbers).
test(add) :- X is 1 + 2, X =:= 3.
test(equal, X == 3) :- X is 1 + 2.
test(fails, [fail]) :- 1 =:= 2.
test(error, error(type_error(evaluable, foo/0))) :- _ is foo.
test(throws, [throws(my)]) :- throw(my).
test(all, all(X == [1,2,3])) :- member(X, [1,2,3]).
test(set, set(X == [a,b])) :- member(X, [b,a,b]).
test(open, [nondet]) :- member(_, [1,2]).
test(each, [forall(member(X-Y, [1-2,3-4])), true(Z =:= Y)]) :- Z is X + 1.
test(around, [setup(nb_setval(k, 1)), cleanup(nb_setval(k, 0)), true(V == 1)]) :- nb_getval(k, V).
:- end_tests(numbers).
:- begin_tests(wrong).
test(answer, X == 4) :- X is 1 + 2.
:- end_tests(wrong).
main :- ( run_tests(numbers) -> writeln(passed) ; writeln(failed) ), nb_getval(k, K), writeln(K),
    ( run_tests(wrong) -> writeln(passed) ; writeln(failed) ).
