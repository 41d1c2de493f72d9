% JSON to and from terms: objects are json([Key = Value, ...]), arrays lists, strings atoms or strings, and the constants
% @(true), @(false), @(null). Dicts are refused by name.

:- module(json, [json_read/2, json_read/3, json_write/2, json_write/3, atom_json_term/3, is_json_term/1, is_json_term/2,
                 json_read_dict/2, json_read_dict/3, json_write_dict/2, json_write_dict/3, atom_json_dict/3]).

:- use_module(library(error)).
:- use_module(library(lists)).
:- use_module(library(option)).

% -- reading: one value, and no more of the stream than it takes

json_read(Stream, Term) :- json_read(Stream, Term, []).
json_read(Stream, Term, Options) :-
    skip_blank(Stream, C),
    (   C == -1, option(end_of_file(Action), Options, error), Action \== error -> Term = Action
    ;   value(C, Stream, Options, T), Term = T ).

skip_blank(S, C) :-
    peek_code(S, C0),
    (   blank(C0) -> get_code(S, _), skip_blank(S, C)
    ;   C0 =:= 0'/ -> comment(S), skip_blank(S, C)
    ;   C = C0 ).
blank(0' ).
blank(9).
blank(10).
blank(13).
comment(S) :-
    get_code(S, _), get_code(S, C),
    (   C =:= 0'/ -> line_comment(S)
    ;   C =:= 0'* -> block_comment(S)
    ;   illegal(S) ).
line_comment(S) :- get_code(S, C), ( C =:= 10 -> true ; C =:= -1 -> true ; line_comment(S) ).
block_comment(S) :-
    get_code(S, C),
    (   C =:= -1 -> illegal(S)
    ;   C =:= 0'*, peek_code(S, 0'/) -> get_code(S, _)
    ;   block_comment(S) ).

illegal(S) :-
    ( catch(( line_count(S, L), line_position(S, P), character_count(S, N) ), _, fail) -> true ; L = 1, P = 0, N = 0 ),
    throw(error(syntax_error(json(illegal_json)), stream(S, L, P, N))).

value(0'", S, Options, T) :- !,
    get_code(S, _), string_codes_of(S, Cs),
    ( option(value_string_as_atom(false), Options) -> string_codes(T, Cs) ; atom_codes(T, Cs) ).
value(0'[, S, Options, T) :- !,
    get_code(S, _), skip_blank(S, C),
    ( C =:= 0'] -> get_code(S, _), T = [] ; elements(C, S, Options, T) ).
value(0'{, S, Options, json(Ps)) :- !,
    get_code(S, _), skip_blank(S, C),
    ( C =:= 0'} -> get_code(S, _), Ps = [] ; members(C, S, Options, Ps) ).
value(C, S, _, N) :- ( C =:= 0'- ; C >= 0'0, C =< 0'9 ), !, number_text(S, Cs), number_value(Cs, S, N).
value(C, S, Options, T) :- C >= 0'a, C =< 0'z, !, word(S, Cs), atom_codes(W, Cs), constant(W, S, Options, T).
value(_, S, _, _) :- illegal(S).

constant(true, _, Options, T) :- !, option(true(T), Options, @(true)).
constant(false, _, Options, T) :- !, option(false(T), Options, @(false)).
constant(null, _, Options, T) :- !, option(null(T), Options, @(null)).
constant(_, S, _, _) :- illegal(S).
word(S, [C|Cs]) :- peek_code(S, C), C >= 0'a, C =< 0'z, !, get_code(S, _), word(S, Cs).
word(_, []).

number_text(S, [C|Cs]) :- peek_code(S, C), number_code(C), !, get_code(S, _), number_text(S, Cs).
number_text(_, []).
number_code(C) :- C >= 0'0, C =< 0'9, !.
number_code(0'-).
number_code(0'+).
number_code(0'.).
number_code(0'e).
number_code(0'E).
% 1e3 is a float in JSON, and needs its point here.
number_value(Cs, S, N) :-
    (   \+ memberchk(0'., Cs), append(Whole, [E|Exponent], Cs), memberchk(E, [0'e, 0'E])
    ->  append(Whole, [0'., 0'0, E|Exponent], Text)
    ;   Text = Cs ),
    ( catch(number_codes(N0, Text), _, fail) -> N = N0 ; illegal(S) ).

elements(C, S, Options, [V|Vs]) :-
    value(C, S, Options, V),
    skip_blank(S, C1), get_code(S, _),
    (   C1 =:= 0', -> skip_blank(S, C2), elements(C2, S, Options, Vs)
    ;   C1 =:= 0'] -> Vs = []
    ;   illegal(S) ).
members(C, S, Options, [K = V|Ps]) :-
    ( C =:= 0'" -> get_code(S, _), string_codes_of(S, Cs), atom_codes(K, Cs) ; illegal(S) ),
    skip_blank(S, Colon), ( Colon =:= 0': -> get_code(S, _) ; illegal(S) ),
    skip_blank(S, C1), value(C1, S, Options, V),
    skip_blank(S, C2), get_code(S, _),
    (   C2 =:= 0', -> skip_blank(S, C3), members(C3, S, Options, Ps)
    ;   C2 =:= 0'} -> Ps = []
    ;   illegal(S) ).

string_codes_of(S, Cs) :-
    get_code(S, C),
    (   C =:= 0'" -> Cs = []
    ;   C =:= 0'\\ -> get_code(S, E), escape(E, S, X), Cs = [X|Cs1], string_codes_of(S, Cs1)
    ;   C =:= -1 -> illegal(S)
    ;   Cs = [C|Cs1], string_codes_of(S, Cs1) ).
escape(0'", _, 0'") :- !.
escape(0'\\, _, 0'\\) :- !.
escape(0'/, _, 0'/) :- !.
escape(0'b, _, 8) :- !.
escape(0'f, _, 12) :- !.
escape(0'n, _, 10) :- !.
escape(0'r, _, 13) :- !.
escape(0't, _, 9) :- !.
escape(0'u, S, C) :- !, four(S, C0), ( C0 >= 0xd800, C0 < 0xdc00 -> second_half(S, C0, C) ; C = C0 ).
escape(_, S, _) :- illegal(S).
second_half(S, High, C) :-
    (   get_code(S, 0'\\), get_code(S, 0'u), four(S, Low), Low >= 0xdc00, Low < 0xe000
    ->  C is 0x10000 + (High - 0xd800) << 10 + (Low - 0xdc00)
    ;   illegal(S) ).
four(S, C) :- four(4, S, 0, C).
four(0, _, C, C) :- !.
four(N, S, C0, C) :-
    get_code(S, D),
    ( code_type(D, xdigit(W)) -> C1 is C0 * 16 + W, N1 is N - 1, four(N1, S, C1, C) ; illegal(S) ).

% -- writing: on one line if it fits, else an element on each

json_write(Stream, Term) :- json_write(Stream, Term, []).
json_write(Stream, Term, Options) :-
    option(width(Width), Options, 72), option(step(Step), Options, 2), option(tab(Tab), Options, 8),
    line_position_of(Stream, Column),
    phrase(json_text(Term, form(Width, Step, Tab), Column, 0), Codes),
    string_codes(Text, Codes),
    write(Stream, Text).
line_position_of(S, C) :- ( catch(line_position(S, C0), _, fail) -> C = C0 ; C = 0 ).

json_text(Term, Form, Column, Indent) -->
    (   { Form = form(Width, _, _), one_line(Term, Codes), length(Codes, N), ( Width =:= 0 ; Column + N =< Width ) }
    ->  codes(Codes)
    ;   broken(Term, Form, Indent) ).

broken(json(Ps), Form, Indent) --> !,
    { inner(Form, Indent, In) }, "{", broken_members(Ps, Form, In), new_line(Form, Indent), "}".
broken([V|Vs], Form, Indent) --> !,
    { inner(Form, Indent, In) }, "[", broken_elements([V|Vs], Form, In), new_line(Form, Indent), "]".
broken(Term, _, _) --> { one_line(Term, Codes) }, codes(Codes).
inner(form(_, Step, _), Indent, In) :- In is Indent + Step.
broken_members([], _, _) --> [].
broken_members([P|Ps], Form, In) -->
    { pair(P, K, V), key_codes(K, KCs), gap(V, GCs), length(KCs, N), length(GCs, G), Column is In + N + 1 + G },
    new_line(Form, In), codes(KCs), ":", codes(GCs), json_text(V, Form, Column, In),
    ( { Ps == [] } -> [] ; "," ), broken_members(Ps, Form, In).
broken_elements([], _, _) --> [].
broken_elements([V|Vs], Form, In) -->
    new_line(Form, In), json_text(V, Form, In, In),
    ( { Vs == [] } -> [] ; "," ), broken_elements(Vs, Form, In).
new_line(form(_, _, Tab), Indent) --> "\n", { Tabs is Indent // Tab, Spaces is Indent mod Tab }, many(Tabs, 9), many(Spaces, 0' ).
many(0, _) --> !.
many(N, C) --> [C], { N1 is N - 1 }, many(N1, C).
codes([]) --> [].
codes([C|Cs]) --> [C], codes(Cs).

% Containers stand apart from what is before them.
gap(V, [0' ]) :- nonvar(V), ( V = json(_) ; V = [_|_] ; V == [] ), !.
gap(_, []).
key_codes(K, Cs) :- format(string(T), '~w', [K]), one_line_string(T, Cs).
pair(P, K, V) :- ( P = (K = V) -> true ; P = K - V -> true ; P = K:V -> true ; compound(P), P =.. [K, V] -> true ; type_error(json_pair, P) ).

one_line(T, Cs) :- phrase(line(T), Cs).
line(T) --> { var(T), !, instantiation_error(T) }.
line(json(Ps)) --> !, "{", line_members(Ps), "}".
line([]) --> !, "[]".
line([V|Vs]) --> !, "[", line_elements([V|Vs]), " ]".
line(N) --> { number(N), !, format(codes(Cs), '~w', [N]) }, codes(Cs).
line(@(C)) --> { memberchk(C, [true, false, null]), ! , atom_codes(C, Cs) }, codes(Cs).
line(T) --> { ( atom(T) ; string(T) ), !, one_line_string(T, Cs) }, codes(Cs).
line(T) --> { type_error(json_term, T) }.
line_members([]) --> [].
line_members([P|Ps]) -->
    { pair(P, K, V), key_codes(K, KCs), gap(V, GCs) },
    codes(KCs), ":", codes(GCs), line(V), ( { Ps == [] } -> [] ; ", " ), line_members(Ps).
line_elements([]) --> [].
line_elements([V|Vs]) --> { gap(V, GCs) }, codes(GCs), line(V), ( { Vs == [] } -> [] ; ", " ), line_elements(Vs).

one_line_string(T, [0'"|Cs]) :- atom_codes(T, Cs0), escaped(Cs0, Cs).
escaped([], [0'"]).
escaped([C|Cs], Es) :- escaped_code(C, Es, Es1), escaped(Cs, Es1).
escaped_code(0'", [0'\\, 0'"|T], T) :- !.
escaped_code(0'\\, [0'\\, 0'\\|T], T) :- !.
escaped_code(8, [0'\\, 0'b|T], T) :- !.
escaped_code(9, [0'\\, 0't|T], T) :- !.
escaped_code(10, [0'\\, 0'n|T], T) :- !.
escaped_code(12, [0'\\, 0'f|T], T) :- !.
escaped_code(13, [0'\\, 0'r|T], T) :- !.
escaped_code(C, Es, T) :- C < 32, !, format(codes(Es, T), '\\u~|~`0t~16r~4+', [C]).
escaped_code(C, [C|T], T).

% -- texts

atom_json_term(Atom, Term, Options) :-
    (   ground(Atom)
    ->  setup_call_cleanup(open_string(Atom, S), json_read(S, Term, Options), close(S))
    ;   select_option(as(Type), Options, Rest, atom),
        with_output_to(string(Text), ( current_output(Out), json_write(Out, Term, Rest) )),
        text_as(Type, Text, Atom) ).
text_as(atom, T, A) :- atom_string(A, T).
text_as(string, T, T).
text_as(codes, T, Cs) :- string_codes(T, Cs).
text_as(chars, T, Cs) :- string_chars(T, Cs).

is_json_term(T) :- is_json_term(T, []).
is_json_term(T, _) :- nonvar(T), json_term(T).
json_term(json(Ps)) :- !, is_list(Ps), all_pairs(Ps).
json_term(T) :- is_list(T), !, all_terms(T).
json_term(@(C)) :- !, memberchk(C, [true, false, null]).
json_term(T) :- ( number(T) ; atom(T) ; string(T) ), !.
all_pairs([]).
all_pairs([P|Ps]) :- nonvar(P), pair(P, K, V), atomic(K), is_json_term(V), all_pairs(Ps).
all_terms([]).
all_terms([T|Ts]) :- is_json_term(T), all_terms(Ts).

json_read_dict(_, _) :- no_dicts(json_read_dict/2).
json_read_dict(_, _, _) :- no_dicts(json_read_dict/3).
json_write_dict(S, T) :- json_write(S, T).
json_write_dict(S, T, Options) :- json_write(S, T, Options).
atom_json_dict(_, _, _) :- no_dicts(atom_json_dict/3).
no_dicts(N/A) :- format(atom(What), 'dicts (~w/~w)', [N, A]), throw(error(not_supported(What), _)).
