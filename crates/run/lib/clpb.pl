% Constraints over truth values, by binary decision diagrams.
%
% Constraints are diagrams without variables in common, `system(Diagram, Variables)`; variables are numbered as they appear.
% A node is a number: 0 and 1 are the leaves, others are `node(Id, Variable, Low, High)` facts that exist once.
% `world(Systems, Variables, Map, Known)`, changed in place, holds all constraints, and the attribute `in(Index, World)` of a variable
% holds it: so a copy of a variable has a copy of its constraints, which become part of the current world when it is used. `Known` has
% the values that constraints gave to indices: a variable bound in the same unification learns there what was found before its turn.

:- module(clpb, [op(300, fy, ~), op(500, yfx, #), op(700, xfx, =:=), sat/1, taut/2, labeling/1, sat_count/2, weighted_maximum/3, random_labeling/2]).

:- use_module(library(assoc)).
:- use_module(library(lists)).
:- use_module(library(ordsets)).

:- dynamic node/4, unique/2, counter/1.

sat(E) :- build(E, B), add(B).

taut(E, T) :-
    build(E, B), support(B, Is), touched(Is, S, _),
    complement(B, NB),
    ( apply_op(and, S, NB, 0) -> T = 1 ; apply_op(and, S, B, 0) -> T = 0 ).

world(W) :- ( nb_current('$clpb_world', W0), W0 = world(_, _, _, _) -> W = W0 ; W = world([], [], none, t), b_setval('$clpb_world', W) ).
systems(Ss) :- world(W), arg(1, W, Ss).
variables(Vs) :- world(W), arg(2, W, Vs).
set_systems(Ss) :- world(W), setarg(1, W, Ss).
known(I, V) :- world(W), arg(4, W, Known), get_assoc(I, Known, V).
learn([]).
learn([I-V|Fs]) :- world(W), arg(4, W, Known0), put_assoc(I, Known0, V, Known), setarg(4, W, Known), learn(Fs).
add_variable(V) :- world(W), arg(2, W, Vs), setarg(2, W, [V|Vs]).

% The constraints of a copied world, under new numbers: `Map` has the number of every old one. Variables that were bound together
% come one after the other, and share it.
import(Copy, Map) :-
    arg(3, Copy, map(Map0)), !,
    Map = Map0.
import(Copy, Map) :-
    arg(1, Copy, Ss), arg(2, Copy, Vs),
    findall(I, ( member(system(_, Js), Ss), member(I, Js) ), Is),
    empty(M0), renumber_all(Is, M0, M1), renumber_variables(Vs, Copy, M1, Map),
    setarg(3, Copy, map(Map)),
    import_systems(Ss, Map).
renumber_all([], M, M).
renumber_all([I|Is], M0, M) :- renumber(I, _, M0, M1), renumber_all(Is, M1, M).
renumber(I, J, M0, M) :-
    (   get_assoc(I, M0, J0) -> J = J0, M = M0
    ;   ( atom_index(_, I) -> J = I ; next(J) ), put_assoc(I, M0, J, M) ).
renumber_variables([], _, M, M).
renumber_variables([V|Vs], Copy, M0, M) :-
    (   var(V), get_attr(V, clpb, in(I, W)), same_term(W, Copy)
    ->  renumber(I, J, M0, M1), world(Now), put_attr(V, clpb, in(J, Now)), add_variable(V)
    ;   M1 = M0 ),
    renumber_variables(Vs, Copy, M1, M).
import_systems([], _).
import_systems([system(D, _)|Ss], Map) :-
    empty(Seen), renamed(D, Map, B, Seen, _), add(B), import_systems(Ss, Map).
renamed(N, Map, B, Seen0, Seen) :-
    (   N =< 1 -> B = N, Seen = Seen0
    ;   get_assoc(N, Seen0, B0) -> B = B0, Seen = Seen0
    ;   node(N, I, L, H), !,
        renamed(L, Map, L1, Seen0, Seen1), renamed(H, Map, H1, Seen1, Seen2),
        get_assoc(I, Map, J), literal(J, A), complement(A, NA),
        apply_op(and, A, H1, B1), apply_op(and, NA, L1, B2), apply_op(or, B1, B2, B),
        put_assoc(N, Seen2, B, Seen) ).

% The conjunction of the diagrams that have one of the variables, and the other ones.
touched(Is, S, Others) :- systems(Ss), touched(Ss, Is, 1, S, Others).
touched([], _, S, S, []).
touched([system(D, Js)|Ss], Is, S0, S, Others) :-
    (   ord_intersect(Is, Js)
    ->  apply_op(and, S0, D, S1), Others = Others1
    ;   S1 = S0, Others = [system(D, Js)|Others1] ),
    touched(Ss, Is, S1, S, Others1).

add(B) :- add(B, []).
% Of `Gone` nothing is known but this.
add(B, Gone) :-
    support(B, Is0), touched(Is0, S, Others),
    apply_op(and, S, B, N0),
    N0 \== 0,
    some_value(Gone, N0, N),
    support(N, Is),
    every_atom(Is, N),
    forced(Is, N, Fs),
    given(Fs, N, Rest), learn(Fs),
    ( Rest == 1 -> set_systems(Others) ; support(Rest, Js), set_systems([system(Rest, Js)|Others]) ),
    ( Fs == [] -> true ; variables(Vs), force(Vs, Fs) ).
some_value([], N, N).
some_value([I|Is], N0, N) :- restrict(N0, I, 0, A), restrict(N0, I, 1, B), apply_op(or, A, B, N1), some_value(Is, N1, N).
given([], N, N).
given([I-V|Fs], N0, N) :- restrict(N0, I, V, N1), given(Fs, N1, N).
% Atoms are universally quantified: whatever they are, there is an answer.
every_atom(Is, N) :-
    findall(I, atom_index(_, I), As0), sort(As0, As),
    ( ord_intersect(Is, As) -> ord_subtract(Is, As, Vs), some_value(Vs, N, 1) ; true ).

% Variables that have one value left get it.
forced([], _, []).
forced([I|Is], N, Fs) :-
    ( restrict(N, I, 0, 0) -> Fs = [I-1|Fs1] ; restrict(N, I, 1, 0) -> Fs = [I-0|Fs1] ; Fs = Fs1 ),
    forced(Is, N, Fs1).
force([], _).
force([V|Vs], Fs) :-
    ( var(V), get_attr(V, clpb, in(I, _)), memberchk(I-X, Fs) -> V = X ; true ),
    force(Vs, Fs).

attr_unify_hook(in(I0, W), Y) :-
    world(Now),
    (   same_term(W, Now) -> I = I0
    ;   import(W, Map), renumber(I0, I, Map, _) ),
    (   Y == 0 -> fix(I, 0)
    ;   Y == 1 -> fix(I, 1)
    ;   var(Y) -> ( get_attr(Y, clpb, _) -> index(Y, J) ; J = I, put_attr(Y, clpb, in(I, Now)), add_variable(Y) ),
        value(I, A), value(J, B), apply_op(equiv, A, B, C), ( I =:= J -> true ; add(C, [I]) )
    ;   throw(error(type_error(clpb_value, Y), _)) ).
% The variable has its value already.
fix(I, V) :- value(I, L0), ( V =:= 1 -> L = L0 ; complement(L0, L) ), add(L).
value(I, B) :- ( known(I, V) -> B = V ; literal(I, B) ).

% What an answer says of a variable: the diagram it is in, as a sum modulo 2 of products.
attribute_goals(V) -->
    { get_attr(V, clpb, in(I, W)), arg(1, W, Ss), arg(2, W, Vs) },
    (   { member(system(D, Is), Ss), ord_memberchk(I, Is) }
    ->  { names(Is, Vs, Names), sum_of_products(D, Ps0), sort(Ps0, Ps), equation(Ps, Names, G) },
        [clpb:sat(G)]
    ;   [clpb:sat(V =:= V)] ).
names([], _, []).
names([I|Is], Vs, [I-N|Ns]) :-
    ( member(N0, Vs), var(N0), get_attr(N0, clpb, in(J, _)), J == I -> N = N0 ; atom_index(N0, I) -> N = N0 ; N = '$clpb'(I) ),
    names(Is, Vs, Ns).
sum_of_products(0, []) :- !.
sum_of_products(1, [[]]) :- !.
sum_of_products(Id, Ps) :-
    node(Id, V, L, H), !,
    sum_of_products(L, Ls), sum_of_products(H, Hs),
    ord_symdiff(Ls, Hs, Ds), times(Ds, V, Vs), sort(Vs, Vs1),
    ord_symdiff(Ls, Vs1, Ps).
times([], _, []).
times([P|Ps], V, [[V|P]|Qs]) :- times(Ps, V, Qs).
equation([[]|Ps], Names, G) :- !,
    ( Ps = [P] -> product(P, Names, X), G = 1#X
    ; Ps = [P|Rest], product(P, Names, X), sum(Rest, Names, Y), G = (X =:= Y) ).
equation([P], Names, G) :- !, product(P, Names, G).
equation([P|Ps], Names, X =\= Y) :- product(P, Names, X), sum(Ps, Names, Y).
sum([P|Ps], Names, S) :- product(P, Names, X), sum(Ps, Names, X, S).
sum([], _, S, S).
sum([P|Ps], Names, S0, S) :- product(P, Names, X), sum(Ps, Names, S0#X, S).
product([I|Is], Names, P) :- memberchk(I-X, Names), product(Is, Names, X, P).
product([], _, P, P).
product([I|Is], Names, P0, P) :- memberchk(I-X, Names), product(Is, Names, P0*X, P).

labeling(Vs) :- ( is_list(Vs) -> true ; throw(error(type_error(list, Vs), _)) ), label_each(Vs).
label_each([]).
label_each([V|Vs]) :- ( V = 0 ; V = 1 ), label_each(Vs).
random_labeling(_, Vs) :- labeling(Vs), !.
weighted_maximum(Ws, Vs, Max) :-
    findall(S-Vs, ( labeling(Vs), weigh(Ws, Vs, 0, S) ), L0), L0 \== [],
    sort(0, @>=, L0, [Max-_|_]), member(Max-Vs, L0).
weigh([], [], S, S).
weigh([W|Ws], [V|Vs], S0, S) :- S1 is S0 + W * V, weigh(Ws, Vs, S1, S).

sat_count(E, N) :-
    term_variables(E, Vs), build(E, B), support(B, Js), indices(Vs, Is), sort(Is, Sorted),
    ord_union(Js, Sorted, Wanted), touched(Wanted, S, _), apply_op(and, S, B, D),
    count(D, Sorted, N).
indices([], []).
indices([V|Vs], [I|Is]) :- index(V, I), indices(Vs, Is).
count(0, _, 0) :- !.
count(D, [], 1) :- !, D \== 0.
count(D, [I|Is], N) :- restrict(D, I, 0, D0), restrict(D, I, 1, D1), count(D0, Is, N0), count(D1, Is, N1), N is N0 + N1.

% -- expressions

build(E, B) :- var(E), !, index(E, I), literal(I, B).
build(0, 0) :- !.
build(1, 1) :- !.
build(~E, B) :- !, build(E, A), complement(A, B).
build(X + Y, B) :- !, both(or, X, Y, B).
build(X * Y, B) :- !, both(and, X, Y, B).
build(X # Y, B) :- !, both(xor, X, Y, B).
build(X =:= Y, B) :- !, both(equiv, X, Y, B).
build(X =\= Y, B) :- !, both(xor, X, Y, B).
build(X =< Y, B) :- !, build(~X + Y, B).
build(X >= Y, B) :- !, build(X + ~Y, B).
build(X < Y, B) :- !, build(~X * Y, B).
build(X > Y, B) :- !, build(X * ~Y, B).
build(X ^ E, B) :- var(X), !, index(X, I), build(E, D), restrict(D, I, 0, D0), restrict(D, I, 1, D1), apply_op(or, D0, D1, B).
build(+(Es), B) :- !, fold(Es, or, 0, B).
build(*(Es), B) :- !, fold(Es, and, 1, B).
build(card(Is, Es), B) :- !, all(Es, Bs), card(Bs, 0, Is, B).
build(A, B) :- atom(A), !, atom_variable(A, I), literal(I, B).
build(E, _) :- throw(error(domain_error(clpb_expression, E), _)).
both(Op, X, Y, B) :- build(X, A), build(Y, C), apply_op(Op, A, C, B).
fold([], _, B, B).
fold([E|Es], Op, B0, B) :- build(E, A), apply_op(Op, B0, A, B1), fold(Es, Op, B1, B).
all([], []).
all([E|Es], [B|Bs]) :- build(E, B), all(Es, Bs).
card([], N, Is, B) :- ( in_card(Is, N) -> B = 1 ; B = 0 ).
card([X|Xs], N, Is, B) :-
    N1 is N + 1, card(Xs, N1, Is, H), card(Xs, N, Is, L),
    complement(X, NX), apply_op(and, X, H, A), apply_op(and, NX, L, C), apply_op(or, A, C, B).
in_card([I|Is], N) :- ( I = L-H -> ( N >= L, N =< H -> true ; in_card(Is, N) ) ; I =:= N -> true ; in_card(Is, N) ).

index(V, I) :-
    var(V), get_attr(V, clpb, in(I0, W)), !,
    world(Now),
    ( same_term(W, Now) -> I = I0 ; import(W, _), get_attr(V, clpb, in(I, _)) ).
index(V, I) :- next(I), world(Now), put_attr(V, clpb, in(I, Now)), add_variable(V).
next(I) :- ( retract(counter(I)) -> true ; I = 2 ), J is I + 1, assertz(counter(J)).
:- dynamic atom_index/2.
atom_variable(A, I) :- ( atom_index(A, I) -> true ; next(I), assertz(atom_index(A, I)) ).

% -- diagrams

literal(I, B) :- make(I, 0, 1, B).
make(_, L, L, L) :- !.
make(V, L, H, Id) :-
    atomic_list_concat([V, L, H], ' ', Key),
    ( unique(Key, Id) -> true ; next(Id), assertz(unique(Key, Id)), assertz(node(Id, V, L, H)) ).
complement(B, C) :- apply_op(xor, B, 1, C).

leaf(and, 0, _, 0). leaf(and, _, 0, 0). leaf(and, 1, B, B). leaf(and, B, 1, B).
leaf(or, 1, _, 1). leaf(or, _, 1, 1). leaf(or, 0, B, B). leaf(or, B, 0, B).
leaf(xor, 0, B, B). leaf(xor, B, 0, B). leaf(xor, 1, 1, 0).
leaf(equiv, 1, B, B). leaf(equiv, B, 1, B). leaf(equiv, 0, 0, 1).

apply_op(Op, A, B, C) :- empty(M0), apply(A, B, Op, C0, M0, _), C = C0.
empty(t).
apply(A, B, Op, C, M, M) :- leaf(Op, A, B, C0), !, C = C0.
apply(A, B, Op, C, M0, M) :-
    (   get_assoc(A-B, M0, C0) -> C = C0, M = M0
    ;   top(A, VA), top(B, VB), V is min(VA, VB),
        branch(A, V, A0, A1), branch(B, V, B0, B1),
        apply(A0, B0, Op, L, M0, M1), apply(A1, B1, Op, H, M1, M2),
        make(V, L, H, C), put_assoc(A-B, M2, C, M) ).
top(N, V) :- ( N =< 1 -> V = 1000000000 ; node(N, V, _, _) -> true ).
branch(N, V, L, H) :- ( N > 1, node(N, V0, L0, H0), V0 =:= V -> L = L0, H = H0 ; L = N, H = N ).
restrict(N, I, Val, R0) :- empty(M), restrict(N, I, Val, R, M, _), R0 = R.
restrict(N, I, Val, R, M0, M) :-
    (   N =< 1 -> R = N, M = M0
    ;   node(N, V, L, H), V >= I -> M = M0, ( V > I -> R = N ; Val =:= 0 -> R = L ; R = H )
    ;   get_assoc(N, M0, R0) -> R = R0, M = M0
    ;   node(N, V, L, H), !,
        restrict(L, I, Val, L1, M0, M1), restrict(H, I, Val, H1, M1, M2),
        make(V, L1, H1, R), put_assoc(N, M2, R, M) ).
% The variables of a diagram, in order.
support(N, Is) :- empty(M), support([N], M, [], Is0), sort(Is0, Is).
support([], _, Is, Is).
support([N|Ns], M, Is0, Is) :-
    (   ( N =< 1 ; get_assoc(N, M, _) ) -> support(Ns, M, Is0, Is)
    ;   node(N, V, L, H), put_assoc(N, M, seen, M1), support([L, H|Ns], M1, [V|Is0], Is) ).
