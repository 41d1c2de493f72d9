// The multiset with the elements of a sequence.
function $MultiSet.of_seq$@T(s: $Seq$@T): $MultiSet$@T;
axiom (forall s: $Seq$@T :: {$MultiSet.card$@T($MultiSet.of_seq$@T(s))}
  $MultiSet.card$@T($MultiSet.of_seq$@T(s)) == $Seq.len$@T(s));
axiom (forall s: $Seq$@T, x: @T :: {$MultiSet.count$@T($MultiSet.of_seq$@T(s), x)}
  (exists i: int :: {$Seq.nth$@T(s, i)} 0 <= i && i < $Seq.len$@T(s) && $Seq.nth$@T(s, i) == x)
    <==> 0 < $MultiSet.count$@T($MultiSet.of_seq$@T(s), x));
axiom $MultiSet.of_seq$@T($Seq.empty$@T) == $MultiSet.empty$@T;
axiom (forall s: $Seq$@T :: {$MultiSet.of_seq$@T(s)}
  $Seq.len$@T(s) == 1 ==> $MultiSet.of_seq$@T(s) == $MultiSet.add$@T($MultiSet.empty$@T, $Seq.nth$@T(s, 0)));
axiom (forall s: $Seq$@T, x: @T :: {$MultiSet.of_seq$@T($Seq.push$@T(s, x))}
  $MultiSet.of_seq$@T($Seq.push$@T(s, x)) == $MultiSet.add$@T($MultiSet.of_seq$@T(s), x));
axiom (forall a: $Seq$@T, b: $Seq$@T :: {$MultiSet.of_seq$@T($Seq.app$@T(a, b))}
  $MultiSet.of_seq$@T($Seq.app$@T(a, b)) == $MultiSet.union$@T($MultiSet.of_seq$@T(a), $MultiSet.of_seq$@T(b)));
axiom (forall s: $Seq$@T, i: int, x: @T, y: @T :: {$MultiSet.count$@T($MultiSet.of_seq$@T($Seq.update$@T(s, i, x)), y)}
  0 <= i && i < $Seq.len$@T(s) ==>
    $MultiSet.count$@T($MultiSet.of_seq$@T($Seq.update$@T(s, i, x)), y)
      == $MultiSet.count$@T($MultiSet.union$@T($MultiSet.diff$@T($MultiSet.of_seq$@T(s), $MultiSet.add$@T($MultiSet.empty$@T, $Seq.nth$@T(s, i))), $MultiSet.add$@T($MultiSet.empty$@T, x)), y));
// For second looks: the elements of a sequence are in its multiset, and there are as many of them.
axiom {:second} (forall s: $Seq$@T :: {$MultiSet.of_seq$@T(s)} $MultiSet.card$@T($MultiSet.of_seq$@T(s)) == $Seq.len$@T(s));
axiom {:second} (forall s: $Seq$@T, i: int :: {$MultiSet.of_seq$@T(s), $Seq.nth$@T(s, i)}
  0 <= i && i < $Seq.len$@T(s) ==> 0 < $MultiSet.count$@T($MultiSet.of_seq$@T(s), $Seq.nth$@T(s, i)));
