//! A persistent map from small numbers: a radix tree of shared nodes. Cloning is one reference count; a write copies
//! the path to its leaf if it is shared.

use std::rc::Rc;

const BITS: u32 = 4;
const WAYS: usize = 1 << BITS;

#[derive(Clone)]
enum Node<T> {
    Inner([Option<Rc<Node<T>>>; WAYS]),
    Leaf([Option<T>; WAYS]),
}

impl<T> Node<T> {
    fn is_empty(&self) -> bool {
        match self {
            Node::Inner(children) => children.iter().flatten().all(|child| child.is_empty()),
            Node::Leaf(items) => items.iter().all(Option::is_none),
        }
    }
}

#[derive(Clone)]
pub(crate) struct RadixMap<T> {
    root: Rc<Node<T>>,
    /// How many levels of inner nodes are above the leaves.
    height: u32,
    len: usize,
}

impl<T: Clone> RadixMap<T> {
    pub(crate) fn new() -> Self {
        RadixMap {
            root: Rc::new(empty_leaf()),
            height: 0,
            len: 0,
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn fits(&self, key: u32) -> bool {
        u64::from(key) >> (BITS * (self.height + 1)) == 0
    }

    #[inline]
    pub(crate) fn get(&self, key: u32) -> Option<&T> {
        if !self.fits(key) {
            return None;
        }
        let mut node = &*self.root;
        let mut shift = BITS * self.height;
        loop {
            let slot = (key >> shift) as usize % WAYS;
            match node {
                Node::Inner(children) => node = children[slot].as_deref()?,
                Node::Leaf(items) => return items[slot].as_ref(),
            }
            shift = shift.wrapping_sub(BITS);
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        if !self.fits(key) {
            return None;
        }
        let mut shift = BITS * self.height;
        let mut node = Rc::make_mut(&mut self.root);
        loop {
            let slot = (key >> shift) as usize % WAYS;
            match node {
                Node::Inner(children) => node = Rc::make_mut(children[slot].as_mut()?),
                Node::Leaf(items) => return items[slot].as_mut(),
            }
            shift = shift.wrapping_sub(BITS);
        }
    }

    pub(crate) fn insert(&mut self, key: u32, value: T) {
        while !self.fits(key) {
            let mut children = [const { None }; WAYS];
            children[0] = Some(self.root.clone());
            self.root = Rc::new(Node::Inner(children));
            self.height += 1;
        }
        debug_assert!(
            self.fits(key),
            "the tree is as high as its largest key needs"
        );
        let slot = self.slot(key);
        let fresh = slot.replace(value).is_none();
        self.len += usize::from(fresh);
    }

    pub(crate) fn remove(&mut self, key: u32) -> Option<T> {
        self.get(key)?;
        debug_assert!(self.len > 0, "items are counted");
        self.len -= 1;
        self.slot(key).take()
    }

    /// The keys whose items are not the same; `None` if a key is in one map only. Shared nodes are not looked into.
    pub(crate) fn differing(&self, other: &Self, is_same: fn(&T, &T) -> bool) -> Option<Vec<u32>> {
        if self.height != other.height {
            return None; // a map is only as high as its largest key needs
        }
        let mut keys = Vec::new();
        let mut pending = vec![(&self.root, &other.root, 0u32)];
        while let Some((a, b, key)) = pending.pop() {
            match (&**a, &**b) {
                _ if Rc::ptr_eq(a, b) => {}
                (Node::Leaf(a), Node::Leaf(b)) => {
                    for (slot, pair) in a.iter().zip(b).enumerate() {
                        match pair {
                            (None, None) => {}
                            (Some(a), Some(b)) if is_same(a, b) => {}
                            (Some(_), Some(_)) => keys.push(key << BITS | slot as u32),
                            _ => return None,
                        }
                    }
                }
                (Node::Inner(a), Node::Inner(b)) => {
                    for (slot, pair) in a.iter().zip(b).enumerate() {
                        let key = key << BITS | slot as u32;
                        match pair {
                            (Some(a), Some(b)) => pending.push((a, b, key)),
                            (None, None) => {}
                            (Some(only), None) | (None, Some(only)) => {
                                if !only.is_empty() {
                                    return None;
                                }
                            }
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(keys)
    }

    /// The leaf slot of a key that fits, made if missing.
    fn slot(&mut self, key: u32) -> &mut Option<T> {
        debug_assert!(self.fits(key), "a key has a leaf");
        let mut shift = BITS * self.height;
        let mut node = Rc::make_mut(&mut self.root);
        loop {
            let slot = (key >> shift) as usize % WAYS;
            match node {
                Node::Inner(children) => {
                    let child = children[slot].get_or_insert_with(|| {
                        Rc::new(match shift {
                            BITS => empty_leaf(),
                            _ => Node::Inner([const { None }; WAYS]),
                        })
                    });
                    node = Rc::make_mut(child);
                }
                Node::Leaf(items) => return &mut items[slot],
            }
            shift = shift.wrapping_sub(BITS);
        }
    }
}

fn empty_leaf<T>() -> Node<T> {
    Node::Leaf([const { None }; WAYS])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Random operations on several versions, against an ordinary map.
    #[test]
    fn behaves_as_a_map_in_every_version() {
        let mut versions = vec![(RadixMap::new(), BTreeMap::new())];
        let mut numbers = stet_testkit::Random::new(1);
        for _ in 0..20_000 {
            let random = numbers.bits();
            let key =
                (random >> 40) as u32 % [8, 300, 70_000, 1 << 24][(random >> 20) as usize % 4];
            let which = (random >> 10) as usize % versions.len();
            if random.is_multiple_of(97) && versions.len() < 12 {
                let copy = versions[which].clone();
                versions.push(copy);
            }
            let (map, model) = &mut versions[which];
            match random >> 33 & 3 {
                0 | 1 => {
                    map.insert(key, random);
                    model.insert(key, random);
                }
                2 => assert_eq!(map.remove(key), model.remove(&key)),
                _ => {
                    if let Some(value) = map.get_mut(key) {
                        *value += 1;
                    }
                    if let Some(value) = model.get_mut(&key) {
                        *value += 1;
                    }
                }
            }
            assert_eq!(map.get(key), model.get(&key));
            assert_eq!(map.len(), model.len());
        }
        for (map, model) in &versions {
            assert!(
                model
                    .iter()
                    .all(|(&key, value)| map.get(key) == Some(value))
            );
        }
    }
}
