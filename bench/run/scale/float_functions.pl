% Functions of floats.
main :- loop(0, 0.0).
loop(400000, _) :- !.
loop(I, S0) :- X is I/1000.0, S is S0+sin(X)*cos(X)+sqrt(X)+atan2(X, 1.0)+float_integer_part(X)+truncate(X), I1 is I+1, loop(I1, S).
