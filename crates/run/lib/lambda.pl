% Lambda expressions with `\` for local and `+\` for global variables.

:- module(lambda, [op(201, xfx, +\), (\)/1, (\)/2, (\)/3, (\)/4, (\)/5, (+\)/2, (+\)/3, (+\)/4, (+\)/5, (+\)/6, (^)/3, (^)/4, (^)/5, (^)/6]).

:- meta_predicate \(0), \(1,?), \(2,?,?), \(3,?,?,?), \(4,?,?,?,?), +\(?,0), +\(?,1,?), +\(?,2,?,?), +\(?,3,?,?,?),
    +\(?,4,?,?,?,?), ^(?,0,?), ^(?,1,?,?), ^(?,2,?,?,?), ^(?,3,?,?,?,?).

^(V, G, V) :- call(G).
^(V, G, V, A) :- call(G, A).
^(V, G, V, A, B) :- call(G, A, B).
^(V, G, V, A, B, C) :- call(G, A, B, C).

\(F) :- copy_term_nat(F, G), call(G).
\(F, A) :- copy_term_nat(F, G), call(G, A).
\(F, A, B) :- copy_term_nat(F, G), call(G, A, B).
\(F, A, B, C) :- copy_term_nat(F, G), call(G, A, B, C).
\(F, A, B, C, D) :- copy_term_nat(F, G), call(G, A, B, C, D).

+\(GV, F) :- copy_term_nat(GV+F, GV+G), call(G).
+\(GV, F, A) :- copy_term_nat(GV+F, GV+G), call(G, A).
+\(GV, F, A, B) :- copy_term_nat(GV+F, GV+G), call(G, A, B).
+\(GV, F, A, B, C) :- copy_term_nat(GV+F, GV+G), call(G, A, B, C).
+\(GV, F, A, B, C, D) :- copy_term_nat(GV+F, GV+G), call(G, A, B, C, D).
