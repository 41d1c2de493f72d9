//! SMT-LIB provers as separate, long-lived processes.
//!
//! A [`Prover`] is started once, fed text, and asked `check-sat`, values, models and cores. It never blocks
//! the caller longer than the limit it is given: both directions of the pipe have their own thread, and a
//! prover that does not answer in time is killed.
//!
//! ```text
//!   start ──> ready ──send/check──> ready
//!               │ time-out (hard), crash, end of output, cancellation
//!               └──────────────────> dead ──(the owner starts a new one)
//! ```
//!
//! No orphan is left: dropping a prover kills it; on Linux the kernel kills it when its parent dies
//! ([`process`]); elsewhere a prover ends when its input is closed.

mod locate;
mod process;
mod sexpr;
mod times;

pub use locate::{
    ProverConfig, ProverIdentity, ProverKind, executable_digest, executable_stamp, identify,
    locate, running_build,
};
pub use process::{CheckAnswer, Prover, UnknownReason};
pub use sexpr::Sexpr;

/// Why a prover could not be used; always the environment's fault, never the program's.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PipeError {
    /// No executable was found; the text says where was looked.
    NotFound(String),
    /// The executable could not be started.
    CannotStart(String),
    /// The process ended or closed its output.
    Died(String),
    /// It did not answer in time and was killed.
    TimedOut,
    /// The user asked to stop.
    Cancelled,
    /// It answered something that is not SMT-LIB, or an error.
    Garbage(String),
}

impl std::fmt::Display for PipeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PipeError::NotFound(text) => write!(f, "no prover found: {text}"),
            PipeError::CannotStart(text) => write!(f, "the prover cannot be started: {text}"),
            PipeError::Died(text) => write!(f, "the prover died: {text}"),
            PipeError::TimedOut => f.write_str("the prover did not answer in time"),
            PipeError::Cancelled => f.write_str("interrupted"),
            PipeError::Garbage(text) => write!(f, "the prover answered `{text}`"),
        }
    }
}

impl std::error::Error for PipeError {}

#[cfg(test)]
mod tests;
