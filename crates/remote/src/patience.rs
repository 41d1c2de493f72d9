//! How long a run waits for a shared store: the circuit breaker.
//!
//! A look-up waits while something happens (bytes come in, answers arrive). When nothing happened for
//! [`Patience::stall`], or a server failed, the breaker opens: the store is not asked again in this run, and, by a
//! small file beside the local store, not by the runs of the next minute. Waits that ended without a verdict are
//! added up; beyond a limit single look-ups are no longer made. So a slow or dead server costs a run at most
//! [`Patience::limit`] once, and nothing for the runs after it.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use stet_key::Digest;

/// How long the next runs leave a failed server alone.
const PAUSE: Duration = Duration::from_secs(60);

/// The limits of one run.
#[derive(Clone, Debug)]
pub(crate) struct Patience {
    /// Nothing may happen for this long.
    pub(crate) stall: Duration,
    /// Remembers a failure for the next runs.
    pause_file: Option<PathBuf>,
    /// Which server is meant in the file.
    server: Digest,
}

impl Patience {
    pub(crate) fn new(stall: Duration, pause_file: Option<PathBuf>, server: &str) -> Self {
        Patience {
            stall,
            pause_file,
            server: Digest::of_bytes(server.as_bytes()),
        }
    }

    /// The longest single wait, however much happens.
    pub(crate) fn limit(&self) -> Duration {
        self.stall * 8
    }

    /// More waiting in vain than this ends single look-ups.
    pub(crate) fn waste_limit(&self) -> Duration {
        self.stall * 2
    }

    /// Seconds for which an earlier run asked to leave this server alone.
    pub(crate) fn paused(&self) -> Option<u64> {
        let text = std::fs::read_to_string(self.pause_file.as_ref()?).ok()?;
        let (until, server) = text.trim().split_once(' ')?;
        if server != self.server.to_hex() {
            return None;
        }
        // A clock that was set back must not pause for ever.
        let left = until.parse::<u64>().ok()?.checked_sub(now())?;
        (1..=PAUSE.as_secs()).contains(&left).then_some(left)
    }

    /// Asks the next runs to leave this server alone for a while.
    pub(crate) fn pause(&self) {
        if let Some(file) = &self.pause_file {
            let until = now() + PAUSE.as_secs();
            // Without the file each run finds out for itself.
            let _ = std::fs::write(file, format!("{until} {}\n", self.server.to_hex()));
        }
    }

    /// The server works again.
    pub(crate) fn resume(&self) {
        if let Some(file) = &self.pause_file {
            let _ = std::fs::remove_file(file);
        }
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_for_one_server_and_ends() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pause");
        let patience = |server| Patience::new(Duration::from_millis(1), Some(file.clone()), server);
        assert_eq!(patience("a").paused(), None);
        patience("a").pause();
        assert!(patience("a").paused().is_some_and(|left| left <= 60));
        assert_eq!(patience("b").paused(), None);
        patience("a").resume();
        assert_eq!(patience("a").paused(), None);
        for text in ["", "x", "99999999999999 y", "1 2 3"] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(patience("a").paused(), None);
        }
    }
}
