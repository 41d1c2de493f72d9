% Runs main/0 of the program it stands in front of and prints its CPU time in ms.
run_timed :-
    statistics(runtime, [T0|_]),
    ( main -> true ; write(failed), nl ),
    statistics(runtime, [T1|_]),
    T is T1-T0,
    write(ms(T)), nl.
