% Loading files: reading, conditional compilation, directives. Modules and imports are in `modules.pl`, expansion
% in `expand.pl`.

:- dynamic('$assertion_decl'/5).

consult(Files0) :-
    '$strip_module'(Files0, M, Files),
    '$source_module'(Old),
    '$set_source_module'(M),
    catch('$consult_list'(Files), E, true),
    '$set_source_module'(Old),
    ( nonvar(E) -> throw(E) ; true ).

'$consult_list'(Files) :- var(Files), !, throw(error(instantiation_error, _)).
'$consult_list'([]) :- !.
'$consult_list'([F|Fs]) :- !, '$consult_list'(F), '$consult_list'(Fs).
'$consult_list'(F) :- '$resolve_file'(F, Path), '$load_path'(Path), '$import_loaded'(Path, all).

[F|Fs] :- consult([F|Fs]).
load_files(F) :- ensure_loaded(F).
load_files(F0, Options) :-
    '$strip_module'(F0, M, F),
    '$source_module'(Old), '$set_source_module'(M),
    ( '$memberq'(if(not_loaded), Options) -> catch('$use'(F, all), E, true)
    ; '$member'(imports(I), Options) -> catch('$use'(F, I), E, true)
    ; '$memberq'(must_be_module(true), Options) -> catch('$use'(F, all), E, true)
    ; catch('$consult_list'(F), E, true) ),
    '$set_source_module'(Old),
    ( nonvar(E) -> throw(E) ; true ).
include(F) :- '$resolve_file'(F, Path), '$include_path'(Path).
set_stream_encoding(_).
encoding(_).

'$load_path'(Path) :-
    '$load_begin'(Path),
    ( '$load_guessed' -> '$load_warning'(warning, guessed_encoding) ; true ),
    ( catch('$load_loop', E, true) -> true ; true ),
    ( nonvar(E) -> '$load_end', throw(E) ; true ),
    '$end_of_file',
    '$conditions_closed',
    '$close_single_sided',
    '$take_initialization'(Goals),
    '$exports_defined',
    '$run_initialization'(Goals),
    '$load_end'.

% Expansions may add clauses at the end of a file.
'$end_of_file' :-
    ( '$skipping' -> true
    ; catch('$load_term'(end_of_file, [], []), E, '$load_error'(E, _)) -> true
    ; true ).

'$include_path'(Path) :-
    '$source_module'(M),
    '$include_begin'(Path),
    '$set_source_module'(M),
    ( catch('$load_loop', E, true) -> true ; true ),
    '$conditions_closed',
    '$source_module'(M1),
    '$load_end',
    '$set_source_module'(M1),
    ( nonvar(E) -> throw(E) ; true ).

'$load_loop' :-
    repeat,
    '$load_step'(T),
    T == end_of_file,
    !.

'$load_step'(T) :-
    catch('$load_read'(T, Names, Singles), E, '$load_error'(E, T)),
    ( T == end_of_file -> true
    ; T == '$skipped' -> true
    ; nonvar(T), T = (:- D), nonvar(D), '$is_condition'(D) ->
        catch('$condition'(D), E1, '$load_error'(E1, _))
    ; '$skipping' -> true
    ; catch('$load_term'(T, Names, Singles), E2, '$load_error'(E2, _)) -> true
    ; '$load_warning'(error, error(existence_error(clause, T), _)) ).

'$load_error'(E, T) :-
    ( '$uncatchable'(E) -> throw(E) ; true ),
    ( '$skipping' -> true ; '$load_warning'(error, E) ),
    T = '$skipped'.

'$uncatchable'(E) :- var(E), !, fail.
'$uncatchable'('$aborted').
'$uncatchable'(unwind(_)).
'$uncatchable'(error(resource_error(R), _)) :- nonvar(R), ( R == time_limit ; R == memory ), !.

% -- conditional compilation: the newest open branch is `true` (taken), `false` (none taken yet) or `done`.

'$is_condition'(if(_)).
'$is_condition'(elif(_)).
'$is_condition'(else).
'$is_condition'(endif).

'$condition'(if(G)) :-
    ( '$skipping' -> '$condition_push'(done)
    ; '$condition_holds'(G) -> '$condition_push'(true)
    ; '$condition_push'(false) ).
'$condition'(elif(G)) :-
    '$condition_open'(elif, S),
    ( S == true -> '$condition_change'(done)
    ; S == false, '$condition_holds'(G) -> '$condition_change'(true)
    ; true ).
'$condition'(else) :-
    '$condition_open'(else, S),
    ( S == true -> '$condition_change'(done) ; S == false -> '$condition_change'(true) ; true ).
'$condition'(endif) :-
    '$condition_open'(endif, _),
    '$condition_pop'.

'$condition_open'(What, S) :-
    ( '$condition_top'(S) -> true
    ; throw(error(context_error(no_if(What)), _)) ).
'$condition_change'(S) :- '$condition_pop', '$condition_push'(S).
'$condition_holds'(G0) :-
    '$source_module'(M),
    '$expand_goal'(G0, G),
    catch(M:G, E, true), !,
    ( var(E) -> true ; '$load_error'(E, _), fail ).
'$conditions_closed' :-
    ( '$condition_top'(_) -> '$load_warning'(error, error(syntax_error('`:- if(...)` without `:- endif`'), _)) ; true ).

% -- terms

'$load_term'(T0, Names, Singles) :-
    nb_setval('$variable_names', Names),
    nb_setval('$term', T0),
    '$expand_term'(T0, T),
    '$load_expanded'(T, Names, Singles).

'$load_expanded'(T, _, _) :- var(T), !, throw(error(instantiation_error, _)).
'$load_expanded'([], _, _) :- !.
'$load_expanded'([C|Cs], Names, S) :- !, '$load_each'([C|Cs], Names, S).
'$load_expanded'((:- D), Names, _) :- !, '$directive'(D, Names).
'$load_expanded'((?- D), Names, _) :- !, '$directive'(D, Names).
'$load_expanded'(end_of_file, _, _) :- !.
'$load_expanded'(C, _, Singles) :-
    ( Singles == [] -> true ; '$singleton_warning'(Singles) ),
    '$expand_clause_body'(C, C1),
    ( '$tabled_clause'(C1, C2) -> true ; C2 = C1 ),
    '$add_clause'(C2, Note),
    ( Note == [] -> true ; '$clause_note'(Note) ).
'$load_each'([], _, _).
'$load_each'([C|Cs], Names, S) :- '$load_expanded'(C, Names, S), '$load_each'(Cs, Names, []).

'$clause_note'(Note) :-
    ( '$load_position'(F, _), atom_concat('library:', _, F) -> true
    ; '$load_warning'(warning, Note) ).

% -- directives

'$directive'(D, _) :- var(D), !, throw(error(instantiation_error, _)).
'$directive'(module(M, Exports), _) :- !, '$module_directive'(M, Exports, []).
'$directive'(module(M, Exports, Packages), _) :- !, '$ciao_syntax', '$module_directive'(M, Exports, Packages).
'$directive'(initialization(G), _) :- !, '$source_module'(M), '$add_initialization'(M:G).
'$directive'(initialization(G, When), _) :- !, '$source_module'(M), '$init_directive'(When, M:G).
% Documentation of Ciao's modules is for other tools.
'$directive'(doc(_, _), _) :- !.
'$directive'(D, Names) :- '$directive_hook'(D, Names), !.
'$directive'(D0, _) :-
    '$source_module'(M),
    '$close_single_sided',
    '$expand_goal'(D0, D),
    ( catch(M:D, E, true) ->
        ( var(E) -> true
        ; '$uncatchable'(E) -> throw(E)
        ; '$lacks_part'(E) -> '$load_warning'(error, E)
        ; '$load_warning'(warning, E) )
    ; '$load_warning'(warning, directive_failed(M:D)) ).
% A file or library that is not there, or a feature that does not exist: what follows runs on less than it asked for.
'$lacks_part'(error(F, _)) :- nonvar(F), ( F = existence_error(source_sink, _) ; F = not_supported(_) ), !.

% Assertions and the like are for the checker; without it they are read over.
'$directive_hook'(D, Names) :- '$is_assertion'(D), '$assertion_directive'(D, Names).

'$is_assertion'(D) :- functor(D, F, A), '$assertion_functor'(F, A), !.
'$assertion_functor'(pred, 1).
'$assertion_functor'(calls, 1).
'$assertion_functor'(success, 1).
'$assertion_functor'(comp, 1).
'$assertion_functor'(entry, 1).
'$assertion_functor'(exit, 1).
'$assertion_functor'(prop, 1).
'$assertion_functor'(regtype, 1).
'$assertion_functor'(modedef, 1).
'$assertion_functor'(test, 1).
'$assertion_functor'(texec, 1).
'$assertion_functor'(check, 1).
'$assertion_functor'(trust, 1).
'$assertion_functor'(true, 1).
'$assertion_functor'(checked, 1).
'$assertion_functor'(false, 1).
'$assertion_functor'(pred, 2).
'$assertion_functor'(calls, 2).
'$assertion_functor'(success, 2).
'$assertion_functor'(comp, 2).
'$assertion_functor'(prop, 2).
'$assertion_functor'(regtype, 2).
'$assertion_functor'(type, 1).
'$assertion_functor'(meta_type, 1).


'$init_directive'(main, G) :- !, '$add_initialization'('$main'(G)).
'$init_directive'(_, G) :- '$add_initialization'(G).

initialization(G) :- ( '$loading' -> '$add_initialization'(G) ; call(G) -> true ; true ).
initialization(G, When) :- ( '$loading' -> '$init_directive'(When, G) ; call(G) -> true ; true ).

'$run_initialization'([]).
'$run_initialization'([G|Gs]) :-
    ( G = '$main'(M) -> nb_setval('$main_goal', M)
    ; catch(G, E, true) ->
        ( var(E) -> true ; '$uncatchable'(E) -> throw(E) ; '$load_warning'(warning, E) )
    ; '$load_warning'(warning, init_goal_failed(G)) ),
    '$run_initialization'(Gs).
