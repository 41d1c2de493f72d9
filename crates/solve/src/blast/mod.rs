//! Bit-blasting: terms to vectors of literals of the gate graph, least significant bit first.
//!
//! Each term is translated once; the translation does not depend on a query, so it is kept between
//! queries. A read of an array that is no small constant table becomes fresh bits (a [`Read`]), tied to the
//! array only when a candidate model gets it wrong (`refine`).

mod arith;
mod offsets;
mod shift;
mod table;

use crate::Reason;
use crate::gates::{Gates, Lit};
use stet_base::{Budget, FastMap};
use stet_term::{Features, Op, Sort, SortKind, Sym, Term, Terms};

/// What the procedure does not handle.
const UNSUPPORTED: &[(Features, &str)] = &[
    (Features::QUANTIFIER, "quantifiers"),
    (Features::INT, "integers"),
    (Features::REAL, "reals"),
    (Features::FUNCTION, "uninterpreted functions"),
    (Features::DATATYPE, "datatypes"),
    (Features::OPAQUE, "opaque operators"),
    (Features::SORT, "uninterpreted sorts"),
    (Features::EXTENSIONAL, "equality of arrays"),
    (Features::OTHER_ARRAY, "arrays of other things than bits"),
];

/// Where the bits of a term are.
#[derive(Clone, Copy, Debug)]
struct Slice {
    start: u32,
    len: u32,
}

/// A read that was given fresh bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) term: Term,
}

/// The translation of terms of one pool.
pub(crate) struct Blaster {
    pub(crate) gates: Gates,
    bits: Vec<Lit>,
    slices: FastMap<Term, Slice>,
    reads: Vec<Read>,
    divisions: FastMap<(Term, Term), (Slice, Slice)>,
    tasks: Vec<(Term, bool)>,
}

impl Blaster {
    pub(crate) fn new() -> Self {
        Blaster {
            gates: Gates::new(),
            bits: Vec::new(),
            slices: FastMap::default(),
            reads: Vec::new(),
            divisions: FastMap::default(),
            tasks: Vec::new(),
        }
    }

    /// The bits of a term that was translated.
    pub(crate) fn bits_of(&self, term: Term) -> Option<&[Lit]> {
        self.slices.get(&term).map(|&slice| self.slice(slice))
    }

    fn slice(&self, slice: Slice) -> &[Lit] {
        debug_assert!(slice.len > 0, "no sort has no bits");
        &self.bits[slice.start as usize..(slice.start + slice.len) as usize]
    }

    fn keep(&mut self, bits: &[Lit]) -> Slice {
        let start = self.bits.len() as u32;
        self.bits.extend_from_slice(bits);
        Slice {
            start,
            len: bits.len() as u32,
        }
    }

    /// A read by the number its input bits carry.
    pub(crate) fn read(&self, number: u32) -> Read {
        self.reads[number as usize]
    }

    /// Translates a Boolean term to its literal.
    pub(crate) fn literal(
        &mut self,
        terms: &Terms,
        term: Term,
        budget: &Budget,
    ) -> Result<Lit, Reason> {
        self.translate(terms, term, budget)?;
        debug_assert_eq!(self.slices[&term].len, 1, "a truth value is one literal");
        Ok(self.bits[self.slices[&term].start as usize])
    }

    /// Translates a term and everything it needs.
    pub(crate) fn translate(
        &mut self,
        terms: &Terms,
        root: Term,
        budget: &Budget,
    ) -> Result<(), Reason> {
        if self.slices.contains_key(&root) {
            return Ok(());
        }
        check_supported(terms, root)?;
        self.tasks.clear();
        self.tasks.push((root, false));
        let mut steps = 0u32;
        while let Some((term, ready)) = self.tasks.pop() {
            if self.slices.contains_key(&term) {
                continue;
            }
            if ready {
                steps += 1;
                if steps.is_multiple_of(256) {
                    budget.check()?;
                }
                self.operator(terms, term, budget)?;
                continue;
            }
            self.tasks.push((term, true));
            let node = terms.node(term);
            match node.op() {
                // The array of a read is looked at only on demand; its index is needed for a table.
                Op::Select => self.tasks.push((node.args()[1], false)),
                _ => {
                    let args = node
                        .args()
                        .iter()
                        .filter(|arg| is_scalar(terms.sort(**arg)));
                    self.tasks.extend(args.map(|&arg| (arg, false)));
                }
            }
        }
        Ok(())
    }

    fn operator(&mut self, terms: &Terms, term: Term, budget: &Budget) -> Result<(), Reason> {
        let node = terms.node(term);
        if let Op::Select = node.op() {
            return self.select(terms, term, budget);
        }
        let args: Vec<Vec<Lit>> = node
            .args()
            .iter()
            .map(|&arg| match self.slices.get(&arg) {
                Some(&slice) => self.slice(slice).to_vec(),
                None => Vec::new(),
            })
            .collect();
        let result = match node.op() {
            Op::True => vec![Lit::TRUE],
            Op::False => vec![Lit::FALSE],
            Op::Symbol(symbol) => self.symbol(terms, symbol)?,
            Op::Bv(_) | Op::BigBv(_) => self.constant(terms, term)?,
            Op::Not => vec![!args[0][0]],
            Op::And => {
                let all: Vec<Lit> = args.iter().map(|arg| arg[0]).collect();
                vec![self.gates.and_all(&all)]
            }
            Op::Or => {
                let all: Vec<Lit> = args.iter().map(|arg| !arg[0]).collect();
                vec![!self.gates.and_all(&all)]
            }
            Op::Implies => vec![self.gates.or(!args[0][0], args[1][0])],
            Op::Eq => vec![self.gates.equal(&args[0], &args[1])],
            Op::Distinct => vec![self.distinct(&args)],
            Op::Ite => self.choice(args[0][0], &args[1], &args[2]),
            Op::BvNot => args[0].iter().map(|&lit| !lit).collect(),
            Op::BvAnd => self.each(&args, Gates::and),
            Op::BvOr => self.each(&args, Gates::or),
            Op::BvXor => self.each(&args, Gates::xor),
            Op::Concat => [&args[1][..], &args[0][..]].concat(),
            Op::Extract { high, low } => args[0][low as usize..=high as usize].to_vec(),
            Op::ZeroExtend => extended(&args[0], terms.width(term), Lit::FALSE),
            Op::SignExtend => {
                let sign = args[0][args[0].len() - 1];
                extended(&args[0], terms.width(term), sign)
            }
            Op::BvUlt => vec![self.unsigned_less(terms, node.args(), &args, budget)?],
            Op::BvSlt => vec![self.signed_less(&args[0], &args[1])],
            Op::BvShl | Op::BvLshr | Op::BvAshr => self.shift(node.op(), &args[0], &args[1]),
            Op::BvAdd => self.add_terms(terms, node.args(), &args),
            Op::BvNeg => self.negated(&args[0]),
            Op::BvMul => self.multiply(&args[0], &args[1], budget)?,
            Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => {
                self.divide(term, node.op(), node.args(), &args, budget)?
            }
            op => return Err(Reason::Unsupported(format!("{op:?}"))),
        };
        debug_assert_eq!(
            result.len() as u32,
            terms.sort(term).bv_width().unwrap_or(1),
            "a literal for every bit of {term:?}"
        );
        let slice = self.keep(&result);
        self.slices.insert(term, slice);
        Ok(())
    }

    fn symbol(&mut self, terms: &Terms, symbol: Sym) -> Result<Vec<Lit>, Reason> {
        let width = scalar_width(terms, terms.symbol_info(symbol).sort)?;
        Ok((0..width).map(|_| self.gates.input(0)).collect())
    }

    fn constant(&mut self, terms: &Terms, term: Term) -> Result<Vec<Lit>, Reason> {
        let width = terms.width(term);
        if let Some(value) = terms.as_u64(term) {
            return Ok((0..width)
                .map(|i| Lit::constant(value >> i & 1 == 1))
                .collect());
        }
        let bits = terms
            .as_bits(term)
            .ok_or_else(|| Reason::Unsupported("a constant".to_owned()))?;
        Ok((0..width).map(|i| Lit::constant(bits.bit(i))).collect())
    }

    fn each(&mut self, args: &[Vec<Lit>], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Vec<Lit> {
        debug_assert!(
            args.len() == 2 && args[0].len() == args[1].len(),
            "two words of one width"
        );
        let pairs = args[0].iter().zip(&args[1]);
        pairs.map(|(&a, &b)| gate(&mut self.gates, a, b)).collect()
    }

    fn choice(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        debug_assert_eq!(a.len(), b.len(), "words of one width");
        let pairs = a.iter().zip(b);
        pairs
            .map(|(&a, &b)| self.gates.mux(condition, a, b))
            .collect()
    }

    fn distinct(&mut self, args: &[Vec<Lit>]) -> Lit {
        let mut all = Vec::new();
        for (j, b) in args.iter().enumerate() {
            for a in &args[..j] {
                all.push(!self.gates.equal(a, b));
            }
        }
        self.gates.and_all(&all)
    }

    fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let flip = |bits: &[Lit]| {
            let mut bits = bits.to_vec();
            if let Some(sign) = bits.last_mut() {
                *sign = !*sign;
            }
            bits
        };
        let (a, b) = (flip(a), flip(b));
        self.gates.less(&a, &b)
    }

    fn select(&mut self, terms: &Terms, term: Term, budget: &Budget) -> Result<(), Reason> {
        let (array, index) = (terms.args(term)[0], terms.args(term)[1]);
        let width = scalar_width(terms, terms.sort(term))?;
        let bits = match terms.op(array) {
            Op::Table(id) => {
                let index = self.bits_of(index).map(<[Lit]>::to_vec).unwrap_or_default();
                self.table(terms.table_content(id), &index, width, budget)?
            }
            _ => None,
        };
        let bits = bits.unwrap_or_else(|| {
            self.reads.push(Read { term });
            let owner = self.reads.len() as u32;
            (0..width).map(|_| self.gates.input(owner)).collect()
        });
        let slice = self.keep(&bits);
        self.slices.insert(term, slice);
        Ok(())
    }
}

fn check_supported(terms: &Terms, term: Term) -> Result<(), Reason> {
    let features = terms.node(term).features();
    match UNSUPPORTED
        .iter()
        .find(|(feature, _)| features.intersects(*feature))
    {
        None => Ok(()),
        Some((_, what)) => Err(Reason::Unsupported((*what).to_owned())),
    }
}

fn is_scalar(sort: Sort) -> bool {
    sort == Sort::BOOL || sort.bv_width().is_some()
}

fn scalar_width(terms: &Terms, sort: Sort) -> Result<u32, Reason> {
    match terms.sort_kind(sort) {
        SortKind::Bool => Ok(1),
        SortKind::BitVec(width) => Ok(width),
        _ => Err(Reason::Unsupported(format!(
            "bits of sort {}",
            terms.sort_text(sort)
        ))),
    }
}

fn extended(bits: &[Lit], width: u32, fill: Lit) -> Vec<Lit> {
    let mut bits = bits.to_vec();
    debug_assert!(bits.len() <= width as usize, "an extension drops nothing");
    bits.resize(width as usize, fill);
    bits
}
