//! `stet boogie` and `stet verify` from end to end: options, limits, provers that misbehave, input that is broken.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stderr, reason = "tests say why they skip")]

use expect_test::{Expect, expect};
use std::fmt::Write;
use stet_tests::{Outcome, Sandbox};

const PROGRAM: &str = "\
procedure First(x: int) requires x > 0;
{
  assert x >= 1;
  assert x > 1;
  assert x > 2;
}
procedure Second(x: int) returns (y: int)
  ensures y > x;
{
  y := x;
  if (x == 5) {
    return;
  }
  y := y + 1;
}
procedure Third()
{
  call First(0);
}
procedure Good(n: int) requires n >= 0;
{
  var i: int;
  i := 0;
  while (i < n) invariant i <= n; { i := i + 1; }
  assert i == n;
}
";

fn has(prover: &str) -> bool {
    let found = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|directory| directory.join(prover).is_file())
    });
    if !found {
        stet_testkit::skip(prover);
    }
    found
}

fn boogie(program: &str, arguments: &[&str]) -> Outcome {
    let mut all = vec!["boogie", "/nologo"];
    all.extend(arguments);
    all.push("p.bpl");
    Sandbox::new().file("p.bpl", program).run(&all)
}

fn check(program: &str, arguments: &[&str], expected: Expect) {
    if has("z3") {
        expected.assert_eq(&boogie(program, arguments).summary());
    }
}

#[test]
fn messages_are_boogies() {
    check(
        PROGRAM,
        &[],
        expect![[r#"
        exit 0
        --- stdout
        p.bpl(4,3): Error BP5001: This assertion might not hold.
        Execution trace:
            p.bpl(3,3): anon0
        p.bpl(5,3): Error BP5001: This assertion might not hold.
        Execution trace:
            p.bpl(3,3): anon0
        p.bpl(12,5): Error BP5003: A postcondition might not hold on this return path.
        p.bpl(8,3): Related location: This is the postcondition that might not hold.
        Execution trace:
            p.bpl(10,5): anon0
            p.bpl(12,5): anon3_Then
        p.bpl(18,3): Error BP5002: A precondition for this call might not hold.
        p.bpl(1,25): Related location: This is the precondition that might not hold.
        Execution trace:
            p.bpl(18,3): anon0

        Boogie program verifier finished with 1 verified, 4 errors
    "#]],
    );
}

#[test]
fn procedures_can_be_selected() {
    check(
        PROGRAM,
        &["/proc:*d", "/errorTrace:0"],
        expect![[r#"
        exit 0
        --- stdout
        p.bpl(12,5): Error BP5003: A postcondition might not hold on this return path.
        p.bpl(8,3): Related location: This is the postcondition that might not hold.
        p.bpl(18,3): Error BP5002: A precondition for this call might not hold.
        p.bpl(1,25): Related location: This is the precondition that might not hold.

        Boogie program verifier finished with 1 verified, 2 errors
    "#]],
    );
}

#[test]
fn the_error_limit_holds_per_procedure() {
    check(
        PROGRAM,
        &["/errorLimit:1", "/errorTrace:0", "/proc:First"],
        expect![[r#"
            exit 0
            --- stdout
            p.bpl(4,3): Error BP5001: This assertion might not hold.

            Boogie program verifier finished with 0 verified, 1 error
        "#]],
    );
}

#[test]
fn results_come_in_the_order_of_the_program() {
    if !has("z3") {
        return;
    }
    let mut program = String::new();
    for i in 0..12 {
        let _ = writeln!(
            program,
            "procedure P{i}(x: int) {{ assert x * x >= {}; }}",
            i % 3
        );
    }
    let sandbox = Sandbox::new().file("p.bpl", &program);
    let one = sandbox.run(&["boogie", "/nologo", "/vcsCores:1", "p.bpl"]);
    for _ in 0..3 {
        let four = sandbox.run(&["boogie", "/nologo", "/vcsCores:4", "p.bpl"]);
        assert_eq!(one.summary(), four.summary());
    }
    let one = sandbox.run(&["verify", "--cache", "off", "--jobs", "1", "p.bpl"]);
    let four = sandbox.run(&["verify", "--cache", "off", "--jobs", "4", "p.bpl"]);
    assert_eq!(one.summary(), four.summary());
    assert_eq!(one.code, Some(1));
}

#[test]
fn loops_can_be_unrolled() {
    let program = "\
procedure P(n: int)
{
  var i: int;
  i := 0;
  while (i < n) { i := i + 1; assert i != 3; }
}
";
    check(
        program,
        &["/loopUnroll:2"],
        expect![[r#"
        exit 0
        --- stdout

        Boogie program verifier finished with 1 verified, 0 errors
    "#]],
    );
    check(
        program,
        &["/loopUnroll:3"],
        expect![[r#"
        exit 0
        --- stdout
        p.bpl(5,31): Error BP5001: This assertion might not hold.
        Execution trace:
            p.bpl(4,5): anon0#3
            p.bpl(5,3): anon2_LoopHead#3
            p.bpl(5,21): anon2_LoopBody#3
            p.bpl(5,3): anon2_LoopHead#2
            p.bpl(5,21): anon2_LoopBody#2
            p.bpl(5,3): anon2_LoopHead#1
            p.bpl(5,21): anon2_LoopBody#1

        Boogie program verifier finished with 0 verified, 1 error
    "#]],
    );
}

#[test]
fn code_expressions_assume_where_clauses_at_havoc_only() {
    let program = "\
procedure Start() { assert |{ var q: int where false; A: return false; }|; }
procedure Havoc() { assert |{ var q: int where q > 3; A: havoc q; return q > 3; }|; }
";
    check(
        program,
        &[],
        expect![[r#"
            exit 0
            --- stdout
            p.bpl(1,21): Error BP5001: This assertion might not hold.
            Execution trace:
                p.bpl(1,21): anon0

            Boogie program verifier finished with 1 verified, 1 error
        "#]],
    );
}

/// Blocks of which nothing is left are merged into the common exit; what fails after them is at the closing brace.
#[test]
fn empty_branches_are_merged_into_the_exit() {
    let program = "\
procedure Both(x: int) returns (y: int) ensures y > 0; { if (*) { } else { }
}
procedure Single(x: int) returns (y: int) ensures y > 0; { var t: int; goto a, b; a: y := x; goto c; b: y := x - 1; goto c; c: havoc t;
}
procedure Loop(x: int) returns (y: int) ensures y > 0; { var z: int; while (*) { z := 1; }
}
procedure Early(x: int) returns (y: int) ensures y > 0; { if (x > 3) { return; }
}
";
    check(
        program,
        &[],
        expect![[r#"
        exit 0
        --- stdout
        p.bpl(2,1): Error BP5003: A postcondition might not hold on this return path.
        p.bpl(1,41): Related location: This is the postcondition that might not hold.
        Execution trace:
            p.bpl(1,58): anon0
            p.bpl(1,76): anon3_Else
        p.bpl(4,1): Error BP5003: A postcondition might not hold on this return path.
        p.bpl(3,43): Related location: This is the postcondition that might not hold.
        Execution trace:
            p.bpl(3,72): anon0
            p.bpl(3,102): b
            p.bpl(3,125): c
        p.bpl(6,1): Error BP5003: A postcondition might not hold on this return path.
        p.bpl(5,41): Related location: This is the postcondition that might not hold.
        Execution trace:
            p.bpl(5,70): anon0
            p.bpl(5,70): anon2_LoopHead
            p.bpl(5,70): anon2_LoopDone
        p.bpl(7,59): Error BP5003: A postcondition might not hold on this return path.
        p.bpl(7,42): Related location: This is the postcondition that might not hold.
        Execution trace:
            p.bpl(7,59): anon0
            p.bpl(7,59): anon2_Else

        Boogie program verifier finished with 0 verified, 4 errors
    "#]],
    );
    check(
        program,
        &["/proc:Loop", "/removeEmptyBlocks:0"],
        expect![[r#"
        exit 0
        --- stdout
        p.bpl(5,70): Error BP5003: A postcondition might not hold on this return path.
        p.bpl(5,41): Related location: This is the postcondition that might not hold.
        Execution trace:
            p.bpl(5,70): anon0
            p.bpl(5,70): anon2_LoopHead
            p.bpl(5,70): anon2_LoopDone

        Boogie program verifier finished with 0 verified, 1 error
    "#]],
    );
}

#[test]
fn models_can_be_kept_in_a_file() {
    if !has("z3") {
        return;
    }
    let sandbox = Sandbox::new().file("p.bpl", "procedure P(x: int) { assert x != 7; }");
    let outcome = sandbox.run(&["boogie", "/nologo", "/mv:m.txt", "p.bpl"]);
    assert!(!outcome.stdout.contains("MODEL"), "{}", outcome.stdout);
    let kept = std::fs::read_to_string(sandbox.path("m.txt")).unwrap();
    assert!(kept.starts_with("*** MODEL\n"), "{kept}");
    assert!(kept.contains("\nx -> 7\n"), "{kept}");
    let outcome = sandbox.run(&["boogie", "/nologo", "/mv:no/m.txt", "p.bpl"]);
    assert_eq!(outcome.code, Some(2));
}

#[test]
fn a_byte_order_mark_is_skipped() {
    check(
        "\u{feff}procedure P(x: int) { assert x > 0; }\r\n",
        &[],
        expect![[r#"
            exit 0
            --- stdout
            p.bpl(1,23): Error BP5001: This assertion might not hold.
            Execution trace:
                p.bpl(1,23): anon0

            Boogie program verifier finished with 0 verified, 1 error
        "#]],
    );
}

#[test]
fn limits_end_in_no_verdict() {
    let hard = "\
procedure Cubes(x: int, y: int, z: int) requires x > 0 && y > 0 && z > 0;
{
  assert x * x * x + y * y * y != z * z * z;
}
procedure Easy() { assert 1 + 1 == 2; }
";
    check(
        hard,
        &["/rlimit:10000"],
        expect![[r#"
        exit 0
        --- stdout
        p.bpl(1,11): Verification out of resource (Cubes)

        Boogie program verifier finished with 1 verified, 0 errors, 1 out of resource
    "#]],
    );
    check(
        hard,
        &["/timeLimit:1"],
        expect![[r#"
        exit 0
        --- stdout
        p.bpl(1,11): Verification of 'Cubes' timed out after 1 seconds

        Boogie program verifier finished with 1 verified, 0 errors, 1 time out
    "#]],
    );
    if has("z3") {
        let sandbox = Sandbox::new().file("p.bpl", hard);
        let outcome = sandbox.run(&["verify", "--resource-limit", "10000", "p.bpl"]);
        assert_eq!(outcome.code, Some(3), "{}", outcome.summary());
    }
}

#[test]
fn results_can_be_written_as_xml() {
    if !has("z3") {
        return;
    }
    let sandbox = Sandbox::new().file("p.bpl", PROGRAM);
    let outcome = sandbox.run(&["boogie", "/nologo", "/xml:out.xml", "p.bpl"]);
    assert_eq!(outcome.code, Some(0));
    let xml = std::fs::read_to_string(sandbox.path("out.xml")).unwrap();
    assert_eq!(xml.matches("<method ").count(), 4, "{xml}");
    assert_eq!(xml.matches("</method>").count(), 4, "{xml}");
    assert_eq!(xml.matches("outcome=\"errors\"").count(), 3, "{xml}");
    assert!(xml.contains("name=\"Second\""), "{xml}");
}

#[test]
fn unreachable_code_is_shown_as_a_path() {
    check(
        "\
procedure P(x: int) requires x > 0;
{
  var y: int;
  if (x < 0) { y := 1; } else { y := 2; }
}
",
        &["/smoke"],
        expect![[r#"
            exit 0
            --- stdout
            found unreachable code:
            implementation P(x: int)
            {
              var y: int;


              0:
                goto anon0;

              anon0:
                goto anon3_Then;

              anon3_Then:
                assume {:partition} x < 0;
                y := 1;
                assert false;
                return;
            }



            Boogie program verifier finished with 1 verified, 0 errors
        "#]],
    );
    if has("z3") {
        let sandbox = Sandbox::new().file(
            "p.bpl",
            "procedure P(x: int) requires x > 0;\n{\n  if (x < 0) {\n    assert x == 3;\n  }\n}\n",
        );
        expect![[r#"
            exit 0
            --- stdout
            warning[verify/unreachable]: `P` has code that can never be reached
             --> p.bpl:4:5
              |
            4 |     assert x == 3;
              |     ^^^^^^
              = note: on the way anon0, anon2_Then

            1 verified, 0 errors (checks: 1 solved, 0 cached, 0 partially cached, 0 recycled)
        "#]]
        .assert_eq(&sandbox.run(&["verify", "--smoke", "p.bpl"]).summary());
    }
}

#[test]
fn models_are_printed_before_the_error() {
    if !has("z3") {
        return;
    }
    let program = "procedure P(x: int, v: bv8) { assert x != 3 || v == 1bv8; }";
    let outcome = boogie(program, &["/printModel:1"]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines[0], "*** MODEL", "{}", outcome.summary());
    assert!(lines.contains(&"x -> 3"), "{}", outcome.summary());
    let end = lines
        .iter()
        .position(|&line| line == "*** END_MODEL")
        .unwrap();
    assert!(
        lines[end + 1].starts_with("p.bpl(1,"),
        "{}",
        outcome.summary()
    );
}

#[test]
fn caching_is_traced_in_boogies_words() {
    if !has("z3") {
        return;
    }
    let v0 = "procedure P(x: int) returns (y: int)\n{\n  assert x * x >= 0;\n  assert x > 7;\n  y := 1;\n  assert y == 1;\n}\n";
    let v1 = v0.replace("y := 1;", "y := 2;");
    let sandbox = Sandbox::new().file("p.v0.bpl", v0).file("p.v1.bpl", v1);
    let flags = [
        "boogie",
        "/nologo",
        "/verifySnapshots:2",
        "/traceCaching:1",
        "/errorTrace:0",
        "p.bpl",
    ];
    expect![[r#"
        exit 0
        --- stdout
        Processing command (at p.v0.bpl(3,3)) assert x * x >= 0;
          >>> DoNothingToAssert
        Processing command (at p.v0.bpl(4,3)) assert x > 7;
          >>> DoNothingToAssert
        Processing command (at p.v0.bpl(6,3)) assert y == 1;
          >>> DoNothingToAssert
        p.v0.bpl(4,3): Error BP5001: This assertion might not hold.

        Boogie program verifier finished with 0 verified, 1 error
        Processing command (at p.v1.bpl(3,3)) assert x * x >= 0;
          >>> MarkAsFullyVerified
        Processing command (at p.v1.bpl(4,3)) assert x > 7;
          >>> RecycleError
        Processing command (at p.v1.bpl(6,3)) assert y == 1;
          >>> DoNothingToAssert
        p.v1.bpl(4,3): Error BP5001: This assertion might not hold.
        p.v1.bpl(6,3): Error BP5001: This assertion might not hold.

        Boogie program verifier finished with 0 verified, 2 errors
    "#]]
    .assert_eq(&sandbox.run(&flags).summary());
}

#[test]
fn cvc5_gives_the_same_verdicts() {
    if !has("z3") || !has("cvc5") {
        return;
    }
    let sandbox = Sandbox::new().file("p.bpl", PROGRAM);
    let verdicts = |prover: &str| -> Vec<String> {
        let outcome = sandbox.run(&[
            "verify", "--cache", "off", "--format", "json", "--prover", prover, "p.bpl",
        ]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.summary());
        let report = outcome.json();
        let implementations = report["result"]["implementations"].as_array().unwrap();
        let found = implementations
            .iter()
            .flat_map(|i| i["obligations"].as_array().unwrap());
        found
            .map(|o| format!("{} {}", o["place"], o["verdict"]))
            .collect()
    };
    assert_eq!(verdicts("z3"), verdicts("cvc5"));
}

/// A prover that does something else than proving, for one procedure of several.
fn fake(script: &str) -> Option<Sandbox> {
    let sandbox = Sandbox::new().file(
        "p.bpl",
        "procedure A(x: int) { assert x == x + 0; }\nprocedure B(x: int) { assert x > 3; }\n",
    );
    sandbox.write("prover", format!("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'Z3 version 4.8.12'; exit; fi\n{script}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = sandbox.path("prover");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Some(sandbox)
    }
    #[cfg(not(unix))]
    None
}

#[test]
fn provers_that_misbehave() {
    let mut text = String::new();
    for (name, script) in [
        ("crashes", "exit 3"),
        (
            "garbage",
            "echo '(error \"line 1 column 2: no\")'; cat > /dev/null",
        ),
        ("hangs", "sleep 60"),
    ] {
        let Some(sandbox) = fake(script) else { return };
        let prover = sandbox.path("prover").display().to_string();
        let exe = format!("/z3exe:{prover}");
        let outcome = sandbox.run(&["boogie", "/nologo", "/timeLimit:1", &exe, "p.bpl"]);
        let _ = writeln!(text, "== {name}\n{}", outcome.summary());
        let outcome = sandbox.run(&[
            "verify",
            "--procedure-time-limit",
            "1",
            "--prover-path",
            &prover,
            "p.bpl",
        ]);
        let _ = writeln!(text, "verify exits with {:?}", outcome.code);
        assert_eq!(sandbox.run(&["cache", "verify"]).code, Some(0));
    }
    expect![[r#"
        == crashes
        exit 0
        --- stdout
        p.bpl(1,11): Verification inconclusive (A)
        p.bpl(2,11): Verification inconclusive (B)

        Boogie program verifier finished with 0 verified, 0 errors, 2 inconclusives

        verify exits with Some(3)
        == garbage
        exit 0
        --- stdout
        Prover error: line 1 column 2: no
        p.bpl(1,11): Verification inconclusive (A)
        Prover error: line 1 column 2: no
        p.bpl(2,11): Verification inconclusive (B)

        Boogie program verifier finished with 0 verified, 0 errors, 2 inconclusives

        verify exits with Some(3)
        == hangs
        exit 0
        --- stdout
        p.bpl(1,11): Verification of 'A' timed out after 1 seconds
        p.bpl(2,11): Verification of 'B' timed out after 1 seconds

        Boogie program verifier finished with 0 verified, 0 errors, 2 time outs

        verify exits with Some(3)
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_missing_prover_is_one_line() {
    let sandbox = Sandbox::new().file("p.bpl", PROGRAM);
    let outcome = sandbox.run(&["boogie", "/nologo", "/z3exe:missing", "p.bpl"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
    assert_eq!(outcome.stdout.lines().count(), 1, "{}", outcome.summary());
    let outcome = sandbox.run(&["verify", "--prover-path", "missing", "p.bpl"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.summary());
}

#[test]
fn broken_input_gets_a_diagnostic() {
    let nested = format!("axiom {}true{};", "(".repeat(100_000), ")".repeat(100_000));
    let mut inputs: Vec<(String, Vec<u8>)> = vec![
        (
            "unbalanced".into(),
            b"procedure P() { assert (1 < 2; }".to_vec(),
        ),
        ("open comment".into(), b"procedure P(); /* no end".to_vec()),
        (
            "open string".into(),
            b"procedure {:a \"no end } P();".to_vec(),
        ),
        ("nested".into(), nested.into_bytes()),
        (
            "not UTF-8".into(),
            b"procedure P() { assert \xff\xfe; }".to_vec(),
        ),
        ("nothing but zeros".into(), vec![0; 100]),
    ];
    // Cut off at a few dozen places; `front` in crates/boogie tries all of them.
    for at in (1..PROGRAM.len()).step_by(23) {
        inputs.push((format!("cut at {at}"), PROGRAM.as_bytes()[..at].to_vec()));
    }
    for (name, input) in inputs {
        let sandbox = Sandbox::new().file("p.bpl", &input);
        for command in [
            &["boogie", "/nologo", "/noVerify", "p.bpl"][..],
            &["verify", "p.bpl"],
        ] {
            let outcome = sandbox.run(command);
            let code = outcome.code.unwrap_or(-1);
            assert!((0..=3).contains(&code), "{name}: {}", outcome.summary());
            assert!(
                !outcome.stderr.contains("panicked"),
                "{name}: {}",
                outcome.summary()
            );
            let complains = outcome.summary().contains("rror");
            assert!(
                complains || name.starts_with("cut"),
                "{name}: {}",
                outcome.summary()
            );
        }
    }
}

/// An inferred `modifies` clause depends on other bodies: neither their edit nor the option may be overlooked.
#[test]
fn inferred_modifies_clauses_are_part_of_what_verdicts_depend_on() {
    let program = |effect: &str| {
        format!(
            "var g: int;\nprocedure callee() {{ assume g > 0; {effect} }}\nprocedure caller() {{ var o: int; o := g; call callee(); assert g == o; }}\n"
        )
    };
    let sandbox = Sandbox::new().file("p.bpl", program(""));
    let infers = ["boogie", "/nologo", "/inferModifies", "p.bpl"];
    let first = sandbox.run(&infers);
    assert!(first.stdout.contains("2 verified, 0 errors"), "{first:?}");
    sandbox.write("p.bpl", program("g := 5;"));
    for _ in 0..2 {
        let edited = sandbox.run(&infers);
        assert!(edited.stdout.contains("1 verified, 1 error"), "{edited:?}");
        assert!(edited.stdout.contains("p.bpl(3,57): Error"), "{edited:?}");
        let as_written = sandbox.run(&["boogie", "/nologo", "p.bpl"]);
        let refused = "not in the enclosing procedure's modifies clause: g";
        assert!(as_written.stdout.contains(refused), "{as_written:?}");
    }
}

#[test]
fn warnings_are_shown_again_when_verdicts_are_reused() {
    let program =
        "function f(): int;\naxiom f() == 2;\nprocedure P() { hide f; assert f() == 2; }\n";
    let sandbox = Sandbox::new().file("p.bpl", program);
    for _ in 0..2 {
        let shown = sandbox.run(&["boogie", "/nologo", "p.bpl"]);
        assert!(shown.stdout.contains("hide has no effect"), "{shown:?}");
        assert!(shown.stdout.contains("1 verified, 0 errors"), "{shown:?}");
    }
}

/// A solver that Stet cannot ask is not replaced by another one.
#[test]
fn another_solver_is_refused_by_name() {
    let outcome = boogie(
        "procedure P() { assert 1 + 1 == 2; }",
        &["/proverOpt:SOLVER=noop"],
    );
    let expected = expect![[r#"
        exit 1
        --- stdout
        *** Error: the solver 'noop' is not available
    "#]];
    expected.assert_eq(&outcome.summary());
}
