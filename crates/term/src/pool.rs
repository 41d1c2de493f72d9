//! The pool: hash-consing of nodes, shared between threads.
//!
//! A term is the position of its node in an append-only store; equal nodes have equal positions, so terms
//! are compared by id. The table of nodes is split into shards by hash, each behind its own lock; nodes are
//! read without a lock. Everything a node knows about its subterms is computed once, when it is made.
//!
//! Invariant: arguments are older than the node, so ids increase along every path from leaf to root.

use crate::chunks::Chunks;
use crate::digest::Digests;
use crate::op::{Args, BigId, Features, NameId, Node, Op, QuantId, TableId};
use crate::rule::{Level, Rule};
use crate::side::{QuantShape, Sides, Table};
use crate::sort::{Constructor, Sort, SortKind, Sorts};
use crate::symbols::{Sym, SymSet, SymSets, SymbolInfo, Symbols};
use crate::{Bits, Term};
use hashbrown::HashTable;
use num_bigint::BigInt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use stet_base::Index;

const SHARDS: usize = 64;

type Shard = Mutex<HashTable<(u32, Term)>>;

/// A pool of terms, used through `&self` from any thread.
pub struct Terms {
    id: u64,
    pub(crate) nodes: Chunks<Node>,
    shards: Vec<Shard>,
    pub(crate) sorts: Sorts,
    pub(crate) symbols: Symbols,
    pub(crate) sets: SymSets,
    pub(crate) sides: Sides,
    pub(crate) digests: Digests,
    level: Level,
    counters: Vec<AtomicU64>,
}

/// One round of a cheap mixing function.
#[inline]
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline]
fn finish(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash ^ hash >> 32
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An empty pool that simplifies fully.
    pub fn new() -> Self {
        Self::with_level(Level::Full)
    }

    /// An empty pool that simplifies up to a level.
    pub fn with_level(level: Level) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let terms = Terms {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            nodes: Chunks::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            sorts: Sorts::new(),
            symbols: Symbols::new(),
            sets: SymSets::new(),
            sides: Sides::new(),
            digests: Digests::new(),
            level,
            counters: Rule::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
        };
        let (f, t) = (
            terms.intern(Op::False, &[], Sort::BOOL),
            terms.intern(Op::True, &[], Sort::BOOL),
        );
        debug_assert_eq!((f, t), (Term::FALSE, Term::TRUE));
        terms
    }

    /// A number that no other pool of this process has or had: what a cache of terms must remember.
    pub fn pool_id(&self) -> u64 {
        self.id
    }

    /// The level of simplification.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Whether rules of this level run.
    #[inline]
    pub(crate) fn at(&self, level: Level) -> bool {
        self.level >= level
    }

    /// Counts an application of a rule.
    #[inline]
    pub(crate) fn fire(&self, rule: Rule) {
        debug_assert!(self.level >= rule.level(), "{rule:?}");
        self.counters[rule as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How often a rule was applied.
    pub fn applications(&self, rule: Rule) -> u64 {
        self.counters[rule as usize].load(Ordering::Relaxed)
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the truth values are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The node of a term.
    #[inline]
    pub fn node(&self, term: Term) -> &Node {
        self.nodes.get(term.index())
    }

    /// The operator of a term.
    #[inline]
    pub fn op(&self, term: Term) -> Op {
        self.node(term).op
    }

    /// The arguments of a term.
    #[inline]
    pub fn args(&self, term: Term) -> &[Term] {
        self.node(term).args()
    }

    /// The sort of a term.
    #[inline]
    pub fn sort(&self, term: Term) -> Sort {
        self.node(term).sort
    }

    /// The width of a bit-vector term; zero for other sorts.
    #[inline]
    pub fn width(&self, term: Term) -> u32 {
        self.sort(term).bv_width().unwrap_or(0)
    }

    /// The marks of all symbols inside a term.
    #[inline]
    pub fn marks(&self, term: Term) -> u8 {
        self.node(term).marks
    }

    /// Finds or makes the node, without any rewriting. The caller has checked the sorts.
    pub fn intern(&self, op: Op, args: &[Term], sort: Sort) -> Term {
        let hash = hash_node(op, args, sort);
        let shard = &self.shards[(hash >> 58) as usize % SHARDS];
        let short = hash as u32;
        let mut table = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |&(other, term): &(u32, Term)| {
            other == short && {
                let node = self.node(term);
                node.op == op && node.sort == sort && node.args() == args
            }
        };
        if let Some(&(_, term)) = table.find(spread(short), same) {
            return term;
        }
        let node = self.describe(op, args, sort);
        let term = Term::from_index(self.nodes.push(node));
        table.insert_unique(spread(short), (short, term), |&(hash, _)| spread(hash));
        term
    }

    fn describe(&self, op: Op, args: &[Term], sort: Sort) -> Node {
        let mut size = 1u32;
        let mut depth = 0;
        let mut set = SymSet::EMPTY;
        let mut marks = 0;
        let mut features = self.own_features(op, args, sort);
        let mut shape = self.own_shape(op, sort);
        for &arg in args {
            let node = self.node(arg);
            size = size.saturating_add(node.size);
            depth = depth.max(node.depth);
            set = self.sets.union(set, node.set);
            marks |= node.marks;
            features = features.union(node.features);
            shape = mix(shape, node.shape.into());
        }
        if let Op::Symbol(symbol) | Op::Apply(symbol) = op {
            set = self.sets.union(set, self.sets.intern(&[symbol]));
            marks |= self.symbols.info(symbol).mark;
        }
        if let Op::Forall(quant) | Op::Exists(quant) = op {
            let bound = self.bound_symbols(&args[..self.sides.quant_shape(quant).bound]);
            set = self.sets.without(set, &bound);
        }
        Node {
            op,
            args: Args::new(args),
            sort,
            size,
            depth: depth.saturating_add(1),
            set,
            shape: finish(shape) as u32,
            features,
            marks,
        }
    }

    pub(crate) fn bound_symbols(&self, bound: &[Term]) -> Vec<Sym> {
        let symbol = |&term| match self.op(term) {
            Op::Symbol(symbol) => Some(symbol),
            _ => None,
        };
        bound.iter().filter_map(symbol).collect()
    }

    fn own_features(&self, op: Op, args: &[Term], sort: Sort) -> Features {
        let mut features = match self.sorts.kind(sort) {
            SortKind::Bool => Features::default(),
            SortKind::Int => Features::INT,
            SortKind::Real => Features::REAL,
            SortKind::BitVec(_) => Features::BITS,
            SortKind::Array { index, element } => {
                let bits = index.bv_width().is_some()
                    && (element == Sort::BOOL || element.bv_width().is_some());
                match bits {
                    true => Features::ARRAY,
                    false => Features::ARRAY.union(Features::OTHER_ARRAY),
                }
            }
            SortKind::Uninterpreted { .. } => Features::SORT,
            SortKind::Datatype { .. } => Features::DATATYPE,
            SortKind::Builtin(_) => Features::OPAQUE,
        };
        match op {
            Op::Forall(_) | Op::Exists(_) => features = features.union(Features::QUANTIFIER),
            Op::Apply(_) => features = features.union(Features::FUNCTION),
            Op::Builtin(_) | Op::Literal(_) => features = features.union(Features::OPAQUE),
            _ => {}
        }
        let array = |&arg: &Term| matches!(self.sort_kind(self.sort(arg)), SortKind::Array { .. });
        if !matches!(op, Op::Select | Op::Store | Op::Ite) && args.iter().any(array) {
            features = features.union(Features::EXTENSIONAL);
        }
        features
    }

    /// The part of the shape hash that is not from the arguments. Independent of creation order, and of
    /// the names of marked symbols, so that renaming them keeps the order of commutative arguments.
    fn own_shape(&self, op: Op, sort: Sort) -> u64 {
        let text = |tag: u64, text: &str| {
            text.bytes()
                .fold(tag, |hash, byte| mix(hash, u64::from(byte)))
        };
        let own = match op {
            Op::Symbol(symbol) | Op::Apply(symbol) => {
                let info = self.symbols.info(symbol);
                match info.mark {
                    0 => text(1, &info.name),
                    mark => mix(2, mark.into()),
                }
            }
            Op::Bv(bits) => mix(3, bits),
            Op::BigBv(id) | Op::Int(id) => text(4, &self.big(id).to_string()),
            Op::Real(p, q) => text(5, &format!("{}/{}", self.big(p), self.big(q))),
            Op::Table(id) => {
                let table = self.table_content(id);
                (0..table.len().min(64) as u64)
                    .fold(table.len() as u64, |hash, i| mix(hash, table.get(i)))
            }
            Op::Literal(name) | Op::Builtin(name) => text(6, self.name(name)),
            Op::Extract { high, low } => mix(mix(7, high.into()), low.into()),
            Op::Construct(i) | Op::Tester(i) => mix(8, i.into()),
            Op::Selector { constructor, field } => mix(mix(9, constructor.into()), field.into()),
            Op::Forall(_) | Op::Exists(_) => 10,
            _ => 11,
        };
        let width = u64::from(sort.bv_width().unwrap_or(0));
        mix(mix(own, crate::digest::op_tag(op).into()), width)
    }

    /// A symbol by its description.
    pub fn intern_symbol(&self, info: SymbolInfo) -> Sym {
        self.symbols.intern(info)
    }

    /// What is known about a symbol.
    pub fn symbol_info(&self, symbol: Sym) -> &SymbolInfo {
        self.symbols.info(symbol)
    }

    /// How many symbols there are.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// What a sort is.
    #[inline]
    pub fn sort_kind(&self, sort: Sort) -> SortKind<'_> {
        self.sorts.kind(sort)
    }

    /// The sort of arrays.
    pub fn array_sort(&self, index: Sort, element: Sort) -> Sort {
        self.sorts.array(index, element)
    }

    /// A declared sort, applied to sorts.
    pub fn uninterpreted_sort(&self, name: &str, args: &[Sort]) -> Sort {
        self.sorts.uninterpreted(name, args)
    }

    /// A sort that is passed through to the solver: `String`, `RoundingMode`, `(_ FloatingPoint 8 24)`.
    pub fn builtin_sort(&self, text: &str) -> Sort {
        self.sorts.builtin(text)
    }

    /// The sort of a datatype, which [`define_datatype`](Self::define_datatype) describes.
    pub fn datatype_sort(&self, name: &str) -> Sort {
        self.sorts.datatype(name)
    }

    /// Gives a datatype its constructors. False if it has other constructors already.
    pub fn define_datatype(&self, sort: Sort, constructors: Vec<Constructor>) -> bool {
        self.sorts.define(sort, constructors)
    }

    /// The constructors of a datatype; empty if it is not defined.
    pub fn constructors(&self, sort: Sort) -> &[Constructor] {
        self.sorts.constructors(sort)
    }

    /// A big number of an operator.
    pub fn big(&self, id: BigId) -> &BigInt {
        self.sides.big_value(id)
    }

    /// A name of an operator.
    pub fn name(&self, id: NameId) -> &str {
        self.sides.name_text(id)
    }

    /// The contents of a constant array.
    pub fn table_content(&self, id: TableId) -> &Table {
        self.sides.table_content(id)
    }

    pub(crate) fn quant_shape(&self, id: QuantId) -> &QuantShape {
        self.sides.quant_shape(id)
    }

    /// The value of a bit-vector constant of at most 64 bits.
    #[inline]
    pub fn as_u64(&self, term: Term) -> Option<u64> {
        match self.op(term) {
            Op::Bv(bits) => Some(bits),
            _ => None,
        }
    }

    /// The value of a bit-vector constant.
    pub fn as_bits(&self, term: Term) -> Option<Bits> {
        let node = self.node(term);
        match node.op {
            Op::Bv(bits) => Some(Bits::new(node.sort.bv_width()?, bits)),
            Op::BigBv(id) => {
                let value = self.big(id).magnitude().clone();
                Some(Bits::from_big(node.sort.bv_width()?, value))
            }
            _ => None,
        }
    }

    /// Whether a term is a bit-vector constant.
    #[inline]
    pub fn is_bv_const(&self, term: Term) -> bool {
        matches!(self.op(term), Op::Bv(_) | Op::BigBv(_))
    }
}

#[inline]
fn spread(short: u32) -> u64 {
    // The table uses the top bits as well as the bottom ones.
    u64::from(short).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline]
fn hash_node(op: Op, args: &[Term], sort: Sort) -> u64 {
    let payload = match op {
        Op::Symbol(symbol) | Op::Apply(symbol) => u64::from(symbol.0),
        Op::Bv(bits) => bits,
        Op::BigBv(id) | Op::Int(id) => id.0.into(),
        Op::Real(p, q) => u64::from(p.0) << 32 | u64::from(q.0),
        Op::Table(id) => id.0.into(),
        Op::Literal(id) | Op::Builtin(id) => id.0.into(),
        Op::Extract { high, low } => u64::from(high) << 32 | u64::from(low),
        Op::Construct(i) | Op::Tester(i) => i.into(),
        Op::Selector { constructor, field } => u64::from(constructor) << 32 | u64::from(field),
        Op::Forall(id) | Op::Exists(id) => id.0.into(),
        _ => 0,
    };
    let head = u64::from(crate::digest::op_tag(op)) << 32 | u64::from(sort.raw());
    let mut hash = mix(mix(0, head), payload);
    for &arg in args {
        hash = mix(hash, arg.index() as u64);
    }
    finish(hash)
}
