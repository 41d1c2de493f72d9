// seq(n, f): f is given as a map from indices.
function $Seq.of$@T(n: int, f: [int]@T): $Seq$@T;
axiom (forall n: int, f: [int]@T :: {$Seq.len$@T($Seq.of$@T(n, f))} 0 <= n ==> $Seq.len$@T($Seq.of$@T(n, f)) == n);
axiom (forall n: int, f: [int]@T, i: int :: {$Seq.nth$@T($Seq.of$@T(n, f), i)}
  0 <= i && i < n ==> $Seq.nth$@T($Seq.of$@T(n, f), i) == f[i]);
