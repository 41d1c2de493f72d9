% Lists. Predicates are total on partial lists where the usual definition is;
% those that need a proper list say so.

:- module(lists,
          [ append/3, append/2, prefix/2, select/3, selectchk/3, select/4,
            subtract/3, permutation/2, member/2, memberchk/2, delete/3,
            exclude_one/3, nth0/3, nth1/3, nth0/4, nth1/4, last/2,
            proper_length/2, same_length/2, reverse/2, flatten/2,
            sum_list/2, sumlist/2, max_list/2, min_list/2, max_member/2,
            min_member/2, max_member/3, min_member/3, numlist/3, is_set/1,
            list_to_set/2, intersection/3, union/3, subset/2,
            clumped/2, pairs_of/3, sort_by/3, subseq/3, sumlist/3,
            msort_desc/2, exclude_last/2, split_at/4, nextto/3, sublist/2
          ]).

append([], L, L).
append([H|T], L, [H|R]) :-
    append(T, L, R).

% append(+ListOfLists, ?List)
append(ListOfLists, List) :-
    must_be_list(ListOfLists),
    append_all(ListOfLists, List).

append_all([], []).
append_all([L|Ls], As) :-
    append(L, Ws, As),
    append_all(Ls, Ws).

must_be_list(L) :-
    (   var(L) -> throw(error(instantiation_error, append/2))
    ;   L = [_|T] -> must_be_list(T)
    ;   L == [] -> true
    ;   throw(error(type_error(list, L), append/2))
    ).

prefix([], _).
prefix([E|T0], [E|T]) :-
    prefix(T0, T).

select(X, [Head|Tail], Rest) :-
    select_(Tail, Head, X, Rest).

select_(Tail, Head, Head, Tail).
select_([Head2|Tail], Head, X, [Head|Rest]) :-
    select_(Tail, Head2, X, Rest).

selectchk(Elem, List, Rest) :-
    select(Elem, List, Rest0), !,
    Rest = Rest0.

% select(?X, ?Xs, ?Y, ?Ys): Ys is Xs with one X replaced by Y.
select(X, [X|T], Y, [Y|T]).
select(X, [H|T], Y, [H|T2]) :-
    select(X, T, Y, T2).

subtract([], _, []).
subtract([E|T], D, R) :-
    (   memberchk(E, D)
    ->  subtract(T, D, R)
    ;   R = [E|R1],
        subtract(T, D, R1)
    ).

permutation(Xs, Ys) :-
    (   is_list(Xs) -> length(Xs, N), length(Ys, N)
    ;   is_list(Ys) -> length(Ys, N), length(Xs, N)
    ;   throw(error(instantiation_error, permutation/2))
    ),
    perm(Xs, Ys).

perm([], []).
perm(List, [First|Perm]) :-
    select(First, List, Rest),
    perm(Rest, Perm).

member(X, [H|T]) :-
    member_(T, X, H).

member_(_, X, X).
member_([H|T], X, _) :-
    member_(T, X, H).

memberchk(X, L) :-
    memberchk_(L, X).

memberchk_([H|T], X) :-
    (   H = X
    ->  true
    ;   memberchk_(T, X)
    ).

% delete(+List, ?Elem, -Rest): all members that simply unify are removed.
delete([], _, []).
delete([H|T], X, R) :-
    (   H \= X
    ->  R = [H|R1],
        delete(T, X, R1)
    ;   delete(T, X, R)
    ).

exclude_one(X, L, R) :-
    selectchk(X, L, R).

exclude_last([_], []) :- !.
exclude_last([H|T], [H|R]) :-
    exclude_last(T, R).

split_at(0, L, [], L) :- !.
split_at(N, [H|T], [H|Front], Back) :-
    N > 0,
    N1 is N-1,
    split_at(N1, T, Front, Back).

nth0(Index, List, Elem) :-
    nth_from(Index, List, Elem, 0, nth0/3).
nth1(Index, List, Elem) :-
    nth_from(Index, List, Elem, 1, nth1/3).

nth_from(Index, List, Elem, Base, Where) :-
    (   integer(Index)
    ->  nth_natural(Index, Where),
        Skip is Index-Base,
        Skip >= 0,
        nth_det(Skip, List, Elem)
    ;   var(Index)
    ->  List = [H|T],
        nth_gen(T, Elem, H, Base, Index)
    ;   throw(error(type_error(integer, Index), Where))
    ).

nth_natural(Index, Where) :-
    (   Index < 0
    ->  throw(error(type_error(not_less_than_zero, Index), Where))
    ;   true
    ).

nth_det(0, [E|_], E0) :- !, E0 = E.
nth_det(N, [_|T], E) :-
    N1 is N-1,
    nth_det(N1, T, E).

nth_gen(_, Elem, Elem, Base, Base).
nth_gen([H|T], Elem, _, N, Base) :-
    M is N+1,
    nth_gen(T, Elem, H, M, Base).

nth0(Index, List, Elem, Rest) :-
    nth_rest_from(Index, List, Elem, Rest, 0, nth0/4).
nth1(Index, List, Elem, Rest) :-
    nth_rest_from(Index, List, Elem, Rest, 1, nth1/4).

nth_rest_from(Index, List, Elem, Rest, Base, Where) :-
    (   integer(Index)
    ->  nth_natural(Index, Where),
        Skip is Index-Base,
        Skip >= 0,
        nth_rest_det(Skip, Elem, List, Rest)
    ;   var(Index)
    ->  nth_rest_gen(List, Elem, Rest, Base, Index)
    ;   throw(error(type_error(integer, Index), Where))
    ).

nth_rest_det(0, E, [E|T], T) :- !.
nth_rest_det(N, E, [H|T], [H|R]) :-
    M is N-1,
    nth_rest_det(M, E, T, R).

nth_rest_gen([E|T], E, T, N, N).
nth_rest_gen([H|T], E, [H|R], N, I) :-
    M is N+1,
    nth_rest_gen(T, E, R, M, I).

last([X|Xs], Last) :-
    last_(Xs, X, Last).

last_([], Last, Last).
last_([X|Xs], _, Last) :-
    last_(Xs, X, Last).

proper_length(List, Length) :-
    is_list(List),
    length(List, Length).

same_length([], []).
same_length([_|T1], [_|T2]) :-
    same_length(T1, T2).

reverse(Xs, Ys) :-
    reverse_(Xs, [], Ys).

reverse_([], Ys, Ys).
reverse_([X|Xs], Rs, Ys) :-
    reverse_(Xs, [X|Rs], Ys).

nextto(X, Y, [X,Y|_]).
nextto(X, Y, [_|Zs]) :-
    nextto(X, Y, Zs).

flatten(List, Flat) :-
    flatten_(List, [], Flat0), !,
    Flat = Flat0.

flatten_(Var, Tl, [Var|Tl]) :-
    var(Var), !.
flatten_([], Tl, Tl) :- !.
flatten_([Hd|Tl], Tail, List) :- !,
    flatten_(Hd, FlatHeadTail, List),
    flatten_(Tl, Tail, FlatHeadTail).
flatten_(NonList, Tl, [NonList|Tl]).

sum_list(Xs, Sum) :-
    sum_list_(Xs, 0, Sum).

sum_list_([], Sum, Sum).
sum_list_([X|Xs], Sum0, Sum) :-
    Sum1 is Sum0+X,
    sum_list_(Xs, Sum1, Sum).

sumlist(Xs, Sum) :- sum_list(Xs, Sum).
sumlist(Xs, Sum0, Sum) :- sum_list_(Xs, Sum0, Sum).

max_list([H|T], Max) :- max_list_(T, H, Max).
max_list_([], Max, Max).
max_list_([H|T], Max0, Max) :-
    Max1 is max(H, Max0),
    max_list_(T, Max1, Max).

min_list([H|T], Min) :- min_list_(T, H, Min).
min_list_([], Min, Min).
min_list_([H|T], Min0, Min) :-
    Min1 is min(H, Min0),
    min_list_(T, Min1, Min).

% Largest and smallest in the standard order of terms.
max_member(Max, [H|T]) :- max_member_(T, H, Max).
max_member_([], Max, Max).
max_member_([H|T], Max0, Max) :-
    (   H @=< Max0
    ->  max_member_(T, Max0, Max)
    ;   max_member_(T, H, Max)
    ).

min_member(Min, [H|T]) :- min_member_(T, H, Min).
min_member_([], Min, Min).
min_member_([H|T], Min0, Min) :-
    (   H @>= Min0
    ->  min_member_(T, Min0, Min)
    ;   min_member_(T, H, Min)
    ).

:- meta_predicate max_member(2,?,?), min_member(2,?,?).

max_member(Pred, Max, [H|T]) :- max_member_by(T, Pred, H, Max).
max_member_by([], _, Max, Max).
max_member_by([H|T], Pred, Max0, Max) :-
    (   call(Pred, H, Max0)
    ->  max_member_by(T, Pred, Max0, Max)
    ;   max_member_by(T, Pred, H, Max)
    ).

min_member(Pred, Min, [H|T]) :- min_member_by(T, Pred, H, Min).
min_member_by([], _, Min, Min).
min_member_by([H|T], Pred, Min0, Min) :-
    (   call(Pred, Min0, H)
    ->  min_member_by(T, Pred, Min0, Min)
    ;   min_member_by(T, Pred, H, Min)
    ).

numlist(L, H, R) :-
    need_integer(L),
    need_integer(H),
    (   L > H
    ->  fail
    ;   numlist_(L, H, R)
    ).

need_integer(I) :-
    (   integer(I) -> true
    ;   var(I) -> throw(error(instantiation_error, _))
    ;   throw(error(type_error(integer, I), _))
    ).

numlist_(H, H, List) :- !,
    List = [H].
numlist_(L, H, [L|T]) :-
    L2 is L+1,
    numlist_(L2, H, T).

is_set(Set) :-
    is_list(Set),
    length(Set, N),
    sort(Set, Sorted),
    length(Sorted, N).

% list_to_set(+List, -Set): first occurrences under ==/2, in order.
list_to_set(List, Set) :-
    number_elements(List, 1, Numbered),
    sort(1, @=<, Numbered, ByElement),
    drop_repeats(ByElement, First),
    sort(2, @=<, First, ByPosition),
    strip_numbers(ByPosition, Set).

number_elements([], _, []).
number_elements([H|T], N, [H-N|R]) :-
    N1 is N+1,
    number_elements(T, N1, R).

drop_repeats([], []).
drop_repeats([H-N|T], [H-N|R]) :-
    skip_same(T, H, Rest),
    drop_repeats(Rest, R).

skip_same([H0-_|T], H, Rest) :-
    H0 == H, !,
    skip_same(T, H, Rest).
skip_same(L, _, L).

strip_numbers([], []).
strip_numbers([H-_|T], [H|R]) :-
    strip_numbers(T, R).

intersection([], _, []).
intersection([X|T], L, R) :-
    (   memberchk(X, L)
    ->  R = [X|R1],
        intersection(T, L, R1)
    ;   intersection(T, L, R)
    ).

union([], L, L).
union([H|T], L, R) :-
    (   memberchk(H, L)
    ->  union(T, L, R)
    ;   R = [H|R1],
        union(T, L, R1)
    ).

subset([], _).
subset([E|R], S) :-
    memberchk(E, S),
    subset(R, S).

% subseq(+List, -Sub, -Rest): Sub and Rest interleave to List.
subseq([], [], []).
subseq([H|T], S, [H|R]) :-
    subseq(T, S, R).
subseq([H|T], [H|S], R) :-
    subseq(T, S, R).

sublist(Sub, List) :- subseq(List, Sub, _).

clumped(Items, Counts) :-
    clump(Items, Counts).

clump([], []).
clump([H|T0], [H-C|T]) :-
    clump_item(T0, H, 1, C, T1),
    clump(T1, T).

clump_item([H0|T0], H, C0, C, T) :-
    H0 == H, !,
    C1 is C0+1,
    clump_item(T0, H, C1, C, T).
clump_item(L, _, C, C, L).

pairs_of([], [], []).
pairs_of([K|Ks], [V|Vs], [K-V|Ps]) :-
    pairs_of(Ks, Vs, Ps).

:- meta_predicate sort_by(2,?,?).

% sort_by(:Order, +List, -Sorted): stable merge sort by a two-place test.
sort_by(Order, List, Sorted) :-
    length(List, N),
    sort_by_(N, Order, List, _, Sorted).

sort_by_(0, _, L, L, []) :- !.
sort_by_(1, _, [X|L], L, [X]) :- !.
sort_by_(N, Order, L0, L, Sorted) :-
    N1 is N//2,
    N2 is N-N1,
    sort_by_(N1, Order, L0, L1, S1),
    sort_by_(N2, Order, L1, L, S2),
    merge_by(S1, S2, Order, Sorted).

merge_by([], L, _, L) :- !.
merge_by(L, [], _, L) :- !.
merge_by([H1|T1], [H2|T2], Order, R) :-
    (   call(Order, H1, H2)
    ->  R = [H1|R1],
        merge_by(T1, [H2|T2], Order, R1)
    ;   R = [H2|R1],
        merge_by([H1|T1], T2, Order, R1)
    ).

msort_desc(List, Sorted) :-
    msort(List, Ascending),
    reverse(Ascending, Sorted).
