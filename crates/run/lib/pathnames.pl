% Names of files, after Ciao.

:- module(pathnames,
          [ path_is_absolute/1, path_is_relative/1, path_is_root/1, path_basename/2, path_dirname/2, path_split/3,
            path_concat/3, path_splitext/3, path_split_list/2 ]).

path_is_absolute(Path) :- sub_atom(Path, 0, 1, _, /).
path_is_relative(Path) :- \+ path_is_absolute(Path).
path_is_root(Path) :- atom_length(Path, N), N > 0, atom_codes(Path, Cs), slashes(Cs).

slashes([]).
slashes([0'/|Cs]) :- slashes(Cs).

path_basename(Path, Base) :- path_split(Path, _, Base).
path_dirname(Path, Dir) :- path_split(Path, Dir, _).

% path_split(+Path, -Dir, -Base): at the last slash; a directory keeps its slashes if it has nothing else.
path_split(Path, Dir, Base) :-
    (   last_slash(Path, At)
    ->  Behind is At + 1,
        sub_atom(Path, Behind, _, 0, Base),
        sub_atom(Path, 0, At, _, Dir0),
        without_slashes(Dir0, Dir1),
        ( Dir1 == '' -> sub_atom(Path, 0, Behind, _, Dir) ; Dir = Dir1 )
    ;   Dir = '', Base = Path
    ).

last_slash(Path, At) :- findall(B, sub_atom(Path, B, 1, _, /), Bs), Bs \== [], max_of(Bs, At).

max_of([X], X) :- !.
max_of([_|Xs], X) :- max_of(Xs, X).

without_slashes(A, B) :- ( sub_atom(A, Before, 1, 0, /) -> sub_atom(A, 0, Before, _, A1), without_slashes(A1, B) ; B = A ).

path_concat(A, B, C) :-
    (   path_is_absolute(B) -> C = B
    ;   A == '' -> C = B
    ;   sub_atom(A, _, 1, 0, /) -> atom_concat(A, B, C)
    ;   atomic_list_concat([A, /, B], C)
    ).

% path_splitext(+Path, -Name, -Extension): the extension begins with its full stop.
path_splitext(Path, Name, Ext) :-
    path_split(Path, _, Base),
    findall(B, ( sub_atom(Base, B, 1, _, '.'), B > 0 ), Bs),
    (   Bs == [] -> Name = Path, Ext = ''
    ;   max_of(Bs, At),
        sub_atom(Base, At, _, 0, Ext),
        atom_concat(Name, Ext, Path)
    ).

path_split_list(Path, Parts) :- atomic_list_concat(Parts0, /, Path), not_empty(Parts0, Parts1),
    ( path_is_absolute(Path) -> Parts = [/|Parts1] ; Parts = Parts1 ).

not_empty([], []).
not_empty([P|Ps], Qs) :- ( P == '' -> Qs = Qs1 ; Qs = [P|Qs1] ), not_empty(Ps, Qs1).
