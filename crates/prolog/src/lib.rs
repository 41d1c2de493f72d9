//! Prolog text to terms, clauses and assertions.
//!
//! [`read_clause`] reads one term from a text and says where to go on, after errors too; the result is an
//! arena of nodes with places ([`Clause`]). [`write_term`] writes terms of any representation. Operators
//! ([`Ops`]) and atoms ([`AtomTable`]) are owned by the caller, so that a program can change them while it
//! is being read.
//!
//! **Invariant:** nothing here recurses over a term or does I/O.

pub mod assertions;
mod ast;
mod atoms;
pub mod codes;
mod lexer;
mod ops;
mod parser;
mod text_index;
mod writer;

#[cfg(test)]
mod syntax_tests;

pub use ast::{Clause, Node, Place, Quotes, ReadFlags, SyntaxError, TermId, Terms, Variable};
pub use atoms::{Atom, AtomTable, atom};
pub use ops::{OpClass, OpDef, OpType, Ops};
pub use parser::{ReadContext, has_full_stop, read_clause};
pub use writer::{
    AstView, TermView, View, WriteOptions, format_float, needs_no_quotes, quote_atom,
    variable_name, write_term,
};
