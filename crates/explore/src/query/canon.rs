//! Canonical keys: two queries have one key exactly if a size-preserving bijection of base addresses (and,
//! if asked, a renaming of the program's symbols) makes them equal [AAQC Alg. 1], up to ties described below.
//!
//! Every term has a [`Form`]: the list of its symbols in order of first occurrence, and a digest of its
//! structure in which a symbol is the position in that list. Forms are made from the forms of the arguments
//! and remembered, so a term is looked at once in its life, and a look-up costs one digest over the forms
//! of the query's constraints. The pairwise algorithm of the paper is kept in the tests as the oracle.
//!
//! | in the key | how |
//! |---|---|
//! | operators, sorts, constants, contents of tables | by value |
//! | operands of commutative operators, summands, factors | in the order of their digests, whatever order the term has |
//! | base addresses | position of first occurrence, and the object's size |
//! | symbols of the program | position and sort; with [`Naming::Exact`] also the name |
//! | path constraints over one small symbol, and such of the question without addresses | as the set of values they allow, with the symbol's position |
//! | other constraints | as a set: ordered by digest, equal digests by the positions already given |
//! | chain version, naming | first part |
//!
//! Not in the key: concrete addresses, ids of terms or symbols, the order in which constraints were added.
//!
//! Ties: constraints that are alike up to symbols without a position are told apart by where else in the query their symbols
//! occur, two constraints deep ([`colours`]), and if that fails taken in the order given; so are the two operands of a
//! commutative operator that are alike (`β1 = β2`). The worst this can cost is a miss: equal keys still mean equal queries,
//! because the key says which positions each constraint uses.

use super::address::AddressView;
use std::sync::Arc;
use stet_base::FastMap;
use stet_key::{Digest, Encoder};
use stet_solve::Values;
use stet_term::{Op, Sort, SortKind, Sym, Term, Terms, op_tag};

/// Changes whenever a form or a key is computed differently.
const VERSION: u32 = 5;

/// Whether names of the program's symbols matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// Symbols keep their names: only addresses are renamed, as in the paper.
    Exact,
    /// Symbols are renamed like addresses; their sorts must agree.
    Renamed,
}

/// A term up to the names of its symbols.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    digest: Digest,
    /// In order of first occurrence.
    symbols: Arc<[Sym]>,
    /// The same with the two alike operands of a commutative operator exchanged, if that is as good.
    twin: Option<Arc<[Sym]>>,
}

impl Form {
    /// The orders its symbols may be taken in.
    fn orders(&self) -> impl Iterator<Item = &Arc<[Sym]>> {
        std::iter::once(&self.symbols).chain(&self.twin)
    }
}

/// A query up to the names of its symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CanonicalQuery {
    pub(crate) key: Digest,
    /// The symbols by position.
    pub(crate) order: Vec<Sym>,
}

/// Computes and remembers forms.
pub(crate) struct Canonizer {
    naming: Naming,
    forms: FastMap<Term, Form>,
    none: Arc<[Sym]>,
    encoder: Encoder,
}

/// Groups of like constraints larger than this are taken in the order given.
const TIE_LIMIT: usize = 48;
/// Sums of more operands are taken as they are nested.
const MOST_OPERANDS: usize = 16;
const NO_POSITION: u32 = u32::MAX;

impl Canonizer {
    pub(crate) fn new(naming: Naming) -> Self {
        Canonizer {
            naming,
            forms: FastMap::default(),
            none: Arc::from([]),
            encoder: Encoder::new(),
        }
    }

    /// The canonical form of a set of constraints, and of symbols that have one of some values; `None` if a constraint has
    /// operators that have no form.
    pub(crate) fn query(
        &mut self,
        terms: &Terms,
        addresses: &dyn AddressView,
        constraints: &[Term],
        domains: &[(Sym, Values)],
    ) -> Option<CanonicalQuery> {
        let mut forms = Vec::with_capacity(constraints.len());
        for &constraint in constraints {
            forms.push(self.form(terms, addresses, constraint)?);
        }
        forms.sort_by_key(|form| form.digest);
        let mut numbering = Numbering::default();
        let alike = forms.windows(2).any(|two| two[0].digest == two[1].digest);
        if alike || forms.iter().any(|form| form.twin.is_some()) {
            numbering.colours = colours(&forms);
        }
        let mut key = Encoder::new();
        key.str("explore/query");
        key.u32(VERSION);
        key.bool(self.naming == Naming::Renamed);
        key.u64(forms.len() as u64);
        let mut rest = forms.as_mut_slice();
        while let Some(first) = rest.first() {
            let digest = first.digest;
            let alike = rest.iter().take_while(|form| form.digest == digest).count();
            let (group, later) = rest.split_at_mut(alike);
            numbering.take_group(group, &mut key);
            rest = later;
        }
        self.write_domains(terms, domains, &mut numbering, &mut key)?;
        debug_assert_eq!(
            numbering.order.len(),
            numbering.positions.len(),
            "positions and symbols are one to one"
        );
        Some(CanonicalQuery {
            key: key.digest_of_all(),
            order: numbering.order,
        })
    }

    /// Writes which values symbols have: those of the constraints by position, then the others in an order that does not
    /// depend on their names unless names matter.
    fn write_domains(
        &self,
        terms: &Terms,
        domains: &[(Sym, Values)],
        numbering: &mut Numbering,
        key: &mut Encoder,
    ) -> Option<()> {
        let name = |symbol: Sym| match self.naming {
            Naming::Exact => terms.symbol_info(symbol).name.to_string(),
            Naming::Renamed => String::new(),
        };
        let width = |symbol: Sym| terms.symbol_info(symbol).sort.bv_width();
        let mut sorted: Vec<(u32, String, Option<u32>, Values, Sym)> = domains
            .iter()
            .map(|&(symbol, values)| {
                let position = numbering.positions.get(&symbol).copied();
                let position = position.unwrap_or(NO_POSITION);
                (position, name(symbol), width(symbol), values, symbol)
            })
            .collect();
        sorted.sort();
        key.u64(sorted.len() as u64);
        for (position, name, _, values, symbol) in sorted {
            key.u32(position);
            if position == NO_POSITION {
                key.str(&name);
                write_sort(terms, terms.symbol_info(symbol).sort, key)?;
                let next = numbering.order.len() as u32;
                numbering.positions.insert(symbol, next);
                numbering.order.push(symbol);
            }
            for word in values {
                key.u64(word);
            }
        }
        Some(())
    }

    /// The form of a term.
    pub(crate) fn form(
        &mut self,
        terms: &Terms,
        addresses: &dyn AddressView,
        term: Term,
    ) -> Option<Form> {
        if let Some(form) = self.forms.get(&term) {
            return Some(form.clone());
        }
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if self.forms.contains_key(&top) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            for &arg in terms.args(top) {
                if !self.forms.contains_key(&arg) {
                    pending.push(arg);
                }
            }
            if pending.len() == before {
                let form = self.form_of_node(terms, addresses, top)?;
                self.forms.insert(top, form);
                pending.pop();
            }
        }
        self.forms.get(&term).cloned()
    }

    /// The form of a node whose arguments have theirs.
    fn form_of_node(
        &mut self,
        terms: &Terms,
        addresses: &dyn AddressView,
        term: Term,
    ) -> Option<Form> {
        let mut encoder = std::mem::take(&mut self.encoder);
        encoder.clear();
        let written = self.write_head(terms, addresses, term, &mut encoder);
        let operands = self.sorted_operands(terms, term);
        let is_commutative = operands.is_some();
        let args = operands.as_deref().unwrap_or(terms.args(term));
        let symbols = written.and_then(|own| self.write_arguments(args, own, &mut encoder));
        let digest = encoder.digest_of_all();
        self.encoder = encoder;
        let symbols = symbols?;
        let twin = match is_commutative.then(|| self.exchanged(args)).flatten() {
            Some(twin) => Some(twin),
            None => self.inherited_twin(args, &symbols),
        };
        Some(Form {
            digest,
            symbols,
            twin,
        })
    }

    /// The symbols of an operator with two operands that are alike and share none, in the other order: nothing in the term
    /// says which of them is first.
    fn exchanged(&self, operands: &[Term]) -> Option<Arc<[Sym]>> {
        let [first, second] = operands else {
            return None;
        };
        let (first, second) = (self.forms.get(first)?, self.forms.get(second)?);
        let apart = |symbol: &Sym| !first.symbols.contains(symbol);
        if first.digest != second.digest || !second.symbols.iter().all(apart) {
            return None;
        }
        let exchanged = second.symbols.iter().chain(first.symbols.iter());
        (!first.symbols.is_empty()).then(|| exchanged.copied().collect())
    }

    /// That of the only argument with symbols.
    fn inherited_twin(&self, args: &[Term], symbols: &[Sym]) -> Option<Arc<[Sym]>> {
        let mut with_symbols = args
            .iter()
            .filter_map(|arg| self.forms.get(arg))
            .filter(|form| !form.symbols.is_empty());
        let only = with_symbols.next()?;
        let is_only = with_symbols.next().is_none() && *only.symbols == *symbols;
        only.twin.clone().filter(|_| is_only)
    }

    /// The operands of a commutative operator in an order that does not depend on when terms were made; alike operands stay in
    /// the term's order, which costs at worst a miss.
    fn sorted_operands(&self, terms: &Terms, term: Term) -> Option<Vec<Term>> {
        let mut operands = commutative_operands(terms, term)?;
        operands.sort_by_key(|operand| self.forms.get(operand).map(|form| form.digest));
        Some(operands)
    }

    /// Writes operator and sort; the symbol itself, if it is one.
    fn write_head(
        &self,
        terms: &Terms,
        addresses: &dyn AddressView,
        term: Term,
        e: &mut Encoder,
    ) -> Option<Arc<[Sym]>> {
        let op = terms.op(term);
        e.u32(op_tag(op));
        match op {
            Op::Symbol(symbol) => {
                match addresses.object(symbol) {
                    Some(object) => {
                        e.str("address");
                        e.u64(object.size);
                    }
                    None => {
                        e.str("symbol");
                        write_sort(terms, terms.sort(term), e)?;
                        if self.naming == Naming::Exact {
                            e.str(&terms.symbol_info(symbol).name);
                        }
                    }
                }
                return Some(Arc::from([symbol]));
            }
            Op::Bv(bits) => e.u64(bits),
            Op::BigBv(id) => e.raw(&terms.big(id).magnitude().to_bytes_le()),
            Op::Table(id) => {
                let table = terms.table_content(id);
                let words = (0..table.len() as u64).map(|i| table.get(i));
                e.sequence(words.collect::<Vec<_>>(), Encoder::u64);
            }
            Op::Extract { high, low } => {
                e.u32(high);
                e.u32(low);
            }
            _ if is_plain(op) => {}
            _ => return None,
        }
        write_sort(terms, terms.sort(term), e)?;
        Some(self.none.clone())
    }

    /// Writes the arguments' digests and where their symbols are in the node's list, which is returned.
    fn write_arguments(
        &self,
        args: &[Term],
        own: Arc<[Sym]>,
        e: &mut Encoder,
    ) -> Option<Arc<[Sym]>> {
        let mut symbols = own;
        e.u32(args.len() as u32);
        for (i, arg) in args.iter().enumerate() {
            let Some(form) = self.forms.get(arg) else {
                // Without it the key would say less than the query.
                stet_base::never!("the form of an operator before those of its arguments");
                return None;
            };
            e.digest(&form.digest);
            if i == 0 {
                // The first argument's symbols are the node's first symbols: positions say nothing.
                symbols = form.symbols.clone();
                continue;
            }
            symbols = write_positions(symbols, &form.symbols, e);
        }
        Some(symbols)
    }
}

/// The operands of a commutative operator; those of nested equal operators if that is associative, unless there are many.
pub(crate) fn commutative_operands(terms: &Terms, term: Term) -> Option<Vec<Term>> {
    let op = terms.op(term);
    let associative = match op {
        Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor => true,
        Op::And | Op::Or | Op::Eq | Op::Distinct => false,
        _ => return None,
    };
    let direct = terms.args(term).to_vec();
    if !associative {
        return Some(direct);
    }
    let (mut pending, mut operands) = (direct.clone(), Vec::new());
    while let Some(part) = pending.pop() {
        if terms.op(part) == op {
            pending.extend(terms.args(part));
        } else {
            operands.push(part);
        }
        if pending.len() + operands.len() > MOST_OPERANDS {
            return Some(direct);
        }
    }
    operands.reverse();
    Some(operands)
}

/// Appends what is new in `added` to `symbols`, and writes the positions of all of `added`.
fn write_positions(symbols: Arc<[Sym]>, added: &[Sym], e: &mut Encoder) -> Arc<[Sym]> {
    let mut extended: Option<Vec<Sym>> = None;
    e.u32(added.len() as u32);
    for symbol in added {
        let current = extended.as_deref().unwrap_or(&symbols);
        let position = match current.iter().position(|known| known == symbol) {
            Some(position) => position,
            None => {
                let list = extended.get_or_insert_with(|| symbols.to_vec());
                list.push(*symbol);
                list.len() - 1
            }
        };
        e.u32(position as u32);
    }
    extended.map_or(symbols, Arc::from)
}

/// Positions of symbols in a query.
#[derive(Default)]
struct Numbering {
    order: Vec<Sym>,
    positions: FastMap<Sym, u32>,
    /// Of the symbols, if there are constraints that are alike.
    colours: FastMap<Sym, u64>,
}

/// A number for each symbol that depends on which constraints it occurs in, at which positions and beside which symbols, and on
/// nothing that a renaming changes. Different symbols may share one.
fn colours(forms: &[Form]) -> FastMap<Sym, u64> {
    let mut colours: FastMap<Sym, u64> = FastMap::default();
    for _ in 0..2 {
        let mut next: FastMap<Sym, u64> = FastMap::default();
        for form in forms {
            let colour = |symbol| colours.get(symbol).copied().unwrap_or(0);
            let start = u64::from_le_bytes(std::array::from_fn(|i| form.digest.0[i]));
            for symbols in form.orders() {
                let all = symbols.iter().map(colour).fold(start, mixed);
                for (position, symbol) in (1..).zip(symbols.iter()) {
                    // A sum, so that the order of constraints does not matter.
                    let sum = next.entry(*symbol).or_default();
                    *sum = sum.wrapping_add(mixed(all, position));
                }
            }
        }
        colours = next;
    }
    colours
}

fn mixed(a: u64, b: u64) -> u64 {
    let mixed = (a.rotate_left(23) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}

impl Numbering {
    fn colours_of(&self, symbols: &[Sym]) -> Vec<u64> {
        let colour = |symbol| self.colours.get(symbol).copied().unwrap_or(0);
        symbols.iter().map(colour).collect()
    }

    fn positions_of(&self, symbols: &[Sym]) -> Vec<u32> {
        let known = |symbol| self.positions.get(symbol).copied();
        symbols
            .iter()
            .map(|symbol| known(symbol).unwrap_or(NO_POSITION))
            .collect()
    }

    /// What decides between constraints that are alike, and between the orders of one.
    fn rank(&self, symbols: &[Sym]) -> (Vec<u32>, Vec<u64>) {
        (self.positions_of(symbols), self.colours_of(symbols))
    }

    /// The order of a constraint's symbols that comes first.
    fn best_order<'f>(&self, form: &'f Form) -> &'f Arc<[Sym]> {
        match &form.twin {
            Some(twin) if self.rank(twin) < self.rank(&form.symbols) => twin,
            _ => &form.symbols,
        }
    }

    /// Writes constraints of one digest, those with the smallest known positions first.
    fn take_group(&mut self, group: &mut [Form], key: &mut Encoder) {
        let mut rest = group;
        while !rest.is_empty() {
            if rest.len() > 1 && rest.len() <= TIE_LIMIT {
                let smallest =
                    (0..rest.len()).min_by_key(|&i| self.rank(self.best_order(&rest[i])));
                rest.swap(0, smallest.unwrap_or(0));
            }
            let symbols = self.best_order(&rest[0]).clone();
            self.write(&rest[0].digest, &symbols, key);
            rest = &mut rest[1..];
        }
    }

    fn write(&mut self, digest: &Digest, symbols: &[Sym], key: &mut Encoder) {
        key.digest(digest);
        key.u32(symbols.len() as u32);
        for &symbol in symbols {
            let next = self.order.len() as u32;
            let position = *self.positions.entry(symbol).or_insert(next);
            if position == next {
                self.order.push(symbol);
            }
            debug_assert!(
                self.order.get(position as usize) == Some(&symbol),
                "a position is that of its symbol"
            );
            key.u32(position);
        }
    }
}

/// Operators without a payload that queries are made of.
fn is_plain(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        True | False
            | Not
            | And
            | Or
            | Implies
            | Eq
            | Distinct
            | Ite
            | BvNot
            | BvNeg
            | BvAnd
            | BvOr
            | BvXor
            | BvAdd
            | BvMul
            | BvUdiv
            | BvUrem
            | BvSdiv
            | BvSrem
            | BvShl
            | BvLshr
            | BvAshr
            | BvUlt
            | BvSlt
            | Concat
            | ZeroExtend
            | SignExtend
            | Fill
            | Select
            | Store
    )
}

/// Writes a sort of queries: truth values, bit-vectors, arrays of bit-vectors.
fn write_sort(terms: &Terms, sort: Sort, e: &mut Encoder) -> Option<()> {
    match terms.sort_kind(sort) {
        SortKind::Bool => e.u8(0),
        SortKind::BitVec(width) => {
            e.u8(1);
            e.u32(width);
        }
        SortKind::Array { index, element } => {
            e.u8(2);
            e.u32(index.bv_width()?);
            e.u32(element.bv_width()?);
        }
        _ => return None,
    }
    Some(())
}
