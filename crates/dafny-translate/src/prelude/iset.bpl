// Sets of @T (possibly infinite). A set is known by its members.
type $ISet$@T;
function $ISet.in$@T(s: $ISet$@T, x: @T): bool;

const $ISet.empty$@T: $ISet$@T;
axiom (forall x: @T :: {$ISet.in$@T($ISet.empty$@T, x)} !$ISet.in$@T($ISet.empty$@T, x));

function $ISet.add$@T(s: $ISet$@T, x: @T): $ISet$@T;
axiom (forall s: $ISet$@T, y: @T, x: @T :: {$ISet.in$@T($ISet.add$@T(s, y), x)}
  $ISet.in$@T($ISet.add$@T(s, y), x) <==> x == y || $ISet.in$@T(s, x));
axiom (forall s: $ISet$@T, y: @T :: {$ISet.add$@T(s, y)} $ISet.in$@T($ISet.add$@T(s, y), y));
axiom (forall s: $ISet$@T, y: @T, x: @T :: {$ISet.add$@T(s, y), $ISet.in$@T(s, x)}
  $ISet.in$@T(s, x) ==> $ISet.in$@T($ISet.add$@T(s, y), x));

function $ISet.union$@T(a: $ISet$@T, b: $ISet$@T): $ISet$@T;
axiom (forall a: $ISet$@T, b: $ISet$@T, x: @T :: {$ISet.in$@T($ISet.union$@T(a, b), x)}
  $ISet.in$@T($ISet.union$@T(a, b), x) <==> $ISet.in$@T(a, x) || $ISet.in$@T(b, x));
axiom (forall a: $ISet$@T, b: $ISet$@T, x: @T :: {$ISet.union$@T(a, b), $ISet.in$@T(a, x)}
  $ISet.in$@T(a, x) ==> $ISet.in$@T($ISet.union$@T(a, b), x));
axiom (forall a: $ISet$@T, b: $ISet$@T, x: @T :: {$ISet.union$@T(a, b), $ISet.in$@T(b, x)}
  $ISet.in$@T(b, x) ==> $ISet.in$@T($ISet.union$@T(a, b), x));
axiom (forall a: $ISet$@T, b: $ISet$@T :: {$ISet.union$@T($ISet.union$@T(a, b), b)}
  $ISet.union$@T($ISet.union$@T(a, b), b) == $ISet.union$@T(a, b));
axiom (forall a: $ISet$@T, b: $ISet$@T :: {$ISet.union$@T(a, $ISet.union$@T(a, b))}
  $ISet.union$@T(a, $ISet.union$@T(a, b)) == $ISet.union$@T(a, b));

function $ISet.inter$@T(a: $ISet$@T, b: $ISet$@T): $ISet$@T;
axiom (forall a: $ISet$@T, b: $ISet$@T, x: @T :: {$ISet.in$@T($ISet.inter$@T(a, b), x)}
  $ISet.in$@T($ISet.inter$@T(a, b), x) <==> $ISet.in$@T(a, x) && $ISet.in$@T(b, x));

function $ISet.diff$@T(a: $ISet$@T, b: $ISet$@T): $ISet$@T;
axiom (forall a: $ISet$@T, b: $ISet$@T, x: @T :: {$ISet.in$@T($ISet.diff$@T(a, b), x)}
  $ISet.in$@T($ISet.diff$@T(a, b), x) <==> $ISet.in$@T(a, x) && !$ISet.in$@T(b, x));
axiom (forall a: $ISet$@T, b: $ISet$@T, x: @T :: {$ISet.diff$@T(a, b), $ISet.in$@T(b, x)}
  $ISet.in$@T(b, x) ==> !$ISet.in$@T($ISet.diff$@T(a, b), x));

function $ISet.subset$@T(a: $ISet$@T, b: $ISet$@T): bool;
axiom (forall a: $ISet$@T, b: $ISet$@T :: {$ISet.subset$@T(a, b)}
  $ISet.subset$@T(a, b) <==> (forall x: @T :: {$ISet.in$@T(a, x)} {$ISet.in$@T(b, x)} $ISet.in$@T(a, x) ==> $ISet.in$@T(b, x)));

function $ISet.eq$@T(a: $ISet$@T, b: $ISet$@T): bool;
axiom (forall a: $ISet$@T, b: $ISet$@T :: {$ISet.eq$@T(a, b)}
  $ISet.eq$@T(a, b) <==> (forall x: @T :: {$ISet.in$@T(a, x)} {$ISet.in$@T(b, x)} $ISet.in$@T(a, x) <==> $ISet.in$@T(b, x)));
axiom (forall a: $ISet$@T, b: $ISet$@T :: {$ISet.eq$@T(a, b)} $ISet.eq$@T(a, b) ==> a == b);

function $ISet.disjoint$@T(a: $ISet$@T, b: $ISet$@T): bool;
axiom (forall a: $ISet$@T, b: $ISet$@T :: {$ISet.disjoint$@T(a, b)}
  $ISet.disjoint$@T(a, b) <==> (forall x: @T :: {$ISet.in$@T(a, x)} {$ISet.in$@T(b, x)} !$ISet.in$@T(a, x) || !$ISet.in$@T(b, x)));

// The set of those x for which m[x].
function $ISet.of$@T(m: [@T]bool): $ISet$@T;
axiom (forall m: [@T]bool, x: @T :: {$ISet.in$@T($ISet.of$@T(m), x)} $ISet.in$@T($ISet.of$@T(m), x) <==> m[x]);
// Nothing is added by the empty collection, and nothing taken away.
axiom (forall a: $ISet$@T :: {$ISet.union$@T(a, $ISet.empty$@T)} $ISet.union$@T(a, $ISet.empty$@T) == a);
axiom (forall a: $ISet$@T :: {$ISet.union$@T($ISet.empty$@T, a)} $ISet.union$@T($ISet.empty$@T, a) == a);
axiom (forall a: $ISet$@T :: {$ISet.diff$@T(a, $ISet.empty$@T)} $ISet.diff$@T(a, $ISet.empty$@T) == a);
axiom (forall a: $ISet$@T, b: $ISet$@T, x: @T :: {$ISet.diff$@T(a, b), $ISet.in$@T(a, x)}
  $ISet.in$@T(a, x) && !$ISet.in$@T(b, x) ==> $ISet.in$@T($ISet.diff$@T(a, b), x));
