//! The address-aware cache [AAQC §III-B]: verdicts by canonical key.
//!
//! An entry holds values by *position* in the canonical query, so translating a witness through the
//! bijection is reading them with the positions of the present query.

use super::address::mentions_address;
use super::canon::{CanonicalQuery, Naming};
use super::context::Context;
use super::form::{Form, Parts, Question};
use super::layer::{By, Found, Layer, Subject};
use super::verdict::Verdict;
use super::witness::{SymbolValue, Witness};
use stet_base::FastMap;
use stet_key::Digest;
use stet_term::Term;

/// What is known about all queries with one key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// Satisfiable once, with these values by position; to be certified under the present layout.
    Satisfiable(Vec<(u32, SymbolValue)>),
    /// Unsatisfiable under every layout.
    Unsatisfiable,
    /// Unsatisfiable under some layout; whether under every layout is judged when it is asked under another one.
    Unjudged,
    /// Unsatisfiable under some layout, for reasons that may not hold under another.
    DependsOnLayout,
}

/// The layer: entries by canonical key.
pub(super) struct AwareCache {
    entries: FastMap<Digest, Known>,
    /// Whether queries without addresses are looked up by canonical key, too.
    naming: Naming,
    /// Whether an agnostic query that changed its verdict is looked for: a defect.
    is_checked: bool,
}

impl AwareCache {
    pub(super) fn new(naming: Naming, is_checked: bool) -> Self {
        AwareCache {
            entries: FastMap::default(),
            naming,
            is_checked,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Keeps what certification found out about an entry.
    pub(super) fn learn(&mut self, question: &mut Question<'_>) {
        if let Some(known) = question.judged.take()
            && let Some(key) = question.key()
        {
            self.entries.insert(key.key, known);
        }
    }

    /// What to keep of a form that is unsatisfiable under the present layout. Whether it is so under every layout is looked at
    /// when it comes again under another one: most never do.
    fn unsatisfiable_here(&self, context: &mut Context, form: &Form, key: &Digest) -> Known {
        debug_assert!(
            form.key.as_ref().is_some_and(|query| query.key == *key),
            "the key of this form"
        );
        match self.entries.get(key) {
            _ if !form.parts.is_about_addresses(context) => Known::Unsatisfiable,
            Some(Known::DependsOnLayout) => Known::DependsOnLayout,
            Some(Known::Unsatisfiable) => Known::Unsatisfiable,
            Some(Known::Satisfiable(_)) => {
                if self.is_checked && context.is_agnostic(form) {
                    stet_base::never!("an agnostic query changed its verdict: {key:?}");
                }
                Known::DependsOnLayout
            }
            Some(Known::Unjudged) | None => Known::Unjudged,
        }
    }
}

impl Layer for AwareCache {
    fn applies(&self, context: &mut Context, question: &mut Question<'_>) -> bool {
        if !question.portable {
            return false;
        }
        let form = question.form.get_or_insert_with(|| {
            let parts = Parts::of(context, question.set, question.path);
            Form::whole(question.set, parts)
        });
        let mentions = |&term: &Term| mentions_address(&context.terms, term);
        if self.naming == Naming::Renamed || form.terms.iter().any(mentions) {
            form.key = context.key_of(&form.parts);
        }
        form.key.is_some()
    }

    fn ask(&mut self, context: &mut Context, question: &mut Question<'_>) -> Option<Found> {
        let known = self.entries.get(&question.key()?.key)?.clone();
        let (verdict, judged) = context.certified(question.form.as_ref()?, &known);
        question.judged = judged;
        Some(Found {
            verdict: verdict?,
            about: Subject::Form,
        })
    }

    fn tell(
        &mut self,
        context: &mut Context,
        question: &mut Question<'_>,
        verdict: &Verdict,
        by: By,
    ) {
        if by <= By::Aware || !question.portable {
            return;
        }
        let Some(form) = &question.form else { return };
        let Some(query) = &form.key else { return };
        let known = match verdict {
            Verdict::Sat(witness) => Known::Satisfiable(by_position(query, witness)),
            _ => self.unsatisfiable_here(context, form, &query.key),
        };
        self.entries.insert(query.key, known.clone());
        question.kept = Some(known);
    }
}

/// The values of a witness by position.
pub(super) fn by_position(query: &CanonicalQuery, witness: &Witness) -> Vec<(u32, SymbolValue)> {
    let value = |(position, symbol)| Some((position, witness.get(symbol)?.clone()));
    (0..)
        .zip(query.order.iter().copied())
        .filter_map(value)
        .collect()
}

/// The witness with values at the positions of another query.
pub(super) fn translated(query: &CanonicalQuery, values: &[(u32, SymbolValue)]) -> Witness {
    let value = |(position, value): &(u32, SymbolValue)| {
        let symbol = query.order.get(*position as usize)?;
        Some((*symbol, value.clone()))
    };
    debug_assert!(
        values.windows(2).all(|pair| pair[0].0 < pair[1].0),
        "a position has one value"
    );
    Witness::new(values.iter().filter_map(value).collect())
}
