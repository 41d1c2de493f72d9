//! Boogie declarations while they are being made.

use crate::tree::{B, Check, Name, S, Sort, TypedName};
use stet_base::Span;

#[derive(Clone, Debug)]
pub(crate) enum Decl {
    /// `type T;`, or a datatype whose constructors are functions.
    Type {
        name: Name,
        datatype: bool,
    },
    /// A function; `attribute` is `constructor` or a `bvbuiltin` with its name.
    Function {
        name: Name,
        ins: Vec<TypedName>,
        out: Sort,
        role: Role,
    },
    Const {
        name: Name,
        sort: Sort,
        unique: bool,
    },
    Axiom(B),
    /// A procedure, with a body if it is to be verified.
    Procedure(Box<Procedure>),
}

/// What a function is.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// What its axioms say.
    Plain,
    /// A constructor of a datatype.
    Constructor,
    /// A function on bit-vectors.
    Bv(Name),
}

/// A variable with its `where` clause.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) sort: Sort,
    pub(crate) constraint: Option<B>,
}

/// A clause of a specification.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) check: Check,
    pub(crate) free: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) ins: Vec<Variable>,
    pub(crate) outs: Vec<Variable>,
    pub(crate) requires: Vec<Clause>,
    pub(crate) ensures: Vec<Clause>,
    pub(crate) modifies: Vec<Name>,
    pub(crate) attributes: Vec<(Name, Option<u64>)>,
    pub(crate) body: Option<Body>,
}

/// The body of a procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) locals: Vec<Variable>,
    pub(crate) stmts: Vec<S>,
    /// The closing brace.
    pub(crate) end: Option<Span>,
}
