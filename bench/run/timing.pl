% measure(Goal, Seconds, Blocks): the CPU time of one run of Goal in ms, as the
% least of several blocks of runs. A block is as many runs as take Seconds; each
% run is undone by failure, so that all start from the same memory.
measure(Goal, Seconds, Blocks) :-
    calibrate(1, Goal, Seconds, Times),
    least(Blocks, Times, Goal, inf, T),
    Ms is 1000.0 * T / Times,
    write(ms(Ms)), nl.

calibrate(Times, Goal, Seconds, Enough) :-
    block(Times, Goal, T),
    (   T >= Seconds -> Enough = Times
    ;   T < Seconds / 8 -> More is Times * 8, calibrate(More, Goal, Seconds, Enough)
    ;   More is Times * 2, calibrate(More, Goal, Seconds, Enough)
    ).

least(0, _, _, T, T) :- !.
least(N, Times, Goal, T0, T) :-
    block(Times, Goal, T1),
    (   T0 == inf -> T2 = T1 ; T2 is min(T0, T1) ),
    N1 is N - 1,
    least(N1, Times, Goal, T2, T).

block(Times, Goal, T) :-
    statistics(cputime, T0),
    (   between(1, Times, _), call(Goal), fail ; true ),
    statistics(cputime, T1),
    T is T1 - T0.
