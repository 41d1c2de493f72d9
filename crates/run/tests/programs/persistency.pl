% Facts that outlive a run.
:- use_module(library(persistency)).
:- persistent fact(name:atom, age:integer), note(text).
main :-
    tmp_file(facts, F),
    db_attach(F, []),
    assert_fact(bob, 3), assert_fact(al, 4), asserta_fact(cy, 5), assert_note("x y"), assert_note(f(_)),
    retract_fact(bob, _), ( retract_fact(nobody, _) -> true ; writeln(none) ),
    catch(assert_fact(x, y), error(E, _), ( print(E), nl )),
    show,
    db_detach, show,
    db_attach(F, []), show,
    retractall_note(_), retractall_fact(al, _), db_sync(gc(always)), show,
    read_file_to_terms(F, Ts, []), forall(( member(T, Ts), T \= created(_) ), ( print(T), nl )),
    db_detach, db_attach(F, []), show,
    delete_file(F).
show :- findall(N-A, fact(N, A), L), findall(T, note(T), Ns), length(Ns, C), print(L/C), nl.
