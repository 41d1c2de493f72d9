% Modules for a while.

:- module(modules, [in_temporary_module/3, current_temporary_module/1, set_temporary_module/1]).

:- use_module(library(gensym)).

:- meta_predicate in_temporary_module(?, 0, 0).

:- dynamic temporary/1.

% in_temporary_module(Module, Setup, Goal): both run in a new module that is destroyed afterwards.
in_temporary_module(M, Setup, Goal) :-
    ( var(M) -> gensym('tmp_module_', M) ; true ),
    '$strip_module'(Setup, _, S), '$strip_module'(Goal, _, G),
    setup_call_cleanup(assertz(temporary(M)),
                       ( call(M:S), call(M:G) ),
                       ( retractall(temporary(M)), '$destroy_module'(M) )).
current_temporary_module(M) :- temporary(M).
set_temporary_module(M) :- ( temporary(M) -> true ; assertz(temporary(M)) ).
