//! Quantifiers with patterns. Bound variables are symbols made by [`Terms::bound`].

use crate::side::{QuantShape, Quantifier};
use crate::{Op, Sort, Term, Terms};

impl Terms {
    /// `forall bound. body`; the body alone if nothing is bound.
    pub fn forall(&self, bound: &[Term], body: Term, info: &Quantifier) -> Term {
        self.quantify(bound, body, info, Op::Forall)
    }

    /// `exists bound. body`; the body alone if nothing is bound.
    pub fn exists(&self, bound: &[Term], body: Term, info: &Quantifier) -> Term {
        self.quantify(bound, body, info, Op::Exists)
    }

    fn quantify(
        &self,
        bound: &[Term],
        body: Term,
        info: &Quantifier,
        op: fn(crate::QuantId) -> Op,
    ) -> Term {
        debug_assert_eq!(self.sort(body), Sort::BOOL);
        debug_assert_eq!(self.bound_symbols(bound).len(), bound.len());
        if bound.is_empty() {
            return body;
        }
        let shape = QuantShape {
            bound: bound.len(),
            patterns: info.patterns.iter().map(Vec::len).collect(),
            no_patterns: info.no_patterns.len(),
            weight: info.weight,
            qid: info.qid.clone(),
            skolem_id: info.skolem_id.clone(),
        };
        let mut args = bound.to_vec();
        args.push(body);
        args.extend(info.patterns.iter().flatten());
        args.extend(&info.no_patterns);
        let id = self.sides.quant(shape);
        self.intern(op(id), &args, Sort::BOOL)
    }

    /// The bound variables, the body and the rest of a quantifier.
    pub fn quantifier(&self, term: Term) -> Option<(&[Term], Term, Quantifier)> {
        let (Op::Forall(id) | Op::Exists(id)) = self.op(term) else {
            return None;
        };
        let shape = self.quant_shape(id);
        let args = self.args(term);
        let (bound, rest) = args.split_at(shape.bound);
        let mut terms = rest[1..].iter().copied();
        let patterns = shape
            .patterns
            .iter()
            .map(|&len| terms.by_ref().take(len).collect())
            .collect();
        let info = Quantifier {
            patterns,
            no_patterns: terms.collect(),
            weight: shape.weight,
            qid: shape.qid.clone(),
            skolem_id: shape.skolem_id.clone(),
        };
        Some((bound, rest[0], info))
    }
}
