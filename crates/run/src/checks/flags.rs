//! The flags of run-time checks, as `set_prolog_flag/2` sets them.
//!
//! | flag | values (the first is the default) | effect |
//! |---|---|---|
//! | `runtime_checks` | `yes`, `no` | whether anything is checked |
//! | `rtchecks_level` | `inner`, `exports` | all predicates with assertions, or the exported ones |
//! | `rtchecks_trust` | `no`, `yes` | whether `trust` assertions are checked; for files loaded from then on |
//! | `rtchecks_entry`, `rtchecks_exit` | `yes`, `no` | whether `entry` and `exit` assertions are; likewise |
//! | `rtchecks_asrloc`, `rtchecks_predloc` | `yes`, `no` | whether messages name the lines of assertion and clauses |
//! | `rtchecks_namefmt` | `long`, `short` | whether messages qualify predicates with their module |
//! | `rtchecks_inline` | `yes`, `no` | accepted; checks are instructions either way |
//! | `rtchecks_callloc` | `no`, `predicate`, `literal` | accepted; messages show no calls around a violation |
//! | `rtchecks_test` | `no` | `test` assertions are run as tests only |
//! | `rtchecks_abort_on_error` | `no`, `yes` | whether a violation throws `rtcheck/6` |

use super::runtime::{CheckLevel, ViolationAction};
use crate::machine::Machine;
use stet_prolog::assertions::{Assertion, AssertionKind, Status};

/// Name and values; the first is the default.
pub(crate) const FLAGS: &[(&str, &[&str])] = &[
    ("runtime_checks", &["yes", "no"]),
    ("rtchecks_level", &["inner", "exports"]),
    ("rtchecks_trust", &["no", "yes"]),
    ("rtchecks_entry", &["yes", "no"]),
    ("rtchecks_exit", &["yes", "no"]),
    ("rtchecks_asrloc", &["yes", "no"]),
    ("rtchecks_predloc", &["yes", "no"]),
    ("rtchecks_callloc", &["no", "predicate", "literal"]),
    ("rtchecks_test", &["no"]),
    ("rtchecks_namefmt", &["long", "short"]),
    ("rtchecks_inline", &["yes", "no"]),
    ("rtchecks_abort_on_error", &["no", "yes"]),
];

/// The flags that decide what is checked and how it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    trust: bool,
    entry: bool,
    exit: bool,
    pub(crate) assertion_lines: bool,
    pub(crate) clause_lines: bool,
    pub(crate) long_names: bool,
}

impl Default for Flags {
    fn default() -> Self {
        Flags {
            trust: false,
            entry: true,
            exit: true,
            assertion_lines: true,
            clause_lines: true,
            long_names: true,
        }
    }
}

impl Flags {
    /// Whether the assertion is checked while the program runs.
    pub(crate) fn checks(&self, assertion: &Assertion) -> bool {
        let status = match assertion.status {
            Status::Check => true,
            Status::Trust => self.trust,
            _ => false,
        };
        let kind = match assertion.kind {
            AssertionKind::Entry => self.entry,
            AssertionKind::Exit => self.exit,
            AssertionKind::Prop
            | AssertionKind::Regtype
            | AssertionKind::Test
            | AssertionKind::Texec
            | AssertionKind::Decl => false,
            _ => true,
        };
        status && kind
    }
}

impl Machine {
    /// A flag of run-time checks is about to have this value; `None` if it is none of them, else whether it may.
    pub(crate) fn set_checks_flag(&mut self, name: &str, value: &str) -> Option<bool> {
        let (_, values) = FLAGS.iter().find(|(found, _)| *found == name)?;
        if !values.contains(&value) {
            return Some(false);
        }
        let yes = value == "yes";
        let flags = &mut self.checks.flags;
        match name {
            "runtime_checks" => {
                self.checks.level = if yes {
                    CheckLevel::All
                } else {
                    CheckLevel::Off
                };
            }
            "rtchecks_level" if self.checks.level != CheckLevel::Off => {
                self.checks.level = match value {
                    "exports" => CheckLevel::Exports,
                    _ => CheckLevel::All,
                };
            }
            "rtchecks_trust" => flags.trust = yes,
            "rtchecks_entry" => flags.entry = yes,
            "rtchecks_exit" => flags.exit = yes,
            "rtchecks_asrloc" => flags.assertion_lines = yes,
            "rtchecks_predloc" => flags.clause_lines = yes,
            "rtchecks_namefmt" => flags.long_names = value == "long",
            "rtchecks_abort_on_error" => {
                self.checks.action = if yes {
                    ViolationAction::Throw
                } else {
                    ViolationAction::Report
                };
            }
            _ => {}
        }
        self.apply_check_level();
        Some(true)
    }
}
