//! Objects whose bytes lie in a segment, and the segment's contents made of theirs.

use super::{Home, Kind, Object};
use crate::address::ObjectId;
use crate::unwritten::Unwritten;
use crate::value::Ctx;

impl Object {
    /// The object once its bytes are in a segment.
    pub(crate) fn moved_to(&self, segment: ObjectId, at: u64) -> Object {
        debug_assert!(self.kind != Kind::Segment, "no segment is in a segment");
        debug_assert!(
            at.checked_add(self.size()).is_some(),
            "a member lies in its segment"
        );
        let mut moved = Object::with_bytes(self.kind, Box::default());
        moved.writable = self.writable;
        moved.origin = self.origin;
        moved.home = Some(Home {
            segment,
            at,
            size: self.size(),
        });
        moved
    }

    /// A segment of `size` bytes with the contents of objects at their offsets. Only the first keeps an array as it is, so it must
    /// be at offset 0; bytes of other arrays are read one by one.
    pub(crate) fn joined(ctx: &Ctx, size: u64, parts: &[(std::rc::Rc<Object>, u64)]) -> Object {
        let mut whole = Object::zeroed(Kind::Segment, size);
        if parts.iter().any(|(part, _)| !part.unwritten.is_empty()) {
            let sources = parts
                .iter()
                .flat_map(|(part, at)| part.sources(*at as usize));
            whole.unwritten = Unwritten::of_segment(size, sources.collect());
        }
        debug_assert!(
            parts.iter().all(|(part, at)| at + part.held() <= size),
            "members lie in their segment"
        );
        debug_assert!(
            parts
                .windows(2)
                .all(|pair| pair[0].1 + pair[0].0.held() <= pair[1].1),
            "members of a segment do not overlap"
        );
        for (part, at) in parts {
            if *at == 0 && part.has_array() {
                whole.take_array(part);
            } else {
                whole.copy_from(ctx, *at as usize, part, 0, part.bytes.len());
            }
        }
        whole
    }

    /// Starts with the contents of an object that has an array.
    fn take_array(&mut self, first: &Object) {
        debug_assert!(
            self.array.is_none() && first.bytes.len() <= self.bytes.len(),
            "one array is kept as it is, at the start"
        );
        let words = self.bytes.len().div_ceil(8);
        let mut shadow = vec![0; words];
        if let Some(known) = &first.shadow {
            shadow[..known.len()].copy_from_slice(known);
        }
        self.bytes[..first.bytes.len()].copy_from_slice(&first.bytes);
        self.shadow = Some(shadow.into_boxed_slice());
        self.rows = first.rows.clone();
        self.free_rows = first.free_rows.clone();
        self.array = first.array;
        self.parts = first.parts.clone();
        self.unwritten.take(&first.unwritten, first.bytes.len());
        self.forget();
    }
}
