% Comma-separated values: rows are terms row(Field, ...).
%
% Fields are numbers where they look like one, atoms otherwise. Options: separator(Code), functor(Name), arity(N),
% match_arity(Bool), convert(Bool), strip(Bool), case(down|preserve|up), ignore_quotes(Bool), skip_header(Char).

:- module(csv,
          [ csv//1, csv//2, csv_read_file/2, csv_read_file/3, csv_read_stream/3, csv_read_file_row/3,
            csv_write_file/2, csv_write_file/3, csv_write_stream/3, csv_read_row/3, csv_options/2 ]).

:- use_module(library(lists)).
:- use_module(library(option)).
:- use_module(library(error)).
:- use_module(library(readutil)).

csv(Rows) --> csv(Rows, []).

% Reads a bound list of codes; writes the rows when the text is still to be made.
csv(Rows, Options0, Text, Rest) :-
    csv_options(Options, Options0),
    (   nonvar(Text)
    ->  skip_header(Options, Text, Body),
        read_rows(Body, Rest, Options, _, Rows)
    ;   must_be(list, Rows),
        write_rows(Rows, Options, Text, Rest)
    ).

csv_options(csv(Separator, Functor, Arity, Match, Convert, Strip, Case, Quotes, Header), Options) :-
    option(separator(Separator0), Options, 0',),
    code_of(Separator0, Separator),
    option(functor(Functor), Options, row),
    ( option(arity(Arity), Options) -> true ; true ),
    option(match_arity(Match), Options, true),
    option(convert(Convert), Options, true),
    option(strip(Strip), Options, false),
    option(case(Case), Options, preserve),
    option(ignore_quotes(Quotes), Options, false),
    ( option(skip_header(Header0), Options) -> code_of(Header0, Header) ; Header = none ).

code_of(X, Code) :- ( integer(X) -> Code = X ; atom_codes(X, [Code]) ).

skip_header(csv(_, _, _, _, _, _, _, _, Header), Text, Body) :-
    (   integer(Header), Text = [Header|_]
    ->  after_line(Text, Text1),
        skip_header(csv(_, _, _, _, _, _, _, _, Header), Text1, Body)
    ;   Body = Text
    ).

after_line([], []).
after_line([C|T], Rest) :- ( C =:= 0'\n -> Rest = T ; after_line(T, Rest) ).

read_rows([], [], _, _, Rows) :- !, Rows = [].
read_rows(Text, Rest, Options, Arity, [Row|Rows]) :-
    one_row(Text, Text1, Options, Arity, Row),
    read_rows(Text1, Rest, Options, Arity, Rows).

one_row(Text, Rest, Options, Found, Row) :-
    Options = csv(_, Functor, Arity, Match, _, _, _, _, _),
    fields(Text, Rest, Options, Fields),
    length(Fields, N),
    (   Match == true
    ->  ( var(Arity) -> Arity = N ; true ),
        ( Arity =:= N -> Found = N ; domain_error(row_arity(Arity), N) )
    ;   true
    ),
    Row =.. [Functor|Fields].

fields(Text, Rest, Options, [Field|Fields]) :-
    Options = csv(Separator, _, _, _, _, _, _, _, _),
    field(Text, Text1, Options, Field),
    (   Text1 = [Separator|Text2]
    ->  fields(Text2, Rest, Options, Fields)
    ;   Fields = [],
        end_of_row(Text1, Rest)
    ).

end_of_row([], []).
end_of_row([0'\r, 0'\n|Rest], Rest) :- !.
end_of_row([0'\n|Rest], Rest) :- !.
end_of_row([0'\r|Rest], Rest).

field(Text, Rest, Options, Value) :-
    Options = csv(Separator, _, _, _, Convert, Strip, Case, Quotes, _),
    (   Quotes == false, Text = [0'"|Text1]
    ->  in_quotes(Text1, Codes, Rest),
        value(Codes, Convert, Case, Value)
    ;   plain(Text, Separator, Codes0, Rest),
        ( Strip == true -> stripped(Codes0, Codes) ; Codes = Codes0 ),
        value(Codes, Convert, Case, Value)
    ).

in_quotes([], _, _) :- syntax_error(end_of_file_in_quoted_csv_field).
in_quotes([C|T], Codes, Rest) :-
    (   C =\= 0'" -> Codes = [C|Codes1], in_quotes(T, Codes1, Rest)
    ;   T = [0'"|T1] -> Codes = [0'"|Codes1], in_quotes(T1, Codes1, Rest)
    ;   Codes = [], Rest = T
    ).

plain([], _, [], []).
plain([C|T], Separator, Codes, Rest) :-
    (   ( C =:= Separator ; C =:= 0'\n ; C =:= 0'\r, ( T == [] ; T = [0'\n|_] ) )
    ->  Codes = [], Rest = [C|T]
    ;   Codes = [C|Codes1], plain(T, Separator, Codes1, Rest)
    ).

skip_blanks([C|T], Rest) :- ( C =:= 0'\s ; C =:= 0'\t ), !, skip_blanks(T, Rest).
skip_blanks(Rest, Rest).

stripped(Codes0, Codes) :-
    skip_blanks(Codes0, Codes1),
    reverse(Codes1, Reversed0),
    skip_blanks(Reversed0, Reversed),
    reverse(Reversed, Codes).

value(Codes, Convert, Case, Value) :-
    atom_codes(Atom, Codes),
    (   Convert == true, Codes = [C|_], C > 0'\s, catch(atom_number(Atom, Number), _, fail)
    ->  Value = Number
    ;   Case == down -> downcase_atom(Atom, Value)
    ;   Case == up -> upcase_atom(Atom, Value)
    ;   Value = Atom
    ).

csv_read_file(File, Rows) :- csv_read_file(File, Rows, []).
csv_read_file(File, Rows, Options0) :-
    separator_of_file(File, Options0, Options),
    read_file_to_codes(File, Codes, []),
    csv(Rows, Options, Codes, []).

separator_of_file(File, Options, All) :-
    (   \+ option(separator(_), Options), atom(File), atom_concat(_, '.tsv', File)
    ->  All = [separator(0'\t)|Options]
    ;   All = Options
    ).

csv_read_stream(Stream, Rows, Options) :-
    read_stream_to_codes(Stream, Codes),
    csv(Rows, Options, Codes, []).

csv_read_file_row(File, Row, Options) :-
    ( option(match_arity(_), Options) -> Given = Options ; Given = [match_arity(false)|Options] ),
    csv_read_file(File, Rows, Given),
    (   option(line(Line), Options)
    ->  nth1(Line, Rows, Row)
    ;   member(Row, Rows)
    ).

% A quoted field may go on in the next lines.
csv_read_row(Stream, Row, Options) :-
    read_line_to_codes(Stream, Line),
    (   Line == end_of_file
    ->  Row = end_of_file
    ;   whole_row(Stream, Line, Options, Codes),
        one_row(Codes, [], Options, _, Row)
    ).

whole_row(Stream, Line, Options, Codes) :-
    Options = csv(_, _, _, _, _, _, _, Quotes, _),
    (   Quotes == false, odd_quotes(Line)
    ->  read_line_to_codes(Stream, Next),
        ( Next == end_of_file -> syntax_error(end_of_file_in_quoted_csv_field) ; true ),
        append(Line, [0'\n|Next], Both),
        whole_row(Stream, Both, Options, Codes)
    ;   Codes = Line
    ).

odd_quotes(Codes) :- quotes(Codes, 0, N), N mod 2 =:= 1.
quotes([], N, N).
quotes([C|T], N0, N) :- ( C =:= 0'" -> N1 is N0 + 1 ; N1 = N0 ), quotes(T, N1, N).

csv_write_file(File, Rows) :- csv_write_file(File, Rows, []).
csv_write_file(File, Rows, Options0) :-
    separator_of_file(File, Options0, Options),
    setup_call_cleanup(open(File, write, Stream), csv_write_stream(Stream, Rows, Options), close(Stream)).

csv_write_stream(Stream, Rows, Options0) :-
    csv_options(Options, Options0),
    write_rows(Rows, Options, Codes, []),
    format(Stream, '~s', [Codes]).

write_rows([], _, Rest, Rest).
write_rows([Row|Rows], Options, Text, Rest) :-
    Row =.. [_|Fields],
    write_fields(Fields, Options, Text, [0'\r, 0'\n|Text1]),
    write_rows(Rows, Options, Text1, Rest).

write_fields([], _, Rest, Rest).
write_fields([F|Fs], Options, Text, Rest) :-
    Options = csv(Separator, _, _, _, _, _, _, _, _),
    write_field(F, Separator, Text, Text1),
    (   Fs == []
    ->  Text1 = Rest
    ;   Text1 = [Separator|Text2],
        write_fields(Fs, Options, Text2, Rest)
    ).

write_field(F, Separator, Text, Rest) :-
    must_be(atomic, F),
    format(codes(Codes), '~w', [F]),
    (   \+ number(F), member(C, Codes), needs_quotes(C, Separator)
    ->  Text = [0'"|Text1],
        doubled(Codes, Text1, [0'"|Rest])
    ;   append(Codes, Rest, Text)
    ).

needs_quotes(C, Separator) :- ( C =:= Separator ; C =:= 0'" ; C =:= 0'\n ; C =:= 0'\r ), !.

doubled([], Rest, Rest).
doubled([C|Cs], Text, Rest) :-
    ( C =:= 0'" -> Text = [C, C|Text1] ; Text = [C|Text1] ),
    doubled(Cs, Text1, Rest).
