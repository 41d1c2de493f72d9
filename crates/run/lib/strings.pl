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

% dedent_lines(In, Out, Options): without the blanks that all lines start with; option tab(N).
dedent_lines(In, Out, Options) :-
    ( memberchk(tab(Tab), Options) -> true ; Tab = 8 ),
    atomic_list_concat(Lines0, '\n', In),
    expanded(Lines0, Tab, Lines1),
    common_indent(Lines1, none, Indent),
    undented(Lines1, Indent, Lines),
    atomic_list_concat(Lines, '\n', Atom),
    atom_string(Atom, Out).
expanded([], _, []).
expanded([L|Ls], Tab, [N-Text|Es]) :-
    atom_codes(L, Codes), width_of(Codes, Tab, 0, N0, Rest),
    ( Rest == [] -> N = blank, Text = '' ; N = N0, atom_codes(Text, Rest) ),
    expanded(Ls, Tab, Es).
width_of([0' |Cs], Tab, N0, N, Rest) :- !, N1 is N0 + 1, width_of(Cs, Tab, N1, N, Rest).
width_of([9|Cs], Tab, N0, N, Rest) :- !, N1 is (N0 // Tab + 1) * Tab, width_of(Cs, Tab, N1, N, Rest).
width_of(Cs, _, N, N, Cs).
common_indent([], none, 0) :- !.
common_indent([], N, N).
common_indent([W-_|Ls], N0, N) :-
    ( W == blank -> N1 = N0 ; N0 == none -> N1 = W ; N1 is min(N0, W) ),
    common_indent(Ls, N1, N).
undented([], _, []).
undented([W-Text|Ls], Indent, [L|Rs]) :-
    ( W == blank -> L = '' ; N is W - Indent, format(atom(L), '~*c~w', [N, 0' , Text]) ),
    undented(Ls, Indent, Rs).

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
prefixed([L0|Ls0], Filter, Prefix, [L|Ls]) :-
    atom_string(L0, S),
    ( call(Filter, S) -> atomic_list_concat([Prefix, L0], L) ; L = L0 ),
    prefixed(Ls0, Filter, Prefix, Ls).

% interpolate_string(In, Out, Map, Options): {name} is the value of Name = Value in the map.
interpolate_string(In, Out, Map, _) :-
    string_codes(In, Codes),
    interpolated(Codes, Map, Parts),
    atomics_to_string(Parts, Out).
interpolated([], _, []).
interpolated([0'{|Cs], Map, [Value|Parts]) :-
    append(NameCodes, [0'}|Rest], Cs), name_codes(NameCodes), !,
    atom_codes(Name, NameCodes),
    ( memberchk(Name = Value, Map) -> true ; throw(error(existence_error(template_variable, Name), _)) ),
    interpolated(Rest, Map, Parts).
interpolated([C|Cs], Map, [A|Parts]) :- char_code(A, C), interpolated(Cs, Map, Parts).
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
