// Objects and the heap: a map from objects to their states, a state being a map from fields to boxed values.
type ref;
type $Field;
type $Box;
type $Class;
const null: ref;
function $dtype(o: ref): $Class;
type $State = [$Field]$Box;
type $HeapType = [ref]$State;
var $Heap: $HeapType;
const unique $field.alloc: $Field;
function $Box.alloc(b: $Box): bool;
const $Box.allocated: $Box;
axiom $Box.alloc($Box.allocated);
function {:inline} $alloc(h: $HeapType, o: ref): bool { $Box.alloc(h[o][$field.alloc]) }
// Heaps in which what allocated objects refer to is allocated, and has the type that it should have.
function $HeapOk(h: $HeapType): bool;
// A later heap: what was allocated stays so.
function $HeapSucc(h: $HeapType, k: $HeapType): bool;
axiom (forall h: $HeapType, k: $HeapType, o: ref :: {$HeapSucc(h, k), $Box.alloc(k[o][$field.alloc])}
  $HeapSucc(h, k) && $Box.alloc(h[o][$field.alloc]) ==> $Box.alloc(k[o][$field.alloc]));
// Fields of arrays.
function $index(i: int): $Field;
function $index.inv(f: $Field): int;
axiom (forall i: int :: {$index(i)} $index.inv($index(i)) == i);
function $field.kind(f: $Field): int;
axiom (forall i: int :: {$index(i)} $field.kind($index(i)) == 1);
axiom $field.kind($field.alloc) == 0;
function $length(a: ref): int;
axiom (forall a: ref :: {$length(a)} 0 <= $length(a));
