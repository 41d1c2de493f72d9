// The length of a dimension of an array with several.
function $lengths(a: ref, d: int): int;
axiom (forall a: ref, d: int :: {$lengths(a, d)} 0 <= $lengths(a, d));
