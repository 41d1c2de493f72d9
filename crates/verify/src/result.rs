//! Results of verification: a verdict per obligation, errors with traces, an outcome per implementation.

use crate::cfg::CheckKind;
use crate::model::Model;
use crate::options::Options;
use crate::smoke::Unreachable;
use std::time::Duration;
use stet_base::Span;
use stet_boogie::ast::{ExprId, ImplId};

/// How a verdict came about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The prover was asked in this run.
    Solved,
    /// Reused: nothing it depends on changed.
    Cached,
    /// Reused where the old assumptions hold, asked for the rest [FGC §4.2].
    Partial,
    /// An old error whose conditions are unchanged, at its new position [FGC §4.3].
    Recycled,
}

impl Origin {
    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Solved => "solved",
            Origin::Cached => "cached",
            Origin::Partial => "partially cached",
            Origin::Recycled => "recycled",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    Verified,
    /// It might not hold.
    Failed,
    Unknown,
}

impl Verdict {
    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Failed => "failed",
            Verdict::Unknown => "unknown",
        }
    }
}

/// One check of an implementation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligation {
    pub kind: CheckKind,
    /// The assertion, call, invariant or postcondition.
    pub span: Span,
    /// The precondition, for a call.
    pub related: Option<Span>,
    pub verdict: Verdict,
    /// How it was obtained.
    pub origin: Origin,
    /// The condition checked, after calls and old values were made explicit; unknown if the results of the whole program
    /// were reused.
    pub condition: Option<ExprId>,
}

/// A block on a failing path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The place; none for blocks that are not in the source.
    pub span: Option<Span>,
    pub label: String,
    /// Whether the block contributes nothing to the failure: no condition, and no value that is not just a name.
    pub silent: bool,
}

/// A check that might not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerificationError {
    pub kind: CheckKind,
    /// Where: the assertion, call, invariant, or the `return` before which the postcondition was checked.
    pub span: Span,
    /// The precondition or postcondition.
    pub related: Option<Span>,
    /// `{:msg "…"}` of the check.
    pub message: Option<String>,
    /// The failing path.
    pub trace: Vec<TraceStep>,
    /// The counterexample model, if it was asked for.
    pub model: Option<Model>,
    /// How the verdict was obtained.
    pub origin: Origin,
    /// Whether the prover had a model of the failure, not just a candidate that it could not refute.
    pub is_certain: bool,
    /// The position of the check among the obligations.
    pub obligation: usize,
    /// How Boogie shows the end of the path, if blocks were merged into the common exit.
    pub merged_exit: MergedExit,
}

/// The common exit after blocks of which nothing is left were merged into it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MergedExit {
    /// Where an error after such a block is reported: the closing brace.
    pub place: Option<Span>,
    /// The block it is called after.
    pub step: Option<TraceStep>,
}

/// How the verification of an implementation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// All obligations hold.
    Verified,
    /// Some might not hold.
    Errors,
    /// The time limit.
    TimedOut,
    /// The memory limit.
    OutOfMemory,
    /// The resource limit.
    OutOfResource,
    /// The prover gave no usable answer.
    Inconclusive(String),
    /// The user interrupted.
    Cancelled,
    /// It uses something that is not supported.
    Unsupported { what: String, span: Span },
}

/// How near an implementation is to the latest edit [FGC §3.3]; the order of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Priority {
    /// Unaffected: the verdict is known already.
    Highest,
    High,
    Medium,
    /// Only what it depends on changed.
    Low,
}

impl Priority {
    /// The word in JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Priority::Highest => "highest",
            Priority::High => "high",
            Priority::Medium => "medium",
            Priority::Low => "low",
        }
    }
}

/// The result for one implementation.
#[derive(Clone, Debug)]
pub struct ImplementationResult {
    pub implementation: ImplId,
    pub name: String,
    pub span: Span,
    /// How it ended.
    pub conclusion: Conclusion,
    /// Errors, by position.
    pub errors: Vec<VerificationError>,
    /// All checks, in order.
    pub obligations: Vec<Obligation>,
    /// Its priority in this run.
    pub priority: Priority,
    /// Whether the whole verdict was reused.
    pub cached: bool,
    /// When the reused verdict was first computed, in seconds since 1970.
    pub recorded: Option<u64>,
    /// The key of the verdict, in hexadecimal.
    pub key: String,
    /// How long the prover was asked in this run; nothing for reused verdicts.
    pub time: Duration,
    /// What the prover took in this run in its own units, if they were counted.
    pub resources: u64,
    /// Code that can never be reached, if that was asked for.
    pub unreachable: Vec<Unreachable>,
}

impl ImplementationResult {
    /// Whether this is a verdict that more time cannot change.
    pub(crate) fn is_final(&self, options: &Options) -> bool {
        let decided = matches!(self.conclusion, Conclusion::Verified | Conclusion::Errors);
        let unknown = |o: &Obligation| o.verdict == Verdict::Unknown;
        decided && (self.reaches_limit(options) || !self.obligations.iter().any(unknown))
    }

    /// Whether the error limit was reached, so that there may be more errors.
    pub(crate) fn reaches_limit(&self, options: &Options) -> bool {
        options.error_limit != 0 && self.errors.len() == options.error_limit
    }

    /// How many obligations were decided in this way.
    pub(crate) fn decided(&self, origin: Origin) -> usize {
        let decided = |o: &&Obligation| o.origin == origin && o.verdict != Verdict::Unknown;
        self.obligations.iter().filter(decided).count()
    }

    /// How many obligations have no verdict.
    pub fn undecided(&self) -> usize {
        let unknown = |o: &&Obligation| o.verdict == Verdict::Unknown;
        self.obligations.iter().filter(unknown).count()
    }

    /// How many obligations have this origin.
    pub fn count(&self, origin: Origin) -> usize {
        self.obligations
            .iter()
            .filter(|o| o.origin == origin)
            .count()
    }
}
