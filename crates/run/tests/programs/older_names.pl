% Predicates of older systems, found without asking for their library.
main :-
    write_ln(a), checklist(atom, [a, b]), merge([1, 4], [2, 3], L), writeln(L),
    'C'([x, y], A, B), writeln(A-B), concat(a, 1, C), writeln(C),
    on_exception(E, throw(oops), ( write(caught(E)), nl )),
    genarg(N, f(p, q), q), writeln(N),
    ( simple(f(_)) -> writeln(yes) ; writeln(no) ), otherwise,
    free_variables(g(V, V, _), Vs), length(Vs, Len), writeln(Len),
    midstring(abcde, bc, R), writeln(R),
    unix(argv(Av)), ( is_list(Av) -> writeln(list) ; true ),
    proper_list([a]), catch(raise_exception(z), Z, writeln(Z)),
    upcase_atom('stet x9', U), writeln(U), downcase_atom('ÄBc', D), writeln(D).
