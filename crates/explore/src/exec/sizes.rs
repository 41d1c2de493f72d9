//! Sizes of objects that are symbolic: small ones are all followed, others are fixed to one value.

use super::{Executor, Step};
use crate::query::Truth;
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;

/// Sizes below this are followed one by one.
pub(crate) const MANY_SIZES: u64 = 4096;

impl Executor<'_> {
    /// As [`concrete`](Self::concrete), for the size of an object: KLEE reports the sizes that are not followed as an error.
    pub(crate) fn concrete_size(
        &mut self,
        state: &mut State,
        value: &Value,
        width: u32,
        what: &str,
    ) -> Step<u128> {
        let before = self.settings.klee.klee_words.then(|| state.clone());
        let number = self.concrete(state, value, width, what)?;
        if let (Some(before), Value::Sym(_)) = (before, value) {
            let term = self.ctx.bits_term(value, width);
            let constant = self.ctx.wide_term(number, self.ctx.terms.width(term));
            let others = self.ctx.terms.not(self.ctx.terms.eq(term, constant));
            if self.truth(&before, others)? == Truth::Both {
                let message = "concretized symbolic size";
                self.report_fork(&before, others, ErrorKind::Model, message);
            }
        }
        Ok(number)
    }

    /// A number of bytes that is followed for each of its values where it is surely small, as far as Stet's own ways go.
    pub(crate) fn byte_count(&mut self, state: &mut State, value: &Value, what: &str) -> Step<u64> {
        if let Value::Sym(term) = value
            && !self.settings.klee.klee_words
        {
            let terms = &self.ctx.terms;
            let small = terms.bv_ult(*term, terms.bv(64, MANY_SIZES));
            if self.truth(state, small)? == Truth::True {
                return self.enumerate(state, value, 64);
            }
        }
        Ok(self.concrete(state, value, 64, what)? as u64)
    }

    /// How many elements of `size` bytes a stack object has. Where it is surely small, every number is followed.
    pub(super) fn stack_count(
        &mut self,
        state: &mut State,
        value: &Value,
        width: u32,
        size: u64,
    ) -> Step<u128> {
        let what = "the size of a stack object";
        let most = MANY_SIZES / size.max(1);
        if !matches!(value, Value::Sym(_)) || self.settings.klee.klee_words || width > 64 {
            return self.concrete_size(state, value, width, what);
        }
        let terms = self.ctx.terms.clone();
        let term = terms.zero_resize(self.ctx.bits_term(value, width), 64);
        let small = terms.bv_ult(term, terms.bv(64, most));
        match self.truth(state, small)? {
            Truth::True => Ok(u128::from(self.enumerate(state, value, width)?)),
            _ => self.concrete_size(state, value, width, what),
        }
    }
}
