// The multiset with the members of a set.
function $MultiSet.of_set$@T(s: $Set$@T): $MultiSet$@T;
axiom (forall s: $Set$@T, x: @T :: {$MultiSet.count$@T($MultiSet.of_set$@T(s), x)}
  $MultiSet.count$@T($MultiSet.of_set$@T(s), x) == (if $Set.in$@T(s, x) then 1 else 0));
axiom (forall s: $Set$@T :: {$MultiSet.card$@T($MultiSet.of_set$@T(s))}
  $MultiSet.card$@T($MultiSet.of_set$@T(s)) == $Set.card$@T(s));
