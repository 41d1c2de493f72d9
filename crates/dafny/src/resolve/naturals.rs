//! Inferred variables that stay natural numbers: sums, multiples, quotients and remainders of naturals and literals.
//!
//! Arithmetic has the type `int`, so a variable that is also assigned `x + 1` or `x % y` would lose the type `nat` of its first
//! value, and with it what loops know of it. The assignments are checked as those to any variable of type `nat`. Differences
//! are not looked at: they need not be natural. As in Dafny, sums of declared variables are integers: `var z := n + n;`.

use super::Resolver;
use crate::tree::{BinaryOp, ExprId, ExprKind};

/// What a value says about the variable that it is assigned to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Natural {
    /// A literal: it fits `nat`, and does not ask for it.
    Literal,
    Yes,
    No,
}

/// How deep sums are looked at.
const MAX_DEPTH: u32 = 50;

impl Resolver<'_> {
    pub(crate) fn natural(&self, e: ExprId, depth: u32) -> Natural {
        let expr = &self.program.exprs[e];
        match &expr.kind {
            ExprKind::Int(value) if value.sign() != num_bigint::Sign::Minus => Natural::Literal,
            ExprKind::Binary(op, left, right) if depth < MAX_DEPTH => {
                let (left, right) = (
                    self.natural(*left, depth + 1),
                    self.natural(*right, depth + 1),
                );
                combined(*op, left, right)
            }
            ExprKind::Var(var) if expr.ty == self.program.types.nat => {
                match self.inferred_vars.contains(var) {
                    true => Natural::Yes,
                    false => Natural::No,
                }
            }
            _ => Natural::No,
        }
    }
}

fn combined(op: BinaryOp, left: Natural, right: Natural) -> Natural {
    let is_easy = match op {
        BinaryOp::Add | BinaryOp::Mod => true,
        // products of two variables are hard for provers
        BinaryOp::Mul => left == Natural::Literal || right == Natural::Literal,
        BinaryOp::Div => right == Natural::Literal,
        _ => false,
    };
    match (left, right) {
        _ if !is_easy => Natural::No,
        (Natural::No, _) | (_, Natural::No) => Natural::No,
        (Natural::Literal, Natural::Literal) => Natural::Literal,
        _ => Natural::Yes,
    }
}
