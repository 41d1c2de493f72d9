//! The native types that newtypes fit in: ranges that their constraints show, with constants computed.

use crate::advice::newtypes;
use crate::tree::{BinaryOp as Op, Constrained, ExprId, ExprKind, Program, TyKind, UnaryOp, VarId};
use num_bigint::BigInt;
use stet_diag::Diagnostic;

/// How deep constants are computed.
const MAX_DEPTH: u32 = 200;

/// Integers from the first up to, and without, the second; either may be unknown.
#[derive(Clone, Default)]
struct Range {
    low: Option<BigInt>,
    high: Option<BigInt>,
}

impl Range {
    fn at_least(&mut self, bound: BigInt) {
        if self.low.as_ref().is_none_or(|low| *low < bound) {
            self.low = Some(bound);
        }
    }

    fn below(&mut self, bound: BigInt) {
        if self.high.as_ref().is_none_or(|high| bound < *high) {
            self.high = Some(bound);
        }
    }
}

/// A computed constant.
#[derive(Clone, PartialEq)]
enum Value {
    Int(BigInt),
    Bool(bool),
    Char(u32),
}

/// Says which native type each newtype gets.
pub(crate) fn hints(p: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (declared, constrained) in newtypes(p) {
        let Some((name, is_complete, shown)) = native(p, constrained) else {
            continue;
        };
        let complete = if is_complete { "target-complete " } else { "" };
        let message = format!(
            "newtype {} resolves as {complete}{{:nativeType \"{name}\"}} (detected range: {shown})",
            p.text(declared.name)
        );
        found.push(Diagnostic::note("dafny/native-type", message).at(declared.span));
    }
    found
}

fn native(p: &Program, constrained: &Constrained) -> Option<(&'static str, bool, String)> {
    let range = range_of(p, constrained, 0)?;
    let (low, high) = (range.low?, range.high?);
    if high <= low {
        return Some(("byte", false, "empty".into()));
    }
    let power = |n: u32| BigInt::from(1) << n;
    let zero = BigInt::from(0);
    let types = [
        ("byte", zero.clone(), power(8)),
        ("sbyte", -power(7), power(7)),
        ("ushort", zero.clone(), power(16)),
        ("short", -power(15), power(15)),
        ("uint", zero.clone(), power(32)),
        ("int", -power(31), power(31)),
        ("ulong", zero, power(64)),
        ("long", -power(63), power(63)),
    ];
    types.into_iter().find_map(|(name, from, to)| {
        (from <= low && high <= to).then(|| {
            let is_complete = from == low && to == high;
            (name, is_complete, format!("{low} .. {high}"))
        })
    })
}

/// The range of the integers in a newtype.
fn range_of(p: &Program, constrained: &Constrained, depth: u32) -> Option<Range> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut range = Range::default();
    match &*p.types.kind(constrained.base) {
        TyKind::Int => {}
        TyKind::Nat => range.at_least(0.into()),
        TyKind::Named { decl, .. } => match &p.decls[*decl].kind {
            crate::tree::TypeDeclKind::Newtype(base) | crate::tree::TypeDeclKind::Subset(base) => {
                range = range_of(p, base, depth + 1)?;
            }
            _ => return None,
        },
        _ => return None,
    }
    if let (Some(var), Some(constraint)) = (constrained.var, constrained.constraint) {
        narrow(p, var, constraint, &mut range);
    }
    Some(range)
}

/// Narrows a range by the conjuncts that compare the variable with constants.
fn narrow(p: &Program, var: VarId, constraint: ExprId, range: &mut Range) {
    let mut pending = vec![constraint];
    while let Some(e) = pending.pop() {
        let ExprKind::Binary(op, a, b) = p.exprs[e].kind else {
            continue;
        };
        if op == Op::And {
            pending.extend([a, b]);
            continue;
        }
        let is_var = |e: ExprId| matches!(p.exprs[e].kind, ExprKind::Var(v) if v == var);
        // The comparison as one of the variable with a constant.
        let (op, constant) = match (is_var(a), is_var(b)) {
            (true, false) => (op, b),
            (false, true) => (turned(op), a),
            _ => continue,
        };
        let Some(Value::Int(bound)) = value(p, constant, 0) else {
            continue;
        };
        match op {
            Op::Le => range.below(bound + 1),
            Op::Lt => range.below(bound),
            Op::Ge => range.at_least(bound),
            Op::Gt => range.at_least(bound + 1),
            Op::Eq => {
                range.at_least(bound.clone());
                range.below(bound + 1);
            }
            _ => {}
        }
    }
}

fn turned(op: Op) -> Op {
    match op {
        Op::Le => Op::Ge,
        Op::Lt => Op::Gt,
        Op::Ge => Op::Le,
        Op::Gt => Op::Lt,
        other => other,
    }
}

fn value(p: &Program, e: ExprId, depth: u32) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |e: ExprId| value(p, e, depth + 1);
    match &p.exprs[e].kind {
        ExprKind::Int(n) => Some(Value::Int(n.clone())),
        ExprKind::Bool(b) => Some(Value::Bool(*b)),
        ExprKind::Char(c) => Some(Value::Char(*c)),
        ExprKind::StaticConst { member, .. } => match &p.members[*member].kind {
            crate::tree::MemberKind::Const { value: Some(e), .. } => inner(*e),
            _ => None,
        },
        ExprKind::Unary(UnaryOp::Neg, a) => match inner(*a)? {
            Value::Int(n) => Some(Value::Int(-n)),
            _ => None,
        },
        ExprKind::Unary(UnaryOp::Not, a) => match inner(*a)? {
            Value::Bool(b) => Some(Value::Bool(!b)),
            _ => None,
        },
        ExprKind::Convert(a, ty) => {
            let is_int = matches!(&*p.types.kind(p.representation(*ty)), TyKind::Int);
            let is_plain = matches!(&*p.types.kind(*ty), TyKind::Int);
            match inner(*a)? {
                Value::Int(n) if is_int && is_plain => Some(Value::Int(n)),
                _ => None,
            }
        }
        ExprKind::Ite(c, a, b) => match inner(*c)? {
            Value::Bool(true) => inner(*a),
            Value::Bool(false) => inner(*b),
            _ => None,
        },
        ExprKind::Index(of, at) => match (&p.exprs[*of].kind, inner(*at)?) {
            (ExprKind::Str(text), Value::Int(at)) => {
                let at = usize::try_from(&at).ok()?;
                text.get(at).map(|&c| Value::Char(c))
            }
            _ => None,
        },
        ExprKind::Binary(op, a, b) => binary(*op, inner(*a), || inner(*b)),
        _ => None,
    }
}

fn binary(op: Op, a: Option<Value>, b: impl Fn() -> Option<Value>) -> Option<Value> {
    match (op, a?) {
        (Op::Imp, Value::Bool(false)) | (Op::Or, Value::Bool(true)) => Some(Value::Bool(true)),
        (Op::And, Value::Bool(false)) => Some(Value::Bool(false)),
        (Op::Imp | Op::And | Op::Or, Value::Bool(_)) => b(),
        (Op::Eq, a) => Some(Value::Bool(a == b()?)),
        (Op::Neq, a) => Some(Value::Bool(a != b()?)),
        (_, Value::Int(a)) => match b()? {
            Value::Int(b) => arithmetic(op, a, b),
            _ => None,
        },
        _ => None,
    }
}

fn arithmetic(op: Op, a: BigInt, b: BigInt) -> Option<Value> {
    let zero = BigInt::from(0);
    let is_divisor = b != zero;
    // Division is Euclidean: remainders are not negative.
    let remainder = |a: &BigInt, b: &BigInt| {
        let r = a % b;
        match r < zero {
            true if *b < zero => r - b,
            true => r + b,
            false => r,
        }
    };
    Some(match op {
        Op::Add => Value::Int(a + b),
        Op::Sub => Value::Int(a - b),
        Op::Mul => Value::Int(a * b),
        Op::Mod if is_divisor => Value::Int(remainder(&a, &b)),
        Op::Div if is_divisor => {
            let r = remainder(&a, &b);
            Value::Int((a - r) / b)
        }
        Op::Lt => Value::Bool(a < b),
        Op::Le => Value::Bool(a <= b),
        Op::Gt => Value::Bool(a > b),
        Op::Ge => Value::Bool(a >= b),
        _ => return None,
    })
}
