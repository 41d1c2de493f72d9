// Ordinals: a limit (or zero) and a natural number above it.
type $Ordinal;
function $Ord.nat(n: int): $Ordinal;
function $Ord.offset(o: $Ordinal): int;
function $Ord.is_nat(o: $Ordinal): bool;
function $Ord.lt(o: $Ordinal, p: $Ordinal): bool;
function $Ord.plus(o: $Ordinal, p: $Ordinal): $Ordinal;
function $Ord.minus(o: $Ordinal, p: $Ordinal): $Ordinal;
axiom (forall o: $Ordinal :: { $Ord.offset(o) } 0 <= $Ord.offset(o));
axiom (forall n: int :: { $Ord.nat(n) } 0 <= n ==> $Ord.is_nat($Ord.nat(n)) && $Ord.offset($Ord.nat(n)) == n);
axiom (forall o: $Ordinal :: { $Ord.is_nat(o) } $Ord.is_nat(o) ==> o == $Ord.nat($Ord.offset(o)));
axiom (forall o, p: $Ordinal :: { $Ord.lt(o, p) }
  ($Ord.lt(o, p) ==> o != p && !$Ord.lt(p, o)) &&
  ($Ord.lt(o, p) || o == p || $Ord.lt(p, o)) &&
  ($Ord.is_nat(o) && $Ord.is_nat(p) ==> ($Ord.lt(o, p) <==> $Ord.offset(o) < $Ord.offset(p))) &&
  ($Ord.lt(o, p) && $Ord.is_nat(p) ==> $Ord.is_nat(o)) &&
  ($Ord.is_nat(o) && !$Ord.is_nat(p) ==> $Ord.lt(o, p)));
axiom (forall o, p, q: $Ordinal :: { $Ord.lt(o, p), $Ord.lt(p, q) } $Ord.lt(o, p) && $Ord.lt(p, q) ==> $Ord.lt(o, q));
axiom (forall o, p: $Ordinal :: { $Ord.plus(o, p) }
  ($Ord.is_nat(p) ==> $Ord.offset($Ord.plus(o, p)) == $Ord.offset(o) + $Ord.offset(p)
    && ($Ord.is_nat($Ord.plus(o, p)) <==> $Ord.is_nat(o))) &&
  ($Ord.is_nat($Ord.plus(o, p)) ==> $Ord.is_nat(p) && $Ord.is_nat(o)) &&
  (p == $Ord.nat(0) ==> $Ord.plus(o, p) == o) &&
  (o == $Ord.nat(0) ==> $Ord.plus(o, p) == p) &&
  ($Ord.plus(o, p) == o || $Ord.lt(o, $Ord.plus(o, p))) &&
  (p != $Ord.nat(0) ==> $Ord.lt(o, $Ord.plus(o, p))) &&
  ($Ord.plus(o, p) == p || $Ord.lt(p, $Ord.plus(o, p))));
axiom (forall o, p: $Ordinal :: { $Ord.minus(o, p) }
  $Ord.is_nat(p) && $Ord.offset(p) <= $Ord.offset(o) ==>
    $Ord.offset($Ord.minus(o, p)) == $Ord.offset(o) - $Ord.offset(p) &&
    ($Ord.is_nat($Ord.minus(o, p)) <==> $Ord.is_nat(o)) &&
    (p == $Ord.nat(0) ==> $Ord.minus(o, p) == o) &&
    (p != $Ord.nat(0) ==> $Ord.lt($Ord.minus(o, p), o)) &&
    $Ord.plus($Ord.minus(o, p), p) == o);
axiom (forall o, p, q: $Ordinal :: { $Ord.minus($Ord.plus(o, p), q) }
  $Ord.is_nat(p) && $Ord.is_nat(q) && $Ord.offset(q) <= $Ord.offset(p) ==>
    $Ord.minus($Ord.plus(o, p), q) == $Ord.plus(o, $Ord.nat($Ord.offset(p) - $Ord.offset(q))));
// Nothing is between a successor and what it succeeds.
axiom (forall o, p: $Ordinal :: { $Ord.lt(o, p), $Ord.minus(p, $Ord.nat(1)) }
  0 < $Ord.offset(p) && $Ord.lt(o, p) ==> o == $Ord.minus(p, $Ord.nat(1)) || $Ord.lt(o, $Ord.minus(p, $Ord.nat(1))));
