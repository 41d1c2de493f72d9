% A balanced tree of keys and values, of the library.
:- use_module(library(assoc)).
main :- empty_assoc(A), put(0, A, B), get(0, B).
put(100000, A, A) :- !.
put(N, A, B) :- K is (N*7919) mod 100003, put_assoc(K, A, N, C), N1 is N+1, put(N1, C, B).
get(100000, _) :- !.
get(N, A) :- K is (N*7919) mod 100003, get_assoc(K, A, V), V == N, N1 is N+1, get(N1, A).
