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
    /// Its type.
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
    /// Any value.
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
        /// The indices.
        indices: Box<[ConstId]>,
    },
    /// A conversion to this constant's type.
    Cast {
        /// Which.
        op: CastOp,
        /// Of what.
        value: ConstId,
    },
    /// Arithmetic.
    Binary {
        /// Which.
        op: BinaryOp,
        /// The first operand.
        a: ConstId,
        /// The second operand.
        b: ConstId,
    },
    /// A comparison of integers or pointers.
    Compare {
        /// Which.
        predicate: IntPredicate,
        /// The first operand.
        a: ConstId,
        /// The second operand.
        b: ConstId,
    },
    /// A choice.
    Select {
        /// Whether to take the first.
        condition: ConstId,
        /// The first.
        a: ConstId,
        /// The second.
        b: ConstId,
    },
    /// The address of a block.
    BlockAddress {
        /// The function.
        function: Symbol,
        /// The label.
        block: Symbol,
    },
    /// Something Stet does not evaluate, by its keyword.
    Unsupported(Symbol),
}
