//! Argument passing of external calls: LLVM's types as those of the platform's calling convention.

use super::{Lowering, memory_type};
use crate::code::{Signature, Target};
use crate::external::NativeType;
use stet_llvm::{Call, Extension, FloatKind, Module, Type, TypeId};

impl Lowering<'_> {
    /// The signature of a call whose callee is not known to be a function of the program.
    pub(super) fn native_signature(
        &self,
        target: Target,
        call: &Call,
        result: Option<TypeId>,
    ) -> Option<Box<Signature>> {
        if let Target::Function(index) = target {
            let functions = self.program.functions.borrow();
            let entry = &functions[index as usize];
            if entry.definition.is_some() || entry.name.starts_with("llvm.") {
                return None;
            }
        }
        let owner = self.owner;
        let args = call.args.iter().map(|arg| match arg.byval {
            Some(ty) => Ok(NativeType::Memory {
                size: owner.layout.size(&owner.types, ty),
                align: arg.align.max(8),
            }),
            None => Ok(match native_type(owner, arg.value.ty)? {
                NativeType::Int { bytes, .. } => NativeType::Int {
                    bytes,
                    is_signed: arg.extension == Extension::Sign,
                },
                ty => ty,
            }),
        });
        let args = args.collect();
        Some(Box::new(Signature {
            args,
            result: result.map_or(Ok(NativeType::Void), |ty| native_type(owner, ty)),
            result_ty: result.and_then(|ty| memory_type(owner, ty).ok()),
        }))
    }
}

fn native_type(owner: &Module, ty: TypeId) -> Result<NativeType, String> {
    let int = |bytes| NativeType::Int {
        bytes,
        is_signed: false,
    };
    let all = |fields: &[TypeId]| {
        let fields: Result<Vec<NativeType>, String> =
            fields.iter().map(|&ty| native_type(owner, ty)).collect();
        fields.map(NativeType::Struct)
    };
    match owner.types.resolved(ty) {
        Type::Void => Ok(NativeType::Void),
        Type::Int(1..=8) => Ok(int(1)),
        Type::Int(16) => Ok(int(2)),
        Type::Int(32) => Ok(int(4)),
        Type::Int(64) => Ok(int(8)),
        Type::Int(128) => Ok(NativeType::Struct(vec![int(8), int(8)])),
        Type::Int(width) => Err(format!("an integer of {width} bits")),
        Type::Pointer => Ok(NativeType::Pointer),
        Type::Float(FloatKind::Float) => Ok(NativeType::Float),
        Type::Float(FloatKind::Double) => Ok(NativeType::Double),
        Type::Float(FloatKind::X86Fp80) => Ok(NativeType::LongDouble),
        Type::Struct { fields, .. } if fields.len() <= 4 => all(fields),
        Type::Array { len, element } if *len <= 16 => all(&vec![*element; *len as usize]),
        // two single floats are passed as a structure of them is; larger vectors have registers of their own
        Type::Vector { len: 2, element }
            if *owner.types.resolved(*element) == Type::Float(FloatKind::Float) =>
        {
            all(&[*element, *element])
        }
        Type::Vector { len, .. } => Err(format!("a vector of {len} elements")),
        _ => Err("a value of an unusual type".into()),
    }
}
