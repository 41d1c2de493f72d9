% Pattern matching over lists of property lists, after Gabriel's benchmark.
main :- bench(60).
bench(0) :- !.
bench(N) :- \+ \+ browse, N1 is N-1, bench(N1).
browse :-
    units(60, 10, 4, Symbols),
    spread(Symbols, 21, Mixed),
    investigate(Mixed,
        [[star(_),B,star(_),B,a,star(_),a,star(_),B],
         [star(_),star(X),b,star(_),star(X),star(_)],
         [star(_),star(_),b,star(_),b,star(_)],
         [_,_,star(_),[b,a],star(_),_,_]]).
patterns([[a,a,a,b,b,b,b,a,a,a,a,a,b,b,a,a,a],
          [a,a,b,b,b,b,a,a,[a,a],[b,b]],
          [a,a,a,b,[b,a],b,a,b,a],
          [b,b,[a,b],a,b,[b,a],a,a,b]]).
units(0, _, _, []) :- !.
units(N, M, P, [unit(N,Fill,Pats)|Us]) :-
    Rest is N mod (M+1),
    fill(Rest, Fill),
    patterns(Ps), take(P, Ps, Pats),
    N1 is N-1,
    units(N1, M, P, Us).
fill(0, []) :- !.
fill(N, [dummy(N)|L]) :- N1 is N-1, fill(N1, L).
take(0, _, []) :- !.
take(_, [], []) :- !.
take(N, [X|Xs], [X|Ys]) :- N1 is N-1, take(N1, Xs, Ys).
spread([], _, []) :- !.
spread(L, R0, [X|M]) :-
    R is (R0*17) mod 251,
    len(L, 0, N), K is R mod N,
    pick(K, L, X, Rest),
    spread(Rest, R, M).
len([], N, N).
len([_|T], N0, N) :- N1 is N0+1, len(T, N1, N).
pick(0, [X|Xs], X, Xs) :- !.
pick(N, [Y|Ys], X, [Y|Zs]) :- N1 is N-1, pick(N1, Ys, X, Zs).
investigate([], _).
investigate([unit(_,_,Data)|Us], Patterns) :- try_all(Data, Patterns), investigate(Us, Patterns).
try_all([], _).
try_all([D|Ds], Patterns) :- try_each(Patterns, D), try_all(Ds, Patterns).
try_each([], _).
try_each([P|Ps], D) :- ( \+ match(D, P) -> true ; true ), try_each(Ps, D).
match([], []) :- !.
match([X|Xs], [P|Ps]) :- var(P), !, P = X, match(Xs, Ps).
match(L, [star(S)|Ps]) :- !, conc(S, Rest, L), match(Rest, Ps).
match([X|Xs], [P|Ps]) :- ( atom(X) -> X = P ; compound(P), match(X, P) ), match(Xs, Ps).
conc([], L, L).
conc([H|T], L, [H|R]) :- conc(T, L, R).
