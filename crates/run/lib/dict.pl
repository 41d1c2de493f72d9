% Open-ended dictionaries: trees dic(Key,Value,Left,Right) that end in variables, after Ciao.

:- module(dict, [dictionary/1, dictionary/5, dic_node/2, dic_lookup/3, dic_lookup/4, dic_get/3, dic_replace/4, old_or_new/1]).

dictionary(D) :- var(D), !.
dictionary(dic(_, _, L, R)) :- dictionary(L), dictionary(R).

dictionary(D, K, V, L, R) :- D = dic(K, V, L, R).

dic_node(D, _) :- var(D), !, fail.
dic_node(D, D).
dic_node(dic(_, _, L, _), N) :- dic_node(L, N).
dic_node(dic(_, _, _, R), N) :- dic_node(R, N).

% dic_lookup(?Dict, +Key, ?Value, -Found): adds the key if it is new.
dic_lookup(D, K, V) :- dic_lookup(D, K, V, _).

dic_lookup(D, K, V, Found) :- var(D), !, D = dic(K, V0, _, _), V = V0, Found = new.
dic_lookup(dic(K0, V0, L, R), K, V, Found) :-
    compare(O, K, K0),
    (   O = (=) -> V = V0, Found = old
    ;   O = (<) -> dic_lookup(L, K, V, Found)
    ;   dic_lookup(R, K, V, Found)
    ).

dic_get(D, K, V) :-
    nonvar(D), D = dic(K0, V0, L, R),
    compare(O, K, K0),
    (   O = (=) -> V = V0
    ;   O = (<) -> dic_get(L, K, V)
    ;   dic_get(R, K, V)
    ).

dic_replace(D, K, V, D1) :- var(D), !, D1 = dic(K, V, _, _).
dic_replace(dic(K0, V0, L, R), K, V, D1) :-
    compare(O, K, K0),
    (   O = (=) -> D1 = dic(K, V, L, R)
    ;   O = (<) -> D1 = dic(K0, V0, L1, R), dic_replace(L, K, V, L1)
    ;   D1 = dic(K0, V0, L, R1), dic_replace(R, K, V, R1)
    ).

old_or_new(old).
old_or_new(new).
