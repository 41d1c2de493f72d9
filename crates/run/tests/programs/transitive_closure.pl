% Tabling of left, right and double recursion, mutual recursion, and modes, on graphs with cycles.
:- table path/2, rpath/2, dpath/2, even/1, odd/1, fib/2, short(_, _, min), conn(_, _, lattice(longer/3)).
main :-
    count(path(1, _)), count(path(_, _)), count(rpath(1, _)), count(dpath(1, _)), count(dpath(_, _)),
    fib(300, F), writeln(F),
    findall(N, ( between(0, 9, N), even(N) ), Es), writeln(Es),
    short(1, 40, D), writeln(D), findall(Y-E, short(3, Y, E), L0), msort(L0, L), length(L, Len), writeln(Len),
    conn(1, 5, P), writeln(P),
    abolish_all_tables, count(path(2, _)),
    findall(X, ( member(X, [1, 2]), \+ path(X, 99) ), Xs), writeln(Xs),
    catch(bad(1), Err, ( writeln(Err) )), count(path(3, _)),
    findall(N-M, nested(N, M), Ns), sort(Ns, Sorted), writeln(Sorted).
count(G) :- aggregate_all(count, G, N), writeln(N).
:- table bad/1, nested/2.
bad(X) :- X < 5, Y is X + 1, bad(Y).
bad(5) :- throw(oops).
nested(X, N) :- member(X, [1, 2, 3]), findall(Y, path(X, Y), Ys), length(Ys, N).
path(X, Y) :- edge(X, Y).
path(X, Y) :- path(X, Z), edge(Z, Y).
rpath(X, Y) :- edge(X, Y).
rpath(X, Y) :- edge(X, Z), rpath(Z, Y).
dpath(X, Y) :- edge(X, Y).
dpath(X, Y) :- dpath(X, Z), dpath(Z, Y).
edge(X, Y) :- between(1, 40, X), ( X < 40 -> Y is X + 1 ; Y = 1 ).
edge(X, Y) :- member(X-Y, [3-20, 20-7, 11-30]).
even(0).
even(N) :- N > 0, M is N - 1, odd(M).
odd(N) :- N > 0, M is N - 1, even(M).
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, A is N - 1, B is N - 2, fib(A, X), fib(B, Y), F is X + Y.
short(X, Y, 1) :- edge(X, Y).
short(X, Y, D) :- short(X, Z, D0), edge(Z, Y), D is D0 + 1.
conn(X, Y, [X, Y]) :- arc(X, Y).
conn(X, Y, P) :- conn(X, Z, P0), arc(Z, Y), append(P0, [Y], P).
arc(1, 2). arc(2, 3). arc(1, 3). arc(3, 4). arc(4, 5). arc(3, 5).
longer(A, B, C) :- length(A, N), length(B, M), ( N >= M -> C = A ; C = B ).
