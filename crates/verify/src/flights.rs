//! Questions under way, so that an edit stops only what it makes obsolete.
//!
//! A call that takes over from earlier ones about the same subject ([`Options::takes_over`](crate::Options)) first says what it
//! asks. Of the earlier calls' questions, those that it does not ask are cancelled and no new ones are begun; what both ask goes
//! on, and the later call waits for the answer instead of asking again.
//!
//! | an earlier call's question | when a later call has said what it asks |
//! |---|---|
//! | not begun | is not asked |
//! | under way, asked by the later call, too | goes on; its answer is an answer of both calls |
//! | under way, not asked by the later call | is cancelled |
//!
//! Questions are compared by the digest of all that the prover is told, with all limits.

use crate::prove::{Answer, End, Inquiry, Reply};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stet_base::{Budget, FastMap};
use stet_key::{Digest, Encoder};
use stet_solve::pipe::UnknownReason;

/// How often somebody who waits for an answer looks whether it is still wanted.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The questions that calls of an engine have under way.
#[derive(Default)]
pub(crate) struct Flights {
    state: Mutex<State>,
    landed: Condvar,
}

#[derive(Default)]
struct State {
    calls: u64,
    /// The last call about a subject that said what it asks.
    current: FastMap<String, u64>,
    flights: Vec<Flight>,
}

struct Flight {
    subject: String,
    call: u64,
    question: Digest,
    budget: Budget,
    /// Whether a later call waits for the answer.
    is_wanted: bool,
    reply: Option<Reply>,
}

impl std::fmt::Debug for Flights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Flights")
    }
}

impl Flights {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call about a subject begins.
    pub(crate) fn begin(self: &Arc<Self>, subject: &str) -> Ticket {
        let mut state = self.state();
        state.calls += 1;
        Ticket {
            flights: self.clone(),
            subject: subject.to_owned(),
            call: state.calls,
        }
    }
}

/// A call among others about the same subject.
#[derive(Debug)]
pub(crate) struct Ticket {
    flights: Arc<Flights>,
    subject: String,
    call: u64,
}

/// What the prover is told, and how much it may take.
pub(crate) fn digest(inquiry: &Inquiry) -> Digest {
    let mut encoder = Encoder::new();
    let Inquiry {
        question,
        instead,
        is_doubt,
    } = inquiry;
    encoder.bool(*is_doubt);
    let (effort, instead) = instead.as_ref().map_or((0, None), |(e, q)| (*e, Some(q)));
    encoder.u64(effort);
    for question in std::iter::once(question).chain(instead) {
        encoder.str(&question.foundation);
        encoder.str(&question.declarations);
        encoder.str(&question.formula);
        encoder.u64(question.error_limit as u64);
        let limit = question.time_limit.map(|limit| limit.as_millis() as u64);
        encoder.option(limit, Encoder::u64);
        encoder.u64(question.resource_limit);
        encoder.bool(question.every_path);
        encoder.bool(question.want_model);
    }
    encoder.digest_of_all()
}

impl Ticket {
    /// Says what this call asks: earlier calls stop with everything else.
    pub(crate) fn claim(&self, questions: &[Digest]) {
        let mut state = self.flights.state();
        let current = state.current.entry(self.subject.clone()).or_default();
        *current = self.call.max(*current);
        let is_earlier = |f: &Flight| f.subject == self.subject && f.call < self.call;
        for flight in state.flights.iter_mut().filter(|f| is_earlier(f)) {
            flight.is_wanted = questions.contains(&flight.question);
            if !flight.is_wanted {
                flight.budget.cancel();
            }
        }
        state.flights.retain(|f| f.reply.is_none() || f.is_wanted);
    }

    fn is_obsolete(&self, state: &State) -> bool {
        let current = state.current.get(&self.subject);
        current.is_some_and(|&current| current > self.call)
    }

    /// Asks a question with `ask`, unless that is done already, or not wanted any more.
    pub(crate) fn ask(
        &self,
        question: Digest,
        budget: &Budget,
        ask: impl FnOnce(&Budget) -> Reply,
    ) -> Reply {
        let mut state = self.flights.state();
        loop {
            if self.is_obsolete(&state) || budget.is_cancelled() {
                return cancelled();
            }
            let same = |f: &Flight| f.subject == self.subject && f.question == question;
            let Some(number) = state.flights.iter().position(same) else {
                break;
            };
            if let Some(reply) = state.flights[number].reply.take() {
                state.flights.swap_remove(number);
                match reply.answer.end {
                    End::Unknown(_) => break,
                    _ => return reply,
                }
            }
            let waited = self.flights.landed.wait_timeout(state, LOOK_AGAIN);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let own = match budget.remaining() {
            Some(rest) => Budget::unlimited().limited_to(rest),
            None => Budget::unlimited(),
        };
        state.flights.push(Flight {
            subject: self.subject.clone(),
            call: self.call,
            question,
            budget: own.clone(),
            is_wanted: false,
            reply: None,
        });
        drop(state);
        let reply = while_wanted(budget, &own, ask);
        let mut state = self.flights.state();
        let is_own = |f: &Flight| f.call == self.call && f.question == question;
        if let Some(number) = state.flights.iter().position(is_own) {
            if state.flights[number].is_wanted {
                state.flights[number].reply = Some(reply.clone());
            } else {
                state.flights.swap_remove(number);
            }
        }
        drop(state);
        self.flights.landed.notify_all();
        reply
    }
}

/// Asks with a budget of the question's own, which is cancelled with that of the call.
fn while_wanted(call: &Budget, own: &Budget, ask: impl FnOnce(&Budget) -> Reply) -> Reply {
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(LOOK_AGAIN) == Err(RecvTimeoutError::Timeout) {
                if call.is_cancelled() {
                    own.cancel();
                }
            }
        });
        let reply = ask(own);
        drop(done);
        reply
    })
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.flights.state();
        let is_last = !self.is_obsolete(&state);
        if is_last {
            let is_earlier = |f: &Flight| f.subject == self.subject && f.call < self.call;
            state
                .flights
                .retain(|f| f.reply.is_none() || !is_earlier(f));
        }
    }
}

/// The reply to what is not asked any more.
pub(crate) fn cancelled() -> Reply {
    Reply {
        answer: Answer {
            failures: Vec::new(),
            end: End::Unknown(UnknownReason::Cancelled),
        },
        is_instead: false,
    }
}
