% A JSON reader and writer as a grammar over codes, with errors at positions, and pretty printing.
:- set_prolog_flag(double_quotes, codes).
json(V) --> ws, value(V), ws.
value(S) --> "\"", !, string_rest(Cs), { atom_codes(A, Cs), S = str(A) }.
value(obj(Ps)) --> "{", !, ws, members(Ps).
value(arr(Es)) --> "[", !, ws, elements(Es).
value(true) --> "true", !.
value(false) --> "false", !.
value(null) --> "null", !.
value(N) --> num(Cs), { Cs \== [], number_codes(N, Cs) }.
members([]) --> "}", !.
members([K-V|Ps]) --> pair(K, V), ws, more_members(Ps).
more_members([K-V|Ps]) --> ",", !, ws, pair(K, V), ws, more_members(Ps).
more_members([]) --> "}".
pair(K, V) --> "\"", string_rest(Cs), { atom_codes(K, Cs) }, ws, ":", ws, value(V).
elements([]) --> "]", !.
elements([V|Vs]) --> value(V), ws, more_elements(Vs).
more_elements([V|Vs]) --> ",", !, ws, value(V), ws, more_elements(Vs).
more_elements([]) --> "]".
string_rest([]) --> "\"", !.
string_rest([C|Cs]) --> "\\", !, [E], { escape(E, C) }, string_rest(Cs).
string_rest([C|Cs]) --> [C], string_rest(Cs).
escape(0'n, 10) :- !.
escape(0't, 9) :- !.
escape(C, C).
num([C|Cs]) --> [C], { C >= 0'0, C =< 0'9 ; memberchk(C, "-+.eE") }, !, num(Cs).
num([]) --> [].
ws --> [C], { C =< 32 }, !, ws.
ws --> [].
show(V) :- show(V, 0), nl.
show(str(A), _) :- format("\"~w\"", [A]).
show(obj(Ps), I) :- J is I + 2, format("{~n"), show_pairs(Ps, J), format("~*c}", [I, 0' ]).
show(arr(Es), I) :- format("["), show_list(Es, I), format("]").
show(X, _) :- atomic(X), write(X).
show_pairs([], _).
show_pairs([K-V|Ps], I) :- format("~*c~w: ", [I, 0' , K]), show(V, I), ( Ps == [] -> true ; write(',') ), nl, show_pairs(Ps, I).
show_list([], _).
show_list([V], I) :- !, show(V, I).
show_list([V|Vs], I) :- show(V, I), write(', '), show_list(Vs, I).
get([], V, V).
get([K|Ks], obj(Ps), V) :- memberchk(K-V0, Ps), get(Ks, V0, V).
get([I|Ks], arr(Es), V) :- integer(I), nth0(I, Es, V0), get(Ks, V0, V).
main :-
    Text = "{ \"name\": \"stet\", \"tags\": [\"a\", \"b\\n\", []], \"n\": -12.5e2, \"ok\": true, \"sub\": {\"x\": null, \"y\": {}} }",
    phrase(json(V), Text), !, print(V), nl, show(V),
    get([tags, 0], V, T), print(T), nl, get([sub, x], V, X), print(X), nl,
    ( phrase(json(_), "[1, 2,") -> writeln(yes) ; writeln(no) ),
    ( phrase(json(J2), "[1, 2, 3]") -> print(J2), nl ; writeln(no) ),
    findall(K, ( V = obj(Ps), member(K-_, Ps) ), Ks), print(Ks), nl,
    phrase(json(_), "7 rest", Rest), atom_codes(R, Rest), print(R), nl.
