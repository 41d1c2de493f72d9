% Directories and paths beyond the builtins.

:- module(filesex, [directory_member/3, make_directory_path/1, ensure_directory/1, copy_file/2, copy_directory/2,
                    delete_directory_and_contents/1, delete_directory_contents/1, relative_file_name/3, link_file/3,
                    chmod/2, set_time_file/3]).

:- use_module(library(lists)).

make_directory_path(Path0) :-
    absolute_file_name(Path0, Path),
    make_path(Path).
make_path(Path) :- exists_directory(Path), !.
make_path(Path) :-
    file_directory_name(Path, Parent),
    ( Parent \== Path -> make_path(Parent) ; true ),
    make_directory(Path).
ensure_directory(Path) :- ( exists_directory(Path) -> true ; make_directory(Path) ).

copy_file(From, To0) :-
    ( exists_directory(To0) -> file_base_name(From, Base), join(To0, Base, To) ; To = To0 ),
    setup_call_cleanup(open(From, read, In, [type(binary)]),
                       setup_call_cleanup(open(To, write, Out, [type(binary)]), copy_bytes(In, Out), close(Out)),
                       close(In)).
copy_bytes(In, Out) :- get_byte(In, B), ( B =:= -1 -> true ; put_byte(Out, B), copy_bytes(In, Out) ).
copy_directory(From, To) :-
    ensure_directory(To),
    entries(From, Names),
    forall(( member(N, Names), join(From, N, F), join(To, N, T) ),
           ( exists_directory(F) -> copy_directory(F, T) ; copy_file(F, T) )).

delete_directory_and_contents(Dir) :- delete_directory_contents(Dir), delete_directory(Dir).
delete_directory_contents(Dir) :-
    entries(Dir, Names),
    forall(( member(N, Names), join(Dir, N, P) ),
           ( exists_directory(P) -> delete_directory_and_contents(P) ; delete_file(P) )).

entries(Dir, Names) :- directory_files(Dir, All), msort(All, Sorted), subtract(Sorted, ['.', '..'], Names).
join(Dir, Name, Path) :- ( Dir == '.' -> Path = Name ; directory_file_path(Dir, Name, Path) ).

% directory_member(Directory, Member, Options): extensions(List), file_type(Type), recursive(Bool), matches(Pattern),
% exclude(Pattern), exclude_directory(Pattern).
directory_member(Dir, Member, Options) :-
    entries(Dir, Names),
    member(Name, Names),
    join(Dir, Name, Path),
    (   exists_directory(Path)
    ->  (   wanted_directory(Name, Path, Options), Member = Path
        ;   memberchk(recursive(true), Options),
            \+ ( member(exclude_directory(P), Options), wildcard_match(P, Name) ),
            directory_member(Path, Member, Options) )
    ;   wanted_file(Name, Path, Options), Member = Path ).
wanted_directory(Name, _, Options) :-
    ( member(file_type(T), Options) -> T == directory ; \+ member(extensions(_), Options) ),
    matching(Name, Options).
wanted_file(Name, _, Options) :-
    ( member(file_type(T), Options) -> of_type(T, Name) ; true ),
    ( member(extensions(Es), Options) -> file_name_extension(_, E, Name), memberchk(E, Es) ; true ),
    matching(Name, Options).
of_type(prolog, Name) :- !, file_name_extension(_, E, Name), memberchk(E, [pl, prolog, plt]).
of_type(T, _) :- memberchk(T, [txt, regular]).
matching(Name, Options) :-
    ( member(matches(P), Options) -> wildcard_match(P, Name) ; true ),
    \+ ( member(exclude(P), Options), wildcard_match(P, Name) ).

% relative_file_name(Path, From, Relative): Path as seen from the directory of the file From, or back.
relative_file_name(Path, From, Relative) :-
    nonvar(Path), !,
    absolute_file_name(Path, P), absolute_file_name(From, F),
    atomic_list_concat(Ps, /, P), atomic_list_concat(Fs, /, F),
    without_common(Ps, Fs, Ps1, Fs1),
    length(Fs1, N0), N is max(0, N0 - 1),
    length(Ups, N), same(Ups),
    append(Ups, Ps1, Parts),
    atomic_list_concat(Parts, /, Relative).
relative_file_name(Path, From, Relative) :-
    ( is_absolute_file_name(Relative) -> Path = Relative
    ; absolute_file_name(From, F), file_directory_name(F, Dir), directory_file_path(Dir, Relative, P0), absolute_file_name(P0, Path) ).
without_common([A|Ps], [A|Fs], Ps1, Fs1) :- Ps \== [], Fs \== [], !, without_common(Ps, Fs, Ps1, Fs1).
without_common(Ps, Fs, Ps, Fs).
same([]).
same(['..'|T]) :- same(T).

link_file(_, _, _) :- throw(error(not_supported('links (link_file/3)'), _)).
chmod(_, _) :- throw(error(not_supported('file modes (chmod/2)'), _)).
set_time_file(_, _, _) :- throw(error(not_supported('file times (set_time_file/3)'), _)).
