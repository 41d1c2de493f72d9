% Helpers over text.

:- module(strings,
          [ string_lines/2, dedent_lines/3, indent_lines/3, indent_lines/4, interpolate_string/4, join_text/3, split_text/3, dedent_text/2,
            text_starts_with/2, text_ends_with/2, pad_left/4, pad_right/4
          ]).

:- use_module(library(error)).
:- use_module(library(lists)).

% string_lines(String, Lines): the last line of a text may end in a newline or not.
string_lines(String, Lines) :-
    (   var(String)
    ->  must_be(list, Lines),
        lines_text(Lines, String)
    ;   split_string(String, "\n", "", Lines0),
        (   append(Lines1, [Last], Lines0), string_length(Last, 0), same_lines(Lines, Lines1) -> Lines = Lines1
        ;   same_lines(Lines, Lines0), Lines = Lines0 ) ).
same_lines(Lines, Lines1) :- \+ Lines \= Lines1.
lines_text(Lines, String) :-
    with_ends(Lines, Parts),
    atomics_to_string(Parts, String).
with_ends([], []).
with_ends([L|Ls], [L, '\n'|Ps]) :- with_ends(Ls, Ps).

% dedent_lines(In, Out, Options): without the blanks that all lines start with; a tab is not so many spaces.
dedent_lines(In, Out, _) :-
    atomic_list_concat(Lines0, '\n', In),
    margins(Lines0, Lines1),
    common_margin(Lines1, none, Margin),
    length(Margin, N),
    undented(Lines1, N, Lines),
    atomic_list_concat(Lines, '\n', Atom),
    atom_string(Atom, Out).
margins([], []).
margins([L|Ls], [Margin-Codes|Es]) :-
    atom_codes(L, Codes),
    margin(Codes, Blanks, Rest),
    ( Rest == [] -> Margin = blank ; Margin = Blanks ),
    margins(Ls, Es).
margin([C|Cs], [C|Bs], Rest) :- ( C =:= 0'  ; C =:= 9 ), !, margin(Cs, Bs, Rest).
margin(Cs, [], Cs).
common_margin([], none, []) :- !.
common_margin([], Margin, Margin).
common_margin([M-_|Ls], M0, Margin) :-
    ( M == blank -> M1 = M0 ; M0 == none -> M1 = M ; common_prefix(M0, M, M1) ),
    common_margin(Ls, M1, Margin).
common_prefix([C|As], [D|Bs], P) :- C =:= D, !, P = [C|Ps], common_prefix(As, Bs, Ps).
common_prefix(_, _, []).
undented([], _, []).
undented([M-Codes|Ls], N, [L|Rs]) :-
    ( M == blank -> L = '' ; length(Before, N), append(Before, Rest, Codes), atom_codes(L, Rest) ),
    undented(Ls, N, Rs).

% indent_lines(Prefix, In, Out): before every line that is not blank; or where the filter says so.
:- meta_predicate indent_lines(1, ?, ?, ?).
indent_lines(Prefix, In, Out) :- indent_lines(strings:not_blank, Prefix, In, Out).
indent_lines(Filter, Prefix, In, Out) :-
    atomic_list_concat(Lines0, '\n', In),
    prefixed(Lines0, Filter, Prefix, Lines),
    atomic_list_concat(Lines, '\n', Atom),
    atom_string(Atom, Out).
not_blank(Line) :- split_string(Line, "", " \t", [S]), string_length(S, N), N > 0.
prefixed([], _, _, []).
% What follows the last line end is a line only if it is not empty.
prefixed([''], _, _, L) :- !, L = [''].
prefixed([L0|Ls0], Filter, Prefix, [L|Ls]) :-
    atom_string(L0, S),
    ( call(Filter, S) -> atomic_list_concat([Prefix, L0], L) ; L = L0 ),
    prefixed(Ls0, Filter, Prefix, Ls).

% interpolate_string(In, Out, Map, Options): {Name} is the value of Name = Value in the map, {Name,Default} is the default
% if there is none. Names are those of variables.
interpolate_string(In, Out, Map, _) :-
    string_codes(In, Codes),
    interpolated(Codes, Map, Parts),
    atomics_to_string(Parts, Out).
interpolated([], _, []).
interpolated([0'{|Cs], Map, [Value|Parts]) :-
    append(Field, [0'}|Rest], Cs), field(Field, Name, Default), !,
    (   memberchk(Name = Value, Map) -> true
    ;   Default = default(Value) -> true
    ;   throw(error(existence_error(template_var, Name), _)) ),
    interpolated(Rest, Map, Parts).
interpolated([C|Cs], Map, [A|Parts]) :- char_code(A, C), interpolated(Cs, Map, Parts).
field(Field, Name, Default) :-
    (   append(NameCodes, [0',|DefaultCodes], Field)
    ->  atom_codes(Value, DefaultCodes), Default = default(Value)
    ;   NameCodes = Field, Default = none ),
    NameCodes = [C|_], code_type(C, prolog_var_start), name_codes(NameCodes),
    atom_codes(Name, NameCodes).
name_codes([C|Cs]) :- code_type(C, prolog_identifier_continue), ( Cs == [] -> true ; name_codes(Cs) ).

atomics_to_string(Parts, String) :- atomic_list_concat(Parts, Atom), atom_string(Atom, String).

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
