% Libraries: JSON, options of the command line, hash tables, strings, code types, terms over several lines.
:- use_module(library(http/json)).
:- use_module(library(optparse)).
:- use_module(library(hashtable)).
:- use_module(library(strings)).
:- use_module(library(ctypes)).
:- use_module(library(codesio)).
:- use_module(library(pprint)).
:- use_module(library(oset)).
:- use_module(library(ansi_term)).
:- use_module(library(intercept)).
:- use_module(library(utf8)).
:- use_module(library(ordsets)).

show(T) :- print(T), nl.
caught(G) :- catch(( G -> true ; show(no) ), error(E, _), show(E)).
read_json(Text) :- open_string(Text, S), json_read(S, T), show(T).

json :-
    Short = json([a = 1, b = [1, 2, "x"], c = json([d = null, e = @(true)])]),
    json_write(current_output, Short), nl,
    numlist(1, 25, L),
    json_write(current_output, json([list = L, nested = json([long_key_number_one = "a long string value that goes on",
                                                              long_key_number_two = "another long string value"])])), nl,
    json_write(current_output, json([a = json([b = json([c = [json([x = 1]), json([y = 2])]])])]), [width(0)]), nl,
    json_write(current_output, "tab\t\"quoted\" \\ \u0001"), nl,
    json_write(current_output, [json([]), [], @(null)]), nl,
    read_json("{\"x\": \"y\", \"n\": -1e3, \"l\": [true, false, null, 1.5], \"o\": {}}"),
    read_json(" [\"a\\u00e9\\n\"]"),
    caught(read_json("[1,")),
    caught(read_json("{\"a\" 1}")),
    atom_json_term('{"k": [1]}', T, []), show(T),
    atom_json_term(A, json([k = v]), []), show(A).

options :-
    Spec = [ [opt(verbose), type(boolean), default(false), shortflags([v]), longflags([verbose]), help('Be loud')],
             [opt(n), type(integer), default(3), shortflags([n]), longflags([number, num]), meta('N'), help(['Count', 'of things'])],
             [opt(mode), type(atom), default(scan), shortflags([m]), longflags([mode]), help('data mode')] ],
    opt_parse(Spec, ['-v', '--num=5', x, '-mfoo', y], O1, P1), show(O1-P1),
    opt_parse(Spec, ['--no-verbose', '-n', '7', a], O2, P2), show(O2-P2),
    opt_help(Spec, Help), write(Help).

tables :-
    ht_new(T), forall(fail, true),
    numlist(1, 50, L), put_all(L, T), ht_size(T, N), show(N),
    ht_get(T, 7, V), show(V), ht_del(T, 7, _), ( ht_get(T, 7, _) -> show(there) ; show(gone) ),
    ht_put(T, 8, new, none, Old), show(Old), ht_keys(T, Ks), length(Ks, K), show(K),
    ( ( ht_put(T, 99, x), fail ; true ), ht_get(T, 99, _) -> show(kept) ; show(undone) ).
put_all([], _).
put_all([X|Xs], T) :- Y is X * X, ht_put(T, X, Y), put_all(Xs, T).

texts :-
    string_lines("a\nb\n\n", Ls), show(Ls), string_lines(S, ["x", y, 3]), show(S),
    dedent_lines("  one\n    two\n\n  three\n", D, []), show(D),
    indent_lines("> ", "one\n\ntwo", I), show(I),
    findall(C, ( member(C, [0'a, 0'Z, 0'5, 0' , 0'_]), is_alpha(C) ), Cs), show(Cs),
    to_lower(0'A, Low), to_upper(0'a, Up), show(Low-Up), upper_lower(0'Q, Q), show(Q),
    format_to_codes("~w-~a", [f(x), b], Codes), atom_codes(At, Codes), show(At),
    read_term_from_codes(`foo(X, Y, X)`, RT, []), show(RT),
    phrase(utf8_codes([0'a, 0xe9, 0x20ac, 0x1f600]), Bytes), show(Bytes),
    phrase(utf8_codes(Back), Bytes), show(Back),
    ansi_format([bold, fg(red)], "plain ~w", [text]), nl.

layout :-
    print_term(f(x, "s", 'A b', [1, 2, 3]), []), nl,
    length(L, 12), maplist(=(some_long_atom_name), L),
    print_term(foo(bar, L, baz), []), nl,
    print_term(foo(aaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbb, g(cccccccccccccccccccccccc, [ddddddddddddddddd, eeeeeeeeeeeeeeee])), [right_margin(40)]), nl.

sets :-
    oset_union([a, c], [b], U), oset_diff(U, [c], D), oset_power([a, b], P), show(U-D-P),
    ord_intersection([a, b], [b, c], I, R), show(I-R).

signals :-
    intercept(( send_signal(x(1)), send_signal(x(2)) ), x(X), show(got(X))),
    intercept_all(X2, ( send_signal(y(1)), send_signal(y(2)) ), y(X2), L), show(L),
    caught(send_signal(z)).

main :- json, options, tables, texts, layout, sets, signals.
