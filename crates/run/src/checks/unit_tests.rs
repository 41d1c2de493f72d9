//! Test assertions: `:- test p(X) : Pre => Post + Comp.` and `:- texec p(X) : Pre.`
//!
//! A test passes if its precondition generates a call, every answer asked for satisfies the postcondition, the
//! computation has the properties after `+`, and no assertion is violated meanwhile; a `texec` only asks for the last.
//! A `false test` passes if it does not hold; tests with another status than `check` are skipped. The logic is in
//! `lib/unittest.pl`.

use super::runtime::SourceRange;
use crate::machine::Machine;
use crate::query::Answer;
use stet_prolog::assertions::{Assertion, AssertionKind, Dnf, Status};
use stet_prolog::{AstView, Place, TermId, Variable, WriteOptions, quote_atom, write_term};

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestVerdict {
    /// It holds, or is a `false test` and does not.
    Passed,
    /// Why it does not hold.
    Failed(String),
    /// Its status says that it need not be run.
    Skipped(&'static str),
}

/// The outcome of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// `module:name/arity`.
    pub predicate: String,
    /// The comment of the test.
    pub text: Option<String>,
    pub file: String,
    /// Where the test is.
    pub place: SourceRange,
    /// How it ended.
    pub verdict: TestVerdict,
}

impl TestResult {
    /// File, lines, predicate and comment, as one line.
    pub fn title(&self) -> String {
        let (first, last) = self.place.lines;
        let name = self.text.as_deref().unwrap_or("test");
        format!(
            "{}: (lns {first}-{last}) {}: {name}",
            self.file, self.predicate
        )
    }

    /// Whether it did not hold.
    pub fn is_failure(&self) -> bool {
        matches!(self.verdict, TestVerdict::Failed(_))
    }
}

/// Which tests are run.
#[derive(Clone, Debug, Default)]
pub struct TestFilter {
    /// Only tests whose predicate, comment or file contains this text.
    pub pattern: Option<String>,
    /// Only every so many tests, from an offset on: the share of one of several workers.
    pub share: Option<(usize, usize)>,
}

impl TestFilter {
    fn admits(&self, index: usize, result: &TestResult) -> bool {
        let share = self
            .share
            .is_none_or(|(offset, workers)| index % workers.max(1) == offset);
        let pattern = self.pattern.as_ref().is_none_or(|pattern| {
            result.predicate.contains(pattern.as_str())
                || result.file.contains(pattern.as_str())
                || result
                    .text
                    .as_ref()
                    .is_some_and(|t| t.contains(pattern.as_str()))
        });
        share && pattern
    }
}

impl Machine {
    /// How many test assertions the files loaded so far have.
    pub fn test_count(&self) -> usize {
        self.checks.tests.len()
    }

    /// Runs the test assertions of the files loaded so far; each result with its number in the order of the files.
    pub fn run_test_assertions(&mut self, filter: &TestFilter) -> Vec<(usize, TestResult)> {
        let mut results = Vec::new();
        for index in 0..self.checks.tests.len() {
            let mut result = self.test_description(index);
            if !filter.admits(index, &result) || self.control.halted.is_some() {
                continue;
            }
            result.verdict = self.test_verdict(index);
            results.push((index, result));
        }
        results
    }

    fn test_description(&self, index: usize) -> TestResult {
        let case = &self.checks.tests[index];
        TestResult {
            predicate: format!(
                "{}:{}/{}",
                self.mem.atoms.text(case.module),
                self.mem.atoms.text(case.assertion.name),
                case.assertion.head.len()
            ),
            text: case.assertion.text.clone(),
            file: case.file.to_string(),
            place: case.place,
            verdict: TestVerdict::Passed,
        }
    }

    fn test_verdict(&mut self, index: usize) -> TestVerdict {
        let status = self.checks.tests[index].assertion.status;
        let skipped = match status {
            Status::Trust => Some("trust"),
            Status::True => Some("true"),
            Status::Checked => Some("checked"),
            Status::Check | Status::False => None,
        };
        if let Some(status) = skipped {
            return TestVerdict::Skipped(status);
        }
        match (self.test_failure(index), status) {
            (None, Status::False) => {
                TestVerdict::Failed("holds, but its status is `false`".to_string())
            }
            (Some(_), Status::False) | (None, _) => TestVerdict::Passed,
            (Some(why), _) => TestVerdict::Failed(why),
        }
    }

    /// Runs one test; why it does not hold.
    fn test_failure(&mut self, index: usize) -> Option<String> {
        let before = (self.checks.violations.len(), self.checks.more_violations);
        let query = self.test_query(index);
        let failure = match self.query(&query) {
            Ok(mut running) => {
                let answer = self.next_answer(&mut running);
                let failure = match answer {
                    Answer::True(solution) => solution
                        .goals
                        .iter()
                        .find_map(|goal| goal.strip_prefix("Result = "))
                        .filter(|text| *text != "passed")
                        .map(|text| {
                            let inner = text.strip_prefix("failed(");
                            inner
                                .and_then(|text| text.strip_suffix(')'))
                                .unwrap_or(text)
                                .to_string()
                        }),
                    Answer::False => Some("the test cannot be run".to_string()),
                    Answer::Exception { message, .. } => Some(message),
                    Answer::Halt(code) => Some(format!("halt({code})")),
                };
                self.finish(&running);
                failure
            }
            Err(message) => Some(message),
        };
        let violated = self.checks.violations.get(before.0).cloned();
        failure.or_else(|| match violated {
            Some(violation) => Some(format!(
                "violates {} of {}: {}",
                violation.kind, violation.predicate, violation.required
            )),
            None if self.checks.more_violations > before.1 => {
                Some("violates an assertion".to_string())
            }
            None => None,
        })
    }

    fn test_query(&self, index: usize) -> String {
        let case = &self.checks.tests[index];
        let module = quote_atom(self.mem.atoms.text(case.module));
        let name = quote_atom(self.mem.atoms.text(case.assertion.name));
        let assertion = &case.assertion;
        let head: Vec<String> = assertion.head.iter().map(|v| format!("V{v}")).collect();
        let goal = match head.len() {
            0 => name,
            _ => format!("{name}({})", head.join(",")),
        };
        let comps: Vec<String> = assertion
            .comp
            .iter()
            .map(|&id| self.test_text(assertion, id))
            .collect();
        let kind = match assertion.kind {
            AssertionKind::Texec => "texec",
            _ => "test",
        };
        format!(
            "unittest:'$rtc_test'({module}:({}),{module}:({goal}),{module}:({}),[{}],{kind},{module},Result)",
            self.test_formula(assertion, &assertion.calls),
            self.test_formula(assertion, &assertion.success),
            comps.join(",")
        )
    }

    fn test_formula(&self, assertion: &Assertion, dnf: &Dnf) -> String {
        let parts: Vec<String> = dnf
            .iter()
            .map(|conjunction| {
                let literals: Vec<String> = conjunction
                    .iter()
                    .map(|&id| self.test_text(assertion, id))
                    .collect();
                match literals.len() {
                    0 => "true".to_string(),
                    _ => format!("({})", literals.join(",")),
                }
            })
            .collect();
        parts.join(";")
    }

    fn test_text(&self, assertion: &Assertion, id: TermId) -> String {
        let variables: Vec<Variable> = (0..assertion.variables.len())
            .map(|index| Variable {
                name: format!("V{index}"),
                occurrences: 2,
                place: Place::default(),
            })
            .collect();
        let view = AstView {
            terms: &assertion.terms,
            variables: &variables,
        };
        write_term(
            &view,
            id,
            &self.mem.atoms,
            &self.loader.ops,
            &WriteOptions::CANONICAL,
        )
    }
}
