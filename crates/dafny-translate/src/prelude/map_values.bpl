function $Map.values$@K$@V(m: $Map$@K$@V): $Set$@V;
axiom (forall m: $Map$@K$@V, v: @V :: {$Set.in$@V($Map.values$@K$@V(m), v)}
  $Set.in$@V($Map.values$@K$@V(m), v) <==>
    (exists k: @K :: {$Set.in$@K($Map.dom$@K$@V(m), k)} {$Map.get$@K$@V(m, k)} $Set.in$@K($Map.dom$@K$@V(m), k) && $Map.get$@K$@V(m, k) == v));
axiom (forall m: $Map$@K$@V :: {$Set.card$@V($Map.values$@K$@V(m))} $Set.card$@V($Map.values$@K$@V(m)) <= $Map.card$@K$@V(m));
axiom (forall m: $Map$@K$@V, k: @K :: {$Map.values$@K$@V(m), $Map.get$@K$@V(m, k)}
  $Set.in$@K($Map.dom$@K$@V(m), k) ==> $Set.in$@V($Map.values$@K$@V(m), $Map.get$@K$@V(m, k)));
