// Algorithms on arrays, as maps with a length.
function Sorted(a: [int]int, lo: int, hi: int): bool
{
  (forall i, j: int :: {a[i], a[j]} lo <= i && i <= j && j < hi ==> a[i] <= a[j])
}
function Below(a: [int]int, lo: int, hi: int, v: int): bool
{
  (forall i: int :: {a[i]} lo <= i && i < hi ==> a[i] <= v)
}
function Above(a: [int]int, lo: int, hi: int, v: int): bool
{
  (forall i: int :: {a[i]} lo <= i && i < hi ==> v <= a[i])
}
function Same(a: [int]int, b: [int]int, lo: int, hi: int): bool
{
  (forall i: int :: {a[i]} {b[i]} lo <= i && i < hi ==> a[i] == b[i])
}

var a: [int]int;

procedure Max(n: int) returns (m: int, at: int)
  requires 0 < n;
  ensures Below(a, 0, n, m);
  ensures 0 <= at && at < n && a[at] == m;
{
  var i: int;
  m, at, i := a[0], 0, 1;
  while (i < n)
    invariant 1 <= i && i <= n;
    invariant Below(a, 0, i, m);
    invariant 0 <= at && at < i && a[at] == m;
  {
    if (m < a[i]) {
      m, at := a[i], i;
    }
    i := i + 1;
  }
}

procedure Min(n: int) returns (m: int, at: int)
  requires 0 < n;
  ensures Above(a, 0, n, m);
  ensures 0 <= at && at < n && a[at] == m;
{
  var i: int;
  m, at, i := a[0], 0, 1;
  while (i < n)
    invariant 1 <= i && i <= n;
    invariant Above(a, 0, i, m);
    invariant 0 <= at && at < i && a[at] == m;
  {
    if (a[i] < m) {
      m, at := a[i], i;
    }
    i := i + 1;
  }
}

procedure Fill(n: int, v: int)
  requires 0 <= n;
  modifies a;
  ensures (forall i: int :: {a[i]} 0 <= i && i < n ==> a[i] == v);
  ensures (forall i: int :: {a[i]} i < 0 || n <= i ==> a[i] == old(a)[i]);
{
  var k: int;
  k := 0;
  while (k < n)
    invariant 0 <= k && k <= n;
    invariant (forall i: int :: {a[i]} 0 <= i && i < k ==> a[i] == v);
    invariant (forall i: int :: {a[i]} i < 0 || k <= i ==> a[i] == old(a)[i]);
  {
    a[k] := v;
    k := k + 1;
  }
}

procedure Swap(i: int, j: int)
  modifies a;
  ensures a[i] == old(a)[j] && a[j] == old(a)[i];
  ensures (forall k: int :: {a[k]} k != i && k != j ==> a[k] == old(a)[k]);
{
  var t: int;
  t := a[i];
  a[i] := a[j];
  a[j] := t;
}

procedure Find(n: int, v: int) returns (at: int)
  requires 0 <= n;
  ensures 0 <= at && at <= n;
  ensures at < n ==> a[at] == v;
  ensures at == n ==> (forall i: int :: {a[i]} 0 <= i && i < n ==> a[i] != v);
{
  at := 0;
  while (at < n)
    invariant 0 <= at && at <= n;
    invariant (forall i: int :: {a[i]} 0 <= i && i < at ==> a[i] != v);
  {
    if (a[at] == v) {
      return;
    }
    at := at + 1;
  }
}

procedure BinarySearch(n: int, v: int) returns (at: int)
  requires 0 <= n;
  requires Sorted(a, 0, n);
  ensures 0 <= at && at <= n;
  ensures (forall i: int :: {a[i]} 0 <= i && i < at ==> a[i] < v);
  ensures (forall i: int :: {a[i]} at <= i && i < n ==> v <= a[i]);
{
  var lo, hi, mid: int;
  lo, hi := 0, n;
  while (lo < hi)
    invariant 0 <= lo && lo <= hi && hi <= n;
    invariant (forall i: int :: {a[i]} 0 <= i && i < lo ==> a[i] < v);
    invariant (forall i: int :: {a[i]} hi <= i && i < n ==> v <= a[i]);
  {
    mid := lo + (hi - lo) div 2;
    assert lo <= mid && mid < hi;
    if (a[mid] < v) {
      lo := mid + 1;
    } else {
      hi := mid;
    }
  }
  at := lo;
}

procedure Insert(n: int, v: int)
  requires 0 <= n;
  requires Sorted(a, 0, n);
  modifies a;
  ensures Sorted(a, 0, n + 1);
{
  var k: int;
  k := n;
  while (0 < k && v < a[k - 1])
    invariant 0 <= k && k <= n;
    invariant Sorted(a, 0, k);
    invariant Sorted(a, k + 1, n + 1);
    invariant (forall i, j: int :: {a[i], a[j]} 0 <= i && i < k && k < j && j <= n ==> a[i] <= a[j]);
    invariant (forall j: int :: {a[j]} k < j && j <= n ==> v < a[j]);
  {
    a[k] := a[k - 1];
    k := k - 1;
  }
  a[k] := v;
}

procedure InsertionSort(n: int)
  requires 0 <= n;
  modifies a;
  ensures Sorted(a, 0, n);
{
  var k: int;
  k := 0;
  while (k < n)
    invariant 0 <= k && k <= n;
    invariant Sorted(a, 0, k);
  {
    call Insert(k, a[k]);
    k := k + 1;
  }
}

procedure SelectionSort(n: int)
  requires 0 <= n;
  modifies a;
  ensures Sorted(a, 0, n);
{
  var k, m, j: int;
  k := 0;
  while (k < n)
    invariant 0 <= k && k <= n;
    invariant Sorted(a, 0, k);
    invariant (forall i, l: int :: {a[i], a[l]} 0 <= i && i < k && k <= l && l < n ==> a[i] <= a[l]);
  {
    m, j := k, k + 1;
    while (j < n)
      invariant k < j && j <= n;
      invariant k <= m && m < j;
      invariant Above(a, k, j, a[m]);
    {
      if (a[j] < a[m]) {
        m := j;
      }
      j := j + 1;
    }
    assert Above(a, k, n, a[m]);
    call Swap(k, m);
    k := k + 1;
  }
}

procedure Partition(n: int, p: int) returns (k: int)
  requires 0 <= n;
  modifies a;
  ensures 0 <= k && k <= n;
  ensures (forall i: int :: {a[i]} 0 <= i && i < k ==> a[i] < p);
  ensures (forall i: int :: {a[i]} k <= i && i < n ==> p <= a[i]);
{
  var j: int;
  k, j := 0, 0;
  while (j < n)
    invariant 0 <= k && k <= j && j <= n;
    invariant (forall i: int :: {a[i]} 0 <= i && i < k ==> a[i] < p);
    invariant (forall i: int :: {a[i]} k <= i && i < j ==> p <= a[i]);
  {
    if (a[j] < p) {
      call Swap(k, j);
      k := k + 1;
    }
    j := j + 1;
  }
}

procedure IsSorted(n: int) returns (yes: bool)
  requires 0 <= n;
  ensures yes ==> Sorted(a, 0, n);
  ensures !yes ==> (exists i: int :: 0 < i && i < n && a[i] < a[i - 1]);
{
  var k: int;
  yes, k := true, 1;
  while (k < n)
    invariant 1 <= k;
    invariant k <= n || n <= 1;
    invariant Sorted(a, 0, if k <= n then k else n);
  {
    if (a[k] < a[k - 1]) {
      yes := false;
      return;
    }
    k := k + 1;
  }
}

procedure Bound(n: int, limit: int) returns (changed: int)
  requires 0 <= n;
  modifies a;
  ensures Below(a, 0, n, limit);
  ensures 0 <= changed && changed <= n;
{
  var k: int;
  k, changed := 0, 0;
  while (k < n)
    invariant 0 <= k && k <= n;
    invariant 0 <= changed && changed <= k;
    invariant Below(a, 0, k, limit);
  {
    if (limit < a[k]) {
      a[k] := limit;
      changed := changed + 1;
    }
    k := k + 1;
  }
}

procedure CopyTo(n: int, b: [int]int) returns (c: [int]int)
  requires 0 <= n;
  ensures Same(c, a, 0, n);
  ensures (forall i: int :: {c[i]} i < 0 || n <= i ==> c[i] == b[i]);
{
  var k: int;
  c, k := b, 0;
  while (k < n)
    invariant 0 <= k && k <= n;
    invariant Same(c, a, 0, k);
    invariant (forall i: int :: {c[i]} i < 0 || k <= i ==> c[i] == b[i]);
  {
    c[k] := a[k];
    k := k + 1;
  }
}

procedure Reverse(n: int)
  requires 0 <= n;
  modifies a;
  ensures (forall i: int :: {a[i]} 0 <= i && i < n ==> a[i] == old(a)[n - 1 - i]);
{
  var lo, hi: int;
  lo, hi := 0, n - 1;
  while (lo < hi)
    invariant 0 <= lo && lo + hi == n - 1 && lo <= hi + 1;
    invariant (forall i: int :: {a[i]} 0 <= i && i < lo ==> a[i] == old(a)[n - 1 - i]);
    invariant (forall i: int :: {a[i]} hi < i && i < n ==> a[i] == old(a)[n - 1 - i]);
    invariant (forall i: int :: {a[i]} lo <= i && i <= hi ==> a[i] == old(a)[i]);
  {
    call Swap(lo, hi);
    lo, hi := lo + 1, hi - 1;
  }
}

procedure Client(n: int)
  requires 10 <= n;
  modifies a;
{
  var m, at, k: int;
  var yes: bool;
  call Fill(n, 7);
  call m, at := Max(n);
  assert m == 7;
  call InsertionSort(n);
  call yes := IsSorted(n);
  call at := BinarySearch(n, 3);
  assert 0 <= at;
  call k := Partition(n, 5);
  assert 0 < k ==> a[0] < 5;
  call k := Bound(n, 4);
  call m, at := Max(n);
  assert m <= 4;
}
