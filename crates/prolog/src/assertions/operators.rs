//! The operators that the `assertions` package brings into a module.

use crate::atoms::AtomTable;
use crate::ops::{OpDef, OpType, Ops};

/// Declares the operators of the assertion language.
pub fn add_assertion_operators(ops: &mut Ops, atoms: &mut AtomTable) {
    let table: &[(u16, OpType, &[&str])] = &[
        (975, OpType::Xfx, &["=>"]),
        (978, OpType::Xfx, &["::"]),
        (980, OpType::Xfx, &["#"]),
        (550, OpType::Xfx, &[":"]),
        (500, OpType::Fx, &["?", "@"]),
        (
            1150,
            OpType::Fx,
            &[
                "pred", "calls", "success", "comp", "entry", "exit", "prop", "regtype", "test",
                "modedef",
            ],
        ),
        (
            1150,
            OpType::Xfx,
            &[
                "pred", "calls", "success", "comp", "entry", "exit", "prop", "regtype", "test",
            ],
        ),
    ];
    for (priority, kind, names) in table {
        for name in *names {
            // `:` chains in module-qualified goals, which only xfy allows.
            let kind = if *name == ":" { OpType::Xfy } else { *kind };
            let name = atoms.intern(name);
            ops.add(
                name,
                OpDef {
                    priority: *priority,
                    kind,
                },
            );
        }
    }
}
