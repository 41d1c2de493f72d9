//! The ways of asking a prover, and the options each of them sets.

use super::Manner;
use stet_solve::pipe::ProverKind;

/// One way of asking. Z3 decides easy questions fastest in a scope, where it works incrementally; hard ones often
/// only with its preprocessing, which it uses outside of scopes but without keeping a candidate model when it
/// gives up. The order is fixed and limits are counted in resources, so the answer is a function of the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attempt {
    /// After other questions, without a reset, with few resources, for small questions: half of their time is the
    /// reset. What an incomplete search does then depends on earlier questions, so only a proof counts.
    Shared,
    /// In a scope, with at most these resources and the newer arithmetic solver, unless the question multiplies: that
    /// solver gives up on products early. So only what it could not instantiate makes a candidate model.
    Quick { resources: u64, multiplies: bool },
    /// As [`Attempt::Quick`], with another search and at most these resources, when that found candidate models that need
    /// not be models.
    Second(u64),
    /// As [`Attempt::Second`], where all terms make instances, also those that the candidate model does not depend on: a proof
    /// may need an instance for a term of a part of the condition that holds anyway.
    Unfiltered(u64),
    /// As [`Attempt::Quick`], told the axioms that are kept for a second look ([`crate::second`]), for a proof only.
    Supported(u64),
    /// As [`Attempt::Quick`], with another search.
    Other,
    /// As [`Attempt::Second`], for a proof only.
    Plain,
    /// With preprocessing, with limited resources.
    Preprocessed,
    /// With preprocessing and the search of [`Attempt::Other`], with at most these resources.
    Thorough(u64),
    /// In a scope, with at most these resources.
    Last(u64),
    /// In a scope, within the user's limits, which are meant for the prover's usual settings.
    Limited,
}

impl Attempt {
    /// [`Attempt::Quick`] with the newer arithmetic solver, also for a question that multiplies.
    pub(super) fn newer_arithmetic(resources: u64) -> Attempt {
        Attempt::Quick {
            resources,
            multiplies: false,
        }
    }

    /// Z3's resource limit; 0 for none. A unit is very roughly a tenth of a microsecond to a microsecond.
    pub(super) fn resources(self) -> u64 {
        match self {
            Attempt::Shared => 400_000,
            Attempt::Plain => 5_000_000,
            Attempt::Other | Attempt::Preprocessed => 12_000_000,
            Attempt::Quick { resources, .. }
            | Attempt::Second(resources)
            | Attempt::Unfiltered(resources)
            | Attempt::Supported(resources)
            | Attempt::Thorough(resources)
            | Attempt::Last(resources) => resources,
            Attempt::Limited => 0,
        }
    }

    pub(super) fn is_scoped(self) -> bool {
        !matches!(self, Attempt::Preprocessed | Attempt::Thorough(_))
    }

    /// Whether the arithmetic solver gives up early.
    pub(super) fn gives_up_early(self) -> bool {
        matches!(
            self,
            Attempt::Quick {
                multiplies: false,
                ..
            } | Attempt::Other
        )
    }

    /// Whether a model, or a candidate, is worth reading.
    pub(super) fn finds_errors(self) -> bool {
        matches!(
            self,
            Attempt::Quick { .. }
                | Attempt::Second(_)
                | Attempt::Unfiltered(_)
                | Attempt::Other
                | Attempt::Last(_)
                | Attempt::Limited
        )
    }
}

/// The first version of Z3 that is known to let its tactic be chosen; 4.8.5 does not.
const CHOOSES_TACTIC: [u32; 3] = [4, 8, 12];

/// The options sent before every question. All attempts set the same names: options outlive a reset.
pub(super) fn options_text(kind: ProverKind, attempt: Attempt, manner: &Manner) -> String {
    let mut text = String::new();
    let mut set = |name: &str, value: &str| {
        text.push_str(&format!("(set-option :{name} {value})\n"));
    };
    match kind {
        ProverKind::Z3 => {
            set("print-success", "false");
            for (name, value) in [
                ("auto_config", "false"),
                ("pp.bv_literals", "false"),
                ("smt.delay_units", "true"),
                ("nnf.sk_hack", "true"),
                ("smt.mbqi", "false"),
                ("smt.qi.eager_threshold", "100"),
                ("smt.bv.reflect", "true"),
                ("type_check", "true"),
            ] {
                set(name, value);
            }
            // Z3 makes its general tactic for every question, even if it is asked in a scope, where the tactic is
            // not used: two thirds of the time of a small question.
            if manner.version >= CHOOSES_TACTIC.to_vec() {
                let tactic = if attempt.is_scoped() { "smt" } else { "\"\"" };
                set("tactic.default_tactic", tactic);
            }
            let search = match attempt {
                Attempt::Unfiltered(_) => ["1", "0", "0", "1.5", "true", "6", "0"],
                Attempt::Other | Attempt::Thorough(_) => ["3", "3", "1", "1.1", "false", "6", "2"],
                Attempt::Quick {
                    multiplies: false, ..
                }
                | Attempt::Limited => ["3", "0", "0", "1.5", "true", "6", "2"],
                Attempt::Second(_) | Attempt::Plain => ["0", "0", "0", "1.5", "true", "2", "2"],
                _ => ["3", "0", "0", "1.5", "true", "2", "2"],
            };
            let names = [
                "smt.case_split",
                "smt.phase_selection",
                "smt.restart_strategy",
                "smt.restart_factor",
                "smt.arith.random_initial_value",
                "smt.arith.solver",
                "smt.relevancy",
            ];
            debug_assert!(
                attempt.is_scoped() || attempt != Attempt::Shared,
                "a shared question is asked in a scope"
            );
            for (name, value) in names.into_iter().zip(search) {
                set(name, value);
            }
        }
        ProverKind::Cvc5 => {
            set("print-success", "false");
            set("produce-models", "true");
        }
    }
    for (name, value) in &manner.extra {
        set(name, value);
    }
    if kind == ProverKind::Cvc5 {
        text.push_str("(set-logic ALL)\n");
    }
    text
}
