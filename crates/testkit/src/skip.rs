//! Tests that cannot run say so; in CI they fail.

/// Variable that turns a skip into a failure; `.ci/run` sets it.
const REQUIRED: &str = "STET_REQUIRE_TOOLS";

/// Says that a test does not run because a tool is missing. With `STET_REQUIRE_TOOLS=1` it fails instead, so that a
/// machine without the tool cannot be green for that reason.
#[allow(clippy::print_stdout, reason = "a skipped test says why")]
pub fn skip(missing: &str) {
    let required = std::env::var_os(REQUIRED).is_some_and(|value| value == "1");
    assert!(
        !required,
        "{missing}: needed because {REQUIRED}=1 (scripts/setup core installs it)"
    );
    println!("skipped: {missing}");
}

/// Says that a test does not run because files that are no part of the repository are missing.
#[allow(clippy::print_stdout, reason = "a skipped test says why")]
pub fn skip_corpus(missing: &str) {
    println!("skipped: {missing} (not part of the repository)");
}
