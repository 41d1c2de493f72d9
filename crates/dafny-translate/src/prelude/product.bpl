// Products as a function: equal factors make equal products without arithmetic, and quantifiers are matched by them.
function $Mul(x: int, y: int): int;
axiom (forall x: int, y: int :: {$Mul(x, y)} $Mul(x, y) == x * y);
