//! Arithmetic: expressions become three-address instructions on X registers.

use super::emit::{Emitter, Owner};
use super::source::T;
use crate::cell::{Cell, INT, MAX_SMALL, MIN_SMALL};
use crate::code::{Op, word, word_imm};
use stet_prolog::{Atom, atom};

impl Emitter {
    /// `target is expression`.
    pub(super) fn is_goal(&mut self, target: &T, expression: &T) {
        let fresh = match *target {
            T::Var(variable) if !self.is_known(variable) && !self.is_void(variable) => {
                Some(variable).filter(|&v| !mentions(v, expression))
            }
            _ => None,
        };
        let wanted = fresh.and_then(|variable| self.wanted(variable));
        let register = self.value(expression, wanted);
        if let Some(variable) = fresh {
            self.state.owner[register as usize] = Owner::Var(variable);
            self.state.x[variable as usize] = Some(register);
            return self.save_if_permanent(variable);
        }
        match target {
            T::Var(variable) if self.is_void(*variable) => {}
            T::Const(cell) => {
                self.put(word(Op::GetConst, 0, register, 0, 0));
                self.put(*cell);
            }
            target => {
                let other = self.operand(target);
                self.put(word(Op::GetValX, 0, other, register, 0));
                self.release_operand(target, other);
            }
        }
        self.free(register);
    }

    /// The value of an expression in a scratch register, `wanted` if given.
    fn value(&mut self, expression: &T, wanted: Option<u16>) -> u16 {
        match expression {
            T::Const(cell) if Cell(*cell).tag() == INT => self.build(expression, wanted),
            T::Compound(name, args) if args.len() == 2 && is_function2(*name) => {
                self.binary(*name, &args[0], &args[1], wanted)
            }
            T::Compound(name, args) if args.len() == 1 && is_function1(*name) => {
                let operand = self.number(&args[0]);
                self.release_number(&args[0], operand);
                let to = wanted.unwrap_or_else(|| self.fresh(Owner::Scratch));
                self.put(word(Op::Arith1, 0, operand, 0, to));
                self.put(u64::from(name.0));
                to
            }
            other => {
                let operand = self.operand(other);
                self.release_operand(other, operand);
                let to = wanted.unwrap_or_else(|| self.fresh(Owner::Scratch));
                self.put(word(Op::Eval, 0, operand, to, 0));
                to
            }
        }
    }

    fn binary(&mut self, name: Atom, a: &T, b: &T, wanted: Option<u16>) -> u16 {
        if let Some((operand, immediate)) = immediate(name, a, b) {
            let register = self.number(operand);
            self.release_number(operand, register);
            let to = wanted.unwrap_or_else(|| self.fresh(Owner::Scratch));
            self.put(word(Op::AddI, 0, register, to, 0));
            self.put(Cell::small(immediate).0);
            return to;
        }
        let left = self.number(a);
        let right = self.number(b);
        self.release_number(a, left);
        self.release_number(b, right);
        let to = wanted.unwrap_or_else(|| self.fresh(Owner::Scratch));
        let op = match name {
            atom::PLUS => Op::Add,
            atom::MINUS => Op::Sub,
            atom::STAR => Op::Mul,
            atom::INT_DIV => Op::IntDiv,
            atom::MOD => Op::Mod,
            atom::REM => Op::Rem,
            atom::AND => Op::And,
            atom::OR => Op::Or,
            atom::SHIFT_LEFT => Op::Shl,
            atom::SHIFT_RIGHT => Op::Shr,
            _ => {
                self.put(word(Op::Arith2, 0, left, right, to));
                self.put(u64::from(name.0));
                return to;
            }
        };
        self.put(word(op, 0, left, right, to));
        to
    }

    /// An operand: plain terms are evaluated by the instruction that uses them.
    fn number(&mut self, term: &T) -> u16 {
        match term {
            T::Compound(name, args)
                if args.len() == 2 && is_function2(*name)
                    || args.len() == 1 && is_function1(*name) =>
            {
                self.value(term, None)
            }
            other => self.operand(other),
        }
    }

    fn release_number(&mut self, term: &T, register: u16) {
        self.release_operand(term, register);
    }

    /// A comparison; returns where its label is.
    pub(super) fn compare(&mut self, op: Op, a: &T, b: &T) -> usize {
        let small = |term: &T| matches!(term, T::Const(cell) if Cell(*cell).tag() == INT);
        let (op, a, b) = if small(a) && !small(b) {
            (swapped(op), b, a)
        } else {
            (op, a, b)
        };
        let left = self.number(a);
        if let (T::Const(cell), true) = (b, small(b)) {
            let at = self.code.len();
            self.put(word_imm(with_immediate(op), 0, left, 0));
            self.put(*cell);
            self.release_number(a, left);
            return at;
        }
        let right = self.number(b);
        let at = self.code.len();
        self.put(word_imm(op, 0, left, 0));
        self.put(u64::from(right));
        self.release_number(a, left);
        self.release_number(b, right);
        at
    }
}

fn mentions(variable: u32, term: &T) -> bool {
    match term {
        T::Var(other) => *other == variable,
        T::Compound(_, args) => args.iter().any(|arg| mentions(variable, arg)),
        T::Flat(_, variables) => variables.contains(&variable),
        T::Const(_) | T::Box(_) => false,
    }
}

/// `X + c`, `c + X` and `X - c` as operand and constant.
fn immediate<'t>(name: Atom, a: &'t T, b: &'t T) -> Option<(&'t T, i64)> {
    let small = |term: &T| match term {
        T::Const(cell) if Cell(*cell).tag() == INT => Some(Cell(*cell).small_value()),
        _ => None,
    };
    match name {
        atom::PLUS => match (small(a), small(b)) {
            (None, Some(value)) => Some((a, value)),
            (Some(value), None) => Some((b, value)),
            _ => None,
        },
        atom::MINUS => match (small(a), small(b)) {
            (None, Some(value)) if value > MIN_SMALL && value <= MAX_SMALL => Some((a, -value)),
            _ => None,
        },
        _ => None,
    }
}

fn swapped(op: Op) -> Op {
    match op {
        Op::CmpLt => Op::CmpGt,
        Op::CmpLe => Op::CmpGe,
        Op::CmpGt => Op::CmpLt,
        Op::CmpGe => Op::CmpLe,
        other => other,
    }
}

fn with_immediate(op: Op) -> Op {
    match op {
        Op::CmpEq => Op::CmpEqI,
        Op::CmpNe => Op::CmpNeI,
        Op::CmpLt => Op::CmpLtI,
        Op::CmpLe => Op::CmpLeI,
        Op::CmpGt => Op::CmpGtI,
        _ => Op::CmpGeI,
    }
}

fn is_function2(name: Atom) -> bool {
    matches!(
        name,
        atom::PLUS
            | atom::MINUS
            | atom::STAR
            | atom::SLASH
            | atom::INT_DIV
            | atom::MOD
            | atom::REM
            | atom::DIV
            | atom::MIN
            | atom::MAX
            | atom::AND
            | atom::OR
            | atom::XOR
            | atom::SHIFT_LEFT
            | atom::SHIFT_RIGHT
            | atom::POWER
            | atom::CARET
            | atom::GCD
            | atom::ATAN2
            | atom::ATAN
            | atom::COPYSIGN
    )
}

fn is_function1(name: Atom) -> bool {
    matches!(
        name,
        atom::MINUS
            | atom::PLUS
            | atom::ABS
            | atom::SIGN
            | atom::COMPLEMENT
            | atom::SQRT
            | atom::FLOAT
            | atom::INTEGER
            | atom::TRUNCATE
            | atom::ROUND
            | atom::CEILING
            | atom::FLOOR
            | atom::SIN
            | atom::COS
            | atom::TAN
            | atom::ASIN
            | atom::ACOS
            | atom::ATAN
            | atom::EXP
            | atom::LOG
            | atom::LOG2
            | atom::FLOAT_INTEGER_PART
            | atom::FLOAT_FRACTIONAL_PART
            | atom::MSB
            | atom::SUCC
    )
}
