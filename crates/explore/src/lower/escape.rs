//! Escape analysis: stack objects whose addresses may outlive their frame, or be compared or stored.
//!
//! An address that is only loaded from, stored to, and stepped over cannot be mentioned after its frame
//! returns, so the place of the object may be used again.

use stet_base::Index;
use stet_llvm::{Body, Callee, Const, InstKind, LocalId, Module, Operand};

/// For each local whether its value may escape as an address.
pub(super) fn escaping(body: &Body, owner: &Module) -> Vec<bool> {
    let mut escapes = vec![false; body.locals as usize];
    let mut steps: Vec<(LocalId, LocalId)> = Vec::new();
    for (_, block) in body.blocks.iter() {
        for inst in &block.insts {
            let mut leak = |operand: &Operand| {
                if let Operand::Local(local) = operand {
                    escapes[local.index()] = true;
                }
            };
            match &inst.kind {
                InstKind::Load(_) | InstKind::Alloca { .. } | InstKind::Br(_) | InstKind::Fence => {
                }
                InstKind::Store(value, _) => leak(&value.operand),
                InstKind::Gep { base, indices, .. } => {
                    indices.iter().for_each(|index| leak(&index.operand));
                    if let (Operand::Local(from), Some(to)) = (base.operand, inst.result) {
                        steps.push((from, to));
                    }
                }
                InstKind::Call(call) if only_accesses(&call.callee, owner) => {}
                kind => operands(kind, &mut leak),
            }
        }
    }
    loop {
        let before = steps.len();
        steps.retain(|&(from, to)| {
            if escapes[to.index()] {
                escapes[from.index()] = true;
            }
            !escapes[to.index()]
        });
        if steps.len() == before {
            return escapes;
        }
    }
}

/// Intrinsics that access memory and keep nothing.
fn only_accesses(callee: &Callee, owner: &Module) -> bool {
    let Callee::Value(Operand::Const(id)) = callee else {
        return false;
    };
    let Const::Global(name) = owner.constants[*id].value else {
        return false;
    };
    let name = owner.name(name);
    [
        "llvm.lifetime.",
        "llvm.memcpy.",
        "llvm.memset.",
        "llvm.memmove.",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

/// Calls `each` with every operand of an instruction.
pub(super) fn operands(kind: &InstKind, each: &mut dyn FnMut(&Operand)) {
    match kind {
        InstKind::Binary(_, a, b) | InstKind::ICmp(_, _, a, b) | InstKind::FCmp(_, _, a, b) => {
            each(a);
            each(b);
        }
        InstKind::FNeg(a) | InstKind::Load(a) | InstKind::VaArg(a) | InstKind::IndirectBr(a, _) => {
            each(a)
        }
        InstKind::CondBr(a, ..) => each(a),
        InstKind::Cast(_, value) | InstKind::Freeze(value) | InstKind::ExtractValue(value, _) => {
            each(&value.operand);
        }
        InstKind::Switch(value, ..) | InstKind::Ret(Some(value)) | InstKind::Resume(value) => {
            each(&value.operand);
        }
        InstKind::Store(value, to) => {
            each(&value.operand);
            each(to);
        }
        InstKind::Phi(incoming) => incoming.iter().for_each(|(value, _)| each(value)),
        InstKind::Select(condition, a, b) => {
            each(&condition.operand);
            each(a);
            each(b);
        }
        InstKind::Call(call) => {
            if let Callee::Value(callee) = &call.callee {
                each(callee);
            }
            call.args.iter().for_each(|arg| each(&arg.value.operand));
        }
        InstKind::InsertValue(a, b, _)
        | InstKind::ExtractElement(a, b)
        | InstKind::Shuffle(a, b, _) => {
            each(&a.operand);
            each(&b.operand);
        }
        InstKind::InsertElement(a, b, c) => {
            each(&a.operand);
            each(&b.operand);
            each(&c.operand);
        }
        InstKind::AtomicRmw(_, to, value) => {
            each(to);
            each(&value.operand);
        }
        InstKind::CmpXchg(to, old, new) => {
            each(to);
            each(&old.operand);
            each(new);
        }
        InstKind::Gep { base, indices, .. } => {
            each(&base.operand);
            indices.iter().for_each(|index| each(&index.operand));
        }
        InstKind::Alloca { count, .. } => count.iter().for_each(|count| each(&count.operand)),
        InstKind::Br(_)
        | InstKind::Ret(None)
        | InstKind::Unreachable
        | InstKind::LandingPad { .. }
        | InstKind::Fence
        | InstKind::Unsupported(_) => {}
    }
}
