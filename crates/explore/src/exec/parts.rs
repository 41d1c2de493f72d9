//! Splitting of large objects (`--split-objects`): an access at a symbolic offset of a large object is followed in one state for each part of the object
//! that it can be in, so that only the bytes of that part are in queries.
//!
//! An access that can cross from one part into another, or be in very many parts, is one to the whole object. Which parts are possible
//! depends on the path only, so states are the same whatever was cached.

use super::access::Place;
use super::{Executor, Step};
use crate::object::parts::{Part, Reach};
use crate::query::Purpose;
use crate::state::State;
use stet_term::Term;

/// The most parts that one access is followed into.
const MOST_PARTS: usize = 256;

impl Executor<'_> {
    /// The place with the only part it can reach; other possible parts are followed in new states.
    pub(super) fn in_one_part(
        &mut self,
        state: &mut State,
        place: Place,
        size: u64,
    ) -> Step<Place> {
        let (Some(_), Place::Within(holder, offset, _)) = (self.settings.split, place) else {
            return Ok(place);
        };
        let Some(possible) = self.possible_parts(state, place, size)? else {
            return Ok(place);
        };
        let Some((&(first, condition), others)) = possible.split_first() else {
            return Ok(place);
        };
        for &(_, condition) in others {
            if let Some(other) = self.fork(state, condition) {
                self.spawned.push(other);
            }
        }
        if !others.is_empty() {
            self.assume(state, condition);
            state.depth += 1;
        }
        Ok(Place::Within(holder, offset, Reach::In(first)))
    }

    /// The parts that an access can be in, in their order, with their conditions; nothing if it is one to the whole object.
    fn possible_parts(
        &mut self,
        state: &State,
        place: Place,
        size: u64,
    ) -> Step<Option<Vec<(Part, Term)>>> {
        let (Some(split), Place::Within(holder, offset, _)) = (self.settings.split, place) else {
            return Ok(None);
        };
        let content = state.memory.get(holder);
        let Some(content) = content.filter(|content| content.can_be_split()) else {
            return Ok(None);
        };
        let total = content.held();
        if total <= split.threshold || size == 0 {
            return Ok(None);
        }
        let terms = self.ctx.terms.clone();
        let mut possible: Vec<(Part, Term)> = Vec::new();
        let mut left = state.constraints.clone();
        loop {
            let Some(at) = self.chain.value(&left, offset) else {
                return self.undecided();
            };
            let part = split.part_of(total, at as u64);
            // it must fit at that offset, too: else it crosses
            let Some(part) = part.filter(|part| part.holds(at as u64, size)) else {
                return Ok(None);
            };
            let room = terms.bv(64, part.len - size + 1);
            let inside = terms.bv_ult(part.offset_of(&terms, offset), room);
            possible.push((part, inside));
            let outside = terms.not(inside);
            match self.chain.may_be_true(&left, outside, Purpose::Program) {
                Some(true) if possible.len() == MOST_PARTS => return Ok(None),
                Some(true) => self.chain.assume(&mut left, outside),
                Some(false) => break,
                None => return self.undecided(),
            }
        }
        possible.sort_by_key(|(part, _)| part.begin);
        Ok(Some(possible))
    }
}
