% Reading and writing whole lines, streams and files as lists of codes, after Ciao.

:- module(stream_utils,
          [ get_line/1, get_line/2, write_string/1, write_string/2, file_terms/2, copy_stream/3, stream_to_string/2,
            stream_to_string/3, file_to_string/2, file_to_string/3, string_to_file/2, output_to_file/2, read_to_end/2 ]).

:- use_module(library(readutil)).

:- meta_predicate output_to_file(0, ?).

get_line(Line) :- current_input(S), get_line(S, Line).

get_line(S, Line) :- read_line_to_codes(S, Line).

write_string(Codes) :- current_output(S), write_string(S, Codes).

write_string(S, Codes) :- format(S, "~s", [Codes]).

% file_terms(+File, ?Terms): the terms of a file; a list is written to it.
file_terms(File, Terms) :- var(Terms), !,
    setup_call_cleanup(open(File, read, S), terms(S, Terms), close(S)).
file_terms(File, Terms) :-
    setup_call_cleanup(open(File, write, S), write_terms(Terms, S), close(S)).

terms(S, Terms) :-
    read(S, T),
    ( T == end_of_file -> Terms = [] ; Terms = [T|Ts], terms(S, Ts) ).

write_terms([], _).
write_terms([T|Ts], S) :- format(S, "~q.~n", [T]), write_terms(Ts, S).

% copy_stream(+In, +Out, -N): what is left of In, N bytes.
copy_stream(In, Out, N) :- copied(In, Out, 0, N).

copied(In, Out, N0, N) :-
    get_code(In, C),
    (   C =:= -1 -> N = N0
    ;   put_code(Out, C), N1 is N0 + 1, copied(In, Out, N1, N)
    ).

stream_to_string(S, String) :- stream_to_string(S, String, []).
stream_to_string(S, String, Tail) :- read_stream_to_codes(S, String, Tail), close(S).

read_to_end(S, String) :- read_stream_to_codes(S, String).

file_to_string(File, String) :- file_to_string(File, String, []).
file_to_string(File, String, Tail) :- open(File, read, S), stream_to_string(S, String, Tail).

string_to_file(String, File) :-
    setup_call_cleanup(open(File, write, S), write_string(S, String), close(S)).

output_to_file(Goal, File) :-
    current_output(Old),
    setup_call_cleanup(( open(File, write, S), set_output(S) ), once(Goal), ( set_output(Old), close(S) )).
