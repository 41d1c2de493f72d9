// The elements of an array as a sequence, by the state of the array.
function $Seq.array$@T(s: $State, n: int): $Seq$@T;
axiom (forall s: $State, n: int :: {$Seq.len$@T($Seq.array$@T(s, n))} 0 <= n ==> $Seq.len$@T($Seq.array$@T(s, n)) == n);
axiom (forall s: $State, n: int, i: int :: {$Seq.nth$@T($Seq.array$@T(s, n), i)}
  0 <= i && i < n ==> $Seq.nth$@T($Seq.array$@T(s, n), i) == $Unbox$@T(s[$index(i)]));
axiom (forall s: $State, n: int, i: int :: {$Seq.array$@T(s, n), s[$index(i)]}
  0 <= i && i < n ==> $Seq.nth$@T($Seq.array$@T(s, n), i) == $Unbox$@T(s[$index(i)]));
// After an assignment to an element.
axiom (forall s: $State, i: int, b: $Box, n: int :: {$Seq.array$@T(s[$index(i) := b], n)}
  0 <= i && i < n ==> $Seq.array$@T(s[$index(i) := b], n) == $Seq.update$@T($Seq.array$@T(s, n), i, $Unbox$@T(b)));
axiom (forall s: $State, n: int, k: int, i: int :: {$Seq.take$@T($Seq.array$@T(s, n), k), s[$index(i)]}
  0 <= i && i < k && k <= n ==> $Seq.nth$@T($Seq.take$@T($Seq.array$@T(s, n), k), i) == $Unbox$@T(s[$index(i)]));
// One more element.
axiom (forall s: $State, n: int, k: int, j: int :: {$Seq.take$@T($Seq.array$@T(s, n), k), $Seq.take$@T($Seq.array$@T(s, n), j)}
  0 <= j && j + 1 == k && k <= n ==>
    $Seq.take$@T($Seq.array$@T(s, n), k) == $Seq.push$@T($Seq.take$@T($Seq.array$@T(s, n), j), $Unbox$@T(s[$index(j)])));
