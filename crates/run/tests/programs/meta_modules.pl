:- module(n_mod, []).
:- use_module(library(lists)).
user:main :- n_mod:go.
:- multifile user:hook/1. :- dynamic user:hook/1.
user:hook(1).
:- meta_predicate twice(0), map2(2,?,?).
twice(G) :- call(G), call(G).
map2(_, [], []). map2(P, [X|Xs], [Y|Ys]) :- call(P, X, Y), map2(P, Xs, Ys).
inc(X, Y) :- Y is X+1.
go :- twice(local), map2(inc, [1,2], L), writeq(L), nl, user:hook(X), writeq(X), nl, assertz(other:fact(7)), other:fact(Z), writeq(Z), nl, ( catch(other:nothere, error(existence_error(procedure, PI),_), (writeq(PI), nl)) -> true ; true ), findall(P, (predicate_property(n_mod:inc(_,_), P), memberchk(P, [defined, static, dynamic, number_of_clauses(_)])), Ps), msort(Ps, SPs), writeq(SPs), nl, ( current_predicate(n_mod:inc/2) -> writeln(cp) ; true ), findall(N/A, (current_predicate(N/A), memberchk(N, [inc,twice])), CPs), msort(CPs, SC), writeq(SC), nl, maplist(n_mod:inc, [5], M), writeq(M), nl, call(n_mod:inc(1), W), writeq(W), nl, ( predicate_property(append(_,_,_), imported_from(From)) -> writeq(From), nl ; true ), @(writeq(x), user), nl, dynamic(zz/1), assertz(zz(1)), clause(zz(Q), true), writeq(Q), nl, retract(zz(1)), \+ zz(_), writeln(ok).
local :- write(local), nl.
