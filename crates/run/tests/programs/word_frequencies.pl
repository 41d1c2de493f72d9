% Word frequencies and text layout: read from a string stream, split_string, msort, pairs, format columns.
:- use_module(library(pairs)).
:- use_module(library(readutil)).
text("the quick brown fox jumps over the lazy dog\nthe dog sleeps; the fox does not.\n\nThe end.\n").
words(Line, Ws) :- split_string(Line, " ;,.", " ;,.\t", Ps), exclude(==(""), Ps, Ws0), maplist(string_lower, Ws0, Ws).
count(Ws, Ps) :- msort(Ws, S), clumped_pairs(S, Ps0), transpose_pairs(Ps0, T), reverse(T, Ps).
clumped_pairs(S, Ps) :- maplist([W,W-1]>>true, S, P1), clumped(P0, P1, Ps, P0).
clumped(_, P1, Ps, _) :- pairs_keys(P1, Ks), maplist([K,K-K]>>true, Ks, KK), group_pairs_by_key(KK, G), maplist([K-L,K-N]>>length(L, N), G, Ps).
lines(S, [L|Ls]) :- read_line_to_string(S, L), L \== end_of_file, !, lines(S, Ls).
lines(_, []).
wrap([], _, _) :- nl.
wrap([W|Ws], Col, Max) :- string_length(W, N), C is Col + N + 1,
    (   C > Max, Col > 0 -> nl, wrap([W|Ws], 0, Max)
    ;   ( Col > 0 -> write(' ') ; true ), write(W), wrap(Ws, C, Max) ).
main :-
    text(T), open_string(T, S), lines(S, Ls), close(S), length(Ls, N), print(N), nl,
    maplist(words, Ls, Wss), append(Wss, Ws), length(Ws, NW), format("~d words~n", [NW]),
    count(Ws, Ps),
    forall(member(C-W, Ps), ( C > 1 -> format("~w~t~10|~t~d~4+~n", [W, C]) ; true )),
    wrap(Ws, 0, 30),
    sub_atom(hello_world, B, _, 0, world), print(B), nl,
    findall(X, sub_atom(banana, X, 2, _, an), L), print(L), nl,
    atomic_list_concat(P, '_', a_b_c), print(P), nl,
    string_code(1, "abc", SC), print(SC), nl,
    sub_string("hello world", 6, 5, _, SS), print(SS), nl,
    string_chars(St, [h, i]), print(St), nl,
    split_string("/home//jan///nice/path", "/", "", SL), print(SL), nl,
    split_string("  a b  ", "", " ", SL2), print(SL2), nl,
    read_term_from_atom('foo(X, Y, X)', RT, []), print(RT), nl,
    term_to_atom(f(X1, 'A', "s", [1,2|X1]), At), print(At), nl,
    sformat_test, nl,
    atom_to_term('p(X, Y, X)', TT, Bs), print(TT-Bs), nl,
    nb_setval(k, 1), forall(between(1, 5, _), ( nb_getval(k, V), V1 is V * 2, nb_setval(k, V1) )), nb_getval(k, KV), print(KV), nl,
    string_to_atom(Str, abc), print(Str), nl,
    char_code(Ch, 0'x), print(Ch), nl, number_codes(Nu, "42"), print(Nu), nl,
    atom_number('0x1A', Hx), print(Hx), nl, ( atom_number(foo, _) -> true ; writeln(nan) ),
    term_string(TS, "g(A,B,A)"), print(TS), nl,
    sumlist([1,2,3], Sum), print(Sum), nl,
    upcase_atom('hello world', UA), print(UA), nl, string_upper("abc", SU), print(SU), nl,
    normalize_space(atom(NS), "  a   b  c "), print(NS), nl,
    nth0(1, [a,b,c], N0), nth1(1, [a,b,c], N1), print(N0/N1), nl.
sformat_test :- format(atom(A), "~a-~d-~q", [x, 42, 'Q q']), print(A), with_output_to(string(S), ( write(a), print('B') )), print(S).
