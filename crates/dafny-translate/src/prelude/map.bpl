// Maps from @K to @V. A map is known by its domain and its values there.
type $Map$@K$@V;
function $Map.dom$@K$@V(m: $Map$@K$@V): $Set$@K;
function $Map.get$@K$@V(m: $Map$@K$@V, k: @K): @V;

const $Map.empty$@K$@V: $Map$@K$@V;
axiom (forall k: @K :: {$Set.in$@K($Map.dom$@K$@V($Map.empty$@K$@V), k)} !$Set.in$@K($Map.dom$@K$@V($Map.empty$@K$@V), k));

function $Map.put$@K$@V(m: $Map$@K$@V, k: @K, v: @V): $Map$@K$@V;
axiom (forall m: $Map$@K$@V, k: @K, v: @V, j: @K :: {$Set.in$@K($Map.dom$@K$@V($Map.put$@K$@V(m, k, v)), j)} {$Map.get$@K$@V($Map.put$@K$@V(m, k, v), j)}
  ($Set.in$@K($Map.dom$@K$@V($Map.put$@K$@V(m, k, v)), j) <==> j == k || $Set.in$@K($Map.dom$@K$@V(m), j))
    && $Map.get$@K$@V($Map.put$@K$@V(m, k, v), j) == (if j == k then v else $Map.get$@K$@V(m, j)));
axiom (forall m: $Map$@K$@V, k: @K, v: @V :: {$Map.put$@K$@V(m, k, v)}
  $Set.in$@K($Map.dom$@K$@V($Map.put$@K$@V(m, k, v)), k) && $Map.get$@K$@V($Map.put$@K$@V(m, k, v), k) == v);

function $Map.merge$@K$@V(a: $Map$@K$@V, b: $Map$@K$@V): $Map$@K$@V;
axiom (forall a: $Map$@K$@V, b: $Map$@K$@V :: {$Map.dom$@K$@V($Map.merge$@K$@V(a, b))}
  $Map.dom$@K$@V($Map.merge$@K$@V(a, b)) == $Set.union$@K($Map.dom$@K$@V(a), $Map.dom$@K$@V(b)));
axiom (forall a: $Map$@K$@V, b: $Map$@K$@V, k: @K :: {$Map.get$@K$@V($Map.merge$@K$@V(a, b), k)}
  $Map.get$@K$@V($Map.merge$@K$@V(a, b), k)
    == (if $Set.in$@K($Map.dom$@K$@V(b), k) then $Map.get$@K$@V(b, k) else $Map.get$@K$@V(a, k)));

function $Map.minus$@K$@V(m: $Map$@K$@V, s: $Set$@K): $Map$@K$@V;
axiom (forall m: $Map$@K$@V, s: $Set$@K, k: @K :: {$Set.in$@K($Map.dom$@K$@V($Map.minus$@K$@V(m, s)), k)}
  $Set.in$@K($Map.dom$@K$@V($Map.minus$@K$@V(m, s)), k) <==> $Set.in$@K($Map.dom$@K$@V(m), k) && !$Set.in$@K(s, k));
axiom (forall m: $Map$@K$@V, s: $Set$@K, k: @K :: {$Map.get$@K$@V($Map.minus$@K$@V(m, s), k)}
  !$Set.in$@K(s, k) ==> $Map.get$@K$@V($Map.minus$@K$@V(m, s), k) == $Map.get$@K$@V(m, k));
axiom (forall m: $Map$@K$@V, s: $Set$@K :: {$Map.dom$@K$@V($Map.minus$@K$@V(m, s))}
  $Map.dom$@K$@V($Map.minus$@K$@V(m, s)) == $Set.diff$@K($Map.dom$@K$@V(m), s));
// The map with a domain and values given by a Boogie map.
function $Map.of$@K$@V(d: $Set$@K, v: [@K]@V): $Map$@K$@V;
axiom (forall d: $Set$@K, v: [@K]@V :: {$Map.dom$@K$@V($Map.of$@K$@V(d, v))} $Map.dom$@K$@V($Map.of$@K$@V(d, v)) == d);
axiom (forall d: $Set$@K, v: [@K]@V, k: @K :: {$Map.get$@K$@V($Map.of$@K$@V(d, v), k)}
  $Set.in$@K(d, k) ==> $Map.get$@K$@V($Map.of$@K$@V(d, v), k) == v[k]);

function $Map.eq$@K$@V(a: $Map$@K$@V, b: $Map$@K$@V): bool;
axiom (forall a: $Map$@K$@V, b: $Map$@K$@V :: {$Map.eq$@K$@V(a, b)}
  $Map.eq$@K$@V(a, b) <==>
    (forall k: @K :: {$Set.in$@K($Map.dom$@K$@V(a), k)} {$Set.in$@K($Map.dom$@K$@V(b), k)}
        $Set.in$@K($Map.dom$@K$@V(a), k) <==> $Set.in$@K($Map.dom$@K$@V(b), k))
    && (forall k: @K :: {$Map.get$@K$@V(a, k)} {$Map.get$@K$@V(b, k)}
        $Set.in$@K($Map.dom$@K$@V(a), k) ==> $Map.get$@K$@V(a, k) == $Map.get$@K$@V(b, k)));
axiom (forall a: $Map$@K$@V, b: $Map$@K$@V :: {$Map.eq$@K$@V(a, b)} $Map.eq$@K$@V(a, b) ==> a == b);

function $Map.card$@K$@V(m: $Map$@K$@V): int;
axiom (forall m: $Map$@K$@V :: {$Map.card$@K$@V(m)} $Map.card$@K$@V(m) == $Set.card$@K($Map.dom$@K$@V(m)));
axiom (forall m: $Map$@K$@V, k: @K, v: @V :: {$Map.card$@K$@V($Map.put$@K$@V(m, k, v))}
  $Map.card$@K$@V($Map.put$@K$@V(m, k, v))
    == (if $Set.in$@K($Map.dom$@K$@V(m), k) then $Map.card$@K$@V(m) else $Map.card$@K$@V(m) + 1));
axiom (forall m: $Map$@K$@V :: {$Map.dom$@K$@V(m)}
  $Set.eq$@K($Map.dom$@K$@V(m), $Set.empty$@K) ==> m == $Map.empty$@K$@V);
