//! Several provers at work on a list of questions; answers come back in the order of the questions.

use crate::prove::{Answer, End, Manner, Question, Worker};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use stet_base::Budget;
use stet_solve::pipe::{ProverConfig, UnknownReason};

/// Provers kept running from one run to the next, by one owner thread.
#[derive(Default)]
pub struct Provers {
    idle: Mutex<Vec<Worker>>,
}

impl std::fmt::Debug for Provers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Provers")
    }
}

impl Provers {
    /// Ends all of them.
    pub fn stop(&self) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
    }

    fn take(&self) -> Option<Worker> {
        self.idle.lock().ok()?.pop()
    }

    fn give(&self, worker: Worker) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(worker);
        }
    }
}

/// Asks all questions with up to `jobs` provers and calls `on_answer` in order, as soon as possible.
pub(crate) fn ask_all(
    questions: &[Question],
    jobs: usize,
    config: &ProverConfig,
    manner: &Manner,
    budget: &Budget,
    kept: Option<&Provers>,
    on_answer: &mut dyn FnMut(usize, Answer),
) {
    if jobs <= 1 || questions.len() <= 1 {
        if questions.is_empty() {
            return;
        }
        let mut worker = kept
            .and_then(Provers::take)
            .unwrap_or_else(|| Worker::new(config.clone(), manner.clone()));
        for (i, question) in questions.iter().enumerate() {
            on_answer(i, ask_one(&mut worker, question, budget));
        }
        if let Some(kept) = kept {
            kept.give(worker);
        }
        return;
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(questions.len()) {
            let sender = match sender.lock() {
                Ok(sender) => sender.clone(),
                Err(poisoned) => poisoned.into_inner().clone(),
            };
            let next = &next;
            scope.spawn(move || {
                let mut worker = Worker::new(config.clone(), manner.clone());
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(question) = questions.get(i) else {
                        return;
                    };
                    let answer = ask_one(&mut worker, question, budget);
                    if sender.send((i, answer)).is_err() {
                        return;
                    }
                }
            });
        }
        let mut waiting: Vec<Option<Answer>> = questions.iter().map(|_| None).collect();
        let mut done = 0;
        while done < questions.len() {
            let Ok((i, answer)) = receiver.recv() else {
                break;
            };
            waiting[i] = Some(answer);
            while let Some(answer) = waiting.get_mut(done).and_then(Option::take) {
                on_answer(done, answer);
                done += 1;
            }
        }
    });
}

fn ask_one(worker: &mut Worker, question: &Question, budget: &Budget) -> Answer {
    if budget.is_cancelled() {
        return Answer {
            failures: Vec::new(),
            end: End::Unknown(UnknownReason::Cancelled),
        };
    }
    worker.ask(question, budget)
}
