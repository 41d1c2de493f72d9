//! Specifications: clauses, frames, measures, attributes.

use super::{ExprId, LabelId, MemberId};
use stet_base::{Span, Symbol};

/// An attribute, `{:name arguments}`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name without the colon.
    pub name: Symbol,
    /// Where it is.
    pub span: Span,
    /// Its arguments, resolved where they are expressions over the scope.
    pub args: Vec<ExprId>,
}

/// `requires`, `ensures`, `invariant` and their kin.
#[derive(Clone, Debug)]
pub struct Clause {
    pub expr: ExprId,
    /// `requires L: e`
    pub label: Option<LabelId>,
    /// Attributes, such as `{:error "…"}`.
    pub attributes: Vec<Attribute>,
    /// `free` in the old syntax, or `{:only}`-like: assumed, not checked.
    pub free: bool,
}

/// A `reads` or `modifies` specification.
#[derive(Clone, Default, Debug)]
pub struct Frame {
    /// The parts, in order.
    pub items: Vec<FrameItem>,
    /// `*`: everything.
    pub star: bool,
    /// Whether the program says anything (an absent clause is the empty frame of a method or function).
    pub given: bool,
    /// Attributes, such as `{:assume_concurrent}`.
    pub attributes: Vec<Attribute>,
}

/// One part of a frame: an object, a set, sequence or multiset of objects, or for `reads` a function to such.
#[derive(Clone, Debug)]
pub struct FrameItem {
    /// The object or objects.
    pub expr: ExprId,
    /// ``obj`f``: only this field.
    pub field: Option<MemberId>,
    /// Where it is reported.
    pub span: Span,
}

/// A termination measure: a lexicographic tuple.
#[derive(Clone, Default, Debug)]
pub struct Decreases {
    pub exprs: Vec<ExprId>,
    /// `decreases *`: may not terminate.
    pub star: bool,
    /// Where `*` is.
    pub star_span: Option<Span>,
    /// Whether the resolver made it because the program says nothing.
    pub inferred: bool,
    pub attributes: Vec<Attribute>,
}
