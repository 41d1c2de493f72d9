% Reading lines, terms and whole files.

:- module(readutil,
          [ read_line_to_codes/2, read_line_to_codes/3, read_line_to_string/2,
            read_stream_to_codes/2, read_stream_to_codes/3,
            read_file_to_codes/3, read_file_to_string/3, read_file_to_terms/3,
            read_term_from_atom/3
          ]).

read_line_to_codes(Stream, Codes) :-
    get_code(Stream, C),
    (   C =:= -1
    ->  Codes = end_of_file
    ;   line_rest(C, Stream, Codes0),
        Codes = Codes0
    ).

line_rest(-1, _, []) :- !.
line_rest(0'\n, _, []) :- !.
line_rest(0'\r, Stream, Codes) :-
    peek_code(Stream, 0'\n), !,
    get_code(Stream, _),
    Codes = [].
line_rest(C, Stream, [C|T]) :-
    get_code(Stream, C1),
    line_rest(C1, Stream, T).

% The difference-list form keeps the newline; a last line without one, and the end of the file, end the list.
read_line_to_codes(Stream, Codes, Tail) :-
    get_code(Stream, C),
    line_keep(C, Stream, Codes, Tail).

line_keep(-1, _, Codes, Tail) :- !, Codes = [], Tail = [].
line_keep(0'\n, _, [0'\n|Tail], Tail) :- !.
line_keep(C, Stream, [C|T], Tail) :-
    get_code(Stream, C1),
    line_keep(C1, Stream, T, Tail).

read_line_to_string(Stream, String) :-
    read_line_to_codes(Stream, Codes),
    (   Codes == end_of_file
    ->  String = end_of_file
    ;   string_codes(String, Codes)
    ).

read_stream_to_codes(Stream, Codes) :-
    read_stream_to_codes(Stream, Codes, []).

read_stream_to_codes(Stream, Codes, Tail) :-
    get_code(Stream, C),
    stream_rest(C, Stream, Codes, Tail).

stream_rest(-1, _, Tail, Tail) :- !.
stream_rest(C, Stream, [C|T], Tail) :-
    get_code(Stream, C1),
    stream_rest(C1, Stream, T, Tail).

read_file_to_codes(File, Codes, _Options) :-
    open(File, read, Stream),
    catch(read_stream_to_codes(Stream, Codes), E, (close(Stream), throw(E))),
    close(Stream).

read_file_to_string(File, String, Options) :-
    read_file_to_codes(File, Codes, Options),
    string_codes(String, Codes).

read_file_to_terms(File, Terms, Options) :-
    open(File, read, Stream),
    catch(read_terms(Stream, Options, Terms), E, (close(Stream), throw(E))),
    close(Stream).

read_terms(Stream, Options, Terms) :-
    read_term(Stream, Term, Options),
    (   Term == end_of_file
    ->  Terms = []
    ;   Terms = [Term|Rest],
        read_terms(Stream, Options, Rest)
    ).

read_term_from_atom(Atom, Term, _Options) :-
    term_to_atom(Term, Atom).
