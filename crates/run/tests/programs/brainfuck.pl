:- set_prolog_flag(double_quotes, codes).
bf(P) :- phrase(prog(I), P), exec(I, t([], 0, []), _).
prog([I|Is]) --> instr(I), !, prog(Is).
prog([]) --> [].
instr(loop(B)) --> "[", prog(B), "]".
instr(I) --> [C], { memberchk(C-I, [0'+ - inc, 0'- - dec, 0'> - right, 0'< - left, 0'. - out]) }.
exec([], T, T).
exec([I|Is], T0, T) :- step(I, T0, T1), exec(Is, T1, T).
step(inc, t(L,C,R), t(L,D,R)) :- D is (C+1) /\ 255.
step(dec, t(L,C,R), t(L,D,R)) :- D is (C-1) /\ 255.
step(right, t(L,C,[]), t([C|L],0,[])) :- !.
step(right, t(L,C,[D|R]), t([C|L],D,R)).
step(left, t([D|L],C,R), t(L,D,[C|R])).
step(out, t(L,C,R), t(L,C,R)) :- put_char_code(C).
step(loop(B), t(L,C,R), T) :- ( C =:= 0 -> T = t(L,C,R) ; exec(B, t(L,C,R), T1), step(loop(B), T1, T) ).
put_char_code(C) :- char_code(Ch, C), put_char(Ch).
main :- bf("++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++.").
