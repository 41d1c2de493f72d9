% Writing to the terminal whatever the current output is, after Ciao.

:- module(ttyout, [ttynl/0, ttyput/1, ttydisplay/1, ttydisplayq/1, ttyskipeol/0, ttydisplay_string/1, ttyflush/0]).

ttynl :- nl(user_output), flush_output(user_output).
ttyput(C) :- put_code(user_output, C).
ttydisplay(X) :- write_term(user_output, X, [ignore_ops(true)]).
ttydisplayq(X) :- write_term(user_output, X, [ignore_ops(true), quoted(true)]).
ttydisplay_string(Codes) :- format(user_output, "~s", [Codes]).
ttyflush :- flush_output(user_output).
ttyskipeol :- repeat, get_code(user_input, C), ( C =:= 10 ; C =:= -1 ), !.
