//! Vector instructions: the scalar instruction on each lane, and single lanes.

use super::{Executor, Step, error, fetch};
use crate::code::{Code, LaneWidths, Op, Opd, Reg};
use crate::report::ErrorKind;
use crate::state::State;
use crate::value::{Value, mask};
use std::rc::Rc;
use stet_llvm::IntPredicate;

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

/// A lane number that is symbolic is followed as a choice among so many lanes; of a longer vector one lane is taken.
const MOST_CHOICES: usize = 256;

/// Which lane is meant.
enum Lane {
    Number(usize),
    /// Whether it is each of them; one of them holds.
    Choice(Vec<Value>),
}

impl Executor<'_> {
    pub(super) fn extract_lane(
        &mut self,
        state: &mut State,
        vector: &Value,
        index: &Value,
        widths: LaneWidths,
    ) -> Step<Value> {
        let Value::Agg(lanes) = vector else {
            return error(ErrorKind::Unsupported, "a lane of a scalar");
        };
        let conditions = match self.lane_number(state, index, widths.index, lanes.len())? {
            Lane::Number(number) => return Ok(lanes[number].clone()),
            Lane::Choice(conditions) => conditions,
        };
        let mut all = lanes.iter().zip(&conditions).rev();
        let last = all.next().map_or(Value::Int(0), |(last, _)| last.clone());
        Ok(all.fold(last, |rest, (lane, is_meant)| {
            self.select(is_meant, lane, &rest, widths.lane)
        }))
    }

    pub(super) fn insert_lane(
        &mut self,
        state: &mut State,
        (vector, part): (&Value, &Value),
        index: &Value,
        widths: LaneWidths,
    ) -> Step<Value> {
        let Value::Agg(lanes) = vector else {
            return error(ErrorKind::Unsupported, "a lane of a scalar");
        };
        match self.lane_number(state, index, widths.index, lanes.len())? {
            Lane::Number(number) => {
                let mut lanes = lanes.to_vec();
                lanes[number] = part.clone();
                Ok(Value::Agg(lanes.into()))
            }
            Lane::Choice(conditions) => {
                let all = lanes.iter().zip(&conditions);
                let lanes =
                    all.map(|(lane, is_meant)| self.select(is_meant, part, lane, widths.lane));
                Ok(Value::Agg(lanes.collect()))
            }
        }
    }

    /// The lane that a number means; one that does not exist is an error.
    fn lane_number(
        &mut self,
        state: &mut State,
        index: &Value,
        width: u32,
        count: usize,
    ) -> Step<Lane> {
        const MISSING: &str = "a vector lane that does not exist";
        if let Value::Int(number) = index {
            return match usize::try_from(*number) {
                Ok(number) if number < count => Ok(Lane::Number(number)),
                _ => error(ErrorKind::OutOfBounds, MISSING),
            };
        }
        let index = &self.defined_value(state, index, width);
        let compare = |executor: &Self, pred, lane: usize| {
            let lane = Value::Int(lane as u64);
            crate::arith::compare(&executor.ctx, pred, width, index, &lane)
        };
        let last = count.saturating_sub(1).min(mask(width.min(64)) as usize);
        let over = compare(self, IntPredicate::Ugt, last);
        let over = self.ctx.term(&over, 1);
        self.forbid(state, over, ErrorKind::OutOfBounds, MISSING)?;
        if !matches!(index, Value::Sym(_)) || count > MOST_CHOICES {
            let number = self.concrete(state, index, width, "a lane number")? as usize;
            return match number < count {
                true => Ok(Lane::Number(number)),
                false => error(ErrorKind::OutOfBounds, MISSING),
            };
        }
        let each = 0..=last;
        let mut conditions: Vec<Value> = each
            .map(|lane| compare(self, IntPredicate::Eq, lane))
            .collect();
        conditions.resize(count, Value::Int(0));
        Ok(Lane::Choice(conditions))
    }
}
