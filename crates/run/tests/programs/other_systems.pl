% Cases from other systems' test suites that once had other answers here.
:- use_module(library(assoc)).
:- use_module(library(record)).
:- use_module(library(settings)).
:- use_module(library(when)).
:- use_module(library(error)).

:- record point(x:integer = 0).
:- record shape(at:point, name:atom = none).
:- setting(port, integer, 5900 + env('NO_SUCH_DISPLAY', 7), 'Arithmetic over the environment').
:- meta_predicate qualified(:, -).
qualified(X, X).
:- meta_predicate goal_of(0, -).
goal_of(X, X).
e9(A, _, _, _, _, _, _, _, _) :- print(A), nl.
word --> [w].
:- det(size/2).
size([], N) => N = 0.
size([_], N) => N = 1.
size(L, N), is_list(L) => length(L, N).


show(T) :- print(T), nl.
error(G) :- catch(( G, show(none) ), error(E, _), show(E)).

main :-
    X = [[X|A]|B], term_variables(X, V1), ( V1 == [A, B] -> show(text_order) ; show(another) ),
    Y = f(g(Y, C), D, C, _), term_variables(Y, V2), ( V2 = [P, Q, _], P == C, Q == D -> show(text_order) ; show(another) ),
    call(e9, 1, 2, 3, 4, 5, 6, 7, 8, 9), G = e9(a), call(G, 2, 3, 4, 5, 6, 7, 8, 9),
    qualified(a:b:t, Q1), show(Q1), goal_of(a:b:c:t, Q2), show(Q2), qualified(user:1:t, Q3), show(Q3),
    Z = h(Z, _), when(nonvar(Z), show(hit)), when(( nonvar(N) ; nonvar(_) ), show(now)), N = Z,
    when(( ground(K) ; nonvar(L), nonvar(M) ), true), L = 1,
    copy_term(K+M, K+M, Gs), length(Gs, Count), show(Count),
    dif(k(R, S), k(1, 2)), R = 3, ( attvar(S) -> show(waits) ; show(decided) ),
    call_residue_vars(( dif(k(_, T), k(_, 1)), T = 2 ), Vs), show(Vs),
    M1 is max(1, nan), M2 is min(nan, 2), show(M1/M2), H is 5 >> (1 << 100), show(H),
    sort([1, 2], @>=, [f(g(a, 1)), f(g(b, 3)), f(g(c, 2))], Sorted), show(Sorted),
    ( current_predicate(word//0) -> show(grammar) ; show(no) ), ( current_predicate(none//0) -> show(yes) ; show(no) ),
    error(write_term(x, [variable_names(['1' = _])])), error(write_term(x, [variable_names([1 = _])])),
    error(set_stream(user_input, no_such(property))),
    assertz(elsewhere:fact(1), Ref), clause(Found, _, Ref), show(Found),
    call_cleanup(size([a, b, c], Size), Det = det), show(Size/Det),
    catch(size(a, _), error(existence_error(Kind, _), _), show(Kind)),
    open_string("ab\ncd", In), read_line_to_codes(In, L1, _), length(L1, Long), show(Long),
    read_line_to_codes(In, L2), atom_codes(Line, L2), read_line_to_codes(In, L3), show(Line/L3), read_line_to_codes(In, L4, Tail), show(L4-Tail),
    get_char(In, Past), show(Past), close(In),
    catch(assertion(1 == 2), error(assertion_error(Why, _), _), show(Why)),
    trees, engines,
    make_point([x(3)], Point), make_shape([at(Point)], Shape), ( is_shape(Shape) -> show(Shape) ; show(no) ),
    ( is_shape(shape(1, a)) -> show(yes) ; show(no) ), setting(port, Port), show(Port).

trees :-
    numlist(1, 7, Ns), findall(I-I, member(I, Ns), Ps), list_to_assoc(Ps, T0),
    put_assoc(8, T0, 8, T1), delete([4, 6, 2, 5], T1).
delete([], _).
delete([K|Ks], T0) :- del_assoc(K, T0, _, T), show(T), delete(Ks, T).

engines :-
    engine_create(I, member(I, [1]), E1), engine_next_reified(E1, A1), engine_next_reified(E1, A2), show(A1/A2),
    engine_destroy(E1),
    engine_create(_, throw(ball), E2), engine_next_reified(E2, A3), show(A3),
    ( is_engine(E2) -> show(there) ; show(gone) ), engine_destroy(E2), ( is_engine(E2) -> show(there) ; show(gone) ).
