//! What the renderings look like, and that the structured ones keep to their schemas.

mod schema;
mod xml;

use crate::{Catalog, Code, Diagnostic, Report, Severity, concise, full, json, junit, sarif, utc};
use expect_test::{Expect, expect};
use serde_json::{Value, json as value};
use stet_base::{SourceMap, Span};

/// A map with one file; the span is between the two `$0` marks.
fn marked(text: &str) -> (SourceMap, Span) {
    let mut parts = text.split("$0");
    let before = parts.next().unwrap();
    let inside = parts.next().unwrap_or("");
    let after = parts.next().unwrap_or("");
    let mut sources = SourceMap::new();
    let file = sources
        .add("dir/a.bpl", [before, inside, after].concat())
        .unwrap();
    let start = before.len() as u32;
    let span = Span {
        file,
        start,
        end: start + inside.len() as u32,
    };
    (sources, span)
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string() + "\n"
}

fn check(text: &str, message: &str, expected: Expect) {
    let (sources, span) = marked(text);
    let diagnostic =
        Diagnostic::error("verify/assertion", "it may not hold").at_with(span, message);
    expected.assert_eq(&plain(&full(&sources, &diagnostic)));
}

#[test]
fn one_line() {
    check(
        "a\n  assert $0x > 0$0;\nb\n",
        "this one",
        expect![[r#"
            error[verify/assertion]: it may not hold
             --> dir/a.bpl:2:10
              |
            2 |   assert x > 0;
              |          ^^^^^ this one
        "#]],
    );
}

#[test]
fn a_point_and_the_end_of_the_file() {
    check(
        "ab$0$0c",
        "",
        expect![[r#"
            error[verify/assertion]: it may not hold
             --> dir/a.bpl:1:3
              |
            1 | abc
              |   ^
        "#]],
    );
    check(
        "abc\n$0$0",
        "here",
        expect![[r#"
            error[verify/assertion]: it may not hold
             --> dir/a.bpl:2:1
              |
            2 |
              | ^ here
        "#]],
    );
}

#[test]
fn tabs_and_wide_characters() {
    check(
        "\tx\t$0日本$0 y",
        "two wide ones",
        expect![[r#"
            error[verify/assertion]: it may not hold
             --> dir/a.bpl:1:4
              |
            1 |     x   日本 y
              |         ^^^^ two wide ones
        "#]],
    );
}

#[test]
fn several_lines() {
    check(
        "x $0procedure\n{\n  y\n}$0 z\n",
        "all of it",
        expect![[r#"
            error[verify/assertion]: it may not hold
             --> dir/a.bpl:1:3
              |
            1 | / x procedure
            2 | | {
            3 | |   y
            4 | | } z
              | |_^ all of it
        "#]],
    );
}

#[test]
fn many_lines_lose_their_middle() {
    let body: String = (2..30).map(|n| format!("line {n}\n")).collect();
    check(
        &format!("$0line 1\n{body}end$0\n"),
        "",
        expect![[r#"
            error[verify/assertion]: it may not hold
              --> dir/a.bpl:1:1
               |
             1 | / line 1
             2 | | line 2
             3 | | line 3
               | | …
            29 | | line 29
            30 | | end
               | |___^
        "#]],
    );
}

#[test]
fn a_span_with_its_line_break_is_one_line() {
    check(
        "ab\n$0cd\n$0ef",
        "",
        expect![[r#"
            error[verify/assertion]: it may not hold
             --> dir/a.bpl:2:1
              |
            2 | cd
              | ^^
        "#]],
    );
}

#[test]
fn long_lines_are_clipped_around_the_span() {
    let text = format!("{}$0wrong$0{}", "a".repeat(500), "b".repeat(500));
    check(
        &text,
        "",
        expect![[r#"
            error[verify/assertion]: it may not hold
             --> dir/a.bpl:1:501
              |
            1 | …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaawrongbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
              |                                                          ^^^^^
        "#]],
    );
}

#[test]
fn everything_at_once() {
    let (mut sources, span) = marked("requires $0x$0;\n");
    let other = sources.add("b.bpl", "call P();\n").unwrap();
    let call = Span {
        file: other,
        start: 0,
        end: 9,
    };
    let diagnostic = Diagnostic::error("verify/precondition", "a precondition may not hold")
        .at(call)
        .related(span, "this precondition")
        .related(call, "on the path")
        .with_note("x = 3\ny = 4")
        .with_note("raise the time limit")
        .cached(Some(1_795_000_000));
    let text = full(&sources, &diagnostic);
    expect![[r#"
        error[verify/precondition]: a precondition may not hold
         --> b.bpl:1:1
          |
        1 | call P();
          | ^^^^^^^^^
         ::: dir/a.bpl:1:10
          |
        1 | requires x;
          |          ^ this precondition
         ::: b.bpl:1:1: on the path
          = note: x = 3
                  y = 4
          = note: raise the time limit
          = cached since 2026-11-18 11:06:40 UTC
    "#]]
    .assert_eq(&plain(&text));
    assert!(text.contains("\u{1b}["), "the full form carries styles");
    assert_eq!(
        concise(&sources, &diagnostic),
        "b.bpl:1:1: error[verify/precondition]: a precondition may not hold (cached)"
    );
}

#[test]
fn nothing_speaks_to_the_terminal() {
    let (sources, span) = marked("a $0\u{1b}[31mred\u{7}\u{202e}$0 z");
    let diagnostic = Diagnostic::warning("x/y", "says \u{1b}]0;title\u{7} and \u{2066}").at(span);
    let text = plain(&full(&sources, &diagnostic)) + &concise(&sources, &diagnostic);
    assert!(
        text.chars()
            .all(|c| c == '\n' || !crate::full::acts_on_terminal(c)),
        "{text:?}"
    );
}

#[test]
fn dates() {
    for (seconds, text) in [
        (0, "1970-01-01 00:00:00 UTC"),
        (951_782_399, "2000-02-28 23:59:59 UTC"),
        (951_782_400, "2000-02-29 00:00:00 UTC"),
        (1_709_251_199, "2024-02-29 23:59:59 UTC"),
        (4_102_444_800, "2100-01-01 00:00:00 UTC"),
    ] {
        assert_eq!(utc(seconds), text);
    }
}

/// A report with every feature, from text that needs escaping in every format.
fn with_report(check: impl FnOnce(&Report<'_>)) {
    let (sources, span) = marked("a <b> $0\"c\"\n& é日$0\u{1}\n");
    let diagnostics = [
        Diagnostic::error("verify/assertion", "it may \"not\" <hold> & so on")
            .at_with(span, "here ]]>")
            .related(span, "there")
            .with_note("a note\nof two lines\u{0}")
            .cached(Some(7)),
        Diagnostic::warning("store/busy", "locked").cached(None),
        Diagnostic::note("a/b", "noted"),
    ];
    let result = value!({ "obligations": [
        { "name": "P<int>", "status": "holds", "cached": true, "time": 0.25 },
        { "name": "Q", "status": "fails" },
        { "name": "R", "status": "timed out" },
    ] });
    let statistics = value!({ "queries": 3 });
    check(&Report {
        command: "verify",
        version: "0.1.0",
        catalog: Catalog(&[]),
        sources: &sources,
        diagnostics: &diagnostics,
        result: &result,
        statistics: &statistics,
        exit_code: 1,
    });
}

#[test]
fn json_keeps_to_its_schema() {
    let text = include_str!("../../../docs/schema/diagnostics.schema.json");
    let schema: Value = serde_json::from_str(text).unwrap();
    with_report(|report| {
        let output = json(report);
        assert_eq!(schema::problems(&schema, &output), Vec::<String>::new());
        assert_eq!(output["diagnostics"][0]["primary"]["end"]["line"], 2);
        // The validator does find fault.
        let mut wrong = output.clone();
        wrong["diagnostics"][1]["severity"] = value!("fatal");
        wrong["diagnostics"][0]["primary"]["start"]["line"] = value!(0);
        wrong.as_object_mut().unwrap().remove("tool");
        wrong["result"]["obligations"][2]["name"] = value!(4);
        assert_eq!(schema::problems(&schema, &wrong).len(), 4);
    });
}

#[test]
fn sarif_has_what_the_standard_requires() {
    with_report(|report| {
        let log = sarif(report);
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "stet");
        let rules = driver["rules"].as_array().unwrap();
        let artifacts = run["artifacts"].as_array().unwrap();
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        for result in results {
            let rule = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[rule]["id"], result["ruleId"]);
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            let level = result["level"].as_str().unwrap();
            assert!(["none", "note", "warning", "error"].contains(&level));
            let places = ["locations", "relatedLocations"];
            for place in places
                .iter()
                .flat_map(|key| result[key].as_array().unwrap())
            {
                let physical = &place["physicalLocation"];
                let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
                let index = physical["artifactLocation"]["index"].as_u64().unwrap();
                assert_eq!(artifacts[index as usize]["location"]["uri"], uri);
                let region = &physical["region"];
                let number = |key: &str| region[key].as_u64().unwrap();
                assert!(number("startLine") >= 1 && number("startColumn") >= 1);
                let start = (number("startLine"), number("startColumn"));
                assert!(start <= (number("endLine"), number("endColumn")));
            }
        }
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], true);
        assert_eq!(invocation["exitCode"], 1);
    });
}

#[test]
fn junit_is_well_formed_and_counts_right() {
    with_report(|report| {
        let document = junit(report);
        let elements = xml::elements(&document).unwrap();
        let named = |name: &str| elements.iter().filter(|e| e.name == name).count();
        assert_eq!(named("testcase"), 3);
        assert_eq!(named("failure"), 1);
        assert_eq!(named("skipped"), 1);
        assert_eq!(named("system-out"), 1);
        let suite = elements.iter().find(|e| e.name == "testsuite").unwrap();
        for (key, number) in [("tests", "3"), ("failures", "1"), ("skipped", "1")] {
            assert_eq!(suite.attributes[key], number, "{key}");
        }
        let first = elements.iter().find(|e| e.name == "testcase").unwrap();
        assert_eq!(first.attributes["name"], "P<int>");
        for cut in 1..document.len() {
            if let Some(part) = document.get(..cut) {
                assert!(xml::elements(part).is_err(), "{part}");
            }
        }
    });
}

#[test]
fn junit_lists_procedures_with_their_outcomes() {
    let sources = SourceMap::new();
    let result = value!({ "implementations": [
        { "name": "P", "outcome": "verified" },
        { "name": "Q", "outcome": "errors" },
        { "name": "R", "outcome": "timed out", "time": 1.5 },
    ] });
    let report = Report {
        command: "verify",
        version: "0",
        catalog: Catalog(&[]),
        sources: &sources,
        diagnostics: &[],
        result: &result,
        statistics: &Value::Null,
        exit_code: 1,
    };
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="3" failures="1" errors="0" skipped="1" time="1.500">
          <testsuite name="stet verify" tests="3" failures="1" errors="0" skipped="1" time="1.500">
            <testcase classname="stet.verify" name="P" time="0.000"/>
            <testcase classname="stet.verify" name="Q" time="0.000">
              <failure message="Q fails"></failure>
            </testcase>
            <testcase classname="stet.verify" name="R" time="1.500">
              <skipped message="timed out"/>
            </testcase>
          </testsuite>
        </testsuites>"#]]
    .assert_eq(&junit(&report));
}

#[test]
fn junit_without_obligations_lists_the_files() {
    let (sources, _) = marked("x");
    let report = Report {
        command: "verify",
        version: "0",
        catalog: Catalog(&[]),
        sources: &sources,
        diagnostics: &[],
        result: &Value::Null,
        statistics: &Value::Null,
        exit_code: 0,
    };
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="1" failures="0" errors="0" skipped="0" time="0.000">
          <testsuite name="stet verify" tests="1" failures="0" errors="0" skipped="0" time="0.000">
            <testcase classname="stet.verify" name="dir/a.bpl" time="0.000"/>
          </testsuite>
        </testsuites>"#]]
    .assert_eq(&junit(&report));
}

fn junit_of(
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    result: &Value,
    exit_code: u8,
) -> String {
    junit(&Report {
        command: "explore",
        version: "0",
        catalog: Catalog(&[]),
        sources,
        diagnostics,
        result,
        statistics: &Value::Null,
        exit_code,
    })
}

/// A case has one name whether it passes or fails; findings about nothing that is listed have cases of their own.
#[test]
fn junit_findings_are_failures_of_what_they_are_about() {
    let (sources, span) = marked("assert $0x$0;\n");
    let result = value!({ "implementations": [
        { "name": "P", "outcome": "errors", "seconds": 0.25 },
        { "name": "Q", "outcome": "unsupported" },
        { "name": "R", "outcome": "errors" },
    ] });
    let about_p = |text: &str| Diagnostic::error("x/y", text).at(span).about("P");
    let diagnostics = [
        about_p("one"),
        about_p("two"),
        Diagnostic::error("x/u", "not supported").about("Q"),
        Diagnostic::error("x/z", "elsewhere").at(span),
    ];
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="3" failures="3" errors="0" skipped="0" time="0.250">
          <testsuite name="stet explore" tests="3" failures="3" errors="0" skipped="0" time="0.250">
            <testcase classname="stet.explore" name="P" time="0.250">
              <failure message="one (and 1 more)">dir/a.bpl:1:8: error[x/y]: one
        dir/a.bpl:1:8: error[x/y]: two</failure>
            </testcase>
            <testcase classname="stet.explore" name="Q" time="0.000">
              <failure message="not supported">error[x/u]: not supported</failure>
            </testcase>
            <testcase classname="stet.explore" name="x/z at dir/a.bpl:1:8" time="0.000">
              <failure message="elsewhere">dir/a.bpl:1:8: error[x/z]: elsewhere</failure>
            </testcase>
          </testsuite>
        </testsuites>"#]]
    .assert_eq(&junit_of(&sources, &diagnostics, &result, 1));
}

/// A build server that sees passed cases only would show a run without an answer as a success.
#[test]
fn junit_never_passes_a_run_without_an_answer() {
    let (sources, _) = marked("x");
    let account =
        |complete: bool| value!({ "program": "a.c", "ended": "a limit", "complete": complete });
    let obligations = value!({ "obligations": [{ "name": "P", "status": "holds" }] });
    let last_case = |result: &Value, exit_code: u8| {
        let document = junit_of(&sources, &[], result, exit_code);
        let cases = document
            .lines()
            .filter(|line| line.contains("<testcase") || line.contains("<skipped"));
        cases
            .map(|line| line.trim().to_owned() + "\n")
            .collect::<String>()
    };
    let mut text = last_case(&account(true), 0);
    text += &last_case(&account(false), 3);
    text += &last_case(&Value::Null, 130);
    text += &last_case(&obligations, 3);
    text += &last_case(&obligations, 101);
    expect![[r#"
        <testcase classname="stet.explore" name="a.c" time="0.000"/>
        <testcase classname="stet.explore" name="a.c" time="0.000">
        <skipped message="inconclusive: a limit"/>
        <testcase classname="stet.explore" name="dir/a.bpl" time="0.000">
        <skipped message="interrupted"/>
        <testcase classname="stet.explore" name="P" time="0.000"/>
        <testcase classname="stet.explore" name="the run" time="0.000">
        <skipped message="inconclusive"/>
        <testcase classname="stet.explore" name="P" time="0.000"/>
        <testcase classname="stet.explore" name="the run" time="0.000">
        <skipped message="the run ended with exit code 101"/>
    "#]]
    .assert_eq(&text);
}

/// What Stet compiled or brought along is no file of the user, unless something was found in it.
#[test]
fn reports_list_the_files_of_the_user() {
    let mut sources = SourceMap::new();
    sources.add("a.c", "int main;\n").unwrap();
    let made = sources.add_made("<a.c as LLVM IR>", "x\n").unwrap();
    sources.add_made("libc.ll", "y\n").unwrap();
    let uris = |diagnostics: &[Diagnostic]| {
        let log = sarif(&Report {
            command: "explore",
            version: "0",
            catalog: Catalog(&[]),
            sources: &sources,
            diagnostics,
            result: &Value::Null,
            statistics: &Value::Null,
            exit_code: 0,
        });
        let run = &log["runs"][0];
        let artifacts = run["artifacts"].as_array().unwrap();
        let uris = artifacts
            .iter()
            .map(|a| a["location"]["uri"].as_str().unwrap().to_owned());
        let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
        (uris.collect::<Vec<_>>(), place["index"].clone())
    };
    assert_eq!(uris(&[]).0, ["a.c"]);
    let span = Span {
        file: made,
        start: 0,
        end: 1,
    };
    let (listed, index) = uris(&[Diagnostic::error("x/y", "wrong").at(span)]);
    assert_eq!(listed, ["a.c", "%3Ca.c%20as%20LLVM%20IR%3E"]);
    assert_eq!(index, 1);
    let document = junit_of(&sources, &[], &Value::Null, 0);
    assert_eq!(document.matches("<testcase").count(), 1, "{document}");
}

/// Any text, any span, any severity: no rendering panics, and the structured ones stay well-formed.
#[test]
fn random_diagnostics_render() {
    let alphabet = [
        "a", "\t", "\n", "\r\n", "é", "日", "\u{0}", "\u{1b}", "<", "\"", "🙂", "\u{301}",
    ];
    let mut numbers = stet_testkit::Random::new(12345);
    let mut random = |limit: u64| numbers.below(limit);
    for _ in 0..2000 {
        let length = random(60);
        let text: String = (0..length)
            .map(|_| alphabet[random(alphabet.len() as u64) as usize])
            .collect();
        let text = text.repeat(1 + random(4) as usize);
        let mut sources = SourceMap::new();
        let file = sources.add(text.clone(), text.clone()).unwrap();
        // Spans past the end and inside characters are possible after a front end's mistake.
        let start = random(text.len() as u64 + 4) as u32;
        let end = start + random(text.len() as u64 + 4) as u32;
        let span = Span { file, start, end };
        let mut diagnostic = Diagnostic::error("x/y", text.clone())
            .at_with(span, text.clone())
            .related(span, "r")
            .with_note(text);
        diagnostic.severity = [Severity::Note, Severity::Error][random(2) as usize];
        let diagnostics = [diagnostic];
        assert!(!full(&sources, &diagnostics[0]).is_empty());
        assert!(!concise(&sources, &diagnostics[0]).contains('\n'));
        let report = Report {
            command: "verify",
            version: "0",
            catalog: Catalog(&[]),
            sources: &sources,
            diagnostics: &diagnostics,
            result: &Value::Null,
            statistics: &Value::Null,
            exit_code: 1,
        };
        json(&report);
        sarif(&report);
        xml::elements(&junit(&report)).unwrap();
    }
}

#[test]
fn sarif_rules_explain_themselves_and_results_survive_moving_lines() {
    const CODES: &[Code] = &[Code {
        id: "verify/assertion",
        title: "an assertion might not hold",
        explanation: "No proof was found.",
        example: "assert false;",
    }];
    let log = |text: &str| {
        let (sources, span) = marked(text);
        let diagnostics = [Diagnostic::error("verify/assertion", "it may not hold")
            .at(span)
            .on_path(span.start_point(), "the entry")];
        sarif(&Report {
            command: "verify",
            version: "1.0.0",
            catalog: Catalog(&[CODES]),
            sources: &sources,
            diagnostics: &diagnostics,
            result: &Value::Null,
            statistics: &Value::Null,
            exit_code: 1,
        })
    };
    let (before, after) = (log("assert $0x$0;\n"), log("\n\n  assert $0x$0;\n"));
    let rule = &before["runs"][0]["tool"]["driver"]["rules"][0];
    assert_eq!(rule["shortDescription"]["text"], CODES[0].title);
    assert!(
        rule["help"]["text"]
            .as_str()
            .unwrap()
            .contains("assert false;")
    );
    let fingerprint = |log: &Value| log["runs"][0]["results"][0]["partialFingerprints"].clone();
    assert_eq!(fingerprint(&before), fingerprint(&after));
    assert_ne!(fingerprint(&before), fingerprint(&log("assert $0y$0;\n")));
    let flow = &before["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().unwrap().len(), 2);
    assert_eq!(flow[0]["location"]["message"]["text"], "the entry");
}
