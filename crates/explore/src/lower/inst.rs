//! Lowering of single instructions.

use super::{Lowering, memory_type};
use crate::code::{Arg, CallOp, Clause, Fmt, LaneWidths, MemTy, Op, Scaled, SwitchOp, Target};
use crate::shape::{Class, Shape};
use crate::value::Value;
use std::rc::Rc;
use stet_base::{FastMap, Index};
use stet_llvm::{
    BlockId, Call, CallArg, Callee, CastOp, Extension, FloatKind, Inst, InstKind, PadClause, Type,
    TypeId, Value as IrValue,
};

pub(super) type Lowered = Result<Op, String>;

/// Intrinsics without effect.
const IGNORED: &[&str] = &[
    "llvm.lifetime.",
    "llvm.dbg.",
    "llvm.assume",
    "llvm.donothing",
    "llvm.prefetch",
    "llvm.var.annotation",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.",
    "llvm.codeview.",
    "llvm.pseudoprobe",
    "llvm.sideeffect",
    "llvm.fake.use",
];

impl Lowering<'_> {
    pub(super) fn instruction(&mut self, block: BlockId, inst: &Inst) -> Lowered {
        let dst = match inst.result {
            Some(local) => self.define(local, inst.ty),
            None => 0,
        };
        match &inst.kind {
            InstKind::Binary(op, a, b) => {
                let (lanes, element) = self.lanes(inst.ty);
                let (a, b) = (self.operand(*a)?, self.operand(*b)?);
                let op = match self.format(element)? {
                    Some(fmt) => Op::FBin {
                        op: *op,
                        fmt,
                        dst,
                        a,
                        b,
                    },
                    None => Op::Bin {
                        op: *op,
                        width: self.bits(element)? as u16,
                        dst,
                        a,
                        b,
                    },
                };
                Ok(in_lanes(lanes, op))
            }
            InstKind::FNeg(a) => {
                let (lanes, element) = self.lanes(inst.ty);
                let fmt = self.format(element)?.ok_or("a negation of this type")?;
                let a = self.operand(*a)?;
                Ok(in_lanes(lanes, Op::FNeg { fmt, dst, a }))
            }
            InstKind::ICmp(pred, ty, a, b) => {
                let (lanes, element) = self.lanes(*ty);
                let width = self.bits(element)? as u16;
                let (a, b) = (self.operand(*a)?, self.operand(*b)?);
                Ok(in_lanes(
                    lanes,
                    Op::ICmp {
                        pred: *pred,
                        width,
                        dst,
                        a,
                        b,
                    },
                ))
            }
            InstKind::FCmp(pred, ty, a, b) => {
                let (lanes, element) = self.lanes(*ty);
                let fmt = self.format(element)?.ok_or("a comparison of this type")?;
                let (a, b) = (self.operand(*a)?, self.operand(*b)?);
                Ok(in_lanes(
                    lanes,
                    Op::FCmp {
                        pred: *pred,
                        fmt,
                        dst,
                        a,
                        b,
                    },
                ))
            }
            InstKind::Cast(op, value) => self.cast(*op, value, inst.ty, dst),
            InstKind::Freeze(value) => Ok(Op::Move {
                dst,
                a: self.operand(value.operand)?,
            }),
            InstKind::Select(condition, a, b) => {
                let (lanes, element) = self.lanes(inst.ty);
                let (cond, a, b) = (
                    self.operand(condition.operand)?,
                    self.operand(*a)?,
                    self.operand(*b)?,
                );
                let lanes = lanes.filter(|_| self.lanes(condition.ty).0.is_some());
                let width = match self.bits(element) {
                    Ok(width) => width,
                    Err(_) => {
                        let ty = memory_type(self.owner, inst.ty).ok();
                        ty.as_ref().and_then(common_width).unwrap_or(0)
                    }
                };
                Ok(in_lanes(
                    lanes,
                    Op::Select {
                        dst,
                        cond,
                        a,
                        b,
                        width,
                    },
                ))
            }
            InstKind::Alloca { .. }
            | InstKind::Load(_)
            | InstKind::Store(..)
            | InstKind::Gep { .. }
            | InstKind::AtomicRmw(..)
            | InstKind::CmpXchg(..)
            | InstKind::VaArg(_)
            | InstKind::Fence => self.memory(inst, dst),
            InstKind::ExtractValue(agg, path) => Ok(Op::Extract {
                dst,
                agg: self.operand(agg.operand)?,
                path: path.clone(),
            }),
            InstKind::InsertValue(agg, part, path) => Ok(Op::Insert {
                dst,
                agg: self.operand(agg.operand)?,
                part: self.operand(part.operand)?,
                path: path.clone(),
            }),
            InstKind::ExtractElement(vector, index) => Ok(Op::ExtractLane {
                dst,
                vector: self.operand(vector.operand)?,
                index: self.operand(index.operand)?,
                widths: self.lane_widths(vector.ty, index.ty)?,
            }),
            InstKind::InsertElement(vector, part, index) => Ok(Op::InsertLane {
                dst,
                vector: self.operand(vector.operand)?,
                part: self.operand(part.operand)?,
                index: self.operand(index.operand)?,
                widths: self.lane_widths(vector.ty, index.ty)?,
            }),
            InstKind::Shuffle(a, b, mask) => {
                let (_, element) = self.lanes(a.ty);
                let zero = self.program.zero(self.owner, element, 0)?;
                let zero = self.constant(zero);
                Ok(Op::Shuffle {
                    dst,
                    a: self.operand(a.operand)?,
                    b: self.operand(b.operand)?,
                    mask: mask.clone(),
                    zero,
                })
            }
            InstKind::Call(call) => self.call(block, call, dst, inst.result.is_some(), inst.ty),
            InstKind::Phi(_) => Ok(Op::Nop),
            InstKind::Unsupported(name) => {
                Err(format!("the instruction `{}`", self.owner.name(*name)))
            }
            InstKind::LandingPad { cleanup, clauses } => {
                let clauses: Result<Vec<Clause>, String> =
                    clauses.iter().map(|clause| self.clause(clause)).collect();
                Ok(Op::LandingPad {
                    dst,
                    cleanup: *cleanup,
                    clauses: clauses?.into(),
                })
            }
            InstKind::Resume(value) => Ok(Op::Resume {
                exception: self.operand(value.operand)?,
            }),
            _ => self.terminator(block, inst),
        }
    }

    /// A clause of a landing pad: types are known when the program is linked.
    fn clause(&mut self, clause: &PadClause) -> Result<Clause, String> {
        let operand = match clause {
            PadClause::Catch(operand) | PadClause::Filter(operand) => *operand,
        };
        let opd = self.operand(operand)?;
        let value = self
            .known(opd)
            .ok_or("a type of exceptions that is not constant")?;
        Ok(match (clause, value) {
            (PadClause::Catch(_), value) => Clause::Catch(value.clone()),
            (PadClause::Filter(_), Value::Agg(types)) => Clause::Filter(types.to_vec().into()),
            (PadClause::Filter(_), _) => Clause::Filter(Box::new([])),
        })
    }

    /// The format of a floating-point type; an error for those that are not computed with.
    fn format(&self, ty: TypeId) -> Result<Option<Fmt>, String> {
        match self.owner.types.resolved(ty) {
            Type::Float(kind) => Ok(Some(match kind {
                FloatKind::Half => Fmt::F16,
                FloatKind::BFloat => Fmt::BF16,
                FloatKind::Float => Fmt::F32,
                FloatKind::Double => Fmt::F64,
                FloatKind::X86Fp80 => Fmt::F80,
                FloatKind::Fp128 => Fmt::F128,
                FloatKind::PpcFp128 => return Err("arithmetic on ppc_fp128".into()),
            })),
            _ => Ok(None),
        }
    }

    fn cast(&mut self, op: CastOp, value: &IrValue, to: TypeId, dst: u32) -> Lowered {
        let a = self.operand(value.operand)?;
        let (from_lanes, from_element) = self.lanes(value.ty);
        let (to_lanes, to_element) = self.lanes(to);
        if matches!(op, CastOp::BitCast) {
            let scalar = from_lanes.is_none() && to_lanes.is_none();
            if scalar || value.ty == to {
                return Ok(Op::Move { dst, a });
            }
            let from = Box::new(memory_type(self.owner, value.ty)?);
            let to = Box::new(memory_type(self.owner, to)?);
            return Ok(Op::Reshape { dst, a, from, to });
        }
        let inner = match op {
            CastOp::FpTrunc
            | CastOp::FpExt
            | CastOp::FpToUi
            | CastOp::FpToSi
            | CastOp::UiToFp
            | CastOp::SiToFp => {
                let from = self.format(from_element)?;
                let to_format = self.format(to_element)?;
                let int = if from.is_some() {
                    to_element
                } else {
                    from_element
                };
                let width = if from.is_some() && to_format.is_some() {
                    0
                } else {
                    match self.bits(int)? {
                        bits @ 0..=128 => bits as u16,
                        bits => {
                            return Err(format!(
                                "a conversion of floating point and integers of {bits} bits"
                            ));
                        }
                    }
                };
                Op::FCast {
                    op,
                    from,
                    to: to_format,
                    width,
                    dst,
                    a,
                }
            }
            _ => Op::Cast {
                op,
                from: self.bits(from_element)? as u16,
                to: self.bits(to_element)? as u16,
                dst,
                a,
            },
        };
        Ok(in_lanes(from_lanes, inner))
    }

    fn memory(&mut self, inst: &Inst, dst: u32) -> Lowered {
        match &inst.kind {
            InstKind::Alloca { ty, count, align } => {
                let size = self.owner.layout.size(&self.owner.types, *ty);
                let count = match count {
                    Some(count) => Some((self.operand(count.operand)?, self.bits(count.ty)?)),
                    None => None,
                };
                let escapes = inst.result.is_none_or(|local| self.escapes[local.index()]);
                let align = (*align).clamp(1, 1 << 20) as u32;
                Ok(Op::Alloca {
                    dst,
                    size,
                    count,
                    align,
                    escapes,
                })
            }
            InstKind::Load(ptr) => {
                let ptr = self.operand(*ptr)?;
                Ok(match memory_type(self.owner, inst.ty)? {
                    MemTy::Scalar(bits) => Op::Load { dst, ptr, bits },
                    ty => Op::LoadParts {
                        dst,
                        ptr,
                        ty: Box::new(ty),
                    },
                })
            }
            InstKind::Store(value, ptr) => {
                let ptr = self.operand(*ptr)?;
                let stored = self.operand(value.operand)?;
                Ok(match memory_type(self.owner, value.ty)? {
                    MemTy::Scalar(bits) => Op::Store {
                        value: stored,
                        ptr,
                        bits,
                    },
                    ty => Op::StoreParts {
                        value: stored,
                        ptr,
                        ty: Box::new(ty),
                    },
                })
            }
            InstKind::Gep {
                source,
                base,
                indices,
            } => self.gep(*source, base, indices, inst.ty, dst),
            InstKind::AtomicRmw(op, ptr, value) => Ok(Op::AtomicRmw {
                op: *op,
                dst,
                ptr: self.operand(*ptr)?,
                value: self.operand(value.operand)?,
                bits: self.bits(value.ty)?,
            }),
            InstKind::CmpXchg(ptr, old, new) => Ok(Op::CmpXchg {
                dst,
                ptr: self.operand(*ptr)?,
                old: self.operand(old.operand)?,
                new: self.operand(*new)?,
                bits: self.bits(old.ty)?,
            }),
            InstKind::VaArg(list) => Ok(Op::VaArg {
                dst,
                list: self.operand(*list)?,
                ty: Box::new(memory_type(self.owner, inst.ty)?),
            }),
            _ => Ok(Op::Nop),
        }
    }

    fn gep(
        &mut self,
        source: TypeId,
        base: &IrValue,
        indices: &[IrValue],
        result: TypeId,
        dst: u32,
    ) -> Lowered {
        let (types, layout) = (&self.owner.types, &self.owner.layout);
        let mut ty = source;
        let mut offset = 0u64;
        let mut steps: Vec<(usize, u64)> = Vec::new();
        for (k, index) in indices.iter().enumerate() {
            let scale = if k == 0 {
                layout.size(types, ty)
            } else {
                match types.resolved(ty) {
                    Type::Struct { fields, .. } => {
                        let field = self.field_number(index)?;
                        offset = offset.wrapping_add(layout.field_offset(types, ty, field));
                        ty = *fields.get(field).ok_or("a field that does not exist")?;
                        continue;
                    }
                    Type::Array { element, .. } | Type::Vector { element, .. } => {
                        ty = *element;
                        layout.size(types, *element)
                    }
                    _ => return Err("an index into a scalar".into()),
                }
            };
            steps.push((k, scale));
        }
        let base = self.operand(base.operand)?;
        let first = self.code.scaled.len() as u32;
        for (k, scale) in steps {
            let index = &indices[k];
            let (_, element) = self.lanes(index.ty);
            let width = self.bits(element)?;
            let opd = self.operand(index.operand)?;
            if let Some(Value::Int(number)) = self.known(opd) {
                let number = crate::value::signed(*number, width) as u64;
                offset = offset.wrapping_add(scale.wrapping_mul(number));
            } else if scale != 0 {
                self.code.scaled.push(Scaled {
                    index: opd,
                    width,
                    scale,
                });
            }
        }
        let count = self.code.scaled.len() as u32 - first;
        let (lanes, _) = self.lanes(result);
        let op = match count {
            0 => Op::GepConst { dst, base, offset },
            _ => Op::Gep {
                dst,
                base,
                offset,
                first,
                count,
            },
        };
        Ok(in_lanes(lanes, op))
    }

    fn field_number(&self, index: &IrValue) -> Result<usize, String> {
        use stet_llvm::{Const, Operand};
        let Operand::Const(id) = index.operand else {
            return Err("a field chosen at run time".into());
        };
        let number = |id| match &self.owner.constants[id].value {
            Const::Int(value) => Some(*value as usize),
            Const::Zero => Some(0),
            _ => None,
        };
        let found = match &self.owner.constants[id].value {
            Const::Aggregate(lanes) => lanes.first().and_then(|&lane| number(lane)),
            Const::Splat(lane) => number(*lane),
            _ => number(id),
        };
        found.ok_or_else(|| "a field chosen at run time".into())
    }

    fn terminator(&mut self, block: BlockId, inst: &Inst) -> Lowered {
        match &inst.kind {
            InstKind::Br(target) => Ok(Op::Br {
                edge: self.edge(block, *target)?,
            }),
            InstKind::CondBr(condition, yes, no) => Ok(Op::CondBr {
                cond: self.operand(*condition)?,
                yes: self.edge(block, *yes)?,
                no: self.edge(block, *no)?,
            }),
            InstKind::Switch(value, default, cases) => {
                let mut edges: FastMap<u32, u32> = FastMap::default();
                let mut found = Vec::new();
                let default = self.edge(block, *default)?;
                for (constant, target) in cases.iter() {
                    let value = self.program.constant(self.ctx, self.module, *constant)?;
                    let value = self
                        .ctx
                        .number128(&value)
                        .ok_or("a case that is not a number")?;
                    let label = target.index() as u32;
                    let edge = match edges.get(&label) {
                        Some(&edge) => edge,
                        None => {
                            let edge = self.edge(block, *target)?;
                            edges.insert(label, edge);
                            edge
                        }
                    };
                    found.push((value, edge));
                }
                Ok(Op::Switch(Box::new(SwitchOp {
                    value: self.operand(value.operand)?,
                    width: self.bits(value.ty)?,
                    default,
                    table: found.iter().copied().collect(),
                    cases: found,
                })))
            }
            InstKind::IndirectBr(address, targets) => {
                let address = self.operand(*address)?;
                let mut edges = Vec::new();
                for target in targets.iter() {
                    let edge = self.edge(block, *target)?;
                    edges.push((self.code.edges[edge as usize].block, edge));
                }
                Ok(Op::IndirectBr {
                    address,
                    edges: edges.into(),
                })
            }
            InstKind::Ret(value) => Ok(Op::Ret {
                value: match value {
                    Some(value) => Some(self.operand(value.operand)?),
                    None => None,
                },
            }),
            _ => Ok(Op::Unreachable),
        }
    }

    fn call(
        &mut self,
        block: BlockId,
        call: &Call,
        dst: u32,
        has_result: bool,
        ty: TypeId,
    ) -> Lowered {
        let (normal, unwind) = match call.invoke {
            Some((normal, unwind)) => {
                let normal = self.edge(block, normal)?;
                (Some(normal), Some(self.edge(block, unwind)?))
            }
            None => (None, None),
        };
        let target = match &call.callee {
            Callee::Asm { code, constraints } => {
                let (code, constraints) = (self.owner.name(*code), self.owner.name(*constraints));
                let lowered =
                    self.assembly(code, constraints, call, dst, has_result.then_some(ty))?;
                return match (lowered, normal) {
                    (Op::Nop, Some(edge)) => Ok(Op::Br { edge }),
                    (_, Some(_)) => Err("inline assembly with a result that may unwind".into()),
                    (op, None) => Ok(op),
                };
            }
            Callee::Value(operand) => {
                let opd = self.operand(*operand)?;
                let known = self
                    .known(opd)
                    .and_then(|value| self.program.direct_callee(self.ctx, value));
                known.map_or(Target::Pointer(opd), Target::Function)
            }
        };
        if let Target::Function(index) = target {
            let functions = self.program.functions.borrow();
            let entry = &functions[index as usize];
            if entry.name.starts_with("llvm.lifetime.start")
                && let Some((pointer, size)) = call.args.split_last()
            {
                drop(functions);
                let size = size.first().map(|size| self.operand(size.value.operand));
                return Ok(Op::Begin {
                    ptr: self.operand(pointer.value.operand)?,
                    size: size.transpose()?,
                });
            }
            let ignored = IGNORED.iter().any(|prefix| entry.name.starts_with(prefix));
            if ignored && entry.definition.is_none() && !has_result {
                return Ok(normal.map_or(Op::Nop, |edge| Op::Br { edge }));
            }
        }
        let mut args = Vec::with_capacity(call.args.len());
        for arg in call.args.iter() {
            let byval = arg
                .byval
                .map(|ty| self.owner.layout.size(&self.owner.types, ty));
            // where a variable argument lies: structures where they ask for, wide numbers at multiples of 16
            let ty = arg.byval.unwrap_or(arg.value.ty);
            let align = self.owner.layout.align(&self.owner.types, ty);
            args.push(Arg {
                align: arg.align.max(align),
                value: self.operand(arg.value.operand)?,
                width: self.bits(arg.value.ty).unwrap_or(0),
                ty: memory_type(self.owner, arg.value.ty)?,
                is_pointer: *self.owner.types.resolved(arg.value.ty) == Type::Pointer,
                byval,
            });
        }
        Ok(Op::Call(Box::new(CallOp {
            dst: has_result.then_some(dst),
            target,
            args: args.into(),
            result_width: if has_result {
                self.bits(ty).unwrap_or(0)
            } else {
                0
            },
            shape: self.shape(call, has_result.then_some(ty)),
            normal,
            unwind,
            native: self.native_signature(target, call, has_result.then_some(ty)),
        })))
    }

    fn lane_widths(&self, vector: TypeId, index: TypeId) -> Result<LaneWidths, String> {
        let (_, element) = self.lanes(vector);
        Ok(LaneWidths {
            lane: self.bits(element)?,
            index: self.bits(index)?,
        })
    }

    fn shape(&self, call: &Call, result: Option<TypeId>) -> Rc<Shape> {
        let class = |arg: &CallArg| {
            let ty = (arg.value.ty, arg.byval);
            Class::of_argument(self.owner, ty, arg.align, arg.extension)
        };
        let result = result.map(|ty| Class::of(self.owner, ty, Extension::None));
        self.program.shape(Shape {
            params: call.args.iter().map(class).collect(),
            result: result.unwrap_or_default(),
        })
    }
}

fn in_lanes(lanes: Option<u32>, op: Op) -> Op {
    match lanes {
        Some(count) => Op::Lanes {
            count,
            inner: Box::new(op),
        },
        None => op,
    }
}

/// The width of all numbers in a type, if it is the same.
fn common_width(ty: &MemTy) -> Option<u32> {
    match ty {
        MemTy::Scalar(bits) | MemTy::Packed { bits, .. } => Some(*bits),
        MemTy::Parts { parts, .. } => {
            let mut widths = parts.iter().map(|(_, ty)| common_width(ty));
            let first = widths.next()??;
            widths.all(|width| width == Some(first)).then_some(first)
        }
    }
}
