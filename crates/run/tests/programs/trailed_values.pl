% Values put back on backtracking: setarg/3, attributes, global variables, through cuts, catch/3 and old and new cells.
fill(0, []) :- !.
fill(N, [N|T]) :- N1 is N-1, fill(N1, T).
waste(N) :- fill(N, L), length(L, _).
deep(0, _) :- !.
deep(N, T) :- setarg(1, T, N), put_attr(V, deep, N), waste(50), ( N mod 7 =:= 0 -> true ; fail ; true ), put_attr(V, deep, x(N)), get_attr(V, deep, x(M)), M =:= N, N1 is N-1, deep(N1, T).
old_cell(T) :- ( setarg(1, T, changed), put_old, waste(2000), fail ; true ), arg(1, T, A), print(A), nl.
put_old.
attributes(V) :-
    put_attr(V, here, first),
    ( put_attr(V, here, second), waste(2000), get_attr(V, here, X), print(X), nl, fail ; true ),
    get_attr(V, here, Y), print(Y), nl,
    catch(( put_attr(V, here, third), put_attr(V, there, more), waste(2000), throw(ball) ), ball, true),
    get_attr(V, here, Z), print(Z), nl,
    ( get_attr(V, there, _) -> print(kept) ; print(gone) ), nl.
frozen_loop(0) :- !.
frozen_loop(N) :- freeze(X, Y = X), freeze(X, integer(X)), ( X = N ; fail ), Y == N, !, N1 is N-1, frozen_loop(N1).
choices(T) :-
    member(I, [1,2,3]), setarg(1, T, I), waste(500), member(J, [a,b]), setarg(2, T, J), waste(500),
    T = t(P, Q), print(P-Q), nl, fail.
choices(T) :- print(T), nl.
committed(T) :- once(( member(X, [1,2,3]), X > 1 )), setarg(1, T, X), waste(500).
main :-
    T = t(old, keep), old_cell(T), attributes(V), ( get_attr(V, here, H) -> print(H) ; print(none) ), nl,
    deep(300, T), print(T), nl,
    frozen_loop(2000),
    choices(t(0, 0)),
    ( committed(T), print(T), nl, fail ; print(T), nl ),
    b_setval(counter, 0),
    ( member(N, [1,2,3]), b_setval(counter, N), waste(1000), b_getval(counter, C), print(C), nl, fail ; b_getval(counter, C0), print(C0), nl ).
