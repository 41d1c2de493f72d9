//! LLVM IR text in, module and diagnostics out.
//!
//! [`read`] understands what clang and rustc of LLVM 14 to 22 print: opaque and typed pointers, metadata,
//! attributes, debug records. Attributes and metadata it does not know are skipped; everything the executor needs
//! is kept in a [`Module`] whose types, constants and instructions are ids into dense tables. [`link`] resolves the symbols of
//! several modules without copying them, and refuses modules that cannot work together; [`needed`] cuts the text of a library down to
//! what a program uses before it is read. [`DebugInfo`] decodes source locations on demand.

pub mod codes;
mod constant;
mod debug;
mod instruction;
mod layout;
mod lexer;
mod link;
mod module;
mod needed;
mod parse;
mod types;

pub use constant::{Const, ConstId, Constant};
pub use debug::{DebugInfo, Place};
pub use instruction::{
    AtomicOp, BinaryOp, Call, CallArg, Callee, CastOp, FloatPredicate, Inst, InstKind,
    IntPredicate, Operand, PadClause, Value,
};
pub use layout::DataLayout;
pub use link::{LinkError, Linked, ObjectRef, Target, library_function, link};
pub use module::{
    Alias, Block, BlockId, Body, Extension, Function, FunctionId, Global, GlobalId, Linkage,
    LocalId, Module, Param,
};
pub use needed::{Grain, LibraryText, needed};
pub use parse::read;
pub use types::{FloatKind, Type, TypeId, Types};
