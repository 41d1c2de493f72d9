//! An implementation that has to be asked about: its questions, and what the answers to them come to.

use crate::layers::checks::Injected;
use crate::options::Options;
use crate::prove::{Answer, End, Question};
use crate::result::ImplementationResult;
use crate::split;
use crate::task::{Prepared, Task};
use crate::vc::Condition;

/// An implementation that has to be asked about.
pub(crate) struct Open {
    pub(crate) task: Task,
    /// What is asked, piece by piece.
    parts: Vec<Part>,
    /// The question without what the last snapshot knows: what is left can be harder than the whole.
    instead: Option<Question>,
    /// A reused result that the answer is to be compared with.
    pub(crate) claim: Option<ImplementationResult>,
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
            claim: None,
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

    /// Makes the task's own condition the one that was asked about.
    pub(crate) fn forget_reuse(&mut self) {
        self.task.forget_reuse();
        for part in &mut self.parts {
            part.condition = None;
        }
    }
}
