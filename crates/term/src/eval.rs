//! Evaluation of terms under a model.
//!
//! Values of subterms are memoised, also across terms evaluated by one [`Evaluator`]. A read walks down its
//! chain of stores and evaluates only the indices it meets, so no array value is built unless arrays are
//! compared or passed around.

use crate::model::default_value;
use crate::value::euclidean;
use crate::{ArrayValue, Bits, Model, Op, Rational, Sort, SortKind, Term, Terms, Value};
use std::sync::Arc;
use stet_base::FastMap;

/// Why a term has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// An operator the evaluator does not interpret: quantifiers, opaque operators.
    Unsupported(Op),
    /// Division by zero of integers or reals, or a selector of another constructor: any value is allowed.
    Unspecified(Op),
    /// A symbol of a sort without default value.
    NoValue(Sort),
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EvalError::Unsupported(op) => write!(f, "the evaluator does not interpret {op:?}"),
            EvalError::Unspecified(op) => write!(f, "{op:?} may have any value here"),
            EvalError::NoValue(sort) => write!(f, "no value of sort {sort:?} is known"),
        }
    }
}

impl std::error::Error for EvalError {}

/// What is left to do for a term.
enum Task {
    /// Push what the value needs, then come back.
    Visit(Term),
    /// All arguments have values.
    Finish(Term),
    /// A read whose index has a value, now at this array.
    Walk { read: Term, array: Term },
}

/// Evaluates terms of one pool under one model.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a Model,
    memo: FastMap<Term, Value>,
    tasks: Vec<Task>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator with an empty memo.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Evaluator {
            terms,
            model,
            memo: FastMap::default(),
            tasks: Vec::new(),
        }
    }

    /// Gives a term a value, whatever its subterms are.
    pub fn assume(&mut self, term: Term, value: Value) {
        self.memo.insert(term, value);
    }

    /// Whether a Boolean term is true; errors count as false.
    pub fn holds(&mut self, term: Term) -> bool {
        matches!(self.eval(term), Ok(Value::Bool(true)))
    }

    /// The value of a term.
    pub fn eval(&mut self, term: Term) -> Result<Value, EvalError> {
        self.tasks.clear();
        self.tasks.push(Task::Visit(term));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(term) if self.memo.contains_key(&term) => {}
                Task::Visit(term) => self.visit(term)?,
                Task::Finish(term) => {
                    let value = self.compute(term)?;
                    self.memo.insert(term, value);
                }
                Task::Walk { read, array } => self.walk(read, array)?,
            }
        }
        Ok(self.memo[&term].clone())
    }

    fn visit(&mut self, term: Term) -> Result<(), EvalError> {
        let node = self.terms.node(term);
        match node.op {
            Op::Select => {
                let (array, index) = (node.args()[0], node.args()[1]);
                self.tasks.push(Task::Walk { read: term, array });
                self.tasks.push(Task::Visit(index));
            }
            Op::Ite => match self.memo.get(&node.args()[0]) {
                None => {
                    self.tasks.push(Task::Visit(term));
                    self.tasks.push(Task::Visit(node.args()[0]));
                }
                Some(condition) => {
                    let branch = if *condition == Value::Bool(true) {
                        1
                    } else {
                        2
                    };
                    let branch = node.args()[branch];
                    match self.memo.get(&branch).cloned() {
                        Some(value) => {
                            self.memo.insert(term, value);
                        }
                        None => {
                            self.tasks.push(Task::Visit(term));
                            self.tasks.push(Task::Visit(branch));
                        }
                    }
                }
            },
            op if op.is_quantifier() => return Err(EvalError::Unsupported(op)),
            _ => {
                self.tasks.push(Task::Finish(term));
                let args = node.args().iter().rev();
                self.tasks.extend(args.map(|&arg| Task::Visit(arg)));
            }
        }
        Ok(())
    }

    /// One step of a read down its chain of arrays.
    fn walk(&mut self, read: Term, mut array: Term) -> Result<(), EvalError> {
        let index = self.memo[&self.terms.args(read)[1]].clone();
        let small = index.as_u64();
        loop {
            // Stores at other constant places, which chains are mostly made of, need no memo.
            while let (Op::Store, &[below, place, _]) =
                (self.terms.op(array), self.terms.args(array))
                && let Op::Bv(place) = self.terms.op(place)
                && small != Some(place)
            {
                array = below;
            }
            if let Some(Value::Array(value)) = self.memo.get(&array) {
                let element = value.get(&index).clone();
                self.memo.insert(read, element);
                return Ok(());
            }
            let node = self.terms.node(array);
            let args = node.args();
            let needed = match node.op {
                Op::Store => match self.memo.get(&args[1]) {
                    None => args[1],
                    Some(at) if *at != index => {
                        array = args[0];
                        continue;
                    }
                    Some(_) => match self.memo.get(&args[2]).cloned() {
                        None => args[2],
                        Some(element) => {
                            self.memo.insert(read, element);
                            return Ok(());
                        }
                    },
                },
                Op::Ite => match self.memo.get(&args[0]) {
                    None => args[0],
                    Some(condition) => {
                        let branch = if *condition == Value::Bool(true) {
                            1
                        } else {
                            2
                        };
                        array = args[branch];
                        continue;
                    }
                },
                Op::Fill => match self.memo.get(&args[0]).cloned() {
                    None => args[0],
                    Some(element) => {
                        self.memo.insert(read, element);
                        return Ok(());
                    }
                },
                Op::Table(id) => {
                    let width = self.terms.width(read);
                    let at = match &index {
                        Value::Bv(bits) => bits.value_u64(),
                        _ => None,
                    };
                    let element = at.map_or(0, |at| self.terms.table_content(id).get(at));
                    self.memo.insert(read, Value::Bv(Bits::new(width, element)));
                    return Ok(());
                }
                _ => array,
            };
            self.tasks.push(Task::Walk { read, array });
            self.tasks.push(Task::Visit(needed));
            return Ok(());
        }
    }

    fn compute(&self, term: Term) -> Result<Value, EvalError> {
        let node = self.terms.node(term);
        let values: Args<'_> = node.args().iter().map(|arg| &self.memo[arg]).collect();
        if let Op::Symbol(symbol) = node.op {
            return match self.model.get(symbol) {
                Some(value) => Ok(value.clone()),
                None => {
                    default_value(self.terms, node.sort, 0).ok_or(EvalError::NoValue(node.sort))
                }
            };
        }
        if let Op::Apply(function) = node.op {
            return match self.model.function(function) {
                Some(table) => {
                    let key: Vec<Value> = values.iter().map(|&value| value.clone()).collect();
                    Ok(table.entries.get(&key).unwrap_or(&table.default).clone())
                }
                None => {
                    default_value(self.terms, node.sort, 0).ok_or(EvalError::NoValue(node.sort))
                }
            };
        }
        operator(self.terms, term, &values)
    }
}

type Args<'a> = Vec<&'a Value>;

fn operator(terms: &Terms, term: Term, values: &[&Value]) -> Result<Value, EvalError> {
    let node = terms.node(term);
    let op = node.op;
    let unsupported = || EvalError::Unsupported(op);
    if let Some(value) = leaf(terms, term) {
        return Ok(value);
    }
    if let Some(value) = bits_operator(op, node.sort, values) {
        return Ok(value);
    }
    let truth = |value: &&Value| value.as_bool() == Some(true);
    Ok(match op {
        Op::Not => Value::Bool(!truth(&values[0])),
        Op::And => Value::Bool(values.iter().all(truth)),
        Op::Or => Value::Bool(values.iter().any(truth)),
        Op::Implies => Value::Bool(!truth(&values[0]) || truth(&values[1])),
        Op::Eq => Value::Bool(same(
            terms,
            terms.sort(node.args()[0]),
            values[0],
            values[1],
        )),
        Op::Distinct => {
            let sort = terms.sort(node.args()[0]);
            let equal = |i: usize, j: usize| same(terms, sort, values[i], values[j]);
            Value::Bool((0..values.len()).all(|j| (0..j).all(|i| !equal(i, j))))
        }
        Op::Fill => Value::Array(Arc::new(ArrayValue::filled(values[0].clone()))),
        Op::Store => {
            let Value::Array(array) = values[0] else {
                return Err(unsupported());
            };
            let mut array = ArrayValue::clone(array);
            array.set(values[1].clone(), values[2].clone());
            Value::Array(Arc::new(array))
        }
        Op::Construct(constructor) => Value::Data(
            constructor,
            values.iter().map(|&value| value.clone()).collect(),
        ),
        Op::Tester(constructor) => {
            Value::Bool(matches!(values[0], Value::Data(made, _) if *made == constructor))
        }
        Op::Selector { constructor, field } => match values[0] {
            Value::Data(made, fields) if *made == constructor => fields[field as usize].clone(),
            _ => return Err(EvalError::Unspecified(op)),
        },
        _ => {
            return number(op, values).ok_or_else(|| match op {
                Op::IntDiv | Op::IntMod | Op::RealDiv => EvalError::Unspecified(op),
                _ => unsupported(),
            });
        }
    })
}

fn leaf(terms: &Terms, term: Term) -> Option<Value> {
    let node = terms.node(term);
    Some(match node.op {
        Op::True => Value::Bool(true),
        Op::False => Value::Bool(false),
        Op::Bv(_) | Op::BigBv(_) => Value::Bv(terms.as_bits(term)?),
        Op::Int(id) => Value::Int(terms.big(id).clone()),
        Op::Real(..) => Value::Real(terms.as_number(term)?),
        Op::Literal(name) => Value::Opaque(terms.name(name).into()),
        Op::Table(id) => {
            let SortKind::Array { index, element } = terms.sort_kind(node.sort) else {
                return None;
            };
            let (index, element) = (index.bv_width()?, element.bv_width()?);
            let table = terms.table_content(id);
            let mut array = ArrayValue::filled(Value::Bv(Bits::new(element, 0)));
            for i in 0..table.len() as u64 {
                let at = Bits::new(index, i);
                if at.value_u64() == Some(i) {
                    array.set(Value::Bv(at), Value::Bv(Bits::new(element, table.get(i))));
                }
            }
            Value::Array(Arc::new(array))
        }
        _ => return None,
    })
}

fn bits_operator(op: Op, sort: Sort, values: &[&Value]) -> Option<Value> {
    let (Value::Bv(a), second) = (values.first()?, values.get(1)) else {
        return None;
    };
    let b = match second {
        Some(Value::Bv(b)) => Some(b),
        _ => None,
    };
    let width = sort.bv_width().unwrap_or(1);
    Some(Value::Bv(match op {
        Op::BvNot => a.not(),
        Op::BvNeg => a.neg(),
        Op::Extract { high, low } => a.extract(high, low),
        Op::ZeroExtend => a.zero_extend(width),
        Op::SignExtend => a.sign_extend(width),
        Op::BvAnd => a.and(b?),
        Op::BvOr => a.or(b?),
        Op::BvXor => a.xor(b?),
        Op::BvAdd => a.add(b?),
        Op::BvMul => a.mul(b?),
        Op::BvUdiv => a.udiv(b?),
        Op::BvUrem => a.urem(b?),
        Op::BvSdiv => a.sdiv(b?),
        Op::BvSrem => a.srem(b?),
        Op::BvShl => a.shl(b?),
        Op::BvLshr => a.lshr(b?),
        Op::BvAshr => a.ashr(b?),
        Op::Concat => a.concat(b?),
        Op::BvUlt => return Some(Value::Bool(a.ult(b?))),
        Op::BvSlt => return Some(Value::Bool(a.slt(b?))),
        _ => return None,
    }))
}

fn as_rational(value: &Value) -> Option<Rational> {
    match value {
        Value::Int(value) => Some(Rational::from(value.clone())),
        Value::Real(value) => Some(value.clone()),
        _ => None,
    }
}

fn number(op: Op, values: &[&Value]) -> Option<Value> {
    let numbers: Option<Vec<Rational>> = values.iter().map(|value| as_rational(value)).collect();
    let numbers = numbers?;
    let like = |value: Rational| match values[0] {
        Value::Int(_) => Value::Int(value.numerator().clone()),
        _ => Value::Real(value),
    };
    let first = numbers.first()?;
    match op {
        Op::Add => Some(like(
            numbers[1..].iter().fold(first.clone(), |a, b| a.add(b)),
        )),
        Op::Mul => Some(like(
            numbers[1..].iter().fold(first.clone(), |a, b| a.mul(b)),
        )),
        Op::Neg => Some(like(first.neg())),
        Op::ToReal => Some(Value::Real(first.clone())),
        Op::ToInt => Some(Value::Int(first.floor())),
        Op::IsInt => Some(Value::Bool(first.is_integer())),
        _ => number_operator(op, first, numbers.get(1)?),
    }
}

/// A binary operator on numbers; nothing for division by zero.
pub(crate) fn number_operator(op: Op, a: &Rational, b: &Rational) -> Option<Value> {
    Some(match op {
        Op::Lt => Value::Bool(a < b),
        Op::Le => Value::Bool(a <= b),
        Op::IntDiv => Value::Int(euclidean(a.numerator(), b.numerator())?.0),
        Op::IntMod => Value::Int(euclidean(a.numerator(), b.numerator())?.1),
        Op::RealDiv if !b.is_zero() => Value::Real(Rational::new(
            a.numerator() * b.denominator(),
            a.denominator() * b.numerator(),
        )),
        _ => return None,
    })
}

/// Equality of values of a sort. Arrays nested inside other values are compared as they are written,
/// which is exact for index sorts that no model enumerates completely.
fn same(terms: &Terms, sort: Sort, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(x), Value::Array(y)) => {
            let indices = match terms.sort_kind(sort) {
                SortKind::Array { index, .. } => match terms.sort_kind(index) {
                    SortKind::Bool => Some(2),
                    SortKind::BitVec(width) if width < 32 => Some(1 << width),
                    _ => None,
                },
                _ => None,
            };
            x.same(y, indices)
        }
        _ => a == b,
    }
}
