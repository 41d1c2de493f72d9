:- use_module(library(record)).
:- record point(x:integer=0, y:integer=0, label=none).
main :- default_point(P), point_x(P, X), writeq(P-X), nl, make_point([y(5)], P2), writeq(P2), nl, set_x_of_point(7, P2, P3), writeq(P3), nl, point_data(y, P3, Y), writeq(Y), nl, ( is_point(P3) -> writeln(yes) ; true ), make_point([z(1),x(2)], P4, R), writeq(P4-R), nl, catch(make_point([x(a)], _), error(E, _), (writeq(E), nl)), set_point_fields([x(10),label(hi)], P2, P5), writeq(P5), nl.
