//! Asking the prover about one verification condition, until nothing is left or the error limit is reached.

mod attempt;
mod doubt;
#[cfg(test)]
mod tests;

use attempt::{Attempt, options_text};
use std::time::Duration;
use stet_base::Budget;
use stet_key::Digest;
use stet_solve::pipe::{CheckAnswer, PipeError, Prover, ProverConfig, ProverKind, UnknownReason};

/// What to ask; plain data that can be sent to a worker.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// Declarations and axioms.
    pub(crate) foundation: String,
    /// Declarations of the implementation's own.
    pub(crate) declarations: String,
    /// The negated formula.
    pub(crate) formula: String,
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
    /// Whether one check may fail on several paths; otherwise it is excluded once it failed.
    pub(crate) every_path: bool,
    /// Whether to keep a model with each error.
    pub(crate) want_model: bool,
}

impl Question {
    /// A budget that ends with the time for the question, as far as provers had a processor to work with.
    fn limited(&self, budget: &Budget) -> Budget {
        match self.time_limit {
            Some(limit) => budget.limited_to_work(limit),
            None => budget.clone(),
        }
    }

    /// The same with a part of its time, so that some is left if that does not suffice.
    fn in_part_of_the_time(&self) -> Question {
        Question {
            time_limit: self.time_limit.map(|limit| limit / 3),
            ..self.clone()
        }
    }

    fn quick(&self, resources: u64) -> Attempt {
        Attempt::Quick {
            resources,
            multiplies: self.multiplies(),
        }
    }

    /// Whether it has a product that does not begin with a numeral; functions that are defined as products make products.
    fn multiplies(&self) -> bool {
        let mut heads = vec!["(* ".to_owned()];
        let lines: Vec<&str> = self.foundation.lines().collect();
        let is_definition: Vec<bool> = lines
            .iter()
            .map(|line| {
                let name = defined_as_product(line);
                heads.extend(name.map(|name| format!("({name} ")));
                name.is_some()
            })
            .collect();
        let has_product = |text: &str| {
            heads.iter().any(|head| {
                let mut products = text.match_indices(head.as_str());
                let factor = |at: usize| text[at + head.len()..].trim_start_matches("(- ");
                products.any(|(at, _)| !factor(at).starts_with(|c: char| c.is_ascii_digit()))
            })
        };
        let mut others = lines.iter().zip(is_definition).filter(|(_, is)| !is);
        others.any(|(line, _)| has_product(line)) || has_product(&self.formula)
    }
}

/// The function that an axiom defines to be the product of its arguments.
fn defined_as_product(axiom: &str) -> Option<&str> {
    let (before, after) = axiom.split_once(" (* ")?;
    let (factors, _) = after.split_once(')')?;
    let call = before.strip_suffix(')')?.strip_suffix(factors)?;
    let (_, name) = call.trim_end().rsplit_once("(= (")?;
    (!name.contains([' ', '('])).then_some(name)
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
    /// Whether the prover said that there is a model, and not only that it found no contradiction.
    pub(crate) is_certain: bool,
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Answer {
    pub(crate) failures: Vec<Failure>,
    pub(crate) end: End,
}

/// What a worker is to find out: the answer to a question or, if that takes more than these resources, to another one.
pub(crate) struct Inquiry {
    /// The obligation it belongs to.
    pub(crate) obligation: Digest,
    pub(crate) question: Question,
    pub(crate) instead: Option<(u64, Question)>,
    pub(crate) stage: Stage,
}

/// How far a question is gone into.
pub(crate) enum Stage {
    /// It is asked in all ways.
    Whole,
    /// It is asked in the ways that decide most questions. The others follow after its checks were asked about one by one.
    First,
    /// Its checks are asked about one by one. If that does not prove all of them, it is asked in the ways that are left.
    Pieces(Vec<Question>),
    /// It is about one check that was found to fail already.
    Doubt,
}

/// An answer, and to which of the questions of an [`Inquiry`].
pub(crate) struct Reply {
    pub(crate) answer: Answer,
    pub(crate) is_instead: bool,
}

/// Failures looked for.
#[derive(Debug)]
struct Search {
    answer: Answer,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            answer: Answer {
                failures: Vec::new(),
                end: End::Complete,
            },
        }
    }
}

/// How a worker speaks to its prover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Manner {
    /// Options besides the usual ones.
    pub(crate) extra: Vec<(String, String)>,
    /// The numbers of the prover's version.
    pub(crate) version: Vec<u32>,
}

/// The longest question that is asked without a reset first.
const SHARED_SIZE: usize = 1 << 15;

/// The resources that are enough for a quick attempt, mostly.
const ENOUGH: u64 = 10_000_000;

/// The resources for thorough attempts before the limits are dropped: an error is mostly found with less.
const MUCH: u64 = 40_000_000;

/// How many of the ways to ask a question come before its checks are asked about one by one.
const FIRST_WAYS: usize = 3;

/// A worker's prover: started on first use, restarted when it died.
pub(crate) struct Worker {
    config: ProverConfig,
    manner: Manner,
    prover: Option<Prover>,
    /// Whether resources are counted.
    counts: bool,
    /// The foundation of the last question, if it was shared: it is in one open scope, the condition in a second.
    shared: Option<String>,
    /// The processor time of provers that ended, and what was told of all of them.
    processor: Duration,
    told: Duration,
}

impl Worker {
    /// A worker without a process yet.
    pub(crate) fn new(config: ProverConfig, manner: Manner) -> Self {
        Worker {
            config,
            manner,
            prover: None,
            counts: false,
            shared: None,
            processor: Duration::ZERO,
            told: Duration::ZERO,
        }
    }

    /// Whether the resources of the questions to come are counted.
    pub(crate) fn count_resources(&mut self, counts: bool) {
        self.counts = counts;
        if let Some(prover) = &mut self.prover {
            prover.count_resources(counts);
        }
    }

    /// The resources counted since this was last asked.
    pub(crate) fn take_spent(&mut self) -> u64 {
        self.prover.as_mut().map_or(0, Prover::take_spent)
    }

    /// How long its provers had the processor since this was last asked.
    pub(crate) fn take_processor_time(&mut self) -> Duration {
        let running = self
            .prover
            .as_ref()
            .map_or(Duration::ZERO, Prover::processor_time);
        let total = self.processor + running;
        total.saturating_sub(std::mem::replace(&mut self.told, total))
    }

    /// Whether it would be the same with another worker of this kind.
    pub(crate) fn speaks(&self, config: &ProverConfig, manner: &Manner) -> bool {
        self.config == *config && self.manner == *manner
    }

    /// Asks a question and, if it has one check that fails without a model, once more in other ways.
    pub(crate) fn ask(&mut self, question: &Question, budget: &Budget) -> Answer {
        let limited = question.limited(budget);
        let answer = self.ask_in_ways(question, &self.ways(question), &limited).0;
        let is_suspect = answer.failures.iter().any(|failure| !failure.is_certain);
        let is_doubted = Worker::doubts(self.config.kind, question.resource_limit);
        let is_cut_short = matches!(answer.end, End::Unknown(_));
        if question.checks == 1 && is_suspect && is_doubted && !is_cut_short {
            return self.opinion(question, budget);
        }
        answer
    }

    /// Whether provers are asked again about a question with these limits when they find an error without having a model of it.
    pub(crate) fn doubts(kind: ProverKind, resource_limit: u64) -> bool {
        resource_limit == 0 && kind == ProverKind::Z3
    }

    /// Asks a question or, if a little effort is not enough, another one. Both together keep the time limit.
    pub(crate) fn inquire(&mut self, inquiry: &Inquiry, budget: &Budget) -> Reply {
        let Inquiry {
            obligation: _,
            question,
            instead,
            stage,
        } = inquiry;
        let plain = |answer| Reply {
            answer,
            is_instead: false,
        };
        let mut ways = self.ways(question);
        match stage {
            Stage::Whole => {}
            Stage::First => {
                let question = question.in_part_of_the_time();
                ways.truncate(FIRST_WAYS);
                let budget = question.limited(budget);
                return plain(self.ask_in_ways(&question, &ways, &budget).0);
            }
            Stage::Pieces(pieces) if self.proves_all(pieces, budget) => {
                return plain(Search::default().answer);
            }
            Stage::Pieces(_) => drop(ways.drain(..FIRST_WAYS.min(ways.len()))),
            Stage::Doubt => return plain(self.opinion(question, budget)),
        }
        let Some((resources, instead)) = instead.as_ref().filter(|_| ways.len() > 1) else {
            let budget = question.limited(budget);
            return plain(self.ask_in_ways(question, &ways, &budget).0);
        };
        let budget = question.limited(budget);
        let mut little = vec![Attempt::Shared, question.quick(*resources)];
        little.retain(|attempt| attempt.resources() <= *resources);
        let (mut answer, undecided) = self.ask_in_ways(question, &little, &budget);
        if undecided {
            let whole = self.ask_in_ways(instead, &self.ways(instead), &budget).0;
            if !matches!(whole.end, End::Unknown(_)) {
                return Reply {
                    answer: whole,
                    is_instead: true,
                };
            }
            answer.end = whole.end;
        }
        Reply {
            answer,
            is_instead: false,
        }
    }

    /// Whether each of some questions about one check is answered by a proof, all within the time for one question.
    fn proves_all(&mut self, pieces: &[Question], budget: &Budget) -> bool {
        let Some(first) = pieces.first() else {
            return false;
        };
        debug_assert!(
            pieces.iter().all(|piece| piece.checks <= 1),
            "a piece is about one check"
        );
        let budget = first.limited(budget);
        pieces.iter().all(|piece| {
            let mut ways = vec![Attempt::Shared, piece.quick(ENOUGH / 2), Attempt::Plain];
            if piece.multiplies() {
                ways.insert(1, Attempt::newer_arithmetic(ENOUGH / 2));
            }
            let answer = self.ask_in_ways(piece, &ways, &budget).0;
            answer.failures.is_empty() && answer.end == End::Complete
        })
    }

    /// The ways to ask a question, one after the other.
    fn ways(&self, question: &Question) -> Vec<Attempt> {
        // With a limit of the user's there is nothing to spend on a second attempt.
        if !Worker::doubts(self.config.kind, question.resource_limit) {
            return vec![Attempt::Limited];
        }
        vec![
            Attempt::Shared,
            question.quick(ENOUGH),
            Attempt::Plain,
            Attempt::Other,
            Attempt::Preprocessed,
            Attempt::Thorough(MUCH),
            Attempt::Last(MUCH),
            Attempt::Thorough(0),
            Attempt::Last(0),
        ]
    }

    /// Asks in these ways until one gives an answer; also whether none did.
    fn ask_in_ways(
        &mut self,
        question: &Question,
        attempts: &[Attempt],
        budget: &Budget,
    ) -> (Answer, bool) {
        let mut search = Search::default();
        debug_assert!(!attempts.is_empty(), "there is a way to ask");
        if question.checks == 0 {
            return (search.answer, false);
        }
        let parts = [
            &question.foundation,
            &question.declarations,
            &question.formula,
        ];
        let is_small = parts.map(String::len).iter().sum::<usize>() <= SHARED_SIZE;
        let mut ways = attempts
            .iter()
            .filter(|&&attempt| is_small || attempt != Attempt::Shared);
        let undecided = ways.all(|&attempt| self.attempt(question, attempt, budget, &mut search));
        let mut answer = search.answer;
        if undecided {
            answer.end = End::Unknown(UnknownReason::ResourceOut);
        }
        (answer, undecided)
    }

    /// Asks in one way, given the failures found so far; whether another way should be tried.
    fn attempt(
        &mut self,
        question: &Question,
        attempt: Attempt,
        budget: &Budget,
        search: &mut Search,
    ) -> bool {
        let again = self.attempt_once(question, attempt, budget, search);
        if let Some(dead) = self.prover.take_if(|prover| prover.is_dead()) {
            self.processor += dead.processor_time();
            self.shared = None;
        }
        again
    }

    fn attempt_once(
        &mut self,
        question: &Question,
        attempt: Attempt,
        budget: &Budget,
        search: &mut Search,
    ) -> bool {
        let Search { answer } = search;
        debug_assert!(
            question.error_limit == 0 || answer.failures.len() < question.error_limit,
            "a search that reached its limit is over"
        );
        debug_assert!(
            answer
                .failures
                .iter()
                .all(|failure| failure.check < question.checks),
            "failures of earlier ways are those of this question"
        );
        answer.end = End::Complete;
        let resources = match attempt {
            Attempt::Limited => question.resource_limit,
            other => other.resources(),
        };
        let prover = match self.prepare(attempt, question, resources) {
            Ok(prover) => prover,
            Err(error) => {
                answer.end = End::Unknown(UnknownReason::Crashed(error.to_string()));
                return false;
            }
        };
        prover.send(&question.formula);
        for failure in &answer.failures {
            exclude(prover, failure, question.every_path);
        }
        loop {
            let outcome = match prover.check_sat(resources, budget) {
                // Z3 says "canceled" for either limit.
                CheckAnswer::Unknown(UnknownReason::TimeOut)
                    if resources != 0 && !prover.is_dead() && budget.check().is_ok() =>
                {
                    CheckAnswer::Unknown(UnknownReason::ResourceOut)
                }
                outcome => outcome,
            };
            let is_certain = match outcome {
                CheckAnswer::Unsat => return false,
                CheckAnswer::Unknown(UnknownReason::ResourceOut) if attempt.resources() != 0 => {
                    return true;
                }
                CheckAnswer::Sat | CheckAnswer::Unknown(UnknownReason::Incomplete(_))
                    if !attempt.finds_errors() =>
                {
                    return true;
                }
                CheckAnswer::Unknown(UnknownReason::Incomplete(why))
                    if attempt.gives_up_early() && !why.contains("quantifiers") =>
                {
                    return true;
                }
                // Axioms that were not told may contradict the model.
                CheckAnswer::Sat => Ok(!crate::second::is_kept_in(&question.foundation)),
                CheckAnswer::Unknown(UnknownReason::Incomplete(_)) => Ok(false),
                CheckAnswer::Unknown(reason) => Err(reason),
            };
            let found = is_certain.and_then(|is_certain| {
                let failure = read_failure(prover, question, budget).map_err(because)?;
                Ok(Failure {
                    is_certain,
                    ..failure
                })
            });
            if let Err(UnknownReason::Garbage(text)) = &found
                && attempt.resources() != 0
                && is_interrupted(text)
            {
                return true;
            }
            let found = match found {
                // Out of resources, Z3 may say anything.
                Err(UnknownReason::Garbage(text))
                    if question.resource_limit > 0 || text.contains("resource limit exceeded") =>
                {
                    Err(UnknownReason::ResourceOut)
                }
                // Interrupted by its own limit, Z3 may have no model to show.
                Err(UnknownReason::Garbage(text))
                    if question.time_limit.is_some() && text.contains("model is not available") =>
                {
                    Err(UnknownReason::TimeOut)
                }
                found => found,
            };
            let same = |a: &Failure, b: &Failure| {
                a.check == b.check && (!question.every_path || a.path == b.path)
            };
            match found {
                Ok(failure) if answer.failures.iter().any(|f| same(f, &failure)) => {
                    // Blocking a check twice means the prover ignores it.
                    answer.end = End::Unknown(UnknownReason::Garbage(
                        "a failing path that was excluded".to_owned(),
                    ));
                    return false;
                }
                Ok(failure) => {
                    debug_assert!(failure.check < question.checks, "a check of the question");
                    debug_assert!(
                        failure.path.first() == Some(&0)
                            && failure.path.iter().all(|&block| block < question.blocks),
                        "a failing path starts at the entry and stays in the question"
                    );
                    exclude(prover, &failure, question.every_path);
                    answer.failures.push(failure);
                }
                Err(reason) => {
                    answer.end = End::Unknown(reason);
                    return false;
                }
            }
            if !question.every_path && answer.failures.len() >= question.checks {
                return false;
            }
            let limit = question.error_limit;
            if limit != 0 && answer.failures.len() >= limit {
                answer.end = End::ErrorLimit;
                return false;
            }
        }
    }

    /// A prover that knows its options and all declarations, ready for the formula.
    fn prepare(
        &mut self,
        attempt: Attempt,
        question: &Question,
        resources: u64,
    ) -> Result<&mut Prover, PipeError> {
        let told = match attempt {
            Attempt::Supported(_) => crate::second::told(&question.foundation),
            _ => None,
        };
        let foundation = told.as_deref().unwrap_or(&question.foundation);
        let share = attempt == Attempt::Shared;
        let running = self.prover.is_some();
        let prover = match &mut self.prover {
            Some(prover) => prover,
            empty => {
                let prover = empty.insert(Prover::start(&self.config)?);
                prover.count_resources(self.counts);
                prover
            }
        };
        let shared = self.shared.take();
        let shared = shared.filter(|old| datatypes(old).eq(datatypes(foundation)));
        if share && running && shared.as_deref() == Some(foundation) {
            prover.send("(pop 1)");
        } else if share && running && shared.is_some() {
            prover.send("(pop 2)\n(push 1)");
            prover.send(foundation);
        } else {
            if running {
                prover.send("(reset)");
                prover.limits_were_reset();
            }
            prover.send(&options_text(self.config.kind, attempt, &self.manner));
            // Before all assertions: the limit of an earlier question would stay in force otherwise.
            if self.config.kind == ProverKind::Z3 {
                prover.set_resources(resources);
            }
            if share {
                prover.send("(push 1)");
            }
            prover.send(foundation);
        }
        if share {
            prover.send("(push 1)");
            self.shared = Some(foundation.to_owned());
        }
        // Proofs are found more reliably with nothing but the formula in a scope.
        prover.send(&question.declarations);
        if attempt.is_scoped() && !share {
            prover.send("(push 1)");
        }
        debug_assert_eq!(
            share,
            self.shared.is_some(),
            "a foundation stays only if it was shared"
        );
        debug_assert!(
            !share || told.is_none(),
            "what is told for once is not shared"
        );
        Ok(prover)
    }
}

/// The declarations of datatypes. In a scope Z3 takes those of a scope that was left for those of the same name declared
/// now, and proves what is false.
fn datatypes(foundation: &str) -> impl Iterator<Item = &str> {
    let lines = foundation.lines();
    lines.filter(|line| line.starts_with("(declare-datatypes"))
}

/// Rules a failure out, on any path or on this one, so that the next one is found.
fn exclude(prover: &mut Prover, failure: &Failure, only_this_path: bool) {
    debug_assert!(
        !failure.path.is_empty(),
        "without a path nothing would be excluded"
    );
    let (number, block) = (failure.check + 1, failure.path.last().map_or(0, |b| b + 1));
    let last = format!("(= (ControlFlow 0 {block}) (- {number}))");
    if !only_this_path {
        return prover.send(&format!("(assert (not {last}))"));
    }
    let steps = failure.path.windows(2).map(|step| {
        let [from, to] = [step[0] + 1, step[1] + 1];
        format!("(= (ControlFlow 0 {from}) {to}) ")
    });
    let steps: String = steps.collect();
    prover.send(&format!("(assert (not (and {steps}{last})))"));
}

fn because(error: PipeError) -> UnknownReason {
    match error {
        PipeError::TimedOut => UnknownReason::TimeOut,
        PipeError::Cancelled => UnknownReason::Cancelled,
        PipeError::Garbage(text) => UnknownReason::Garbage(text),
        other => UnknownReason::Crashed(other.to_string()),
    }
}

/// Whether Z3 says this when it reached its limit of resources: it may have no model to show, or not even begin.
fn is_interrupted(text: &str) -> bool {
    let words = [
        "model is not available",
        "resource limit exceeded",
        "push canceled",
    ];
    words.iter().any(|words| text.contains(words))
}

/// Follows `ControlFlow` from the entry to the failing check.
fn read_failure(
    prover: &mut Prover,
    question: &Question,
    budget: &Budget,
) -> Result<Failure, PipeError> {
    let terms: Vec<String> = (1..=question.blocks)
        .map(|block| format!("(ControlFlow 0 {block})"))
        .collect();
    let values = prover.values(&terms, budget)?;
    debug_assert_eq!(values.len(), question.blocks, "a value for every block");
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
                return Ok(Failure {
                    check: (-value) as usize - 1,
                    path,
                    model,
                    is_certain: false,
                });
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
