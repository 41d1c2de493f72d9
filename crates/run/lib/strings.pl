% Helpers over text.

:- module(strings,
          [ string_lines/2, join_text/3, split_text/3, dedent_text/2,
            text_starts_with/2, text_ends_with/2, pad_left/4, pad_right/4
          ]).

:- use_module(library(lists)).

string_lines(String, Lines) :-
    split_string(String, "\n", "\r", Lines0),
    (   append(Lines1, [""], Lines0)
    ->  Lines = Lines1
    ;   Lines = Lines0
    ).

join_text(Separator, Parts, Atom) :-
    atomic_list_concat(Parts, Separator, Atom).

split_text(Separator, Atom, Parts) :-
    atomic_list_concat(Parts, Separator, Atom).

text_starts_with(Text, Prefix) :-
    sub_atom(Text, 0, _, _, Prefix), !.

text_ends_with(Text, Suffix) :-
    sub_atom(Text, _, _, 0, Suffix), !.

pad_left(Text, Width, Char, Padded) :-
    padding(Text, Width, Char, Pad),
    atom_concat(Pad, Text, Padded).

pad_right(Text, Width, Char, Padded) :-
    padding(Text, Width, Char, Pad),
    atom_concat(Text, Pad, Padded).

padding(Text, Width, Char, Pad) :-
    atom_length(Text, Length),
    Missing is max(0, Width-Length),
    length(Chars, Missing),
    fill(Chars, Char),
    atom_chars(Pad, Chars).

fill([], _).
fill([C|Cs], C) :- fill(Cs, C).

dedent_text(String, Dedented) :-
    string_lines(String, Lines),
    indents(Lines, Indents),
    (   Indents = [] -> Least = 0 ; min_list(Indents, Least) ),
    drop_indents(Lines, Least, Stripped),
    atomic_list_concat(Stripped, '\n', Dedented).

indents([], []).
indents([L|Ls], Is) :-
    atom_codes(L, Codes),
    leading(Codes, 0, N, Rest),
    (   Rest == [] -> Is = Is1 ; Is = [N|Is1] ),
    indents(Ls, Is1).

leading([0'\s|T], N0, N, Rest) :- !,
    N1 is N0+1,
    leading(T, N1, N, Rest).
leading(Rest, N, N, Rest).

drop_indents([], _, []).
drop_indents([L|Ls], Least, [D|Ds]) :-
    atom_length(L, Len),
    Drop is min(Least, Len),
    sub_atom(L, Drop, _, 0, D),
    drop_indents(Ls, Least, Ds).
