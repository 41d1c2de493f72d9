//! How long work may go on: a deadline and a cancellation flag, checked by every loop a user's input
//! can make long.
//!
//! Clones share the flag, so cancelling one cancels all; [`Budget::limited_to`] makes a tighter deadline
//! for a part of the work, [`Budget::child`] a flag for a part that can be cancelled alone. This is the one place below the command line that reads the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
            flag: self.flag.clone(),
            deadline,
        }
    }

    /// The same deadline with a flag that can be set alone, and is set with this one.
    pub fn child(&self) -> Self {
        Budget {
            flag: Arc::new(Flag {
                cancelled: AtomicBool::new(false),
                whole: Some(self.flag.clone()),
            }),
            deadline: self.deadline,
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

    /// The time left, if there is a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
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
    fn a_part_is_cancelled_alone_or_with_the_whole() {
        let whole = Budget::unlimited();
        let (one, other) = (whole.child(), whole.child());
        one.cancel();
        assert!(one.is_cancelled() && !other.is_cancelled() && !whole.is_cancelled());
        whole.limited_to(Duration::from_secs(9)).cancel();
        assert!(other.is_cancelled());
    }
}
