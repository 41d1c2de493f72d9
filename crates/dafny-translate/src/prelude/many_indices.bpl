// A further index of an array with several dimensions.
function $index.more(f: $Field, i: int): $Field;
function $index.rest(f: $Field): $Field;
function $index.last(f: $Field): int;
axiom (forall f: $Field, i: int :: {$index.more(f, i)}
  $index.rest($index.more(f, i)) == f && $index.last($index.more(f, i)) == i && $field.kind($index.more(f, i)) == 3);
