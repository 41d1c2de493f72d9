//! Types that are left out.

mod common;
use common::check;

#[test]
fn locals_beside_others_keep_their_classes() {
    check(
        "trait Animal { method Legs() returns (n: nat) }
         class Dog extends Animal { constructor () {} method Legs() returns (n: nat) ensures n == 4 { n := 4; } }
         class Bird extends Animal { constructor () {} method Legs() returns (n: nat) ensures n == 2 { n := 2; } }
         method Zoo(wild: bool) {
           var d := new Dog();
           var b := new Bird();
           var all: seq<Animal> := [d, b];
           var one := if wild then d else b;
           var n := d.Legs();
           assert n == 4;
           n := b.Legs();
           assert n == 2;
           n := one.Legs();
           assert n == 4; //! assertion could not be proved
         }",
    );
}

#[test]
fn new_objects_have_the_arguments_of_their_constructors() {
    check(
        "class Cell<T> { var data: T constructor (d: T) ensures data == d { data := d; } }
         method Argument(n: nat) { var c := new Cell(n); assert c.data >= 0; }
         method Literal() { var c := new Cell(5); c.data := -1; }
         method Declared() { var c: Cell<nat> := new Cell(5); c.data := -1; } //! subset constraints of 'nat'
         method Given(n: nat) { var c := new Cell<int>(n); c.data := -1; }
         method Narrow(n: nat) { var c := new Cell(n); c.data := -1; } //! subset constraints of 'nat'
         method Joined(n: nat) { var c := new Cell(n); c := new Cell(-1); }
         method Array() returns (a: array<nat>) { a := new [3](_ => 0); }
         method Elided(a: array<nat>) requires a.Length > 0 { var b: array := a; assert b[0] >= 0; }",
    );
}

#[test]
fn a_bound_variable_has_the_type_of_the_narrowest_parameter() {
    check(
        "trait T {}
         class C extends T {}
         ghost predicate P(u: T)
         ghost predicate Q(x: C)
         lemma A() requires forall t :: P(t) && Q(t) { }
         lemma B() requires forall t :: Q(t) && P(t) { }
         lemma Wrong() requires forall t :: P(t) && Q(t) ensures forall t: T :: P(t) { } //! a postcondition could not be proved",
    );
}
