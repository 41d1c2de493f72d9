// The pairs of a map that may be infinite.
function $IMap.items$@K$@V(m: $IMap$@K$@V): $ISet$$Tuple2$@K$@V;
axiom (forall m: $IMap$@K$@V, p: $Tuple2$@K$@V :: {$ISet.in$$Tuple2$@K$@V($IMap.items$@K$@V(m), p)}
  $ISet.in$$Tuple2$@K$@V($IMap.items$@K$@V(m), p) <==>
    $ISet.in$@K($IMap.dom$@K$@V(m), item0#$make.$Tuple2$@K$@V(p))
      && $IMap.get$@K$@V(m, item0#$make.$Tuple2$@K$@V(p)) == item1#$make.$Tuple2$@K$@V(p));
axiom (forall m: $IMap$@K$@V, k: @K :: {$IMap.items$@K$@V(m), $ISet.in$@K($IMap.dom$@K$@V(m), k)}
  $ISet.in$@K($IMap.dom$@K$@V(m), k) ==>
    $ISet.in$$Tuple2$@K$@V($IMap.items$@K$@V(m), $make.$Tuple2$@K$@V(k, $IMap.get$@K$@V(m, k))));
