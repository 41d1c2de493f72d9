//! The syntax tree of Boogie programs, kept in arenas.
//!
//! Every tree is a set of nodes in tables of [`Program`](crate::Program), linked by four-byte ids; nothing owns its children,
//! so dropping is flat however deep an expression nests. The parser fills names and spans; resolution
//! fills the ids of what names mean (`Option` fields here), and type checking the types.
//!
//! A span is the token Boogie reports: the operator of a binary expression, the name of an application, `forall` of a quantifier.

use crate::types::TypeId;
use num_bigint::BigInt;
use stet_base::{Span, Symbol, define_id};

define_id!(
    pub struct ExprId;
);
define_id!(
    /// A type as written.
    pub struct TypeExprId;
);
define_id!(
    /// A simple command.
    pub struct CmdId;
);
define_id!(
    /// A list of structured statements.
    pub struct StmtListId;
);
define_id!(
    /// A variable of any kind: constant, global, formal, local, bound.
    pub struct VarId;
);
define_id!(
    /// A type parameter of a function, procedure, quantifier, lambda, synonym or map type as written.
    pub struct TypeVarId;
);
define_id!(
    /// A declared type constructor.
    pub struct TypeCtorId;
);
define_id!(
    /// A type synonym.
    pub struct SynonymId;
);
define_id!(
    pub struct FuncId;
);
define_id!(
    /// A constant declaration (its variable is in the constant).
    pub struct ConstId;
);
define_id!(
    pub struct AxiomId;
);
define_id!(
    pub struct ProcId;
);
define_id!(
    pub struct ImplId;
);
define_id!(
    /// The inside of a code expression.
    pub struct CodeId;
);

/// An expression with its place and, after type checking, its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The token Boogie reports for it.
    pub span: Span,
    /// Its type, after type checking.
    pub ty: Option<TypeId>,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `true`, `false`.
    Bool(bool),
    /// An integer literal.
    Int(Box<BigInt>),
    /// A decimal literal.
    Real(Box<Decimal>),
    /// `5bv8`.
    Bv {
        /// The value, less than two to the width when well typed.
        value: Box<BigInt>,
        /// The width in bits.
        width: u32,
    },
    /// `0x1.8e3f24e8` and the special values.
    Float(Box<FloatLit>),
    /// `RNE` and its kin.
    Rounding(Rounding),
    /// `"…"`, content as written between the quotes.
    Str(Box<str>),
    Ident {
        /// The name as written.
        name: Symbol,
        /// What it means, after resolution.
        var: Option<VarId>,
    },
    /// `old(e)`.
    Old(ExprId),
    /// `!e`, `-e`.
    Unary(UnaryOp, ExprId),
    /// A binary operation.
    Binary(BinaryOp, ExprId, ExprId),
    /// `if c then a else b`.
    Ite(ExprId, ExprId, ExprId),
    /// `int(e)`: truncates a real.
    ToInt(ExprId),
    /// `real(e)`.
    ToReal(ExprId),
    /// `f(args)`.
    Call {
        /// The name as written.
        name: Symbol,
        /// The function, after resolution.
        func: Option<FuncId>,
        args: Box<[ExprId]>,
    },
    /// `m[i, j]`.
    Select { map: ExprId, indices: Box<[ExprId]> },
    /// `m[i, j := v]`.
    Store {
        map: ExprId,
        indices: Box<[ExprId]>,
        /// The new value.
        value: ExprId,
    },
    /// `e[end:start]`, bits `start` to `end - 1`.
    Extract {
        arg: ExprId,
        /// One past the highest bit.
        end: u32,
        /// The lowest bit.
        start: u32,
    },
    /// `a ++ b` on bit-vectors.
    Concat(ExprId, ExprId),
    /// `(e: T)`.
    Ascribe(ExprId, TypeExprId),
    /// `forall`, `exists`, `lambda`.
    Binder(Box<Binder>),
    /// `(var x := e; body)`.
    Let(Box<LetExpr>),
    /// `|{ … }|`.
    Code(CodeId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinderKind {
    /// `forall`.
    Forall,
    /// `exists`.
    Exists,
    /// `lambda`.
    Lambda,
}

/// A quantifier or lambda.
#[derive(Clone, Debug)]
pub struct Binder {
    pub kind: BinderKind,
    /// Its type parameters.
    pub type_params: Vec<TypeVarId>,
    /// Its bound variables.
    pub vars: Vec<VarId>,
    /// Its attributes (`:qid`, `:weight`, …).
    pub attrs: Attributes,
    /// Its triggers, in source order.
    pub triggers: Vec<Trigger>,
    pub body: ExprId,
}

/// A trigger `{a, b}`, or `{:nopats a, b}` when not positive.
#[derive(Clone, Debug)]
pub struct Trigger {
    /// The opening brace.
    pub span: Span,
    /// Whether this is a pattern (and not a `:nopats`).
    pub positive: bool,
    pub exprs: Vec<ExprId>,
}

/// `(var x, y := a, b; {attributes} body)`.
#[derive(Clone, Debug)]
pub struct LetExpr {
    /// The bound variables; their types come from the right-hand sides if not written.
    pub vars: Vec<VarId>,
    pub values: Vec<ExprId>,
    pub attrs: Attributes,
    pub body: ExprId,
}

/// The inside of `|{ … }|`.
#[derive(Clone, Debug)]
pub struct CodeExpr {
    /// Its local variables.
    pub locals: Vec<VarId>,
    pub blocks: Vec<Block>,
}

/// A decimal literal `mantissa · 10^exponent`, and how it was written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Decimal {
    /// The digits as an integer, without trailing zeros.
    pub mantissa: BigInt,
    /// The power of ten.
    pub exponent: i32,
}

/// A floating-point literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FloatLit {
    /// Bits of the significand, the hidden one included.
    pub significand_bits: u32,
    /// Bits of the exponent.
    pub exponent_bits: u32,
    pub value: FloatValue,
}

/// The value of a floating-point literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatValue {
    /// `0NaN24e8`.
    Nan,
    /// `0+oo24e8`, `0-oo24e8`.
    Infinity {
        /// `-oo`.
        negative: bool,
    },
    /// A finite value by its fields.
    Finite {
        /// The sign bit.
        negative: bool,
        /// The biased exponent field.
        exponent: BigInt,
        /// The significand field without the hidden bit.
        significand: BigInt,
    },
}

/// A rounding mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// `RNE`, `roundNearestTiesToEven`.
    NearestEven,
    /// `RNA`, `roundNearestTiesToAway`.
    NearestAway,
    /// `RTP`, `roundTowardPositive`.
    Positive,
    /// `RTN`, `roundTowardNegative`.
    Negative,
    /// `RTZ`, `roundTowardZero`.
    Zero,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`.
    Neg,
    /// `!`.
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `div`, Euclidean on integers.
    Div,
    /// `mod`.
    Mod,
    /// `/`, on reals and floats (integers are converted).
    RealDiv,
    /// `**`.
    Pow,
    /// `==`.
    Eq,
    /// `!=`.
    Neq,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `==>` (`<==` is parsed with its sides exchanged).
    Imp,
    /// `<==>`.
    Iff,
    /// `<:`.
    Subtype,
}

/// Attributes in source order.
#[derive(Clone, Debug, Default)]
pub struct Attributes(pub Vec<Attribute>);

/// `{:key params}`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The opening brace.
    pub span: Span,
    /// The key, without the colon.
    pub key: Symbol,
    pub params: Vec<AttrParam>,
}

/// A parameter of an attribute.
#[derive(Clone, Debug)]
pub enum AttrParam {
    Expr(ExprId),
    /// A string, as written between the quotes.
    Str(Box<str>),
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The place of its first token (`[` or `<` of map types).
    pub span: Span,
    /// What it is.
    pub kind: TypeExprKind,
}

/// The kinds of types as written.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// `int`.
    Int,
    /// `real`.
    Real,
    /// `bool`.
    Bool,
    /// `bv32`.
    Bv(u32),
    /// `float24e8`.
    Float(u32, u32),
    /// `rmode`.
    RMode,
    /// `string`.
    Str,
    /// `regex`.
    RegEx,
    /// A type parameter, constructor or synonym with arguments.
    Named {
        name: Symbol,
        args: Box<[TypeExprId]>,
    },
    /// `<a>[T, U]V`.
    Map {
        /// The bound type parameters.
        params: Box<[TypeVarId]>,
        /// The index types.
        args: Box<[TypeExprId]>,
        /// The value type.
        result: TypeExprId,
    },
}

/// A simple command.
#[derive(Clone, Debug)]
pub struct Cmd {
    /// The token Boogie reports.
    pub span: Span,
    /// What it is.
    pub kind: CmdKind,
    pub attrs: Attributes,
}

/// The kinds of simple commands.
#[derive(Clone, Debug)]
pub enum CmdKind {
    /// `assert e;` (also a loop invariant).
    Assert(ExprId),
    /// `assume e;` (also a free loop invariant).
    Assume(ExprId),
    /// `a, m[i] := x, y;`.
    Assign {
        lhss: Vec<AssignLhs>,
        /// The values, all evaluated before any assignment.
        rhss: Vec<ExprId>,
    },
    /// `havoc x, y;` with identifier expressions.
    Havoc(Vec<ExprId>),
    /// `call x, y := P(a, b);`.
    Call(Box<CallCmd>),
    /// `par call A() | B();`.
    ParCall(Vec<CmdId>),
    /// `yield;`.
    Yield,
}

/// The target of an assignment: a variable, possibly indexed one or more times.
#[derive(Clone, Debug)]
pub struct AssignLhs {
    /// The variable, an identifier expression.
    pub target: ExprId,
    /// The indexings, from the variable outwards: `m[i][j]` has `[i]` then `[j]`.
    pub indexings: Vec<Indexing>,
    /// Indexings and fields instead, if there are fields (`x->f[i]`); type checking makes them part of the value.
    pub path: Vec<Step>,
}

/// One step from a variable to the part of it that is assigned to.
#[derive(Clone, Debug)]
pub enum Step {
    /// `->name`, with the place of the name.
    Field { name: Symbol, span: Span },
    /// `[i, j]`.
    Index { span: Span, indices: Box<[ExprId]> },
}

/// One `[i, j]` of an assignment target.
#[derive(Clone, Debug)]
pub struct Indexing {
    pub span: Span,
    pub indices: Box<[ExprId]>,
    /// The type arguments at which a polymorphic map is used, after type checking.
    pub type_args: Box<[TypeId]>,
}

#[derive(Clone, Debug)]
pub struct CallCmd {
    /// `async call`.
    pub is_async: bool,
    /// `free call`: preconditions are neither checked nor assumed.
    pub is_free: bool,
    /// `call forall`.
    pub is_forall: bool,
    /// The name of the procedure.
    pub name: Symbol,
    /// The procedure, after resolution.
    pub proc: Option<ProcId>,
    /// The actual in-parameters; `None` is `*`.
    pub ins: Vec<Option<ExprId>>,
    /// The actual out-parameters, identifier expressions; `None` is `*`.
    pub outs: Vec<Option<ExprId>>,
    /// The type arguments, after type checking, one per type parameter of the procedure.
    pub type_args: Box<[TypeId]>,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// The `goto` or `return` token, or the place Boogie gives an implicit one.
    pub span: Span,
    /// What it is.
    pub kind: TransferKind,
}

/// The kinds of transfer.
#[derive(Clone, Debug)]
pub enum TransferKind {
    /// `goto A, B;` with the positions of the blocks, once known.
    Goto {
        /// The labels as written.
        labels: Vec<Symbol>,
        /// Their positions in the list of blocks (filled by the desugaring into blocks).
        targets: Vec<u32>,
    },
    /// `return;`.
    Return,
    /// `return e;` of a code expression.
    ReturnExpr(ExprId),
}

/// A statement list as written: blocks of simple commands ended by at most one structured command or transfer.
#[derive(Clone, Debug)]
pub struct StmtList {
    pub blocks: Vec<BigBlock>,
    /// The closing brace.
    pub end: Span,
}

/// A piece of a statement list.
#[derive(Clone, Debug)]
pub struct BigBlock {
    /// The label token, or the first token.
    pub span: Span,
    /// The label as written, if there is one.
    pub label: Option<Symbol>,
    /// The simple commands.
    pub cmds: Vec<CmdId>,
    /// What comes after them.
    pub end: BlockEnd,
}

/// What ends a piece of a statement list.
#[derive(Clone, Debug)]
pub enum BlockEnd {
    /// Falls through to the next piece.
    None,
    /// `goto`, `return`.
    Transfer(Transfer),
    /// `if … else if … else …`.
    If {
        /// The arms; the first is the `if`, the others `else if`.
        arms: Vec<IfArm>,
        /// The final `else`.
        otherwise: Option<StmtListId>,
    },
    /// `while`.
    While {
        span: Span,
        /// The guard; `None` is `*`.
        guard: Option<ExprId>,
        /// Invariants, as assert or (free) assume commands.
        invariants: Vec<CmdId>,
        body: StmtListId,
    },
    /// `break` with an optional label.
    Break { span: Span, label: Option<Symbol> },
}

/// An `if` or `else if` with its body.
#[derive(Clone, Debug)]
pub struct IfArm {
    /// The `if` token.
    pub span: Span,
    /// The guard; `None` is `*`.
    pub guard: Option<ExprId>,
    pub body: StmtListId,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The place Boogie reports for it in execution traces.
    pub span: Span,
    /// The label: as written, or made by Boogie's rules (`anon3_LoopHead`).
    pub label: Symbol,
    pub cmds: Vec<CmdId>,
    /// How it ends.
    pub transfer: Transfer,
}
