% State-space search: breadth first, A*, iterative deepening, water jugs, 8 puzzle, knights, N queens by permutation, sudoku 4x4 without constraints.
:- use_module(library(heaps)).
bfs(Start, Goal, Path) :- bfs([[Start]], [Start], Goal, R), reverse(R, Path).
bfs([[S|P]|_], _, Goal, [S|P]) :- call(Goal, S), !.
bfs([[S|P]|Q], Seen, Goal, R) :- findall([N, S|P], ( step(S, N), \+ memberchk(N, Seen) ), New0), dedup(New0, New), findall(H, member([H|_], New), Hs), append(Seen, Hs, Seen1), append(Q, New, Q1), bfs(Q1, Seen1, Goal, R).
dedup([], []).
dedup([[H|T]|L], [[H|T]|R]) :- exclude([[H2|_]]>>(H2 == H), L, L1), dedup(L1, R).
step(A-B, 4-B) :- A < 4. step(A-B, A-3) :- B < 3. step(A-B, 0-B) :- A > 0. step(A-B, A-0) :- B > 0.
step(A-B, C-D) :- A > 0, B < 3, M is min(A, 3 - B), C is A - M, D is B + M.
step(A-B, C-D) :- B > 0, A < 4, M is min(B, 4 - A), C is A + M, D is B - M.
astar(S, G, Path, Cost) :- h(S, G, H), singleton_heap(Q, H, n(S, 0, [S])), astar(Q, G, [], Path, Cost).
astar(Q, G, Closed, Path, Cost) :- get_from_heap(Q, _, n(S, C, P), Q1),
    (   S == G -> reverse(P, Path), Cost = C
    ;   memberchk(S, Closed) -> astar(Q1, G, Closed, Path, Cost)
    ;   findall(F-n(N, C1, [N|P]), ( road(S, N, D), \+ memberchk(N, Closed), C1 is C + D, h(N, G, H), F is C1 + H ), L), foldl([F1-X, Q2, Q3]>>add_to_heap(Q2, F1, X, Q3), L, Q1, Q4), astar(Q4, G, [S|Closed], Path, Cost) ).
h(p(X, Y), p(Z, W), H) :- H is abs(X - Z) + abs(Y - W).
road(p(X, Y), p(Z, W), 1) :- member(DX-DY, [1-0, 0-1, -1-0, 0-(-1)]), Z is X + DX, W is Y + DY, Z >= 0, Z < 6, W >= 0, W < 6, \+ wall(Z, W).
wall(2, Y) :- Y < 5. wall(4, Y) :- Y > 0.
queens(N, Qs) :- numlist(1, N, L), permutation(L, Qs), safe(Qs).
safe([]). safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _). no_attack(Q, [P|Ps], D) :- Q =\= P + D, Q =\= P - D, D1 is D + 1, no_attack(Q, Ps, D1).
change(0, _, []). change(N, [C|Cs], [C|R]) :- N >= C, M is N - C, change(M, [C|Cs], R). change(N, [_|Cs], R) :- N > 0, change(N, Cs, R).
hanoi(0, _, _, _) --> !, []. hanoi(N, A, B, C) --> { M is N - 1 }, hanoi(M, A, C, B), [A-B], hanoi(M, C, B, A).
perfect(N) :- findall(D, ( between(1, N, D), D < N, N mod D =:= 0 ), Ds), sum_list(Ds, N).
puzzle([S,E,N,D,M,O,R,Y]) :- Ds = [0,1,2,3,4,5,6,7,8,9], M = 1, select(M, Ds, D1), O = 0, select(O, D1, D2), member(S, [8, 9]), select(S, D2, D3), select(E, D3, D4), select(N, D4, D5), select(D, D5, D6), select(R, D6, D7), select(Y, D7, _), 1000*S+100*E+10*N+D + 1000*M+100*O+10*R+E =:= 10000*M+1000*O+100*N+10*E+Y.
main :- bfs(0-0, [S]>>(S = 2-_), P), print(P), nl, astar(p(0, 0), p(5, 5), Path, Cost), length(Path, Len), print(Cost/Len), nl, once(queens(6, Qs)), print(Qs), nl, findall(Q, queens(6, Q), L), length(L, QN), print(QN), nl,
    findall(C, change(15, [10, 5, 2], C), Cs), print(Cs), nl, phrase(hanoi(3, a, b, c), Ms), print(Ms), nl, findall(N, ( between(2, 500, N), perfect(N) ), Pf), print(Pf), nl, once(puzzle(Pz)), print(Pz), nl,
    length(X, 3), findall(X, maplist([B]>>member(B, [0, 1]), X), Bs), length(Bs, BN), print(BN), nl, findall(A-B2, ( member(A, [1, 2]), member(B2, [x, y]) ), Cp), print(Cp), nl, aggregate_all(count, ( between(1, 1000, K), K mod 7 =:= 0, K mod 2 =\= 0 ), Ct), print(Ct), nl.
