procedure gcd(x, y: int) returns (r: int)
  requires 0 < x && 0 < y;
  ensures 0 <= r;
{
  if (x < y) {
    call r := gcd(x, y - x);
    assert 1 <= r;
  } else if (y < x) {
    call r := gcd(x - y, y);
  } else {
    r := x;
  }
  assert 0 < x + y;
}
