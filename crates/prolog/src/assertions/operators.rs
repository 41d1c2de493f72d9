//! The operators that the `assertions` package brings into a file, and takes away at its end.

use crate::atoms::AtomTable;
use crate::ops::{OpClass, OpDef, OpType, Ops};

const KEYWORDS: &[&str] = &[
    "pred", "calls", "success", "comp", "entry", "exit", "prop", "regtype", "test", "texec", "decl",
];

const TABLE: &[(u16, OpType, &[&str])] = &[
    (975, OpType::Xfx, &["=>"]),
    (978, OpType::Xfx, &["::"]),
    (980, OpType::Xfx, &["#"]),
    // `:` binds weaker than `*`, for star form.
    (550, OpType::Xfy, &[":"]),
    (500, OpType::Fx, &["?", "@"]),
    (1150, OpType::Fx, KEYWORDS),
    (1150, OpType::Xfx, KEYWORDS),
    (1150, OpType::Fx, &["modedef"]),
];

/// Declares the operators of the assertion language.
pub fn add_assertion_operators(ops: &mut Ops, atoms: &mut AtomTable) {
    for (priority, kind, names) in TABLE {
        for name in *names {
            let definition = OpDef {
                priority: *priority,
                kind: *kind,
            };
            ops.add(atoms.intern(name), definition);
        }
    }
}

/// Puts the operators of the assertion language back to what they were in `outer`.
pub fn remove_assertion_operators(ops: &mut Ops, outer: &Ops, atoms: &mut AtomTable) {
    for (_, kind, names) in TABLE {
        for name in *names {
            let name = atoms.intern(name);
            let before = match kind.class() {
                OpClass::Prefix => outer.prefix(name),
                OpClass::Infix => outer.infix(name),
                OpClass::Postfix => outer.postfix(name),
            };
            match before {
                Some(definition) => ops.add(name, definition),
                None => ops.remove(name, kind.class()),
            }
        }
    }
}
