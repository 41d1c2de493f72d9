% Terms written and read again.
:- set_prolog_flag(double_quotes, string).
main :- loop(20000).
loop(0) :- !.
loop(N) :- T = f(N, [a, b, 'C d'|X], g(X, "text", N-1*2)), with_output_to(string(S), writeq(T)), term_to_atom(U, S), U = f(N, _, _), N1 is N-1, loop(N1).
