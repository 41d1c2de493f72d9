% Strings split, joined and searched.
:- set_prolog_flag(double_quotes, string).
main :- loop(0).
loop(100000) :- !.
loop(N) :- number_string(N, S), string_concat(S, ",a,bc,def", T), split_string(T, ",", " ", P), P = [_, _, _, D], D == "def",
    sub_string(T, B, 1, _, ","), !, B >= 0, string_codes(T, Cs), string_to_atom(Cs, A), atom_length(A, _), N1 is N+1, loop(N1).
