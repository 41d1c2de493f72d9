% Predicates of Quintus Prolog, as SWI-Prolog has them.

:- module(quintus,
          [ unix/1, genarg/3, on_exception/3, raise_exception/1, mode/1, no_style_check/1, otherwise/0, simple/1,
            current_stream/3, skip_line/0, skip_line/1, compile/1, atom_char/2, midstring/3, midstring/4 ]).

:- use_module(library(lists)).

:- meta_predicate on_exception(?, 0, 0), compile(:).

unix(system(Command)) :- shell(Command).
unix(shell(Command)) :- shell(Command).
unix(cd(Directory)) :- working_directory(_, Directory).
unix(cd) :- getenv('HOME', Home), working_directory(_, Home).
unix(argv(L)) :- current_prolog_flag(argv, L).
unix(getcwd(Directory)) :- working_directory(Directory, Directory).
unix(exit(Code)) :- halt(Code).

genarg(N, T, A) :- arg(N, T, A).
on_exception(Ball, G, Recovery) :- catch(G, Ball, Recovery).
raise_exception(Ball) :- throw(Ball).
mode(_).
no_style_check(What) :- style_check(-What).
otherwise.
simple(T) :- ( var(T) ; atomic(T) ), !.
current_stream(File, Mode, Stream) :-
    stream_property(Stream, mode(Mode)),
    ( stream_property(Stream, file_name(F)) -> File = F ; File = [] ).
skip_line :- skip(10).
skip_line(Stream) :- skip(Stream, 10).
compile(Files) :- consult(Files).
atom_char(Char, Code) :- char_code(Char, Code).
midstring(Whole, Mid, Rest) :- midstring(Whole, Mid, Rest, _).
midstring(Whole, Mid, Rest, Before) :-
    sub_atom(Whole, Before, _, After, Mid),
    sub_atom(Whole, 0, Before, _, Front), sub_atom(Whole, _, After, 0, Back),
    atom_concat(Front, Back, Rest).
