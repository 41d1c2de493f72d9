//! Instructions as written, with their operand types where the text gives them.

use crate::constant::ConstId;
use crate::module::{Extension, LocalId};
use crate::types::TypeId;
use stet_base::Symbol;

/// Integer and floating-point arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// What an `atomicrmw` does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
}

/// A value without its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// An argument or the result of an instruction.
    Local(LocalId),
    Const(ConstId),
    /// Metadata, which only intrinsics take and the executor ignores.
    Metadata,
}

/// A value with its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    pub ty: TypeId,
    pub operand: Operand,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function, by name or through a pointer.
    Value(Operand),
    Asm {
        code: Symbol,
        constraints: Symbol,
    },
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallArg {
    pub value: Value,
    /// The type of the copy that is passed instead (`byval`).
    pub byval: Option<TypeId>,
    /// The alignment that is asked for, 0 if none.
    pub align: u64,
    /// What is above a small number.
    pub extension: Extension,
}

/// A call or invocation.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// The result type.
    pub result: TypeId,
    pub args: Box<[CallArg]>,
    /// For `invoke`: where to go on, and where to unwind to.
    pub invoke: Option<(LocalId, LocalId)>,
}

/// A clause of a landing pad.
#[derive(Clone, Copy, Debug)]
pub enum PadClause {
    /// Exceptions of a type, or all for null.
    Catch(Operand),
    /// Exceptions of other types than those in an array.
    Filter(Operand),
}

#[derive(Clone, Debug)]
pub struct Inst {
    /// The local it defines.
    pub result: Option<LocalId>,
    /// The type of its result; void without one.
    pub ty: TypeId,
    /// What it does.
    pub kind: InstKind,
    /// The number of its `!dbg` location, or `u32::MAX`.
    pub debug: u32,
    /// Where it starts in the text.
    pub position: u32,
}

/// What an instruction does; block targets are the locals of their labels.
#[derive(Clone, Debug)]
pub enum InstKind {
    /// Arithmetic on values of the result type.
    Binary(BinaryOp, Operand, Operand),
    FNeg(Operand),
    /// Comparison of integers or pointers of the given type.
    ICmp(IntPredicate, TypeId, Operand, Operand),
    /// Comparison of floating-point numbers of the given type.
    FCmp(FloatPredicate, TypeId, Operand, Operand),
    /// Conversion to the result type.
    Cast(CastOp, Value),
    /// Stack allocation of `count` values of a type.
    Alloca {
        ty: TypeId,
        /// How many, one if absent.
        count: Option<Value>,
        /// The alignment, 0 if not given.
        align: u64,
    },
    /// Read a value of the result type.
    Load(Operand),
    /// Write a value.
    Store(Value, Operand),
    /// Compute an address.
    Gep {
        /// The type the first index steps over.
        source: TypeId,
        /// Where it starts.
        base: Value,
        indices: Box<[Value]>,
    },
    /// Choose by where control came from.
    Phi(Box<[(Operand, LocalId)]>),
    /// Choose by a condition.
    Select(Value, Operand, Operand),
    /// Call, or invoke.
    Call(Box<Call>),
    Br(LocalId),
    /// Go on by a condition.
    CondBr(Operand, LocalId, LocalId),
    /// Go on by a value; cases are constants.
    Switch(Value, LocalId, Box<[(ConstId, LocalId)]>),
    /// Go on at a block address.
    IndirectBr(Operand, Box<[LocalId]>),
    Ret(Option<Value>),
    /// Control never comes here.
    Unreachable,
    /// Go on unwinding with an exception.
    Resume(Value),
    /// Where unwinding arrives.
    LandingPad {
        /// Whether unwinding stops here even if no clause matches.
        cleanup: bool,
        /// What is caught, in order.
        clauses: Box<[PadClause]>,
    },
    /// A part of an aggregate.
    ExtractValue(Value, Box<[u32]>),
    /// An aggregate with one part replaced.
    InsertValue(Value, Value, Box<[u32]>),
    /// An element of a vector.
    ExtractElement(Value, Value),
    /// A vector with one element replaced.
    InsertElement(Value, Value, Value),
    /// Elements of two vectors by a constant mask; -1 is any value.
    Shuffle(Value, Value, Box<[i32]>),
    /// Read, combine, write; the result is the old value.
    AtomicRmw(AtomicOp, Operand, Value),
    /// Compare and exchange; the result is the old value and whether it was exchanged.
    CmpXchg(Operand, Value, Operand),
    /// Ordering of memory accesses.
    Fence,
    /// The next variable argument.
    VaArg(Operand),
    /// A value that is no longer poison.
    Freeze(Value),
    /// An instruction Stet does not execute, by its keyword.
    Unsupported(Symbol),
}
