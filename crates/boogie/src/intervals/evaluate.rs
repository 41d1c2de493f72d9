//! States of the interval analysis: bounds of variables, and what expressions evaluate to and conditions imply under them.

use super::Thresholds;
use crate::ast::*;
use crate::program::Program;
use crate::types::Type;
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::rc::Rc;
use stet_base::FastMap;

/// Bounds of a value. Integers: `low <= v < high`; reals: `low <= v <= high`; Booleans: a low bound means true,
/// a high bound false.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Bounds {
    pub(super) low: Option<BigInt>,
    pub(super) high: Option<BigInt>,
}

/// Types that have bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    Int,
    Real,
}

fn kind_of(program: &Program, expr: ExprId) -> Option<Kind> {
    match program.types.get(program.exprs[expr].ty?) {
        Type::Bool => Some(Kind::Bool),
        Type::Int => Some(Kind::Int),
        Type::Real => Some(Kind::Real),
        _ => None,
    }
}

impl Bounds {
    fn truth(value: bool) -> Self {
        let one = Some(BigInt::from(1));
        match value {
            true => Bounds {
                low: one,
                high: None,
            },
            false => Bounds {
                low: None,
                high: one,
            },
        }
    }

    fn is_free(&self) -> bool {
        self.low.is_none() && self.high.is_none()
    }

    fn is_true(&self) -> bool {
        self.low.is_some()
    }

    fn is_false(&self) -> bool {
        self.high.is_some()
    }
}

/// The weaker of two lower bounds.
fn weaker_low(a: &Option<BigInt>, b: &Option<BigInt>) -> Option<BigInt> {
    Some(a.as_ref()?.min(b.as_ref()?).clone())
}

/// The weaker of two upper bounds.
fn weaker_high(a: &Option<BigInt>, b: &Option<BigInt>) -> Option<BigInt> {
    Some(a.as_ref()?.max(b.as_ref()?).clone())
}

/// Functions that are operators, by what axioms say.
pub(super) type Operators = Rc<FastMap<FuncId, BinaryOp>>;

/// Bounds of variables; a variable that is absent has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    bounds: BTreeMap<VarId, Bounds>,
    bottom: bool,
    /// Functions that axioms define to be operators.
    operators: Operators,
    /// Variables that stand for others for the moment.
    renaming: FastMap<VarId, VarId>,
}

impl State {
    /// Nothing is known but what these functions are.
    pub(super) fn new(operators: Operators) -> State {
        State {
            operators,
            ..State::default()
        }
    }

    pub(super) fn is_bottom(&self) -> bool {
        self.bottom
    }

    pub(super) fn entries(&self) -> Vec<(VarId, Bounds)> {
        self.bounds.iter().map(|(&v, b)| (v, b.clone())).collect()
    }

    pub(super) fn variables(&self) -> Vec<VarId> {
        self.bounds.keys().copied().collect()
    }

    pub(super) fn rename(&mut self, from: VarId, to: VarId) {
        self.renaming.insert(from, to);
    }

    pub(super) fn clear_renaming(&mut self) {
        self.renaming.clear();
    }

    fn renamed(&self, var: VarId) -> VarId {
        self.renaming.get(&var).copied().unwrap_or(var)
    }

    pub(super) fn set(&mut self, var: VarId, bounds: Bounds) {
        if bounds.is_free() {
            self.bounds.remove(&var);
        } else {
            self.bounds.insert(var, bounds);
        }
    }

    pub(super) fn get(&self, var: VarId) -> Bounds {
        self.bounds
            .get(&self.renamed(var))
            .cloned()
            .unwrap_or_default()
    }

    /// Whether every bound of `other` holds here.
    pub(super) fn is_below(&self, other: &State) -> bool {
        if self.bottom || other.bottom {
            return self.bottom;
        }
        other.bounds.iter().all(|(var, theirs)| {
            let Some(ours) = self.bounds.get(var) else {
                return false;
            };
            let low = match (&ours.low, &theirs.low) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(a), Some(b)) => a >= b,
            };
            let high = match (&ours.high, &theirs.high) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(a), Some(b)) => a <= b,
            };
            low && high
        })
    }

    pub(super) fn join(&self, other: &State) -> State {
        if self.bottom {
            return other.clone();
        }
        if other.bottom {
            return self.clone();
        }
        let mut result = State::new(self.operators.clone());
        for (&var, a) in &self.bounds {
            if let Some(b) = other.bounds.get(&var) {
                let bounds = Bounds {
                    low: weaker_low(&a.low, &b.low),
                    high: weaker_high(&a.high, &b.high),
                };
                result.set(var, bounds);
            }
        }
        result
    }

    /// Like a join, but bounds that are not stable go to a threshold.
    pub(super) fn widen(&self, other: &State, thresholds: &Thresholds) -> State {
        if self.bottom {
            return other.clone();
        }
        if other.bottom {
            return self.clone();
        }
        let mut result = State::new(self.operators.clone());
        for (&var, a) in &self.bounds {
            let Some(b) = other.bounds.get(&var) else {
                continue;
            };
            let low = match (&a.low, &b.low) {
                (Some(x), Some(y)) if x <= y => Some(x.clone()),
                (Some(_), Some(y)) => thresholds.below(y),
                _ => None,
            };
            let high = match (&a.high, &b.high) {
                (Some(x), Some(y)) if y <= x => Some(x.clone()),
                (Some(_), Some(y)) => thresholds.above(y),
                _ => None,
            };
            result.set(var, Bounds { low, high });
        }
        result
    }

    /// Adds what a condition implies.
    pub(super) fn assume(&mut self, program: &Program, condition: ExprId) {
        let mut stack = vec![condition];
        while let Some(expr) = stack.pop() {
            if self.bottom {
                return;
            }
            if let ExprKind::Binary(BinaryOp::And, a, b) = program.exprs[expr].kind {
                stack.extend([b, a]);
            } else {
                self.assume_one(program, expr);
            }
        }
    }

    fn variable(&self, program: &Program, expr: ExprId) -> Option<(VarId, Kind)> {
        let ExprKind::Ident { var: Some(var), .. } = program.exprs[expr].kind else {
            return None;
        };
        Some((self.renamed(var), kind_of(program, expr)?))
    }

    fn meet(&mut self, var: VarId, kind: Kind, bounds: Bounds) {
        let known = self.bounds.get(&var).cloned().unwrap_or_default();
        let low = match (known.low, bounds.low) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let high = match (known.high, bounds.high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        if let (Some(low), Some(high)) = (&low, &high) {
            let empty = match kind {
                Kind::Bool => true,
                Kind::Int => high <= low,
                Kind::Real => high < low,
            };
            if empty {
                self.bottom = true;
                self.bounds.clear();
                return;
            }
        }
        self.set(var, Bounds { low, high });
    }

    fn assume_one(&mut self, program: &Program, expr: ExprId) {
        match program.exprs[expr].kind {
            ExprKind::Bool(false) => {
                self.bottom = true;
                self.bounds.clear();
            }
            ExprKind::Ident { .. } => {
                if let Some((var, kind)) = self.variable(program, expr) {
                    self.meet(var, kind, Bounds::truth(true));
                }
            }
            ExprKind::Unary(UnaryOp::Not, arg) => {
                if let Some((var, kind)) = self.variable(program, arg) {
                    self.meet(var, kind, Bounds::truth(false));
                }
            }
            ExprKind::Binary(op, left, right) => self.assume_relation(program, op, left, right),
            _ => {}
        }
    }

    fn assume_relation(&mut self, program: &Program, op: BinaryOp, left: ExprId, right: ExprId) {
        match op {
            BinaryOp::Eq | BinaryOp::Iff => {
                for (a, b) in [(left, right), (right, left)] {
                    if let Some((var, kind)) = self.variable(program, a) {
                        let value = self.value(program, b);
                        self.meet(var, kind, value);
                    }
                }
            }
            BinaryOp::Neq => {
                for (a, b) in [(left, right), (right, left)] {
                    self.assume_different(program, a, b);
                }
            }
            BinaryOp::Le => self.assume_order(program, left, right, false),
            BinaryOp::Lt => self.assume_order(program, left, right, true),
            BinaryOp::Ge => self.assume_order(program, right, left, false),
            BinaryOp::Gt => self.assume_order(program, right, left, true),
            _ => {}
        }
    }

    /// A value that is an end of a variable's interval, and that it does not have, shortens the interval.
    fn assume_different(&mut self, program: &Program, expr: ExprId, other: ExprId) {
        let Some((var, Kind::Int)) = self.variable(program, expr) else {
            return;
        };
        let value = self.value(program, other);
        let (Some(low), Some(high)) = (value.low, value.high) else {
            return;
        };
        if &low + 1 != high {
            return;
        }
        let known = self.bounds.get(&var).cloned().unwrap_or_default();
        let mut cut = Bounds::default();
        if known.low.as_ref() == Some(&low) {
            cut.low = Some(high);
        } else if known.high.as_ref() == Some(&high) {
            cut.high = Some(low);
        }
        self.meet(var, Kind::Int, cut);
    }

    /// `left <= right`, or `left < right` if strict.
    fn assume_order(&mut self, program: &Program, left: ExprId, right: ExprId, strict: bool) {
        if let Some((var, kind)) = self.variable(program, right) {
            let step = i32::from(strict && kind == Kind::Int);
            let low = self.value(program, left).low.map(|l| l + step);
            self.meet(var, kind, Bounds { low, high: None });
        }
        if let Some((var, kind)) = self.variable(program, left) {
            let step = i32::from(strict && kind == Kind::Int);
            let high = self.value(program, right).high.map(|h| h - step);
            self.meet(var, kind, Bounds { low: None, high });
        }
    }

    /// Bounds of the value of an expression.
    pub(super) fn value(&self, program: &Program, expr: ExprId) -> Bounds {
        let Some(kind) = kind_of(program, expr) else {
            return Bounds::default();
        };
        match &program.exprs[expr].kind {
            ExprKind::Bool(value) => Bounds::truth(*value),
            ExprKind::Int(n) => Bounds {
                low: Some((**n).clone()),
                high: Some(&**n + 1),
            },
            ExprKind::Real(decimal) => decimal_bounds(decimal),
            ExprKind::Ident { var: Some(var), .. } => self.get(*var),
            ExprKind::Unary(UnaryOp::Neg, arg) => {
                let value = self.value(program, *arg);
                let step = i32::from(kind == Kind::Int);
                Bounds {
                    low: value.high.map(|h| BigInt::from(step) - h),
                    high: value.low.map(|l| BigInt::from(step) - l),
                }
            }
            ExprKind::Unary(UnaryOp::Not, arg) => {
                let value = self.value(program, *arg);
                Bounds {
                    low: value.high,
                    high: value.low,
                }
            }
            ExprKind::Binary(op, left, right) => {
                let operand_kind = kind_of(program, *left);
                let left = self.value(program, *left);
                let right = self.value(program, *right);
                match operand_kind {
                    Some(Kind::Bool) => logical(*op, &left, &right),
                    Some(operand) if kind == Kind::Bool => comparison(*op, operand, left, right),
                    Some(_) => arithmetic(*op, kind, &left, &right),
                    None => Bounds::default(),
                }
            }
            ExprKind::Ite(condition, yes, no) => {
                let condition = self.value(program, *condition);
                if condition.is_true() {
                    return self.value(program, *yes);
                }
                if condition.is_false() {
                    return self.value(program, *no);
                }
                let (a, b) = (self.value(program, *yes), self.value(program, *no));
                Bounds {
                    low: weaker_low(&a.low, &b.low),
                    high: weaker_high(&a.high, &b.high),
                }
            }
            ExprKind::Call {
                func: Some(func),
                args,
                ..
            } => {
                let attrs = &program.funcs[*func].attrs;
                match args[..] {
                    [left, right] => {
                        let (left, right) = (self.value(program, left), self.value(program, right));
                        let op = self.operators.get(func);
                        op.map_or_else(Bounds::default, |op| arithmetic(*op, kind, &left, &right))
                    }
                    [arg]
                        if program.exprs[arg].ty == program.exprs[expr].ty
                            && program.bool_attribute(attrs, "identity") =>
                    {
                        self.value(program, arg)
                    }
                    _ => Bounds::default(),
                }
            }
            _ => Bounds::default(),
        }
    }
}

/// The integers around a decimal number.
fn decimal_bounds(decimal: &Decimal) -> Bounds {
    let ten = BigInt::from(10);
    if decimal.exponent.unsigned_abs() > 1000 {
        return Bounds::default();
    }
    let power = ten.pow(decimal.exponent.unsigned_abs());
    if decimal.exponent >= 0 {
        let value = &decimal.mantissa * power;
        return Bounds {
            low: Some(value.clone()),
            high: Some(value),
        };
    }
    let floor = &decimal.mantissa / &power;
    let exact = &floor * &power == decimal.mantissa;
    let ceiling = if exact { floor.clone() } else { &floor + 1 };
    Bounds {
        low: Some(floor),
        high: Some(ceiling),
    }
}

fn logical(op: BinaryOp, left: &Bounds, right: &Bounds) -> Bounds {
    let known = |b: &Bounds| match (b.is_true(), b.is_false()) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let (a, b) = (known(left), known(right));
    let result = match op {
        BinaryOp::And => match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        BinaryOp::Or => match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        BinaryOp::Imp => match (a, b) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), Some(false)) => Some(false),
            _ => None,
        },
        BinaryOp::Iff | BinaryOp::Eq => a.zip(b).map(|(a, b)| a == b),
        BinaryOp::Neq => a.zip(b).map(|(a, b)| a != b),
        _ => None,
    };
    result.map(Bounds::truth).unwrap_or_default()
}

fn comparison(op: BinaryOp, kind: Kind, left: Bounds, right: Bounds) -> Bounds {
    // The greatest possible value; upper bounds of integers are exclusive.
    let step = i32::from(kind == Kind::Int);
    let greatest = |b: &Bounds| b.high.as_ref().map(|h| h - step);
    let (left, right, op) = match op {
        BinaryOp::Ge => (right, left, BinaryOp::Le),
        BinaryOp::Gt => (right, left, BinaryOp::Lt),
        op => (left, right, op),
    };
    let (left_high, right_high) = (greatest(&left), greatest(&right));
    let always = |a: &Option<BigInt>, b: &Option<BigInt>, test: fn(&BigInt, &BigInt) -> bool| matches!((a, b), (Some(a), Some(b)) if test(a, b));
    let result = match op {
        BinaryOp::Le if always(&left_high, &right.low, |a, b| a <= b) => Some(true),
        BinaryOp::Le if always(&right_high, &left.low, |a, b| a < b) => Some(false),
        BinaryOp::Lt if always(&left_high, &right.low, |a, b| a < b) => Some(true),
        BinaryOp::Lt if always(&right_high, &left.low, |a, b| a <= b) => Some(false),
        BinaryOp::Eq | BinaryOp::Neq => {
            let apart = always(&left_high, &right.low, |a, b| a < b)
                || always(&right_high, &left.low, |a, b| a < b);
            let point = left.low.is_some() && left.low == left_high && left == right;
            let equal = match (apart, point) {
                (true, _) => Some(false),
                (_, true) => Some(true),
                _ => None,
            };
            equal.map(|e| e == (op == BinaryOp::Eq))
        }
        _ => None,
    };
    result.map(Bounds::truth).unwrap_or_default()
}

fn arithmetic(op: BinaryOp, kind: Kind, left: &Bounds, right: &Bounds) -> Bounds {
    let step = i32::from(kind == Kind::Int);
    let both = |a: &Option<BigInt>, b: &Option<BigInt>| a.clone().zip(b.clone());
    let zero = BigInt::from(0);
    let natural = |b: &Bounds| b.low.as_ref().is_some_and(|l| *l >= zero);
    let positive = |b: &Bounds| b.low.as_ref().is_some_and(|l| *l > zero);
    match op {
        BinaryOp::Add => Bounds {
            low: both(&left.low, &right.low).map(|(a, b)| a + b),
            high: both(&left.high, &right.high).map(|(a, b)| a + b - step),
        },
        BinaryOp::Sub => Bounds {
            low: both(&left.low, &right.high).map(|(a, b)| a - b + step),
            high: both(&left.high, &right.low).map(|(a, b)| a - b),
        },
        BinaryOp::Mul if natural(left) && natural(right) => Bounds {
            low: both(&left.low, &right.low).map(|(a, b)| a * b),
            high: both(&left.high, &right.high).map(|(a, b)| (a - step) * (b - step) + step),
        },
        BinaryOp::Div if natural(left) && positive(right) => Bounds {
            low: Some(zero),
            high: left.high.clone(),
        },
        BinaryOp::Mod if positive(right) => {
            let below_divisor = right.high.as_ref().map(|h| h - 1);
            let high = match left.high.clone().filter(|_| natural(left)) {
                Some(high) => Some(below_divisor.map_or(high.clone(), |b: BigInt| b.min(high))),
                None => below_divisor,
            };
            Bounds {
                low: Some(zero),
                high,
            }
        }
        BinaryOp::RealDiv if natural(left) && positive(right) => Bounds {
            low: Some(zero),
            high: left.high.clone().filter(|_| kind == Kind::Real),
        },
        _ => Bounds::default(),
    }
}
