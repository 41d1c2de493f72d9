//! An implementation that has to be asked about: its questions, and what the answers to them come to.

use crate::layers::checks::Injected;
use crate::options::Options;
use crate::prove::{Answer, End, Failure, Question};
use crate::result::{ImplementationResult, Origin};
use crate::split;
use crate::task::{Prepared, Task};
use crate::vc::Condition;
use stet_base::FastMap;

/// An implementation that has to be asked about.
pub(crate) struct Open {
    pub(crate) task: Task,
    /// What is asked, piece by piece.
    parts: Vec<Part>,
    /// The question without what the last snapshot knows: what is left can be harder than the whole.
    instead: Option<Question>,
    /// Whether what is asked relies on a snapshot.
    is_injected: bool,
    /// What the answer is for.
    pub(crate) purpose: Purpose,
}

/// What an answer is for.
pub(crate) enum Purpose {
    /// It is the verdict.
    Verdict,
    /// It decides which of the errors found with the help of a snapshot are errors of the implementation's own question.
    Confirmation(Reused),
    /// It is compared with a reused result.
    Recheck(Box<ImplementationResult>),
}

/// What was found out with the help of a snapshot.
pub(crate) struct Reused {
    known: FastMap<usize, Origin>,
    recycled: Vec<Failure>,
    answer: Answer,
}

impl Reused {
    fn fails(&self, check: usize) -> bool {
        let mut failures = self.recycled.iter().chain(&self.answer.failures);
        failures.any(|failure| failure.check == check)
    }
}

/// One question of an implementation.
struct Part {
    /// The condition asked, if it is not the task's own.
    condition: Option<Condition>,
    question: Option<Question>,
    /// How many checks the question has.
    checks: usize,
}

impl Part {
    fn new(question: Question, condition: Option<Condition>) -> Part {
        Part {
            condition,
            checks: question.checks,
            question: Some(question),
        }
    }
}

/// The question about everything in a task.
fn whole_question(task: &Task, options: &Options) -> Question {
    Question {
        error_limit: options.error_limit,
        ..task.question(options, task.foundation.text.clone(), &task.condition)
    }
}

impl Open {
    /// The questions of a task: about its condition or the injected one, whole or split.
    pub(crate) fn new(
        task: Task,
        injected: Option<Injected>,
        prepared: &mut Prepared,
        options: &Options,
    ) -> Open {
        let is_injected = injected.is_some();
        let (body, condition, foundation) = match injected {
            Some(i) => (Some(i.body), Some(i.condition), i.foundation),
            None => (None, None, task.foundation.text.clone()),
        };
        let whole = condition.as_ref().unwrap_or(&task.condition);
        let pieces = split::split(body.as_ref().unwrap_or(&task.body), &whole.checks, options);
        let mut parts = Vec::new();
        for piece in &pieces {
            // What the whole needs declared is enough for its parts.
            let Ok(condition) = prepared.condition(task.imp, piece) else {
                parts.clear();
                break;
            };
            let question = task.question(options, foundation.clone(), &condition);
            parts.push(Part::new(question, Some(condition)));
        }
        if parts.is_empty() {
            let question = task.question(options, foundation, whole);
            parts.push(Part::new(question, condition));
        }
        let is_one = || split::split(&task.body, &task.condition.checks, options).is_empty();
        let is_bounded = is_injected && options.edit_effort != 0;
        let may_ask_instead = is_bounded && pieces.is_empty() && is_one();
        let instead = may_ask_instead.then(|| whole_question(&task, options));
        Open {
            task,
            parts,
            instead,
            is_injected,
            purpose: Purpose::Verdict,
        }
    }

    /// The answer, if nothing is left to ask.
    pub(crate) fn without_asking(&self, options: &Options) -> Option<Answer> {
        let is_over = options.error_limit != 0 && self.task.recycled.len() >= options.error_limit;
        let end = if self.parts.iter().all(|part| part.checks == 0) {
            End::Complete
        } else if is_over {
            End::ErrorLimit
        } else {
            return None;
        };
        Some(Answer {
            failures: Vec::new(),
            end,
        })
    }

    /// What to ask, each with what may be asked instead.
    pub(crate) fn take_questions(&mut self) -> Vec<(Question, Option<Question>)> {
        let parts = self.parts.iter_mut();
        let questions = parts.filter_map(|part| part.question.take());
        questions.map(|q| (q, self.instead.take())).collect()
    }

    /// The answer in the numbers of the task, from those to its parts.
    pub(crate) fn merge(&self, answers: Vec<Answer>) -> Answer {
        let mut whole = Answer {
            failures: Vec::new(),
            end: End::Complete,
        };
        for (part, answer) in self.parts.iter().zip(answers) {
            let answer = match &part.condition {
                Some(condition) => self.task.translate(condition, answer),
                None => answer,
            };
            whole.failures.extend(answer.failures);
            if !matches!(whole.end, End::Unknown(_)) && answer.end != End::Complete {
                whole.end = answer.end;
            }
        }
        // The limit holds for each part, as in Boogie.
        whole
    }

    /// Whether errors have to be confirmed by the implementation's own question, asked afresh: a snapshot helped to find
    /// them, and the prover has no model of one of them, or there may be more of them than are to be shown.
    pub(crate) fn needs_confirmation(&self, answer: &Answer, options: &Options) -> bool {
        let mut failures = self.task.recycled.iter().chain(&answer.failures);
        let found = self.task.recycled.len() + answer.failures.len();
        let is_limited = options.error_limit != 0 && found >= options.error_limit;
        self.is_injected && (is_limited || failures.any(|failure| !failure.is_certain))
    }

    /// The implementation's own question, to confirm the errors in an answer.
    pub(crate) fn confirming(
        mut self,
        answer: Answer,
        prepared: &mut Prepared,
        options: &Options,
    ) -> Open {
        let reused = Reused {
            known: std::mem::take(&mut self.task.known),
            recycled: std::mem::take(&mut self.task.recycled),
            answer,
        };
        let mut open = Open::new(self.task, None, prepared, options);
        open.purpose = Purpose::Confirmation(reused);
        open
    }

    /// What remains of what was found with the help of a snapshot, given the answer to the implementation's own question:
    /// proofs stand, whatever question they answer; errors stand if this question has them, too.
    pub(crate) fn confirm(task: &mut Task, reused: Reused, fresh: Answer) -> Answer {
        let Answer { failures, end } = fresh;
        let is_complete = reused.answer.end == End::Complete;
        let checks = &task.condition.checks;
        let is_proved = |failure: &Failure| {
            let known = reused.known.get(&checks[failure.check]);
            !reused.fails(failure.check) && (is_complete || known == Some(&Origin::Cached))
        };
        let failures: Vec<Failure> = failures.into_iter().filter(|f| !is_proved(f)).collect();
        let found = reused.recycled.len() + reused.answer.failures.len();
        let end = match end {
            End::ErrorLimit if is_complete && failures.len() == found => End::Complete,
            end => end,
        };
        let was_recycled = |f: &Failure| reused.recycled.iter().any(|r| r.check == f.check);
        let (recycled, failures) = failures.into_iter().partition(was_recycled);
        task.known = reused.known;
        task.recycled = recycled;
        Answer { failures, end }
    }

    /// Makes the task's own condition the one that was asked about.
    pub(crate) fn forget_reuse(&mut self) {
        self.is_injected = false;
        self.task.forget_reuse();
        for part in &mut self.parts {
            part.condition = None;
        }
    }
}
