% Reading and writing: temporary files, read_term options, peeking, seeking, current streams, operators read back, portray_clause, listing.
:- dynamic kindof/2, fact/3.
kindof(X, Y) :- fact(X, _, Z), ( Z > 1 -> Y = big ; Z =:= 1, \+ X = a -> Y = one ; Y = small(Z) ), !.
kindof(_, none).
fact(a, "text", 1). fact(b, 'Quoted atom', 2). fact([x|_], {y, z}, -3).
copy(In, Out) :- repeat, read(In, T), ( T == end_of_file -> ! ; writeq(Out, T), write(Out, '.'), nl(Out), fail ).
main :-
    tmp_file(test, F), open(F, write, S), format(S, "foo(X, Y, _Z, X).~n'hello world'. % comment~n:- op(700, xfx, ===>).~n\"string\". 0'a. [1,2|T]. a:b:c. - 1. -(1). \\+a. f(;,'|',[]). {x}. 'don''t'.~n", []), close(S),
    open(F, read, I), read_term(I, T1, [variable_names(Vs), variables(Vl), singletons(Si)]), length(Vl, VN), length(Vs, VsN), length(Si, SiN), print(VN-VsN-SiN), nl, T1 = foo(_, _, _, _),
    copy(I, user_output), close(I),
    open(F, read, I2), get_char(I2, C1), peek_char(I2, C2), get_char(I2, C3), print([C1, C2, C3]), nl, line_count(I2, LC), character_count(I2, CC), line_position(I2, LP), print(LC/CC/LP), nl,
    read_line_to_string(I2, L), print(L), nl, read_line_to_codes(I2, Cs), length(Cs, CL), print(CL), nl, ( at_end_of_stream(I2) -> true ; writeln(more) ), close(I2),
    read_file_to_terms(F, Ts, []), length(Ts, TL), print(TL), nl, read_file_to_string(F, Str, []), string_length(Str, SL), print(SL), nl,
    open(F, append, A), writeln(A, 'last.'), close(A), read_file_to_terms(F, Ts2, []), last(Ts2, La), print(La), nl,
    portray_clause(foo(X, Y, _, X, Y)), portray_clause((a :- b, ( c -> d ; e ), \+ f, g(_))), portray_clause([1, 2, 'X']), portray_clause("str"), portray_clause((h(Z) --> Z)),
    listing(fact/3),
    catch(( open('/no/such/dir/f', read, _) ), error(E, _), ( print(E), nl )), catch(read_term(user_output, _, []), error(E2, _), ( E2 = permission_error(P1, P2, _) -> print(P1-P2), nl ; true )),
    current_output(O), ( stream_property(O, alias(Al)) -> print(Al), nl ; true ),
    with_output_to(string(W), ( write(a), nl, print('B c'), write_canonical([X1, Y1, X1]), Y1 = X1 )), string_length(W, WL), ( WL > 0 -> writeln(ok) ; true ),
    open_string("ab. c(D). ", SS), read(SS, R1), read(SS, R2), read(SS, R3), print([R1, R2, R3]), nl, close(SS), delete_file(F), ( exists_file(F) -> true ; writeln(gone) ).
