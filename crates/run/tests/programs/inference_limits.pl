% Limits on inferences: on every answer of a goal, inside each other, and on what comes after an inner one.
:- dynamic g/1.
g(1). g(2). g(3).
loop(0) :- !.
loop(N) :- M is N - 1, loop(M).
from(N, N).
from(N, X) :- M is N + 1, from(M, X).
f(X, L) :- call_with_inference_limit(g(X), L, _).
t(G, T) :- catch(( G -> print(T) ; print(no) ), E, print(raised(E))), nl.

main :-
    t(call_with_inference_limit(true, 0, R1), R1),
    t(call_with_inference_limit(throw(oops), 100, _), _),
    t(call_with_inference_limit(fail, 100, _), _),
    t(findall(R2-X2, call_with_inference_limit(g(X2), 100, R2), L2), L2),
    t(findall(R3-X3, ( call_with_inference_limit(g(X3), 100, R3), loop(1000) ), L3), L3),
    t(call_with_inference_limit(f(_, 10), 1000, R4), R4),
    t(call_with_inference_limit(( f(_, 1000), loop(1000) ), 200, R5), R5),
    t(call_with_inference_limit(( f(X6, 1000), loop(1000), X6 == 3 ), 200, R6), R6),
    t(findall(X7, ( call_with_inference_limit(f(X7, 1000), 2000, _), loop(10) ), L7), L7),
    t(( call_with_inference_limit(loop(1000), 100, R8), call_with_inference_limit(loop(10), 1000, S8) ), R8-S8),
    t(call_with_inference_limit(call_with_inference_limit(loop(1000), 100, R10), 5000, S10), R10-S10),
    t(( call_with_inference_limit(from(1, X11), 2000, R11), ( R11 == inference_limit_exceeded -> true ; X11 > 10000 ) ), R11),
    t(findall(R12, call_with_inference_limit(( ( N12 = 1 ; N12 = 5000 ; N12 = 1 ), loop(N12) ), 500, R12), L12), L12),
    t(findall(R13, ( between(1, 5, N13), call_with_inference_limit(g(2), N13, R13) ), L13), L13),
    t(findall(N14, ( between(1, 5, N14), call_with_inference_limit(fail, N14, _) ), L14), L14).
