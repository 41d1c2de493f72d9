//! Abstract values of terms; see the module above for what is checked and why it suffices.

use super::memory::Writes;
use super::range::{Range, largest};
use crate::query::address::{AddressView, HIGHEST_END, LOWEST_BASE, RED_ZONE, mentions_address};
use std::cell::Cell;
use std::rc::Rc;
use stet_base::FastMap;
use stet_solve::{Values, is_among};
use stet_term::{Op, Sym, Term, Terms};

/// Terms nested deeper than this are not looked into.
const DEPTH_LIMIT: u32 = 300;
/// Pointers to more objects than this are not tracked.
const PLACE_LIMIT: usize = 4096;

/// Where a value may be; which of several places, and the offset, do not depend on the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    /// The object, or none for a plain number.
    pub(crate) base: Option<Sym>,
    pub(crate) offset: Range,
}

/// What is known about a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Abstract {
    /// One of these places; a truth value is a number.
    Places(Vec<Place>),
    /// The distance of one of these places from the base of an object.
    Distance(Vec<Place>, Sym),
    /// Depends on the layout, as far as is known.
    Unknown,
}

impl Abstract {
    pub(crate) fn number(range: Range) -> Abstract {
        Abstract::Places(vec![Place {
            base: None,
            offset: range,
        }])
    }

    /// The range, if this is an invariant number.
    pub(crate) fn as_number(&self) -> Option<Range> {
        let Abstract::Places(places) = self else {
            return None;
        };
        let mut ranges = places
            .iter()
            .map(|place| place.base.is_none().then_some(place.offset));
        let first = ranges.next()??;
        ranges.try_fold(first, |all, range| Some(all.join(range?)))
    }
}

/// A guard that is assumed: `core + shift < bound`.
#[derive(Clone, Copy)]
struct Guard {
    shift: u64,
    bound: u64,
}

impl Guard {
    /// The values of `core + added` in `range` that satisfy the guard; sums of `width` bits.
    fn apply(self, range: Range, added: u64, width: u32) -> Option<Range> {
        let only = |value: u64| Range::only(value & largest(width));
        let there = range.add(only(self.shift.wrapping_sub(added)), width);
        let inside = there.within(0, self.bound - 1)?;
        Some(inside.add(only(added.wrapping_sub(self.shift)), width))
    }
}

/// Abstract values of the terms of one query.
pub(crate) struct Analysis<'a> {
    pub(crate) terms: &'a Terms,
    addresses: &'a dyn AddressView,
    memo: FastMap<Term, Abstract>,
    /// Writes at constant indices, by array.
    pub(super) writes: FastMap<Term, Rc<Writes>>,
    /// Assumed bounds, inclusive.
    bounds: FastMap<Term, (u64, u64)>,
    guards: FastMap<Term, Guard>,
    /// Where assumed constraints say that a pointer is.
    only: FastMap<Term, Place>,
    /// Where assumed constraints say that a pointer is not.
    excluded: FastMap<Term, Vec<Place>>,
    /// What is assumed leaves some pointer no place: no assignment satisfies it under any layout.
    impossible: Cell<bool>,
    depth: u32,
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(terms: &'a Terms, addresses: &'a dyn AddressView) -> Self {
        Analysis {
            terms,
            addresses,
            memo: FastMap::default(),
            writes: FastMap::default(),
            bounds: FastMap::default(),
            guards: FastMap::default(),
            only: FastMap::default(),
            excluded: FastMap::default(),
            impossible: Cell::new(false),
            depth: 0,
        }
    }

    /// Whether what is assumed is false under every layout.
    pub(crate) fn is_impossible(&self) -> bool {
        self.impossible.get()
    }

    /// Forgets abstract values, because more is assumed now.
    pub(crate) fn forget(&mut self) {
        self.memo.clear();
    }

    /// Whether a truth value does not depend on the layout.
    pub(crate) fn is_invariant(&mut self, term: Term) -> bool {
        self.value(term).as_number().is_some()
    }

    /// Assumes that a symbol of the program has one of these values.
    pub(crate) fn assume_values(&mut self, symbol: Sym, values: &Values) {
        let possible = || (0..256).filter(|&value| is_among(values, value));
        let sort = self.terms.symbol_info(symbol).sort;
        if let (Some(lo), Some(hi)) = (possible().next(), possible().next_back())
            && sort.bv_width().is_some()
        {
            let term = self.terms.intern(Op::Symbol(symbol), &[], sort);
            self.bound(term, lo, hi);
        }
    }

    /// Assumes an invariant constraint.
    pub(crate) fn assume(&mut self, constraint: Term) {
        let (terms, args) = (self.terms, self.terms.args(constraint));
        match (terms.op(constraint), args) {
            (Op::And, _) => {
                for &arg in args {
                    self.assume(arg);
                }
            }
            (Op::Eq, &[a, b]) => {
                if let Some(value) = terms.as_u64(b) {
                    self.bound(a, value, value);
                }
            }
            (Op::BvUlt, &[a, b]) => match (terms.as_u64(a), terms.as_u64(b)) {
                (_, Some(limit)) if limit > 0 => {
                    self.bound(a, 0, limit - 1);
                    if let Some((pointer, place)) = self.target_place(a, 0, limit - 1) {
                        self.only.insert(pointer, place);
                    }
                }
                (Some(limit), None) if limit < largest(terms.width(b)) => {
                    self.bound(b, limit + 1, largest(terms.width(b)));
                }
                _ => {}
            },
            (Op::Not, &[inner]) => self.assume_not(inner),
            _ => {}
        }
    }

    /// Assumes the negation of an invariant constraint.
    fn assume_not(&mut self, inner: Term) {
        let terms = self.terms;
        match (terms.op(inner), terms.args(inner)) {
            (Op::BvUlt, &[a, b]) => match (terms.as_u64(a), terms.as_u64(b)) {
                (Some(limit), None) => self.bound(b, 0, limit),
                (None, Some(limit)) if limit > 0 => {
                    self.bound(a, limit, largest(terms.width(a)));
                    if let Some((pointer, place)) = self.target_place(a, 0, limit - 1) {
                        self.excluded.entry(pointer).or_default().push(place);
                    }
                }
                _ => {}
            },
            (Op::Eq, &[a, b]) => {
                for (pointer, other) in [(a, b), (b, a)] {
                    self.exclude_value(pointer, other);
                }
            }
            _ => {}
        }
    }

    /// Assumes that a pointer is not where another value certainly is.
    fn exclude_value(&mut self, pointer: Term, other: Term) {
        if !mentions_address(self.terms, pointer) {
            return;
        }
        if let Abstract::Places(places) = self.value(other)
            && let [place] = places[..]
            && place.offset.lo == place.offset.hi
        {
            let (core, shift) = self.split(pointer);
            let back = Range::only(shift.wrapping_neg());
            let offset = place.offset.add(back, 64);
            let place = Place { offset, ..place };
            self.excluded.entry(core).or_default().push(place);
        }
    }

    /// `lo <= distance <= hi` as a pointer and the place it then is at: `distance` must be that pointer, minus a
    /// base, plus constants.
    fn target_place(&self, distance: Term, lo: u64, hi: u64) -> Option<(Term, Place)> {
        let (mut pointer, mut base, mut shift) = (None, None, 0u64);
        for (part, positive) in self.summands(distance) {
            match (self.terms.as_u64(part), positive) {
                (Some(constant), true) => shift = shift.wrapping_add(constant),
                (Some(constant), false) => shift = shift.wrapping_sub(constant),
                (None, true) if pointer.is_none() => pointer = Some(part),
                (None, false) if base.is_none() => base = Some(part),
                _ => return None,
            }
        }
        let Op::Symbol(symbol) = self.terms.op(base?) else {
            return None;
        };
        self.addresses.object(symbol)?;
        let (lo, hi) = (lo.wrapping_sub(shift), hi.wrapping_sub(shift));
        let place = Place {
            base: Some(symbol),
            offset: (lo <= hi).then(|| Range::new(lo, hi, 1))?,
        };
        Some((pointer?, place))
    }

    /// Assumes `lo <= term <= hi`.
    fn bound(&mut self, term: Term, lo: u64, hi: u64) {
        let (core, shift) = self.split(term);
        if mentions_address(self.terms, core) {
            // `core + shift` in lo..=hi; a distance from a base becomes an offset under this guard.
            let guard = Guard {
                shift: shift.wrapping_sub(lo),
                bound: (hi - lo).saturating_add(1),
            };
            let kept = self.guards.entry(core).or_insert(guard);
            if guard.bound < kept.bound {
                *kept = guard;
            }
            return;
        }
        let limit = largest(self.terms.width(core));
        let (lo, hi) = (
            lo.wrapping_sub(shift) & limit,
            hi.wrapping_sub(shift) & limit,
        );
        if lo <= hi {
            let entry = self.bounds.entry(core).or_insert((lo, hi));
            *entry = (entry.0.max(lo), entry.1.min(hi));
            self.bound_parts(core, lo, hi);
        }
    }

    /// What a bound on a term says about what it is put together from: an index of four bytes below 4 has three
    /// bytes that are zero.
    fn bound_parts(&mut self, term: Term, lo: u64, hi: u64) {
        let terms = self.terms;
        match (terms.op(term), terms.args(term)) {
            (Op::ZeroExtend, &[inner]) => {
                let limit = largest(terms.width(inner));
                if lo <= limit {
                    self.bound(inner, lo, hi.min(limit));
                }
            }
            // Neither part of a disjunction of bits is larger than the whole.
            (Op::BvOr, args) => {
                for &part in args {
                    self.bound(part, 0, hi);
                }
            }
            (Op::Concat, &[high, low]) if terms.width(low) < 64 => {
                let width = terms.width(low);
                let (top, bottom) = (lo >> width, hi >> width);
                self.bound(high, top, bottom);
                if top == bottom {
                    let mask = largest(width);
                    self.bound(low, lo & mask, hi & mask);
                }
            }
            _ => {}
        }
    }

    /// `term = core + constant`.
    pub(crate) fn split(&self, term: Term) -> (Term, u64) {
        match self.terms.constant_summand(term) {
            Some((core, constant)) => match constant.to_u64() {
                Some(constant) => (core, constant),
                None => (term, 0),
            },
            None => (term, 0),
        }
    }

    /// The abstract value of a term.
    pub(crate) fn value(&mut self, term: Term) -> Abstract {
        if let Some(known) = self.memo.get(&term) {
            return known.clone();
        }
        if self.depth >= DEPTH_LIMIT {
            return self.shallow(term);
        }
        self.depth += 1;
        let mut value = self.compute(term);
        self.depth -= 1;
        value = self.refine(term, value);
        self.memo.insert(term, value.clone());
        value
    }

    fn shallow(&self, term: Term) -> Abstract {
        if mentions_address(self.terms, term) {
            Abstract::Unknown
        } else {
            Abstract::number(Range::full(self.terms.width(term).max(1)))
        }
    }

    /// Leaves out places that assumed constraints rule out under every layout. None may be left: then the
    /// query is false under every layout.
    fn remaining(&self, term: Term, places: Vec<Place>) -> Abstract {
        let only = self.only.get(&term);
        let excluded = self.excluded.get(&term).map_or(&[][..], |list| list);
        if only.is_none() && excluded.is_empty() {
            return Abstract::Places(places);
        }
        let ruled_out = |place: &Place| {
            let covers = |other: &Place| {
                other.base == place.base
                    && other.offset.lo <= place.offset.lo
                    && place.offset.hi <= other.offset.hi
                    && (other.offset.stride <= 1 || other.offset == place.offset)
            };
            // Another object only if it is apart from where the pointer must be, under every layout.
            let elsewhere = |only: &Place| only.base != place.base && self.apart(place, only);
            only.is_some_and(elsewhere) || excluded.iter().any(covers)
        };
        let left: Vec<Place> = places
            .into_iter()
            .filter(|place| !ruled_out(place))
            .collect();
        if left.is_empty() {
            self.impossible.set(true);
            return Abstract::number(Range::only(0));
        }
        Abstract::Places(left)
    }

    /// Uses what is assumed about the term.
    fn refine(&self, term: Term, value: Abstract) -> Abstract {
        let value = match value {
            Abstract::Places(places) => self.remaining(term, places),
            other => other,
        };
        if let Some(&(lo, hi)) = self.bounds.get(&term)
            && let Some(range) = value.as_number()
            && let Some(range) = range.within(lo, hi)
        {
            return Abstract::number(range);
        }
        let (core, added) = self.split(term);
        let Some(&guard) = self.guards.get(&core) else {
            return value;
        };
        let refined = match &value {
            Abstract::Distance(places, base) => self.guarded(places, *base, guard, added),
            value => value
                .as_number()
                .and_then(|range| guard.apply(range, added, self.terms.width(core))),
        };
        refined.map_or(value, Abstract::number)
    }

    /// The distance of `places` (of `core + added`) from `base` under a guard on `core`.
    fn guarded(&self, places: &[Place], base: Sym, guard: Guard, added: u64) -> Option<Range> {
        let target = Place {
            base: Some(base),
            offset: Range::new(0, guard.bound - 1, 1),
        };
        let mut result: Option<Range> = None;
        for place in places {
            if place.base == Some(base) {
                if let Some(range) = guard.apply(place.offset, added, 64) {
                    result = Some(result.map_or(range, |all| all.join(range)));
                }
                continue;
            }
            // The guard must be false there under every layout, or nothing is known.
            let by = Range::only(guard.shift.wrapping_sub(added));
            let shifted = Place {
                base: place.base,
                offset: place.offset.add(by, 64),
            };
            if !self.apart(&shifted, &target) {
                return None;
            }
        }
        // If no place satisfies the guard, the query is false under every layout, whatever this value is.
        self.impossible
            .set(self.impossible.get() || result.is_none());
        Some(result.unwrap_or(Range::only(0)))
    }

    fn compute(&mut self, term: Term) -> Abstract {
        let terms = self.terms;
        let node = terms.node(term);
        let args = node.args();
        let width = node.sort().bv_width().unwrap_or(1);
        if width > 64 {
            return self.opaque(args, width);
        }
        match node.op() {
            Op::Symbol(symbol) => match self.addresses.object(symbol) {
                Some(_) => Abstract::Places(vec![Place {
                    base: Some(symbol),
                    offset: Range::only(0),
                }]),
                None => Abstract::number(Range::full(width)),
            },
            Op::Bv(bits) => Abstract::number(Range::only(bits)),
            Op::True => Abstract::number(Range::only(1)),
            Op::False => Abstract::number(Range::only(0)),
            Op::BvAdd | Op::BvNeg => self.sum(term, width),
            Op::Ite => self.choice(args),
            Op::Eq => self.equality(args[0], args[1]),
            Op::BvUlt => self.less(args[0], args[1]),
            Op::Concat => self.concat(term, width),
            Op::Select => self.read(term),
            Op::Extract { low: 0, .. } | Op::ZeroExtend => match self.number(args[0]) {
                Some(range) if range.hi <= largest(width) => Abstract::number(range),
                Some(_) => Abstract::number(Range::full(width)),
                None => Abstract::Unknown,
            },
            Op::SignExtend => self.sign_extend(args[0], width),
            Op::BvMul | Op::BvUrem | Op::BvUdiv | Op::BvAnd | Op::BvLshr => {
                self.arithmetic(node.op(), args[0], args[1], width)
            }
            Op::Fill | Op::Store | Op::Table(_) => Abstract::Unknown,
            _ => self.opaque(args, width),
        }
    }

    /// The range of a term, if it is an invariant number.
    pub(crate) fn number(&mut self, term: Term) -> Option<Range> {
        self.value(term).as_number()
    }

    /// An operator about which only this is known: it is a function of its arguments.
    fn opaque(&mut self, args: &[Term], width: u32) -> Abstract {
        for &arg in args {
            let invariant = if mentions_address(self.terms, arg) {
                self.number(arg).is_some()
            } else {
                true
            };
            if !invariant {
                return Abstract::Unknown;
            }
        }
        Abstract::number(Range::full(width.min(64)))
    }

    /// The summands of a tree of additions, with signs.
    fn summands(&self, term: Term) -> Vec<(Term, bool)> {
        let (mut pending, mut found) = (vec![(term, true)], Vec::new());
        while let Some((term, positive)) = pending.pop() {
            match self.terms.op(term) {
                Op::BvAdd if found.len() < 64 => {
                    pending.extend(self.terms.args(term).iter().map(|&arg| (arg, positive)));
                }
                Op::BvNeg => pending.push((self.terms.args(term)[0], !positive)),
                _ => found.push((term, positive)),
            }
        }
        found
    }

    fn sum(&mut self, term: Term, width: u32) -> Abstract {
        let mut total = Range::only(0);
        let (mut plus, mut minus) = (None, None);
        for (part, positive) in self.summands(term) {
            if part == term {
                return Abstract::Unknown; // cannot happen: a sum is not its own summand
            }
            match (self.value(part), positive) {
                (value, positive) if value.as_number().is_some() => {
                    let range = value.as_number().unwrap_or(Range::full(width));
                    let range = if positive {
                        range
                    } else {
                        negated(range, width)
                    };
                    total = total.add(range, width);
                }
                (Abstract::Places(places), true) if plus.is_none() => plus = Some(places),
                (Abstract::Places(places), false) if minus.is_none() => minus = Some(places),
                _ => return Abstract::Unknown,
            }
        }
        match (plus, minus) {
            (None, None) => Abstract::number(total),
            (Some(places), None) => Abstract::Places(moved(&places, total)),
            (Some(places), Some(from)) => distance(&moved(&places, total), &from),
            (None, Some(_)) => Abstract::Unknown,
        }
    }

    fn choice(&mut self, args: &[Term]) -> Abstract {
        if self.number(args[0]).is_none() {
            return Abstract::Unknown;
        }
        match (self.value(args[1]), self.value(args[2])) {
            (Abstract::Places(mut a), Abstract::Places(b)) => {
                a.extend(b);
                merged(a)
            }
            _ => Abstract::Unknown,
        }
    }

    fn sign_extend(&mut self, arg: Term, width: u32) -> Abstract {
        match self.number(arg) {
            Some(range) if range.hi <= largest(self.terms.width(arg) - 1) => {
                Abstract::number(range)
            }
            Some(_) => Abstract::number(Range::full(width)),
            None => Abstract::Unknown,
        }
    }

    fn arithmetic(&mut self, op: Op, a: Term, b: Term, width: u32) -> Abstract {
        let (Some(left), Some(right)) = (self.number(a), self.number(b)) else {
            return Abstract::Unknown;
        };
        let constant = (right.lo == right.hi).then_some(right.lo);
        let range = match (op, constant) {
            (Op::BvMul, Some(factor)) => left.times(factor, width),
            (Op::BvUrem, Some(divisor)) if divisor > 0 => {
                Range::new(0, left.hi.min(divisor - 1), 1)
            }
            (Op::BvUdiv, Some(divisor)) if divisor > 0 => {
                Range::new(left.lo / divisor, left.hi / divisor, 1)
            }
            (Op::BvAnd, _) => Range::new(0, left.hi.min(right.hi), 1),
            (Op::BvLshr, Some(amount)) if amount < width.into() => {
                Range::new(left.lo >> amount, left.hi >> amount, 1)
            }
            _ => Range::full(width),
        };
        Abstract::number(range)
    }

    fn size(&self, base: Sym) -> u64 {
        self.addresses.object(base).map_or(0, |object| object.size)
    }

    /// Whether two places of different objects (or a number and an object) are different addresses under
    /// every layout: objects are at least `RED_ZONE` apart, so `b` bytes past one and `c` bytes before the
    /// other do not meet if `b + c < RED_ZONE`.
    fn apart(&self, x: &Place, y: &Place) -> bool {
        let (Some(left), Some(right)) = (signed(x.offset), signed(y.offset)) else {
            return false;
        };
        match (x.base, y.base) {
            (Some(a), Some(b)) if a != b => {
                let reach = |base| i128::from(self.size(base)) + i128::from(RED_ZONE);
                left.1 < reach(a) + right.0 && right.1 < reach(b) + left.0
            }
            (Some(_), None) => number_apart(y.offset, left),
            (None, Some(_)) => number_apart(x.offset, right),
            _ => false,
        }
    }

    fn equality(&mut self, a: Term, b: Term) -> Abstract {
        let truth = Abstract::number(Range::full(1));
        match (self.value(a), self.value(b)) {
            (Abstract::Places(left), Abstract::Places(right)) => {
                let comparable = |x: &Place, y: &Place| x.base == y.base || self.apart(x, y);
                let all = left.iter().all(|x| right.iter().all(|y| comparable(x, y)));
                if all { truth } else { Abstract::Unknown }
            }
            (Abstract::Distance(places, base), value)
            | (value, Abstract::Distance(places, base)) => match value.as_number() {
                Some(range) if range.lo == range.hi => {
                    self.target(&places, base, range.lo, range.lo)
                }
                _ => Abstract::Unknown,
            },
            _ => Abstract::Unknown,
        }
    }

    fn less(&mut self, a: Term, b: Term) -> Abstract {
        let (left, right) = (self.value(a), self.value(b));
        if left.as_number().is_some() && right.as_number().is_some() {
            return Abstract::number(Range::full(1));
        }
        match (left, right) {
            (Abstract::Distance(places, base), limit) => match limit.as_number() {
                Some(range) if range.hi > 0 => self.target(&places, base, 0, range.hi - 1),
                _ => Abstract::Unknown,
            },
            (limit, Abstract::Distance(places, base)) => match limit.as_number() {
                // `c < d` is `not (d <= c)`.
                Some(range) if range.lo == range.hi => self.target(&places, base, 0, range.hi),
                _ => Abstract::Unknown,
            },
            (Abstract::Places(left), Abstract::Places(right)) => self.same_object(&left, &right),
            _ => Abstract::Unknown,
        }
    }

    /// Order of addresses: invariant only inside one object, where addresses do not wrap.
    fn same_object(&self, left: &[Place], right: &[Place]) -> Abstract {
        let base = left.first().and_then(|place| place.base);
        let inside = |place: &Place| {
            place.base.is_some()
                && place.base == base
                && signed(place.offset).is_some_and(|(lo, hi)| {
                    lo >= -i128::from(LOWEST_BASE) && hi <= i128::from(HIGHEST_END)
                })
        };
        if left.iter().chain(right).all(inside) {
            Abstract::number(Range::full(1))
        } else {
            Abstract::Unknown
        }
    }

    /// The truth of `lo <= place - base <= hi`, `place` being one of `places`.
    fn target(&self, places: &[Place], base: Sym, lo: u64, hi: u64) -> Abstract {
        let target = Place {
            base: Some(base),
            offset: Range::new(lo, hi, 1),
        };
        let decided = |place: &Place| place.base == Some(base) || self.apart(place, &target);
        if places.iter().all(decided) {
            Abstract::number(Range::full(1))
        } else {
            Abstract::Unknown
        }
    }
}

/// A range of offsets read as two's complement, if it does not straddle the sign.
fn signed(range: Range) -> Option<(i128, i128)> {
    let (lo, hi) = (range.lo as i64, range.hi as i64);
    (lo <= hi).then(|| (lo.into(), hi.into()))
}

/// Whether a number is no address of an object at these offsets, wherever the object is.
fn number_apart(number: Range, offsets: (i128, i128)) -> bool {
    let lowest = i128::from(LOWEST_BASE) + offsets.0;
    let highest = i128::from(HIGHEST_END) + offsets.1;
    lowest >= 0 && (i128::from(number.hi) < lowest || i128::from(number.lo) > highest)
}

fn negated(range: Range, width: u32) -> Range {
    let limit = largest(width);
    if range.lo == range.hi {
        return Range::only(range.lo.wrapping_neg() & limit);
    }
    if range.lo == 0 {
        return Range::full(width);
    }
    Range::new(limit - range.hi + 1, limit - range.lo + 1, range.stride)
}

fn moved(places: &[Place], by: Range) -> Vec<Place> {
    let shift = |place: &Place| Place {
        base: place.base,
        offset: place.offset.add(by, 64),
    };
    places.iter().map(shift).collect()
}

/// The distance between places and others.
fn distance(places: &[Place], from: &[Place]) -> Abstract {
    let [only] = from else {
        return Abstract::Unknown;
    };
    let Some(base) = only.base else {
        return Abstract::Unknown;
    };
    if only.offset.lo != only.offset.hi {
        // Two pointers into one object: some number.
        let same = places.iter().all(|place| place.base == Some(base));
        let back = negated(only.offset, 64);
        let numbers = moved(places, back).into_iter();
        let numbers = numbers.map(|place| Place {
            base: None,
            ..place
        });
        return match same {
            true => merged(numbers.collect()),
            false => Abstract::Unknown,
        };
    }
    let back = Range::only(only.offset.lo.wrapping_neg());
    let places = moved(places, back);
    if places.iter().all(|place| place.base == Some(base)) {
        let numbers = places.iter().map(|place| Place {
            base: None,
            offset: place.offset,
        });
        return merged(numbers.collect());
    }
    Abstract::Distance(places, base)
}

/// Numbers below, among and above addresses are told apart: a table of pointers may have 0 and -1 in it.
fn region(place: &Place) -> u8 {
    match place.base {
        Some(_) => 0,
        None if place.offset.hi < LOWEST_BASE => 0,
        None if place.offset.lo > HIGHEST_END => 2,
        None => 1,
    }
}

/// One place per object, and one per region of numbers.
pub(crate) fn merged(places: Vec<Place>) -> Abstract {
    let mut result: Vec<Place> = Vec::new();
    let mut at: FastMap<(Option<Sym>, u8), usize> = FastMap::default();
    for place in places {
        let key = (place.base, region(&place));
        match at.get(&key) {
            Some(&i) => result[i].offset = result[i].offset.join(place.offset),
            None => {
                at.insert(key, result.len());
                result.push(place);
            }
        }
    }
    if result.len() > PLACE_LIMIT {
        return Abstract::Unknown;
    }
    Abstract::Places(result)
}
