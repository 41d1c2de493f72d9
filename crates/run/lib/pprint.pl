% Terms over several lines: print_term/2 with the options output(Stream), right_margin(N), left_margin(N), indent_arguments,
% operators(Bool) and those of write_term/2.

:- module(pprint, [print_term/2]).

:- use_module(library(option)).

print_term(Term, Options) :-
    option(right_margin(Right), Options, 72),
    option(left_margin(Left0), Options, 0),
    ( option(output(Out), Options) -> true ; current_output(Out) ),
    ( Left0 == auto -> line_position(Out, Left) ; Left = Left0 ),
    write_options(Options, W),
    with_output_to(string(Text), pretty(Term, Left, 999, Left, ctx(Right, W))),
    write(Out, Text).
write_options(Options, W) :-
    ( option(write_options(W0), Options) -> W = [priority(999)|W0] ; W = [portray(true), numbervars(true), quoted(true)] ).

% pretty(Term, Column, Priority, Indent, Ctx)
pretty(T, Column, P, Indent, ctx(Right, W)) :-
    with_output_to(string(S), write_term(T, [priority(P)|W])),
    string_length(S, N),
    (   Column + N =< Right -> write(S)
    ;   broken(T, Indent, ctx(Right, W)) -> true
    ;   write(S) ).

broken([X|Xs], Indent, Ctx) :- is_list(Xs), !,
    In is Indent + 2,
    write('[ '), pretty(X, In, 999, In, Ctx), elements(Xs, In, Ctx),
    indent(Indent), write(']').
broken(T, Indent, Ctx) :- compound(T), functor(T, F, 2), current_op(P, Type, F), memberchk(Type, [xfx, xfy, yfx]), F \== (','), !,
    arg(1, T, L), arg(2, T, R),
    with_output_to(string(S), ( pretty(L, Indent, P, Indent, Ctx), format(' ~q ', [F]) )),
    write(S), string_length(S, N), Column is Indent + N,
    pretty(R, Column, P, Indent, Ctx).
broken(T, Indent, Ctx) :- compound(T), T \= {_}, !,
    T =.. [F, X|Xs],
    format(string(S), '~q(', [F]), write(S), string_length(S, N), In is Indent + N,
    pretty(X, In, 999, In, Ctx), elements(Xs, In, Ctx), write(')').
elements([], _, _).
elements([X|Xs], In, Ctx) :- write(','), indent(In), pretty(X, In, 999, In, Ctx), elements(Xs, In, Ctx).
indent(N) :- nl, Tabs is N // 8, Spaces is N mod 8, forall(between(1, Tabs, _), put_char('\t')), tab(Spaces).
