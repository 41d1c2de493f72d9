//! Goals woken by attributed variables have all their answers wherever a clause goes on.
//!
//! The program is `woken.pl`; the answers are what SWI-Prolog gives, but for case 35, where it calls the recovery goal
//! before the goals that the ball's unification woke.

mod support;

use support::{QUIET, Run};

const PROGRAM: &str = include_str!("woken.pl");

const ANSWERS: &[&str] = &[
    "[2,3]",
    "[1,2,3]",
    "[2]",
    "[1-1,2-2,3-3]",
    "[1-2,2-4,3-6]",
    "[2,3,1,2,3]",
    "[2]",
    "[1]",
    "[1-yes]",
    "[2-yes]",
    "[A-no]",
    "[1-no,2-yes,3-yes]",
    "[1-yes,2-yes,3-yes]",
    "[1-1,1-2,2-1,2-2,3-1,3-2]",
    "[1]",
    "[1]",
    "[z]",
    "[ok]",
    "[]",
    "[1-2,1-3,2-3]",
    "[1-2,1-3,2-1,2-3,3-1,3-2]",
    "[1-[1],3-[3]]",
    "[r(2,h,1,2),r(3,h,1,2)]",
    "[2,3]",
    "[2,3]",
    "[2,3]",
    "[none]",
    "[A]",
    "[1-2,1-3,2-3]",
    "[]",
    "[2,3]",
    "[2,3]",
    "[2,3]",
    "[2,3]",
    "[2,3]",
    "[[a-2,a-3]]",
    "[2,3,1]",
    "[2,3]",
    "[2]",
    "[A]",
    "[1-1]",
    "[1,2]",
    "[oops]",
    "[[1],[2],[3]]",
    "[2,3]",
    "[1]",
    "[2]",
    "[2-1]",
    "[two]",
    "[other,one,other]",
    "[78,78]",
    "[[1,2,1,2,2],[1,2,1,2,3]]",
    "[two,3,two,3]",
    "[b-1]",
    "[f(g(1))]",
    "[3,4,6,8]",
    "[2]",
    "[6]",
    "[[2]]",
    "[1]",
    "[ok]",
    "[ok]",
];

#[test]
fn all_answers_are_found_in_the_middle_of_clauses() {
    for stress in [0, 1, 7] {
        let mut run = Run::new(PROGRAM, &QUIET, stress);
        for (i, expected) in ANSWERS.iter().enumerate() {
            let number = i + 1;
            let before = run.written().len();
            let answer = run.goal(&format!("answers({number}, L), writeq(L)"));
            assert!(answer.starts_with("L = "), "{number}: {answer}");
            assert_eq!(
                &run.written()[before..],
                *expected,
                "t{number}, collecting every {stress}"
            );
        }
    }
}
