:- use_module(library(readutil)).
main :-
    open_string("foo(X, Y).\n\n  bar.", S), ( read_term(S, _, [variables([_])]) -> writeln(wrong) ; writeln(fails) ),
    read_term(S, B, [term_position(P)]), stream_position_data(line_count, P, Line), print(B-Line), nl,
    Z is powm(3, 1000, 1000007), print(Z), nl, G is getbit(5, 2), print(G), nl, M is max(1, 1.0), print(M), nl.
