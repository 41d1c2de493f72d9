//! The prelude: axioms by the feature that needs them, as text with holes for types.
//!
//! A [`Chunk`] is one feature at one choice of types; only the chunks a program needs are part of its translation, in
//! an order that does not depend on what asked for them first.

use std::collections::BTreeSet;

/// A feature with the sorts it is used at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Chunk {
    /// Layers of fuel.
    Fuel,
    /// Objects, fields, the heap.
    Heap,
    /// Indices of arrays with several dimensions.
    ManyIndices,
    /// Lengths of arrays with several dimensions.
    Lengths,
    Char,
    /// Conversions between integers and reals.
    Real,
    Ordinal,
    /// Products, quotients and remainders of integers.
    Product,
    Quotient,
    Remainder,
    /// Values of a sort in the heap.
    Box(String),
    Seq(String),
    SeqOf(String),
    Set(String),
    ISet(String),
    MultiSet(String),
    MultiSetOfSet(String),
    MultiSetOfSeq(String),
    Map(String, String),
    IMap(String, String),
    MapValues(String, String),
    MapItems(String, String),
    IMapValues(String, String),
    IMapItems(String, String),
    /// The elements of an array as a sequence.
    ArraySeq(String),
    /// Sets as ranked values.
    SetRank(String),
    SeqRank(String),
}

const FUEL: &str = include_str!("prelude/fuel.bpl");
const HEAP: &str = include_str!("prelude/heap.bpl");
const MANY_INDICES: &str = include_str!("prelude/many_indices.bpl");
const LENGTHS: &str = include_str!("prelude/lengths.bpl");
const CHAR: &str = include_str!("prelude/char.bpl");
const REAL: &str = include_str!("prelude/real.bpl");
const ORDINAL: &str = include_str!("prelude/ordinal.bpl");
const PRODUCT: &str = include_str!("prelude/product.bpl");
const QUOTIENT: &str = include_str!("prelude/quotient.bpl");
const REMAINDER: &str = include_str!("prelude/remainder.bpl");
const BOX: &str = include_str!("prelude/box.bpl");
const SEQ: &str = include_str!("prelude/seq.bpl");
const SEQ_OF: &str = include_str!("prelude/seq_create.bpl");
const SET: &str = include_str!("prelude/set.bpl");
const ISET: &str = include_str!("prelude/iset.bpl");
const MULTISET: &str = include_str!("prelude/multiset.bpl");
const MULTISET_OF_SET: &str = include_str!("prelude/multiset_of_set.bpl");
const MULTISET_OF_SEQ: &str = include_str!("prelude/multiset_of_seq.bpl");
const MAP: &str = include_str!("prelude/map.bpl");
const IMAP: &str = include_str!("prelude/imap.bpl");
const MAP_VALUES: &str = include_str!("prelude/map_values.bpl");
const MAP_ITEMS: &str = include_str!("prelude/map_items.bpl");
const IMAP_VALUES: &str = include_str!("prelude/imap_values.bpl");
const IMAP_ITEMS: &str = include_str!("prelude/imap_items.bpl");
const ARRAY_SEQ: &str = include_str!("prelude/array_seq.bpl");
const SET_RANK: &str = include_str!("prelude/set_rank.bpl");
const SEQ_RANK: &str = include_str!("prelude/seq_rank.bpl");

impl Chunk {
    fn text(&self) -> String {
        let one = |text: &str, t: &str| text.replace("@T", t);
        let two = |text: &str, k: &str, v: &str| text.replace("@K", k).replace("@V", v);
        match self {
            Chunk::Fuel => FUEL.to_owned(),
            Chunk::Heap => HEAP.to_owned(),
            Chunk::ManyIndices => MANY_INDICES.to_owned(),
            Chunk::Lengths => LENGTHS.to_owned(),
            Chunk::Char => CHAR.to_owned(),
            Chunk::Real => REAL.to_owned(),
            Chunk::Ordinal => ORDINAL.to_owned(),
            Chunk::Product => PRODUCT.to_owned(),
            Chunk::Quotient => QUOTIENT.to_owned(),
            Chunk::Remainder => REMAINDER.to_owned(),
            Chunk::Box(t) => one(BOX, t),
            Chunk::Seq(t) => one(SEQ, t),
            Chunk::SeqOf(t) => one(SEQ_OF, t),
            Chunk::Set(t) => one(SET, t),
            Chunk::ISet(t) => one(ISET, t),
            Chunk::MultiSet(t) => one(MULTISET, t),
            Chunk::MultiSetOfSet(t) => one(MULTISET_OF_SET, t),
            Chunk::MultiSetOfSeq(t) => one(MULTISET_OF_SEQ, t),
            Chunk::Map(k, v) => two(MAP, k, v),
            Chunk::IMap(k, v) => two(IMAP, k, v),
            Chunk::MapValues(k, v) => two(MAP_VALUES, k, v),
            Chunk::MapItems(k, v) => two(MAP_ITEMS, k, v),
            Chunk::IMapValues(k, v) => two(IMAP_VALUES, k, v),
            Chunk::IMapItems(k, v) => two(IMAP_ITEMS, k, v),
            Chunk::ArraySeq(t) => one(ARRAY_SEQ, t),
            Chunk::SetRank(t) => one(SET_RANK, t),
            Chunk::SeqRank(t) => one(SEQ_RANK, t),
        }
    }

    /// What this chunk mentions.
    fn needs(&self) -> Vec<Chunk> {
        match self {
            Chunk::Box(_) | Chunk::ManyIndices | Chunk::Lengths => vec![Chunk::Heap],
            Chunk::SeqOf(t) => vec![Chunk::Seq(t.clone())],
            Chunk::SeqRank(t) => vec![Chunk::Seq(t.clone())],
            Chunk::SetRank(t) => vec![Chunk::Set(t.clone())],
            Chunk::MultiSetOfSet(t) => vec![Chunk::MultiSet(t.clone()), Chunk::Set(t.clone())],
            Chunk::MultiSetOfSeq(t) => vec![Chunk::MultiSet(t.clone()), Chunk::Seq(t.clone())],
            Chunk::Map(k, _) => vec![Chunk::Set(k.clone())],
            Chunk::IMap(k, _) => vec![Chunk::ISet(k.clone()), Chunk::Set(k.clone())],
            Chunk::MapValues(k, v) => vec![Chunk::Map(k.clone(), v.clone()), Chunk::Set(v.clone())],
            Chunk::MapItems(k, v) => vec![
                Chunk::Map(k.clone(), v.clone()),
                Chunk::Set(format!("$Tuple2${k}${v}")),
            ],
            Chunk::IMapValues(k, v) => {
                vec![Chunk::IMap(k.clone(), v.clone()), Chunk::ISet(v.clone())]
            }
            Chunk::IMapItems(k, v) => vec![
                Chunk::IMap(k.clone(), v.clone()),
                Chunk::ISet(format!("$Tuple2${k}${v}")),
            ],
            Chunk::ArraySeq(t) => vec![Chunk::Seq(t.clone()), Chunk::Box(t.clone())],
            _ => Vec::new(),
        }
    }
}

/// The text of all these chunks and those they need.
pub(crate) fn text(chunks: &BTreeSet<Chunk>) -> String {
    let mut all = BTreeSet::new();
    let mut pending: Vec<Chunk> = chunks.iter().cloned().collect();
    while let Some(chunk) = pending.pop() {
        if !all.contains(&chunk) {
            pending.extend(chunk.needs());
            all.insert(chunk);
        }
    }
    let mut text = String::new();
    for chunk in &all {
        text.push_str(&chunk.text());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;
