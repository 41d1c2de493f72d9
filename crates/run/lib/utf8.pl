% Unicode code points to and from the bytes of UTF-8, as a grammar.

:- module(utf8, [utf8_codes//1]).

utf8_codes([C|Cs]) --> { nonvar(C) }, !, encoded(C), utf8_codes(Cs).
utf8_codes([C|Cs]) --> decoded(C), !, utf8_codes(Cs).
utf8_codes([]) --> [].

encoded(C) --> { C < 0x80 }, !, [C].
encoded(C) --> { C < 0x800 }, !, { A is 0xc0 \/ C >> 6 }, [A], rest(C, 0).
encoded(C) --> { C < 0x10000 }, !, { A is 0xe0 \/ C >> 12 }, [A], rest(C, 6), rest(C, 0).
encoded(C) --> { A is 0xf0 \/ C >> 18 }, [A], rest(C, 12), rest(C, 6), rest(C, 0).
rest(C, Shift) --> { B is 0x80 \/ ((C >> Shift) /\ 0x3f) }, [B].

decoded(C) --> [A], ( { A < 0x80 } -> { C = A } ; { A >= 0xc0 }, { lead(A, N, V) }, more(N, V, C) ).
lead(A, 1, V) :- A < 0xe0, !, V is A /\ 0x1f.
lead(A, 2, V) :- A < 0xf0, !, V is A /\ 0x0f.
lead(A, 3, V) :- V is A /\ 0x07.
more(0, C, C) --> !.
more(N, V0, C) --> [B], { B /\ 0xc0 =:= 0x80, V is V0 << 6 \/ (B /\ 0x3f), N1 is N - 1 }, more(N1, V, C).
