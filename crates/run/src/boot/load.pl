% Loading files: reading, expansion, directives, modules.

:- dynamic(term_expansion/2).
:- dynamic(goal_expansion/2).
:- dynamic('$assertion_decl'/5).

consult(Files0) :-
    '$strip_module'(Files0, M, Files),
    '$source_module'(Old),
    '$set_source_module'(M),
    '$consult_list'(Files),
    '$set_source_module'(Old).

'$consult_list'(Files) :- var(Files), !, throw(error(instantiation_error, _)).
'$consult_list'([]) :- !.
'$consult_list'([F|Fs]) :- !, '$consult_list'(F), '$consult_list'(Fs).
'$consult_list'(F) :- '$find_file'(F, Path), '$load_path'(Path), '$import_loaded'(Path, all).

[F|Fs] :- consult([F|Fs]).
load_files(F) :- ensure_loaded(F).
load_files(F, _) :- ensure_loaded(F).
ensure_loaded(F) :- '$use'(F, all).
include(F) :- '$find_file'(F, Path), '$include_path'(Path).
use_module(F) :- '$use'(F, all).
use_module(F, Imports) :- '$use'(F, Imports).
use_module(_, F, Imports) :- '$use'(F, Imports).
use_package(Ps) :- ( is_list(Ps) -> '$use_packages'(Ps) ; '$use_package'(Ps) ).
reexport(F) :- reexport(F, all).
reexport(F, Imports) :- '$use'(F, Imports), '$reexport_file'(F, Imports).
'$reexport_file'([], _) :- !.
'$reexport_file'([F|Fs], I) :- !, '$reexport_file'(F, I), '$reexport_file'(Fs, I).
'$reexport_file'(F, Imports) :-
    '$find_file'(F, Path),
    ( '$loaded'(Path, M), M \== user -> '$reexport'(M, Imports) ; true ).
autoload(F) :- '$use'(F, all).
autoload(F, Imports) :- '$use'(F, Imports).
import_module(M, user) :- atom(M).
set_module(_).
license(_).
set_stream_encoding(_).
encoding(_).
expects_dialect(_).
require(_).
ensure_loaded_library(L) :- '$use'(library(L), all).

'$use'(F, _) :- var(F), !, throw(error(instantiation_error, _)).
'$use'([], _) :- !.
'$use'([F|Fs], I) :- !, '$use'(F, I), '$use'(Fs, I).
'$use'(F, Imports) :-
    '$find_file'(F, Path),
    ( Path == builtin -> true
    ; ( '$loaded'(Path, _) -> true ; '$load_path'(Path) ),
      '$import_loaded'(Path, Imports) ).

'$import_loaded'(Path, Imports) :-
    ( '$loaded'(Path, M), M \== user -> '$import'(M, Imports) ; true ).

'$autoload'(Library, Goal) :-
    atom_concat('library:', Library, Path),
    ( '$loaded'(Path, _) -> true ; '$in_user'('$load_path'(Path)) ),
    '$in_user'('$import_loaded'(Path, all)),
    '$strip_module'(Goal, M, G),
    ( '$is_defined'(M:G) -> call(M:G)
    ; functor(G, N, A), throw(error(existence_error(procedure, N/A), _)) ).

% Libraries are loaded as if from the top level, whatever is being loaded.
'$in_user'(G) :-
    '$source_module'(Old), '$set_source_module'(user),
    ( catch(G, E, true) -> true ; true ),
    '$set_source_module'(Old),
    ( nonvar(E) -> throw(E) ; true ).

'$load_path'(Path) :-
    '$load_begin'(Path),
    ( catch('$load_loop', E, true) -> true ; true ),
    ( nonvar(E) -> '$load_end', throw(E) ; true ),
    '$take_initialization'(Goals),
    '$run_initialization'(Goals),
    '$load_end'.

'$include_path'(Path) :-
    '$source_module'(M),
    '$load_begin'(Path),
    '$set_source_module'(M),
    ( catch('$load_loop', E, true) -> true ; true ),
    '$load_end',
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
    ; catch('$load_term'(T, Names, Singles), E2, '$load_error'(E2, _)) -> true
    ; true ).

'$load_error'(E, T) :-
    ( '$uncatchable'(E) -> throw(E) ; true ),
    '$load_warning'(error, E),
    T = '$skipped'.

'$uncatchable'('$aborted').
'$uncatchable'(error(resource_error(time_limit), _)).

'$load_term'(T0, Names, Singles) :-
    '$expand_term'(T0, T),
    '$load_expanded'(T, Names, Singles).

'$load_expanded'(T, _, _) :- var(T), !, throw(error(instantiation_error, _)).
'$load_expanded'([], _, _) :- !.
'$load_expanded'([C|Cs], Names, S) :- !, '$load_expanded'(C, Names, S), '$load_expanded'(Cs, Names, S).
'$load_expanded'((:- D), Names, _) :- !, '$directive'(D, Names).
'$load_expanded'((?- D), Names, _) :- !, '$directive'(D, Names).
'$load_expanded'(end_of_file, _, _) :- !.
'$load_expanded'(C, _, Singles) :-
    ( Singles == [] -> true ; '$singleton_warning'(Singles) ),
    '$expand_clause_body'(C, C1),
    '$add_clause'(C1).

'$expand_clause_body'((H :- B), (H :- B1)) :- nonvar(B), '$goal_expansion_active', !, '$expand_goal'(B, B1).
'$expand_clause_body'(C, C).

'$goal_expansion_active' :- '$pred_info'(user:goal_expansion(_, _), _, _, N, _), N > 0, !.
'$goal_expansion_active' :-
    '$source_module'(M), M \== user,
    '$pred_info'(M:goal_expansion(_, _), M, _, N, _), N > 0.

'$expand_goal'(G, G) :- var(G), !.
'$expand_goal'((A, B), (A1, B1)) :- !, '$expand_goal'(A, A1), '$expand_goal'(B, B1).
'$expand_goal'((A ; B), (A1 ; B1)) :- !, '$expand_goal'(A, A1), '$expand_goal'(B, B1).
'$expand_goal'((A -> B), (A1 -> B1)) :- !, '$expand_goal'(A, A1), '$expand_goal'(B, B1).
'$expand_goal'((A *-> B), (A1 *-> B1)) :- !, '$expand_goal'(A, A1), '$expand_goal'(B, B1).
'$expand_goal'(\+ A, \+ A1) :- !, '$expand_goal'(A, A1).
'$expand_goal'(G, G2) :-
    '$source_module'(M),
    ( M \== user, '$pred_info'(M:goal_expansion(_, _), M, _, N, _), N > 0, M:goal_expansion(G, G1) -> true
    ; user:goal_expansion(G, G1) ),
    G1 \== G, !,
    '$expand_goal'(G1, G2).
'$expand_goal'(G, G).

expand_term(T, X) :- '$expand_term'(T, X).
expand_goal(G, X) :- '$expand_goal'(G, X).

'$expand_term'(T, T) :- var(T), !.
'$expand_term'(T, X) :- '$user_expansion'(T, X0), !, '$expand_dcgs'(X0, X).
'$expand_term'(T, X) :- '$expand_dcgs'(T, X).
'$user_expansion'(T, X) :-
    '$source_module'(M), M \== user,
    '$pred_info'(M:term_expansion(_, _), M, _, N, _), N > 0,
    M:term_expansion(T, X), !.
'$user_expansion'(T, X) :- user:term_expansion(T, X), !.
'$expand_dcgs'(T, T) :- var(T), !.
'$expand_dcgs'([], []) :- !.
'$expand_dcgs'([A|As], [B|Bs]) :- !, '$expand_dcgs'(A, B), '$expand_dcgs'(As, Bs).
'$expand_dcgs'((H --> B), C) :- !, dcg_translate_rule((H --> B), C).
'$expand_dcgs'(T, T).

% -- directives

'$directive'(D, _) :- var(D), !, throw(error(instantiation_error, _)).
'$directive'((A, B), N) :- !, '$directive'(A, N), '$directive'(B, N).
'$directive'(module(M, Exports), _) :- !, '$module_directive'(M, Exports, []).
'$directive'(module(M, Exports, Packages), _) :- !, '$module_directive'(M, Exports, Packages).
'$directive'(initialization(G), _) :- !, '$source_module'(M), '$add_initialization'(M:G).
'$directive'(initialization(G, When), _) :- !, '$source_module'(M), '$init_directive'(When, M:G).
'$directive'(D, Names) :- '$directive_hook'(D, Names), !.
'$directive'(D, _) :-
    '$source_module'(M),
    ( catch(M:D, E, true) ->
        ( var(E) -> true
        ; '$uncatchable'(E) -> throw(E)
        ; '$load_warning'(warning, E) )
    ; '$load_warning'(warning, directive_failed(M:D)) ).

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
'$assertion_functor'(doc, 2).
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

'$module_directive'(M0, Exports0, Packages) :-
    ( var(M0) -> '$load_position'(File, _), '$base_name'(File, M) ; M = M0 ),
    ( '$exports_all'(Exports0) -> Exports = [] ; Exports = Exports0 ),
    '$declare_module'(M, Exports),
    ( '$exports_all'(Exports0) -> '$export_all'(M) ; true ),
    '$export_ops'(Exports),
    '$use_packages'(Packages).
'$exports_all'(Exports) :- ( var(Exports) -> true ; Exports == all ).
'$base_name'(File, Base) :-
    atomic_list_concat(Parts, '/', File), '$last'(Parts, Name),
    ( atom_concat(Base, '.pl', Name) -> true ; Base = Name ).
'$last'([X], X) :- !.
'$last'([_|T], X) :- '$last'(T, X).
'$export_ops'([]).
'$export_ops'([E|Es]) :- ( E = op(P, T, N) -> op(P, T, N) ; true ), '$export_ops'(Es).
'$use_packages'([]).
'$use_packages'([P|Ps]) :- '$use_package'(P), '$use_packages'(Ps).
% The operators of the assertion language come with the directive itself; here are its predicates.
'$use_package'(P) :-
    ( '$memberq'(P, [assertions, rtchecks]) -> '$use'(library(rtchecks), all) ; true ).

module(M) :- '$set_source_module'(M).

% -- grammar rules

dcg_translate_rule((H, PB --> B), (H1 :- Body)) :- !,
    '$dcg_nonterminal'(H, S0, S, H1),
    '$dcg_body'(B, S0, S1, B1),
    '$dcg_terminals'(PB, S, S1, B2),
    '$dcg_and'(B1, B2, Body).
dcg_translate_rule((H --> B), (H1 :- Body)) :-
    ( var(H) -> throw(error(instantiation_error, _)) ; true ),
    '$dcg_nonterminal'(H, S0, S, H1),
    '$dcg_body'(B, S0, S, Body).

'$dcg_nonterminal'(M:H, S0, S, M:H1) :- !, '$dcg_nonterminal'(H, S0, S, H1).
'$dcg_nonterminal'(H, S0, S, H1) :-
    ( callable(H) -> true ; throw(error(type_error(callable, H), _)) ),
    H =.. L0, '$append'(L0, [S0, S], L), H1 =.. L.

'$dcg_body'(B, S0, S, phrase(B, S0, S)) :- var(B), !.
'$dcg_body'((A, B), S0, S, (A1, B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'((A ; B), S0, S, (A1 ; B1)) :- !, '$dcg_body'(A, S0, S, A1), '$dcg_body'(B, S0, S, B1).
'$dcg_body'((A | B), S0, S, (A1 ; B1)) :- !, '$dcg_body'(A, S0, S, A1), '$dcg_body'(B, S0, S, B1).
'$dcg_body'((A -> B), S0, S, (A1 -> B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'((A *-> B), S0, S, (A1 *-> B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'(\+ A, S0, S, (\+ A1, S0 = S)) :- !, '$dcg_body'(A, S0, _, A1).
'$dcg_body'(!, S0, S, (!, S0 = S)) :- !.
'$dcg_body'([], S0, S, S0 = S) :- !.
'$dcg_body'({G}, S0, S, (G, S0 = S)) :- !.
'$dcg_body'(L, S0, S, G) :- is_list(L), !, '$dcg_terminals'(L, S0, S, G).
'$dcg_body'(L, S0, S, G) :- string(L), !, string_codes(L, Cs), '$dcg_terminals'(Cs, S0, S, G).
'$dcg_body'(call(G), S0, S, call(G, S0, S)) :- !.
'$dcg_body'(C, S0, S, G) :- C =.. [call, G0|As], !, '$append'(As, [S0, S], As1), G =.. [call, G0|As1].
'$dcg_body'(M:B, S0, S, M:G) :- nonvar(B), !, '$dcg_body'(B, S0, S, G).
'$dcg_body'(B, S0, S, G) :- '$dcg_nonterminal'(B, S0, S, G).

'$dcg_terminals'(T, S0, S, G) :- string(T), !, string_codes(T, Cs), '$dcg_terminals'(Cs, S0, S, G).
'$dcg_terminals'(L, S0, S, S0 = L1) :-
    ( is_list(L) -> true ; throw(error(type_error(list, L), _)) ),
    '$append'(L, S, L1).
'$dcg_and'(A, B, (A, B)).
