% Base64 (RFC 4648); base64url without padding. The predicates convert text, as UTF-8; the grammars convert bytes.

:- module(base64, [ base64/2, base64url/2, base64//1, base64url//1, base64_encoded/3 ]).

:- use_module(library(error)).
:- use_module(library(option)).

base64(Plain, Encoded) :- converted(Plain, Encoded, classic, atom).
base64url(Plain, Encoded) :- converted(Plain, Encoded, url, atom).

base64(Codes, Text, Rest) :- grammar(Codes, classic, Text, Rest).
base64url(Codes, Text, Rest) :- grammar(Codes, url, Text, Rest).

base64_encoded(Plain, Encoded, Options) :-
    option(charset(Set), Options, classic),
    option(as(As), Options, string),
    converted(Plain, Encoded, Set, As).

grammar(Codes, Set, Text, Rest) :-
    (   nonvar(Codes)
    ->  encoded(Codes, Set, Text, Rest)
    ;   Rest = [],
        decoded(Text, Set, Codes)
    ).

converted(Plain, Encoded, Set, As) :-
    (   nonvar(Plain)
    ->  codes_of(Plain, Characters),
        utf8(Characters, Codes),
        encoded(Codes, Set, Out, []),
        text(As, Out, Encoded)
    ;   nonvar(Encoded)
    ->  codes_of(Encoded, In),
        decoded(In, Set, Codes),
        from_utf8(Codes, Characters),
        text(As, Characters, Plain)
    ;   instantiation_error(Plain)
    ).

codes_of(Text, Codes) :-
    (   Text == [] -> Codes = []
    ;   Text = [_|_] -> codes_of_list(Text, Codes)
    ;   format(codes(Codes), '~w', [Text])
    ).

codes_of_list([], []).
codes_of_list([X|Xs], [C|Cs]) :- ( integer(X) -> C = X ; char_code(X, C) ), codes_of_list(Xs, Cs).

utf8([], []).
utf8([C|Cs], Bytes) :-
    (   C < 0x80 -> Bytes = [C|Rest]
    ;   C < 0x800 -> A is 0xc0 \/ C >> 6, continued(C, 0, B), Bytes = [A, B|Rest]
    ;   C < 0x10000 -> A is 0xe0 \/ C >> 12, continued(C, 6, B), continued(C, 0, D), Bytes = [A, B, D|Rest]
    ;   A is 0xf0 \/ C >> 18, continued(C, 12, B), continued(C, 6, D), continued(C, 0, E), Bytes = [A, B, D, E|Rest]
    ),
    utf8(Cs, Rest).

continued(C, Shift, Byte) :- Byte is 0x80 \/ (C >> Shift /\ 63).

from_utf8([], []).
from_utf8([A|Bytes], [C|Cs]) :-
    (   A < 0x80 -> C = A, Rest = Bytes
    ;   A >= 0xf0 -> more(3, A /\ 7, Bytes, C, Rest)
    ;   A >= 0xe0 -> more(2, A /\ 15, Bytes, C, Rest)
    ;   A >= 0xc0 -> more(1, A /\ 31, Bytes, C, Rest)
    ;   representation_error(encoding)
    ),
    from_utf8(Rest, Cs).

more(N, High, Bytes, C, Rest) :-
    (   N =:= 0 -> C is High, Rest = Bytes
    ;   Bytes = [B|Bytes1], B /\ 0xc0 =:= 0x80
    ->  High1 is High << 6 \/ (B /\ 63),
        N1 is N - 1,
        more(N1, High1, Bytes1, C, Rest)
    ;   representation_error(encoding)
    ).

text(atom, Codes, Text) :- atom_codes(Text, Codes).
text(string, Codes, Text) :- string_codes(Text, Codes).
text(codes, Codes, Codes).

encoded([], _, Rest, Rest).
encoded([A], Set, Text, Rest) :- !,
    byte(A), X is A << 16,
    digits(X, Set, [D1, D2, _, _]),
    ( Set == url -> Text = [D1, D2|Rest] ; Text = [D1, D2, 0'=, 0'=|Rest] ).
encoded([A, B], Set, Text, Rest) :- !,
    byte(A), byte(B), X is A << 16 \/ B << 8,
    digits(X, Set, [D1, D2, D3, _]),
    ( Set == url -> Text = [D1, D2, D3|Rest] ; Text = [D1, D2, D3, 0'=|Rest] ).
encoded([A, B, C|T], Set, [D1, D2, D3, D4|Text], Rest) :-
    byte(A), byte(B), byte(C), X is A << 16 \/ B << 8 \/ C,
    digits(X, Set, [D1, D2, D3, D4]),
    encoded(T, Set, Text, Rest).

byte(B) :- ( B =< 255 -> true ; representation_error(encoding) ).

digits(X, Set, [D1, D2, D3, D4]) :-
    A is X >> 18, digit(A, Set, D1),
    B is X >> 12 /\ 63, digit(B, Set, D2),
    C is X >> 6 /\ 63, digit(C, Set, D3),
    D is X /\ 63, digit(D, Set, D4).

digit(V, Set, C) :-
    (   V < 26 -> C is V + 0'A
    ;   V < 52 -> C is V - 26 + 0'a
    ;   V < 62 -> C is V - 52 + 0'0
    ;   V =:= 62 -> ( Set == url -> C = 0'- ; C = 0'+ )
    ;   Set == url -> C = 0'_
    ;   C = 0'/
    ).

decoded(Text, Set, Codes) :- values(Text, Set, Values), bytes(Values, Codes).

values([], _, []).
values([C|T], Set, Values) :-
    (   C =:= 0'= -> Values = []
    ;   value(C, Set, V) -> Values = [V|Values1], values(T, Set, Values1)
    ;   char_code(Char, C), syntax_error(base64_char(Char))
    ).

value(C, Set, V) :-
    (   C >= 0'A, C =< 0'Z -> V is C - 0'A
    ;   C >= 0'a, C =< 0'z -> V is C - 0'a + 26
    ;   C >= 0'0, C =< 0'9 -> V is C - 0'0 + 52
    ;   Set == url -> ( C =:= 0'- -> V = 62 ; C =:= 0'_ -> V = 63 )
    ;   C =:= 0'+ -> V = 62
    ;   C =:= 0'/ -> V = 63
    ).

bytes([], []).
bytes([A, B], [X]) :- !, X is A << 2 \/ B >> 4.
bytes([A, B, C], [X, Y]) :- !, X is A << 2 \/ B >> 4, Y is (B << 4 \/ C >> 2) /\ 255.
bytes([A, B, C, D|T], [X, Y, Z|Bytes]) :-
    X is A << 2 \/ B >> 4, Y is (B << 4 \/ C >> 2) /\ 255, Z is (C << 6 \/ D) /\ 255,
    bytes(T, Bytes).
bytes([_], _) :- syntax_error(base64_length).
