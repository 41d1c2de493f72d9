% What answers say of truth values that are not decided.
:- use_module(library(clpb)).
main :-
    r(sat(X + Y), [X, Y]), r(sat(A =< B), [A, B]), r(sat(~(C * D)), [C, D]), r(sat(E # F), [E, F]),
    r((sat(G + H), sat(I # J)), [G, H, I, J]), r(sat(card([1], [K, L, M])), [K, L, M]), r((sat(N + O), sat(~N)), [N, O]),
    r(sat(Q + ~Q), [Q]),
    ( sat(a) -> writeln(yes) ; writeln(no) ), ( sat(R =:= a), R = 1 -> writeln(yes) ; writeln(no) ),
    ( sat(S =\= T), S = T -> writeln(yes) ; writeln(no) ).
r(G, Vs) :- ( \+ \+ ( call(G), copy_term(Vs, Ws, Gs), numbervars(Ws, 0, _), print(Ws), write(' '), print(Gs), nl ) -> true ; writeln(no) ).
