//! The ids of the arenas of a program.

stet_base::define_id!(
    /// A module; the first one is the outermost, default module.
    pub struct ModuleId;
);
stet_base::define_id!(
    /// A declared type: class, trait, datatype, newtype, subset type, synonym, abstract type, iterator.
    pub struct DeclId;
);
stet_base::define_id!(
    /// A member: field, constant, function, method (also of a module).
    pub struct MemberId;
);
stet_base::define_id!(
    /// A constructor of a datatype.
    pub struct CtorId;
);
stet_base::define_id!(
    /// A type parameter.
    pub struct TypeParamId;
);
stet_base::define_id!(
    /// A variable: formal, local or bound.
    pub struct VarId;
);
stet_base::define_id!(
    pub struct ExprId;
);
stet_base::define_id!(
    pub struct StmtId;
);
stet_base::define_id!(
    /// A hash-consed type.
    pub struct Ty;
);
stet_base::define_id!(
    /// A label of a statement or of an assertion.
    pub struct LabelId;
);
