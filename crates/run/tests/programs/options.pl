main :- option(a(X), [a(1),b(2)]), option(c(Y), [a(1)], def), writeq(X-Y), nl, select_option(b(Z), [a(1),b=2], R), writeq(Z-R), nl, merge_options([a(9)], [a(1),b(2)], M), writeq(M), nl, ( option(zz(_), [a(1)]) -> true ; writeln(none) ), dict_less, select_option(q(Q), [a(1)], R2, dflt), writeq(Q-R2), nl, option(v(V), [v]), writeq(V), nl.
dict_less.
