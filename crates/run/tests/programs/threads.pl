% Threads, message queues, mutexes and thread-local clauses.
:- thread_local tl/1.
:- dynamic res/1.
main :- thread_create(worker(5), Id), thread_join(Id, S), writeln(S),
  thread_create(fail, I2), thread_join(I2, S2), writeln(S2),
  thread_create(throw(x), I3), thread_join(I3, S3), writeln(S3),
  thread_create(thread_exit(bye), I4), thread_join(I4,S4), writeln(S4),
  message_queue_create(Q), message_queue_create(R),
  numlist(1,3,L), findall(T, (member(N,L), thread_create(consume(Q,R,N), T)), Ts),
  forall(between(1,10,I), thread_send_message(Q, job(I))), forall(member(_,L), thread_send_message(Q, stop)),
  maplist(thread_join, Ts, Ss), writeln(Ss),
  findall(X, (between(1,10,_), thread_get_message(R, done(X))), Xs0), msort(Xs0, Xs), writeln(Xs),
  message_queue_destroy(Q),
  catch(thread_send_message(Q, x), error(E,_), (functor(E,F,_), writeln(F))),
  thread_self(Me), writeln(Me), thread_send_message(main, hello), thread_get_message(hello), writeln(got),
  ( thread_get_message(main, nothing, [timeout(0.05)]) -> true ; writeln(timeout) ),
  thread_create(ping(10), Pi, [alias(ping)]), thread_create(pong, Po, [alias(pong)]), thread_join(Pi), thread_send_message(pong, stop), thread_join(Po), 
  mutex_create(M), findall(T, (between(1,4,_), thread_create(forall(between(1,100,_), with_mutex(M, inc)), T)), Tm), nb_setval(c,0), maplist(thread_join, Tm), aggregate_all(count, res(_), C), writeln(C),
  assertz(tl(main)), thread_create((assertz(tl(thread)), findall(X,tl(X),LX), thread_send_message(main, l(LX))), Tl), thread_join(Tl), thread_get_message(l(LX)), findall(X,tl(X),LM), writeln(LX-LM),
  first_solution(X9, [member(X9,[1,2])], []), writeln(X9),
  concurrent_maplist([A,B]>>(B is A*2), [1,2,3], D), writeln(D), concurrent(2, [X10=1, X11=2], []), writeln(X10-X11).
inc :- assertz(res(x)).
worker(N) :- N > 0.
consume(Q,R,N) :- thread_get_message(Q, M), ( M == stop -> true ; M = job(I), J is I*I, thread_send_message(R, done(J)), consume(Q,R,N) ).
ping(0) :- !. 
ping(N) :- thread_self(Me), until_pong, thread_send_message(pong, ping(Me)), thread_get_message(pong), N1 is N-1, ping(N1).
until_pong :- catch(thread_property(pong, status(_)), _, fail), !.
until_pong :- thread_wait_a_bit, until_pong.
thread_wait_a_bit :- ( thread_self(Me), thread_get_message(Me, never, [timeout(0.001)]) -> true ; true ).
pong :- thread_get_message(M), ( M = ping(From) -> thread_send_message(From, pong), pong ; writeln(pong_stop) ).
