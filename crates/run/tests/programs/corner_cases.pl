% Suspended goals in memberchk/2 and \=/2, closures that are conditions, expansions one after another, signed zeros.
:- module(corner_cases, [main/0]).

:- use_module(library(option)).
:- use_module(library(rbtrees)).

:- multifile user:term_expansion/2.
:- dynamic user:term_expansion/2.
user:term_expansion(second(X), third(X)).
term_expansion(first(X), second(X)).
term_expansion(end_of_file, [fourth(1), fourth(2), end_of_file]).
goal_expansion(onetime(X), ( X -> true )).

first(1).
first(2).

one(X) :- ( onetime(X = 1) ; X = 2 ).

show(T) :- print(T), nl.
answers(X, G) :- findall(X, G, L), show(L).
caught(G) :- catch(( G -> true ; show(no) ), error(E, _), show(E)).

main :-
    answers(L, ( freeze(L, L = [1, 2, 3]), memberchk(2, L) )),
    answers(M, ( freeze(M, M = [1, 2, 3]), memberchk(2, [a, b|M]) )),
    answers(E, ( freeze(E, E > 1), memberchk(E, [0, 1, 2, 3]) )),
    answers(x, ( freeze(N, N == 7), memberchk(N, [5, 6]) )),
    answers(B, ( dif(a(x, B), a(X, 1)), X = x, B \= 1 )),
    answers(x, ( freeze(F, fail), F \= 1 )),
    answers(x, ( freeze(H, H == 1), H \= 1 )),
    caught(( freeze(I, throw(error(thrown, _))), I \= 1 )),
    answers(A, call(;(true -> A = a), A = b)),
    answers(C, call(;(C = a), C = b)),
    answers(O, one(O)),
    answers(P, third(P)),
    answers(Q, fourth(Q)),
    compare(Z, 0.0, -0.0), show(Z),
    ( 0.0 == -0.0 -> show(same) ; show(different) ),
    sort([0.0, -0.0, 0.0], Zs), show(Zs),
    format("abc~Ndef~N~Nghi~n", []),
    format("~N~w~30|~w~n", [left, right]),
    caught(format("~@~n", [fail])),
    caught(format("~*c~n", [-1, 0'x])),
    write(current_output, stream), nl(current_output),
    merge_options([a = b, c(a, b)], [a(d), e(1)], Os), show(Os),
    list_to_rbtree([1-a, 3-b, 5-c], T),
    ( rb_next(T, 3, K1, V1) -> show(K1-V1) ; show(no) ),
    ( rb_next(T, 2, _, _) -> show(yes) ; show(no) ),
    ( rb_previous(T, 3, K2, V2) -> show(K2-V2) ; show(no) ),
    ( rb_next(T, 5, _, _) -> show(yes) ; show(no) ),
    copy_term([W], f(W, Y), [W1], f(W2, Y1)), ( W1 == W2, Y == Y1, W1 \== W -> show(copied) ; show(wrong) ),
    caught(when(( nonvar(_), _ ), true)),
    caught(strip_module(a:b:c, SM, SP)), show(SM-SP),
    answers(G-Bag, group_by(G, V, member(G-V, [1-a, 2-b, 1-c]), Bag)),
    varnumbers(f('$VAR'(0), '$VAR'(2)), 1, VN), show(VN).
