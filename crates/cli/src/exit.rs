//! Exit codes: one table for all commands.

/// An internal error: a panic, or a cached verdict that `--check-cache` found to be wrong.
pub(crate) const INTERNAL: u8 = 101;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExitStatus {
    Clean,
    /// There are findings.
    Findings,
    /// Wrong usage or unreadable input.
    Usage,
    /// Time-out, unknown, or a verdict that `--cache enforce` did not find.
    Inconclusive,
    /// Stet is broken.
    Internal,
    /// Interrupted by Ctrl-C or a termination signal.
    Interrupted,
    /// The code a compatibility command or `stet run -g` must return.
    Code(u8),
}

impl ExitStatus {
    /// The code for the operating system.
    pub(crate) fn code(self) -> u8 {
        match self {
            ExitStatus::Clean => 0,
            ExitStatus::Findings => 1,
            ExitStatus::Usage => 2,
            ExitStatus::Inconclusive => 3,
            ExitStatus::Internal => INTERNAL,
            ExitStatus::Interrupted => 130,
            ExitStatus::Code(code) => code,
        }
    }
}
