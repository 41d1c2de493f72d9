//! Several provers at work on a list of questions; answers come back in the order of the questions.

use crate::prove::{Answer, End, Inquiry, Manner, Reply, Worker};
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

/// Makes all inquiries with up to `jobs` provers and calls `on_reply` in order, as soon as possible.
pub(crate) fn ask_all(
    inquiries: &[Inquiry],
    jobs: usize,
    config: &ProverConfig,
    manner: &Manner,
    budget: &Budget,
    kept: Option<&Provers>,
    on_reply: &mut dyn FnMut(usize, Reply),
) {
    if jobs <= 1 || inquiries.len() <= 1 {
        if inquiries.is_empty() {
            return;
        }
        let mut worker = kept
            .and_then(Provers::take)
            .unwrap_or_else(|| Worker::new(config.clone(), manner.clone()));
        for (i, inquiry) in inquiries.iter().enumerate() {
            on_reply(i, ask_one(&mut worker, inquiry, budget));
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
        for _ in 0..jobs.min(inquiries.len()) {
            let sender = match sender.lock() {
                Ok(sender) => sender.clone(),
                Err(poisoned) => poisoned.into_inner().clone(),
            };
            let next = &next;
            scope.spawn(move || {
                let mut worker = Worker::new(config.clone(), manner.clone());
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(inquiry) = inquiries.get(i) else {
                        return;
                    };
                    let reply = ask_one(&mut worker, inquiry, budget);
                    if sender.send((i, reply)).is_err() {
                        return;
                    }
                }
            });
        }
        let mut waiting: Vec<Option<Reply>> = inquiries.iter().map(|_| None).collect();
        let mut done = 0;
        while done < inquiries.len() {
            let Ok((i, reply)) = receiver.recv() else {
                break;
            };
            waiting[i] = Some(reply);
            while let Some(reply) = waiting.get_mut(done).and_then(Option::take) {
                on_reply(done, reply);
                done += 1;
            }
        }
    });
}

fn ask_one(worker: &mut Worker, inquiry: &Inquiry, budget: &Budget) -> Reply {
    if budget.is_cancelled() {
        let answer = Answer {
            failures: Vec::new(),
            end: End::Unknown(UnknownReason::Cancelled),
        };
        return Reply {
            answer,
            is_instead: false,
        };
    }
    worker.inquire(inquiry, budget)
}
