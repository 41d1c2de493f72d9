//! One prover process: a thread writes to it, a thread reads from it, and the owner waits for answers with
//! a limit. What is sent is only queued, so that a prover that stops reading cannot block its owner.
//!
//! A limit of time is kept by the owner, who kills the prover: the prover's own clock would also count the time for which a busy machine
//! lets it wait, and what is proved would depend on what else the machine does. Killing costs a restart of some milliseconds.

use super::sexpr::{Sexpr, Splitter, read};
use super::times::{Times, processor_time};
use super::{PipeError, ProverConfig, ProverKind};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use stet_base::Budget;

/// How often a waiting owner looks at the cancellation flag.
const POLL: Duration = Duration::from_millis(20);
/// An answer that came within this time did not wait for a processor long enough to ask how long.
const SHORT: Duration = Duration::from_millis(1);

/// Why a prover could not decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// The time limit.
    TimeOut,
    /// The resource limit (`rlimit`).
    ResourceOut,
    /// The memory limit.
    MemoryOut,
    /// It gave up with this explanation; a candidate model exists.
    Incomplete(String),
    /// It crashed or closed its output.
    Crashed(String),
    /// It answered something else.
    Garbage(String),
    /// The user asked to stop.
    Cancelled,
}

/// The answer to `check-sat`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckAnswer {
    /// Satisfiable; a model can be asked for.
    Sat,
    Unsat,
    Unknown(UnknownReason),
}

/// A running prover.
pub struct Prover {
    kind: ProverKind,
    child: Child,
    input: Option<Sender<String>>,
    output: Receiver<String>,
    pending: String,
    dead: Option<String>,
    resource_limit: u64,
    times: Times,
    /// Whether the resources of checks are counted, what Z3's own counter said last, and their sum.
    counts: bool,
    counter: u64,
    spent: u64,
    /// How long it had the processor when it was ended.
    processor: Duration,
}

impl Prover {
    /// Starts the process.
    pub fn start(config: &ProverConfig) -> Result<Prover, PipeError> {
        let mut command = config.command();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        die_with_parent(&mut command);
        let mut child = spawn(command).map_err(|error| {
            PipeError::CannotStart(format!("{}: {error}", config.path.display()))
        })?;
        let stdin = child.stdin.take().expect("stdin was piped");
        let stdout = child.stdout.take().expect("stdout was piped");
        let (input, queue) = channel();
        let (answers, output) = channel();
        let log = config.log.as_ref().and_then(|path| {
            let mut options = std::fs::OpenOptions::new();
            options.create(true).append(true).open(path).ok()
        });
        thread::spawn(move || write_all(stdin, &queue, log));
        thread::spawn(move || read_all(stdout, &answers));
        Ok(Prover {
            kind: config.kind,
            child,
            input: Some(input),
            output,
            pending: String::new(),
            dead: None,
            resource_limit: 0,
            times: Times::start(),
            counts: false,
            counter: 0,
            spent: 0,
            processor: Duration::ZERO,
        })
    }

    /// Queues text; nothing is waited for. Errors show up at the next question.
    pub fn send(&mut self, text: &str) {
        self.pending.push_str(text);
        if !text.ends_with('\n') {
            self.pending.push('\n');
        }
        if self.pending.len() > 1 << 16 {
            self.flush();
        }
    }

    /// Whether the process has ended, as far as is known.
    pub fn is_dead(&self) -> bool {
        self.dead.is_some()
    }

    /// To be called after sending `(reset)`: what limits the prover has then depends on the prover.
    pub fn limits_were_reset(&mut self) {
        debug_assert!(
            self.pending.is_empty() || self.pending.ends_with('\n'),
            "commands are whole lines"
        );
        // Z3's limits outlive a reset, and may be set again; cvc5's do not, and its options must be set before all else.
        if self.kind == ProverKind::Cvc5 {
            self.resource_limit = 0;
        }
    }

    /// Whether the resources that checks take are counted, at the cost of one more question after each (Z3 only).
    pub fn count_resources(&mut self, counts: bool) {
        self.counts = counts && self.kind == ProverKind::Z3;
    }

    /// The resources counted since this was last asked.
    pub fn take_spent(&mut self) -> u64 {
        std::mem::take(&mut self.spent)
    }

    /// Adds what the last check took.
    fn count(&mut self, budget: &Budget) {
        if !self.counts || self.is_dead() {
            return;
        }
        let answer = self.ask("(get-info :rlimit)", Some(Duration::from_secs(10)), budget);
        let number = answer.ok().and_then(|answer| {
            let number = answer.items().get(1)?.atom()?;
            number.parse::<u64>().ok()
        });
        if let Some(counter) = number {
            // a reset sets the counter back
            self.spent += counter.checked_sub(self.counter).unwrap_or(counter);
            self.counter = counter;
        }
    }

    /// The process id, for tests and messages.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a command that has exactly one answer and waits for it, as long as the limit says or else the budget.
    pub fn ask(
        &mut self,
        command: &str,
        limit: Option<Duration>,
        budget: &Budget,
    ) -> Result<Sexpr, PipeError> {
        self.send(command);
        self.flush();
        let text = self.wait(limit, budget)?;
        read(&text).ok_or_else(|| PipeError::Garbage(shortened(&text)))
    }

    /// How long it had the processor so far; zero where the system does not tell.
    pub fn processor_time(&self) -> Duration {
        match self.dead {
            Some(_) => self.processor,
            None => processor_time(self.child.id()),
        }
    }

    /// Asks `check-sat`. `resources` is Z3's `rlimit` for this check (0: none). The time is the budget's; what the prover
    /// waited for a processor is excused from it.
    pub fn check_sat(&mut self, resources: u64, budget: &Budget) -> CheckAnswer {
        self.set_resources(resources);
        let answer = self.ask("(check-sat)", None, budget);
        let answer = self.understood(answer, budget);
        self.count(budget);
        answer
    }

    fn understood(&mut self, answer: Result<Sexpr, PipeError>, budget: &Budget) -> CheckAnswer {
        match answer {
            Ok(Sexpr::Atom(text)) if text == "sat" => CheckAnswer::Sat,
            Ok(Sexpr::Atom(text)) if text == "unsat" => CheckAnswer::Unsat,
            Ok(Sexpr::Atom(text)) if text == "unknown" => {
                CheckAnswer::Unknown(self.reason_unknown(budget))
            }
            Ok(Sexpr::Atom(text)) if text == "timeout" => {
                CheckAnswer::Unknown(UnknownReason::TimeOut)
            }
            Ok(other) => self.broken(UnknownReason::Garbage(shortened(&other.to_string()))),
            Err(error) => CheckAnswer::Unknown(unknown_because(error)),
        }
    }

    /// The values of terms in the current model, in order.
    pub fn values(&mut self, terms: &[String], budget: &Budget) -> Result<Vec<Sexpr>, PipeError> {
        let command = format!("(get-value ({}))", terms.join(" "));
        let answer = self.ask(&command, Some(Duration::from_secs(30)), budget)?;
        let pairs = answer.items();
        if pairs.len() != terms.len() || pairs.iter().any(|pair| pair.items().len() != 2) {
            return Err(PipeError::Garbage(shortened(&answer.to_string())));
        }
        Ok(pairs.iter().map(|pair| pair.items()[1].clone()).collect())
    }

    /// The current model, as the prover prints it.
    pub fn model(&mut self, budget: &Budget) -> Result<Sexpr, PipeError> {
        self.ask("(get-model)", Some(Duration::from_secs(60)), budget)
    }

    /// The names of the assertions in the last unsatisfiable core.
    pub fn unsat_core(&mut self, budget: &Budget) -> Result<Vec<String>, PipeError> {
        let answer = self.ask("(get-unsat-core)", Some(Duration::from_secs(30)), budget)?;
        let names = answer.items().iter().map(|item| item.atom());
        names
            .map(|name| name.map(str::to_owned))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| PipeError::Garbage(shortened(&answer.to_string())))
    }

    /// Sets the resources of the checks to come. Z3 takes a limit to heart only if it is set before the first
    /// assertion after a reset: later ones are accepted and ignored.
    pub fn set_resources(&mut self, resources: u64) {
        if resources != self.resource_limit {
            self.resource_limit = resources;
            let name = match self.kind {
                ProverKind::Z3 => "rlimit",
                ProverKind::Cvc5 => "rlimit-per",
            };
            self.send(&format!("(set-option :{name} {resources})"));
        }
    }

    fn reason_unknown(&mut self, budget: &Budget) -> UnknownReason {
        let limit = Some(Duration::from_secs(10));
        match self.ask("(get-info :reason-unknown)", limit, budget) {
            Ok(answer) => {
                let reason = answer.items().get(1).map(Sexpr::to_string);
                classify(reason.unwrap_or_default().trim_matches('"'))
            }
            Err(error) => unknown_because(error),
        }
    }

    /// Declares the process unusable: after a wrong answer nothing it says can be matched to a question.
    fn broken(&mut self, reason: UnknownReason) -> CheckAnswer {
        self.kill("it gave a wrong answer");
        CheckAnswer::Unknown(reason)
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.pending);
        if !text.is_empty()
            && let Some(input) = &self.input
        {
            // A closed queue means the writer has seen the prover die; the next wait reports it.
            let _ = input.send(text);
        }
    }

    fn wait(&mut self, limit: Option<Duration>, budget: &Budget) -> Result<String, PipeError> {
        if let Some(reason) = &self.dead {
            return Err(PipeError::Died(reason.clone()));
        }
        let deadline = limit.map(|limit| Instant::now() + limit);
        let start = Instant::now();
        loop {
            let until = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
            // What has a limit of its own is short, and asks about a check that ended in time.
            let left = match deadline {
                Some(deadline) => Some(until(deadline)),
                None => budget.remaining(),
            };
            let step = left.map_or(POLL, |left| POLL.min(left));
            let answer = self.output.recv_timeout(step);
            if start.elapsed() >= SHORT {
                budget.excuse(self.times.waiting_since_asked(self.child.id()));
            }
            match answer {
                Ok(text) => return Ok(text),
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = self.exit_reason();
                    self.kill(&reason);
                    return Err(PipeError::Died(reason));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if budget.is_cancelled() {
                self.kill("it was interrupted");
                return Err(PipeError::Cancelled);
            }
            let is_over = match deadline {
                Some(deadline) => until(deadline).is_zero(),
                None => budget.check().is_err(),
            };
            if is_over {
                self.kill("it did not answer in time");
                return Err(PipeError::TimedOut);
            }
        }
    }

    fn exit_reason(&mut self) -> String {
        // The output is closed, so the process is about to end if it has not yet.
        for _ in 0..20 {
            match self.child.try_wait() {
                Ok(Some(status)) => return format!("it ended ({status})"),
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                Err(error) => return error.to_string(),
            }
        }
        "it closed its output".to_owned()
    }

    fn kill(&mut self, reason: &str) {
        if self.dead.is_none() {
            self.dead = Some(reason.to_owned());
        }
        self.input = None;
        // Nothing is told of a process that was waited for.
        self.processor = self.processor.max(processor_time(self.child.id()));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Prover {
    fn drop(&mut self) {
        self.kill("it was stopped");
    }
}

fn write_all(mut stdin: ChildStdin, queue: &Receiver<String>, mut log: Option<std::fs::File>) {
    for text in queue {
        if let Some(file) = &mut log {
            // A log that cannot be written is no reason to stop proving.
            let _ = file.write_all(text.as_bytes());
        }
        if stdin.write_all(text.as_bytes()).is_err() || stdin.flush().is_err() {
            return;
        }
    }
}

fn read_all(mut stdout: ChildStdout, answers: &Sender<String>) {
    let mut splitter = Splitter::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let found = match stdout.read(&mut buffer) {
            Ok(0) | Err(_) => {
                if let Some(rest) = splitter.finish() {
                    let _ = answers.send(rest);
                }
                return;
            }
            Ok(length) => splitter.feed(&buffer[..length]),
        };
        for text in found {
            if answers.send(text).is_err() {
                return;
            }
        }
    }
}

fn unknown_because(error: PipeError) -> UnknownReason {
    match error {
        PipeError::TimedOut => UnknownReason::TimeOut,
        PipeError::Cancelled => UnknownReason::Cancelled,
        PipeError::Garbage(text) => UnknownReason::Garbage(text),
        other => UnknownReason::Crashed(other.to_string()),
    }
}

fn classify(reason: &str) -> UnknownReason {
    let lower = reason.to_ascii_lowercase();
    if lower.contains("timeout") || lower.contains("canceled") {
        UnknownReason::TimeOut
    } else if lower.contains("resource") || lower.contains("rlimit") {
        UnknownReason::ResourceOut
    } else if lower.contains("memout") || lower.contains("memory") {
        UnknownReason::MemoryOut
    } else {
        UnknownReason::Incomplete(reason.to_owned())
    }
}

fn shortened(text: &str) -> String {
    const LIMIT: usize = 200;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A process to be started, and where the result goes.
type Start = (Command, Sender<std::io::Result<Child>>);

/// Starts a process from a thread that lives as long as Stet. The kernel ends a prover together with the thread that started
/// it ([`die_with_parent`]), but provers outlive the threads that ask them: they are kept from one run to the next.
fn spawn(command: Command) -> std::io::Result<Child> {
    static STARTER: OnceLock<Option<Mutex<Sender<Start>>>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (sender, requests) = channel::<Start>();
        let work = move || {
            for (mut command, result) in requests {
                // The one who asked may have gone; then the child is dropped, and ends with its input.
                let _ = result.send(command.spawn());
            }
        };
        let named = thread::Builder::new().name("provers".to_owned());
        named.spawn(work).ok().map(|_| Mutex::new(sender))
    });
    let gone = || std::io::Error::other("no thread to start it");
    let (result, receiver) = channel();
    let starter = starter.as_ref().ok_or_else(gone)?;
    let sender = starter.lock().unwrap_or_else(PoisonError::into_inner);
    sender.send((command, result)).map_err(|_| gone())?;
    drop(sender);
    receiver.recv().map_err(|_| gone())?
}

/// Asks the kernel to kill the child when the thread that started it ends, so that a prover in a long
/// check does not outlive a killed Stet.
#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "prctl between fork and exec has no safe interface"
)]
fn die_with_parent(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    unsafe extern "C" {
        fn prctl(option: std::ffi::c_int, ...) -> std::ffi::c_int;
    }
    const PR_SET_PDEATHSIG: std::ffi::c_int = 1;
    const SIGKILL: std::ffi::c_ulong = 9;
    // SAFETY: the closure runs in the forked child and only makes one async-signal-safe system call with
    // constant arguments; it touches no memory of the parent.
    unsafe {
        command.pre_exec(|| {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            Ok(())
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent(_command: &mut Command) {}
