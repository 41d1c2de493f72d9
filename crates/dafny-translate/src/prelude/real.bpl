// Integers as reals, and the greatest integer below a real. As functions they can be matched, and what a conversion there
// and back gives is known without a search.
function $real.of(i: int): real;
axiom (forall i: int :: {$real.of(i)} $real.of(i) == real(i));
function $real.floor(x: real): int;
axiom (forall x: real :: {$real.floor(x)} real($real.floor(x)) <= x && x < real($real.floor(x)) + 1.0);
axiom (forall i: int :: {$real.floor($real.of(i))} $real.floor($real.of(i)) == i);
