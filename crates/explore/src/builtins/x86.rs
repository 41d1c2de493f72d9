//! The vector instructions of x86 that C headers name as intrinsics (`emmintrin.h` to `avx2intrin.h`): what a compiler does not
//! express as plain vector code. Integer operations, comparisons, conversions and shuffles, concrete and symbolic.
//!
//! Vectors of 256 bits work as two halves of 128 wherever the instruction does. Not here, so that a call ends its path by name:
//! approximations (`rcp`, `rsqrt`), the control register, text instructions (`pcmpestri`), AES, masked stores and gathers.

use super::{Run, arg};
use crate::arith::{binary, cast, compare};
use crate::code::{CallOp, Fmt, MemTy};
use crate::exec::{Executor, Step, error};
use crate::report::ErrorKind;
use crate::softfloat;
use crate::state::State;
use crate::value::{Value, mask128};
use stet_llvm::{BinaryOp, CastOp, FloatPredicate, IntPredicate};
use stet_term::Rounding;

/// What an instruction computes of its operands.
type Compute = fn(&Machine<'_, '_>, &Operands<'_>) -> Option<Value>;

/// The instruction with a name without its `llvm.x86.`.
pub(super) fn find(name: &str) -> Option<Run> {
    if matches!(
        name,
        "sse.sfence" | "sse2.lfence" | "sse2.mfence" | "sse2.pause" | "sse2.clflush"
    ) {
        return Some(|_, _, _, _| Ok(None));
    }
    compute(name).map(|_| run as Run)
}

fn run(
    executor: &mut Executor<'_>,
    _: &mut State,
    call: &CallOp,
    args: &[Value],
) -> Step<Option<Value>> {
    let name = executor.callee_name();
    let plain = name.trim_start_matches("llvm.x86.");
    let operands = Operands {
        name: plain,
        call,
        args,
    };
    let machine = Machine { executor };
    match compute(plain).and_then(|compute| compute(&machine, &operands)) {
        Some(value) => Ok(Some(value)),
        None => error(
            ErrorKind::Unsupported,
            format!("`{name}` on these operands is not supported"),
        ),
    }
}

/// Which function computes an instruction: its name without the instruction set and the width of the vector.
fn compute(name: &str) -> Option<Compute> {
    if name == "pclmulqdq" {
        return Some(|m, o| m.carryless_product(o));
    }
    let (set, rest) = name.split_once('.')?;
    if !matches!(
        set,
        "sse" | "sse2" | "sse3" | "ssse3" | "sse41" | "sse42" | "avx" | "avx2"
    ) {
        return None;
    }
    let plain = rest.trim_end_matches(".256").trim_end_matches(".128");
    Some(match plain {
        "movmsk.ps" | "movmsk.pd" | "pmovmskb" => |m, o| m.signs(o),
        "packsswb" | "packssdw" => |m, o| m.pack(o, true),
        "packuswb" | "packusdw" => |m, o| m.pack(o, false),
        "pavg.b" | "pavg.w" => |m, o| m.average(o),
        "pmadd.wd" => |m, o| m.multiply_add_words(o),
        "pmadd.ub.sw" => |m, o| m.multiply_add_bytes(o),
        "pmulh.w" => |m, o| m.high_product(o, CastOp::SExt),
        "pmulhu.w" => |m, o| m.high_product(o, CastOp::ZExt),
        "pmul.hr.sw" => |m, o| m.rounded_product(o),
        "psad.bw" => |m, o| m.sum_of_differences(o),
        "psll.w" | "psll.d" | "psll.q" | "pslli.w" | "pslli.d" | "pslli.q" | "psllv.d"
        | "psllv.q" => |m, o| m.shift(o, BinaryOp::Shl),
        "psrl.w" | "psrl.d" | "psrl.q" | "psrli.w" | "psrli.d" | "psrli.q" | "psrlv.d"
        | "psrlv.q" => |m, o| m.shift(o, BinaryOp::LShr),
        "psra.w" | "psra.d" | "psrai.w" | "psrai.d" | "psrav.d" => {
            |m, o| m.shift(o, BinaryOp::AShr)
        }
        "pshuf.b" => |m, o| m.shuffle_bytes(o),
        "phadd.w" | "phadd.d" => |m, o| m.neighbours(o, BinaryOp::Add, false),
        "phsub.w" | "phsub.d" => |m, o| m.neighbours(o, BinaryOp::Sub, false),
        "phadd.sw" => |m, o| m.neighbours(o, BinaryOp::Add, true),
        "phsub.sw" => |m, o| m.neighbours(o, BinaryOp::Sub, true),
        "hadd.ps" | "hadd.pd" => |m, o| m.float_neighbours(o, BinaryOp::FAdd),
        "hsub.ps" | "hsub.pd" => |m, o| m.float_neighbours(o, BinaryOp::FSub),
        "addsub.ps" | "addsub.pd" => |m, o| m.alternate(o),
        "psign.b" | "psign.w" | "psign.d" => |m, o| m.apply_sign(o),
        "pblendvb" | "blendvps" | "blendvpd" | "blendv.ps" | "blendv.pd" => |m, o| m.blend(o),
        "ptestz" | "ptestc" | "ptestnzc" => |m, o| m.test_bits(o),
        "min.ps" | "min.pd" => |m, o| m.each(o, |m, fmt, a, b| m.extreme(fmt, true, a, b)),
        "max.ps" | "max.pd" => |m, o| m.each(o, |m, fmt, a, b| m.extreme(fmt, false, a, b)),
        "min.ss" | "min.sd" => |m, o| m.first(o, |m, fmt, a, b| m.extreme(fmt, true, a, b)),
        "max.ss" | "max.sd" => |m, o| m.first(o, |m, fmt, a, b| m.extreme(fmt, false, a, b)),
        "cmp.ps" | "cmp.pd" | "cmp.ss" | "cmp.sd" => |m, o| m.compare_floats(o),
        "comieq.ss" | "comieq.sd" | "ucomieq.ss" | "ucomieq.sd" => {
            |m, o| m.compare_first(o, FloatPredicate::Oeq)
        }
        "comilt.ss" | "comilt.sd" | "ucomilt.ss" | "ucomilt.sd" => {
            |m, o| m.compare_first(o, FloatPredicate::Olt)
        }
        "comile.ss" | "comile.sd" | "ucomile.ss" | "ucomile.sd" => {
            |m, o| m.compare_first(o, FloatPredicate::Ole)
        }
        "comigt.ss" | "comigt.sd" | "ucomigt.ss" | "ucomigt.sd" => {
            |m, o| m.compare_first(o, FloatPredicate::Ogt)
        }
        "comige.ss" | "comige.sd" | "ucomige.ss" | "ucomige.sd" => {
            |m, o| m.compare_first(o, FloatPredicate::Oge)
        }
        "comineq.ss" | "comineq.sd" | "ucomineq.ss" | "ucomineq.sd" => {
            |m, o| m.compare_first(o, FloatPredicate::Une)
        }
        "cvtss2si" | "cvtss2si64" | "cvtsd2si" | "cvtsd2si64" => {
            |m, o| m.first_to_integer(o, Rounding::NearestEven)
        }
        "cvttss2si" | "cvttss2si64" | "cvttsd2si" | "cvttsd2si64" => {
            |m, o| m.first_to_integer(o, Rounding::Zero)
        }
        "cvtps2dq" | "cvtpd2dq" => |m, o| m.to_integers(o, Rounding::NearestEven),
        "cvttps2dq" | "cvttpd2dq" => |m, o| m.to_integers(o, Rounding::Zero),
        "cvtpd2ps" => |m, o| m.to_singles(o),
        "cvtsd2ss" => |m, o| m.first_to_single(o),
        "round.ps" | "round.pd" => |m, o| m.round_all(o),
        "round.ss" | "round.sd" => |m, o| m.round_first(o),
        "crc32.32.8" | "crc32.32.16" | "crc32.32.32" | "crc32.64.64" => |m, o| m.checksum(o),
        _ => return None,
    })
}

/// The operands of one call.
struct Operands<'a> {
    name: &'a str,
    call: &'a CallOp,
    args: &'a [Value],
}

impl Operands<'_> {
    fn lanes(&self, index: usize) -> Option<&[Value]> {
        match self.args.get(index)? {
            Value::Agg(lanes) => Some(lanes),
            _ => None,
        }
    }

    /// The width of an operand, or of the lanes of a vector.
    fn width(&self, index: usize) -> Option<u32> {
        Some(match &self.call.args.get(index)?.ty {
            MemTy::Scalar(bits) | MemTy::Packed { bits, .. } => *bits,
            MemTy::Parts { parts, .. } => parts.first()?.1.size() as u32 * 8,
        })
    }

    /// Two vectors of as many lanes, and the width of these.
    fn pair(&self) -> Option<(&[Value], &[Value], u32)> {
        let (a, b) = (self.lanes(0)?, self.lanes(1)?);
        (a.len() == b.len() && !a.is_empty()).then_some(())?;
        Some((a, b, self.width(0)?))
    }

    /// The format of floating-point operands.
    fn format(&self) -> Option<Fmt> {
        match self.width(0)? {
            32 => Some(Fmt::F32),
            64 => Some(Fmt::F64),
            _ => None,
        }
    }

    /// An operand that is part of the instruction.
    fn immediate(&self, index: usize) -> Option<u64> {
        match self.args.get(index)? {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }
}

/// How many lanes of a width a block of 128 bits has.
fn block(width: u32) -> usize {
    (128 / width.clamp(1, 128)) as usize
}

fn vector(lanes: Vec<Value>) -> Option<Value> {
    Some(Value::Agg(lanes.into()))
}

/// The operations of a machine on values of any form.
struct Machine<'a, 'run> {
    executor: &'a Executor<'run>,
}

impl Machine<'_, '_> {
    fn op(&self, op: BinaryOp, width: u32, a: &Value, b: &Value) -> Value {
        binary(&self.executor.ctx, op, width, a, b)
    }

    fn cast(&self, op: CastOp, from: u32, to: u32, a: &Value) -> Value {
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => a.clone(),
            std::cmp::Ordering::Greater => cast(&self.executor.ctx, CastOp::Trunc, from, to, a),
            std::cmp::Ordering::Less => cast(&self.executor.ctx, op, from, to, a),
        }
    }

    fn holds(&self, predicate: IntPredicate, width: u32, a: &Value, b: &Value) -> Value {
        compare(&self.executor.ctx, predicate, width, a, b)
    }

    fn pick(&self, condition: &Value, a: &Value, b: &Value, width: u32) -> Value {
        self.executor.select(condition, a, b, width)
    }

    /// The number, or the nearest limit (numbers of the width that it has).
    fn clamp(&self, a: &Value, (low, high): (i128, i128), width: u32) -> Value {
        let number = |n: i128| Value::wide(n as u128 & mask128(width), width);
        let (low, high) = (number(low), number(high));
        let a = self.pick(
            &self.holds(IntPredicate::Slt, width, a, &low),
            &low,
            a,
            width,
        );
        self.pick(
            &self.holds(IntPredicate::Sgt, width, &a, &high),
            &high,
            &a,
            width,
        )
    }

    /// The number in a width, or the nearest limit of that width.
    fn saturate(&self, a: &Value, from: u32, to: u32, signed: bool) -> Value {
        let half = 1i128 << (to - 1);
        let limits = match signed {
            true => (-half, half - 1),
            false => (0, 2 * half - 1),
        };
        self.cast(CastOp::Trunc, from, to, &self.clamp(a, limits, from))
    }

    fn is_negative(&self, a: &Value, width: u32) -> Value {
        self.holds(IntPredicate::Slt, width, a, &Value::wide(0, width))
    }

    /// The signs of all lanes as bits of a number.
    fn signs(&self, o: &Operands<'_>) -> Option<Value> {
        let (lanes, width) = (o.lanes(0)?, o.width(0)?);
        let bit = |(k, lane): (usize, &Value)| {
            let weight = Value::wide(1 << k, 32);
            let zero = Value::wide(0, 32);
            self.pick(&self.is_negative(lane, width), &weight, &zero, 32)
        };
        let bits = lanes.iter().enumerate().map(bit);
        bits.reduce(|a, b| self.op(BinaryOp::Or, 32, &a, &b))
    }

    /// Both vectors in lanes of half the width, block by block.
    fn pack(&self, o: &Operands<'_>, signed: bool) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        let mut lanes = Vec::with_capacity(2 * a.len());
        for (a, b) in a.chunks(block(width)).zip(b.chunks(block(width))) {
            let half = |lane: &Value| self.saturate(lane, width, width / 2, signed);
            lanes.extend(a.iter().chain(b).map(half));
        }
        vector(lanes)
    }

    /// A function of the lanes of two vectors, side by side.
    fn side_by_side(
        &self,
        o: &Operands<'_>,
        f: impl Fn(&Value, &Value, u32) -> Value,
    ) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        vector(a.iter().zip(b).map(|(a, b)| f(a, b, width)).collect())
    }

    fn average(&self, o: &Operands<'_>) -> Option<Value> {
        self.side_by_side(o, |a, b, width| {
            let wide = |x: &Value| self.cast(CastOp::ZExt, width, 32, x);
            let sum = self.op(BinaryOp::Add, 32, &wide(a), &wide(b));
            let sum = self.op(BinaryOp::Add, 32, &sum, &Value::Int(1));
            let half = self.op(BinaryOp::LShr, 32, &sum, &Value::Int(1));
            self.cast(CastOp::Trunc, 32, width, &half)
        })
    }

    /// The product of two lanes of 16 bits, in 32.
    fn product(&self, extend: CastOp, a: &Value, b: &Value, width: u32) -> Value {
        let wide = |x: &Value| self.cast(extend, width, 32, x);
        self.op(BinaryOp::Mul, 32, &wide(a), &wide(b))
    }

    fn high_product(&self, o: &Operands<'_>, extend: CastOp) -> Option<Value> {
        self.side_by_side(o, |a, b, width| {
            let product = self.product(extend, a, b, width);
            let high = self.op(BinaryOp::LShr, 32, &product, &Value::Int(16));
            self.cast(CastOp::Trunc, 32, width, &high)
        })
    }

    fn rounded_product(&self, o: &Operands<'_>) -> Option<Value> {
        self.side_by_side(o, |a, b, width| {
            let product = self.product(CastOp::SExt, a, b, width);
            let high = self.op(BinaryOp::AShr, 32, &product, &Value::Int(14));
            let rounded = self.op(BinaryOp::Add, 32, &high, &Value::Int(1));
            let half = self.op(BinaryOp::AShr, 32, &rounded, &Value::Int(1));
            self.cast(CastOp::Trunc, 32, width, &half)
        })
    }

    fn multiply_add_words(&self, o: &Operands<'_>) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        let products: Vec<Value> = a
            .iter()
            .zip(b)
            .map(|(a, b)| self.product(CastOp::SExt, a, b, width))
            .collect();
        let sums = products.chunks_exact(2);
        vector(
            sums.map(|two| self.op(BinaryOp::Add, 32, &two[0], &two[1]))
                .collect(),
        )
    }

    /// Bytes without sign times bytes with one; sums of two, with the limits of 16 bits.
    fn multiply_add_bytes(&self, o: &Operands<'_>) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        let product = |(a, b): (&Value, &Value)| {
            let a = self.cast(CastOp::ZExt, width, 32, a);
            let b = self.cast(CastOp::SExt, width, 32, b);
            self.op(BinaryOp::Mul, 32, &a, &b)
        };
        let products: Vec<Value> = a.iter().zip(b).map(product).collect();
        let sum = |two: &[Value]| {
            let sum = self.op(BinaryOp::Add, 32, &two[0], &two[1]);
            self.saturate(&sum, 32, 16, true)
        };
        vector(products.chunks_exact(2).map(sum).collect())
    }

    /// The sums of the distances of eight bytes each.
    fn sum_of_differences(&self, o: &Operands<'_>) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        let distance = |(a, b): (&Value, &Value)| {
            let wide = |x: &Value| self.cast(CastOp::ZExt, width, 64, x);
            let (a, b) = (wide(a), wide(b));
            let less = self.holds(IntPredicate::Ult, 64, &a, &b);
            let up = self.op(BinaryOp::Sub, 64, &b, &a);
            let down = self.op(BinaryOp::Sub, 64, &a, &b);
            self.pick(&less, &up, &down, 64)
        };
        let distances: Vec<Value> = a.iter().zip(b).map(distance).collect();
        let sum = |eight: &[Value]| {
            let zero = Value::Int(0);
            eight
                .iter()
                .fold(zero, |sum, one| self.op(BinaryOp::Add, 64, &sum, one))
        };
        vector(distances.chunks_exact(8).map(sum).collect())
    }

    /// Shifts by a number, by the lower half of a vector, or each lane by its own number; by the width or more, nothing but zeros
    /// (or signs) is left.
    fn shift(&self, o: &Operands<'_>, op: BinaryOp) -> Option<Value> {
        let (lanes, width) = (o.lanes(0)?, o.width(0)?);
        let amounts: Vec<(Value, u32)> = match (o.lanes(1), o.width(1)?) {
            (None, bits) => vec![(arg(o.args, 1), bits); lanes.len()],
            (Some(by), bits) if o.name.contains("v.") => {
                by.iter().map(|one| (one.clone(), bits)).collect()
            }
            (Some(by), bits) => {
                let low = &by[..by.len().min(64 / bits as usize)];
                vec![(self.joined(low, bits), 64); lanes.len()]
            }
        };
        let shifted = lanes.iter().zip(&amounts).map(|(lane, (amount, bits))| {
            let limit = Value::wide(u128::from(width), *bits);
            let fits = self.holds(IntPredicate::Ult, *bits, amount, &limit);
            let most = Value::wide(u128::from(width - 1), *bits);
            // an amount beyond the width would be poison for the plain shift
            let amount = self.pick(&fits, amount, &most, *bits);
            let shifted = self.op(
                op,
                width,
                lane,
                &self.cast(CastOp::ZExt, *bits, width, &amount),
            );
            match op {
                BinaryOp::AShr => shifted,
                _ => self.pick(&fits, &shifted, &Value::wide(0, width), width),
            }
        });
        vector(shifted.collect())
    }

    /// Lanes as one number of 64 bits, the first lowest.
    fn joined(&self, lanes: &[Value], width: u32) -> Value {
        lanes.iter().rev().fold(Value::Int(0), |sum, lane| {
            let up = match width {
                64 => Value::Int(0),
                _ => self.op(BinaryOp::Shl, 64, &sum, &Value::Int(u64::from(width))),
            };
            let lane = self.cast(CastOp::ZExt, width, 64, lane);
            self.op(BinaryOp::Or, 64, &up, &lane)
        })
    }

    fn shuffle_bytes(&self, o: &Operands<'_>) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        let mut lanes = Vec::with_capacity(a.len());
        for (from, by) in a.chunks(16).zip(b.chunks(16)) {
            for index in by {
                let place = self.op(BinaryOp::And, width, index, &Value::Int(15));
                let chosen = (0..from.len()).rev().fold(Value::Int(0), |rest, k| {
                    let this = self.holds(IntPredicate::Eq, width, &place, &Value::Int(k as u64));
                    self.pick(&this, &from[k], &rest, width)
                });
                let cleared = self.is_negative(index, width);
                lanes.push(self.pick(&cleared, &Value::Int(0), &chosen, width));
            }
        }
        vector(lanes)
    }

    /// Neighbours within a vector joined by an operation, block by block, those of the first vector first.
    fn in_pairs(
        &self,
        o: &Operands<'_>,
        f: impl Fn(&Value, &Value, u32) -> Value,
    ) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        let mut lanes = Vec::with_capacity(a.len());
        for (a, b) in a.chunks(block(width)).zip(b.chunks(block(width))) {
            for half in [a, b] {
                lanes.extend(half.chunks_exact(2).map(|two| f(&two[0], &two[1], width)));
            }
        }
        vector(lanes)
    }

    fn neighbours(&self, o: &Operands<'_>, op: BinaryOp, saturates: bool) -> Option<Value> {
        self.in_pairs(o, |a, b, width| {
            if !saturates {
                return self.op(op, width, a, b);
            }
            let wide = |x: &Value| self.cast(CastOp::SExt, width, 2 * width, x);
            let sum = self.op(op, 2 * width, &wide(a), &wide(b));
            self.saturate(&sum, 2 * width, width, true)
        })
    }

    fn float_neighbours(&self, o: &Operands<'_>, op: BinaryOp) -> Option<Value> {
        let fmt = o.format()?;
        self.in_pairs(o, |a, b, _| self.executor.float_arithmetic(op, fmt, a, b))
    }

    /// Differences in the even lanes, sums in the odd ones.
    fn alternate(&self, o: &Operands<'_>) -> Option<Value> {
        let ((a, b, _), fmt) = (o.pair()?, o.format()?);
        let one = |(k, (a, b)): (usize, (&Value, &Value))| {
            let op = [BinaryOp::FSub, BinaryOp::FAdd][k % 2];
            self.executor.float_arithmetic(op, fmt, a, b)
        };
        vector(a.iter().zip(b).enumerate().map(one).collect())
    }

    /// The first lane, its negation or zero, by the sign of the second.
    fn apply_sign(&self, o: &Operands<'_>) -> Option<Value> {
        self.side_by_side(o, |a, b, width| {
            let zero = Value::wide(0, width);
            let negated = self.op(BinaryOp::Sub, width, &zero, a);
            let is_zero = self.holds(IntPredicate::Eq, width, b, &zero);
            let rest = self.pick(&is_zero, &zero, a, width);
            self.pick(&self.is_negative(b, width), &negated, &rest, width)
        })
    }

    /// The second lane where the third is negative.
    fn blend(&self, o: &Operands<'_>) -> Option<Value> {
        let ((a, b, width), by) = (o.pair()?, o.lanes(2)?);
        let lanes = a.iter().zip(b).zip(by);
        let one = |((a, b), by)| self.pick(&self.is_negative(by, width), b, a, width);
        vector(lanes.map(one).collect())
    }

    /// Whether two vectors have no common bit, whether the second has only bits of the first, or neither.
    fn test_bits(&self, o: &Operands<'_>) -> Option<Value> {
        let (a, b, width) = o.pair()?;
        let zero = Value::wide(0, width);
        let ones = Value::wide(mask128(width), width);
        let any = |complement: bool| {
            let bits = a.iter().zip(b).map(|(a, b)| {
                let a = match complement {
                    true => self.op(BinaryOp::Xor, width, a, &ones),
                    false => a.clone(),
                };
                self.op(BinaryOp::And, width, &a, b)
            });
            let all = bits.reduce(|a, b| self.op(BinaryOp::Or, width, &a, &b));
            self.holds(IntPredicate::Ne, width, &all.unwrap_or(zero.clone()), &zero)
        };
        let (yes, no) = (Value::Int(1), Value::Int(0));
        let number = |flag: &Value, then: &Value, other: &Value| self.pick(flag, then, other, 32);
        Some(match o.name {
            name if name.contains("ptestz") => number(&any(false), &no, &yes),
            name if name.contains("ptestc") => number(&any(true), &no, &yes),
            _ => number(&any(false), &number(&any(true), &yes, &no), &no),
        })
    }

    /// The smaller or larger of two numbers; the second if they are equal or not ordered.
    fn extreme(&self, fmt: Fmt, least: bool, a: &Value, b: &Value) -> Value {
        let predicate = match least {
            true => FloatPredicate::Olt,
            false => FloatPredicate::Ogt,
        };
        let first = self.executor.float_compare(predicate, fmt, a, b);
        self.pick(&first, a, b, fmt.bits())
    }

    fn each(
        &self,
        o: &Operands<'_>,
        f: impl Fn(&Self, Fmt, &Value, &Value) -> Value,
    ) -> Option<Value> {
        let fmt = o.format()?;
        self.side_by_side(o, |a, b, _| f(self, fmt, a, b))
    }

    /// A function of the first lanes; the others are the first vector's.
    fn first(
        &self,
        o: &Operands<'_>,
        f: impl Fn(&Self, Fmt, &Value, &Value) -> Value,
    ) -> Option<Value> {
        let ((a, b, _), fmt) = (o.pair()?, o.format()?);
        let mut lanes = a.to_vec();
        lanes[0] = f(self, fmt, &a[0], &b[0]);
        vector(lanes)
    }

    fn compare_floats(&self, o: &Operands<'_>) -> Option<Value> {
        let predicate = predicate(o.immediate(2)?)?;
        let compared = |m: &Self, fmt: Fmt, a: &Value, b: &Value| {
            let holds = m.executor.float_compare(predicate, fmt, a, b);
            let (all, none) = (mask128(fmt.bits()), 0);
            let number = |bits| Value::wide(bits, fmt.bits());
            m.pick(&holds, &number(all), &number(none), fmt.bits())
        };
        match is_scalar(o.name) {
            true => self.first(o, compared),
            false => self.each(o, compared),
        }
    }

    fn compare_first(&self, o: &Operands<'_>, predicate: FloatPredicate) -> Option<Value> {
        let ((a, b, _), fmt) = (o.pair()?, o.format()?);
        let holds = self.executor.float_compare(predicate, fmt, &a[0], &b[0]);
        Some(self.pick(&holds, &Value::Int(1), &Value::Int(0), 32))
    }

    fn rounded(&self, fmt: Fmt, mode: Rounding, a: &Value) -> Value {
        match self.executor.ctx.number128(a) {
            Some(number) => Value::wide(softfloat::round(fmt, mode, number), fmt.bits()),
            None => {
                let (ctx, term) = (&self.executor.ctx, self.executor.ctx.float_term(a, fmt));
                ctx.float_value(ctx.floats(fmt).round_to_integral(mode, term), fmt)
            }
        }
    }

    fn to_integer(&self, fmt: Fmt, mode: Rounding, a: &Value, width: u32) -> Value {
        let whole = self.rounded(fmt, mode, a);
        self.executor.float_to_int(fmt, &whole, width, true)
    }

    fn first_to_integer(&self, o: &Operands<'_>, mode: Rounding) -> Option<Value> {
        let width = if o.name.ends_with("64") { 64 } else { 32 };
        Some(self.to_integer(o.format()?, mode, o.lanes(0)?.first()?, width))
    }

    /// Words of 32 bits; a vector of two numbers leaves the upper half zero.
    fn to_integers(&self, o: &Operands<'_>, mode: Rounding) -> Option<Value> {
        let (lanes, fmt) = (o.lanes(0)?, o.format()?);
        let words = lanes.iter().map(|a| self.to_integer(fmt, mode, a, 32));
        let mut words: Vec<Value> = words.collect();
        words.resize(words.len().max(4), Value::Int(0));
        vector(words)
    }

    fn to_single(&self, a: &Value) -> Value {
        let ctx = &self.executor.ctx;
        match ctx.number128(a) {
            Some(number) => Value::wide(softfloat::convert(Fmt::F64, Fmt::F32, number), 32),
            None => {
                let term = ctx.float_term(a, Fmt::F64);
                let single = ctx.floats(Fmt::F64).convert(term, Fmt::F32.format());
                ctx.float_value(single, Fmt::F32)
            }
        }
    }

    fn to_singles(&self, o: &Operands<'_>) -> Option<Value> {
        let mut lanes: Vec<Value> = o.lanes(0)?.iter().map(|a| self.to_single(a)).collect();
        lanes.resize(lanes.len().max(4), Value::Int(0));
        vector(lanes)
    }

    fn first_to_single(&self, o: &Operands<'_>) -> Option<Value> {
        let mut lanes = o.lanes(0)?.to_vec();
        *lanes.first_mut()? = self.to_single(o.lanes(1)?.first()?);
        vector(lanes)
    }

    fn round_all(&self, o: &Operands<'_>) -> Option<Value> {
        let (lanes, fmt, mode) = (o.lanes(0)?, o.format()?, rounding(o.immediate(1)?));
        vector(lanes.iter().map(|a| self.rounded(fmt, mode, a)).collect())
    }

    fn round_first(&self, o: &Operands<'_>) -> Option<Value> {
        let mode = rounding(o.immediate(2)?);
        self.first(o, |m, fmt, _, b| m.rounded(fmt, mode, b))
    }

    /// One step of the CRC-32C for each bit.
    fn checksum(&self, o: &Operands<'_>) -> Option<Value> {
        let (width, bits) = (o.width(0)?, o.width(1)?);
        let wide = |value: &Value, from: u32| self.cast(CastOp::ZExt, from, 64, value);
        let register = self.cast(CastOp::Trunc, width, 32, &arg(o.args, 0));
        let start = self.op(
            BinaryOp::Xor,
            64,
            &wide(&register, 32),
            &wide(&arg(o.args, 1), bits),
        );
        let rest = (0..bits).fold(start, |rest, _| {
            let low = self.op(BinaryOp::And, 64, &rest, &Value::Int(1));
            let is_set = self.holds(IntPredicate::Ne, 64, &low, &Value::Int(0));
            let next = self.op(BinaryOp::LShr, 64, &rest, &Value::Int(1));
            let reduced = self.op(BinaryOp::Xor, 64, &next, &Value::Int(0x82f6_3b78));
            self.pick(&is_set, &reduced, &next, 64)
        });
        Some(self.cast(CastOp::Trunc, 64, width, &rest))
    }

    /// The product of two words of 64 bits as polynomials over two elements.
    fn carryless_product(&self, o: &Operands<'_>) -> Option<Value> {
        let chosen = o.immediate(2)?;
        let a = o.lanes(0)?.get((chosen & 1) as usize)?;
        let b = o.lanes(1)?.get((chosen >> 4 & 1) as usize)?;
        let (mut low, mut high) = (Value::Int(0), Value::Int(0));
        for k in 0..64u64 {
            let bit = self.op(BinaryOp::LShr, 64, b, &Value::Int(k));
            let bit = self.op(BinaryOp::And, 64, &bit, &Value::Int(1));
            let is_set = self.holds(IntPredicate::Ne, 64, &bit, &Value::Int(0));
            let up = self.op(BinaryOp::Shl, 64, a, &Value::Int(k));
            let over = match k {
                0 => Value::Int(0),
                _ => self.op(BinaryOp::LShr, 64, a, &Value::Int(64 - k)),
            };
            let add = |sum: &Value, part: &Value| {
                let part = self.pick(&is_set, part, &Value::Int(0), 64);
                self.op(BinaryOp::Xor, 64, sum, &part)
            };
            (low, high) = (add(&low, &up), add(&high, &over));
        }
        vector(vec![low, high])
    }
}

/// Whether an instruction works on the first lanes only.
fn is_scalar(name: &str) -> bool {
    name.ends_with(".ss") || name.ends_with(".sd")
}

/// The comparison that an immediate operand names. Those that signal differ from those that do not in exceptions only.
fn predicate(immediate: u64) -> Option<FloatPredicate> {
    use FloatPredicate::{
        False, Oeq, Oge, Ogt, Ole, Olt, One, Ord, True, Ueq, Uge, Ugt, Ule, Ult, Une, Uno,
    };
    let plain = [
        Oeq, Olt, Ole, Uno, Une, Uge, Ugt, Ord, Ueq, Ult, Ule, False, One, Oge, Ogt, True,
    ];
    plain.get((immediate & 15) as usize).copied()
}

/// The rounding that an immediate operand names; that of the control register is to the nearest.
fn rounding(immediate: u64) -> Rounding {
    match immediate & 7 {
        1 => Rounding::Down,
        2 => Rounding::Up,
        3 => Rounding::Zero,
        _ => Rounding::NearestEven,
    }
}
