//! Verification conditions for Boogie programs and the caching of results.
//!
//! [`verify`] takes a type-checked program through blocks, loop cutting and single assignment to one
//! formula per implementation, asks a prover, and reads failing paths back. What was decided before and cannot
//! have changed is taken from the store: whole implementations by the digest of exactly what the prover
//! would be told, single checks by comparison with the snapshot verified last [FGC].

mod canon;
mod cfg;
mod codec;
pub mod codes;
mod datatypes;
mod expand;
mod fine;
mod layout;
mod model;
mod options;
mod order;
mod prove;
mod record;
mod result;
mod session;
mod smoke;
mod smt;
mod split;
mod task;
mod text;
mod tree;
mod trigger;
mod unroll;
mod vc;
mod whole;
mod workers;

pub use cfg::CheckKind;
pub use model::{Model, ModelFunction, ModelState};
pub use options::{Caching, Options};
pub use result::{
    ImplementationResult, MergedExit, Obligation, Origin, Outcome, Priority, TraceStep, Verdict,
    VerificationError,
};
pub use session::{
    Context, Run, SNAPSHOT_KIND, VERDICT_KIND, make_last, prover_identity, verify, verify_here,
};
pub use smoke::{Unreachable, smoke_value};
pub use text::{TEXT_KIND, Texts};
pub use whole::{PROGRAM_KIND, ProgramKey};
pub use workers::Provers;
