//! Verdicts in the store: the cache survives the process.
//!
//! Two keys per query, as simplified. The *agnostic* key is the canonical one; under it lie unsatisfiability of address-agnostic
//! queries, values by position, or the remark that the layout matters or that nobody looked yet whether it does. The *layout* key adds the concrete
//! address of every base in canonical order; under it lie verdicts for exactly that layout.
//!
//! | in both keys | |
//! |---|---|
//! | the query | canonical key (`canon`) |
//! | engine version, solver identity | named parts |
//! | concrete addresses | layout key only |
//! | not | time limits: an answer in time is an answer, and unknown is never stored |

use super::address::AddressView;
use super::aware::{Known, by_position};
use super::canon::CanonicalQuery;
use super::context::Context;
use super::form::{Form, Parts, Question};
use super::layer::{By, Found, Layer, Subject};
use super::verdict::Verdict;
use super::witness::SymbolValue;
use std::sync::Arc;
use stet_key::{DecodeError, Decoder, Digest, Encoder, KeyBuilder, KeyParts};
use stet_store::{Entry, Outcome, Provenance, Store};

/// Changes whenever the meaning of queries or the encoding of evidence changes.
const ENGINE_VERSION: &str = "5";
const KIND: &str = "explore/query";
/// The evidence of a query that is unsatisfiable under some layout and was not judged yet.
const UNJUDGED: u8 = 1;

/// The store with what all keys have in common.
pub(crate) struct Persistence {
    store: Arc<Store>,
    solver: String,
}

impl Persistence {
    pub(crate) fn new(store: Arc<Store>, solver: String) -> Self {
        Persistence { store, solver }
    }

    fn key(&self, domain: &str, query: &CanonicalQuery) -> KeyBuilder {
        let mut builder = KeyBuilder::new(domain);
        builder.part("engine version", |e| e.str(ENGINE_VERSION));
        builder.part("solver", |e| e.str(&self.solver));
        builder.digest_part("query", query.key);
        builder
    }

    /// The key under which layouts do not matter.
    pub(crate) fn agnostic_key(&self, query: &CanonicalQuery) -> Digest {
        self.key("explore/query/agnostic", query).finish().0
    }

    /// The key of the query under the present layout.
    pub(crate) fn layout_key(&self, query: &CanonicalQuery, view: &dyn AddressView) -> Digest {
        let mut builder = self.key("explore/query/layout", query);
        let bases = query.order.iter().filter_map(|&symbol| view.object(symbol));
        let bases: Vec<u64> = bases.map(|object| object.base).collect();
        builder.part("layout", |e| e.sequence(bases, Encoder::u64));
        builder.finish().0
    }

    /// What is stored under a key; anything unreadable is a miss.
    pub(crate) fn get(&self, key: &Digest) -> Option<Known> {
        let entry = self.store.get(KIND, key)?;
        match entry.outcome {
            Outcome::Holds => Some(Known::Unsatisfiable),
            Outcome::Fails => read_values(&entry.evidence).ok().map(Known::Satisfiable),
            Outcome::Data => match entry.evidence[..] {
                [] => Some(Known::DependsOnLayout),
                [UNJUDGED] => Some(Known::Unjudged),
                _ => None,
            },
            Outcome::Unknown => None,
        }
    }

    /// Stores a verdict.
    pub(crate) fn put(&self, key: Digest, known: &Known) {
        let (outcome, evidence) = match known {
            Known::Unsatisfiable => (Outcome::Holds, Vec::new()),
            Known::Satisfiable(values) => (Outcome::Fails, write_values(values)),
            Known::DependsOnLayout => (Outcome::Data, Vec::new()),
            Known::Unjudged => (Outcome::Data, vec![UNJUDGED]),
        };
        debug_assert!(
            outcome == Outcome::Fails || evidence.len() <= 1,
            "only values are evidence of more than a mark"
        );
        self.store.put(Entry {
            key,
            kind: KIND.into(),
            subject: None,
            outcome,
            evidence,
            provenance: Provenance::now("explore", ENGINE_VERSION, &self.solver),
            parts: KeyParts::default(),
        });
    }
}

/// The layer: nothing without a store, or if no query cache is wanted.
pub(super) struct StoreLayer {
    pub(super) persistence: Option<Persistence>,
    pub(super) is_on: bool,
}

impl StoreLayer {
    fn look(&mut self, context: &mut Context, question: &mut Question<'_>) -> Option<Verdict> {
        let persistence = self.persistence.as_ref()?;
        let form = question.form.as_ref()?;
        let key = form.key.as_ref()?;
        let agnostic = persistence.agnostic_key(key);
        if question.portable
            && let Some(known) = persistence.get(&agnostic)
        {
            let (verdict, judged) = context.certified(form, &known);
            if let Some(judged) = &judged {
                persistence.put(agnostic, judged);
            }
            question.judged = judged;
            if verdict.is_some() {
                return verdict;
            }
        }
        debug_assert!(
            form.terms.is_sorted(),
            "the form that is looked up is the one that was keyed"
        );
        let known = persistence.get(&persistence.layout_key(key, &*context.view))?;
        let (verdict, judged) = context.certified(form, &known);
        question.judged = judged.or(question.judged.take());
        verdict
    }
}

impl Layer for StoreLayer {
    fn applies(&self, _: &mut Context, _: &mut Question<'_>) -> bool {
        self.is_on && self.persistence.is_some()
    }

    fn ask(&mut self, context: &mut Context, question: &mut Question<'_>) -> Option<Found> {
        let mut form = match question.form.take() {
            Some(form) => form,
            None => {
                let parts = Parts::of(context, question.set, question.path);
                Form::whole(question.set, parts)
            }
        };
        if form.key.is_none() {
            form.key = context.key_of(&form.parts);
        }
        question.form = Some(form);
        Some(Found {
            verdict: self.look(context, question)?,
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
        let (Some(persistence), Some(query)) = (&self.persistence, question.key()) else {
            return;
        };
        let own = match verdict {
            _ if by != By::Solver => return,
            Verdict::Unknown => return,
            Verdict::Unsat => Known::Unsatisfiable,
            Verdict::Sat(witness) => Known::Satisfiable(by_position(query, witness)),
        };
        let here = || persistence.layout_key(query, &*context.view);
        match &question.kept {
            Some(known @ (Known::DependsOnLayout | Known::Unjudged)) => {
                persistence.put(persistence.agnostic_key(query), known);
                persistence.put(here(), &own);
            }
            Some(known) => persistence.put(persistence.agnostic_key(query), known),
            None => persistence.put(here(), &own),
        }
    }
}

fn write_values(values: &[(u32, SymbolValue)]) -> Vec<u8> {
    let mut e = Encoder::new();
    e.sequence(values, |e, (position, value)| {
        e.u32(*position);
        match value {
            SymbolValue::Word(word) => {
                e.u8(0);
                e.u64(*word);
            }
            SymbolValue::Array { entries, default } => {
                e.u8(1);
                e.u64(*default);
                e.sequence(entries.iter(), |e, (index, element)| {
                    e.u64(*index);
                    e.u64(*element);
                });
            }
        }
    });
    e.bytes().to_vec()
}

fn read_values(bytes: &[u8]) -> Result<Vec<(u32, SymbolValue)>, DecodeError> {
    let mut d = Decoder::new(bytes);
    let values = d.sequence(|d| {
        let position = d.u32()?;
        let value = match d.u8()? {
            0 => SymbolValue::Word(d.u64()?),
            1 => {
                let default = d.u64()?;
                let entries = d.sequence(|d| Ok((d.u64()?, d.u64()?)))?;
                SymbolValue::Array {
                    entries: entries.into(),
                    default,
                }
            }
            _ => return Err(DecodeError::OutOfRange),
        };
        Ok((position, value))
    })?;
    d.finish()?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip_and_damage_is_an_error() {
        let values = vec![
            (0, SymbolValue::Word(7)),
            (
                3,
                SymbolValue::Array {
                    entries: vec![(1, 2), (9, 255)].into(),
                    default: 4,
                },
            ),
        ];
        let bytes = write_values(&values);
        assert_eq!(read_values(&bytes), Ok(values));
        for end in 0..bytes.len() {
            assert!(read_values(&bytes[..end]).is_err(), "{end}");
        }
    }
}
