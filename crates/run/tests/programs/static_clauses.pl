% Meta-interpreters over static code: clause/2 shows the clauses of the program, listing/1 writes them with their names.
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
rev([], []).
rev([H|T], R) :- rev(T, RT), app(RT, [H], R).
max(X, Y, Z) :- ( X >= Y -> Z = X ; Z = Y ).
colour(red).
colour(green).
solve(true) :- !.
solve((A, B)) :- !, solve(A), solve(B).
solve(G) :- predicate_property(G, built_in), !, call(G).
solve(G) :- clause(G, B), solve(B).
depth(true, 0) :- !.
depth((A, B), D) :- !, depth(A, D1), depth(B, D2), D is max(D1, D2).
depth(G, D) :- clause(G, B), depth(B, D1), D is D1+1.
proof(true, true) :- !.
proof((A, B), (PA, PB)) :- !, proof(A, PA), proof(B, PB).
proof(G, G-P) :- clause(G, B), proof(B, P).
:- dynamic counted/2.
counted(Name, Number) :- Number > 1, colour(Name).
main :-
    solve(rev([1,2,3], R)), print(R), nl,
    findall(X-Y, solve(app(X, Y, [a,b])), L), print(L), nl,
    depth(rev([1,2,3], _), D), print(D), nl,
    proof(app([x], [y], _), P), print(P), nl,
    findall(C, clause(colour(C), true), Cs), print(Cs), nl,
    ( clause(max(_, _, _), (If -> _ ; _)), If = (_ >= _) -> print(conditional) ; true ), nl,
    ( clause(no_such(_), _) -> true ; print(none) ), nl,
    nth_clause(app(_, _, _), 2, Ref), clause(H, B, Ref), ( H-B = app([E|_], _, [F|_])-app(_, _, _), E == F -> print(second) ; true ), nl,
    predicate_property(app(_, _, _), number_of_clauses(N)), print(N), nl,
    ( predicate_property(app(_, _, _), dynamic) -> print(dynamic) ; print(static) ), nl,
    catch(retract((app([], _, _) :- true)), error(E1, _), ( print(E1), nl )),
    catch(assertz(app(x, x, x)), error(E2, _), ( print(E2), nl )),
    catch(clause(atom(_), _), error(E3, _), ( print(E3), nl )),
    listing(app/3), listing(max/3), listing(counted/2).
