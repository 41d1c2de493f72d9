//! Rows of values of small symbols, and terms evaluated for all rows of a block.
//!
//! Values of up to 128 bits are machine words; wider ones, which divisions of the widest floating-point formats have, are
//! numbers of any size.

use super::columns::Column;
use std::ops::Range;
use stet_base::FastMap;
use stet_term::{Bits, Op, Sort, SortKind, Sym, Term, Terms};

/// Bits of the widest machine word.
const WORD: u32 = 128;
/// What an operator on wider values costs, in operators on words.
const WIDE_COST: u64 = 40;

/// Values of the first symbols, row by row.
pub(super) struct Rows {
    columns: Vec<(Sym, Vec<u8>)>,
    len: usize,
}

impl Rows {
    /// The one row without symbols.
    pub(super) fn start() -> Rows {
        Rows {
            columns: Vec::new(),
            len: 1,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn symbols(&self) -> usize {
        self.columns.len()
    }

    /// The values of the first row.
    pub(super) fn first(&self) -> Vec<u8> {
        debug_assert!(self.len > 0, "there is a row");
        self.columns.iter().map(|(_, values)| values[0]).collect()
    }

    /// A part of the rows with every value of another symbol.
    pub(super) fn times(&self, symbol: Sym, values: &[u8], part: Range<usize>) -> Rows {
        debug_assert!(self.column(symbol).is_none(), "a symbol has one column");
        debug_assert!(
            part.end <= self.len * values.len(),
            "a part of the combinations of rows and values"
        );
        let many = values.len();
        let old = self.columns.iter().map(|(symbol, column)| {
            let column = part.clone().map(|at| column[at / many]).collect();
            (*symbol, column)
        });
        let mut columns: Vec<(Sym, Vec<u8>)> = old.collect();
        let new = part.clone().map(|at| values[at % many]).collect();
        columns.push((symbol, new));
        Rows {
            columns,
            len: part.len(),
        }
    }

    /// Drops the rows for which `kept` is false.
    pub(super) fn keep(&mut self, kept: &[bool]) {
        debug_assert_eq!(kept.len(), self.len, "whether each row is kept");
        for (_, column) in &mut self.columns {
            let mut kept = kept.iter();
            column.retain(|_| kept.next().copied().unwrap_or(false));
        }
        self.len = kept.iter().filter(|kept| **kept).count();
    }

    fn column(&self, symbol: Sym) -> Option<&[u8]> {
        let found = self.columns.iter().find(|(known, _)| *known == symbol);
        found.map(|(_, values)| &values[..])
    }
}

/// The values of a term.
#[derive(Clone)]
enum Cells {
    /// The same in all rows.
    Same(u128),
    Each(Vec<u128>),
    /// More than [`WORD`] bits.
    Wide(Vec<Bits>),
    /// An array, which only reads look at.
    Array,
}

impl Cells {
    #[inline]
    fn at(&self, row: usize) -> Option<u128> {
        match self {
            Cells::Same(value) => Some(*value),
            Cells::Each(values) => values.get(row).copied(),
            Cells::Wide(_) | Cells::Array => None,
        }
    }

    fn bits_at(&self, row: usize, width: u32) -> Option<Bits> {
        match self {
            Cells::Wide(values) => values.get(row).cloned(),
            cells => Some(Bits::from_little_endian(
                width,
                &cells.at(row)?.to_le_bytes(),
            )),
        }
    }
}

/// One operator of a plan.
struct Step {
    term: Term,
    op: Op,
    width: u32,
    args: Vec<u32>,
    arg_widths: Vec<u32>,
    /// Whether its values are known before.
    is_given: bool,
}

impl Step {
    fn given(term: Term) -> Step {
        Step {
            term,
            op: Op::True,
            width: 1,
            args: Vec::new(),
            arg_widths: Vec::new(),
            is_given: true,
        }
    }

    fn is_wide(&self) -> bool {
        self.width > WORD || self.arg_widths.iter().any(|&width| width > WORD)
    }
}

/// Conditions, and their operators in an order in which arguments come first.
pub(super) struct Plan {
    steps: Vec<Step>,
    place: FastMap<Term, u32>,
    conditions: Vec<Term>,
}

fn width_of(terms: &Terms, sort: Sort) -> Option<u32> {
    match terms.sort_kind(sort) {
        SortKind::Bool => Some(1),
        SortKind::BitVec(width) => Some(width),
        _ => None,
    }
}

fn mask(width: u32) -> u128 {
    debug_assert!((1..=WORD).contains(&width), "the width of a word");
    u128::MAX >> (WORD - width)
}

fn signed(value: u128, width: u32) -> i128 {
    debug_assert!((1..=WORD).contains(&width), "the width of a word");
    let shift = WORD - width;
    ((value << shift) as i128) >> shift
}

impl Plan {
    /// Nothing if something has no values here: arrays that are symbols, other sorts than bits.
    pub(super) fn new(terms: &Terms, conditions: &[Term]) -> Option<Plan> {
        Self::above(terms, conditions, &FastMap::default())
    }

    /// A plan that takes the values of some terms as they are known.
    pub(super) fn above(
        terms: &Terms,
        conditions: &[Term],
        known: &FastMap<Term, Column>,
    ) -> Option<Plan> {
        let mut place: FastMap<Term, u32> = FastMap::default();
        let mut steps = Vec::new();
        let mut pending: Vec<Term> = conditions.iter().rev().copied().collect();
        while let Some(&term) = pending.last() {
            if place.contains_key(&term) {
                pending.pop();
                continue;
            }
            if known.contains_key(&term) {
                debug_assert!(!place.contains_key(&term), "a term is one step");
                place.insert(term, steps.len() as u32);
                steps.push(Step::given(term));
                continue;
            }
            let node = terms.node(term);
            let before = pending.len();
            pending.extend(node.args().iter().filter(|arg| !place.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            let width = width_of(terms, node.sort());
            let is_array = matches!(terms.sort_kind(node.sort()), SortKind::Array { .. });
            if width.is_none() && !(is_array && is_readable(node.op())) {
                return None;
            }
            let args = node.args().iter().map(|arg| place.get(arg).copied());
            let widths = node.args().iter();
            let widths = widths.map(|&arg| width_of(terms, terms.sort(arg)).unwrap_or(0));
            let step = Step {
                term,
                op: node.op(),
                width: width.unwrap_or(0),
                args: args.collect::<Option<_>>()?,
                arg_widths: widths.collect(),
                is_given: false,
            };
            place.insert(term, steps.len() as u32);
            steps.push(step);
        }
        Some(Plan {
            steps,
            place,
            conditions: conditions.to_vec(),
        })
    }

    /// In which rows all conditions hold; nothing if the work is spent.
    pub(super) fn evaluate(&self, terms: &Terms, rows: &Rows, work: &mut u64) -> Option<Vec<bool>> {
        let cells = self.cells(terms, rows, &FastMap::default(), work)?;
        let mut kept = vec![true; rows.len()];
        for condition in &self.conditions {
            let value = &cells[*self.place.get(condition)? as usize];
            for (row, kept) in kept.iter_mut().enumerate() {
                *kept &= value.at(row)? == 1;
            }
        }
        Some(kept)
    }

    /// The columns of all terms of at most 64 bits that have a symbol, in rows of its values; nothing if the work is spent.
    pub(super) fn words(
        &self,
        terms: &Terms,
        rows: &Rows,
        known: &FastMap<Term, Column>,
        work: &mut u64,
    ) -> Option<Vec<(Term, Column)>> {
        let cells = self.cells(terms, rows, known, work)?;
        let mut words = Vec::new();
        for (step, cells) in self.steps.iter().zip(cells) {
            let is_new_word = (1..=64).contains(&step.width) && !step.is_given;
            if !is_new_word || terms.known_symbols(step.term).is_none_or(<[Sym]>::is_empty) {
                continue;
            }
            match cells {
                Cells::Same(value) => words.push((step.term, Column::Same(value as u64))),
                Cells::Each(values) => {
                    let lanes = values.iter().map(|&value| value as u64).collect();
                    words.push((step.term, Column::Lanes(lanes)));
                }
                Cells::Wide(_) | Cells::Array => {}
            }
        }
        Some(words)
    }

    fn cells(
        &self,
        terms: &Terms,
        rows: &Rows,
        known: &FastMap<Term, Column>,
        work: &mut u64,
    ) -> Option<Vec<Cells>> {
        let mut cells: Vec<Cells> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let cost = if step.is_wide() { WIDE_COST } else { 1 };
            *work = work.checked_sub(cost * rows.len() as u64)?;
            let value = match step.op {
                _ if step.is_given => match known.get(&step.term)? {
                    Column::Same(value) => Cells::Same((*value).into()),
                    Column::Lanes(values) => {
                        Cells::Each(values.iter().map(|&value| value.into()).collect())
                    }
                },
                Op::Select => self.select(terms, step, &cells, rows.len(), work)?,
                _ if step.width == 0 => Cells::Array,
                Op::Symbol(symbol) => {
                    let column = rows.column(symbol)?.iter();
                    Cells::Each(column.map(|&value| value.into()).collect())
                }
                _ if step.is_wide() => wide(terms, step, &cells, rows.len())?,
                _ => word(terms, step, &cells, rows.len())?,
            };
            debug_assert!(
                match &value {
                    Cells::Same(_) | Cells::Array => true,
                    Cells::Each(values) => values.len() == rows.len(),
                    Cells::Wide(values) => values.len() == rows.len(),
                },
                "a value for every row"
            );
            cells.push(value);
        }
        Some(cells)
    }

    /// A read: each row walks down the array to its element.
    fn select(
        &self,
        terms: &Terms,
        step: &Step,
        cells: &[Cells],
        rows: usize,
        work: &mut u64,
    ) -> Option<Cells> {
        let array = terms.args(step.term)[0];
        let index = &cells[step.args[1] as usize];
        let cell = |term: Term, row: usize| {
            let place = *self.place.get(&term)?;
            cells[place as usize].at(row)
        };
        let is_table = matches!(terms.op(array), Op::Table(_));
        if let (Cells::Same(at), Op::Table(id)) = (index, terms.op(array)) {
            return Some(Cells::Same(element(terms.table_content(id), *at)));
        }
        let mut values = Vec::with_capacity(rows);
        for row in 0..rows {
            let at = index.at(row)?;
            let mut array = array;
            let value = loop {
                if !is_table {
                    *work = work.checked_sub(1)?;
                }
                let args = terms.args(array);
                match terms.op(array) {
                    Op::Table(id) => break element(terms.table_content(id), at),
                    Op::Fill => break cell(args[0], row)?,
                    Op::Store if cell(args[1], row)? == at => break cell(args[2], row)?,
                    Op::Store => array = args[0],
                    Op::Ite => array = args[if cell(args[0], row)? == 1 { 1 } else { 2 }],
                    _ => return None,
                }
            };
            values.push(value);
        }
        Some(Cells::Each(values))
    }
}

fn element(table: &stet_term::Table, at: u128) -> u128 {
    u64::try_from(at).map_or(0, |at| table.get(at)).into()
}

/// Whether reads can walk through an array made by an operator.
fn is_readable(op: Op) -> bool {
    matches!(op, Op::Table(_) | Op::Fill | Op::Store | Op::Ite)
}

fn map1(a: &Cells, value: impl Fn(u128) -> u128) -> Option<Cells> {
    Some(match a {
        Cells::Same(a) => Cells::Same(value(*a)),
        Cells::Each(a) => Cells::Each(a.iter().map(|&a| value(a)).collect()),
        Cells::Wide(_) | Cells::Array => return None,
    })
}

fn map2(a: &Cells, b: &Cells, value: impl Fn(u128, u128) -> u128) -> Option<Cells> {
    Some(match (a, b) {
        (Cells::Same(a), Cells::Same(b)) => Cells::Same(value(*a, *b)),
        (Cells::Same(a), Cells::Each(b)) => Cells::Each(b.iter().map(|&b| value(*a, b)).collect()),
        (Cells::Each(a), Cells::Same(b)) => Cells::Each(a.iter().map(|&a| value(a, *b)).collect()),
        (Cells::Each(a), Cells::Each(b)) => {
            Cells::Each(a.iter().zip(b).map(|(&a, &b)| value(a, b)).collect())
        }
        _ => return None,
    })
}

/// An operator whose arguments and result are words.
fn word(terms: &Terms, step: &Step, cells: &[Cells], rows: usize) -> Option<Cells> {
    let cut = mask(step.width);
    let arg = |number: usize| &cells[step.args[number] as usize];
    match step.op {
        Op::True => Some(Cells::Same(1)),
        Op::False => Some(Cells::Same(0)),
        Op::Bv(value) => Some(Cells::Same(value.into())),
        Op::BigBv(_) => number(&terms.as_bits(step.term)?).map(Cells::Same),
        Op::Not => map1(arg(0), |a| 1 - a),
        Op::BvNot => map1(arg(0), |a| !a & cut),
        Op::BvNeg => map1(arg(0), |a| a.wrapping_neg() & cut),
        Op::Extract { low, .. } => map1(arg(0), |a| (a >> low) & cut),
        Op::ZeroExtend => Some(arg(0).clone()),
        Op::SignExtend => {
            let inner = step.arg_widths[0];
            map1(arg(0), |a| signed(a, inner) as u128 & cut)
        }
        Op::And | Op::Or => {
            let mut all = arg(0).clone();
            for next in 1..step.args.len() {
                all = match step.op {
                    Op::And => map2(&all, arg(next), |a, b| a & b),
                    _ => map2(&all, arg(next), |a, b| a | b),
                }?;
            }
            Some(all)
        }
        Op::Distinct => {
            let mut values = Vec::with_capacity(rows);
            for row in 0..rows {
                let row: Option<Vec<u128>> =
                    (0..step.args.len()).map(|at| arg(at).at(row)).collect();
                let row = row?;
                let differ = |at: usize| !row[at + 1..].contains(&row[at]);
                values.push(u128::from((0..row.len()).all(differ)));
            }
            Some(Cells::Each(values))
        }
        Op::Ite => choice(arg(0), arg(1), arg(2), rows),
        op => binary(
            op,
            arg(0),
            arg(1),
            (step.arg_widths[0], step.arg_widths[1], step.width),
        ),
    }
}

fn choice(condition: &Cells, yes: &Cells, no: &Cells, rows: usize) -> Option<Cells> {
    match condition {
        Cells::Same(0) => Some(no.clone()),
        Cells::Same(_) => Some(yes.clone()),
        condition => {
            let value = |row: usize| match condition.at(row)? {
                0 => no.at(row),
                _ => yes.at(row),
            };
            (0..rows).map(value).collect::<Option<_>>().map(Cells::Each)
        }
    }
}

fn binary(op: Op, a: &Cells, b: &Cells, (left, right, width): (u32, u32, u32)) -> Option<Cells> {
    let cut = mask(width);
    let shift = |amount: u128| u32::try_from(amount).ok().filter(|n| *n < width);
    match op {
        Op::Eq => map2(a, b, |a, b| (a == b).into()),
        Op::Implies => map2(a, b, |a, b| (a == 0 || b == 1).into()),
        Op::BvUlt => map2(a, b, |a, b| (a < b).into()),
        Op::BvSlt => map2(a, b, |a, b| (signed(a, left) < signed(b, left)).into()),
        Op::Concat => map2(a, b, |a, b| a << right | b),
        Op::BvAnd => map2(a, b, |a, b| a & b),
        Op::BvOr => map2(a, b, |a, b| a | b),
        Op::BvXor => map2(a, b, |a, b| a ^ b),
        Op::BvAdd => map2(a, b, |a, b| a.wrapping_add(b) & cut),
        Op::BvMul => map2(a, b, |a, b| a.wrapping_mul(b) & cut),
        Op::BvUdiv => map2(a, b, |a, b| a.checked_div(b).unwrap_or(cut)),
        Op::BvUrem => map2(a, b, |a, b| a.checked_rem(b).unwrap_or(a)),
        Op::BvSdiv => map2(a, b, |a, b| {
            let (x, y) = (signed(a, width), signed(b, width));
            let quotient = match y {
                0 if x < 0 => 1,
                0 => -1,
                _ => x.wrapping_div(y),
            };
            quotient as u128 & cut
        }),
        Op::BvSrem => map2(a, b, |a, b| match signed(b, width) {
            0 => a,
            y => signed(a, width).wrapping_rem(y) as u128 & cut,
        }),
        Op::BvShl => map2(a, b, |a, b| shift(b).map_or(0, |n| (a << n) & cut)),
        Op::BvLshr => map2(a, b, |a, b| shift(b).map_or(0, |n| a >> n)),
        Op::BvAshr => map2(a, b, |a, b| {
            (signed(a, width) >> shift(b).unwrap_or(width - 1)) as u128 & cut
        }),
        _ => None,
    }
}

fn number(bits: &Bits) -> Option<u128> {
    let big = bits.to_big();
    let mut digits = big.iter_u64_digits();
    let low = u128::from(digits.next().unwrap_or(0));
    let high = u128::from(digits.next().unwrap_or(0));
    digits.next().is_none().then_some(high << 64 | low)
}

/// An operator with an argument or a result that is not a word, row by row.
fn wide(terms: &Terms, step: &Step, cells: &[Cells], rows: usize) -> Option<Cells> {
    let arg = |number: usize, row: usize| {
        let width = *step.arg_widths.get(number)?;
        cells[*step.args.get(number)? as usize].bits_at(row, width)
    };
    let constant = match step.op {
        Op::Bv(_) | Op::BigBv(_) => terms.as_bits(step.term),
        _ => None,
    };
    let mut results = Vec::with_capacity(rows);
    for row in 0..rows {
        results.push(match &constant {
            Some(constant) => constant.clone(),
            None => wide_operator(step, |number| arg(number, row))?,
        });
    }
    if step.width > WORD {
        return Some(Cells::Wide(results));
    }
    let words = results.iter().map(number).collect::<Option<_>>();
    words.map(Cells::Each)
}

fn wide_operator(step: &Step, arg: impl Fn(usize) -> Option<Bits>) -> Option<Bits> {
    let truth = |value: bool| Bits::new(1, value.into());
    let a = arg(0)?;
    if let Op::Ite = step.op {
        return arg(if a.is_zero() { 2 } else { 1 });
    }
    let b = || arg(1);
    Some(match step.op {
        Op::BvNot => a.not(),
        Op::BvNeg => a.neg(),
        Op::Extract { high, low } => a.extract(high, low),
        Op::ZeroExtend => a.zero_extend(step.width),
        Op::SignExtend => a.sign_extend(step.width),
        Op::Eq => truth(a == b()?),
        Op::BvUlt => truth(a.ult(&b()?)),
        Op::BvSlt => truth(a.slt(&b()?)),
        Op::Concat => a.concat(&b()?),
        Op::BvAnd => a.and(&b()?),
        Op::BvOr => a.or(&b()?),
        Op::BvXor => a.xor(&b()?),
        Op::BvAdd => a.add(&b()?),
        Op::BvMul => a.mul(&b()?),
        Op::BvUdiv => a.udiv(&b()?),
        Op::BvUrem => a.urem(&b()?),
        Op::BvSdiv => a.sdiv(&b()?),
        Op::BvSrem => a.srem(&b()?),
        Op::BvShl => a.shl(&b()?),
        Op::BvLshr => a.lshr(&b()?),
        Op::BvAshr => a.ashr(&b()?),
        _ => return None,
    })
}
