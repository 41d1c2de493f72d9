//! Lowered code: dense instructions over register indices, constants evaluated, address arithmetic folded.

use crate::address::ObjectId;
use crate::external::NativeType;
use crate::shape::Shape;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;
use stet_base::FastMap;
use stet_llvm::{AtomicOp, BinaryOp, CastOp, FloatPredicate, IntPredicate};

/// A register of a frame.
pub(crate) type Reg = u32;

/// A register, or with the top bit set a constant of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Opd(pub(crate) u32);

impl Opd {
    pub(crate) const CONST: u32 = 1 << 31;
}

/// The floating-point formats that are computed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fmt {
    F16,
    BF16,
    F32,
    F64,
    /// The 80 bits of the x87, with an explicit leading bit.
    F80,
    F128,
}

/// How a value lies in memory.
#[derive(Clone, Debug)]
pub(crate) enum MemTy {
    /// A number or pointer of this many bits.
    Scalar(u32),
    /// A vector whose elements are not whole bytes, side by side from the lowest bit on.
    Packed { count: u32, bits: u32 },
    /// Parts at offsets; the size is the number of bytes accessed.
    Parts {
        parts: Rc<[(u64, MemTy)]>,
        size: u64,
    },
}

impl MemTy {
    pub(crate) fn size(&self) -> u64 {
        match self {
            MemTy::Scalar(bits) => u64::from(bits.div_ceil(8)),
            MemTy::Packed { count, bits } => u64::from((count * bits).div_ceil(8)),
            MemTy::Parts { size, .. } => *size,
        }
    }
}

/// An edge of the control flow graph, with the copies its phis make.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Index of the target block's first instruction.
    pub(crate) target: u32,
    pub(crate) block: u32,
    pub(crate) moves: Box<[(Reg, Opd)]>,
    /// Whether a destination is also a later source, so that all sources must be read first.
    pub(crate) overlapping: bool,
}

/// A summand of an address: operand times scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled {
    pub(crate) index: Opd,
    pub(crate) width: u32,
    pub(crate) scale: u64,
}

#[derive(Debug)]
pub(crate) struct SwitchOp {
    pub(crate) value: Opd,
    pub(crate) width: u32,
    pub(crate) default: u32,
    /// Case values and edges in textual order.
    pub(crate) cases: Vec<(u128, u32)>,
    pub(crate) table: FastMap<u128, u32>,
}

/// The bits of a lane and of the number that says which.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneWidths {
    pub(crate) lane: u32,
    pub(crate) index: u32,
}

/// What a call calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A function of the program by its index.
    Function(u32),
    /// Through a pointer.
    Pointer(Opd),
}

#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub(crate) value: Opd,
    pub(crate) width: u32,
    pub(crate) ty: MemTy,
    pub(crate) is_pointer: bool,
    /// Bytes of the copy to pass instead.
    pub(crate) byval: Option<u64>,
    /// The alignment it has in memory.
    pub(crate) align: u64,
}

#[derive(Debug)]
pub(crate) struct CallOp {
    pub(crate) dst: Option<Reg>,
    pub(crate) target: Target,
    pub(crate) args: Box<[Arg]>,
    /// The bits of a scalar result, 0 without one.
    pub(crate) result_width: u32,
    /// How it passes its arguments and expects its result.
    pub(crate) shape: Rc<Shape>,
    /// For `invoke`: the edge to take after returning.
    pub(crate) normal: Option<u32>,
    /// For `invoke`: the edge to the landing pad.
    pub(crate) unwind: Option<u32>,
    /// How a native function is called, where that can be the callee.
    pub(crate) native: Option<Box<Signature>>,
}

/// How a native function is called; the types that it cannot be called with are errors.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) args: Result<Vec<NativeType>, String>,
    pub(crate) result: Result<NativeType, String>,
    /// How the result lies in memory.
    pub(crate) result_ty: Option<MemTy>,
}

/// A clause of a landing pad.
#[derive(Clone, Debug)]
pub(crate) enum Clause {
    /// Exceptions of a type by the address of its description; all for null.
    Catch(Value),
    /// Exceptions of other types.
    Filter(Box<[Value]>),
}

#[derive(Debug)]
pub(crate) enum Op {
    LandingPad {
        dst: Reg,
        cleanup: bool,
        clauses: Box<[Clause]>,
    },
    Resume {
        exception: Opd,
    },
    Bin {
        op: BinaryOp,
        width: u16,
        dst: Reg,
        a: Opd,
        b: Opd,
    },
    FBin {
        op: BinaryOp,
        fmt: Fmt,
        dst: Reg,
        a: Opd,
        b: Opd,
    },
    FNeg {
        fmt: Fmt,
        dst: Reg,
        a: Opd,
    },
    ICmp {
        pred: IntPredicate,
        width: u16,
        dst: Reg,
        a: Opd,
        b: Opd,
    },
    FCmp {
        pred: FloatPredicate,
        fmt: Fmt,
        dst: Reg,
        a: Opd,
        b: Opd,
    },
    Cast {
        op: CastOp,
        from: u16,
        to: u16,
        dst: Reg,
        a: Opd,
    },
    FCast {
        op: CastOp,
        from: Option<Fmt>,
        to: Option<Fmt>,
        width: u16,
        dst: Reg,
        a: Opd,
    },
    /// The inner instruction on each lane; its operands are vectors (or scalars, for all lanes).
    Lanes {
        count: u32,
        inner: Box<Op>,
    },
    Move {
        dst: Reg,
        a: Opd,
    },
    GepConst {
        dst: Reg,
        base: Opd,
        offset: u64,
    },
    Gep {
        dst: Reg,
        base: Opd,
        offset: u64,
        first: u32,
        count: u32,
    },
    Load {
        dst: Reg,
        ptr: Opd,
        bits: u32,
    },
    Store {
        value: Opd,
        ptr: Opd,
        bits: u32,
    },
    LoadParts {
        dst: Reg,
        ptr: Opd,
        ty: Box<MemTy>,
    },
    StoreParts {
        value: Opd,
        ptr: Opd,
        ty: Box<MemTy>,
    },
    Select {
        dst: Reg,
        cond: Opd,
        a: Opd,
        b: Opd,
        width: u32,
    },
    Br {
        edge: u32,
    },
    CondBr {
        cond: Opd,
        yes: u32,
        no: u32,
    },
    Switch(Box<SwitchOp>),
    IndirectBr {
        address: Opd,
        edges: Box<[(u32, u32)]>,
    },
    Ret {
        value: Option<Opd>,
    },
    Unreachable,
    Call(Box<CallOp>),
    Alloca {
        dst: Reg,
        size: u64,
        count: Option<(Opd, u32)>,
        align: u32,
        escapes: bool,
    },
    Extract {
        dst: Reg,
        agg: Opd,
        path: Box<[u32]>,
    },
    Insert {
        dst: Reg,
        agg: Opd,
        part: Opd,
        path: Box<[u32]>,
    },
    ExtractLane {
        dst: Reg,
        vector: Opd,
        index: Opd,
        widths: LaneWidths,
    },
    InsertLane {
        dst: Reg,
        vector: Opd,
        part: Opd,
        index: Opd,
        widths: LaneWidths,
    },
    Shuffle {
        dst: Reg,
        a: Opd,
        b: Opd,
        mask: Box<[i32]>,
        zero: Opd,
    },
    /// Reinterpret between a scalar and a vector, or between vectors, through memory order.
    Reshape {
        dst: Reg,
        a: Opd,
        from: Box<MemTy>,
        to: Box<MemTy>,
    },
    AtomicRmw {
        op: AtomicOp,
        dst: Reg,
        ptr: Opd,
        value: Opd,
        bits: u32,
    },
    CmpXchg {
        dst: Reg,
        ptr: Opd,
        old: Opd,
        new: Opd,
        bits: u32,
    },
    VaArg {
        dst: Reg,
        list: Opd,
        ty: Box<MemTy>,
    },
    /// A stack object begins to be used, with contents that are not defined.
    Begin {
        ptr: Opd,
        /// How many bytes it has, if the instruction says so.
        size: Option<Opd>,
    },
    Nop,
    /// Something that is not executed, and why.
    Unsupported(Box<str>),
}

/// A lowered function.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) function: u32,
    pub(crate) ops: Vec<Op>,
    /// Per instruction: the number of its debug location, its place in the text.
    pub(crate) places: Vec<(u32, u32)>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) scaled: Vec<Scaled>,
    pub(crate) constants: Vec<Value>,
    /// Registers that hold addresses of thread-local variables: they are set when the function is entered.
    pub(crate) thread_locals: Vec<(Reg, ObjectId, u64)>,
    pub(crate) registers: u32,
    pub(crate) params: Vec<Reg>,
    pub(crate) shape: Rc<Shape>,
    pub(crate) varargs: bool,
    /// Whether the compiler moved code around, so that a shift may be executed whose result is not used.
    pub(crate) optimized: bool,
    /// How many instructions each block has.
    pub(crate) block_sizes: Vec<u32>,
    /// How often each block was entered.
    pub(crate) entered: RefCell<Vec<u64>>,
}
