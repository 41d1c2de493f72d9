//! External functions in processes of their own (`--external-calls`).
//!
//! ```text
//! explorer                                    native processes (this executable, started as `stet __native`)
//!   start ─────────────────────────────────────> P0: loads the libraries, waits
//!   P0.call(f, arguments, memory) ─────────────> P0 copies itself; the copy P1 makes the call, answers, waits
//!   P1.call(g, …) ─────────────────────────────> P1 copies itself: P2
//! ```
//!
//! Every process belongs to the states whose path made exactly its calls; it ends when the last of them is gone, because its connection
//! is closed then. A function that crashes, hangs, exits or takes too much memory ends its copy, and the path with it, and nothing else.
//!
//! * `protocol`: requests and answers as bytes
//! * `explorer`: the explorer's side
//! * `process`: the other side; single-threaded, so it may copy itself
//! * `machine`: system calls, memory and the calls themselves: the only unsafe code

mod explorer;
mod machine;
mod process;
mod protocol;

pub(crate) use explorer::{Limits, NativeLibraries};
pub(crate) use process::run_if_started;
