// A list, its length, and the largest of two numbers.

datatype List<T> = Nil | Cons(head: T, tail: List<T>)

function Length<T>(list: List<T>): nat {
  match list
  case Nil => 0
  case Cons(_, tail) => 1 + Length(tail)
}

lemma LongerThanItsTail<T>(list: List<T>)
  requires list.Cons?
  ensures Length(list) == Length(list.tail) + 1
{
}

method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
  ensures m == a || m == b
{
  if a > b { m := a; } else { m := b; }
}
