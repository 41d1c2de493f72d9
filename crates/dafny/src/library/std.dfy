// The parts of Dafny's standard library that Stet has, by their public interfaces. Everything is proved here; `Internal…` is not part
// of the interface.
module Std {
  module Wrappers {
    datatype Option<+T> = None | Some(value: T) {
      predicate IsFailure() { None? }
      function PropagateFailure<U>(): Option<U>
        requires None?
      { None }
      function Extract(): T
        requires Some?
      { value }
      function GetOr(default: T): T { if None? then default else value }
      function ToResult<E>(error: E): Result<T, E> { if None? then Failure(error) else Success(value) }
      function ToOutcome<E>(error: E): Outcome<E> { if None? then Fail(error) else Pass }
      function Map<R>(rewrap: Option<T> -> R): R { rewrap(this) }
    }

    datatype Result<+R, +E> = Success(value: R) | Failure(error: E) {
      predicate IsFailure() { Failure? }
      function PropagateFailure<U>(): Result<U, E>
        requires Failure?
      { Failure(error) }
      function Extract(): R
        requires Success?
      { value }
      function GetOr(default: R): R { if Failure? then default else value }
      function ToOption(): Option<R> { if Failure? then None else Some(value) }
      function ToOutcome(): Outcome<E> { if Failure? then Fail(error) else Pass }
      function Map<S>(rewrap: Result<R, E> -> S): S { rewrap(this) }
      function MapFailure<F>(rewrap: E -> F): Result<R, F> {
        if Failure? then Failure(rewrap(error)) else Success(value)
      }
    }

    datatype Outcome<+E> = Pass | Fail(error: E) {
      predicate IsFailure() { Fail? }
      function PropagateFailure(): Outcome<E>
        requires Fail?
      { this }
      function ToOption<R>(value: R): Option<R> { if Fail? then None else Some(value) }
      function ToResult<R>(value: R): Result<R, E> { if Fail? then Failure(error) else Success(value) }
      function Map<R>(rewrap: Outcome<E> -> R): R { rewrap(this) }
      function MapFailure<R, F>(rewrap: E -> F, default: R): Result<R, F> {
        if Fail? then Failure(rewrap(error)) else Success(default)
      }
      static function Need(condition: bool, error: E): (result: Outcome<E>) {
        if condition then Pass else Fail(error)
      }
    }

    datatype OutcomeResult<+E> = Pass' | Fail'(error: E) {
      predicate IsFailure() { Fail'? }
      function PropagateFailure<U>(): Result<U, E>
        requires Fail'?
      { Failure(error) }
    }

    function Need<E>(condition: bool, error: E): (result: OutcomeResult<E>) {
      if condition then Pass' else Fail'(error)
    }
  }
  module Math {
    function Min(a: int, b: int): int { if a <= b then a else b }
    function Min3(a: int, b: int, c: int): int { Min(Min(a, b), c) }
    function Max(a: int, b: int): int { if a >= b then a else b }
    function Max3(a: int, b: int, c: int): int { Max(Max(a, b), c) }
    function Abs(a: int): int { if a >= 0 then a else -a }
  }

  module Functions {
    ghost predicate Injective<X(!new), Y>(f: X --> Y)
      requires forall x :: f.requires(x)
    { forall x, y :: f(x) == f(y) ==> x == y }
    ghost predicate Commutative<T(!new), U(!new)>(f: (T, T) -> U)
    { forall x, y :: f(x, y) == f(y, x) }
    ghost predicate Associative<T(!new)>(f: (T, T) -> T)
    { forall x, y, z :: f(f(x, y), z) == f(x, f(y, z)) }
  }

  module Relations {
    ghost predicate Reflexive<T(!new)>(relation: (T, T) -> bool) { forall x :: relation(x, x) }
    ghost predicate Irreflexive<T(!new)>(relation: (T, T) -> bool) { forall x :: !relation(x, x) }
    ghost predicate Symmetric<T(!new)>(relation: (T, T) -> bool) { forall x, y :: relation(x, y) <==> relation(y, x) }
    ghost predicate AntiSymmetric<T(!new)>(relation: (T, T) -> bool)
    { forall x, y :: relation(x, y) && relation(y, x) ==> x == y }
    ghost predicate Asymmetric<T(!new)>(relation: (T, T) -> bool) { forall x, y :: relation(x, y) ==> !relation(y, x) }
    ghost predicate Connected<T(!new)>(relation: (T, T) -> bool)
    { forall x, y :: x != y ==> relation(x, y) || relation(y, x) }
    ghost predicate StronglyConnected<T(!new)>(relation: (T, T) -> bool) { forall x, y :: relation(x, y) || relation(y, x) }
    ghost predicate Transitive<T(!new)>(relation: (T, T) -> bool)
    { forall x, y, z :: relation(x, y) && relation(y, z) ==> relation(x, z) }
    ghost predicate TotalOrdering<T(!new)>(relation: (T, T) -> bool)
    { Reflexive(relation) && AntiSymmetric(relation) && Transitive(relation) && StronglyConnected(relation) }
    ghost predicate StrictTotalOrdering<T(!new)>(relation: (T, T) -> bool)
    { Irreflexive(relation) && AntiSymmetric(relation) && Transitive(relation) && Connected(relation) }
    ghost predicate PreOrdering<T(!new)>(relation: (T, T) -> bool) { Reflexive(relation) && Transitive(relation) }
    ghost predicate PartialOrdering<T(!new)>(relation: (T, T) -> bool)
    { Reflexive(relation) && Transitive(relation) && AntiSymmetric(relation) }
    ghost predicate EquivalenceRelation<T(!new)>(relation: (T, T) -> bool)
    { Reflexive(relation) && Symmetric(relation) && Transitive(relation) }
    ghost predicate IsLeast<T>(lessOrEqual: (T, T) -> bool, least: T, s: set<T>)
    { least in s && forall x | x in s :: lessOrEqual(least, x) }
    ghost predicate IsMinimal<T>(lessOrEqual: (T, T) -> bool, minimal: T, s: set<T>)
    { minimal in s && forall x | x in s && lessOrEqual(x, minimal) :: lessOrEqual(minimal, x) }
    ghost predicate IsGreatest<T>(lessOrEqual: (T, T) -> bool, greatest: T, s: set<T>)
    { greatest in s && forall x | x in s :: lessOrEqual(x, greatest) }
    ghost predicate IsMaximal<T>(lessOrEqual: (T, T) -> bool, maximal: T, s: set<T>)
    { maximal in s && forall x | x in s && lessOrEqual(maximal, x) :: lessOrEqual(x, maximal) }
    ghost predicate SortedBy<T>(lessOrEqual: (T, T) -> bool, xs: seq<T>)
    { forall i, j | 0 <= i < j < |xs| :: lessOrEqual(xs[i], xs[j]) }
    lemma AsymmetricIsAntiSymmetric<T(!new)>(relation: (T, T) -> bool)
      ensures Asymmetric(relation) ==> AntiSymmetric(relation)
    { }
    lemma AsymmetricIsIrreflexive<T(!new)>(relation: (T, T) -> bool)
      ensures Asymmetric(relation) ==> Irreflexive(relation)
    { }
  }

  module BoundedInts {
    const TWO_TO_THE_0: int := 1
    const TWO_TO_THE_1: int := 2
    const TWO_TO_THE_2: int := 4
    const TWO_TO_THE_4: int := 16
    const TWO_TO_THE_5: int := 32
    const TWO_TO_THE_7: int := 0x80
    const TWO_TO_THE_8: int := 0x100
    const TWO_TO_THE_15: int := 0x8000
    const TWO_TO_THE_16: int := 0x1_0000
    const TWO_TO_THE_24: int := 0x100_0000
    const TWO_TO_THE_31: int := 0x8000_0000
    const TWO_TO_THE_32: int := 0x1_0000_0000
    const TWO_TO_THE_40: int := 0x100_0000_0000
    const TWO_TO_THE_48: int := 0x1_0000_0000_0000
    const TWO_TO_THE_56: int := 0x100_0000_0000_0000
    const TWO_TO_THE_63: int := 0x8000_0000_0000_0000
    const TWO_TO_THE_64: int := 0x1_0000_0000_0000_0000
    const TWO_TO_THE_127: int := 0x8000_0000_0000_0000_0000_0000_0000_0000
    const TWO_TO_THE_128: int := 0x1_0000_0000_0000_0000_0000_0000_0000_0000

    newtype uint8 = x: int | 0 <= x < TWO_TO_THE_8
    newtype uint16 = x: int | 0 <= x < TWO_TO_THE_16
    newtype uint32 = x: int | 0 <= x < TWO_TO_THE_32
    newtype uint64 = x: int | 0 <= x < TWO_TO_THE_64
    newtype uint128 = x: int | 0 <= x < TWO_TO_THE_128
    newtype int8 = x: int | -TWO_TO_THE_7 <= x < TWO_TO_THE_7
    newtype int16 = x: int | -TWO_TO_THE_15 <= x < TWO_TO_THE_15
    newtype int32 = x: int | -TWO_TO_THE_31 <= x < TWO_TO_THE_31
    newtype int64 = x: int | -TWO_TO_THE_63 <= x < TWO_TO_THE_63
    newtype int128 = x: int | -TWO_TO_THE_127 <= x < TWO_TO_THE_127
    newtype nat8 = x: int | 0 <= x < TWO_TO_THE_7
    newtype nat16 = x: int | 0 <= x < TWO_TO_THE_15
    newtype nat32 = x: int | 0 <= x < TWO_TO_THE_31
    newtype nat64 = x: int | 0 <= x < TWO_TO_THE_63
    newtype nat128 = x: int | 0 <= x < TWO_TO_THE_127
    newtype opt_byte = x: int | -1 <= x < TWO_TO_THE_8

    const UINT8_MAX: uint8 := 0xFF
    const UINT16_MAX: uint16 := 0xFFFF
    const UINT32_MAX: uint32 := 0xFFFF_FFFF
    const UINT64_MAX: uint64 := 0xFFFF_FFFF_FFFF_FFFF
    const INT8_MIN: int8 := -0x80
    const INT8_MAX: int8 := 0x7F
    const INT16_MIN: int16 := -0x8000
    const INT16_MAX: int16 := 0x7FFF
    const INT32_MIN: int32 := -0x8000_0000
    const INT32_MAX: int32 := 0x7FFF_FFFF
    const INT64_MIN: int64 := -0x8000_0000_0000_0000
    const INT64_MAX: int64 := 0x7FFF_FFFF_FFFF_FFFF
    const NAT8_MAX: nat8 := 0x7F
    const NAT16_MAX: nat16 := 0x7FFF
    const NAT32_MAX: nat32 := 0x7FFF_FFFF
    const NAT64_MAX: nat64 := 0x7FFF_FFFF_FFFF_FFFF

    type byte = uint8
    type bytes = seq<byte>
  }

  module Arithmetic {
    module Power {
      function Pow(b: int, e: nat): int decreases e { if e == 0 then 1 else b * Pow(b, e - 1) }
      lemma LemmaPow0(b: int) ensures Pow(b, 0) == 1 { }
      lemma LemmaPow1(b: int) ensures Pow(b, 1) == b { assert Pow(b, 0) == 1; }
      lemma Lemma0Pow(e: nat) requires e > 0 ensures Pow(0, e) == 0 { }
      lemma Lemma1Pow(e: nat) ensures Pow(1, e) == 1 { if e > 0 { Lemma1Pow(e - 1); } }
      lemma LemmaSquareIsPow2(x: nat) ensures Pow(x, 2) == x * x { assert Pow(x, 1) == x * Pow(x, 0); }
      lemma LemmaPowPositive(b: int, e: nat) requires b > 0 ensures 0 < Pow(b, e)
      { if e > 0 { LemmaPowPositive(b, e - 1); InternalProduct(b, Pow(b, e - 1)); } }
      lemma LemmaPowAdds(b: int, e1: nat, e2: nat) decreases e1 ensures Pow(b, e1 + e2) == Pow(b, e1) * Pow(b, e2)
      {
        if e1 > 0 {
          LemmaPowAdds(b, e1 - 1, e2);
          assert Pow(b, e1 + e2) == b * Pow(b, e1 - 1 + e2);
          InternalAssociative(b, Pow(b, e1 - 1), Pow(b, e2));
        }
      }
      lemma LemmaPowSubAddCancel(b: int, e1: nat, e2: nat)
        requires e1 >= e2
        ensures Pow(b, e1 - e2) * Pow(b, e2) == Pow(b, e1)
      { LemmaPowAdds(b, e1 - e2, e2); }
      lemma LemmaPowDistributes(a: int, b: int, e: nat) decreases e ensures Pow(a * b, e) == Pow(a, e) * Pow(b, e)
      {
        if e > 0 {
          LemmaPowDistributes(a, b, e - 1);
          var p, q := Pow(a, e - 1), Pow(b, e - 1);
          InternalAssociative(a * b, p, q);
          InternalAssociative(a, b, p);
          InternalAssociative(a, p, b);
          InternalAssociative(a * p, b, q);
        }
      }
      lemma LemmaPowIncreases(b: nat, e1: nat, e2: nat) requires b > 0 && e1 <= e2 ensures Pow(b, e1) <= Pow(b, e2) decreases e2
      { if e1 < e2 { LemmaPowIncreases(b, e1, e2 - 1); LemmaPowPositive(b, e2 - 1); InternalGrows(b, Pow(b, e2 - 1)); } }
      lemma LemmaPowStrictlyIncreases(b: nat, e1: nat, e2: nat) requires 1 < b && e1 < e2 ensures Pow(b, e1) < Pow(b, e2)
      {
        LemmaPowIncreases(b, e1, e2 - 1);
        LemmaPowPositive(b, e2 - 1);
        InternalGrowsMore(b, Pow(b, e2 - 1));
      }
      lemma InternalProduct(x: int, y: int) requires x > 0 && y > 0 ensures x * y > 0 { }
      lemma InternalAssociative(x: int, y: int, z: int) ensures (x * y) * z == x * (y * z) { }
      lemma InternalGrows(x: int, y: int) requires x > 0 && y > 0 ensures x * y >= y { assert (x - 1) * y >= 0; }
      lemma InternalGrowsMore(x: int, y: int) requires x > 1 && y > 0 ensures x * y > y { assert (x - 2) * y >= 0; }
    }
    module Mul {
      lemma LemmaMulIsCommutative(x: int, y: int) ensures x * y == y * x { }
      lemma LemmaMulIsAssociative(x: int, y: int, z: int) ensures x * (y * z) == (x * y) * z { }
      lemma LemmaMulIsDistributiveAdd(x: int, y: int, z: int) ensures x * (y + z) == x * y + x * z { }
      lemma LemmaMulIsDistributiveSub(x: int, y: int, z: int) ensures x * (y - z) == x * y - x * z { }
      lemma LemmaMulNonnegative(x: int, y: int) requires 0 <= x && 0 <= y ensures 0 <= x * y { }
      lemma LemmaMulStrictlyPositive(x: int, y: int) ensures (0 < x && 0 < y) ==> (0 < x * y) { }
      lemma LemmaMulInequality(x: int, y: int, z: int) requires x <= y && z >= 0 ensures x * z <= y * z
      { assert (y - x) * z >= 0; }
      lemma LemmaMulStrictInequality(x: int, y: int, z: int) requires x < y && z > 0 ensures x * z < y * z
      { assert (y - x) * z > 0; }
      lemma LemmaMulBasics(x: int) ensures 0 * x == 0 && x * 0 == 0 && 1 * x == x && x * 1 == x { }
      lemma LemmaMulNonzero(x: int, y: int) ensures x * y != 0 <==> x != 0 && y != 0 { }
    }
    module DivMod {
      lemma LemmaFundamentalDivMod(x: int, d: int) requires d != 0 ensures x == d * (x / d) + (x % d) { }
      lemma LemmaSmallMod(x: nat, m: nat) requires x < m && 0 < m ensures x % m == x { }
      lemma LemmaModSelf0(m: int) requires m > 0 ensures m % m == 0 { }
      lemma LemmaDivBasics(x: int) ensures (x != 0 ==> 0 / x == 0) && x / 1 == x && (x != 0 ==> x / x == 1) { }
      lemma LemmaDivPosIsPos(x: int, d: int) requires 0 <= x && 0 < d ensures 0 <= x / d { }
    }
  }

  module Collections {
    module Seq {
      import opened Wrappers
      import Math
      function First<T>(xs: seq<T>): T requires |xs| > 0 { xs[0] }
      function DropFirst<T>(xs: seq<T>): seq<T> requires |xs| > 0 { xs[1..] }
      function Last<T>(xs: seq<T>): T requires |xs| > 0 { xs[|xs| - 1] }
      function DropLast<T>(xs: seq<T>): seq<T> requires |xs| > 0 { xs[..|xs| - 1] }
      lemma LemmaLast<T>(xs: seq<T>) requires |xs| > 0 ensures DropLast(xs) + [Last(xs)] == xs { }
      lemma LemmaAppendLast<T>(xs: seq<T>, ys: seq<T>) requires 0 < |ys| ensures Last(xs + ys) == Last(ys) { }
      lemma LemmaConcatIsAssociative<T>(xs: seq<T>, ys: seq<T>, zs: seq<T>) ensures xs + (ys + zs) == (xs + ys) + zs { }
      lemma LemmaSplitAt<T>(xs: seq<T>, pos: nat) requires pos < |xs| ensures xs[..pos] + xs[pos..] == xs { }
      ghost predicate IsPrefix<T>(xs: seq<T>, ys: seq<T>) ensures IsPrefix(xs, ys) ==> |xs| <= |ys| && xs == ys[..|xs|] { xs <= ys }
      ghost predicate IsSuffix<T>(xs: seq<T>, ys: seq<T>) { |xs| <= |ys| && xs == ys[|ys| - |xs|..] }
      method ToArray<T>(xs: seq<T>) returns (a: array<T>)
        ensures fresh(a) && a.Length == |xs|
        ensures forall i :: 0 <= i < |xs| ==> a[i] == xs[i]
      { a := new T[|xs|](i requires 0 <= i < |xs| => xs[i]); }
      opaque function ToSet<T>(xs: seq<T>): set<T> { set x: T | x in xs }
      lemma LemmaCardinalityOfSet<T>(xs: seq<T>) ensures |ToSet(xs)| <= |xs|
      {
        reveal ToSet();
        if |xs| > 0 {
          LemmaCardinalityOfSet(DropLast(xs));
          assert ToSet(xs) == ToSet(DropLast(xs)) + {Last(xs)};
        }
      }
      lemma LemmaCardinalityOfEmptySetIs0<T>(xs: seq<T>) ensures |ToSet(xs)| == 0 <==> |xs| == 0
      { reveal ToSet(); if |xs| > 0 { assert xs[0] in ToSet(xs); } }
      opaque ghost predicate HasNoDuplicates<T>(xs: seq<T>)
      { forall i, j :: 0 <= i < |xs| && 0 <= j < |xs| && i != j ==> xs[i] != xs[j] }
      lemma LemmaCardinalityOfSetNoDuplicates<T>(xs: seq<T>) requires HasNoDuplicates(xs) ensures |ToSet(xs)| == |xs|
      {
        reveal ToSet();
        reveal HasNoDuplicates();
        if |xs| > 0 {
          LemmaCardinalityOfSetNoDuplicates(DropLast(xs));
          assert ToSet(xs) == ToSet(DropLast(xs)) + {Last(xs)};
        }
      }
      opaque function IndexOf<T(==)>(xs: seq<T>, v: T): (i: nat)
        requires v in xs
        ensures i < |xs| && xs[i] == v
        ensures forall j :: 0 <= j < i ==> xs[j] != v
      { if xs[0] == v then 0 else 1 + IndexOf(xs[1..], v) }
      opaque function IndexOfOption<T(==)>(xs: seq<T>, v: T): (o: Option<nat>)
        ensures if o.Some? then o.value < |xs| && xs[o.value] == v && forall j :: 0 <= j < o.value ==> xs[j] != v else v !in xs
      { if v in xs then Some(IndexOf(xs, v)) else None }
      opaque function LastIndexOf<T(==)>(xs: seq<T>, v: T): (i: nat)
        requires v in xs
        ensures i < |xs| && xs[i] == v
        ensures forall j :: i < j < |xs| ==> xs[j] != v
      { if xs[|xs| - 1] == v then |xs| - 1 else LastIndexOf(xs[..|xs| - 1], v) }
      opaque function Remove<T>(xs: seq<T>, pos: nat): (ys: seq<T>)
        requires pos < |xs|
        ensures |ys| == |xs| - 1
        ensures forall i | 0 <= i < pos :: ys[i] == xs[i]
        ensures forall i | pos <= i < |xs| - 1 :: ys[i] == xs[i + 1]
      { xs[..pos] + xs[pos + 1..] }
      opaque function Insert<T>(xs: seq<T>, a: T, pos: nat): (ys: seq<T>)
        requires pos <= |xs|
        ensures |ys| == |xs| + 1
        ensures forall i :: 0 <= i < pos ==> ys[i] == xs[i]
        ensures forall i :: pos <= i < |xs| ==> ys[i + 1] == xs[i]
        ensures ys[pos] == a
        ensures multiset(ys) == multiset(xs) + multiset{a}
      { assert xs == xs[..pos] + xs[pos..]; xs[..pos] + [a] + xs[pos..] }
      opaque function Reverse<T>(xs: seq<T>): (ys: seq<T>)
        ensures |ys| == |xs|
        ensures forall i :: 0 <= i < |xs| ==> ys[i] == xs[|xs| - i - 1]
      { if xs == [] then [] else [xs[|xs| - 1]] + Reverse(xs[..|xs| - 1]) }
      opaque function Repeat<T>(v: T, length: nat): (xs: seq<T>)
        ensures |xs| == length
        ensures forall i: nat | i < |xs| :: xs[i] == v
      { if length == 0 then [] else [v] + Repeat(v, length - 1) }
      opaque function Zip<A, B>(xs: seq<A>, ys: seq<B>): (zs: seq<(A, B)>)
        requires |xs| == |ys|
        ensures |zs| == |xs|
        ensures forall i :: 0 <= i < |zs| ==> zs[i] == (xs[i], ys[i])
      { if |xs| == 0 then [] else Zip(DropLast(xs), DropLast(ys)) + [(Last(xs), Last(ys))] }
      opaque function Max(xs: seq<int>): (m: int)
        requires 0 < |xs|
        ensures m in xs && forall k :: k in xs ==> m >= k
      { assert xs == [xs[0]] + xs[1..]; if |xs| == 1 then xs[0] else Math.Max(xs[0], Max(xs[1..])) }
      opaque function Min(xs: seq<int>): (m: int)
        requires 0 < |xs|
        ensures m in xs && forall k :: k in xs ==> m <= k
      { assert xs == [xs[0]] + xs[1..]; if |xs| == 1 then xs[0] else Math.Min(xs[0], Min(xs[1..])) }
      function Flatten<T>(xs: seq<seq<T>>): seq<T> decreases |xs| { if |xs| == 0 then [] else xs[0] + Flatten(xs[1..]) }
      lemma LemmaFlattenConcat<T>(xs: seq<seq<T>>, ys: seq<seq<T>>) ensures Flatten(xs + ys) == Flatten(xs) + Flatten(ys)
      {
        if |xs| == 0 {
          assert xs + ys == ys;
        } else {
          LemmaFlattenConcat(xs[1..], ys);
          assert (xs + ys)[1..] == xs[1..] + ys;
        }
      }
      opaque function Map<T, R>(f: T --> R, xs: seq<T>): (ys: seq<R>)
        requires forall i :: 0 <= i < |xs| ==> f.requires(xs[i])
        ensures |ys| == |xs|
        ensures forall i :: 0 <= i < |xs| ==> ys[i] == f(xs[i])
      { if |xs| == 0 then [] else [f(xs[0])] + Map(f, xs[1..]) }
      opaque function Filter<T>(f: T --> bool, xs: seq<T>): (ys: seq<T>)
        requires forall i :: 0 <= i < |xs| ==> f.requires(xs[i])
        ensures |ys| <= |xs|
        ensures forall i :: 0 <= i < |ys| ==> f.requires(ys[i]) && f(ys[i])
      { if |xs| == 0 then [] else (if f(xs[0]) then [xs[0]] else []) + Filter(f, xs[1..]) }
      function FoldLeft<A, T>(f: (A, T) -> A, init: A, xs: seq<T>): A
      { if |xs| == 0 then init else FoldLeft(f, f(init, xs[0]), xs[1..]) }
      function FoldRight<A, T>(f: (T, A) -> A, xs: seq<T>, init: A): A
      { if |xs| == 0 then init else f(xs[0], FoldRight(f, xs[1..], init)) }
      lemma LemmaFoldLeftDistributesOverConcat<A, T>(f: (A, T) -> A, init: A, xs: seq<T>, ys: seq<T>)
        ensures FoldLeft(f, init, xs + ys) == FoldLeft(f, FoldLeft(f, init, xs), ys)
      {
        if |xs| == 0 {
          assert xs + ys == ys;
        } else {
          assert (xs + ys)[1..] == xs[1..] + ys;
          LemmaFoldLeftDistributesOverConcat(f, f(init, xs[0]), xs[1..], ys);
        }
      }
    }
    module Set {
      lemma LemmaSubset<T>(x: set<T>, y: set<T>) requires forall e :: e in x ==> e in y ensures x <= y { }
      lemma LemmaSubsetSize<T>(x: set<T>, y: set<T>) ensures x < y ==> |x| < |y| ensures x <= y ==> |x| <= |y|
      { if x != {} { var e :| e in x; LemmaSubsetSize(x - {e}, y - {e}); } }
      lemma LemmaSubsetEquality<T>(x: set<T>, y: set<T>) requires x <= y && |x| == |y| ensures x == y
      { LemmaSubsetSize(x, y); }
      lemma LemmaSingletonSize<T>(x: set<T>, e: T) requires x == {e} ensures |x| == 1 { }
      lemma LemmaSingletonEquality<T>(x: set<T>, a: T, b: T) requires |x| == 1 && a in x && b in x ensures a == b
      { if a != b { LemmaSubsetSize({a, b}, x); } }
      ghost predicate IsSingleton<T>(s: set<T>) { (exists x :: x in s) && (forall x, y | x in s && y in s :: x == y) }
      lemma LemmaIsSingleton<T>(s: set<T>) ensures |s| == 1 <==> IsSingleton(s)
      {
        if |s| == 1 {
          forall x, y | x in s && y in s ensures x == y { LemmaSingletonEquality(s, x, y); }
        }
        if IsSingleton(s) {
          var x :| x in s;
          assert s == {x};
        }
      }
      ghost function ExtractFromNonEmptySet<T>(s: set<T>): (x: T) requires |s| != 0 ensures x in s { var x :| x in s; x }
      lemma LemmaUnionSize<X>(xs: set<X>, ys: set<X>) ensures |xs + ys| >= |xs| ensures |xs + ys| >= |ys|
      { LemmaSubsetSize(xs, xs + ys); LemmaSubsetSize(ys, xs + ys); }
      function SetRange(a: int, b: int): (s: set<int>)
        requires a <= b
        ensures forall i :: a <= i < b <==> i in s
        ensures |s| == b - a
        decreases b - a
      { if a == b then {} else {a} + SetRange(a + 1, b) }
      function SetRangeZeroBound(n: int): (s: set<int>)
        requires n >= 0
        ensures forall i :: 0 <= i < n <==> i in s
        ensures |s| == n
      { SetRange(0, n) }
      lemma LemmaBoundedSetSize(x: set<int>, a: int, b: int)
        requires forall i :: i in x ==> a <= i < b
        requires a <= b
        ensures |x| <= b - a
      { LemmaSubsetSize(x, SetRange(a, b)); }
    }
    module Map {
      import opened Wrappers
      function Get<X, Y>(m: map<X, Y>, x: X): Option<Y> { if x in m then Some(m[x]) else None }
      function ToImap<X, Y>(m: map<X, Y>): (m': imap<X, Y>)
        ensures forall x :: x in m ==> x in m' && m'[x] == m[x]
        ensures forall x :: x in m' ==> x in m
      { imap x | x in m :: m[x] }
      function RemoveKeys<X, Y>(m: map<X, Y>, xs: set<X>): (m': map<X, Y>)
        ensures forall x :: x in m && x !in xs ==> x in m' && m'[x] == m[x]
        ensures forall x :: x in m' ==> x in m && x !in xs
        ensures m'.Keys == m.Keys - xs
      { m - xs }
      function Remove<X, Y>(m: map<X, Y>, x: X): (m': map<X, Y>)
        ensures m' == RemoveKeys(m, {x})
        ensures |m'.Keys| <= |m.Keys|
        ensures x in m ==> |m'| == |m| - 1
        ensures x !in m ==> |m'| == |m|
      { var r := m - {x}; assert r.Keys == m.Keys - {x}; assert |r.Keys| == |r| && |m.Keys| == |m|; assert x !in m ==> r == m; r }
      function Restrict<X, Y>(m: map<X, Y>, xs: set<X>): (m': map<X, Y>)
        ensures m' == RemoveKeys(m, m.Keys - xs)
      { map x | x in xs && x in m :: m[x] }
      ghost predicate EqualOnKey<X, Y>(m: map<X, Y>, m': map<X, Y>, x: X)
      { (x !in m && x !in m') || (x in m && x in m' && m[x] == m'[x]) }
      ghost predicate IsSubset<X, Y>(m: map<X, Y>, m': map<X, Y>)
      { m.Keys <= m'.Keys && forall x :: x in m ==> EqualOnKey(m, m', x) }
      function Union<X, Y>(m: map<X, Y>, m': map<X, Y>): (r: map<X, Y>)
        ensures r.Keys == m.Keys + m'.Keys
        ensures forall x :: x in m' ==> r[x] == m'[x]
        ensures forall x :: x in m && x !in m' ==> r[x] == m[x]
      { m + m' }
      lemma LemmaDisjointUnionSize<X, Y>(m: map<X, Y>, m': map<X, Y>)
        requires m.Keys !! m'.Keys
        ensures |Union(m, m')| == |m| + |m'|
      { var u := Union(m, m'); assert |u.Keys| == |m.Keys| + |m'.Keys|; }
      ghost predicate Injective<X, Y>(m: map<X, Y>) { forall x, x' :: x != x' && x in m && x' in m ==> m[x] != m[x'] }
      ghost predicate Total<X(!new), Y>(m: map<X, Y>) { forall i :: i in m }
      ghost predicate Monotonic(m: map<int, int>) { forall x, x' :: x in m && x' in m && x <= x' ==> m[x] <= m[x'] }
      ghost predicate MonotonicFrom(m: map<int, int>, start: int)
      { forall x, x' :: x in m && x' in m && start <= x <= x' ==> m[x] <= m[x'] }
    }
  }
}
