% Terms that contain themselves, balanced trees as they are written, and goals that wait on several variables.
:- use_module(library(assoc)).
:- use_module(library(aggregate)).
:- use_module(library(error)).
:- use_module(library(hashtable)).
:- use_module(library(rbtrees)).

kind(G) :- catch(( G -> writeln(yes) ; writeln(no) ), error(E, _), ( functor(E, K, _), writeln(K) )).

main :-
    A = f(A, _, B, B), numbervars(A, 0, End, [singletons(true)]), writeln(End),
    C = (C, C), kind(when(C, true)),
    L = [1|L], kind(must_be(list(integer), L)),
    list_to_assoc([d-4, a-1, c-3, b-2], T), print(T), nl,
    put_assoc(e, T, 5, T2), print(T2), nl,
    del_assoc(c, T2, _, T3), print(T3), nl,
    kind(list_to_assoc([a-1, a-2], _)), kind(ord_list_to_assoc([b-1, a-2], _)),
    ht_new(H), foreach(member(X, [1, 2]), ht_put(H, X, X)), ht_size(H, Size), writeln(Size),
    kind(rb_lookup(k, _, _)),
    kind(char_code(42, _)), kind(( term_to_atom(_, Text), atom(Text) )),
    dif(P, Q), freeze(Q, true), frozen(P-Q, G), functor(G, Name, Arity), writeln(Name/Arity),
    S = g(V, h(V), W, W, _), term_singletons(S, [_|Rest]), writeln(Rest).
