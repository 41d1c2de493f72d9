% Grammar basics over lists of character codes.

:- module(dcg_basics,
          [ white//0, whites//0, nonblank//1, nonblanks//1, blank//0,
            blanks//0, blanks_to_nl//0, string//1, string_without//2,
            alpha_to_lower//1, digits//1, digit//1, integer//1, float//1,
            number//1, xinteger//1, xdigit//1, xdigits//1, eos//0, eol//0,
            remainder//1, prolog_symbol//1, csym//1, csyms//1, atom//1,
            sequence//2, sequence//3, sequence//5, optional//2, foreach//2,
            prolog_var_name//1
          ]).

:- meta_predicate sequence(3,?,?,?), sequence(3,//,?,?,?),
    sequence(//,3,//,//,?,?,?), optional(//,//,?,?).

white --> [C], { nonvar(C), ( C =:= 0'\s -> true ; C =:= 0'\t ) }.

whites --> white, !, whites.
whites --> [].

blank --> [C], { nonvar(C), blank_code(C) }.

blank_code(C) :- C =< 0'\s, !.
blank_code(0xa0).

blanks --> blank, !, blanks.
blanks --> [].

nonblank(E) --> [E], { nonvar(E), \+ blank_code(E) }.

nonblanks([H|T]) --> nonblank(H), !, nonblanks(T).
nonblanks([]) --> [].

blanks_to_nl --> [C], { nonvar(C), C \== 0'\n, blank_code(C) }, !, blanks_to_nl.
blanks_to_nl --> "\n", !.
blanks_to_nl, [] --> eos.

string([]) --> [].
string([H|T]) --> [H], string(T).

string_without(End, Codes) -->
    { stop_codes(End, EndCodes) },
    str_without(EndCodes, Codes).

stop_codes(End, Codes) :-
    (   is_list(End) -> Codes = End ; atom_codes(End, Codes) ).

str_without(End, [C|T]) --> [C], { \+ code_member(End, C) }, !, str_without(End, T).
str_without(_, []) --> [].

code_member([H|T], C) :- ( H == C -> true ; code_member(T, C) ).

alpha_to_lower(L) --> [C], { nonvar(C), alpha_lower(C, L) }.

alpha_lower(C, L) :-
    (   C >= 0'A, C =< 0'Z -> L is C+32
    ;   C >= 0'a, C =< 0'z -> L = C
    ;   char_type_alpha(C), L = C
    ).

char_type_alpha(C) :- C > 127.

digits([H|T]) --> digit(H), !, digits(T).
digits([]) --> [].

digit(C) --> [C], { nonvar(C), C >= 0'0, C =< 0'9 }.

integer(I, Head, Tail) :-
    integer(I), !,
    number_codes(I, Codes),
    append_codes(Codes, Tail, Head).
integer(I) --> int_codes(Codes), { number_codes(I, Codes) }.

append_codes([], L, L).
append_codes([H|T], L, [H|R]) :- append_codes(T, L, R).

int_codes([0'-,D0|D]) --> "-", !, digit(D0), digits(D).
int_codes([D0|D]) --> ( "+" -> [] ; [] ), digit(D0), digits(D).

float(F, Head, Tail) :-
    float(F), !,
    number_codes(F, Codes),
    append_codes(Codes, Tail, Head).
float(F) --> number(F0), { F is float(F0) }.

number(N, Head, Tail) :-
    nonvar(N), !,
    number_codes(N, Codes),
    append_codes(Codes, Tail, Head).
number(N) -->
    int_codes(I),
    (   dot, digit(DF0), digits(DF)
    ->  { F = [0'.,DF0|DF] }
    ;   { F = [] }
    ),
    (   exponent_mark, int_codes(DI)
    ->  { E = [0'e|DI] }
    ;   { E = [] }
    ),
    { number_text(I, F, E, Codes), number_codes(N, Codes) }.

dot --> ".".
exponent_mark --> "e".
exponent_mark --> "E".

number_text(I, [], [], I) :- !.
number_text(I, [], E, Codes) :- !,
    append_codes([0'.,0'0], E, FE),
    append_codes(I, FE, Codes).
number_text(I, F, E, Codes) :-
    append_codes(F, E, FE),
    append_codes(I, FE, Codes).

xinteger(Val) --> xdigit(D0), xdigits(D), { xval([D0|D], 0, Val) }.

xval([], V, V).
xval([D|T], V0, V) :- V1 is V0*16+D, xval(T, V1, V).

xdigits([H|T]) --> xdigit(H), !, xdigits(T).
xdigits([]) --> [].

xdigit(W) --> [C], { nonvar(C), xweight(C, W) }.

xweight(C, W) :-
    (   C >= 0'0, C =< 0'9 -> W is C-0'0
    ;   C >= 0'a, C =< 0'f -> W is C-0'a+10
    ;   C >= 0'A, C =< 0'F -> W is C-0'A+10
    ).

eos([], []).

eol --> "\n", !.
eol --> "\r\n", !.
eol --> eos.

remainder(R, R, []).

csyms([H|T]) --> csym(H), !, csyms(T).
csyms([]) --> [].

csym(C) --> [C], { nonvar(C), csym_code(C) }.

csym_code(C) :-
    (   C >= 0'a, C =< 0'z -> true
    ;   C >= 0'A, C =< 0'Z -> true
    ;   C >= 0'0, C =< 0'9 -> true
    ;   C =:= 0'_
    ).

prolog_symbol(Atom) -->
    [C], { symbol_code(C) },
    symbol_codes(T),
    { atom_codes(Atom, [C|T]) }.

symbol_codes([H|T]) --> [H], { symbol_code(H) }, !, symbol_codes(T).
symbol_codes([]) --> [].

symbol_code(C) :- nonvar(C), atom_codes('#$&*+-./:<=>?@\\^~', Cs), code_member(Cs, C).

prolog_var_name(Name) -->
    [C0], { nonvar(C0), ( C0 =:= 0'_ -> true ; C0 >= 0'A, C0 =< 0'Z ) }, !,
    csyms(CT),
    { atom_codes(Name, [C0|CT]) }.

atom(Atomic, Head, Tail) :-
    atomic(Atomic),
    atom_codes(Atomic, Codes),
    append_codes(Codes, Tail, Head).

sequence(OnElem, List) -->
    sequence_(List, OnElem).

sequence_([H|T], P) --> call(P, H), sequence_(T, P).
sequence_([], _) --> [].

sequence(OnElem, OnSep, List) -->
    sequence_sep(OnElem, OnSep, List).

sequence_sep(P, Sep, [H|T]) --> call(P, H), ( Sep -> !, sequence_sep(P, Sep, T), { T \== [] } ; { T = [] } ).
sequence_sep(_, _, []) --> [].

sequence(Start, OnElem, OnSep, End, List) -->
    Start,
    sequence_sep(OnElem, OnSep, List),
    End, !.

optional(Match, _Default) --> Match, !.
optional(_, Default) --> Default.

foreach(Generator, Element, L0, L) :-
    findall(Element, Generator, Elements),
    foreach_(Elements, L0, L).

foreach_([], L, L).
foreach_([E|Es], L0, L) :- phrase(E, L0, L1), foreach_(Es, L1, L).
