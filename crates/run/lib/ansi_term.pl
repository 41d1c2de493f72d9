% Coloured text for terminals: attributes such as bold, fg(red) and bg(blue) become escape sequences if the output is a
% terminal, and nothing otherwise.

:- module(ansi_term, [ansi_format/3, ansi_get_color/2, ansi_hyperlink/2, ansi_hyperlink/3]).

ansi_format(Attributes, Format, Args) :-
    (   stream_property(user_output, tty(true)), current_output(Out), stream_property(Out, alias(user_output))
    ->  codes(Attributes, Codes),
        atomic_list_concat(Codes, ;, Text),
        format("\e[~wm", [Text]), format(Format, Args), format("\e[0m", [])
    ;   format(Format, Args) ).

codes(A, Cs) :- ( is_list(A) -> all_codes(A, Cs) ; code(A, C) -> Cs = [C] ; Cs = [0] ).
all_codes([], []).
all_codes([A|As], Cs) :- ( code(A, C) -> Cs = [C|Cs1] ; Cs = Cs1 ), all_codes(As, Cs1).

code(reset, 0).
code(bold, 1).
code(faint, 2).
code(italic, 3).
code(underline, 4).
code(blink(slow), 5).
code(blink(rapid), 6).
code(negative, 7).
code(hfg(Name), C) :- colour(Name, N), C is 90 + N.
code(hbg(Name), C) :- colour(Name, N), C is 100 + N.
code(fg(Name), C) :- ( integer(Name) -> atom_concat('38;5;', Name, C) ; colour(Name, N), C is 30 + N ).
code(bg(Name), C) :- ( integer(Name) -> atom_concat('48;5;', Name, C) ; colour(Name, N), C is 40 + N ).
code(fg8(N), C) :- atom_concat('38;5;', N, C).
code(bg8(N), C) :- atom_concat('48;5;', N, C).
code(fg(R, G, B), C) :- atomic_list_concat(['38;2', R, G, B], ;, C).
code(bg(R, G, B), C) :- atomic_list_concat(['48;2', R, G, B], ;, C).

colour(black, 0).
colour(red, 1).
colour(green, 2).
colour(yellow, 3).
colour(blue, 4).
colour(magenta, 5).
colour(cyan, 6).
colour(white, 7).
colour(default, 9).

% Terminals are not asked.
ansi_get_color(_, _) :- fail.

ansi_hyperlink(Stream, Location) :- ansi_hyperlink(Stream, Location, Location).
ansi_hyperlink(Stream, _, Label) :- write(Stream, Label).
