// Maps from @K to @V, possibly infinite. A map is known by its domain and its values there.
type $IMap$@K$@V;
function $IMap.dom$@K$@V(m: $IMap$@K$@V): $ISet$@K;
function $IMap.get$@K$@V(m: $IMap$@K$@V, k: @K): @V;

const $IMap.empty$@K$@V: $IMap$@K$@V;
axiom (forall k: @K :: {$ISet.in$@K($IMap.dom$@K$@V($IMap.empty$@K$@V), k)} !$ISet.in$@K($IMap.dom$@K$@V($IMap.empty$@K$@V), k));

function $IMap.put$@K$@V(m: $IMap$@K$@V, k: @K, v: @V): $IMap$@K$@V;
axiom (forall m: $IMap$@K$@V, k: @K, v: @V, j: @K :: {$ISet.in$@K($IMap.dom$@K$@V($IMap.put$@K$@V(m, k, v)), j)} {$IMap.get$@K$@V($IMap.put$@K$@V(m, k, v), j)}
  ($ISet.in$@K($IMap.dom$@K$@V($IMap.put$@K$@V(m, k, v)), j) <==> j == k || $ISet.in$@K($IMap.dom$@K$@V(m), j))
    && $IMap.get$@K$@V($IMap.put$@K$@V(m, k, v), j) == (if j == k then v else $IMap.get$@K$@V(m, j)));
axiom (forall m: $IMap$@K$@V, k: @K, v: @V :: {$IMap.put$@K$@V(m, k, v)}
  $ISet.in$@K($IMap.dom$@K$@V($IMap.put$@K$@V(m, k, v)), k) && $IMap.get$@K$@V($IMap.put$@K$@V(m, k, v), k) == v);

function $IMap.merge$@K$@V(a: $IMap$@K$@V, b: $IMap$@K$@V): $IMap$@K$@V;
axiom (forall a: $IMap$@K$@V, b: $IMap$@K$@V :: {$IMap.dom$@K$@V($IMap.merge$@K$@V(a, b))}
  $IMap.dom$@K$@V($IMap.merge$@K$@V(a, b)) == $ISet.union$@K($IMap.dom$@K$@V(a), $IMap.dom$@K$@V(b)));
axiom (forall a: $IMap$@K$@V, b: $IMap$@K$@V, k: @K :: {$IMap.get$@K$@V($IMap.merge$@K$@V(a, b), k)}
  $IMap.get$@K$@V($IMap.merge$@K$@V(a, b), k)
    == (if $ISet.in$@K($IMap.dom$@K$@V(b), k) then $IMap.get$@K$@V(b, k) else $IMap.get$@K$@V(a, k)));

function $IMap.minus$@K$@V(m: $IMap$@K$@V, s: $Set$@K): $IMap$@K$@V;
axiom (forall m: $IMap$@K$@V, s: $Set$@K, k: @K :: {$ISet.in$@K($IMap.dom$@K$@V($IMap.minus$@K$@V(m, s)), k)}
  $ISet.in$@K($IMap.dom$@K$@V($IMap.minus$@K$@V(m, s)), k) <==> $ISet.in$@K($IMap.dom$@K$@V(m), k) && !$Set.in$@K(s, k));
axiom (forall m: $IMap$@K$@V, s: $Set$@K, k: @K :: {$IMap.get$@K$@V($IMap.minus$@K$@V(m, s), k)}
  !$Set.in$@K(s, k) ==> $IMap.get$@K$@V($IMap.minus$@K$@V(m, s), k) == $IMap.get$@K$@V(m, k));

// The map with a domain and values given by a Boogie map.
function $IMap.of$@K$@V(d: $ISet$@K, v: [@K]@V): $IMap$@K$@V;
axiom (forall d: $ISet$@K, v: [@K]@V :: {$IMap.dom$@K$@V($IMap.of$@K$@V(d, v))} $IMap.dom$@K$@V($IMap.of$@K$@V(d, v)) == d);
axiom (forall d: $ISet$@K, v: [@K]@V, k: @K :: {$IMap.get$@K$@V($IMap.of$@K$@V(d, v), k)}
  $ISet.in$@K(d, k) ==> $IMap.get$@K$@V($IMap.of$@K$@V(d, v), k) == v[k]);

function $IMap.eq$@K$@V(a: $IMap$@K$@V, b: $IMap$@K$@V): bool;
axiom (forall a: $IMap$@K$@V, b: $IMap$@K$@V :: {$IMap.eq$@K$@V(a, b)}
  $IMap.eq$@K$@V(a, b) <==>
    (forall k: @K :: {$ISet.in$@K($IMap.dom$@K$@V(a), k)} {$ISet.in$@K($IMap.dom$@K$@V(b), k)}
        $ISet.in$@K($IMap.dom$@K$@V(a), k) <==> $ISet.in$@K($IMap.dom$@K$@V(b), k))
    && (forall k: @K :: {$IMap.get$@K$@V(a, k)} {$IMap.get$@K$@V(b, k)}
        $ISet.in$@K($IMap.dom$@K$@V(a), k) ==> $IMap.get$@K$@V(a, k) == $IMap.get$@K$@V(b, k)));
axiom (forall a: $IMap$@K$@V, b: $IMap$@K$@V :: {$IMap.eq$@K$@V(a, b)} $IMap.eq$@K$@V(a, b) ==> a == b);
