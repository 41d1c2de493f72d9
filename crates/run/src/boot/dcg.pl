% Grammar rules.

dcg_translate_rule((H, PB --> B), (H1 :- Body)) :- !,
    '$dcg_nonterminal'(H, S0, S, H1),
    '$dcg_body'(B, S0, S1, B1),
    ( ( is_list(PB) ; string(PB) ) -> '$dcg_terminals'(PB, S, S1, B2) ; '$dcg_body'(PB, S, S1, B2) ),
    '$dcg_and'(B1, B2, Body).
dcg_translate_rule((H --> B), (H1 :- Body)) :-
    ( var(H) -> throw(error(instantiation_error, _)) ; true ),
    '$dcg_nonterminal'(H, S0, S, H1),
    '$dcg_body'(B, S0, S, Body).

'$dcg_nonterminal'(M:H, S0, S, M:H1) :- !, '$dcg_nonterminal'(H, S0, S, H1).
'$dcg_nonterminal'(H, S0, S, H1) :-
    ( callable(H) -> true ; throw(error(type_error(callable, H), _)) ),
    H =.. L0, '$append'(L0, [S0, S], L), H1 =.. L.

'$dcg_body'(B, S0, S, phrase(B, S0, S)) :- var(B), !.
'$dcg_body'((A, B), S0, S, (A1, B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'((A ; B), S0, S, (A1 ; B1)) :- !, '$dcg_body'(A, S0, S, A1), '$dcg_body'(B, S0, S, B1).
'$dcg_body'((A | B), S0, S, (A1 ; B1)) :- !, '$dcg_body'(A, S0, S, A1), '$dcg_body'(B, S0, S, B1).
'$dcg_body'((A -> B), S0, S, (A1 -> B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'((A *-> B), S0, S, (A1 *-> B1)) :- !, '$dcg_body'(A, S0, S1, A1), '$dcg_body'(B, S1, S, B1).
'$dcg_body'(\+ A, S0, S, (\+ A1, S0 = S)) :- !, '$dcg_body'(A, S0, _, A1).
'$dcg_body'(!, S0, S, (!, S0 = S)) :- !.
'$dcg_body'([], S0, S, S0 = S) :- !.
'$dcg_body'({G}, S0, S, (G, S0 = S)) :- !.
'$dcg_body'(L, S0, S, G) :- is_list(L), !, '$dcg_terminals'(L, S0, S, G).
'$dcg_body'(L, S0, S, G) :- string(L), !, string_codes(L, Cs), '$dcg_terminals'(Cs, S0, S, G).
'$dcg_body'(call(G), S0, S, call(G, S0, S)) :- !.
'$dcg_body'(C, S0, S, G) :- C =.. [call, G0|As], !, '$append'(As, [S0, S], As1), G =.. [call, G0|As1].
'$dcg_body'(M:B, S0, S, M:G) :- nonvar(B), !, '$dcg_body'(B, S0, S, G).
'$dcg_body'(B, S0, S, G) :- '$dcg_nonterminal'(B, S0, S, G).

'$dcg_terminals'(T, S0, S, G) :- string(T), !, string_codes(T, Cs), '$dcg_terminals'(Cs, S0, S, G).
'$dcg_terminals'(L, S0, S, S0 = L1) :-
    ( is_list(L) -> true ; throw(error(type_error(list, L), _)) ),
    '$append'(L, S, L1).
'$dcg_and'(A, B, (A, B)).
