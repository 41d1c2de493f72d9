% Constraint puzzles with clpfd: magic square, knapsack, change, scheduling, map colouring, Golomb ruler, reification.
:- use_module(library(clpfd)).
magic(Sq) :- Sq = [A,B,C,D,E,F,G,H,I], Sq ins 1..9, all_different(Sq),
    maplist([L]>>sum(L, #=, 15), [[A,B,C],[D,E,F],[G,H,I],[A,D,G],[B,E,H],[C,F,I],[A,E,I],[C,E,G]]), A #< C, A #< G, C #< G.
knapsack(Vs, V) :- Vs = [A,B,C], Vs ins 0..10, 3*A + 4*B + 5*C #=< 17, V #= 4*A + 5*B + 7*C.
change(T, [Q,D,N,P]) :- [Q,D,N,P] ins 0..T, 25*Q + 10*D + 5*N + P #= T.
tasks(Ss, End) :- Ss = [S1,S2,S3,S4], Ss ins 0..20, End in 0..30,
    S1 + 3 #=< S2, S1 + 3 #=< S3, S2 + 4 #=< S4, S3 + 2 #=< S4, S4 + 1 #= End,
    ( S2 + 4 #=< S3 #\/ S3 + 2 #=< S2 ).
colours(Vs) :- Vs = [WA,NT,SA,Q,NSW,V,T], Vs ins 1..3,
    maplist([X-Y]>>(X #\= Y), [WA-NT,WA-SA,NT-SA,NT-Q,SA-Q,SA-NSW,SA-V,Q-NSW,NSW-V]), T #= 1.
ruler([0,A,B,C]) :- [A,B,C] ins 1..6, 0 #< A, A #< B, B #< C,
    D1 #= A, D2 #= B, D3 #= C, D4 #= B-A, D5 #= C-A, D6 #= C-B, all_different([D1,D2,D3,D4,D5,D6]).
main :-
    findall(S, ( magic(S), label(S) ), Ms), length(Ms, ML), print(ML), nl, Ms = [M|_], print(M), nl,
    knapsack(Vs, V), once(labeling([max(V)], Vs)), print(Vs-V), nl,
    findall(C, ( change(11, C), label(C) ), Cs), length(Cs, N), print(N), nl, print(Cs), nl,
    tasks(Ss, End), once(labeling([min(End)], [End|Ss])), print(Ss-End), nl,
    colours(Cl), once(labeling([ff], Cl)), print(Cl), nl,
    findall(R, ( ruler(R), label(R) ), Rs), print(Rs), nl,
    X in 1..10, B #<==> (X #> 5), ( B = 1, fd_inf(X, I), fd_sup(X, U) -> print(I-U) ; true ), nl,
    Y in 0..20, Y mod 3 #= 1, Y #> 10, Y #\= 16, findall(Y, label([Y]), YL), print(YL), nl,
    Z #= abs(W), W in -3..2, fd_dom(Z, ZD), print(ZD), nl,
    length(Q, 3), Q ins 0..1, sum(Q, #=, 2), findall(Q, label(Q), QL), print(QL), nl,
    P #= max(3, K), K in 1..5, P #>= 4, fd_dom(K, KD), print(KD), nl,
    tuples_in([[T1,T2]], [[1,2],[1,3],[2,4]]), T1 #> 1, print(T1-T2), nl,
    element(E, [10,20,30], 20), print(E), nl,
    ( catch(label([_]), Err, ( Err = error(Fm, _), print(Fm), nl )) -> true ; true ),
    5 #= 2 + FF, print(FF), nl, ( 3 #= 4 -> true ; writeln(no) ),
    lex_chain([[A1,B1],[1,0]]), [A1,B1] ins 0..1, findall(A1-B1, label([A1,B1]), LL), print(LL), nl,
    global_cardinality([G1,G2], [1-1,2-1]), findall(G1-G2, label([G1,G2]), GL), print(GL), nl,
    X9 #> 3, X9 #< 6, copy_term(X9, X9, Gs), print(Gs), nl.
