// Remainders as a function, as products are.
function $Mod(x: int, y: int): int;
axiom (forall x: int, y: int :: {$Mod(x, y)} $Mod(x, y) == x mod y);
