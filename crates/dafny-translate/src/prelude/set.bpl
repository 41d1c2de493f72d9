// Sets of @T (finite). A set is known by its members.
type $Set$@T;
function $Set.in$@T(s: $Set$@T, x: @T): bool;

const $Set.empty$@T: $Set$@T;
axiom (forall x: @T :: {$Set.in$@T($Set.empty$@T, x)} !$Set.in$@T($Set.empty$@T, x));

function $Set.add$@T(s: $Set$@T, x: @T): $Set$@T;
axiom (forall s: $Set$@T, y: @T, x: @T :: {$Set.in$@T($Set.add$@T(s, y), x)}
  $Set.in$@T($Set.add$@T(s, y), x) <==> x == y || $Set.in$@T(s, x));
axiom (forall s: $Set$@T, y: @T :: {$Set.add$@T(s, y)} $Set.in$@T($Set.add$@T(s, y), y));
axiom (forall s: $Set$@T, y: @T, x: @T :: {$Set.add$@T(s, y), $Set.in$@T(s, x)}
  $Set.in$@T(s, x) ==> $Set.in$@T($Set.add$@T(s, y), x));

function $Set.union$@T(a: $Set$@T, b: $Set$@T): $Set$@T;
axiom (forall a: $Set$@T, b: $Set$@T, x: @T :: {$Set.in$@T($Set.union$@T(a, b), x)}
  $Set.in$@T($Set.union$@T(a, b), x) <==> $Set.in$@T(a, x) || $Set.in$@T(b, x));
axiom (forall a: $Set$@T, b: $Set$@T, x: @T :: {$Set.union$@T(a, b), $Set.in$@T(a, x)}
  $Set.in$@T(a, x) ==> $Set.in$@T($Set.union$@T(a, b), x));
axiom (forall a: $Set$@T, b: $Set$@T, x: @T :: {$Set.union$@T(a, b), $Set.in$@T(b, x)}
  $Set.in$@T(b, x) ==> $Set.in$@T($Set.union$@T(a, b), x));
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.union$@T($Set.union$@T(a, b), b)}
  $Set.union$@T($Set.union$@T(a, b), b) == $Set.union$@T(a, b));
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.union$@T(a, $Set.union$@T(a, b))}
  $Set.union$@T(a, $Set.union$@T(a, b)) == $Set.union$@T(a, b));

function $Set.inter$@T(a: $Set$@T, b: $Set$@T): $Set$@T;
axiom (forall a: $Set$@T, b: $Set$@T, x: @T :: {$Set.in$@T($Set.inter$@T(a, b), x)}
  $Set.in$@T($Set.inter$@T(a, b), x) <==> $Set.in$@T(a, x) && $Set.in$@T(b, x));

function $Set.diff$@T(a: $Set$@T, b: $Set$@T): $Set$@T;
axiom (forall a: $Set$@T, b: $Set$@T, x: @T :: {$Set.in$@T($Set.diff$@T(a, b), x)}
  $Set.in$@T($Set.diff$@T(a, b), x) <==> $Set.in$@T(a, x) && !$Set.in$@T(b, x));
axiom (forall a: $Set$@T, b: $Set$@T, x: @T :: {$Set.diff$@T(a, b), $Set.in$@T(b, x)}
  $Set.in$@T(b, x) ==> !$Set.in$@T($Set.diff$@T(a, b), x));

function $Set.subset$@T(a: $Set$@T, b: $Set$@T): bool;
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.subset$@T(a, b)}
  $Set.subset$@T(a, b) <==> (forall x: @T :: {$Set.in$@T(a, x)} {$Set.in$@T(b, x)} $Set.in$@T(a, x) ==> $Set.in$@T(b, x)));

function $Set.eq$@T(a: $Set$@T, b: $Set$@T): bool;
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.eq$@T(a, b)}
  $Set.eq$@T(a, b) <==> (forall x: @T :: {$Set.in$@T(a, x)} {$Set.in$@T(b, x)} $Set.in$@T(a, x) <==> $Set.in$@T(b, x)));
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.eq$@T(a, b)} $Set.eq$@T(a, b) ==> a == b);

function $Set.disjoint$@T(a: $Set$@T, b: $Set$@T): bool;
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.disjoint$@T(a, b)}
  $Set.disjoint$@T(a, b) <==> (forall x: @T :: {$Set.in$@T(a, x)} {$Set.in$@T(b, x)} !$Set.in$@T(a, x) || !$Set.in$@T(b, x)));

// The set of those x for which m[x].
function $Set.of$@T(m: [@T]bool): $Set$@T;
axiom (forall m: [@T]bool, x: @T :: {$Set.in$@T($Set.of$@T(m), x)} $Set.in$@T($Set.of$@T(m), x) <==> m[x]);

function $Set.card$@T(s: $Set$@T): int;
axiom (forall s: $Set$@T :: {$Set.card$@T(s)} 0 <= $Set.card$@T(s));
axiom (forall s: $Set$@T :: {$Set.card$@T(s)}
  ($Set.card$@T(s) == 0 <==> s == $Set.empty$@T)
    && ($Set.card$@T(s) != 0 ==> (exists x: @T :: {$Set.in$@T(s, x)} $Set.in$@T(s, x))));
axiom (forall s: $Set$@T, x: @T :: {$Set.card$@T($Set.add$@T(s, x))}
  $Set.card$@T($Set.add$@T(s, x)) == (if $Set.in$@T(s, x) then $Set.card$@T(s) else $Set.card$@T(s) + 1));
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.card$@T($Set.union$@T(a, b))} {$Set.card$@T($Set.inter$@T(a, b))}
  $Set.card$@T($Set.union$@T(a, b)) + $Set.card$@T($Set.inter$@T(a, b)) == $Set.card$@T(a) + $Set.card$@T(b));
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.card$@T($Set.diff$@T(a, b))}
  $Set.card$@T($Set.diff$@T(a, b)) + $Set.card$@T($Set.diff$@T(b, a)) + $Set.card$@T($Set.inter$@T(a, b)) == $Set.card$@T($Set.union$@T(a, b))
    && $Set.card$@T($Set.diff$@T(a, b)) == $Set.card$@T(a) - $Set.card$@T($Set.inter$@T(a, b)));
// Nothing is added by the empty collection, and nothing taken away.
axiom (forall a: $Set$@T :: {$Set.union$@T(a, $Set.empty$@T)} $Set.union$@T(a, $Set.empty$@T) == a);
axiom (forall a: $Set$@T :: {$Set.union$@T($Set.empty$@T, a)} $Set.union$@T($Set.empty$@T, a) == a);
axiom (forall a: $Set$@T :: {$Set.diff$@T(a, $Set.empty$@T)} $Set.diff$@T(a, $Set.empty$@T) == a);
axiom (forall a: $Set$@T, b: $Set$@T, x: @T :: {$Set.diff$@T(a, b), $Set.in$@T(a, x)}
  $Set.in$@T(a, x) && !$Set.in$@T(b, x) ==> $Set.in$@T($Set.diff$@T(a, b), x));
// A part of a set is not larger.
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.subset$@T(a, b), $Set.card$@T(a), $Set.card$@T(b)}
  $Set.subset$@T(a, b) ==> $Set.card$@T(a) <= $Set.card$@T(b) && ($Set.card$@T(a) == $Set.card$@T(b) ==> a == b));
axiom (forall a: $Set$@T, b: $Set$@T :: {$Set.union$@T(a, b)}
  $Set.disjoint$@T(a, b) ==> $Set.diff$@T($Set.union$@T(a, b), a) == b && $Set.diff$@T($Set.union$@T(a, b), b) == a);
