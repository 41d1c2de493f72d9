// Values of @T in the heap.
function $Box$@T(x: @T): $Box;
function $Unbox$@T(b: $Box): @T;
axiom (forall x: @T :: {$Box$@T(x)} $Unbox$@T($Box$@T(x)) == x);
