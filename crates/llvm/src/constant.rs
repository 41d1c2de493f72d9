//! Constants as written: literals, aggregates, references to globals, and constant expressions.

use crate::instruction::{BinaryOp, CastOp, IntPredicate};
use crate::types::TypeId;
use stet_base::Symbol;

stet_base::define_id!(
    /// A constant of a module.
    pub struct ConstId;
);

/// A constant with its type.
#[derive(Clone, Debug)]
pub struct Constant {
    pub ty: TypeId,
    /// What it is.
    pub value: Const,
}

/// What a constant is.
#[derive(Clone, Debug)]
pub enum Const {
    /// An integer of at most 128 bits, zero-extended.
    Int(u128),
    /// An integer of a type with more than 128 bits that does not fit [`Const::Int`]: its words, the lowest first.
    WideInt(Box<[u64]>),
    /// The bits of a floating-point number in its own format.
    Float(u128),
    /// The null pointer.
    Null,
    Undef,
    /// A value that must not be used.
    Poison,
    /// All zero, of any type.
    Zero,
    /// An array of bytes.
    Bytes(Box<[u8]>),
    /// The elements of an array, structure or vector.
    Aggregate(Box<[ConstId]>),
    /// A vector whose elements are all this.
    Splat(ConstId),
    /// The address of a global variable, function or alias.
    Global(Symbol),
    /// An address computation.
    Gep {
        /// The type the first index steps over.
        source: TypeId,
        /// Where it starts.
        base: ConstId,
        indices: Box<[ConstId]>,
    },
    /// A conversion to this constant's type.
    Cast {
        op: CastOp,
        value: ConstId,
    },
    Binary {
        op: BinaryOp,
        /// The first operand.
        a: ConstId,
        /// The second operand.
        b: ConstId,
    },
    /// A comparison of integers or pointers.
    Compare {
        predicate: IntPredicate,
        /// The first operand.
        a: ConstId,
        /// The second operand.
        b: ConstId,
    },
    Select {
        /// Whether to take the first.
        condition: ConstId,
        a: ConstId,
        b: ConstId,
    },
    /// The address of a block.
    BlockAddress {
        function: Symbol,
        block: Symbol,
    },
    /// Something Stet does not evaluate, by its keyword.
    Unsupported(Symbol),
}
