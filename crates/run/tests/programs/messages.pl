% Texts of a program's own messages, a hook that takes messages over, writef/2.
:- multifile prolog:message//1, user:message_hook/3.
:- dynamic user:message_hook/3.
prolog:message(insufficient(Who, Sum)) --> ['~w has not enough for ~w'-[Who, Sum]].
prolog:message(two_lines(A)) --> ['first ~w'-[A], nl, 'second'].
user:message_hook(Term, Kind, Lines) :-
    Kind \== silent, shown(Term), print(Kind), nl, print_message_lines(user_output, '> ', Lines).
shown(insufficient(_, _)).
shown(two_lines(_)).
shown(format(_, _)).
transfer(Who, Sum) :- throw(insufficient(Who, Sum)).
main :-
    catch(transfer(ann, 1000), E, print_message(error, E)),
    print_message(warning, two_lines(x)),
    print_message(informational, format("said ~w of ~w", [one, two])),
    print_message(silent, two_lines(y)),
    writef('%w and %w\n', [a, b(c)]), writef('plain\\n').
