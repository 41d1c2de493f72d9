//! The parts of Dafny expressions and statements, for questions about whole trees.

use stet_dafny::tree::*;

/// Calls `visit` with an expression and everything in it; `visit` says whether to go on into the parts. What statements in
/// expressions say is not part of the value, and is left out.
pub(crate) fn walk(p: &Program, root: ExprId, visit: &mut dyn FnMut(ExprId) -> bool) {
    let mut pending = vec![root];
    while let Some(e) = pending.pop() {
        if visit(e) {
            pending.extend(p.exprs[e].kind.children());
        }
    }
}

/// The expressions that the meaning of a function depends on.
pub(crate) fn of_function(f: &Function) -> Vec<ExprId> {
    let clauses = f.requires.iter().chain(&f.ensures).map(|c| c.expr);
    let frame = f.reads.items.iter().map(|i| i.expr);
    let measure = f.decreases.exprs.iter().copied();
    clauses.chain(frame).chain(measure).chain(f.body).collect()
}
