//! Asking the prover about one verification condition, until nothing is left or the error limit is reached.

use std::time::Duration;
use stet_base::Budget;
use stet_solve::pipe::{CheckAnswer, PipeError, Prover, ProverConfig, ProverKind, UnknownReason};

/// What to ask; plain data that can be sent to a worker.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// Declarations and axioms.
    pub(crate) foundation: String,
    /// The condition.
    pub(crate) condition: String,
    /// The number of blocks known to `ControlFlow`.
    pub(crate) blocks: usize,
    /// The number of checks.
    pub(crate) checks: usize,
    /// Stop after this many errors; 0 for no limit.
    pub(crate) error_limit: usize,
    /// The time for the whole question.
    pub(crate) time_limit: Option<Duration>,
    /// Z3's resource limit; 0 for none.
    pub(crate) resource_limit: u64,
    /// Whether to keep a model with each error.
    pub(crate) want_model: bool,
}

/// A failing path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    /// The check, by its number in the condition, from zero.
    pub(crate) check: usize,
    /// The blocks on the path, by their numbers in the condition, from zero.
    pub(crate) path: Vec<usize>,
    /// The model, if asked for.
    pub(crate) model: Option<String>,
}

/// How the questioning ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Everything not among the failures holds.
    Complete,
    /// The error limit was reached.
    ErrorLimit,
    /// The prover gave up.
    Unknown(UnknownReason),
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    pub(crate) failures: Vec<Failure>,
    pub(crate) end: End,
}

/// A worker's prover: started on first use, restarted when it died.
pub(crate) struct Worker {
    config: ProverConfig,
    options: String,
    prover: Option<Prover>,
}

impl Worker {
    /// A worker without a process yet. `options` is sent before every question.
    pub(crate) fn new(config: ProverConfig, options: String) -> Self {
        Worker {
            config,
            options,
            prover: None,
        }
    }

    /// Asks a question.
    pub(crate) fn ask(&mut self, question: &Question, budget: &Budget) -> Answer {
        let answer = self.try_ask(question, budget);
        let died = self.prover.as_ref().is_some_and(Prover::is_dead);
        if died {
            self.prover = None;
        }
        answer
    }

    fn try_ask(&mut self, question: &Question, budget: &Budget) -> Answer {
        let mut answer = Answer {
            failures: Vec::new(),
            end: End::Complete,
        };
        if question.checks == 0 {
            return answer;
        }
        let budget = match question.time_limit {
            Some(limit) => budget.limited_to(limit),
            None => budget.clone(),
        };
        if let Err(error) = self.prepare() {
            answer.end = End::Unknown(UnknownReason::Crashed(error.to_string()));
            return answer;
        }
        let options = self.options.clone();
        let Some(prover) = self.prover.as_mut() else {
            return answer;
        };
        prover.send(&options);
        prover.send(&question.foundation);
        // In a scope Z3 works incrementally, which keeps a candidate model when it gives up.
        prover.send("(push 1)");
        prover.send(&question.condition);
        loop {
            let outcome = prover.check_sat(question.time_limit, question.resource_limit, &budget);
            match outcome {
                CheckAnswer::Unsat => return answer,
                CheckAnswer::Sat | CheckAnswer::Unknown(UnknownReason::Incomplete(_)) => {
                    match read_failure(prover, question, &budget) {
                        Ok((failure, block)) => {
                            let known = answer.failures.iter().any(|f| f.check == failure.check);
                            let number = failure.check + 1;
                            answer.failures.push(failure);
                            if known {
                                // Blocking a check twice means the prover ignores it.
                                answer.failures.pop();
                                answer.end = End::Unknown(UnknownReason::Garbage(
                                    "a failing path that was excluded".to_owned(),
                                ));
                                return answer;
                            }
                            let limit = question.error_limit;
                            if limit != 0 && answer.failures.len() >= limit {
                                // With a single check nothing else could be found.
                                if answer.failures.len() < question.checks {
                                    answer.end = End::ErrorLimit;
                                }
                                return answer;
                            }
                            prover.send(&format!(
                                "(assert (not (= (ControlFlow 0 {block}) (- {number}))))"
                            ));
                        }
                        Err(error) => {
                            answer.end = End::Unknown(match error {
                                PipeError::TimedOut => UnknownReason::TimeOut,
                                PipeError::Cancelled => UnknownReason::Cancelled,
                                PipeError::Garbage(text) => UnknownReason::Garbage(text),
                                other => UnknownReason::Crashed(other.to_string()),
                            });
                            return answer;
                        }
                    }
                }
                CheckAnswer::Unknown(reason) => {
                    answer.end = End::Unknown(reason);
                    return answer;
                }
            }
        }
    }

    fn prepare(&mut self) -> Result<(), PipeError> {
        if let Some(prover) = &mut self.prover {
            prover.send("(reset)");
            prover.limits_were_reset();
            return Ok(());
        }
        self.prover = Some(Prover::start(&self.config)?);
        Ok(())
    }
}

/// Follows `ControlFlow` from the entry to the failing check; also returns the number of its block.
fn read_failure(
    prover: &mut Prover,
    question: &Question,
    budget: &Budget,
) -> Result<(Failure, usize), PipeError> {
    let terms: Vec<String> = (1..=question.blocks)
        .map(|block| format!("(ControlFlow 0 {block})"))
        .collect();
    let values = prover.values(&terms, budget)?;
    let mut path = Vec::new();
    let mut block = 1_usize;
    loop {
        path.push(block - 1);
        let value = values[block - 1].integer();
        match value {
            Some(value) if value < 0 && value >= -(question.checks as i64) => {
                let model = if question.want_model {
                    Some(prover.model(budget)?.to_string())
                } else {
                    None
                };
                let failure = Failure {
                    check: (-value) as usize - 1,
                    path,
                    model,
                };
                return Ok((failure, block));
            }
            Some(value) if value > block as i64 && value <= question.blocks as i64 => {
                block = value as usize;
            }
            _ => {
                return Err(PipeError::Garbage(format!(
                    "a model without a failing path (block {block}: {value:?})"
                )));
            }
        }
    }
}

/// The options sent before every question.
pub(crate) fn prover_options(kind: ProverKind, extra: &[(String, String)]) -> String {
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
                ("smt.phase_selection", "0"),
                ("smt.restart_strategy", "0"),
                ("smt.restart_factor", "1.5"),
                ("smt.arith.random_initial_value", "true"),
                ("smt.case_split", "3"),
                ("smt.delay_units", "true"),
                ("nnf.sk_hack", "true"),
                ("smt.mbqi", "false"),
                ("smt.qi.eager_threshold", "100"),
                ("smt.bv.reflect", "true"),
                ("type_check", "true"),
            ] {
                set(name, value);
            }
        }
        ProverKind::Cvc5 => {
            set("print-success", "false");
            set("produce-models", "true");
        }
    }
    for (name, value) in extra {
        set(name, value);
    }
    if kind == ProverKind::Cvc5 {
        text.push_str("(set-logic ALL)\n");
    }
    text
}
