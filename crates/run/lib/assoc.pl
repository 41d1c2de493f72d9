% Association lists as AVL trees: t, or t(Key, Value, Balance, Left, Right)
% where Balance is < if the left branch is the deeper one, > if the right one is, and - if both are even, as SWI-Prolog has it.

:- module(assoc,
          [ empty_assoc/1, put_assoc/4, get_assoc/3, get_assoc/5,
            list_to_assoc/2, ord_list_to_assoc/2, assoc_to_list/2,
            assoc_to_keys/2, assoc_to_values/2, max_assoc/3, min_assoc/3,
            del_assoc/4, del_min_assoc/4, del_max_assoc/4, gen_assoc/3,
            is_assoc/1, map_assoc/2, map_assoc/3, transpose_assoc/2,
            foldl_assoc/4
          ]).

:- meta_predicate map_assoc(1,?), map_assoc(2,?,?), foldl_assoc(4,?,?,?).

empty_assoc(t).

get_assoc(Key, t(K,V,_,L,R), Val) :-
    compare(Order, Key, K),
    get_assoc_(Order, Key, V, L, R, Val).

get_assoc_(=, _, V, _, _, V).
get_assoc_(<, Key, _, L, _, V) :-
    get_assoc(Key, L, V).
get_assoc_(>, Key, _, _, R, V) :-
    get_assoc(Key, R, V).

% get_assoc(+Key, +Assoc, ?Old, ?NewAssoc, ?New): replace a present value.
get_assoc(Key, t(K,V,B,L,R), Old, t(K,V2,B,L2,R2), New) :-
    compare(Order, Key, K),
    get_assoc_(Order, Key, V, L, R, Old, V2, L2, R2, New).

get_assoc_(=, _, V, L, R, V, New, L, R, New).
get_assoc_(<, Key, V, L, R, Old, V, L2, R, New) :-
    get_assoc(Key, L, Old, L2, New).
get_assoc_(>, Key, V, L, R, Old, V, L, R2, New) :-
    get_assoc(Key, R, Old, R2, New).

put_assoc(Key, A0, Value, A) :-
    insert_assoc(A0, Key, Value, A, _).

insert_assoc(t, Key, Val, t(Key,Val,-,t,t), yes).
insert_assoc(t(K,V,B,L,R), Key, Val, NewTree, WhatHasChanged) :-
    compare(Order, Key, K),
    insert_assoc_(Order, K, V, B, L, R, Key, Val, NewTree, WhatHasChanged).

insert_assoc_(=, Key, _, B, L, R, Key, Val, t(Key,Val,B,L,R), no).
insert_assoc_(<, K, V, B, L, R, Key, Val, NewTree, WhatHasChanged) :-
    insert_assoc(L, Key, Val, L1, LeftHasChanged),
    rebalance(LeftHasChanged, t(K,V,B,L1,R), <, NewTree, _, WhatHasChanged).
insert_assoc_(>, K, V, B, L, R, Key, Val, NewTree, WhatHasChanged) :-
    insert_assoc(R, Key, Val, R1, RightHasChanged),
    rebalance(RightHasChanged, t(K,V,B,L,R1), >, NewTree, _, WhatHasChanged).

rebalance(no, T, _, T, no, no).
rebalance(yes, t(K,V,B0,L,R), Side, NewTree, Shrunk, Grown) :-
    grow(B0, Side, B1, Grown, Rotate),
    rotate(Rotate, t(K,V,B1,L,R), NewTree, Shrunk).

grow(-,     <,  <,  yes, no).
grow(-,     >, >, yes, no).
grow(<,  >, -,     no,  no).
grow(>, <,  -,     no,  no).
grow(<,  <,  <,  no,  <).
grow(>, >, >, no,  >).

% rotate(+Which, +Tree, -NewTree, -Shrunk): Shrunk tells deletion whether the
% subtree became one level shallower.
rotate(no, T, T, no).
rotate(<, t(K,V,_,t(K1,V1,B1,L1,R1),R), NewTree, Shrunk) :-
    rotate_left_heavy(B1, K, V, K1, V1, L1, R1, R, NewTree, Shrunk).
rotate(>, t(K,V,_,L,t(K1,V1,B1,L1,R1)), NewTree, Shrunk) :-
    rotate_right_heavy(B1, K, V, L, K1, V1, L1, R1, NewTree, Shrunk).

rotate_left_heavy(<, K, V, K1, V1, L1, R1, R,
                  t(K1,V1,-,L1,t(K,V,-,R1,R)), yes).
rotate_left_heavy(-, K, V, K1, V1, L1, R1, R,
                  t(K1,V1,>,L1,t(K,V,<,R1,R)), no).
rotate_left_heavy(>, K, V, K1, V1, L1, t(K2,V2,B2,L2,R2), R,
                  t(K2,V2,-,t(K1,V1,BL,L1,L2),t(K,V,BR,R2,R)), yes) :-
    double_balance(B2, BL, BR).

rotate_right_heavy(>, K, V, L, K1, V1, L1, R1,
                   t(K1,V1,-,t(K,V,-,L,L1),R1), yes).
rotate_right_heavy(-, K, V, L, K1, V1, L1, R1,
                   t(K1,V1,<,t(K,V,>,L,L1),R1), no).
rotate_right_heavy(<, K, V, L, K1, V1, t(K2,V2,B2,L2,R2), R1,
                   t(K2,V2,-,t(K,V,BL,L,L2),t(K1,V1,BR,R2,R1)), yes) :-
    double_balance(B2, BL, BR).

double_balance(-,     -,    -).
double_balance(<,  -,    >).
double_balance(>, <, -).

% Deletion: the subtree on Side became shallower.
shrink(no, T, _, T, no).
shrink(yes, t(K,V,B0,L,R), Side, NewTree, Shrunk) :-
    other_side(Side, Deeper),
    (   B0 == (-)
    ->  NewTree = t(K,V,Deeper,L,R),
        Shrunk = no
    ;   B0 == Side
    ->  NewTree = t(K,V,-,L,R),
        Shrunk = yes
    ;   rotate(Deeper, t(K,V,B0,L,R), NewTree, Shrunk)
    ).

other_side(<, >).
other_side(>, <).

del_assoc(Key, A0, Val, A) :-
    delete_assoc(A0, Key, Val, A, _).

delete_assoc(t(K,V,B,L,R), Key, Val, NewTree, Shrunk) :-
    compare(Order, Key, K),
    delete_assoc_(Order, K, V, B, L, R, Key, Val, NewTree, Shrunk).

delete_assoc_(=, _, V, B, L, R, _, V, NewTree, Shrunk) :-
    (   L == t
    ->  NewTree = R, Shrunk = yes
    ;   R == t
    ->  NewTree = L, Shrunk = yes
    ;   B == (>)                % the deeper side gives its nearest key
    ->  take_min(R, K1, V1, R1, RightShrunk),
        shrink(RightShrunk, t(K1,V1,B,L,R1), >, NewTree, Shrunk)
    ;   take_max(L, K1, V1, L1, LeftShrunk),
        shrink(LeftShrunk, t(K1,V1,B,L1,R), <, NewTree, Shrunk)
    ).
delete_assoc_(<, K, V, B, L, R, Key, Val, NewTree, Shrunk) :-
    delete_assoc(L, Key, Val, L1, LeftShrunk),
    shrink(LeftShrunk, t(K,V,B,L1,R), <, NewTree, Shrunk).
delete_assoc_(>, K, V, B, L, R, Key, Val, NewTree, Shrunk) :-
    delete_assoc(R, Key, Val, R1, RightShrunk),
    shrink(RightShrunk, t(K,V,B,L,R1), >, NewTree, Shrunk).

take_max(t(K,V,B,L,R), MaxK, MaxV, NewTree, Shrunk) :-
    (   R == t
    ->  MaxK = K, MaxV = V, NewTree = L, Shrunk = yes
    ;   take_max(R, MaxK, MaxV, R1, RightShrunk),
        shrink(RightShrunk, t(K,V,B,L,R1), >, NewTree, Shrunk)
    ).

take_min(t(K,V,B,L,R), MinK, MinV, NewTree, Shrunk) :-
    (   L == t
    ->  MinK = K, MinV = V, NewTree = R, Shrunk = yes
    ;   take_min(L, MinK, MinV, L1, LeftShrunk),
        shrink(LeftShrunk, t(K,V,B,L1,R), <, NewTree, Shrunk)
    ).

del_min_assoc(Tree, Key, Val, NewTree) :-
    take_min(Tree, Key, Val, NewTree, _).
del_max_assoc(Tree, Key, Val, NewTree) :-
    take_max(Tree, Key, Val, NewTree, _).

list_to_assoc(List, Assoc) :-
    pairs(List, list_to_assoc/2),
    msort(List, Sorted),
    (   ascending_keys(Sorted)
    ->  build(Sorted, Assoc)
    ;   throw(error(domain_error(unique_key_pairs, List), list_to_assoc/2))
    ).

ord_list_to_assoc(List, Assoc) :-
    pairs(List, ord_list_to_assoc/2),
    (   ascending_keys(List)
    ->  build(List, Assoc)
    ;   throw(error(domain_error(key_ordered_pairs, List), ord_list_to_assoc/2))
    ).

pairs(List, Context) :-
    (   is_list(List) -> each_pair(List, Context)
    ;   '$skip_list'(_, List, Tail), var(Tail) -> throw(error(instantiation_error, Context))
    ;   throw(error(type_error(list, List), Context))
    ).
each_pair([], _).
each_pair([P|Ps], Context) :-
    (   var(P) -> throw(error(instantiation_error, Context))
    ;   P = _-_ -> each_pair(Ps, Context)
    ;   throw(error(type_error(pair, P), Context))
    ).

ascending_keys([]).
ascending_keys([K-_|Ps]) :- ascending_keys(Ps, K).
ascending_keys([], _).
ascending_keys([K2-_|Ps], K) :- K @< K2, ascending_keys(Ps, K2).

% The left branch gets the odd one, so the tree is as flat as can be.
build(Sorted, Assoc) :-
    length(Sorted, N),
    build(N, Sorted, [], Assoc, _).
build(0, L, L, t, 0) :- !.
build(N, L0, L, t(K,V,B,Left,Right), Depth) :-
    NL is N // 2,
    NR is N - 1 - NL,
    build(NL, L0, [K-V|L1], Left, DL),
    build(NR, L1, L, Right, DR),
    ( DL > DR -> B = (<) ; B = (-) ),
    Depth is DL + 1.

assoc_to_list(Assoc, List) :-
    assoc_to_list_(Assoc, List, []).

assoc_to_list_(t, L, L).
assoc_to_list_(t(K,V,_,L,R), List, Rest) :-
    assoc_to_list_(L, List, [K-V|More]),
    assoc_to_list_(R, More, Rest).

assoc_to_keys(Assoc, Keys) :-
    assoc_to_keys_(Assoc, Keys, []).

assoc_to_keys_(t, L, L).
assoc_to_keys_(t(K,_,_,L,R), List, Rest) :-
    assoc_to_keys_(L, List, [K|More]),
    assoc_to_keys_(R, More, Rest).

assoc_to_values(Assoc, Values) :-
    assoc_to_values_(Assoc, Values, []).

assoc_to_values_(t, L, L).
assoc_to_values_(t(_,V,_,L,R), List, Rest) :-
    assoc_to_values_(L, List, [V|More]),
    assoc_to_values_(R, More, Rest).

max_assoc(t(K,V,_,_,R), Key, Val) :-
    (   R == t
    ->  Key = K, Val = V
    ;   max_assoc(R, Key, Val)
    ).

min_assoc(t(K,V,_,L,_), Key, Val) :-
    (   L == t
    ->  Key = K, Val = V
    ;   min_assoc(L, Key, Val)
    ).

gen_assoc(Key, Assoc, Value) :-
    (   ground(Key)
    ->  get_assoc(Key, Assoc, Value)
    ;   gen_assoc_(Assoc, Key, Value)
    ).

gen_assoc_(t(_,_,_,L,_), Key, Val) :-
    gen_assoc_(L, Key, Val).
gen_assoc_(t(Key,Val,_,_,_), Key, Val).
gen_assoc_(t(_,_,_,_,R), Key, Val) :-
    gen_assoc_(R, Key, Val).

is_assoc(Assoc) :-
    nonvar(Assoc),
    checked_depth(Assoc, _),
    assoc_to_keys(Assoc, Keys),
    strictly_ascending(Keys).

checked_depth(t, 0).
checked_depth(t(_,_,B,L,R), Depth) :-
    nonvar(L), nonvar(R),
    checked_depth(L, DL),
    checked_depth(R, DR),
    depth_balance(B, DL, DR),
    Depth is max(DL, DR)+1.

depth_balance(-, D, D).
depth_balance(<, DL, DR) :- DL =:= DR+1.
depth_balance(>, DL, DR) :- DR =:= DL+1.

strictly_ascending([]).
strictly_ascending([H|T]) :- strictly_ascending_(T, H).
strictly_ascending_([], _).
strictly_ascending_([H2|T], H) :- H @< H2, strictly_ascending_(T, H2).

map_assoc(Pred, Assoc) :-
    map_assoc_(Assoc, Pred).

map_assoc_(t, _).
map_assoc_(t(_,V,_,L,R), Pred) :-
    map_assoc_(L, Pred),
    call(Pred, V),
    map_assoc_(R, Pred).

map_assoc(Pred, Assoc, NewAssoc) :-
    map_assoc_(Assoc, Pred, NewAssoc).

map_assoc_(t, _, t).
map_assoc_(t(K,V,B,L0,R0), Pred, t(K,W,B,L1,R1)) :-
    map_assoc_(L0, Pred, L1),
    call(Pred, V, W),
    map_assoc_(R0, Pred, R1).

foldl_assoc(Pred, Assoc, S0, S) :-
    foldl_assoc_(Assoc, Pred, S0, S).

foldl_assoc_(t, _, S, S).
foldl_assoc_(t(K,V,_,L,R), Pred, S0, S) :-
    foldl_assoc_(L, Pred, S0, S1),
    call(Pred, K, V, S1, S2),
    foldl_assoc_(R, Pred, S2, S).

transpose_assoc(Assoc, Transposed) :-
    assoc_to_list(Assoc, Pairs),
    flip(Pairs, Flipped),
    list_to_assoc(Flipped, Transposed).

flip([], []).
flip([K-V|T], [V-K|R]) :- flip(T, R).
