//! Several provers at work on a list of questions; answers come back in the order of the questions.

use crate::prove::{Answer, End, Inquiry, Manner, Question, Reply, Worker};
use crate::setup::Setup;
use crate::takeover::Ticket;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use stet_base::{Budget, Stopwatch};
use stet_solve::pipe::UnknownReason;

/// Provers kept running from one run to the next.
#[derive(Default)]
pub(crate) struct Provers {
    idle: Mutex<Vec<Worker>>,
}

impl std::fmt::Debug for Provers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Provers")
    }
}

impl Provers {
    /// Ends all of them.
    pub(crate) fn stop(&self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.clear();
    }

    /// Does something with a worker: one that is idle, or a new one.
    fn with<R>(&self, setup: &Setup, work: impl FnOnce(&mut Worker) -> R) -> R {
        let manner = Manner {
            extra: setup.prover_options.clone(),
            version: setup.identity.numbers(),
        };
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = idle.iter().position(|w| w.speaks(&setup.prover, &manner));
            fits.map(|number| idle.swap_remove(number))
        };
        let mut worker = idle.unwrap_or_else(|| Worker::new(setup.prover.clone(), manner));
        worker.count_resources(setup.count_resources);
        let result = work(&mut worker);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(worker);
        result
    }
}

/// What a reply took.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Effort {
    pub(crate) time: Duration,
    /// How long the prover had the processor, as far as the system tells.
    pub(crate) processor: Duration,
    /// In the prover's units; none if they are not counted.
    pub(crate) resources: u64,
}

/// Asks one question.
pub(crate) fn ask(question: &Question, setup: &Setup, budget: &Budget) -> Answer {
    setup.provers.with(setup, |w| w.ask(question, budget))
}

/// Makes all inquiries with up to [`jobs`](crate::Options::jobs) provers and calls `on_reply` in order, as soon as possible.
pub(crate) fn ask_all(
    inquiries: &[Inquiry],
    setup: &Setup,
    budget: &Budget,
    ticket: &Ticket,
    on_reply: &mut dyn FnMut(Reply, Effort),
) {
    let provers = &setup.provers;
    if setup.jobs <= 1 || inquiries.len() <= 1 {
        if inquiries.is_empty() {
            return;
        }
        return provers.with(setup, |worker| {
            for inquiry in inquiries {
                let (reply, effort) = ask_one(worker, inquiry, budget, ticket);
                on_reply(reply, effort);
            }
        });
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..setup.jobs.min(inquiries.len()) {
            let (next, sender) = (&next, sender.clone());
            let work = move |worker: &mut Worker| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(inquiry) = inquiries.get(i) else {
                        return;
                    };
                    let reply = ask_one(worker, inquiry, budget, ticket);
                    if sender.send((i, reply)).is_err() {
                        return;
                    }
                }
            };
            scope.spawn(move || provers.with(setup, work));
        }
        drop(sender);
        let mut waiting: Vec<Option<(Reply, Effort)>> = inquiries.iter().map(|_| None).collect();
        let mut done = 0;
        while done < inquiries.len() {
            let Ok((i, reply)) = receiver.recv() else {
                break;
            };
            debug_assert!(
                i >= done && waiting[i].is_none(),
                "an inquiry is answered once"
            );
            waiting[i] = Some(reply);
            while let Some((reply, effort)) = waiting.get_mut(done).and_then(Option::take) {
                on_reply(reply, effort);
                done += 1;
            }
        }
    });
}

/// A reply, and what it took.
fn ask_one(
    worker: &mut Worker,
    inquiry: &Inquiry,
    budget: &Budget,
    ticket: &Ticket,
) -> (Reply, Effort) {
    let Some(budget) = ticket.permit(inquiry.obligation, budget) else {
        let answer = Answer {
            failures: Vec::new(),
            end: End::Unknown(UnknownReason::Cancelled),
        };
        let reply = Reply {
            answer,
            is_instead: false,
        };
        return (reply, Effort::default());
    };
    let clock = Stopwatch::start();
    let reply = worker.inquire(inquiry, &budget);
    let effort = Effort {
        time: clock.elapsed(),
        processor: worker.take_processor_time(),
        resources: worker.take_spent(),
    };
    (reply, effort)
}
