// Sequences of @T. A sequence is known by its length and its elements.
type $Seq$@T;
function $Seq.len$@T(s: $Seq$@T): int;
axiom (forall s: $Seq$@T :: {$Seq.len$@T(s)} 0 <= $Seq.len$@T(s));
function $Seq.nth$@T(s: $Seq$@T, i: int): @T;

const $Seq.empty$@T: $Seq$@T;
axiom $Seq.len$@T($Seq.empty$@T) == 0;
axiom (forall s: $Seq$@T :: {$Seq.len$@T(s)} $Seq.len$@T(s) == 0 ==> s == $Seq.empty$@T);

function $Seq.push$@T(s: $Seq$@T, x: @T): $Seq$@T;
axiom (forall s: $Seq$@T, x: @T :: {$Seq.push$@T(s, x)}
  $Seq.len$@T($Seq.push$@T(s, x)) == $Seq.len$@T(s) + 1 && $Seq.nth$@T($Seq.push$@T(s, x), $Seq.len$@T(s)) == x);
axiom (forall s: $Seq$@T, x: @T, i: int :: {$Seq.nth$@T($Seq.push$@T(s, x), i)}
  i != $Seq.len$@T(s) ==> $Seq.nth$@T($Seq.push$@T(s, x), i) == $Seq.nth$@T(s, i));

function $Seq.app$@T(a: $Seq$@T, b: $Seq$@T): $Seq$@T;
axiom (forall a: $Seq$@T, b: $Seq$@T :: {$Seq.len$@T($Seq.app$@T(a, b))}
  $Seq.len$@T($Seq.app$@T(a, b)) == $Seq.len$@T(a) + $Seq.len$@T(b));
axiom (forall a: $Seq$@T, b: $Seq$@T, i: int :: {$Seq.nth$@T($Seq.app$@T(a, b), i)}
  $Seq.nth$@T($Seq.app$@T(a, b), i)
    == (if i < $Seq.len$@T(a) then $Seq.nth$@T(a, i) else $Seq.nth$@T(b, i - $Seq.len$@T(a))));
axiom (forall a: $Seq$@T, b: $Seq$@T, i: int :: {$Seq.nth$@T(a, i), $Seq.app$@T(a, b)}
  0 <= i && i < $Seq.len$@T(a) ==> $Seq.nth$@T($Seq.app$@T(a, b), i) == $Seq.nth$@T(a, i));

function $Seq.update$@T(s: $Seq$@T, i: int, x: @T): $Seq$@T;
axiom (forall s: $Seq$@T, i: int, x: @T :: {$Seq.len$@T($Seq.update$@T(s, i, x))}
  0 <= i && i < $Seq.len$@T(s) ==> $Seq.len$@T($Seq.update$@T(s, i, x)) == $Seq.len$@T(s));
axiom (forall s: $Seq$@T, i: int, x: @T, j: int :: {$Seq.nth$@T($Seq.update$@T(s, i, x), j)}
  0 <= j && j < $Seq.len$@T(s) ==>
    $Seq.nth$@T($Seq.update$@T(s, i, x), j) == (if i == j then x else $Seq.nth$@T(s, j)));
axiom (forall s: $Seq$@T, i: int, x: @T :: {$Seq.update$@T(s, i, x)}
  0 <= i && i < $Seq.len$@T(s) ==> $Seq.in$@T($Seq.update$@T(s, i, x), x));

function $Seq.take$@T(s: $Seq$@T, n: int): $Seq$@T;
axiom (forall s: $Seq$@T, n: int :: {$Seq.len$@T($Seq.take$@T(s, n))}
  0 <= n && n <= $Seq.len$@T(s) ==> $Seq.len$@T($Seq.take$@T(s, n)) == n);
axiom (forall s: $Seq$@T, n: int, j: int :: {$Seq.nth$@T($Seq.take$@T(s, n), j)} {$Seq.nth$@T(s, j), $Seq.take$@T(s, n)}
  0 <= j && j < n && j < $Seq.len$@T(s) ==> $Seq.nth$@T($Seq.take$@T(s, n), j) == $Seq.nth$@T(s, j));

function $Seq.drop$@T(s: $Seq$@T, n: int): $Seq$@T;
axiom (forall s: $Seq$@T, n: int :: {$Seq.len$@T($Seq.drop$@T(s, n))}
  0 <= n && n <= $Seq.len$@T(s) ==> $Seq.len$@T($Seq.drop$@T(s, n)) == $Seq.len$@T(s) - n);
axiom (forall s: $Seq$@T, n: int, j: int :: {$Seq.nth$@T($Seq.drop$@T(s, n), j)}
  0 <= n && 0 <= j && j < $Seq.len$@T(s) - n ==> $Seq.nth$@T($Seq.drop$@T(s, n), j) == $Seq.nth$@T(s, j + n));
axiom (forall s: $Seq$@T, n: int, k: int :: {$Seq.nth$@T(s, k), $Seq.drop$@T(s, n)}
  0 <= n && n <= k && k < $Seq.len$@T(s) ==> $Seq.nth$@T($Seq.drop$@T(s, n), k - n) == $Seq.nth$@T(s, k));
axiom (forall s: $Seq$@T, n: int :: {$Seq.drop$@T(s, n)} n == 0 ==> $Seq.drop$@T(s, n) == s);
axiom (forall s: $Seq$@T, n: int :: {$Seq.take$@T(s, n)} n == 0 ==> $Seq.take$@T(s, n) == $Seq.empty$@T);
axiom (forall s: $Seq$@T, m: int, n: int :: {$Seq.drop$@T($Seq.drop$@T(s, m), n)}
  0 <= m && 0 <= n && m + n <= $Seq.len$@T(s) ==> $Seq.drop$@T($Seq.drop$@T(s, m), n) == $Seq.drop$@T(s, m + n));

// Taking from and dropping from what was put together.
axiom (forall a: $Seq$@T, b: $Seq$@T, n: int :: {$Seq.take$@T($Seq.app$@T(a, b), n)}
  n == $Seq.len$@T(a) ==> $Seq.take$@T($Seq.app$@T(a, b), n) == a);
axiom (forall a: $Seq$@T, b: $Seq$@T, n: int :: {$Seq.drop$@T($Seq.app$@T(a, b), n)}
  n == $Seq.len$@T(a) ==> $Seq.drop$@T($Seq.app$@T(a, b), n) == b);
axiom (forall s: $Seq$@T, i: int, x: @T, n: int :: {$Seq.take$@T($Seq.update$@T(s, i, x), n)}
  0 <= i && i < n && n <= $Seq.len$@T(s) ==> $Seq.take$@T($Seq.update$@T(s, i, x), n) == $Seq.update$@T($Seq.take$@T(s, n), i, x));
axiom (forall s: $Seq$@T, i: int, x: @T, n: int :: {$Seq.take$@T($Seq.update$@T(s, i, x), n)}
  n <= i && i < $Seq.len$@T(s) ==> $Seq.take$@T($Seq.update$@T(s, i, x), n) == $Seq.take$@T(s, n));
axiom (forall s: $Seq$@T, i: int, x: @T, n: int :: {$Seq.drop$@T($Seq.update$@T(s, i, x), n)}
  0 <= n && n <= i && i < $Seq.len$@T(s) ==> $Seq.drop$@T($Seq.update$@T(s, i, x), n) == $Seq.update$@T($Seq.drop$@T(s, n), i - n, x));
axiom (forall s: $Seq$@T, i: int, x: @T, n: int :: {$Seq.drop$@T($Seq.update$@T(s, i, x), n)}
  0 <= i && i < n && n <= $Seq.len$@T(s) ==> $Seq.drop$@T($Seq.update$@T(s, i, x), n) == $Seq.drop$@T(s, n));
axiom (forall s: $Seq$@T, x: @T, n: int :: {$Seq.drop$@T($Seq.push$@T(s, x), n)}
  0 <= n && n <= $Seq.len$@T(s) ==> $Seq.drop$@T($Seq.push$@T(s, x), n) == $Seq.push$@T($Seq.drop$@T(s, n), x));

function $Seq.in$@T(s: $Seq$@T, x: @T): bool;
axiom (forall s: $Seq$@T, x: @T :: {$Seq.in$@T(s, x)}
  $Seq.in$@T(s, x) <==> (exists i: int :: {$Seq.nth$@T(s, i)} 0 <= i && i < $Seq.len$@T(s) && $Seq.nth$@T(s, i) == x));
axiom (forall x: @T :: {$Seq.in$@T($Seq.empty$@T, x)} !$Seq.in$@T($Seq.empty$@T, x));
axiom (forall a: $Seq$@T, b: $Seq$@T, x: @T :: {$Seq.in$@T($Seq.app$@T(a, b), x)}
  $Seq.in$@T($Seq.app$@T(a, b), x) <==> $Seq.in$@T(a, x) || $Seq.in$@T(b, x));
axiom (forall s: $Seq$@T, y: @T, x: @T :: {$Seq.in$@T($Seq.push$@T(s, y), x)}
  $Seq.in$@T($Seq.push$@T(s, y), x) <==> x == y || $Seq.in$@T(s, x));
axiom (forall s: $Seq$@T, n: int, x: @T :: {$Seq.in$@T($Seq.take$@T(s, n), x)}
  $Seq.in$@T($Seq.take$@T(s, n), x) && 0 <= n && n <= $Seq.len$@T(s) ==>
    (exists i: int :: {$Seq.nth$@T(s, i)} 0 <= i && i < n && $Seq.nth$@T(s, i) == x));
axiom (forall s: $Seq$@T, n: int, x: @T :: {$Seq.in$@T($Seq.drop$@T(s, n), x)}
  $Seq.in$@T($Seq.drop$@T(s, n), x) && 0 <= n && n <= $Seq.len$@T(s) ==>
    (exists i: int :: {$Seq.nth$@T(s, i)} n <= i && i < $Seq.len$@T(s) && $Seq.nth$@T(s, i) == x));

function $Seq.eq$@T(a: $Seq$@T, b: $Seq$@T): bool;
axiom (forall a: $Seq$@T, b: $Seq$@T :: {$Seq.eq$@T(a, b)}
  $Seq.eq$@T(a, b) <==> $Seq.len$@T(a) == $Seq.len$@T(b)
    && (forall i: int :: {$Seq.nth$@T(a, i)} {$Seq.nth$@T(b, i)}
          0 <= i && i < $Seq.len$@T(a) ==> $Seq.nth$@T(a, i) == $Seq.nth$@T(b, i)));
axiom (forall a: $Seq$@T, b: $Seq$@T :: {$Seq.eq$@T(a, b)} $Seq.eq$@T(a, b) ==> a == b);

function $Seq.prefix$@T(a: $Seq$@T, b: $Seq$@T, n: int): bool;
axiom (forall a: $Seq$@T, b: $Seq$@T, n: int :: {$Seq.prefix$@T(a, b, n)}
  $Seq.prefix$@T(a, b, n) <==>
    (forall i: int :: {$Seq.nth$@T(a, i)} {$Seq.nth$@T(b, i)} 0 <= i && i < n ==> $Seq.nth$@T(a, i) == $Seq.nth$@T(b, i)));
// Nothing is added by the empty sequence.
axiom (forall a: $Seq$@T :: {$Seq.app$@T(a, $Seq.empty$@T)} $Seq.app$@T(a, $Seq.empty$@T) == a);
axiom (forall a: $Seq$@T :: {$Seq.app$@T($Seq.empty$@T, a)} $Seq.app$@T($Seq.empty$@T, a) == a);
axiom (forall s: $Seq$@T, n: int :: {$Seq.take$@T(s, n)} n == $Seq.len$@T(s) ==> $Seq.take$@T(s, n) == s);
