//! The data layout: sizes, alignments and field offsets of types.

use crate::types::{FloatKind, Type, TypeId, Types};
use std::sync::{PoisonError, RwLock};
use stet_base::FastMap;

/// What `target datalayout` says, as far as it decides sizes; defaults are those of x86-64.
#[derive(Clone, Debug)]
pub struct DataLayout {
    /// Bytes of a pointer.
    pub pointer_size: u64,
    /// Whether the least significant byte comes first.
    pub little_endian: bool,
    int_aligns: Vec<(u32, u64)>,
    float_aligns: Vec<(u32, u64)>,
    text: String,
    /// Sizes and alignments of aggregates: structures of structures are looked at once each.
    known: Known,
}

/// Sizes and alignments by type; a lock, because several engines share the modules of a program.
#[derive(Default, Debug)]
struct Known(RwLock<FastMap<TypeId, (u64, u64)>>);

impl Known {
    fn get(&self, ty: TypeId) -> Option<(u64, u64)> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&ty).copied()
    }

    fn set(&self, ty: TypeId, found: (u64, u64)) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(ty, found);
    }
}

impl Clone for Known {
    fn clone(&self) -> Self {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Known(RwLock::new(known.clone()))
    }
}

impl Default for DataLayout {
    fn default() -> Self {
        DataLayout {
            pointer_size: 8,
            little_endian: true,
            int_aligns: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 8)],
            float_aligns: vec![(16, 2), (32, 4), (64, 8), (80, 16), (128, 16)],
            text: String::new(),
            known: Known::default(),
        }
    }
}

impl DataLayout {
    /// Reads a layout string; parts it does not know are ignored.
    pub fn parse(text: &str) -> Self {
        let mut layout = DataLayout {
            text: text.to_owned(),
            ..DataLayout::default()
        };
        for part in text.split('-') {
            let mut numbers = part.get(1..).unwrap_or("").split(':');
            match part.as_bytes().first() {
                Some(b'e') if part == "e" => layout.little_endian = true,
                Some(b'E') if part == "E" => layout.little_endian = false,
                Some(b'p') => {
                    let space = numbers.next().unwrap_or("");
                    let bits = numbers.next().and_then(|bits| bits.parse::<u64>().ok());
                    if let (true, Some(bits)) = (space.is_empty() || space == "0", bits) {
                        layout.pointer_size = bits.div_ceil(8).max(1);
                    }
                }
                Some(kind @ (b'i' | b'f')) => {
                    let width = numbers.next().and_then(|bits| bits.parse::<u32>().ok());
                    let align = numbers.next().and_then(|bits| bits.parse::<u64>().ok());
                    if let (Some(width), Some(align)) = (width, align) {
                        let list = match kind {
                            b'i' => &mut layout.int_aligns,
                            _ => &mut layout.float_aligns,
                        };
                        list.retain(|&(known, _)| known != width);
                        list.push((width, (align / 8).max(1)));
                        list.sort_unstable();
                    }
                }
                _ => {}
            }
        }
        layout
    }

    /// The layout as the module gives it; empty without one.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether types have the same sizes and alignments in both layouts. A module that says nothing agrees with all. LLVM 18
    /// changed the alignment of 128-bit integers on x86-64; that difference alone is allowed, as LLVM's own linker does.
    pub fn agrees(&self, other: &DataLayout) -> bool {
        fn ints(layout: &DataLayout) -> Vec<&(u32, u64)> {
            let narrow = layout.int_aligns.iter();
            narrow.filter(|&&(width, _)| width != 128).collect()
        }
        if self.text.is_empty() || other.text.is_empty() {
            return true;
        }
        self.pointer_size == other.pointer_size
            && self.little_endian == other.little_endian
            && ints(self) == ints(other)
            && self.float_aligns == other.float_aligns
    }

    /// The bits of a scalar, or `None` for anything else.
    pub fn bits(&self, types: &Types, ty: TypeId) -> Option<u32> {
        match types.resolved(ty) {
            Type::Int(width) => Some(*width),
            Type::Pointer => Some(self.pointer_size as u32 * 8),
            Type::Float(kind) => Some(float_bits(*kind)),
            _ => None,
        }
    }

    /// The bytes a store of the type writes, without padding at its end; saturates for absurd sizes.
    pub fn store_size(&self, types: &Types, ty: TypeId) -> u64 {
        match types.resolved(ty) {
            Type::Int(width) => u64::from(width.div_ceil(8)),
            Type::Float(kind) => u64::from(float_bits(*kind).div_ceil(8)),
            Type::Vector { len, element } => match self.bits(types, *element) {
                Some(bits) => len.saturating_mul(u64::from(bits)).div_ceil(8),
                None => len.saturating_mul(self.size(types, *element)),
            },
            _ => self.size(types, ty),
        }
    }

    /// The distance between two elements of an array of the type.
    pub fn size(&self, types: &Types, ty: TypeId) -> u64 {
        self.size_and_align(types, ty, 0).0
    }

    /// The alignment the ABI asks for.
    pub fn align(&self, types: &Types, ty: TypeId) -> u64 {
        self.size_and_align(types, ty, 0).1
    }

    /// The offset of a field of a structure; zero if there is no such field.
    pub fn field_offset(&self, types: &Types, ty: TypeId, index: usize) -> u64 {
        let Type::Struct { fields, packed } = types.resolved(ty) else {
            return 0;
        };
        let mut offset = 0u64;
        for (i, &field) in fields.iter().enumerate() {
            let (size, align) = self.size_and_align(types, field, 1);
            if !packed {
                offset = round_up(offset, align);
            }
            if i == index {
                break;
            }
            offset = offset.saturating_add(size);
        }
        offset
    }

    fn size_and_align(&self, types: &Types, ty: TypeId, depth: u32) -> (u64, u64) {
        if depth > 200 {
            return (0, 1);
        }
        let resolved = types.resolved(ty);
        if !matches!(resolved, Type::Array { .. } | Type::Struct { .. }) {
            return self.compute(types, ty, depth);
        }
        if let Some(known) = self.known.get(ty) {
            return known;
        }
        let found = self.compute(types, ty, depth);
        self.known.set(ty, found);
        found
    }

    fn compute(&self, types: &Types, ty: TypeId, depth: u32) -> (u64, u64) {
        match types.resolved(ty) {
            Type::Int(width) => {
                let align = self.int_align(*width);
                (round_up(u64::from(width.div_ceil(8)), align), align)
            }
            Type::Float(kind) => {
                let bits = float_bits(*kind);
                let known = self.float_aligns.iter().find(|&&(width, _)| width == bits);
                let align = known.map_or(8, |&(_, align)| align);
                (round_up(u64::from(bits.div_ceil(8)), align), align)
            }
            Type::Pointer => (self.pointer_size, self.pointer_size),
            Type::Array { len, element } => {
                let (size, align) = self.size_and_align(types, *element, depth + 1);
                (size.saturating_mul(*len), align)
            }
            Type::Vector { .. } => {
                let bytes = self.store_size(types, ty);
                let align = bytes.max(1).checked_next_power_of_two().unwrap_or(1);
                (round_up(bytes, align), align.min(64))
            }
            Type::Struct { fields, packed } => {
                let (mut offset, mut widest) = (0u64, 1u64);
                for &field in fields.iter() {
                    let (size, align) = self.size_and_align(types, field, depth + 1);
                    if !packed {
                        offset = round_up(offset, align);
                        widest = widest.max(align);
                    }
                    offset = offset.saturating_add(size);
                }
                (round_up(offset, widest), widest)
            }
            _ => (0, 1),
        }
    }

    fn int_align(&self, width: u32) -> u64 {
        let fitting = self.int_aligns.iter().find(|&&(known, _)| known >= width);
        match fitting.or(self.int_aligns.last()) {
            Some(&(_, align)) => align,
            None => 1,
        }
    }
}

/// The bits of a floating-point format.
pub(crate) fn float_bits(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Half | FloatKind::BFloat => 16,
        FloatKind::Float => 32,
        FloatKind::Double => 64,
        FloatKind::X86Fp80 => 80,
        FloatKind::Fp128 | FloatKind::PpcFp128 => 128,
    }
}

fn round_up(value: u64, align: u64) -> u64 {
    match align {
        0 | 1 => value,
        _ => value.div_ceil(align).saturating_mul(align),
    }
}
