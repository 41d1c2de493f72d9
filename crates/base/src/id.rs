//! Typed `u32` ids and the dense vector they index.
//!
//! `define_id!(pub struct BlockId);` makes a four-byte id; `IdVec<BlockId, Block>` is the map from it.
//! Ids are handed out in order by [`IdVec::push`], so iteration order is creation order.

use std::marker::PhantomData;

/// An id that is an index into a dense table.
pub trait Index: Copy + Eq {
    /// The id of the `index`-th element.
    fn from_index(index: usize) -> Self;
    /// The position this id stands for.
    fn index(self) -> usize;
}

/// Defines a four-byte id type (with a niche, so that `Option<Id>` is four bytes too).
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(std::num::NonZeroU32);

        const _: () = assert!(std::mem::size_of::<Option<$name>>() == 4);

        impl $crate::Index for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                let raw = u32::try_from(index + 1).expect("fewer than 2^32 elements");
                $name(std::num::NonZeroU32::new(raw).expect("index + 1 is not zero"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}#{}", stringify!($name), $crate::Index::index(*self))
            }
        }
    };
}

/// A vector indexed by a typed id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Index, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        IdVec {
            items: Vec::new(),
            ids: PhantomData,
        }
    }

    /// A vector of `len` copies of `value`.
    pub fn filled(value: T, len: usize) -> Self
    where
        T: Clone,
    {
        IdVec {
            items: vec![value; len],
            ids: PhantomData,
        }
    }

    /// Appends `value` and returns its id.
    pub fn push(&mut self, value: T) -> I {
        let id = self.next_id();
        self.items.push(value);
        id
    }

    /// The id the next [`push`](Self::push) will return.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The element with this id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids in creation order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All elements with their ids, in creation order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(i, item)| (I::from_index(i), item))
    }

    /// All elements with their ids, in creation order, to be changed in place.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> {
        self.items
            .iter_mut()
            .enumerate()
            .map(|(i, item)| (I::from_index(i), item))
    }

    /// The elements as a slice, in creation order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Index, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Index, T> std::ops::Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Index, T> std::ops::IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Index, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        IdVec {
            items: items.into_iter().collect(),
            ids: PhantomData,
        }
    }
}

impl<I: Index, T: std::fmt::Debug> std::fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    define_id!(
        struct Node;
    );

    #[test]
    fn ids_follow_creation_order() {
        let mut nodes: IdVec<Node, &str> = IdVec::new();
        let a = nodes.push("a");
        assert_eq!(nodes.next_id().index(), 1);
        let b = nodes.push("b");
        assert_eq!((nodes[a], nodes[b]), ("a", "b"));
        assert_eq!(nodes.ids().collect::<Vec<_>>(), [a, b]);
        assert_eq!(format!("{b:?}"), "Node#1");
    }
}
