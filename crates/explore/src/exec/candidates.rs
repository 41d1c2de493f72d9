//! Which objects a symbolic pointer may mean, before any question is asked: those whose base addresses occur in it, without those that the values
//! of its only byte rule out, the likeliest first.

use super::Executor;
use crate::address::{ADDRESS_MARK, ObjectId};
use crate::state::State;
use stet_term::Term;

impl Executor<'_> {
    /// Objects whose base address occurs in a pointer, and whether it is a summand of it beside which no other address occurs: the
    /// difference of two pointers into one object that is added to a third one may have that object's address as a summand, too.
    pub(super) fn candidates(&self, pointer: Term) -> Vec<(ObjectId, bool)> {
        let terms = &self.ctx.terms;
        let mut summands = Vec::new();
        let mut is_mixed = false;
        let mut pending = vec![pointer];
        while let Some(term) = pending.pop() {
            match terms.op(term) {
                stet_term::Op::BvAdd => pending.extend(terms.args(term)),
                stet_term::Op::Symbol(symbol) => {
                    summands.extend(self.ctx.addresses.object_of(symbol))
                }
                _ => is_mixed |= terms.marks(term) & ADDRESS_MARK != 0,
            }
        }
        if let ([object], false) = (&summands[..], is_mixed) {
            let object = *object;
            return vec![(object, true)];
        }
        let mut found = Vec::new();
        terms.post_order(&[pointer], |term| {
            if let stet_term::Op::Symbol(symbol) = terms.op(term)
                && terms.marks(term) & ADDRESS_MARK != 0
            {
                found.extend(
                    self.ctx
                        .addresses
                        .object_of(symbol)
                        .map(|object| (object, false)),
                );
            }
        });
        found
    }

    /// Leaves out objects that no possible value of the pointer's only symbol leads into: they need no question each.
    pub(super) fn leave_out_impossible(
        &mut self,
        state: &State,
        objects: &mut Vec<ObjectId>,
        pointer: Term,
        size: u64,
    ) {
        if objects.len() < 2 {
            return;
        }
        let Some(values) = self.chain.possible_values(&state.constraints, pointer) else {
            return;
        };
        objects.retain(|&object| {
            let base = self.ctx.addresses.base_of(object);
            let content = state.memory.get(object);
            let room = content.and_then(|content| content.size().checked_sub(size));
            let fits = |&value: &u64| room.is_some_and(|room| value.wrapping_sub(base) <= room);
            values.iter().any(fits)
        });
    }

    /// Puts the object first that the pointer means under the path's witness.
    pub(super) fn likeliest_first(
        &mut self,
        state: &State,
        objects: &mut [ObjectId],
        pointer: Term,
    ) {
        if objects.len() < 2 {
            return;
        }
        let Some(address) = self.chain.value(&state.constraints, pointer) else {
            return;
        };
        let found = state.memory.find(&self.ctx, address as u64);
        let position =
            found.and_then(|(found, _)| objects.iter().position(|&object| object == found));
        if let Some(position) = position {
            objects[..=position].rotate_right(1);
        }
    }
}
