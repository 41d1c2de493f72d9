//! Calls of functions that the program does not define and no library has as IR: what the engine asks of a native process, and what
//! the process answers.
//!
//! The engine does not start processes; whoever configures an exploration hands it an [`Externals`]. A process is a snapshot: a call
//! leaves it as it is and gives a new one, so states that fork after a call share what the function left behind, and one path never
//! sees what the calls of another did.

use std::fmt;
use std::rc::Rc;

/// Which external functions are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExternalPolicy {
    /// None: the path ends at the call.
    #[default]
    Refuse,
    /// Those whose arguments, and the memory these reach, are concrete.
    Concrete,
    /// All; what is symbolic is fixed to one value.
    All,
    /// None, but the path goes on: the result and the memory that the arguments reach may be anything.
    OverApproximate,
}

/// Which native calls are told as they happen, in KLEE's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ExternalWarnings {
    #[default]
    Never,
    /// The first of each function.
    Once,
    Always,
}

/// How a value is passed to a native function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeType {
    Void,
    Int {
        bytes: u8,
        is_signed: bool,
    },
    Pointer,
    Float,
    Double,
    /// The 80 bits of the x87.
    LongDouble,
    Struct(Vec<NativeType>),
    /// Bytes on the stack.
    Memory {
        size: u64,
        align: u64,
    },
}

/// What is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeFunction {
    Named(String),
    /// A function of the native process, which another one returned.
    At(u64),
}

/// Memory of the explored program that a call can reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeRegion {
    pub base: u64,
    pub bytes: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeCall {
    pub function: NativeFunction,
    /// The arguments' types and bytes.
    pub args: Vec<(NativeType, Vec<u8>)>,
    pub result: NativeType,
    pub regions: Vec<NativeRegion>,
}

/// What a call did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NativeReply {
    pub result: Vec<u8>,
    /// The regions of the call, with their bytes afterwards.
    pub regions: Vec<Vec<u8>>,
    /// What it wrote to the standard output and error streams.
    pub output: Vec<u8>,
}

/// A mapping of the native process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeMapping {
    pub base: u64,
    pub bytes: Vec<u8>,
    pub is_writable: bool,
    pub is_code: bool,
}

/// Why a call has no reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeFailure {
    /// No library that was loaded has the function.
    NotFound,
    /// It was killed by a signal.
    Killed(i32),
    /// It ended the process.
    Exited(i32),
    /// It took longer than it may.
    TimedOut,
    /// The process could not be asked.
    Fault(String),
}

impl fmt::Display for NativeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeFailure::NotFound => f.write_str("is in no library that was loaded"),
            NativeFailure::Killed(signal) => {
                write!(f, "was killed by {}", signal_name(*signal))
            }
            NativeFailure::Exited(status) => {
                write!(f, "ended its process with status {status}")
            }
            NativeFailure::TimedOut => f.write_str("took longer than its time limit"),
            NativeFailure::Fault(why) => write!(f, "could not be called: {why}"),
        }
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        14 => "SIGALRM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

/// Starts native processes.
pub trait Externals: fmt::Debug + Send + Sync {
    /// A process in which nothing was called yet.
    fn start(&self) -> Result<Rc<dyn NativeProcess>, String>;
}

/// A process in which calls were made.
pub trait NativeProcess: fmt::Debug {
    /// Makes a call in a copy of the process, which is returned with what the call did.
    fn call(
        &self,
        call: &NativeCall,
    ) -> Result<(Rc<dyn NativeProcess>, NativeReply), NativeFailure>;
    /// The mapping that contains an address.
    fn mapping(&self, address: u64) -> Option<NativeMapping>;
}

/// The external functions of a run.
#[derive(Clone, Debug, Default)]
pub struct ExternalConfig {
    pub policy: ExternalPolicy,
    pub warnings: ExternalWarnings,
    /// Where they are called, if the policy calls any.
    pub externals: Option<std::sync::Arc<dyn Externals>>,
}
