% What portray_clause/1 and listing/1 write.
:- dynamic fact/1, rule/1.
fact(a).
rule(X) :- fact(X), \+ ( fact(Y), Y @> X ).

main :-
    portray_clause((a :- \+ (b, c))),
    portray_clause((a :- \+ (b ; c), d)),
    portray_clause((a :- (b, c), d)),
    portray_clause((a :- forall(member(X, [1]), (b(X), c)))),
    portray_clause((a :- findall(X, (b(X), c), L), d(L))),
    portray_clause((a :- ((b ; c) ; d))),
    portray_clause((a :- ((b ; c) -> d ; e))),
    portray_clause((a :- (b -> c), d)),
    portray_clause((a :- once((b ; c)), d)),
    portray_clause((a :- catch((b, c), E, (print(E), fail)))),
    portray_clause((:- a, b)),
    portray_clause((a, g => b, c)),
    portray_clause((a :- \+ \+ b, \+ c)),
    portray_clause((a :- maplist([Z]>>(b(Z), c), _))),
    listing([fact/1, rule/1]).
