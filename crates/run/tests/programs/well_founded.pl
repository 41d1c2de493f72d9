% Negation through recursion: the well-founded model, with what is undefined in it, and what undefined answers depend on.
:- table p/0, q/0, r/0, s/0, win/1, even/1, loves/2, happy/1, shaved/2, alone/1, u/1, v/1.

% An even loop through negation leaves both sides undefined, an odd one itself; s follows in both cases of neither.
p :- tnot(q).
q :- tnot(p).
r :- tnot(r).
s :- p, tnot(r).
s :- tnot(alone(nobody)).

% A game on a graph with cycles: lost and won positions are known, draws are undefined.
win(X) :- move(X, Y), tnot(win(Y)).
move(a, b). move(b, a). move(b, c). move(c, d). move(e, f). move(f, e). move(g, e). move(g, d). move(h, g).

% Stratified negation is two-valued.
even(0).
even(N) :- N > 0, M is N - 1, tnot(even(M)).

% Positive loops without support are false, also below a negation.
loves(X, Y) :- loves(Y, X).
happy(X) :- person(X), tnot(loves(X, _)).
person(ann). person(bob).

shaved(barber, X) :- man(X), tnot(shaved(X, X)).
man(barber). man(mayor).
alone(X) :- man(X), tnot(shaved(_, X)).

u(X) :- member(X, [1, 2, 3]), tnot(v(X)).
v(1) :- tnot(u(1)).
v(2).
v(X) :- v(Y), X is Y + 10, X < 15.

truth(G) :- findall(G-T, ( call_delays(G, D), ( D == true -> T = true ; T = undefined ) ), L0), sort(L0, L), print(L), nl.
why(G) :- forall(call_delays(G, D), ( print(G-D), nl )).

main :-
    truth(p), truth(q), truth(r), truth(s), truth(win(_)), truth(even(6)), truth(even(7)), truth(happy(_)),
    truth(shaved(_, _)), truth(alone(_)), truth(u(_)), truth(v(_)),
    why(p), why(r), why(tnot(q)), why(undefined), why(not_exists(p)), why(not_exists(even(1))),
    ( tnot(p) -> writeln(possible) ; writeln(impossible) ),
    ( tnot(even(1)) -> writeln(so) ; writeln(not_so) ),
    findall(X, win(X), Ws), sort(Ws, Sorted), print(Sorted), nl,
    catch(tnot(move(_, _)), error(permission_error(A, B, _), _), ( print(A/B), nl )),
    call_residual_program(p, Program0), sort(Program0, Program), print(Program), nl,
    abolish_all_tables, truth(q).

% A call without variables ends with its first proof.
:- table proved/0, lost/1.
proved :- print(first), nl.
proved :- print(second), nl.
chain(s(0), s(s(0))).
chain(s(X), s(s(X))) :- chain(X, s(X)).
chain(s(X), 0) :- chain(X, 0).
lost(X) :- tnot(u(X)).
lost(X) :- chain(Y, X), tnot(lost(Y)).
:- initialization(( proved, proved, truth(lost(0)) )).
