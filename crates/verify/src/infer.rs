//! Inference of loop invariants by interval analysis.

use crate::cfg::Body;
use stet_base::FastMap;
use stet_boogie::Program;
use stet_boogie::ast::ExprId;

/// Facts that hold at loop heads, by block.
pub(crate) fn loop_invariants(_program: &mut Program, _body: &Body) -> FastMap<usize, Vec<ExprId>> {
    FastMap::default()
}
