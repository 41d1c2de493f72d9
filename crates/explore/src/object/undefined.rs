//! Objects some bytes of which were never written (`unwritten` has the bits).

use super::{Byte, Object, as_byte};
use crate::address::ObjectId;
use crate::unwritten::{Source, Unwritten};
use crate::value::{Ctx, Value};
use stet_base::Index;
use stet_term::Term;

impl Object {
    /// Notes that nothing was written to a fresh object.
    #[inline]
    pub(crate) fn forget_all(&mut self) {
        self.unwritten = Unwritten::whole(self.bytes.len() as u64);
    }

    /// Forgets the contents: a local variable begins anew.
    pub(crate) fn begin_anew(&mut self, serial: u32) {
        let size = self.bytes.len();
        let mut fresh = Self::zeroed(self.kind, size as u64);
        fresh.forget_all();
        fresh.id = self.id.map(|(id, _)| (id, serial));
        fresh.origin = self.origin;
        *self = fresh;
    }

    /// The objects that bytes come from, by their first bytes, if this one begins at a place.
    pub(super) fn sources(&self, at: usize) -> Vec<(usize, Source)> {
        match self.unwritten.sources() {
            [] => vec![(at, self.source())],
            sources => sources
                .iter()
                .map(|(k, source)| (at + k, *source))
                .collect(),
        }
    }

    pub(super) fn source(&self) -> Source {
        let id = self.id.unwrap_or_else(|| (ObjectId::from_index(0), 0));
        Source::new(id, self.kind, self.origin)
    }

    /// The condition that a read at a symbolic offset meets an unwritten byte.
    pub(crate) fn is_unwritten_at(&self, ctx: &Ctx, offset: Term, len: u64) -> Term {
        if self.unwritten.is_empty() {
            return Term::FALSE;
        }
        let bounds = crate::words::bounds(&ctx.terms, offset);
        let (len, size) = (len as usize, self.bytes.len());
        self.unwritten.meets_at(ctx, offset, len, bounds, size)
    }

    /// Any value of unwritten bytes at a symbolic offset.
    pub(crate) fn unwritten_at(&self, ctx: &Ctx, offset: Term, bits: u32) -> Value {
        let any = self
            .unwritten
            .word_at(ctx, self.source(), offset, bits.max(8));
        match bits {
            1 => ctx.flag(ctx.terms.extract(0, 0, any)),
            2..8 => ctx.value(ctx.terms.extract(bits - 1, 0, any), bits),
            _ => ctx.value(any, bits),
        }
    }

    /// As [`copy_from`](Self::copy_from), for bytes some of which are unwritten.
    pub(super) fn copy_around(
        &mut self,
        ctx: &Ctx,
        to: usize,
        from: &Object,
        at: usize,
        len: usize,
    ) {
        let mut done = at;
        for (first, end) in from.unwritten.ranges(at, at + len) {
            self.copy_from(ctx, to + done - at, from, done, first - done);
            let begin = to + first - at;
            if from.unwritten.is_sure() {
                self.fill(ctx, begin, end - first, &Value::Int(0));
                let size = self.bytes.len();
                (begin..begin + end - first).for_each(|at| self.unwritten.forget(ctx, at, size));
            } else {
                for k in 0..end - first {
                    let term = from.byte_term(ctx, first + k, Byte::Unwritten);
                    self.set_byte(ctx, begin + k, as_byte(ctx, term));
                }
            }
            done = end;
        }
        self.copy_from(ctx, to + done - at, from, done, at + len - done);
    }
}
