% Whether and where terms occur in others.

:- module(occurs,
          [ contains_term/2, contains_var/2, free_of_term/2, free_of_var/2,
            sub_var/2
          ]).

contains_term(Sub, T) :- \+ free_of_term(Sub, T).

contains_var(V, T) :- \+ free_of_var(V, T).

free_of_term(Sub, T) :- \+ ( sub_term(X, T), \+ Sub \= X, subsumes_term(Sub, X) ).

free_of_var(V, T) :- \+ ( sub_term(X, T), X == V ).

sub_var(V, T) :- sub_term(X, T), X == V, !.
