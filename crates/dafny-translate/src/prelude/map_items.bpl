// The pairs of a map.
function $Map.items$@K$@V(m: $Map$@K$@V): $Set$$Tuple2$@K$@V;
axiom (forall m: $Map$@K$@V, p: $Tuple2$@K$@V :: {$Set.in$$Tuple2$@K$@V($Map.items$@K$@V(m), p)}
  $Set.in$$Tuple2$@K$@V($Map.items$@K$@V(m), p) <==>
    $Set.in$@K($Map.dom$@K$@V(m), item0#$make.$Tuple2$@K$@V(p))
      && $Map.get$@K$@V(m, item0#$make.$Tuple2$@K$@V(p)) == item1#$make.$Tuple2$@K$@V(p));
axiom (forall m: $Map$@K$@V, k: @K :: {$Map.items$@K$@V(m), $Set.in$@K($Map.dom$@K$@V(m), k)}
  $Set.in$@K($Map.dom$@K$@V(m), k) ==>
    $Set.in$$Tuple2$@K$@V($Map.items$@K$@V(m), $make.$Tuple2$@K$@V(k, $Map.get$@K$@V(m, k))));
axiom (forall m: $Map$@K$@V :: {$Set.card$$Tuple2$@K$@V($Map.items$@K$@V(m))} {$Map.items$@K$@V(m), $Map.card$@K$@V(m)}
  $Set.card$$Tuple2$@K$@V($Map.items$@K$@V(m)) == $Map.card$@K$@V(m));
