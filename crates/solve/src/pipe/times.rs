//! How long a process worked and how long it waited for a processor, as far as the system tells (Linux).

use std::time::{Duration, Instant};

/// How long the main thread of a process had the processor; zero where the system does not tell.
pub(super) fn processor_time(process: u32) -> Duration {
    scheduler_times(process).0
}

/// What was told of a process so far.
pub(super) struct Times {
    at: Instant,
    processor: Duration,
    waited: Duration,
    /// Waiting that was counted before the scheduler told of it.
    ahead: Duration,
}

impl Times {
    pub(super) fn start() -> Times {
        Times {
            at: Instant::now(),
            processor: Duration::ZERO,
            waited: Duration::ZERO,
            ahead: Duration::ZERO,
        }
    }

    /// How long the process waited for a processor since this was last asked. The scheduler tells of a wait when it is over; that of
    /// a process which is ready and got less than all the time is counted before.
    pub(super) fn waiting_since_asked(&mut self, process: u32) -> Duration {
        let (processor, waited) = scheduler_times(process);
        let now = Instant::now();
        let worked = processor.saturating_sub(self.processor);
        let told = waited.saturating_sub(self.waited);
        let passed = now.saturating_duration_since(self.at);
        (self.at, self.processor, self.waited) = (now, processor, waited);
        let is_told = processor + waited > Duration::ZERO;
        if is_told && is_ready(process) {
            let waiting = passed.saturating_sub(worked);
            self.ahead = (self.ahead + waiting).saturating_sub(told);
            return waiting;
        }
        let new = told.saturating_sub(self.ahead);
        self.ahead = self.ahead.saturating_sub(told);
        new
    }
}

/// How long the main thread of a process had the processor and how long it waited for one.
fn scheduler_times(process: u32) -> (Duration, Duration) {
    let told = std::fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap_or_default();
    let mut fields = told.split(' ').map(|field| {
        let nanoseconds = field.trim().parse().unwrap_or(0);
        Duration::from_nanos(nanoseconds)
    });
    (
        fields.next().unwrap_or_default(),
        fields.next().unwrap_or_default(),
    )
}

/// Whether a process has a processor or waits for one, and for nothing else.
fn is_ready(process: u32) -> bool {
    let told = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name is in parentheses and may hold any character.
    told.rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with('R'))
}
