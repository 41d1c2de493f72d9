% Whether and where terms occur in others.

:- module(occurs,
          [ contains_term/2, contains_var/2, free_of_term/2, free_of_var/2,
            sub_var/2, sub_term/2, occurrences_of_term/3, occurrences_of_var/3,
            sub_term_shared_variables/3
          ]).

contains_term(Sub, T) :- \+ free_of_term(Sub, T).

contains_var(V, T) :- \+ free_of_var(V, T).

free_of_term(Sub, T) :- \+ ( sub_term(X, T), \+ Sub \= X, subsumes_term(Sub, X) ).

free_of_var(V, T) :- \+ ( sub_term(X, T), X == V ).

sub_var(V, T) :- sub_term(X, T), X == V, !.

sub_term(X, T) :- system:sub_term(X, T).

occurrences_of_term(Sub, T, N) :- system:occurrences_of_term(Sub, T, N).

occurrences_of_var(V, T, N) :- system:occurrences_of_var(V, T, N).

sub_term_shared_variables(Sub, T, Vs) :- system:sub_term_shared_variables(Sub, T, Vs).
