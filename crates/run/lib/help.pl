% What predicates do, in a line each, for help/1 and apropos/1.

:- module(help, [described/2]).

described(append/3, 'the third list is the first followed by the second').
described(arg/3, 'an argument of a compound term, by number').
described(assertz/1, 'adds a clause at the end of a dynamic predicate').
described(asserta/1, 'adds a clause at the start of a dynamic predicate').
described(atom_chars/2, 'an atom and its characters').
described(atom_codes/2, 'an atom and its character codes').
described(atom_concat/3, 'the third atom is the first followed by the second; splits if they are unknown').
described(atom_length/2, 'the number of characters of an atom').
described(atom_number/2, 'an atom and the number it denotes').
described(atom_string/2, 'an atom and a string with the same text').
described(atomic_list_concat/2, 'joins atomic terms into an atom').
described(atomic_list_concat/3, 'joins with a separator, or splits an atom at it').
described(bagof/3, 'all answers as a list, for each binding of the free variables; fails without answers').
described(between/3, 'the integers of a range').
described(catch/3, 'calls a goal; an exception that unifies is handled by another goal').
described(clause/2, 'the clauses of a dynamic predicate').
described(compare/3, 'the standard order of two terms').
described(consult/1, 'loads files').
described(copy_term/2, 'a copy with fresh variables').
described(dif/2, 'two terms are different, now and later').
described(exclude/3, 'the elements for which a goal fails').
described(findall/3, 'all answers as a list').
described(foldl/4, 'goes through a list with an accumulator').
described(forall/2, 'a goal holds for all answers of another').
described(format/2, 'writes text with arguments filled in').
described(freeze/2, 'calls a goal as soon as a variable is bound').
described(functor/3, 'name and number of arguments of a term').
described(halt/0, 'leaves').
described(include/3, 'the elements for which a goal holds').
described(is/2, 'the value of an arithmetic expression').
described(keysort/2, 'sorts pairs by their keys, keeping duplicates').
described(last/2, 'the last element of a list').
described(length/2, 'the length of a list').
described(listing/1, 'shows the clauses of a predicate').
described(maplist/2, 'a goal holds for all elements of a list').
described(maplist/3, 'a goal relates the elements of two lists').
described(member/2, 'the elements of a list').
described(memberchk/2, 'whether a list has an element; one answer at most').
described(msort/2, 'sorts by standard order, keeping duplicates').
described(nb_getval/2, 'the value of a global variable').
described(nb_setval/2, 'sets a global variable; survives backtracking').
described(nl/0, 'a new line').
described(nth0/3, 'an element by its index from 0').
described(nth1/3, 'an element by its index from 1').
described(number_codes/2, 'a number and the codes of its text').
described(once/1, 'the first answer of a goal').
described(op/3, 'declares an operator').
described(phrase/2, 'a grammar rule describes a list').
described(portray_clause/1, 'writes a clause as in a program').
described(predsort/3, 'sorts by a predicate of your own').
described(print/1, 'writes a term that reads back').
described(read/1, 'reads a term').
described(read_term/2, 'reads a term with options').
described(retract/1, 'removes the clauses of a dynamic predicate that unify, one per answer').
described(retractall/1, 'removes all clauses whose head unifies').
described(reverse/2, 'a list in reverse order').
described(select/3, 'takes an element out of a list').
described(setof/3, 'as bagof/3, sorted and without duplicates').
described(sort/2, 'sorts by standard order and removes duplicates').
described(sort/4, 'sorts on an argument, in an order').
described(split_string/4, 'splits text at separators and strips padding').
described(spy/1, 'sets a spy point').
described(string_concat/3, 'joins or splits strings').
described(sub_atom/5, 'the parts of an atom').
described(sub_string/5, 'the parts of a string').
described(succ/2, 'a natural number and the next').
described(sum_list/2, 'the sum of a list of numbers').
described(term_to_atom/2, 'a term and its text').
described(term_variables/2, 'the variables of a term').
described(throw/1, 'raises an exception').
described(trace/0, 'shows every call, exit, redo and failure of your predicates').
described(notrace/0, 'ends tracing').
described(use_module/1, 'loads a module and imports what it exports').
described(var/1, 'whether a term is an unbound variable').
described(when/2, 'calls a goal as soon as a condition holds').
described(with_output_to/2, 'collects what a goal writes').
described(write/1, 'writes a term without quotes').
described(writeq/1, 'writes a term with quotes where needed').
described(make/0, 'loads changed files again').
described(edit/1, 'opens the place of a predicate in your editor').
described(apropos/1, 'predicates whose name or description has a word').
