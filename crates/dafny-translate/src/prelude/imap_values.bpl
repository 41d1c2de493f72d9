function $IMap.values$@K$@V(m: $IMap$@K$@V): $ISet$@V;
axiom (forall m: $IMap$@K$@V, v: @V :: {$ISet.in$@V($IMap.values$@K$@V(m), v)}
  $ISet.in$@V($IMap.values$@K$@V(m), v) <==>
    (exists k: @K :: {$ISet.in$@K($IMap.dom$@K$@V(m), k)} {$IMap.get$@K$@V(m, k)} $ISet.in$@K($IMap.dom$@K$@V(m), k) && $IMap.get$@K$@V(m, k) == v));
axiom (forall m: $IMap$@K$@V, k: @K :: {$IMap.values$@K$@V(m), $IMap.get$@K$@V(m, k)} {$IMap.values$@K$@V(m), $ISet.in$@K($IMap.dom$@K$@V(m), k)}
  $ISet.in$@K($IMap.dom$@K$@V(m), k) ==> $ISet.in$@V($IMap.values$@K$@V(m), $IMap.get$@K$@V(m, k)));
