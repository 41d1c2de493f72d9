% Option lists: Name(Value) or Name=Value.

:- module(option,
          [ option/2, option/3, select_option/3, select_option/4,
            merge_options/3, meta_options/3
          ]).

:- meta_predicate meta_options(1,:,-).

% Options whose values are goals get the module they were written in.
meta_options(IsMeta, M:Options0, Options) :-
    qualify_options(Options0, IsMeta, M, Options).

qualify_options([], _, _, []).
qualify_options([O0|Os0], IsMeta, M, [O|Os]) :-
    (   option_parts(O0, Name, Value), call(IsMeta, Name), \+ ( nonvar(Value), Value = _:_ )
    ->  O =.. [Name, M:Value]
    ;   O = O0
    ),
    qualify_options(Os0, IsMeta, M, Os).

option_parts(Name=Value, Name, Value) :- !.
option_parts(O, Name, Value) :- compound(O), O =.. [Name, Value].

option(Opt, Options) :-
    functor(Opt, Name, 1),
    arg(1, Opt, Value),
    find_option(Options, Name, Value0),
    !,
    Value = Value0.

option(Opt, Options, Default) :-
    functor(Opt, Name, 1),
    arg(1, Opt, Value),
    (   find_option(Options, Name, Value0)
    ->  Value = Value0
    ;   Value = Default
    ).

find_option([H|T], Name, Value) :-
    (   option_term(H, Name, Value0)
    ->  Value = Value0
    ;   find_option(T, Name, Value)
    ).

option_term(Term, Name, Value) :-
    (   Term = (Name0=Value0)
    ->  Name0 == Name,
        Value = Value0
    ;   compound(Term),
        functor(Term, Name, 1),
        arg(1, Term, Value)
    ).

select_option(Opt, Options, Rest) :-
    functor(Opt, Name, 1),
    arg(1, Opt, Value),
    take_option(Options, Name, Value0, Rest0),
    !,
    Value = Value0,
    Rest = Rest0.

select_option(Opt, Options, Rest, Default) :-
    functor(Opt, Name, 1),
    arg(1, Opt, Value),
    (   take_option(Options, Name, Value0, Rest0)
    ->  Value = Value0,
        Rest = Rest0
    ;   Value = Default,
        Rest = Options
    ).

take_option([H|T], Name, Value, Rest) :-
    (   option_term(H, Name, Value0)
    ->  Value = Value0,
        Rest = T
    ;   Rest = [H|Rest1],
        take_option(T, Name, Value, Rest1)
    ).

% merge_options(+New, +Old, -Merged): New wins; the result is sorted by name.
merge_options(New, Old, Merged) :-
    canonical_options(New, NewPairs),
    canonical_options(Old, OldPairs),
    drop_overridden(OldPairs, NewPairs, Kept),
    append_pairs(NewPairs, Kept, Pairs),
    keysort(Pairs, Sorted),
    pairs_options(Sorted, Merged).

canonical_options([], []).
canonical_options([H|T], [(Name/Arity)-Option|R]) :-
    (   H = (N = V) -> Option =.. [N, V] ; Option = H ),
    functor(Option, Name, Arity),
    canonical_options(T, R).

drop_overridden([], _, []).
drop_overridden([N-V|T], New, R) :-
    (   has_key(New, N)
    ->  R = R1
    ;   R = [N-V|R1]
    ),
    drop_overridden(T, New, R1).

has_key([K-_|T], N) :-
    (   K == N -> true ; has_key(T, N) ).

append_pairs([], L, L).
append_pairs([H|T], L, [H|R]) :-
    append_pairs(T, L, R).

pairs_options([], []).
pairs_options([_-O|T], [O|R]) :-
    pairs_options(T, R).
