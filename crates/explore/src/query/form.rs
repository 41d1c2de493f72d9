//! A query as it travels through the layers: the constraints asked about, and the form in which they are looked up.

use super::address::mentions_address;
use super::aware::Known;
use super::canon::CanonicalQuery;
use super::constraints::Slice;
use super::context::Context;
use stet_solve::Values;
use stet_term::{Sym, Term};

/// A query on its way.
pub(super) struct Question<'a> {
    /// The constraints, sorted.
    pub(super) set: &'a [Term],
    /// The path they come from.
    pub(super) path: Option<&'a Slice>,
    /// Whether answers for other layouts may be used.
    pub(super) portable: bool,
    /// How it is looked up; nothing if only by its constraints.
    pub(super) form: Option<Form>,
    /// What certification found out about the key, for the address-aware cache.
    pub(super) judged: Option<Known>,
    /// What the address-aware cache made of the verdict.
    pub(super) kept: Option<Known>,
}

impl<'a> Question<'a> {
    pub(super) fn new(set: &'a [Term], path: Option<&'a Slice>, portable: bool) -> Self {
        debug_assert!(set.is_sorted(), "sets of constraints are sorted");
        Question {
            set,
            path,
            portable,
            form: None,
            judged: None,
            kept: None,
        }
    }

    /// The canonical key of the form, if it has one.
    pub(super) fn key(&self) -> Option<&CanonicalQuery> {
        self.form.as_ref()?.key.as_ref()
    }

    /// The sets of constraints that a verdict is kept for.
    pub(super) fn sets(&self, by: super::layer::By) -> impl Iterator<Item = &[Term]> {
        let simple = self.form.as_ref().filter(|form| {
            let is_later = by > super::layer::By::Aware;
            form.is_narrowed && is_later
        });
        std::iter::once(self.set).chain(simple.map(|form| &form.terms[..]))
    }
}

/// A query in two parts: what is in a key as terms, and what by the values it allows.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) required: Vec<Term>,
    pub(super) given: Vec<Term>,
    pub(super) domains: Vec<(Sym, Values)>,
    /// Those of the required constraints that are the question, not the path.
    pub(super) asked: Vec<Term>,
    /// Symbols whose values the question restricts.
    pub(super) asked_symbols: Vec<Sym>,
}

impl Parts {
    /// Constraints of the path over one small symbol, and such of the question that mention no address, are in the key by
    /// values: paths that came to the same values in different ways ask the same.
    pub(super) fn of(context: &mut Context, set: &[Term], path: Option<&Slice>) -> Parts {
        let mut parts = Parts {
            required: Vec::with_capacity(set.len()),
            given: Vec::new(),
            domains: Vec::new(),
            asked: Vec::new(),
            asked_symbols: Vec::new(),
        };
        for &constraint in set {
            let on_path = path.is_some_and(|path| path.contains(constraint));
            let allowed = match on_path || !mentions_address(&context.terms, constraint) {
                true => context.allowed_by(constraint),
                false => None,
            };
            match allowed {
                Some((symbol, values)) => {
                    parts.restrict(symbol, &values);
                    parts.given.push(constraint);
                    if !on_path {
                        parts.asked_symbols.push(symbol);
                    }
                }
                None => {
                    parts.required.push(constraint);
                    if !on_path {
                        parts.asked.push(constraint);
                    }
                }
            }
        }
        parts
    }

    /// Leaves a symbol only some values; whether there are any.
    pub(super) fn restrict(&mut self, symbol: Sym, values: &Values) -> bool {
        let known = match self.domains.iter().position(|(known, _)| *known == symbol) {
            Some(at) => &mut self.domains[at].1,
            None => {
                self.domains.push((symbol, *values));
                return values.iter().any(|word| *word != 0);
            }
        };
        *known = std::array::from_fn(|i| known[i] & values[i]);
        known.iter().any(|word| *word != 0)
    }

    /// Whether nothing of the question is among these constraints and the allowed values: then the path satisfies them.
    pub(super) fn is_path_only(&self, part: &[Term]) -> bool {
        self.asked_symbols.is_empty() && !part.iter().any(|term| self.asked.contains(term))
    }

    /// Whether the required constraints mention a base address.
    pub(super) fn is_about_addresses(&self, context: &Context) -> bool {
        let mut required = self.required.iter();
        required.any(|&term| mentions_address(&context.terms, term))
    }
}

/// A query as it is looked up and solved.
pub(super) struct Form {
    /// The constraints, sorted: those of the query, or what simplification left of them.
    pub(super) terms: Vec<Term>,
    /// Whether it did: then the path's witness completes one of these.
    pub(super) is_narrowed: bool,
    pub(super) parts: Parts,
    pub(super) key: Option<CanonicalQuery>,
}

impl Form {
    pub(super) fn whole(set: &[Term], parts: Parts) -> Self {
        debug_assert_eq!(
            parts.required.len() + parts.given.len(),
            set.len(),
            "every constraint is in a key as a term or by the values it allows"
        );
        Form {
            terms: set.to_vec(),
            is_narrowed: false,
            parts,
            key: None,
        }
    }

    pub(super) fn left(parts: Parts) -> Self {
        let mut terms: Vec<Term> = parts.required.iter().chain(&parts.given).copied().collect();
        terms.sort_unstable();
        terms.dedup();
        Form {
            terms,
            is_narrowed: true,
            parts,
            key: None,
        }
    }
}
