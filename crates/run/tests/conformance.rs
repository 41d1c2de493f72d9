//! The ISO conformance cases of `tests/conformance/prolog`, each in the harness written in Prolog.

use stet_run::{Answer, Config, MemoryHost, Request, open};

const FILES: &[(&str, &str)] = &[
    (
        "arith",
        include_str!("../../../tests/conformance/prolog/arith.cases"),
    ),
    (
        "atoms",
        include_str!("../../../tests/conformance/prolog/atoms.cases"),
    ),
    (
        "control",
        include_str!("../../../tests/conformance/prolog/control.cases"),
    ),
    (
        "database",
        include_str!("../../../tests/conformance/prolog/database.cases"),
    ),
    (
        "library",
        include_str!("../../../tests/conformance/prolog/library.cases"),
    ),
    (
        "streams",
        include_str!("../../../tests/conformance/prolog/streams.cases"),
    ),
    (
        "syntax",
        include_str!("../../../tests/conformance/prolog/syntax.cases"),
    ),
    (
        "terms",
        include_str!("../../../tests/conformance/prolog/terms.cases"),
    ),
    (
        "write",
        include_str!("../../../tests/conformance/prolog/write.cases"),
    ),
];

const HARNESS: &str = include_str!("../../../tests/conformance/prolog/harness.pl");

#[test]
fn every_case_gives_the_expected_answer() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (file, text) in FILES {
        let mut host = MemoryHost::default();
        let output = host.output.clone();
        host.files
            .insert("/harness.pl".to_string(), HARNESS.as_bytes().to_vec());
        let config = Config {
            memory: 1 << 28,
            ..Config::standard()
        };
        let request = Request {
            config,
            ..Request::load(&[])
        };
        let mut machine = open(&request, Box::new(host));
        assert!(matches!(
            machine.run_goal("consult('/harness.pl')"),
            Answer::True(_)
        ));
        for line in text.lines() {
            let Some((goal, expected)) = line.split_once(" %% ") else {
                assert!(line.trim().is_empty() || line.starts_with('#'), "{line}");
                continue;
            };
            count += 1;
            let call = format!("conformance({},{})", quoted(goal), quoted(expected));
            output.lock().expect("no panic while held").clear();
            let answer = machine.run_goal(&call);
            let written = output.lock().expect("no panic while held").clone();
            let ok = matches!(answer, Answer::True(_)) && written.ends_with("ok\n");
            if !ok {
                wrong.push(format!("{file}: {line}\n    {written}{}", failure(&answer)));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 1000, "the cases are all there");
}

fn failure(answer: &Answer) -> String {
    match answer {
        Answer::True(_) => String::new(),
        other => format!("{other:?}"),
    }
}

fn quoted(text: &str) -> String {
    let text = text.trim().replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{text}'")
}
