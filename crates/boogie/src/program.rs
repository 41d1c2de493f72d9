//! A program: its declarations and the arenas their trees live in.
//!
//! [`Program`] is what the parser builds, resolution and type checking annotate, and the verifier reads and
//! extends. Guarantees after type checking without errors:
//!
//! * every `Option` id of the syntax tree is `Some`, every expression reachable from a declaration has a type;
//! * the type arguments of polymorphic functions, selections and updates are in [`Program::type_args`]
//!   (absent means none), those of calls and assignment targets in the node;
//! * every goto has its targets, labels are unique in a body.

use crate::ast::*;
use crate::position::Origins;
use crate::types::{TypeId, TypeTable};
use num_bigint::BigInt;
use stet_base::{FastMap, FastSet, IdVec, Interner, Span, Symbol};

/// A whole program, possibly of several files.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub names: Interner,
    pub exprs: IdVec<ExprId, Expr>,
    /// Type arguments of polymorphic applications, selections, updates, after type checking.
    pub type_args: FastMap<ExprId, Box<[TypeId]>>,
    /// All types as written.
    pub type_exprs: IdVec<TypeExprId, TypeExpr>,
    /// All resolved types.
    pub types: TypeTable,
    /// All simple commands.
    pub cmds: IdVec<CmdId, Cmd>,
    /// All statement lists.
    pub stmts: IdVec<StmtListId, StmtList>,
    pub vars: IdVec<VarId, Variable>,
    /// All type parameters.
    pub type_vars: IdVec<TypeVarId, TypeVar>,
    /// All code expressions.
    pub codes: IdVec<CodeId, CodeExpr>,
    /// The declarations in source order.
    pub decls: Vec<Decl>,
    /// Declared type constructors.
    pub type_ctors: IdVec<TypeCtorId, TypeCtor>,
    pub synonyms: IdVec<SynonymId, Synonym>,
    pub funcs: IdVec<FuncId, Function>,
    pub consts: IdVec<ConstId, Constant>,
    pub axioms: IdVec<AxiomId, Axiom>,
    pub procs: IdVec<ProcId, Procedure>,
    pub impls: IdVec<ImplId, Implementation>,
    /// Checks that inlining put into bodies, and where they come from.
    pub inlined_checks: FastMap<CmdId, crate::inline::InlinedCheck>,
    /// Labels of inlined blocks that ended with `return`.
    pub inlined_returns: FastSet<Symbol>,
    /// Implementations whose calls were not inlined, as that would make them too large.
    pub not_inlined: FastSet<ImplId>,
    /// Loop heads that inference found, by implementation and label; printing marks them.
    pub cut_points: FastSet<(ImplId, Symbol)>,
    /// Places where `a:b` stands outside of an extraction.
    pub(crate) misplaced_bounds: FastSet<ExprId>,
    /// Datatypes that were declared as such, and not by attributes.
    pub(crate) datatypes: FastSet<TypeCtorId>,
    /// What parsing found that is no error; type checking reports it.
    pub(crate) warnings: Vec<stet_diag::Diagnostic>,
    /// What `#line` pragmas say about positions.
    pub origins: Origins,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decl {
    /// `type T _;`.
    TypeCtor(TypeCtorId),
    /// `type T = U;`.
    Synonym(SynonymId),
    /// `function`.
    Function(FuncId),
    /// `const`.
    Constant(ConstId),
    /// `var`.
    Global(VarId),
    /// `axiom`.
    Axiom(AxiomId),
    /// `procedure`.
    Procedure(ProcId),
    /// `implementation`, or the body of a procedure.
    Implementation(ImplId),
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarKind {
    Constant,
    /// A global variable.
    Global,
    /// An in-parameter of a function, procedure or implementation.
    In,
    /// An out-parameter, or the result of a function.
    Out,
    /// A local variable of an implementation or code expression.
    Local,
    /// Bound by a quantifier, lambda or let.
    Bound,
}

#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; empty for a nameless parameter.
    pub name: Symbol,
    pub span: Span,
    /// What it is.
    pub kind: VarKind,
    /// Its type as written (absent for let-bound variables without one).
    pub type_expr: Option<TypeExprId>,
    /// Its type, after resolution (let-bound: after type checking).
    pub ty: Option<TypeId>,
    /// Its `where` clause.
    pub where_clause: Option<ExprId>,
    pub attrs: Attributes,
}

/// A type parameter.
#[derive(Clone, Debug)]
pub struct TypeVar {
    pub name: Symbol,
    pub span: Span,
}

/// A declared type constructor.
#[derive(Clone, Debug)]
pub struct TypeCtor {
    pub name: Symbol,
    pub span: Span,
    /// The names of its parameters as written (only their number matters).
    pub params: Vec<Symbol>,
    /// `finite`.
    pub finite: bool,
    pub attrs: Attributes,
    /// The constructors, if this is a datatype (`{:datatype}`), after resolution.
    pub constructors: Vec<FuncId>,
}

/// A type synonym.
#[derive(Clone, Debug)]
pub struct Synonym {
    pub name: Symbol,
    pub span: Span,
    pub params: Vec<TypeVarId>,
    /// What it stands for.
    pub body: TypeExprId,
    /// Its resolved body, over its parameters.
    pub ty: Option<TypeId>,
    pub attrs: Attributes,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Symbol,
    pub span: Span,
    /// Its type parameters.
    pub type_params: Vec<TypeVarId>,
    pub ins: Vec<VarId>,
    pub out: VarId,
    /// Its body, if it is to be expanded (`:inline`, `:define`); other bodies become axioms.
    pub body: Option<ExprId>,
    pub attrs: Attributes,
    /// What it is to a datatype, after resolution.
    pub datatype: DatatypeRole,
}

/// What a function is to a datatype.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DatatypeRole {
    #[default]
    None,
    Constructor,
    /// `field#Cons`: selects the `field`-th parameter of a constructor.
    Selector {
        constructor: FuncId,
        /// The position of the field.
        field: u32,
    },
    /// `is#Cons`: tests for a constructor.
    Tester {
        constructor: FuncId,
    },
}

#[derive(Clone, Debug)]
pub struct Constant {
    pub var: VarId,
    /// Whether it differs from every other unique constant of its type.
    pub unique: bool,
    /// `extends`: the parents, absent if there is no such clause.
    pub parents: Option<Vec<ConstParent>>,
    /// `complete`: it has no other children than those declared.
    pub complete: bool,
}

/// A parent in `extends`.
#[derive(Clone, Debug)]
pub struct ConstParent {
    /// The parent, an identifier expression.
    pub parent: ExprId,
    /// Whether the edge is `unique`.
    pub unique: bool,
}

#[derive(Clone, Debug)]
pub struct Axiom {
    pub span: Span,
    /// What it says.
    pub expr: ExprId,
    pub attrs: Attributes,
    /// The function whose body this axiom states, if it was made from one.
    pub defines: Option<FuncId>,
}

/// A `requires` or `ensures` clause.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The token Boogie reports.
    pub span: Span,
    /// `free`.
    pub free: bool,
    pub expr: ExprId,
    pub attrs: Attributes,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: Symbol,
    pub span: Span,
    /// Its type parameters.
    pub type_params: Vec<TypeVarId>,
    pub ins: Vec<VarId>,
    pub outs: Vec<VarId>,
    pub requires: Vec<Spec>,
    /// Globals it may change, identifier expressions.
    pub modifies: Vec<ExprId>,
    pub ensures: Vec<Spec>,
    /// `pure procedure`: it neither reads nor changes globals.
    pub is_pure: bool,
    pub attrs: Attributes,
}

/// An implementation. Its parameters are variables of their own, in the order of the procedure's.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// The name, that of its procedure.
    pub name: Symbol,
    pub span: Span,
    /// The procedure, after resolution.
    pub proc: Option<ProcId>,
    /// Whether it was written as the body of the procedure.
    pub is_procedure_body: bool,
    /// Its type parameters: its own, pairwise corresponding to the procedure's (the same if it is the body).
    pub type_params: Vec<TypeVarId>,
    pub ins: Vec<VarId>,
    pub outs: Vec<VarId>,
    /// Its local variables.
    pub locals: Vec<VarId>,
    /// Its body as written.
    pub body: StmtListId,
    /// Its body as basic blocks; the first is the entry.
    pub blocks: Vec<Block>,
    pub attrs: Attributes,
}

impl Program {
    /// The text of a name.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    /// Adds an expression.
    pub fn add_expr(&mut self, span: Span, kind: ExprKind, ty: Option<TypeId>) -> ExprId {
        self.exprs.push(Expr { kind, span, ty })
    }

    /// Adds a reference to a variable, typed if the variable is.
    pub fn add_var_ref(&mut self, span: Span, var: VarId) -> ExprId {
        let Variable { name, ty, .. } = self.vars[var];
        self.add_expr(
            span,
            ExprKind::Ident {
                name,
                var: Some(var),
            },
            ty,
        )
    }

    /// Adds a command without attributes.
    pub fn add_cmd(&mut self, span: Span, kind: CmdKind) -> CmdId {
        self.cmds.push(Cmd {
            span,
            kind,
            attrs: Attributes::default(),
        })
    }

    /// The type of an expression; `bool` if it was not typed.
    pub fn type_of(&self, expr: ExprId) -> TypeId {
        self.exprs[expr].ty.unwrap_or(self.types.bool())
    }

    /// The attribute with this key, the last one written winning.
    pub fn attribute<'a>(&self, attrs: &'a Attributes, key: &str) -> Option<&'a Attribute> {
        let key = self.names.lookup(key)?;
        attrs.0.iter().rev().find(|a| a.key == key)
    }

    /// The integer parameter of an attribute.
    pub fn int_attribute(&self, attrs: &Attributes, key: &str) -> Option<&BigInt> {
        match self.attribute(attrs, key)?.params.first()? {
            AttrParam::Expr(e) => match &self.exprs[*e].kind {
                ExprKind::Int(value) => Some(value),
                _ => None,
            },
            AttrParam::Str(_) => None,
        }
    }

    /// The string parameter of an attribute.
    pub fn str_attribute<'a>(&self, attrs: &'a Attributes, key: &str) -> Option<&'a str> {
        match self.attribute(attrs, key)?.params.first()? {
            AttrParam::Str(text) => Some(text),
            AttrParam::Expr(_) => None,
        }
    }

    /// Whether a Boolean attribute is set: present without parameters or with `true`; `{:key false}` unsets.
    pub fn bool_attribute(&self, attrs: &Attributes, key: &str) -> bool {
        self.attribute(attrs, key)
            .is_some_and(|attribute| match attribute.params.first() {
                None => true,
                Some(AttrParam::Expr(e)) => matches!(self.exprs[*e].kind, ExprKind::Bool(true)),
                Some(AttrParam::Str(_)) => false,
            })
    }
}
