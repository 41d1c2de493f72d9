// Multisets of @T. A multiset is known by how often each element is in it.
type $MultiSet$@T;
function $MultiSet.count$@T(m: $MultiSet$@T, x: @T): int;
axiom (forall m: $MultiSet$@T, x: @T :: {$MultiSet.count$@T(m, x)} 0 <= $MultiSet.count$@T(m, x));

const $MultiSet.empty$@T: $MultiSet$@T;
axiom (forall x: @T :: {$MultiSet.count$@T($MultiSet.empty$@T, x)} $MultiSet.count$@T($MultiSet.empty$@T, x) == 0);

function $MultiSet.add$@T(m: $MultiSet$@T, x: @T): $MultiSet$@T;
axiom (forall m: $MultiSet$@T, y: @T, x: @T :: {$MultiSet.count$@T($MultiSet.add$@T(m, y), x)} {$MultiSet.add$@T(m, y), $MultiSet.count$@T(m, x)}
  $MultiSet.count$@T($MultiSet.add$@T(m, y), x) == (if x == y then $MultiSet.count$@T(m, x) + 1 else $MultiSet.count$@T(m, x)));
axiom (forall m: $MultiSet$@T, y: @T :: {$MultiSet.add$@T(m, y)} $MultiSet.count$@T($MultiSet.add$@T(m, y), y) >= 1);

function $MultiSet.set$@T(m: $MultiSet$@T, x: @T, n: int): $MultiSet$@T;
axiom (forall m: $MultiSet$@T, y: @T, n: int, x: @T :: {$MultiSet.count$@T($MultiSet.set$@T(m, y, n), x)}
  0 <= n ==> $MultiSet.count$@T($MultiSet.set$@T(m, y, n), x) == (if x == y then n else $MultiSet.count$@T(m, x)));

function $MultiSet.union$@T(a: $MultiSet$@T, b: $MultiSet$@T): $MultiSet$@T;
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T, x: @T :: {$MultiSet.count$@T($MultiSet.union$@T(a, b), x)}
  $MultiSet.count$@T($MultiSet.union$@T(a, b), x) == $MultiSet.count$@T(a, x) + $MultiSet.count$@T(b, x));
function $MultiSet.inter$@T(a: $MultiSet$@T, b: $MultiSet$@T): $MultiSet$@T;
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T, x: @T :: {$MultiSet.count$@T($MultiSet.inter$@T(a, b), x)}
  $MultiSet.count$@T($MultiSet.inter$@T(a, b), x)
    == (if $MultiSet.count$@T(a, x) <= $MultiSet.count$@T(b, x) then $MultiSet.count$@T(a, x) else $MultiSet.count$@T(b, x)));
function $MultiSet.diff$@T(a: $MultiSet$@T, b: $MultiSet$@T): $MultiSet$@T;
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T, x: @T :: {$MultiSet.count$@T($MultiSet.diff$@T(a, b), x)}
  $MultiSet.count$@T($MultiSet.diff$@T(a, b), x)
    == (if $MultiSet.count$@T(a, x) <= $MultiSet.count$@T(b, x) then 0 else $MultiSet.count$@T(a, x) - $MultiSet.count$@T(b, x)));
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T, x: @T :: {$MultiSet.diff$@T(a, b), $MultiSet.count$@T(b, x), $MultiSet.count$@T(a, x)}
  $MultiSet.count$@T(a, x) <= $MultiSet.count$@T(b, x) ==> $MultiSet.count$@T($MultiSet.diff$@T(a, b), x) == 0);

function $MultiSet.subset$@T(a: $MultiSet$@T, b: $MultiSet$@T): bool;
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.subset$@T(a, b)}
  $MultiSet.subset$@T(a, b) <==> (forall x: @T :: {$MultiSet.count$@T(a, x)} {$MultiSet.count$@T(b, x)}
    $MultiSet.count$@T(a, x) <= $MultiSet.count$@T(b, x)));
function $MultiSet.eq$@T(a: $MultiSet$@T, b: $MultiSet$@T): bool;
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.eq$@T(a, b)}
  $MultiSet.eq$@T(a, b) <==> (forall x: @T :: {$MultiSet.count$@T(a, x)} {$MultiSet.count$@T(b, x)}
    $MultiSet.count$@T(a, x) == $MultiSet.count$@T(b, x)));
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.eq$@T(a, b)} $MultiSet.eq$@T(a, b) ==> a == b);
function $MultiSet.disjoint$@T(a: $MultiSet$@T, b: $MultiSet$@T): bool;
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.disjoint$@T(a, b)}
  $MultiSet.disjoint$@T(a, b) <==> (forall x: @T :: {$MultiSet.count$@T(a, x)} {$MultiSet.count$@T(b, x)}
    $MultiSet.count$@T(a, x) == 0 || $MultiSet.count$@T(b, x) == 0));

function $MultiSet.card$@T(m: $MultiSet$@T): int;
axiom (forall m: $MultiSet$@T :: {$MultiSet.card$@T(m)} 0 <= $MultiSet.card$@T(m));
axiom (forall m: $MultiSet$@T :: {$MultiSet.card$@T(m)}
  ($MultiSet.card$@T(m) == 0 <==> m == $MultiSet.empty$@T)
    && ($MultiSet.card$@T(m) != 0 ==> (exists x: @T :: {$MultiSet.count$@T(m, x)} 0 < $MultiSet.count$@T(m, x))));
axiom (forall m: $MultiSet$@T, x: @T :: {$MultiSet.card$@T($MultiSet.add$@T(m, x))}
  $MultiSet.card$@T($MultiSet.add$@T(m, x)) == $MultiSet.card$@T(m) + 1);
axiom (forall m: $MultiSet$@T, x: @T, n: int :: {$MultiSet.card$@T($MultiSet.set$@T(m, x, n))}
  0 <= n ==> $MultiSet.card$@T($MultiSet.set$@T(m, x, n)) == $MultiSet.card$@T(m) - $MultiSet.count$@T(m, x) + n);
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.card$@T($MultiSet.union$@T(a, b))}
  $MultiSet.card$@T($MultiSet.union$@T(a, b)) == $MultiSet.card$@T(a) + $MultiSet.card$@T(b));
axiom (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.card$@T($MultiSet.diff$@T(a, b))}
  $MultiSet.card$@T($MultiSet.diff$@T(a, b)) == $MultiSet.card$@T(a) - $MultiSet.card$@T($MultiSet.inter$@T(a, b)));
// For second looks: an element is in a multiset at most as often as there are elements; a part is no larger than the whole.
axiom {:second} (forall m: $MultiSet$@T, x: @T :: {$MultiSet.count$@T(m, x), $MultiSet.card$@T(m)}
  $MultiSet.count$@T(m, x) <= $MultiSet.card$@T(m));
axiom {:second} (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.subset$@T(a, b), $MultiSet.card$@T(a), $MultiSet.card$@T(b)}
  $MultiSet.subset$@T(a, b) ==> $MultiSet.card$@T(a) <= $MultiSet.card$@T(b)
    && ($MultiSet.card$@T(a) == $MultiSet.card$@T(b) ==> a == b));
axiom {:second} (forall a: $MultiSet$@T, b: $MultiSet$@T :: {$MultiSet.card$@T($MultiSet.diff$@T(a, b))}
  $MultiSet.card$@T($MultiSet.diff$@T(a, b)) + $MultiSet.card$@T($MultiSet.diff$@T(b, a)) + 2 * $MultiSet.card$@T($MultiSet.inter$@T(a, b))
    == $MultiSet.card$@T($MultiSet.union$@T(a, b)));
// Nothing is added by the empty collection, and nothing taken away.
axiom (forall a: $MultiSet$@T :: {$MultiSet.union$@T(a, $MultiSet.empty$@T)} $MultiSet.union$@T(a, $MultiSet.empty$@T) == a);
axiom (forall a: $MultiSet$@T :: {$MultiSet.union$@T($MultiSet.empty$@T, a)} $MultiSet.union$@T($MultiSet.empty$@T, a) == a);
axiom (forall a: $MultiSet$@T :: {$MultiSet.diff$@T(a, $MultiSet.empty$@T)} $MultiSet.diff$@T(a, $MultiSet.empty$@T) == a);
