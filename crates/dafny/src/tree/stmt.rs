//! Statements.

use super::{
    Attribute, Case, Clause, Decreases, ExprId, Frame, LabelId, MemberId, Pattern, StmtId, Ty,
    VarBound, VarId,
};
use stet_base::{Span, Symbol};

#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// The whole statement.
    pub span: Span,
    /// Where messages about it point.
    pub tok: Span,
    /// Whether it is ghost, by itself or by its context.
    pub ghost: bool,
    /// Labels in front of it, for `break` and `old@`.
    pub labels: Vec<LabelId>,
    pub attributes: Vec<Attribute>,
}

/// A label; `old@L` refers to the heap when control reached the labelled statement.
#[derive(Clone, Debug)]
pub struct Label {
    pub name: Symbol,
    /// Where it is.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `assert L: e by { … }`
    Assert {
        expr: ExprId,
        /// Its label, for `reveal L`: then the condition is assumed only after that.
        label: Option<LabelId>,
        /// The proof, which only this assertion sees.
        by: Option<StmtId>,
    },
    /// `assume e`; `{:axiom}` among the attributes says that the user meant it.
    Assume(ExprId),
    /// `expect e, message`: assumed afterwards.
    Expect {
        expr: ExprId,
        message: Option<ExprId>,
    },
    /// `print …`
    Print(Vec<ExprId>),
    /// A call or such-that assignment with a proof of what it requires; only that sees the proof. Not a scope.
    ByProof {
        /// What requires something.
        stmt: StmtId,
        /// The block after `by`, which shows it.
        proof: StmtId,
    },
    /// `{ … }`: a scope.
    Block(Vec<StmtId>),
    /// Several statements that are one in the source (unfolded `:-`); not a scope.
    Sequence(Vec<StmtId>),
    /// Part of the unfolded `:-`: the first left-hand side is another place than each of the rest. They are parts of statements that
    /// follow.
    Apart {
        /// What is assigned last.
        first: ExprId,
        /// What is assigned before.
        rest: Vec<ExprId>,
    },
    /// `opaque { … }`: what follows knows only the `ensures` clauses.
    OpaqueBlock {
        /// `ensures`
        ensures: Vec<Clause>,
        /// `modifies`
        modifies: Frame,
        body: StmtId,
    },
    /// `var x, y := …;`: declares, then runs `init` (an assignment of any kind to exactly these variables).
    VarDecl {
        vars: Vec<VarId>,
        init: Option<StmtId>,
    },
    /// `var (x, y) := e;`
    VarPattern {
        /// The pattern, irrefutable by type or checked.
        pattern: Pattern,
        rhs: ExprId,
    },
    /// Simultaneous assignment; as many right-hand sides as left-hand sides.
    Assign {
        /// Variables, fields, elements.
        lhss: Vec<ExprId>,
        rhss: Vec<Rhs>,
    },
    /// `x, y :| e;`
    AssignSuchThat {
        /// Variables, fields, elements.
        lhss: Vec<ExprId>,
        /// The condition, over the new values.
        expr: ExprId,
        /// `:| assume e`: existence is not checked.
        assume: bool,
        /// Bounds of the left-hand sides, for existence.
        bounds: Vec<Option<VarBound>>,
        /// `{:trigger …}` and others before `:|`.
        attributes: Vec<Attribute>,
    },
    /// `x, y := m(…);` with a method, lemma, or constructor call through `this`.
    Call(MethodCall),
    /// `if`
    If {
        guard: Guard,
        then: StmtId,
        /// A block or another `if`.
        els: Option<StmtId>,
    },
    /// `if { case … }`: at least one guard must hold.
    IfCases(Vec<GuardedCase>),
    /// `while`
    While {
        guard: Guard,
        spec: LoopSpec,
        /// The body; absent for a loop without body (`while e invariant … ;`).
        body: Option<StmtId>,
    },
    /// `while { case … }`
    WhileCases {
        cases: Vec<GuardedCase>,
        spec: LoopSpec,
    },
    /// `for i := lo to hi` or `for i := hi downto lo`
    For {
        /// The loop index.
        var: VarId,
        /// The first bound as written.
        start: ExprId,
        /// The second bound; absent for `*`.
        end: Option<ExprId>,
        /// `to` (upwards) or `downto`.
        up: bool,
        spec: LoopSpec,
        body: Option<StmtId>,
    },
    /// `match`
    Match {
        scrutinee: ExprId,
        /// The cases, tried in order; bodies are blocks.
        cases: Vec<Case<StmtId>>,
    },
    /// `forall x | range ensures … { … }`
    Forall {
        /// The bound variables.
        vars: Vec<VarId>,
        /// The range; `true` if not given.
        range: ExprId,
        /// `ensures`
        ensures: Vec<Clause>,
        /// The body; absent only in refinement bases.
        body: Option<StmtId>,
        /// What the body may do.
        kind: ForallKind,
        /// One bound for each variable, where found.
        bounds: Vec<Option<VarBound>>,
    },
    /// `modify frame { … }`
    Modify {
        /// What may change.
        frame: Frame,
        /// The deprecated body.
        body: Option<StmtId>,
    },
    /// `calc`
    Calc(Box<Calc>),
    /// `reveal f(), L, C.g;`
    Reveal(Vec<RevealTarget>),
    /// `hide f, *;`
    Hide(Vec<RevealTarget>),
    /// `break` or `continue`
    Break {
        /// Leaves this statement: a loop, or a labelled statement.
        target: StmtId,
        /// `continue`: the next iteration of the loop `target`.
        is_continue: bool,
    },
    /// `return …;`; `init` assigns the out-parameters first.
    Return {
        /// The assignment to the out-parameters.
        init: Option<StmtId>,
    },
    /// `yield …;`
    Yield {
        /// The assignment to the yield-parameters.
        init: Option<StmtId>,
    },
    Error,
}

/// A right-hand side.
#[derive(Clone, Debug)]
pub enum Rhs {
    Expr(ExprId),
    /// `*`
    Havoc,
    /// `new C`, `new C(…)`, `new C.Init(…)`
    NewObject {
        /// The (non-null) type of the object.
        ty: Ty,
        /// The constructor call; its receiver is the new object (`receiver` is absent).
        init: Option<MethodCall>,
        /// Where it is.
        span: Span,
    },
    /// `new T[n, m](f)` or `new T[n][a, b, c]`
    NewArray {
        /// The (non-null) array type.
        ty: Ty,
        /// The elements' type.
        elem: Ty,
        dims: Vec<ExprId>,
        /// The initial elements.
        init: ArrayInit,
        /// Where it is.
        span: Span,
    },
}

/// The initial elements of an array.
#[derive(Clone, Debug)]
pub enum ArrayInit {
    None,
    /// A function from indices.
    Function(ExprId),
    /// The elements in order.
    Display(Vec<ExprId>),
}

/// A call of a method, lemma or constructor.
#[derive(Clone, Debug)]
pub struct MethodCall {
    pub method: MemberId,
    /// The receiver of an instance method (for a constructor in `new`: absent).
    pub receiver: Option<ExprId>,
    /// The expression that a static method is selected from: evaluated for nothing else than having a value.
    pub aside: Option<ExprId>,
    /// The arguments for the type parameters of the type that declares the method.
    pub owner_args: Vec<Ty>,
    /// The arguments for the method's own type parameters.
    pub type_args: Vec<Ty>,
    /// The arguments, one for each in-parameter.
    pub args: Vec<ExprId>,
    /// The left-hand sides, one for each out-parameter (or none at all, when the results are dropped).
    pub lhss: Vec<ExprId>,
    /// `L#[k](…)`: the prefix lemma.
    pub prefix: Option<ExprId>,
    /// `m@L(…)`: the old state of a two-state lemma.
    pub at: Option<LabelId>,
    /// Where messages about the call point.
    pub tok: Span,
}

/// The condition of an `if` or `while`.
#[derive(Clone, Debug)]
pub enum Guard {
    Expr(ExprId),
    /// `*`
    Any,
    /// `x :| e`: true if such values exist, which the body then has.
    Binding {
        vars: Vec<VarId>,
        expr: ExprId,
        /// One bound for each variable, where found.
        bounds: Vec<Option<VarBound>>,
        attributes: Vec<Attribute>,
        /// Where `:|` is.
        tok: Span,
    },
}

/// A case of `if { … }` or `while { … }`.
#[derive(Clone, Debug)]
pub struct GuardedCase {
    pub guard: Guard,
    /// The body, a block.
    pub body: StmtId,
    pub attributes: Vec<Attribute>,
    /// Where the case is.
    pub span: Span,
}

/// The specification of a loop.
#[derive(Clone, Default, Debug)]
pub struct LoopSpec {
    /// `invariant`
    pub invariants: Vec<Clause>,
    /// `modifies`, if `given`; otherwise the method's frame applies.
    pub modifies: Frame,
    /// `decreases`
    pub decreases: Decreases,
}

/// What the body of a `forall` statement does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ForallKind {
    /// One assignment to a heap location, simultaneously for all values.
    Assign,
    /// One lemma call; what it ensures holds for all values.
    Call,
    /// A proof of the `ensures` clauses.
    Proof,
}

#[derive(Clone, Debug)]
pub struct Calc {
    /// The lines, one more than `steps` (or none at all).
    pub lines: Vec<ExprId>,
    /// For step `i`: the relation between lines `i` and `i + 1`, as an expression, and its proof.
    pub steps: Vec<CalcStep>,
    /// What the whole calculation proves, if it has at least one step.
    pub result: Option<ExprId>,
}

/// A step of a calculation.
#[derive(Clone, Debug)]
pub struct CalcStep {
    /// The relation to be proved, over the two lines.
    pub relation: ExprId,
    /// The hints: blocks.
    pub hints: Vec<StmtId>,
    /// Where the operator is.
    pub span: Span,
}

/// What is revealed or hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RevealTarget {
    /// The body of a function or constant.
    Member(MemberId),
    /// A labelled assertion or precondition.
    Label(LabelId),
    /// `*`
    All,
}
