// A bounded queue in a ring, a stack, and a bank, as records in a heap.
type Ref;
type Field a;
type Heap = <a>[Ref, Field a]a;
const null: Ref;
const unique alloc: Field bool;
const unique capacity: Field int;
const unique first: Field int;
const unique count: Field int;
const unique data: Field ([int]int);
const unique height: Field int;
const unique balance: Field int;
const unique limit: Field int;
const unique owner: Field Ref;

var heap: Heap;

function GoodQueue(h: Heap, q: Ref): bool
{
  q != null && h[q, alloc] && 0 < h[q, capacity]
  && 0 <= h[q, first] && h[q, first] < h[q, capacity]
  && 0 <= h[q, count] && h[q, count] <= h[q, capacity]
}
function At(h: Heap, q: Ref, i: int): int
{
  if h[q, first] + i < h[q, capacity]
  then h[q, data][h[q, first] + i]
  else h[q, data][h[q, first] + i - h[q, capacity]]
}
function GoodStack(h: Heap, s: Ref): bool
{
  s != null && h[s, alloc] && 0 <= h[s, height]
}
function GoodAccount(h: Heap, x: Ref): bool
{
  x != null && h[x, alloc] && 0 <= h[x, limit] && 0 - h[x, limit] <= h[x, balance]
}
function OthersSame(h: Heap, k: Heap, x: Ref): bool
{
  (forall<b> o: Ref, f: Field b :: {k[o, f]} o != x && h[o, alloc] ==> k[o, f] == h[o, f])
}

procedure Allocate() returns (x: Ref)
  modifies heap;
  ensures x != null && !old(heap)[x, alloc] && heap[x, alloc];
  ensures OthersSame(old(heap), heap, x);
{
  havoc x;
  assume x != null && !heap[x, alloc];
  heap[x, alloc] := true;
}

procedure NewQueue(size: int) returns (q: Ref)
  requires 0 < size;
  modifies heap;
  ensures GoodQueue(heap, q) && heap[q, count] == 0 && heap[q, capacity] == size;
  ensures !old(heap)[q, alloc];
  ensures OthersSame(old(heap), heap, q);
{
  call q := Allocate();
  heap[q, capacity] := size;
  heap[q, first] := 0;
  heap[q, count] := 0;
}

procedure Enqueue(q: Ref, v: int)
  requires GoodQueue(heap, q) && heap[q, count] < heap[q, capacity];
  modifies heap;
  ensures GoodQueue(heap, q);
  ensures heap[q, count] == old(heap)[q, count] + 1 && heap[q, capacity] == old(heap)[q, capacity];
  ensures At(heap, q, old(heap)[q, count]) == v;
  ensures (forall i: int :: {At(heap, q, i)} 0 <= i && i < old(heap)[q, count]
            ==> At(heap, q, i) == At(old(heap), q, i));
  ensures OthersSame(old(heap), heap, q);
{
  var at: int;
  at := heap[q, first] + heap[q, count];
  if (heap[q, capacity] <= at) {
    at := at - heap[q, capacity];
  }
  assert 0 <= at && at < heap[q, capacity];
  heap[q, data] := heap[q, data][at := v];
  heap[q, count] := heap[q, count] + 1;
}

procedure Dequeue(q: Ref) returns (v: int)
  requires GoodQueue(heap, q) && 0 < heap[q, count];
  modifies heap;
  ensures GoodQueue(heap, q);
  ensures heap[q, count] == old(heap)[q, count] - 1 && heap[q, capacity] == old(heap)[q, capacity];
  ensures v == At(old(heap), q, 0);
  ensures (forall i: int :: {At(heap, q, i)} 0 <= i && i < heap[q, count]
            ==> At(heap, q, i) == At(old(heap), q, i + 1));
  ensures OthersSame(old(heap), heap, q);
{
  v := heap[q, data][heap[q, first]];
  if (heap[q, first] + 1 == heap[q, capacity]) {
    heap[q, first] := 0;
  } else {
    heap[q, first] := heap[q, first] + 1;
  }
  heap[q, count] := heap[q, count] - 1;
}

procedure Peek(q: Ref) returns (v: int)
  requires GoodQueue(heap, q) && 0 < heap[q, count];
  ensures v == At(heap, q, 0);
{
  v := heap[q, data][heap[q, first]];
}

procedure Clear(q: Ref)
  requires GoodQueue(heap, q);
  modifies heap;
  ensures GoodQueue(heap, q) && heap[q, count] == 0;
  ensures OthersSame(old(heap), heap, q);
{
  var v: int;
  while (0 < heap[q, count])
    invariant GoodQueue(heap, q);
    invariant OthersSame(old(heap), heap, q);
  {
    call v := Dequeue(q);
  }
}

procedure Move(from: Ref, to: Ref, n: int) returns (moved: int)
  requires from != to && 0 <= n;
  requires GoodQueue(heap, from) && GoodQueue(heap, to);
  modifies heap;
  ensures GoodQueue(heap, from) && GoodQueue(heap, to);
  ensures 0 <= moved && moved <= n;
  ensures heap[from, count] == old(heap)[from, count] - moved;
  ensures heap[to, count] == old(heap)[to, count] + moved;
{
  var v: int;
  moved := 0;
  while (moved < n && 0 < heap[from, count] && heap[to, count] < heap[to, capacity])
    invariant GoodQueue(heap, from) && GoodQueue(heap, to);
    invariant 0 <= moved && moved <= n;
    invariant heap[from, count] == old(heap)[from, count] - moved;
    invariant heap[to, count] == old(heap)[to, count] + moved;
  {
    call v := Dequeue(from);
    call Enqueue(to, v);
    moved := moved + 1;
  }
}

procedure NewStack() returns (s: Ref)
  modifies heap;
  ensures GoodStack(heap, s) && heap[s, height] == 0 && !old(heap)[s, alloc];
  ensures OthersSame(old(heap), heap, s);
{
  call s := Allocate();
  heap[s, height] := 0;
}

procedure Push(s: Ref, v: int)
  requires GoodStack(heap, s);
  modifies heap;
  ensures GoodStack(heap, s) && heap[s, height] == old(heap)[s, height] + 1;
  ensures heap[s, data][old(heap)[s, height]] == v;
  ensures (forall i: int :: {heap[s, data][i]} 0 <= i && i < old(heap)[s, height]
            ==> heap[s, data][i] == old(heap)[s, data][i]);
  ensures OthersSame(old(heap), heap, s);
{
  heap[s, data] := heap[s, data][heap[s, height] := v];
  heap[s, height] := heap[s, height] + 1;
}

procedure Pop(s: Ref) returns (v: int)
  requires GoodStack(heap, s) && 0 < heap[s, height];
  modifies heap;
  ensures GoodStack(heap, s) && heap[s, height] == old(heap)[s, height] - 1;
  ensures v == old(heap)[s, data][heap[s, height]];
  ensures heap[s, data] == old(heap)[s, data];
  ensures OthersSame(old(heap), heap, s);
{
  heap[s, height] := heap[s, height] - 1;
  v := heap[s, data][heap[s, height]];
}

procedure Reverse(q: Ref, s: Ref)
  requires q != s && GoodQueue(heap, q) && GoodStack(heap, s);
  modifies heap;
  ensures GoodQueue(heap, q) && GoodStack(heap, s);
  ensures heap[s, height] == old(heap)[s, height];
{
  var v, n: int;
  n := 0;
  while (0 < heap[q, count])
    invariant GoodQueue(heap, q) && GoodStack(heap, s) && 0 <= n;
    invariant heap[s, height] == old(heap)[s, height] + n;
    invariant n + heap[q, count] <= heap[q, capacity];
  {
    call v := Dequeue(q);
    call Push(s, v);
    n := n + 1;
  }
  while (0 < n)
    invariant GoodQueue(heap, q) && GoodStack(heap, s) && 0 <= n;
    invariant heap[s, height] == old(heap)[s, height] + n;
    invariant n + heap[q, count] <= heap[q, capacity];
  {
    call v := Pop(s);
    call Enqueue(q, v);
    n := n - 1;
  }
}

procedure Open(who: Ref, allowed: int) returns (x: Ref)
  requires 0 <= allowed;
  modifies heap;
  ensures GoodAccount(heap, x) && heap[x, balance] == 0 && heap[x, limit] == allowed;
  ensures !old(heap)[x, alloc];
  ensures OthersSame(old(heap), heap, x);
{
  call x := Allocate();
  heap[x, balance] := 0;
  heap[x, limit] := allowed;
  heap[x, owner] := who;
}

procedure Deposit(x: Ref, amount: int)
  requires GoodAccount(heap, x) && 0 <= amount;
  modifies heap;
  ensures GoodAccount(heap, x) && heap[x, balance] == old(heap)[x, balance] + amount;
  ensures OthersSame(old(heap), heap, x);
{
  heap[x, balance] := heap[x, balance] + amount;
}

procedure Withdraw(x: Ref, amount: int) returns (done: bool)
  requires GoodAccount(heap, x) && 0 <= amount;
  modifies heap;
  ensures GoodAccount(heap, x);
  ensures done ==> heap[x, balance] == old(heap)[x, balance] - amount;
  ensures !done ==> heap[x, balance] == old(heap)[x, balance];
  ensures OthersSame(old(heap), heap, x);
{
  done := heap[x, balance] - amount >= 0 - heap[x, limit];
  if (done) {
    heap[x, balance] := heap[x, balance] - amount;
  }
}

procedure Transfer(x: Ref, y: Ref, amount: int) returns (done: bool)
  requires x != y && 0 <= amount;
  requires GoodAccount(heap, x) && GoodAccount(heap, y);
  modifies heap;
  ensures GoodAccount(heap, x) && GoodAccount(heap, y);
  ensures heap[x, balance] + heap[y, balance] == old(heap)[x, balance] + old(heap)[y, balance];
{
  call done := Withdraw(x, amount);
  if (done) {
    call Deposit(y, amount);
  }
}

procedure Client(who: Ref)
  modifies heap;
{
  var q, r, s, x, y: Ref;
  var v, w: int;
  var ok: bool;
  call q := NewQueue(4);
  call Enqueue(q, 10);
  call Enqueue(q, 20);
  assert At(heap, q, 0) == 10;
  call r := NewQueue(2);
  assert At(heap, q, 0) == 10;
  assert GoodQueue(heap, q) && heap[q, count] == 2;
  call v := Dequeue(q);
  assert v == 10;
  call Enqueue(r, v);
  call w := Peek(r);
  assert w == 10;
  call s := NewStack();
  call Push(s, w);
  call v := Pop(s);
  assert v == 10;
  call x := Open(who, 100);
  call y := Open(who, 0);
  call Deposit(x, 50);
  call ok := Transfer(x, y, 120);
  assert heap[x, balance] + heap[y, balance] == 50;
}
