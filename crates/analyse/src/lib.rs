//! Static analysis of Prolog programs with assertions: which hold whatever the run, which never do.
//!
//! A top-down, goal-dependent abstract interpretation over (predicate, abstract call): arguments are regular types
//! ([`types`]) or variables known to be unbound and unshared. Its results decide the conditions of assertions
//! ([`Proof`]): a proved one needs no check while the program runs.
//!
//! # What a proof rests on
//! * Conditions that are not proved are checked while the program runs, and may be assumed: a precondition inside the
//!   predicate, a postcondition after a call. A run that reports no violation satisfies every assertion.
//! * `trust` assertions are believed.
//! * Nothing overwrites a term in place (`setarg/3`); the machine takes proofs back if something does.
//! * Predicates that are dynamic, multifile, foreign, or not loaded from files with assertions are [`Callee::Opaque`]:
//!   they may bind their arguments in any way. Goals made at run time call predicates as from outside.
//!
//! [`analyse`] is the entry; verdicts are kept in the store, see [`keys`].

mod builtins;
mod components;
mod decide;
mod env;
mod evaluate;
mod keys;
mod program;
mod solve;
mod types;
mod widen;

#[cfg(test)]
mod tests;

pub use program::{
    Assumption, Callee, Clause, Goal, Literal, Pred, Program, RawClause, Resolver, Spec,
    SuccessSpec, Term, automaton_type, goal_of,
};
pub use solve::{Analysis, Proof, SiteVerdict, analyse};
pub use types::{BOTTOM, Const, Functor, Node, TOP, Type, Types, prim};
