//! Symbolic execution of LLVM IR with address-aware query caching (\[AAQC\]).
//!
//! [`Engine::explore`] runs a program on all its inputs: every path that symbolic values make possible, each with an input
//! that takes it, and the errors found on the way. Module by module:
//!
//! | file | what |
//! |---|---|
//! | `address` | base addresses β of objects and the concrete ones behind them |
//! | `value`, `arith`, `softfloat` | values of registers: numbers, pointers, terms; arithmetic |
//! | `object`, `memory`, `radix` | memory: bytes, pointers, arrays; shared between states |
//! | `segment`, `offsets` | the segmented memory model: objects merged, pointers as offsets |
//! | `object::parts` | large objects split where they are accessed at a symbolic offset |
//! | `program`, `lower`, `code` | linked modules, constants, dense code |
//! | `shape`, `declared` | calls with other types than a function is defined with |
//! | `state`, `exec` | paths and the interpreter, C++ unwinding included |
//! | `external` | functions outside of the program, called in native processes |
//! | `builtins` | KLEE's interface, allocation, intrinsics, system calls |
//! | `query` | the query chain and its caches |
//! | `entry` | the one entry: [`Engine`], [`Input`], [`Request`] |
//! | `search`, `engine` | which state runs next, limits, totals |
//! | `left_out` | what a run did not cover |
//! | `part`, `wire`, `shared_run` | parts of the tree for other processes, and what travels |
//! | `report`, `finding`, `ktest` | what is told |

mod address;
mod aliases;
mod arith;
mod builtins;
mod code;
pub mod codes;
mod declared;
mod engine;
mod entry;
mod exec;
mod external;
mod finding;
mod kquery;
mod ktest;
mod left_out;
mod lower;
mod memory;
mod merge;
mod object;
mod offsets;
mod part;
mod profile;
mod program;
pub mod query;
mod radix;
mod report;
mod search;
mod seeds;
mod segment;
mod shape;
mod shared_run;
mod softfloat;
mod state;
mod threads;
mod undefined;
mod unwritten;
mod value;
mod wire;
mod words;

pub use address::{AddressTable, Allocator, BASE_ALIGN, ObjectId};
pub use builtins::{Root, RootFacts};
pub use engine::{Config, KleeRules, Limits, StaticLimits, StopAt, Summary};
pub use entry::{Engine, Grain, Input, Library, Request};
pub use exec::Overshift;
pub use external::{
    ExternalConfig, ExternalPolicy, ExternalWarnings, Externals, NativeCall, NativeFailure,
    NativeFunction, NativeMapping, NativeProcess, NativeRegion, NativeReply, NativeType,
};
pub use ktest::KTest;
pub use left_out::{LeftOut, LeftOutKind};
pub use object::parts::Split;
pub use part::{Part, PartEnd, Taker};
pub use profile::{Cost, Profile};
pub use program::ProgramError;
pub use report::{
    Coverage, ErrorKind, Halt, Location, Outcome, PathEnd, Progress, Recorded, Recording, Report,
    Sink, TestObject,
};
pub use search::Search;
pub use seeds::{SeedUse, Seeds};
pub use segment::MemoryModel;
pub use shared_run::{SharedRun, check_shared, read_run, write_run};
pub use wire::{PartResult, read_parts, read_result, write_parts, write_result};
