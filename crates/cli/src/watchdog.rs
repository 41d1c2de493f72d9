//! The limits hold in every phase: a thread that watches time, memory and interruption.
//!
//! Engines watch the budget and stop with what they have. Where one does not look for a while (a long line, a huge
//! type), the watchdog ends the process after a grace period with the documented exit code, so that no input
//! makes Stet run on. Memory is the resident size of this process; provers have a limit of their own.

use crate::exit::ExitStatus;
use crate::options::Format;
use crate::{catalog, interrupt, output, version};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use stet_base::{Budget, SourceMap};
use stet_diag::{Diagnostic, Report};

static MEMORY_EXCEEDED: AtomicBool = AtomicBool::new(false);

/// How often the watchdog looks.
const PERIOD: Duration = Duration::from_millis(50);
/// Processor time that an engine may take to notice that it should stop, and to say what it has. Not time of the clock: on a busy machine a
/// process waits, and its report would be lost.
const GRACE: Duration = Duration::from_secs(3);
/// As [`GRACE`] for an engine that has noticed: its memory is still to be freed, which takes a while after a large run.
const STOPPING_GRACE: Duration = Duration::from_secs(20);
/// How long that may take by the clock, as a multiple.
const CLOCK: u32 = 5;

static IS_STOPPING: AtomicBool = AtomicBool::new(false);

/// An engine has noticed that it should stop.
pub(crate) fn engine_is_stopping() {
    IS_STOPPING.store(true, Ordering::SeqCst);
}

fn grace() -> Duration {
    match IS_STOPPING.load(Ordering::SeqCst) {
        true => STOPPING_GRACE,
        false => GRACE,
    }
}

/// What is watched.
pub(crate) struct Limits {
    pub(crate) budget: Budget,
    pub(crate) time: Option<Duration>,
    pub(crate) memory: u64,
    pub(crate) command: &'static str,
    pub(crate) format: Format,
}

/// Ends the watch when it is dropped.
#[derive(Debug)]
pub(crate) struct Watch(#[allow(dead_code, reason = "dropping it ends the watch")] Sender<()>);

/// Whether the memory limit was reached.
pub(crate) fn memory_exceeded() -> bool {
    MEMORY_EXCEEDED.load(Ordering::SeqCst)
}

/// What a run that reached the memory limit says.
pub(crate) fn memory_diagnostic(limit: u64) -> Diagnostic {
    let megabytes = limit >> 20;
    Diagnostic::error(
        "limit/memory",
        format!("the memory limit of {megabytes} MiB was reached"),
    )
    .with_note("what was found before is reported; `--memory-limit SIZE` sets another limit")
}

/// Starts to watch. Without a thread to spare there is no watch: engines still look at the budget themselves.
pub(crate) fn start(limits: Limits) -> Watch {
    let (sender, receiver) = channel();
    let _ = std::thread::Builder::new()
        .name("watchdog".to_owned())
        .stack_size(256 << 10)
        .spawn(move || watch(&limits, &receiver));
    Watch(sender)
}

fn watch(limits: &Limits, ended: &Receiver<()>) {
    let start = Instant::now();
    let mut asked: Option<(Instant, Duration, Diagnostic)> = None;
    loop {
        match ended.recv_timeout(PERIOD) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return,
        }
        match &asked {
            None => {
                let why = reason_to_stop(limits, start);
                asked = why.map(|why| (Instant::now(), processor_time(), why));
            }
            Some((since, used, why))
                if processor_time().saturating_sub(*used) > grace()
                    || since.elapsed() > grace() * CLOCK
                    || far_beyond(limits) =>
            {
                end(limits, why.clone());
            }
            Some(_) => {}
        }
    }
}

fn reason_to_stop(limits: &Limits, start: Instant) -> Option<Diagnostic> {
    if resident() > limits.memory {
        MEMORY_EXCEEDED.store(true, Ordering::SeqCst);
        limits.budget.cancel();
        return Some(memory_diagnostic(limits.memory));
    }
    if limits.time.is_some_and(|time| start.elapsed() > time) || interrupt::was_interrupted() {
        let message = "the run was ended before this phase could report what it had";
        return Some(Diagnostic::error("limit/time", message));
    }
    None
}

/// Whether there is no time to wait for an engine: the memory goes on growing.
fn far_beyond(limits: &Limits) -> bool {
    memory_exceeded() && resident() > limits.memory + limits.memory / 4
}

/// Ends the process from outside the engine: the store survives that as it survives a kill.
#[allow(clippy::exit, reason = "no engine answers any more")]
fn end(limits: &Limits, why: Diagnostic) {
    let code = if interrupt::was_interrupted() {
        ExitStatus::Interrupted
    } else {
        ExitStatus::Inconclusive
    }
    .code();
    let sources = SourceMap::new();
    output::error_diagnostic(&sources, &why);
    let report = Report {
        command: limits.command,
        version: version::NUMBER,
        catalog: catalog::CATALOG,
        sources: &sources,
        diagnostics: &[why],
        result: &serde_json::Value::Null,
        statistics: &serde_json::Value::Null,
        exit_code: code,
    };
    if let Some(text) = limits.format.document(&report) {
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), "{text}");
    }
    std::process::exit(code.into());
}

/// The processor time of all threads of this process.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32)
}

/// The resident size of this process in bytes; 0 where the system does not tell. (The file with the sizes in pages would need the size
/// of a page, for which libraries look in places that valgrind does not show.)
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    kibibytes(&status, "VmRSS:") * 1024
}

/// The number in a line of a file of the system, such as `VmRSS:  1234 kB`; 0 if there is none.
fn kibibytes(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or(0)
}

/// Nine tenths of what this process may use: the machine's memory or the limit of its control group.
pub(crate) fn default_memory() -> u64 {
    let machine = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let machine = match kibibytes(&machine, "MemTotal:") {
        0 => u64::MAX,
        kilobytes => kilobytes.saturating_mul(1024),
    };
    let group = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .iter()
    .filter_map(|path| {
        std::fs::read_to_string(path)
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    })
    .min();
    machine.min(group.unwrap_or(u64::MAX)) / 10 * 9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_files_of_the_system() {
        let text = "Name:\tx\nVmRSS:\t  1234 kB\nVmSwap: none\n";
        assert_eq!(kibibytes(text, "VmRSS:"), 1234);
        assert_eq!(kibibytes(text, "VmSwap:"), 0);
        assert_eq!(kibibytes(text, "VmPeak:"), 0);
        assert!(resident() > 1 << 20);
        assert!(default_memory() > resident());
    }
}
