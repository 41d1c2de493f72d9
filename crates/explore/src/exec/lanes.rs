//! Vector instructions: the scalar instruction on each lane.

use super::{Executor, Step, error, fetch};
use crate::code::{Code, Op, Opd, Reg};
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::Value;
use std::rc::Rc;

/// The operand's value in one lane.
fn lane(code: &Code, state: &State, opd: Opd, index: usize) -> Value {
    match fetch(code, &state.top.registers, opd) {
        Value::Agg(lanes) => lanes.get(index).cloned().unwrap_or(Value::Int(0)),
        scalar => scalar.clone(),
    }
}

impl Executor<'_> {
    pub(super) fn lanes(
        &mut self,
        state: &mut State,
        code: &Rc<Code>,
        count: u32,
        op: &Op,
    ) -> Step<(Reg, Value)> {
        let mut values = Vec::with_capacity(count as usize);
        let mut register = 0;
        for k in 0..count as usize {
            let get = |state: &State, opd: Opd| lane(code, state, opd, k);
            let (dst, value) = match op {
                Op::Bin {
                    op,
                    width,
                    dst,
                    a,
                    b,
                } => {
                    let (x, y) = (get(state, *a), get(state, *b));
                    (
                        *dst,
                        self.checked_binary(state, *op, u32::from(*width), &x, &y)?,
                    )
                }
                Op::ICmp {
                    pred,
                    width,
                    dst,
                    a,
                    b,
                } => {
                    let (x, y) = (get(state, *a), get(state, *b));
                    (
                        *dst,
                        crate::arith::compare(&self.ctx, *pred, u32::from(*width), &x, &y),
                    )
                }
                Op::Cast {
                    op,
                    from,
                    to,
                    dst,
                    a,
                } => {
                    let x = get(state, *a);
                    (
                        *dst,
                        crate::arith::cast(&self.ctx, *op, u32::from(*from), u32::from(*to), &x),
                    )
                }
                Op::Select {
                    dst,
                    cond,
                    a,
                    b,
                    width,
                } => {
                    let (c, x, y) = (get(state, *cond), get(state, *a), get(state, *b));
                    (*dst, self.select(&c, &x, &y, *width))
                }
                Op::GepConst { dst, base, offset } => {
                    (*dst, self.offset(&get(state, *base), *offset))
                }
                Op::Gep {
                    dst,
                    base,
                    offset,
                    first,
                    count,
                } => {
                    let steps = &code.scaled[*first as usize..(*first + *count) as usize];
                    (
                        *dst,
                        self.gep(&get(state, *base), *offset, steps, |opd| get(state, opd)),
                    )
                }
                Op::FBin { dst, .. }
                | Op::FNeg { dst, .. }
                | Op::FCmp { dst, .. }
                | Op::FCast { dst, .. } => (*dst, self.float_op(state, op, get)?),
                _ => {
                    return error(
                        ErrorKind::Unsupported,
                        "a vector instruction of this kind is not supported",
                    );
                }
            };
            register = dst;
            values.push(value);
        }
        Ok((register, Value::Agg(values.into())))
    }
}
