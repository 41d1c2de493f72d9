//! Terms as columns: their values for every value of one small symbol at once.
//!
//! A term that mentions a single symbol of at most eight bits has at most 256 values. They are computed together, one
//! operator after the other over all lanes, and kept: the conditions of a path share most of their terms, so the next query
//! costs only what is new in it. Terms over several symbols get a column for one symbol while the others are fixed.

use super::rows::{Plan, Rows};
use std::rc::Rc;
use stet_base::{FastMap, FastSet};
use stet_term::{Op, Sort, SortKind, Sym, Term, Terms};

/// The widest symbol that is enumerated.
pub(super) const SYMBOL_BITS: u32 = 8;
/// Kept columns before all are forgotten: 64 MiB.
const MOST_COLUMNS: usize = 1 << 15;

/// The values of a term, one per value of the lane symbol.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// All the same.
    Same(u64),
    Lanes(Rc<[u64]>),
}

impl Column {
    #[inline]
    pub(super) fn at(&self, lane: usize) -> u64 {
        match self {
            Column::Same(value) => *value,
            Column::Lanes(values) => values[lane],
        }
    }

    fn collect(lanes: usize, value: impl Fn(usize) -> u64) -> Column {
        Column::Lanes((0..lanes).map(value).collect())
    }
}

/// Why a term has no column.
pub(super) enum Missing {
    /// These terms are needed first.
    Values(Vec<Term>),
    /// Something that has no columns: a wide value, an array as a whole.
    Never,
}

type Computed = Result<Column, Missing>;

/// The values of one symbol, or nothing if it is too wide.
pub(super) fn symbol_lanes(terms: &Terms, symbol: Sym) -> Option<usize> {
    let sort = terms.symbol_info(symbol).sort;
    match width_of(sort) {
        Some(width) if width <= SYMBOL_BITS => Some(1 << width),
        _ => None,
    }
}

/// Bits of a truth value or a word of up to 64 bits.
fn width_of(sort: Sort) -> Option<u32> {
    match sort.bv_width() {
        Some(width) if width <= 64 => Some(width),
        Some(_) => None,
        None => (sort == Sort::BOOL).then_some(1),
    }
}

fn mask(width: u32) -> u64 {
    debug_assert!((1..=64).contains(&width), "the width of a word");
    u64::MAX >> (64 - width)
}

fn signed(value: u64, width: u32) -> i64 {
    debug_assert!((1..=64).contains(&width), "the width of a word");
    let shift = 64 - width;
    ((value << shift) as i64) >> shift
}

/// Columns of terms with one symbol, kept between queries.
#[derive(Default)]
pub(super) struct Columns {
    known: FastMap<Term, Column>,
    /// Terms with one symbol that have no column.
    never: FastSet<Term>,
}

/// Operators times lanes that may be spent on a term with values wider than 64 bits in it.
const WIDE_WORK: u64 = 1 << 23;

/// One lane symbol, values for some others.
pub(super) struct Context<'a> {
    pub(super) terms: &'a Terms,
    pub(super) lane: Sym,
    pub(super) lanes: usize,
    /// Values of symbols that are fixed.
    pub(super) fixed: &'a [(Sym, u64)],
}

impl Columns {
    /// Forgets columns if there are too many.
    pub(super) fn trim(&mut self) {
        if self.known.len() > MOST_COLUMNS {
            self.known.clear();
        }
        if self.never.len() > 8 * MOST_COLUMNS {
            self.never.clear();
        }
    }

    /// The column of a term with one symbol; `None` if it has none.
    pub(super) fn of_one(&mut self, terms: &Terms, term: Term, symbol: Sym) -> Option<Column> {
        if let Some(column) = self.known.get(&term) {
            return Some(column.clone());
        }
        if self.never.contains(&term) {
            return None;
        }
        let lanes = symbol_lanes(terms, symbol)?;
        let context = Context {
            terms,
            lane: symbol,
            lanes,
            fixed: &[],
        };
        let mut steps = u64::MAX;
        let column = self
            .compute(&context, term, &mut FastMap::default(), &mut steps)
            .or_else(|| self.through_wide(terms, term, symbol, lanes));
        if column.is_none() {
            self.never.insert(term);
        }
        column
    }

    /// The column of a term that is not itself wide, but has wider values than columns hold in it, as floating point does. The
    /// columns of its parts are kept.
    fn through_wide(
        &mut self,
        terms: &Terms,
        term: Term,
        symbol: Sym,
        lanes: usize,
    ) -> Option<Column> {
        width_of(terms.sort(term))?;
        let plan = Plan::above(terms, &[term], &self.known)?;
        let values: Vec<u8> = (0..lanes).map(|lane| lane as u8).collect();
        let rows = Rows::start().times(symbol, &values, 0..lanes);
        let mut work = WIDE_WORK;
        for (part, column) in plan.words(terms, &rows, &self.known, &mut work)? {
            self.known.insert(part, column);
        }
        self.known.get(&term).cloned()
    }

    /// The column of a term whose symbols are the lane symbol and fixed ones. `local` holds what depends on the fixed
    /// ones; `steps` is what may be spent.
    pub(super) fn compute(
        &mut self,
        context: &Context<'_>,
        term: Term,
        local: &mut FastMap<Term, Column>,
        steps: &mut u64,
    ) -> Option<Column> {
        debug_assert!(
            context
                .fixed
                .iter()
                .all(|(fixed, _)| *fixed != context.lane),
            "the lane symbol is not fixed"
        );
        debug_assert_eq!(
            symbol_lanes(context.terms, context.lane),
            Some(context.lanes),
            "a lane for every value of the symbol"
        );
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if self.lookup(context, local, top).is_some() {
                pending.pop();
                continue;
            }
            match self.node(context, local, top) {
                Ok(column) => {
                    *steps = steps.checked_sub(1)?;
                    self.keep(context, local, top, column);
                    pending.pop();
                }
                Err(Missing::Values(needed)) => {
                    // one symbol only: computed for all its values, whatever this context fixes it to
                    for need in needed {
                        match self.other_symbol(context, need) {
                            Some(symbol) => {
                                context.fixed.iter().find(|(fixed, _)| *fixed == symbol)?;
                                self.of_one(context.terms, need, symbol)?;
                            }
                            None => pending.push(need),
                        }
                    }
                }
                Err(Missing::Never) => return None,
            }
        }
        self.lookup(context, local, term)
    }

    /// The symbol of a term that has one symbol, which is not the lane's.
    fn other_symbol(&self, context: &Context<'_>, term: Term) -> Option<Sym> {
        match context.terms.known_symbols(term) {
            Some(&[symbol]) if symbol != context.lane => Some(symbol),
            _ => None,
        }
    }

    fn keep(
        &mut self,
        context: &Context<'_>,
        local: &mut FastMap<Term, Column>,
        term: Term,
        column: Column,
    ) {
        debug_assert!(
            matches!(&column, Column::Same(_))
                || matches!(&column, Column::Lanes(values) if values.len() == context.lanes),
            "a value for every lane"
        );
        match context.terms.known_symbols(term) {
            Some([]) => {
                debug_assert!(
                    matches!(column, Column::Same(_)),
                    "a term without symbols is kept for every lane symbol, so it has one value"
                );
                self.known.insert(term, column);
            }
            Some(&[symbol]) if symbol == context.lane => {
                self.known.insert(term, column);
            }
            _ => {
                local.insert(term, column);
            }
        }
    }

    #[inline]
    fn lookup(
        &self,
        context: &Context<'_>,
        local: &FastMap<Term, Column>,
        term: Term,
    ) -> Option<Column> {
        if let Op::Bv(bits) = context.terms.op(term) {
            return Some(Column::Same(bits));
        }
        if let Some(column) = local.get(&term) {
            return Some(column.clone());
        }
        let column = self.known.get(&term)?;
        match context.terms.known_symbols(term) {
            Some(&[symbol]) if symbol != context.lane => {
                let value = context.fixed.iter().find(|(fixed, _)| *fixed == symbol)?.1;
                Some(Column::Same(column.at(value as usize)))
            }
            _ => Some(column.clone()),
        }
    }

    /// A node whose arguments are known.
    fn node(&self, context: &Context<'_>, local: &FastMap<Term, Column>, term: Term) -> Computed {
        let terms = context.terms;
        let node = terms.node(term);
        let args = node.args();
        let width = width_of(node.sort()).ok_or(Missing::Never)?;
        let get = |arg: Term| self.lookup(context, local, arg);
        match node.op() {
            Op::True => Ok(Column::Same(1)),
            Op::False => Ok(Column::Same(0)),
            Op::Symbol(symbol) => match symbol == context.lane {
                true => Ok(Column::collect(context.lanes, |lane| lane as u64)),
                false => match context.fixed.iter().find(|(fixed, _)| *fixed == symbol) {
                    Some(&(_, value)) => Ok(Column::Same(value)),
                    None => Err(Missing::Never),
                },
            },
            Op::Ite => {
                let condition = get(args[0]).ok_or_else(|| Missing::Values(vec![args[0]]))?;
                match condition {
                    Column::Same(0) => get(args[2]).ok_or_else(|| Missing::Values(vec![args[2]])),
                    Column::Same(_) => get(args[1]).ok_or_else(|| Missing::Values(vec![args[1]])),
                    Column::Lanes(condition) => {
                        let [yes, no] = self.all(context, local, [args[1], args[2]])?;
                        Ok(Column::collect(context.lanes, |lane| {
                            match condition[lane] {
                                0 => no.at(lane),
                                _ => yes.at(lane),
                            }
                        }))
                    }
                }
            }
            Op::Select => self.select(context, local, args[0], args[1]),
            Op::And | Op::Or | Op::Distinct => {
                let missing: Vec<Term> = args
                    .iter()
                    .copied()
                    .filter(|&arg| get(arg).is_none())
                    .collect();
                if !missing.is_empty() {
                    return words(terms, missing);
                }
                let columns: Vec<Column> = args.iter().filter_map(|&arg| get(arg)).collect();
                Ok(each(context.lanes, &columns, |values| match node.op() {
                    Op::And => values.iter().fold(1, |a, b| a & b),
                    Op::Or => values.iter().fold(0, |a, b| a | b),
                    _ => {
                        let differ = |i: usize| !values[i + 1..].contains(&values[i]);
                        (0..values.len()).all(differ).into()
                    }
                }))
            }
            op => match *args {
                [a] => {
                    let inner = width_of(terms.sort(a)).ok_or(Missing::Never)?;
                    let [a] = self.all(context, local, [a])?;
                    unary(context.lanes, op, &a, inner, width)
                }
                [a, b] => {
                    let left = width_of(terms.sort(a)).ok_or(Missing::Never)?;
                    let right = width_of(terms.sort(b)).ok_or(Missing::Never)?;
                    let [a, b] = self.all(context, local, [a, b])?;
                    binary(context.lanes, op, &a, &b, (left, right, width))
                }
                _ => Err(Missing::Never),
            },
        }
    }

    fn all<const N: usize>(
        &self,
        context: &Context<'_>,
        local: &FastMap<Term, Column>,
        args: [Term; N],
    ) -> Result<[Column; N], Missing> {
        let found = args.map(|arg| self.lookup(context, local, arg));
        let missing: Vec<Term> = args
            .iter()
            .zip(&found)
            .filter(|(_, column)| column.is_none())
            .map(|(&arg, _)| arg)
            .collect();
        if !missing.is_empty() {
            return words(context.terms, missing);
        }
        Ok(found.map(|column| column.unwrap_or(Column::Same(0))))
    }

    /// A read: lanes walk down the array together until their element is found.
    fn select(
        &self,
        context: &Context<'_>,
        local: &FastMap<Term, Column>,
        array: Term,
        index: Term,
    ) -> Computed {
        let terms = context.terms;
        let [index] = self.all(context, local, [index])?;
        let lanes = match index {
            Column::Same(_) => 1,
            Column::Lanes(_) => context.lanes,
        };
        // a condition or element may differ between lanes even if the index does not
        let lanes = if self.is_constant(terms, array) {
            lanes
        } else {
            context.lanes
        };
        let mut values = vec![0u64; lanes];
        let mut missing = Vec::new();
        let mut groups: Vec<(Term, Members)> = vec![(array, Members::of(&index, lanes))];
        while let Some((array, mut members)) = groups.pop() {
            let node = terms.node(array);
            let inner = node.args();
            match node.op() {
                Op::Table(id) => {
                    let table = terms.table_content(id);
                    for (at, lane) in members.all() {
                        values[lane as usize] = table.get(at);
                    }
                }
                Op::Fill => {
                    let all: Vec<u32> = members.all().map(|(_, lane)| lane).collect();
                    self.copy(context, local, inner[0], &all, &mut values, &mut missing);
                }
                Op::Store => match self.lookup(context, local, inner[1]) {
                    None => missing.push(inner[1]),
                    Some(at) => {
                        let here = members.take(&at);
                        if !here.is_empty() {
                            self.copy(context, local, inner[2], &here, &mut values, &mut missing);
                        }
                        if !members.is_empty() {
                            groups.push((inner[0], members));
                        }
                    }
                },
                Op::Ite => match self.lookup(context, local, inner[0]) {
                    None => missing.push(inner[0]),
                    Some(condition) => {
                        let (yes, no) = members.split(|lane| condition.at(lane as usize) != 0);
                        if !yes.is_empty() {
                            groups.push((inner[1], yes));
                        }
                        if !no.is_empty() {
                            groups.push((inner[2], no));
                        }
                    }
                },
                _ => return Err(Missing::Never),
            }
        }
        if !missing.is_empty() {
            return words(terms, missing);
        }
        // closed terms are kept for every lane symbol, so they must be one value
        match values.iter().all(|value| *value == values[0]) {
            true => Ok(Column::Same(values[0])),
            false => Ok(Column::Lanes(values.into())),
        }
    }

    fn is_constant(&self, terms: &Terms, array: Term) -> bool {
        matches!(terms.op(array), Op::Table(_))
    }

    fn copy(
        &self,
        context: &Context<'_>,
        local: &FastMap<Term, Column>,
        element: Term,
        members: &[u32],
        values: &mut [u64],
        missing: &mut Vec<Term>,
    ) {
        match self.lookup(context, local, element) {
            None => missing.push(element),
            Some(column) => {
                for &lane in members {
                    values[lane as usize] = column.at(lane as usize);
                }
            }
        }
    }
}

/// Lanes that look for an element, in order of the index they look at: a write at a constant index concerns neighbours.
struct Members {
    /// Index and lane.
    sorted: Vec<(u64, u32)>,
    /// Which of them have found their element.
    done: Vec<bool>,
    left: usize,
}

impl Members {
    fn of(index: &Column, lanes: usize) -> Self {
        let mut sorted: Vec<(u64, u32)> = (0..lanes)
            .map(|lane| (index.at(lane), lane as u32))
            .collect();
        sorted.sort_unstable();
        Members {
            done: vec![false; sorted.len()],
            left: sorted.len(),
            sorted,
        }
    }

    fn is_empty(&self) -> bool {
        self.left == 0
    }

    fn all(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let open = self.sorted.iter().zip(&self.done);
        open.filter(|(_, done)| !**done).map(|(member, _)| *member)
    }

    /// Takes out the lanes that find their element at a write.
    fn take(&mut self, at: &Column) -> Vec<u32> {
        let mut found = Vec::new();
        let (start, end) = match at {
            Column::Same(at) => {
                let start = self.sorted.partition_point(|(index, _)| index < at);
                let same = self.sorted[start..]
                    .iter()
                    .take_while(|(index, _)| index == at);
                (start, start + same.count())
            }
            Column::Lanes(_) => (0, self.sorted.len()),
        };
        for position in start..end {
            let (index, lane) = self.sorted[position];
            if !self.done[position] && at.at(lane as usize) == index {
                self.done[position] = true;
                self.left -= 1;
                found.push(lane);
            }
        }
        debug_assert_eq!(
            self.left,
            self.done.iter().filter(|done| !**done).count(),
            "lanes that are left have not found their element"
        );
        found
    }

    fn split(self, holds: impl Fn(u32) -> bool) -> (Members, Members) {
        let (yes, no): (Vec<_>, Vec<_>) = self.all().partition(|(_, lane)| holds(*lane));
        debug_assert!(
            yes.is_sorted() && no.is_sorted(),
            "parts are sorted as the whole is"
        );
        let part = |sorted: Vec<(u64, u32)>| Members {
            done: vec![false; sorted.len()],
            left: sorted.len(),
            sorted,
        };
        (part(yes), part(no))
    }
}

/// Asks for terms, all of which must be words.
fn words<T>(terms: &Terms, mut missing: Vec<Term>) -> Result<T, Missing> {
    let word = |&term: &Term| {
        matches!(
            terms.sort_kind(terms.sort(term)),
            SortKind::Bool | SortKind::BitVec(_)
        )
    };
    if !missing.iter().all(word) {
        return Err(Missing::Never);
    }
    missing.sort_unstable();
    missing.dedup();
    Err(Missing::Values(missing))
}

fn each(lanes: usize, columns: &[Column], value: impl Fn(&[u64]) -> u64) -> Column {
    let mut row = vec![0; columns.len()];
    let mut at = |lane: usize| {
        for (slot, column) in row.iter_mut().zip(columns) {
            *slot = column.at(lane);
        }
        value(&row)
    };
    if columns
        .iter()
        .all(|column| matches!(column, Column::Same(_)))
    {
        return Column::Same(at(0));
    }
    Column::Lanes((0..lanes).map(at).collect())
}

#[inline(always)]
fn map1(lanes: usize, a: &Column, value: impl Fn(u64) -> u64) -> Column {
    match a {
        Column::Same(a) => Column::Same(value(*a)),
        Column::Lanes(a) => Column::Lanes(a[..lanes].iter().map(|&a| value(a)).collect()),
    }
}

#[inline(always)]
fn map2(lanes: usize, a: &Column, b: &Column, value: impl Fn(u64, u64) -> u64) -> Column {
    match (a, b) {
        (Column::Same(a), Column::Same(b)) => Column::Same(value(*a, *b)),
        (Column::Same(a), Column::Lanes(b)) => {
            Column::Lanes(b[..lanes].iter().map(|&b| value(*a, b)).collect())
        }
        (Column::Lanes(a), Column::Same(b)) => {
            Column::Lanes(a[..lanes].iter().map(|&a| value(a, *b)).collect())
        }
        (Column::Lanes(a), Column::Lanes(b)) => {
            let pairs = a[..lanes].iter().zip(&b[..lanes]);
            Column::Lanes(pairs.map(|(&a, &b)| value(a, b)).collect())
        }
    }
}

fn unary(lanes: usize, op: Op, a: &Column, inner: u32, width: u32) -> Computed {
    let cut = mask(width);
    Ok(match op {
        Op::Not => map1(lanes, a, |a| 1 - a),
        Op::BvNot => map1(lanes, a, |a| !a & cut),
        Op::BvNeg => map1(lanes, a, |a| a.wrapping_neg() & cut),
        Op::Extract { low, .. } => map1(lanes, a, |a| (a >> low) & cut),
        Op::ZeroExtend => a.clone(),
        Op::SignExtend => map1(lanes, a, |a| signed(a, inner) as u64 & cut),
        _ => return Err(Missing::Never),
    })
}

fn binary(
    lanes: usize,
    op: Op,
    a: &Column,
    b: &Column,
    (left, right, width): (u32, u32, u32),
) -> Computed {
    let cut = mask(width);
    let shift = |amount: u64| u32::try_from(amount).ok().filter(|n| *n < width);
    Ok(match op {
        Op::Eq => map2(lanes, a, b, |a, b| u64::from(a == b)),
        Op::Implies => map2(lanes, a, b, |a, b| u64::from(a == 0 || b == 1)),
        Op::BvUlt => map2(lanes, a, b, |a, b| u64::from(a < b)),
        Op::BvSlt => map2(lanes, a, b, |a, b| {
            u64::from(signed(a, left) < signed(b, left))
        }),
        Op::Concat => map2(lanes, a, b, |a, b| a << right | b),
        Op::BvAnd => map2(lanes, a, b, |a, b| a & b),
        Op::BvOr => map2(lanes, a, b, |a, b| a | b),
        Op::BvXor => map2(lanes, a, b, |a, b| a ^ b),
        Op::BvAdd => map2(lanes, a, b, |a, b| a.wrapping_add(b) & cut),
        Op::BvMul => map2(lanes, a, b, |a, b| a.wrapping_mul(b) & cut),
        Op::BvUdiv => map2(lanes, a, b, |a, b| a.checked_div(b).unwrap_or(cut)),
        Op::BvUrem => map2(lanes, a, b, |a, b| a.checked_rem(b).unwrap_or(a)),
        Op::BvSdiv => map2(lanes, a, b, |a, b| {
            let (x, y) = (signed(a, width), signed(b, width));
            let quotient = match y {
                0 if x < 0 => 1,
                0 => -1,
                _ => x.wrapping_div(y),
            };
            quotient as u64 & cut
        }),
        Op::BvSrem => map2(lanes, a, b, |a, b| match signed(b, width) {
            0 => a,
            y => signed(a, width).wrapping_rem(y) as u64 & cut,
        }),
        Op::BvShl => map2(lanes, a, b, |a, b| shift(b).map_or(0, |n| (a << n) & cut)),
        Op::BvLshr => map2(lanes, a, b, |a, b| shift(b).map_or(0, |n| a >> n)),
        Op::BvAshr => map2(lanes, a, b, |a, b| {
            (signed(a, width) >> shift(b).unwrap_or(width - 1)) as u64 & cut
        }),
        _ => return Err(Missing::Never),
    })
}
