//! Resolved patterns of `match` and of `var` with patterns.

use super::{CtorId, ExprId, Ty, VarId};
use stet_base::Span;

/// A pattern; tested against a value of type `ty`.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What it matches.
    pub kind: PatternKind,
    /// The type of the values it is tested against.
    pub ty: Ty,
    /// Where it is.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// `_`
    Wild,
    /// Binds the value.
    Var(VarId),
    /// Equals a literal or constant.
    Value(ExprId),
    /// Was made by this constructor, with arguments that match.
    Ctor(CtorId, Vec<Pattern>),
    /// A tuple whose components match.
    Tuple(Vec<Pattern>),
    /// One of several; binds nothing.
    Or(Vec<Pattern>),
}

/// A case of a `match`, with an expression or statement as its body.
#[derive(Clone, Debug)]
pub struct Case<B> {
    pub pattern: Pattern,
    pub body: B,
    /// Attributes, such as `{:split false}`.
    pub attributes: Vec<super::Attribute>,
    /// Where the case is.
    pub span: Span,
}
