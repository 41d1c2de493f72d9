% Edinburgh Prolog's names.

:- module(edinburgh, [reconsult/1, unknown/2, fileerrors/2]).

:- meta_predicate reconsult(:).

reconsult(Files) :- consult(Files).
unknown(Old, New) :- current_prolog_flag(unknown, Old), ( Old == New -> true ; set_prolog_flag(unknown, New) ).
fileerrors(on, on).
