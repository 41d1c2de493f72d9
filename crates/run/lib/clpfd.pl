% Constraints over integers.
%
% A constrained variable has the attribute `fd(Domain, Propagators, OnValue)`: its domain is a sorted list of intervals `L-H`
% with bounds that are integers, `inf` (first) or `sup` (last). A propagator is `prop(Constraint, State)`; State is
% `idle`, `queued` or `dead` and changes on backtracking. Those of OnValue run only when the variable gets a value. Linear constraints keep bounds consistent, other arithmetic
% goes through auxiliary variables. Propagators run from one queue until nothing changes, costly ones after the others.

:- module(clpfd,
          [ op(760, yfx, #<==>), op(750, xfy, #==>), op(750, yfx, #<==), op(740, yfx, #\/), op(730, yfx, #\),
            op(720, yfx, #/\), op(710, fy, #\), op(700, xfx, #>), op(700, xfx, #<), op(700, xfx, #>=),
            op(700, xfx, #=<), op(700, xfx, #=), op(700, xfx, #\=), op(700, xfx, in), op(700, xfx, ins),
            op(700, xfx, in_set), op(450, xfx, ..), op(150, fx, #),
            (#>)/2, (#<)/2, (#>=)/2, (#=<)/2, (#=)/2, (#\=)/2, (#\)/1, (#<==>)/2, (#==>)/2, (#<==)/2, (#\/)/2,
            (#\)/2, (#/\)/2, (in)/2, (ins)/2, all_different/1, all_distinct/1, sum/3, scalar_product/4, tuples_in/2,
            labeling/2, label/1, indomain/1, lex_chain/1, element/3, circuit/1, global_cardinality/2, chain/2,
            transpose/2, zcompare/3, fd_var/1, fd_inf/2, fd_sup/2, fd_size/2, fd_dom/2, fd_degree/2, cumulative/1,
            cumulative/2, disjoint2/1, automaton/3, automaton/8, serialized/2, global_cardinality/3 ]).

:- use_module(library(lists)).
:- use_module(library(pairs)).

% -- domains

dom_of(X, D) :- integer(X), !, D = [X-X].
dom_of(X, D) :- get_attr(X, clpfd, fd(D0, _, _)), !, D = D0.
dom_of(X, [inf-sup]) :- ( var(X) -> true ; throw(error(type_error(integer, X), _)) ).

bounds(X, L, H) :- integer(X), !, L = X, H = X.
bounds(X, L, H) :- dom_of(X, D), D = [L-_|_], last_high(D, H).
last_high([_-H], H) :- !.
last_high([_|T], H) :- last_high(T, H).

le(inf, _) :- !.
le(_, sup) :- !.
le(A, B) :- integer(A), integer(B), A =< B.
max_bound(A, B, C) :- ( le(A, B) -> C = B ; C = A ).
min_bound(A, B, C) :- ( le(A, B) -> C = A ; C = B ).

intersect(A, B, C) :- '$dom_intersection'(A, B, C0), ( C0 == large -> intersect_(A, B, C) ; C = C0 ).
intersect_([], _, []) :- !.
intersect_(_, [], []) :- !.
intersect_([L1-H1|T1], [L2-H2|T2], D) :-
    max_bound(L1, L2, L), min_bound(H1, H2, H),
    ( le(L, H) -> D = [L-H|D1] ; D = D1 ),
    ( le(H1, H2), H1 \== H2 -> intersect_(T1, [L2-H2|T2], D1)
    ; H1 == H2 -> intersect_(T1, T2, D1)
    ; intersect_([L1-H1|T1], T2, D1) ).

contains([L-H|T], V) :- ( le(L, V), le(V, H) -> true ; contains(T, V) ).

% Without a value it has.
without_value(D0, V, D) :-
    '$dom_without'(D0, V, D1),
    ( D1 == large -> contains(D0, V), remove_value(D0, V, D) ; D = D1 ).
remove_value([], _, []).
remove_value([L-H|T], V, D) :-
    (   le(L, V), le(V, H)
    ->  ( L == V -> D = D1 ; V0 is V - 1, D = [L-V0|D1] ),
        ( H == V -> D1 = T ; V1 is V + 1, D1 = [V1-H|T] )
    ;   D = [L-H|D1], remove_value(T, V, D1)
    ).

% The domain an expression such as 1..3 \/ 5 stands for.
parse_dom(D, _) :- var(D), !, throw(error(instantiation_error, _)).
parse_dom(N, [N-N]) :- integer(N), !.
parse_dom(L..H, D) :- !, bound(L), bound(H), ( le(L, H), L \== sup, H \== inf -> D = [L-H] ; D = [] ).
parse_dom(A \/ B, D) :- !, parse_dom(A, DA), parse_dom(B, DB), append(DA, DB, D0), normal(D0, D).
parse_dom(\ A, D) :- !, parse_dom(A, DA), complement(DA, inf, D).
parse_dom(D, _) :- throw(error(type_error(clpfd_domain, D), _)).
bound(B) :- ( var(B) -> throw(error(instantiation_error, _)) ; integer(B) -> true ; B == inf -> true ; B == sup -> true
            ; throw(error(type_error(clpfd_domain, B), _)) ).
normal(D0, D) :- predsort(by_low, D0, D1), merge_all(D1, D).
by_low(O, L1-H1, L2-H2) :- ( L1 == L2 -> ( H1 == H2 -> O = (=) ; le(H1, H2) -> O = (<) ; O = (>) ) ; le(L1, L2) -> O = (<) ; O = (>) ).
merge_all([], []).
merge_all([I], [I]) :- !.
merge_all([L1-H1, L2-H2|T], D) :-
    ( touches(H1, L2) -> max_bound(H1, H2, H), merge_all([L1-H|T], D) ; D = [L1-H1|D1], merge_all([L2-H2|T], D1) ).
touches(sup, _) :- !.
touches(H, L) :- ( L == inf -> true ; H1 is H + 1, le(L, H1) ).
complement([], Low, D) :- ( Low == none -> D = [] ; D = [Low-sup] ).
complement([L-H|T], Low, D) :-
    ( L == inf -> D = D1 ; L0 is L - 1, ( Low \== none, le(Low, L0) -> D = [Low-L0|D1] ; D = D1 ) ),
    ( H == sup -> Next = none ; Next is H + 1 ),
    complement(T, Next, D1).

dom_term([I], T) :- !, interval_term(I, T).
dom_term(D, T) :- append(D0, [I], D), !, dom_term(D0, T0), interval_term(I, TI), T = T0 \/ TI.
interval_term(L-H, T) :- ( L == H -> T = L ; T = L..H ).

% -- changing a domain

restrict(X, D) :-
    (   integer(X) -> contains(D, X)
    ;   dom_of(X, D0), intersect(D0, D, D1), new_dom(X, D0, D1) ).
new_dom(X, D0, D1) :-
    (   D1 == D0 -> true
    ;   D1 = [V-W], V == W -> X = V
    ;   D1 = [_|_],
        ( get_attr(X, clpfd, fd(_, Ps, Vs)) -> true ; Ps = [], Vs = [] ),
        put_attr(X, clpfd, fd(D1, Ps, Vs)),
        wake(Ps)
    ).
at_least(X, L) :- ( integer(X) -> X >= L ; bounds(X, L0, _), ( le(L, L0) -> true ; restrict(X, [L-sup]) ) ).
at_most(X, H) :- ( integer(X) -> X =< H ; bounds(X, _, H0), ( le(H0, H) -> true ; restrict(X, [inf-H]) ) ).
exclude_value(X, V) :- ( integer(X) -> X =\= V ; dom_of(X, D0), ( without_value(D0, V, D) -> new_dom(X, D0, D) ; true ) ).

attr_unify_hook(fd(D, Ps, Vs), Y) :-
    (   integer(Y) -> contains(D, Y), enqueue(Vs), wake(Ps)
    ;   var(Y) ->
        ( get_attr(Y, clpfd, fd(D2, Ps2, Vs2)) -> true ; D2 = [inf-sup], Ps2 = [], Vs2 = [] ),
        intersect(D, D2, D3), D3 = [_|_],
        append(Ps, Ps2, Ps3), append(Vs, Vs2, Vs3),
        put_attr(Y, clpfd, fd(D3, Ps3, Vs3)),
        ( D3 = [V-W], V == W -> Y = V ; enqueue(Vs3), wake(Ps3) )
    ;   throw(error(type_error(integer, Y), _))
    ).

attribute_goals(X) -->
    { get_attr(X, clpfd, fd(D, Ps, Vs)) },
    ( { D == [inf-sup] } -> [] ; { dom_term(D, T) }, [clpfd:(X in T)] ),
    residual(Ps, X),
    residual(Vs, X).
residual([], _) --> [].
residual([prop(C, S)|Ps], X) -->
    ( { S = state(dead) } -> []
    ; { term_variables(C, [V|_]), V == X, shown(C, G) } -> [clpfd:G]
    ; [] ),
    residual(Ps, X).
shown(lin(Cs, Xs, K, Op), G) :- sides(Cs, Xs, K, L, R), rel(Op, L, R, G).
shown(times(X, Y, Z), X * Y #= Z).
shown(alldiff(Xs, whole), all_different(Xs)).
shown(distinct(Xs), all_distinct(Xs)).
shown(differ(X, Y, K), G) :- shown(lin([1, -1], [X, Y], K, ne), G).
rel(eq, L, R, L #= R).
rel(ne, L, R, L #\= R).
rel(le, L, R, L #=< R).
sides(Cs, Xs, K, L, R) :- split(Cs, Xs, P, N), constant(K, P, N, P1, N1), sum_term(P1, L), sum_term(N1, R).
split([], [], [], []).
split([C|Cs], [X|Xs], P, N) :-
    ( C > 0 -> P = [T|P1], N = N1, ( C =:= 1 -> T = X ; T = C * X ) ; P = P1, N = [T|N1], A is -C, ( A =:= 1 -> T = X ; T = A * X ) ),
    split(Cs, Xs, P1, N1).
constant(0, P, N, P, N) :- !.
constant(K, P, N, P1, N1) :- ( K > 0 -> append(P, [K], P1), N1 = N ; A is -K, append(N, [A], N1), P1 = P ).
sum_term([], 0).
sum_term([T|Ts], S) :- sum_from(Ts, T, S).
sum_from([], S, S).
sum_from([T|Ts], S0, S) :- sum_from(Ts, S0 + T, S).

% -- propagation

post(C) :-
    P = prop(C, state(idle)),
    term_variables(C, Vs),
    attach(Vs, P),
    wake([P]).
attach([], _).
attach([V|Vs], P) :-
    ( get_attr(V, clpfd, fd(D, Ps, Ws)) -> true ; D = [inf-sup], Ps = [], Ws = [] ),
    P = prop(C, _),
    ( on_value(C) -> put_attr(V, clpfd, fd(D, Ps, [P|Ws])) ; put_attr(V, clpfd, fd(D, [P|Ps], Ws)) ),
    attach(Vs, P).
on_value(alldiff(_, _)).
on_value(differ(_, _, _)).

wake(Ps) :-
    enqueue(Ps),
    (   nb_current('$clpfd_running', true) -> true
    ;   b_setval('$clpfd_running', true), run_queue, b_setval('$clpfd_running', false) ).
enqueue([]).
enqueue([P|Ps]) :-
    P = prop(C, S), S = state(A),
    (   A == idle
    ->  setarg(1, S, queued),
        ( costly(C) -> K = '$clpfd_costly' ; K = '$clpfd_queue' ),
        ( nb_current(K, Q) -> true ; Q = [] ),
        b_setval(K, [P|Q])
    ;   true ),
    enqueue(Ps).
costly(distinct(_)).
run_queue :-
    (   nb_current('$clpfd_queue', [P|Q]) -> b_setval('$clpfd_queue', Q), run(P)
    ;   nb_current('$clpfd_costly', [P|Q]) -> b_setval('$clpfd_costly', Q), run(P)
    ;   true ).
run(prop(C, S)) :-
    S = state(A),
    ( A == dead -> true ; setarg(1, S, idle), propagate(C, S) ),
    run_queue.
done(S) :- setarg(1, S, dead).

propagate(lin(Cs, Xs, K, Op), S) :- simplify(Cs, Xs, K, Cs1, Xs1, K1), linear(Op, Cs1, Xs1, K1, S).
propagate(times(X, Y, Z), S) :- p_times(X, Y, Z, S).
propagate(divide(Op, X, Y, Z), S) :- exclude_value(Y, 0), p_divide(Op, X, Y, Z, S).
propagate(absolute(X, Y), S) :-
    at_least(Y, 0),
    ( integer(X) -> Y is abs(X), done(S)
    ; integer(Y) -> N is -Y, ( N =:= Y -> X = Y ; restrict(X, [N-N, Y-Y]) ), done(S)
    ; dom_of(Y, DY), with_negatives(DY, DX), restrict(X, DX),
      ( integer(X) -> Y is abs(X), done(S)
      ; dom_of(X, DX1), with_negatives(DX1, DY1), intersect(DY1, [0-sup], DY2), restrict(Y, DY2) ) ).
propagate(extreme(Op, X, Y, Z), S) :-
    ( integer(X), integer(Y) -> ( Op == max -> Z is max(X, Y) ; Z is min(X, Y) ), done(S)
    ; bounds(X, LX, HX), bounds(Y, LY, HY),
      ( Op == max -> max_bound(LX, LY, L), max_bound(HX, HY, H), in_bounds(Z, L, H), bounds(Z, _, HZ), upper(X, HZ), upper(Y, HZ)
      ; min_bound(LX, LY, L), min_bound(HX, HY, H), in_bounds(Z, L, H), bounds(Z, LZ, _), lower(X, LZ), lower(Y, LZ) ) ).
propagate(power(X, Y, Z), S) :-
    ( integer(X), integer(Y) -> Y >= 0, Z is X ** Y, done(S)
    ; integer(Y), Y >= 0 ->
        bounds(X, L, H),
        ( integer(L), integer(H) ->
            A is L ** Y, B is H ** Y,
            ( Y mod 2 =:= 1 -> in_bounds(Z, A, B) ; M is max(A, B), ( L >= 0 -> in_bounds(Z, A, B) ; H =< 0 -> in_bounds(Z, B, A) ; in_bounds(Z, 0, M) ) )
        ; Y mod 2 =:= 0 -> at_least(Z, 0)
        ; true ),
        ( integer(Z) -> roots(X, Y, Z) ; true )
    ; true ).
propagate(differ(X, Y, K), S) :-
    ( integer(X) -> V is X + K, done(S), ( integer(Y) -> Y =\= V ; exclude_value(Y, V) )
    ; integer(Y) -> V is Y - K, done(S), exclude_value(X, V)
    ; X == Y -> K =\= 0, done(S)
    ; true ).
propagate(alldiff(Xs, _), S) :- p_alldiff(Xs, S).
propagate(distinct(Xs), _) :-
    domains(Xs, Ds),
    '$dom_distinct'(Ds, Es),
    ( Es == large -> true ; filtered(Xs, Ds, Es) ).
propagate(reified(B, C, N), S) :- p_reified(B, C, N, S).
propagate(tuples(T, Ts0), S) :-
    include_matching(Ts0, T, Ts), Ts = [_|_],
    ( Ts = [One] -> done(S), T = One ; columns(T, Ts) ),
    ( ground(T) -> done(S) ; true ).
propagate(element(I, L, V), S) :- p_element(I, L, V, S).
propagate(circuit(Xs), S) :- ( ground(Xs) -> done(S), single_cycle(Xs) ; no_short_cycle(Xs) ).

in_bounds(Z, L, H) :- lower(Z, L), upper(Z, H).
lower(_, inf) :- !.
lower(X, L) :- at_least(X, L).
upper(_, sup) :- !.
upper(X, H) :- at_most(X, H).
roots(X, Y, Z) :-
    bounds(X, L, H), A is abs(Z),
    ( integer(L), integer(H), H - L =< 2 * A + 2 -> findall(V-V, ( between(L, H, V), Z =:= V ** Y ), D), D = [_|_], restrict(X, D)
    ; N is -A, in_bounds(X, N, A) ).

% Known variables go into the constant.
simplify([], [], K, [], [], K).
simplify([C|Cs], [X|Xs], K0, Cs1, Xs1, K) :-
    ( integer(X) -> K1 is K0 + C * X, Cs1 = Cs2, Xs1 = Xs2 ; K1 = K0, Cs1 = [C|Cs2], Xs1 = [X|Xs2] ),
    simplify(Cs, Xs, K1, Cs2, Xs2, K).

linear(Op, [], [], K, S) :- !, holds(Op, K), done(S).
linear(ne, [C], [X], K, S) :- !, done(S), ( K mod C =:= 0 -> V is -K // C, exclude_value(X, V) ; true ).
linear(eq, [C], [X], K, S) :- !, done(S), K mod C =:= 0, X is -K // C.
% X = Y + K and X + Y = K: each domain is the image of the other.
linear(eq, [C1, C2], [X, Y], K, S) :-
    abs(C1) =:= 1, abs(C2) =:= 1, X \== Y, !,
    A is -C1 * C2, B is -C1 * K,
    dom_of(Y, DY), image(A, B, DY, IX), restrict(X, IX),
    ( integer(X) -> ( integer(Y) -> true ; Y is (X - B) * A ), done(S)
    ; dom_of(X, DX), B2 is -A * B, image(A, B2, DX, IY), restrict(Y, IY) ).
linear(ne, Cs, Xs, K, S) :- !, ( Cs = [1, -1], Xs = [X, Y], X == Y -> done(S), K =\= 0 ; true ).
linear(Op, Cs, Xs, K, S) :-
    total(Cs, Xs, 0, Min, 0, MinInf, 0, Max, 0, MaxInf),
    ( Op == le, MaxInf =:= 0, Max + K =< 0 -> done(S)
    ; tighten(Cs, Xs, Op, K, Min, MinInf, Max, MaxInf) ).
with_negatives(D0, D) :- mirrored(D0, 0, [], N), append(N, D0, D1), normal(D1, D).
% The domain of A*V + B for V in a domain; A is 1 or -1.
image(1, B, D0, D) :- shifted(D0, B, D).
image(-1, B, D0, D) :- mirrored(D0, B, [], D).
shifted([], _, []).
shifted([L-H|T], B, [L1-H1|T1]) :- moved(L, B, L1), moved(H, B, H1), shifted(T, B, T1).
moved(V, B, W) :- ( integer(V) -> W is V + B ; W = V ).
mirrored([], _, D, D).
mirrored([L-H|T], B, D0, D) :- reflected(H, B, L1), reflected(L, B, H1), mirrored(T, B, [L1-H1|D0], D).
reflected(V, B, W) :- ( integer(V) -> W is B - V ; V == inf -> W = sup ; W = inf ).
holds(eq, 0).
holds(ne, K) :- K =\= 0.
holds(le, K) :- K =< 0.

total([], [], Min, Min, I, I, Max, Max, J, J).
total([C|Cs], [X|Xs], Min0, Min, I0, I, Max0, Max, J0, J) :-
    term_bounds(C, X, L, H),
    ( integer(L) -> Min1 is Min0 + L, I1 = I0 ; Min1 = Min0, I1 is I0 + 1 ),
    ( integer(H) -> Max1 is Max0 + H, J1 = J0 ; Max1 = Max0, J1 is J0 + 1 ),
    total(Cs, Xs, Min1, Min, I1, I, Max1, Max, J1, J).
term_bounds(C, X, L, H) :-
    bounds(X, LX, HX),
    ( C > 0 -> scaled(C, LX, L), scaled(C, HX, H) ; scaled(C, HX, L), scaled(C, LX, H) ).
scaled(C, B, R) :- ( integer(B) -> R is C * B ; ( C > 0 -> R = B ; B == inf -> R = sup ; R = inf ) ).

% C*X =< -K - (the rest's minimum); for equations also C*X >= -K - (the rest's maximum).
tighten([], [], _, _, _, _, _, _).
tighten([C|Cs], [X|Xs], Op, K, Min, MinInf, Max, MaxInf) :-
    (   integer(X) -> true
    ;   term_bounds(C, X, L, H),
        ( rest(Min, MinInf, L, RMin) -> U is -K - RMin, upper_term(C, X, U) ; true ),
        ( Op == eq, rest(Max, MaxInf, H, RMax) -> W is -K - RMax, lower_term(C, X, W) ; true )
    ),
    tighten(Cs, Xs, Op, K, Min, MinInf, Max, MaxInf).
rest(Sum, Infinite, Own, R) :-
    ( integer(Own) -> Infinite =:= 0, R is Sum - Own ; Infinite =:= 1, R = Sum ).
upper_term(C, X, U) :- ( C > 0 -> B is U div C, at_most(X, B) ; B is -((U) div (-C)), at_least(X, B) ).
lower_term(C, X, W) :- ( C > 0 -> B is -((-W) div C), at_least(X, B) ; B is (-W) div (-C), at_most(X, B) ).

p_times(X, Y, Z, S) :-
    (   integer(X), integer(Y) -> Z is X * Y, done(S)
    ;   integer(X), integer(Z) -> ( X =:= 0 -> Z =:= 0, done(S) ; Z mod X =:= 0, Y is Z // X, done(S) )
    ;   integer(Y), integer(Z) -> ( Y =:= 0 -> Z =:= 0, done(S) ; Z mod Y =:= 0, X is Z // Y, done(S) )
    ;   X == Y, integer(Z) -> Z >= 0, R0 is integer(floor(sqrt(Z))) + 1, root_of(R0, Z, R), R * R =:= Z,
        N is -R, ( R =:= 0 -> X = 0 ; restrict(X, [N-N, R-R]) ), done(S)
    ;   X == Y -> at_least(Z, 0), square_bounds(X, Z)
    ;   bounds(X, LX, HX), bounds(Y, LY, HY),
        ( integer(LX), integer(HX), integer(LY), integer(HY) ->
            A is LX * LY, B is LX * HY, C is HX * LY, D is HX * HY,
            L is min(min(A, B), min(C, D)), H is max(max(A, B), max(C, D)), in_bounds(Z, L, H)
        ; integer(LX), integer(LY), LX >= 0, LY >= 0 -> L is LX * LY, at_least(Z, L)
        ; true ),
        quotient_bounds(X, Y, Z), quotient_bounds(Y, X, Z)
    ).
square_bounds(X, Z) :-
    bounds(X, L, H),
    ( integer(L), integer(H) -> M is max(L * L, H * H), at_most(Z, M), ( L > 0 -> M2 is L * L, at_least(Z, M2) ; H < 0 -> M2 is H * H, at_least(Z, M2) ; true ) ; true ),
    bounds(Z, _, HZ),
    ( integer(HZ) -> R is integer(floor(sqrt(HZ))) + 1, root_of(R, HZ, R1), N is -R1, ( integer(X) -> true ; in_bounds(X, N, R1) ) ; true ).
root_of(R, H, R1) :- ( R * R > H -> R2 is R - 1, root_of(R2, H, R1) ; R1 = R ).
% X from Z = X * Y where Y does not cross zero.
quotient_bounds(X, Y, Z) :-
    bounds(Y, LY, HY), bounds(Z, LZ, HZ),
    (   \+ integer(X), integer(LY), integer(HY), integer(LZ), integer(HZ), ( LY > 0 ; HY < 0 )
    ->  corners(LZ, HZ, LY, HY, L, H), in_bounds(X, L, H)
    ;   true ).
corners(A, B, C, D, L, H) :-
    ceil_div(A, C, L1), ceil_div(A, D, L2), ceil_div(B, C, L3), ceil_div(B, D, L4),
    L is min(min(L1, L2), min(L3, L4)),
    H is max(max(A div C, A div D), max(B div C, B div D)).
ceil_div(A, B, C) :- C is -((-A) div B).

p_divide(Op, X, Y, Z, S) :-
    (   integer(X), integer(Y) -> apply_division(Op, X, Y, Z), done(S)
    ;   Op == (mod), integer(Y) -> ( Y > 0 -> H is Y - 1, in_bounds(Z, 0, H) ; L is Y + 1, in_bounds(Z, L, 0) ), filter_small(Op, X, Y, Z)
    ;   Op == (rem), integer(Y) -> H is abs(Y) - 1, L is -H, in_bounds(Z, L, H), filter_small(Op, X, Y, Z)
    ;   ( Op == (//) ; Op == (div) ), integer(Y), Y > 0 ->
        bounds(X, LX, HX),
        ( integer(LX) -> apply_division(Op, LX, Y, L), at_least(Z, L) ; true ),
        ( integer(HX) -> apply_division(Op, HX, Y, H), at_most(Z, H) ; true ),
        bounds(Z, LZ, HZ),
        ( integer(LZ) -> least_dividend(Op, LZ, Y, LX1), at_least(X, LX1) ; true ),
        ( integer(HZ) -> greatest_dividend(Op, HZ, Y, HX1), at_most(X, HX1) ; true ),
        filter_small(Op, X, Y, Z)
    ;   true ).
least_dividend(Op, Z, Y, X) :- ( Op == (//), Z =< 0 -> X is Z * Y - Y + 1 ; X is Z * Y ).
greatest_dividend(Op, Z, Y, X) :- ( Op == (//), Z < 0 -> X is Z * Y ; X is Z * Y + Y - 1 ).
apply_division(//, X, Y, Z) :- Z is X // Y.
apply_division(div, X, Y, Z) :- Z is X div Y.
apply_division(mod, X, Y, Z) :- Z is X mod Y.
apply_division(rem, X, Y, Z) :- Z is X rem Y.
filter_small(Op, X, Y, Z) :-
    (   integer(Z), var(X), bounds(X, L, H), integer(L), integer(H), H - L < 2000
    ->  dom_of(X, D0), findall(V-V, ( between(L, H, V), contains(D0, V), apply_division(Op, V, Y, Z) ), D1), D1 = [_|_], normal(D1, D), restrict(X, D)
    ;   true ).

p_alldiff(Xs, S) :-
    split_known(Xs, Known, Free),
    sort(Known, Sorted), length(Known, N), length(Sorted, N),
    remove_known(Free, Sorted),
    ( Free = [] -> done(S) ; true ).
split_known([], [], []).
split_known([X|Xs], K, F) :- ( integer(X) -> K = [X|K1], F = F1 ; K = K1, F = [X|F1] ), split_known(Xs, K1, F1).
remove_known([], _).
remove_known([X|Xs], Ks) :- remove_each(Ks, X), remove_known(Xs, Ks).
remove_each([], _).
remove_each([K|Ks], X) :- exclude_value(X, K), remove_each(Ks, X).
domains([], []).
domains([X|Xs], [D|Ds]) :- dom_of(X, D), domains(Xs, Ds).
filtered([], [], []).
filtered([X|Xs], [D|Ds], [E|Es]) :- ( D == E -> true ; restrict(X, E) ), filtered(Xs, Ds, Es).
unknown_only([], []).
unknown_only([X|Xs], F) :- ( integer(X) -> F = F1 ; F = [X|F1] ), unknown_only(Xs, F1).
size_of([], N, N).
size_of([L-H|T], N0, N) :- N1 is N0 + H - L + 1, size_of(T, N1, N).

include_matching([], _, []).
include_matching([T|Ts], X, R) :- ( possible(X, T) -> R = [T|R1] ; R = R1 ), include_matching(Ts, X, R1).
possible([], []).
possible([X|Xs], [V|Vs]) :- dom_of(X, D), contains(D, V), possible(Xs, Vs).
columns([], _).
columns([X|Xs], Ts) :- heads(Ts, Hs, Rest), findall(H-H, member(H, Hs), D0), normal(D0, D), restrict(X, D), columns(Xs, Rest).
heads([], [], []).
heads([[H|T]|R], [H|Hs], [T|Ts]) :- heads(R, Hs, Ts).

p_element(I, L, V, S) :-
    (   integer(I) -> nth1(I, L, E), done(S), E = V
    ;   dom_of(V, DV), dom_of(I, DI),
        findall(K-D, ( nth1(K, L, E), contains(DI, K), dom_of(E, D), intersect(D, DV, [_|_]) ), Ok),
        Ok = [_|_],
        findall(K-K, member(K-_, Ok), DI1), normal(DI1, DI2), restrict(I, DI2),
        findall(J, ( member(_-D, Ok), member(J, D) ), Js), normal(Js, DV1), restrict(V, DV1)
    ).

single_cycle(Xs) :- length(Xs, N), follow(1, Xs, N, 1).
follow(At, Xs, N, Steps) :- nth1(At, Xs, To), ( To =:= 1 -> Steps =:= N ; Steps < N, S1 is Steps + 1, follow(To, Xs, N, S1) ).
no_short_cycle(Xs) :- length(Xs, N), \+ ( nth1(I, Xs, V), integer(V), short(V, I, Xs, N, 1) ).
short(At, Start, Xs, N, Steps) :- ( At =:= Start -> Steps < N ; Steps < N, nth1(At, Xs, To), integer(To), S1 is Steps + 1, short(To, Start, Xs, N, S1) ).

p_reified(B, C, N, S) :-
    (   B == 1 -> done(S), post_simple(C)
    ;   B == 0 -> done(S), post_simple(N)
    ;   truth(C, T) -> done(S), B = T
    ;   true ).
post_simple(lin(Cs, Xs, K, Op)) :- post(lin(Cs, Xs, K, Op)).
post_simple(inside(X, D)) :- restrict(X, D).
truth(inside(X, D), T) :- dom_of(X, D0), intersect(D0, D, D1), ( D1 == D0 -> T = 1 ; D1 == [] -> T = 0 ).
truth(lin(Cs0, Xs0, K0, Op), T) :-
    simplify(Cs0, Xs0, K0, Cs, Xs, K),
    ( Xs == [] -> ( holds(Op, K) -> T = 1 ; T = 0 )
    ; Op \== le, Xs = [X], Cs = [C] -> ( K mod C =:= 0, V is -K // C, dom_of(X, D), contains(D, V) -> fail ; Op == eq -> T = 0 ; T = 1 )
    ; Op \== le, Xs = [X, Y], Cs = [A, Z], A =:= -Z, X == Y -> ( K =:= 0 -> E = 1 ; E = 0 ), ( Op == eq -> T = E ; T is 1 - E )
    ; total(Cs, Xs, 0, Min, 0, I, 0, Max, 0, J),
      ( Op == le -> ( J =:= 0, Max + K =< 0 -> T = 1 ; I =:= 0, Min + K > 0 -> T = 0 )
      ; ( I =:= 0, Min + K > 0 ; J =:= 0, Max + K < 0 ) -> ( Op == eq -> T = 0 ; T = 1 ) ) ).

% -- expressions: a linear form is a list of Coefficient*Variable and a constant

linear_form(E, Cs, Xs, K) :- form(E, 1, [], Ts, 0, K), collect(Ts, Cs, Xs).
form(E, C, Ts, [C-E|Ts], K, K) :- var(E), !.
form(E, C, Ts, Ts, K0, K) :- integer(E), !, K is K0 + C * E.
form(?(E), C, Ts0, Ts, K0, K) :- !, form(E, C, Ts0, Ts, K0, K).
form(#(E), C, Ts0, Ts, K0, K) :- !, form(E, C, Ts0, Ts, K0, K).
form(A + B, C, Ts0, Ts, K0, K) :- !, form(A, C, Ts0, Ts1, K0, K1), form(B, C, Ts1, Ts, K1, K).
form(A - B, C, Ts0, Ts, K0, K) :- !, form(A, C, Ts0, Ts1, K0, K1), D is -C, form(B, D, Ts1, Ts, K1, K).
form(-A, C, Ts0, Ts, K0, K) :- !, D is -C, form(A, D, Ts0, Ts, K0, K).
form(A * B, C, Ts0, Ts, K0, K) :- !,
    ( constant_of(A, V) -> D is C * V, form(B, D, Ts0, Ts, K0, K)
    ; constant_of(B, V) -> D is C * V, form(A, D, Ts0, Ts, K0, K)
    ; value_of(A, X), value_of(B, Y), post(times(X, Y, Z)), form(Z, C, Ts0, Ts, K0, K) ).
form(E, C, Ts0, Ts, K0, K) :- ( constant_of(E, V) -> K is K0 + C * V, Ts = Ts0 ; nonlinear(E, Z), form(Z, C, Ts0, Ts, K0, K) ).
constant_of(E, V) :- ground(E), catch(V0 is E, error(type_error(evaluable, _), _), fail), integer(V0), V = V0.
nonlinear(A // B, Z) :- !, value_of(A, X), value_of(B, Y), post(divide(//, X, Y, Z)).
nonlinear(A / B, Z) :- !, value_of(A, X), value_of(B, Y), exclude_value(Y, 0), post(times(Z, Y, X)).
nonlinear(A div B, Z) :- !, value_of(A, X), value_of(B, Y), post(divide(div, X, Y, Z)).
nonlinear(A mod B, Z) :- !, value_of(A, X), value_of(B, Y), post(divide(mod, X, Y, Z)).
nonlinear(A rem B, Z) :- !, value_of(A, X), value_of(B, Y), post(divide(rem, X, Y, Z)).
nonlinear(abs(A), Z) :- !, value_of(A, X), post(absolute(X, Z)).
nonlinear(min(A, B), Z) :- !, value_of(A, X), value_of(B, Y), post(extreme(min, X, Y, Z)).
nonlinear(max(A, B), Z) :- !, value_of(A, X), value_of(B, Y), post(extreme(max, X, Y, Z)).
nonlinear(A ^ B, Z) :- !, value_of(A, X), value_of(B, Y), post(power(X, Y, Z)).
nonlinear(A ** B, Z) :- !, value_of(A, X), value_of(B, Y), post(power(X, Y, Z)).
nonlinear(E, _) :- throw(error(type_error(evaluable, E), _)).
value_of(E, X) :- var(E), !, X = E.
value_of(E, X) :- integer(E), !, X = E.
value_of(E, X) :- X #= E.

collect(Ts, Cs, Xs) :- merge_terms(Ts, [], Cs, Xs).
merge_terms([], Acc, Cs, Xs) :- reverse(Acc, L), drop_zero(L, Cs, Xs).
merge_terms([C-X|Ts], Acc, Cs, Xs) :- ( add_to(Acc, X, C, Acc1) -> true ; Acc1 = [C-X|Acc] ), merge_terms(Ts, Acc1, Cs, Xs).
add_to([C0-Y|T], X, C, R) :- ( X == Y -> C1 is C0 + C, R = [C1-Y|T] ; R = [C0-Y|R1], add_to(T, X, C, R1) ).
drop_zero([], [], []).
drop_zero([C-X|T], Cs, Xs) :- ( C =:= 0 -> Cs = Cs1, Xs = Xs1 ; Cs = [C|Cs1], Xs = [X|Xs1] ), drop_zero(T, Cs1, Xs1).

difference(A, B, Cs, Xs, K) :- linear_form(A - B, Cs0, Xs0, K0), scale(Cs0, K0, Cs, K), Xs = Xs0.
scale(Cs, K, Cs, K).

% -- constraints

X #= Y :- var(X), integer(Y), !, as_integer(X), X = Y.
X #= Y :- integer(X), integer(Y), !, X =:= Y.
X #= Y :- var(X), constant_of(Y, V), !, X = V.
X #= Y :- var(Y), constant_of(X, V), !, Y = V.
X #= Y :- var(X), var(Y), !, as_integer(X), as_integer(Y), X = Y.
X #= Y :- nonvar(Y), Y = A * B, product(X, A, B), !.
X #= Y :- difference(X, Y, Cs, Xs, K), post_linear(Cs, Xs, K, eq).
product(Z, A, B) :- ( var(Z) ; integer(Z) ), \+ constant_of(A, _), \+ constant_of(B, _), value_of(A, X), value_of(B, Y), post(times(X, Y, Z)).
as_integer(X) :- ( get_attr(X, clpfd, _) -> true ; put_attr(X, clpfd, fd([inf-sup], [], [])) ).
X #\= Y :- difference(X, Y, Cs, Xs, K), post_linear(Cs, Xs, K, ne).
X #=< Y :- difference(X, Y, Cs, Xs, K), post_linear(Cs, Xs, K, le).
X #>= Y :- Y #=< X.
X #< Y :- X + 1 #=< Y.
X #> Y :- Y + 1 #=< X.
post_linear([], _, K, Op) :- !, holds(Op, K).
post_linear([1, -1], [X, Y], K, ne) :- !, post(differ(X, Y, K)).
post_linear([-1, 1], [X, Y], K, ne) :- !, post(differ(Y, X, K)).
post_linear(Cs, Xs, K, Op) :- post(lin(Cs, Xs, K, Op)).

X in D :- parse_dom(D, Dom), Dom = [_|_], ( var(X) -> as_integer(X) ; integer(X) -> true ; throw(error(type_error(integer, X), _)) ), restrict(X, Dom).
Xs ins D :- ( is_list(Xs) -> true ; throw(error(type_error(list, Xs), _)) ), each_in(Xs, D).
each_in([], _).
each_in([X|Xs], D) :- X in D, each_in(Xs, D).

all_different(Xs) :- different(Xs, whole).
all_distinct(Xs) :- different(Xs, part), post(distinct(Xs)).
different(Xs, W) :- ( is_list(Xs) -> true ; throw(error(instantiation_error, _)) ), integers(Xs), post(alldiff(Xs, W)).
integers([]).
integers([X|Xs]) :- ( var(X) -> as_integer(X) ; integer(X) -> true ; throw(error(type_error(integer, X), _)) ), integers(Xs).

sum(Xs, Op, E) :- sum_expression(Xs, S), relate(Op, S, E).
sum_expression([], 0).
sum_expression([X|Xs], S) :- plus_all(Xs, X, S).
plus_all([], S, S).
plus_all([X|Xs], S0, S) :- plus_all(Xs, S0 + X, S).
scalar_product(Cs, Xs, Op, E) :- products(Cs, Xs, Ps), sum(Ps, Op, E).
products([], [], []).
products([C|Cs], [X|Xs], [C * X|Ps]) :- products(Cs, Xs, Ps).
relate(#=, A, B) :- A #= B.
relate(#\=, A, B) :- A #\= B.
relate(#<, A, B) :- A #< B.
relate(#>, A, B) :- A #> B.
relate(#=<, A, B) :- A #=< B.
relate(#>=, A, B) :- A #>= B.

tuples_in([], _).
tuples_in([T|Ts], Relation) :- integers(T), post(tuples(T, Relation)), tuples_in(Ts, Relation).
element(I, L, V) :- length(L, N), I in 1..N, integers(L), post(element(I, L, V)).
circuit(Xs) :- length(Xs, N), Xs ins 1..N, all_different(Xs), not_self(Xs, 1, N), post(circuit(Xs)).
not_self([], _, _).
not_self([X|Xs], I, N) :- ( N > 1 -> X #\= I ; true ), I1 is I + 1, not_self(Xs, I1, N).
chain(Xs, Op) :- chain_(Xs, Op).
chain_([], _).
chain_([_], _) :- !.
chain_([X, Y|T], Op) :- relate(Op, X, Y), chain_([Y|T], Op).
lex_chain([]).
lex_chain([_]) :- !.
lex_chain([A, B|T]) :- lex_le(A, B, C), C #= 1, lex_chain([B|T]).
lex_le([], [], 1).
lex_le([X|Xs], [Y|Ys], C) :- lex_le(Xs, Ys, C1), C #<==> ( X #< Y #\/ ( X #= Y #/\ C1 #= 1 ) ).
global_cardinality(Xs, Pairs) :- global_cardinality(Xs, Pairs, []).
global_cardinality(Xs, Pairs, _) :-
    pairs_keys(Pairs, Ks), findall(K-K, member(K, Ks), D0), normal(D0, D), restrict_all(Xs, D), counts(Pairs, Xs).
restrict_all([], _).
restrict_all([X|Xs], D) :- ( var(X) -> as_integer(X) ; true ), restrict(X, D), restrict_all(Xs, D).
counts([], _).
counts([K-N|Ps], Xs) :- equal_flags(Xs, K, Bs), sum(Bs, #=, N), counts(Ps, Xs).
equal_flags([], _, []).
equal_flags([X|Xs], K, [B|Bs]) :- B #<==> (X #= K), equal_flags(Xs, K, Bs).
serialized(Ss, Ds) :- pairs_keys_values(Ps, Ss, Ds), serialize(Ps).
serialize([]).
serialize([S-D|T]) :- apart(T, S, D), serialize(T).
apart([], _, _).
apart([S2-D2|T], S, D) :- S + D #=< S2 #\/ S2 + D2 #=< S, apart(T, S, D).
cumulative(Tasks) :- cumulative(Tasks, [limit(1)]).
cumulative(Tasks, Options) :-
    ( memberchk(limit(L), Options) -> true ; L = 1 ),
    tasks(Tasks), loads(Tasks, Tasks, L).
tasks([]).
tasks([task(S, D, E, _, _)|T]) :- D #>= 0, S + D #= E, tasks(T).
loads([], _, _).
loads([task(S, _, _, _, _)|T], All, L) :- load_at(All, S, Ls), sum(Ls, #=<, L), loads(T, All, L).
load_at([], _, []).
load_at([task(S, _, E, C, _)|T], At, [B * C|Ls]) :- B #<==> ( S #=< At #/\ At #< E ), load_at(T, At, Ls).
disjoint2(Rs) :- findall(x, fail, _), rectangles(Rs).
rectangles([]).
rectangles([R|Rs]) :- beside(Rs, R), rectangles(Rs).
beside([], _).
beside([R2|Rs], R) :- R =.. [_, X, W, Y, H], R2 =.. [_, X2, W2, Y2, H2],
    X + W #=< X2 #\/ X2 + W2 #=< X #\/ Y + H #=< Y2 #\/ Y2 + H2 #=< Y, beside(Rs, R).
% Each step of an automaton is a tuple of state, value and next state.
automaton(Xs, Nodes, Arcs) :-
    ( is_list(Xs), is_list(Nodes), is_list(Arcs) -> true ; throw(error(instantiation_error, _)) ),
    integers(Xs),
    findall(N, ( member(A, Arcs), ( A = arc(N, _, _) ; A = arc(_, _, N) ) ), Ns0),
    findall(N, ( member(source(N), Nodes) ; member(sink(N), Nodes) ), Ns1),
    append(Ns0, Ns1, Ns2), sort(Ns2, Ns),
    findall([S, V, T], ( member(arc(A1, V, A2), Arcs), nth0(S, Ns, A1), nth0(T, Ns, A2) ), Steps),
    findall(S, ( member(source(N), Nodes), nth0(S, Ns, N) ), Sources),
    findall(S, ( member(sink(N), Nodes), nth0(S, Ns, N) ), Sinks),
    one_of(Sources, First), one_of(Sinks, Last),
    automaton_steps(Xs, First, Last, Tuples),
    tuples_in(Tuples, Steps).
one_of(Vs, X) :- sort(Vs, Ss), findall(V-V, member(V, Ss), D0), normal(D0, D), D = [_|_], as_integer(X), restrict(X, D).
automaton_steps([], S, S, []).
automaton_steps([X|Xs], S, Last, [[S, X, T]|Ts]) :- automaton_steps(Xs, T, Last, Ts).
automaton(_, _, _, _, _, _, _, _) :- throw(error(not_supported('automaton/8'), _)).
zcompare(O, A, B) :- ( integer(A), integer(B) -> compare(O, A, B) ; nonvar(O) -> ordered(O, A, B) ; ( O = (<), A #< B ; O = (=), A #= B ; O = (>), A #> B ) ).
ordered(=, A, B) :- A #= B.
ordered(<, A, B) :- A #< B.
ordered(>, A, B) :- A #> B.
transpose([], []).
transpose([R|Rs], Cols) :- columns_of(R, [R|Rs], Cols).
columns_of([], _, []).
columns_of([_|T], Rows, [Col|Cols]) :- heads(Rows, Col, Rest), columns_of(T, Rest, Cols).

% -- truth values of constraints

#\ C :- truth_value(C, 0).
A #<==> B :- truth_value(A, X), truth_value(B, X).
A #==> B :- truth_value(A, X), truth_value(B, Y), X #=< Y.
A #<== B :- B #==> A.
A #\/ B :- truth_value(A, X), truth_value(B, Y), X + Y #>= 1.
A #/\ B :- truth_value(A, 1), truth_value(B, 1).
A #\ B :- truth_value(A, X), truth_value(B, Y), X + Y #= 1.

truth_value(C, B) :- var(C), !, C in 0..1, C = B.
truth_value(C, B) :- integer(C), !, ( C =:= 0 ; C =:= 1 ), !, B = C.
truth_value(A #= B, T) :- !, linear_truth(A, B, eq, T).
truth_value(A #\= B, T) :- !, linear_truth(A, B, ne, T).
truth_value(A #=< B, T) :- !, linear_truth(A, B, le, T).
truth_value(A #>= B, T) :- !, linear_truth(B, A, le, T).
truth_value(A #< B, T) :- !, linear_truth(A + 1, B, le, T).
truth_value(A #> B, T) :- !, linear_truth(B + 1, A, le, T).
truth_value(X in D, T) :- !, parse_dom(D, Dom), complement(Dom, inf, Other), ( var(X) -> as_integer(X) ; true ), T in 0..1, post(reified(T, inside(X, Dom), inside(X, Other))).
truth_value(#\ A, T) :- !, truth_value(A, X), T in 0..1, T #= 1 - X.
truth_value(A #/\ B, T) :- !, truth_value(A, X), truth_value(B, Y), T in 0..1, post(extreme(min, X, Y, T)).
truth_value(A #\/ B, T) :- !, truth_value(A, X), truth_value(B, Y), T in 0..1, post(extreme(max, X, Y, T)).
truth_value(A #\ B, T) :- !, truth_value(A, X), truth_value(B, Y), linear_truth(X, Y, ne, T).
truth_value(A #<==> B, T) :- !, truth_value(A, X), truth_value(B, Y), linear_truth(X, Y, eq, T).
truth_value(A #==> B, T) :- !, truth_value(A, X), truth_value(B, Y), linear_truth(X, Y, le, T).
truth_value(A #<== B, T) :- !, truth_value(B #==> A, T).
truth_value(C, _) :- throw(error(domain_error(clpfd_reifiable_expression, C), _)).
linear_truth(A, B, Op, T) :-
    difference(A, B, Cs, Xs, K),
    opposite(Op, Cs, K, NCs, NK, NOp),
    T in 0..1,
    post(reified(T, lin(Cs, Xs, K, Op), lin(NCs, Xs, NK, NOp))).
opposite(eq, Cs, K, Cs, K, ne).
opposite(ne, Cs, K, Cs, K, eq).
opposite(le, Cs, K, NCs, NK, le) :- negate(Cs, NCs), NK is 1 - K.
negate([], []).
negate([C|Cs], [N|Ns]) :- N is -C, negate(Cs, Ns).

% -- search

label(Xs) :- labeling([], Xs).
indomain(X) :- label([X]).
labeling(Options, Xs) :-
    ( is_list(Options), is_list(Xs) -> true ; throw(error(instantiation_error, _)) ),
    check_options(Options),
    finite(Xs),
    ( optimum(Options, Goal, Rest) -> optimise(Goal, Rest, Xs) ; search(Options, Xs) ).
check_options([]).
check_options([O|Os]) :- ( var(O) -> throw(error(instantiation_error, _)) ; known_option(O) -> true ; throw(error(domain_error(labeling_option, O), _)) ), check_options(Os).
known_option(leftmost). known_option(ff). known_option(ffc). known_option(min). known_option(max).
known_option(up). known_option(down). known_option(step). known_option(enum). known_option(bisect).
known_option(min(_)). known_option(max(_)).
finite([]).
finite([X|Xs]) :- ( integer(X) -> true ; bounds(X, L, H), integer(L), integer(H) -> true ; throw(error(instantiation_error, _)) ), finite(Xs).

search(Options, Xs) :-
    unknown_only(Xs, Free),
    (   Free = [] -> true
    ;   pick(Options, Free, X, Rest),
        choose(Options, X, Rest, Next),
        search(Options, Next)
    ).
pick(Options, [X|Xs], V, Rest) :-
    ( memberchk(ff, Options) -> W = size ; memberchk(ffc, Options) -> W = size_degree ; memberchk(min, Options) -> W = low ; memberchk(max, Options) -> W = high ; W = none ),
    ( W == none -> V = X, Rest = Xs ; weight(W, X, N), best(Xs, W, X, N, V), without([X|Xs], V, Rest) ).
best([], _, V, _, V).
best([X|Xs], W, V0, N0, V) :- weight(W, X, N), ( N @< N0 -> best(Xs, W, X, N, V) ; best(Xs, W, V0, N0, V) ).
without([Y|Ys], V, R) :- ( Y == V -> R = Ys ; R = [Y|R1], without(Ys, V, R1) ).
weight(size, X, N) :- fd_size(X, N).
weight(size_degree, X, N-D) :- fd_size(X, N), fd_degree(X, D0), D is -D0.
weight(low, X, N) :- fd_inf(X, N).
weight(high, X, N) :- fd_sup(X, N0), N is -N0.

choose(Options, X, Rest, Next) :-
    bounds(X, L, H),
    (   memberchk(enum, Options) -> dom_of(X, D), member_of(D, Options, X), Next = Rest
    ;   memberchk(bisect, Options) ->
        M is (L + H) // 2, Next = [X|Rest],
        ( memberchk(down, Options) -> ( X #> M ; X #=< M ) ; ( X #=< M ; X #> M ) )
    ;   ( memberchk(down, Options) -> V = H ; V = L ),
        ( X = V, Next = Rest ; exclude_value(X, V), Next = [X|Rest] )
    ).
member_of(D, Options, X) :- findall(V, ( member(L-H, D), between(L, H, V) ), Vs0), ( memberchk(down, Options) -> reverse(Vs0, Vs) ; Vs = Vs0 ), member(X, Vs).

optimum(Options, Goal, Rest) :- select(Goal, Options, Rest), ( Goal = min(_) ; Goal = max(_) ), !.
% All solutions, best first: the values of the objective are visited in order.
optimise(Goal, Options, Xs) :-
    ( Goal = min(E) -> Sign = 1 ; Goal = max(E), Sign = -1 ),
    Obj #= E,
    findall(K-V, ( search_any(Options, Xs), value_now(Obj, V), K is Sign * V ), Ps0),
    sort(Ps0, Ps), pairs_values(Ps, Vs0), dedup(Vs0, Vs),
    member(Obj, Vs),
    search_any(Options, Xs).
search_any(Options, Xs) :- ( optimum(Options, G, Rest) -> optimise(G, Rest, Xs) ; search(Options, Xs) ).
value_now(V, V) :- integer(V), !.
value_now(X, V) :- indomain(X), V = X, !.
dedup([], []).
dedup([X|Xs], [X|R]) :- skip_same(Xs, X, Rest), dedup(Rest, R).
skip_same([Y|Ys], X, R) :- Y == X, !, skip_same(Ys, X, R).
skip_same(Ys, _, Ys).

% -- questions

fd_var(X) :- var(X), get_attr(X, clpfd, _).
fd_inf(X, L) :- bounds(X, L, _).
fd_sup(X, H) :- bounds(X, _, H).
fd_size(X, N) :- dom_of(X, D), ( D = [inf-_|_] -> N = sup ; last_high(D, sup) -> N = sup ; size_of(D, 0, N) ).
fd_dom(X, T) :- ( integer(X) -> T = X..X ; dom_of(X, D), dom_term(D, T) ).
fd_degree(X, N) :- ( var(X), get_attr(X, clpfd, fd(_, Ps, Vs)) -> live(Ps, 0, N0), live(Vs, N0, N) ; N = 0 ).
live([], N, N).
live([prop(_, state(S))|Ps], N0, N) :- ( S == dead -> N1 = N0 ; N1 is N0 + 1 ), live(Ps, N1, N).
