//! The results of an exploration: how paths end, with input, place and call stack; totals; and the receiver of all that.

use crate::profile::Profile;
use crate::query::Statistics;
use std::collections::BTreeMap;

/// The kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorKind {
    /// An access outside of every object, or past the end of its object.
    OutOfBounds,
    /// An access through the null pointer or close to it.
    Null,
    /// An access to an object that is no longer alive.
    UseAfterFree,
    /// `free` of something that was not allocated, or twice.
    Free,
    /// A write to a constant.
    ReadOnly,
    /// Division by zero.
    DivisionByZero,
    /// A shift by at least the width.
    Overshift,
    /// A failed assertion.
    Assertion,
    /// A call of `abort`.
    Abort,
    /// An `unreachable` instruction was reached.
    Unreachable,
    /// The program reported an error itself.
    User,
    /// An overflow or other undefined behaviour found by a sanitizer's checks.
    Sanitizer,
    /// Too many frames.
    StackOverflow,
    /// A call of a function that is defined nowhere.
    Undefined,
    /// Something Stet does not execute: a system call, inline assembly.
    Unsupported,
    /// A panic of a Rust program.
    Panic,
    /// A value that was fixed, where KLEE ends the paths with other values.
    Model,
}

impl ErrorKind {
    /// Whether the path ended for lack of something in Stet or its input, not by a fault of the program.
    pub fn is_unsupported(self) -> bool {
        matches!(
            self,
            ErrorKind::Undefined | ErrorKind::Unsupported | ErrorKind::Model
        )
    }

    /// The stable code of diagnostics.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::OutOfBounds => "explore/out-of-bounds",
            ErrorKind::Null => "explore/null-pointer",
            ErrorKind::UseAfterFree => "explore/use-after-free",
            ErrorKind::Free => "explore/invalid-free",
            ErrorKind::ReadOnly => "explore/read-only",
            ErrorKind::DivisionByZero => "explore/division-by-zero",
            ErrorKind::Overshift => "explore/overshift",
            ErrorKind::Assertion => "explore/assertion",
            ErrorKind::Abort => "explore/abort",
            ErrorKind::Unreachable => "explore/unreachable",
            ErrorKind::User => "explore/user",
            ErrorKind::Sanitizer => "explore/sanitizer",
            ErrorKind::StackOverflow => "explore/stack-overflow",
            ErrorKind::Undefined | ErrorKind::Unsupported | ErrorKind::Model => {
                "explore/unsupported"
            }
            ErrorKind::Panic => "explore/panic",
        }
    }

    /// KLEE's words for an error that we describe with `message`.
    pub fn klee_message(self, message: &str) -> String {
        let fixed = match self {
            ErrorKind::Free if message.contains("a global") => "free of global",
            ErrorKind::Free if message.contains("a stack") => "free of alloca",
            ErrorKind::OutOfBounds if message.contains("indirect branch") => {
                "indirectbr: illegal label address"
            }
            ErrorKind::ReadOnly if message.contains("klee_make_symbolic") => {
                "cannot make readonly object symbolic"
            }
            ErrorKind::User if message.starts_with("klee_assume of") => {
                "invalid klee_assume call (provably false)"
            }
            ErrorKind::StackOverflow => "Maximum stack size reached.",
            ErrorKind::OutOfBounds => "memory error: out of bound pointer",
            ErrorKind::Null => "memory error: null page access",
            ErrorKind::UseAfterFree => "memory error: use after free",
            ErrorKind::Free => "memory error: invalid pointer: free",
            ErrorKind::ReadOnly => "memory error: object read only",
            ErrorKind::DivisionByZero => "divide by zero",
            ErrorKind::Overshift => "overshift error",
            ErrorKind::Abort => "abort failure",
            ErrorKind::Unreachable => "reached \"unreachable\" instruction",
            ErrorKind::Assertion => {
                let condition = message.strip_prefix("assertion failed: ");
                return format!("ASSERTION FAIL: {}", condition.unwrap_or(message));
            }
            ErrorKind::Undefined if message.contains("a symbolic argument") => {
                let name = message.split('`').nth(1);
                return format!(
                    "external call with symbolic argument: {}",
                    name.unwrap_or(message)
                );
            }
            ErrorKind::Undefined => {
                let name = message.split('`').nth(1);
                return format!("failed external call: {}", name.unwrap_or(message));
            }
            ErrorKind::User
            | ErrorKind::Sanitizer
            | ErrorKind::Unsupported
            | ErrorKind::Panic
            | ErrorKind::Model => message,
        };
        fixed.to_owned()
    }

    /// The middle of KLEE's `.err` file name.
    pub fn klee_suffix(self) -> &'static str {
        match self {
            ErrorKind::OutOfBounds | ErrorKind::Null | ErrorKind::UseAfterFree => "ptr",
            ErrorKind::Free => "free",
            ErrorKind::ReadOnly => "readonly",
            ErrorKind::DivisionByZero => "div",
            ErrorKind::Overshift => "overshift",
            ErrorKind::Assertion => "assert",
            ErrorKind::Abort | ErrorKind::Panic => "abort",
            ErrorKind::Unreachable => "unreachable_call",
            ErrorKind::User => "user",
            ErrorKind::Sanitizer => "overflow",
            ErrorKind::Undefined => "external",
            ErrorKind::Model => "model",
            ErrorKind::StackOverflow | ErrorKind::Unsupported => "exec",
        }
    }
}

/// A place in the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Location {
    /// The source file, empty without debug information.
    pub file: String,
    /// The folder it was compiled in.
    pub directory: String,
    /// The line in the source, 0 if unknown.
    pub line: u32,
    /// The column in the source, 0 if unknown.
    pub column: u32,
    pub function: String,
    /// The module, by position, and the byte offset of the instruction in its text.
    pub assembly: (usize, u32),
}

/// One symbolic object of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestObject {
    /// Its name, made unique in the test.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// How a path ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program ended with this status.
    Exit(i32),
    /// The program asked to end without a test.
    Silent,
    /// An error was found.
    Error(ErrorKind, String),
    /// The solver gave up; the path was not explored further.
    Unknown(String),
    /// The path was given up for a limit.
    Dropped(String),
}

/// What the program itself says about an error it reports, for tools that read KLEE's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The file it names.
    pub file: String,
    /// The line it names.
    pub line: u32,
    /// The middle of the `.err` file's name.
    pub suffix: String,
}

/// What is recorded of paths beyond their tests, where it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// Which way the path went at each branch.
    pub branches: bool,
    /// The source lines that this path covered first.
    pub lines: bool,
    /// The path's constraints as a query in KLEE's language.
    pub kquery: bool,
    /// The path's constraints as SMT-LIB.
    pub smt2: bool,
    /// Where instructions are executed.
    pub profile: bool,
}

/// What was recorded of a path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// See [`Recording::branches`].
    pub branches: Vec<bool>,
    /// Files and lines, sorted.
    pub lines: Vec<(String, u32)>,
    /// See [`Recording::kquery`].
    pub kquery: Option<String>,
    /// See [`Recording::smt2`].
    pub smt2: Option<String>,
}

/// The end of a path.
#[derive(Clone, Debug)]
pub struct PathEnd {
    /// What the program says about the error.
    pub report: Option<Report>,
    /// What was recorded.
    pub recorded: Recorded,
    /// How it ended.
    pub outcome: Outcome,
    /// An input that makes the program take this path; absent if the solver found none in time.
    pub test: Option<Vec<TestObject>>,
    /// Where, innermost frame first; empty if the program had ended.
    pub stack: Vec<Location>,
    /// Instructions on the path.
    pub instructions: u64,
    /// What the program wrote.
    pub output: Vec<u8>,
    /// Whether the path entered a block no path had entered before.
    pub covered_new: bool,
    /// Whether something that was assumed, fixed or called natively had a part in the path: another machine may decide otherwise.
    pub leans: bool,
    /// Which way the path took at each fork: 0 where the state went on, else the number of its copy.
    pub choices: Vec<u32>,
}

/// The state of an exploration, for progress lines and totals.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    pub instructions: u64,
    pub states: usize,
    /// Paths that ended.
    pub paths: u64,
    pub forks: u64,
    /// Blocks entered and known.
    pub covered: (u64, u64),
    /// Instructions in blocks entered, and in all known blocks.
    pub covered_instructions: (u64, u64),
    /// States given up for a limit.
    pub dropped: u64,
    /// The most states alive at once.
    pub peak_states: usize,
    /// Memory objects made.
    pub objects: u64,
    /// The query chain.
    pub queries: Statistics,
}

/// Which blocks of which functions were entered: by the number of the module and of the function in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Per block whether it was entered, and how many instructions it has.
    functions: BTreeMap<(u32, u32), Vec<(bool, u32)>>,
    /// Where instructions were executed, if that was to be recorded.
    pub profile: Profile,
}

impl Coverage {
    /// Adds the blocks of a function; those entered before stay so.
    pub(crate) fn add(&mut self, function: (u32, u32), blocks: Vec<(bool, u32)>) {
        match self.functions.get_mut(&function) {
            None => drop(self.functions.insert(function, blocks)),
            Some(known) => {
                for (known, block) in known.iter_mut().zip(blocks) {
                    known.0 |= block.0;
                }
            }
        }
    }

    /// Adds what another exploration of the same program entered.
    pub fn merge(&mut self, other: Coverage) {
        for (function, blocks) in other.functions {
            self.add(function, blocks);
        }
        self.profile.merge(&other.profile);
    }

    /// Blocks entered and known, and the instructions in them.
    pub fn counts(&self) -> ((u64, u64), (u64, u64)) {
        let (mut blocks, mut instructions) = ((0, 0), (0, 0));
        for &(entered, size) in self.functions.values().flatten() {
            blocks.0 += u64::from(entered);
            blocks.1 += 1;
            instructions.0 += u64::from(entered) * u64::from(size);
            instructions.1 += u64::from(size);
        }
        (blocks, instructions)
    }
}

/// Why an exploration ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// All paths were explored.
    Complete,
    /// A limit was reached; states were left.
    Limit(String),
    /// The user interrupted.
    Interrupted,
}

/// Receives what an exploration finds as it finds it.
pub trait Sink {
    /// A path ended.
    fn path(&mut self, end: PathEnd);
    /// A limit was reached: the exploration has noticed, and is about to say what it has.
    fn stopping(&mut self) {}
    /// A notice the user should see once.
    fn warning(&mut self, message: &str);
    /// A warning that is not repeated.
    fn warning_once(&mut self, message: &str) {
        self.warning(message);
    }
    /// A warning that is not repeated, about a place of the program.
    fn notice(&mut self, message: &str, _place: &Location) {
        self.warning_once(message);
    }
    /// An instruction is about to be executed by the state with this number, where that is traced.
    fn step(&mut self, _place: &Location, _state: u64) {}
    /// A message of the program itself (`klee_print_expr` and the like).
    fn message(&mut self, message: &str);
    /// Called now and then.
    fn progress(&mut self, progress: &Progress);
}
