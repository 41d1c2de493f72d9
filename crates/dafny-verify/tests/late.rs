//! Statements that assign where Dafny's own rules are special: `:-` with several left-hand sides, `modify` with a block, ghost
//! constructors; two-state functions as values.

mod common;
use common::check;

const RESULT: &str = "datatype Result<T> = Failure(msg: string) | Success(value: T) {
       predicate IsFailure() { Failure? }
       function PropagateFailure(): Result<T> requires IsFailure() { this }
       function Extract(): T requires !IsFailure() { value }
     }
     class Cell { var data: int constructor() { } }
     method M() returns (r: Result<int>, i: int, j: int)
       ensures r.Success? ==> r.value == 1
       ensures i == 2 && j == 3
     { r, i, j := Success(1), 2, 3; }
    ";

/// The first left-hand side is assigned after the others, and must be another place.
#[test]
fn several_places_in_the_heap_take_results_that_may_fail() {
    let text = format!(
        "{RESULT}
         method Apart(a: array<int>) returns (r: Result<int>)
           requires a.Length > 3
           modifies a
         {{
           var c, d := new Cell(), new Cell();
           var k: int;
           c.data, d.data, k :- M();
           assert c.data == 1 && d.data == 2 && k == 3;
           k, a[2], a[3] :- M();
           assert a[2] == 2 && a[3] == 3;
           return Success(0);
         }}
         method Same(c: Cell, d: Cell) returns (r: Result<int>)
           modifies c, d
         {{
           var k: int;
           c.data, k, d.data :- M(); //! left-hand sides d.data and c.data could not be proved to refer to different locations
           return Success(0);
         }}
         method Twice() returns (r: Result<int>) {{
           var i: int;
           var k: int;
           i, i, k :- M(); //! left-hand sides i and i could not be proved to refer to different locations
           return Success(0);
         }}
         method Moved(a: array<int>) returns (r: Result<int>)
           requires a.Length > 3
           modifies a
         {{
           var k := 0;
           a[k], k, a[1] :- M();
           assert a[0] == 1 && a[1] == 3 && k == 2;
           return Success(0);
         }}"
    );
    check(&text);
}

#[test]
fn what_the_block_of_modify_declares_is_in_scope_after_it() {
    check(
        "class Cell { var data: int }
         method M(c: Cell) modifies c {
           modify c { var n := 3; c.data := n; }
           assert n == 3 && c.data == n;
           assert n == 4; //! assertion could not be proved
         }",
    );
}

#[test]
fn a_ghost_constructor_assigns_the_fields_of_its_object() {
    check(
        "type G(00)
         class C {
           var g: G
           ghost var h: G
           var n: int
           ghost constructor A(g: G) ensures this.g == g { this.g := g; }
           ghost constructor B() { }
           constructor D() { } //! field 'g', which is subject to definite-assignment rules
           ghost constructor E() ensures n == 3 { n := 4; } //! a postcondition could not be proved
         }",
    );
}

#[test]
fn a_two_state_function_as_a_value_keeps_the_earlier_state() {
    check(
        "class C {
           var data: int
           twostate function Grown(d: C): int reads d { d.data - old(d.data) }
           method M(e: C) modifies e {
             var d := new C;
             ghost var p := Grown;
             e.data := e.data + 2;
             ghost var x := p(e);
             assert x == 2;
             if * { assert x == 3; } //! assertion could not be proved
             x := p(d); //! function precondition could not be proved
           }
         }",
    );
}
