% Reified conditions.

:- module(reif, [if_/3, (=)/3, (',')/3, (;)/3, cond_t/3, dif/3, memberd_t/3, tfilter/3, tmember/2, tmember_t/3, tpartition/4]).

:- meta_predicate if_(1,0,0), cond_t(1,0,?), tfilter(2,?,?), tpartition(2,?,?,?), ','(1,1,?), ;(1,1,?), tmember(2,?),
    tmember_t(2,?,?).

if_(If, Then, Else) :-
    call(If, T),
    (   T == true -> call(Then)
    ;   T == false -> call(Else)
    ;   nonvar(T) -> throw(error(type_error(boolean, T), _))
    ;   throw(error(instantiation_error, _)) ).

=(X, Y, T) :-
    (   X == Y -> T = true
    ;   X \= Y -> T = false
    ;   T = true, X = Y
    ;   T = false, dif(X, Y) ).
dif(X, Y, T) :- =(X, Y, NT), not_t(NT, T).
not_t(true, false).
not_t(false, true).
','(A, B, T) :- if_(A, call(B, T), T = false).
;(A, B, T) :- if_(A, T = true, call(B, T)).
cond_t(If, Then, T) :- if_(If, ( call(Then), T = true ), T = false).
memberd_t(_, [], false).
memberd_t(E, [X|Xs], T) :- if_(E = X, T = true, memberd_t(E, Xs, T)).
tfilter(C, Es, Fs) :- tfilter_(Es, C, Fs).
tfilter_([], _, []).
tfilter_([E|Es], C, Fs0) :- if_(call(C, E), Fs0 = [E|Fs], Fs0 = Fs), tfilter_(Es, C, Fs).
tpartition(C, Xs, Ts, Fs) :- tpartition_(Xs, C, Ts, Fs).
tpartition_([], _, [], []).
tpartition_([X|Xs], C, Ts0, Fs0) :-
    if_(call(C, X), ( Ts0 = [X|Ts], Fs0 = Fs ), ( Fs0 = [X|Fs], Ts0 = Ts )),
    tpartition_(Xs, C, Ts, Fs).
tmember(P, [X|Xs]) :- if_(call(P, X), true, tmember(P, Xs)).
tmember_t(P, [X|Xs], T) :- if_(call(P, X), T = true, tmember_t(P, Xs, T)).
tmember_t(_, [], false).
