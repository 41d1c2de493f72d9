//! Small programs, one for each feature of the prelude, that end in a contradiction if the axioms do.
//!
//! Each feature is declarations and statements; [`program`] puts some together and asserts false after them.

/// A feature: its name, declarations, statements of a method.
pub type Feature = (&'static str, &'static str, &'static str);

/// One small program for each feature whose axioms the prelude adds on demand.
pub const FEATURES: &[Feature] = &[
    (
        "seq",
        "",
        "var s0: seq<int> := [1, 2, 3]; var s1 := s0 + [4]; var s2 := s1[1..3]; var s3 := s1[0 := 7]; var b0 := 2 in s2; var b1 := s2 <= s3; assert |s1| == 4;",
    ),
    (
        "seq of seqs",
        "",
        "var q0: seq<seq<int>> := [[1], [2, 3]]; var q1 := q0[1][0]; var q2 := q0 + q0; var q3 := seq(5, i => [i]);",
    ),
    (
        "set",
        "",
        "var t0 := {1, 2, 3}; var t1 := t0 + {4} - {1}; var t2 := t0 * t1; var n0 := |t1|; var t3 := set x | x in t0 && x > 1 :: x + 1; var b2 := t2 <= t0; var b3 := t2 !! t3;",
    ),
    (
        "iset",
        "",
        "ghost var i0 := iset x: int | x > 3; ghost var i1 := i0 + iset{1}; ghost var b4 := 5 in i1 && i0 <= i1;",
    ),
    (
        "multiset",
        "",
        "var m0 := multiset{1, 1, 2}; var m1 := m0 + multiset{3} - multiset{1}; var n1 := |m1| + m0[1]; var m2 := multiset([1, 2, 2]); var m3 := multiset({1, 2}); var m4 := m2[2 := 5]; assert m2[2] == 2;",
    ),
    (
        "map",
        "",
        "var p0 := map[1 := true, 2 := false]; var p1 := p0[3 := true]; var p2 := p1 - {1}; var p3 := p0 + p2; var n2 := |p3.Keys| + |p3|; var v0 := p3.Values; var p4 := map x | x in {1, 2} :: x + 1; var it := p4.Items;",
    ),
    (
        "imap",
        "",
        "ghost var j0 := imap x: int | x > 0 :: x * 2; ghost var j1 := j0[0 := 5]; ghost var k0 := 3 in j1 && j1[3] == 6;",
    ),
    (
        "datatypes",
        "datatype List<T> = Nil | Cons(head: T, tail: List<T>)\nfunction Len<T>(l: List<T>): nat { match l case Nil => 0 case Cons(_, t) => 1 + Len(t) }\ndatatype Tree = Leaf | Node(kids: seq<Tree>, tag: map<int, Tree>)",
        "var l0 := Cons(1, Cons(2, Nil)); var l1 := l0.(head := 3); assert Len(l0) == 2; var tr := Node([Leaf], map[1 := Leaf]); var tk := tr.kids;",
    ),
    (
        "classes",
        "class Cell { var v: int var next: Cell? const id: int constructor(x: int) ensures v == x && next == null { v := x; next := null; id := x; } predicate Ok() reads this { v >= 0 } }",
        "var c0 := new Cell(1); var c1 := new Cell(2); c0.next := c1; c1.v := c0.v + 1; var ok := c0.Ok(); var cs := {c0, c1}; assert c0 != c1;",
    ),
    (
        "arrays",
        "",
        "var a0 := new int[5]; a0[0] := 1; a0[1], a0[2] := 2, 3; var a1 := a0[..]; var a2 := new bool[2, 3]; a2[1, 2] := true; forall i | 0 <= i < 5 { a0[i] := i; } var a3 := new int[3](i => i * i); assert a0[4] == 4;",
    ),
    (
        "traits",
        "trait Shape extends object { const sides: nat var name: string }\nclass Square extends Shape { constructor() { sides := 4; name := \"s\"; } }",
        "var sq := new Square(); var sh: Shape := sq; var shs: set<Shape> := {sq}; var isq := sh is Square;",
    ),
    (
        "bit-vectors",
        "",
        "var w0: bv8 := 200; var w1 := w0 + 100; var w2 := (w1 << 2) | 1; var w3 := w2 as int; var w4: bv32 := w0 as bv32; assert w1 == 44;",
    ),
    (
        "reals",
        "",
        "var r0: real := 1.5; var r1 := r0 * 2.0 / 3.0; var f0 := r1.Floor; var r2 := f0 as real; assert r1 == 1.0;",
    ),
    (
        "characters",
        "",
        "var ch := 'a'; var ci := ch as int; var st := \"abc\"; var eq := st[0] == ch; var cj := (ci + 1) as char; assert eq;",
    ),
    (
        "functions as values",
        "",
        "var f1 := (x: int) => x + 1; var f2 := (x: int, y: int) requires y != 0 => x / y; var g := f1(2) + f2(4, 2); assert g == 5; var fs := [f1, f1];",
    ),
    (
        "subset types",
        "type Even = x: int | x % 2 == 0\nnewtype Small = x: int | 0 <= x < 100\ntype NonEmpty = s: seq<nat> | |s| > 0 witness [1]",
        "var e0: Even := 4; var sm: Small := 7; var sn := sm * 2; var ne: NonEmpty := [1, 2]; var es: set<Even> := {e0, 6};",
    ),
    (
        "tuples",
        "",
        "var tu := (1, true, 'x'); var (ta, tb, tc) := tu; var tt := (tu, [tu]); assert ta == 1 && tb;",
    ),
    (
        "recursive functions",
        "function Fib(n: nat): nat { if n < 2 then n else Fib(n - 1) + Fib(n - 2) }\npredicate Even2(n: nat) { n == 0 || Odd2(n - 1) }\npredicate Odd2(n: nat) { n != 0 && Even2(n - 1) }",
        "assert Fib(5) == 5 by { assert Fib(2) == 1; assert Fib(3) == 2; assert Fib(4) == 3; } var ev := Even2(4);",
    ),
    (
        "codatatypes",
        "codatatype Stream<T> = SCons(hd: T, tl: Stream<T>)\nfunction From(n: int): Stream<int> { SCons(n, From(n + 1)) }",
        "ghost var co := From(3); assert co.tl.hd == 4; ghost var cp := co ==#[2] From(3);",
    ),
    (
        "extreme predicates",
        "least predicate Reach(n: int) { n == 0 || Reach(n - 2) }\ngreatest predicate Safe(n: int) { n >= 0 && Safe(n + 1) }\nleast lemma ReachOk(n: int) requires Reach(n) ensures n >= 0 { }\ngreatest lemma SafeOk(n: int) requires n >= 0 ensures Safe(n) { SafeOk(n + 1); }",
        "assert Reach(2); SafeOk(3); assert Safe(4); if Reach(9) { ReachOk(9); }",
    ),
    (
        "ordinals",
        "lemma Ordinal(k: ORDINAL) ensures k < k + 1 { }",
        "ghost var or: ORDINAL := 3; Ordinal(or); assert or.IsNat && or - 1 < or;",
    ),
    (
        "choice",
        "",
        "var ca: set<int> := {1, 2}; var cx :| cx in ca; ghost var cy := var y :| y in ca && y > 1; y; assert cx == 1 || cx == 2;",
    ),
    (
        "generics",
        "class Box<T> { var x: T constructor(t: T) ensures x == t { x := t; } }\nfunction Id<T>(t: T): T { t }\nmethod Swap<T>(a: array<T>, i: nat, j: nat) requires i < a.Length && j < a.Length modifies a { a[i], a[j] := a[j], a[i]; }",
        "var bx := new Box<seq<int>>([1]); var bz := Id(bx.x); var ba := new int[2](_ => 0); Swap(ba, 0, 1);",
    ),
    (
        "loops",
        "",
        "var li := 0; var ls: seq<int> := []; while li < 10 invariant 0 <= li <= 10 && |ls| == li { ls := ls + [li]; li := li + 1; } for lj: nat := 0 to 3 { if lj == 2 { break; } } assert |ls| == 10;",
    ),
    (
        "two states",
        "class Acc { var n: int twostate predicate Grew() reads this { old(n) <= n } method Inc() modifies this ensures Grew() && n == old(n) + 1 { n := n + 1; } }",
        "var ac := new Acc; label L: ac.Inc(); assert old@L(ac.n) < ac.n; assert fresh(ac);",
    ),
];

/// A program that uses these features and then asserts false.
pub fn program(features: &[&Feature]) -> String {
    let mut text = String::new();
    for (_, decls, _) in features {
        text.push_str(decls);
        text.push('\n');
    }
    text.push_str("method {:verify} Everything() {\n");
    for (_, _, stmts) in features {
        text.push_str("  ");
        text.push_str(stmts);
        text.push('\n');
    }
    text.push_str("  assert false;\n}\n");
    text
}

/// The line and column of the `assert false` of a program that [`program`] made, as Dafny writes them.
pub fn place(text: &str) -> String {
    let line = text.lines().count() - 1;
    format!("({line},2): Error: assertion could not be proved")
}
