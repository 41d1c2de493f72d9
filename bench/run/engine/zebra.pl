% Who owns the zebra.
main :- bench(3000).
bench(0) :- !.
bench(N) :- \+ \+ (houses(Hs), mem(house(_,_,zebra,_,_), Hs)), N1 is N-1, bench(N1).
houses(Hs) :-
    Hs = [house(norwegian,_,_,_,_),_,house(_,_,_,milk,_),_,_],
    mem(house(english,red,_,_,_), Hs),
    right_of(house(_,green,_,_,_), house(_,ivory,_,_,_), Hs),
    next_to(house(norwegian,_,_,_,_), house(_,blue,_,_,_), Hs),
    mem(house(_,yellow,_,_,kools), Hs),
    mem(house(spanish,_,dog,_,_), Hs),
    mem(house(_,green,_,coffee,_), Hs),
    mem(house(ukrainian,_,_,tea,_), Hs),
    mem(house(_,_,snails,_,winston), Hs),
    next_to(house(_,_,_,_,chesterfield), house(_,_,fox,_,_), Hs),
    next_to(house(_,_,_,_,kools), house(_,_,horse,_,_), Hs),
    mem(house(_,_,_,juice,lucky), Hs),
    mem(house(japanese,_,_,_,parliament), Hs).
right_of(A, B, [B,A,_,_,_]).
right_of(A, B, [_,B,A,_,_]).
right_of(A, B, [_,_,B,A,_]).
right_of(A, B, [_,_,_,B,A]).
next_to(A, B, L) :- right_of(A, B, L).
next_to(A, B, L) :- right_of(B, A, L).
mem(X, [X|_]).
mem(X, [_|T]) :- mem(X, T).
