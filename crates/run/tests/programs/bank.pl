% A small "application": records in a database, transactions with rollback by exceptions, reports with aggregation and sorting.
:- dynamic account/3, log/2.
:- initialization(setup).
setup :- forall(member(N-O-B, [1-ann-100, 2-bob-50, 3-cy-0]), assertz(account(N, O, B))).
transfer(From, To, Amount) :-
    catch(transaction(( withdraw(From, Amount), deposit(To, Amount) )), Error, ( report(Error), fail )), !.
transaction(G) :- findall(account(A, B, C), account(A, B, C), Saved), catch(once(G), E, ( restore(Saved), throw(E) )).
restore(Saved) :- retractall(account(_, _, _)), forall(member(A, Saved), assertz(A)).
withdraw(N, A) :- ( retract(account(N, O, B)) -> true ; throw(no_account(N)) ), ( B < A -> throw(error(insufficient(O, B, A), withdraw/2)) ; B1 is B - A, assertz(account(N, O, B1)), note(withdraw(N, A)) ).
deposit(N, A) :- ( retract(account(N, O, B)) -> true ; throw(no_account(N)) ), B1 is B + A, assertz(account(N, O, B1)), note(deposit(N, A)).
note(X) :- flag(log_id, I, I + 1), assertz(log(I, X)).
report(error(insufficient(O, B, A), Where)) :- !, format("~w has only ~d, not ~d (~w)~n", [O, B, A, Where]).
report(E) :- format("failed: ~p~n", [E]).
:- multifile user:portray/1.
user:portray(no_account(N)) :- format("<no account ~w>", [N]).
balances :- findall(B-O, account(_, O, B), L), sort(1, @>=, L, S), forall(member(B-O, S), format("~w~`.t~15|~t~d~8+~n", [O, B])).
main :-
    balances, ( transfer(1, 2, 70) -> writeln(ok) ; writeln(failed) ), ( transfer(1, 3, 70) -> writeln(ok) ; writeln(failed) ), ( transfer(2, 9, 10) -> writeln(ok) ; writeln(failed) ), balances,
    aggregate_all(sum(B), account(_, _, B), Sum), aggregate_all(max(B, O), account(_, O, B), Max), aggregate_all(bag(O), account(_, O, _), Bag), aggregate_all(set(B), account(_, _, B), Set), aggregate_all(count, account(_, _, _), Cnt),
    print([Sum, Max, Bag, Set, Cnt]), nl, ( bagof(N-B, account(N, O2, B), L), print(O2-L), nl, fail ; true ), ( setof(B, N^O3^account(N, O3, B), L2) -> print(L2), nl ; true ),
    ( bagof(X, member(X, []), L3) -> print(L3) ; writeln(empty) ), findall(X, member(X, []), L4), print(L4), nl, forall(log(I, E), ( print(I-E), nl )),
    ( forall(account(_, _, B), B >= 0) -> writeln(consistent) ; writeln(inconsistent) ), nb_setval(total, 0), forall(account(_, _, B), ( nb_getval(total, T), T1 is T + B, nb_setval(total, T1) )), nb_getval(total, TT), print(TT), nl,
    sort(0, @>=, [3, 1, 2, 3], D), print(D), nl, sort(1, @<, [f(2, a), f(1, b), f(2, c)], K), print(K), nl, predsort([O4, A1, B1]>>( compare(O4, A1, B1) ), [c, a, b, a], Pr), print(Pr), nl, list_to_set([a, b, a], Ls), print(Ls), nl,
    sumlist([1, 2], S1), max_list([1, 3, 2], M1), min_list([4, 2], M2), last([1, 2, 3], La), msort([b, a, b], Ms), print([S1, M1, M2, La, Ms]), nl, exclude([X5]>>(X5 > 2), [1, 2, 3], Ex), partition([X6]>>(X6 < 2), [1, 2, 3], In, Out), print(Ex-In-Out), nl,
    foldl([X7, A7, B7]>>(B7 is A7 * X7), [1, 2, 3, 4], 1, Fa), print(Fa), nl, aggregate_all(count, member(_, [a, b]), Co), print(Co), nl, sumlist([], Z), print(Z), nl, nth1(Ix, [a, b, c], b), print(Ix), nl, select(b, [a, b, c], Se), print(Se), nl, subtract([1, 2, 3], [2], Su), intersection([1, 2], [2, 3], Ii), union([1], [1, 2], Un), print(Su-Ii-Un), nl,
    delete([a, b, a], a, De), exclude(==(a), [a, b], Ea), print(De-Ea), nl, sum_list([0.5, 1], Sf), print(Sf), nl, numlist(1, 5, Nl), sumlist(Nl, Ns), print(Ns), nl, pairs_keys_values(PKV, [a, b], [1, 2]), print(PKV), nl, max_member(Mm, [1, a, "s", f(x)]), print(Mm), nl, length(LL, 2), print(LL), nl, atomic_list_concat(Parts, ',', 'a,b,c'), print(Parts), nl, flatten([1, [2, [3, []]], 4], Fl), print(Fl), nl, sumlist([1], S9), print(S9), nl, permutation([1, 2, 3], Pe), print(Pe), nl, reverse([1, 2], Re), print(Re), nl, exclude([_]>>fail, [1], E9), print(E9), nl, aggregate_all(max(X8), member(X8, [1, 3, 2]), Mx), print(Mx), nl, sort([c-1, a-2, b-3, a-1], So), print(So), nl, string_codes(Sc, [104, 105]), print(Sc), nl, nb_current(total, Cu), print(Cu), nl, tab(2), print(end), nl.
