// Quotients as a function, as products are.
function $Div(x: int, y: int): int;
axiom (forall x: int, y: int :: {$Div(x, y)} $Div(x, y) == x div y);
