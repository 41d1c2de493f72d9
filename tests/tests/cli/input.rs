//! Unusable input files, in every format.

use super::check;
use expect_test::expect;
use stet_tests::Sandbox;

#[test]
fn missing_files_directories_and_wrong_encodings() {
    let sandbox = Sandbox::new().file("bad", b"procedure P();\n  // \xff\n");
    let read = |file: &str| sandbox.run(&["debug", "read", file]);
    check(
        &read("missing"),
        &expect![[r#"
        exit 2
        --- stdout
        error[input/not-found]: cannot read `missing`: there is no such file

    "#]],
    );
    check(
        &read("."),
        &expect![[r#"
        exit 2
        --- stdout
        error[input/directory]: cannot read `.`: it is a directory

    "#]],
    );
    check(
        &read("bad"),
        &expect![[r#"
        exit 2
        --- stdout
        error[input/not-utf8]: cannot read `bad`: it is not UTF-8 text
          = note: byte 0xff at bad:2:6 (offset 20) does not belong to a character

    "#]],
    );
}

/// A misspelt name would otherwise be a program in which nothing is wrong.
#[test]
fn names_that_select_nothing_are_refused() {
    let sandbox = Sandbox::new()
        .file("p.bpl", "procedure P() { assert false; }\n")
        .file("q.dfy", "method Q() {}\n");
    let run = |extra: &[&str]| {
        let arguments = [&["verify", "--cache", "off"], extra].concat();
        sandbox.run(&arguments)
    };
    let nothing = run(&["p.bpl", "--procedure", "Q*"]);
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
    assert!(
        nothing.stdout.contains("`--procedure Q*` matches no"),
        "{nothing:?}"
    );
    let mixed = run(&["p.bpl", "q.dfy"]);
    assert_eq!(mixed.code, Some(2), "{mixed:?}");
    assert!(
        mixed.stdout.contains("`q.dfy` is a Dafny program"),
        "{mixed:?}"
    );
    if std::process::Command::new("z3")
        .arg("--version")
        .output()
        .is_ok()
    {
        assert_eq!(run(&["p.bpl", "--procedure", "P*"]).code, Some(1));
        assert_eq!(
            run(&["p.bpl", "--procedure", "Q", "--shard", "1/2"]).code,
            Some(0)
        );
    }
}

/// Pipes and devices are no regular files.
#[test]
fn programs_can_come_through_a_pipe() {
    let stet = stet_tests::stet_binary().display();
    let script = format!("echo 'p :- write(piped).' | {stet} run /dev/stdin -g p");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "piped",
        "{output:?}"
    );
    let nothing = Sandbox::new().run(&["run", "/dev/null", "-g", "true"]);
    assert_eq!(nothing.code, Some(0), "{nothing:?}");
}

#[test]
fn every_engine_refuses_unusable_input_in_every_format() {
    let sandbox = Sandbox::new()
        .file("bad.bpl", b"\xff")
        .file("bad.pl", b"\xff");
    for arguments in [
        ["verify", "missing.bpl"],
        ["verify", "bad.bpl"],
        ["verify", "."],
        ["explore", "missing.ll"],
        ["run", "missing.pl"],
        ["run", "bad.pl"],
    ] {
        for format in ["full", "concise", "json", "sarif", "junit"] {
            let outcome = sandbox.run(&[arguments[0], arguments[1], "--format", format]);
            assert_eq!(outcome.code, Some(2), "{arguments:?} {format}: {outcome:?}");
            assert!(!outcome.stderr.contains("internal error"), "{outcome:?}");
        }
    }
}

#[test]
fn the_formats_of_one_finding() {
    let sandbox = Sandbox::new().file("dir/a b.txt", "x\n");
    let run = |format: &str| sandbox.run(&["debug", "read", "dir/a b.txt", "--format", format]);
    check(
        &run("full"),
        &expect![[r#"
        exit 1
        --- stdout
        error[debug/found]: a character was found
         --> dir/a b.txt:1:1
          |
        1 | x
          | ^ here

    "#]],
    );
    check(
        &run("concise"),
        &expect![[r#"
        exit 1
        --- stdout
        dir/a b.txt:1:1: error[debug/found]: a character was found
    "#]],
    );
    check(
        &run("json"),
        &expect![[r#"
            exit 1
            --- stdout
            {
              "command": "debug",
              "diagnostics": [
                {
                  "code": "debug/found",
                  "message": "a character was found",
                  "notes": [],
                  "path": [],
                  "primary": {
                    "end": {
                      "column": 2,
                      "line": 1,
                      "offset": 1
                    },
                    "file": "dir/a b.txt",
                    "message": "here",
                    "start": {
                      "column": 1,
                      "line": 1,
                      "offset": 0
                    }
                  },
                  "provenance": {
                    "cached": false
                  },
                  "related": [],
                  "severity": "error"
                }
              ],
              "exit_code": 1,
              "result": null,
              "schema": 2,
              "statistics": null,
              "tool": {
                "name": "stet",
                "version": "0.1.0"
              }
            }
        "#]],
    );
    check(
        &run("sarif"),
        &expect![[r#"
            exit 1
            --- stdout
            {
              "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
              "runs": [
                {
                  "artifacts": [
                    {
                      "location": {
                        "uri": "dir/a%20b.txt"
                      }
                    }
                  ],
                  "columnKind": "unicodeCodePoints",
                  "invocations": [
                    {
                      "executionSuccessful": true,
                      "exitCode": 1
                    }
                  ],
                  "properties": {
                    "command": "debug"
                  },
                  "results": [
                    {
                      "level": "error",
                      "locations": [
                        {
                          "physicalLocation": {
                            "artifactLocation": {
                              "index": 0,
                              "uri": "dir/a%20b.txt"
                            },
                            "region": {
                              "byteLength": 1,
                              "byteOffset": 0,
                              "endColumn": 2,
                              "endLine": 1,
                              "startColumn": 1,
                              "startLine": 1
                            }
                          }
                        }
                      ],
                      "message": {
                        "text": "a character was found"
                      },
                      "partialFingerprints": {
                        "stet/v1": "3403dcc731b04682ab9b88c241d91557:0"
                      },
                      "properties": {
                        "cached": false
                      },
                      "relatedLocations": [],
                      "ruleId": "debug/found",
                      "ruleIndex": 0
                    }
                  ],
                  "tool": {
                    "driver": {
                      "name": "stet",
                      "rules": [
                        {
                          "fullDescription": {
                            "text": "For the tests of Stet itself."
                          },
                          "help": {
                            "markdown": "For the tests of Stet itself.\n\n```\nstet debug read FILE\n```\n\nMore: `stet explain debug/found`",
                            "text": "For the tests of Stet itself.\n\nExample:\nstet debug read FILE\n\nMore: stet explain debug/found"
                          },
                          "helpUri": "urn:stet:explain:debug/found",
                          "id": "debug/found",
                          "shortDescription": {
                            "text": "a finding made up by `stet debug`"
                          }
                        }
                      ],
                      "version": "0.1.0"
                    }
                  }
                }
              ],
              "version": "2.1.0"
            }
        "#]],
    );
    check(
        &run("junit"),
        &expect![[r#"
        exit 1
        --- stdout
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="1" failures="1" errors="0" skipped="0" time="0.000">
          <testsuite name="stet debug" tests="1" failures="1" errors="0" skipped="0" time="0.000">
            <testcase classname="stet.debug" name="debug/found at dir/a b.txt:1:1" time="0.000">
              <failure message="a character was found">dir/a b.txt:1:1: error[debug/found]: a character was found</failure>
            </testcase>
          </testsuite>
        </testsuites>
    "#]],
    );
}

#[test]
fn colour_only_on_request_or_terminal() {
    let sandbox = Sandbox::new();
    let run = |color: &str| sandbox.run(&["debug", "read", "missing", "--color", color]);
    assert!(!run("auto").stdout.contains('\u{1b}'));
    assert!(!run("never").stdout.contains('\u{1b}'));
    assert!(run("always").stdout.contains("\u{1b}["));
}

#[test]
fn reports_keep_to_the_schema() {
    let text = include_str!("../../../docs/schema/diagnostics.schema.json");
    let schema: serde_json::Value = serde_json::from_str(text).unwrap();
    let sandbox = Sandbox::new()
        .file("a.txt", "x\n")
        .file("bad.bpl", "procedure P( {\n")
        .file("bad.pl", "a :- b c.\n")
        .file("thesis.txt", "not a store, and longer than nothing");
    for arguments in [
        &["debug", "read", "a.txt"][..],
        &["debug", "read", "missing"],
        &["debug", "check", "1"],
        &["debug", "check", "1"],
        &["debug", "check", "2", "--cache", "enforce"],
        &["debug", "check", "1", "--store", "thesis.txt"],
        &["cache", "path"],
        &["cache", "stats"],
        &["cache", "verify"],
        &["cache", "why", "debug:check"],
        &["cache", "export", "verdicts"],
        &["cache", "import", "verdicts"],
        &["cache", "gc"],
        &["cache", "clear"],
        &["verify", "bad.bpl"],
        &["explore", "missing.ll"],
    ] {
        let outcome = sandbox.run(&[arguments, &["--format", "json"]].concat());
        let problems = super::schema::problems(&schema, &outcome.json());
        assert_eq!(problems, Vec::<String>::new(), "{arguments:?}");
    }
}
