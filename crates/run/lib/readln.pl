% A line of text as a list of words, numbers and punctuation, as SWI-Prolog's library reads it.

:- module(readln, [readln/1]).

:- use_module(library(readutil)).

readln(Words) :-
    current_input(Stream),
    read_line_to_codes(Stream, Line),
    ( is_list(Line) -> words(Line, Words) ; Words = [] ).

words([], []).
words([C|Cs], Words) :-
    (   code_type(C, space) -> words(Cs, Words)
    ;   code_type(C, digit) -> number_at([C|Cs], Codes, Rest), number_codes(W, Codes), Words = [W|Ws], words(Rest, Ws)
    ;   code_type(C, alnum) -> name_at([C|Cs], Codes, Rest), atom_codes(W, Codes), Words = [W|Ws], words(Rest, Ws)
    ;   atom_codes(W, [C]), Words = [W|Ws], words(Cs, Ws) ).

name_at([C|Cs], [C|Ws], Rest) :- ( code_type(C, alnum) ; C == 0'_ ), !, name_at(Cs, Ws, Rest).
name_at(Rest, [], Rest).
number_at([C|Cs], [C|Ds], Rest) :- code_type(C, digit), !, number_at(Cs, Ds, Rest).
number_at([0'., C|Cs], [0'., C|Ds], Rest) :- code_type(C, digit), !, fraction_at(Cs, Ds, Rest).
number_at(Rest, [], Rest).
fraction_at([C|Cs], [C|Ds], Rest) :- code_type(C, digit), !, fraction_at(Cs, Ds, Rest).
fraction_at(Rest, [], Rest).
