% Pseudo-random numbers, on the arithmetic function random/1 of the machine.

:- module(random,
          [ random/1, random_between/3, random/3, random_member/2,
            random_select/3, random_permutation/2, random_subseq/3,
            randseq/3, randset/3, maybe/0, maybe/1, maybe/2,
            setrand/1, getrand/1, random_perm2/4, random_numlist/4
          ]).

:- use_module(library(lists)).

random(R) :-
    R is random_float.

setrand(Seed) :-
    set_random(seed(Seed)).
getrand(_) :-
    throw(error(not_supported('the state of the generator (getrand/1)'), _)).

random_perm2(A, B, X, Y) :-
    ( maybe -> X = A, Y = B ; X = B, Y = A ).

random_numlist(P, L, U, Numbers) :-
    (   L > U
    ->  Numbers = []
    ;   L1 is L + 1,
        ( maybe(P) -> Numbers = [L|Rest] ; Numbers = Rest ),
        random_numlist(P, L1, U, Rest)
    ).

random_between(L, U, R) :-
    integer(L), integer(U),
    U >= L,
    R is L+random(U-L+1).

% random(+L, +U, -R): L =< R < U, integer when both bounds are.
random(L, U, R) :-
    (   integer(L), integer(U)
    ->  U > L,
        R is L+random(U-L)
    ;   R is L+(U-L)*random_float
    ).

random_member(X, List) :-
    length(List, N),
    N > 0,
    I is random(N),
    nth0(I, List, X).

random_select(X, List, Rest) :-
    length(List, N),
    N > 0,
    I is random(N),
    nth0(I, List, X, Rest).

random_permutation(List, Permutation) :-
    add_random_keys(List, Keyed),
    keysort(Keyed, Sorted),
    drop_keys(Sorted, Permutation).

add_random_keys([], []).
add_random_keys([X|Xs], [K-X|R]) :-
    K is random_float,
    add_random_keys(Xs, R).

drop_keys([], []).
drop_keys([_-X|T], [X|R]) :-
    drop_keys(T, R).

random_subseq([], [], []).
random_subseq([H|T0], S, R) :-
    (   maybe
    ->  S = [H|S1], R = R1
    ;   S = S1, R = [H|R1]
    ),
    random_subseq(T0, S1, R1).

randseq(K, N, List) :-
    randset(K, N, Set),
    random_permutation(Set, List).

% K distinct numbers from 1..N.
randset(K, N, Set) :-
    K =< N,
    randset_(K, N, [], Set).

randset_(0, _, Set, Set) :- !.
randset_(K, N, Set0, Set) :-
    X is random(N)+1,
    (   memberchk(X, Set0)
    ->  randset_(K, N, Set0, Set)
    ;   sort([X|Set0], Set1),
        K1 is K-1,
        randset_(K1, N, Set1, Set)
    ).

maybe :-
    0 =:= random(2).
maybe(P) :-
    random_float_below(P).
maybe(K, N) :-
    X is random(N),
    X < K.

random_float_below(P) :-
    X is random_float,
    X < P.
