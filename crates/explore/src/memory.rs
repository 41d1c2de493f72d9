//! The memory of a state: live objects by id, shared between states until written.

use crate::address::{Allocator, Cursors, ObjectId, take};
use crate::arith::{binary, cast};
use crate::code::MemTy;
use crate::object::parts::Reach;
use crate::object::{Kind, Object};
use crate::radix::RadixMap;
use crate::value::{Ctx, Value};
use std::cell::Cell;
use std::rc::Rc;
use stet_base::Index;
use stet_llvm::{BinaryOp, CastOp};

/// The live objects.
#[derive(Clone)]
pub(crate) struct Memory {
    objects: RadixMap<Rc<Object>>,
    pub(crate) cursors: Cursors,
    /// How many objects were made on the path.
    made: u32,
}

/// The counters all states share under [`Allocator::Bump`].
pub(crate) type SharedCursors = Cell<Cursors>;

impl Memory {
    pub(crate) fn new() -> Self {
        Memory {
            objects: RadixMap::new(),
            cursors: Cursors::new(),
            made: 0,
        }
    }

    /// A number that no object of the path had before.
    pub(crate) fn next_serial(&mut self) -> u32 {
        self.made = self.made.wrapping_add(1);
        self.made
    }

    pub(crate) fn insert(&mut self, id: ObjectId, object: Object) {
        debug_assert!(
            object.home().is_none_or(|home| home.segment != id),
            "no object is in itself"
        );
        self.objects.insert(id.index() as u32, Rc::new(object));
    }

    pub(crate) fn remove(&mut self, id: ObjectId) -> Option<Rc<Object>> {
        let object = self.objects.remove(id.index() as u32)?;
        if let Some(home) = object.home() {
            self.leave(home.segment, id);
        }
        Some(object)
    }

    #[inline]
    pub(crate) fn get(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(id.index() as u32).map(|object| &**object)
    }

    /// A snapshot that later writes do not change.
    pub(crate) fn snapshot(&self, id: ObjectId) -> Option<Rc<Object>> {
        self.objects.get(id.index() as u32).cloned()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.objects.get_mut(id.index() as u32).map(Rc::make_mut)
    }

    /// The objects whose contents may differ from those of another state; `None` if not the same objects are alive.
    pub(crate) fn differing(&self, other: &Memory) -> Option<Vec<ObjectId>> {
        let keys = self.objects.differing(&other.objects, Rc::ptr_eq)?;
        let id = |key: u32| ObjectId::from_index(key as usize);
        Some(keys.into_iter().map(id).collect())
    }

    /// Makes a new object at fresh addresses.
    pub(crate) fn allocate(
        &mut self,
        ctx: &Ctx,
        policy: (Allocator, &SharedCursors),
        mut object: Object,
        align: u64,
        region: Region,
    ) -> ObjectId {
        let (allocator, shared) = policy;
        let mut cursors = match (allocator, region) {
            (Allocator::PerState, _) | (_, Region::Local) => self.cursors,
            (Allocator::Bump, _) => shared.get(),
        };
        let cursor = match region {
            Region::Heap => &mut cursors.heap,
            Region::Stack => &mut cursors.stack,
            Region::Local => &mut cursors.local,
            Region::Segment => &mut cursors.segment,
        };
        let base = take(cursor, object.size(), align);
        match (allocator, region) {
            (Allocator::PerState, _) | (_, Region::Local) => self.cursors = cursors,
            (Allocator::Bump, _) => shared.set(cursors),
        }
        debug_assert!(
            base.checked_add(object.size()).is_some(),
            "an object ends in the address space"
        );
        let id = ctx.addresses.at(base, object.size());
        object.id = Some((id, self.next_serial()));
        debug_assert!(
            self.get(id).is_none(),
            "an address is given to one live object"
        );
        self.insert(id, object);
        id
    }

    /// The live object that contains a concrete address, and the offset in it.
    pub(crate) fn find(&self, ctx: &Ctx, address: u64) -> Option<(ObjectId, u64)> {
        let around = ctx.addresses.around(address);
        let is_object = |object: &Object| object.kind != Kind::Segment;
        let alive = around
            .into_iter()
            .find(|&id| self.get(id).is_some_and(is_object))?;
        Some((alive, address - ctx.addresses.base_of(alive)))
    }
}

/// Where an object is placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    Heap,
    Stack,
    /// A stack object whose address never leaves its frame: its place may be used again.
    Local,
    Segment,
}

impl Region {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Region::Heap => Kind::Heap,
            Region::Segment => Kind::Segment,
            _ => Kind::Stack,
        }
    }
}

/// Reads a value of any type at a concrete offset that is in bounds.
pub(crate) fn read_parts(ctx: &Ctx, object: &Object, at: usize, ty: &MemTy) -> Value {
    match ty {
        MemTy::Scalar(bits) => object.read(ctx, at, *bits),
        MemTy::Packed { count, bits } => {
            unpacked(ctx, &object.read(ctx, at, count * bits), *count, *bits)
        }
        MemTy::Parts { parts, .. } => {
            let parts = parts
                .iter()
                .map(|(offset, ty)| read_parts(ctx, object, at + *offset as usize, ty));
            Value::Agg(parts.collect())
        }
    }
}

/// What is said of a value that does not have the type of its place.
pub(crate) const OTHER_SHAPE: &str = "a value of another type than its instruction says is used: the IR reads a register before it is defined";

/// Whether a value is an aggregate where its type has parts. Valid IR has no other values.
pub(crate) fn fits(ty: &MemTy, value: &Value) -> bool {
    match (ty, value) {
        (MemTy::Parts { parts, .. }, Value::Agg(values)) => {
            let mut pairs = parts.iter().zip(values.iter());
            pairs.all(|((_, ty), value)| fits(ty, value))
        }
        (MemTy::Parts { parts, .. }, _) => parts.is_empty(),
        (MemTy::Scalar(_) | MemTy::Packed { .. }, _) => true,
    }
}

/// Writes a value of any type at a concrete offset that is in bounds.
pub(crate) fn write_parts(ctx: &Ctx, object: &mut Object, at: usize, ty: &MemTy, value: &Value) {
    match (ty, value) {
        (MemTy::Scalar(bits), value) => object.write(ctx, at, *bits, value),
        (MemTy::Packed { count, bits }, value) => {
            object.write(ctx, at, count * bits, &packed(ctx, value, *count, *bits));
        }
        (MemTy::Parts { parts, .. }, Value::Agg(values)) => {
            for ((offset, ty), value) in parts.iter().zip(values.iter()) {
                write_parts(ctx, object, at + *offset as usize, ty, value);
            }
        }
        (MemTy::Parts { parts, .. }, value) => {
            stet_base::never!("a scalar stored as an aggregate");
            if let Some((offset, ty)) = parts.first() {
                write_parts(ctx, object, at + *offset as usize, ty, value);
            }
        }
    }
}

/// The lanes of a vector in one integer.
fn unpacked(ctx: &Ctx, whole: &Value, count: u32, bits: u32) -> Value {
    debug_assert!(count > 0 && bits > 0, "a vector has lanes");
    let total = count * bits;
    let lane = |k: u32| {
        let shifted = match k {
            0 => whole.clone(),
            _ => {
                let amount = Value::wide(u128::from(k * bits), total);
                binary(ctx, BinaryOp::LShr, total, whole, &amount)
            }
        };
        cast(ctx, CastOp::Trunc, total, bits, &shifted)
    };
    Value::Agg((0..count).map(lane).collect())
}

/// One integer of the lanes of a vector.
fn packed(ctx: &Ctx, value: &Value, count: u32, bits: u32) -> Value {
    let total = count * bits;
    let Value::Agg(lanes) = value else {
        stet_base::never!("a scalar stored as a vector");
        return Value::wide(0, total);
    };
    let mut whole = Value::wide(0, total);
    for (k, lane) in lanes.iter().enumerate().take(count as usize) {
        let wide = cast(ctx, CastOp::ZExt, bits, total, lane);
        let amount = Value::wide(k as u128 * u128::from(bits), total);
        let moved = match k {
            0 => wide,
            _ => binary(ctx, BinaryOp::Shl, total, &wide, &amount),
        };
        whole = binary(ctx, BinaryOp::Or, total, &whole, &moved);
    }
    whole
}

/// As [`read_parts`], at a symbolic offset. `unwritten`: whether bytes that were never written may be met.
pub(crate) fn read_parts_at(
    ctx: &Ctx,
    object: &mut Object,
    at: stet_term::Term,
    ty: &MemTy,
    reach: Reach,
    unwritten: bool,
) -> Value {
    match ty {
        MemTy::Scalar(bits) => read_scalar_at(ctx, object, at, *bits, reach, unwritten),
        MemTy::Packed { count, bits } => {
            let whole = read_scalar_at(ctx, object, at, count * bits, reach, unwritten);
            unpacked(ctx, &whole, *count, *bits)
        }
        MemTy::Parts { parts, .. } => {
            let mut values = Vec::with_capacity(parts.len());
            for (offset, ty) in parts.iter() {
                let at = ctx.terms.bv_add(at, ctx.terms.bv(64, *offset));
                values.push(read_parts_at(ctx, object, at, ty, reach, unwritten));
            }
            Value::Agg(values.into())
        }
    }
}

/// A scalar at a symbolic offset: any value where unwritten bytes are.
pub(crate) fn read_scalar_at(
    ctx: &Ctx,
    object: &mut Object,
    at: stet_term::Term,
    bits: u32,
    reach: Reach,
    unwritten: bool,
) -> Value {
    let value = object.read_at(ctx, at, bits, reach);
    if !unwritten {
        return value;
    }
    let met = object.is_unwritten_at(ctx, at, bits.div_ceil(8).into());
    let any = object.unwritten_at(ctx, at, bits);
    let chosen = ctx
        .terms
        .ite(met, ctx.term(&any, bits), ctx.term(&value, bits));
    ctx.value(chosen, bits)
}

/// As [`write_parts`], at a symbolic offset.
pub(crate) fn write_parts_at(
    ctx: &Ctx,
    object: &mut Object,
    at: stet_term::Term,
    ty: &MemTy,
    value: &Value,
    reach: Reach,
) {
    match (ty, value) {
        (MemTy::Scalar(bits), value) => object.write_at(ctx, at, *bits, value, reach),
        (MemTy::Packed { count, bits }, value) => {
            object.write_at(
                ctx,
                at,
                count * bits,
                &packed(ctx, value, *count, *bits),
                reach,
            );
        }
        (MemTy::Parts { parts, .. }, Value::Agg(values)) => {
            for ((offset, ty), value) in parts.iter().zip(values.iter()) {
                let at = ctx.terms.bv_add(at, ctx.terms.bv(64, *offset));
                write_parts_at(ctx, object, at, ty, value, reach);
            }
        }
        _ => stet_base::never!("a scalar stored as an aggregate"),
    }
}
