:- set_prolog_flag(double_quotes, codes).
json(V) --> ws, value(V), ws.
value(S) --> string_(S).
value(N) --> num(N).
value(O) --> "{", ws, members(M), ws, "}", { O = obj(M) }.
value(A) --> "[", ws, elements(A), ws, "]".
value(true) --> "true". value(false) --> "false". value(null) --> "null".
members([K-V|R]) --> string_(K), ws, ":", json(V), ( "," -> ws, members(R) ; { R = [] } ).
members([]) --> [].
elements([V|R]) --> json(V), ( "," -> elements(R) ; { R = [] } ).
elements([]) --> [].
string_(A) --> "\"", chars(Cs), "\"", { atom_codes(A, Cs) }.
chars([C|Cs]) --> "\\", !, [E], { esc(E, C) }, chars(Cs).
chars([C|Cs]) --> [C], { C \== 0'" }, !, chars(Cs).
chars([]) --> [].
esc(0'n, 10). esc(0't, 9). esc(C, C) :- memberchk(C, "\"\\/").
num(N) --> digits(Ds), { Ds = [_|_], number_codes(N, Ds) }.
digits([D|Ds]) --> [D], { code_type(D, digit) ; D == 0'- ; D == 0'. }, !, digits(Ds).
digits([]) --> [].
ws --> [C], { code_type(C, space) }, !, ws.
ws --> [].
main :- phrase(json(V), "{ \"a\": [1, 2.5, -3], \"b\": {\"c\": \"x\\ny\"}, \"d\": null, \"e\": [] }"), print(V), nl, ( phrase(json(_), "{bad}") -> true ; writeln('no parse') ).
