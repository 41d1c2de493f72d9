//! Arrays on demand: reads are free bits until a candidate model contradicts the arrays.
//!
//! 1. A candidate model is taken from the SAT assignment: symbols from their bits, arrays from the reads of
//!    them (the first read of an index decides its element).
//! 2. Every read that matters is evaluated in the candidate model. If all agree with their bits, every
//!    constraint evaluates as its bits say, so the candidate is a model.
//! 3. For each read that does not agree, the lemma that it violates is added: along the path the
//!    evaluation took, "if all these indices differ (or agree) as they do, the read is that element".
//!
//! Progress: the oldest disagreeing read has only agreeing reads below it, so its lemma is false in the
//! current assignment, or mentions a read that has no bits yet; there are finitely many of both.

use crate::Reason;
use crate::gates::Lit;
use crate::procedure::{Procedure, Side};
use std::sync::Arc;
use stet_base::{Budget, FastMap, FastSet, never};
use stet_term::{ArrayValue, Bits, Evaluator, Model, Op, Sort, Sym, Term, Terms, Value};

/// What refinement did.
pub(crate) enum Step {
    /// The candidate is a model.
    Consistent(Model),
    /// Lemmas were added to the log.
    Refined,
}

/// All reads that have bits in the solver, and those below their indices.
pub(crate) fn all_reads(procedure: &Procedure, side: &mut Side, terms: &Terms) -> Vec<u32> {
    let mut seen: FastSet<usize> = FastSet::default();
    let mut at = 0;
    while let Some(&number) = side.reads.get(at) {
        at += 1;
        touch_index(procedure, side, terms, number, &mut seen);
    }
    let mut reads = side.reads.clone();
    reads.sort_unstable();
    reads.dedup();
    reads
}

fn touch_index(
    procedure: &Procedure,
    side: &mut Side,
    terms: &Terms,
    number: u32,
    seen: &mut FastSet<usize>,
) {
    let index = terms.args(procedure.blaster.read(number).term)[1];
    if terms.is_bv_const(index) {
        return;
    }
    let bits = procedure.blaster.bits_of(index).unwrap_or(&[]);
    for &bit in bits {
        side.encoder(&procedure.blaster).touch(bit, seen);
    }
}

/// The reads that assumptions and roots depend on, directly or through lemmas and indices.
pub(crate) fn reachable_reads(
    procedure: &Procedure,
    side: &mut Side,
    terms: &Terms,
    assumptions: &[Lit],
    roots: &[Term],
) -> Vec<u32> {
    if side.reads.is_empty() {
        return Vec::new();
    }
    let gates = &procedure.blaster.gates;
    let mut seen: FastSet<usize> = FastSet::default();
    let mut found: FastSet<u32> = FastSet::default();
    let mut reads = Vec::new();
    let mut stack: Vec<usize> = assumptions.iter().map(|lit| lit.node()).collect();
    for &root in roots {
        let bits = procedure.blaster.bits_of(root).unwrap_or(&[]);
        stack.extend(bits.iter().map(|lit| lit.node()));
    }
    while let Some(node) = stack.pop() {
        if !seen.insert(node) {
            continue;
        }
        let gate = gates.gate(Lit::of_node(node));
        stack.extend(gate.inputs().map(Lit::node));
        let crate::gates::Gate::Input(owner) = gate else {
            continue;
        };
        if owner == 0 || !found.insert(owner - 1) {
            continue;
        }
        let number = owner - 1;
        debug_assert_eq!(
            terms.args(procedure.blaster.read(number).term).len(),
            2,
            "a read has an array and an index"
        );
        reads.push(number);
        let index = terms.args(procedure.blaster.read(number).term)[1];
        let bits = procedure.blaster.bits_of(index).unwrap_or(&[]);
        stack.extend(bits.iter().map(|lit| lit.node()));
        if let Some(links) = procedure.links.get(&number) {
            stack.extend(links.iter().map(|lit| lit.node()));
        }
    }
    reads.sort_unstable();
    reads
}

/// The value of bits in the SAT assignment; bits without a variable are zero.
fn assigned(procedure: &Procedure, side: &Side, terms: &Terms, term: Term) -> Option<Value> {
    let bits = procedure.blaster.bits_of(term)?;
    let value = |lit: Lit| {
        let positive = match side.map.var(lit) {
            Some(var) => side.sat.value(var),
            None => false,
        };
        positive != lit.is_negated()
    };
    debug_assert_eq!(
        bits.len() as u32,
        terms.sort(term).bv_width().unwrap_or(1),
        "a bit for every bit of the sort"
    );
    if terms.sort(term) == Sort::BOOL {
        return Some(Value::Bool(value(bits[0])));
    }
    let width = bits.len() as u32;
    if width <= 64 {
        let number = bits.iter().enumerate().fold(0u64, |number, (i, &lit)| {
            number | u64::from(value(lit)) << i
        });
        return Some(Value::Bv(Bits::new(width, number)));
    }
    let bytes: Vec<u8> = bits
        .chunks(8)
        .map(|chunk| {
            let bits = chunk.iter().enumerate();
            bits.fold(0, |byte, (i, &lit)| byte | u8::from(value(lit)) << i)
        })
        .collect();
    Some(Value::Bv(Bits::from_little_endian(width, &bytes)))
}

/// A read that matters, with what the SAT solver says it is.
struct Active {
    number: u32,
    term: Term,
    value: Value,
}

/// Checks the candidate model; adds the lemmas it violates.
pub(crate) fn refine(
    procedure: &mut Procedure,
    side: &mut Side,
    terms: &Terms,
    roots: &[Term],
    reads: &[u32],
    budget: &Budget,
) -> Result<Step, Reason> {
    let mut model = scalars(procedure, side, terms, roots);
    if reads.is_empty() {
        return Ok(Step::Consistent(model));
    }
    let mut active: Vec<Active> = Vec::with_capacity(reads.len());
    for &number in reads {
        let term = procedure.blaster.read(number).term;
        let value = assigned(procedure, side, terms, term)
            .ok_or_else(|| Reason::Failed("a read without bits".to_owned()))?;
        active.push(Active {
            number,
            term,
            value,
        });
    }
    active.sort_unstable_by_key(|read| read.term);
    let deciders = arrays(terms, &mut model, &active);
    if active.iter().all(|read| is_plain(terms, read.term)) {
        return Ok(Step::Consistent(model));
    }
    debug_assert!(
        active.windows(2).all(|pair| pair[0].term < pair[1].term),
        "a read is one term"
    );
    let mut eval = Evaluator::new(terms, &model);
    let wrong: Vec<usize> = (0..active.len())
        .filter(|&at| eval.eval(active[at].term).as_ref() != Ok(&active[at].value))
        .collect();
    if wrong.is_empty() {
        return Ok(Step::Consistent(model));
    }
    let mut added = false;
    let mut unexplained = 0;
    let count = wrong.len();
    for at in wrong {
        budget.check()?;
        let Some(lemma) = explain(terms, &mut eval, &deciders, active[at].term) else {
            unexplained += 1;
            continue;
        };
        added |= add_lemma(procedure, terms, &active[at], &lemma, budget)?;
    }
    if !added {
        never!("a candidate model is wrong, but no lemma says why");
        return Err(Reason::Failed(format!(
            "array refinement is stuck: {count} reads are wrong, {unexplained} of them unexplained"
        )));
    }
    Ok(Step::Refined)
}

/// Symbols of bit-vector and Boolean sort, from their bits; all others have their default, so that the model
/// is complete for the roots.
fn scalars(procedure: &Procedure, side: &Side, terms: &Terms, roots: &[Term]) -> Model {
    let mut symbols: Vec<Sym> = Vec::new();
    for &root in roots {
        symbols.extend(terms.free_symbols(root).iter());
    }
    symbols.sort_unstable();
    symbols.dedup();
    let mut model = Model::new();
    for symbol in symbols {
        let term = terms.symbol_term(symbol);
        let value = assigned(procedure, side, terms, term)
            .or_else(|| terms.default_value(terms.sort(term)));
        if let Some(value) = value {
            model.set(symbol, value);
        }
    }
    model
}

/// Whether a read is of an array symbol at a constant index: such reads never contradict each other.
fn is_plain(terms: &Terms, read: Term) -> bool {
    let args = terms.args(read);
    matches!(terms.op(args[0]), Op::Symbol(_)) && terms.is_bv_const(args[1])
}

type Deciders = FastMap<(Sym, Value), Term>;

/// Array symbols, from the reads of them. Returns which read decided each element.
fn arrays(terms: &Terms, model: &mut Model, active: &[Active]) -> Deciders {
    let mut deciders = Deciders::default();
    let mut contents: FastMap<Sym, ArrayValue> = FastMap::default();
    let mut order = Vec::new();
    {
        // Indices are evaluated with every read at its assigned value.
        let mut eval = Evaluator::new(terms, model);
        for read in active {
            eval.assume(read.term, read.value.clone());
        }
        for read in active {
            let args = terms.args(read.term);
            let Op::Symbol(array) = terms.op(args[0]) else {
                continue;
            };
            let Ok(index) = eval.eval(args[1]) else {
                continue;
            };
            let content = contents.entry(array).or_insert_with(|| {
                order.push(array);
                let zero = match &read.value {
                    Value::Bv(bits) => Value::Bv(Bits::new(bits.width(), 0)),
                    _ => Value::Bool(false),
                };
                ArrayValue::filled(zero)
            });
            if let std::collections::hash_map::Entry::Vacant(slot) =
                deciders.entry((array, index.clone()))
            {
                slot.insert(read.term);
                content.set(index, read.value.clone());
            }
        }
    }
    for array in order {
        if let Some(content) = contents.remove(&array) {
            model.set(array, Value::Array(Arc::new(content)));
        }
    }
    deciders
}

/// What a read must be, and under which conditions.
struct Lemma {
    conditions: Vec<Condition>,
    equal_to: Term,
    /// Whether it mentions parts of the read only, not another read: such a lemma brings nothing foreign into a
    /// later query that makes the read.
    own: bool,
}

/// One step of a path.
enum Condition {
    /// The read's index is, or is not, this one.
    Index(Term, bool),
    /// A Boolean term is, or is not, true.
    Holds(Term, bool),
}

/// The path of a read in the candidate model. Nothing if the read decided its element itself, which then
/// differs because an index below evaluates otherwise; that read has its own lemma.
fn explain(
    terms: &Terms,
    eval: &mut Evaluator<'_>,
    deciders: &Deciders,
    read: Term,
) -> Option<Lemma> {
    let (mut array, index) = (terms.args(read)[0], terms.args(read)[1]);
    let at = eval.eval(index).ok()?;
    let small = at.as_u64();
    let mut conditions = Vec::new();
    loop {
        let args = terms.args(array);
        match terms.op(array) {
            Op::Store => {
                let same = match terms.op(args[1]) {
                    Op::Bv(place) => small == Some(place),
                    _ => eval.eval(args[1]).ok()? == at,
                };
                conditions.push(Condition::Index(args[1], same));
                if same {
                    return Some(Lemma {
                        conditions,
                        equal_to: args[2],
                        own: true,
                    });
                }
                array = args[0];
            }
            Op::Ite => {
                let holds = eval.holds(args[0]);
                conditions.push(Condition::Holds(args[0], holds));
                array = args[if holds { 1 } else { 2 }];
            }
            Op::Fill => {
                return Some(Lemma {
                    conditions,
                    equal_to: args[0],
                    own: true,
                });
            }
            Op::Table(_) => {
                let Value::Bv(bits) = &at else { return None };
                let here = terms.bits(bits);
                conditions.push(Condition::Index(here, true));
                return Some(Lemma {
                    conditions,
                    equal_to: terms.select(array, here),
                    own: true,
                });
            }
            Op::Symbol(symbol) => {
                if array != terms.args(read)[0] {
                    // Through stores to the symbol: the read is that of the symbol itself.
                    return Some(Lemma {
                        conditions,
                        equal_to: terms.select(array, index),
                        own: true,
                    });
                }
                let decider = *deciders.get(&(symbol, at))?;
                if decider == read {
                    return None;
                }
                let other = terms.args(decider)[1];
                return Some(Lemma {
                    conditions: vec![Condition::Index(other, true)],
                    equal_to: decider,
                    own: false,
                });
            }
            _ => return None,
        }
    }
}

/// Adds a lemma to the log; false if it is there already.
fn add_lemma(
    procedure: &mut Procedure,
    terms: &Terms,
    read: &Active,
    lemma: &Lemma,
    budget: &Budget,
) -> Result<bool, Reason> {
    let index = terms.args(read.term)[1];
    // An index that is one constant is no other.
    let constant = lemma.conditions.last().and_then(|last| match *last {
        Condition::Index(place, true) if terms.is_bv_const(place) => Some(place),
        _ => None,
    });
    // Built from the start of the path, so that paths of one read share their beginnings.
    let mut taken = Lit::TRUE;
    for (step, condition) in lemma.conditions.iter().enumerate() {
        if step.is_multiple_of(256) {
            budget.check()?;
        }
        if let (Some(constant), &Condition::Index(other, false)) = (constant, condition)
            && terms.is_bv_const(other)
            && other != constant
        {
            continue;
        }
        let lit = match *condition {
            Condition::Index(other, same) => {
                let lit = equal_indices(procedure, terms, other, index, budget)?;
                if same { lit } else { !lit }
            }
            Condition::Holds(term, holds) => {
                let lit = procedure.blaster.literal(terms, term, budget)?;
                if holds { lit } else { !lit }
            }
        };
        taken = procedure.blaster.gates.and(taken, lit);
    }
    procedure.blaster.translate(terms, lemma.equal_to, budget)?;
    let target = procedure.blaster.bits_of(lemma.equal_to);
    let target: Vec<Lit> = target.unwrap_or(&[]).to_vec();
    let bits = procedure.blaster.bits_of(read.term).unwrap_or(&[]).to_vec();
    debug_assert!(
        !bits.is_empty() && bits.len() == target.len(),
        "a read is equated with a word of its width"
    );
    let content = [&[taken], &bits[..], &target[..]].concat();
    let (lemmas, log) = (&mut procedure.lemmas, &mut procedure.log);
    let owner = lemma.own.then_some(read.number);
    if taken == Lit::FALSE || !lemmas.add(owner, &content, log) {
        return Ok(false);
    }
    let links = procedure.links.entry(read.number).or_default();
    links.push(taken);
    links.extend(&target);
    procedure.counters.lemmas += 1;
    Ok(true)
}

/// Whether two indices are equal, remembered: paths meet the same pairs again and again.
fn equal_indices(
    procedure: &mut Procedure,
    terms: &Terms,
    a: Term,
    b: Term,
    budget: &Budget,
) -> Result<Lit, Reason> {
    if let Some(&lit) = procedure.index_pairs.get(&(a, b)) {
        return Ok(lit);
    }
    let lit = procedure.blaster.literal(terms, terms.eq(a, b), budget)?;
    procedure.index_pairs.insert((a, b), lit);
    Ok(lit)
}
