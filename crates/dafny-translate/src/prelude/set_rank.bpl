// The rank of a set is above the ranks of its members.
function $rank$$Set$@T(s: $Set$@T): int;
axiom (forall s: $Set$@T :: {$rank$$Set$@T(s)} 0 <= $rank$$Set$@T(s));
axiom (forall s: $Set$@T, x: @T :: {$Set.in$@T(s, x), $rank$@T(x)} $Set.in$@T(s, x) ==> $rank$@T(x) < $rank$$Set$@T(s));
