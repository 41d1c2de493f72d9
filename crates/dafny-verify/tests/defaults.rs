//! Default values: checked where they are declared, and only there.

mod common;
use common::check;

const RECURSIVE: &str =
    "default-value expression is not allowed to involve recursive or mutually recursive calls";

#[test]
fn values_of_every_kind_of_callable_are_checked() {
    check(
        "function Int(): int
datatype D = D(x: int := 8, y: int := 10 / x) //! possible division by zero
datatype E = E(i: int, x: nat := i) //! subset constraints of 'nat'
function F(x: nat := Int()): int //! subset constraints of 'nat'
method M(i: int, x: nat := i) //! subset constraints of 'nat'
class Cell { var data: int }
datatype R = R(c: Cell, x: int := c.data) //! insufficient reads clause to read field
method Caller(c: Cell, y: int) {
  var d := D();
  var e := E(y);
  var f := F();
  M(y);
  var r := R(c);
  assert e.x >= 0;
}",
    );
}

#[test]
fn a_given_argument_is_checked_although_it_is_a_default_too() {
    check(
        "function F(x: int, y: int := x): int
method M(a: int) {
  var b := F(10 / a); //! possible division by zero
}
function G(x: nat, y: nat := x): nat { x + y }
method N(a: int) {
  var b := G(a); //! subset constraints of 'nat'
}",
    );
}

#[test]
fn a_value_may_not_lead_back_to_itself() {
    check(&format!(
        "datatype R = R(x: nat := F()) //! {RECURSIVE}
function F(): nat {{ var n := R().x; 1 }}
datatype S = S(x: nat := (False(); 3)) //! {RECURSIVE}
lemma False() ensures false {{ var s := S(); }} //! a postcondition could not be proved
lemma M(x: int := (X(); 3)) ensures false //! cannot prove termination
lemma X() ensures false {{ M(); }}
function A(x: nat := B()): nat //! {RECURSIVE}
function B(): nat {{ A(1) }}"
    ));
}

#[test]
fn values_exist_in_the_earlier_of_two_states() {
    check(
        "class C { }
twostate predicate P0(a: C, b: C := a)
twostate predicate P1(new a: C, b: C := a) //! default value could not be proved to be allocated in the two-state function's previous state
twostate lemma L0(new a: C, new b: C := a)
twostate lemma L1(new a: C, b: C := a) //! default value could not be proved to be allocated in the two-state lemma's previous state",
    );
}
