//! Canonical digests of terms: BLAKE3 over structure and names, independent of ids and creation order.
//!
//! | in the digest of a term | |
//! |---|---|
//! | operator and its payload | by [`op_tag`] and value; tables by content |
//! | sort | as SMT-LIB text |
//! | symbols | name, parameter sorts, sort, mark, whether bound |
//! | arguments | their digests, in order |
//! | not | ids, sizes, rewrite counters |

use crate::side::Table;
use crate::{Op, Sort, Sym, Term, Terms};
use std::sync::{Mutex, PoisonError};
use stet_base::{FastMap, Index};
use stet_key::{Digest, Encoder};

const SHARDS: usize = 32;

/// The memo of digests.
pub(crate) struct Digests {
    shards: Vec<Mutex<FastMap<Term, Digest>>>,
}

impl Digests {
    pub(crate) fn new() -> Self {
        Digests {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }

    fn get(&self, term: Term) -> Option<Digest> {
        let shard = self.shards[term.index() % SHARDS].lock();
        let shard = shard.unwrap_or_else(PoisonError::into_inner);
        shard.get(&term).copied()
    }

    fn set(&self, term: Term, digest: Digest) {
        let shard = self.shards[term.index() % SHARDS].lock();
        let mut shard = shard.unwrap_or_else(PoisonError::into_inner);
        shard.insert(term, digest);
    }
}

/// A number for each operator, stable between versions: part of keys.
pub fn op_tag(op: Op) -> u32 {
    match op {
        Op::True => 0,
        Op::False => 1,
        Op::Symbol(_) => 2,
        Op::Bv(_) => 3,
        Op::BigBv(_) => 4,
        Op::Int(_) => 5,
        Op::Real(..) => 6,
        Op::Table(_) => 7,
        Op::Literal(_) => 8,
        Op::Not => 9,
        Op::And => 10,
        Op::Or => 11,
        Op::Implies => 12,
        Op::Eq => 13,
        Op::Distinct => 14,
        Op::Ite => 15,
        Op::Apply(_) => 16,
        Op::Builtin(_) => 17,
        Op::BvNot => 18,
        Op::BvNeg => 19,
        Op::BvAnd => 20,
        Op::BvOr => 21,
        Op::BvXor => 22,
        Op::BvAdd => 23,
        Op::BvMul => 24,
        Op::BvUdiv => 25,
        Op::BvUrem => 26,
        Op::BvSdiv => 27,
        Op::BvSrem => 28,
        Op::BvShl => 29,
        Op::BvLshr => 30,
        Op::BvAshr => 31,
        Op::BvUlt => 32,
        Op::BvSlt => 33,
        Op::Concat => 34,
        Op::Extract { .. } => 35,
        Op::ZeroExtend => 36,
        Op::SignExtend => 37,
        Op::Fill => 38,
        Op::Select => 39,
        Op::Store => 40,
        Op::Add => 41,
        Op::Mul => 42,
        Op::Neg => 43,
        Op::IntDiv => 44,
        Op::IntMod => 45,
        Op::RealDiv => 46,
        Op::Lt => 47,
        Op::Le => 48,
        Op::ToReal => 49,
        Op::ToInt => 50,
        Op::IsInt => 51,
        Op::Construct(_) => 52,
        Op::Selector { .. } => 53,
        Op::Tester(_) => 54,
        Op::Forall(_) => 55,
        Op::Exists(_) => 56,
    }
}

impl Terms {
    /// The canonical digest of a term, memoised.
    pub fn digest(&self, root: Term) -> Digest {
        if let Some(digest) = self.digests.get(root) {
            return digest;
        }
        let mut encoder = Encoder::new();
        let mut stack = vec![(root, false)];
        while let Some((term, ready)) = stack.pop() {
            if ready {
                encoder.clear();
                self.encode_head(term, &mut encoder);
                encoder.sequence(self.args(term), |e, &arg| {
                    e.digest(&self.digests.get(arg).expect("arguments come first"));
                });
                self.digests.set(term, encoder.digest_of_all());
            } else if self.digests.get(term).is_none() {
                stack.push((term, true));
                stack.extend(self.args(term).iter().map(|&arg| (arg, false)));
            }
        }
        self.digests.get(root).expect("the root was just computed")
    }

    /// Writes a node without its arguments canonically: operator, payload and sort. The hook for keys
    /// that walk terms themselves; symbols are written by name.
    pub fn encode_head(&self, term: Term, encoder: &mut Encoder) {
        let node = self.node(term);
        encoder.u32(op_tag(node.op));
        match node.op {
            Op::Symbol(symbol) | Op::Apply(symbol) => self.encode_symbol(symbol, encoder),
            Op::Bv(bits) => encoder.u64(bits),
            Op::BigBv(id) | Op::Int(id) => encoder.str(&self.big(id).to_string()),
            Op::Real(p, q) => {
                encoder.str(&self.big(p).to_string());
                encoder.str(&self.big(q).to_string());
            }
            Op::Table(id) => match self.table_content(id) {
                Table::Bytes(bytes) => encoder.raw(bytes),
                Table::Words(words) => encoder.sequence(words.iter(), |e, &word| e.u64(word)),
            },
            Op::Literal(name) | Op::Builtin(name) => encoder.str(self.name(name)),
            Op::Extract { high, low } => {
                encoder.u32(high);
                encoder.u32(low);
            }
            Op::Construct(i) | Op::Tester(i) => encoder.u32(i),
            Op::Selector { constructor, field } => {
                encoder.u32(constructor);
                encoder.u32(field);
            }
            Op::Forall(id) | Op::Exists(id) => {
                let shape = self.quant_shape(id);
                encoder.u64(shape.bound as u64);
                encoder.sequence(&shape.patterns, |e, &len| e.u64(len as u64));
                encoder.u64(shape.no_patterns as u64);
                encoder.option(shape.weight, Encoder::u32);
                encoder.option(shape.qid.as_deref(), Encoder::str);
                encoder.option(shape.skolem_id.as_deref(), Encoder::str);
            }
            _ => {}
        }
        self.encode_sort(node.sort, encoder);
    }

    /// Writes a sort canonically. Datatypes are written by name: who uses a datatype in a key adds its
    /// definition.
    pub fn encode_sort(&self, sort: Sort, encoder: &mut Encoder) {
        match sort.bv_width() {
            Some(width) => encoder.u32(width),
            None => {
                encoder.u32(0);
                encoder.str(&self.sort_text(sort));
            }
        }
    }

    fn encode_symbol(&self, symbol: Sym, encoder: &mut Encoder) {
        let info = self.symbol_info(symbol);
        encoder.str(&info.name);
        encoder.sequence(info.params.iter(), |e, &sort| self.encode_sort(sort, e));
        encoder.u8(info.mark);
        encoder.bool(info.bound);
    }
}
