% Predicates of older SWI-Prolog versions that programs still use, by what replaced them.

:- module(backcomp,
          [ write_ln/1, write_ln/2, checklist/2, hash_term/2, free_variables/2, proper_list/1, merge/3, merge_set/3,
            'C'/3, concat/3, call_cleanup/3, setup_and_call_cleanup/3, setup_and_call_cleanup/4, export_list/2,
            current_thread/2, flush/0 ]).

:- use_module(library(apply)).
:- use_module(library(lists)).

:- meta_predicate checklist(1, ?), call_cleanup(0, ?, 0), setup_and_call_cleanup(0, 0, 0), setup_and_call_cleanup(0, 0, ?, 0).

write_ln(T) :- writeln(T).
write_ln(Stream, T) :- writeln(Stream, T).
checklist(G, L) :- maplist(G, L).
hash_term(T, H) :- term_hash(T, H).
free_variables(T, Vs) :- term_variables(T, Vs).
proper_list(L) :- is_list(L).
merge(L1, L2, L) :- append(L1, L2, L0), msort(L0, L).
merge_set(L1, L2, L) :- append(L1, L2, L0), sort(L0, L).
'C'([X|S], X, S).
concat(A, B, C) :- atomic_list_concat([A, B], C).
call_cleanup(G, Reason, Cleanup) :- setup_call_catcher_cleanup(true, G, Reason, Cleanup).
setup_and_call_cleanup(Setup, G, Cleanup) :- setup_call_cleanup(Setup, G, Cleanup).
setup_and_call_cleanup(Setup, G, Reason, Cleanup) :- setup_call_catcher_cleanup(Setup, G, Reason, Cleanup).
export_list(M, L) :- module_property(M, exports(L)).
current_thread(Id, Status) :- thread_property(Id, status(Status)).
flush :- flush_output.
