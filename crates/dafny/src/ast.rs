//! The syntax tree, as written. Private to the crate: the resolver turns it into [`crate::tree`].
//!
//! Expressions, statements and types live in arenas of one [`Ast`] shared by all files of a program, so that depth costs
//! no stack on drop and a refining module can resolve the syntax of its base again.

#![allow(
    dead_code,
    reason = "the syntax keeps parts that only further checks read"
)]

use crate::tree::{ArrowKind, Decimal, Extremum, Variance};
use num_bigint::BigInt;
use stet_base::{IdVec, Span, Symbol};

stet_base::define_id!(
    pub(crate) struct ExprId;
);
stet_base::define_id!(
    pub(crate) struct StmtId;
);
stet_base::define_id!(
    pub(crate) struct TypeId;
);
stet_base::define_id!(
    pub(crate) struct PatId;
);

#[derive(Default, Debug)]
pub(crate) struct Ast {
    pub(crate) exprs: IdVec<ExprId, Expr>,
    pub(crate) stmts: IdVec<StmtId, Stmt>,
    pub(crate) types: IdVec<TypeId, TypeExpr>,
    pub(crate) pats: IdVec<PatId, Pat>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Name {
    pub(crate) sym: Symbol,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Attr {
    pub(crate) name: Name,
    pub(crate) args: Vec<ExprId>,
}

/// A name with optional type arguments.
#[derive(Clone, Debug)]
pub(crate) struct Seg {
    pub(crate) name: Name,
    pub(crate) args: Option<Vec<TypeId>>,
}

#[derive(Clone, Debug)]
pub(crate) struct TypeExpr {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coll {
    Set,
    Iset,
    Multiset,
    Seq,
    Map,
    Imap,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Bool,
    Char,
    Int,
    Nat,
    Real,
    Ordinal,
    Object(bool),
    Str,
    Bv(u32),
    /// `fp32`, `fp64`: named so that the resolver can refuse them.
    Float(Symbol),
    Coll(Coll, Option<Vec<TypeId>>),
    Array {
        dims: u32,
        nullable: bool,
        args: Option<Vec<TypeId>>,
    },
    Path(Vec<Seg>),
    Tuple(Vec<(TypeId, bool)>),
    Arrow(ArrowKind, Vec<TypeId>, TypeId),
    Error,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    pub(crate) tok: Span,
}

/// An argument, possibly named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arg {
    pub(crate) name: Option<Name>,
    pub(crate) value: ExprId,
    pub(crate) ghost: bool,
}

/// A bound variable with its own domain and range: `x: T <- C | P`.
#[derive(Clone, Debug)]
pub(crate) struct QVar {
    pub(crate) name: Name,
    pub(crate) ty: Option<TypeId>,
    pub(crate) domain: Option<ExprId>,
    pub(crate) range: Option<ExprId>,
    pub(crate) attrs: Vec<Attr>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinOp {
    Iff,
    Imp,
    Exp,
    And,
    Or,
    Eq,
    Neq,
    Lt,
    Le,
    Ge,
    Gt,
    Disjoint,
    In,
    NotIn,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    BitAnd,
    BitOr,
    BitXor,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnOp {
    Not,
    Neg,
    Card,
}

#[derive(Clone, Debug)]
pub(crate) struct FrameItem {
    pub(crate) expr: ExprId,
    pub(crate) field: Option<Name>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) items: Vec<FrameItem>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) given: Option<Span>,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Bool(bool),
    Int(BigInt),
    Real(Decimal),
    Char(u32),
    Str(Vec<u32>),
    Null,
    This,
    Name(Seg),
    Dot(ExprId, Seg),
    Apply {
        callee: ExprId,
        args: Vec<Arg>,
        at: Option<Name>,
        /// `P#[k](…)`
        prefix: Option<ExprId>,
    },
    Index(ExprId, Vec<ExprId>),
    Slice(ExprId, Option<ExprId>, Option<ExprId>),
    MultiSlice(ExprId, Vec<ExprId>, bool),
    Update(ExprId, ExprId, ExprId),
    DatatypeUpdate(ExprId, Vec<(Name, ExprId)>),
    Unary(UnOp, ExprId),
    Binary(BinOp, ExprId, ExprId),
    /// `a < b <= c`: operands, operators with their places, prefix depths (`==#[k]`).
    Chain(Vec<ExprId>, Vec<(BinOp, Span, Option<ExprId>)>),
    Old(ExprId, Option<Name>),
    Fresh(ExprId, Option<Name>),
    Allocated(ExprId),
    Unchanged(Frame, Option<Name>),
    Set(bool, Vec<ExprId>),
    Multiset(Vec<ExprId>),
    MultisetOf(ExprId),
    Seq(Vec<ExprId>),
    Map(bool, Vec<(ExprId, ExprId)>),
    SeqConstruct(Option<Vec<TypeId>>, ExprId, ExprId),
    SetComp {
        finite: bool,
        vars: Vec<QVar>,
        attrs: Vec<Attr>,
        range: Option<ExprId>,
        term: Option<ExprId>,
    },
    MapComp {
        finite: bool,
        vars: Vec<QVar>,
        attrs: Vec<Attr>,
        range: Option<ExprId>,
        key: Option<ExprId>,
        value: ExprId,
    },
    Quant {
        forall: bool,
        vars: Vec<QVar>,
        attrs: Vec<Attr>,
        range: Option<ExprId>,
        body: ExprId,
    },
    Ite(ExprId, ExprId, ExprId),
    /// `if x :| e then a else b`
    IteBinding(Vec<QVar>, ExprId, ExprId, ExprId),
    Match(ExprId, Vec<Case<ExprId>>),
    Let {
        ghost: bool,
        pats: Vec<PatId>,
        values: Vec<ExprId>,
        body: ExprId,
        attrs: Vec<Attr>,
    },
    LetSuchThat {
        ghost: bool,
        vars: Vec<QVar>,
        condition: ExprId,
        body: ExprId,
        attrs: Vec<Attr>,
    },
    /// `var x :- e; body` or `:- e; body`
    LetOrFail {
        ghost: bool,
        pat: Option<PatId>,
        value: ExprId,
        body: ExprId,
    },
    Lambda {
        params: Vec<QVar>,
        requires: Vec<ExprId>,
        reads: Frame,
        body: ExprId,
    },
    StmtIn(StmtId, ExprId),
    Convert(ExprId, TypeId),
    Test(ExprId, TypeId),
    Tuple(Vec<Arg>),
    Paren(ExprId),
    DecreasesTo(Vec<ExprId>, Vec<ExprId>, bool),
    /// `e\`f`: a memory location.
    FieldLocation(ExprId, Name),
    /// `*` where a specification allows it.
    Wild,
    Error,
}

#[derive(Clone, Debug)]
pub(crate) struct Case<B> {
    pub(crate) pat: PatId,
    pub(crate) body: B,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Pat {
    pub(crate) kind: PatKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum PatKind {
    Wild,
    /// A name with or without arguments: a variable, a constant or a constructor.
    Id {
        path: Vec<Name>,
        args: Option<Vec<PatId>>,
        ty: Option<TypeId>,
        ghost: bool,
    },
    Tuple(Vec<PatId>),
    Lit(ExprId),
    Or(Vec<PatId>),
    Error,
}

#[derive(Clone, Debug)]
pub(crate) struct Clause {
    pub(crate) expr: ExprId,
    pub(crate) label: Option<Name>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) free: bool,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Decreases {
    pub(crate) exprs: Vec<ExprId>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) given: Option<Span>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Spec {
    pub(crate) requires: Vec<Clause>,
    pub(crate) ensures: Vec<Clause>,
    pub(crate) reads: Frame,
    pub(crate) modifies: Frame,
    pub(crate) decreases: Decreases,
    pub(crate) invariants: Vec<Clause>,
    pub(crate) yield_requires: Vec<Clause>,
    pub(crate) yield_ensures: Vec<Clause>,
}

#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
    pub(crate) tok: Span,
    pub(crate) labels: Vec<Name>,
    pub(crate) attrs: Vec<Attr>,
}

#[derive(Clone, Debug)]
pub(crate) enum Rhs {
    Expr(ExprId, Vec<Attr>),
    Havoc(Span),
    New {
        ty: TypeId,
        span: Span,
        kind: NewKind,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum NewKind {
    Object,
    /// `new C(…)`; with a constructor name the last segment of the type is that name.
    Call(Vec<Arg>, Span),
    /// `new T[n, m]`, with `(f)` or `[…]`.
    Array(Vec<ExprId>, Option<ExprId>, Option<Vec<ExprId>>),
}

#[derive(Clone, Debug)]
pub(crate) struct LocalVar {
    pub(crate) name: Name,
    pub(crate) ty: Option<TypeId>,
    pub(crate) ghost: bool,
    pub(crate) attrs: Vec<Attr>,
}

#[derive(Clone, Debug)]
pub(crate) enum Guard {
    Expr(ExprId),
    Any,
    /// With the place of `:|`.
    Binding(Vec<QVar>, ExprId, Span),
    /// `...` of a refining statement.
    Skeleton,
}

#[derive(Clone, Debug)]
pub(crate) struct GuardedCase {
    pub(crate) guard: Guard,
    pub(crate) body: Vec<StmtId>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Update {
    /// `lhss := rhss`
    Assign(Vec<Rhs>, Span),
    /// `lhss :| e`, with `assume` and its attributes, and those before `:|`
    SuchThat(ExprId, Option<Vec<Attr>>, Vec<Attr>, Span),
    /// `lhss :- e, …` with `expect`, `assert` or `assume`
    OrFail {
        value: Rhs,
        rest: Vec<Rhs>,
        keyword: Option<(FailKeyword, Span)>,
        tok: Span,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailKeyword {
    Expect,
    Assert,
    Assume,
}

#[derive(Clone, Debug)]
pub(crate) enum RevealItem {
    All,
    Expr(ExprId),
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Assert {
        expr: Option<ExprId>,
        label: Option<Name>,
        by: Option<StmtId>,
    },
    Assume(Option<ExprId>),
    Expect(Option<ExprId>, Option<ExprId>),
    Print(Vec<ExprId>),
    Block(Vec<StmtId>),
    OpaqueBlock(Box<Spec>, StmtId),
    /// A call or such-that assignment with its proof.
    By(StmtId, StmtId),
    Var {
        vars: Vec<LocalVar>,
        update: Option<Update>,
    },
    VarPattern {
        ghost: bool,
        pat: PatId,
        rhs: ExprId,
    },
    /// An assignment of any kind, or an expression (call) when there is no update.
    Update {
        lhss: Vec<ExprId>,
        update: Option<Update>,
    },
    If {
        guard: Guard,
        then: StmtId,
        els: Option<StmtId>,
    },
    IfCases(Vec<GuardedCase>, bool),
    While {
        guard: Guard,
        spec: Box<Spec>,
        body: Option<StmtId>,
        body_skeleton: bool,
    },
    WhileCases {
        cases: Vec<GuardedCase>,
        spec: Box<Spec>,
    },
    For {
        var: LocalVar,
        start: ExprId,
        end: Option<ExprId>,
        up: bool,
        spec: Box<Spec>,
        body: Option<StmtId>,
    },
    Match(ExprId, Vec<Case<Vec<StmtId>>>, bool),
    Forall {
        vars: Vec<QVar>,
        attrs: Vec<Attr>,
        range: Option<ExprId>,
        ensures: Vec<Clause>,
        body: Option<StmtId>,
    },
    Modify {
        frame: Option<Frame>,
        body: Option<StmtId>,
    },
    Calc(Box<Calc>),
    Reveal(Vec<RevealItem>),
    Hide(Vec<RevealItem>),
    Break {
        count: u32,
        label: Option<Name>,
        is_continue: bool,
    },
    Return(Option<Vec<Rhs>>),
    Yield(Option<Vec<Rhs>>),
    /// `...;`
    Skeleton,
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CalcOp {
    Bin(BinOp),
    Prefix(ExprId),
}

#[derive(Clone, Debug)]
pub(crate) struct Calc {
    pub(crate) op: Option<(CalcOp, Span)>,
    pub(crate) lines: Vec<ExprId>,
    pub(crate) hints: Vec<Vec<StmtId>>,
    pub(crate) step_ops: Vec<Option<(CalcOp, Span)>>,
    pub(crate) attrs: Vec<Attr>,
}

// Declarations.

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Modifiers {
    pub(crate) is_abstract: Option<Span>,
    pub(crate) ghost: Option<Span>,
    pub(crate) is_static: Option<Span>,
    pub(crate) opaque: Option<Span>,
    pub(crate) replaceable: Option<Span>,
}

#[derive(Clone, Debug)]
pub(crate) struct TypeParam {
    pub(crate) name: Name,
    pub(crate) variance: Option<Variance>,
    pub(crate) equality: bool,
    pub(crate) auto_init: bool,
    pub(crate) nonempty: bool,
    pub(crate) no_references: bool,
    pub(crate) bounds: Vec<TypeId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Formal {
    pub(crate) name: Option<Name>,
    pub(crate) ty: TypeId,
    pub(crate) ghost: bool,
    pub(crate) is_new: bool,
    pub(crate) is_older: bool,
    pub(crate) nameonly: bool,
    pub(crate) default: Option<ExprId>,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub(crate) path: Vec<Name>,
    pub(crate) is_abstract: bool,
    pub(crate) replaceable: bool,
    pub(crate) refines: Option<Vec<Name>>,
    pub(crate) replaces: bool,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) decls: Vec<Decl>,
    pub(crate) span: Span,
    pub(crate) verify: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Decl {
    Module(Box<Module>),
    Import(Import),
    Export(Export),
    Type(Box<TypeDecl>),
    Member(Box<Member>),
}

#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) opened: bool,
    pub(crate) name: Name,
    pub(crate) path: Vec<Name>,
    /// `import M : P`
    pub(crate) is_abstract: bool,
    pub(crate) exports: Vec<Name>,
    pub(crate) explicit_name: bool,
    /// The name it declares; the keyword when the name is the last of the path.
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Export {
    pub(crate) name: Option<Name>,
    pub(crate) span: Span,
    pub(crate) extends: Vec<Name>,
    pub(crate) provides: Vec<Vec<Name>>,
    pub(crate) reveals: Vec<Vec<Name>>,
    pub(crate) provides_all: bool,
    pub(crate) reveals_all: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct TypeDecl {
    pub(crate) name: Name,
    pub(crate) mods: Modifiers,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) params: Vec<TypeParam>,
    pub(crate) parents: Vec<TypeId>,
    pub(crate) kind: TypeDeclKind,
    pub(crate) members: Vec<Member>,
    /// `...` of a refining declaration.
    pub(crate) refining: bool,
    /// The characteristics a synonym or subset type declares.
    pub(crate) promised: Option<TypeParam>,
    pub(crate) span: Span,
    pub(crate) verify: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Witness {
    None,
    Compiled(ExprId),
    Ghost(ExprId),
    Star,
}

#[derive(Clone, Debug)]
pub(crate) struct Constrained {
    pub(crate) var: Option<(Name, Option<TypeId>)>,
    pub(crate) base: Option<TypeId>,
    pub(crate) constraint: Option<ExprId>,
    pub(crate) witness: Witness,
}

#[derive(Clone, Debug)]
pub(crate) struct Ctor {
    pub(crate) name: Name,
    pub(crate) ghost: bool,
    pub(crate) formals: Vec<Formal>,
    pub(crate) attrs: Vec<Attr>,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeDeclKind {
    Class,
    Trait,
    Datatype { co: bool, ctors: Vec<Ctor> },
    Newtype(Constrained),
    Subset(Constrained),
    Synonym(TypeId),
    Abstract(TypeParam),
    Iterator(Box<Iterator>),
}

#[derive(Clone, Debug)]
pub(crate) struct Iterator {
    pub(crate) ins: Vec<Formal>,
    pub(crate) outs: Vec<Formal>,
    pub(crate) spec: Spec,
    pub(crate) body: Option<StmtId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Name,
    pub(crate) mods: Modifiers,
    pub(crate) attrs: Vec<Attr>,
    pub(crate) kind: MemberKind,
    pub(crate) span: Span,
    pub(crate) verify: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum MemberKind {
    Field(TypeId),
    Const(Option<TypeId>, Option<ExprId>, bool),
    Function(Box<Function>),
    Method(Box<Method>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ExtremeMark {
    pub(crate) kind: Extremum,
    /// `[nat]`, otherwise `ORDINAL`.
    pub(crate) nat: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) is_predicate: bool,
    pub(crate) twostate: bool,
    pub(crate) extreme: Option<ExtremeMark>,
    pub(crate) params: Vec<TypeParam>,
    pub(crate) ins: Vec<Formal>,
    pub(crate) result_name: Option<Name>,
    pub(crate) result: Option<TypeId>,
    pub(crate) spec: Spec,
    pub(crate) body: Option<ExprId>,
    pub(crate) by_method: Option<StmtId>,
    /// `...` instead of a signature.
    pub(crate) refining: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MethodKind {
    Method,
    Lemma,
    TwostateLemma,
    Constructor,
}

#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) kind: MethodKind,
    pub(crate) extreme: Option<ExtremeMark>,
    pub(crate) params: Vec<TypeParam>,
    pub(crate) ins: Vec<Formal>,
    pub(crate) outs: Vec<Formal>,
    pub(crate) spec: Spec,
    pub(crate) body: Option<StmtId>,
    /// The part after `new;`.
    pub(crate) after_new: Option<StmtId>,
    pub(crate) refining: bool,
    pub(crate) has_signature: bool,
}
