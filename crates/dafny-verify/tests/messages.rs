//! Checks that Dafny makes, where and in which words it reports them.

mod common;
use common::{check, verify};

/// Checks the lines that are printed.
fn prints(text: &str, expected: &[&str]) {
    if let Some(lines) = verify(text) {
        assert_eq!(lines, expected, "in\n{text}");
    }
}

const UNPROVED: &str = "assertion could not be proved";

#[test]
fn a_literal_is_converted_at_the_operator() {
    prints(
        "newtype small = x | 0 <= x < 10
method M() {
  var a := 3 as small;
  var b := 30 as small;
}
method N() {
  var c := 300 as bv8;
}
",
        &[
            "(4,14): Error: result of operation could not be proved to satisfy newtype constraint for 'small'",
            "(7,15): Error: value to be converted could not be proved to fit in bv8",
        ],
    );
}

#[test]
fn functions_to_bool_and_two_state_predicates_are_taken_apart() {
    prints(
        "function F(x: int): bool {
  0 <= x &&
  x < 10
}
class C {
  var z: int
  twostate predicate Same()
    reads this
  {
    unchanged(this)
  }
  method N()
    modifies this
  {
    z := z + 1;
    assert Same();
  }
}
method M(x: int)
  requires 0 <= x
{
  assert F(x);
}
",
        &[
            &format!("(16,15): Error: {UNPROVED}"),
            "(10,4): Related location: this proposition could not be proved",
            &format!("(22,10): Error: {UNPROVED}"),
            "(3,4): Related location: this proposition could not be proved",
        ],
    );
}

#[test]
fn a_labelled_precondition_is_known_after_it_was_revealed() {
    prints(
        "lemma L(x: int)
  requires A: x == 3
{
  if * {
    reveal A;
    assert x == 3;
  } else {
    assert x == 3;
  }
}
",
        &[&format!("(8,4): Error: {UNPROVED}")],
    );
}

#[test]
fn a_compiled_choice_in_an_expression_is_determined() {
    prints(
        "function Any(s: set<int>): int
  requires s != {}
{
  var x :| x in s; x
}
function Only(a: int, b: int): int
  requires a != b
{
  var x :| x in {a, b} && x != a; x
}
ghost function Some(s: set<int>): int
  requires s != {}
{
  var x :| x in s; x
}
",
        &[
            "(4,2): Error: to be compilable, the value of a let-such-that expression must be uniquely determined",
        ],
    );
}

#[test]
fn a_false_assumption_does_not_take_a_loop_apart() {
    prints(
        "method M(n: nat) {
  var i := 0;
  while i < n {
    assume {:axiom} false;
    i := i + 1;
  }
  assert n == 0;
}
",
        &[&format!("(7,2): Error: {UNPROVED}")],
    );
}

#[test]
fn witnesses_that_were_tried_are_named() {
    prints(
        "type Six = x | 6 <= x witness 6
type Seven = x: Six | 7 <= x
type Chosen = s: iset<int> | 3 in s && 4 in s
datatype D = D(x: int)
type Fixed = d: D | d.x == 3
",
        &[
            "(2,5): Error: trying witness 0: result of operation could not be proved to satisfy subset type constraint for 'Six'",
            "(3,5): Error: cannot find witness that shows type is inhabited (only tried iset{}); try giving a hint through a 'witness' or 'ghost witness' clause, or use 'witness *' to treat as a possibly empty type",
            "(3,31): Related location: this proposition could not be proved",
            "(5,5): Error: cannot find witness that shows type is inhabited; try giving a hint through a 'witness' or 'ghost witness' clause, or use 'witness *' to treat as a possibly empty type",
        ],
    );
}

#[test]
fn a_function_that_is_only_provided_has_no_body_outside() {
    prints(
        "module Library {
  export provides Hidden reveals Shown
  ghost function Hidden(): int { 5 }
  ghost function Shown(): int { 5 }
  lemma Inside() { assert Hidden() == 5; }
}
module Client {
  import L = Library
  lemma Outside() {
    assert L.Shown() == 5;
    assert L.Hidden() == 5;
  }
}
",
        &[&format!("(11,4): Error: {UNPROVED}")],
    );
}

#[test]
fn a_measure_given_for_a_loop_is_bounded() {
    prints(
        "method M(x: int) {
  var i := x;
  while i != 0
    decreases i
  {
    i := i - 1;
  }
}
method N(x: int) {
  var i, j := x, x;
  while 0 < i + j
    decreases i
  {
    j := j - 1;
  }
}
",
        &[
            "(4,14): Error: decreases expression must be bounded below by 0 at end of loop iteration",
            "(11,2): Error: decreases expression could not be proved to decrease",
        ],
    );
}

#[test]
fn parts_of_values_are_below_them() {
    prints(
        "datatype T = Leaf | Node(seq<T>)
ghost function Tree(t: T): int {
  if t == Node([Leaf]) then Trees([Leaf]) else 0
}
ghost function Trees(ts: seq<T>): int {
  if |ts| == 2 then Tree(Node(ts)) else 0
}
method M(x: int) {
  assert x decreases to x - 1;
  assert x decreases to x;
}
",
        &[
            "(6,24): Error: cannot prove termination; try supplying a decreases clause",
            &format!("(10,2): Error: {UNPROVED}"),
        ],
    );
}

#[test]
fn default_values_are_checked_where_they_are_declared() {
    prints(
        "method M(x: nat := -1) { }
",
        &["(1,19): Error: value does not satisfy the subset constraints of 'nat'"],
    );
}

#[test]
fn facts_of_functions_without_parameters_are_used_by_those_that_mention_them() {
    prints(
        "predicate P(x: int)
function F(): (i: int)
  ensures P(i)
{
  assert P(12);
  12
}
method M() {
  assert P(12);
}
",
        &[
            &format!("(5,2): Error: {UNPROVED}"),
            &format!("(9,2): Error: {UNPROVED}"),
        ],
    );
}

#[test]
fn members_that_a_refinement_copies_are_verified_once() {
    prints(
        "module A {
  method M(x: int) { assert x == 3; }
}
module B refines A {
}
",
        &[&format!("(2,21): Error: {UNPROVED}")],
    );
}

#[test]
fn quantifiers_without_terms_and_old_without_effect_are_warned_about() {
    prints(
        "predicate P(x: int) { true }
method M(x: int) {
  assert forall i: int :: i < 10 || 5 < i;
  assert forall i: int :: P(i) || i * i < 0;
  assert forall i: int {:nowarn} :: i < 10 || 5 < i;
  assert old(x) == x;
}
static method N() { }
",
        &[
            "(8,0): Warning: module-level methods are always non-instance, so the 'static' keyword is not allowed here",
            "(3,9): Warning: Could not find a trigger for this quantifier. Without a trigger, the quantifier may cause brittle verification. To silence this warning, add an explicit trigger using the {:trigger} attribute. For more information, see the section on quantifier instantiation rules in the reference manual.",
            "(6,9): Warning: Argument to 'old' does not dereference the mutable heap, so this use of 'old' has no effect",
        ],
    );
}

#[test]
fn a_loop_without_a_body_changes_what_it_mentions() {
    prints(
        "method M(n: nat) returns (x: int, y: int) {
  x, y := 0, 7;
  while x < n
    invariant 0 <= x <= n
  assert x == n && y == 7;
  assert x == 3;
}
method N(n: int) {
  var i := 0;
  while i < n
    invariant i <= n
}
",
        &[
            "(3,2): Warning: this loop has no body (loop frame: x)",
            "(10,2): Warning: this loop has no body (loop frame: i)",
            &format!("(6,2): Error: {UNPROVED}"),
            "(11,16): Error: this loop invariant could not be proved on entry",
            " Related message: loop invariant violation",
        ],
    );
}

#[test]
fn any_value_of_a_type_that_may_be_empty_is_none() {
    prints(
        "type Five = x: int | x == 5 witness *
type Never = x: int | false witness *
method M() {
  var five: Five := *;
  var four: int := five;
}
method N(five: Five) {
  var other: Five := five;
  other := *;
  assert other == 5;
}
method O() {
  var never: Never := *;
  assert false;
}
",
        &[
            "(5,19): Error: variable 'five', which is subject to definite-assignment rules, could not be proved to be initialized here",
            &format!("(14,2): Error: {UNPROVED}"),
        ],
    );
}

#[test]
fn a_field_without_a_value_is_missed_at_the_end_of_the_constructor() {
    prints(
        "type Five = x: int | x == 5 witness *
class C {
  var five: Five
  constructor () {
    five := *;
  }
}
",
        &[
            "(6,2): Error: field 'five', which is subject to definite-assignment rules, could not be proved to be initialized at this point in the constructor body",
        ],
    );
}

#[test]
fn a_clause_that_would_allow_reading_is_proposed() {
    prints(
        "class C { var x: int }
function F(c: C): int {
  c.x
}
function G(a: array<int>): int
  requires 0 < a.Length
{
  a[0]
}
function H(c: C, x: int := c.x): int { x }
",
        &[
            "(3,4): Error: insufficient reads clause to read field; Consider adding 'reads c' or 'reads c`x' in the enclosing function specification for resolution",
            "(8,3): Error: insufficient reads clause to read array element; Consider adding 'reads a' in the enclosing function specification for resolution",
            "(10,29): Error: insufficient reads clause to read field; Mutable fields cannot be accessed within certain scopes, such as default values, the right-hand side of constants, or co-recursive calls",
        ],
    );
}

#[test]
fn a_check_that_failed_hides_no_other() {
    check(
        "method Two(x: int) {
           assert x > 0 && //! assertion could not be proved
             x > -1; //! assertion could not be proved
         }
         method Out() returns (a: int,
           b: int)
         {
           var c: int;
           var d: int;
           var e := c; //! variable 'c', which is subject to
           var f := d; //! variable 'd', which is subject to
           a, b := 1, 2;
         }",
    );
}

#[test]
fn a_type_that_is_no_subset_type_has_other_words() {
    check(
        "method M(s: set<int>, f: int ~> int) {
           var t: set<nat> := s; //! value of expression (of type 'set<int>') is not known to be an instance of type 'set<nat>'
         }
         method N(f: int ~> int) {
           var g: int ~> nat := f; //! value of expression (of type 'int ~> int') is not known to be an instance of type 'int ~> nat'
         }
         method O(f: int ~> int) {
           var g: int --> int := f; //! (possible cause: it may have read effects)
         }
         method P() {
           var q: seq<nat> := [1, -2]; //! value does not satisfy the subset constraints of 'nat'
         }",
    );
}

#[test]
fn what_is_bound_has_its_type_although_no_value_was_assigned() {
    check(
        "type Five = x: int | x == 5 witness *
         datatype Cell = Cell(x: Five)
         method M() {
           var five: Five := *;
           if * {
             var x :=
               var f: Five := five; //! could not be proved to be initialized here
               assert f == 5;
               if f == 5 then 200 else 200/0;
           } else {
             var c := Cell(five); //! could not be proved to be initialized here
             assert c.x == 5;
           }
         }
         method N() {
           var five: Five := *;
           var other := five; //! could not be proved to be initialized here
           assert false; //! assertion could not be proved
         }",
    );
}

#[test]
fn datatypes_without_values_are_remarked_upon() {
    let program = "datatype Chain<T> = Link(T, Chain<T>)
         datatype One<T> = One(T)
         datatype Round = Round(One<Round>)
         datatype Tree = Tree(seq<Tree>)
         codatatype Stream = Next(Stream)
         method M() { assert 1 < 2; }";
    let Some(lines) = common::verify(program) else {
        return;
    };
    let why =
        "because of cyclic dependencies among constructor argument types, no instances of datatype";
    let remark =
        |place: &str, name: &str| format!("{place}: Warning: {why} '{name}' can be constructed");
    assert_eq!(lines, [remark("(1,9)", "Chain"), remark("(3,18)", "Round")]);
}

#[test]
fn membership_in_what_is_listed_is_no_trigger() {
    let program = "method M(s: seq<int>) {
  var a := set x | x in {0, 1, 2} && x < 2;
  var b := set x, i | x in s && 0 <= i < x && i % 7 == 0 :: x + i;
  var c := set x | x in s && x < 2;
  assert 1 < 2;
}
";
    let Some(lines) = common::verify(program) else {
        return;
    };
    let remarked: Vec<_> = lines.iter().filter_map(|l| l.split_once(": ")).collect();
    let places: Vec<_> = remarked.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, ["(2,11)", "(3,11)"], "{lines:?}");
    assert!(
        remarked
            .iter()
            .all(|(_, m)| m.contains("Could not find a trigger"))
    );
}
