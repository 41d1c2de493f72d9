:- dynamic(user:portray/1).
:- multifile(user:portray/1).
user:portray(secret(_)) :- write('<hidden>').
formal(G) :- catch(G, error(E, _), ( write(' '), print(E), nl )).
main :-
    format("~a~t~20|~w~n", [name, value]), format("~t~a~20|~w~n", [name, value]), format("~t~d~6|~t~d~12|~n", [12, 345]),
    format("~`-t~30|~n"), format("~t~w~t~11|~w~n", [mid, end]), format("~w~t~10+~w~t~10+~w~n", [abc, def, ghi]),
    format("~ta~t~tb~20|c~n"), format("~`*t~t~20|~n"), format("~+~w~n", [x]), format("~`xt~*|~w~n", [10, y]),
    format("~e ~4e ~g ~2e ~0e~n", [1.5, 2.25, 3.125, 100, 12345.678]), format("~g ~g ~g ~15g~n", [100000.0, 1000000.0, 1.0e-5, 0.1]),
    format("~2f ~0f ~10f ~0f ~0f~n", [3.14159, 2.5, 1, 0.5, 1.5]), format("~20f~n", [123456789012345678901234567890]),
    format("~D ~2D ~2d ~3d ~D~n", [1234567, 1234567, 1234567, -5, -1234567]), format("~d ~D~n", [1+2, 10**12]),
    format("~8r ~16r ~8R ~16R ~r~n", [100, 255, 100, 255, 10]), format("~c~c~3c ~*c~n", [104, 105, 33, 5, 0'x]),
    format("~i~w ~ic~n", [a, b, x]), format("~s ~s~n", [[104, 105], "str"]), format("~q ~k ~~~n", ['X y', 1+2]),
    format("~@ and ~@~n", [write(hello), forall(member(X, [1,2]), write(X))]), format("~p ~w~n", [secret(1), secret(2)]),
    print(f(secret(3), [secret(4)])), nl, format("~w", hello), nl, format("none~n", []),
    formal(format("x~d", [1.5])), formal(format("x~a", [f(x)])), formal(format("x~s", [f(x)])), formal(format("x~c", [a(b)])),
    formal(format("x~a", [])), formal(format("x~z", [a])), formal(format("x", [a])),
    format(atom(A), "~w-~w", [a, b]), print(A), nl, format(codes(Cs), "ab", []), print(Cs), nl,
    format(string(S), "~t~w~5|~@", [x, write(y)]), print(S), nl.
