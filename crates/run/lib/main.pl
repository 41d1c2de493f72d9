:- module(main, [main/0, halt/1, argv_options/3, argv_options/4, cli_parse_debug_options/2, cli_enable_development_system/0]).

% Programs as scripts: `main/0` calls `main/1` of the program with its arguments, and options are read from them.

main :-
    % Only what is for the program, so that a `--` among it is one of its own.
    current_prolog_flag(argv, Argv),
    (   catch(user:main(Argv), E, true)
    ->  ( var(E) -> halt(0) ; ends(E) )
    ;   halt(1) ).
ends(unwind(halt(S))) :- !, halt(S).
ends(E) :- print_message(error, E), halt(2).

cli_parse_debug_options(Options, Options).
cli_enable_development_system.

% argv_options(Argv, Positional, Options): `--name=value`, `--name value`, `--flag`, `--no-flag`, `-abc`, `-n value`. If the module defines
% opt_type/3 only the flags it names are accepted, with their types; opt_help/2 and opt_meta/2 make the help text.
:- meta_predicate argv_options(:, -, -).
:- meta_predicate argv_options(:, -, -, +).
argv_options(Argv, Positional, Options) :- argv_options(Argv, Positional, Options, []).
argv_options(M:Argv, Positional, Options, How) :-
    ( '$is_defined'(M:opt_type(_, _, _)) -> typed(Argv, M, How, Positional, Options)
    ; untyped(Argv, Positional, Options) ).

untyped([], [], []).
untyped([--|Rest], Rest, []) :- !.
untyped([A|As], Pos, Opts) :-
    atom_concat(--, Long, A), Long \== '', !,
    ( sub_atom(Long, B, 1, Af, =) ->
        sub_atom(Long, 0, B, _, Name0), sub_atom(Long, _, Af, 0, Text), plain_value(Text, V)
    ; atom_concat('no-', Name0, Long) -> V = false
    ; Name0 = Long, V = true ),
    canonical(Name0, Name), O =.. [Name, V], Opts = [O|Opts1],
    untyped(As, Pos, Opts1).
untyped([A|As], Pos, Opts) :-
    atom_concat(-, Flags, A), Flags \== '', \+ catch(atom_number(A, _), _, fail), !,
    atom_chars(Flags, Cs), short_flags(Cs, Opts, Opts1),
    untyped(As, Pos, Opts1).
untyped([A|As], [A|Pos], Opts) :- untyped(As, Pos, Opts).
short_flags([], T, T).
short_flags([C|Cs], [O|Os], T) :- O =.. [C, true], short_flags(Cs, Os, T).
plain_value(Text, V) :- ( atom_number(Text, N) -> V = N ; Text == true -> V = true ; Text == false -> V = false ; V = Text ).
canonical(Name0, Name) :- atomic_list_concat(Parts, -, Name0), atomic_list_concat(Parts, '_', Name).

typed([], _, _, [], []).
typed([--|Rest], _, _, Rest, []) :- !.
typed([H|As], M, How, Pos, Opts) :-
    ( H == '--help' ; H == '-h' ), \+ M:opt_type(help, _, _), \+ M:opt_type(h, _, _), !,
    argv_usage(M), halt(0), typed(As, M, How, Pos, Opts).
typed([A|As], M, How, Pos, Opts) :-
    atom_concat(--, Long0, A), Long0 \== '', !,
    ( sub_atom(Long0, B, 1, Af, =) -> sub_atom(Long0, 0, B, _, Long), sub_atom(Long0, _, Af, 0, Text), Given = text(Text) ; Long = Long0, Given = none ),
    canonical(Long, Flag),
    (   M:opt_type(Flag, Name, Type) -> value(Type, Given, A, As, As1, V)
    ;   Given == none, atom_concat(no_, Positive, Flag), M:opt_type(Positive, Name, Type), is_boolean(Type) -> V = false, As1 = As
    ;   member(unknown_option(pass), How) -> Name = [], As1 = As, Pos = [A|Pos1]
    ;   refuse(M, unknown_option(A)) ),
    ( Name == [] -> Opts = Opts1 ; O =.. [Name, V], Opts = [O|Opts1], Pos = Pos1 ),
    typed(As1, M, How, Pos1, Opts1).
typed([A|As], M, How, Pos, Opts) :-
    atom_concat(-, Flags, A), Flags \== '', \+ catch(atom_number(A, _), _, fail), !,
    atom_chars(Flags, Cs),
    typed_short(Cs, M, A, As, As1, Opts, Opts1),
    typed(As1, M, How, Pos, Opts1).
typed([A|As], M, How, [A|Pos], Opts) :- typed(As, M, How, Pos, Opts).
typed_short([], _, _, As, As, T, T).
typed_short([C|Cs], M, A, As, As1, [O|Os], T) :-
    ( M:opt_type(C, Name, Type) -> true ; refuse(M, unknown_option(A)) ),
    (   is_boolean(Type) -> V = true, As0 = As, Rest = Cs
    ;   Cs == [] -> value(Type, none, A, As, As0, V), Rest = []
    ;   atom_chars(Text, Cs), value(Type, text(Text), A, As, As0, V), Rest = [] ),
    O =.. [Name, V],
    typed_short(Rest, M, A, As0, As1, Os, T).
is_boolean(boolean).
is_boolean(boolean(_)).
is_boolean((A|B)) :- ( is_boolean(A) ; is_boolean(B) ), !.
value(Type, none, _, As, As, true) :- is_boolean(Type), !.
value(Type, text(Text), A, As, As, V) :- !, converted(Type, Text, A, V).
value(Type, none, A, [Text|As], As, V) :- !, converted(Type, Text, A, V).
value(_, none, A, [], _, _) :- format(user_error, 'Option ~w requires an argument~n', [A]), halt(1).
converted(Type, Text, A, V) :-
    ( convert(Type, Text, V0) -> V = V0
    ; format(user_error, 'Option ~w: invalid value ~w: ~w expected~n', [A, Text, Type]), halt(1) ).
convert(boolean, T, V) :- truth(T, V).
convert(boolean(_), T, V) :- truth(T, V).
convert((A|B), T, V) :- ( convert(A, T, V) -> true ; convert(B, T, V) ).
convert(atom, T, T).
convert(string, T, S) :- atom_string(T, S).
convert(integer, T, N) :- atom_number(T, N), integer(N).
convert(nonneg, T, N) :- atom_number(T, N), integer(N), N >= 0.
convert(between(L, H), T, N) :- atom_number(T, N), N >= L, N =< H.
convert(float, T, F) :- atom_number(T, N), F is float(N).
convert(number, T, N) :- atom_number(T, N).
convert(oneof(L), T, V) :- member(V, L), term_to_text(V, T), !.
convert(term, T, V) :- term_to_atom(V, T).
convert(term(_), T, V) :- term_to_atom(V, T).
convert(file, T, T).
convert(file(_), T, T).
convert(directory, T, T).
convert(directory(_), T, T).
term_to_text(V, T) :- format(atom(T), '~w', [V]).
truth(T, V) :- ( memberchk(T, [true, yes, on, '1']) -> V = true ; memberchk(T, [false, no, off, '0']) -> V = false ).
refuse(M, unknown_option(A)) :- format(user_error, 'Unknown option: ~w~n', [A]), argv_usage(M), halt(1).

argv_usage(M) :-
    ( '$is_defined'(M:opt_help(_, _)), M:opt_help(help(usage), U) -> text(U, UT) ; UT = ' [options]' ),
    format(user_error, 'Usage: program~w~n', [UT]),
    ( '$is_defined'(M:opt_help(_, _)), M:opt_help(help(header), H) -> text(H, HT), format(user_error, '~w~n', [HT]) ; true ),
    forall(( M:opt_type(Flag, Name, _), once(( M:opt_type(F0, Name, _), F0 == Flag )), \+ atom_length(Flag, 1) ),
           ( ( '$is_defined'(M:opt_help(_, _)), M:opt_help(Name, Help) -> text(Help, HelpText) ; HelpText = '' ),
             format(user_error, '    --~w~t~28|~w~n', [Flag, HelpText]) )).
text(T, T) :- atomic(T), !.
text(L, T) :- is_list(L), with_output_to(atom(T), forall(member(X, L), piece(X))).
piece(F-As) :- !, format(F, As).
piece(nl) :- !, nl.
piece(X) :- write(X).
