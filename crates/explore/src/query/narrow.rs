//! Simplification under possible values of small symbols.
//!
//! * Parts of a query that mention no address and one small symbol only, and have the same value for every value allowed to
//!   that symbol, become that value.
//! * A read from memory whose index can have few values becomes a choice between those elements: what else is in the
//!   object does not matter.
//! * Differences of pointers into one object lose their base address.
//! * Constraints that are then about one small symbol restrict its values, and everything is looked at again.
//!
//! What is left mentions fewer addresses and fewer symbols, so it is sliced again: it is often constant or about one byte, and
//! more often the same as an earlier query. It is equivalent to the query for all allowed values and under every layout: no
//! address was looked at.

use super::address::mentions_address;
use super::chain::CacheMode;
use super::context::Context;
use super::form::{Form, Parts, Question};
use super::layer::{By, Found, Layer, Subject};
use super::verdict::Verdict;
use super::witness::{SymbolValue, Witness};
use std::sync::Arc;
use stet_base::FastMap;
use stet_solve::{Values, is_among};
use stet_term::{Op, Sort, Sym, Term, Terms};

/// The most nodes of a query that are looked at.
const MOST_NODES: usize = 20_000;
/// A read that can mean no more elements than this becomes a choice between them.
const MOST_ELEMENTS: usize = 8;
/// Simplified constraints that are kept.
const MOST_SIMPLIFIED: usize = 1 << 16;
/// The most summands in which opposites are looked for.
const MOST_SUMMANDS: usize = 16;
/// How often new values of symbols are put to use.
const ROUNDS: usize = 4;

/// When queries are simplified under possible values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Narrowing {
    Off,
    /// With the address-aware cache: it is part of what that cache sees through.
    Aware,
    /// With every cache.
    All,
}

/// What became of a query.
enum Narrow {
    /// It cannot be satisfied.
    Impossible,
    /// Only sets of values are left: each symbol takes one of its own, the path's witness gives the rest.
    EachAlone(Witness),
    /// This is left, and is satisfiable exactly if the query is.
    Left(Parts),
}

/// A query that is being simplified.
struct Work {
    /// Constraints, and whether they come from the question rather than from the path.
    open: Vec<(Term, bool)>,
    /// Everything else; `required` and `asked` are what they were at the beginning.
    parts: Parts,
}

impl Work {
    /// Whether the question restricts the values of a symbol of a constraint.
    fn is_asked(&self, context: &mut Context, constraint: Term) -> bool {
        let symbols = context.program_symbols(constraint);
        let mut asked = self.parts.asked_symbols.iter();
        asked.any(|symbol| symbols.contains(symbol))
    }
}

enum Round {
    /// A constraint or a symbol has no value left.
    Impossible,
    /// Something new is known of a symbol's values.
    Shrunk,
    Settled,
}

/// Possible values of a constraint's symbols, and what the constraint is for these.
type Simplified = (Box<[(Sym, Values)]>, Term);

pub(super) struct NarrowingLayer {
    /// Whether queries are simplified in this mode.
    is_on: bool,
    /// Whether verdicts of sets are kept, so that what is left may be among them.
    has_verdicts: bool,
    /// What constraints became under the possible values of their symbols, for the values asked last.
    simplified: FastMap<Term, Simplified>,
}

impl NarrowingLayer {
    pub(super) fn new(narrowing: Narrowing, mode: CacheMode) -> Self {
        NarrowingLayer {
            is_on: match narrowing {
                Narrowing::Off => false,
                Narrowing::Aware => mode == CacheMode::AddressAware,
                Narrowing::All => true,
            },
            has_verdicts: mode != CacheMode::Off,
            simplified: FastMap::default(),
        }
    }

    /// Whether queries are simplified in this mode.
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// The query for the values allowed; nothing if it is what it was.
    fn narrow(&mut self, context: &mut Context, parts: &Parts) -> Option<Narrow> {
        if parts.domains.is_empty() {
            return None;
        }
        let mut work = Work {
            open: Vec::with_capacity(parts.required.len()),
            parts: parts.clone(),
        };
        for &constraint in &parts.required {
            let asked = parts.asked.contains(&constraint);
            work.open.push((constraint, asked));
        }
        for _ in 0..ROUNDS {
            match self.round(context, &mut work)? {
                Round::Impossible => return Some(Narrow::Impossible),
                Round::Settled => break,
                Round::Shrunk => {}
            }
        }
        let left = connected(context, work);
        if left.required.is_empty() {
            return each_alone(&left).map(Narrow::EachAlone);
        }
        let same = left.required == parts.required && left.domains == parts.domains;
        (!same).then_some(Narrow::Left(left))
    }

    /// Simplifies every constraint once. What is then about one small symbol joins what is known of its values.
    fn round(&mut self, context: &mut Context, work: &mut Work) -> Option<Round> {
        let terms = context.terms.clone();
        let mut known = FastMap::default();
        let mut pending = std::mem::take(&mut work.open);
        pending.reverse();
        let mut outcome = Round::Settled;
        while let Some((constraint, asked)) = pending.pop() {
            let simple = self.simplified(context, constraint, &work.parts.domains, &mut known)?;
            // the path satisfies its own constraints, not what the question's values make of them
            let asked = asked || simple != constraint && work.is_asked(context, constraint);
            match simple {
                Term::TRUE => continue,
                Term::FALSE => return Some(Round::Impossible),
                _ if terms.op(simple) == Op::And => {
                    pending.extend(terms.args(simple).iter().map(|&part| (part, asked)));
                    continue;
                }
                _ => {}
            }
            let values = match mentions_address(&terms, simple) {
                true => None,
                false => context.allowed_by(simple),
            };
            let Some((symbol, values)) = values else {
                work.open.push((simple, asked));
                continue;
            };
            if !work.parts.restrict(symbol, &values) {
                return Some(Round::Impossible);
            }
            work.parts.given.push(simple);
            if asked {
                work.parts.asked_symbols.push(symbol);
            }
            outcome = Round::Shrunk;
        }
        Some(outcome)
    }

    /// A constraint for the values allowed. Constraints of a path are asked for again and again, mostly with the same values.
    fn simplified(
        &mut self,
        context: &mut Context,
        constraint: Term,
        domains: &[(Sym, Values)],
        known: &mut FastMap<Term, Term>,
    ) -> Option<Term> {
        let symbols = context.program_symbols(constraint);
        let of = |symbol: &Sym| domains.iter().find(|(known, _)| known == symbol);
        let mut relevant = symbols.iter().filter_map(of);
        if let Some((values, simple)) = self.simplified.get(&constraint)
            && relevant.by_ref().eq(values.iter())
        {
            return Some(*simple);
        }
        let simple = under_values(context, constraint, domains, known)?;
        if self.simplified.len() > MOST_SIMPLIFIED {
            self.simplified.clear();
        }
        let values = symbols.iter().filter_map(of).copied().collect();
        self.simplified.insert(constraint, (values, simple));
        Some(simple)
    }
}

impl Layer for NarrowingLayer {
    fn applies(&self, _: &mut Context, question: &mut Question<'_>) -> bool {
        self.is_on && question.path.is_some()
    }

    fn ask(&mut self, context: &mut Context, question: &mut Question<'_>) -> Option<Found> {
        let parts = Parts::of(context, question.set, question.path);
        let narrow = self.narrow(context, &parts);
        let (verdict, about) = match narrow {
            Some(Narrow::Left(left)) => {
                let form = question.form.insert(Form::left(left));
                let known = context.verdicts.get(&form.terms[..]);
                (known.filter(|_| self.has_verdicts)?.clone(), Subject::Form)
            }
            other => {
                question.form = Some(Form::whole(question.set, parts));
                match other {
                    Some(Narrow::Impossible) => (Verdict::Unsat, Subject::Question),
                    Some(Narrow::EachAlone(own)) => (Verdict::Sat(Arc::new(own)), Subject::Part),
                    _ => return None,
                }
            }
        };
        Some(Found { verdict, about })
    }

    fn tell(&mut self, _: &mut Context, _: &mut Question<'_>, _: &Verdict, _: By) {}
}

/// What is connected with the question by shared symbols. The path is possible, so what is not connected is true for some
/// values of its own symbols. A constraint that the question's values simplified counts as asked, even if no symbol of
/// the question is left in it.
fn connected(context: &mut Context, work: Work) -> Parts {
    let Work { open, parts } = work;
    let of = |wanted: bool| {
        let some = open.iter().filter(move |(_, asked)| *asked == wanted);
        some.map(|(constraint, _)| *constraint).collect()
    };
    let (asked, mut others): (Vec<Term>, Vec<Term>) = (of(true), of(false));
    let mut symbols: Vec<Sym> = parts.asked_symbols.clone();
    let mut required = asked.clone();
    let mut done = 0;
    loop {
        for &constraint in &required[done..] {
            symbols.extend(context.program_symbols(constraint).iter());
        }
        done = required.len();
        let mut apart = Vec::with_capacity(others.len());
        for constraint in others {
            let shared = context.program_symbols(constraint);
            match shared.iter().any(|symbol| symbols.contains(symbol)) {
                true => required.push(constraint),
                false => apart.push(constraint),
            }
        }
        others = apart;
        if done == required.len() {
            break;
        }
    }
    required.sort_unstable();
    required.dedup();
    let mut given = parts.given;
    given.retain(|&constraint| {
        let own = context.program_symbols(constraint);
        own.iter().any(|symbol| symbols.contains(symbol))
    });
    let mut domains = parts.domains;
    domains.retain(|(symbol, _)| symbols.contains(symbol));
    Parts {
        required,
        given,
        domains,
        asked,
        asked_symbols: parts.asked_symbols,
    }
}

/// One value for each symbol of a query of which only sets of values are left.
fn each_alone(left: &Parts) -> Option<Witness> {
    let mut own = Vec::new();
    for (symbol, values) in &left.domains {
        let value = (0..256).find(|&value| is_among(values, value))?;
        own.push((*symbol, SymbolValue::Word(value)));
    }
    Some(Witness::new(own))
}

/// A term for the values allowed; nothing if it is too large.
fn under_values(
    context: &mut Context,
    term: Term,
    domains: &[(Sym, Values)],
    known: &mut FastMap<Term, Term>,
) -> Option<Term> {
    let terms = context.terms.clone();
    let mut pending = vec![term];
    // terms that have the value of another one
    let mut instead: FastMap<Term, Term> = FastMap::default();
    while let Some(&top) = pending.last() {
        if known.contains_key(&top) {
            pending.pop();
            continue;
        }
        if known.len() > MOST_NODES {
            return None;
        }
        if let Some(done) = leaf(context, &terms, top, domains) {
            known.insert(top, done);
            continue;
        }
        if let Some(other) = instead.get(&top) {
            match known.get(other) {
                Some(&done) => drop(known.insert(top, done)),
                None => pending.push(*other),
            }
            continue;
        }
        let node = terms.node(top);
        // what says which of the other arguments matter comes first
        let first = match node.op() {
            Op::Ite => Some(node.args()[0]),
            Op::Select => Some(node.args()[1]),
            _ => None,
        };
        if let Some(first) = first {
            let Some(&decided) = known.get(&first) else {
                pending.push(first);
                continue;
            };
            if let Some(other) = choice(context, &terms, top, decided, domains) {
                instead.insert(top, other);
                continue;
            }
        }
        let before = pending.len();
        let mut args = Vec::with_capacity(node.args().len());
        for arg in node.args() {
            match known.get(arg) {
                Some(&arg) => args.push(arg),
                None => pending.push(*arg),
            }
        }
        if pending.len() == before {
            let built = match args == node.args() {
                true => top,
                false => terms.build(node.op(), &args, node.sort()),
            };
            known.insert(top, without_opposites(&terms, built));
        }
    }
    known.get(&term).copied()
}

/// What a choice whose condition, or a read whose index is `decided` comes to: the branch taken, or a choice between the few
/// elements that the index can mean.
fn choice(
    context: &mut Context,
    terms: &Terms,
    term: Term,
    decided: Term,
    domains: &[(Sym, Values)],
) -> Option<Term> {
    let args = terms.args(term);
    if terms.op(term) == Op::Ite {
        return match decided {
            Term::TRUE => Some(args[1]),
            Term::FALSE => Some(args[2]),
            _ => None,
        };
    }
    let array = args[0];
    if terms.is_bv_const(decided) {
        let element = terms.select(array, decided);
        return (element != term).then_some(element);
    }
    if terms.known_symbols(array).is_some_and(<[Sym]>::is_empty) {
        return None; // a table: its elements are numbers
    }
    let &[symbol] = terms.known_symbols(decided)? else {
        return None;
    };
    let (_, values) = domains.iter().find(|(known, _)| *known == symbol)?;
    let width = terms
        .sort(decided)
        .bv_width()
        .filter(|width| *width <= 64)?;
    let mut indices = context
        .solver
        .few_values(terms, decided, symbol, values, MOST_ELEMENTS)?;
    indices.sort_unstable();
    let element = |&index: &u64| terms.select(array, terms.bv(width, index));
    let elements: Vec<Term> = indices.iter().map(element).collect();
    // eight reads of the bytes of a pointer are recognised as a pointer, eight choices are not
    let is_piece = |&term: &Term| mentions_address(terms, term) && terms.width(term) < 64;
    if elements.iter().any(is_piece) {
        return None;
    }
    let mut choices = indices.iter().zip(elements).rev();
    let (_, last) = choices.next()?;
    Some(choices.fold(last, |rest, (&index, element)| {
        let here = terms.eq(decided, terms.bv(width, index));
        terms.ite(here, element, rest)
    }))
}

/// What a term is without looking at its arguments: itself if no value is known of its symbols, or a constant.
fn leaf(
    context: &mut Context,
    terms: &Terms,
    term: Term,
    domains: &[(Sym, Values)],
) -> Option<Term> {
    if matches!(terms.op(term), Op::Symbol(_)) && terms.sort(term).bv_width().is_none() {
        return Some(term);
    }
    let symbols = terms.known_symbols(term)?;
    let domain = |symbol: &Sym| domains.iter().find(|(known, _)| known == symbol);
    if symbols.iter().all(|symbol| domain(symbol).is_none()) {
        return Some(term);
    }
    let &[symbol] = symbols else {
        return None;
    };
    let (_, values) = domain(&symbol)?;
    let sort = terms.sort(term);
    let width = sort.bv_width();
    let is_word = sort == Sort::BOOL || width.is_some_and(|width| width <= 64);
    let value = match is_word && !mentions_address(terms, term) {
        true => context.solver.few_values(terms, term, symbol, values, 1),
        false => None,
    };
    match (value.and_then(|values| values.first().copied()), width) {
        (Some(value), Some(width)) => Some(terms.bv(width, value)),
        (Some(0), None) => Some(Term::FALSE),
        (Some(_), None) => Some(Term::TRUE),
        (None, _) => terms.args(term).is_empty().then_some(term),
    }
}

/// A sum without pairs of a summand and its negation, if it mentions addresses: differences of pointers into one object.
fn without_opposites(terms: &Terms, sum: Term) -> Term {
    if terms.op(sum) != Op::BvAdd || !mentions_address(terms, sum) {
        return sum;
    }
    let (mut plus, mut minus) = (Vec::new(), Vec::new());
    let mut pending = vec![(sum, false)];
    while let Some((term, negative)) = pending.pop() {
        match terms.op(term) {
            Op::BvAdd => pending.extend(terms.args(term).iter().map(|&part| (part, negative))),
            Op::BvNeg => pending.push((terms.args(term)[0], !negative)),
            _ if negative => minus.push(term),
            _ => plus.push(term),
        }
        if pending.len() + plus.len() + minus.len() > MOST_SUMMANDS {
            return sum;
        }
    }
    let before = plus.len();
    plus.retain(|term| match minus.iter().position(|other| other == term) {
        Some(at) => {
            minus.swap_remove(at);
            false
        }
        None => true,
    });
    if plus.len() == before {
        return sum;
    }
    let zero = terms.bv(terms.width(sum), 0);
    let total = plus.into_iter().fold(zero, |a, b| terms.bv_add(a, b));
    let opposite = |term| terms.bv_neg(term);
    minus
        .into_iter()
        .map(opposite)
        .fold(total, |a, b| terms.bv_add(a, b))
}
