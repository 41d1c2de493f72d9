//! What was found, in a few words, for expectations.

use super::{Checked, Series};
use expect_test::Expect;
use stet_verify::{Caching, Conclusion, Options};

/// Every result in a few words: the outcome, the errors with their places and paths.
pub fn report(checked: &Checked) -> String {
    let line = |span| checked.sources.start_of(span).line;
    let mut text = String::new();
    for result in &checked.run.verdicts {
        let outcome = match &result.conclusion {
            Conclusion::Verified => "verified".to_owned(),
            Conclusion::Errors => "errors".to_owned(),
            Conclusion::Unsupported { what, .. } => format!("unsupported: {what}"),
            other => format!("{other:?}"),
        };
        text.push_str(&format!("{}: {outcome}\n", result.name));
        for error in &result.errors {
            text.push_str(&format!("  {:?} line {}", error.kind, line(error.span)));
            if let Some(related) = error.related {
                text.push_str(&format!(", clause line {}", line(related)));
            }
            let labels: Vec<&str> = error
                .trace
                .iter()
                .filter(|step| step.span.is_some())
                .map(|step| step.label.as_str())
                .collect();
            text.push_str(&format!(": {}\n", labels.join(" ")));
        }
        for code in &result.unreachable {
            text.push_str(&format!("  unreachable: {}\n", code.path.join(" ")));
        }
    }
    text
}

pub fn check_with(change: impl FnOnce(&mut Options), program: &str, expected: Expect) {
    let Some(mut series) = Series::new(Caching::Off) else {
        return;
    };
    change(&mut series.options);
    expected.assert_eq(&report(&series.next(program)));
}

/// Several programs with the same report.
pub fn check_each(programs: &[String], expected: Expect) {
    let Some(series) = Series::new(Caching::Off) else {
        return;
    };
    for program in programs {
        expected.assert_eq(&report(&series.next(program)));
    }
}

pub fn check(program: &str, expected: Expect) {
    check_with(|_| {}, program, expected);
}
