//! Blocks and their labels, coalescing, inlining, interval inference.

use crate::{front, printed};
use expect_test::{Expect, expect};
use stet_boogie::Program;
use stet_boogie::inline::{Inlining, inline};
use stet_boogie::intervals::{Places, infer};
use stet_boogie::print::{Bodies, PrintOptions, print_implementation};

fn typed(text: &str) -> Program {
    let front = front(text);
    assert!(front.ok, "{:#?}", front.messages);
    front.program
}

fn check(program: &Program, expected: Expect) {
    let options = PrintOptions {
        pretty: false,
        bodies: Bodies::Blocks,
    };
    let id = program.impls.ids().next().expect("there is one");
    expected.assert_eq(&print_implementation(program, id, options));
}

#[test]
fn labels_are_boogies() {
    let program = typed(
        "procedure P(n: int) { var i: int; i := 0; while (i < n) { i := i + 1; if (*) { break; } } L: if (i > 3) { M: i := 0; } else if (!(i == 2)) { goto L; } }",
    );
    check(
        &program,
        expect![[r#"
            implementation P(n: int)
            {
              var i: int;

              anon0:
                i := 0;
                goto anon4_LoopHead;

              anon4_LoopHead:
                goto anon4_LoopDone, anon4_LoopBody;

              anon4_LoopBody:
                assume {:partition} i < n;
                i := i + 1;
                goto anon5_Then, anon5_Else;

              anon5_Then:
                goto L;

              anon5_Else:
                goto anon4_LoopHead;

              anon4_LoopDone:
                assume {:partition} n <= i;
                goto L;

              L:
                goto anon6_Then, anon6_Else;

              anon6_Then:
                assume {:partition} i > 3;
                goto M;

              M:
                i := 0;
                return;

              anon6_Else:
                assume {:partition} 3 >= i;
                goto anon7_Then, anon7_Else;

              anon7_Then:
                assume {:partition} !(i == 2);
                goto L;

              anon7_Else:
                assume {:partition} i == 2;
                return;
            }


        "#]],
    );
}

#[test]
fn a_prefix_in_use_is_avoided() {
    let program = typed("procedure P() { anon0: assert true; if (*) { } }");
    let text = printed(&program, Bodies::Blocks, false);
    assert!(text.contains("goto anon11_Then, anon11_Else;"), "{text}");
}

#[test]
fn chains_are_merged_in_depth_first_order() {
    let mut program = typed(
        "procedure P() { A: assume true; goto B; B: goto C, D; C: assert true; goto E; D: assert false; goto E; E: goto F; F: return; U: goto U; }",
    );
    stet_boogie::coalesce(&mut program);
    check(
        &program,
        expect![[r#"
            implementation P()
            {

              A:
                assume true;
                goto C, D;

              D:
                assert false;
                goto E;

              E:
                return;

              C:
                assert true;
                goto E;
            }


        "#]],
    );
}

#[test]
fn calls_become_bodies() {
    let mut program = typed(
        "procedure Main() modifies g; { var r: int; call r := Inc(g); assert r > g; }
         var g: int;
         procedure {:inline 1} Inc(x: int) returns (y: int) requires x > 0; ensures y == old(g) + 1; modifies g; { y := x + 1; g := y; if (y > 5) { call y := Inc(y); } }",
    );
    let main = program.impls.ids().next().expect("there is one");
    let changed = inline(&mut program, Inlining::Assume, None, &|_, _| true);
    assert_eq!(changed, [main]);
    check(
        &program,
        expect![[r#"
            implementation Main()
            {
              var r: int;
              var inline$Inc$0$x: int;
              var inline$Inc$0$y: int;
              var inline$Inc$0$g: int;

              anon0:
                goto inline$Inc$0$Entry;

              inline$Inc$0$Entry:
                inline$Inc$0$x := g;
                assert inline$Inc$0$x > 0;
                havoc inline$Inc$0$y;
                inline$Inc$0$g := g;
                goto inline$Inc$0$anon0;

              inline$Inc$0$anon0:
                inline$Inc$0$y := inline$Inc$0$x + 1;
                g := inline$Inc$0$y;
                goto inline$Inc$0$anon2_Then, inline$Inc$0$anon2_Else;

              inline$Inc$0$anon2_Then:
                assume {:partition} inline$Inc$0$y > 5;
                assume false;
                goto inline$Inc$0$Return;

              inline$Inc$0$anon2_Else:
                assume {:partition} 5 >= inline$Inc$0$y;
                goto inline$Inc$0$Return;

              inline$Inc$0$Return:
                assert inline$Inc$0$y == inline$Inc$0$g + 1;
                r := inline$Inc$0$y;
                goto anon0$1;

              anon0$1:
                assert r > g;
                return;
            }


        "#]],
    );
    assert_eq!(program.inlined_checks.len(), 2);
}

#[test]
fn bounds_are_found_at_loop_heads() {
    let mut program = typed(
        "procedure P(n: int) { var i, j: int; var b: bool; i, j, b := 0, 7, true; while (i < 10) { i := i + 1; havoc j; assume 0 <= j && j mod 3 == 0; } }",
    );
    infer(&mut program, Places::LoopHeads);
    let text = printed(&program, Bodies::Blocks, false);
    assert!(
        text.contains("assume {:inferred} 0 <= i && i < 11 && 0 <= j && b;"),
        "{text}"
    );
}

/// Bounds must not come from divisions by zero, which may have any value.
#[test]
fn division_by_what_may_be_zero_has_no_bounds() {
    let mut program = typed(
        "procedure P(n: int) requires 0 <= n; { var i: int; i := 0; while (*) { i := 5 div n; } while (*) { i := 5 mod n; } }",
    );
    infer(&mut program, Places::LoopHeads);
    let text = printed(&program, Bodies::Blocks, false);
    assert!(!text.contains("<= i") && !text.contains("i <"), "{text}");
}

#[test]
fn locals_that_no_command_mentions_are_dropped() {
    let mut program = typed(
        "procedure P() { var a: int where a > b; var b: int where false; var c, d, e: int; a := 1; assert {:x c} true; return; L: d := 2; }",
    );
    stet_boogie::drop_unused_locals(&mut program);
    check(
        &program,
        expect![[r#"
        implementation P()
        {
          var a: int where a > b;
          var b: int;

          anon0:
            a := 1;
            assert {:x c} true;
            return;

          L:
            d := 2;
            return;
        }


    "#]],
    );
}

#[test]
fn free_clauses_of_inlined_procedures_leave_a_trace() {
    let mut program = typed(
        "procedure P(a: int) { var b: int; call b := S(a); assert b > 5; } \
         procedure {:inline 1} S(x: int) returns (y: int) requires x > 0; free requires x > 1; \
         ensures y > 1; free ensures y > 2; ensures {:InlineAssume} y > 3; { y := x; }",
    );
    inline(&mut program, Inlining::Assume, None, &|_, _| true);
    check(
        &program,
        expect![[r#"
        implementation P(a: int)
        {
          var b: int;
          var inline$S$0$x: int;
          var inline$S$0$y: int;

          anon0:
            goto inline$S$0$Entry;

          inline$S$0$Entry:
            inline$S$0$x := a;
            assert inline$S$0$x > 0;
            assert true;
            havoc inline$S$0$y;
            goto inline$S$0$anon0;

          inline$S$0$anon0:
            inline$S$0$y := inline$S$0$x;
            goto inline$S$0$Return;

          inline$S$0$Return:
            assert inline$S$0$y > 1;
            assume true;
            assume inline$S$0$y > 3;
            b := inline$S$0$y;
            goto anon0$1;

          anon0$1:
            assert b > 5;
            return;
        }


    "#]],
    );
}
