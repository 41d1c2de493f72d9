// Characters and their code points.
type char;
function $char.of(i: int): char;
function $char.code(c: char): int;
axiom (forall c: char :: {$char.code(c)}
  $char.of($char.code(c)) == c
    && ((0 <= $char.code(c) && $char.code(c) < 55296) || (57344 <= $char.code(c) && $char.code(c) < 1114112)));
axiom (forall i: int :: {$char.of(i)}
  (0 <= i && i < 55296) || (57344 <= i && i < 1114112) ==> $char.code($char.of(i)) == i);
