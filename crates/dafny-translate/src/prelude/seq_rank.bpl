// The rank of a sequence is above the ranks of its elements, and of everything that is left after taking some away.
function $rank$$Seq$@T(s: $Seq$@T): int;
axiom (forall s: $Seq$@T :: {$rank$$Seq$@T(s)} 0 <= $rank$$Seq$@T(s));
axiom (forall s: $Seq$@T, i: int :: {$rank$@T($Seq.nth$@T(s, i))}
  0 <= i && i < $Seq.len$@T(s) ==> $rank$@T($Seq.nth$@T(s, i)) < $rank$$Seq$@T(s));
axiom (forall s: $Seq$@T, n: int :: {$rank$$Seq$@T($Seq.drop$@T(s, n))}
  0 < n && n <= $Seq.len$@T(s) ==> $rank$$Seq$@T($Seq.drop$@T(s, n)) < $rank$$Seq$@T(s));
axiom (forall s: $Seq$@T, n: int :: {$rank$$Seq$@T($Seq.take$@T(s, n))}
  0 <= n && n < $Seq.len$@T(s) ==> $rank$$Seq$@T($Seq.take$@T(s, n)) < $rank$$Seq$@T(s));
axiom (forall s: $Seq$@T, i: int, j: int :: {$rank$$Seq$@T($Seq.app$@T($Seq.take$@T(s, i), $Seq.drop$@T(s, j)))}
  0 <= i && i < j && j <= $Seq.len$@T(s) ==>
    $rank$$Seq$@T($Seq.app$@T($Seq.take$@T(s, i), $Seq.drop$@T(s, j))) < $rank$$Seq$@T(s));
