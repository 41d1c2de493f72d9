//! Solvers: the in-process bit-vector procedure and SMT-LIB processes.
//!
//! Everything that decides sets of constraints implements [`Solver`]; `explore` asks through it. The processes of `pipe` hold
//! conversations in SMT-LIB instead, which `verify` writes.
//!
//! | file | what |
//! |---|---|
//! | `solver` | the interface: answers, limits, statistics |
//! | `small`, `small/*` | [`InProcess`]: queries over few bytes by enumeration, the others by `query` |
//! | `logged` | a solver that tells what it was asked |
//! | `query` | the bit-vector procedure for fresh queries: [`check_query`], [`QuerySolver`] |
//! | `incremental` | the same procedure with scopes, assumptions and cores: [`BitSolver`] |
//! | `procedure` | the loop between SAT solver and array refinement |
//! | `blast/*`, `gates`, `cnf` | terms to gates to clauses |
//! | `refine` | arrays on demand |
//! | `sat/*` | the two SAT solvers |
//! | `pipe/*` | Z3 and cvc5 as processes |
//!
//! Invariant: the in-process procedure is complete for quantifier-free bit-vectors and arrays without
//! equality of arrays; anything else is [`Reason::Unsupported`], never a wrong answer.

mod blast;
mod cnf;
mod gates;
mod incremental;
mod logged;
pub mod pipe;
mod procedure;
mod query;
mod refine;
mod sat;
mod small;
mod solver;

pub use incremental::BitSolver;
pub use logged::{Logged, QueryLog};
pub use query::{Outcome, QuerySolver, check_query};
pub use small::{InProcess, Values, is_among};
pub use solver::{Answer, Limits, Reason, Solver, Statistics};
