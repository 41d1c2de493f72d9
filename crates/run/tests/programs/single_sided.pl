% Rules with => called by a directive of the file they are in, and rules that follow.
len([], N) => N = 0.
len([_|T], N) => len(T, N0), N is N0 + 1.

:- dynamic seen/1.
:- catch(len(a, _), error(E, _), assertz(seen(E))).

len(more, N) => N = many.

main :-
    forall(seen(E), ( numbervars(E, 0, _), print(E), nl )),
    len(more, M), print(M), nl,
    len([a, b], L), print(L), nl,
    ( catch(len(b, _), error(F, _), ( numbervars(F, 0, _), print(F), nl )) -> true ; writeln(failed) ),
    catch(len(_, _), error(existence_error(K, _), _), ( print(K), nl )).
