//! Boogie text to a resolved, typed program.
//!
//! [`ast`] and [`Program`] are the data model; trees live in arenas, so depth never costs stack on drop.

pub mod ast;
mod blocks;
mod coalesce;
mod code_expr;
pub mod codes;
mod infer;
pub mod inline;
pub mod intervals;
mod message;
mod modsets;
mod parse;
mod position;
pub mod print;
mod program;
mod resolve;
pub mod subst;
mod typecheck;
mod types;
mod unused;
pub mod walk;

pub use blocks::{desugar, negate};
pub use coalesce::coalesce;
pub use code_expr::lower_code_expressions;
pub use message::boogie_line;
pub use modsets::infer_modifies;
pub use parse::{MAX_NESTING, parse};
pub use position::{Origins, Place, is_nowhere, nowhere};
pub use program::{
    Axiom, ConstParent, Constant, DatatypeRole, Decl, Function, Implementation, Procedure, Program,
    Spec, Synonym, TypeCtor, TypeVar, VarKind, Variable,
};
pub use resolve::{Resolved, resolve};
pub use typecheck::typecheck;
pub use types::{Type, TypeId, TypeTable};
pub use unused::drop_unused_locals;
