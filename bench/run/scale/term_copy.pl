% Terms copied, compared, taken apart and put together.
main :- numlist(1, 200, L), T =.. [f|L], loop(5000, T).
loop(0, _) :- !.
loop(N, T) :- copy_term(T, U), U == T, functor(T, F, A), functor(V, F, A), V = T, term_variables(V, []), T =.. L, W =.. L, W == T,
    ground(W), compare(=, W, V), term_to_atom(N, _), N1 is N-1, loop(N1, T).
