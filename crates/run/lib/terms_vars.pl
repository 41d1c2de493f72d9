% Variables of terms as sorted sets and as lists, after Ciao.

:- module(terms_vars, [varset/2, varset_in_args/2, varsbag/3, intersect_vars/3, member_var/2, diff_vars/3]).

varset(Term, Vars) :- term_variables(Term, Vs), sort(Vs, Vars).

varset_in_args(Term, Sets) :- Term =.. [_|Args], varsets(Args, Sets).

varsets([], []).
varsets([A|As], [S|Ss]) :- varset(A, S), varsets(As, Ss).

% varsbag(+Term, -Vars, ?Tail): every occurrence.
varsbag(X, [X|T], T) :- var(X), !.
varsbag(X, Vs, T) :- compound(X), !, X =.. [_|As], bags(As, Vs, T).
varsbag(_, T, T).

bags([], T, T).
bags([A|As], Vs, T) :- varsbag(A, Vs, T0), bags(As, T0, T).

member_var(V, [W|Ws]) :- ( V == W -> true ; member_var(V, Ws) ).

intersect_vars([], _, []).
intersect_vars([V|Vs], Ws, Us) :-
    ( member_var(V, Ws) -> Us = [V|Us1] ; Us = Us1 ),
    intersect_vars(Vs, Ws, Us1).

diff_vars([], _, []).
diff_vars([V|Vs], Ws, Us) :-
    ( member_var(V, Ws) -> Us = Us1 ; Us = [V|Us1] ),
    diff_vars(Vs, Ws, Us1).
