% Classes of character codes, under the names of C.

:- module(ctypes, [is_alnum/1, is_alpha/1, is_ascii/1, is_cntrl/1, is_csym/1, is_csymf/1, is_digit/1, is_digit/3,
                   is_endfile/1, is_endline/1, is_graph/1, is_lower/1, is_newline/1, is_newpage/1, is_paren/2,
                   is_period/1, is_print/1, is_punct/1, is_quote/1, is_space/1, is_upper/1, is_white/1, to_lower/2,
                   to_upper/2, upper_lower/2]).

is_alnum(C) :- code_type(C, alnum).
is_alpha(C) :- code_type(C, csymf), C \== 0'_.
is_ascii(C) :- integer(C), C < 128.
is_cntrl(C) :- code_type(C, cntrl).
is_csym(C) :- code_type(C, csym).
is_csymf(C) :- code_type(C, csymf).
is_digit(C) :- code_type(C, digit).
is_digit(C, Base, W) :- Base =< 36, code_type(C, xdigit(W0)), W0 < Base, !, W = W0.
is_digit(C, Base, W) :- Base =< 36, code_type(C, alpha), code_type(L, to_lower(C)), W is L - 0'a + 10, W > 15, W < Base.
is_endfile(-1).
is_endline(C) :- ( C =< 0 -> C =:= -1 ; C >= 10, C =< 13 ).
is_graph(C) :- code_type(C, graph).
is_lower(C) :- code_type(C, lower).
is_newline(10).
is_newpage(12).
is_paren(0'(, 0')).
is_paren(0'[, 0']).
is_paren(0'{, 0'}).
is_period(0'.).
is_period(0'?).
is_period(0'!).
is_print(C) :- code_type(C, print).
is_punct(C) :- code_type(C, punct).
is_quote(0'').
is_quote(0'`).
is_quote(0'").
is_space(C) :- code_type(C, space).
is_upper(C) :- code_type(C, upper).
is_white(0' ).
is_white(9).

% to_lower(U, L) and to_upper(L, U): the form of a letter, other codes as they are.
to_lower(U, L) :- ( integer(U) -> code_type(L0, to_lower(U)), !, L = L0 ; code_type(L, to_lower(U)) ).
to_upper(L, U) :- ( integer(L) -> code_type(U0, to_upper(L)), !, U = U0 ; code_type(U, to_upper(L)) ).
upper_lower(U, L) :- ( integer(U) -> code_type(U, upper(L)) ; code_type(L, lower(U)) ).
