//! `hide` and `reveal` of functions: bodies that a proof does not use.

mod common;
use common::check;

#[test]
fn a_hidden_body_is_not_used() {
    check(
        "function F(x: int): int { x + 1 }
         predicate G(x: int) { x > 3 }
         lemma Named() {
           hide F;
           assert G(4);
           assert F(1) == 2; //! assertion could not be proved
         }
         lemma All() {
           hide *;
           assert G(4) by { reveal G; }
           assert F(1) == 2; //! assertion could not be proved
         }
         lemma Again() {
           hide *;
           reveal F;
           assert F(1) == 2;
           assert G(4); //! assertion could not be proved
         }
         lemma Elsewhere() { assert F(1) == 2 && G(4); }",
    );
}

#[test]
fn what_is_hidden_in_a_block_is_visible_after_it() {
    check(
        "function F(x: int): int { x + 1 }
         lemma Block(b: bool) {
           if b {
             hide F;
             assert F(1) == 2; //! assertion could not be proved
           } else {
             assert F(1) == 2;
           }
           { hide F; }
           assert F(2) == 3;
         }",
    );
}

#[test]
fn specifications_of_a_hidden_function_are_known() {
    check(
        "function F(x: int): (r: int) ensures r > x { x + 1 }
         least predicate Even(n: int) { n == 0 || Even(n - 2) }
         lemma Spec(x: int)
           requires F(x) == 7
         {
           hide *;
           assert x < 7;
           assert x == 6; //! assertion could not be proved
         }
         lemma Least() {
           hide Even;
           assert Even(0); //! assertion could not be proved
         }",
    );
}

#[test]
fn a_function_without_fuel_is_hidden_from_a_method() {
    check(
        "function A(x: int): int { x + 2 }
         function B(y: int): int { A(y - 2) }
         lemma {:fuel A, 0, 0} Off(z: int) { assert B(z) == z; } //! assertion could not be proved
         lemma {:fuel A, 0, 0} Shown(z: int) { reveal A; assert B(z) == z; }
         lemma On(z: int) { assert B(z) == z; }",
    );
}
