life(Cells, Next) :- findall(X/Y, (cand(Cells, X/Y), alive(X/Y, Cells)), L), sort(L, Next).
cand(Cells, X/Y) :- member(A/B, Cells), between(-1,1,DX), between(-1,1,DY), X is A+DX, Y is B+DY.
alive(C, Cells) :- C = X/Y, aggregate_all(count, (between(-1,1,DX), between(-1,1,DY), (DX,DY) \== (0,0), A is X+DX, B is Y+DY, memberchk(A/B, Cells)), N), ( N =:= 3 -> true ; N =:= 2, memberchk(C, Cells) ).
show(Cells) :- forall(between(0,4,Y), ( forall(between(0,4,X), ( memberchk(X/Y, Cells) -> put_char(#) ; put_char('.') )), nl )).
main :- G0 = [1/0,2/1,0/2,1/2,2/2], show(G0), nl, life(G0, G1), life(G1, G2), life(G2, G3), life(G3, G4), show(G4), writeq(G4), nl.
