% catch/3, throw/1 and cleanup.
main :- loop(300000).
loop(0) :- !.
loop(N) :- catch(p(N), oops(M), M == N), setup_call_cleanup(true, true, true), N1 is N-1, loop(N1).
p(N) :- N mod 2 =:= 0, !.
p(N) :- throw(oops(N)).
