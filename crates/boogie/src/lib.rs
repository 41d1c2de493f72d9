//! Boogie text to a resolved, typed program.
//!
//! [`ast`] and [`Program`] are the data model; trees live in arenas, so depth never costs stack on drop.

pub mod ast;
mod position;
mod program;
mod types;

pub use position::{Origins, Place};
pub use program::{
    Axiom, ConstParent, Constant, DatatypeRole, Decl, Function, Implementation, Procedure, Program,
    Spec, Synonym, TypeCtor, TypeVar, VarKind, Variable,
};
pub use types::{Type, TypeId, TypeTable};
