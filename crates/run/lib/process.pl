% Other processes are not started from here: every predicate is refused by name when it is called.

:- module(process, [process_create/3, process_wait/2, process_wait/3, process_id/1, process_id/2, is_process/1,
                    process_release/1, process_kill/1, process_kill/2, process_group_kill/1, process_group_kill/2]).

process_create(_, _, _) :- refused(process_create/3).
process_wait(_, _) :- refused(process_wait/2).
process_wait(_, _, _) :- refused(process_wait/3).
process_id(_) :- refused(process_id/1).
process_id(_, _) :- refused(process_id/2).
is_process(_) :- fail.
process_release(_) :- refused(process_release/1).
process_kill(_) :- refused(process_kill/1).
process_kill(_, _) :- refused(process_kill/2).
process_group_kill(_) :- refused(process_group_kill/1).
process_group_kill(_, _) :- refused(process_group_kill/2).

refused(N/A) :- format(atom(What), 'processes (~w/~w)', [N, A]), throw(error(not_supported(What), _)).
