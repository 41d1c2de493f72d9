% Pairs Key-Value.

:- module(pairs,
          [ pairs_keys_values/3, pairs_keys/2, pairs_values/2,
            transpose_pairs/2, map_list_to_pairs/3, group_pairs_by_key/2
          ]).

:- meta_predicate map_list_to_pairs(2,?,?).

pairs_keys_values([], [], []).
pairs_keys_values([K-V|T], [K|Ks], [V|Vs]) :-
    pairs_keys_values(T, Ks, Vs).

pairs_keys([], []).
pairs_keys([K-_|T], [K|Ks]) :-
    pairs_keys(T, Ks).

pairs_values([], []).
pairs_values([_-V|T], [V|Vs]) :-
    pairs_values(T, Vs).

transpose_pairs(Pairs, Transposed) :-
    flip_pairs(Pairs, Flipped),
    keysort(Flipped, Transposed).

flip_pairs([], []).
flip_pairs([K-V|T], [V-K|R]) :-
    flip_pairs(T, R).

map_list_to_pairs(Function, List, Pairs) :-
    map_pairs(List, Function, Pairs).

map_pairs([], _, []).
map_pairs([H|T0], Function, [K-H|T]) :-
    call(Function, H, K),
    map_pairs(T0, Function, T).

group_pairs_by_key([], []).
group_pairs_by_key([K-V|Pairs], [K-[V|Vs]|Groups]) :-
    same_key(K, Pairs, Vs, Rest),
    group_pairs_by_key(Rest, Groups).

same_key(K0, [K-V|Pairs], [V|Vs], Rest) :-
    K0 == K, !,
    same_key(K0, Pairs, Vs, Rest).
same_key(_, Rest, [], Rest).
