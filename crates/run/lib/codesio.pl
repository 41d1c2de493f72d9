% Reading from and writing to lists of character codes.

:- module(codesio, [format_to_codes/3, format_to_codes/4, write_to_codes/2, write_to_codes/3, write_term_to_codes/3,
                    write_term_to_codes/4, read_from_codes/2, read_term_from_codes/3, open_codes_stream/2,
                    with_output_to_codes/2, with_output_to_codes/3, with_output_to_codes/4]).

:- use_module(library(lists)).

:- meta_predicate with_output_to_codes(0, ?), with_output_to_codes(0, ?, ?), with_output_to_codes(0, ?, ?, ?).

format_to_codes(Format, Args, Codes) :- format(codes(Codes), Format, Args).
format_to_codes(Format, Args, Codes, Tail) :- format(codes(Codes, Tail), Format, Args).
write_to_codes(T, Codes) :- format(codes(Codes), '~w', [T]).
write_to_codes(T, Codes, Tail) :- format(codes(Codes, Tail), '~w', [T]).
write_term_to_codes(T, Codes, Options) :- with_output_to(codes(Codes), write_term(T, Options)).
write_term_to_codes(T, Codes, Tail, Options) :- with_output_to(codes(Codes, Tail), write_term(T, Options)).
read_from_codes(Codes, T) :- read_term_from_codes(Codes, T, []).
read_term_from_codes(Codes, T, Options) :-
    open_codes_stream(Codes, S), call_cleanup(read_term(S, T0, Options), close(S)), T = T0.
open_codes_stream(Codes, Stream) :- text_to_string(Codes, Text), open_string(Text, Stream).
with_output_to_codes(G, Codes) :- with_output_to(codes(Codes), G).
with_output_to_codes(G, Codes, Tail) :- with_output_to(codes(Codes, Tail), G).
with_output_to_codes(G, Stream, Codes, Tail) :- with_output_to(codes(Codes, Tail), ( current_output(Stream), call(G) )).
