//! An implementation that has to be asked about: its questions, and what the answers to them come to.

use crate::layers::checks::Injected;
use crate::options::Options;
use crate::prove::{Answer, End, Failure, Question, Stage, Worker};
use crate::result::{ImplementationResult, Origin};
use crate::split;
use crate::task::{Prepared, Task};
use crate::vc::Condition;
use std::time::Duration;
use stet_base::{FastMap, always};
use stet_solve::pipe::UnknownReason;

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
    /// An answer with errors of which the prover has no model, while these are asked about alone.
    pub(crate) doubt: Option<Doubt>,
    /// Checks that were asked about alone.
    judged: Vec<Judged>,
    progress: Progress,
    /// How long the prover had the processor in earlier stages of the question.
    pub(crate) before_stage: Duration,
}

/// How far the one question about everything is gone into.
enum Progress {
    /// It was not asked yet, or not in stages.
    Start,
    /// It was asked in the first ways.
    First,
    /// Its checks are to be asked about one by one.
    Pieces(Vec<Question>),
    /// Nothing is left to try.
    Done,
}

/// Errors that are asked about alone.
pub(crate) struct Doubt {
    /// What was found before.
    answer: Answer,
    pub(crate) slices: Vec<Slice>,
}

/// The question about one check alone.
pub(crate) struct Slice {
    check: usize,
    pub(crate) condition: Condition,
    pub(crate) foundation: String,
    /// The answer, once there is one.
    pub(crate) opinion: Option<Answer>,
}

/// A check that was asked about alone and still fails, with the failing path of that question in the numbers of the task.
struct Judged {
    check: usize,
    path: Option<Vec<usize>>,
}

/// Implementations with more checks than this are not asked about check by check.
const PIECES: usize = 250;

/// The time that is left for the last ways of asking, at least.
const LEAST_TIME: Duration = Duration::from_millis(100);

/// How many errors of an implementation are asked about alone.
const DOUBTS: usize = 3;

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

    /// The errors that stand, given the answer to the question without a snapshot, whose condition has these checks, and how
    /// that ended. `None` if nothing is left of an answer that was cut short: what it did not come to is neither proved nor
    /// refuted, so it counts as it is.
    fn standing(&self, fresh: &Answer, checks: &[usize]) -> Option<(Vec<Failure>, End)> {
        let is_complete = self.answer.end == End::Complete;
        let is_proved = |failure: &Failure| {
            let known = self.known.get(&checks[failure.check]);
            !self.fails(failure.check) && (is_complete || known == Some(&Origin::Cached))
        };
        let failures = fresh.failures.iter().filter(|f| !is_proved(f));
        let failures: Vec<Failure> = failures.cloned().collect();
        if fresh.end == End::ErrorLimit && failures.is_empty() {
            return None;
        }
        let found = self.recycled.len() + self.answer.failures.len();
        let end = match &fresh.end {
            End::ErrorLimit if is_complete && failures.len() == found => End::Complete,
            end => end.clone(),
        };
        Some((failures, end))
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

/// How a question ends of whose answers one was lost: nothing is proved.
pub(crate) fn lost(what: &str) -> End {
    End::Unknown(UnknownReason::Incomplete(what.to_owned()))
}

/// The question about everything in a task.
fn whole_question(task: &Task, options: &Options) -> Question {
    Question {
        error_limit: options.error_limit,
        ..task.question(options, task.foundation.text.clone(), &task.condition)
    }
}

/// The question about everything that a task has left, in the time that is left.
fn task_question(task: &Task, options: &Options) -> Question {
    let question = task.question(options, task.foundation.text.clone(), &task.condition);
    let left = |limit: Duration| limit.saturating_sub(task.time).max(LEAST_TIME);
    Question {
        time_limit: question.time_limit.map(left),
        ..question
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
            doubt: None,
            judged: Vec::new(),
            progress: Progress::Start,
            before_stage: Duration::ZERO,
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

    /// Whether the answer is that to one round of questions, and nothing was asked beside it.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.purpose, Purpose::Verdict) && self.judged.is_empty()
    }

    /// Whether there is a question.
    pub(crate) fn is_asked(&self) -> bool {
        !self.parts.is_empty()
    }

    /// What to ask, each with what may be asked instead.
    pub(crate) fn take_questions(&mut self) -> Vec<(Question, Option<Question>)> {
        debug_assert!(
            self.instead.is_none() || self.parts.len() == 1,
            "another question is asked instead of one, not of several"
        );
        let parts = self.parts.iter_mut();
        let questions = parts.filter_map(|part| part.question.take());
        questions.map(|q| (q, self.instead.take())).collect()
    }

    /// How far the next question is gone into.
    pub(crate) fn take_stage(&mut self, options: &Options) -> Stage {
        if self.doubt.is_some() {
            return Stage::Doubt;
        }
        match std::mem::replace(&mut self.progress, Progress::Done) {
            Progress::Start if self.comes_in_stages(options) => {
                self.progress = Progress::First;
                Stage::First
            }
            Progress::Pieces(pieces) => Stage::Pieces(pieces),
            Progress::Start | Progress::First | Progress::Done => Stage::Whole,
        }
    }

    /// Whether there is one question, about the task's own condition, that can be asked in several ways and in pieces.
    fn comes_in_stages(&self, options: &Options) -> bool {
        let is_own = !self.is_injected && self.instead.is_none();
        let limit = u64::from(self.task.is_limited());
        let checks = match &self.parts[..] {
            [part] if part.condition.is_none() => part.checks,
            _ => 0,
        };
        is_own && (2..=PIECES).contains(&checks) && Worker::doubts(options.prover.kind, limit)
    }

    /// Whether the first ways of asking left a question undecided.
    pub(crate) fn goes_on(&self, answer: &Answer) -> bool {
        let is_limit = matches!(
            answer.end,
            End::Unknown(UnknownReason::TimeOut | UnknownReason::ResourceOut)
        );
        is_limit && matches!(self.progress, Progress::First)
    }

    /// The same question again: its checks one by one, which can be easier than all of them together, then in the ways that are
    /// left, in the time that is left.
    pub(crate) fn in_pieces(
        mut self,
        answer: &Answer,
        prepared: &mut Prepared,
        options: &Options,
    ) -> Open {
        debug_assert!(
            matches!(self.progress, Progress::First),
            "stages come in order"
        );
        debug_assert!(
            self.doubt.is_none() && !self.is_injected,
            "a question of its own is asked in stages"
        );
        self.before_stage = self.task.processor;
        let rest = task_question(&self.task, options);
        self.parts = vec![Part::new(rest, None)];
        let has_failures = !answer.failures.is_empty() || !self.task.recycled.is_empty();
        let pieces = match has_failures {
            true => None,
            false => self.pieces(prepared, options),
        };
        self.progress = Progress::Pieces(pieces.unwrap_or_default());
        self
    }

    /// The questions about single checks; nothing if there is none for some check.
    fn pieces(&self, prepared: &mut Prepared, options: &Options) -> Option<Vec<Question>> {
        let checks = self.task.condition.checks.iter();
        let open = checks.filter(|check| !self.task.settled.contains(check));
        open.map(|&check| {
            let slice = self.slice(check, prepared)?;
            Some(self.alone(&slice, options))
        })
        .collect()
    }

    /// The answer in the numbers of the task, from those to its parts.
    pub(crate) fn merge(&mut self, answers: Vec<Answer>) -> Answer {
        let mut whole = Answer {
            failures: Vec::new(),
            end: End::Complete,
        };
        // A part without an answer must not count as proved.
        if !always!(
            answers.len() == self.parts.len(),
            "every part of a question is answered"
        ) {
            whole.end = lost("an answer to a part of the question was lost");
            return whole;
        }
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
        self.retrace(&mut whole);
        // The limit holds for each part, as in Boogie.
        whole
    }

    /// Whether errors have to be confirmed by the implementation's own question, asked afresh: a snapshot helped to find
    /// them, and the prover has no model of some of them, which are not asked about alone, or there may be more of them than are to
    /// be shown.
    pub(crate) fn needs_confirmation(&self, answer: &Answer, options: &Options) -> bool {
        let found = self.task.recycled.len() + answer.failures.len();
        let is_limited = options.error_limit != 0 && found >= options.error_limit;
        let suspects = self.suspects(answer).len();
        let is_doubted = self.may_doubt(answer, options) && suspects <= DOUBTS;
        self.is_injected && (is_limited || suspects > 0 && !is_doubted)
    }

    /// Checks that are said to fail without a model, in the order they were found.
    fn suspects(&self, answer: &Answer) -> Vec<usize> {
        let mut found = Vec::new();
        for failure in self.task.recycled.iter().chain(&answer.failures) {
            debug_assert!(
                failure.check < self.task.condition.checks.len(),
                "failures are in the numbers of the task"
            );
            let check = self.task.condition.checks[failure.check];
            let is_judged = self.judged.iter().any(|judged| judged.check == check);
            if !failure.is_certain && !is_judged && !found.contains(&check) {
                found.push(check);
            }
        }
        found
    }

    fn may_doubt(&self, answer: &Answer, options: &Options) -> bool {
        let is_cut_short = matches!(answer.end, End::Unknown(_));
        let limit = u64::from(self.task.is_limited());
        !is_cut_short && Worker::doubts(options.prover.kind, limit)
    }

    /// The checks of an answer that are to be asked about alone.
    pub(crate) fn doubtful(&self, answer: &Answer, options: &Options) -> Vec<usize> {
        let mut found = self.suspects(answer);
        let settled = self.task.settled.len();
        let left = DOUBTS.saturating_sub(self.judged.len() + settled);
        found.truncate(if self.may_doubt(answer, options) {
            left
        } else {
            0
        });
        found
    }

    /// Makes questions about single checks of an answer.
    pub(crate) fn doubt(&mut self, answer: Answer, checks: &[usize], prepared: &mut Prepared) {
        debug_assert!(self.doubt.is_none(), "one doubt is settled before the next");
        let slice = |&check: &usize| self.slice(check, prepared);
        let slices: Vec<Slice> = checks.iter().filter_map(slice).collect();
        let is_sliced = |check: &usize| slices.iter().any(|slice| slice.check == *check);
        let others = checks.iter().filter(|check| !is_sliced(check));
        let others = others.map(|&check| Judged { check, path: None });
        self.judged.extend(others);
        self.doubt = Some(Doubt { answer, slices });
    }

    /// Makes the questions about single checks that are still open what is asked.
    pub(crate) fn ask_doubts(&mut self, options: &Options) {
        let slices = self.doubt.iter().flat_map(|doubt| &doubt.slices);
        let open = slices.filter(|slice| slice.opinion.is_none());
        self.parts = open
            .map(|slice| Part::new(self.alone(slice, options), None))
            .collect();
        debug_assert!(
            self.parts.iter().all(|part| part.checks <= 1),
            "a doubt is about one check"
        );
        self.instead = None;
    }

    /// One check with nothing but what can come before it.
    fn slice(&self, check: usize, prepared: &mut Prepared) -> Option<Slice> {
        let body = split::slice(&self.task.body, check)?;
        let condition = prepared.condition(self.task.imp, &body).ok()?;
        let foundation = prepared.foundation(&condition);
        let is_usable = foundation.unsupported.is_none();
        is_usable.then_some(Slice {
            check,
            condition,
            foundation: foundation.text,
            opinion: None,
        })
    }

    /// The question about one check alone.
    fn alone(&self, slice: &Slice, options: &Options) -> Question {
        let foundation = slice.foundation.clone();
        Question {
            error_limit: 1,
            want_model: false,
            every_path: false,
            ..self.task.question(options, foundation, &slice.condition)
        }
    }

    /// What is left of an answer after its errors were asked about alone; whether errors that were not looked for are to be
    /// looked for now.
    pub(crate) fn judge(&mut self, options: &Options) -> Option<(Answer, bool)> {
        let Doubt { mut answer, slices } = self.doubt.take()?;
        let mut settled = Vec::new();
        for slice in slices {
            let Some(opinion) = slice.opinion else {
                continue;
            };
            let is_proof = opinion.failures.is_empty() && opinion.end == End::Complete;
            if let End::Unknown(reason) = &opinion.end {
                answer.end = End::Unknown(reason.clone());
            }
            if is_proof {
                settled.push(slice.check);
                continue;
            }
            let told = self.task.translate(&slice.condition, opinion);
            let path = told.failures.into_iter().next().map(|f| f.path);
            self.judged.push(Judged {
                check: slice.check,
                // A model goes with the path it was found with.
                path: path.filter(|_| !options.want_models && !options.every_path),
            });
        }
        let Task {
            condition,
            recycled,
            ..
        } = &mut self.task;
        let stays = |failure: &Failure| !settled.contains(&condition.checks[failure.check]);
        answer.failures.retain(stays);
        recycled.retain(stays);
        let is_cut = !settled.is_empty() && answer.end == End::ErrorLimit;
        self.task.settled.extend(settled);
        // A path of the implementation's own question, whatever question the error was found with.
        self.retrace(&mut answer);
        Some((answer, is_cut))
    }

    /// Gives errors the paths of the questions about them alone.
    fn retrace(&mut self, answer: &mut Answer) {
        let Task {
            condition,
            recycled,
            ..
        } = &mut self.task;
        for failure in answer.failures.iter_mut().chain(recycled) {
            let check = condition.checks[failure.check];
            let judged = self.judged.iter().find(|judged| judged.check == check);
            if let Some(path) = judged.and_then(|judged| judged.path.clone()) {
                failure.path = path;
            }
        }
    }

    /// Asks once more for what an answer that was cut short did not tell.
    pub(crate) fn again(self, prepared: &mut Prepared, options: &Options) -> Open {
        let mut open = Open::new(self.task, None, prepared, options);
        open.purpose = self.purpose;
        open.judged = self.judged;
        open
    }

    /// The implementation's own question, to confirm the errors in an answer.
    pub(crate) fn confirming(
        mut self,
        answer: Answer,
        prepared: &mut Prepared,
        options: &Options,
    ) -> Open {
        debug_assert!(
            self.is_injected,
            "only what a snapshot helped to find is confirmed"
        );
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
        debug_assert!(
            task.is_own(),
            "the confirming question relies on no snapshot"
        );
        let Some((failures, end)) = reused.standing(&fresh, &task.condition.checks) else {
            return fresh;
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

#[cfg(test)]
mod tests {
    use super::Reused;
    use crate::prove::{Answer, End, Failure};
    use crate::result::Origin;

    fn answer(failing: &[usize], end: End) -> Answer {
        let failure = |&check: &usize| Failure {
            check,
            path: vec![0],
            model: None,
            is_certain: false,
        };
        Answer {
            failures: failing.iter().map(failure).collect(),
            end,
        }
    }

    /// A snapshot helped to prove check 0 and to find that check 1 fails.
    fn reused(end: End) -> Reused {
        Reused {
            known: [(0, Origin::Cached)].into_iter().collect(),
            recycled: Vec::new(),
            answer: answer(&[1], end),
        }
    }

    #[test]
    fn errors_stand_if_the_own_question_has_them() {
        let fresh = answer(&[0, 1], End::Complete);
        let standing = reused(End::Complete).standing(&fresh, &[0, 1]);
        assert_eq!(
            standing,
            Some((answer(&[1], End::Complete).failures, End::Complete))
        );
    }

    #[test]
    fn nothing_is_proved_by_a_search_that_was_cut_short() {
        // The own question stopped at an error that is proved to be none: check 1 was not come to.
        let fresh = answer(&[0], End::ErrorLimit);
        for end in [End::Complete, End::ErrorLimit] {
            assert_eq!(reused(end).standing(&fresh, &[0, 1]), None);
        }
    }
}
