% Engines: answers on demand, posts and yields, exceptions, many at a time.
main :- engine_create(X, member(X,[a,b,c]), E), engine_next(E,A), engine_next(E,B), writeln(A-B),
  engine_create(Y, (between(1,inf,Y)), E2), engine_next(E2,P), engine_next(E,C), engine_next(E2,Q), writeln(P-C-Q),
  ( engine_next(E,_) -> writeln(more) ; writeln(no) ),
  catch(engine_next(E,_), Err, (print_message(silent,Err), Err=error(F,_), F=..[N|_], writeln(N))),
  engine_destroy(E2),
  engine_create(S, sum(0,S), E3), engine_post(E3, 1, R1), engine_post(E3, 5, R2), engine_post(E3,10,R3), writeln([R1,R2,R3]),
  engine_create(_, (member(Z,[1,2]), engine_yield(got(Z)), fail), E4),
  engine_next(E4, G1), engine_next(E4, G2), writeln(G1/G2), ( engine_next(E4,_) -> true ; writeln(done) ),
  engine_create(_, throw(oops), E5), catch(engine_next(E5,_), O, (writeln(caught(O)))),
  engine_create(q, true, E6, [alias(foo)]), writeln(E6), engine_next(foo, W), writeln(W),
  engine_next_reified(foo, RR), writeln(RR),
  engine_create(V, catch(yielder(V), my, V=caught), E7), engine_next(E7, V1), writeln(V1), engine_next(E7,V2), writeln(V2),
  findall(K, (engine_create(K0, member(K0,[x,y]), EE), repeat, ( engine_next(EE,K) -> true ; !, fail)), Ks), writeln(Ks),
  numlist(1,200,NL), findall(En, (member(I,NL), engine_create(J, between(I,inf,J), En)), Ens),
  foldl([En1,S0,S1]>>(engine_next(En1,_), engine_next(En1,T), S1 is S0+T), Ens, 0, Sum), writeln(Sum), maplist(engine_destroy, Ens).
yielder(_) :- engine_yield(first), throw(my).
sum(S0, S) :- engine_fetch(T), S1 is S0+T, ( S = S1 ; sum(S1, S) ).
