//! Integers and reals. Few rules: these terms go to an external solver that knows them well.

use crate::{Level, Op, Rational, Rule, Sort, Term, Terms, Value};
use num_bigint::BigInt;

impl Terms {
    /// An integer constant.
    pub fn int(&self, value: impl Into<BigInt>) -> Term {
        let id = self.sides.big(value.into());
        self.intern(Op::Int(id), &[], Sort::INT)
    }

    /// A real constant.
    pub fn real(&self, value: &Rational) -> Term {
        let numerator = self.sides.big(value.numerator().clone());
        let denominator = self.sides.big(value.denominator().clone());
        self.intern(Op::Real(numerator, denominator), &[], Sort::REAL)
    }

    /// The value of an integer or real constant.
    pub fn as_number(&self, term: Term) -> Option<Rational> {
        match self.op(term) {
            Op::Int(id) => Some(Rational::from(self.big(id).clone())),
            Op::Real(p, q) => Some(Rational::new(self.big(p).clone(), self.big(q).clone())),
            _ => None,
        }
    }

    fn number(&self, sort: Sort, value: &Rational) -> Term {
        match sort {
            Sort::INT => self.int(value.numerator().clone()),
            _ => self.real(value),
        }
    }

    /// The sum of at least one integer or real.
    pub fn add(&self, args: &[Term]) -> Term {
        self.sum_or_product(args, Op::Add)
    }

    /// The product of at least one integer or real.
    pub fn mul(&self, args: &[Term]) -> Term {
        self.sum_or_product(args, Op::Mul)
    }

    fn sum_or_product(&self, args: &[Term], op: Op) -> Term {
        debug_assert!(!args.is_empty());
        let sort = self.sort(args[0]);
        if args.len() == 1 {
            return args[0];
        }
        if !self.at(Level::Cheap) {
            return self.intern(op, args, sort);
        }
        let mut constant: Option<Rational> = None;
        let mut constants = 0;
        let mut kept = Vec::with_capacity(args.len());
        for &arg in args {
            match self.as_number(arg) {
                None => kept.push(arg),
                Some(value) => {
                    constants += 1;
                    constant = Some(match (constant, op) {
                        (None, _) => value,
                        (Some(so_far), Op::Add) => so_far.add(&value),
                        (Some(so_far), _) => so_far.mul(&value),
                    });
                }
            }
        }
        if constants > 1 {
            self.fire(Rule::Fold);
        }
        match constant {
            None => return self.intern(op, args, sort),
            Some(value) if kept.is_empty() => return self.number(sort, &value),
            Some(value) if op == Op::Mul && value.is_zero() => {
                self.fire(Rule::ArithUnit);
                return self.number(sort, &value);
            }
            Some(value)
                if (op == Op::Add && value.is_zero()) || (op == Op::Mul && value.is_one()) =>
            {
                self.fire(Rule::ArithUnit);
            }
            Some(_) if constants == 1 => return self.intern(op, args, sort),
            Some(value) => kept.push(self.number(sort, &value)),
        }
        match *kept {
            [a] => a,
            _ => self.intern(op, &kept, sort),
        }
    }

    /// Unary minus of an integer or real.
    pub fn neg(&self, a: Term) -> Term {
        if self.at(Level::Cheap) {
            if let Some(value) = self.as_number(a) {
                self.fire(Rule::Fold);
                return self.number(self.sort(a), &value.neg());
            }
            if self.op(a) == Op::Neg {
                self.fire(Rule::ArithUnit);
                return self.args(a)[0];
            }
        }
        self.intern(Op::Neg, &[a], self.sort(a))
    }

    /// Difference of integers or reals.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.add(&[a, self.neg(b)])
    }

    /// SMT-LIB's `div`: floor for a positive divisor, ceiling for a negative one.
    pub fn int_div(&self, a: Term, b: Term) -> Term {
        self.number_binary(Op::IntDiv, a, b)
    }

    /// SMT-LIB's `mod`: never negative.
    pub fn int_mod(&self, a: Term, b: Term) -> Term {
        self.number_binary(Op::IntMod, a, b)
    }

    /// Division of reals.
    pub fn real_div(&self, a: Term, b: Term) -> Term {
        self.number_binary(Op::RealDiv, a, b)
    }

    /// `a <= b`.
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.number_binary(Op::Le, a, b)
    }

    /// `a < b`.
    pub fn lt(&self, a: Term, b: Term) -> Term {
        self.number_binary(Op::Lt, a, b)
    }

    /// `a >= b`.
    pub fn ge(&self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// `a > b`.
    pub fn gt(&self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    pub(crate) fn number_binary(&self, op: Op, a: Term, b: Term) -> Term {
        debug_assert_eq!(self.sort(a), self.sort(b));
        let sort = match op {
            Op::Le | Op::Lt => Sort::BOOL,
            Op::RealDiv => Sort::REAL,
            _ => Sort::INT,
        };
        if self.at(Level::Cheap) {
            if a == b && sort == Sort::BOOL {
                self.fire(Rule::CompareSame);
                return self.bool(op == Op::Le);
            }
            if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b))
                && let Some(value) = crate::eval::number_operator(op, &x, &y)
            {
                self.fire(Rule::Fold);
                return match value {
                    Value::Bool(value) => self.bool(value),
                    Value::Int(value) => self.int(value),
                    Value::Real(value) => self.real(&value),
                    _ => self.intern(op, &[a, b], sort),
                };
            }
        }
        self.intern(op, &[a, b], sort)
    }

    /// An integer as a real.
    pub fn to_real(&self, a: Term) -> Term {
        match self.as_number(a) {
            Some(value) if self.at(Level::Cheap) => {
                self.fire(Rule::Fold);
                self.real(&value)
            }
            _ => self.intern(Op::ToReal, &[a], Sort::REAL),
        }
    }

    /// The largest integer not above a real.
    pub fn to_int(&self, a: Term) -> Term {
        self.intern(Op::ToInt, &[a], Sort::INT)
    }

    /// Whether a real is an integer.
    pub fn is_int(&self, a: Term) -> Term {
        self.intern(Op::IsInt, &[a], Sort::BOOL)
    }
}
