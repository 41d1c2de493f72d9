% The basic properties of the assertion language as predicates. Checks of these
% properties do not come here: automata decide them. Programs may call them, and
% compatibility (::) does, so each has answers for unbound arguments.

:- module(basic_props,
          [ term/1, int/1, nnegint/1, flt/1, num/1, atm/1, struct/1, gnd/1,
            gndstr/1, constant/1, list/1, list/2, nlist/2, sequence/2,
            sequence_or_list/2, character_code/1, num_code/1, bytelist/1,
            predname/1, atm_or_atm_list/1, operator_specifier/1, cgoal/1,
            compat/1, compat/2, inst/1, inst/2, instance/1, free/1
          ]).

:- meta_predicate compat(0), inst(0), instance(0).

term(_).

int(X) :- var(X), !, any_integer(X).
int(X) :- integer(X).

any_integer(0).
any_integer(X) :- from(1, N), ( X = N ; X is -N ).

from(N, N).
from(N, M) :- N1 is N+1, from(N1, M).

nnegint(X) :- var(X), !, from(0, X).
nnegint(X) :- integer(X), X >= 0.

flt(X) :- var(X), !, any_integer(I), X is float(I).
flt(X) :- float(X).

num(X) :- var(X), !, any_integer(X).
num(X) :- number(X).

atm(X) :- var(X), !, X = a.
atm(X) :- atom(X).

struct(X) :- var(X), !, X = f(_).
struct(X) :- compound(X).

gnd(X) :- ground(X), !.
gnd(X) :- term_variables(X, Vs), all_atoms(Vs).

all_atoms([]).
all_atoms([a|Vs]) :- all_atoms(Vs).

gndstr(X) :- struct(X), gnd(X).

constant(X) :- var(X), !, X = a.
constant(X) :- atomic(X).

cgoal(X) :- var(X), !, X = true.
cgoal(X) :- callable(X).

free(X) :- var(X).

list([]).
list([_|T]) :- list(T).

% Both argument orders are in use: list(Type, List) and list(List, Type).
list(A, B) :-
    (   list_first(A, B) -> list_of(A, B) ; list_of(B, A) ).

list_first(A, _) :- nonvar(A), ( A = [_|_] ; A == [] ), !.
list_first(A, B) :- var(A), nonvar(B), B \= [_|_], B \== [].

list_of([], _).
list_of([H|T], Type) :-
    property(Type, H),
    list_of(T, Type).

property(Type, X) :-
    call(Type, X).

nlist(A, B) :-
    (   list_first(A, B) -> nlist_of(A, B) ; nlist_of(B, A) ).

nlist_of(X, Type) :- property(Type, X).
nlist_of([], _).
nlist_of([H|T], Type) :- nlist_of(H, Type), nlist_tail(T, Type).

nlist_tail([], _).
nlist_tail([H|T], Type) :- nlist_of(H, Type), nlist_tail(T, Type).

sequence(A, B) :-
    (   ( nonvar(A), A = (_,_) ; var(A) ) -> sequence_of(A, B) ; sequence_of(B, A) ).

sequence_of(X, Type) :- property(Type, X).
sequence_of((X,Y), Type) :- property(Type, X), sequence_of(Y, Type).

sequence_or_list(A, B) :- list(A, B).
sequence_or_list(A, B) :- sequence(A, B).

character_code(X) :- var(X), !, X = 0'a.
character_code(X) :- integer(X), X >= 0, X =< 0x10ffff.

num_code(X) :- var(X), !, X = 0'0.
num_code(X) :- integer(X), atom_codes('0123456789+-.eE', Cs), code_in(Cs, X).

code_in([C|Cs], X) :- ( C =:= X -> true ; code_in(Cs, X) ).

bytelist([]).
bytelist([X|Xs]) :- byte(X), bytelist(Xs).

byte(X) :- var(X), !, X = 0.
byte(X) :- integer(X), X >= 0, X =< 255.

predname(P/A) :- atm(P), nnegint(A).

atm_or_atm_list(X) :- atm(X).
atm_or_atm_list(X) :- list_of(X, atm).

operator_specifier(fy).
operator_specifier(fx).
operator_specifier(yfx).
operator_specifier(xfy).
operator_specifier(xfx).
operator_specifier(yf).
operator_specifier(xf).

% compat(Prop): some instance satisfies it. inst(Prop): it holds without binding.
compat(Goal) :- \+ \+ call(Goal).
inst(Goal) :- '$rtc_holds'(Goal, Goal).

instance(Goal) :- inst(Goal).

compat(X, Type) :- compat(call(Type, X)).
inst(X, Type) :- inst(call(Type, X)).
