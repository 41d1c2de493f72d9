% Attributed variables in the interface of SICStus and Scryer: attributes are declared, put and asked for by module,
% and `verify_attributes/3` of the module is called when such a variable is unified.

:- module(atts, [attribute/1, put_atts/2, get_atts/2, '$atts_unified'/3, op(1150, fx, attribute)]).

:- use_module(library(lists)).

:- meta_predicate attribute(:), put_atts(?, :), get_atts(?, :).

:- dynamic declared/3.

attribute(Specs) :-
    '$strip_module'(Specs, M, S),
    declare(S, M),
    '$define_hook'(M).
declare((A, B), M) :- !, declare(A, M), declare(B, M).
declare([], _) :- !.
declare([A|B], M) :- !, declare(A, M), declare(B, M).
declare(N/A, M) :- ( declared(M, N, A) -> true ; assertz(declared(M, N, A)) ).

'$define_hook'(M) :-
    (   declared(M, '$hook', 0) -> true
    ;   assertz(declared(M, '$hook', 0)),
        '$set_source_module'(Old, M),
        '$add_clause'((attr_unify_hook(As, Other) :- atts:'$atts_unified'(M, As, Other)), _),
        '$set_source_module'(_, Old) ).

% The variable is bound already: a fresh one with its attributes stands for it.
'$atts_unified'(M, As, Other) :-
    put_attr(V, M, As),
    (   '$is_defined'(M:verify_attributes(_, _, _))
    ->  M:verify_attributes(V, Other, Goals)
    ;   Goals = [] ),
    del_attr(V, M),
    V = Other,
    call_all(Goals, M).
call_all([], _).
call_all([G|Gs], M) :- call(M:G), call_all(Gs, M).

put_atts(V, Spec) :-
    '$strip_module'(Spec, M, S),
    (   var(V) -> true ; throw(error(uninstantiation_error(V), put_atts/2)) ),
    ( get_attr(V, M, atts(As0)) -> true ; As0 = [] ),
    put_specs(S, M, As0, As),
    ( As == [] -> del_attr(V, M) ; put_attr(V, M, atts(As)) ).
put_specs(S, _, _, _) :- var(S), !, throw(error(instantiation_error, put_atts/2)).
put_specs([], _, As, As) :- !.
put_specs([S|Ss], M, As0, As) :- !, put_specs(S, M, As0, As1), put_specs(Ss, M, As1, As).
put_specs(+A, M, As0, As) :- !, put_one(A, M, As0, As).
put_specs(-A, M, As0, As) :- !, check(A, M), functor(A, N, K), remove(As0, N, K, As).
put_specs(A, M, As0, As) :- put_one(A, M, As0, As).
put_one(A, M, As0, [A|As]) :- check(A, M), functor(A, N, K), remove(As0, N, K, As).
remove([], _, _, []).
remove([A|As], N, K, R) :- ( functor(A, N, K) -> R = As ; R = [A|R1], remove(As, N, K, R1) ).
check(A, M) :- functor(A, N, K), ( declared(M, N, K) -> true ; throw(error(existence_error(attribute, M:N/K), _)) ).

get_atts(V, Spec) :-
    '$strip_module'(Spec, M, S),
    ( var(V), get_attr(V, M, atts(As)) -> true ; As = [] ),
    (   var(S) -> var(V), As \== [], S = As ; get_specs(S, M, As) ).
get_specs([], _, _) :- !.
get_specs([S|Ss], M, As) :- !, get_specs(S, M, As), get_specs(Ss, M, As).
get_specs(+A, M, As) :- !, check(A, M), has(As, A).
get_specs(-A, M, As) :- !, check(A, M), functor(A, N, K), functor(T, N, K), \+ has(As, T).
get_specs(A, M, As) :- check(A, M), has(As, A).
has([B|As], A) :- functor(A, N, K), ( functor(B, N, K) -> A = B ; has(As, A) ).
