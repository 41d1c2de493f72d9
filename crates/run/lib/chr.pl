% Constraint handling rules, as in SWI-Prolog's library(chr): `:- chr_constraint c/1.` declares constraints, and the
% rules `Kept \ Removed <=> Guard | Body` and `Heads ==> Guard | Body` of the module are compiled when its file ends.

:- module(chr, [ (chr_constraint)/1, (chr_type)/1, chr_option/2, chr_show_store/1, find_chr_constraint/1,
                 current_chr_constraint/1, current_chr_constraint/2, chr_trace/0, chr_notrace/0, chr_leash/1,
                 op(1180, xfx, ==>), op(1180, xfx, <=>), op(1150, fx, constraints), op(1150, fx, chr_constraint),
                 op(1150, fx, handler), op(1150, fx, rules), op(1100, xfx, \), op(1200, xfx, @), op(1190, xfx, pragma),
                 op(500, yfx, #), op(1150, fx, chr_type), op(1150, fx, chr_declaration), op(1130, xfx, --->),
                 op(1150, fx, ?) ]).

:- use_module(library(error)).
:- use_module(library(lists)).
:- use_module(library(chr/runtime)).
:- use_module(library(chr/translate)).

:- meta_predicate chr_show_store(+).

:- dynamic declared/3.
:- dynamic collected/2.
:- dynamic compiled/3.

% declared(Module, Name, Arity) and collected(Module, Rule) while a file is loaded; compiled(Module, Number, Name/Arity).

% start(Module): the file being loaded uses the library.
start(M) :-
    retractall(declared(M, _, _)),
    retractall(collected(M, _)).

% expand(Term, Clauses): the translation of the terms of modules with rules.
expand(T, X) :- nonvar(T), '$source_module'(M), expand_in(T, M, X).

expand_in((:- D), M, []) :- nonvar(D), declaration(D, M), !.
expand_in(constraints(Cs), M, []) :- !, declare(Cs, M).
expand_in(handler(_), _, []) :- !.
expand_in(rules(_), _, []) :- !.
expand_in(option(_, _), _, []) :- !.
expand_in(chr_type(_), _, []) :- !.
expand_in(T, M, []) :- is_rule(T), !, assertz(collected(M, T)).
expand_in(end_of_file, M, Clauses) :-
    findall(N/A, declared(M, N, A), Cs),
    findall(R, collected(M, R), Rules),
    ( Cs == [], Rules == [] -> Code = [] ; compile(M, Cs, Rules, Code) ),
    start(M),
    retractall(user:'$package_expansion'(M, chr:expand)),
    append(Code, [end_of_file], Clauses).

declaration(chr_constraint(Cs), M) :- declare(Cs, M).
declaration(constraints(Cs), M) :- declare(Cs, M).
declaration(chr_declaration(_), _).
declaration(chr_type(_), _).
declaration(chr_option(_, _), _).

is_rule((_ <=> _)).
is_rule((_ ==> _)).
is_rule((_ @ R)) :- nonvar(R), is_rule(R).
is_rule(pragma(R, _)) :- nonvar(R), is_rule(R).

declare(Cs, _) :- var(Cs), !, instantiation_error(Cs).
declare((A, B), M) :- !, declare(A, M), declare(B, M).
declare([], _) :- !.
declare([A|B], M) :- !, declare(A, M), declare(B, M).
declare(C # _, M) :- !, declare(C, M).
declare(N/A, M) :- !, must_be(atom, N), must_be(nonneg, A), note(M, N, A).
declare(C, M) :- must_be(callable, C), functor(C, N, A), note(M, N, A).
note(M, N, A) :- ( declared(M, N, A) -> true ; assertz(declared(M, N, A)) ).

compile(M, Cs, Rules, Clauses) :-
    translate(M, Cs, Rules, Clauses),
    retractall(compiled(M, _, _)),
    forall(nth1(I, Cs, C), ( K is I + 1, assertz(compiled(M, K, C)) )).

chr_constraint(_) :- misplaced((chr_constraint)/1).
chr_type(_).
chr_option(_, _).
misplaced(PI) :- throw(error(context_error(nodirective, PI), _)).

% -- the store

current_chr_constraint(C) :- current_chr_constraint(_, C).
current_chr_constraint(M, C) :-
    compiled(M, K, N/A),
    functor(C, N, A),
    atom_concat('$chr ', M, Key),
    stored(Key, K, C).
find_chr_constraint(C) :- current_chr_constraint(_, C).

% stored_goals(Goals): all constraints, for answers at the top level.
stored_goals(Goals) :- findall(M-K, compiled(M, K, _), Ks), collect(Ks, Goals).
collect([], []).
collect([M-K|Ks], Goals) :- atom_concat('$chr ', M, Key), 'chr/runtime':stored_goals(Key, K, Goals, Rest), collect(Ks, Rest).

chr_show_store(M) :- forall(current_chr_constraint(M, C), ( print(C), nl )).

chr_trace :- '$refused'('the tracer of constraint handling rules (chr_trace/0)').
chr_notrace.
chr_leash(_).
