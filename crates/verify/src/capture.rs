//! Names for the states of a program, so that counterexamples tell the values of variables along the failing path.

use stet_base::Span;
use stet_boogie::Program;
use stet_boogie::ast::{AttrParam, Attribute, Attributes, Cmd, CmdKind, ExprKind};

/// Puts `assume {:captureState "…"}` after every command that changes a variable and whose place has a name.
pub fn capture_states(program: &mut Program, name: &dyn Fn(Span) -> Option<String>) {
    let key = program.names.intern("captureState");
    let bool_type = program.types.bool();
    for imp in program.impls.ids().collect::<Vec<_>>() {
        let mut blocks = std::mem::take(&mut program.impls[imp].blocks);
        for block in &mut blocks {
            let mut cmds = Vec::with_capacity(block.cmds.len());
            for &id in &block.cmds {
                cmds.push(id);
                let Cmd { span, kind, .. } = &program.cmds[id];
                let changes = matches!(
                    kind,
                    CmdKind::Assign { .. } | CmdKind::Havoc(_) | CmdKind::Call(_)
                );
                let span = *span;
                if !changes || stet_boogie::is_nowhere(span) {
                    continue;
                }
                let Some(name) = name(span) else { continue };
                let yes = program.add_expr(span, ExprKind::Bool(true), Some(bool_type));
                let mark = Attribute {
                    span,
                    key,
                    params: vec![AttrParam::Str(name.into())],
                };
                cmds.push(program.cmds.push(Cmd {
                    span,
                    kind: CmdKind::Assume(yes),
                    attrs: Attributes(vec![mark]),
                }));
            }
            block.cmds = cmds;
        }
        program.impls[imp].blocks = blocks;
    }
}
