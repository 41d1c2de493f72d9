% Messages for people, on the error stream.

:- dynamic(message_hook/3).
:- dynamic('$assertion_directive'/2).

% Programs add texts in prolog:message//1 and take messages over in user:message_hook/3.
print_message(Kind, M) :-
    '$lines_of_message'(M, Lines),
    ( catch(user:message_hook(M, Kind, Lines), _, fail) -> true
    ; '$memberq'(Kind, [silent, informational, banner]) -> true
    ; '$kind_prefix'(Kind, P),
      '$lines_text'(P, Lines, S),
      '$error_text'(S) ).
'$lines_of_message'(M, Lines) :-
    ( '$user_lines'(M, Lines0) -> Lines = Lines0
    ; nonvar(M), M = format(F, As) -> Lines = [F-As]
    ; '$describe'(M, T), Lines = ['~w'-[T]] ).
'$user_lines'(M, Lines) :-
    nonvar(M),
    '$pred_info'(prolog:message(_, _, _), prolog, _, _, _),
    catch(prolog:message(M, Lines, []), _, fail), !.
'$lines_text'(P, Lines, S) :- with_output_to(string(S), ( current_output(O), print_message_lines(O, P, Lines) )).
message_to_codes(_, _, _) :- fail.
% Lines as print_message/2 has them; the prefix is a format that starts each line.
print_message_lines(Stream, Prefix, Lines) :-
    ( nonvar(Prefix), Prefix = kind(Kind) -> '$kind_prefix'(Kind, P) ; P = Prefix ),
    ( Lines == [] -> true ; format(Stream, P, []), '$message_lines'(Lines, Stream, P) ).
'$message_lines'([], S, _) :- nl(S).
'$message_lines'([nl|Ls], S, P) :- !, nl(S), ( Ls == [] -> true ; format(S, P, []), '$message_lines'(Ls, S, P) ).
'$message_lines'([L|Ls], S, P) :- '$message_part'(L, S), '$message_lines'(Ls, S, P).
'$message_part'(F-As, S) :- !, format(S, F, As).
'$message_part'(format(F, As), S) :- !, format(S, F, As).
'$message_part'(ansi(_, F, As), S) :- !, format(S, F, As).
'$message_part'(flush, S) :- !, flush_output(S).
'$message_part'(at_same_line, _) :- !.
'$message_part'(F, S) :- format(S, F, []).
message_property(_, _) :- fail.

'$kind_prefix'(error, 'ERROR: ') :- !.
'$kind_prefix'(warning, 'Warning: ') :- !.
'$kind_prefix'(_, '').

'$load_warning'(Kind, E) :-
    '$count_message'(Kind),
    '$place_text'(E, Place),
    '$describe'(E, T),
    '$keep_message'(Kind, E, T),
    ( Kind == error -> P = 'ERROR' ; P = 'Warning' ),
    format(string(S), '~w: ~w~w~n', [P, Place, T]),
    '$error_text'(S),
    ( E = error(syntax_error(_), Place1), nonvar(Place1), Place1 = place(_, _, Col, Line) ->
        N is Col - 1, '$caret'(N, Caret),
        format(string(S2), '    ~w~n    ~w^~n', [Line, Caret]),
        '$error_text'(S2)
    ; E = error(_, _) -> '$backtrace'(Frames), '$error_frames'(Frames, 12)
    ; true ).
'$error_frames'([], _).
'$error_frames'([frame(PI, F, L)|Fs], N) :-
    ( N > 0 ->
        ( F \== [], \+ atom_concat('library:', _, F) ->
            format(string(S), '  in ~q (~w:~w)~n', [PI, F, L]), '$error_text'(S)
        ; true ),
        N1 is N - 1, '$error_frames'(Fs, N1)
    ; true ).
'$caret'(N, S) :- ( N > 150 -> M = 150 ; M = N ), findall(0' , between(1, M, _), Cs), string_codes(S, Cs).
'$place_text'(error(_, P), T) :- nonvar(P), P = place(F, L, C, _), !, format(string(T), '~w:~w:~w: ', [F, L, C]).
'$place_text'(_, T) :- ( '$load_position'(F, L) -> format(string(T), '~w:~w: ', [F, L]) ; T = '' ).

'$singleton_warning'(Vs) :-
    '$load_position'(F, L),
    ( atom_concat('library:', _, F) -> true
    ; atomic_list_concat(Vs, ', ', T),
      format(string(T1), 'singleton variables: ~w', [T]),
      '$keep_message'(warning, singletons, T1),
      format(string(S), 'Warning: ~w:~w: singleton variables: ~w~n', [F, L, T]),
      '$error_text'(S) ).

'$describe'(E, T) :- var(E), !, T = 'unknown error'.
'$describe'(directive_failed(M:D), T) :- !, '$goal_text'(M, D, G), format(string(T), 'directive failed: ~w', [G]).
'$describe'(init_goal_failed(M:G), T) :- !, '$goal_text'(M, G, S), format(string(T), 'initialization goal failed: ~w', [S]).
'$describe'(discontiguous_clauses(PI), T) :- !, format(string(T), 'clauses of ~q are not together; declare it discontiguous', [PI]).
'$describe'(redefined(PI, F), T) :- !, format(string(T), '~q was defined in ~w and is replaced', [PI, F]).
'$describe'(undefined_export(M, PI), T) :- !, format(string(T), 'exported procedure ~q is not defined', [M:PI]).
'$describe'(not_exported(M, PI), T) :- !, format(string(T), 'module ~q does not export ~q; imported all the same', [M, PI]).
'$describe'(unknown_flag(F), T) :- !, format(string(T), 'there is no flag ~q', [F]).
'$describe'(guessed_encoding, 'the file is not UTF-8; it is read as ISO Latin-1 (`:- encoding(iso_latin_1)` says so)') :- !.
'$describe'(goal_raised(E), T) :- !, '$describe'(E, T).
'$describe'(E, T) :- '$user_lines'(E, Lines), !, '$lines_text'('', Lines, T0), ( string_concat(T, '\n', T0) -> true ; T = T0 ).
'$describe'('$aborted', 'interrupted') :- !.
'$describe'(error(F, C), T) :- !, '$describe_formal'(F, T0), '$describe_context'(C, T0, T).
'$describe'(E, T) :- format(string(T), 'uncaught exception: ~q', [E]).

'$goal_text'(user, G, T) :- !, format(string(T), '~q', [G]).
'$goal_text'(M, G, T) :- format(string(T), '~q', [M:G]).

'$describe_context'(C, T, T) :- var(C), !.
'$describe_context'(place(_, _, _, _), T, T) :- !.
'$describe_context'(context(P, M), T0, T) :- !,
    ( var(P) -> T1 = T0 ; ( P = system:P1 -> true ; P1 = P ), format(string(T1), '~q: ~w', [P1, T0]) ),
    ( var(M) -> T = T1 ; format(string(T), '~w (~w)', [T1, M]) ).
'$describe_context'(_, T, T).

'$describe_formal'(F, 'unknown error') :- var(F), !.
'$describe_formal'(instantiation_error, 'arguments are not sufficiently instantiated') :- !.
'$describe_formal'(type_error(evaluable, C), T) :- !, format(string(T), 'arithmetic: evaluable ~q does not exist', [C]).
'$describe_formal'(type_error(E, C), T) :- !, format(string(T), 'type error: `~w` expected, found `~q`', [E, C]).
'$describe_formal'(domain_error(D, C), T) :- !, format(string(T), 'domain error: `~w` expected, found `~q`', [D, C]).
'$describe_formal'(existence_error(procedure, P), T) :- ( P == (:-)/2 ; P == (-->)/2 ), !,
    format(string(T), 'unknown procedure: ~q (clauses are added by assertz/1, or typed after `[user].`)', [P]).
'$describe_formal'(existence_error(procedure, P), T) :- !, format(string(T), 'unknown procedure: ~q', [P]).
'$describe_formal'(existence_error(K, C), T) :- !, format(string(T), '~w `~q` does not exist', [K, C]).
'$describe_formal'(permission_error(A, K, C), T) :- !, format(string(T), 'no permission to ~w ~w `~q`', [A, K, C]).
'$describe_formal'(representation_error(R), T) :- !, format(string(T), 'cannot represent due to `~w`', [R]).
'$describe_formal'(evaluation_error(E), T) :- !, format(string(T), 'arithmetic: evaluation error: ~w', [E]).
'$describe_formal'(resource_error(R), T) :- !, format(string(T), 'not enough resources: ~w', [R]).
'$describe_formal'(syntax_error(M), T) :- !, format(string(T), 'syntax error: ~w', [M]).
'$describe_formal'(not_supported(M), T) :- !, format(string(T), 'not supported: ~w', [M]).
'$describe_formal'(context_error(no_if(W)), T) :- !, format(string(T), '`:- ~w` without `:- if(...)`', [W]).
'$describe_formal'(format(M), T) :- !, format(string(T), 'format/2: ~w', [M]).
'$describe_formal'(F, T) :- format(string(T), 'error: ~q', [F]).

message_to_text(E, T) :- '$describe'(E, T).
assertion(G) :- ( \+ \+ catch(G, E, '$assertion_failed'(E, G)) -> true ; '$assertion_failed'(fail, G) ).
% Limits and interrupts end it and what called it.
'$assertion_failed'(E, _) :- '$not_about_goals'(E), !, throw(E).
'$assertion_failed'(E, G) :-
    print_message(error, format('Assertion failed: ~q', [G])),
    throw(error(assertion_error(E, G), _)).
'$not_about_goals'(E) :- nonvar(E), ( E == '$aborted' ; E == time_limit_exceeded ; E = error(resource_error(_), _) ).
must_be_callable(G) :- ( callable(G) -> true ; throw(error(type_error(callable, G), _)) ).
garbage_collect_clauses.
prolog_load_context(module, M) :- '$source_module'(M).
prolog_load_context(source, F) :- '$load_file'(F).
prolog_load_context(file, F) :- '$load_file'(F).
prolog_load_context(term_position, '$stream_position'(0, L, 0, 0)) :- '$load_position'(_, L).
prolog_load_context(directory, D) :- '$load_file'(F), file_directory_name(F, D).
prolog_load_context(dialect, D) :- current_prolog_flag(dialect, D).
prolog_load_context(variable_names, Ns) :- '$loading', nb_current('$variable_names', Ns).
prolog_load_context(term, T) :- '$loading', nb_current('$term', T).
source_location(F, L) :- '$load_position'(F0, L), '$absolute_path'(F0, F).
'$load_file'(F) :- '$load_position'(F0, _), '$absolute_path'(F0, F).

% -- names of files

absolute_file_name(Spec, Path) :- absolute_file_name(Spec, Path, []).
absolute_file_name(Spec, Path, Options) :-
    ( var(Spec) -> throw(error(instantiation_error, _)) ; true ),
    ( '$file_candidate'(Spec, Options, Path0) -> Path = Path0
    ; '$member'(file_errors(fail), Options) -> fail
    ; '$member'(access(A), Options), A \== none, A \== write, A \== append -> throw(error(existence_error(source_sink, Spec), _))
    ; compound(Spec) -> throw(error(existence_error(source_sink, Spec), _))
    ; '$file_base'(Spec, Options, Path) ).
'$file_candidate'(Spec, Options, Path) :-
    ( compound(Spec), functor(Spec, Alias, 1), Alias \== (/) ->
        ( catch('$find_file'(Spec, P0), _, fail) -> true ; '$search_path'(Alias, D, 8), arg(1, Spec, Sub), '$join_path'(D, Sub, P0), '$file_fits'(P0, Options) ),
        '$absolute_path'(P0, Path)
    ; '$file_base'(Spec, Options, Base), '$file_extension'(Options, Ext), atom_concat(Base, Ext, Path), '$file_fits'(Path, Options) ), !.
'$file_base'(Spec, Options, Path) :-
    ( compound(Spec) -> '$path_text'(Spec, S) ; atom_string(S, Spec) ),
    ( '$member'(relative_to(D), Options), \+ is_absolute_file_name(S) -> atomic_list_concat([D, /, S], P) ; P = S ),
    '$absolute_path'(P, Path).
'$file_extension'(Options, Ext) :-
    ( '$member'(extensions(Es), Options) -> '$member'(E, Es), '$dotted'(E, Ext)
    ; '$member'(file_type(T), Options), ( T == prolog ; T == source ) -> '$member'(Ext, ['.pl', '.prolog', '']) % as SWI-Prolog looks for them
    ; Ext = '' ).
'$dotted'(E, Ext) :- ( E == '' -> Ext = '' ; sub_atom(E, 0, 1, _, '.') -> Ext = E ; atom_concat('.', E, Ext) ).
'$file_fits'(Path, Options) :-
    ( '$member'(file_type(directory), Options) -> exists_directory(Path)
    ; '$member'(access(A), Options), '$memberq'(A, [read, exist, execute]) -> exists_file(Path)
    ; '$member'(extensions(_), Options) -> exists_file(Path)
    ; '$member'(file_type(T), Options), '$memberq'(T, [prolog, source]) -> exists_file(Path)
    ; true ).
% Without `.`, `..` and repeated slashes.
'$absolute_path'(File, Path) :-
    ( atom_concat('library:', _, File) -> Path = File
    ; ( is_absolute_file_name(File) -> Whole = File ; '$directory'(D), atomic_list_concat([D, /, File], Whole) ),
      atomic_list_concat(Parts, /, Whole), '$path_parts'(Parts, [], Up), '$rev_parts'(Up, [], Down),
      ( Down == [] -> Path = / ; atomic_list_concat([''|Down], /, Path) ) ).
'$path_parts'([], Up, Up).
'$path_parts'([P|Ps], Up0, Up) :-
    ( ( P == '' ; P == '.' ) -> Up1 = Up0 ; P == '..' -> ( Up0 = [_|Up1] -> true ; Up1 = [] ) ; Up1 = [P|Up0] ),
    '$path_parts'(Ps, Up1, Up).
'$rev_parts'([], L, L).
'$rev_parts'([P|Ps], L0, L) :- '$rev_parts'(Ps, [P|L0], L).
shell(_) :- throw(error(permission_error(execute, process, shell), _)).
shell(_, _) :- throw(error(permission_error(execute, process, shell), _)).
shell :- throw(error(permission_error(execute, process, shell), _)).

% -- Ciao's messages

message(M) :- message(message, M).
messages([]).
messages([M|Ms]) :- '$ciao_message'(M), messages(Ms).
'$ciao_message'(message(M)) :- !, message(M).
'$ciao_message'(message(T, M)) :- !, message(T, M).
'$ciao_message'(M) :- message(M).
message(Type, M) :-
    ( '$message_label'(Type, Label) -> true ; throw(error(domain_error(message_type, Type), _)) ),
    ( Label == '' -> true ; format(user_error, '{~w: ', [Label]) ),
    ( is_list(M) -> '$message_items'(M) ; write(user_error, M) ),
    ( Label == '' -> nl(user_error) ; write(user_error, '}\n') ).
'$message_label'(error, 'ERROR').
'$message_label'(warning, 'WARNING').
'$message_label'(note, 'NOTE').
'$message_label'(message, '').
'$message_label'(debug, 'DEBUG').
'$message_items'([]).
'$message_items'([I|Is]) :- '$message_item'(I), '$message_items'(Is).
'$message_item'(I) :- var(I), !, write(user_error, I).
'$message_item'($$(T)) :- !, atomic(T), write(user_error, T).
'$message_item'(''(T)) :- !, writeq(user_error, T).
'$message_item'(~~(T)) :- !, print(user_error, T).
'$message_item'(T) :- write(user_error, T).
