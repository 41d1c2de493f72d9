//! Messages: wording, places, order.

use crate::front;
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let mut said = front(text).messages.join("\n");
    said.push('\n');
    expected.assert_eq(&said);
}

fn accepts(text: &str) {
    let front = front(text);
    assert!(
        front.ok && front.messages.is_empty(),
        "{:#?}",
        front.messages
    );
}

#[test]
fn syntax_errors_are_placed_from_one_and_reported_once() {
    check(
        "procedure P() {\n  var x: int;\n  x := ;\n}\n",
        expect![[r#"
            f.bpl(3,8): error: invalid UnaryExpression
        "#]],
    );
    check(
        "const x: int where x < 0;",
        expect![[r#"
            f.bpl(1,14): error: ";" expected
        "#]],
    );
    check(
        "procedure P() { goto ; }",
        expect![[r#"
            f.bpl(1,22): error: ident expected
            f.bpl(1,17): error: Error: goto label 'goto' is undefined
        "#]],
    );
    check(
        "axiom (forall :: true);",
        expect![[r#"
            f.bpl(1,15): error: invalid QuantifierBody
        "#]],
    );
    check(
        "axiom 1 ==> 2 <== 3;",
        expect![[r#"
            f.bpl(1,15): error: illegal mixture of ==> and <==, use parentheses to disambiguate
        "#]],
    );
}

#[test]
fn parameters_without_types_take_the_next_one() {
    accepts("function f(x, y: int, z: bool): int; axiom f(1, 2, true) == 3;");
    check(
        "function f(x: int, y): int;",
        expect![[r#"
            f.bpl(1,20): error: the type of the last parameter is unspecified
        "#]],
    );
}

#[test]
fn labels_must_exist_and_breaks_must_leave_something() {
    check(
        "procedure P() {\n  goto L;\n  while (*) { break M; }\n  break;\n}",
        expect![[r#"
            f.bpl(2,3): error: Error: goto label 'L' is undefined
            f.bpl(3,15): error: Error: break label 'M' must designate an enclosing statement
            f.bpl(4,3): error: Error: break statement is not inside a loop
        "#]],
    );
}

#[test]
fn line_pragmas_move_positions() {
    check(
        "#line 10 g.bpl\naxiom a;\n#line x\n",
        expect![[r#"
            g.bpl(11,0): error: Malformed (#line num [filename]) pragma: #line x
        "#]],
    );
    check(
        "axiom a;\n#line 10 g.bpl\naxiom b;\n\n  axiom c;",
        expect![[r#"
            f.bpl(1,6): Error: undeclared identifier: a
            g.bpl(10,6): Error: undeclared identifier: b
            g.bpl(12,8): Error: undeclared identifier: c
        "#]],
    );
}

#[test]
fn resolution_errors_are_placed_from_zero() {
    check(
        "procedure P() { x := y; call Q(); assert f(1); }",
        expect![[r#"
            f.bpl(1,16): Error: undeclared identifier: x
            f.bpl(1,21): Error: undeclared identifier: y
            f.bpl(1,24): Error: call to undeclared procedure: Q
            f.bpl(1,41): Error: use of undeclared function: f
        "#]],
    );
    check(
        "var g: int; axiom g > 0; procedure P(); requires old(g) > 0; modifies h;",
        expect![[r#"
            f.bpl(1,18): Error: cannot refer to a global variable in this context: g
            f.bpl(1,70): Error: undeclared identifier: h
            f.bpl(1,49): Error: old expressions allowed only in two-state contexts
        "#]],
    );
}

#[test]
fn names_are_declared_once_per_scope() {
    accepts("var g: int; procedure P() { assert (forall g: int :: g == g); }");
    check(
        "procedure P(n: int) { var n: int; assert (forall n: int :: n == n); }",
        expect![[r#"
            f.bpl(1,26): Error: more than one declaration of variable name: n
        "#]],
    );
}

#[test]
fn extern_declarations_give_way() {
    accepts("procedure {:extern} P(x: int); procedure P(); procedure Q() { call P(); }");
    check(
        "procedure P(x: int); procedure P();",
        expect![[r#"
            f.bpl(1,31): Error: more than one declaration of function/procedure name: P
        "#]],
    );
}

#[test]
fn types_have_the_right_arguments() {
    check(
        "type C a; type S a = [a]C a; var x: C; var y: S int int; var z: D; var w: <b>[int]int;",
        expect![[r#"
            f.bpl(1,36): Error: type constructor received wrong number of arguments: C
            f.bpl(1,46): Error: type synonym received wrong number of arguments: S
            f.bpl(1,64): Error: undeclared type: D
            f.bpl(1,74): Error: type variable must occur in map arguments: b
        "#]],
    );
    check(
        "type A = B; type B = A; type C = [int]C2; type C2 = int;",
        expect![[r#"
            f.bpl(1,5): Error: type synonym could not be resolved because of cycles: A (replacing body with "bool" to continue resolving)
            f.bpl(1,17): Error: type synonym could not be resolved because of cycles: B (replacing body with "bool" to continue resolving)
        "#]],
    );
}

#[test]
fn triggers_are_checked() {
    check(
        "function f(int): int; axiom (forall x: int, y: int :: {f(x)} {x, f(y)} {f(x + y) > 0} f(x) == y);",
        expect![[r#"
            f.bpl(1,54): Error: trigger must mention all quantified variables, but does not mention: y
            f.bpl(1,62): Error: a matching pattern must be more than just a variable by itself: x
            f.bpl(1,81): Error: arithmetic comparisons are not allowed in triggers
        "#]],
    );
}

#[test]
fn one_type_error_does_not_bring_others() {
    check(
        "procedure P(b: bool) { assert (b + 1) * 2 == 3 && b; assert 1 + b == 2; }",
        expect![[r#"
            f.bpl(1,33): Error: invalid argument types (bool and int) to binary operator +
            f.bpl(1,62): Error: invalid argument types (int and bool) to binary operator +
        "#]],
    );
}

#[test]
fn assignments_respect_types_and_frames() {
    check(
        "var g: int; const c: int; procedure P(n: int) { var m: [int]bool; g := 1; c := 2; n := 3; m[true] := 1; m := 5; }",
        expect![[r#"
            f.bpl(1,68): Error: command assigns to a global variable that is not in the enclosing procedure's modifies clause: g
            f.bpl(1,76): Error: command assigns to an immutable variable: c
            f.bpl(1,84): Error: command assigns to an immutable variable: n
            f.bpl(1,92): Error: invalid type for argument 0 in map assignment: bool (expected: int)
            f.bpl(1,91): Error: mismatched types in assignment command (cannot assign int to bool)
            f.bpl(1,104): Error: mismatched types in assignment command (cannot assign int to [int]bool)
        "#]],
    );
}

#[test]
fn polymorphic_uses_are_inferred() {
    accepts(
        "type Field _; type ref; var heap: <a>[ref, Field a]a; const f: Field int; const b: Field bool;
         function get<a>(h: <b>[ref, Field b]b, r: ref, f: Field a): a { h[r, f] }
         procedure P(r: ref) modifies heap; {
           heap[r, f] := get(heap, r, f) + 1;
           heap[r, b] := heap[r, b] || get(heap, r, b);
           heap := heap[r, f := 3];
         }",
    );
    check(
        "type Field _; var h: <a>[Field a]a; const f: Field int; axiom true; procedure P() { assert h[f] == true; assert h[1] == 2; }",
        expect![[r#"
            f.bpl(1,96): Error: invalid argument types (int and bool) to binary operator ==
            f.bpl(1,114): Error: invalid type for argument 0 in map select: int (expected: Field a)
        "#]],
    );
}

#[test]
fn what_nothing_determines_is_settled_with_a_warning() {
    check(
        "type List _; function nil<a>(): List a; axiom nil() == nil();",
        expect![[r#"
            f.bpl(1,46): Warning: type parameter a is ambiguous, instantiating to int
        "#]],
    );
}

#[test]
fn signatures_of_implementations_must_match() {
    check(
        "procedure P<a>(x: a, y: int) returns (z: a); implementation P<b>(x: b, w: bool) returns (z: b) { z := x; } implementation P(x: int) { } implementation Q() { }",
        expect![[r#"
            f.bpl(1,151): Error: implementation given for undeclared procedure: Q
        "#]],
    );
    check(
        "procedure P<a>(x: a, y: int) returns (z: a); implementation P<b>(x: b, w: bool) returns (z: b) { z := x; } implementation P<a>(x: a) { }",
        expect![[r#"
            f.bpl(1,60): Error: mismatched type of in-parameter in implementation P: y (named w in implementation)
            f.bpl(1,122): Error: mismatched number of in-parameters in procedure implementation: P
            f.bpl(1,122): Error: mismatched number of out-parameters in procedure implementation: P
        "#]],
    );
}

#[test]
fn bit_vectors_have_widths() {
    accepts("procedure P(x: bv8) { assert x[8:4] ++ x[4:0] == x; assert (x ++ 1bv8)[16:8] == x; }");
    check(
        "procedure P(x: bv8) { assert x[4:8] == x; assert x[9:8] == 0bv1; }",
        expect![[r#"
            f.bpl(1,30): Error: start index in extract must be no bigger than the end index
        "#]],
    );
    check(
        "procedure P(x: bv8) { assert x[9:8] == 0bv1; }",
        expect![[r#"
            f.bpl(1,30): Error: extract operand must be a bitvector of at least 9 bits (got bv8)
        "#]],
    );
}

#[test]
fn datatypes_bring_selectors_and_testers() {
    accepts(
        "type {:datatype} L; function {:constructor} nil(): L; function {:constructor} cons(head: int, tail: L): L;
         axiom (forall l: L :: is#cons(l) ==> cons(head#cons(l), tail#cons(l)) == l); axiom is#nil(nil());",
    );
    check(
        "type T; function {:constructor} c(int): T;",
        expect![[r#"
            f.bpl(1,32): Error: The output type of a constructor must be a datatype
        "#]],
    );
}

#[test]
fn floats_must_fit() {
    accepts("const f: float24e8; axiom f == 0x1.8e0f24e8 || f == 0NaN24e8 || f == -0x0.8e-1f24e8;");
    check(
        "axiom 0x1.ffffffe0f24e8 == 0x1.0e99f24e8;",
        expect![[r#"
            f.bpl(1,7): error: incorrectly formatted floating point, The given significand cannot fit in the bit size 23
            f.bpl(1,28): error: incorrectly formatted floating point, The given exponent cannot fit in the bit size 8
        "#]],
    );
}

#[test]
fn targets_that_are_no_maps_and_type_variables_declared_twice() {
    check(
        "procedure P(x: int) { var a: [int][int]int; a[1][2][3] := 4; x[1] := 2; }",
        expect![[r#"
            f.bpl(1,48): Error: map assignment applied to a non-map: Microsoft.Boogie.MapAssignLhs
            f.bpl(1,61): Error: map assignment applied to a non-map: Microsoft.Boogie.SimpleAssignLhs
            f.bpl(1,66): Error: command assigns to an immutable variable: x
        "#]],
    );
    check(
        "function f<a, a>(x: a): int; procedure p<b, b>(x: b); function g<a, b>(x: a): int;",
        expect![[r#"
            f.bpl(1,14): Error: more than one declaration of type variable: a
            f.bpl(1,44): Error: more than one declaration of type variable: b
            f.bpl(1,63): Error: type variable must occur in function arguments: b
        "#]],
    );
}

#[test]
fn an_asynchronous_call_modifies_nothing_here() {
    check(
        "var g: int; procedure A(); modifies g; procedure B() { async call A(); } procedure C() { call A(); }",
        expect![[r#"
            f.bpl(1,61): Error: target procedure of an async call must yield
            f.bpl(1,89): Error: command assigns to a global variable that is not in the enclosing procedure's modifies clause: g
        "#]],
    );
}

#[test]
fn floats_have_no_unary_minus() {
    check(
        "const a: float24e8; axiom -a == a; axiom -0x1.0e0f24e8 != a; axiom a + a == a;",
        expect![[r#"
            f.bpl(1,26): Error: invalid argument type (float24e8) to unary operator -
        "#]],
    );
}

#[test]
fn members_of_datatypes() {
    accepts(
        "datatype D<T> { A(x: T), B(x: T, y: int) } procedure P(d: D int) { assume d->x == 1 && d->(y := 2)->y > 0; }",
    );
    check(
        "type T; datatype D { A(x: int), B(x: int) }\nprocedure P(i: int, t: T, d: D)\n  requires i->x == 0 && t is A;\n  requires d->y == 0 || d is C;\n  requires d->(x := true) == d;\n{\n  var g: int;\n  A(g) := i;\n}\n",
        expect![[r#"
            f.bpl(3,14): Error: field-access must be applied to a datatype, int is not a datatype
            f.bpl(3,29): Error: is-constructor must be applied to a datatype, T is not a datatype
            f.bpl(4,14): Error: datatype D does not have a field with name y
            f.bpl(4,29): Error: datatype D does not have a constructor with name C
            f.bpl(5,15): Error: right-hand side in field update with wrong type: bool (expected: int)
            f.bpl(8,7): Error: mismatched types in assignment command (cannot assign int to D)
        "#]],
    );
    check(
        "datatype D { A(x: int, y: int) } procedure P(d: D) { var g: int; A(g, g) := d; }",
        expect![[r#"
            f.bpl(1,73): Error: variable g is assigned more than once in unpack command
        "#]],
    );
    accepts(
        "type {:datatype} D; function {:constructor} A(x: int): D; function {:constructor} B(x: bool): D; axiom x#A(A(1)) == 1;",
    );
    check(
        "datatype D<T> { A(x: T, y: int), B(y: int, x: bool) }",
        expect![[r#"
            f.bpl(1,43): Error: type mismatch between field x and identically-named field in constructor A
        "#]],
    );
    // type parameters are those of the datatype, wherever they occur first
    check(
        "datatype S<X, Y> { L(i: X, j: Y), R(i: Y, k: X) }",
        expect![[r#"
            f.bpl(1,36): Error: type mismatch between field i and identically-named field in constructor L
        "#]],
    );
    accepts("datatype S<X, Y> { L(i: X, j: Y), R(j: Y, i: X) }");
    check(
        "var g: int; pure procedure P() modifies g; { assert g > 0; }",
        expect![[r#"
            f.bpl(1,27): Error: unnecessary modifies clause for pure procedure
            f.bpl(1,52): Error: cannot refer to a global variable in this context: g
        "#]],
    );
    check(
        "function f(): int; procedure P() { hide f; reveal *; push; pop; }",
        expect![[r#"
            f.bpl(1,35): Warning: hide has no effect: all axioms can be used
        "#]],
    );
    check(
        "axiom (forall x: int, x: int :: (var x := x; x == x));",
        expect![[r#"
            f.bpl(1,22): Error: more than one declaration of variable name: x
        "#]],
    );
}
