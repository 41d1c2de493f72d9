//! Operators and nodes.
//!
//! An [`Op`] carries everything about a node except its arguments and its sort. Bit-vector constants of
//! up to 64 bits are inside the operator; wider ones, integers, tables and names are in side tables of
//! the pool. A [`Node`] adds what every consumer asks in constant time: sort, size, depth, free symbols,
//! marks and features.

use crate::symbols::{Sym, SymSet};
use crate::{Sort, Term};

macro_rules! side_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub(crate) u32);
    };
}

side_id!(
    /// A big number of the pool's side table; see [`Terms::big`](crate::Terms::big).
    BigId
);
side_id!(
    /// The contents of a constant array; see [`Terms::table_content`](crate::Terms::table_content).
    TableId
);
side_id!(
    /// A name of a built-in operator or literal; see [`Terms::name`](crate::Terms::name).
    NameId
);
side_id!(
    /// The shape of a quantifier; see [`Terms::quantifier`](crate::Terms::quantifier).
    QuantId
);

/// An operator. Bit-vector operators follow SMT-LIB; what is not here (`bvsub`, `bvule`, `bvsgt`, …) is
/// built from what is by the constructors of [`Terms`](crate::Terms).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    // Leaves.
    True,
    False,
    /// A free or bound symbol without arguments.
    Symbol(Sym),
    /// A bit-vector constant of at most 64 bits.
    Bv(u64),
    /// A wider bit-vector constant.
    BigBv(BigId),
    Int(BigId),
    /// Numerator and positive denominator, in lowest terms.
    Real(BigId, BigId),
    /// An array given by its contents; indices past the end read zero.
    Table(TableId),
    /// A literal of an opaque sort, printed as it is: `"abc"`, `RNE`, `(_ +oo 8 24)`.
    Literal(NameId),

    // Core.
    Not,
    And,
    Or,
    Implies,
    Eq,
    Distinct,
    Ite,
    /// An uninterpreted function applied to arguments.
    Apply(Sym),
    /// A named operator of the solver, printed as it is: `str.++`, `fp.add`, `(_ to_fp 8 24)`.
    Builtin(NameId),

    // Bit-vectors.
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvSlt,
    Concat,
    Extract {
        high: u32,
        low: u32,
    },
    /// To the width of the node's sort.
    ZeroExtend,
    /// To the width of the node's sort.
    SignExtend,

    // Arrays.
    /// One element everywhere.
    Fill,
    Select,
    Store,

    // Integers and reals.
    Add,
    Mul,
    Neg,
    IntDiv,
    IntMod,
    RealDiv,
    Lt,
    Le,
    ToReal,
    ToInt,
    IsInt,

    // Datatypes: the datatype is the node's sort (constructors) or the argument's (others).
    Construct(u32),
    Selector {
        constructor: u32,
        field: u32,
    },
    Tester(u32),

    /// Arguments: the bound symbols, the body, then the terms of all patterns and no-patterns.
    Forall(QuantId),
    /// As [`Op::Forall`].
    Exists(QuantId),
}

impl Op {
    /// Whether the node binds its first arguments.
    pub fn is_quantifier(self) -> bool {
        matches!(self, Op::Forall(_) | Op::Exists(_))
    }

    /// Whether two arguments may be swapped.
    pub fn is_commutative(self) -> bool {
        use Op::*;
        matches!(
            self,
            And | Or | Eq | Distinct | BvAnd | BvOr | BvXor | BvAdd | BvMul | Add | Mul
        )
    }
}

const _: () = assert!(std::mem::size_of::<Op>() == 16);

/// What kinds of operators a term contains, as a bit set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Features(pub(crate) u16);

impl Features {
    pub const QUANTIFIER: Features = Features(1);
    pub const ARRAY: Features = Features(2);
    pub const INT: Features = Features(4);
    pub const REAL: Features = Features(8);
    pub const FUNCTION: Features = Features(16);
    pub const DATATYPE: Features = Features(32);
    /// Opaque operators, literals or sorts.
    pub const OPAQUE: Features = Features(64);
    pub const SORT: Features = Features(128);
    pub const BITS: Features = Features(256);
    /// Equality between arrays, or arrays as arguments of other operators than select, store and ite.
    pub const EXTENSIONAL: Features = Features(512);
    /// Arrays with other indices than bit-vectors or other elements than bit-vectors and truth values.
    pub const OTHER_ARRAY: Features = Features(1024);

    /// Whether all of `other` are present.
    pub fn contains(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is present.
    pub fn intersects(self, other: Features) -> bool {
        self.0 & other.0 != 0
    }

    /// Both sets together.
    pub fn union(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }
}

#[derive(Debug)]
pub(crate) enum Args {
    Inline { len: u8, items: [Term; 3] },
    // Boxed twice so that a node stays at 56 bytes: long argument lists are rare.
    Heap(Box<Box<[Term]>>),
}

impl Args {
    pub(crate) fn new(args: &[Term]) -> Self {
        let dummy = Term::FALSE;
        match *args {
            [] => Args::inline(0, [dummy; 3]),
            [a] => Args::inline(1, [a, dummy, dummy]),
            [a, b] => Args::inline(2, [a, b, dummy]),
            [a, b, c] => Args::inline(3, [a, b, c]),
            _ => Args::Heap(Box::new(args.into())),
        }
    }

    fn inline(len: u8, items: [Term; 3]) -> Self {
        Args::Inline { len, items }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[Term] {
        match self {
            Args::Inline { len, items } => &items[..usize::from(*len)],
            Args::Heap(items) => items,
        }
    }
}

/// A node of the term graph.
#[derive(Debug)]
pub struct Node {
    pub(crate) op: Op,
    pub(crate) args: Args,
    pub(crate) sort: Sort,
    pub(crate) size: u32,
    pub(crate) depth: u32,
    pub(crate) set: SymSet,
    pub(crate) shape: u32,
    pub(crate) features: Features,
    pub(crate) marks: u8,
}

const _: () = assert!(std::mem::size_of::<Node>() == 56);

impl Node {
    #[inline]
    pub fn op(&self) -> Op {
        self.op
    }

    #[inline]
    pub fn args(&self) -> &[Term] {
        self.args.as_slice()
    }

    #[inline]
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// The number of nodes counted as a tree, saturating.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The longest path to a leaf, saturating.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The union of the marks of all symbols inside.
    #[inline]
    pub fn marks(&self) -> u8 {
        self.marks
    }

    /// The kinds of operators inside.
    #[inline]
    pub fn features(&self) -> Features {
        self.features
    }

    /// A hash of the structure that does not depend on creation order nor on the names of marked symbols;
    /// the order of commutative arguments.
    #[inline]
    pub fn shape(&self) -> u32 {
        self.shape
    }
}
