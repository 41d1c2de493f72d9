// The Dutch flag: sorts an array of colours [FGC Fig. 1].

datatype Color = Red | White | Blue

predicate Ordered(c: Color, d: Color) { c == Red || d == Blue }

method Sort(a: array<Color>)
  modifies a
  ensures forall i, j :: 0 <= i < j < a.Length ==> Ordered(a[i], a[j])
{
  var r, w, b := 0, 0, a.Length;
  while w != b
    invariant 0 <= r <= w <= b <= a.Length
    invariant forall i :: 0 <= i < r ==> a[i] == Red
    invariant forall i :: r <= i < w ==> a[i] == White
    invariant forall i :: b <= i < a.Length ==> a[i] == Blue
  {
    match a[w]
    case Red =>
      a[r], a[w] := a[w], a[r]; r := r + 1;
    case White =>
      w := w + 1;
    case Blue =>
      b := b - 1;
  }
}

method Client(a: array<Color>)
  requires a.Length == 10
  modifies a
{
  Sort(a);
  assert Ordered(a[0], a[9]);
}
