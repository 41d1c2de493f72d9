% Modules: imports, exports, packages.

:- dynamic(file_search_path/2).
:- dynamic('$exported_op'/2).
:- dynamic('$flag_stack'/2).
:- dynamic('$thread_local'/2).

ensure_loaded(F) :- '$use'(F, all).
use_module(F) :- '$use'(F, all).
use_module(F, Imports) :- '$use'(F, Imports).
use_module(M, F, Imports) :-
    ( nonvar(F) -> '$use'(F, Imports), ( var(M) -> '$resolve_file'(F, P), '$loaded'(P, M) ; true )
    ; '$import'(M, Imports) ).
autoload(F) :- '$use'(F, all).
autoload(F, Imports) :- '$use'(F, Imports).
reexport(F) :- reexport(F, all).
reexport(F, Imports) :- '$use'(F, Imports), '$reexport_file'(F, Imports).
'$reexport_file'([], _) :- !.
'$reexport_file'([F|Fs], I) :- !, '$reexport_file'(F, I), '$reexport_file'(Fs, I).
'$reexport_file'(F, Imports) :-
    '$resolve_file'(F, Path),
    ( '$loaded'(Path, M), M \== user ->
        '$reexport'(M, Imports),
        '$source_module'(To),
        forall(user:'$exported_op'(M, Op), '$note_exported_op'(To, Op))
    ; true ).

'$use'(F, _) :- var(F), !, throw(error(instantiation_error, _)).
'$use'(M:F, I) :- !,
    '$source_module'(Old), '$set_source_module'(M),
    catch('$use'(F, I), E, true),
    '$set_source_module'(Old),
    ( nonvar(E) -> throw(E) ; true ).
'$use'([], _) :- !.
'$use'([F|Fs], I) :- !, '$use'(F, I), '$use'(Fs, I).
'$use'(engine(_), _) :- !.
'$use'(library(chr), Imports) :-
    '$resolve_file'(library(chr), Path),
    '$source_module'(M),
    \+ user:'$package_expansion'(M, chr:expand), !,
    ( '$loaded'(Path, _) -> true ; '$in_user'('$load_path'(Path)) ),
    chr:start(M),
    user:assertz('$package_expansion'(M, chr:expand)),
    '$import_loaded'(Path, Imports).
'$use'(library(dicts), _) :- !, '$refused'('dicts (library(dicts))').
'$use'(F, Imports) :-
    atom(F), '$modules'(Ms), '$memberq'(F, Ms), F \== user, \+ catch('$find_file'(F, _), _, fail), !,
    '$import'(F, Imports), '$import_ops'(F, Imports).
'$use'(F, Imports) :-
    '$resolve_file'(F, Path),
    ( Path == builtin -> true
    ; ( '$loaded'(Path, _) -> true ; '$load_path'(Path) ),
      '$import_loaded'(Path, Imports) ).

'$import_loaded'(Path, Imports) :-
    ( '$loaded'(Path, M), M \== user -> '$import'(M, Imports), '$import_ops'(M, Imports) ; true ).

% Operators come with everything, with everything except some, or by name.
'$import_ops'(M, Imports) :-
    '$source_module'(To),
    ( '$has_clauses'(user, '$exported_op'(_, _)) ->
        ( user:'$exported_op'(M, op(P, T, N)),
          ( is_list(Imports) -> \+ \+ '$member'(op(P, T, N), Imports)
          ; compound(Imports), Imports = except(L) -> \+ '$member'(op(P, T, N), L)
          ; true ),
          op(P, T, To:N), fail
        ; true )
    ; true ).

% '$import'(Module, all | except(List) | List): what is not exported is imported all the same, with a warning.
'$import'(M, Imports) :- '$import'(M, Imports, Missing), '$warn_missing'(Missing, M).
'$warn_missing'([], _).
'$warn_missing'([PI|PIs], M) :-
    ( '$in_system'(PI) -> true ; '$load_warning'(warning, not_exported(M, PI)) ),
    '$warn_missing'(PIs, M).
% Other systems have in libraries what is built in here.
'$in_system'(N/A) :- atom(N), integer(A), functor(H, N, A), '$is_defined'(system:H).

% Where a file is: as named, under an alias of `file_search_path/2`, or a library.
'$resolve_file'(F, _) :- var(F), !, throw(error(instantiation_error, _)).
'$resolve_file'(F, Path) :-
    compound(F), functor(F, Alias, 1), Alias \== (/),
    '$has_clauses'(user, file_search_path(_, _)),
    arg(1, F, Sub),
    '$search_path'(Alias, Dir, 10),
    '$join_path'(Dir, Sub, Spec),
    catch('$find_file'(Spec, Path), _, fail), !.
'$resolve_file'(F, Path) :- '$find_file'(F, Path).
'$search_path'(Alias, Dir, N) :-
    N > 0, N1 is N - 1,
    user:file_search_path(Alias, D),
    ( compound(D), functor(D, A2, 1), A2 \== (/) -> arg(1, D, Rest), '$search_path'(A2, D2, N1), '$join_path'(D2, Rest, Dir)
    ; Dir = D ).
'$join_path'(Dir, Sub, Path) :- '$path_text'(Dir, D), '$path_text'(Sub, S), atomic_list_concat([D, /, S], Path).
'$path_text'(A/B, T) :- !, '$path_text'(A, TA), '$path_text'(B, TB), atomic_list_concat([TA, /, TB], T).
'$path_text'(A, A).

'$autoload'(Library, Goal) :-
    atom_concat('library:', Library, Path),
    ( '$loaded'(Path, _) -> true ; '$in_user'('$load_path'(Path)) ),
    '$strip_module'(Goal, M, G),
    functor(G, N, A),
    '$loaded'(Path, From),
    '$import_into'(M, From, N, A),
    ( '$is_defined'(M:G) -> call(M:G)
    ; throw(error(existence_error(procedure, N/A), N/A)) ).

% Libraries are loaded as if from the top level, whatever is being loaded.
'$in_user'(G) :-
    '$source_module'(Old), '$set_source_module'(user),
    ( catch(G, E, true) -> true ; true ),
    '$set_source_module'(Old),
    ( nonvar(E) -> throw(E) ; true ).

% -- the module directive

'$module_directive'(M0, Exports0, Packages) :-
    ( var(M0) -> '$load_position'(File, _), '$base_name'(File, M) ; M = M0 ),
    ( atom(M) -> true ; throw(error(type_error(atom, M), _)) ),
    ( '$exports_all'(Exports0) -> Exports = [] ; Exports = Exports0 ),
    '$declare_module'(M, Exports),
    ( '$exports_all'(Exports0) -> '$export_all'(M) ; true ),
    user:retractall('$exported_op'(M, _)),
    '$export_ops'(Exports, M),
    '$use_packages'(Packages).
'$exports_all'(Exports) :- ( var(Exports) -> true ; Exports == all ).
'$base_name'(File, Base) :- file_base_name(File, Name), file_name_extension(Base, _, Name).
'$export_ops'([], _).
'$export_ops'([E|Es], M) :-
    ( nonvar(E), E = op(P, T, N) -> op(P, T, M:N), '$note_exported_op'(M, op(P, T, N)) ; true ),
    '$export_ops'(Es, M).
'$note_exported_op'(M, op(P, T, N)) :-
    ( N = [_|_] -> forall('$member'(N1, N), '$note_exported_op'(M, op(P, T, N1)))
    ; user:'$exported_op'(M, op(P, T, N)) -> true
    ; user:assertz('$exported_op'(M, op(P, T, N))) ).

export(Spec0) :-
    '$strip_module'(Spec0, M, Spec),
    '$export_spec'(Spec, M).
'$export_spec'(S, _) :- var(S), !, throw(error(instantiation_error, _)).
'$export_spec'((A, B), M) :- !, '$export_spec'(A, M), '$export_spec'(B, M).
'$export_spec'([], _) :- !.
'$export_spec'([A|B], M) :- !, '$export_spec'(A, M), '$export_spec'(B, M).
'$export_spec'(op(P, T, N), M) :- !, op(P, T, M:N), '$note_exported_op'(M, op(P, T, N)).
'$export_spec'(PI, M) :- '$add_export'(M, PI).
import(Spec0) :-
    '$strip_module'(Spec0, To, Spec1),
    ( nonvar(Spec1) -> true ; throw(error(instantiation_error, _)) ),
    '$import_spec'(Spec0, To, Spec1).
'$import_spec'(Spec0, _, _) :-
    Spec0 = To:(From:PI), !,
    '$source_module'(Old), '$set_source_module'(To), '$import'(From, [PI]), '$set_source_module'(Old).
'$import_spec'(_, From, PI) :- '$import'(From, [PI]).

% What a module exports it defines, imports or makes dynamic.
'$exports_defined' :-
    '$load_position'(File, _),
    ( '$loaded'(File, M), M \== user, \+ atom_concat('library:', _, File) ->
        '$undefined_exports'(M, PIs),
        forall('$member'(PI, PIs), '$load_warning'(warning, undefined_export(M, PI)))
    ; true ).

% The modules in which a module looks for predicates that it neither defines nor imports: those added, then `user`.
import_module(M, I) :-
    ( M == user -> I = system ; M == system -> fail
    ; '$parents'(M, Ps), ( '$member'(I, Ps) ; \+ '$memberq'(user, Ps), I = user ) ).
add_import_module(M, I, Where) :-
    '$parents'(M, Ps0), '$without_atom'(Ps0, I, Ps1),
    (   I == user -> Ps = Ps1
    ;   Where == start -> Ps = [I|Ps1]
    ;   Where == end -> '$append_one'(Ps1, I, Ps)
    ;   throw(error(domain_error(start_or_end, Where), context(system:add_import_module/3, _))) ),
    '$set_parents'(M, Ps).
delete_import_module(M, I) :- '$parents'(M, Ps0), '$memberq'(I, Ps0), '$without_atom'(Ps0, I, Ps), '$set_parents'(M, Ps).
'$without_atom'([], _, []).
'$without_atom'([A|As], B, R) :- ( A == B -> R = R1 ; R = [A|R1] ), '$without_atom'(As, B, R1).
'$append_one'([], A, [A]).
'$append_one'([B|Bs], A, [B|R]) :- '$append_one'(Bs, A, R).
set_module(_).
'$destroy_module'(M) :-
    forall(( current_predicate(M:N/A), functor(H, N, A), \+ predicate_property(M:H, imported_from(_)) ),
           catch(abolish(M:N/A), error(permission_error(_, _, _), _), true)).
default_module(M, D) :- ( D = M ; M \== system, M \== user, '$parents'(M, Ps), '$member'(D, Ps) ; M \== user, D = user ; M \== system, D = system ).
module(M) :- '$set_source_module'(M).
'$set_source_module'(Old, New) :- '$source_module'(Old), '$set_source_module'(New).
@(_, C) :- var(C), !, throw(error(instantiation_error, _)).
@(G, C) :- '$at_module'(G, C, G1), call(G1).
license(_).
license(_, _).
expects_dialect(_).
require(_).
ensure_loaded_library(L) :- '$use'(library(L), all).
set_prolog_gc_thread(_).
predicate_options(_, _, _).
'$hide'(_).
% Calls of a predicate declared `det` go through a check: its clauses get another name, as those of tabled predicates do.
det(Spec0) :- '$strip_module'(Spec0, M, Spec), '$declare_det'(Spec, M).
'$declare_det'(S, _) :- var(S), !, throw(error(instantiation_error, _)).
'$declare_det'((A, B), M) :- !, '$declare_det'(A, M), '$declare_det'(B, M).
'$declare_det'([], _) :- !.
'$declare_det'([A|B], M) :- !, '$declare_det'(A, M), '$declare_det'(B, M).
'$declare_det'(M:S, _) :- !, '$declare_det'(S, M).
'$declare_det'(N//A, M) :- !, A2 is A + 2, '$declare_det'(N/A2, M).
'$declare_det'(N/A, M) :- atom(N), integer(A), !,
    ( user:'$tabled'(M, N, A, _, _) -> true
    ; atom_concat(N, ' det', Impl),
      user:assertz('$tabled'(M, N, A, Impl, det)),
      functor(H, N, A), H =.. [_|As], G =.. [Impl|As],
      discontiguous(M:Impl/A), multifile(M:Impl/A),
      '$source_module'(Old), '$set_source_module'(M),
      '$add_clause'((H :- system:'$det_call'(M:G, M:N/A)), _),
      '$set_source_module'(Old) ).
'$declare_det'(S, _) :- throw(error(type_error(predicate_indicator, S), _)).
'$det_call'(G, PI) :-
    ( call_det(G, Det) -> true ; throw(error(determinism_error(PI, det, fail, property), _)) ),
    ( Det == true -> true ; throw(error(determinism_error(PI, det, nondet, property), _)) ).
'$set_predicate_attribute'(_, _, _).
prolog_listen(_, _).

% -- declarations of other systems

data(S) :- dynamic(S).
% Ciao's names for changes of the database.
:- meta_predicate(asserta_fact(:)).
:- meta_predicate(assertz_fact(:)).
:- meta_predicate(retract_fact(:)).
:- meta_predicate(retractall_fact(:)).
:- meta_predicate(current_fact(:)).
:- meta_predicate(set_fact(:)).
asserta_fact(F) :- asserta(F).
assertz_fact(F) :- assertz(F).
retract_fact(F) :- retract(F).
retractall_fact(F) :- retractall(F).
current_fact(F) :- clause(F, true).
set_fact(F) :- '$strip_module'(F, M, H), functor(H, N, A), functor(G, N, A), retractall(M:G), assertz(M:H).
concurrent(S) :- dynamic(S).
% The clauses of these belong to the thread that made them (library(threads)).
thread_local(S0) :- dynamic(S0), ( nonvar(S0), S0 = M:S -> true ; '$source_module'(M), S = S0 ), '$note_thread_local'(S, M).
'$note_thread_local'((A, B), M) :- !, '$note_thread_local'(A, M), '$note_thread_local'(B, M).
'$note_thread_local'([], _) :- !.
'$note_thread_local'([A|B], M) :- !, '$note_thread_local'(A, M), '$note_thread_local'(B, M).
'$note_thread_local'(M:A, _) :- !, '$note_thread_local'(A, M).
'$note_thread_local'(N/A, M) :- functor(H, N, A), ( user:'$thread_local'(M, H) -> true ; user:assertz('$thread_local'(M, H)) ).
dynamic(S0, Options) :-
    '$strip_module'(S0, M, S), dynamic(M:S),
    ( is_list(Options), ( '$memberq'(incremental(true), Options) ; '$memberq'(monotonic(true), Options) ) -> '$incremental'(M:S) ; true ).
impl_defined(_).
redefining(_).
redefine_system_predicate(_).
new_declaration(_).
new_declaration(_, _).
load_compilation_module(F) :- '$use'(F, all).
add_sentence_trans(S) :- add_sentence_trans(S, 0).
add_sentence_trans(_, _) :- '$refused'('sentence translations of Ciao (add_sentence_trans/2)').
add_term_trans(_, _) :- '$refused'('term translations of Ciao (add_term_trans/2)').
add_goal_trans(_, _) :- '$refused'('goal translations of Ciao (add_goal_trans/2)').
use_foreign_source(_) :- '$refused'('foreign code (use_foreign_source/1)').
use_foreign_library(_) :- '$refused'('foreign code (use_foreign_library/1)').
use_foreign_library(_, _) :- '$refused'('foreign code (use_foreign_library/2)').
load_foreign_library(_) :- '$refused'('foreign code (load_foreign_library/1)').
load_foreign_library(_, _) :- '$refused'('foreign code (load_foreign_library/2)').
non_counted_backtracking(_).
compilation_fact(_).
mode(_).
block(_) :- '$refused'('block declarations (block/1)').
'$refused'(What) :- throw(error(not_supported(What), _)).

push_prolog_flag(F, V) :-
    current_prolog_flag(F, Old), !,
    user:asserta('$flag_stack'(F, Old)),
    set_prolog_flag(F, V).
push_prolog_flag(F, _) :- '$load_warning'(warning, unknown_flag(F)).
pop_prolog_flag(F) :-
    ( user:retract('$flag_stack'(F, Old)) -> set_prolog_flag(F, Old) ; true ).

% -- packages

use_package(Ps) :- '$ciao_syntax', ( is_list(Ps) -> '$use_packages'(Ps) ; '$use_package'(Ps) ).
% A file with packages is Ciao's, where "..." is a list of codes; the flag is the file's own.
'$ciao_syntax' :- set_prolog_flag(double_quotes, codes).
'$use_packages'(Ps) :- var(Ps), !, throw(error(instantiation_error, _)).
'$use_packages'([]) :- !.
'$use_packages'([P|Ps]) :- !, '$source_module'(M), op(1150, fx, M:data), '$use_package'(P), '$use_packages'(Ps).
'$use_packages'(P) :- '$use_package'(P).
% The operators of the assertion language come with the directive itself; here are its predicates.
'$use_package'(P) :- var(P), !, throw(error(instantiation_error, _)).
'$use_package'(library(P)) :- !, '$use_package'(P).
'$use_package'(P) :- '$memberq'(P, [assertions, rtchecks]), !, '$use'(library(rtchecks), all).
'$use_package'(lazy) :- !, '$refused'('package lazy').
'$use_package'(P) :- '$memberq'(P, [fsyntax, functional]), !,
    '$use'(library(fsyntax), []),
    '$source_module'(M),
    '$fsyntax_ops'(M),
    fsyntax:start(M, P),
    '$expand_package'(M, fsyntax:translate_term).
'$use_package'(argnames) :- !,
    '$use'(library(argnames), []),
    '$source_module'(M),
    op(150, xfx, M:($)), op(950, xfx, M:(=>)), op(1150, fx, M:argnames),
    argnames:start(M),
    '$expand_package'(M, argnames:translate_term).
'$use_package'(clpq) :- !, '$refused'('package clpq').
'$use_package'(clpr) :- !, '$refused'('package clpr').
'$use_package'(clpfd) :- !, '$use'(library(clpfd), all).
'$use_package'(tabling) :- !.
'$use_package'(P) :- '$known_package'(P), !.
'$use_package'(P) :- atom(P), catch('$find_file'(P, Path), _, fail), !,
    ( Path == builtin -> true
    ; atom_concat('library:', _, Path) -> '$use'(P, all)
    ; '$include_path'(Path) ).
'$use_package'(P) :- '$use'(library(P), all).

'$expand_package'(M, P) :-
    ( user:'$package_expansion'(M, P) -> true ; user:assertz('$package_expansion'(M, P)) ).

'$fsyntax_ops'(M) :-
    op(1150, xfx, M:(:=)), op(1050, xfy, M:(?)), op(1150, fx, M:fun_eval), op(1150, fx, M:fun_return), op(1150, fx, M:lazy),
    op(50, fx, M:(~)), op(50, fx, M:(^^)), op(40, fx, M:(^)).

% Packages whose contents the system has anyway, or that change nothing in what programs mean.
'$known_package'(P) :- atom(P), '$package_exists'(P).
