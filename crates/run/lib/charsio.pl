% Reading from and writing to lists of character codes, under the names of Quintus Prolog: `chars` are codes here.

:- module(charsio, [format_to_chars/3, format_to_chars/4, write_to_chars/2, write_to_chars/3, atom_to_chars/2,
                    atom_to_chars/3, number_to_chars/2, number_to_chars/3, read_from_chars/2, read_term_from_chars/3,
                    open_chars_stream/2, with_output_to_chars/2, with_output_to_chars/3, with_output_to_chars/4]).

:- use_module(library(codesio)).
:- use_module(library(lists)).

:- meta_predicate with_output_to_chars(0, ?), with_output_to_chars(0, ?, ?), with_output_to_chars(0, ?, ?, ?).

format_to_chars(Format, Args, Codes) :- format(codes(Codes), Format, Args).
format_to_chars(Format, Args, Codes, Tail) :- format(codes(Codes, Tail), Format, Args).
write_to_chars(T, Codes) :- write_to_codes(T, Codes).
write_to_chars(T, Codes, Tail) :- write_to_codes(T, Codes, Tail).
atom_to_chars(A, Codes) :- atom_codes(A, Codes).
atom_to_chars(A, Codes, Tail) :- atom_codes(A, Cs), append(Cs, Tail, Codes).
number_to_chars(N, Codes) :- number_codes(N, Codes).
number_to_chars(N, Codes, Tail) :- number_codes(N, Cs), append(Cs, Tail, Codes).
read_from_chars(Codes, T) :- read_from_codes(Codes, T).
read_term_from_chars(Codes, T, Options) :- read_term_from_codes(Codes, T, Options).
open_chars_stream(Codes, Stream) :- open_codes_stream(Codes, Stream).
with_output_to_chars(G, Codes) :- with_output_to(codes(Codes), G).
with_output_to_chars(G, Codes, Tail) :- with_output_to(codes(Codes, Tail), G).
with_output_to_chars(G, Stream, Codes, Tail) :- with_output_to_codes(G, Stream, Codes, Tail).
