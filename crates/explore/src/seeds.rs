//! Seeds: inputs whose paths are explored first.
//!
//! A seed gives bytes to symbolic objects, by their order or by their names; what it says nothing about is *free*. A state carries the
//! seeds that satisfy its constraints, each with values for all symbols made so far. `extend` gives a new object its bytes, `keep`
//! drops seeds that a constraint excludes (after trying other values of what is free), `value` fixes a symbolic value as a seed does.
//!
//! **Invariant:** a seed of a state satisfies all of the state's constraints. Seeds change the order of exploration only; with
//! [`SeedUse::Only`] and [`SeedUse::UntilDone`] the paths that are not explored are in the list of what was left out.

use crate::exec::Executor;
use crate::query::{Evaluation, Purpose, SymbolValue, Witness};
use crate::report::TestObject;
use crate::state::State;
use std::rc::Rc;
use stet_term::{Op, Term};

/// What happens to paths that no seed takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeedUse {
    /// They are explored after those of seeds.
    First,
    /// They wait, and are left out when the paths of all seeds have ended.
    UntilDone,
    /// They are left out at once.
    Only,
}

/// Inputs to begin with.
#[derive(Clone, Debug)]
pub struct Seeds {
    /// The objects of each seed.
    pub inputs: Vec<Vec<TestObject>>,
    /// Objects are found by name, and those without an entry are free; otherwise by the order in which the program makes them.
    pub by_name: bool,
    /// Missing bytes and objects are zero or free.
    pub extend: bool,
    /// Bytes that are too many are not used.
    pub truncate: bool,
    /// What happens to other paths.
    pub usage: SeedUse,
}

impl Seeds {
    /// The bytes for an object; `Ok(None)` if it is free.
    fn bytes(
        &self,
        input: usize,
        position: usize,
        name: &str,
        size: usize,
    ) -> Result<Option<Vec<u8>>, String> {
        let objects = &self.inputs[input];
        let found = match self.by_name {
            true => objects.iter().find(|object| object.name == name),
            false => objects.get(position),
        };
        let Some(object) = found else {
            return match self.by_name || self.extend {
                true => Ok(None),
                false => Err(format!("a seed has no bytes for the object `{name}`")),
            };
        };
        let mut bytes = object.bytes.clone();
        if bytes.len() < size && !self.extend || bytes.len() > size && !self.truncate {
            return Err(format!(
                "a seed has {} bytes for the object `{name}` of {size}",
                bytes.len()
            ));
        }
        bytes.resize(size, 0);
        Ok(Some(bytes))
    }
}

/// A seed on its way along a path.
#[derive(Clone)]
pub(crate) struct SeedPath {
    input: usize,
    values: Rc<Witness>,
    /// That the bytes which the seed gives have their values.
    given: Vec<Term>,
    is_free: bool,
}

/// The seeds of the first state.
pub(crate) fn all(seeds: Option<&Seeds>) -> Vec<SeedPath> {
    let count = seeds.map_or(0, |seeds| seeds.inputs.len());
    let seed = |input| SeedPath {
        input,
        values: Rc::new(Witness::default()),
        given: Vec::new(),
        is_free: false,
    };
    (0..count).map(seed).collect()
}

/// Gives the symbolic object made last its bytes.
pub(crate) fn extend(executor: &mut Executor<'_>, state: &mut State, name: &str, symbols: &[Term]) {
    let Some(seeds) = executor.settings.seeds.clone() else {
        return;
    };
    let position = state.symbolics.newest_first().count().saturating_sub(1);
    let mut kept = Vec::new();
    for mut seed in std::mem::take(&mut state.seeds) {
        match seeds.bytes(seed.input, position, name, symbols.len()) {
            Ok(Some(bytes)) => {
                give(executor, &mut seed, symbols, &bytes);
                kept.push(seed);
            }
            Ok(None) => {
                seed.is_free = true;
                kept.push(seed);
            }
            Err(why) => executor.warn_once(format!("{why}; the seed is not used")),
        }
    }
    state.seeds = kept;
}

fn give(executor: &Executor<'_>, seed: &mut SeedPath, symbols: &[Term], bytes: &[u8]) {
    let terms = &executor.ctx.terms;
    let mut values = Vec::new();
    for (&symbol, &byte) in symbols.iter().zip(bytes) {
        if let Op::Symbol(name) = terms.op(symbol) {
            values.push((name, SymbolValue::Word(u64::from(byte))));
            seed.given
                .push(terms.eq(symbol, terms.bv(8, u64::from(byte))));
        }
    }
    let new = Witness::new(values);
    seed.values = Rc::new(Witness::union([&new, &*seed.values]));
}

/// Drops the seeds of a state that a condition, which is among its constraints already, excludes.
pub(crate) fn keep(executor: &mut Executor<'_>, state: &mut State, condition: Term) {
    let mut kept = Vec::new();
    for seed in std::mem::take(&mut state.seeds) {
        if evaluate(executor, &seed, condition) == Some(1) {
            kept.push(seed);
        } else if seed.is_free
            && let Some(seed) = with_other_values(executor, state, seed)
        {
            kept.push(seed);
        }
    }
    state.seeds = kept;
}

fn evaluate(executor: &Executor<'_>, seed: &SeedPath, term: Term) -> Option<u128> {
    let ctx = &executor.ctx;
    Evaluation::new(&ctx.terms, &*ctx.addresses, &seed.values).value(term)
}

/// The seed with values of what is free that satisfy the state's constraints, if there are some.
fn with_other_values(
    executor: &mut Executor<'_>,
    state: &State,
    mut seed: SeedPath,
) -> Option<SeedPath> {
    let given = executor.ctx.terms.and(&seed.given);
    let path = &state.constraints;
    let possible = executor
        .chain
        .may_be_true(path, given, Purpose::Program)
        .unwrap_or(false);
    if !possible {
        return None;
    }
    let mut path = path.clone();
    executor.chain.assume(&mut path, given);
    let model = executor.chain.model(&path)?;
    let found = Witness::of_model(&model)?;
    // bytes that no constraint mentions are not in the model
    let values = Witness::union([&found, &*seed.values]);
    let holds = Evaluation::new(&executor.ctx.terms, &*executor.ctx.addresses, &values)
        .value(given)
        == Some(1);
    seed.values = Rc::new(values);
    holds.then_some(seed)
}

/// What the first seed of a state says about an expression.
pub(crate) fn value(executor: &Executor<'_>, state: &State, term: Term) -> Option<u128> {
    evaluate(executor, state.seeds.first()?, term)
}
