//! Expressions.

use super::{
    Attribute, Case, CtorId, ExprId, Frame, LabelId, MemberId, Pattern, StmtId, Ty, VarId,
};
use num_bigint::BigInt;
use stet_base::{Span, Symbol};

#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    pub ty: Ty,
    /// The whole expression.
    pub span: Span,
    /// Where messages about it point: the operator, the name, the opening bracket.
    pub tok: Span,
}

/// A decimal number: `digits × 10^exponent`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Decimal {
    pub digits: BigInt,
    /// The power of ten.
    pub exponent: i32,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `true`, `false`
    Bool(bool),
    /// An integer; the type says whether it is an `int`, a bit-vector, an `ORDINAL` or a newtype over these.
    Int(BigInt),
    /// A decimal of type `real` or a newtype over it.
    Real(Decimal),
    /// A character, as code point (or UTF-16 unit for a lone surrogate).
    Char(u32),
    /// A string, escapes resolved; the characters as for `Char`.
    Str(Vec<u32>),
    /// `null`
    Null,
    Var(VarId),
    /// `this`
    This,
    /// An instance field or constant.
    Field {
        /// The object or value.
        object: ExprId,
        /// The field or constant.
        field: MemberId,
        /// Arguments for the type parameters of the field's owner.
        owner_args: Vec<Ty>,
    },
    /// A static constant.
    StaticConst {
        member: MemberId,
        /// Arguments for the type parameters of its owner.
        owner_args: Vec<Ty>,
    },
    /// `d.f`: an argument of a datatype constructor.
    Destructor {
        value: ExprId,
        /// The constructors that have an argument of that name, each with its position.
        ctors: Vec<(CtorId, u32)>,
    },
    /// `t.0`
    TupleSelect(ExprId, u32),
    /// `d.Cons?`
    Discriminator(ExprId, CtorId),
    /// A built-in property.
    Property(Property, ExprId),
    /// A call of a function.
    Call(Box<FunctionCall>),
    /// A function of the program used as a value (its arguments all missing).
    FunctionValue {
        function: MemberId,
        /// The receiver of an instance function.
        receiver: Option<ExprId>,
        /// Arguments for the type parameters of its owner.
        owner_args: Vec<Ty>,
        /// Arguments for its own type parameters.
        type_args: Vec<Ty>,
    },
    /// Application of a function value.
    Apply(ExprId, Vec<ExprId>),
    /// `f.requires(…)`
    FnRequires(ExprId, Vec<ExprId>),
    /// `f.reads(…)`: a set of objects
    FnReads(ExprId, Vec<ExprId>),
    /// `f.requires` or `f.reads` not applied (`true` for `requires`).
    FnProperty(ExprId, bool),
    /// A datatype value.
    Ctor {
        ctor: CtorId,
        /// Arguments for the type parameters of the datatype.
        type_args: Vec<Ty>,
        /// Its arguments, all of them.
        args: Vec<ExprId>,
    },
    Tuple(Vec<ExprId>),
    /// A binary operator.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a ==#[k] b` or, if the flag is set, `a !=#[k] b`
    PrefixEq {
        k: ExprId,
        left: ExprId,
        right: ExprId,
        /// Whether it is `!=#[k]`.
        negated: bool,
    },
    /// A unary operator.
    Unary(UnaryOp, ExprId),
    /// `old(e)`, `old@L(e)`
    Old(ExprId, Option<LabelId>),
    /// `unchanged(…)`, `unchanged@L(…)`
    Unchanged(Frame, Option<LabelId>),
    /// `fresh(e)`, `fresh@L(e)`
    Fresh(ExprId, Option<LabelId>),
    /// `allocated(e)`
    Allocated(ExprId),
    /// `s[i]` on a sequence, `m[k]` on a map, `ms[x]` on a multiset: the type of the first decides.
    Index(ExprId, ExprId),
    /// `a[i]`, `a[i, j]` on an array
    ArrayIndex(ExprId, Vec<ExprId>),
    /// `s[lo..hi]` on a sequence or array; a sequence.
    Slice(ExprId, Option<ExprId>, Option<ExprId>),
    /// `s[i := v]` on a sequence, map or multiset
    Update(ExprId, ExprId, ExprId),
    /// `d.(f := v, …)`
    DatatypeUpdate {
        value: ExprId,
        /// The constructors `value` may have: all those with every field named here.
        ctors: Vec<CtorId>,
        /// The fields by name and their new values.
        updates: Vec<(Symbol, ExprId)>,
    },
    /// `{…}` or `iset{…}`
    SetDisplay(Vec<ExprId>),
    /// `multiset{…}`
    MultisetDisplay(Vec<ExprId>),
    /// `[…]`
    SeqDisplay(Vec<ExprId>),
    /// `map[…]`, `imap[…]`
    MapDisplay(Vec<(ExprId, ExprId)>),
    /// `w.RotateLeft(n)`, or `w.RotateRight(n)` if the flag is not set, on a bit-vector
    Rotate(ExprId, ExprId, bool),
    /// `seq(n, f)`
    SeqConstruct(ExprId, ExprId),
    /// `multiset(s)` of a set or sequence
    MultisetOf(ExprId),
    /// `if c then a else b`
    Ite(ExprId, ExprId, ExprId),
    /// `match`
    Match {
        scrutinee: ExprId,
        /// The cases, tried in order.
        cases: Vec<Case<ExprId>>,
    },
    /// `var p := e; body`
    Let {
        /// The patterns, one for each value.
        patterns: Vec<Pattern>,
        /// The values, all evaluated before binding.
        values: Vec<ExprId>,
        body: ExprId,
        /// `ghost var`
        ghost: bool,
        attributes: Vec<Attribute>,
    },
    /// `var x :| e; body`
    LetSuchThat {
        vars: Vec<VarId>,
        condition: ExprId,
        body: ExprId,
        /// `ghost var`
        ghost: bool,
        /// Whether the choice is made at run time, so that nothing else may satisfy the condition.
        compiled: bool,
        /// One bound for each variable, where found.
        bounds: Vec<Option<VarBound>>,
        attributes: Vec<Attribute>,
    },
    /// `forall`, `exists`
    Quantifier(Box<Quantifier>),
    /// `set x | range :: term`; also `iset` (the type decides).
    SetComprehension {
        vars: Vec<VarId>,
        /// The range; `true` if not given.
        range: ExprId,
        term: ExprId,
        /// One bound for each variable, where found.
        bounds: Vec<Option<VarBound>>,
        attributes: Vec<Attribute>,
    },
    /// `map x | range :: key := value`; also `imap` (the type decides).
    MapComprehension {
        vars: Vec<VarId>,
        /// The range; `true` if not given.
        range: ExprId,
        /// The key; absent: the only variable.
        key: Option<ExprId>,
        value: ExprId,
        /// One bound for each variable, where found.
        bounds: Vec<Option<VarBound>>,
        attributes: Vec<Attribute>,
    },
    /// `x requires … reads … => body`
    Lambda {
        vars: Vec<VarId>,
        requires: Option<ExprId>,
        /// The read frame.
        reads: Frame,
        body: ExprId,
        attributes: Vec<Attribute>,
    },
    /// `assert …; e` and its kin
    StmtExpr(StmtId, ExprId),
    /// `e as T`
    Convert(ExprId, Ty),
    /// `e is T`
    TypeTest(ExprId, Ty),
    /// `decreases a, b to c, d`; with `nonincreases`, equality is enough.
    DecreasesTo {
        /// The old values.
        old: Vec<ExprId>,
        /// The new values.
        new: Vec<ExprId>,
        /// `nonincreases`
        allow_equal: bool,
    },
    Error,
}

/// Built-in properties of values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Property {
    /// `a.Length`, `a.Length1`, …: the length of a dimension
    ArrayLength(u32),
    /// `r.Floor`
    Floor,
    /// `m.Keys`
    Keys,
    /// `m.Values`
    Values,
    /// `m.Items`
    Items,
    /// `o.IsLimit`
    IsLimit,
    /// `o.IsSucc`
    IsSucc,
    /// `o.Offset`
    Offset,
    /// `o.IsNat`
    IsNat,
}

/// A call of a function of the program.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    pub function: MemberId,
    /// The receiver of an instance function.
    pub receiver: Option<ExprId>,
    /// Arguments for the type parameters of its owner.
    pub owner_args: Vec<Ty>,
    /// Arguments for its own type parameters.
    pub type_args: Vec<Ty>,
    /// The arguments, one for each parameter.
    pub args: Vec<ExprId>,
    /// `P#[k](…)`: the prefix predicate.
    pub prefix: Option<ExprId>,
    /// `f@L(…)`: the old state of a two-state function.
    pub at: Option<LabelId>,
    /// A co-recursive call: directly under a codatatype constructor, in the same component; no termination check.
    pub co_call: bool,
}

/// Binary operators, resolved by the type of their operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `<==>`
    Iff,
    /// `==>` (and `<==`, with its operands exchanged)
    Imp,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==` on any type
    Eq,
    /// `!=` on any type
    Neq,
    /// `<` on numbers, bit-vectors, characters, ordinals
    Lt,
    /// `<=` on the same
    Le,
    /// `>=` on the same
    Ge,
    /// `>` on the same
    Gt,
    /// `+` on numbers, bit-vectors, characters, ordinals
    Add,
    /// `-` on the same
    Sub,
    /// `*` on numbers, bit-vectors
    Mul,
    /// `/` on numbers, bit-vectors
    Div,
    /// `%` on integers, bit-vectors
    Mod,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `+` on sequences
    Concat,
    /// `<` on sequences
    ProperPrefix,
    /// `<=` on sequences
    Prefix,
    /// `in`; the type of the right operand decides
    In,
    /// `!in`
    NotIn,
    /// `+` on sets, infinite sets, multisets
    Union,
    /// `*` on the same
    Intersection,
    /// `-` on the same
    Difference,
    /// `!!` on the same
    Disjoint,
    /// `<` on the same
    ProperSubset,
    /// `<=` on the same
    Subset,
    /// `>=` on the same
    Superset,
    /// `>` on the same
    ProperSuperset,
    /// `+` on maps
    MapMerge,
    /// `-` of a map and a set of keys
    MapSubtract,
    /// `<` on datatypes: structural inclusion
    RankLt,
    /// `>` on datatypes
    RankGt,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!` on booleans
    Not,
    /// `!` on bit-vectors
    BitNot,
    /// `-` on numbers and bit-vectors
    Neg,
    /// `|s|` on collections
    Cardinality,
}

/// A quantified expression.
#[derive(Clone, Debug)]
pub struct Quantifier {
    /// `forall`, otherwise `exists`
    pub forall: bool,
    pub vars: Vec<VarId>,
    /// The range; absent if not given.
    pub range: Option<ExprId>,
    pub body: ExprId,
    /// Triggers, each a set of terms: the user's, else those the resolver chose. Empty: none were found.
    pub triggers: Vec<Vec<ExprId>>,
    /// One bound for each variable, where found.
    pub bounds: Vec<Option<VarBound>>,
    pub attributes: Vec<Attribute>,
}

/// Why a bound variable has finitely many (or enumerable) values.
#[derive(Clone, Debug)]
pub enum VarBound {
    /// `lo <= x < hi`; either side may be absent.
    Range(Option<ExprId>, Option<ExprId>),
    /// `x in C` (also a map: its keys)
    In(ExprId),
    /// `x <= S` or `x < S` for a set
    SubsetOf(ExprId),
    /// `x == e`
    Exact(ExprId),
    /// `bool`, `char`, bit-vectors, finite datatypes
    FiniteType,
    /// A datatype or other type whose values can be enumerated, but not finite.
    Enumerable,
    /// `allocated` references (ghost)
    Allocated,
}
