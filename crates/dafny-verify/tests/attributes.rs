//! Attributes that change how something is verified, and none that change what is proved.

mod common;
use common::{check, verify};

#[test]
fn fuel_unfolds_definitions() {
    let program = |attributes: &str, here: &str| {
        format!(
            "function {attributes} F(n: int): int {{ if n <= 0 then 0 else 2 + F(n - 1) }}
             method M(n: int) requires n > 10 {{ assert {here} F(n) == 12 + F(n - 6); }}"
        )
    };
    for (attributes, here) in [("{:fuel 6, 7}", ""), ("", "{:fuel F, 6, 7}")] {
        check(&program(attributes, here));
        check(&format!(
            "{} //! assertion could not be proved",
            program(attributes, here).replace("12 +", "13 +")
        ));
    }
}

#[test]
fn fuel_of_a_member_holds_in_its_body() {
    check(
        "function F(n: int): int { if n <= 0 then 0 else 2 + F(n - 1) }
         lemma {:fuel F, 6} L(n: int) requires n > 10 { assert F(n) == 12 + F(n - 6); }
         lemma {:fuel F, 6} Wrong(n: int) requires n > 10 { assert F(n) == 12 + F(n - 5); } //! assertion could not be proved",
    );
}

#[test]
fn split_questions_find_every_error() {
    check(
        "method {:isolate_assertions} A(x: int) {
           assert x * x >= 0;
           if x > 0 { assert x > 1; } //! assertion could not be proved
           else { assert x <= 0; }
           assert x != 7; //! assertion could not be proved
         }
         method B(x: int) returns (r: int) ensures r > x { //! a postcondition could not be proved
           assert {:split_here} x == x;
           r := x;
           if x > 3 { assert {:focus} x > 2; assert x > 5; } //! assertion could not be proved
         }
         method C(x: int) requires x > 0 ensures false { //! a postcondition could not be proved
           assert {:split_here} true;
         }",
    );
}

#[test]
fn limits_are_read() {
    check(
        "method {:resource_limit \"5e6\"} {:isolate_assertions false} A(x: int) { assert x + 1 > x; }
         method {:resource_limit 5000000} B(x: int) { assert x > x; } //! assertion could not be proved",
    );
}

#[test]
fn only_leaves_others_out_and_says_so() {
    let text = "method {:only} A(x: int) { assert x > 0; }
method B() { assert false; }";
    let Some(lines) = verify(text) else {
        return;
    };
    let is = |line: &str, text: &str| line.contains(text);
    assert!(
        lines
            .iter()
            .any(|l| is(l, "Warning: Members with {:only} temporarily disable")),
        "{lines:#?}"
    );
    let errors = lines.iter().filter(|l| is(l, "Error: ")).count();
    assert_eq!(errors, 1, "{lines:#?}");
}
