% Options of the command line by a specification: a list of [opt(Key), type(T), default(D), shortflags(Cs),
% longflags(Fs), meta(M), help(H)] for each option.

:- module(optparse, [opt_parse/4, opt_parse/5, opt_arguments/3, opt_help/2]).

:- use_module(library(error)).
:- use_module(library(lists)).

opt_arguments(Spec, Opts, Positional) :- current_prolog_flag(argv, Argv), opt_parse(Spec, Argv, Opts, Positional).

opt_parse(Spec, Args, Opts, Positional) :- opt_parse(Spec, Args, Opts, Positional, []).

% Options: output_functor(F), duplicated_flags(keepfirst | keeplast | keepall), allow_empty_flag_spec(Bool).
opt_parse(Spec, Args, Opts, Positional, Options) :-
    parse(Args, Spec, Found, Positional),
    ( memberchk(duplicated_flags(Keep), Options) -> true ; Keep = keeplast ),
    findall(K-D, ( member(S, Spec), memberchk(opt(K), S), \+ memberchk(K-_, Found), ( memberchk(default(D), S) -> true ; true ) ), Defaults),
    kept(Keep, Found, Given),
    append(Defaults, Given, Pairs),
    ( memberchk(output_functor(F), Options) -> true ; F = none ),
    terms(Pairs, F, Opts).
kept(keepall, Found, Found) :- !.
kept(keepfirst, Found, Given) :- !, first_of_each(Found, [], Given).
kept(_, Found, Given) :- reverse(Found, Back), first_of_each(Back, [], Given0), reverse(Given0, Given).
first_of_each([], _, []).
first_of_each([K-V|Ps], Seen, Rs) :-
    ( memberchk(K, Seen) -> Rs = Rs1 ; Rs = [K-V|Rs1] ), first_of_each(Ps, [K|Seen], Rs1).
terms([], _, []).
terms([K-V|Ps], F, [T|Ts]) :- ( F == none -> T =.. [K, V] ; T =.. [F, K, V] ), terms(Ps, F, Ts).

parse([], _, [], []).
parse([A|As], Spec, Found, Positional) :-
    atom_codes(A, Codes),
    (   Codes = [0'-, 0'-|Long], Long \== [] -> long(Long, A, As, Spec, Found, Rest, Found1), Positional = Positional1
    ;   Codes = [0'-, C|Short], C =\= 0'-, \+ number_like([C|Short]) -> short([C|Short], A, As, Spec, Found, Rest, Found1), Positional = Positional1
    ;   Found = Found1, Rest = As, Positional = [A|Positional1] ),
    parse(Rest, Spec, Found1, Positional1).
number_like(Cs) :- catch(number_codes(_, Cs), _, fail).

long(Codes, A, As, Spec, Found, Rest, Found1) :-
    ( append(Name, [0'=|ValueCodes], Codes) -> atom_codes(V, ValueCodes), Value = given(V) ; Name = Codes, Value = none ),
    atom_codes(Flag, Name),
    (   option_with(longflags, Flag, Spec, S) -> take(Value, S, A, As, Rest, Key-X), Found = [Key-X|Found1]
    ;   atom_concat('no-', Plain, Flag), option_with(longflags, Plain, Spec, S), type_of(S, boolean)
    ->  memberchk(opt(Key), S), Found = [Key-false|Found1], Rest = As
    ;   unknown(A) ).
short([C|Cs], A, As, Spec, Found, Rest, Found1) :-
    char_code(Flag, C),
    ( option_with(shortflags, Flag, Spec, S) -> true ; unknown(A) ),
    (   Cs == [] -> take(none, S, A, As, Rest, Key-X), Found = [Key-X|Found1]
    ;   type_of(S, boolean) -> memberchk(opt(Key), S), Found = [Key-true|Found2], short(Cs, A, As, Spec, Found2, Rest, Found1)
    ;   atom_codes(V, Cs), take(given(V), S, A, As, Rest, Key-X), Found = [Key-X|Found1] ).
unknown(A) :- throw(error(existence_error(commandline_option, A), _)).

option_with(Kind, Flag, Spec, S) :- Want =.. [Kind, Flags], member(S, Spec), memberchk(Want, S), memberchk(Flag, Flags), !.
type_of(S, T) :- ( memberchk(type(T0), S) -> T = T0 ; T = term ).

take(Value, S, A, As, Rest, Key-X) :-
    memberchk(opt(Key), S),
    type_of(S, Type),
    (   Value = given(V) -> Rest = As
    ;   Type == boolean -> V = true, Rest = As
    ;   As = [V|Rest] -> true
    ;   throw(error(existence_error(commandline_value, A), _)) ),
    ( typed(Type, V, X) -> true ; type_error(Type, V) ).
typed(boolean, V, B) :- memberchk(V-B, [true-true, false-false, yes-true, no-false, on-true, off-false, '1'-true, '0'-false]).
typed(integer, V, N) :- atom_number(V, N), integer(N).
typed(float, V, N) :- atom_number(V, N0), N is float(N0).
typed(atom, V, V).
typed(term, V, T) :- atom_to_term(V, T, _).

% opt_help(Spec, Help): a line for each option: long flags, short flags, type with its default, help.
opt_help(Spec, Help) :-
    rows(Spec, Rows),
    widths(Rows, 0, W1, 0, W2, 0, W3),
    with_output_to(atom(Help), forall(member(R, Rows), row(R, W1, W2, W3))).
rows([], []).
rows([S|Ss], [row(Longs, Short, Type, Help)|Rows]) :-
    \+ ( memberchk(longflags([]), S), memberchk(shortflags([]), S) ), !,
    ( memberchk(longflags(Ls), S) -> true ; Ls = [] ),
    ( memberchk(shortflags(Cs), S) -> true ; Cs = [] ),
    findall(L, ( nth1(I, Ls, L0), ( nth0(I, Ls, _) -> format(atom(L), '--~w,', [L0]) ; format(atom(L), '--~w', [L0]) ) ), Longs),
    findall(C, ( member(C0, Cs), atom_concat(-, C0, C) ), Shorts), atomic_list_concat(Shorts, ',', Short),
    type_of(S, T),
    ( memberchk(meta(M), S) -> format(atom(Meta), '~w:', [M]) ; Meta = '' ),
    ( memberchk(default(D), S) -> format(atom(Type), '~w~w=~w', [Meta, T, D]) ; format(atom(Type), '~w~w', [Meta, T]) ),
    ( memberchk(help(H), S) -> true ; H = '' ),
    ( is_list(H) -> Help = H ; Help = [H] ),
    rows(Ss, Rows).
rows([_|Ss], Rows) :- rows(Ss, Rows).
widths([], W1, W1, W2, W2, W3, W3).
widths([row(Ls, S, T, _)|Rs], A0, A, B0, B, C0, C) :-
    findall(N, ( member(L, Ls), atom_length(L, N) ), Ns), max_list([A0|Ns], A1),
    atom_length(S, NS), B1 is max(B0, NS), atom_length(T, NT), C1 is max(C0, NT),
    widths(Rs, A1, A, B1, B, C1, C).
row(row(Ls, S, T, [H|Hs]), W1, W2, W3) :-
    ( append(Before, [L], Ls) -> true ; Before = [], L = '' ),
    forall(member(B, Before), format('~w~n', [B])),
    C2 is W1 + 2, C3 is C2 + W2 + 2, C4 is C3 + W3 + 2, C5 is C4 + 2,
    format('~w~*|~w~*|~w~*|~w~n', [L, C2, S, C3, T, C4, H]),
    forall(member(H1, Hs), format('~*|~w~n', [C5, H1])).
