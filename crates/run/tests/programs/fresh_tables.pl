% Incremental tables follow changes of the facts they depend on; constraints are no part of a tabled call; predicates
% declared det are checked.
:- use_module(library(clpfd)).
:- table connected/2 as incremental, far(+, _, max).
:- dynamic([link/2], [incremental(true)]).
:- dynamic weight/1 as incremental.
:- table heaviest(max) as incremental.
:- table low/1.

connected(X, Y) :- link(X, Y).
connected(X, Y) :- connected(X, Z), link(Z, Y).
heaviest(W) :- weight(W).
far(X, X, 0).
far(X, Y, N) :- far(X, Z, N0), N0 < 5, Y is Z + 1, N is N0 + 1.
low(X) :- member(X, [1, 2, 3]).

:- det(single/1).
single(1).
single(2).

show :- findall(Y, connected(a, Y), L), sort(L, S), writeln(S).
error_of(G) :- catch(( G, writeln(yes) ), error(E, _), ( E =.. [K|_], writeln(K) )), !.
error_of(_) :- writeln(no).

main :-
    assertz(link(a, b)), show,
    assertz(link(b, c)), show,
    assertz(link(c, a)), show,
    retract(link(b, c)), show,
    retractall(link(_, _)), show,
    forall(member(W, [3, 7, 5]), ( assertz(weight(W)), heaviest(H), writeln(H) )),
    abolish_all_tables,
    findall(Y-N, far(0, Y, N), Ds), sort(Ds, Sorted), writeln(Sorted),
    error_of(( X #> 1, low(X) )),
    error_of(single(2)), error_of(single(1)), error_of(single(3)), error_of(single(_)).
