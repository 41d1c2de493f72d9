//! Instructions that only compute: addresses, choices, parts of aggregates, vectors, floating point.

use super::{Executor, Step, error, fetch};
use crate::code::{Code, MemTy, Op, Opd, Scaled};
use crate::memory::{OTHER_SHAPE, fits, read_parts, write_parts};
use crate::object::{Kind, Object};
use crate::query::address::{mentions_address, offset_from};
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::{Value, signed, signed128};
use std::rc::Rc;
use stet_llvm::BinaryOp;
use stet_term::{Op as TermOp, Term, Terms};

impl Executor<'_> {
    /// A pointer moved by a constant.
    #[inline]
    pub(crate) fn offset(&self, base: &Value, offset: u64) -> Value {
        match base {
            Value::Ptr(object, at) => Value::Ptr(*object, at.wrapping_add(offset)),
            Value::Int(address) => Value::Int(address.wrapping_add(offset)),
            _ if offset == 0 => base.clone(),
            _ => crate::arith::binary(&self.ctx, BinaryOp::Add, 64, base, &Value::Int(offset)),
        }
    }

    #[inline]
    pub(super) fn gep(
        &self,
        base: &Value,
        mut offset: u64,
        steps: &[Scaled],
        get: impl Fn(Opd) -> Value,
    ) -> Value {
        let mut symbolic = None;
        for step in steps {
            let index = match get(step.index) {
                part @ Value::Part { .. } => Value::Int(self.ctx.number(&part).unwrap_or(0)),
                index => index,
            };
            match index {
                Value::Int(index) => {
                    let index = signed(index, step.width) as u64;
                    offset = offset.wrapping_add(index.wrapping_mul(step.scale));
                }
                Value::Wide(index) => {
                    let index = signed128(*index, step.width) as u64;
                    offset = offset.wrapping_add(index.wrapping_mul(step.scale));
                }
                value => {
                    let terms = &self.ctx.terms;
                    let index = self.ctx.bits_term(&value, step.width);
                    let index = terms.sign_resize(index, 64);
                    let scaled = terms.bv_mul(index, terms.bv(64, step.scale));
                    symbolic = Some(match symbolic {
                        Some(sum) => terms.bv_add(sum, scaled),
                        None => scaled,
                    });
                }
            }
        }
        match symbolic {
            None => self.offset(base, offset),
            Some(sum) => {
                let terms = &self.ctx.terms;
                let base = self.ctx.term(&self.offset(base, offset), 64);
                self.ctx.value(terms.bv_add(base, sum), 64)
            }
        }
    }

    /// `cond ? a : b`.
    #[inline]
    pub(crate) fn select(&self, cond: &Value, a: &Value, b: &Value, width: u32) -> Value {
        match cond {
            Value::Int(flag) => {
                if flag & 1 == 1 {
                    a.clone()
                } else {
                    b.clone()
                }
            }
            _ => self.select_symbolic(cond, a, b, width),
        }
    }

    fn select_symbolic(&self, cond: &Value, a: &Value, b: &Value, width: u32) -> Value {
        if let (Value::Agg(x), Value::Agg(y)) = (a, b) {
            let parts = x.iter().zip(y.iter());
            return Value::Agg(
                parts
                    .map(|(a, b)| self.select_part(cond, a, b, width))
                    .collect(),
            );
        }
        let condition = self.ctx.term(cond, 1);
        let (x, y) = (self.ctx.term(a, width), self.ctx.term(b, width));
        let terms = &self.ctx.terms;
        let chosen = match (object_of(terms, x), object_of(terms, y)) {
            // a choice of offsets in one object: the address stays outside, so that differences do not mention it
            (Some(base), Some(other)) if base == other => {
                let (x, y) = (offset_from(terms, x, base), offset_from(terms, y, base));
                terms.bv_add(base, terms.ite(condition, x, y))
            }
            _ => terms.ite(condition, x, y),
        };
        self.ctx.value(chosen, width)
    }

    /// A part of an aggregate says its own width only if it is symbolic; two equal numbers need none.
    /// A part of an aggregate; `width` is that of all parts, or 0 if they differ.
    fn select_part(&self, cond: &Value, a: &Value, b: &Value, width: u32) -> Value {
        let own = |value: &Value| match value {
            Value::Sym(term) => match self.ctx.terms.width(*term) {
                0 => Some(1),
                width => Some(width),
            },
            Value::Ptr(..) => Some(64),
            _ => None,
        };
        match (a, b) {
            (Value::Int(x), Value::Int(y)) if x == y => a.clone(),
            _ => {
                let width = own(a).or(own(b)).unwrap_or(width.max(1));
                self.select_symbolic(cond, a, b, width)
            }
        }
    }

    /// Whether a choice would need the widths of parts that are both numbers.
    pub(super) fn lacks_widths(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Agg(x), Value::Agg(y)) => {
                let mut parts = x.iter().zip(y.iter());
                parts.any(|(a, b)| Self::lacks_widths(a, b))
            }
            (Value::Int(x), Value::Int(y)) => x != y,
            _ => false,
        }
    }

    pub(super) fn pure(&mut self, state: &mut State, code: &Rc<Code>, op: &Op) -> Step {
        let get = |state: &State, opd: Opd| fetch(code, &state.top.registers, opd).clone();
        let (dst, value) = match op {
            Op::FBin { dst, .. }
            | Op::FNeg { dst, .. }
            | Op::FCmp { dst, .. }
            | Op::FCast { dst, .. } => {
                let value = self.float_op(state, op, |state, opd| get(state, opd))?;
                (*dst, value)
            }
            Op::Lanes { count, inner } => self.lanes(state, code, *count, inner)?,
            Op::Extract { dst, agg, path } => {
                let mut value = get(state, *agg);
                for &index in path.iter() {
                    value = match &value {
                        Value::Agg(parts) => match parts.get(index as usize) {
                            Some(part) => part.clone(),
                            None => {
                                return error(ErrorKind::Unsupported, "a part that does not exist");
                            }
                        },
                        _ => return error(ErrorKind::Unsupported, "a part of a scalar"),
                    };
                }
                (*dst, value)
            }
            Op::Insert {
                dst,
                agg,
                part,
                path,
            } => {
                let (agg, part) = (get(state, *agg), get(state, *part));
                match insert(&agg, &part, path) {
                    Some(value) => (*dst, value),
                    None => return error(ErrorKind::Unsupported, "a part that does not exist"),
                }
            }
            Op::ExtractLane {
                dst,
                vector,
                index,
                widths,
            } => {
                let (vector, index) = (get(state, *vector), get(state, *index));
                (*dst, self.extract_lane(state, &vector, &index, *widths)?)
            }
            Op::InsertLane {
                dst,
                vector,
                part,
                index,
                widths,
            } => {
                let (vector, part, index) =
                    (get(state, *vector), get(state, *part), get(state, *index));
                let lanes = self.insert_lane(state, (&vector, &part), &index, *widths)?;
                (*dst, lanes)
            }
            Op::Shuffle {
                dst,
                a,
                b,
                mask,
                zero,
            } => {
                let (Value::Agg(x), Value::Agg(y)) = (get(state, *a), get(state, *b)) else {
                    return error(ErrorKind::Unsupported, "a shuffle of scalars");
                };
                let zero = get(state, *zero);
                let lane = |&index: &i32| match usize::try_from(index) {
                    Ok(index) if index < x.len() => x[index].clone(),
                    Ok(index) => y.get(index - x.len()).cloned().unwrap_or(zero.clone()),
                    Err(_) => zero.clone(),
                };
                (*dst, Value::Agg(mask.iter().map(lane).collect()))
            }
            Op::Reshape { dst, a, from, to } => {
                let value = get(state, *a);
                if !fits(from, &value) {
                    return error(ErrorKind::Unsupported, OTHER_SHAPE);
                }
                (*dst, self.reshape(&value, from, to))
            }
            _ => return error(ErrorKind::Unsupported, "an unknown instruction"),
        };
        state.top.registers[dst as usize] = value;
        Ok(())
    }

    /// The same bytes as another type.
    fn reshape(&self, value: &Value, from: &MemTy, to: &MemTy) -> Value {
        let size = from.size().max(to.size());
        let mut scratch = Object::zeroed(Kind::Stack, size);
        write_parts(&self.ctx, &mut scratch, 0, from, value);
        read_parts(&self.ctx, &scratch, 0, to)
    }
}

/// An aggregate with one part replaced.
fn insert(agg: &Value, part: &Value, path: &[u32]) -> Option<Value> {
    let Some((&index, rest)) = path.split_first() else {
        return Some(part.clone());
    };
    let Value::Agg(parts) = agg else {
        return None;
    };
    let mut parts = parts.to_vec();
    let slot = parts.get_mut(index as usize)?;
    *slot = insert(slot, part, rest)?;
    Some(Value::Agg(parts.into()))
}

/// The base address in a sum of it and numbers.
fn object_of(terms: &Terms, term: Term) -> Option<Term> {
    let mut base = None;
    let mut pending = vec![term];
    while let Some(part) = pending.pop() {
        if !mentions_address(terms, part) {
            continue;
        }
        match terms.op(part) {
            TermOp::BvAdd => pending.extend(terms.args(part)),
            TermOp::Symbol(_) if base.is_none() => base = Some(part),
            _ => return None,
        }
    }
    base
}
