% Exceptions: what builtins throw, rethrow, cleanup order, nested catch, error messages of user errors.
:- use_module(library(error)).
show(G) :- catch(( G -> R = yes ; R = no ), E, ( E = error(F, _) -> R = F ; R = ball(E) )), print(R), nl.
main :-
    show(atom_length(_, _)), show(atom_length(abc, 3)), show(X is foo + 1), show(X is _ + 1), show(X is 1 / 0), show(X is 1 / 0.0),
    show(X is a), show(X is "a" + 0), show(arg(x, f(a), _)), show(arg(0, f(a), _)), show(functor(_, _, _)), show(functor(_, foo, -1)),
    show(functor(_, f(x), 1)), show(atom_codes(_, _)), show(atom_chars(_, [a|_])), show(atom_chars(_, [a, f(b)])), show(number_codes(_, "3x")),
    show(undefined_predicate_xyz), show(call(1)), show(call((foo, 1))), show((G = 3, call(G))), show(assertz((foo :- 4))), show(assertz(atom_length(a, b))),
    show(throw(my)), show(throw(_)), show(catch(throw(a), b, true)), show(must_be(integer, a)), show(must_be(integer, _)), show(must_be(positive_integer, 0)),
    show(must_be(list, [a|b])), show(must_be(boolean, 1)), show(must_be(oneof([a, b]), c)), show(must_be(between(1, 3), 5)), show(type_error(foo, bar)),
    show(domain_error(foo, bar)), show(existence_error(foo, bar)), show(permission_error(a, b, c)), show(resource_error(r)), show(number_vars(_, _, _)),
    show(open('/nonexistent/file', read, _)), show(see('/nonexistent/file')), show(nb_getval(no_such_key_here, _)),
    show(sub_atom(_, _, _, _, _)), show(copy_term(_, _)), show(number_vars), show(length(_, -1)), show(length(a, _)), show(length([a|b], _)),
    show(msort(a, _)), show(sort(0, foo, [], _)), show(keysort([a], _)), show(findall(_, _, _)), show(setof(_, foo:bar(_), _)), show(atomic_list_concat([a, _], _)),
    show(char_code(_, _)), show(number_chars(_, [])), show(X =.. [f(a), b]), show(_ =.. [1, 2]),
    show(setup_call_cleanup(true, throw(x), ( write(cleanup), nl ))), show(setup_call_cleanup(true, fail, ( write(cleanup), nl ))),
    show(setup_call_cleanup(true, member(_, [1, 2]), ( write(cleanup), nl ))),
    show(catch(setup_call_cleanup(true, throw(first), throw(second)), Ex, ( print(caught(Ex)), nl ))),
    show(catch(call_cleanup(true, throw(in_cleanup)), Ex2, ( print(caught(Ex2)), nl ))),
    show(forall(member(Z, [1, 2, a]), integer(Z))), show(string_code(0, "abc", _)), show(sub_string("abc", B, 1, 0, Sub)), print(B-Sub), nl,
    show(succ(_, 0)), show(succ(a, _)), show(succ(_, _)), show(plus(1, _, 3)), show(tab(-1)), show(tab(a)), show(nth0(a, [b], _)), show(number_codes(_, [])),
    show(assertz(_)), show(retract(x :- in_no_way)), show(abolish(foo/a)), show(atom_string(_, _)),
    show(read_term(user_input, _, foo)), show(close(not_a_stream)), show(op(1201, xfx, foo)), show(op(700, xxx, foo)), show(op(700, xfx, ',')),
    show(X is 2 ** -1), show(X is 2 ** 3.0), show(X is 7 mod 0), show(X is max(1, a)), show(X is 5 rdiv 0), show(X is sqrt(-1)),
    show(X is acos(2)), show(X is 1 << a), show(X is 1.0 << 2), show(tab(user_output, 1)), show(nl(foo)), show(catch(fail, _, true)).
