% What compiled constraint handling rules call at run time: the constraint store, its indexes, waking, histories.
%
% A constraint in the store is a suspension s(State, Id, History, Constraint, Module, Bucket0, Previous0, Bucket1, ...).
% State is 0 before it is stored, 1 while it is in the store and 2 once it is removed. For each list the suspension may
% be in (all constraints of the predicate, then one for each index) there are two arguments: the bucket it is in, or [],
% and the list cell before its own, or []. Lists are newest first. Everything is changed with setarg/3, so backtracking
% restores the store.
%
% An index covers some arguments: constraints are in a bucket by the values of these, or, while they have variables, among
% the unplaced ones of the index. Constraints with variables are found through the variables: attribute `chr/runtime` of a variable is v(Suspensions, Count, Living):
% newest first, with removed ones among them until these are too many.

:- module('chr/runtime', [reset_stores/2, new_suspension/5, store/1, remove/1, candidates/5, candidate/2, alive/1,
                          novel/2, guard_holds/2, stored/3, stored_goals/4]).

:- use_module(library(assoc)).
:- use_module(library(lists)).

:- meta_predicate guard_holds(?, 0).

% -- stores: a module's global variable holds stores(NextId, Table, ...), one table(List, Indexes) for each constraint
% predicate; Indexes is a list of index(Arguments, Count, Slots, Unplaced).

reset_stores(Key, Specs) :-
    tables(Specs, Tables),
    Stores =.. [stores, 1|Tables],
    nb_setval(Key, Stores).
tables([], []).
tables([Indexes|Specs], [table([], Is)|Ts]) :- indexes(Indexes, Is), tables(Specs, Ts).
indexes([], []).
indexes([As|Specs], [index(As, 0, Slots, unplaced([]))|Is]) :- empty_slots(8, Slots), indexes(Specs, Is).
empty_slots(N, Slots) :- functor(Slots, slots, N), fill(N, Slots).
fill(0, _) :- !.
fill(N, Slots) :- arg(N, Slots, []), N1 is N - 1, fill(N1, Slots).

next_id(Key, Id) :- b_getval(Key, Stores), arg(1, Stores, Id), Id1 is Id + 1, setarg(1, Stores, Id1).

% Where is place(Key, Number, Occurrences): the store and the number of the predicate in it, and what runs the rules.
new_suspension(Place, Lists, Constraint, Module, S) :-
    Place = place(Key, _, _),
    next_id(Key, Id),
    S = s(0, Id, t, Constraint, Module-Place, Lists).

alive(S) :- arg(1, S, 1).

% -- into the store and out of it

store(S) :- ( arg(1, S, 0) -> insert(S) ; true ).
insert(S) :-
    setarg(1, S, 1),
    S = s(_, _, _, C, _-place(Key, K, _), Lists),
    b_getval(Key, Stores), arg(K, Stores, Table),
    link(Table, S, Lists, 1),
    arg(2, Table, Indexes),
    place_all(Indexes, S, C, Lists, 3),
    term_variables(C, Vs),
    attach_all(Vs, S).

remove(S) :-
    (   arg(1, S, 1)
    ->  setarg(1, S, 2),
        S = s(_, _, _, C, _, Lists),
        functor(Lists, _, N), unlink_all(1, N, Lists),
        term_variables(C, Vs),
        detach_all(Vs)
    ;   setarg(1, S, 2) ).

link(Bucket, S, Lists, B) :-
    arg(1, Bucket, Old),
    New = [S|Old],
    setarg(1, Bucket, New),
    setarg(B, Lists, Bucket),
    P is B + 1,
    setarg(P, Lists, []),
    ( Old = [Next|_] -> arg(6, Next, NextLists), setarg(P, NextLists, New) ; true ).

unlink_all(B, N, Lists) :-
    (   B > N -> true
    ;   unlink(B, Lists), B1 is B + 2, unlink_all(B1, N, Lists) ).
unlink(B, Lists) :-
    arg(B, Lists, Bucket),
    (   Bucket == [] -> true
    ;   P is B + 1,
        arg(P, Lists, Before),
        (   Before == [] -> arg(1, Bucket, [_|Rest]), setarg(1, Bucket, Rest)
        ;   Before = [_, _|Rest], setarg(2, Before, Rest) ),
        ( Rest = [Next|_] -> arg(6, Next, NextLists), setarg(P, NextLists, Before) ; true ),
        setarg(B, Lists, []) ).

% -- indexes

place_all([], _, _, _, _).
place_all([Index|Is], S, C, Lists, B) :-
    arg(B, Lists, Now),
    (   Now = bucket(_) -> true
    ;   arg(1, Index, As), key(As, C, Key),
        (   ground(Key) -> unlink(B, Lists), bucket(Index, Key, Bucket), link(Bucket, S, Lists, B)
        ;   Now == [] -> arg(4, Index, Unplaced), link(Unplaced, S, Lists, B)
        ;   true ) ),
    B1 is B + 2,
    place_all(Is, S, C, Lists, B1).

key([A], C, Key) :- !, arg(A, C, Key).
key(As, C, k(Keys)) :- keys(As, C, Keys).
keys([], _, []).
keys([A|As], C, [K|Ks]) :- arg(A, C, K), keys(As, C, Ks).

% bucket(Index, Key, Bucket): makes the bucket if there is none.
bucket(Index, Key, Bucket) :-
    arg(3, Index, Slots),
    slot(Slots, Key, I, Entries),
    (   entry(Entries, Key, Bucket) -> true
    ;   Bucket = bucket([]),
        arg(2, Index, N), functor(Slots, _, Size),
        (   N < 2 * Size -> setarg(I, Slots, [Key-Bucket|Entries])
        ;   grow(Index, Slots, Size), arg(3, Index, Slots1),
            slot(Slots1, Key, I1, Entries1), setarg(I1, Slots1, [Key-Bucket|Entries1]) ),
        arg(2, Index, N0), N1 is N0 + 1, setarg(2, Index, N1) ).

slot(Slots, Key, I, Entries) :-
    term_hash(Key, H), functor(Slots, _, Size), I is H mod Size + 1, arg(I, Slots, Entries).
entry([K-B|Es], Key, Bucket) :- ( K == Key -> Bucket = B ; entry(Es, Key, Bucket) ).

% Empty buckets are left behind.
grow(Index, Old, Size) :-
    Size4 is Size * 4,
    empty_slots(Size4, Slots),
    move(Size, Old, Slots, 0, N),
    setarg(2, Index, N), setarg(3, Index, Slots).
move(0, _, _, N, N) :- !.
move(I, Old, Slots, N0, N) :-
    arg(I, Old, Es), move_entries(Es, Slots, N0, N1), I1 is I - 1, move(I1, Old, Slots, N1, N).
move_entries([], _, N, N).
move_entries([Key-Bucket|Es], Slots, N0, N) :-
    (   Bucket = bucket([]) -> N1 = N0
    ;   slot(Slots, Key, I, Others), setarg(I, Slots, [Key-Bucket|Others]), N1 is N0 + 1 ),
    move_entries(Es, Slots, N1, N).

% candidates(StoreKey, Number, Index, Key, List): the suspensions among which those with this key are; Index 0 is all.
candidates(Store, K, I, Key, List) :-
    (   I =:= 0 -> b_getval(Store, Stores), arg(K, Stores, Table), arg(1, Table, List)
    ;   ground(Key)
    ->  b_getval(Store, Stores), arg(K, Stores, Table), arg(2, Table, Indexes), nth1(I, Indexes, Index),
        arg(3, Index, Slots), slot(Slots, Key, _, Entries),
        ( entry(Entries, Key, Bucket) -> arg(1, Bucket, Placed) ; Placed = [] ),
        arg(4, Index, unplaced(Unplaced)),
        ( Unplaced == [] -> List = Placed ; arg(1, Index, As), with_late(Unplaced, As, Key, Placed, List) )
    ;   term_variables(Key, [V|_]),
        ( get_attr(V, 'chr/runtime', A) -> arg(1, A, List) ; List = [] ) ).

% Variables may have been bound together, and the constraints of some not yet been told.
with_late(Unplaced, As, Key, Placed, List) :-
    late(Unplaced, As, Key, Late),
    (   Late == [] -> List = Placed
    ;   living(Placed, Alive), append(Late, Alive, Ss0), with_ids(Ss0, Ps0), sort(1, @>, Ps0, Ps), suspensions(Ps, List) ).
late([], _, _, []).
late([S|Ss], As, Key, Late) :-
    arg(4, S, C), key(As, C, K),
    ( K == Key -> Late = [S|Late1] ; Late = Late1 ),
    late(Ss, As, Key, Late1).

candidate(S, [S0|Ss]) :- candidate(Ss, S0, S).
candidate([], S, S) :- arg(1, S, 1).
candidate([_|_], S, S) :- arg(1, S, 1).
candidate([S0|Ss], _, S) :- candidate(Ss, S0, S).

% -- waking

attach_all([], _).
attach_all([V|Vs], S) :- attach(V, S), attach_all(Vs, S).
attach(V, S) :-
    (   get_attr(V, 'chr/runtime', A)
    ->  A = v(Ss, N, Living), N1 is N + 1, Living1 is Living + 1,
        setarg(1, A, [S|Ss]), setarg(2, A, N1), setarg(3, A, Living1)
    ;   put_attr(V, 'chr/runtime', v([S], 1, 1)) ).

detach_all([]).
detach_all([V|Vs]) :- detach(V), detach_all(Vs).
detach(V) :-
    get_attr(V, 'chr/runtime', A),
    A = v(Ss, N, Living0),
    Living is Living0 - 1,
    (   Living =:= 0 -> del_attr(V, 'chr/runtime')
    ;   setarg(3, A, Living),
        ( N > 2 * Living + 16 -> living(Ss, Alive), setarg(1, A, Alive), setarg(2, A, Living) ; true ) ).

living([], []).
living([S|Ss], L) :- ( arg(1, S, 1) -> L = [S|L1], living(Ss, L1) ; living(Ss, L) ).

% The constraints of a variable that was bound belong to the variables of its value, and run again: predicate
% by predicate as these are declared, oldest first.
attr_unify_hook(v(Ss0, _, _), Other) :-
    living(Ss0, Ss1),
    (   Ss1 == [] -> true
    ;   by_age(Ss1, Ps),
        term_variables(Other, Vs),
        merge_all(Vs, Ps),
        suspensions(Ps, Ss),
        place_each(Ss),
        by_predicate(Ss, Gs0), keysort(Gs0, Gs), suspensions(Gs, Woken),
        wake_each(Woken) ).
by_predicate([], []).
by_predicate([S|Ss], [K-S|Ps]) :- arg(5, S, _-place(_, K, _)), by_predicate(Ss, Ps).
by_age(Ss, Ps) :- with_ids(Ss, Ps0), sort(1, @<, Ps0, Ps).
with_ids([], []).
with_ids([S|Ss], [Id-S|Ps]) :- arg(2, S, Id), with_ids(Ss, Ps).
suspensions([], []).
suspensions([_-S|Ps], [S|Ss]) :- suspensions(Ps, Ss).
merge_all([], _).
merge_all([V|Vs], Ps) :-
    (   get_attr(V, 'chr/runtime', v(Ss0, _, _)) -> living(Ss0, Ss1), with_ids(Ss1, Ps1), append(Ps, Ps1, Ps2) ; Ps2 = Ps ),
    sort(1, @>, Ps2, Ps3),
    suspensions(Ps3, Ss),
    length(Ss, N),
    put_attr(V, 'chr/runtime', v(Ss, N, N)),
    merge_all(Vs, Ps).
place_each([]).
place_each([S|Ss]) :-
    S = s(_, _, _, C, _-place(Key, K, _), Lists),
    b_getval(Key, Stores), arg(K, Stores, Table), arg(2, Table, Indexes),
    place_all(Indexes, S, C, Lists, 3),
    place_each(Ss).
wake_each([]).
wake_each([S|Ss]) :-
    (   arg(1, S, 1)
    ->  S = s(_, _, _, C, M-place(_, _, Run), _),
        ( Run == (-) -> true ; C =.. [_|As], add_last(As, S, As1), G =.. [Run|As1], call(M:G) )
    ;   true ),
    wake_each(Ss).
add_last([], X, [X]).
add_last([A|As], X, [A|Bs]) :- add_last(As, X, Bs).

% The top level shows the whole store.
attribute_goals(_) --> [].

% -- propagation histories: a combination is noted in its newest constraint, by rule and identifiers.

novel(Rule, [S1|Ss]) :-
    arg(2, S1, Id1),
    newest(Ss, Ids, Id1, S1, S),
    Key = Rule-[Id1|Ids],
    arg(3, S, History),
    \+ get_assoc(Key, History, _),
    put_assoc(Key, History, x, New),
    setarg(3, S, New).
newest([], [], _, S, S).
newest([S|Ss], [Id|Ids], Id0, S0, Newest) :-
    arg(2, S, Id),
    ( Id > Id0 -> newest(Ss, Ids, Id, S, Newest) ; newest(Ss, Ids, Id0, S0, Newest) ).

% Guards ask: one that would bind a variable of the head does not hold.
guard_holds(Heads, Goal) :-
    term_variables(Heads, Before),
    call(Goal), !,
    term_variables(Before, After),
    After == Before.

% stored(StoreKey, Number, Constraint): the constraints of a predicate, newest first.
stored(Store, K, C) :-
    b_getval(Store, Stores), arg(K, Stores, Table), arg(1, Table, List),
    List = [_|_], candidate(S, List), arg(4, S, C).

% stored_goals(StoreKey, Number, Goals, Rest): the same constraints, with their variables.
stored_goals(Store, K, Goals, Rest) :-
    b_getval(Store, Stores), arg(K, Stores, Table), arg(1, Table, List),
    constraints_of(List, Goals, Rest).
constraints_of([], Rest, Rest).
constraints_of([S|Ss], [C|Goals], Rest) :- arg(4, S, C), constraints_of(Ss, Goals, Rest).
