% Units of tests are modules of their own, which see the predicates and expansions of the module they stand in.
:- use_module(library(plunit)).
:- dynamic seen/1.

size(file).
term_expansion(both(N), [size(N), kind(N)]).

:- begin_tests(first).
both(one).
test(own, all(X == [one])) :- size(X).
test(expanded, X == one) :- kind(X).
test(shared) :- assertz(user:seen(first)).
:- end_tests(first).

:- begin_tests(second).
kind(two).
test(file, X == file) :- size(X).
test(own, all(X == [two])) :- kind(X).
:- end_tests(second).

% Import modules come before `user`.
parent:colour(red).
user:colour(blue).
colours(M, Cs) :- findall(C, M:colour(C), Cs).

main :-
    ( run_tests -> writeln(passed) ; writeln(failed) ),
    findall(X, seen(X), Seen), writeln(Seen),
    findall(X, size(X), Sizes), writeln(Sizes),
    colours(child1, Before), writeln(Before),
    add_import_module(child2, parent, start),
    colours(child2, After), writeln(After),
    findall(I, import_module(child2, I), Is), writeln(Is).
