% measure(Goal, Seconds, Blocks): the CPU time of one run of Goal in ms, as the
% least of several blocks of runs. A block is as many runs as take Seconds; each
% run is undone by failure, so that all start from the same memory.
measure(Goal, Seconds, Blocks) :-
    calibrate(1, Goal, Seconds, Times, T0),
    (   T0 > 10 * Seconds -> T = T0                 % long enough as it is
    ;   least(Blocks, Times, Goal, T0, T)
    ),
    Ms is 1000.0 * T / Times,
    write(ms(Ms)), nl.

calibrate(Times, Goal, Seconds, Enough, Last) :-
    block(Times, Goal, T),
    (   T >= Seconds -> Enough = Times, Last = T
    ;   T < Seconds / 8 -> More is Times * 8, calibrate(More, Goal, Seconds, Enough, Last)
    ;   More is Times * 2, calibrate(More, Goal, Seconds, Enough, Last)
    ).

least(0, _, _, T, T) :- !.
least(N, Times, Goal, T0, T) :-
    block(Times, Goal, T1),
    T2 is min(T0, T1),
    N1 is N - 1,
    least(N1, Times, Goal, T2, T).

block(Times, Goal, T) :-
    statistics(cputime, T0),
    (   between(1, Times, _), call(Goal), fail ; true ),
    statistics(cputime, T1),
    T is T1 - T0.
