//! Boogie expressions and statements while they are being made: shared trees without places, names as text.
//!
//! Constructors simplify what costs nothing to simplify (`true && x`), so that translations can be written without
//! special cases. [`lower`](crate::lower) turns these trees into declarations of a Boogie program.

use num_bigint::BigInt;
use std::rc::Rc;
use stet_base::Span;
pub(crate) use stet_boogie::ast::BinaryOp;

/// A name in the Boogie program.
pub(crate) type Name = Rc<str>;

/// A type in the Boogie program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sort {
    /// A built-in or declared type without arguments.
    Named(Name),
    Map(Vec<Sort>, Box<Sort>),
}

impl Sort {
    pub(crate) fn named(name: &str) -> Sort {
        Sort::Named(name.into())
    }

    /// The name of a declared type; a map type has none.
    pub(crate) fn name(&self) -> &str {
        match self {
            Sort::Named(name) => name,
            Sort::Map(..) => "",
        }
    }
}

/// A typed variable.
pub(crate) type TypedName = (Name, Sort);

/// A shared expression.
pub(crate) type B = Rc<Node>;

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Node {
    Bool(bool),
    Int(BigInt),
    Real(BigInt, i32),
    Bv(BigInt, u32),
    Var(Name),
    App(Name, Vec<B>),
    Bin(BinaryOp, B, B),
    Not(B),
    Neg(B),
    Ite(B, B, B),
    Select(B, Vec<B>),
    Store(B, Vec<B>, B),
    Old(B),
    Quant {
        forall: bool,
        vars: Vec<TypedName>,
        triggers: Vec<Vec<B>>,
        body: B,
    },
    Lambda {
        vars: Vec<TypedName>,
        body: B,
    },
    Let {
        vars: Vec<Name>,
        values: Vec<B>,
        body: B,
    },
}

/// A check, with the words Dafny's users know.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) cond: B,
    pub(crate) span: Span,
    pub(crate) message: Name,
    pub(crate) related: Vec<(Span, Name)>,
    /// Whether what follows does not rely on it: a later check then fails or holds by itself.
    pub(crate) forgotten: bool,
    /// What it checks as program text, if that is asked for.
    pub(crate) asserted: Option<Name>,
}

#[derive(Clone, Debug)]
pub(crate) enum S {
    Assert(Check),
    /// A check of Dafny's that the types decide: it makes a procedure one that is verified.
    Settled,
    /// `assume {:name} true`: where the questions to the prover are split.
    Mark(&'static str),
    /// From here to the end of the list, or the next, these bodies of functions are not visible.
    Visible(Rc<crate::hide::Hidden>),
    Assume(B),
    Assign(Name, B),
    Havoc(Vec<Name>),
    /// `if`; without a condition, any branch.
    If(Option<B>, Vec<S>, Vec<S>),
    /// `while (true)`: left by [`S::Goto`].
    Loop {
        invariants: Vec<Invariant>,
        body: Vec<S>,
        span: Span,
    },
    Label(Name),
    Goto(Name),
    Return(Span),
    Call {
        proc: Name,
        ins: Vec<B>,
        outs: Vec<Name>,
        span: Span,
    },
}

/// An invariant of a loop; one that is free is assumed at the head and not checked.
#[derive(Clone, Debug)]
pub(crate) struct Invariant {
    pub(crate) check: Check,
    pub(crate) free: bool,
}

fn new(node: Node) -> B {
    Rc::new(node)
}

pub(crate) fn tt() -> B {
    new(Node::Bool(true))
}

pub(crate) fn ff() -> B {
    new(Node::Bool(false))
}

pub(crate) fn boolean(value: bool) -> B {
    new(Node::Bool(value))
}

pub(crate) fn int(value: impl Into<BigInt>) -> B {
    new(Node::Int(value.into()))
}

pub(crate) fn var(name: &str) -> B {
    new(Node::Var(name.into()))
}

pub(crate) fn app(name: &str, args: Vec<B>) -> B {
    new(Node::App(name.into(), args))
}

pub(crate) fn is_true(e: &B) -> bool {
    matches!(**e, Node::Bool(true))
}

pub(crate) fn is_false(e: &B) -> bool {
    matches!(**e, Node::Bool(false))
}

pub(crate) fn bin(op: BinaryOp, a: B, b: B) -> B {
    new(Node::Bin(op, a, b))
}

pub(crate) fn and(a: B, b: B) -> B {
    if is_true(&a) || is_false(&b) {
        b
    } else if is_true(&b) || is_false(&a) {
        a
    } else {
        bin(BinaryOp::And, a, b)
    }
}

pub(crate) fn or(a: B, b: B) -> B {
    if is_false(&a) || is_true(&b) {
        b
    } else if is_false(&b) || is_true(&a) {
        a
    } else {
        bin(BinaryOp::Or, a, b)
    }
}

pub(crate) fn imp(a: B, b: B) -> B {
    if is_true(&a) || is_true(&b) {
        b
    } else if is_false(&a) {
        tt()
    } else {
        bin(BinaryOp::Imp, a, b)
    }
}

pub(crate) fn iff(a: B, b: B) -> B {
    bin(BinaryOp::Iff, a, b)
}

pub(crate) fn not(a: B) -> B {
    match &*a {
        Node::Bool(value) => boolean(!value),
        Node::Not(inner) => inner.clone(),
        _ => new(Node::Not(a)),
    }
}

pub(crate) fn eq(a: B, b: B) -> B {
    bin(BinaryOp::Eq, a, b)
}

pub(crate) fn neq(a: B, b: B) -> B {
    bin(BinaryOp::Neq, a, b)
}

pub(crate) fn le(a: B, b: B) -> B {
    bin(BinaryOp::Le, a, b)
}

pub(crate) fn lt(a: B, b: B) -> B {
    bin(BinaryOp::Lt, a, b)
}

pub(crate) fn add(a: B, b: B) -> B {
    bin(BinaryOp::Add, a, b)
}

pub(crate) fn sub(a: B, b: B) -> B {
    bin(BinaryOp::Sub, a, b)
}

pub(crate) fn neg(a: B) -> B {
    new(Node::Neg(a))
}

pub(crate) fn ite(c: B, a: B, b: B) -> B {
    if is_true(&c) {
        a
    } else if is_false(&c) {
        b
    } else {
        new(Node::Ite(c, a, b))
    }
}

pub(crate) fn select(map: B, index: B) -> B {
    new(Node::Select(map, vec![index]))
}

pub(crate) fn store(map: B, index: B, value: B) -> B {
    new(Node::Store(map, vec![index], value))
}

pub(crate) fn old(e: B) -> B {
    new(Node::Old(e))
}

pub(crate) fn real(digits: BigInt, exponent: i32) -> B {
    new(Node::Real(digits, exponent))
}

pub(crate) fn bv(value: BigInt, width: u32) -> B {
    new(Node::Bv(value, width))
}

pub(crate) fn conj(parts: impl IntoIterator<Item = B>) -> B {
    parts.into_iter().fold(tt(), and)
}

pub(crate) fn disj(parts: impl IntoIterator<Item = B>) -> B {
    parts.into_iter().fold(ff(), or)
}

pub(crate) fn forall(vars: Vec<TypedName>, triggers: Vec<Vec<B>>, body: B) -> B {
    quant(true, vars, triggers, body)
}

pub(crate) fn exists(vars: Vec<TypedName>, triggers: Vec<Vec<B>>, body: B) -> B {
    quant(false, vars, triggers, body)
}

pub(crate) fn quant(forall: bool, vars: Vec<TypedName>, triggers: Vec<Vec<B>>, body: B) -> B {
    if vars.is_empty() || is_true(&body) || is_false(&body) {
        return body;
    }
    // A function value in a term can be a lambda expression, which the prover cannot match.
    let triggers = triggers
        .into_iter()
        .filter(|terms| !terms.iter().any(has_binder))
        .collect();
    new(Node::Quant {
        forall,
        vars,
        triggers,
        body,
    })
}

fn has_binder(e: &B) -> bool {
    matches!(
        **e,
        Node::Quant { .. } | Node::Lambda { .. } | Node::Let { .. }
    ) || children(e).into_iter().any(has_binder)
}

pub(crate) fn lambda(vars: Vec<TypedName>, body: B) -> B {
    new(Node::Lambda { vars, body })
}

pub(crate) fn let_in(vars: Vec<Name>, values: Vec<B>, body: B) -> B {
    if vars.is_empty() {
        return body;
    }
    new(Node::Let { vars, values, body })
}

/// The immediate parts of an expression.
pub(crate) fn children(e: &Node) -> Vec<&B> {
    match e {
        Node::Bool(_) | Node::Int(_) | Node::Real(..) | Node::Bv(..) | Node::Var(_) => Vec::new(),
        Node::App(_, args) => args.iter().collect(),
        Node::Bin(_, a, b) => vec![a, b],
        Node::Not(a) | Node::Neg(a) | Node::Old(a) => vec![a],
        Node::Ite(a, b, c) => vec![a, b, c],
        Node::Select(m, is) => std::iter::once(m).chain(is).collect(),
        Node::Store(m, is, v) => std::iter::once(m).chain(is).chain([v]).collect(),
        Node::Quant { body, .. } | Node::Lambda { body, .. } => vec![body],
        Node::Let { values, body, .. } => values.iter().chain([body]).collect(),
    }
}

/// Whether a variable occurs; names of bound variables are never used twice on a path.
pub(crate) fn mentions(e: &B, name: &str) -> bool {
    if let Node::Var(n) = &**e
        && &**n == name
    {
        return true;
    }
    children(e).into_iter().any(|child| mentions(child, name))
}
