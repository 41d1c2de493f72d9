% Hash tables that are changed in place; backtracking undoes the changes. A table is ht(Count, Slots) with lists of
% Key-Value in the slots; keys are compared with ==.

:- module(hashtable, [ht_new/1, ht_is_hashtable/1, ht_size/2, ht_put/3, ht_update/4, ht_put_new/3, ht_put/5, ht_del/3,
                      ht_get/3, ht_gen/3, ht_pairs/2, ht_keys/2, ht_values/2]).

:- use_module(library(error)).
:- use_module(library(lists)).
:- use_module(library(pairs)).

:- meta_predicate ht_put(?, ?, ?, ?, ?).

ht_new(ht(0, Slots)) :- empty(8, Slots).
empty(N, Slots) :- length(L, N), nils(L), Slots =.. [slots|L].
nils([]).
nils([[]|L]) :- nils(L).
ht_is_hashtable(T) :- nonvar(T), T = ht(N, Slots), integer(N), compound(Slots).

ht_size(T, N) :- must_be_table(T), arg(1, T, N).
must_be_table(T) :- ( ht_is_hashtable(T) -> true ; type_error(hashtable, T) ).

slot(T, Key, Slots, I, Entries) :-
    must_be_table(T),
    arg(2, T, Slots), functor(Slots, _, Size),
    ( term_hash(Key, H), integer(H) -> true ; instantiation_error(Key) ),
    I is H mod Size + 1,
    arg(I, Slots, Entries).
entry([K-V|Es], Key, Entry) :- ( K == Key -> Entry = e(K-V) ; entry(Es, Key, Entry) ).
without([K-V|Es], Key, Rest) :- ( K == Key -> Rest = Es ; Rest = [K-V|Rest1], without(Es, Key, Rest1) ).

ht_get(T, Key, Value) :- slot(T, Key, _, _, Es), entry(Es, Key, e(_-V)), Value = V.
ht_put(T, Key, Value) :-
    slot(T, Key, Slots, I, Es),
    (   entry(Es, Key, _) -> without(Es, Key, Rest), setarg(I, Slots, [Key-Value|Rest])
    ;   insert(T, Slots, I, Es, Key, Value) ).
ht_put_new(T, Key, Value) :- slot(T, Key, Slots, I, Es), \+ entry(Es, Key, _), insert(T, Slots, I, Es, Key, Value).
ht_update(T, Key, Old, New) :-
    slot(T, Key, Slots, I, Es), entry(Es, Key, e(_-Old)),
    without(Es, Key, Rest), setarg(I, Slots, [Key-New|Rest]).
% ht_put(Table, Key, New, IfNew, Old): Old is the value before, or IfNew.
ht_put(T, Key, New, IfNew, Old) :-
    ( ht_get(T, Key, V) -> Old = V ; Old = IfNew ),
    ht_put(T, Key, New).
ht_del(T, Key, Value) :-
    slot(T, Key, Slots, I, Es), entry(Es, Key, e(_-V)), Value = V,
    without(Es, Key, Rest), setarg(I, Slots, Rest),
    arg(1, T, N), N1 is N - 1, setarg(1, T, N1).

insert(T, Slots, I, Es, Key, Value) :-
    setarg(I, Slots, [Key-Value|Es]),
    arg(1, T, N), N1 is N + 1, setarg(1, T, N1),
    functor(Slots, _, Size),
    ( N1 > 2 * Size -> grow(T, Size) ; true ).
grow(T, Size) :-
    ht_pairs(T, Pairs),
    Size1 is Size * 4, empty(Size1, Slots),
    fill(Pairs, Slots, Size1),
    setarg(2, T, Slots).
fill([], _, _).
fill([K-V|Ps], Slots, Size) :-
    term_hash(K, H), I is H mod Size + 1, arg(I, Slots, Es), setarg(I, Slots, [K-V|Es]), fill(Ps, Slots, Size).

ht_pairs(T, Pairs) :-
    (   var(T) -> ht_new(T0), put_all(Pairs, T0), T = T0
    ;   arg(2, T, Slots), Slots =.. [_|Lists], append(Lists, Ps), Pairs = Ps ).
put_all([], _).
put_all([K-V|Ps], T) :- ht_put(T, K, V), put_all(Ps, T).
ht_gen(T, Key, Value) :- ht_pairs(T, Pairs), member(Key-Value, Pairs).
ht_keys(T, Keys) :- ht_pairs(T, Pairs), pairs_keys(Pairs, Keys).
ht_values(T, Values) :- ht_pairs(T, Pairs), pairs_values(Pairs, Values).
