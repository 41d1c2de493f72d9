//! How long work may go on: a deadline and a cancellation flag, checked by every loop a user's input
//! can make long.
//!
//! Clones share the flag, so cancelling one cancels all; [`Budget::limited_to`] makes a tighter deadline
//! for a part of the work, [`Budget::child`] a flag for a part that can be cancelled alone. This is the one place below the command line that reads the clock.
//!
//! [`Budget::limited_to_work`] makes a limit that a busy machine does not shorten: time for which the work had to wait for a processor is
//! excused by whoever sees it wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why work had to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// The deadline has passed.
    Deadline,
    /// Somebody called [`Budget::cancel`], as Ctrl-C does.
    Cancelled,
}

/// A deadline and a shared cancellation flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    flag: Arc<Flag>,
    deadline: Option<Instant>,
    work: Option<Work>,
}

/// A limit that waiting for a processor does not count for.
#[derive(Clone, Debug)]
struct Work {
    /// When it ends if nothing is excused.
    deadline: Instant,
    /// The nanoseconds that were excused.
    excused: Arc<AtomicU64>,
}

impl Work {
    fn remaining(&self) -> Duration {
        let excused = Duration::from_nanos(self.excused.load(Ordering::Relaxed));
        let deadline = self.deadline.checked_add(excused);
        deadline.map_or(Duration::MAX, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        })
    }
}

#[derive(Debug, Default)]
struct Flag {
    cancelled: AtomicBool,
    /// The flag of the work that this is a part of.
    whole: Option<Arc<Flag>>,
}

impl Flag {
    #[inline]
    fn is_set(&self) -> bool {
        let whole = self.whole.as_ref();
        self.cancelled.load(Ordering::Relaxed) || whole.is_some_and(|whole| whole.is_set())
    }
}

impl Budget {
    /// A budget without a deadline.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// The same cancellation flag with a deadline at most `time` from now.
    pub fn limited_to(&self, time: Duration) -> Self {
        let limit = Instant::now().checked_add(time);
        let deadline = match (self.deadline, limit) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Budget {
            deadline,
            ..self.clone()
        }
    }

    /// The same flag and deadline with a limit for this part of the work alone, which [`excuse`](Self::excuse) prolongs. It
    /// takes the place of such a limit of the whole.
    pub fn limited_to_work(&self, time: Duration) -> Self {
        let work = Instant::now().checked_add(time).map(|deadline| Work {
            deadline,
            excused: Arc::default(),
        });
        Budget {
            work,
            ..self.clone()
        }
    }

    /// Does not count this time for the limit of the work: it had to wait for a processor.
    pub fn excuse(&self, time: Duration) {
        if let Some(work) = &self.work {
            let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            work.excused.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }

    /// The same deadline with a flag that can be set alone, and is set with this one.
    pub fn child(&self) -> Self {
        Budget {
            flag: Arc::new(Flag {
                cancelled: AtomicBool::new(false),
                whole: Some(self.flag.clone()),
            }),
            ..self.clone()
        }
    }

    /// Asks everybody who shares this flag to stop.
    pub fn cancel(&self) {
        self.flag.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called; cheap enough for any loop.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.flag.is_set()
    }

    /// The time left, if there is a deadline or a limit of the work.
    pub fn remaining(&self) -> Option<Duration> {
        let by_clock = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let of_work = self.work.as_ref().map(Work::remaining);
        match (by_clock, of_work) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// An error once cancelled or past the deadline. Reads the clock: not for the innermost loops.
    pub fn check(&self) -> Result<(), Exhausted> {
        if self.is_cancelled() {
            return Err(Exhausted::Cancelled);
        }
        match self.remaining() {
            Some(Duration::ZERO) => Err(Exhausted::Deadline),
            _ => Ok(()),
        }
    }
}

/// Measures how long something took, for statistics.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tighter_deadlines_keep_the_flag() {
        let outer = Budget::unlimited();
        let inner = outer.limited_to(Duration::ZERO);
        assert_eq!(outer.check(), Ok(()));
        assert_eq!(inner.check(), Err(Exhausted::Deadline));
        assert_eq!(
            inner.limited_to(Duration::from_secs(9)).check(),
            Err(Exhausted::Deadline)
        );
        inner.cancel();
        assert_eq!(outer.check(), Err(Exhausted::Cancelled));
    }

    #[test]
    fn waiting_is_excused_from_a_limit_of_work_only() {
        let outer = Budget::unlimited().limited_to(Duration::ZERO);
        outer.excuse(Duration::from_secs(9));
        assert_eq!(outer.check(), Err(Exhausted::Deadline));
        let work = Budget::unlimited().limited_to_work(Duration::ZERO);
        assert_eq!(work.check(), Err(Exhausted::Deadline));
        work.clone().excuse(Duration::from_secs(9));
        assert_eq!(work.check(), Ok(()), "clones share what is excused");
        let part = work.limited_to(Duration::ZERO);
        assert_eq!(part.check(), Err(Exhausted::Deadline));
    }

    #[test]
    fn a_part_is_cancelled_alone_or_with_the_whole() {
        let whole = Budget::unlimited();
        let (one, other) = (whole.child(), whole.child());
        one.cancel();
        assert!(one.is_cancelled() && !other.is_cancelled() && !whole.is_cancelled());
        whole.limited_to(Duration::from_secs(9)).cancel();
        assert!(other.is_cancelled());
    }
}
