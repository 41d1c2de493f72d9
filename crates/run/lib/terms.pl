% Looking at and changing terms.

:- module(terms,
          [ subsumes_chk/2, subsumes/2, variant/2, term_factorized/3,
            mapsubterms/3, foldsubterms/4, foldsubterms/5,
            same_functor/2, same_functor/3, same_functor/4
          ]).

:- meta_predicate mapsubterms(2,?,?), foldsubterms(3,?,?,?), foldsubterms(4,?,?,?,?).

subsumes_chk(General, Specific) :- subsumes_term(General, Specific).

subsumes(General, Specific) :- subsumes_term(General, Specific), General = Specific.

variant(T1, T2) :- T1 =@= T2.

% Subterms for which the goal holds are replaced; what replaces them is not looked at again.
mapsubterms(G, T, R) :-
    (   call(G, T, R0)
    ->  R = R0
    ;   compound(T)
    ->  T =.. [F|As],
        map_all(As, G, Bs),
        R =.. [F|Bs]
    ;   R = T
    ).

map_all([], _, []).
map_all([A|As], G, [B|Bs]) :-
    mapsubterms(G, A, B),
    map_all(As, G, Bs).

foldsubterms(G, T, S0, S) :-
    (   call(G, T, S0, S1)
    ->  S = S1
    ;   compound(T)
    ->  T =.. [_|As],
        fold_all(As, G, S0, S)
    ;   S = S0
    ).

fold_all([], _, S, S).
fold_all([A|As], G, S0, S) :-
    foldsubterms(G, A, S0, S1),
    fold_all(As, G, S1, S).

foldsubterms(G, T, R, S0, S) :-
    (   call(G, T, R0, S0, S1)
    ->  R = R0, S = S1
    ;   compound(T)
    ->  T =.. [F|As],
        fold_map(As, G, Bs, S0, S),
        R =.. [F|Bs]
    ;   R = T, S = S0
    ).

fold_map([], _, [], S, S).
fold_map([A|As], G, [B|Bs], S0, S) :-
    foldsubterms(G, A, B, S0, S1),
    fold_map(As, G, Bs, S1, S).

same_functor(T1, T2) :- same_functor(T1, T2, _, _).
same_functor(T1, T2, A) :- same_functor(T1, T2, _, A).
same_functor(T1, T2, N, A) :-
    (   nonvar(T1) -> functor(T1, N, A), functor(T2, N, A)
    ;   functor(T2, N, A), functor(T1, N, A)
    ).

% A skeleton without equal compound subterms, and what its variables stand for.
term_factorized(T, Skeleton, Bindings) :-
    factorize(T, Skeleton0, [], Table),
    singles(Table, Bindings0),
    reverse(Bindings0, Bindings),
    Skeleton = Skeleton0.

% The table has seen(Term, Variable, Skeleton, Count); terms seen once are put back.
factorize(T, V, Table0, Table) :-
    compound(T), !,
    (   select(seen(T0, V0, S0, C0), Table0, Rest), T0 == T
    ->  V = V0, C is C0 + 1,
        Table = [seen(T0, V0, S0, C)|Rest]
    ;   T =.. [F|As],
        factorize_all(As, Bs, Table0, Table1),
        S =.. [F|Bs],
        Table = [seen(T, V, S, 1)|Table1]
    ).
factorize(T, T, Table, Table).

factorize_all([], [], Table, Table).
factorize_all([A|As], [B|Bs], Table0, Table) :-
    factorize(A, B, Table0, Table1),
    factorize_all(As, Bs, Table1, Table).

singles([], []).
singles([seen(_, V, S, C)|Seen], Bindings) :-
    (   C =:= 1 -> V = S, Bindings = Bindings1
    ;   Bindings = [V = S|Bindings1]
    ),
    singles(Seen, Bindings1).
