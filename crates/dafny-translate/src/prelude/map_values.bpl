function $Map.values$@K$@V(m: $Map$@K$@V): $Set$@V;
axiom (forall m: $Map$@K$@V, v: @V :: {$Set.in$@V($Map.values$@K$@V(m), v)}
  $Set.in$@V($Map.values$@K$@V(m), v) <==>
    (exists k: @K :: {$Set.in$@K($Map.dom$@K$@V(m), k)} {$Map.get$@K$@V(m, k)} $Set.in$@K($Map.dom$@K$@V(m), k) && $Map.get$@K$@V(m, k) == v));
