edge(a,b,7). edge(a,c,9). edge(a,f,14). edge(b,c,10). edge(b,d,15). edge(c,d,11). edge(c,f,2). edge(d,e,6). edge(e,f,9).
con(X,Y,W) :- edge(X,Y,W) ; edge(Y,X,W).
dijkstra(S, Dist) :- empty_assoc(D0), list_to_heap([0-(S-[S])], H), run(H, D0, Dist).
run(H, D, D) :- empty_heap(H), !.
run(H, D0, D) :- get_from_heap(H, C, N-P, H1), ( get_assoc(N, D0, _) -> run(H1, D0, D) ; put_assoc(N, D0, C-P, D1), findall(C2-(M-[M|P]), (con(N,M,W), \+ get_assoc(M,D1,_), C2 is C+W), L), foldl([Pr-K,A,B]>>add_to_heap(A,Pr,K,B), L, H1, H2), run(H2, D1, D) ).
main :- dijkstra(a, D), forall(gen_assoc(K, D, C-P), (reverse(P, R), atomic_list_concat(R, '->', T), format("~w ~t~d~6| ~w~n", [K, C, T]))).
