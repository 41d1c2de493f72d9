//! Modules, declared types, constructors, members and variables.

use super::{
    Attribute, Clause, CtorId, DeclId, Decreases, ExprId, Frame, MemberId, ModuleId, StmtId, Ty,
    TypeParamId, VarId,
};
use stet_base::{Span, Symbol};

#[derive(Clone, Debug)]
pub struct Module {
    /// The last part of its name; `_module` for the outermost one.
    pub name: Symbol,
    /// Where the name is.
    pub span: Span,
    /// The enclosing module, except for the outermost one.
    pub parent: Option<ModuleId>,
    /// Whether it is declared `abstract`.
    pub is_abstract: bool,
    /// The module it refines.
    pub refines: Option<ModuleId>,
    /// Its types, in declaration order (inherited ones first).
    pub types: Vec<DeclId>,
    /// Its functions, methods and constants outside types, in declaration order (inherited ones first).
    pub members: Vec<MemberId>,
    pub modules: Vec<ModuleId>,
    /// Modules it imports, directly.
    pub imports: Vec<ModuleId>,
    /// Attributes such as `{:options …}`.
    pub attributes: Vec<Attribute>,
    /// Whether it is only visible through an export set that hides some bodies (see [`Visibility`]).
    pub has_exports: bool,
    /// Whether it comes from a file the user named (otherwise from an `include`); only those are verified.
    pub verify: bool,
}

/// The variance of a type parameter of a type declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variance {
    /// `+T`: covariant, cardinality preserving.
    Covariant,
    /// `*T`: covariant, not cardinality preserving.
    CovariantPermissive,
    /// `-T`: contravariant.
    Contravariant,
    /// `T`: non-variant, cardinality preserving.
    Invariant,
    /// `!T`: non-variant, not cardinality preserving.
    InvariantPermissive,
}

/// What a type parameter (or abstract type) requires of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Characteristics {
    /// `(==)`: supports equality at run time.
    pub equality: bool,
    /// `(0)`: has a compiled default value.
    pub auto_init: bool,
    /// `(00)` or `(0)`: is not empty.
    pub nonempty: bool,
    /// `(!new)`: contains no references.
    pub no_references: bool,
}

/// What declares a type parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeParamOwner {
    /// A type declaration.
    Type(DeclId),
    /// A function or method.
    Member(MemberId),
}

/// A type parameter.
#[derive(Clone, Debug)]
pub struct TypeParam {
    pub name: Symbol,
    /// Where it is declared.
    pub span: Span,
    /// What declares it.
    pub owner: TypeParamOwner,
    /// Its position in the owner's list.
    pub index: u32,
    /// Its variance; `Invariant` for members.
    pub variance: Variance,
    /// What it requires.
    pub characteristics: Characteristics,
    /// `T extends Trait`: its bounds.
    pub bounds: Vec<Ty>,
}

/// A declared type.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    pub name: Symbol,
    /// Where the name is.
    pub span: Span,
    /// The module it is in.
    pub module: ModuleId,
    /// Its type parameters.
    pub params: Vec<TypeParamId>,
    /// Its traits as written, with their arguments.
    pub parents: Vec<Ty>,
    /// What it is.
    pub kind: TypeDeclKind,
    /// Its own members, in declaration order; inherited trait members without override are not repeated.
    pub members: Vec<MemberId>,
    pub attributes: Vec<Attribute>,
    /// The declaration this one was copied from, in the refined module.
    pub refines: Option<DeclId>,
}

/// The kinds of declared types.
#[derive(Clone, Debug)]
pub enum TypeDeclKind {
    /// A class. Type `C` is never null, `C?` may be.
    Class {
        /// Whether it has a constructor (then `new C` needs one).
        has_constructor: bool,
    },
    /// A trait; `is_reference` says that it extends `object`, otherwise its values may be anything.
    Trait {
        /// Whether all implementers are reference types.
        is_reference: bool,
    },
    /// A datatype or codatatype.
    Datatype {
        /// Whether it is a `codatatype`.
        co: bool,
        ctors: Vec<CtorId>,
        /// The constructor the default value is made of.
        grounding_ctor: Option<CtorId>,
    },
    /// A newtype: `newtype N = x: Base | constraint witness …`.
    Newtype(Constrained),
    /// A subset type: `type S = x: Base | constraint witness …`.
    Subset(Constrained),
    /// A synonym; expanded in all types of expressions and variables.
    Synonym(Ty),
    /// An abstract type, `type T(==)`.
    Abstract(Characteristics),
    /// An iterator, with a class of the same name: fields for parameters and yields, `MoveNext`, `Valid`.
    Iterator(Box<IteratorDecl>),
}

/// A base type and the constraint that carves out a newtype or subset type.
#[derive(Clone, Debug)]
pub struct Constrained {
    /// The base type.
    pub base: Ty,
    /// The bound variable, absent for `newtype N = int`.
    pub var: Option<VarId>,
    /// The constraint over `var`.
    pub constraint: Option<ExprId>,
    /// How the type is known to be inhabited.
    pub witness: Witness,
}

/// How a newtype or subset type is known to be inhabited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Witness {
    /// Not said: the default value of the base type must satisfy the constraint.
    Default,
    /// `witness e`
    Compiled(ExprId),
    /// `ghost witness e`
    Ghost(ExprId),
    /// `witness *`: may be empty.
    Unknown,
}

/// The parts of an iterator: its class has the fields and callables named here, besides the clauses that no callable has.
#[derive(Clone, Debug, Default)]
pub struct IteratorDecl {
    /// Constants for the in-parameters, in order.
    pub in_fields: Vec<MemberId>,
    /// Fields for the yield-parameters, in order.
    pub out_fields: Vec<MemberId>,
    /// Ghost fields for what was yielded, one for each of `out_fields`.
    pub history_fields: Vec<MemberId>,
    /// Ghost constants for the parts of the measure, as the constructor finds them.
    pub measure_fields: Vec<MemberId>,
    /// The ghost constants `_reads` and `_modifies`, and the ghost field `_new`.
    pub frame_fields: Option<IteratorFrames>,
    /// The constructor; `reads`, `modifies` and `decreases` are over its parameters.
    pub constructor: Option<MemberId>,
    pub move_next: Option<MemberId>,
    /// The method that holds the body.
    pub body: Option<MemberId>,
    /// Whether the body takes objects out of `_new`.
    pub gives_away: bool,
    /// `yield requires`, over the fields.
    pub yield_requires: Vec<Clause>,
    /// `yield ensures`, over the fields.
    pub yield_ensures: Vec<Clause>,
    /// `reads`
    pub reads: Frame,
    /// `modifies`
    pub modifies: Frame,
    /// `decreases`, if given.
    pub decreases: Decreases,
}

/// What an iterator keeps of its frame.
#[derive(Clone, Copy, Debug)]
pub struct IteratorFrames {
    /// What others leave alone between two calls of `MoveNext`.
    pub reads: MemberId,
    /// What the iterator may change.
    pub modifies: MemberId,
    /// What the iterator made and did not give away.
    pub new: MemberId,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub struct Ctor {
    pub name: Symbol,
    /// Where the name is.
    pub span: Span,
    pub decl: DeclId,
    /// Its position in the datatype.
    pub index: u32,
    /// Whether the whole constructor is ghost.
    pub ghost: bool,
    /// Its parameters; unnamed ones have `user_named == false` and names `#0`, `#1`, ….
    pub formals: Vec<VarId>,
    pub attributes: Vec<Attribute>,
}

/// Where a variable comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarKind {
    /// An in-parameter of a function, method, constructor or datatype constructor.
    In,
    /// An out-parameter of a method, or the named result of a function.
    Out,
    /// A local variable.
    Local,
    /// Bound by a quantifier, comprehension, lambda, pattern, `let`, guard, `forall` statement or `for` loop.
    Bound,
}

#[derive(Clone, Debug)]
pub struct Var {
    /// Its name; invented variables start with `_`.
    pub name: Symbol,
    /// Where it is declared.
    pub span: Span,
    /// Where it comes from.
    pub kind: VarKind,
    /// Its type, synonyms expanded.
    pub ty: Ty,
    /// Whether it is ghost.
    pub ghost: bool,
    /// For a formal: declared `new` (two-state contexts: may be allocated after the old state).
    pub is_new: bool,
    /// For a formal of `twostate`: declared `older`.
    pub is_older: bool,
    /// Whether the program gives its name (otherwise invented).
    pub user_named: bool,
    /// For a formal: its default value.
    pub default: Option<ExprId>,
    pub attributes: Vec<Attribute>,
}

/// What encloses a member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// A module: the member is static.
    Module(ModuleId),
    /// A declared type.
    Type(DeclId),
}

/// How much of a declaration is visible to other modules through export sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Signature and body.
    Revealed,
    /// The signature only.
    Provided,
    Hidden,
}

#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; `_ctor` for an unnamed constructor.
    pub name: Symbol,
    /// Where the name is.
    pub span: Span,
    /// What encloses it.
    pub owner: Owner,
    /// The module it is in.
    pub module: ModuleId,
    /// Whether it has no receiver.
    pub is_static: bool,
    /// Whether it is ghost: lemmas, ghost methods, ghost functions, ghost fields.
    pub ghost: bool,
    /// `opaque` (or `{:opaque}`): the body is visible after `reveal` only.
    pub opaque: bool,
    /// The members of traits it overrides.
    pub overrides: Vec<MemberId>,
    /// The member this one was copied from or refines, in the refined module.
    pub refines: Option<MemberId>,
    /// How much importers see: the union over all export sets of the module.
    pub visibility: Visibility,
    /// What it is.
    pub kind: MemberKind,
    pub attributes: Vec<Attribute>,
    /// Whether it comes from a file the user named; only those are verified.
    pub verify: bool,
}

/// The kinds of members.
#[derive(Clone, Debug)]
pub enum MemberKind {
    /// A mutable field.
    Field { ty: Ty },
    /// A constant, of a module or a type.
    Const {
        ty: Ty,
        /// Its defining expression.
        value: Option<ExprId>,
    },
    /// A function or predicate.
    Function(Box<Function>),
    /// A method, lemma or constructor.
    Method(Box<Method>),
}

/// Least or greatest fixpoint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extremum {
    /// `least` (`inductive`)
    Least,
    /// `greatest` (`co`)
    Greatest,
}

/// An extreme predicate or lemma: `least predicate P[nat](…)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extreme {
    /// Least or greatest.
    pub kind: Extremum,
    /// The type of the implicit parameter `_k`: `nat` or `ORDINAL`.
    pub k_type: Ty,
    /// The variable `_k`, in scope in the body of a lemma.
    pub k_var: VarId,
}

/// A function or predicate.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its type parameters.
    pub params: Vec<TypeParamId>,
    pub ins: Vec<VarId>,
    /// The named result, if named.
    pub result_var: Option<VarId>,
    /// The result type.
    pub result: Ty,
    /// Whether it is a predicate.
    pub is_predicate: bool,
    /// Whether it is `twostate`.
    pub twostate: bool,
    /// Least or greatest predicate.
    pub extreme: Option<Extreme>,
    /// `requires`
    pub requires: Vec<Clause>,
    /// `ensures`
    pub ensures: Vec<Clause>,
    /// `reads`
    pub reads: Frame,
    /// `decreases`
    pub decreases: Decreases,
    pub body: Option<ExprId>,
    /// The body of `by method`.
    pub by_method: Option<StmtId>,
    /// The strongly connected component of the call graph.
    pub scc: u32,
    /// Whether it calls itself, directly or through others.
    pub recursive: bool,
}

/// The kinds of methods.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MethodKind {
    /// `method` (ghost or not)
    Method,
    /// `lemma`
    Lemma,
    /// `twostate lemma`
    TwostateLemma,
    /// `constructor`
    Constructor,
}

/// A method, lemma or constructor.
#[derive(Clone, Debug)]
pub struct Method {
    pub kind: MethodKind,
    /// Its type parameters.
    pub params: Vec<TypeParamId>,
    pub ins: Vec<VarId>,
    pub outs: Vec<VarId>,
    /// Least or greatest lemma.
    pub extreme: Option<Extreme>,
    /// `requires`
    pub requires: Vec<Clause>,
    /// `ensures`
    pub ensures: Vec<Clause>,
    /// `reads`, if given.
    pub reads: Frame,
    /// `modifies`
    pub modifies: Frame,
    /// `decreases`
    pub decreases: Decreases,
    /// The body, a block. For a constructor with `new;` the part before it.
    pub body: Option<StmtId>,
    /// For a constructor with `new;`: the part after it. The scope of the first part extends to it.
    pub body_after_new: Option<StmtId>,
    /// The strongly connected component of the call graph.
    pub scc: u32,
    /// Whether it calls itself, directly or through others.
    pub recursive: bool,
}
