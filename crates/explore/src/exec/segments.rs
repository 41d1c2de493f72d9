//! The segmented memory model [AAQC §VI]: a pointer into several objects is followed in one state, in which these objects are one
//! segment.
//!
//! A structured pointer (a choice between base addresses, plus an index) needs one question without addresses: is each
//! choice in bounds of its own object? If so, the access is the same choice between offsets of the segment. Every
//! other pointer is resolved as in the forking model, by addresses, up to the point where that model would fork; what
//! it reports is reported here too.
//!
//! Objects are followed in states of their own if their segment would be too large, or if one of them may not be
//! written: that is an error of some paths only.

use super::access::Place;
use super::{Executor, Step};
use crate::address::ObjectId;
use crate::object::parts::Reach;
use crate::object::{Kind, Object};
use crate::offsets::{Leaf, Structured};
use crate::query::address::offset_from;
use crate::report::ErrorKind;
use crate::state::State;
use stet_term::Term;

impl Executor<'_> {
    /// Resolves a structured pointer that surely is in bounds; `None` if it is not structured, may be out of bounds, or means one
    /// object only.
    pub(super) fn resolve_structured(
        &mut self,
        state: &mut State,
        pointer: Term,
        size: u64,
        write: bool,
    ) -> Step<Option<Place>> {
        let Some(structured) = Structured::new(&self.ctx, pointer) else {
            return Ok(None);
        };
        let objects = structured.objects(&self.ctx);
        if objects.len() < 2 || !self.is_in_bounds(state, &structured, size, write)? {
            return Ok(None);
        }
        let mut possible = objects;
        let holder = possible.first().map(|&object| state.memory.holder(object));
        let together = possible
            .iter()
            .all(|&object| Some(state.memory.holder(object)) == holder);
        if !together {
            possible = self.possible_objects(state, &structured, &possible)?;
        }
        if let [object] = possible[..] {
            let offset = self.structured_offset(state, &structured, &[object], object);
            return Ok(offset.map(|offset| self.place(object, offset)));
        }
        let Some(segment) = self.merge(state, &possible) else {
            return Ok(None);
        };
        let offset = self.structured_offset(state, &structured, &possible, segment);
        Ok(offset.map(|offset| self.place(segment, offset)))
    }

    fn place(&self, object: ObjectId, offset: Term) -> Place {
        match self.ctx.terms.as_u64(offset) {
            Some(offset) => Place::At(object, offset),
            None => Place::Within(object, offset, Reach::Whole),
        }
    }

    /// Whether an access surely lies in the object that its own choice names. Objects that are no longer alive, and those that may not
    /// be written, have no bounds here: the caller finds out what is wrong.
    fn is_in_bounds(
        &mut self,
        state: &State,
        structured: &Structured,
        size: u64,
        write: bool,
    ) -> Step<bool> {
        let terms = self.ctx.terms.clone();
        let usable = |object: &&Object| {
            object.kind != Kind::Function && object.size() >= size && (object.writable || !write)
        };
        let fits = structured.map(&self.ctx, |leaf| {
            let Leaf::In(object, at) = leaf else {
                return Some(Term::FALSE);
            };
            Some(match state.memory.get(object).filter(usable) {
                Some(object) => {
                    let offset = terms.bv_add(structured.rest, terms.bv(64, at));
                    terms.bv_ult(offset, terms.bv(64, object.size() - size + 1))
                }
                None => Term::FALSE,
            })
        });
        match fits {
            None => Ok(false),
            Some(fits) => Ok(!self.may(state, terms.not(fits))?),
        }
    }

    /// The objects that a pointer can name on a path.
    fn possible_objects(
        &mut self,
        state: &State,
        structured: &Structured,
        objects: &[ObjectId],
    ) -> Step<Vec<ObjectId>> {
        let terms = self.ctx.terms.clone();
        let mut possible = Vec::with_capacity(objects.len());
        for &object in objects {
            let named = structured.map(&self.ctx, |leaf| {
                Some(terms.bool(matches!(leaf, Leaf::In(other, _) if other == object)))
            });
            if self.may(state, named.unwrap_or(Term::TRUE))? {
                possible.push(object);
            }
        }
        Ok(possible)
    }

    /// A structured pointer that surely is in bounds of one of these objects, as an offset in what holds them: `holder` is one of the
    /// objects, or their segment.
    fn structured_offset(
        &self,
        state: &State,
        structured: &Structured,
        objects: &[ObjectId],
        holder: ObjectId,
    ) -> Option<Term> {
        let terms = &self.ctx.terms;
        let tree = structured.map(&self.ctx, |leaf| match leaf {
            Leaf::In(object, at) if objects.contains(&object) => {
                let begin = match object == holder {
                    true => 0,
                    false => state.memory.home(object, 0).1,
                };
                Some(terms.bv(64, at.wrapping_add(begin)))
            }
            _ => None,
        });
        Some(terms.bv_add(tree?, structured.rest))
    }

    /// Makes one segment of live objects, or finds the one they are in.
    fn merge(&mut self, state: &mut State, objects: &[ObjectId]) -> Option<ObjectId> {
        let first = state.memory.holder(*objects.first()?);
        if objects
            .iter()
            .all(|&object| state.memory.holder(object) == first)
        {
            return Some(first);
        }
        let policy = (self.settings.allocator, &self.shared);
        let merged = state
            .memory
            .merge(&self.ctx, policy, objects, self.settings.memory);
        self.merged += u64::from(merged.is_some());
        merged
    }

    /// Goes on in one state with a pointer that is in one of several objects, under these conditions; `None` if they cannot be merged. What
    /// is in none of them was reported before.
    pub(super) fn resolve_merged(
        &mut self,
        state: &mut State,
        possible: &mut Vec<(ObjectId, Term)>,
        pointer: Term,
        size: u64,
        write: bool,
    ) -> Step<Option<Place>> {
        if write {
            self.report_read_only(state, possible);
        }
        if possible.len() < 2 {
            return Ok(None);
        }
        let objects: Vec<ObjectId> = possible.iter().map(|(object, _)| *object).collect();
        let Some(segment) = self.merge(state, &objects) else {
            return Ok(None);
        };
        let terms = self.ctx.terms.clone();
        let conditions: Vec<Term> = possible.iter().map(|(_, fits)| *fits).collect();
        self.assume(state, terms.or(&conditions));
        if let Some(structured) = Structured::new(&self.ctx, pointer)
            && self.is_in_bounds(state, &structured, size, write)?
            && let Some(offset) = self.structured_offset(state, &structured, &objects, segment)
        {
            return Ok(Some(self.place(segment, offset)));
        }
        // by addresses: the offset in the object that the pointer is in
        let mut offset = terms.bv(64, 0);
        for (k, &(object, fits)) in possible.iter().enumerate().rev() {
            let base = self.ctx.addresses.symbol(&terms, object);
            let begin = terms.bv(64, state.memory.home(object, 0).1);
            let here = terms.bv_add(offset_from(&terms, pointer, base), begin);
            offset = match k + 1 == possible.len() {
                true => here,
                false => terms.ite(fits, here, offset),
            };
        }
        Ok(Some(self.place(segment, offset)))
    }

    /// What an access that is in no object is outside of: the first object that its pointer can name under a condition. In the forking model
    /// an earlier fork would have told.
    pub(super) fn outside_of(
        &mut self,
        state: &State,
        condition: Term,
        pointer: Term,
        size: u64,
    ) -> Option<String> {
        let structured = Structured::new(&self.ctx, pointer)?;
        let mut left = state.constraints.clone();
        self.chain.assume(&mut left, condition);
        let terms = self.ctx.terms.clone();
        for object in structured.objects(&self.ctx) {
            let named = structured.map(&self.ctx, |leaf| {
                Some(terms.bool(matches!(leaf, Leaf::In(other, _) if other == object)))
            });
            let may = self
                .chain
                .may_be_true(&left, named?, crate::query::Purpose::Program);
            if may == Some(true)
                && let Some(content) = state.memory.get(object)
            {
                let described = self.describe(object, content);
                return Some(format!(
                    "access of {size} bytes may lie outside of {described}"
                ));
            }
        }
        None
    }

    /// Reports a write to the read-only ones of several possible objects, and goes on without these.
    fn report_read_only(&mut self, state: &mut State, possible: &mut Vec<(ObjectId, Term)>) {
        let is_writable = |state: &State, object: ObjectId| {
            let content = state.memory.get(object);
            content.is_some_and(|content| content.writable)
        };
        let (writable, fixed): (Vec<_>, Vec<_>) = possible
            .iter()
            .copied()
            .partition(|&(object, _)| is_writable(state, object));
        if fixed.is_empty() || writable.is_empty() {
            return;
        }
        let terms = self.ctx.terms.clone();
        let conditions: Vec<Term> = fixed.iter().map(|(_, fits)| *fits).collect();
        let bad = terms.or(&conditions);
        self.report_fork(state, bad, ErrorKind::ReadOnly, super::access::READ_ONLY);
        self.assume(state, terms.not(bad));
        *possible = writable;
    }
}
