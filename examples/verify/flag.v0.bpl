type Color;
const unique Red: Color;
const unique White: Color;
const unique Blue: Color;
axiom (forall m: [int]Color, i: int :: {m[i]} m[i] == Red || m[i] == White || m[i] == Blue);
function Ordered(c: Color, d: Color): bool { c == Red || d == Blue }
var a: [int]Color;
procedure Sort(n: int)
  requires 0 <= n;
  modifies a;
  ensures (forall i, j: int :: 0 <= i && i < j && j < n ==> Ordered(a[i], a[j]));
{
  var r, w, b, d: int;
  var t: Color;
  r, w, b := 0, 0, n;
  while (w != b)
    invariant 0 <= r && r <= w && w <= b && b <= n;
    invariant (forall i: int :: 0 <= i && i < r ==> a[i] == Red);
    invariant (forall i: int :: r <= i && i < w ==> a[i] == White);
    invariant (forall i: int :: b <= i && i < n ==> a[i] == Blue);
  {
    d := b - w;
    if (a[w] == Red) {
      t := a[r];
      a[r] := a[w];
      a[w] := t;
      r := r + 1;
    } else if (a[w] == White) {
      w := w + 1;
    } else {
      b := b - 1;
    }
    assert b - w < d;
  }
}
procedure Client()
  modifies a;
{
  call Sort(10);
  assert Ordered(a[0], a[9]) || a[0] == a[9];
  call Sort(20);
  assert true;
}
