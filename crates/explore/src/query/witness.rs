//! Witnesses: values of a program's symbols that satisfy some constraints, and evaluation under them.
//!
//! A witness says nothing about base addresses: evaluation takes those from the [`AddressView`], so one
//! witness can be tried under any layout. Evaluation is the certificate behind every satisfiable answer that
//! does not come from the solver; it works on machine words. What is wider than 128 bits inside of a word's term (products and
//! quotients of the widest floating-point formats), or is no bit-vector, is left to the evaluator of terms, with the word
//! around it; what that has no value for, or is wider itself, has none (`None`), which counts as "not certified".

use super::address::AddressView;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use stet_base::{FastHasher, FastMap};
use stet_term::{ArrayValue, Bits, Evaluator, Model, Op, Sort, SortKind, Sym, Term, Terms, Value};

/// The value of a symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SymbolValue {
    /// A truth value (0 or 1) or a bit-vector of at most 64 bits.
    Word(u64),
    /// An array: exceptions in order of index, and the element elsewhere.
    Array {
        entries: Box<[(u64, u64)]>,
        default: u64,
    },
}

/// Values of symbols, in order of symbols; others are zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Witness {
    /// Of the values: tells most witnesses apart, and finds what was evaluated under equal ones.
    hash: u64,
    values: Box<[(Sym, SymbolValue)]>,
}

impl Default for Witness {
    fn default() -> Self {
        Witness::of_sorted(Vec::new())
    }
}

impl Hash for Witness {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

fn word(value: &Value) -> Option<u64> {
    match value {
        Value::Bool(value) => Some((*value).into()),
        Value::Bv(bits) if bits.width() <= 64 => bits.to_u64(),
        _ => None,
    }
}

fn symbol_value(value: &Value) -> Option<SymbolValue> {
    let Value::Array(array) = value else {
        return word(value).map(SymbolValue::Word);
    };
    let entry = |(index, element): (&Value, &Value)| Some((word(index)?, word(element)?));
    let entries: Option<Vec<(u64, u64)>> = array.entries().map(entry).collect();
    let mut entries = entries?;
    entries.sort_unstable();
    debug_assert!(
        entries.windows(2).all(|pair| pair[0].0 < pair[1].0),
        "an index has one element"
    );
    Some(SymbolValue::Array {
        entries: entries.into(),
        default: word(array.default_element())?,
    })
}

impl Witness {
    /// The witness with these values; a symbol must occur once.
    pub(crate) fn new(mut values: Vec<(Sym, SymbolValue)>) -> Self {
        values.sort_unstable_by_key(|(symbol, _)| *symbol);
        Witness::of_sorted(values)
    }

    fn of_sorted(values: Vec<(Sym, SymbolValue)>) -> Self {
        debug_assert!(
            values.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "a symbol has one value"
        );
        let mut hasher = FastHasher::default();
        values.hash(&mut hasher);
        Witness {
            hash: hasher.finish(),
            values: values.into(),
        }
    }

    /// What a model says, if it is about words and arrays of words.
    pub(crate) fn of_model(model: &Model) -> Option<Self> {
        let value = |(symbol, value)| Some((symbol, symbol_value(value)?));
        let values: Option<Vec<_>> = model.iter().map(value).collect();
        Some(Witness::new(values?))
    }

    /// The value of a symbol, if it has one.
    pub(crate) fn get(&self, symbol: Sym) -> Option<&SymbolValue> {
        let at = self
            .values
            .binary_search_by_key(&symbol, |(s, _)| *s)
            .ok()?;
        Some(&self.values[at].1)
    }

    /// All values in order of symbols.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Sym, &SymbolValue)> {
        self.values.iter().map(|(symbol, value)| (*symbol, value))
    }

    /// The values that witnesses have for symbols of their own; each symbol is in one of the sorted lists.
    pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = (&'a [Sym], &'a Witness)>) -> Witness {
        let mut values: Vec<(Sym, SymbolValue)> = Vec::new();
        for (symbols, part) in parts {
            let own = part.values.iter();
            let own = own.filter(|(symbol, _)| symbols.binary_search(symbol).is_ok());
            values.extend(own.cloned());
        }
        Witness::new(values)
    }

    /// The values of several witnesses; the first that has a value for a symbol counts.
    pub(crate) fn union<'a>(parts: impl IntoIterator<Item = &'a Witness>) -> Witness {
        let mut values: Vec<(Sym, SymbolValue)> = Vec::new();
        for part in parts {
            values.extend(part.values.iter().cloned());
        }
        values.sort_by_key(|(symbol, _)| *symbol);
        values.dedup_by_key(|(symbol, _)| *symbol);
        Witness::of_sorted(values)
    }

    /// The witness as a model of terms.
    pub(crate) fn to_model(&self, terms: &Terms) -> Model {
        let mut model = Model::new();
        for (symbol, value) in self.iter() {
            let sort = terms.symbol_info(symbol).sort;
            if let Some(value) = term_value(terms, sort, value) {
                model.set(symbol, value);
            }
        }
        model
    }
}

fn word_value(sort: Sort, word: u64) -> Value {
    match sort.bv_width() {
        Some(width) => Value::Bv(Bits::new(width, word)),
        None => Value::Bool(word != 0),
    }
}

fn term_value(terms: &Terms, sort: Sort, value: &SymbolValue) -> Option<Value> {
    match (value, terms.sort_kind(sort)) {
        (SymbolValue::Word(word), _) => Some(word_value(sort, *word)),
        (SymbolValue::Array { entries, default }, SortKind::Array { index, element }) => {
            let mut array = ArrayValue::filled(word_value(element, *default));
            for &(at, value) in entries {
                array.set(word_value(index, at), word_value(element, value));
            }
            Some(Value::Array(Arc::new(array)))
        }
        _ => None,
    }
}

/// Values of terms under one witness. A base address always stands for the same place, so they hold for the whole run.
pub(super) type Memo = FastMap<Term, u128>;

/// Evaluates terms under a witness and the concrete layout.
pub(crate) struct Evaluation<'a> {
    terms: &'a Terms,
    addresses: &'a dyn AddressView,
    witness: &'a Witness,
    memo: Memo,
    /// Where the walk of a read down its stores stopped to wait for an index.
    walks: FastMap<Term, Term>,
}

/// Why a node has no value yet.
enum Missing {
    Value(Term),
    Never,
}

const WORD_LIMIT: u32 = 128;

fn mask(width: u32) -> u128 {
    if width >= WORD_LIMIT {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

fn signed(value: u128, width: u32) -> i128 {
    debug_assert!((1..=WORD_LIMIT).contains(&width), "the width of a word");
    let shift = WORD_LIMIT - width;
    ((value << shift) as i128) >> shift
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(
        terms: &'a Terms,
        addresses: &'a dyn AddressView,
        witness: &'a Witness,
    ) -> Self {
        Evaluation::resumed(terms, addresses, witness, Memo::default())
    }

    /// An evaluation that knows what an earlier one under an equal witness found.
    pub(super) fn resumed(
        terms: &'a Terms,
        addresses: &'a dyn AddressView,
        witness: &'a Witness,
        memo: Memo,
    ) -> Self {
        Evaluation {
            terms,
            addresses,
            witness,
            memo,
            walks: FastMap::default(),
        }
    }

    /// What was found, for [`Evaluation::resumed`].
    pub(super) fn into_memo(self) -> Memo {
        self.memo
    }

    /// Whether all constraints are true; anything that cannot be evaluated counts as false.
    pub(crate) fn satisfies(&mut self, constraints: impl IntoIterator<Item = Term>) -> bool {
        constraints
            .into_iter()
            .all(|constraint| self.value(constraint) == Some(1))
    }

    /// The value of a word or truth value.
    pub(crate) fn value(&mut self, term: Term) -> Option<u128> {
        if let Some(&value) = self.memo.get(&term) {
            return Some(value);
        }
        let mut pending = vec![term];
        let mut wide = None;
        while let Some(&top) = pending.last() {
            let value = match self.compute(top) {
                Ok(value) => value,
                Err(Missing::Value(needed)) => {
                    pending.push(needed);
                    continue;
                }
                Err(Missing::Never) => {
                    // the innermost word around what is no word
                    while !self.is_word(*pending.last()?) {
                        pending.pop();
                    }
                    self.value_of_wide(*pending.last()?, &mut wide)?
                }
            };
            let done = pending.pop()?;
            debug_assert!(
                value <= mask(self.terms.sort(done).bv_width().unwrap_or(1)),
                "a value fits its sort"
            );
            self.memo.insert(done, value);
        }
        self.memo.get(&term).copied()
    }

    /// Whether a term is a truth value or a number that the memo holds.
    fn is_word(&self, term: Term) -> bool {
        match self.terms.sort_kind(self.terms.sort(term)) {
            SortKind::Bool => true,
            SortKind::BitVec(width) => width <= WORD_LIMIT,
            _ => false,
        }
    }

    /// The value of a word's term by the evaluator for all widths, which is made for the first and used for the others.
    fn value_of_wide(&self, term: Term, made: &mut Option<Model>) -> Option<u128> {
        let model = made.get_or_insert_with(|| self.witness.to_model(self.terms));
        for &symbol in self.terms.free_symbols(term).iter() {
            if let Some(object) = self.addresses.object(symbol) {
                model.set(symbol, Value::Bv(Bits::new(64, object.base)));
            }
        }
        match Evaluator::new(self.terms, model).eval(term).ok()? {
            Value::Bool(truth) => Some(truth.into()),
            Value::Bv(bits) => wide_word(&bits),
            _ => None,
        }
    }

    #[inline]
    fn known(&self, term: Term) -> Result<u128, Missing> {
        if let Op::Bv(bits) = self.terms.op(term) {
            return Ok(bits.into());
        }
        let value = self.memo.get(&term).copied();
        value.ok_or(Missing::Value(term))
    }

    fn compute(&mut self, term: Term) -> Result<u128, Missing> {
        let node = self.terms.node(term);
        let args = node.args();
        let width = match node.sort().bv_width() {
            Some(width) if width > WORD_LIMIT => return Err(Missing::Never),
            Some(width) => width,
            None => 1,
        };
        match node.op() {
            Op::True => Ok(1),
            Op::False => Ok(0),
            Op::Bv(bits) => Ok(bits.into()),
            Op::BigBv(_) => self.big(term),
            Op::Symbol(symbol) => self.symbol(symbol),
            Op::Ite => match self.known(args[0])? {
                0 => self.known(args[2]),
                _ => self.known(args[1]),
            },
            Op::And => self.truth(args, true),
            Op::Or => self.truth(args, false),
            Op::Select => self.select(term, args),
            Op::Distinct => {
                let values: Result<Vec<u128>, Missing> =
                    args.iter().map(|&arg| self.scalar(arg)).collect();
                let mut values = values?;
                let count = values.len();
                values.sort_unstable();
                values.dedup();
                Ok((values.len() == count).into())
            }
            op => match *args {
                [a] => self.unary(op, a, width),
                [a, b] => self.binary(op, a, b, width),
                _ => Err(Missing::Never),
            },
        }
    }

    /// The value of a term that is no array.
    fn scalar(&self, term: Term) -> Result<u128, Missing> {
        match self.terms.sort_kind(self.terms.sort(term)) {
            SortKind::Bool | SortKind::BitVec(_) => self.known(term),
            _ => Err(Missing::Never),
        }
    }

    fn big(&self, term: Term) -> Result<u128, Missing> {
        let bits = self.terms.as_bits(term).ok_or(Missing::Never)?;
        wide_word(&bits).ok_or(Missing::Never)
    }

    fn symbol(&self, symbol: Sym) -> Result<u128, Missing> {
        if let Some(object) = self.addresses.object(symbol) {
            return Ok(object.base.into());
        }
        match self.witness.get(symbol) {
            Some(SymbolValue::Word(word)) => Ok((*word).into()),
            Some(SymbolValue::Array { .. }) => Err(Missing::Never),
            None => match self.terms.sort_kind(self.terms.symbol_info(symbol).sort) {
                SortKind::Bool | SortKind::BitVec(_) => Ok(0),
                _ => Err(Missing::Never),
            },
        }
    }

    /// A conjunction (`unit` true) or disjunction, decided by the first known argument if possible.
    fn truth(&self, args: &[Term], unit: bool) -> Result<u128, Missing> {
        let unit = u128::from(unit);
        for &arg in args {
            if self.known(arg)? != unit {
                return Ok(1 - unit);
            }
        }
        Ok(unit)
    }

    fn select(&mut self, read: Term, args: &[Term]) -> Result<u128, Missing> {
        let index = self.known(args[1])?;
        let mut array = self.walks.get(&read).copied().unwrap_or(args[0]);
        loop {
            let node = self.terms.node(array);
            let inner = node.args();
            let step = match node.op() {
                Op::Store => match self.known(inner[1]) {
                    Ok(at) if at == index => return self.wait(read, array, inner[2]),
                    Ok(_) => Ok(inner[0]),
                    Err(missing) => Err(missing),
                },
                Op::Ite => match self.known(inner[0]) {
                    Ok(0) => Ok(inner[2]),
                    Ok(_) => Ok(inner[1]),
                    Err(missing) => Err(missing),
                },
                Op::Fill => return self.wait(read, array, inner[0]),
                Op::Table(id) => {
                    let at = u64::try_from(index).unwrap_or(u64::MAX);
                    return Ok(self.terms.table_content(id).get(at).into());
                }
                Op::Symbol(symbol) => return self.array_symbol(symbol, index),
                _ => return Err(Missing::Never),
            };
            match step {
                Ok(next) => array = next,
                Err(missing) => {
                    self.walks.insert(read, array);
                    return Err(missing);
                }
            }
        }
    }

    /// The value of an element, remembering where the walk is if it is not there yet.
    fn wait(&mut self, read: Term, array: Term, element: Term) -> Result<u128, Missing> {
        self.known(element).inspect_err(|_| {
            self.walks.insert(read, array);
        })
    }

    fn array_symbol(&self, symbol: Sym, index: u128) -> Result<u128, Missing> {
        match self.witness.get(symbol) {
            None => Ok(0),
            Some(SymbolValue::Word(_)) => Err(Missing::Never),
            Some(SymbolValue::Array { entries, default }) => {
                let at = u64::try_from(index).map_err(|_| Missing::Never)?;
                let found = entries.binary_search_by_key(&at, |entry| entry.0);
                Ok(found.map_or(*default, |i| entries[i].1).into())
            }
        }
    }

    fn unary(&self, op: Op, a: Term, width: u32) -> Result<u128, Missing> {
        let inner = self.terms.width(a).max(1);
        if inner > WORD_LIMIT {
            return Err(Missing::Never);
        }
        let a = self.scalar(a)?;
        Ok(match op {
            Op::Not => 1 - a,
            Op::BvNot => !a & mask(width),
            Op::BvNeg => a.wrapping_neg() & mask(width),
            Op::Extract { low, .. } => (a >> low) & mask(width),
            Op::ZeroExtend => a,
            Op::SignExtend => signed(a, inner) as u128 & mask(width),
            _ => return Err(Missing::Never),
        })
    }

    fn binary(&self, op: Op, left: Term, right: Term, width: u32) -> Result<u128, Missing> {
        let operand = self.terms.width(left).max(1);
        let low = self.terms.width(right).max(1);
        if operand > WORD_LIMIT || low > WORD_LIMIT {
            return Err(Missing::Never);
        }
        let (a, b) = (self.scalar(left)?, self.scalar(right)?);
        Ok(match op {
            Op::Eq => (a == b).into(),
            Op::Implies => u128::from(a == 0 || b == 1),
            Op::BvUlt => (a < b).into(),
            Op::BvSlt => (signed(a, operand) < signed(b, operand)).into(),
            Op::Concat => a << low | b,
            Op::BvAnd => a & b,
            Op::BvOr => a | b,
            Op::BvXor => a ^ b,
            _ => arithmetic(op, a, b, width).ok_or(Missing::Never)? & mask(width),
        })
    }
}

/// A number of at most 128 bits.
fn wide_word(bits: &Bits) -> Option<u128> {
    if bits.width() <= 64 {
        return bits.to_u64().map(u128::from);
    }
    debug_assert!(bits.width() <= WORD_LIMIT, "a word");
    let low = bits.extract(63, 0).to_u64()?;
    let high = bits.extract(bits.width() - 1, 64).to_u64()?;
    Some(u128::from(high) << 64 | u128::from(low))
}

/// Arithmetic and shifts; the caller cuts the result to the width.
fn arithmetic(op: Op, a: u128, b: u128, width: u32) -> Option<u128> {
    let amount = u32::try_from(b).ok().filter(|amount| *amount < width);
    let (x, y) = (signed(a, width), signed(b, width));
    Some(match op {
        Op::BvAdd => a.wrapping_add(b),
        Op::BvMul => a.wrapping_mul(b),
        Op::BvUdiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        Op::BvSdiv if y == 0 => {
            if x < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::BvSdiv => x.wrapping_div(y) as u128,
        Op::BvSrem if y == 0 => a,
        Op::BvSrem => x.wrapping_rem(y) as u128,
        Op::BvShl => amount.map_or(0, |n| a << n),
        Op::BvLshr => amount.map_or(0, |n| a >> n),
        Op::BvAshr => (x >> amount.unwrap_or(width - 1)) as u128,
        _ => return None,
    })
}
