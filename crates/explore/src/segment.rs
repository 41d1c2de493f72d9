//! Segments: objects whose bytes lie together, so that one array and one offset stand for an access to any of them
//! (the dynamically segmented memory model, \[AAQC §VI\] and its reference \[45\]).
//!
//! Merging copies the contents of objects into a new segment, each at a multiple of the alignment. What the program
//! knows of an object stays with the object: its address, its size, whether it may be written, where it was made, and
//! whether it is alive. So an access is checked against the bounds of the object it means, and a program that looks at
//! addresses sees the same ones in both models. Only *offsets* are rebased: a pointer `β + k` into a member is the offset
//! `at + k` in the segment, and that offset mentions no address at all.
//!
//! Invariants: the members of a segment are alive and say that they are in it; their ranges in it do not overlap; a
//! segment without members does not exist; no pointer ever means a segment.

use crate::address::{Allocator, BASE_ALIGN, ObjectId};
use crate::exec::Place;
use crate::memory::{Memory, Region, SharedCursors};
use crate::object::parts::Reach;
use crate::object::{Kind, Object};
use crate::value::Ctx;
use std::rc::Rc;

/// What happens where a symbolic pointer may mean several objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryModel {
    /// Each object is followed in its own state.
    Forking,
    /// The objects are merged into a segment, and one state goes on.
    Segmented {
        /// Whether a new segment takes the layout of earlier ones of the same objects: its members are ordered by where
        /// they were allocated, not by when the path came to them.
        reuse: bool,
    },
}

impl MemoryModel {
    /// Whether objects are merged.
    pub fn merges(self) -> bool {
        matches!(self, MemoryModel::Segmented { .. })
    }
}

/// A segment does not become larger: its contents are part of queries.
const MAX_SEGMENT: u64 = 1 << 20;

impl Memory {
    /// Where the byte at an offset of an object is.
    pub(crate) fn home(&self, object: ObjectId, offset: u64) -> (ObjectId, u64) {
        match self.get(object).and_then(Object::home) {
            Some(home) => (home.segment, home.at.wrapping_add(offset)),
            None => (object, offset),
        }
    }

    /// Where the bytes of a place in an object are.
    pub(crate) fn at_home(&self, ctx: &Ctx, place: Place) -> Place {
        match place {
            Place::At(object, offset) => {
                let (object, offset) = self.home(object, offset);
                Place::At(object, offset)
            }
            Place::Within(object, offset, reach) => {
                debug_assert!(reach == Reach::Whole, "parts are those of the holder");
                let (object, at) = self.home(object, 0);
                let offset = ctx.terms.bv_add(offset, ctx.terms.bv(64, at));
                Place::Within(object, offset, reach)
            }
        }
    }

    /// What holds the bytes of an object: itself or its segment.
    pub(crate) fn holder(&self, object: ObjectId) -> ObjectId {
        self.home(object, 0).0
    }

    /// Lays the bytes of live objects, and of all objects in the segments of some of them, into one new segment; `None` if it would be
    /// too large.
    pub(crate) fn merge(
        &mut self,
        ctx: &Ctx,
        policy: (Allocator, &SharedCursors),
        objects: &[ObjectId],
        model: MemoryModel,
    ) -> Option<ObjectId> {
        let mut holders = self.holders(objects);
        if model == (MemoryModel::Segmented { reuse: true }) {
            holders.sort_by_key(|&holder| self.allocation_order(ctx, holder));
        }
        // an array is kept as it is only at the start
        let with_array = holders.iter().position(|&holder| {
            let content = self.get(holder);
            content.is_some_and(Object::has_array)
        });
        if let Some(position) = with_array {
            holders[..=position].rotate_right(1);
        }
        let mut parts: Vec<(Rc<Object>, u64)> = Vec::with_capacity(holders.len());
        let mut size = 0u64;
        for &holder in &holders {
            let content = self.snapshot(holder)?;
            let begin = size;
            size = begin.checked_add(content.held())?;
            size = size.max(begin + 1).next_multiple_of(BASE_ALIGN);
            parts.push((content, begin));
        }
        if size > MAX_SEGMENT {
            return None;
        }
        let joined = Object::joined(ctx, size, &parts);
        let segment = self.allocate(ctx, policy, joined, BASE_ALIGN, Region::Segment);
        for (&holder, (content, begin)) in holders.iter().zip(&parts) {
            self.move_members(segment, holder, content, *begin);
        }
        Some(segment)
    }

    /// Says of the objects that a holder held that a segment holds them now.
    fn move_members(&mut self, segment: ObjectId, holder: ObjectId, content: &Object, begin: u64) {
        let members: Vec<(ObjectId, u64)> = match content.kind {
            Kind::Segment => {
                let at = |member: ObjectId| (member, begin + self.home(member, 0).1);
                content.members.iter().copied().map(at).collect()
            }
            _ => vec![(holder, begin)],
        };
        for &(member, at) in &members {
            if let Some(object) = self.get(member) {
                let moved = object.moved_to(segment, at);
                self.insert(member, moved);
            }
        }
        debug_assert!(
            members
                .iter()
                .all(|(member, at)| self.home(*member, 0) == (segment, *at)),
            "members say that they are in their segment"
        );
        if content.kind == Kind::Segment {
            self.remove(holder);
        }
        if let Some(segment) = self.get_mut(segment) {
            segment.members.extend(members.iter().map(|(id, _)| *id));
        }
    }

    /// Each holder once, in the order of the objects.
    fn holders(&self, objects: &[ObjectId]) -> Vec<ObjectId> {
        let mut holders = Vec::with_capacity(objects.len());
        for &object in objects {
            let holder = self.holder(object);
            if !holders.contains(&holder) {
                holders.push(holder);
            }
        }
        holders
    }

    /// What orders holders alike on paths that allocate alike: the first member's origin and size, then its address.
    fn allocation_order(&self, ctx: &Ctx, holder: ObjectId) -> (Option<(u32, u32)>, u64, u64) {
        let order = |id: ObjectId| {
            let object = self.get(id);
            let origin = object.and_then(|object| object.origin);
            let size = object.map_or(0, Object::size);
            (origin, size, ctx.addresses.base_of(id))
        };
        let members = self.get(holder).map_or(&[][..], |content| &content.members);
        let first = members.iter().map(|&member| order(member)).min();
        first.unwrap_or_else(|| order(holder))
    }

    /// Takes an object that ended out of its segment; the last one ends the segment.
    pub(crate) fn leave(&mut self, segment: ObjectId, object: ObjectId) {
        let Some(content) = self.get_mut(segment) else {
            return;
        };
        debug_assert!(content.kind == Kind::Segment, "members are in segments");
        debug_assert!(
            content.members.contains(&object),
            "a segment knows its members"
        );
        content.members.retain(|&member| member != object);
        if content.members.is_empty() {
            self.remove(segment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{AddressTable, Cursors};
    use crate::value::Value;
    use std::cell::Cell;
    use stet_term::{Sort, Terms};

    struct World {
        ctx: Ctx,
        memory: Memory,
        shared: SharedCursors,
    }

    impl World {
        fn new() -> Self {
            World {
                ctx: Ctx {
                    terms: Rc::new(Terms::new()),
                    addresses: Rc::new(AddressTable::new()),
                },
                memory: Memory::new(),
                shared: Cell::new(Cursors::new()),
            }
        }

        fn object(&mut self, bytes: &[u8]) -> ObjectId {
            let object = Object::with_bytes(Kind::Heap, bytes.into());
            let policy = (Allocator::PerState, &self.shared);
            self.memory
                .allocate(&self.ctx, policy, object, 16, Region::Heap)
        }

        fn merge(&mut self, objects: &[ObjectId]) -> Option<ObjectId> {
            let policy = (Allocator::PerState, &self.shared);
            let model = MemoryModel::Segmented { reuse: false };
            self.memory.merge(&self.ctx, policy, objects, model)
        }

        /// The bytes of an object, wherever they are.
        fn bytes(&self, object: ObjectId) -> Vec<Result<u64, stet_term::Term>> {
            let size = self.memory.get(object).map_or(0, Object::size);
            let byte = |k: u64| {
                let (holder, at) = self.memory.home(object, k);
                let content = self.memory.get(holder);
                let value = content.map(|content| content.read(&self.ctx, at as usize, 8));
                match value {
                    Some(Value::Int(byte)) => Ok(byte),
                    Some(Value::Sym(term)) => Err(term),
                    other => panic!("{other:?}"),
                }
            };
            (0..size).map(byte).collect()
        }
    }

    #[test]
    fn merged_objects_keep_contents_sizes_and_addresses() {
        let mut world = World::new();
        let a = world.object(&[1, 2, 3]);
        let b = world.object(&[4; 20]);
        let c = world.object(&[5]);
        let addresses = [a, b, c].map(|id| world.ctx.addresses.base_of(id));
        let first = world.merge(&[a, b]);
        let second = world.merge(&[c, b]);
        assert!(first.is_some() && second.is_some() && first != second);
        assert_eq!(world.bytes(a), [1, 2, 3].map(Ok));
        assert_eq!(world.bytes(b), [Ok(4); 20]);
        assert_eq!(world.bytes(c), [Ok(5)]);
        for (id, address) in [a, b, c].into_iter().zip(addresses) {
            assert_eq!(world.memory.find(&world.ctx, address), Some((id, 0)));
            assert_eq!(Some(world.memory.holder(id)), second);
        }
        assert!(first.is_some_and(|first| world.memory.get(first).is_none()));
    }

    #[test]
    fn the_last_member_ends_the_segment() {
        let mut world = World::new();
        let (a, b) = (world.object(&[1]), world.object(&[2]));
        let segment = world.merge(&[a, b]);
        world.memory.remove(a);
        assert_eq!(
            world.bytes(b),
            [Ok(2)],
            "a freed member leaves the others alone"
        );
        assert_eq!(Some(world.memory.holder(b)), segment);
        world.memory.remove(b);
        assert!(segment.is_some_and(|segment| world.memory.get(segment).is_none()));
    }

    #[test]
    fn arrays_of_several_members_survive() {
        let mut world = World::new();
        let x = world.ctx.terms.symbol("x", Sort::bv(64));
        let ids = [world.object(&[0; 64]), world.object(&[7; 64])];
        for id in ids {
            if let Some(object) = world.memory.get_mut(id) {
                object.write_at(&world.ctx, x, 8, &Value::Int(9), Reach::Whole);
            }
        }
        let before = ids.map(|id| world.bytes(id));
        world.merge(&ids);
        assert_eq!(ids.map(|id| world.bytes(id)), before);
    }

    #[test]
    fn large_segments_are_refused() {
        let mut world = World::new();
        let a = world.object(&[1]);
        let b = world.object(&vec![0; MAX_SEGMENT as usize]);
        assert_eq!(world.merge(&[a, b]), None);
        assert_eq!(world.bytes(a), [Ok(1)]);
        assert_eq!(world.memory.holder(a), a);
    }
}
