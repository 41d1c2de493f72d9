//! Inline assembly that only moves bits, computes on one register with a constant, or orders memory accesses: `bswap`, rotations,
//! `neg`, `add` and the like, copies, barriers.
//!
//! Computations with words are recognised in `asm_words`. Everything else is unsupported by name.

use super::asm_words::{Words, words};
use super::inst::Lowered;
use super::{Lowering, memory_type};
use crate::code::{Arg, CallOp, Op, Target};
use crate::shape::Shape;
use crate::value::Value;
use stet_llvm::{BinaryOp, Call, Type, TypeId};

/// What a piece of assembly does with its one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// Nothing that a single thread sees.
    Nothing,
    /// The result is the operand.
    Same,
    /// The bytes are reversed.
    SwapBytes,
    /// The bits are rotated to the left by so many places.
    RotateLeft(u32),
    /// The bits are rotated to the right by so many places.
    RotateRight(u32),
    /// An operation with a constant on the right; the flags it sets are not seen.
    Compute(BinaryOp, i64),
    /// An operation with a constant on the left.
    From(i64),
}

/// The meaning of assembly in AT&T syntax, if it is known.
fn meaning(code: &str, constraints: &str, has_result: bool) -> Option<Meaning> {
    let code = code.trim().trim_end_matches(';').trim();
    let tied = constraints.starts_with("=r,0") || constraints.starts_with("=&r,0");
    if !has_result {
        let barrier = ["", "mfence", "lfence", "sfence", "nop", "pause"].contains(&code);
        return barrier.then_some(Meaning::Nothing);
    }
    let (name, operands) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
    let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
    let is_result = |operand: &str| {
        let plain = operand.trim_start_matches("${").trim_start_matches('$');
        plain.starts_with('0')
    };
    match (name, &operands[..]) {
        ("", _) if tied => Some(Meaning::Same),
        ("mov" | "movl" | "movq", ["$1", to])
            if is_result(to) && constraints.starts_with("=r,r") =>
        {
            Some(Meaning::Same)
        }
        ("bswap" | "bswapl" | "bswapq", [to]) if tied && is_result(to) => Some(Meaning::SwapBytes),
        (_, [to]) if tied && is_result(to) => match name.trim_end_matches(['w', 'l', 'q']) {
            "neg" => Some(Meaning::From(0)),
            "not" => Some(Meaning::Compute(BinaryOp::Xor, -1)),
            "inc" => Some(Meaning::Compute(BinaryOp::Add, 1)),
            "dec" => Some(Meaning::Compute(BinaryOp::Sub, 1)),
            _ => None,
        },
        (_, [count, to]) if tied && is_result(to) => {
            let count: i64 = count.strip_prefix("$$")?.parse().ok()?;
            let compute = |op| Some(Meaning::Compute(op, count));
            match name {
                "add" | "addw" | "addl" | "addq" => return compute(BinaryOp::Add),
                "sub" | "subw" | "subl" | "subq" => return compute(BinaryOp::Sub),
                "and" | "andw" | "andl" | "andq" => return compute(BinaryOp::And),
                "or" | "orw" | "orl" | "orq" => return compute(BinaryOp::Or),
                "xor" | "xorw" | "xorl" | "xorq" => return compute(BinaryOp::Xor),
                _ => {}
            }
            let count = u32::try_from(count).ok()?;
            match name.strip_suffix(['b', 'w', 'l', 'q']).unwrap_or(name) {
                "ro" | "rol" => Some(Meaning::RotateLeft(count)),
                "ror" => Some(Meaning::RotateRight(count)),
                _ => None,
            }
        }
        _ => None,
    }
}

impl Lowering<'_> {
    /// Lowers inline assembly.
    pub(super) fn assembly(
        &mut self,
        code: &str,
        constraints: &str,
        call: &Call,
        dst: u32,
        result: Option<TypeId>,
    ) -> Lowered {
        let unknown = || format!("the inline assembly `{}`", code.escape_debug());
        if let (Some(words), Some(ty)) = (words(code, constraints), result) {
            return self.words(&words, call, dst, ty)?.ok_or_else(unknown);
        }
        let meaning = meaning(code, constraints, result.is_some()).ok_or_else(unknown)?;
        let Some(ty) = result else {
            return Ok(Op::Nop);
        };
        let operand = call.args.first().ok_or_else(unknown)?.value;
        let width = self.bits(ty)?;
        if self.bits(operand.ty)? != width {
            return Err(unknown());
        }
        let value = self.operand(operand.operand)?;
        if let Meaning::Compute(_, amount) | Meaning::From(amount) = meaning {
            let amount = self.constant(Value::wide(amount as i128 as u128, width));
            let (op, a, b) = match meaning {
                Meaning::Compute(op, _) => (op, value, amount),
                _ => (BinaryOp::Sub, amount, value),
            };
            let width = u16::try_from(width).map_err(|_| unknown())?;
            return Ok(Op::Bin {
                op,
                width,
                dst,
                a,
                b,
            });
        }
        let (name, amount) = match meaning {
            Meaning::Nothing | Meaning::Same => return Ok(Op::Move { dst, a: value }),
            Meaning::SwapBytes if width % 16 == 0 => ("bswap", None),
            Meaning::RotateLeft(amount) => ("fshl", Some(amount)),
            Meaning::RotateRight(amount) => ("fshr", Some(amount)),
            Meaning::SwapBytes | Meaning::Compute(..) | Meaning::From(_) => return Err(unknown()),
        };
        let memory = memory_type(self.owner, ty)?;
        let mut values = vec![value];
        if let Some(amount) = amount {
            values.push(value);
            values.push(self.constant(Value::wide(u128::from(amount), width)));
        }
        let args = values.into_iter().map(|value| Arg {
            value,
            width,
            ty: memory.clone(),
            is_pointer: false,
            byval: None,
            align: 8,
        });
        let intrinsic = format!("llvm.{name}.i{width}");
        Ok(self.intrinsic(&intrinsic, args.collect(), width, dst))
    }

    /// A computation with words of one width; nothing if the widths differ.
    fn words(
        &mut self,
        words: &Words,
        call: &Call,
        dst: u32,
        result: TypeId,
    ) -> Result<Option<Op>, String> {
        let mut args = Vec::new();
        for &number in &words.operands {
            let Some(operand) = call.args.get(number).map(|arg| arg.value) else {
                return Ok(None);
            };
            args.push(Arg {
                value: self.operand(operand.operand)?,
                width: self.bits(operand.ty)?,
                ty: memory_type(self.owner, operand.ty)?,
                is_pointer: false,
                byval: None,
                align: 8,
            });
        }
        let width = args.first().map_or(32, |arg| arg.width);
        let results: Vec<TypeId> = match self.owner.types.resolved(result) {
            Type::Struct { fields, .. } => fields.to_vec(),
            _ => vec![result],
        };
        let mut widths = Vec::new();
        for &ty in &results {
            widths.push(self.bits(ty)?);
        }
        // the place of a bit has room in a narrower result, whose register is written whole
        let is_place = words.results == 1 && widths.iter().all(|&known| known <= width);
        let is_even = widths.iter().all(|&known| known == width) || is_place;
        let is_even = is_even || args.is_empty();
        let is_known = matches!(width, 32 | 64) && results.len() == words.results;
        if args.iter().any(|arg| arg.width != width) || !is_even || !is_known {
            return Ok(None);
        }
        let name = format!("llvm.stet.{}", words.name);
        let result = widths.first().copied().unwrap_or(width);
        Ok(Some(self.intrinsic(&name, args, result, dst)))
    }

    fn intrinsic(&self, name: &str, args: Vec<Arg>, width: u32, dst: u32) -> Op {
        Op::Call(Box::new(CallOp {
            shape: self.program.shape(Shape::default()),
            dst: Some(dst),
            target: Target::Function(self.program.external_function(self.ctx, name)),
            args: args.into(),
            result_width: width,
            normal: None,
            unwind: None,
            native: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_assembly_has_a_meaning() {
        let of = |code, constraints| meaning(code, constraints, true);
        assert_eq!(of("bswap $0", "=r,0,~{flags}"), Some(Meaning::SwapBytes));
        assert_eq!(
            of("rorw $$8, ${0:w}", "=r,0,~{flags}"),
            Some(Meaning::RotateRight(8))
        );
        assert_eq!(of("roll $$5, $0", "=r,0"), Some(Meaning::RotateLeft(5)));
        assert_eq!(of("", "=r,0"), Some(Meaning::Same));
        assert_eq!(of("movl $1, $0", "=r,r"), Some(Meaning::Same));
        assert_eq!(
            of("bswap $0", "=r,r"),
            None,
            "the operand is another register"
        );
        assert_eq!(of("rdtsc", "={ax},={dx}"), None);
        assert_eq!(of("add $1, $0", "=r,r"), None);
        assert_eq!(
            of("addl $$5, $0", "=r,0,~{flags}"),
            Some(Meaning::Compute(BinaryOp::Add, 5))
        );
        assert_eq!(of("neg $0", "=r,0,~{flags}"), Some(Meaning::From(0)));
        assert_eq!(of("adc $$5, $0", "=r,0,~{flags}"), None, "reads a flag");
        assert_eq!(
            meaning("mfence", "~{memory}", false),
            Some(Meaning::Nothing)
        );
        assert_eq!(meaning("syscall", "", false), None);
    }
}
