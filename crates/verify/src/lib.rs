//! Verification conditions for Boogie programs and the caching of results.
//!
//! [`Engine::check`] is the one entry. It has a front end read a program and takes it through blocks, loop cutting and single
//! assignment to one formula per implementation, asks a prover, and reads failing paths back. What was decided before and
//! cannot have changed is taken from the store, by the layers of a cascade ([`layers`]).

mod canon;
mod capture;
mod cfg;
mod codec;
pub mod codes;
mod datatypes;
mod engine;
mod expand;
mod fine;
mod front;
mod layers;
mod layout;
mod model;
mod open;
mod options;
mod order;
mod prove;
mod record;
mod report;
mod result;
mod run;
mod second;
mod setup;
mod smoke;
mod smt;
mod split;
mod takeover;
mod task;
mod text;
mod tree;
mod trigger;
mod unroll;
mod vc;
mod workers;

pub use capture::capture_states;
pub use cfg::CheckKind;
pub use engine::{Engine, Event, LeftOut, OnEvent, Outcome, Request, Statistics};
pub use front::{Boogie, FrontEnd, Reading, TextUse, Tree, boogie_text};
pub use layers::LayerCount;
pub use layers::checks::SNAPSHOT_KIND;
pub use layers::implementation::VERDICT_KIND;
pub use layers::opinions::OPINION_KIND;
pub use layers::program::PROGRAM_KIND;
pub use layers::text::TEXT_KIND;
pub use model::{Model, ModelFunction, ModelState};
pub use options::{Caching, Options};
pub use report::error as describe;
pub use result::{
    Conclusion, ImplementationResult, MergedExit, Obligation, Origin, Priority, TraceStep, Verdict,
    VerificationError,
};
pub use smoke::{Unreachable, smoke_value};
