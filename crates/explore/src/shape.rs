//! Shapes of calls: what a call passes and expects, and what a function takes and gives.
//!
//! The two differ where a program declares a function in another way than it is defined, calls it without a prototype, or calls it through
//! a pointer of another type. C leaves that undefined, the processor does not: arguments and results are in the registers and stack
//! words of the platform's calling convention (System V, 64 bits), and each side reads those that its own types name. So do calls here:
//! [`Shape::sources`] says which argument a parameter finds in its place, [`convert`] what it reads there. Bits that nobody put there
//! are marked symbols, so that a run is incomplete only if they decide something.

use crate::arith;
use crate::value::{Ctx, Value};
use std::rc::Rc;
use stet_llvm::{CastOp, Extension, Module, Type, TypeId};

/// How one value is passed. Callers extend small arguments to 32 bits; what is above a small result differs from compiler to compiler.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Class {
    #[default]
    Nothing,
    /// A number or pointer of so many bits.
    Whole(u32, Extension),
    /// A floating-point number of so many bits.
    Float(u32),
    /// A vector of so many bytes.
    Vector(u64),
    /// A copy on the stack of so many bytes, at a multiple of so many.
    Copy(u64, u64),
    /// The fields of a structure, each in a place of its own.
    Fields(Rc<[Class]>),
    /// Something else of so many bytes.
    Other(u64),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) params: Box<[Class]>,
    pub(crate) result: Class,
}

/// Where a parameter's value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The argument of this number is in its place.
    Argument(usize),
    /// Nothing was put there.
    Nobody,
    /// A part of something else, or something whose place is not known.
    Unclear,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Integer(u32),
    Vector(u32),
    X87(u32),
    /// From one byte of the arguments on the stack to another.
    Stack(u64, u64),
    Nowhere,
    Unknown,
}

/// The registers that are not taken yet.
struct Registers {
    integer: std::ops::Range<u32>,
    vector: std::ops::Range<u32>,
    x87: std::ops::Range<u32>,
    stack: u64,
}

impl Registers {
    fn of_arguments() -> Self {
        Registers {
            integer: 0..6,
            vector: 0..8,
            x87: 0..0,
            stack: 0,
        }
    }

    fn of_results() -> Self {
        Registers {
            integer: 0..3,
            vector: 0..4,
            x87: 0..2,
            stack: 0,
        }
    }

    fn on_stack(&mut self, size: u64, align: u64) -> Place {
        let start = self.stack.next_multiple_of(align.max(8));
        self.stack = start + size.next_multiple_of(8);
        Place::Stack(start, self.stack)
    }

    fn take(&mut self, class: &Class) -> Place {
        let register = match class {
            Class::Nothing => Some(Place::Nowhere),
            Class::Whole(0..=64, _) => self.integer.next().map(Place::Integer),
            Class::Float(80) => self.x87.next().map(Place::X87),
            Class::Float(_) => self.vector.next().map(Place::Vector),
            Class::Vector(0..=16) => self.vector.next().map(Place::Vector),
            Class::Copy(..) => None,
            Class::Whole(..) | Class::Vector(_) | Class::Fields(_) | Class::Other(_) => {
                return Place::Unknown;
            }
        };
        register.unwrap_or_else(|| match class {
            Class::Copy(size, align) => self.on_stack(*size, *align),
            Class::Float(80) | Class::Float(128) | Class::Vector(_) => self.on_stack(16, 16),
            _ => self.on_stack(8, 8),
        })
    }

    /// The places of a list of values; after one without a known place, none is known.
    fn places(mut self, classes: &[Class]) -> Vec<Place> {
        let mut is_known = true;
        let place = |class| {
            let place = self.take(class);
            is_known &= place != Place::Unknown;
            match is_known {
                true => place,
                false => Place::Unknown,
            }
        };
        classes.iter().map(place).collect()
    }
}

impl Place {
    fn meets(self, other: Place) -> bool {
        match (self, other) {
            (Place::Unknown, _) | (_, Place::Unknown) => true,
            (Place::Stack(a, b), Place::Stack(c, d)) => a < d && c < b,
            _ => self == other,
        }
    }
}

/// Which of the given values is where a value is read.
fn source(read: Place, given: &[Place]) -> Source {
    let same = |place: &Place| match (*place, read) {
        (Place::Unknown, _) | (_, Place::Unknown) => false,
        (Place::Stack(a, _), Place::Stack(b, _)) => a == b,
        (a, b) => a == b,
    };
    match given.iter().position(same) {
        Some(index) => Source::Argument(index),
        None if given.iter().any(|place| place.meets(read)) => Source::Unclear,
        None => Source::Nobody,
    }
}

impl Class {
    pub(crate) fn of(owner: &Module, ty: TypeId, extension: Extension) -> Class {
        let size = || owner.layout.size(&owner.types, ty);
        match owner.types.resolved(ty) {
            Type::Void => Class::Nothing,
            Type::Int(bits @ 0..32) => Class::Whole(*bits, extension),
            Type::Int(bits) => Class::Whole(*bits, Extension::None),
            Type::Pointer => Class::Whole(64, Extension::None),
            Type::Float(_) => Class::Float(owner.layout.bits(&owner.types, ty).unwrap_or(64)),
            Type::Vector { .. } => Class::Vector(size()),
            Type::Struct { fields, .. } if !fields.is_empty() && fields.len() <= 4 => {
                let fields = fields
                    .iter()
                    .map(|&field| Class::of(owner, field, Extension::None));
                let fields: Rc<[Class]> = fields.collect();
                let flat = |class: &Class| matches!(class, Class::Whole(..) | Class::Float(_));
                match fields.iter().all(flat) {
                    true => Class::Fields(fields),
                    false => Class::Other(size()),
                }
            }
            _ => Class::Other(size()),
        }
    }

    /// The class of an argument or parameter that may be a copy on the stack.
    pub(crate) fn of_argument(
        owner: &Module,
        (ty, byval): (TypeId, Option<TypeId>),
        align: u64,
        extension: Extension,
    ) -> Class {
        match byval {
            Some(ty) => {
                let (layout, types) = (&owner.layout, &owner.types);
                Class::Copy(layout.size(types, ty), align.max(8))
            }
            None => Class::of(owner, ty, extension),
        }
    }

    /// The values that a result is made of.
    fn parts(&self) -> &[Class] {
        match self {
            Class::Nothing => &[],
            Class::Fields(fields) => fields,
            _ => std::slice::from_ref(self),
        }
    }

    /// Whether what is passed in one way is read whole in the other.
    #[inline]
    pub(crate) fn is_like(&self, other: &Class) -> bool {
        match (self, other) {
            (Class::Whole(a, _), Class::Whole(b, _)) => a == b,
            _ => self == other,
        }
    }

    /// What is read where nothing was put; `None` for what is not one number.
    pub(crate) fn unset(&self, unknown: &mut Unknown<'_>) -> Option<Value> {
        self.scalar_bits().map(unknown)
    }

    pub(crate) fn scalar_bits(&self) -> Option<u32> {
        match self {
            Class::Whole(bits @ 1..=64, _) | Class::Float(bits @ 1..=64) => Some(*bits),
            _ => None,
        }
    }
}

impl Shape {
    /// Whether a call of this shape gives a function exactly what it takes, and takes what the function gives; more arguments may follow
    /// those of a function with variable ones.
    #[inline]
    pub(crate) fn is_for(&self, callee: &Shape, varargs: bool) -> bool {
        if std::ptr::eq(self, callee) {
            return true;
        }
        let count = callee.params.len();
        let has_all = match varargs {
            true => self.params.len() >= count,
            false => self.params.len() == count,
        };
        has_all
            && self.result.is_like(&callee.result)
            && self
                .params
                .iter()
                .zip(&callee.params)
                .all(|(given, read)| given.is_like(read))
    }

    /// Where the parameters of a function find their values in a call of this shape.
    pub(crate) fn sources(&self, callee: &Shape) -> Vec<Source> {
        let mut given = Registers::of_arguments().places(&self.params);
        let mut read = Registers::of_arguments().places(&callee.params);
        let both = self.params.iter().zip(&callee.params);
        let same = both.take_while(|(given, read)| given.is_like(read)).count();
        // what is passed alike is found, wherever it is
        let own = (0..same).map(Source::Argument);
        let rest = read.split_off(same);
        given[..same].fill(Place::Nowhere);
        own.chain(rest.into_iter().map(|place| source(place, &given)))
            .collect()
    }
}

/// Makes any value of so many bits.
pub(crate) type Unknown<'a> = dyn FnMut(u32) -> Value + 'a;

/// A value that was given in one way, as it is read from its place in another; `None` if that is not known.
pub(crate) fn convert(
    ctx: &Ctx,
    (given, read): (&Class, &Class),
    value: Value,
    unknown: &mut Unknown<'_>,
) -> Option<Value> {
    if given.is_like(read) {
        return Some(value);
    }
    if let (Class::Copy(given, _), Class::Copy(read, _)) = (given, read) {
        return (read <= given).then_some(value);
    }
    let (from, to) = (given.scalar_bits()?, read.scalar_bits()?);
    if to <= from {
        return Some(arith::cast(ctx, CastOp::Trunc, from, to, &value));
    }
    let (op, known) = match given {
        Class::Whole(_, Extension::Sign) => (CastOp::SExt, to.min(32).max(from)),
        Class::Whole(_, Extension::Zero) => (CastOp::ZExt, to.min(32).max(from)),
        _ => (CastOp::ZExt, from),
    };
    let value = match known > from {
        true => arith::cast(ctx, op, from, known, &value),
        false => value,
    };
    if known == to {
        return Some(value);
    }
    let missing = to - known;
    let high = ctx.bits_term(&unknown(missing), missing);
    let low = ctx.bits_term(&value, known);
    Some(ctx.value(ctx.terms.concat(high, low), to))
}

/// The result that a caller reads of what a function gave; `None` if that is not known.
pub(crate) fn result(
    ctx: &Ctx,
    (given, read): (&Class, &Class),
    value: Option<Value>,
    unknown: &mut Unknown<'_>,
) -> Option<Option<Value>> {
    if given.is_like(read) {
        return Some(value);
    }
    let values: Vec<Value> = match (given, value) {
        (Class::Fields(_), Some(Value::Agg(values))) => values.to_vec(),
        (_, value) => value.into_iter().collect(),
    };
    let places = Registers::of_results().places(given.parts());
    let wanted = Registers::of_results().places(read.parts());
    let mut found = Vec::with_capacity(wanted.len());
    for (place, part) in wanted.into_iter().zip(read.parts()) {
        found.push(match source(place, &places) {
            Source::Argument(index) => {
                let value = values.get(index)?.clone();
                convert(ctx, (&given.parts()[index], part), value, unknown)?
            }
            Source::Nobody => part.unset(unknown)?,
            Source::Unclear => return None,
        });
    }
    Some(match read {
        Class::Nothing => None,
        Class::Fields(_) => Some(Value::Agg(found.into())),
        _ => found.pop(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class::{Copy, Float, Nothing, Other, Vector};
    use Source::{Argument, Nobody, Unclear};

    fn whole(bits: u32) -> Class {
        Class::Whole(bits, Extension::None)
    }

    fn shape(params: &[Class], result: Class) -> Shape {
        Shape {
            params: params.into(),
            result,
        }
    }

    fn sources(given: &[Class], read: &[Class]) -> Vec<Source> {
        shape(given, Nothing).sources(&shape(read, Nothing))
    }

    #[test]
    fn numbers_and_floats_have_registers_of_their_own() {
        let given = [Float(64), whole(32)];
        let read = [whole(64), Float(64), whole(32)];
        assert_eq!(sources(&given, &read), [Argument(1), Argument(0), Nobody]);
        assert_eq!(sources(&[whole(32)], &[Float(64)]), [Nobody]);
    }

    #[test]
    fn the_seventh_number_is_on_the_stack() {
        let seven = vec![whole(64); 7];
        let mut read = vec![whole(64); 6];
        read.push(Copy(8, 8));
        assert_eq!(sources(&seven, &read)[6], Argument(6));
        assert_eq!(sources(&[Copy(16, 8)], &seven)[6], Argument(0));
        assert_eq!(sources(&[Copy(16, 8)], &seven)[..6], [Nobody; 6]);
        let two = [Copy(24, 8), Copy(8, 8)];
        assert_eq!(
            sources(&two, &[Copy(8, 8), Copy(8, 8)]),
            [Argument(0), Unclear]
        );
    }

    #[test]
    fn what_has_no_known_place_is_found_only_where_both_agree() {
        let given = [Other(24), whole(32), whole(64)];
        let read = [Other(24), whole(32), Float(64)];
        assert_eq!(sources(&given, &read), [Argument(0), Argument(1), Unclear]);
        assert_eq!(sources(&[Vector(32)], &[Vector(16)]), [Unclear]);
    }

    #[test]
    fn variable_arguments_may_follow_what_is_the_same() {
        let callee = shape(&[whole(64)], whole(32));
        let call = shape(&[whole(64), Float(64)], whole(32));
        assert!(call.is_for(&callee, true));
        assert!(!call.is_for(&callee, false));
        assert!(!callee.is_for(&call, true));
        assert!(!shape(&[whole(64)], whole(64)).is_for(&callee, true));
    }
}
