//! Lowering: a function of a module to dense code. Registers are numbered in order of definition; constants are
//! evaluated; phis become copies on edges; what cannot be executed becomes an instruction that says so.

mod asm;
mod asm_words;
mod dominance;
mod escape;
mod inst;
mod native;

use crate::code::{Code, Edge, MemTy, Op, Opd, Reg};
use crate::program::Program;
use crate::shape::{Class, Shape};
use crate::value::{Ctx, Value};
use stet_base::{FastMap, Index};
use stet_llvm::{
    BlockId, Body, ConstId, Extension, Function, FunctionId, InstKind, LocalId, Module, Operand,
    Param, Type, TypeId,
};

/// Lowers a defined function.
pub(crate) fn function(
    ctx: &Ctx,
    program: &Program,
    index: u32,
    module: u32,
    id: FunctionId,
) -> Code {
    let owner = &program.modules[module as usize];
    let function = &owner.functions[id];
    let empty = Body {
        blocks: Default::default(),
        locals: 0,
        block_of: Vec::new(),
        block_names: Vec::new(),
    };
    let body = function.body.as_ref().unwrap_or(&empty);
    let mut lowering = Lowering {
        ctx,
        program,
        module,
        owner,
        body,
        registers: vec![u32::MAX; body.locals as usize],
        types: vec![None; body.locals as usize],
        escapes: escape::escaping(body, owner),
        constants: FastMap::default(),
        phis: vec![Vec::new(); body.blocks.len()],
        code: Code {
            function: index,
            ops: Vec::new(),
            places: Vec::new(),
            edges: Vec::new(),
            scaled: Vec::new(),
            constants: Vec::new(),
            thread_locals: Vec::new(),
            registers: 0,
            params: Vec::new(),
            shape: program.shape(shape(owner, function)),
            varargs: function.varargs,
            optimized: owner.debug.is_optimized(function.debug).unwrap_or(false),
            block_sizes: Vec::new(),
            entered: vec![0; body.blocks.len()].into(),
        },
    };
    for param in &function.params {
        let register = match param.local {
            Some(local) => lowering.define(local, param.ty),
            None => lowering.fresh(),
        };
        lowering.code.params.push(register);
    }
    lowering.run();
    lowering.code
}

/// How a function takes its parameters and gives its result.
pub(crate) fn shape(owner: &Module, function: &Function) -> Shape {
    let params = function.params.iter();
    let class = |param: &Param| {
        let align = param.align;
        Class::of_argument(owner, (param.ty, param.byval), align, Extension::None)
    };
    Shape {
        params: params.map(class).collect(),
        result: Class::of(owner, function.result, Extension::None),
    }
}

/// The widest integer that is computed with.
pub(crate) const MAX_WIDTH: u32 = 1024;

/// The most parts a value may have.
pub(crate) const MAX_PARTS: u32 = 1 << 20;

/// How values of a type lie in memory.
pub(crate) fn memory_type(owner: &Module, ty: TypeId) -> Result<MemTy, String> {
    let mut room = MAX_PARTS;
    memory_type_in(owner, ty, &mut room)
}

/// As [`memory_type`]; structures of structures have more parts than their text is long, so they are counted.
fn memory_type_in(owner: &Module, ty: TypeId, room: &mut u32) -> Result<MemTy, String> {
    *room = room
        .checked_sub(1)
        .ok_or("an aggregate of more than a million parts as a value")?;
    let (types, layout) = (&owner.types, &owner.layout);
    let parts = |parts: Result<Vec<(u64, MemTy)>, String>| {
        Ok(MemTy::Parts {
            parts: parts?.into(),
            size: layout.store_size(types, ty),
        })
    };
    match types.resolved(ty) {
        Type::Int(width) if *width <= MAX_WIDTH => Ok(MemTy::Scalar(*width)),
        Type::Int(width) => Err(format!("an integer of {width} bits")),
        Type::Float(_) | Type::Pointer => Ok(MemTy::Scalar(layout.bits(types, ty).unwrap_or(64))),
        Type::Array { len, element } => {
            if *len > u64::from(*room) {
                return Err("an aggregate of more than a million parts as a value".into());
            }
            *room -= *len as u32;
            let stride = layout.size(types, *element);
            let element = memory_type_in(owner, *element, room)?;
            parts(Ok((0..*len)
                .map(|k| (k * stride, element.clone()))
                .collect()))
        }
        Type::Vector { len, element } => {
            let bits = layout.bits(types, *element).unwrap_or(0);
            if bits > MAX_WIDTH || *len > 1 << 16 {
                return Err(format!("a vector of {len} elements of {bits} bits"));
            }
            if bits % 8 != 0 {
                let total = *len * u64::from(bits);
                if total > u64::from(MAX_WIDTH) {
                    return Err(format!(
                        "a vector of {len} elements of {bits} bits in memory"
                    ));
                }
                return Ok(MemTy::Packed {
                    count: *len as u32,
                    bits,
                });
            }
            let stride = u64::from(bits / 8);
            parts(Ok((0..*len)
                .map(|k| (k * stride, MemTy::Scalar(bits)))
                .collect()))
        }
        Type::Struct { fields, .. } => {
            let fields = fields.iter().enumerate().map(|(k, &field)| {
                let offset = layout.field_offset(types, ty, k);
                Ok((offset, memory_type_in(owner, field, room)?))
            });
            parts(fields.collect())
        }
        Type::Void | Type::Metadata | Type::Label | Type::Token => Ok(MemTy::Scalar(64)),
        Type::Unsupported(name) | Type::Named(name) => {
            Err(format!("the type `{}`", owner.name(*name)))
        }
        Type::Function { .. } => Err("a function as a value".into()),
    }
}

/// Why an instruction is not executed that LLVM's verifier would refuse.
const EARLY_USE: &str = "broken code (a register that is used before it is defined)";

/// A phi: its register and its values by predecessor.
type Phi<'a> = (Reg, &'a [(Operand, LocalId)]);

pub(super) struct Lowering<'a> {
    pub(super) ctx: &'a Ctx,
    pub(super) program: &'a Program,
    pub(super) module: u32,
    pub(super) owner: &'a Module,
    pub(super) body: &'a Body,
    registers: Vec<Reg>,
    types: Vec<Option<TypeId>>,
    pub(super) escapes: Vec<bool>,
    constants: FastMap<ConstId, Opd>,
    /// Per block its phis: destination and incoming values.
    phis: Vec<Vec<Phi<'a>>>,
    pub(super) code: Code,
}

impl<'a> Lowering<'a> {
    fn fresh(&mut self) -> Reg {
        self.code.registers += 1;
        self.code.registers - 1
    }

    fn define(&mut self, local: LocalId, ty: TypeId) -> Reg {
        self.types[local.index()] = Some(ty);
        self.register(local)
    }

    /// The register of a local; uses may come before the definition.
    pub(super) fn register(&mut self, local: LocalId) -> Reg {
        if self.registers[local.index()] == u32::MAX {
            self.registers[local.index()] = self.code.registers;
            self.code.registers += 1;
        }
        self.registers[local.index()]
    }

    fn run(&mut self) {
        let body = self.body;
        for (block, content) in body.blocks.iter() {
            for inst in &content.insts {
                let InstKind::Phi(incoming) = &inst.kind else {
                    break;
                };
                if let Some(local) = inst.result {
                    let register = self.define(local, inst.ty);
                    self.phis[block.index()].push((register, incoming));
                }
            }
        }
        let early = dominance::early_uses(body);
        let mut starts = Vec::new();
        for (block, content) in body.blocks.iter() {
            starts.push(self.code.ops.len() as u32);
            for (position, inst) in content.insts.iter().enumerate() {
                if matches!(inst.kind, InstKind::Phi(_)) {
                    continue;
                }
                let lowered = match early.contains(&(block.index(), position)) {
                    true => Err(EARLY_USE.to_owned()),
                    false => self.instruction(block, inst),
                };
                let op = lowered.unwrap_or_else(|what| Op::Unsupported(what.into()));
                if !matches!(op, Op::Nop) {
                    self.code.ops.push(op);
                    self.code.places.push((inst.debug, inst.position));
                }
            }
            let size = self.code.ops.len() as u32 - starts[starts.len() - 1];
            self.code.block_sizes.push(size);
        }
        debug_assert!(
            self.code.ops.len() == self.code.places.len()
                && starts.len() == self.code.block_sizes.len(),
            "a place for every instruction, a size for every block"
        );
        debug_assert!(
            self.code
                .edges
                .iter()
                .all(|edge| (edge.block as usize) < starts.len()),
            "edges lead to blocks of the function"
        );
        for edge in &mut self.code.edges {
            edge.target = starts[edge.block as usize];
        }
    }

    /// The edge between two blocks, with the copies of the phis at its end.
    pub(super) fn edge(&mut self, from: BlockId, label: LocalId) -> Result<u32, String> {
        let to = self.body.block_of[label.index()].ok_or("a branch to no block")?;
        let source = self.body.blocks[from].label;
        let mut moves = Vec::new();
        for k in 0..self.phis[to.index()].len() {
            let (register, incoming) = self.phis[to.index()][k];
            let value = incoming.iter().find(|(_, from)| *from == source);
            let (value, _) = value.ok_or("a phi without a value for an edge")?;
            moves.push((register, self.operand(*value)?));
        }
        let overlapping =
            (0..moves.len()).any(|i| moves[i + 1..].iter().any(|(_, from)| from.0 == moves[i].0));
        self.code.edges.push(Edge {
            target: 0,
            block: to.index() as u32,
            moves: moves.into(),
            overlapping,
        });
        Ok(self.code.edges.len() as u32 - 1)
    }

    pub(super) fn operand(&mut self, operand: Operand) -> Result<Opd, String> {
        match operand {
            Operand::Local(local) => Ok(Opd(self.register(local))),
            Operand::Const(id) => {
                if let Some(&known) = self.constants.get(&id) {
                    return Ok(known);
                }
                let value = self.program.constant(self.ctx, self.module, id)?;
                let opd = match value {
                    Value::Ptr(object, offset) if self.program.is_thread_local(object) => {
                        let register = self.fresh();
                        let variable = (register, object, offset);
                        self.code.thread_locals.push(variable);
                        Opd(register)
                    }
                    value => self.constant(value),
                };
                self.constants.insert(id, opd);
                Ok(opd)
            }
            Operand::Metadata => Ok(self.constant(Value::Int(0))),
        }
    }

    pub(super) fn constant(&mut self, value: Value) -> Opd {
        debug_assert!(
            self.code.constants.len() < Opd::CONST as usize,
            "an operand says whether it is a constant"
        );
        self.code.constants.push(value);
        Opd((self.code.constants.len() as u32 - 1) | Opd::CONST)
    }

    /// The value of an operand that is a constant.
    pub(super) fn known(&self, opd: Opd) -> Option<&Value> {
        match opd.0 & Opd::CONST {
            0 => None,
            _ => self.code.constants.get((opd.0 & !Opd::CONST) as usize),
        }
    }

    /// The bits of a scalar type that is computed with.
    pub(super) fn bits(&self, ty: TypeId) -> Result<u32, String> {
        let bits = self.owner.layout.bits(&self.owner.types, ty);
        match bits {
            Some(bits) if bits <= MAX_WIDTH => Ok(bits),
            Some(bits) => Err(format!("an integer of {bits} bits")),
            None => Err("a value of this type".into()),
        }
    }

    /// For a vector its length and element type.
    pub(super) fn lanes(&self, ty: TypeId) -> (Option<u32>, TypeId) {
        match self.owner.types.resolved(ty) {
            Type::Vector { len, element } => (Some(*len as u32), *element),
            _ => (None, ty),
        }
    }
}
